"""A model on loopback that speaks OpenAI's chat completions: for each prompt a function says the answer."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@contextmanager
def model(answer: Callable[[str], str]) -> Iterator[tuple[int, list[str]]]:
    """Yield (port, the prompts it was asked, as they come); it answers each with `answer(prompt)`."""
    asked: list[str] = []

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompt = _last_words(body["messages"])
            asked.append(prompt)
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for event in _events(answer(prompt)):
                self.wfile.write(f"data: {event}\n\n".encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1], asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _last_words(messages: list[dict[str, Any]]) -> str:
    content = next(one["content"] for one in reversed(messages) if one["role"] == "user")
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _events(text: str) -> Iterator[str]:
    choices: tuple[dict[str, Any], ...] = (
        {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None},
        {"index": 0, "delta": {}, "finish_reason": "stop"},
    )
    for choice in choices:
        yield json.dumps({"id": "c", "object": "chat.completion.chunk", "created": 0, "choices": [choice]})
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    yield json.dumps(
        {"id": "c", "object": "chat.completion.chunk", "created": 0, "choices": [], "usage": usage}
    )
    yield "[DONE]"

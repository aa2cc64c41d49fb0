"""A model on loopback for real CLI agents: a function says what it answers, in whichever API it is asked.

Anthropic's messages, OpenAI's responses and chat completions, Gemini's generateContent.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

INPUT, OUTPUT = 120, 42  # tokens that every answer says it took
_numbers = count(1)


@dataclass(frozen=True)
class Asked:
    """One request: the user's last words, what tools it offers, and the results of those called since."""

    prompt: str
    tools: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    body: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The whole request."""
        return json.dumps(self.body, ensure_ascii=False)


@dataclass(frozen=True)
class Answer:
    """Words, in pieces, and after them a call: (tool, arguments), which are text for a tool that takes text.

    A `status` other than 200 is an error of the service instead; `pause` is between two pieces, in seconds.
    """

    words: tuple[str, ...] = ()
    call: tuple[str, dict[str, Any] | str] | None = None
    status: int = 200
    pause: float = 0.0

    @property
    def text(self) -> str:
        return "".join(self.words)


Event = tuple[str, dict[str, Any]]  # its name, and what it says


@contextmanager
def model(answer: Callable[[Asked], Answer]) -> Iterator[tuple[int, list[Asked]]]:
    """Yield (port, what it was asked, as it comes, a GET as a prompt of its path)."""
    asked: list[Asked] = []

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(_body(self) or b"{}")
            path = self.path.split("?")[0]
            api = next((api for ending, api in APIS.items() if ending in path), None)
            if api is None or "count" in path.lower():
                self.tell(200 if api else 404, {"input_tokens": 10, "totalTokens": 10})
                return
            question = api[0](body)
            asked.append(question)
            reply = answer(question)
            if reply.status != 200:
                told = {"type": "authentication_error", "message": "invalid api key", "code": reply.status}
                self.tell(reply.status, {"type": "error", "error": {**told, "status": "UNAUTHENTICATED"}})
            elif "stream" in body or "stream" in path:
                with suppress(ConnectionError):
                    self.stream(api[1](body, reply), reply.pause)
            else:
                self.tell(200, next(api[1](body, Answer((reply.text,))))[1])

        def do_GET(self) -> None:
            asked.append(Asked(self.path))
            models = [{"id": "fake-model", "object": "model"}]
            self.tell(200, {"object": "list", "data": models, "models": []})

        do_HEAD = do_GET

        def tell(self, status: int, told: dict[str, Any]) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(told).encode())

        def stream(self, events: Iterator[Event], pause: float) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for name, told in events:
                named = f"event: {name}\n" if name else ""
                self.wfile.write(f"{named}data: {json.dumps(told)}\n\n".encode())
                self.wfile.flush()
                time.sleep(pause)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1], asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _body(request: BaseHTTPRequestHandler) -> bytes:
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise ValueError(f"a body in {request.headers['Content-Encoding']} cannot be read")
    if request.headers.get("Transfer-Encoding") != "chunked":
        return request.rfile.read(int(request.headers.get("Content-Length") or 0))
    body = b""
    while size := int(request.rfile.readline().strip() or b"0", 16):
        body += request.rfile.read(size)
        request.rfile.readline()
    return body


def _words(content: Any) -> str:
    """Return the text of a message's content: itself, or that of its parts."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text") or "" for part in content or () if isinstance(part, dict))


def _since(messages: list[dict[str, Any]], said: Callable[[dict[str, Any]], str]) -> tuple[str, int]:
    """Return the user's last words by `said`, which is "" for any other message, and where they stand."""
    for place in range(len(messages) - 1, -1, -1):
        if words := said(messages[place]):
            return words, place
    return "", 0


# Anthropic's messages
def _messages_asked(body: dict[str, Any]) -> Asked:
    messages = body.get("messages") or []
    is_result = lambda part: isinstance(part, dict) and part.get("type") == "tool_result"  # noqa: E731

    def said(message: dict[str, Any]) -> str:
        content = message.get("content")
        from_tool = isinstance(content, list) and any(map(is_result, content))
        return _words(content) if message.get("role") == "user" and not from_tool else ""

    prompt, place = _since(messages, said)
    parts = [part for message in messages[place:] if isinstance(message["content"], list)
             for part in message["content"]]  # fmt: skip
    results = tuple(json.dumps(part.get("content"), ensure_ascii=False) for part in parts if is_result(part))
    return Asked(prompt, tuple(tool.get("name", "") for tool in body.get("tools") or ()), results, body)


def _messages_told(body: dict[str, Any], reply: Answer) -> Iterator[Event]:
    number = next(_numbers)
    usage = {"input_tokens": INPUT, "output_tokens": 1}
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": body.get("model"),
               "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}  # fmt: skip
    if not body.get("stream"):
        content = [{"type": "text", "text": reply.text}]
        yield "", {**message, "content": content, "stop_reason": "end_turn"}
        return
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
        ({"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in reply.words])
    ]
    if reply.call:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": reply.call[0], "input": {}}
        blocks += [(block, [{"type": "input_json_delta", "partial_json": json.dumps(reply.call[1])}])]
    yield "message_start", {"type": "message_start", "message": message}
    for index, (block, deltas) in enumerate(blocks):
        told = {"index": index}
        yield "content_block_start", {"type": "content_block_start", **told, "content_block": block}
        for delta in deltas:
            yield "content_block_delta", {"type": "content_block_delta", **told, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", **told}
    ended = {"stop_reason": "tool_use" if reply.call else "end_turn", "stop_sequence": None}
    spent = {"output_tokens": OUTPUT}
    yield "message_delta", {"type": "message_delta", "delta": ended, "usage": spent}
    yield "message_stop", {"type": "message_stop"}


# OpenAI's responses
def _responses_tools(body: dict[str, Any]) -> dict[str, str]:
    """Return name → namespace of the tools offered; one that the service itself has is called by its type."""
    found = {}
    for tool in body.get("tools") or ():
        if tool.get("type") == "namespace":
            found |= {inner["name"]: tool["name"] for inner in tool.get("tools") or ()}
        else:
            found[tool.get("name") or tool.get("type")] = ""
    return found


def _responses_asked(body: dict[str, Any]) -> Asked:
    items = [item for item in body.get("input") or () if isinstance(item, dict)]
    prompt, place = _since(items, lambda one: _words(one.get("content")) if one.get("role") == "user" else "")
    results = tuple(json.dumps(item.get("output"), ensure_ascii=False)
                    for item in items[place:] if str(item.get("type")).endswith("_output"))  # fmt: skip
    return Asked(prompt, tuple(_responses_tools(body)), results, body)


def _responses_told(body: dict[str, Any], reply: Answer) -> Iterator[Event]:
    number = next(_numbers)
    part = {"type": "output_text", "text": reply.text, "annotations": []}
    message = {"type": "message", "role": "assistant", "id": f"msg_{number}", "status": "completed"}
    items: list[dict[str, Any]] = [{**message, "content": [part]}]
    if reply.call:
        name, given = reply.call
        call = {"id": f"fc_{number}", "call_id": f"call_{number}", "name": name, "status": "completed"}
        if isinstance(given, str):
            items.append({"type": "custom_tool_call", "input": given, **call})
        else:
            space = {"namespace": _responses_tools(body)[name]} if _responses_tools(body).get(name) else {}
            items.append({"type": "function_call", "arguments": json.dumps(given), **call, **space})
    usage = {"input_tokens": INPUT, "output_tokens": OUTPUT, "total_tokens": INPUT + OUTPUT}
    about = {"object": "response", "created_at": int(time.time()), "model": body.get("model")}
    response = {"id": f"resp_{number}", **about, "output": items, "usage": usage, "status": "completed"}
    yield "response.created", {"type": "response.created", "response": {**response, "output": []}}
    for index, item in enumerate(items):
        told = {"output_index": index, "item": item}
        yield "response.output_item.added", {"type": "response.output_item.added", **told}
        for piece in reply.words if item["type"] == "message" else ():
            delta = {"item_id": item["id"], "output_index": index, "content_index": 0, "delta": piece}
            yield "response.output_text.delta", {"type": "response.output_text.delta", **delta}
        yield "response.output_item.done", {"type": "response.output_item.done", **told}
    yield "response.completed", {"type": "response.completed", "response": response}


# OpenAI's chat completions
def _chat_asked(body: dict[str, Any]) -> Asked:
    messages = body.get("messages") or []
    prompt, place = _since(messages, lambda one: _words(one["content"]) if one["role"] == "user" else "")
    results = tuple(_words(one["content"]) for one in messages[place:] if one["role"] == "tool")
    return Asked(prompt, tuple(tool["function"]["name"] for tool in body.get("tools") or ()), results, body)


def _chat_told(body: dict[str, Any], reply: Answer) -> Iterator[Event]:
    number = next(_numbers)
    base = {"id": f"c{number}", "object": "chat.completion.chunk", "created": 0, "model": body.get("model")}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": piece} for piece in reply.words]
    if reply.call:
        function = {"name": reply.call[0], "arguments": json.dumps(reply.call[1])}
        called = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
        deltas.append({"role": "assistant", "tool_calls": [called]})
    for delta in deltas:
        yield "", {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    usage = {"prompt_tokens": INPUT, "completion_tokens": OUTPUT}
    ended = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if reply.call else "stop"}
    yield "", {**base, "choices": [ended], "usage": {**usage, "total_tokens": INPUT + OUTPUT}}


# Gemini's generateContent
def _gemini_asked(body: dict[str, Any]) -> Asked:
    contents = body.get("contents") or []
    prompt, place = _since(contents, lambda one: _words(one.get("parts")) if one["role"] == "user" else "")
    parts = [part for one in contents[place:] for part in one.get("parts") or ()]
    results = tuple(json.dumps(part["functionResponse"], ensure_ascii=False)
                    for part in parts if "functionResponse" in part)  # fmt: skip
    offered = body.get("tools") or ()  # one that the service itself has is called by its key
    declared = (tool.get("functionDeclarations") or [{"name": next(iter(tool), "")}] for tool in offered)
    tools = tuple(told["name"] for each in declared for told in each)
    return Asked(prompt, tools, results, body)


def _gemini_told(body: dict[str, Any], reply: Answer) -> Iterator[Event]:
    if {"responseJsonSchema", "responseSchema"} & (body.get("generationConfig") or {}).keys():
        simple = {"complexity_reasoning": "simple", "complexity_score": 1}  # it asks which model to ask
        reply = Answer((json.dumps(simple),))
    usage = {"promptTokenCount": INPUT, "candidatesTokenCount": OUTPUT,
             "totalTokenCount": INPUT + OUTPUT}  # fmt: skip
    parts: list[dict[str, Any]] = [{"text": piece} for piece in reply.words]
    if reply.call:
        parts.append({"functionCall": {"name": reply.call[0], "args": reply.call[1]}})
    for place, part in enumerate(parts):
        ended = {"finishReason": "STOP"} if place == len(parts) - 1 else {}
        candidate = {"content": {"role": "model", "parts": [part]}, "index": 0, **ended}
        yield "", {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "fake"}


APIS = {  # a part of the path → how a request is read, how an answer is told
    "/messages": (_messages_asked, _messages_told),
    "/responses": (_responses_asked, _responses_told),
    "/chat/completions": (_chat_asked, _chat_told),
    "enerateContent": (_gemini_asked, _gemini_told),
    ":countTokens": (_gemini_asked, _gemini_told),
}

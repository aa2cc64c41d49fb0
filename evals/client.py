"""What a program of ours that stands for a model needs: its prompt, our tools over MCP, Cursor's wire.

It calls the server that its folder names (.cursor/mcp.json), as any CLI agent does.
Only the standard library: the program starts once for each question.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SERVER = "instrumentgpt"
PROTOCOL = "2025-06-18"


class Client:
    """One answer on Cursor's wire, and the tools that it calls on its way."""

    def __init__(self, server: "subprocess.Popen[str] | None") -> None:
        self._server, self._requests, self._said = server, 0, ""
        self.calls = 0

    def emit(self, kind: str, **fields: Any) -> None:
        """Print one event of the wire."""
        print(json.dumps({"type": kind, **fields}, ensure_ascii=False), flush=True)

    def say(self, text: str) -> None:
        """Say a segment of the answer."""
        self._said += text
        self.emit("assistant", message={"role": "assistant", "content": [{"type": "text", "text": text}]})

    def end(self, error: str = "") -> None:
        """Print the result: the end."""
        subtype = "error" if error else "success"
        self.emit("result", subtype=subtype, is_error=bool(error), result=error or self._said)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Return the text that our tool returns; that of its error where it cannot."""
        asked = {"name": f"{SERVER}-{tool}", "args": dict(arguments), "toolName": tool}
        asked |= {"providerIdentifier": SERVER}
        self.started("mcpToolCall", {"args": asked})
        told = self._ask("tools/call", {"name": tool, "arguments": dict(arguments)})
        result = told.get("result") or {"isError": True, "content": [{"text": str(told.get("error"))}]}
        text = "".join(str(part.get("text", "")) for part in result.get("content", ()))
        success = {"content": [{"text": {"text": text}}], "isError": bool(result.get("isError"))}
        self.completed("mcpToolCall", {"args": asked, "result": {"success": success}})
        return text

    def started(self, kind: str, call: Mapping[str, Any]) -> None:
        """Print that a call has begun."""
        self.calls += 1
        self.emit("tool_call", subtype="started", call_id=f"call-{self.calls}", tool_call={kind: call})

    def completed(self, kind: str, call: Mapping[str, Any]) -> None:
        """Print that the last call has ended, with its `result`."""
        self.emit("tool_call", subtype="completed", call_id=f"call-{self.calls}", tool_call={kind: call})

    def _ask(self, method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        if self._server is None or self._server.stdin is None or self._server.stdout is None:
            return {"error": f"this folder names no server {SERVER}"}
        self._requests += 1
        self._send({"id": self._requests, "method": method, "params": parameters})
        for line in self._server.stdout:
            told: dict[str, Any] = json.loads(line)
            if told.get("id") == self._requests:
                return told
        return {"error": "the server of our tools has ended"}

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._server is not None and self._server.stdin is not None
        self._server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._server.stdin.flush()

    def greet(self) -> None:
        """Introduce ourselves to the server."""
        about = {"name": "instrumentgpt-evaluation", "version": "1"}
        self._ask("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": about})
        self._send({"method": "notifications/initialized"})


@contextmanager
def client(model: str) -> Iterator[tuple[str, Client]]:
    """Yield the prompt from standard input, and the client of `model`; the wire is opened, and not ended."""
    prompt = sys.stdin.buffer.read().decode("utf-8", "replace")
    config = Path(".cursor/mcp.json")
    entry = json.loads(config.read_text())["mcpServers"][SERVER] if config.is_file() else None
    if entry is None:
        yield prompt, _opened(Client(None), model)
        return
    command = [entry["command"], *entry["args"]]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=entry["env"] or None, **pipes) as server:
        made = _opened(Client(server), model)
        made.greet()
        yield prompt, made
        if server.stdin:
            server.stdin.close()


def _opened(made: Client, model: str) -> Client:
    made.emit("system", subtype="init", session_id=model, model=model, cwd=str(Path.cwd()))
    return made

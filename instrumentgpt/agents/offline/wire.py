"""The wire of our own programs: what they say, in the NDJSON of Cursor's `agent` (docs/architecture.md)."""

import json
import time
import uuid
from collections.abc import Callable
from typing import Any, TextIO

SERVER = "instrumentgpt"  # our tools appear as those of an MCP server of this name
MODEL = "offline analyst"
ToolFunction = Callable[[str, dict[str, Any]], dict[str, Any]]


class Wire:
    """One answer being written to `stream`: deltas, a recap per segment, tool calls, a result."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.session, self.model = str(uuid.uuid4()), MODEL
        self.clock = time.time
        self.started = self.clock()
        self.segment = ""  # said since the last recap
        self.text = ""  # said before it
        self.calls = 0

    def open(self, folder: str) -> None:
        """Print the event that names the session: the first one of every run."""
        self._event(
            "system",
            subtype="init",
            apiKeySource="none",
            cwd=folder,
            model=self.model,
            permissionMode="default",
        )

    def hear(self, question: str) -> None:
        """Print the user's message, as every agent on this wire repeats it."""
        self._event("user", message=_message("user", question))

    def say(self, text: str) -> None:
        """Add `text` to the answer."""
        if text:
            self._event("assistant", message=_message("assistant", text), timestamp_ms=self._now())
        self.segment += text

    def call(self, tool: str, arguments: dict[str, Any], run: ToolFunction) -> dict[str, Any]:
        """Return what `run(tool, arguments)` returns, having printed the call's start and its end.

        `{"error": …}` is what a tool that could not do its work returns; it is printed as the tool's error.
        """
        self._recap(model_call_id=f"{self.session}-{self.calls}", timestamp_ms=self._now())
        call_id = f"call-{self.session}-{self.calls}"
        self.calls += 1
        request = {
            "name": f"{SERVER}-{tool}",
            "args": arguments,
            "providerIdentifier": SERVER,
            "toolName": tool,
            "toolCallId": call_id,
        }
        begun = self._now()
        self._tool("started", call_id, {"args": request}, startedAtMs=str(begun))
        result = run(tool, arguments)
        content = [{"text": {"text": json.dumps(result, ensure_ascii=False)}}]
        success = {"content": content, "isError": "error" in result}
        outcome = {"args": request, "result": {"success": success}}
        self._tool("completed", call_id, outcome, startedAtMs=str(begun), completedAtMs=str(self._now()))
        return result

    def close(self, error: str = "") -> None:
        """Print the last segment and the result; `error` says why there is no (whole) answer."""
        self._recap()
        took = max(0, round(1000 * (self.clock() - self.started)))
        self._event(
            "result",
            subtype="error" if error else "success",
            duration_ms=took,
            duration_api_ms=0,
            is_error=bool(error),
            result=error or self.text,
            request_id=f"{self.session}-request",
            usage={"inputTokens": 0, "outputTokens": 0, "cacheReadTokens": 0, "cacheWriteTokens": 0},
        )

    def _recap(self, **marks: Any) -> None:
        if self.segment:
            self._event("assistant", message=_message("assistant", self.segment), **marks)
        self.text, self.segment = self.text + self.segment, ""

    def _tool(self, subtype: str, call_id: str, call: dict[str, Any], **times: str) -> None:
        body = {"mcpToolCall": call, "hookAdditionalContexts": [], "toolCallId": call_id, **times}
        self._event("tool_call", subtype=subtype, call_id=call_id, tool_call=body, timestamp_ms=self._now())

    def _now(self) -> int:
        return round(1000 * self.clock())

    def _event(self, kind: str, **fields: Any) -> None:
        event = {"type": kind, **fields, "session_id": self.session}
        print(json.dumps(event, ensure_ascii=False), file=self.stream, flush=True)


def _message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text}]}

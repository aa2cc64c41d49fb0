"""Cursor's command-line agent: where it is, how it is started, and what its stream says."""

import json
import logging
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from instrumentgpt.agents.events import (
    Done,
    Event,
    Failure,
    Outcome,
    Session,
    Text,
    Thinking,
    Tick,
    Tool,
    ToolStatus,
    answer_text,
)
from instrumentgpt.agents.evidence import COMMON_SIGNS, failure_of, sign
from instrumentgpt.agents.process import Command, Request
from instrumentgpt.agents.stream import json_objects

NAMES = ("agent", "cursor-agent")  # the second is the old name
INSTALL = "Install it with `curl https://cursor.com/install -fsS | bash`, then `agent login`."
SIGNS = (
    sign(
        r"authentication required|not (?:logged in|authenticated)|unauthori.ed|invalid api key|agent login",
        "not-logged-in",
        "Run `agent login` in a terminal, or set CURSOR_API_KEY, then ask again.",
    ),
    sign(
        r"workspace trust required|workspace is not trusted|untrusted workspace|--trust",
        "untrusted",
        "Run `agent --trust` once in the workspace folder, or update the agent, then ask again.",
    ),
    sign(
        r"model name is not valid|invalid model|unknown model|cannot use this model",
        "error",
        "Choose another model on the Settings page; `agent models` lists those of your account.",
    ),
    *COMMON_SIGNS,
)
DENIED_REMEDY = "Allow the server's tools in .cursor/cli.json (permissions.allow: Mcp(instrumentgpt:*))."
_CLOSING: dict[str, ToolStatus] = {
    "success": "ok",
    "failure": "failed",
    "error": "failed",
    "toolNotFound": "failed",
    "serverNotFound": "failed",
    "rejected": "denied",
    "permissionDenied": "denied",
}
_NOTES = {"connection": "connecting", "retry": "retrying", "interaction_query": "waiting for permission"}
_log = logging.getLogger(__name__)


def find(setting: str = "") -> str | None:
    """Return the path of the agent: `setting` if it is one, else the first of NAMES on PATH, else None."""
    candidates = [os.path.expanduser(setting)] if setting else [*NAMES, *_installed()]
    return next((path for path in map(shutil.which, candidates) if path), None)


def _installed() -> list[str]:
    """Return where the installer puts the agent: a server's PATH often lacks that folder."""
    return [str(Path.home() / ".local/bin" / name) for name in NAMES]


def command(program: str, request: Request, environment: Mapping[str, str]) -> Command:
    """Return how to ask `program`: the prompt on stdin, where it may be of any length."""
    options = ["-p", "--output-format", "stream-json", "--stream-partial-output", "--trust", "--approve-mcps"]
    if request.model:
        options += ["--model", request.model]
    return Command((program, *options), request.prompt, environment, request.folder)


def parse_stream(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield what `lines`, the stdout of `agent --output-format stream-json`, say; the last event is a Done.

    Reading ends with the line `result`. Without one, Done says "no-result" and holds the text so far.
    """
    stream = _Stream()
    for line in json_objects(lines):
        if line.get("type") == "result":
            yield from stream.result(line)
            return
        yield from stream.event(line)
    yield stream.done("no-result")


@dataclass
class _Stream:
    """What must be remembered between the lines of one stream."""

    segment: int = 0
    said: list[Text] = field(default_factory=list)
    started: dict[str, Tool] = field(default_factory=dict)
    closed: list[ToolStatus] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)

    def event(self, line: dict[str, Any]) -> Iterator[Event]:
        kind = line.get("type")
        if kind == "assistant":
            yield self.text(line)
        elif kind == "thinking":
            if line.get("subtype") == "delta":
                yield Thinking(_string(line.get("text")))
        elif kind == "tool_call":
            yield from self.tool(line)
        elif kind == "system" and line.get("subtype") == "init":
            yield Session(_string(line.get("session_id")), "cursor", _string(line.get("model")))
        elif isinstance(kind, str) and kind in _NOTES:
            yield Tick(_NOTES[kind])
        elif kind == "error" or (kind == "system" and line.get("subtype") == "error"):
            told = _string(line.get("message")) or _string(line.get("error"))
            yield failure_of(told or "The agent reports an error.", SIGNS)
        elif kind != "user":
            self.unknown[f"{kind}/{line.get('subtype', '')}"] += 1

    def text(self, line: dict[str, Any]) -> Text:
        """Return a new piece if the line has a time but no model call; any other line recaps the segment."""
        words = _content(_at(line, "message", "content"))
        whole = "timestamp_ms" not in line or "model_call_id" in line
        event = Text(words, self.segment, whole)
        self.segment += whole
        self.said.append(event)
        return event

    def tool(self, line: dict[str, Any]) -> Iterator[Tool]:
        call_id = _string(line.get("call_id"))
        name, call = _tool_call(line.get("tool_call"))
        if line.get("subtype") == "started":
            self.started[call_id] = _tool(call_id, name, call)
            yield self.started[call_id]
        elif line.get("subtype") == "completed":
            known = self.started.pop(call_id, None)
            tool = _tool(call_id, name, call) if known is None or _at(call, "args") is not None else known
            status, result = _result(_at(call, "result"))
            self.closed.append(status)
            yield Tool(call_id, tool.name, status, tool.arguments, result, tool.server)

    def result(self, line: dict[str, Any]) -> Iterator[Event]:
        told = _string(line.get("result"))
        usage = {key: count for key, count in _dict(line.get("usage")).items() if type(count) is int}
        if line.get("is_error") or line.get("subtype") != "success":
            failure = failure_of(told or "The agent ended with an error and no text.", SIGNS)
            yield failure
            yield self.done(failure.outcome, usage)
            return
        yield from self.mend(told)
        if self.closed and set(self.closed) == {"denied"}:
            yield Failure("tools-denied", f"All {len(self.closed)} tool calls were denied.", DENIED_REMEDY)
            yield self.done("tools-denied", usage)
        else:
            yield self.done("ok" if answer_text(self.said) else "no-result", usage)

    def mend(self, told: str) -> Iterator[Text]:
        """Yield the answer as the agent `told` it, if lines of it were lost; never a shorter one."""
        if told in answer_text(self.said):
            return
        emptied = [Text("", number, whole=True) for number in range(1, self.segment + 1)]
        self.said = [Text(told, 0, whole=True), *emptied]
        yield from self.said

    def done(self, outcome: Outcome, usage: dict[str, int] | None = None) -> Done:
        if self.unknown:
            _log.warning("unknown kinds of lines: %s", dict(self.unknown))
        return Done(outcome, answer_text(self.said), usage=usage or {})


def _tool_call(call: object) -> tuple[str, object]:
    """Return the tool's name and what the line tells of it; its key is not always the first."""
    for key, inner in call.items() if isinstance(call, dict) else ():
        if key == "function" or key.endswith("ToolCall"):
            return key.removesuffix("ToolCall"), inner
    return "", {}


def _tool(call_id: str, key: str, call: object) -> Tool:
    arguments = _at(call, "args")
    if key == "mcp":
        name, server = _string(_at(arguments, "toolName")), _string(_at(arguments, "providerIdentifier"))
        return Tool(call_id, name or key, "started", _dict(_at(arguments, "args")), server=server)
    if key == "function":
        return Tool(call_id, _string(_at(call, "name")) or key, "started", _parsed(_at(call, "arguments")))
    return Tool(call_id, key or "tool", "started", _dict(arguments))


def _result(result: object) -> tuple[ToolStatus, str]:
    """Return how a call ended and its text; a kind we do not know counts as failed, never as done."""
    if not isinstance(result, dict) or not result:
        return "ok", ""
    kind = next((key for key in result if key in _CLOSING), "")
    if not kind:
        return "failed", json.dumps(result, ensure_ascii=False)
    ending = result[kind]
    status = "failed" if kind == "success" and _at(ending, "isError") is True else _CLOSING[kind]
    return status, _result_text(ending)


def _result_text(ending: object) -> str:
    if isinstance(_at(ending, "content"), list):
        return _content(_at(ending, "content"))
    for key in ("interleavedOutput", "stdout", "content", "reason", "error", "message"):
        if isinstance(_at(ending, key), str):
            return _string(_at(ending, key))
    return json.dumps(ending, ensure_ascii=False) if ending else ""


def _content(items: object) -> str:
    """Return the joined text of a content list, in either shape: {"text": "…"} or {"text": {"text": "…"}}.

    >>> _content([{"type": "text", "text": "a"}, {"text": {"text": "b"}}, {"type": "image"}])
    'ab'
    """
    texts = [_at(item, "text") for item in items] if isinstance(items, list) else [items]
    return "".join(_string(text if isinstance(text, str) else _at(text, "text")) for text in texts)


def _at(value: object, *keys: str) -> Any:
    """Return what lies in nested objects under `keys`, or None."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _parsed(arguments: object) -> dict[str, Any]:
    try:
        return _dict(json.loads(_string(arguments) or "{}"))
    except (ValueError, RecursionError):
        return {"arguments": arguments}

"""opencode: where it is, how it is started, and what its stream says."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from instrumentgpt.agents.events import Event, Session, Thinking, Tool, ToolStatus
from instrumentgpt.agents.evidence import failure_of, signs_of
from instrumentgpt.agents.process import Command, Request
from instrumentgpt.agents.stream import as_text, at, json_objects, mapping, string
from instrumentgpt.agents.stream_parser import SERVER, StreamParser

SIGNS = signs_of("opencode")
_COUNTS = {
    "inputTokens": ("tokens", "input"),
    "outputTokens": ("tokens", "output"),
    "cacheReadTokens": ("tokens", "cache", "read"),
    "cacheWriteTokens": ("tokens", "cache", "write"),
    "costUSD": ("cost",),
}
_DENIED = ("rejected permission", "permission denied", "prevents you from using", "specified a rule")


def command(program: str, request: Request, environment: Mapping[str, str]) -> Command:
    """Return how to ask `program`; its permissions come by environment, over any configuration file.

    It works in our folder, for in a repository it writes `.git/opencode`; a source is opened to its tools.
    """
    options = ["--format", "json"]
    if request.model:
        options += ["--model", request.model]
    if request.resume:
        options += ["--session", request.resume]
    ours = {"OPENCODE_PERMISSION": json.dumps(_permissions(request)), "OPENCODE_DISABLE_AUTOUPDATE": "1"}
    return Command((program, "run", *options), request.prompt, {**environment, **ours}, request.folder)


def _permissions(request: Request) -> dict[str, Any]:
    """Return what it may do; nobody can answer a question in such a run: what is not allowed is denied."""
    return {
        "*": "deny",
        **dict.fromkeys(("read", "glob", "grep", "list", "todowrite", "todoread"), "allow"),
        f"{SERVER}_*": "allow",
        "bash": "allow" if request.may_run else "deny",
        "edit": "allow" if request.may_edit else "deny",
        **dict.fromkeys(("webfetch", "websearch"), "allow" if request.may_browse else "deny"),
        "external_directory": {"*": "deny", f"{request.source}/*": "allow"} if request.source else "deny",
    }


def parse_stream(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield what `lines`, the stdout of `opencode run --format json`, say; the last event is a Done.

    Reading ends with a `step_finish` that asks for no more tools.
    """
    parser, usage = StreamParser(SIGNS), dict[str, float]()
    session = ""
    for line in json_objects(lines):
        if string(line.get("sessionID")) not in ("", session):
            session = string(line.get("sessionID"))
            yield Session(session, "opencode")
        part = mapping(line.get("part"))
        if line.get("type") == "step_finish":
            for name, keys in _COUNTS.items():
                count = at(part, *keys)
                if type(count) in (int, float):
                    usage[name] = usage.get(name, 0) + count
            if part.get("reason") not in ("tool-calls", "unknown", None):
                yield from parser.finish(usage)
                return
            if parser.closed:  # what it said before a call of this step may have come after it
                yield from parser.called(parser.closed[-1])
        else:
            yield from _event(parser, line, part)
    yield from parser.break_off(usage)


def _event(parser: StreamParser, line: dict[str, Any], part: dict[str, Any]) -> Iterator[Event]:
    kind = line.get("type")
    if kind == "text":
        yield parser.recap(string(part.get("text")))
    elif kind == "reasoning":
        yield Thinking(string(part.get("text")))
    elif kind == "tool_use":
        # an MCP tool is called SERVER_TOOL, which only our own server's name can tell
        name, server = string(part.get("tool")) or "tool", ""
        if name.startswith(f"{SERVER}_"):
            server, name = SERVER, name.removeprefix(f"{SERVER}_")
        given = mapping(at(part, "state", "input"))
        tool = Tool(string(part.get("callID")), name, "started", given, server=server)
        if tool.call_id not in parser.started:
            yield from parser.start(tool)
        if at(part, "state", "status") in ("completed", "error"):
            yield from parser.close(tool.call_id, *_closing(mapping(part.get("state"))))
    elif kind == "error":  # the end follows, without a line of its own
        error = line.get("error")
        message = string(at(error, "data", "message")) or string(at(error, "message")) or as_text(error)
        about = string(at(error, "data", "responseBody")) + string(at(error, "name"))
        fitting = failure_of(f"{message} {about}", SIGNS)
        parser.failure = type(fitting)(fitting.outcome, message, fitting.remedy)
    elif kind != "step_start":
        parser.unknown[str(kind)] += 1


def _closing(state: dict[str, Any]) -> tuple[ToolStatus, str]:
    if state.get("status") == "completed":
        return "ok", as_text(state.get("output"))
    text = as_text(state.get("error"))
    return ("denied" if any(words in text for words in _DENIED) else "failed"), text

"""Cursor's command-line agent: where it is, how it is started, and what its stream says."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from instrumentgpt.agents.events import Event, Session, Text, Thinking, Tick, Tool, ToolStatus
from instrumentgpt.agents.evidence import failure_of, signs_of
from instrumentgpt.agents.process import Command, Request
from instrumentgpt.agents.programs import known_options
from instrumentgpt.agents.stream import as_text, at, content, json_objects, mapping, parsed, string
from instrumentgpt.agents.stream_parser import StreamParser

SIGNS = signs_of("cursor")
SERVER_REMEDY = (
    "Allow the server's tools in ~/.cursor/cli-config.json (permissions.allow: Mcp(instrumentgpt:*)), "
    "or update the agent: the workspace's .cursor/cli.json allows ours. Then ask again."
)
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


def command(program: str, request: Request, environment: Mapping[str, str]) -> Command:
    """Return how to ask `program`: the prompt on stdin, where it may be of any length.

    Options that its --help does not list are left out: versions differ.
    It works in our folder, since only there it finds our tools and what it may do; a source is added to it.
    """
    listed = known_options(program, environment=environment)
    options = ["-p", "--output-format", "stream-json"]
    options += listed.of("--stream-partial-output") + listed.of("--trust") + listed.of("--approve-mcps")
    if request.may_run:
        options += listed.of("--force")
    if request.model:
        options += ["--model", request.model]
    if request.resume:
        options += listed.of("--resume", request.resume)
    if request.source is not None:
        options += listed.of("--add-dir", str(request.source))
    return Command((program, *options), request.prompt, environment, request.folder)


def parse_stream(lines: Iterable[bytes], narrates: bool = True) -> Iterator[Event]:
    """Yield what `lines`, the stdout of `agent --output-format stream-json`, say; the last event is a Done.

    Reading ends with the line `result`. Without one, Done says "no-result" and holds the text so far.
    Who does not narrate says nothing that is no part of the answer.
    """
    parser = StreamParser(SIGNS, SERVER_REMEDY, narrates)
    for line in json_objects(lines):
        if line.get("type") == "result":
            yield from _result(parser, line)
            return
        yield from _event(parser, line)
    yield from parser.break_off()


def _event(parser: StreamParser, line: dict[str, Any]) -> Iterator[Event]:
    kind = line.get("type")
    if kind == "assistant":
        yield _text(parser, line)
    elif kind == "thinking":
        if line.get("subtype") == "delta":
            yield Thinking(string(line.get("text")))
    elif kind == "tool_call":
        yield from _call(parser, line)
    elif kind == "system" and line.get("subtype") == "init":
        yield Session(string(line.get("session_id")), "cursor", string(line.get("model")))
    elif isinstance(kind, str) and kind in _NOTES:
        yield Tick(_NOTES[kind])
    elif kind == "error" or (kind == "system" and line.get("subtype") == "error"):
        message = string(line.get("message")) or string(line.get("error"))
        yield failure_of(message or "The agent reports an error.", SIGNS)
    elif kind != "user":
        parser.unknown[f"{kind}/{line.get('subtype', '')}"] += 1


def _text(parser: StreamParser, line: dict[str, Any]) -> Text:
    """Return a new piece if the line has a time but no model call; any other line recaps the segment."""
    words = content(at(line, "message", "content"))
    whole = "timestamp_ms" not in line or "model_call_id" in line
    return parser.recap(words) if whole else parser.piece(words)


def _call(parser: StreamParser, line: dict[str, Any]) -> Iterator[Event]:
    call_id = string(line.get("call_id"))
    name, call = _tool_call(line.get("tool_call"))
    tool = _tool(call_id, name, call)
    if line.get("subtype") == "started":
        yield from parser.start(tool)
    elif line.get("subtype") == "completed":
        is_named_again = call_id not in parser.started or at(call, "args") is not None
        yield from parser.close(call_id, *_closing(at(call, "result")), tool if is_named_again else None)


def _result(parser: StreamParser, line: dict[str, Any]) -> Iterator[Event]:
    text = string(line.get("result"))
    usage = {key: count for key, count in mapping(line.get("usage")).items() if type(count) is int}
    if line.get("is_error") or line.get("subtype") != "success":
        yield from parser.fail(text, usage)
        return
    yield from parser.mend(text)
    yield from parser.finish(usage)


def _tool_call(call: object) -> tuple[str, object]:
    """Return the tool's name and what the line tells of it; its key is not always the first."""
    for key, inner in call.items() if isinstance(call, dict) else ():
        if key == "function" or key.endswith("ToolCall"):
            return key.removesuffix("ToolCall"), inner
    return "", {}


def _tool(call_id: str, key: str, call: object) -> Tool:
    arguments = at(call, "args")
    if key == "mcp":
        name, server = string(at(arguments, "toolName")), string(at(arguments, "providerIdentifier")) or key
        return Tool(call_id, name or key, "started", mapping(at(arguments, "args")), server=server)
    if key == "function":
        return Tool(call_id, string(at(call, "name")) or key, "started", parsed(at(call, "arguments")))
    return Tool(call_id, key or "tool", "started", mapping(arguments))


def _closing(result: object) -> tuple[ToolStatus, str]:
    """Return how a call ended and its text; a kind we do not know counts as failed, never as done."""
    if not isinstance(result, dict) or not result:
        return "ok", ""
    kind = next((key for key in result if key in _CLOSING), "")
    if not kind:
        return "failed", as_text(result)
    ending = result[kind]
    status = "failed" if kind == "success" and at(ending, "isError") is True else _CLOSING[kind]
    return status, _closing_text(ending)


def _closing_text(ending: object) -> str:
    if isinstance(at(ending, "content"), list):
        return content(at(ending, "content"))
    for key in ("interleavedOutput", "stdout", "content", "reason", "error", "message"):
        if isinstance(at(ending, key), str):
            return string(at(ending, key))
    return as_text(ending)

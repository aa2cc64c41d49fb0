"""Claude Code: where it is, how it is started, and what its stream says."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from instrumentgpt.agents.events import Event, Session, Thinking, Tick, Tool
from instrumentgpt.agents.evidence import signs_of
from instrumentgpt.agents.process import Command, Request
from instrumentgpt.agents.programs import known_options
from instrumentgpt.agents.stream import as_text, at, content, figures, items, json_objects, mapping, string
from instrumentgpt.agents.stream_parser import SERVER, StreamParser

SIGNS = signs_of("claude")
SYNTHETIC = "<synthetic>"  # the model of what Claude Code says itself, of an error of the service
FRUITLESS_RETRIES = 2  # it tries a refused key ten times, for minutes; a key does not become valid
# It begins without tools that are not there after 5 s; on a busy machine ours take longer to start.
PATIENT = {"MCP_CONNECT_TIMEOUT_MS": "30000", "MCP_CONNECTION_NONBLOCKING": "0"}
_UNGRANTED = "haven't granted it"  # versions before the mark in the line say it in words only
_QUIET = ("status", "permission_denied", "thinking_tokens", "task_progress", "hook_started", "hook_response")


def command(program: str, request: Request, environment: Mapping[str, str]) -> Command:
    """Return how to ask `program`: it is offered only tools that it may use, whatever its settings say."""
    supported = known_options(program, environment=environment)
    environment = {**environment, **PATIENT}
    tools = ["Read", "Glob", "Grep", *(["Bash"] if request.may_run else [])]
    tools += ["Edit", "Write"] if request.may_edit else []
    tools += ["WebFetch", "WebSearch"] if request.may_browse else []
    allowed = [f"mcp__{SERVER}", *tools[3:]]  # reading is allowed in its folder, and asked for outside
    options = ["-p", "--output-format", "stream-json", "--verbose"]
    options += supported.of("--include-partial-messages") + supported.of("--strict-mcp-config")
    options += ["--permission-mode", "default", "--tools", ",".join(tools)]
    options += ["--allowedTools", ",".join(allowed)]
    if request.mcp_config is not None:
        options += ["--mcp-config", str(request.mcp_config)]
    if request.model:
        options += ["--model", request.model]
    if request.resume:
        options += ["--resume", request.resume]
    if request.source is not None:  # logs and our rule lie in our folder
        options += ["--add-dir", str(request.folder)]
        environment = {**environment, "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD": "1"}
    return Command((program, *options), request.prompt, environment, request.workplace)


def parse_stream(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield what `lines`, the stdout of `claude --output-format stream-json`, say; the last event is a Done.

    Reading ends with the line `result`, or when the service has refused the key FRUITLESS_RETRIES times.
    """
    parser, denied = StreamParser(SIGNS), set[str]()
    for line in json_objects(lines):
        if line.get("type") == "result":
            yield from _result(parser, line)
            return
        attempt = line.get("attempt")
        if (
            line.get("subtype") == "api_retry"
            and line.get("error") == "authentication_failed"
            and isinstance(attempt, int)
            and attempt >= FRUITLESS_RETRIES
        ):
            yield from parser.fail(f"The service refuses the key: {string(line.get('error'))}")
            return
        if line.get("parent_tool_use_id") is None:  # what its helpers say among themselves is no answer
            yield from _event(parser, denied, line)
    yield from parser.break_off()


def _event(parser: StreamParser, denied: set[str], line: dict[str, Any]) -> Iterator[Event]:
    kind, subtype = line.get("type"), line.get("subtype")
    if kind == "stream_event":
        delta = mapping(at(line, "event", "delta"))
        if delta.get("type") == "text_delta":
            yield parser.piece(string(delta.get("text")))
        elif delta.get("type") == "thinking_delta":
            yield Thinking(string(delta.get("thinking")))
        elif "abandoned_blocks" in line:  # the connection broke: these words will be said again
            yield parser.piece("", whole=True)
    elif kind == "assistant":
        if at(line, "message", "model") != SYNTHETIC:  # the result tells it again, as an error
            yield from _blocks(parser, items(at(line, "message", "content")))
    elif kind == "user":
        yield from _tool_results(parser, denied, line)
    elif kind == "system" and subtype == "init":
        yield Session(string(line.get("session_id")), "claude", string(line.get("model")))
    elif kind == "system" and subtype == "api_retry":
        yield Tick(f"retrying after an error of the service: {string(line.get('error'))}")
    elif kind == "rate_limit_event":
        yield Tick("the service reports its limits")
    else:
        denied.update([string(line.get("tool_use_id"))] if subtype == "permission_denied" else [])
        if kind != "system" or subtype not in _QUIET:
            parser.unknown[f"{kind}/{subtype or ''}"] += 1


def _blocks(parser: StreamParser, blocks: list[Any]) -> Iterator[Event]:
    for block in blocks:
        if at(block, "type") == "text":
            yield parser.recap(string(at(block, "text")))
        elif at(block, "type") == "tool_use":
            name, call_id = string(at(block, "name")), string(at(block, "id"))
            server = ""
            if name.startswith("mcp__"):
                server, _, name = name.removeprefix("mcp__").partition("__")
            given = mapping(at(block, "input"))
            yield from parser.start(Tool(call_id, name, "started", given, server=server))


def _tool_results(parser: StreamParser, denied: set[str], line: dict[str, Any]) -> Iterator[Event]:
    refused = {
        string(at(meta, "id"))
        for meta in items(line.get("tool_result_meta"))
        if at(meta, "permission_decision", "decision") == "reject"
    }
    for part in items(at(line, "message", "content")):
        if at(part, "type") != "tool_result":
            continue
        call_id, result = string(at(part, "tool_use_id")), at(part, "content")
        unasked = call_id in denied | refused or _UNGRANTED in content(result)
        failed = "denied" if unasked else "failed"
        status = failed if at(part, "is_error") is True else "ok"
        yield from parser.close(call_id, status, content(result) or as_text(result))  # type: ignore[arg-type]


def _result(parser: StreamParser, line: dict[str, Any]) -> Iterator[Event]:
    text, usage = string(line.get("result")), mapping(line.get("usage"))
    counts = figures(
        inputTokens=usage.get("input_tokens"),
        outputTokens=usage.get("output_tokens"),
        cacheReadTokens=usage.get("cache_read_input_tokens"),
        cacheWriteTokens=usage.get("cache_creation_input_tokens"),
        costUSD=line.get("total_cost_usd"),
    )
    if line.get("is_error") or line.get("subtype") != "success":
        errors = "; ".join(string(error) for error in items(line.get("errors")))
        yield from parser.fail(text or errors or json.dumps(line.get("subtype")), counts)
        return
    yield from parser.mend(text)
    yield from parser.finish(counts)

"""Gemini CLI: where it is, how it is started, and what its stream says."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from instrumentgpt.agents.events import Event, Session, Tick, Tool, ToolStatus
from instrumentgpt.agents.evidence import signs_of
from instrumentgpt.agents.process import Command, Request
from instrumentgpt.agents.programs import known_options
from instrumentgpt.agents.stream import as_text, at, figures, json_objects, mapping, string
from instrumentgpt.agents.stream_parser import SERVER, StreamParser

SIGNS = signs_of("gemini")
POLICY = ".gemini/policy.toml"  # in our folder
_READING = (
    *("read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content"),
    *("update_topic", "write_todos"),
)
_DENIED = ("denied", "rejected", "not allowed", "policy", "tool_not_registered")


def command(program: str, request: Request, environment: Mapping[str, str]) -> Command:
    """Return how to ask `program`; our policy in its folder says which tools it has, whatever its mode.

    It works in our folder, since it reads our tools from a file there; a source is added to it.
    """
    supported = known_options(program, environment=environment)
    options = ["--output-format", "stream-json", "--approval-mode", "default"]
    options += supported.of("--admin-policy", str(request.folder / POLICY))
    options += supported.of("--allowed-mcp-server-names", SERVER)
    if request.model:
        options += ["--model", request.model]
    if request.resume:
        options += ["--resume", request.resume]
    if request.source is not None:
        options += ["--include-directories", str(request.source)]
    trusting = {**environment, "GEMINI_CLI_TRUST_WORKSPACE": "true"}  # the workspace folder is our own
    return Command((program, *options), request.prompt, trusting, request.folder)


def policy(may_run: bool, may_edit: bool, may_browse: bool) -> str:
    """Return the rules for its tools: those that are allowed, ours, and no other.

    >>> policy(True, False, False).count("run_shell_command"), policy(False, True, True).count("run_shell")
    (1, 0)
    """
    tools = [*_READING, *(["run_shell_command"] if may_run else [])]
    tools += ["write_file", "replace"] if may_edit else []
    tools += ["google_web_search", "web_fetch"] if may_browse else []
    rules = (
        'toolName = "*"\ndecision = "deny"\npriority = 900',
        f'toolName = {json.dumps(tools)}\ndecision = "allow"\npriority = 910\nallowRedirection = true',
        f'mcpName = "{SERVER}"\ntoolName = "*"\ndecision = "allow"\npriority = 910',
    )
    return "\n".join(f"[[rule]]\n{rule}\n" for rule in rules)


def parse_stream(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield what `lines`, the stdout of `gemini --output-format stream-json`, say; the last event is a Done.

    Reading ends with the line `result`.
    """
    parser = StreamParser(SIGNS)
    for line in json_objects(lines):
        if line.get("type") == "result":
            yield from _result(parser, line)
            return
        yield from _event(parser, line)
    yield from parser.break_off()


def _event(parser: StreamParser, line: dict[str, Any]) -> Iterator[Event]:
    kind = line.get("type")
    if kind == "init":
        yield Session(string(line.get("session_id")), "gemini", string(line.get("model")))
    elif kind == "message":
        if line.get("role") == "assistant":
            words = string(line.get("content"))
            yield parser.piece(words) if line.get("delta") is True else parser.recap(words)
    elif kind == "tool_use":
        # an MCP tool is called mcp_SERVER_TOOL, and no server of ours has a `_` in its name
        name, server = string(line.get("tool_name")) or "tool", ""
        if name.startswith("mcp_") and name.count("_") > 1:
            _, server, name = name.split("_", 2)
        call_id, given = string(line.get("tool_id")), mapping(line.get("parameters"))
        yield from parser.start(Tool(call_id, name, "started", given, server=server))
    elif kind == "tool_result":
        yield from parser.close(string(line.get("tool_id")), *_closing(line))
    elif kind == "error":
        yield Tick(string(line.get("message")) or "the agent reports a problem")
    else:
        parser.unknown[str(kind)] += 1


def _closing(line: dict[str, Any]) -> tuple[ToolStatus, str]:
    if line.get("status") == "success":
        return "ok", as_text(line.get("output"))
    text = string(at(line, "error", "message")) or as_text(line.get("output"))
    words = f"{text} {string(at(line, 'error', 'type'))}".lower()
    return ("denied" if any(word in words for word in _DENIED) else "failed"), text


def _result(parser: StreamParser, line: dict[str, Any]) -> Iterator[Event]:
    stats = mapping(line.get("stats"))
    usage = figures(
        inputTokens=stats.get("input"),
        outputTokens=stats.get("output_tokens"),
        cacheReadTokens=stats.get("cached"),
    )
    if line.get("status") != "success":
        yield from parser.fail(string(at(line, "error", "message")), usage)
        return
    yield from parser.finish(usage)

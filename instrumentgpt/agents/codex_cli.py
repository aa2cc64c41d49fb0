"""Codex: where it is, how it is started, and what its stream says."""

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from instrumentgpt.agents.events import Event, Session, Thinking, Tick, Tool, ToolStatus
from instrumentgpt.agents.evidence import signs_of
from instrumentgpt.agents.process import Command, Request
from instrumentgpt.agents.stream import as_text, at, content, figures, items, json_objects, mapping, string
from instrumentgpt.agents.stream_parser import SERVER, StreamParser

RULE_FILE = "AGENTS.md"
SIGNS = signs_of("codex")
SHELL = ("shell_tool", "unified_exec", "view_image", "shell_snapshot")
WITHHELD = (  # what neither reads for an answer nor has a switch on the page
    *("multi_agent", "apps", "plugins", "remote_plugin", "browser_use", "browser_use_external"),
    *("computer_use", "image_generation", "in_app_browser", "memories", "goals", "hooks"),
)
_NAMES_OF_ITEMS = {"command_execution": "shell", "file_change": "edit", "web_search": "web search"}
_DENIED = ("approval policy", "rejected", "denied", "declined")


def command(program: str, request: Request, environment: Mapping[str, str]) -> Command:
    """Return how to ask `program`: read-only unless the request allows more, our tools always allowed.

    It has no tool to read a file but its shell: without leave to run commands it reads through our tools.
    """
    options = ["--json", "--skip-git-repo-check", "--sandbox", _sandbox(request)]
    options += ["-c", 'approval_policy="never"']
    options += ["-c", f'web_search="{"live" if request.may_browse else "disabled"}"']
    for feature in (*WITHHELD, *(() if request.may_run else SHELL)):
        options += ["-c", f"features.{feature}=false"]
    for name in _others(environment):
        options += ["-c", f"mcp_servers.{name}.enabled=false"]
    servers = json.loads(request.mcp_config.read_bytes())["mcpServers"] if request.mcp_config else {}
    for name, server in servers.items():
        options += _server_options(name, mapping(server))
    if request.source is not None:  # it looks for our rule where it works
        rule = (request.folder / RULE_FILE).read_text(encoding="utf-8")
        options += ["-c", f"developer_instructions={json.dumps(rule, ensure_ascii=False)}"]
    if request.model:
        options += ["--model", request.model]
    resumed = ["resume", request.resume] if request.resume else []
    argv = (program, "exec", *options, *resumed, "-")
    return Command(argv, request.prompt, environment, request.workplace)


def _sandbox(request: Request) -> str:
    """Return the name of its own sandbox: its commands' one cannot be set up inside of the kernel's.

    A source repository may be written to only by who may edit: commands are run in it read-only else.
    """
    may_write = request.may_edit or (request.may_run and request.source is None)
    if request.confined and (request.may_run or request.may_edit):
        return "danger-full-access"  # what it may open, the kernel knows
    return "workspace-write" if may_write else "read-only"


def _others(environment: Mapping[str, str]) -> list[str]:
    """Return the names of the MCP servers in the user's own settings: what they may do, nobody knows here."""
    home = environment.get("CODEX_HOME") or Path(environment.get("HOME", "/")) / ".codex"
    try:
        settings = tomllib.loads((Path(home) / "config.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [name for name in mapping(settings.get("mcp_servers")) if name != SERVER]


def _server_options(name: str, server: dict[str, Any]) -> list[str]:
    """Return `server` as settings on the command line; `required`, or its tools are missing in some runs."""
    settings: dict[str, object] = {
        "command": string(server.get("command")),
        "args": items(server.get("args")),
        "required": True,
        "startup_timeout_sec": 30,
        "default_tools_approval_mode": "approve",
    }
    environment = {f"env.{key}": value for key, value in mapping(server.get("env")).items()}
    entries = {**settings, **environment}  # a JSON text, list or truth value is TOML as well
    words = (
        f"mcp_servers.{name}.{key}={json.dumps(value, ensure_ascii=False)}" for key, value in entries.items()
    )
    return [option for word in words for option in ("-c", word)]


def parse_stream(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield what `lines`, the stdout of `codex exec --json`, say; the last event is a Done.

    Reading ends with `turn.completed` or `turn.failed`.
    """
    parser = StreamParser(SIGNS)
    for line in json_objects(lines):
        kind = line.get("type")
        if kind == "turn.completed":
            usage = mapping(line.get("usage"))
            counts = figures(
                inputTokens=usage.get("input_tokens"),
                outputTokens=usage.get("output_tokens"),
                cacheReadTokens=usage.get("cached_input_tokens"),
                cacheWriteTokens=usage.get("cache_write_input_tokens"),
            )
            yield from parser.finish(counts)
            return
        if kind == "turn.failed":
            yield from parser.fail(string(at(line, "error", "message")))
            return
        yield from _event(parser, line)
    yield from parser.break_off()


def _event(parser: StreamParser, line: dict[str, Any]) -> Iterator[Event]:
    kind = line.get("type")
    if kind == "thread.started":
        yield Session(string(line.get("thread_id")), "codex")
    elif kind in ("item.started", "item.updated", "item.completed"):
        yield from _item(parser, string(kind), mapping(line.get("item")))
    elif kind == "error":  # it tries again; `turn.failed` is the end
        yield Tick(string(line.get("message")) or "retrying")
    elif kind != "turn.started":
        parser.unknown[str(kind)] += 1


def _item(parser: StreamParser, when: str, item: dict[str, Any]) -> Iterator[Event]:
    kind = string(item.get("type"))
    if kind == "agent_message":
        if when == "item.completed":
            yield parser.recap(string(item.get("text")))
    elif kind == "reasoning":
        yield Thinking(string(item.get("text")))
    elif kind == "error":
        yield Tick(string(item.get("message")) or "the agent reports a problem")
    elif kind == "mcp_tool_call" or kind in _NAMES_OF_ITEMS:
        call_id = string(item.get("id"))
        if when == "item.completed":
            yield from parser.close(call_id, *_closing(item), _tool(item))
        elif call_id not in parser.started:
            yield from parser.start(_tool(item))
    elif kind != "todo_list":
        parser.unknown[f"{when}/{kind}"] += 1


def _tool(item: dict[str, Any]) -> Tool:
    call_id, kind = string(item.get("id")), string(item.get("type"))
    if kind == "mcp_tool_call":
        name, server = string(item.get("tool")), string(item.get("server"))
        return Tool(call_id, name, "started", mapping(item.get("arguments")), server=server)
    arguments = {key: item[key] for key in ("command", "changes", "query") if item.get(key)}
    return Tool(call_id, _NAMES_OF_ITEMS[kind], "started", arguments)


def _closing(item: dict[str, Any]) -> tuple[ToolStatus, str]:
    error = string(at(item, "error", "message"))
    result = content(at(item, "result", "content")) if item.get("result") else ""
    text = error or result or string(item.get("aggregated_output")) or as_text(item.get("result"))
    if item.get("status") == "declined" or any(word in error.lower() for word in _DENIED):
        return "denied", text
    return ("ok" if item.get("status") in ("completed", None) and not error else "failed"), text

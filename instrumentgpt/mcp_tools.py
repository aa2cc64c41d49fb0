"""Our tools as agents call them over MCP: the registry's signatures and docstrings, with bounds and pages."""

import ast
import inspect
import json
import re
import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from instrumentgpt.agents.stream_parser import HANDS_OVER, keep_whole
from instrumentgpt.errors import InstrumentGPTError, reason
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.instruments.workspace import workspace
from instrumentgpt.mcp_brief import OF_OURS, brief, page
from instrumentgpt.modes.interview.replies import SLOTS

OURS = ("workspace", "language", "record", "filed", "results")  # decided by the turn, not by the agent
NAME_CHARACTERS, TEXT_CHARACTERS = 300, 2_000  # of one argument
_CLOCK = r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?"
Name = Annotated[str, Field(max_length=NAME_CHARACTERS)]
Text = Annotated[str, Field(max_length=TEXT_CHARACTERS)]
_DATE, _OFFSET = r"\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])", r"[+-]\d{1,5} ?(s|min|h)"
Moment = Annotated[str, Field(pattern=f"^$|^({_DATE} )?{_CLOCK}$|^{_OFFSET}$")]
Statement = Annotated[Text, Field(description="one sentence with its numbers, in the question's language")]
Lines = Annotated[list[int], Field(max_length=100, description="numbers of the lines that show it, 1-based")]
KINDS: dict[str, Any] = {  # argument → its bounds, and what it is where the tool's docstring does not say
    "device": Annotated[
        Name, Field(description='as list_devices has it: "zspr 052", "10.1.1.47"; empty: a dropped file')
    ],
    "devices": list[Name] | None,
    "log": Annotated[Name, Field(description="a log that fetch_log has fetched, or a dropped file")],
    "logs": Annotated[list[Name], Field(min_length=1, max_length=12)],
    "channel": Annotated[int | None, Field(description="one channel alone; null for all")],
    "channels": Annotated[list[int] | None, Field(max_length=100)],
    "since": Moment,
    "until": Moment,
    "clock": Annotated[str, Field(pattern=f"^({_DATE} )?{_CLOCK}$|^{_OFFSET}$")],
    "back": Annotated[int, Field(ge=0, le=10_000)],
    "first": Annotated[int, Field(ge=1)],
    "above": Annotated[float | None, Field(ge=-1e6, le=1e6)],
    "below": Annotated[float | None, Field(ge=-1e6, le=1e6)],
    "factor": Annotated[float | None, Field(ge=0.001, le=1000)],
    "target": Annotated[float | None, Field(ge=0)],
    "lines": Lines,
    "text": Statement,
    "value": int | float | Name,
    "slot": Literal.__getitem__(SLOTS[:-1]),
}
REGISTRY = Path(__file__).parent / "instruments" / "tools"
IN_SIGNATURES = {"Any": Any, "Language": Language, "Literal": Literal, "Sequence": Sequence, "Workspace": Any}
_ENTRY = re.compile(r"^(\w+(?:, \w+)*)  +(.*)$")


def offered(task: dict[str, Any]) -> dict[str, Callable[..., str]]:
    """Return name → tool as an agent calls it: typed arguments, a page of JSON, errors that say what to do.

    task  the turn's task file, as read; {} outside of a conversation
    """
    place = workspace(
        **{key: task.get(key) or "" for key in ("inventory", "cache", "artifacts", "database")},
        attachments=task.get("attachments") or (),
        conversation=task.get("conversation_id") or "",
    )
    language = language_of(str(task.get("question") or ""))
    findings = "\n".join(map(str, (task.get("state") or {}).get("findings") or []))
    ours: dict[str, Any] = {
        "language": language,
        "record": language_of(findings) if findings else language,
        "results": [],  # of this session, as JSON: what a statement's numbers may be from
        "filed": list(map(str, (task.get("given") or {}).get("filed") or [])),  # an interview's lines
    }
    kept = Path(task["artifacts"]).parent if task.get("artifacts") else None  # the run's folder
    one_at_a_time = threading.Lock()  # a log is read once, not once per call in parallel

    def tool_called(name: str) -> Callable[..., str]:
        own = {key: ours[key] for key in taken(name) if key in ours}

        def called(cursor: str = "", **given: Any) -> str:
            try:
                with one_at_a_time:
                    from instrumentgpt.instruments.tools import TOOLS

                    whole = TOOLS[name](place, **given, **own)
                theirs = {key: value for key, value in whole.items() if key not in OF_OURS}
                found = page(theirs, cursor, shown=brief(name, theirs))
            except InstrumentGPTError as problem:
                raise ToolError(str(problem)) from problem
            except Exception as problem:  # the edge of a tool call: the agent is told, and the server goes on
                told = f"{reason(problem)}. Try other arguments, or go on without"
                raise ToolError(f"{name} failed: {told}") from problem
            if name == "note":
                ours["filed"].append(given["words"])
            if name not in HANDS_OVER:
                ours["results"].append(_written(whole))
            if kept and not cursor and found != whole:
                found["result"] = keep_whole(kept, _written(whole))
            return _written(found)

        called.__name__ = name
        called.__doc__, called.__signature__ = described(name)  # type: ignore[attr-defined]
        return called

    return {name: tool_called(name) for name in registry()}


@cache
def registry() -> dict[str, ast.FunctionDef]:
    """Return name → tool of the registry, as its source has it.

    To import the tools takes pandas: a second that every agent would wait for before its first word.
    """
    nodes = [node for path in REGISTRY.glob("*.py") for node in ast.parse(path.read_text("utf-8")).body]
    functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
    table = next(node.value for node in nodes if isinstance(node, ast.AnnAssign))
    assert isinstance(table, ast.Dict)  # TOOLS
    names = zip(table.keys, table.values, strict=True)
    return {ast.literal_eval(key): functions[ast.unparse(tool).split(".")[-1]] for key, tool in names if key}


def taken(name: str) -> dict[str, inspect.Parameter]:
    """Return argument → what the tool `name` of the registry takes."""
    own = registry()[name].args
    values = [ast.literal_eval(value) for value in own.defaults]
    given = [inspect.Parameter.empty] * (len(own.args) - len(values)) + values
    return {
        one.arg: inspect.Parameter(
            one.arg,
            inspect.Parameter.KEYWORD_ONLY,
            default=value,
            annotation=eval(ast.unparse(one.annotation), IN_SIGNATURES) if one.annotation else Any,
        )
        for one, value in zip(own.args, given, strict=True)
    }


def _written(found: dict[str, Any]) -> str:
    return json.dumps(found, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace").decode()


def described(name: str) -> tuple[str, inspect.Signature]:
    """Return what the agent reads of the tool `name`, and what it may give: the arguments less OURS.

    Lines "argument  words" of the docstring tell of that argument.
    """
    every = taken(name)
    own = {key: one for key, one in every.items() if key not in OURS}
    words, told, about = dict[str, str](), list[str](), set[str]()
    for line in (ast.get_docstring(registry()[name]) or "").splitlines():
        found = _ENTRY.match(line)
        about = set(found[1].split(", ")) & every.keys() if found else about if line[:1] == " " else set()
        rest = (found[2] if found else line).strip()
        words |= {key: f"{words.get(key, '')} {rest}".strip() for key in about}
        told += [] if about else [line]
    arguments = [one.replace(annotation=_kind(one, words.get(key, ""))) for key, one in own.items()]
    if name not in HANDS_OVER:
        kind = Annotated[Name, Field(description="to go on: a cursor from `more` of the same call")]
        more = inspect.Parameter("cursor", inspect.Parameter.KEYWORD_ONLY, default="", annotation=kind)
        arguments.append(more)
    return "\n".join(told).strip(), inspect.Signature(arguments, return_annotation=str)


def _kind(argument: inspect.Parameter, words: str) -> Any:
    kind = KINDS.get(argument.name, Text if argument.annotation is str else argument.annotation)
    return Annotated[kind, Field(description=words)] if words else kind

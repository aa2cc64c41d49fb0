"""Calling a tool of the registry with what a person, a file or a model wrote: names and kinds are checked."""

import difflib
import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.tools import TOOLS
from instrumentgpt.instruments.workspace import Workspace

ALL = ("null", "none", "all")  # what people write for "no value"


class UnknownTool(InstrumentGPTError, LookupError):
    """A tool that is not in TOOLS."""


class BadArguments(InstrumentGPTError, ValueError):
    """Arguments that a tool does not take, lacks, or cannot use."""


def call(workspace: Workspace, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the tool `name` returns for `given`, whose texts become what the arguments are.

    Raises UnknownTool and BadArguments with what the tool takes, and the tool's own errors.
    """
    tool = known_tool(name)
    parameters = _arguments(name)
    for key in given:
        if key not in parameters:
            raise BadArguments(f"{name} takes no {key!r}.{near_miss(key, parameters)} Usage: {usage(name)}")
    missing = [key for key in parameters if needs(name, key) and given.get(key) in (None, "")]
    if missing:
        raise BadArguments(f"{name} needs {' and '.join(missing)}. Usage: {usage(name)}")
    kinds = get_type_hints(tool)
    return tool(workspace, **{key: _coerced(name, key, value, kinds[key]) for key, value in given.items()})


def known_tool(name: str) -> Callable[..., dict[str, Any]]:
    """Return the tool called `name`."""
    if name not in TOOLS:
        raise UnknownTool(f"There is no tool {name!r}.{near_miss(name, TOOLS)} Tools: {', '.join(TOOLS)}")
    return TOOLS[name]


def usage(name: str) -> str:
    """Return how the tool is called: what it needs, and in brackets what it may be told besides.

    >>> usage("fetch_log")
    'fetch_log device=… (log=…) (back=0)'
    """
    words = [_usage(key, parameter) for key, parameter in _arguments(name).items()]
    return " ".join([name, *words])


def takes(name: str, argument: str) -> bool:
    """Return whether the tool called `name` has an argument of this name."""
    return argument in _arguments(name)


def needs(name: str, argument: str) -> bool:
    """Return whether the tool called `name` cannot do without this argument.

    >>> needs("fetch_log", "device"), needs("fetch_log", "log")
    (True, False)
    """
    parameter = _arguments(name).get(argument)
    return parameter is not None and parameter.default is parameter.empty


def near_miss(name: str, names: Iterable[str]) -> str:
    """Return the question which of `names` was meant by `name`, or "".

    >>> near_miss("fetch_logs", ["fetch_log"]), near_miss("x", ["fetch_log"])
    (' Did you mean fetch_log?', '')
    """
    near = difflib.get_close_matches(name.casefold(), list(names), 1)
    return f" Did you mean {near[0]}?" if near else ""


@cache
def _arguments(name: str) -> dict[str, inspect.Parameter]:
    return dict(list(inspect.signature(known_tool(name)).parameters.items())[1:])


def _usage(key: str, parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return f"{key}=…"
    default = parameter.default if isinstance(parameter.default, int | float) else parameter.default or "…"
    return f"({key}={default})"


def _coerced(name: str, key: str, value: Any, kind: Any) -> Any:
    if kind is str:
        return value if isinstance(value, str) else str(value)
    is_optional = type(None) in getattr(kind, "__args__", ())
    if is_optional and isinstance(value, str) and value.strip().casefold() in ("", *ALL):
        return None
    if isinstance(value, str) and any(several in str(kind) for several in ("Sequence", "tuple")):
        value = [part.strip() for part in value.strip("[]() ").split(",") if part.strip()]
    try:
        coerced = TypeAdapter(kind).validate_python(value)
    except ValidationError as problem:
        why = problem.errors()[0]["msg"].removeprefix("Input ")
        raise BadArguments(f"{name}: {key}={value!r} {why}. Usage: {usage(name)}") from None
    if (isinstance(value, bool) and kind is not bool) or (
        isinstance(coerced, float) and not math.isfinite(coerced)
    ):
        raise BadArguments(f"{name}: {key}={value!r} is no number. Usage: {usage(name)}")
    return coerced

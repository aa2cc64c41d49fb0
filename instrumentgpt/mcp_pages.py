"""Cutting JSON-ready results into pages that fit a prompt, with cursors for the rest."""

import json
from collections.abc import Mapping
from typing import Any

from instrumentgpt.errors import InstrumentGPTError

PAGE_CHARACTERS = 4_000  # of JSON: about 1,300 tokens
TEXT_CHARACTERS = 2_000  # of one text in a result; a log line may have millions
ALWAYS = ("summary", "log", "device", "error")  # what every page repeats


class BadCursor(InstrumentGPTError, ValueError):
    """A cursor that no page gave."""


def page(
    result: Mapping[str, Any],
    cursor: str = "",
    limit: int = PAGE_CHARACTERS,
    shown: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the part of `result` that fits into about `limit` characters of JSON.

    cursor  as an earlier page's "more" gave it: the list of that name from that place on
    shown   what is told of the result first; what it leaves out is in "more", too

    The longest lists are cut, each to one item at least; "more" says how many are left, and the cursor.

    >>> page({"summary": "3", "lines": ["a" * 9, "b" * 9, "c" * 9]}, limit=40)
    {'summary': '3', 'more': [{'cursor': 'lines:1', 'left': 2}], 'lines': ['aaaaaaaaa']}
    >>> page({"summary": "3", "lines": ["a", "b", "c"]}, "lines:1")
    {'summary': '3', 'lines': ['b', 'c']}
    >>> page({"summary": "3", "notes": [1, 2]}, shown={"summary": "3"})
    {'summary': '3', 'more': [{'cursor': 'notes:0', 'left': 2}]}
    """
    whole, starts = {name: _bounded(value) for name, value in result.items()}, {}
    more = []
    if cursor:
        name, start = _place(whole, cursor)
        whole = {key: whole[key] for key in ALWAYS if key in whole} | {name: whole[name][start:]}
        starts[name] = start
    elif shown is not None:
        left = (name for name in whole if name not in shown and isinstance(whole[name], list) and whole[name])
        more = [{"cursor": f"{name}:0", "left": len(whole[name])} for name in left]
        whole = {name: _bounded(value) for name, value in shown.items()}
    for name in sorted(
        (key for key in whole if isinstance(whole[key], list)), key=lambda key: -_size(whole[key])
    ):
        excess = _size(whole) - limit
        if excess <= 0:
            break
        items = whole[name]
        whole[name] = _fitting(items, max(_size(items) - excess, limit // 4))
        kept = len(whole[name])
        if kept < len(items):
            more.append({"cursor": f"{name}:{starts.get(name, 0) + kept}", "left": len(items) - kept})
    if not more:
        return whole
    first = {key: whole.pop(key) for key in ("summary",) if key in whole}
    return {**first, "more": more, **whole}


def _place(whole: Mapping[str, Any], cursor: str) -> tuple[str, int]:
    name, _, number = cursor.rpartition(":")
    if not isinstance(whole.get(name), list) or not number.isdecimal() or int(number) > len(whole[name]):
        raise BadCursor(
            f"{cursor[:80]!r} is no cursor of this result. Take one from its `more`, with the same arguments"
        )
    return name, int(number)


def _fitting(items: list[Any], room: int) -> list[Any]:
    kept, used = 0, 2
    for item in items:
        used += _size(item) + 2
        if used > room and kept:
            break
        kept += 1
    return items[:kept]


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False))


def _bounded(value: Any) -> Any:
    """Return `value` with every text in it at most TEXT_CHARACTERS long."""
    if isinstance(value, dict):
        return {name: _bounded(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_bounded(item) for item in value]
    if isinstance(value, str) and len(value) > TEXT_CHARACTERS:
        return f"{value[:TEXT_CHARACTERS]}… [{len(value) - TEXT_CHARACTERS:,} more characters]"
    return value

"""What an agent reads of a tool's result first: the verdict, what it rests on, each line as a link.

It comes in pages that fit a prompt. The whole result is kept for the turn; the agent gets any part of it by
a second call, with a cursor.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from instrumentgpt.agents.stream_parser import HANDS_OVER
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.lognames import line_link

OF_OURS = ("channel_numbers", "beside", "checks", "unjudged")  # for the page and the analyst
SAID_BELOW = ("diagnose_log", "advise_gains")  # whose summary stands again in what is told
DIGITS = 4  # significant, of a computed number
LINKED = 3  # lines of one item that are given as links
PAGE_CHARACTERS = 4_000  # of JSON: about 1,300 tokens
TEXT_CHARACTERS = 2_000  # of one text in a result; a log line may have millions
ALWAYS = ("summary", "log", "device", "error")  # what every page repeats


def _parts(names: str = "", **inside: Any) -> dict[str, Any]:
    """Return name → None of what is told whole, or what is told of each item."""
    return dict.fromkeys(names.split()) | inside


_GROUPS = _parts("template level source count lines")
SHOWN: dict[str, dict[str, Any]] = {  # tool → what is told of its result
    "diagnose_log": _parts(
        "start end lines unit channel_units missing guessed channel_names notes",
        findings=_parts(
            "summary class channel severity confidence_word danger cause next_step ruled_out open_rival"
            " signs cannot_tell onset_clock end_clock evidence settled"
        ),
        timeline=_parts("clock line summary"),
        segments=_parts(worst=_parts("summary"), trends=_parts("summary")),
        withheld=None,
    ),
    "plot_log": {},
    "write_report": {},
    "channel_metrics": _parts(
        "unit channel_names",
        channels=_parts(
            "channel setpoint mean_error half_peak_to_peak period duty saturated rise_time settling_time"
            " overshoot overshoot_percent band in_band kp ki kd last moves"
        ),
    ),
    "advise_gains": _parts(groups=_parts("channels sentences"), advice_groups=_parts("channels sentences")),
    "column_figures": _parts("whole rows lacking", columns=_parts("name unit levels changes starts")),
    "output_over_logs": _parts("device", findings=_parts("duties")),
    "compare_logs": _parts("logs", lasting=_parts("text")),
    "search_events": _parts("total count", groups=_GROUPS, left_out=None),
    "look_at_time": _parts("unit clock readings moves during nearest", groups=_GROUPS),
    "survey_logs": _parts(logs=_parts("log start severity text line channels error")),
    "survey_devices": _parts(devices=_parts("device log title severity text line error")),
}


def brief(name: str, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is told first of the `result` of the tool `name`; what is empty is left out.

    >>> brief("recall", {"summary": "1", "log": "a.log", "seen": [{"line": 7, "text": "door"}], "left": []})
    {'summary': '1', 'log': 'a.log', 'seen': ['[L 7](?log=a.log&line=7) door']}
    """
    shown, log = SHOWN.get(name), _of_log(result, "")
    if name in HANDS_OVER and shown is None:  # nothing that the agent did not say itself
        return dict(result)
    picked = _picked(result, dict.fromkeys(ALWAYS) | shown if shown else None)
    if name == "diagnose_log":
        picked["findings"] = [
            _healthy(one) if one["severity"] == "none" else one for one in picked["findings"]
        ]
    if name == "column_figures" and picked["rows"]:  # what there is, is asked without columns
        del picked["columns"]
    if name == "read_lines":
        lines = result["lines"]
        link = line_link(log, lines[0]["line"]) if lines else ""
        picked = {**result, "link": link, "lines": [f"{one['line']}: {one['text']}" for one in lines]}
    told: dict[str, Any] = _told(picked, log)
    if name in SAID_BELOW and any(told.get(part) for part in shown or ()):
        told.pop("summary", None)
    return told


def _healthy(finding: Mapping[str, Any]) -> dict[str, Any]:
    return {"summary": finding["summary"], "evidence": finding["evidence"][:1]}


def _of_log(result: Mapping[str, Any], around: str) -> str:
    """Return the log of a result as links have it: its device before a slash, that of the result `around`."""
    device = result.get("device") or around.rpartition("/")[0]
    return f"{device}/{result.get('log') or ''}" if device else str(result.get("log") or "")


def _picked(value: Any, chosen: Mapping[str, Any] | None) -> Any:
    if chosen is None:
        return value
    if isinstance(value, list):
        return [_picked(item, chosen) for item in value]
    if isinstance(value, Mapping):
        return {name: _picked(value[name], of) for name, of in chosen.items() if name in value}
    return value


def _told(value: Any, log: str) -> Any:
    """Return `value` without what is empty, numbers short, and log lines as links."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, list | tuple):
        return [_told(item, log) for item in value]
    if not isinstance(value, Mapping):
        return value
    log = _of_log(value, log) if value.get("log") else log
    is_log = bool(log) and not log.endswith("/")
    if is_log and isinstance(value.get("line"), int) and value.keys() <= _EVIDENCE:
        return _evidence(value, log)
    told = {name: _told(item, log) for name, item in value.items() if item not in (None, "", [], {}, ())}
    if is_log and isinstance(value.get("line"), int):
        told["line"] = line_link(log, value["line"])
    if is_log and isinstance(value.get("lines"), list) and all(isinstance(n, int) for n in value["lines"]):
        told["lines"] = [line_link(log, line) for line in value["lines"][:LINKED]]
    return told


_EVIDENCE = {"line", "clock", "time", "values", "value", "text"}  # of what is no more than a line of a log


def _evidence(row: Mapping[str, Any], log: str) -> str:
    """Return a line as "[L 517](…) 08:49:16.848 setpoint 65, pv 64.59": its readings, else its words."""
    values = row.get("values") or ({"": row["value"]} if "value" in row else {})
    readings = ", ".join(f"{name} {_told(value, log)}".strip() for name, value in values.items())
    clock = re.sub(r"^\d{4}-\d\d-\d\d ", "", str(row.get("clock") or ""))
    return " ".join(
        filter(None, (line_link(log, row["line"]), clock, readings or str(row.get("text") or "")))
    )


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

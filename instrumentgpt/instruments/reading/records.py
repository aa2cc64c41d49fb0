"""Lines that name their values themselves: one JSON object a line, or “Temp: 25.3 C, Heater=40 %”."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

NAME = r"[^\W\d][\w°./]*(?: [^\W\d][\w°./]*){0,2}"
PAIR = re.compile(
    rf"(?P<name>{NAME})\s*[=:：]\s*"
    r"(?P<value>[-+]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][-+]?\d+)?|nan|null|none|on|off|true|false|開|關|开|关)"
    r"(?P<unit>\s*(?:%|°[CF]|℃|℉|[CFK]\b))?(?![\w.:])",
    re.IGNORECASE,
)
STAMP = re.compile(
    r"\W{0,2}(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d?:\d\d:\d\d(?:[.,]\d+)?Z?|\d\d?:\d\d:\d\d(?:[.,]\d+)?)(?=\W|$)"
)
TICKS = re.compile(r"[EWIDV] \((\d+)\) \w+: ")  # ESP-IDF: ms since boot
TIMES = {"time", "time (ms)"}
LEAST_SHARE = 0.6  # of the lines that must have a name for it to be a column


def pairs_of(line: str) -> dict[str, str]:
    """Return the values that `line` names, in its order; {} if it names none.

    >>> pairs_of("12:00:01 Temp: 25.3 C, Heater=40%")
    {'time': '12:00:01', 'Temp': '25.3 C', 'Heater': '40%'}
    >>> pairs_of('{"t": 1.5, "oven": {"pv": 25.3, "on": true}}')
    {'t': '1.5', 'oven.pv': '25.3', 'oven.on': 'true'}
    """
    if line.lstrip().startswith("{"):
        try:
            return {name: _text(value) for name, value in flat(json.loads(line)).items()}
        except (ValueError, AttributeError, RecursionError):
            pass
    stamp, ticks = STAMP.match(line), TICKS.match(line)
    found = {"time": stamp[1]} if stamp else {"time (ms)": ticks[1]} if ticks else {}
    begin = stamp or ticks
    for pair in PAIR.finditer(line, begin.end() if begin else 0):
        found.setdefault(pair["name"], pair["value"] + (pair["unit"] or ""))
    return found


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def flat(node: Mapping[str, Any], before: str = "") -> dict[str, object]:
    """Return the plain values of an object, those within others named “outer.inner”."""
    found: dict[str, object] = {}
    for name, value in node.items():
        if isinstance(value, dict):
            found |= flat(value, f"{before}{name}.")
        elif not isinstance(value, list):
            found[f"{before}{name}"] = value
    return found


def names_in(lines: Sequence[str]) -> list[str]:
    """Return the names that most of the `lines` that name values have, in order; [] if few name any."""
    records = [record for line in lines if (record := pairs_of(line)).keys() - TIMES]
    if len(records) < LEAST_SHARE * len(lines):
        return []
    names = dict.fromkeys(name for record in records for name in record)
    return [name for name in names if sum(name in record for record in records) >= LEAST_SHARE * len(records)]

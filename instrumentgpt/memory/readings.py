"""Values that our tools report as data: figures of each channel, and what an agent puts on record.

Each with its log, line and time. No words are read here, so nothing depends on how an answer says it.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from instrumentgpt.memory.facts import Fact, Names, device_named
from instrumentgpt.memory.reading.values import recorded_value

FIGURES = {  # of a channel → the quantity it is filed under (synonyms.toml), its unit; None: the log's own
    "kp": ("kp", ""),
    "ki": ("ki", ""),
    "kd": ("kd", ""),
    "setpoint": ("setpoint", None),
    "mean_error": ("steady state error", None),
    "half_peak_to_peak": ("oscillation", None),
    "period": ("oscillation period", "s"),
    "overshoot": ("overshoot", None),
    "rise_time": ("rise time", "s"),
    "settling_time": ("settling time", "s"),
    "duty": ("output", "%"),
}
SET = ("kp", "ki", "kd", "setpoint")  # told to six digits; what was measured to three, 0.0001 at the least
MOST_CHANNELS = 64  # an agent hands results over, so they are checked like anything it says
UNIT_CHARS, CLOCK_CHARS, LOG_CHARS = 12, 30, 200
QUANTITY_CHARS, VALUE_CHARS = 60, 60  # of what an agent puts on record
MOST_RECORDED = 20  # of one result


@dataclass(frozen=True)
class Reading:
    """A value that a tool read: from which log, to which line (1-based; None if it does not say) and time.

    source  "tool", or "agent" for what an agent put on record
    """

    fact: Fact
    log: str = ""
    line: int | None = None
    clock: str = ""
    source: str = "tool"


def readings_in(result: Mapping[str, Any], device: str, names: Names = ()) -> list[Reading]:
    """Return the values that a tool's `result` reports of its channels, and those that it puts on record.

    device  whose they are where the result names none
    names   of all devices

    >>> row = {"channel": 2, "kp": 9.0, "last": {"line": 7}}
    >>> reading, = readings_in({"log": "a.log", "channels": [row]}, "oven 7")
    >>> reading.fact.parameter, reading.fact.value, reading.line
    ('kp', '9', 7)
    """
    log = _text(result.get("log"), LOG_CHARS)
    scope = device_named(_text(result.get("device"), LOG_CHARS), names) or device
    unit = _text(result.get("unit"), UNIT_CHARS)
    channels = _rows(result.get("channels"), MOST_CHANNELS) if log else []
    recorded = (_recorded(row, scope, log) for row in _rows(result.get("values"), MOST_RECORDED))
    figures = [reading for row in channels for reading in _of_channel(row, scope, log, unit)]
    return [*figures, *filter(None, recorded)]


def _rows(listed: object, most: int) -> list[Mapping[str, Any]]:
    return [row for row in listed[:most] if isinstance(row, Mapping)] if isinstance(listed, list) else []


def _recorded(row: Mapping[str, Any], device: str, log: str) -> Reading | None:
    quantity, value = _text(row.get("quantity"), QUANTITY_CHARS), _text(row.get("value"), VALUE_CHARS)
    channel = _number(row.get("channel"))
    unit = _text(row.get("unit"), UNIT_CHARS)
    fact = recorded_value(device, "" if channel is None else str(channel), quantity, value, unit)
    line = _number(row.get("line")) or None
    clock = _text(row.get("clock"), CLOCK_CHARS).partition(".")[0]
    return Reading(fact, log, line if log else None, clock if log else "", "agent") if fact else None


def _number(value: object) -> int | None:
    is_one = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
    return int(value) if is_one and isinstance(value, int) else None


def _of_channel(row: Mapping[str, Any], device: str, log: str, unit: str) -> Iterator[Reading]:
    number = _number(row.get("channel"))
    channel = "" if number is None else str(number)
    last = row.get("last")
    line, clock = (last.get("line"), last.get("clock")) if isinstance(last, Mapping) else (None, None)
    for name, (parameter, own) in FIGURES.items():
        value = row.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            told = f"{value:.6g}" if name in SET else f"{round(value, 4) + 0.0:.3g}"
            fact = Fact(device, channel, parameter, told, unit if own is None else own)
            yield Reading(fact, log, _number(line) or None, _text(clock, CLOCK_CHARS).partition(".")[0])


def _text(value: object, limit: int) -> str:
    return " ".join(value.split())[:limit] if isinstance(value, str) else ""

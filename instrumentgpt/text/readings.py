"""Values that our tools report as data: gains, setpoint and figures of each channel, with log, line and time.

No words are read here, so nothing depends on how an answer says it.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from instrumentgpt.text.facts import Fact, Names, device_named

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


@dataclass(frozen=True)
class Reading:
    """A value that a tool read: from which log, to which line (1-based; None if it does not say) and time."""

    fact: Fact
    log: str = ""
    line: int | None = None
    clock: str = ""


def readings_in(result: Mapping[str, Any], device: str, names: Names = ()) -> list[Reading]:
    """Return the values that a tool's `result` reports of its channels.

    device  whose they are where the result names none
    names   of all devices

    >>> row = {"channel": 2, "kp": 9.0, "last": {"line": 7}}
    >>> reading, = readings_in({"log": "a.log", "channels": [row]}, "oven 7")
    >>> reading.fact.parameter, reading.fact.value, reading.line
    ('kp', '9', 7)
    """
    channels = result.get("channels")
    log = _text(result.get("log"), LOG_CHARS)
    if not isinstance(channels, list) or not log:
        return []
    scope = device_named(_text(result.get("device"), LOG_CHARS), names) or device
    unit = _text(result.get("unit"), UNIT_CHARS)
    rows = (row for row in channels[:MOST_CHANNELS] if isinstance(row, Mapping))
    return [reading for row in rows for reading in _of_channel(row, scope, log, unit)]


def _of_channel(row: Mapping[str, Any], device: str, log: str, unit: str) -> Iterator[Reading]:
    number = row.get("channel")
    channel = str(number) if isinstance(number, int) and not isinstance(number, bool) else ""
    last = row.get("last")
    line, clock = (last.get("line"), last.get("clock")) if isinstance(last, Mapping) else (None, None)
    for name, (parameter, own) in FIGURES.items():
        value = row.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            told = f"{value:.6g}" if name in SET else f"{round(value, 4) + 0.0:.3g}"
            fact = Fact(device, channel, parameter, told, unit if own is None else own)
            at = line if isinstance(line, int) and line > 0 else None
            yield Reading(fact, log, at, _text(clock, CLOCK_CHARS).partition(".")[0])


def _text(value: object, limit: int) -> str:
    return " ".join(value.split())[:limit] if isinstance(value, str) else ""

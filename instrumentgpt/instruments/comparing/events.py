"""What the event lines of two logs tell of a change: kinds that came or went, and the room's temperature."""

import math
import re
from collections.abc import Iterator

import numpy as np

from instrumentgpt.instruments.comparing.rows import EventChange, Row
from instrumentgpt.instruments.messages import TROUBLE, Group, group_messages
from instrumentgpt.instruments.reading.record import Log

NOTABLE_AMBIENT = 1.0  # °C
EXPECTED_LINES = 3.0  # so many lines of a kind must be missing, or new, to be no accident
HEAD_SHARE = 0.05  # of the log's length
AMBIENT = re.compile(r"(?:\bambient\b|\broom\b|環境溫度|室溫)[^-\d]{0,12}(-?\d+(?:\.\d+)?)", re.IGNORECASE)


def ambient_rows(before: Log, after: Log) -> Iterator[Row]:
    """Yield the temperature of the room, if the event lines of both logs tell it."""
    values = _ambient_of(before), _ambient_of(after)
    if not all(math.isfinite(value) for value in values):
        return
    yield Row("ambient", None, *values, "°C", abs(values[1] - values[0]) > NOTABLE_AMBIENT)


def _ambient_of(log: Log) -> float:
    """Return the median of the ambient temperatures in the event lines; nan if none names one."""
    found = (AMBIENT.search(str(text)) for text in log.events["text"])
    values = [float(match[1]) for match in found if match]
    return float(np.median(values)) if values else math.nan


def event_changes(before: Log, after: Log) -> Iterator[EventChange]:
    """Yield the templates that one log has and the other lacks although its length made them likely."""
    first, second = (
        {(g.level, g.source, g.template): g for g in group_messages(log.events)} for log in (before, after)
    )
    length = _seconds(after) / _seconds(before) if _seconds(before) else math.nan
    for key, group in second.items():
        if key not in first and (group.level in TROUBLE or len(group.messages) / length >= EXPECTED_LINES):
            yield _event_change(group, 0, len(group.messages))
    for key, group in first.items():
        lasted = group.messages[-1].time - group.messages[0].time
        head = lasted < HEAD_SHARE * _seconds(before)  # what a log says once, at its start
        if key not in second and not head and len(group.messages) * length >= EXPECTED_LINES:
            yield _event_change(group, len(group.messages), 0)


def _event_change(group: Group, before: int, after: int) -> EventChange:
    return EventChange(group.template, group.level, group.source, before, after, group.messages[0].line)


def _seconds(log: Log) -> float:
    return float(np.ptp(log.samples["time"])) if len(log.samples) else 0.0

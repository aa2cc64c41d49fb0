"""The stamps of many lines at once, each read as words of eight letters."""

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from instrumentgpt.instruments.reading.clocks import SECOND, micros
from instrumentgpt.instruments.reading.layouts import TIMES
from instrumentgpt.instruments.reading.words import (
    MOST_DIGITS,
    ZEROS,
    Flags,
    Positions,
    Text,
    eight_digits,
    not_digits,
    ones,
)

CLOCK = re.compile(rb"(\d\d?):\d\d:\d\d(?:[.,](\d+))?$")
MIDNIGHT = b"00:00:00"
POINT, COMMA = ord("."), ord(",")
_CLOCK = np.uint64(int.from_bytes(b"00:00:00", "little"))
_AT_COLONS = np.uint64(int.from_bytes(b"\0\0\xff\0\0\xff\0\0", "little"))
_EIGHT, _BYTE, _SIXTY = np.uint64(8), np.uint64(0xFF), np.uint64(60)


@dataclass(frozen=True)
class StampLayout:
    """How a stamp is written: letters of its date, digits of its hour and behind its point."""

    kind: str
    date: int
    hour: int
    fraction: int

    @classmethod
    def of(cls, kind: str, stamp: bytes) -> "StampLayout | None":
        """Return how `stamp` is written, None if not with a clock time.

        >>> StampLayout.of("datetime", b"2026-03-04 17:50:13.786")
        StampLayout(kind='datetime', date=11, hour=2, fraction=3)
        """
        clock = CLOCK.search(stamp)
        if not clock or kind not in ("datetime", "clock", "syslog"):
            return None
        hour, fraction = 2 if clock.start() else len(clock[1]), len(clock[2] or b"")
        return cls(kind, clock.start(), hour, fraction) if fraction <= MOST_DIGITS else None

    @property
    def size(self) -> int:
        """Return the number of letters."""
        return self.date + self.hour + 6 + (self.fraction + 1 if self.fraction else 0)


def stamps_at(text: Text, position: Positions, layout: StampLayout) -> tuple[NDArray[np.int64], Flags]:
    """Return the stamps (µs) at `position` that are written as `layout`, and where there are such."""
    word = text.word_at(position + layout.date)
    if layout.hour == 1:
        word = (word << _EIGHT) | np.uint64(ord("0"))
    digits = word ^ _CLOCK
    good = not_digits(digits) == 0
    good &= (digits & _AT_COLONS) == 0
    pairs = digits * np.uint64(10) + (digits >> _EIGHT)
    hour, minute, second = ((pairs >> np.uint64(at)) & _BYTE for at in (0, 24, 48))
    good &= (minute < 60) & (second < 60)
    stamp = (((hour * _SIXTY + minute) * _SIXTY + second) * np.uint64(SECOND)).view(np.int64)
    if layout.date:
        day = _days(text, position, layout)
        good &= (hour < 24) & (day >= 0)
        stamp += day
    if layout.fraction:
        stamp += _fraction(text, position + (layout.size - layout.fraction - 1), layout.fraction, good)
    return stamp, good


def _fraction(text: Text, position: Positions, count: int, good: Flags) -> NDArray[np.int64]:
    """Return the µs behind the point at `position`; `good` loses where there are not `count` digits."""
    point = text.letters[position]
    good &= (point == POINT) | (point == COMMA)
    digits = text.word_at(position + 1) ^ ZEROS
    if count < 8:
        marked = not_digits(digits) & np.uint64((1 << (8 * count + 8)) - 1)
        good &= marked == np.uint64(1 << (8 * count + 7))
    else:
        good &= ones(text.digits_from(position + 1)) == count
    used = min(count, 6)
    scale: int = 10 ** (6 - used)
    return eight_digits(digits, np.uint64(64 - 8 * used)) * scale


def _days(text: Text, position: Positions, layout: StampLayout) -> NDArray[np.int64]:
    """Return µs since 1970 of the dates at `position`; -1 for one that does not exist."""
    first = text.word_at(position)
    second = text.word_at(position + (layout.date - 8)) if layout.date > 8 else first
    mask = np.uint64((1 << (8 * min(layout.date, 8))) - 1)
    changed = ((np.diff(first) & mask) != 0) | ((np.diff(second) & mask) != 0)
    runs = np.concatenate([[0], np.flatnonzero(changed) + 1]) if len(position) else position
    starts = position[runs].tolist()
    days = [_day(layout.kind, text.letters[at : at + layout.date].tobytes()) for at in starts]
    return np.repeat(np.array(days, dtype=np.int64), np.diff(np.append(runs, len(position))))


@lru_cache(maxsize=4096)
def _day(kind: str, letters: bytes) -> int:
    midnight = letters + MIDNIGHT
    stamp = micros(kind, midnight) if re.fullmatch(TIMES[kind], midnight) else None
    return -1 if stamp is None else stamp

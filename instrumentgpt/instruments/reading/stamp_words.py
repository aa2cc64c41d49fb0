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
    Flags,
    Positions,
    Text,
    Words,
    eight_digits,
    first_byte,
    not_digits,
    ones,
)

CLOCK = re.compile(rb"(\d\d?):\d\d:\d\d(?:[.,](\d+))?$")
MIDNIGHT = b"00:00:00"
POINT, COMMA = ord("."), ord(",")
_ZEROS = np.uint64(int.from_bytes(b"00000000", "little"))
_DIGITS = np.uint64(int.from_bytes(b"\x80\x80\0\x80\x80\0\x80\x80", "little"))
_COLONS = np.uint64(int.from_bytes(b"\0\0:\0\0:\0\0", "little"))
_AT_COLONS = np.uint64(int.from_bytes(b"\0\0\xff\0\0\xff\0\0", "little"))


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
    word = text.words[position + layout.date]
    if layout.hour == 1:
        word = (word << np.uint64(8)) | np.uint64(ord("0"))
    good = ((not_digits(word) & _DIGITS) == 0) & ((word & _AT_COLONS) == _COLONS)
    hour, minute, second = _two(word, 0), _two(word, 3), _two(word, 6)
    good &= (minute < 60) & (second < 60)
    stamp = ((hour * 60 + minute) * 60 + second) * SECOND
    if layout.date:
        day = _days(text, position, layout)
        good &= (hour < 24) & (day >= 0)
        stamp += day
    if layout.fraction:
        stamp += _fraction(text, position + (layout.size - layout.fraction - 1), layout.fraction, good)
    return stamp, good


def _two(word: Words, at: int) -> NDArray[np.int64]:
    tens, ones = (((word >> np.uint64(8 * place)) & np.uint64(15)).astype(np.int64) for place in (at, at + 1))
    number: NDArray[np.int64] = tens * 10 + ones
    return number


def _fraction(text: Text, position: Positions, count: int, good: Flags) -> NDArray[np.int64]:
    """Return the µs behind the point at `position`; `good` loses where there are not `count` digits."""
    point = text.letters[position]
    good &= (point == POINT) | (point == COMMA)
    word = text.words[position + 1]
    found = first_byte(not_digits(word)) if count < 8 else ones(text.digits_from(position + 1))
    good &= found == count
    used = min(count, 6)
    scale: int = 10 ** (6 - used)
    return eight_digits(word ^ _ZEROS, np.full(1, used)) * scale


def _days(text: Text, position: Positions, layout: StampLayout) -> NDArray[np.int64]:
    """Return µs since 1970 of the dates at `position`; -1 for one that does not exist."""
    first = text.words[position]
    second = text.words[position + (layout.date - 8)] if layout.date > 8 else first
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

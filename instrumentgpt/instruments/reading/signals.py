"""Lines that name one signal each, as historians, buses and serial ports write: “[12] TIC1.PV = 45.2 C Good”.

A line without its time and its value says whose value it is: what is constant beside a name is an id, a unit
or a quality, and none of them is a reading.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from operator import eq

import numpy as np
from numpy.typing import NDArray

from instrumentgpt.instruments.reading.headers import LIKELY, heading_of, is_unit, vocabulary
from instrumentgpt.instruments.reading.record import STAMP, names_in

MARK = re.compile(r"\s*(?:=|:(?=\s*[-+.\d]))\s*")  # between a name and its value
PARTED, WITH_COMMA = (re.compile(rf"[\s;|\[\](){{}}<>\"'#=>{comma}]+|:(?=\s|$)") for comma in (",", ""))
NUMBER = re.compile(r"[-+]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][-+]?\d+)?(?=\D{0,4}$)")  # and a unit at it
SWITCHES = frozenset(("on", "off", "true", "false", *vocabulary()["gaps"]["words"]))
PLAIN = re.compile(r"\d+(?:\.\d+)?$")
HEX, ID = re.compile(r"(?:0[xX])?[\dA-Fa-f]+$"), re.compile(r"(?:0[xX])?[\dA-Fa-f]*\d")
WORD = re.compile(r"\w")
PLACES = ("mark", -1, -2, -3, -4, 1, 2, 3, 4)  # of the value among the parts of a line
NEAR = 40  # letters from the start, within which the time stands
MOSTLY, ONWARD = 0.8, 0.98  # share of lines that are of the kind; of steps of a time or a count
IN_A_ROW = 0.5  # share of lines of the signal of the line before: more are no signals that take turns
LEAST_LINES, MOST_SIGNALS = 12, 64


@dataclass(frozen=True)
class Signals:
    """How lines of one signal are written.

    place    of the value among the parts of a line, from its end if negative, or "mark": behind “=” or “:”
    comma    whether values have a decimal comma
    time     the part that is the time, None where the line has a date or a clock
    passed   parts that are no part of the name: times, counts, ids
    looks    what stands between the parts of the lines that were looked at
    units    name → unit of its values
    """

    place: int | str
    comma: bool
    time: int | None = None
    passed: frozenset[int] = frozenset()
    looks: frozenset[str] = frozenset()
    units: dict[str, str] = field(default_factory=dict)

    def parts(self, line: str) -> tuple[str, list[str], int]:
        """Return the stamp of `line`, its other parts and the place of its value; -1 without one."""
        match = STAMP.search(line)
        if match and match.start(1) < NEAR and not line[: match.start(1)][-1:].isalnum():
            stamp = match[1]
            begin = match.start(1) if match.start() else 0  # the name of a day stands first
            line = f"{line[:begin]} {line[match.end() :]}"
        else:
            stamp = ""
        split = WITH_COMMA if self.comma else PARTED
        mark = MARK.search(line) if self.place == "mark" else None
        before, parts = (
            [part for part in split.split(text) if part]
            for text in (line[: mark.start()] if mark else "", line)
        )
        at = len(before) if mark else -1 if self.place == "mark" else int(self.place) % max(len(parts), 1)
        is_value = 0 <= at < len(parts) and (NUMBER.match(parts[at]) or parts[at].lower() in SWITCHES)
        return stamp, parts, at if is_value else -1

    def name(self, parts: Sequence[str], at: int) -> str:
        """Return the name of the signal of a line of `parts`, with its value `at` one of them."""
        words = [
            part for place, part in enumerate(parts[:at]) if place not in self.passed and WORD.search(part)
        ]
        return " ".join(words or parts[at + 1 :])

    def cells(self, line: str) -> list[str]:
        """Return time, name and value of `line`; [] if it is no line of a signal."""
        stamp, parts, at = self.parts(line)
        if at < 0 or _look(parts) not in self.looks:
            return []
        name = self.name(parts, at)
        unit = self.units.get(name)
        time = stamp if self.time is None else parts[self.time]
        return [time, f"{name} ({unit})" if unit else name, parts[at]] if time else []


def _look(parts: Sequence[str]) -> str:
    return "".join("0" if NUMBER.match(part) else "x" for part in parts)


def signals_of(lines: Sequence[str]) -> Signals | None:
    """Return how `lines` of one signal each are written; None if they are not.

    Its place is where taking it out leaves the fewest different lines. Lines that each name what a loop has
    are rows of it.
    """
    lines = [line for line in lines if line.strip()]
    if len(lines) < LEAST_LINES or lines[0].lstrip().startswith("{") or len(_roles(names_in(lines))) > 1:
        return None
    found = (_written(lines, Signals(place, comma)) for comma in (False, True) for place in PLACES)
    return min(filter(None, found), key=lambda pair: pair[0], default=(0, None))[1]


def _written(lines: Sequence[str], signals: Signals) -> tuple[int, Signals] | None:
    """Return how many different lines `lines` are if they are written as `signals` says, and all of it."""
    rows = [row for row in map(signals.parts, lines) if row[2] >= 0]
    if len(rows) < MOSTLY * len(lines):
        return None
    stamped = sum(bool(stamp) for stamp, *_ in rows) >= MOSTLY * len(rows)
    width = min(len(parts) for _, parts, _ in rows)
    free = [place for place in range(width) if all(place != at for *_, at in rows)]
    running = {at: steps for at in free if (steps := _steps([parts[at] for _, parts, _ in rows])) is not None}
    times = [at for at, steps in running.items() if (steps < 1).any() or np.median(steps) != 1]  # no count
    if not stamped and not times:
        return None
    signals = replace(signals, time=None if stamped else times[0], passed=frozenset(running))
    beside = [
        tuple(part for place, part in enumerate(parts) if place not in {*running, at})
        for _, parts, at in rows
    ]
    count = Counter(beside)
    again = sum(number for number in count.values() if number > 1)
    moves = len({(rest, parts[at]) for rest, (_, parts, at) in zip(beside, rows, strict=True)}) > len(count)
    if again < MOSTLY * len(lines) or len(count) > MOST_SIGNALS or not moves:
        return None
    for place in free:
        texts = {parts[place] for _, parts, at in rows if place < at}
        passed = replace(signals, passed=signals.passed | {place})
        told, left = ({each.name(parts, at) for _, parts, at in rows} for each in (signals, passed))
        ids = all(map(HEX.match, texts)) and any(map(ID.match, texts))
        signals = passed if ids and len(left) == len(told) else signals
    names = [signals.name(parts, at) for _, parts, at in rows]
    words = {" ".join(word for word in name.split() if not NUMBER.match(word)) for name in names}
    in_a_row = sum(map(eq, names, names[1:]))
    if len(words) < 2 or len(_roles(words)) < 2 or in_a_row > IN_A_ROW * len(names):
        return None
    behind = {
        (name, "".join(parts[at + 1 : at + 2])) for name, (_, parts, at) in zip(names, rows, strict=True)
    }
    units = {name: unit for name, unit in behind if is_unit(unit)}
    looks = frozenset(_look(parts) for _, parts, _ in rows)
    return len(lines) - len(rows) + len(count), replace(signals, looks=looks, units=units)


def _roles(names: Iterable[str]) -> set[str]:
    """Return which of setpoint, pv and output `names` likely are."""
    scores = (heading_of(name).scores.items() for name in names)
    return {role for said in scores for role, score in said if score >= LIKELY} & {"setpoint", "pv", "output"}


def _steps(texts: Sequence[str]) -> NDArray[np.float64] | None:
    """Return the steps of `texts` that are numbers which go on, as of a time or a count; None of others."""
    steps = np.diff(np.array(texts, dtype=float)) if all(map(PLAIN.match, texts)) else np.empty(0)
    return steps if (steps > 0).any() and (steps >= 0).mean() >= ONWARD else None

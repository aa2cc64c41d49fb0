"""Values of devices, dated: what our tools report as data, which is in force, and what it was before.

Of results no words are read, so nothing depends on how an answer says them.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from instrumentgpt.memory.facts import Fact, Names, device_named
from instrumentgpt.memory.measures import amount, unit_of
from instrumentgpt.memory.reading.values import recorded_value

EARLIER_KEPT = 2  # superseded values beside the one in force

Key = tuple[str, str, str]  # device, channel, parameter


@dataclass(frozen=True)
class StoredFact:
    """A fact as stored: who stated it, in which turn (from 1); `sentence` is that of a constraint, …

    kind    "value", "constraint", "lift" (what takes one back), "unclear" (what may lift or replace the one
            whose words are its value), "ruled_out", or "doubt": a sentence that speaks
            of a value and may mean another
    source  "tool", "user" or "agent"
    pinned  stays in every prompt, whatever is said later
    mark    what a person did with it: "corrected by the user"
    against a later value that others state, and that is not in force; of a constraint what is unclear of it
    log, line, clock  where and for what time a tool read it; message_id is that of the first reading
    """

    kind: str
    fact: Fact
    source: str
    turn: int
    sentence: str = ""
    message_id: int = 0
    pinned: bool = False
    mark: str = ""
    against: "StoredFact | None" = None
    log: str = ""
    line: int | None = None
    clock: str = ""


@dataclass
class Value:
    """A quantity: its value in force, and the other ones before it, the newest first."""

    now: StoredFact
    earlier: list[StoredFact] = field(default_factory=list)


def values_in_force(facts: Iterable[StoredFact]) -> dict[Key, Value]:
    """Return the newest value of each key with the other ones before it, the newest first.

    A user or an agent who names no channel speaks of all of them: the value supersedes what was known of each
    before.
    """
    values: dict[Key, Value] = {}
    doubts: dict[str, list[StoredFact]] = {}
    for row in facts:
        if row.kind == "doubt":
            doubts.setdefault(row.fact.parameter, []).append(row)
        if row.kind != "value":
            continue
        held = values.pop(row.fact.key, None)
        is_word = row.source != "tool" and not row.mark and not row.pinned
        if held and held.now.source == "tool" and is_word and agree(held.now.fact, row.fact):
            values[row.fact.key] = held  # a word that agrees with what was read says nothing new
            continue
        earlier = [held.now, *held.earlier] if held else []
        kept = [old for old in earlier if not (agree(old.fact, row.fact) or _is_of_another(old, row))]
        values[row.fact.key] = Value(row, kept)
    for value in values.values():
        del value.earlier[EARLIER_KEPT:]
    known = _across_channels(values)  # what is withdrawn superseded what was known before all the same
    return {key: row for key, row in known.items() if not _is_withdrawn(row.now, doubts.get(key[2], ()))}


def _is_of_another(old: StoredFact, new: StoredFact) -> bool:
    """Return whether two readings are of files of no device, which may be of two machines."""
    return not new.fact.device and old.source == new.source == "tool" and old.log != new.log


def _is_withdrawn(word: StoredFact, doubts: Iterable[StoredFact]) -> bool:
    """Return whether a later sentence speaks of what somebody said without repeating it; a revision stays."""
    if word.source != "user" or word.mark or word.pinned:
        return False
    fact = word.fact
    return any(
        doubt.message_id > word.message_id
        and doubt.fact.device in ("", fact.device)
        and (doubt.fact.channel == fact.channel or "" in (doubt.fact.channel, fact.channel))
        and not agree(doubt.fact, fact)
        for doubt in doubts
    )


def agree(fact: Fact, other: Fact) -> bool:
    """Return whether both tell the same value within the digits that were written: 46 and 46.2, 55 and 55.00.

    A number of one digit says nothing of how exactly it was meant: 9 and 9.4 differ.

    >>> agree(Fact("", "", "output", "46", "%"), Fact("", "", "output", "46.2", "%"))
    True
    >>> agree(Fact("", "", "kp", "9"), Fact("", "", "kp", "9.4"))
    False
    """
    if fact.unit and other.unit and unit_of(fact.unit) != unit_of(other.unit):
        return False
    number, other_number = amount(fact.value), amount(other.value)
    if number == other_number:
        return True
    try:
        apart = abs(Decimal(number) - Decimal(other_number))
    except InvalidOperation:
        return False
    coarser = min((fact.value, other.value), key=_decimals)
    digits = sum(map(str.isdecimal, coarser.lstrip("-0.")))
    return digits >= 2 and apart * 2 <= Decimal(1).scaleb(-_decimals(coarser))


def _decimals(number: str) -> int:
    return len(number.partition(".")[2])


def _across_channels(values: dict[Key, Value]) -> dict[Key, Value]:
    """Return the values without those of single channels that somebody's word of all of them superseded.

    What a tool reads of a channel later, or meanwhile, supersedes such a word in turn; a word that agrees
    with what was read of every channel supersedes nothing.
    """
    general = {key: value for key, value in values.items() if not key[1] and value.now.source != "tool"}
    for key, value in list(general.items()):
        channels = [
            other for name, other in values.items() if name[1] and (name[0], name[2]) == (key[0], key[2])
        ]
        is_free = not (value.now.pinned or value.now.mark)
        if is_free and channels and all(agree(other.now.fact, value.now.fact) for other in channels):
            del values[key], general[key]
    for key, value in list(values.items()):
        word = general.get((key[0], "", key[2]))
        if not key[1] or word is None or value.now.pinned or value.now.mark:
            continue
        if value.now.message_id == word.now.message_id and value.now.source == word.now.source != "user":
            continue  # all channels, and this one otherwise
        if (value.now.turn, value.now.source == "tool") < (word.now.turn, True):
            del values[key]
            word.earlier = _others([*word.earlier, value.now, *value.earlier], word.now)
        elif value.now.source == "tool" and not (word.now.pinned or word.now.mark):
            values.pop(word.now.fact.key, None)
            value.earlier = _others([word.now, *value.earlier], value.now)
    return values


def _others(rows: Sequence[StoredFact], now: StoredFact) -> list[StoredFact]:
    """Return the rows of other values than `now`, each value once, the newest first."""
    newest = {row.fact.value: row for row in sorted(rows, key=lambda row: row.turn)}
    different = [row for row in newest.values() if not agree(row.fact, now.fact)]
    return sorted(different, key=lambda row: -row.turn)[:EARLIER_KEPT]


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


def readings_in(result: Mapping[str, Any], device: str, names: Names = ()) -> list[StoredFact]:
    """Return the values that a tool's `result` reports of its channels, and those that it puts on record.

    device  whose they are where the result names none

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


def _recorded(row: Mapping[str, Any], device: str, log: str) -> StoredFact | None:
    quantity, value = _text(row.get("quantity"), QUANTITY_CHARS), _text(row.get("value"), VALUE_CHARS)
    channel, unit = _number(row.get("channel")), _text(row.get("unit"), UNIT_CHARS)
    fact = recorded_value(device, "" if channel is None else str(channel), quantity, value, unit)
    return _read(fact, "agent", log, row if log else {}) if fact else None


def _read(fact: Fact, source: str, log: str, at: Mapping[str, Any]) -> StoredFact:
    """Return a value as it was read: from which log, to which line (1-based) and time, where `at` says so."""
    line, clock = _number(at.get("line")) or None, _text(at.get("clock"), CLOCK_CHARS).partition(".")[0]
    return StoredFact("value", fact, source, 0, log=log, line=line, clock=clock)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and value is not True and 0 <= value < 2**31 else None


def _of_channel(row: Mapping[str, Any], device: str, log: str, unit: str) -> Iterator[StoredFact]:
    number = _number(row.get("channel"))
    channel = "" if number is None else str(number)
    last = row.get("last")
    for name, (parameter, own_unit) in FIGURES.items():
        value = row.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            written = f"{value:.6g}" if name in SET else f"{round(value, 4) + 0.0:.3g}"
            fact = Fact(device, channel, parameter, written, unit if own_unit is None else own_unit)
            yield _read(fact, "tool", log, last if isinstance(last, Mapping) else {})


def _text(value: object, limit: int) -> str:
    return " ".join(value.split())[:limit] if isinstance(value, str) else ""

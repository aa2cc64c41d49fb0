"""What is known of devices, dated: the value of each quantity in force, and what it was before."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from instrumentgpt.memory.facts import Fact
from instrumentgpt.memory.measures import amount, unit_of

EARLIER_KEPT = 2  # superseded values beside the one in force

Key = tuple[str, str, str]  # device, channel, parameter


@dataclass(frozen=True)
class Known:
    """A fact as stored: who stated it, in which turn (from 1); `said` is the sentence of a constraint, …

    kind    "value", "constraint", "lift" (what takes one back), "ruled_out" or "error" (a log line)
    source  "tool", "user" or "agent"
    pinned  stays in every prompt, whatever is said later
    mark    what a person did with it: "corrected by the user"
    against a later value that others state, and that is not in force
    log, line, clock  where and for what time a tool read it; message_id is that of the first reading
    """

    kind: str
    fact: Fact
    source: str
    turn: int
    said: str = ""
    message_id: int = 0
    pinned: bool = False
    mark: str = ""
    against: "Known | None" = None
    log: str = ""
    line: int | None = None
    clock: str = ""


@dataclass
class Value:
    """A quantity: its value in force, and the other ones before it, the newest first."""

    now: Known
    earlier: list[Known] = field(default_factory=list)


def values_in_force(known: Iterable[Known]) -> dict[Key, Value]:
    """Return the newest value of each key with the other ones before it, the newest first.

    A user or an agent who names no channel speaks of all of them: the value supersedes what was known of each
    before.
    """
    values: dict[Key, Value] = {}
    for row in known:
        if row.kind != "value":
            continue
        held = values.pop(row.fact.key, None)
        is_word = row.source != "tool" and not row.mark and not row.pinned
        if held and held.now.source == "tool" and is_word and agree(held.now.fact, row.fact):
            values[row.fact.key] = held  # a word that agrees with what was read says nothing new
            continue
        earlier = [held.now, *held.earlier] if held else []
        values[row.fact.key] = Value(row, [old for old in earlier if not agree(old.fact, row.fact)])
    for value in values.values():
        del value.earlier[EARLIER_KEPT:]
    return _across_channels(values)


def agree(one: Fact, other: Fact) -> bool:
    """Return whether both tell the same value within the digits that were written: 46 and 46.2, 55 and 55.00.

    A number of one digit says nothing of how exactly it was meant: 9 and 9.4 differ.

    >>> agree(Fact("", "", "output", "46", "%"), Fact("", "", "output", "46.2", "%"))
    True
    >>> agree(Fact("", "", "kp", "9"), Fact("", "", "kp", "9.4"))
    False
    """
    if one.unit and other.unit and unit_of(one.unit) != unit_of(other.unit):
        return False
    told, known = amount(one.value), amount(other.value)
    if told == known:
        return True
    try:
        apart = abs(Decimal(told) - Decimal(known))
    except InvalidOperation:
        return False
    coarser = min((one.value, other.value), key=_decimals)
    digits = sum(map(str.isdecimal, coarser.lstrip("-0.")))
    return digits >= 2 and apart * 2 <= Decimal(1).scaleb(-_decimals(coarser))


def _decimals(number: str) -> int:
    return (
        len(amount(number).partition(".")[2]) if number == amount(number) else len(number.partition(".")[2])
    )


def _across_channels(values: dict[Key, Value]) -> dict[Key, Value]:
    """Return the values without those of single channels that somebody's word of all of them superseded.

    What a tool reads of a channel later, or meanwhile, supersedes such a word in turn; a word that agrees
    with what was read of every channel supersedes nothing.
    """
    general = {key: value for key, value in values.items() if not key[1] and value.now.source != "tool"}
    for key, said in list(general.items()):
        channels = [
            one for other, one in values.items() if other[1] and (other[0], other[2]) == (key[0], key[2])
        ]
        is_free = not (said.now.pinned or said.now.mark)
        if is_free and channels and all(agree(one.now.fact, said.now.fact) for one in channels):
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


def _others(rows: Sequence[Known], now: Known) -> list[Known]:
    """Return the rows of other values than `now`, each value once, the newest first."""
    newest = {row.fact.value: row for row in sorted(rows, key=lambda row: row.turn)}
    told = [row for row in newest.values() if not agree(row.fact, now.fact)]
    return sorted(told, key=lambda row: -row.turn)[:EARLIER_KEPT]

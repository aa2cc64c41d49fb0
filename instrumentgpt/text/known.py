"""What is known of devices, dated: the value of each quantity in force, and what it was before."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from instrumentgpt.text.facts import Fact, Names, facts_in
from instrumentgpt.text.measures import amount, unit_of

EARLIER_KEPT = 2  # superseded values beside the one in force

Key = tuple[str, str, str]  # device, channel, parameter


@dataclass(frozen=True)
class Known:
    """A fact as stored: who stated it, in which turn (from 1); `said` is the sentence of a wish, …

    kind    "value", "wish" (what a user laid down), "ruled_out" or "error" (a log line)
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

    A user who names no channel speaks of all of them: the value supersedes what was known of each before.
    """
    values: dict[Key, Value] = {}
    for row in known:
        if row.kind != "value":
            continue
        held = values.pop(row.fact.key, None)
        if held and _is_repeated(held.now, row):
            values[row.fact.key] = held
            continue
        earlier = [held.now, *held.earlier] if held else []
        values[row.fact.key] = Value(row, [old for old in earlier if not _is_same(old.fact, row.fact)])
    for value in values.values():
        del value.earlier[EARLIER_KEPT:]
    return _across_channels(values)


def _is_repeated(held: Known, row: Known) -> bool:
    """Return whether an answer only says again what a user or a tool said: it stays theirs."""
    return held.source != "agent" and row.source == "agent" and _is_same(row.fact, held.fact)


def _is_same(one: Fact, other: Fact) -> bool:
    """Return whether both tell the same value, in whatever spelling: 55 and 55.00."""
    if one.value != other.value and amount(one.value) != amount(other.value):
        return False
    return not one.unit or not other.unit or unit_of(one.unit) == unit_of(other.unit)


def _across_channels(values: dict[Key, Value]) -> dict[Key, Value]:
    """Return the values without those of single channels that a user's word of all of them superseded.

    What a tool reads of a channel later, or meanwhile, supersedes such a word in turn.
    """
    general = {key: value for key, value in values.items() if not key[1] and value.now.source == "user"}
    for key, value in list(values.items()):
        said = general.get((key[0], "", key[2]))
        if not key[1] or said is None or value.now.pinned or value.now.mark:
            continue
        if (value.now.turn, value.now.source == "tool") < (said.now.turn, True):
            del values[key]
            said.earlier = _others([*said.earlier, value.now, *value.earlier], said.now)
        elif value.now.source == "tool" and not (said.now.pinned or said.now.mark):
            values.pop(said.now.fact.key, None)
            value.earlier = _others([said.now, *value.earlier], value.now)
    return values


def _others(rows: Sequence[Known], now: Known) -> list[Known]:
    """Return the rows of other values than `now`, each value once, the newest first."""
    newest = {row.fact.value: row for row in sorted(rows, key=lambda row: row.turn)}
    newest.pop(now.fact.value, None)
    return sorted(newest.values(), key=lambda row: -row.turn)[:EARLIER_KEPT]


def still_true(texts: Sequence[str], values: Mapping[Key, Value], device: str, names: Names) -> list[str]:
    """Return the findings that state no value but those in force."""
    return [text for text in texts if all(_is_true(fact, values) for fact in _stated(text, device, names))]


def _is_true(fact: Fact, values: Mapping[Key, Value]) -> bool:
    """Return whether no other value of the quantity is in force: of its channel, or said of all of them."""
    held = values.get(fact.key)
    if held is None:
        said = values.get((fact.device, "", fact.parameter))
        held = said if said and said.now.source == "user" else None
    return held is None or held.now.fact.value == fact.value


def keys_in(texts: Sequence[str], device: str, names: Names) -> set[Key]:
    """Return what the texts state values of: `still_true` needs to know what has become of those."""
    stated = {fact.key for text in texts for fact in _stated(text, device, names)}
    return stated | {(device, "", parameter) for device, _, parameter in stated}


@lru_cache(maxsize=256)  # the same findings are asked after in every turn
def _stated(text: str, device: str, names: Names) -> tuple[Fact, ...]:
    return tuple(facts_in(text, device, names))

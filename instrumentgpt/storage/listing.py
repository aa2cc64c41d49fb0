"""All that is known in a conversation, item by item and each with its origin: for the page and the export."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sqlite_utils import Database

from instrumentgpt.memory.facts import Fact, is_known, name_of
from instrumentgpt.memory.reading.statements import same
from instrumentgpt.memory.revisions import LISTS, SENTENCES, VALUE, InForce, Item, Standing, item_of
from instrumentgpt.memory.state import DiagnosticState, device_key
from instrumentgpt.memory.values import Known, Value, values_in_force
from instrumentgpt.storage.history import places, turn_of
from instrumentgpt.storage.in_force import memory_in_force
from instrumentgpt.storage.provenance import StateItem, list_state_items

SECTIONS = {  # in the order in which they are told
    "root_causes": "Root causes",
    "findings": "Findings",
    "hypotheses": "Hypotheses",
    "ruled_out": "Ruled out",
    VALUE: "Values",
    "constraint": "Constraints in force",
    "error": "Errors logged",
    "downloaded_logs": "Logs",
}


@dataclass(frozen=True)
class Origin:
    """Where something came from: `source` is "tool", "user", "agent", or "" where nobody recorded it."""

    source: str = ""
    turn: int = 0
    message_id: int | None = None
    device: str = ""
    log: str = ""
    line: int | None = None


@dataclass(frozen=True)
class Entry:
    """One thing known.

    item     what a revision of it is about
    text     what it says now; of a value the value with its unit
    label    of a value what it is of: "kp (比例增益), channel 1"
    was      what it said before a person reworded it, "" if nobody did
    earlier  of a value, former ones: "0.09 in turn 3"
    other    a later value that others state, and that is not in force: ("0.15", "turn 9")
    """

    item: Item
    text: str
    origin: Origin = field(default_factory=Origin)
    pinned: bool = False
    label: str = ""
    was: str = ""
    earlier: tuple[str, ...] = ()
    other: tuple[str, str] | None = None


@dataclass(frozen=True)
class Listing:
    """What is known: the state in force, the device it is filed under, the entries of each section."""

    state: DiagnosticState
    device: str
    sections: dict[str, list[Entry]]
    forgotten: int


def listing(database: Database, conversation_id: str, state: DiagnosticState) -> Listing:
    """Return all that is known, with `state` as the one in force; newest last in each section.

    Values of quantities that have a name (synonyms.toml) come before others.
    """
    in_force = memory_in_force(database, conversation_id, state)
    asked = places(database, conversation_id)[1]
    origins = {(one.field, same(one.text)): one for one in list_state_items(database, conversation_id)}
    device = device_key(state)
    sections = {name: list(_of_state(in_force, device, name, origins, asked)) for name in LISTS}
    values = sorted(
        values_in_force(in_force.known).values(), key=lambda value: not is_known(value.now.fact.parameter)
    )
    sections[VALUE] = [_value(value, in_force, device) for value in values]
    for kind in SENTENCES:
        rows = {row.said: row for row in in_force.known if row.kind == kind}
        sections[kind] = [_sentence(row, in_force, device) for row in rows.values()]
    forgotten = sum(standing.forgotten is not None for standing in in_force.standings.values())
    return Listing(in_force.state, device, {name: sections[name] for name in SECTIONS}, forgotten)


def _of_state(
    in_force: InForce,
    device: str,
    name: str,
    origins: dict[tuple[str, str], StateItem],
    asked: Sequence[int],
) -> Iterator[Entry]:
    for text in getattr(in_force.state, name):
        item = item_of(in_force.standings, device, name, text)
        standing = in_force.standings.get(item, Standing())
        if standing.text:
            origin = Origin("user", standing.turn)
        else:
            origin = _origin(origins.get((name, same(text))), asked)
        was = item.name if standing.text not in ("", item.name) else ""
        yield Entry(item, text, origin, (name, text) in in_force.pinned, was=was)


def _origin(found: StateItem | None, asked: Sequence[int]) -> Origin:
    if found is None:
        return Origin()
    turn = turn_of(found.message_id, asked) if found.message_id is not None and asked else 0
    return Origin(found.source, turn, found.message_id, found.device, found.log, found.line)


def _value(value: Value, in_force: InForce, device: str) -> Entry:
    row, fact = value.now, value.now.fact
    item = Item(_raw(fact.device, in_force, device), VALUE, fact.parameter, fact.channel)
    channel = f", channel {fact.channel}" if fact.channel else ""
    standing = in_force.standings.get(item, Standing())
    corrected = bool(row.mark) and bool(standing.text)
    return Entry(
        item,
        _with_unit(fact),
        _of_row(row),
        row.pinned,
        f"{name_of(fact.parameter)}{channel}",
        "" if not corrected else next((_with_unit(old.fact) for old in value.earlier), ""),
        tuple(f"{_with_unit(old.fact)} in turn {old.turn}" for old in value.earlier),
        (_with_unit(row.against.fact), f"turn {row.against.turn}") if row.against else None,
    )


def _sentence(row: Known, in_force: InForce, device: str) -> Entry:
    item = item_of(in_force.standings, _raw(row.fact.device, in_force, device), row.kind, row.said)
    reworded = in_force.standings.get(item, Standing()).text
    was = item.name if reworded not in ("", item.name) else ""
    return Entry(
        item,
        row.said,
        replace(_of_row(row), message_id=None) if reworded else _of_row(row),
        row.pinned,
        was=was,
    )


def _raw(device: str, in_force: InForce, raw: str) -> str:
    """Return the name under which the items of `device` are filed, whatever a person calls it."""
    return raw if device == device_key(in_force.state) else device


def _of_row(row: Known) -> Origin:
    message = row.message_id if not row.mark else None  # a mark: no message says it
    return Origin(row.source, row.turn, message or None, row.fact.device, row.log, row.line)


def _with_unit(fact: Fact) -> str:
    return f"{fact.value} {fact.unit}".strip()

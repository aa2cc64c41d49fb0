"""The memory of a conversation as it holds now: what was extracted, with what people changed laid over it.

Whoever builds a prompt or shows the memory asks here, and nowhere else. `listing` has it item by item.
Nicknames go with the message that says so. What a person forgot stays forgotten, until a later message says
it again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlite_utils import Database

from instrumentgpt.memory.facts import Fact, is_known, name_of
from instrumentgpt.memory.filtering import cap, filter_content
from instrumentgpt.memory.reading.names import Naming, key_of, nicknames_by_device
from instrumentgpt.memory.reading.statements import same, statements
from instrumentgpt.memory.recalled import Recalled
from instrumentgpt.memory.revisions import (
    LISTS,
    MESSAGE,
    NICKNAME,
    SENTENCES,
    VALUE,
    Item,
    RevisedItem,
    RevisedMemory,
    Standings,
    apply_revisions,
    item_of,
    standings_of,
)
from instrumentgpt.memory.state import DiagnosticState, device_key
from instrumentgpt.memory.values import StoredFact, Value, values_in_force
from instrumentgpt.storage.connection import change, insert, rows, transaction
from instrumentgpt.storage.facts import StateItem, every_value, list_facts, list_state_items
from instrumentgpt.storage.history import LAST_ID, places, turn_of
from instrumentgpt.storage.notes import constraints_of, notes_of
from instrumentgpt.storage.revisions import list_revisions

PUT_BACK_CHARS = 1500  # of a message that is put back


def revised_memory(
    database: Database,
    conversation_id: str,
    state: DiagnosticState,
    facts: Sequence[StoredFact] | None = None,
) -> RevisedMemory:
    """Return `state` and what the messages state, as people revised it; `state` itself is not changed.

    facts  what the messages state, or as much of it as is wanted; None: all of it
    """
    standings = standings_of(list_revisions(database, conversation_id))
    if facts is None:
        facts = list_facts(database, conversation_id)
    facts = [*_constraints_in_notes(database, conversation_id, state, facts), *facts]
    if keys := [(item.device, item.channel, item.name) for item in standings if item.field == VALUE]:
        others = [row for row in facts if row.kind != VALUE or row.fact.key not in keys]
        facts = [*others, *every_value(database, conversation_id, keys)]  # of these not the newest only
    return apply_revisions(state, facts, standings, _restated(database, conversation_id, standings))


def _constraints_in_notes(
    database: Database, conversation_id: str, state: DiagnosticState, facts: Sequence[StoredFact]
) -> list[StoredFact]:
    """Return the constraints of the notes that count here, each as old as its note."""
    devices = dict.fromkeys(filter(None, [device_key(state), *(row.fact.device for row in facts)]))
    constraints = [
        (note, text) for note in notes_of(database, conversation_id, devices) for text in constraints_of(note)
    ]
    if not constraints:
        return []
    question_ids = places(database, conversation_id)[1]
    sql = "SELECT ifnull(max(id), 0) FROM messages WHERE conversation_id = ? AND created_at <= ?"
    stored_facts: list[StoredFact] = []
    for note, text in constraints:
        [(message_id,)] = rows(database, sql, (conversation_id, note.updated_at))
        fact = Fact(note.scope if note.scope in devices else "", "", "", "")
        turn, mark = turn_of(message_id, question_ids), f"note {note.id}"
        stored_facts.append(StoredFact("constraint", fact, "user", turn, text, message_id, mark=mark))
    return stored_facts


def _restated(database: Database, conversation_id: str, standings: Standings) -> set[Item]:
    """Return the forgotten items of the state that the user has pinned or stated in words since."""
    forgotten = {
        item: standing
        for item, standing in standings.items()
        if item.field in LISTS and standing.forgotten is not None
    }
    if not forgotten:
        return set()
    restated = {
        item
        for state_item in list_state_items(database, conversation_id)
        if state_item.source == "user"
        for item, standing in forgotten.items()
        if item.field == state_item.field and state_item.created_at > standing.changed_at
        if same(state_item.text) in standing.forms
    }
    first = min(standing.forgotten or 0 for standing in forgotten.values())
    sql = "SELECT id, content FROM messages WHERE conversation_id = ? AND role = 'user' AND id > ?"
    for message_id, content in rows(database, sql, (conversation_id, first)):
        stated = {same(row.text) for row in statements(content) if row.kind != "ruled_out"}
        restated |= {
            item
            for item, standing in forgotten.items()
            if message_id > (standing.forgotten or 0) and standing.forms & stated
        }
    return restated


def messages_put_back(database: Database, conversation_id: str, standings: Standings) -> list[Recalled]:
    """Return the messages that a person put back into the prompt, as pieces that come before all others."""
    message_ids = sorted(
        int(item.name)
        for item, standing in standings.items()
        if item.field == MESSAGE and standing.pinned and item.name.isdecimal()
    )
    if not message_ids:
        return []
    marks = ",".join("?" * len(message_ids))
    sql = f"SELECT id, role, content FROM messages WHERE conversation_id = ? AND id IN ({marks}) ORDER BY id"
    messages = rows(database, sql, (conversation_id, *message_ids))
    question_ids = places(database, conversation_id)[1]
    pieces = []
    for message_id, role, content in messages:
        lines = tuple(filter(str.strip, cap(filter_content(content), PUT_BACK_CHARS).split("\n")))
        turn = turn_of(message_id, question_ids)
        pieces.append(Recalled(message_id, turn, role, lines or ("(empty)",)))
    return pieces


def store_nicknames(
    database: Database, conversation_id: str, message_id: int, namings: Iterable[Naming]
) -> None:
    """Keep what the message says of nicknames, in place of what was kept of it before."""
    row: dict[str, Any] = {"conversation_id": conversation_id, "message_id": message_id}
    with transaction(database):
        change(database, "DELETE FROM all_nicknames WHERE message_id = ?", (message_id,))
        for naming in namings:
            insert(database, "all_nicknames", **row, **vars(naming), kind="named")


def list_nicknames(
    database: Database, conversation_id: str, upto: int = LAST_ID
) -> dict[str, dict[str, int]]:
    """Return device → nickname in force after the message `upto` → the message that gave it last.

    0 stands for a person who gave it in the inspector.
    """
    sql = (
        "SELECT message_id, device, nickname FROM nicknames"
        " WHERE conversation_id = ? AND message_id <= ? AND kind = 'named' ORDER BY message_id, id"
    )
    stored = rows(database, sql, (conversation_id, upto))
    standings = standings_of(row for row in list_revisions(database, conversation_id) if row.after <= upto)
    by_people = {item: standing for item, standing in standings.items() if item.field == NICKNAME}
    forgotten = {
        (item.device, key_of(item.name)): standing.forgotten
        for item, standing in by_people.items()
        if standing.forgotten is not None
    }
    kept = [row for row in stored if row[0] > forgotten.get((row[1], key_of(row[2])), 0)]
    kept += [(0, item.device, item.name) for item, standing in by_people.items() if standing.pinned]
    last = {(device, key_of(nickname)): message for message, device, nickname in kept}
    named = nicknames_by_device(Naming(device, nickname) for _, device, nickname in kept)
    return {device: {name: last[device, key_of(name)] for name in names} for device, names in named.items()}


def nicknames_everywhere(database: Database) -> dict[str, tuple[str, ...]]:
    """Return device → what it is called in any conversation."""
    sql = (
        "SELECT conversation_id FROM (SELECT conversation_id FROM nicknames UNION SELECT conversation_id"
        " FROM revisions WHERE field = ?) WHERE conversation_id NOT IN deleted_conversations"
    )
    every = [list_nicknames(database, conversation) for (conversation,) in rows(database, sql, (NICKNAME,))]
    given = ((device, name) for named in every for device in named for name in named[device])
    return nicknames_by_device(Naming(*pair) for pair in given)


SECTIONS = {  # in the order in which they are told
    "root_causes": "Root causes",
    "findings": "Findings",
    "hypotheses": "Hypotheses",
    "ruled_out": "Ruled out",
    VALUE: "Values",
    "constraint": "Constraints in force",
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
    label    of a value what it is of: "kp (比例增益)"
    was      what it said before a person reworded it, "" if nobody did
    earlier  of a value, former ones and their turns: ("0.09", 3)
    other    a later value that others state in a turn, and that is not in force: ("0.15", 9)
    """

    item: Item
    text: str
    origin: Origin = field(default_factory=Origin)
    pinned: bool = False
    label: str = ""
    was: str = ""
    earlier: tuple[tuple[str, int], ...] = ()
    other: tuple[str, int] | None = None


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
    revised = revised_memory(database, conversation_id, state)
    question_ids = places(database, conversation_id)[1]
    origins = {(item.field, same(item.text)): item for item in list_state_items(database, conversation_id)}
    device = device_key(state)
    sections = {name: list(_of_state(revised, device, name, origins, question_ids)) for name in LISTS}
    values = sorted(
        values_in_force(revised.facts).values(), key=lambda value: not is_known(value.now.fact.parameter)
    )
    sections[VALUE] = [_value(value, revised, device) for value in values]
    for kind in SENTENCES:
        rows = {row.sentence: row for row in revised.facts if row.kind == kind}
        sections[kind] = [_sentence(row, revised, device) for row in rows.values()]
    forgotten = sum(standing.forgotten is not None for standing in revised.standings.values())
    return Listing(revised.state, device, {name: sections[name] for name in SECTIONS}, forgotten)


def _of_state(
    revised: RevisedMemory,
    device: str,
    name: str,
    origins: dict[tuple[str, str], StateItem],
    question_ids: Sequence[int],
) -> Iterator[Entry]:
    for text in getattr(revised.state, name):
        item = item_of(revised.standings, device, name, text)
        standing, stored = revised.standings.get(item, RevisedItem()), origins.get((name, same(text)))
        origin = Origin("user", standing.turn) if standing.text else Origin()
        if stored and not standing.text:
            turn = turn_of(stored.message_id, question_ids) if stored.message_id and question_ids else 0
            origin = Origin(stored.source, turn, stored.message_id, stored.device, stored.log, stored.line)
        was = item.name if standing.text not in ("", item.name) else ""
        yield Entry(item, text, origin, (name, text) in revised.pinned, was=was)


def _value(value: Value, revised: RevisedMemory, device: str) -> Entry:
    row, fact = value.now, value.now.fact
    item = Item(_raw(fact.device, revised, device), VALUE, fact.parameter, fact.channel)
    earlier = tuple((_with_unit(old.fact), old.turn) for old in value.earlier)
    other = (_with_unit(row.against.fact), row.against.turn) if row.against else None
    is_corrected = row.mark and revised.standings.get(item, RevisedItem()).text
    was = earlier[0][0] if earlier and is_corrected else ""
    label = name_of(fact.parameter)
    return Entry(item, _with_unit(fact), _of_row(row), row.pinned, label, was, earlier, other)


def _sentence(row: StoredFact, revised: RevisedMemory, device: str) -> Entry:
    item = item_of(revised.standings, _raw(row.fact.device, revised, device), row.kind, row.sentence)
    reworded = revised.standings.get(item, RevisedItem()).text
    origin = replace(_of_row(row), message_id=None) if reworded else _of_row(row)
    was = item.name if reworded not in ("", item.name) else ""
    return Entry(item, row.sentence, origin, row.pinned, was=was)


def _raw(device: str, revised: RevisedMemory, raw: str) -> str:
    """Return the name under which the items of `device` are filed, whatever a person calls it."""
    return raw if device == device_key(revised.state) else device


def _of_row(row: StoredFact) -> Origin:
    message = row.message_id if not row.mark else None  # a mark: no message says it
    return Origin(row.source, row.turn, message or None, row.fact.device, row.log, row.line)


def _with_unit(fact: Fact) -> str:
    return f"{fact.value} {fact.unit}".strip()

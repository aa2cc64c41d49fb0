"""The memory of a conversation as it holds now: what was extracted, with what people changed laid over it.

Whoever builds a prompt or shows the memory asks here, and nowhere else.
"""

import math
from collections.abc import Sequence

from sqlite_utils import Database

from instrumentgpt.memory.facts import Fact
from instrumentgpt.memory.filtering import cap, filter_content
from instrumentgpt.memory.reading.statements import same, statements
from instrumentgpt.memory.recalled import Recalled
from instrumentgpt.memory.revisions import (
    LISTS,
    MESSAGE,
    VALUE,
    InForce,
    Item,
    Standings,
    in_force,
    standings,
)
from instrumentgpt.memory.state import DiagnosticState, device_key
from instrumentgpt.memory.values import Known
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.facts import every_value, list_facts
from instrumentgpt.storage.history import places, turn_of
from instrumentgpt.storage.notes import constraints_of, notes_of
from instrumentgpt.storage.provenance import list_state_items
from instrumentgpt.storage.revisions import list_revisions

PUT_BACK_CHARS = 1500  # of a message that is put back


def memory_in_force(
    database: Database,
    conversation_id: str,
    state: DiagnosticState,
    known: Sequence[Known] | None = None,
) -> InForce:
    """Return `state` and what the messages state, as people revised it; `state` itself is not changed.

    known  what the messages state, or as much of it as is wanted; None: all of it
    """
    found = standings(list_revisions(database, conversation_id))
    if known is None:
        known = list_facts(database, conversation_id)
    known = [*_constraints_in_notes(database, conversation_id, state, known), *known]
    if any(item.field == VALUE for item in found):
        known = _with_every_value(database, conversation_id, known, found)
    return in_force(state, known, found, _restated(database, conversation_id, found))


def _constraints_in_notes(
    database: Database, conversation_id: str, state: DiagnosticState, known: Sequence[Known]
) -> list[Known]:
    """Return the constraints of the notes that count here, each as old as its note."""
    devices = dict.fromkeys(filter(None, [device_key(state), *(row.fact.device for row in known)]))
    constraints = [
        (note, text) for note in notes_of(database, conversation_id, devices) for text in constraints_of(note)
    ]
    if not constraints:
        return []
    asked = places(database, conversation_id)[1]
    sql = "SELECT ifnull(max(id), 0) FROM messages WHERE conversation_id = ? AND created_at <= ?"
    told: list[Known] = []
    for note, text in constraints:
        [(message_id,)] = rows(database, sql, (conversation_id, note.updated_at))
        fact = Fact(note.scope if note.scope in devices else "", "", "", "")
        turn = turn_of(int(str(message_id)), asked)
        told.append(
            Known("constraint", fact, "user", turn, text, int(str(message_id)), mark=f"note {note.id}")
        )
    return told


def _with_every_value(
    database: Database, conversation_id: str, known: Sequence[Known], found: Standings
) -> list[Known]:
    """Return `known` with all that was ever stated of the values that were revised, not the newest only."""
    keys = [(item.device, item.channel, item.name) for item in found if item.field == VALUE]
    others = [row for row in known if row.kind != VALUE or row.fact.key not in keys]
    return [*others, *every_value(database, conversation_id, keys)]


def _restated(database: Database, conversation_id: str, found: Standings) -> set[Item]:
    """Return the forgotten items of the state that the user has pinned or stated in words since."""
    forgotten = {
        item: standing
        for item, standing in found.items()
        if item.field in LISTS and standing.forgotten is not None
    }
    if not forgotten:
        return set()
    return _pinned_since(database, conversation_id, forgotten) | _said_since(
        database, conversation_id, forgotten
    )


def _pinned_since(database: Database, conversation_id: str, forgotten: Standings) -> set[Item]:
    return {
        item
        for one in list_state_items(database, conversation_id)
        if one.source == "user"
        for item, standing in forgotten.items()
        if item.field == one.field and one.created_at > standing.changed_at
        if same(one.text) in standing.forms
    }


def _said_since(database: Database, conversation_id: str, forgotten: Standings) -> set[Item]:
    first = min(standing.forgotten or 0 for standing in forgotten.values())
    sql = "SELECT id, content FROM messages WHERE conversation_id = ? AND role = 'user' AND id > ?"
    said = rows(database, sql, (conversation_id, first))
    anew: set[Item] = set()
    for message_id, content in said:
        told = {same(row.text) for row in statements(content) if row.kind != "ruled_out"}
        anew |= {
            item
            for item, standing in forgotten.items()
            if message_id > (standing.forgotten or 0) and standing.forms & told
        }
    return anew


def messages_put_back(database: Database, conversation_id: str, found: Standings) -> list[Recalled]:
    """Return the messages that a person put back into the prompt, as pieces that come before all others."""
    wanted = sorted(
        int(item.name)
        for item, standing in found.items()
        if item.field == MESSAGE and standing.pinned and item.name.isdecimal()
    )
    if not wanted:
        return []
    marks = ",".join("?" * len(wanted))
    sql = f"SELECT id, role, content FROM messages WHERE conversation_id = ? AND id IN ({marks}) ORDER BY id"
    told = rows(database, sql, (conversation_id, *wanted))
    asked = places(database, conversation_id)[1]
    return [_piece(asked, *row) for row in told]


def _piece(asked: Sequence[int], message_id: int, role: str, content: str) -> Recalled:
    text = cap(filter_content(content), PUT_BACK_CHARS)
    lines = tuple(line for line in text.split("\n") if line.strip())
    return Recalled(message_id, turn_of(message_id, asked), role, lines or ("(empty)",), math.inf)

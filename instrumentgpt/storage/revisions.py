"""What people changed in the memory of a conversation, stored apart from what was extracted; deleted turns.

A deleted turn's messages have a mark, which is cleared to bring them back. Whoever reads `messages`, or
what hangs on them, reads views without marked ones (migrations.py): no reader knows of deletions. States and
summary are stored as wholes: a changed mark makes them anew of what is there.
"""

import json
import time
from collections.abc import Sequence

from sqlite_utils import Database

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.memory import facts
from instrumentgpt.memory.reading.names import is_name
from instrumentgpt.memory.reading.statements import STATEMENT_CHARS
from instrumentgpt.memory.revisions import (
    ACTIONS,
    MESSAGE,
    NICKNAME,
    NOTE,
    TURN,
    WORDED,
    Item,
    Revision,
    Standings,
    standings_of,
)
from instrumentgpt.memory.state import IN_QUESTION, DiagnosticState, bare, device_key, made_of, without_items
from instrumentgpt.memory.summary import of_first, parse, shorten, write
from instrumentgpt.storage.artifacts import digests_of, sweep
from instrumentgpt.storage.connection import change, insert, rows, transaction
from instrumentgpt.storage.conversations import (
    get_memory,
    refuse_while_answering,
    title_of,
    turn_at,
    unknown,
    update_memory,
)
from instrumentgpt.storage.facts import device_states, file_device_state, order_readings
from instrumentgpt.storage.history import places, spoken, turn_of
from instrumentgpt.storage.notes import Note, delete_note

MOST_PINNED = 12  # items of a conversation: so many fit a prompt of 2,000 tokens, shortened
MOST_PUT_BACK = 6  # messages of a conversation
TURN_CHARS = 120  # of a deleted turn's question, by which it is listed

_COLUMNS = (
    "id, device, field, name, channel, action, old, new, after, changed_by, changed_at,"
    " ifnull(undone_by, ''), undone_at"
)


class RefusedRevision(InstrumentGPTError, ValueError):
    """A change of the memory that cannot be made."""


def revise(
    database: Database,
    conversation_id: str,
    item: Item,
    action: str,
    old: str,
    new: str = "",
    changed_by: str = "user",
) -> int:
    """Put a change on record and return its id; it counts from now on, also for what is said later.

    action  one of text.revisions.ACTIONS
    old     what the item says now; "" for what is added
    new     what it says instead, for those of text.revisions.WORDED
    """
    old, new = " ".join(old.split()), " ".join(new.split())
    with transaction(database):
        _refuse_wrong(standings_of(list_revisions(database, conversation_id)), item, action, old, new)
        return _stored(database, conversation_id, item, action, old, new, changed_by)


def _refuse_wrong(standings: Standings, item: Item, action: str, old: str, new: str) -> None:
    if action not in ACTIONS:
        raise RefusedRevision(f"{action!r} is no change of the memory. Known: {', '.join(ACTIONS)}.")
    if action in WORDED and not new:
        raise RefusedRevision("The new text is empty. Type what is true, or forget the item instead.")
    if action in WORDED and new == old:
        raise RefusedRevision("The new text is the old one. Change it, or close this without saving.")
    number, pattern = facts.VALUE, facts.value_pattern(item.name)
    if action == "correct" and pattern is number and number.fullmatch(old) and not number.fullmatch(new):
        raise RefusedRevision(
            f"{item.name} is a number, {old}, and “{new}” is none. Type one, or forget the item instead."
        )
    if action == "name" and not is_name(new):
        raise RefusedRevision(f"{new!r} is no name of a device. Begin with a letter; 30 characters fit.")
    if len(new) > STATEMENT_CHARS:
        raise RefusedRevision(
            f"The new text has {len(new)} characters; {STATEMENT_CHARS} fit. Say it in fewer words."
        )
    pinned = [other for other, standing in standings.items() if standing.pinned and other != item]
    messages = sum(other.field == MESSAGE for other in pinned)
    if action == "pin" and sum(other.field not in (MESSAGE, NICKNAME) for other in pinned) >= MOST_PINNED:
        raise RefusedRevision(f"{MOST_PINNED} items are pinned, and no more fit a prompt. Unpin one first.")
    if action == "restore" and item.field == MESSAGE and messages >= MOST_PUT_BACK:
        raise RefusedRevision(
            f"{MOST_PUT_BACK} messages are put back, and no more fit a prompt. Take one out again first."
        )


def _stored(
    database: Database, conversation_id: str, item: Item, action: str, old: str, new: str, changed_by: str
) -> int:
    if not rows(database, "SELECT 1 FROM conversations WHERE id = ?", (conversation_id,)):
        raise unknown(conversation_id)
    sql = "SELECT ifnull(max(id), 0) FROM messages WHERE conversation_id = ?"
    [(newest,)] = rows(database, sql, (conversation_id,))
    return insert(
        database, "revisions", conversation_id=conversation_id, **vars(item), action=action, old=old, new=new,
        after=newest, changed_by=changed_by, changed_at=time.time(),
    )  # fmt: skip


def list_revisions(database: Database, conversation_id: str) -> list[Revision]:
    """Return every change of the conversation's memory, oldest first, the undone ones too."""
    sql = f"SELECT {_COLUMNS} FROM revisions WHERE conversation_id = ? ORDER BY id"
    stored = rows(database, sql, (conversation_id,))
    question_ids = places(database, conversation_id)[1] if stored else []
    return [Revision(row[0], Item(*row[1:5]), *(*row[5:], turn_of(row[8], question_ids))) for row in stored]


def undo_revision(database: Database, revision_id: int, undone_by: str = "user") -> None:
    """Take the change back: the memory is what it would be without it. Undone already: nothing happens."""
    _switch(database, revision_id, undone_by, undone=True)


def redo_revision(database: Database, revision_id: int) -> None:
    """Make an undone change count again, in its old place among the others."""
    _switch(database, revision_id, None, undone=False)


def _switch(database: Database, revision_id: int, undone_by: str | None, undone: bool) -> None:
    with transaction(database):
        changed = change(
            database,
            "UPDATE revisions SET undone_by = ?, undone_at = ? WHERE id = ? AND (undone_at IS NULL) = ?",
            (undone_by, time.time() if undone else None, revision_id, undone),
        )
        sql = "SELECT field, conversation_id, name, old FROM revisions WHERE id = ?"
        stored = rows(database, sql, (revision_id,)) if changed else []
        for field, conversation_id, name, old in stored:
            if field == TURN:
                refuse_while_answering(database, conversation_id)
                if not undone and not turn_at(database, int(name)):
                    raise RefusedRevision(
                        "This turn is deleted already, by a later change. Undo that one first."
                    )
                switch_turn(database, conversation_id, int(name), None if undone else time.time())
            elif field == NOTE and undone:
                # a note saved under this name since then stays
                insert(database, "notes", "INSERT OR IGNORE", **json.loads(old))
            elif field == NOTE:
                delete_note(database, (kept := json.loads(old))["id"], kept["scope"])


def delete_turn(database: Database, message_id: int, changed_by: str = "user") -> list[int]:
    """Delete the turn that the message belongs to (a question and its answers) and return the deleted ids.

    It is a change that can be undone, until `forget_deleted`. An unknown id deletes nothing.
    Raises RunInProgress while the conversation is being answered.
    """
    with transaction(database):
        turn = turn_at(database, message_id)
        if not turn:
            return []
        sql = "SELECT conversation_id, content FROM messages WHERE id = ?"
        [(conversation_id, content)] = rows(database, sql, (turn[0],))
        refuse_while_answering(database, str(conversation_id))
        words = shorten(" ".join(str(content).split()), TURN_CHARS)
        item = Item("", TURN, str(turn[0]))
        _stored(database, str(conversation_id), item, "forget", words, "", changed_by)
        switch_turn(database, str(conversation_id), turn[0], time.time())
    return turn


def list_deleted(database: Database, conversation_id: str) -> list[Revision]:
    """Return the deletions whose turns can be brought back, oldest first."""
    every = list_revisions(database, conversation_id)
    return [revision for revision in every if revision.item.field == TURN and revision.undone_at is None]


def forget_deleted(database: Database, revision_id: int) -> None:
    """Delete for good what a deletion has marked, and the record of it; nothing if it is undone.

    Raises RunInProgress while the conversation is being answered.
    """
    digests: list[str] = []
    with transaction(database):
        sql = "SELECT conversation_id, name FROM revisions WHERE id = ? AND field = ? AND undone_at IS NULL"
        for conversation_id, name in rows(database, sql, (revision_id, TURN)):
            refuse_while_answering(database, str(conversation_id))
            digests = digests_of(database, str(conversation_id))
            turn = _turn(database, str(conversation_id), int(str(name)))
            forget_messages(database, str(conversation_id), turn)
            change(database, "DELETE FROM revisions WHERE id = ?", (revision_id,))
    sweep(database, digests)


def forget_note(
    database: Database, conversation_id: str, note: Note, changed_by: str = "user", reason: str = ""
) -> int:
    """Forget a note wherever it counts, as a change that can be undone here; return the change's id.

    reason  why, kept as what the change says instead
    """
    with transaction(database):
        delete_note(database, note.id, note.scope)
        item = Item(note.scope, NOTE, note.id)
        kept = json.dumps(vars(note), ensure_ascii=False)
        return _stored(database, conversation_id, item, "forget", kept, reason, changed_by)


NOT_YET = 0.0  # in place of when it was deleted: of a message that is to be told again (turn/rebuild.py)


def switch_turn(database: Database, conversation_id: str, first: int, deleted_at: float | None) -> None:
    """Mark the turn whose first message is `first`, or clear its mark (None).

    The conversation's title follows its first question; agents' sessions, told otherwise, are given up.
    """
    title = _own_title(database, conversation_id)
    mark_turn(database, conversation_id, first, deleted_at)
    database.conn.execute("DELETE FROM agent_sessions WHERE conversation_id = ?", (conversation_id,))
    database.conn.execute(
        "UPDATE conversations SET title = iif(title = ?, ?, title), updated_at = ? WHERE id = ?",
        (title, _own_title(database, conversation_id), time.time(), conversation_id),
    )


def mark_turn(database: Database, conversation_id: str, first: int, deleted_at: float | None) -> None:
    """Mark the turn, or clear its mark (None), and store states and summary as they are with it."""
    sql = "UPDATE all_messages SET deleted_at = ? WHERE id = ?"
    turn = [(deleted_at, message) for message in _turn(database, conversation_id, first)]
    database.conn.executemany(sql, turn)
    state, filed = _states(database, conversation_id)
    summary, ids = get_memory(conversation_id, database)[0], spoken(database, conversation_id)[0]
    summary = write(of_first(parse(summary), ids))  # of what is there: a prompt adds the rest
    update_memory(conversation_id, summary, state.serialize(), database)
    database.conn.execute("DELETE FROM device_states WHERE conversation_id = ?", (conversation_id,))
    for device, filed_state in filed.items():
        file_device_state(database, conversation_id, device, filed_state.serialize())
    order_readings(database, conversation_id)


def _states(database: Database, conversation_id: str) -> tuple[DiagnosticState, dict[str, DiagnosticState]]:
    """Return the state in question, and device → that of others, as what is there puts them on record.

    Items that nobody recorded, of other applications, stay.
    """
    sql = "SELECT device, field, text FROM {} WHERE conversation_id = ? ORDER BY id"
    ever, there = (
        rows(database, sql.format(table), (conversation_id,)) for table in ("all_state_items", "state_items")
    )

    def unrecorded(stored: str) -> DiagnosticState:
        state = DiagnosticState.deserialize(stored)
        names = ("", device_key(state))
        return without_items(state, {(field, text) for device, field, text in ever if device in names})

    state = unrecorded(get_memory(conversation_id, database)[1])
    filed = {name: unrecorded(stored) for name, stored in device_states(database, conversation_id).items()}
    if any(field == IN_QUESTION for _, field, _ in ever):
        filed = {name: other for name, other in filed.items() if other != bare(other)}
        if device_key(state):
            filed |= {device_key(state): state} if state != bare(state) else {}
            state = DiagnosticState()
        state.status = "idle"
    return made_of(there, state, filed)


def forget_messages(database: Database, conversation_id: str, message_ids: Sequence[int]) -> None:
    """Drop marked messages with all that hangs on them, and what may have told them, for good."""
    for sql in _TRACES:
        values = {"gone": json.dumps(message_ids), "conversation": conversation_id}
        database.conn.execute(sql, values)


_GONE = "(SELECT value FROM json_each(:gone))"
_TRACES = (
    "DELETE FROM run_events WHERE run_id IN (SELECT id FROM runs WHERE question_message_id IN"
    f" {_GONE} OR id IN (SELECT run_id FROM all_messages WHERE id IN {_GONE}))",
    "DELETE FROM all_prompts WHERE conversation_id = :conversation AND EXISTS (SELECT 1 FROM all_messages"
    f" WHERE id IN {_GONE} AND sent_at BETWEEN created_at AND deleted_at)",
    "DELETE FROM all_panels WHERE conversation_id = :conversation AND EXISTS (SELECT 1 FROM runs"
    f" WHERE question_message_id IN {_GONE} AND all_panels.created_at BETWEEN started_at AND finished_at)",
    f"DELETE FROM all_state_items WHERE message_id IN {_GONE}",
    f"DELETE FROM all_messages WHERE id IN {_GONE}",
)


def times_of_deleted(database: Database, conversation_id: str) -> list[tuple[float, float]]:
    """Return from when until when each deleted turn was there, in s since 1970: prompts may have told it."""
    sql = (
        "SELECT min(created_at), deleted_at FROM all_messages"
        f" WHERE conversation_id = ? AND deleted_at > {NOT_YET} GROUP BY deleted_at"
    )
    return [(float(created), float(deleted)) for created, deleted in rows(database, sql, (conversation_id,))]


def _turn(database: Database, conversation_id: str, first: int) -> list[int]:
    """Return the ids of the message `first` and of what follows up to the next question, marked or not."""
    sql = (
        "SELECT id FROM all_messages WHERE conversation_id = :id AND id >= :first AND id < coalesce((SELECT"
        " min(id) FROM all_messages WHERE conversation_id = :id AND role = 'user' AND id > :first), id + 1)"
    )
    return [row[0] for row in database.conn.execute(sql, {"id": conversation_id, "first": first})]


def devices_on_record(database: Database, conversation_id: str) -> list[str]:
    """Return the devices of which anything is on record, the last first."""
    sql = (
        "SELECT device FROM (SELECT device, message_id FROM facts WHERE conversation_id = :id"
        " UNION ALL SELECT device, message_id FROM state_items WHERE conversation_id = :id)"
        " WHERE device > '' GROUP BY device ORDER BY max(message_id) DESC"
    )
    return [device for (device,) in database.conn.execute(sql, {"id": conversation_id})]


def _own_title(database: Database, conversation_id: str) -> str:
    """Return the title that its first question gives the conversation, "" without one."""
    sql = "SELECT content FROM messages WHERE conversation_id = ? AND role = 'user' ORDER BY id LIMIT 1"
    return "".join(title_of(str(content)) for (content,) in rows(database, sql, (conversation_id,)))

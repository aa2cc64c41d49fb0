"""Deleted turns: messages with a mark, which is cleared to bring them back.

Whoever reads `messages`, or what hangs on them, reads views without marked ones (migrations.py): no reader
knows of deletions. States and summary are stored as wholes: a changed mark makes them anew of what is there.
"""

import json
import time

from sqlite_utils import Database

from instrumentgpt.memory.state import (
    IN_QUESTION,
    DiagnosticState,
    device_key,
    holds_items,
    made_of,
    without_items,
)
from instrumentgpt.memory.summary import parse, settle, with_older, write
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.conversations import get_memory, title_of, update_memory
from instrumentgpt.storage.facts import device_states, file_device_state, order_readings
from instrumentgpt.storage.history import history, spoken

NOT_YET = 0.0  # in place of when it was deleted: of a message that is to be told again (turn/rebuild.py)
HIDDEN = ("state_items", "panels")  # what a message's row does not take along by itself


def switch_turn(database: Database, conversation_id: str, first: int, deleted_at: float | None) -> None:
    """Mark the turn whose first message is `first`, or clear its mark (None).

    The conversation's title follows its first question; agents' sessions, told otherwise, are given up.
    """
    title = _own_title(database, conversation_id)
    mark_turn(database, conversation_id, first, deleted_at)
    database.conn.execute("DELETE FROM agent_sessions WHERE conversation_id = ?", (conversation_id,))
    database.conn.execute(
        "UPDATE conversations SET title = iif(ifnull(title, '') = ?, ?, title), updated_at = ? WHERE id = ?",
        (title, _own_title(database, conversation_id), time.time(), conversation_id),
    )


def mark_turn(database: Database, conversation_id: str, first: int, deleted_at: float | None) -> None:
    """Mark the turn, or clear its mark (None), and store states and summary as they are with it."""
    turn = _turn(database, conversation_id, first)
    database.conn.executemany(
        "UPDATE all_messages SET deleted_at = ? WHERE id = ?", [(deleted_at, message) for message in turn]
    )
    state, filed = _states(database, conversation_id)
    summary = _true_summary(database, conversation_id, get_memory(conversation_id, database)[0])
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
        filed = {name: other for name, other in filed.items() if holds_items(other)}
        if device_key(state):
            filed |= {device_key(state): state} if holds_items(state) else {}
            state = DiagnosticState()
        state.status = "idle"
    return made_of(there, state, filed)


def forget_turn(database: Database, conversation_id: str, first: int) -> None:
    """Drop a marked turn, the steps of its answer and the prompts that may have told it, for good."""
    turn = _turn(database, conversation_id, first)
    values = {"turn": json.dumps(turn), "conversation": conversation_id}
    for sql in _TRACES:
        database.conn.execute(sql, values)
    sql = "SELECT deleted_at, id FROM all_messages WHERE conversation_id = ? AND deleted_at IS NOT NULL"
    others = [row for row in database.conn.execute(sql, (conversation_id,)).fetchall() if row[1] not in turn]
    mark = "UPDATE all_messages SET deleted_at = ? WHERE id = ?"
    database.conn.executemany(mark, [(None, message) for _, message in others])
    forget_deleted_rows(database, conversation_id)
    database.conn.executemany(mark, others)


_TURN = "(SELECT value FROM json_each(:turn))"
_TRACES = (
    "DELETE FROM run_events WHERE run_id IN (SELECT id FROM runs WHERE question_message_id IN"
    f" {_TURN} OR id IN (SELECT run_id FROM all_messages WHERE id IN {_TURN}))",
    "DELETE FROM all_prompts WHERE conversation_id = :conversation AND EXISTS (SELECT 1 FROM all_messages"
    f" WHERE id IN {_TURN} AND sent_at BETWEEN created_at AND deleted_at)",
)


def forget_deleted_rows(database: Database, conversation_id: str) -> None:
    """Drop all that hangs on marked messages of the conversation, and them, for good."""
    for table in HIDDEN:
        database.conn.execute(
            f"DELETE FROM all_{table} WHERE conversation_id = ? AND id NOT IN (SELECT id FROM {table})",
            (conversation_id,),
        )
    of_it = "conversation_id = ? AND deleted_at IS NOT NULL"
    database.conn.execute(f"DELETE FROM all_messages WHERE {of_it}", (conversation_id,))


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


def _true_summary(database: Database, conversation_id: str, summary: str) -> str:
    """Return the summary as far as it went, of what is there: a prompt adds the rest."""
    entries, ids = parse(summary), spoken(database, conversation_id)[0]
    there = history(database, conversation_id, max((row.last or 0 for row in entries), default=0) + 1)
    true = [row for row in entries if row.first is None or sum(map(row.holds, ids)) == row.count]
    return write(settle(with_older(true, list(there.ids), there)[0]))


def _own_title(database: Database, conversation_id: str) -> str:
    """Return the title that its first question gives the conversation, "" without one."""
    sql = "SELECT content FROM messages WHERE conversation_id = ? AND role = 'user' ORDER BY id LIMIT 1"
    return "".join(title_of(str(content)) for (content,) in rows(database, sql, (conversation_id,)))

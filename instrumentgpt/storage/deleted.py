"""Deleted turns: messages with a mark, which is cleared to bring them back.

Whoever reads `messages`, or what hangs on them, reads views without marked ones (migrations.py): no reader
knows of deletions. States and summary are stored as wholes. While a turn of a conversation is deleted they
are also kept as they would be without any deletion: clearing the mark brings back exactly what was there.
"""

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain

from sqlite_utils import Database

from instrumentgpt.memory.facts import devices_in
from instrumentgpt.memory.reading.statements import same
from instrumentgpt.memory.state import (
    DiagnosticState,
    Memory,
    device_key,
    is_among,
    merged,
    resumed,
    without_items,
)
from instrumentgpt.memory.summary import parse, write
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.conversations import get_memory, title_of, update_memory
from instrumentgpt.storage.facts import device_states, file_device_state, order_readings
from instrumentgpt.storage.history import spoken

NOT_YET = 0.0  # in place of when it was deleted: of a message that is to be told again (turn/rebuild.py)
_LIVE = "FROM messages WHERE conversation_id = :id"
_DELETED = f"FROM all_messages WHERE conversation_id = :id AND deleted_at > {NOT_YET}"
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
    whole, turn = _whole(database, conversation_id), _turn(database, conversation_id, first)
    database.conn.executemany(
        "UPDATE all_messages SET deleted_at = ? WHERE id = ?", [(deleted_at, message) for message in turn]
    )
    if deleted_at is None and not whole.device:
        named = _spoken_of(database, conversation_id, [*whole.filed.values()])
        back = next(named(f"{_LIVE} AND id BETWEEN {turn[0]} AND {turn[-1]}"), "")
        whole = resumed(whole, back) if back in whole.filed else whole
    _store(database, conversation_id, whole)


def forget_turn(database: Database, conversation_id: str, first: int) -> None:
    """Drop a marked turn, the steps of its answer and the prompts that may have told it, for good."""
    turn, whole = _turn(database, conversation_id, first), _whole(database, conversation_id)
    told = {"turn": json.dumps(turn), "conversation": conversation_id}
    for sql in _TOLD_IT:
        database.conn.execute(sql, told)
    sql = "SELECT deleted_at, id FROM all_messages WHERE conversation_id = ? AND deleted_at IS NOT NULL"
    others = [row for row in database.conn.execute(sql, (conversation_id,)).fetchall() if row[1] not in turn]
    mark = "UPDATE all_messages SET deleted_at = ? WHERE id = ?"
    database.conn.executemany(mark, [(None, message) for _, message in others])
    whole = _without_deleted(database, conversation_id, whole)
    forget_deleted_rows(database, conversation_id)
    database.conn.executemany(mark, others)
    _store(database, conversation_id, whole)


_TURN = "(SELECT value FROM json_each(:turn))"
_TOLD_IT = (
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
    database.conn.execute("DELETE FROM undeleted_memory WHERE conversation_id = ?", (conversation_id,))


def times_of_deleted(database: Database, conversation_id: str) -> list[tuple[float, float]]:
    """Return from when until when each deleted turn was there, in s since 1970: prompts may have told it."""
    sql = (
        "SELECT min(created_at), deleted_at FROM all_messages"
        " WHERE conversation_id = ? AND deleted_at IS NOT NULL GROUP BY deleted_at"
    )
    return [(float(since), float(until)) for since, until in rows(database, sql, (conversation_id,))]


def _turn(database: Database, conversation_id: str, first: int) -> list[int]:
    """Return the ids of the message `first` and of what follows up to the next question, marked or not."""
    sql = (
        "SELECT id FROM all_messages WHERE conversation_id = :id AND id >= :first AND id < coalesce((SELECT"
        " min(id) FROM all_messages WHERE conversation_id = :id AND role = 'user' AND id > :first), id + 1)"
    )
    return [row[0] for row in database.conn.execute(sql, {"id": conversation_id, "first": first})]


def _whole(database: Database, conversation_id: str) -> Memory:
    """Return what would be stored if no turn had ever been deleted."""
    now = _stored(database, conversation_id)
    sql = "SELECT whole, shown, newest FROM undeleted_memory WHERE conversation_id = ?"
    kept = rows(database, sql, (conversation_id,))
    if not kept:
        return now
    whole, shown = (Memory(**json.loads(text)) for text in kept[0][:2])
    sql = "SELECT 1 FROM messages WHERE conversation_id = ? AND id > ? LIMIT 1"
    asked_on = bool(rows(database, sql, (conversation_id, kept[0][2])))
    sql = "SELECT said FROM facts WHERE conversation_id = ? AND kind = 'ruled_out' AND message_id > ?"
    out = [str(row[0]) for row in rows(database, sql, (conversation_id, kept[0][2]))]
    return merged(whole, shown, now, asked_on, out)


def _key(state: str) -> str:
    return device_key(DiagnosticState.deserialize(state))


def _stored(database: Database, conversation_id: str) -> Memory:
    return Memory(*get_memory(conversation_id, database), device_states(database, conversation_id))


def _store(database: Database, conversation_id: str, whole: Memory) -> None:
    """Store the memory without what marked turns alone have said; the `whole` is kept while there are any."""
    shown = _without_deleted(database, conversation_id, whole)
    update_memory(conversation_id, shown.summary, shown.state, database)
    database.conn.execute("DELETE FROM device_states WHERE conversation_id = ?", (conversation_id,))
    for device, state in shown.filed.items():
        file_device_state(database, conversation_id, device, state)
    database.conn.execute("DELETE FROM undeleted_memory WHERE conversation_id = ?", (conversation_id,))
    database.conn.execute(
        "INSERT INTO undeleted_memory (conversation_id, whole, shown, newest) SELECT :id, :whole, :shown,"
        " (SELECT ifnull(max(id), 0) FROM messages WHERE conversation_id = :id)"
        f" WHERE EXISTS (SELECT 1 {_DELETED})",
        {"id": conversation_id, "whole": json.dumps(asdict(whole)), "shown": json.dumps(asdict(shown))},
    )
    order_readings(database, conversation_id)


def _without_deleted(database: Database, conversation_id: str, whole: Memory) -> Memory:
    """Return the memory without what only marked turns said, and without devices that only they spoke of.

    If such a device is in question, the conversation is about the one again that was spoken of last.
    """
    ever, live = (
        _device_texts(database, conversation_id, table) for table in ("all_state_items", "state_items")
    )
    reopened = _reopened(database, conversation_id)

    def left(state: str) -> str:
        device = _key(state)  # what was said before any was named became its own
        gone = (ever[device] | ever[""]) - live[device] - live[""]
        anew = reopened.get(device)
        if not gone and not anew:
            return state
        told = without_items(DiagnosticState.deserialize(state), gone)
        told.hypotheses += [text for text in anew or () if text not in told.hypotheses]
        return told.serialize()

    state = left(whole.state)
    filed = {device: left(one) for device, one in whole.filed.items()}
    spoken_of = _spoken_of(database, conversation_id, [whole.state, *whole.filed.values()])
    known = devices_on_record(database, conversation_id)
    gone = {*spoken_of(_DELETED)}.difference(known)
    gone = gone.difference(spoken_of(_LIVE)) if gone else gone
    filed = {device: one for device, one in filed.items() if device not in gone}
    if _key(state) in gone and not _holds_anything(DiagnosticState.deserialize(state)):
        last = next((device for device in chain(spoken_of(_LIVE), known) if device in filed), "")
        state = filed.get(last, DiagnosticState().serialize())
    return Memory(_true_summary(database, conversation_id, whole.summary), state, filed)


def _device_texts(
    database: Database, conversation_id: str, table: str
) -> defaultdict[str, set[tuple[str, str]]]:
    """Return device → (field, text) of what was said of it; "" of those before any device was named."""
    found: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    sql = f"SELECT device, field, text FROM {table} WHERE conversation_id = ?"
    for device, field, text in database.conn.execute(sql, (conversation_id,)):
        found[device].add((field, text))
    return found


def _reopened(database: Database, conversation_id: str) -> dict[str, list[str]]:
    """Return device → hypotheses that marked turns alone have ruled out or confirmed."""
    sql = (
        "SELECT device, said, message_id, message_id IN deleted_messages FROM all_facts"
        " WHERE conversation_id = :id AND kind = 'ruled_out' UNION ALL"
        " SELECT device, text, message_id, message_id IN deleted_messages FROM all_state_items"
        " WHERE conversation_id = :id AND field = 'root_causes'"
    )
    settled = database.conn.execute(sql, {"id": conversation_id}).fetchall()
    sql = (
        "SELECT device, text, message_id FROM state_items WHERE conversation_id = ? AND field = 'hypotheses'"
    )
    found: dict[str, list[str]] = {}
    for device, text, message in database.conn.execute(sql, (conversation_id,)) if settled else ():
        by = [
            is_deleted
            for of, said, later, is_deleted in settled
            if of in ("", device) and (later or 0) > (message or 0) and is_among(same(text), [same(said)])
        ]
        if by and all(by):
            found.setdefault(device, []).append(text)
    return found


def _spoken_of(
    database: Database, conversation_id: str, states: Sequence[str]
) -> Callable[[str], Iterator[str]]:
    """Return what yields the devices of the states that some messages name, the last one first."""
    known = map(DiagnosticState.deserialize, states)
    names = tuple((device_key(one), one.device_ip or device_key(one)) for one in known if device_key(one))

    def named(some: str) -> Iterator[str]:
        sql = f"SELECT content {some} ORDER BY id DESC"
        for (content,) in database.conn.execute(sql, {"id": conversation_id}) if names else ():
            yield from reversed(devices_in(content or "", names))

    return named


def devices_on_record(database: Database, conversation_id: str) -> list[str]:
    """Return the devices of which anything is on record, the last first."""
    sql = (
        "SELECT device FROM (SELECT device, message_id FROM facts WHERE conversation_id = :id"
        " UNION ALL SELECT device, message_id FROM state_items WHERE conversation_id = :id)"
        " WHERE device > '' GROUP BY device ORDER BY max(message_id) DESC"
    )
    return [device for (device,) in database.conn.execute(sql, {"id": conversation_id})]


def _holds_anything(state: DiagnosticState) -> bool:
    return bool(state.findings or state.hypotheses or state.root_causes or state.downloaded_logs)


def _true_summary(database: Database, conversation_id: str, summary: str) -> str:
    """Return the entries whose messages are all there, and no others between them; a prompt adds the rest."""
    ids = spoken(database, conversation_id)[0]
    return write(row for row in parse(summary) if row.first is None or sum(map(row.holds, ids)) == row.count)


def _own_title(database: Database, conversation_id: str) -> str:
    """Return the title that its first question gives the conversation, "" without one."""
    sql = "SELECT content FROM messages WHERE conversation_id = ? AND role = 'user' ORDER BY id LIMIT 1"
    return "".join(title_of(str(content)) for (content,) in rows(database, sql, (conversation_id,)))

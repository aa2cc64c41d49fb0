"""Deleted turns: all that hung on one lies beside the revision that deleted it, and comes back as it was.

While a turn is deleted its rows are in no other table, so nothing that reads those can tell it.
Rows come back under their old ids; what indices and triggers make of rows is made anew.
A migration that renames a column has to rename it in `deleted_rows` too.
"""

import json
import time
from collections.abc import Sequence
from typing import Any

from sqlite_utils import Database

from instrumentgpt.memory.summary import forget
from instrumentgpt.storage.before_deletion import (
    Kept,
    Memory,
    devices_spoken_of,
    leave_devices,
    memory_of,
    put_back_memory,
)
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.conversations import title_of
from instrumentgpt.storage.kept_rows import Row, insert, keep, relink, rows_as_dicts, with_bytes
from instrumentgpt.storage.provenance import forget_origins

_TURN = "(SELECT value FROM json_each(:turn))"
_MADE = (  # while the turn was answered
    "conversation_id = :conversation"
    " AND EXISTS (SELECT 1 FROM runs WHERE {} BETWEEN started_at AND finished_at"
    f" AND (question_message_id IN {_TURN}"
    f" OR id IN (SELECT run_id FROM messages WHERE messages.id IN {_TURN})))"
)
# Table → which of its rows go with a turn; they come back in this order.
ROWS: dict[str, str] = {
    "messages": f"id IN {_TURN}",
    **dict.fromkeys(
        (
            "facts", "offers", "nicknames", "state_items", "artifacts", "prompts",
        ),
        f"message_id IN {_TURN}",
    ),
    "panels": _MADE.format("created_at"),
    "panel_steps": f"panel_id IN (SELECT id FROM panels WHERE {_MADE.format('created_at')})",
    "conclusions": _MADE.format("saved_at"),
}  # fmt: skip
# (table, column, key): rows of other turns that name a message; deleting that makes them forget it.
LINKS = (
    ("runs", "question_message_id", ("id",)),
    ("entities", "first_message", ("conversation_id", "ref")),
)
LINK, MEMORY = "link", "memory"  # what is kept beside rows


def take_out(
    database: Database, revision_id: int, conversation_id: str, turn: Sequence[int], at: float | None = None
) -> None:
    """Keep all that hangs on the turn beside the revision, and delete it; inside the caller's transaction.

    What the summary holds of it goes too, what only it brought into the state, and the sessions of agents
    that were told it.

    at  when it was deleted, in s since 1970; None: now
    """
    told = {"conversation": conversation_id, "turn": json.dumps(list(turn))}
    before, is_titled = memory_of(database, conversation_id), _has_its_own_title(database, conversation_id)
    for table, where in ROWS.items():
        keep(
            database,
            revision_id,
            table,
            rows_as_dicts(database, f"SELECT * FROM {table} WHERE {where}", told),
        )
    for table, column, key in LINKS:
        sql = f"SELECT {column}, {', '.join(key)} FROM {table} WHERE {column} IN {_TURN}"
        found = rows_as_dicts(database, sql, told)
        links = [{"table": table, "column": column, "message": row.pop(column), "key": row} for row in found]
        keep(database, revision_id, LINK, links)
    spoken_of = set(devices_spoken_of(database, conversation_id, turn))
    _forget(database, conversation_id, turn)
    for table, where in reversed(ROWS.items()):
        database.conn.execute(f"DELETE FROM {table} WHERE {where}", told)
    leave_devices(database, conversation_id, spoken_of - {""})
    _touch(database, conversation_id, is_titled)
    left = {"before": vars(before), "after": vars(memory_of(database, conversation_id))}
    keep(database, revision_id, MEMORY, [{**left, "newest": _newest(database), "at": at or time.time()}])


def bring_back(database: Database, revision_id: int, conversation_id: str) -> None:
    """Put back the revision's turn with all that hung on it; inside the caller's transaction.

    Turns deleted after it are put back before it and deleted again after it, so that any order will do.
    """
    every = _deletions(database, conversation_id)
    since = every[: every.index(revision_id)]
    again = [(one, *_put_back(database, one, conversation_id)) for one in since]
    _put_back(database, revision_id, conversation_id)
    for one, turn, at in reversed(again):
        take_out(database, one, conversation_id, turn, at)


def _deletions(database: Database, conversation_id: str) -> list[int]:
    """Return the revisions whose turns are deleted, the latest deletion first."""
    sql = (
        "SELECT revision_id FROM deleted_rows JOIN revisions ON revisions.id = revision_id"
        " WHERE conversation_id = ? AND of_table = ? ORDER BY deleted_rows.rowid DESC"
    )
    return [int(str(one)) for (one,) in rows(database, sql, (conversation_id, MEMORY))]


def forget_kept(database: Database, revision_id: int, conversation_id: str) -> None:
    """Drop the revision's turn, the steps of its answer and the prompts that may have told it, for good.

    What is kept of other deleted turns is kept anew, so that its words are not in there either.
    """
    again = [
        (one, *_put_back(database, one, conversation_id)) for one in _deletions(database, conversation_id)
    ]
    turn = next(turn for one, turn, _ in again if one == revision_id)
    told = {"turn": json.dumps(turn), "conversation": conversation_id}
    told["until"] = next(str(at) for one, _, at in again if one == revision_id)
    for sql in _FOR_GOOD:
        database.conn.execute(sql, told)
    take_out(database, revision_id, conversation_id, turn)
    database.conn.execute("DELETE FROM deleted_rows WHERE revision_id = ?", (revision_id,))
    for one, others, at in reversed(again):
        if one != revision_id:
            take_out(database, one, conversation_id, others, at)


_FOR_GOOD = (
    "DELETE FROM run_events WHERE run_id IN (SELECT id FROM runs"
    f" WHERE question_message_id IN {_TURN} OR id IN (SELECT run_id FROM messages WHERE id IN {_TURN}))",
    "DELETE FROM prompts WHERE conversation_id = :conversation AND sent_at <= CAST(:until AS REAL)"
    f" AND sent_at >= (SELECT min(created_at) FROM messages WHERE id IN {_TURN})",
)


def _put_back(database: Database, revision_id: int, conversation_id: str) -> tuple[list[int], float]:
    """Put back what was deleted last; return the ids of its messages, and when it was deleted."""
    sql = "SELECT of_table, content FROM deleted_rows WHERE revision_id = ? ORDER BY rowid"
    found: list[Any] = rows(database, sql, (revision_id,))
    database.conn.execute("DELETE FROM deleted_rows WHERE revision_id = ?", (revision_id,))
    kept: dict[str, list[Row]] = {table: [] for table in (*ROWS, LINK, MEMORY)}
    for table, content in found:
        kept[table].append(json.loads(content, object_hook=with_bytes))
    is_titled = _has_its_own_title(database, conversation_id)
    for table in ROWS:
        for row in kept[table]:
            insert(database, table, row)
    for link in kept[LINK]:
        relink(database, **link)
    turn, [then] = [int(row["id"]) for row in kept["messages"]], kept[MEMORY]
    _read_first(database, conversation_id, turn)
    of_then = Kept(Memory(**then["before"]), Memory(**then["after"]), then["newest"])
    put_back_memory(database, conversation_id, turn, kept["state_items"], of_then)
    _touch(database, conversation_id, is_titled)
    return turn, float(then["at"])


def times_of_deleted(database: Database, conversation_id: str) -> list[tuple[float, float]]:
    """Return from when until when each deleted turn was there, in s since 1970: prompts may have told it."""
    sql = (
        "SELECT min(json_extract(content, '$.created_at')), max(json_extract(content, '$.at'))"
        " FROM deleted_rows JOIN revisions ON revisions.id = revision_id"
        " WHERE conversation_id = ? AND of_table IN ('messages', ?) GROUP BY revision_id"
    )
    found: list[Any] = rows(database, sql, (conversation_id, MEMORY))
    return [(float(since or 0.0), float(until)) for since, until in found if until is not None]


def _forget(database: Database, conversation_id: str, turn: Sequence[int]) -> None:
    summary = forget(memory_of(database, conversation_id).summary, turn)
    database.conn.execute("UPDATE conversations SET summary = ? WHERE id = ?", (summary, conversation_id))
    forget_origins(database, conversation_id, turn)
    database.conn.execute("DELETE FROM agent_sessions WHERE conversation_id = ?", (conversation_id,))


def _has_its_own_title(database: Database, conversation_id: str) -> bool:
    """Return whether the conversation has the title that its first question gives it."""
    sql = "SELECT coalesce(title, '') FROM conversations WHERE id = ?"
    [(title,)] = rows(database, sql, (conversation_id,))
    return title == _own_title(database, conversation_id)


def _own_title(database: Database, conversation_id: str) -> str:
    sql = "SELECT content FROM messages WHERE conversation_id = ? AND role = 'user' ORDER BY id LIMIT 1"
    return "".join(title_of(str(content)) for (content,) in rows(database, sql, (conversation_id,)))


def _touch(database: Database, conversation_id: str, is_titled: bool) -> None:
    """Say that the conversation was used; its title, if `is_titled`, is that of its first question now."""
    title = _own_title(database, conversation_id) if is_titled else None
    database.conn.execute(
        "UPDATE conversations SET title = coalesce(?, title), updated_at = ? WHERE id = ?",
        (title, time.time(), conversation_id),
    )


def _newest(database: Database) -> int:
    """Return the highest id that a message ever had."""
    sql = "SELECT seq FROM sqlite_sequence WHERE name = 'messages'"
    return int(database.conn.execute(sql).fetchone()[0])


def _read_first(database: Database, conversation_id: str, turn: Sequence[int]) -> None:
    """Let what tools have read again since be no newer than the reading that is back (facts.store_facts)."""
    same = " AND ".join(f"facts.{name} = first.{name}" for name in _READING)
    database.conn.execute(
        "UPDATE facts SET since = first.since, age = min(facts.age, first.since) FROM facts AS first"
        f" WHERE first.message_id IN {_TURN} AND first.kind = 'value' AND first.source = 'tool'"
        f" AND facts.conversation_id = :conversation AND {same}"
        " AND first.clock >= facts.clock AND first.since < facts.since",
        {"conversation": conversation_id, "turn": json.dumps(list(turn))},
    )


_READING = ("kind", "source", "device", "channel", "parameter", "value", "log")

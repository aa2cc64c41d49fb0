"""Deleted turns: all that hung on one lies beside the revision that deleted it, and comes back as it was.

While a turn is deleted its rows are in no other table, so nothing that reads those can tell it.
Rows come back under their old ids; what indices and triggers make of rows is made anew.
A migration that renames a column has to rename it in `deleted_rows` too.
"""

import json
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.before_deletion import Kept, Memory, memory_of, put_back_memory
from instrumentgpt.storage.conclusions import index_conclusion
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.conversations import title_of
from instrumentgpt.storage.provenance import forget_origins, index_item
from instrumentgpt.storage.recall import index_message
from instrumentgpt.text.summary import forget

Row = dict[str, Any]

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
            "facts", "said", "unsaid", "offers", "nicknames", "likely_nicknames", "state_items", "artifacts",
            "prompts",
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
    ("likely_nicknames", "said_in", ("id",)),
    ("entities", "first_message", ("conversation_id", "ref")),
)
LINK, MEMORY = "link", "memory"  # what is kept beside rows


def take_out(database: Database, revision_id: int, conversation_id: str, turn: Sequence[int]) -> None:
    """Keep all that hangs on the turn beside the revision, and delete it; inside the caller's transaction.

    What the summary holds of it goes too, what only it brought into the state, and the sessions of agents
    that were told it.
    """
    told = {"conversation": conversation_id, "turn": json.dumps(list(turn))}
    before, is_titled = memory_of(database, conversation_id), _has_its_own_title(database, conversation_id)
    for table, where in ROWS.items():
        _keep(database, revision_id, table, _rows(database, f"SELECT * FROM {table} WHERE {where}", told))
    for table, column, key in LINKS:
        sql = f"SELECT {', '.join(key)}, {column} AS message FROM {table} WHERE {column} IN {_TURN}"
        links = [{"table": table, "column": column, **row} for row in _rows(database, sql, told)]
        _keep(database, revision_id, LINK, links)
    _forget(database, conversation_id, turn)
    for table, where in reversed(ROWS.items()):
        database.conn.execute(f"DELETE FROM {table} WHERE {where}", told)
    _touch(database, conversation_id, is_titled)
    left = {"before": vars(before), "after": vars(memory_of(database, conversation_id))}
    _keep(database, revision_id, MEMORY, [{**left, "newest": _newest(database), "at": time.time()}])


def put_back(database: Database, revision_id: int, conversation_id: str) -> None:
    """Put back what the revision's turn consisted of, and all that hung on it; inside the transaction."""
    sql = "SELECT of_table, content FROM deleted_rows WHERE revision_id = ? ORDER BY rowid"
    found: list[Any] = rows(database, sql, (revision_id,))
    database.conn.execute("DELETE FROM deleted_rows WHERE revision_id = ?", (revision_id,))
    kept: dict[str, list[Row]] = {}
    for table, content in found:
        kept.setdefault(table, []).append(json.loads(content, object_hook=_with_bytes))
    links = [*kept.get(LINK, []), *_dangling(kept)]
    is_titled = _has_its_own_title(database, conversation_id)
    for table in ROWS:
        for row in kept.get(table, []):
            _insert(database, table, row)
    for link in links:
        _relink(database, link)
    turn = [row["id"] for row in kept.get("messages", [])]
    _read_first(database, conversation_id, turn)
    for one in kept.get(MEMORY, []):
        of_then = Kept(Memory(**one["before"]), Memory(**one["after"]), one["newest"])
        put_back_memory(database, conversation_id, turn, kept.get("state_items", []), of_then)
    _touch(database, conversation_id, is_titled)


def runs_of_kept(database: Database, revision_id: int) -> list[str]:
    """Return the ids of the runs that answered the revision's turn."""
    sql = (
        "SELECT DISTINCT json_extract(content, '$.run_id') FROM deleted_rows"
        " WHERE revision_id = ? AND of_table = 'messages'"
    )
    return [str(run_id) for (run_id,) in rows(database, sql, (revision_id,)) if run_id]


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


def _rows(database: Database, sql: str, told: Mapping[str, str]) -> list[Row]:
    cursor = database.conn.execute(sql, told)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _keep(database: Database, revision_id: int, table: str, kept: Sequence[Row]) -> None:
    database.conn.executemany(
        "INSERT INTO deleted_rows (revision_id, of_table, content) VALUES (?, ?, ?)",
        [(revision_id, table, json.dumps(row, default=_as_text)) for row in kept],
    )


def _as_text(value: bytes) -> dict[str, str]:
    return {"base64": b64encode(value).decode()}


def _with_bytes(value: Row) -> Row | bytes:
    return b64decode(value["base64"]) if value.keys() == {"base64"} else value


def _newest(database: Database) -> int:
    """Return the highest id that a message ever had."""
    sql = "SELECT seq FROM sqlite_sequence WHERE name = 'messages'"
    return int(database.conn.execute(sql).fetchone()[0])


def _insert(database: Database, table: str, row: Row) -> None:
    columns = ", ".join(f'"{name}"' for name in row)
    marks = ", ".join("?" * len(row))
    database.conn.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", [*row.values()])
    if table == "messages":
        index_message(database, row["id"], row["conversation_id"], row["content"] or "")
    elif table == "state_items":
        index_item(database, row["id"], row["device"], row["text"])
    elif table == "conclusions":
        index_conclusion(database, row["id"], row["device"], row["fault"], row["goal"], row["text"])


def _dangling(kept: Mapping[str, list[Row]]) -> list[Row]:
    """Return the links of kept rows to messages, which the rows themselves lose until those are there."""
    links = []
    for table, column, _ in LINKS:
        for row in kept.get(table, []):
            if row[column] is not None:
                links.append({"table": table, "column": column, "id": row["id"], "message": row[column]})
                row[column] = None
    return links


def _relink(database: Database, link: Row) -> None:
    """Let a row name a message again; while either is deleted, whoever comes back last brings it along."""
    table, column, message = link["table"], link["column"], link["message"]
    key = {name: link[name] for name in link if name not in ("table", "column", "message")}
    if not rows(database, "SELECT 1 FROM messages WHERE id = ?", (message,)):
        _keep_with(database, link, "messages", message)
        return
    where = " AND ".join(f"{name} = ?" for name in key)
    cursor = database.conn.execute(
        f"UPDATE {table} SET {column} = coalesce(min({column}, ?), ?) WHERE {where}",
        (message, message, *key.values()),
    )
    if cursor.rowcount == 0:
        _keep_with(database, link, table, link.get("id"))


def _keep_with(database: Database, link: Row, table: str, row_id: int | None) -> None:
    """Keep the link beside the deleted turn that has this row; it is dropped if none has it."""
    database.conn.execute(
        "INSERT INTO deleted_rows (revision_id, of_table, content) SELECT revision_id, ?, ? FROM deleted_rows"
        " WHERE of_table = ? AND json_extract(content, '$.id') = ? LIMIT 1",
        (LINK, json.dumps(link), table, row_id),
    )


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

"""What messages state, kept beside them: a value supersedes the older ones of its key, and deletes none.

Facts go with their message, so the state is always what the messages at hand say.
"""

from bisect import bisect_right
from collections.abc import Iterable
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.connection import rows, transaction
from instrumentgpt.text.facts import Fact
from instrumentgpt.text.known import Known

NEWEST_VALUES = 5  # of one quantity: the one in force and those before it
NEWEST_SENTENCES = 100  # of one kind and device

_COLUMNS = "kind, device, channel, parameter, value, unit, said, source"


def store_facts(
    database: Database,
    conversation_id: str,
    message_id: int,
    source: str,
    facts: Iterable[Fact],
    sentences: Iterable[tuple[str, str]] = (),
    device: str = "",
) -> None:
    """Keep what the message states, in place of what was kept of it before.

    sentences  (kind, text): what a user laid down, what is ruled out, log lines with errors
    device     whose the sentences are
    """
    listed: list[tuple[str, ...]] = [
        ("value", fact.device, fact.channel, fact.parameter, fact.value, fact.unit, "", source)
        for fact in facts
    ]
    listed += [(kind, device, "", "", "", "", text, source) for kind, text in sentences]
    with transaction(database):
        database.conn.execute("DELETE FROM facts WHERE message_id = ?", (message_id,))
        database.conn.executemany(
            f"INSERT INTO facts (conversation_id, message_id, {_COLUMNS})"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(conversation_id, message_id, *row) for row in listed],
        )


def list_facts(database: Database, conversation_id: str) -> list[Known]:
    """Return what the conversation's messages state, oldest first: of each quantity the newest values."""
    sql = (
        f"SELECT message_id, {_COLUMNS} FROM (SELECT *, row_number() OVER"
        " (PARTITION BY kind, device, channel, parameter ORDER BY message_id DESC, id DESC) AS age"
        " FROM facts WHERE conversation_id = ?)"
        " WHERE age <= CASE kind WHEN 'value' THEN ? ELSE ? END ORDER BY message_id, id"
    )
    found: list[Any] = rows(database, sql, (conversation_id, NEWEST_VALUES, NEWEST_SENTENCES))
    sql = "SELECT id FROM messages WHERE conversation_id = ? AND role = 'user' ORDER BY id"
    asked: list[Any] = [row[0] for row in rows(database, sql, (conversation_id,))] if found else []
    return [
        Known(row[1], Fact(*row[2:7]), row[8], max(1, bisect_right(asked, row[0])), row[7]) for row in found
    ]

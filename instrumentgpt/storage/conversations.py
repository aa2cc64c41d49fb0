"""Conversations and their raw messages. Nothing stored here is ever cut or filtered."""

import sqlite3
import time
import uuid
from dataclasses import dataclass

from sqlite_utils import Database

from instrumentgpt.storage.connection import rows, transaction
from instrumentgpt.storage.errors import RunInProgress, UnknownConversation
from instrumentgpt.storage.recall import index_message

TITLE_CHARS = 60  # of the first question, where nobody gave a title
UNTITLED = ("", "New Chat")  # the second is the old application's


@dataclass(frozen=True)
class Conversation:
    """A conversation as the sidebar lists it; times in seconds since 1970."""

    id: str
    title: str
    created_at: float
    updated_at: float


@dataclass(frozen=True)
class Message:
    """One stored message, raw. `status`: "complete", or how the answer ended ("cancelled", "error", …)."""

    id: int
    role: str
    content: str
    created_at: float
    status: str
    run_id: str | None


# An old application's columns may hold times as text, and no title at all.
_CONVERSATION = "id, coalesce(title, ''), CAST(created_at AS REAL), CAST(updated_at AS REAL)"
_MESSAGE = "id, role, content, CAST(created_at AS REAL), status, run_id"


def create_conversation(database: Database, title: str = "") -> str:
    """Return the id of a new conversation; without a title it takes the first question's words."""
    conversation_id, now = uuid.uuid4().hex[:12], time.time()
    with transaction(database):
        database.conn.execute(
            "INSERT INTO conversations (id, title, created_at, updated_at) VALUES (?, ?, ?, ?)",
            (conversation_id, title, now, now),
        )
    return conversation_id


def get_conversation(database: Database, conversation_id: str) -> Conversation | None:
    """Return the conversation, or None if there is none."""
    sql = f"SELECT {_CONVERSATION} FROM conversations WHERE id = ?"
    found = rows(database, sql, (conversation_id,))
    return Conversation(*found[0]) if found else None


def list_conversations(
    database: Database, search: str = "", limit: int = 100, titles_only: bool = False
) -> list[Conversation]:
    """Return conversations, last used first; only those with `search` in their title (or a message)."""
    sql = f"SELECT {_CONVERSATION} FROM conversations"
    values: tuple[str | int, ...] = (limit,)
    if search.strip():
        like = f"%{_like(search.strip())}%"
        sql += " WHERE title LIKE ? ESCAPE '\\'"
        values = (like, limit)
        if not titles_only:
            sql += " OR id IN (SELECT conversation_id FROM messages WHERE content LIKE ? ESCAPE '\\')"
            values = (like, like, limit)
    return [
        Conversation(*row)
        for row in rows(database, f"{sql} ORDER BY CAST(updated_at AS REAL) DESC, rowid DESC LIMIT ?", values)
    ]


def _like(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def rename_conversation(database: Database, conversation_id: str, title: str) -> None:
    """Give the conversation another title."""
    with transaction(database):
        cursor = database.conn.execute(
            "UPDATE conversations SET title = ? WHERE id = ?", (title, conversation_id)
        )
        if cursor.rowcount == 0:
            raise unknown(conversation_id)


def delete_conversation(database: Database, conversation_id: str) -> None:
    """Delete the conversation with its messages, runs, artifacts and memory; nothing if there is none."""
    with transaction(database):
        refuse_while_answering(database, conversation_id)
        # An old database's messages may lack the foreign key that would take them along.
        database.conn.execute("DELETE FROM all_messages WHERE conversation_id = ?", (conversation_id,))
        database.conn.execute("DELETE FROM conversations WHERE id = ?", (conversation_id,))


def add_message(
    database: Database,
    conversation_id: str,
    role: str,
    content: str,
    run_id: str | None = None,
    status: str = "complete",
) -> int:
    """Store one raw message (role "user" or "assistant") and return its id; ids only grow."""
    now = time.time()
    with transaction(database):
        touched = database.conn.execute(
            "UPDATE conversations SET updated_at = ? WHERE id = ?", (now, conversation_id)
        )
        if touched.rowcount == 0:
            raise unknown(conversation_id)
        message_id = _insert_message(database, (conversation_id, role, content, now, run_id, status))
        index_message(database, message_id, conversation_id, content)
        if role == "user":
            database.conn.execute(
                "UPDATE conversations SET title = ? WHERE id = ? AND coalesce(title, '') IN (?, ?)",
                (title_of(content), conversation_id, *UNTITLED),
            )
    return message_id


def _insert_message(database: Database, values: tuple[str | float | None, ...]) -> int:
    try:
        cursor = database.conn.execute(
            "INSERT INTO all_messages (conversation_id, role, content, created_at, run_id, status)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            values,
        )
    except sqlite3.IntegrityError as error:
        raise ValueError(f"role is {values[1]!r}; it must be 'user' or 'assistant'") from error
    return int(cursor.lastrowid or 0)


def title_of(content: str) -> str:
    """Return the title that a first question gives its conversation."""
    words = " ".join(content.split())
    return words if len(words) <= TITLE_CHARS else words[: TITLE_CHARS - 1] + "…"


def list_messages(
    database: Database, conversation_id: str, last: int | None = None, before: int | None = None
) -> list[Message]:
    """Return messages, oldest first: of those with an id below `before` the `last` ones, or all."""
    sql = f"SELECT {_MESSAGE} FROM messages WHERE conversation_id = ? AND id < ? ORDER BY id DESC LIMIT ?"
    values = (conversation_id, 2**63 - 1 if before is None else before, -1 if last is None else last)
    found = rows(database, sql, values)
    return [Message(*row) for row in reversed(found)]


def list_messages_around(
    database: Database, conversation_id: str, message_id: int, count: int
) -> list[Message]:
    """Return `count` messages with `message_id` in their middle, oldest first; none if it is not of them."""
    before = list_messages(database, conversation_id, last=max(1, count // 2), before=message_id + 1)
    if not before or before[-1].id != message_id:
        return []
    sql = f"SELECT {_MESSAGE} FROM messages WHERE conversation_id = ? AND id > ? ORDER BY id LIMIT ?"
    found = rows(database, sql, (conversation_id, message_id, count - len(before)))
    return before + [Message(*row) for row in found]


def count_messages(
    database: Database, conversation_id: str, before: int | None = None, after: int = 0
) -> int:
    """Return how many messages the conversation has, or those with ids below `before` and above `after`."""
    sql = "SELECT count(*) FROM messages WHERE conversation_id = ? AND id < ? AND id > ?"
    values = (conversation_id, 2**63 - 1 if before is None else before, after)
    found = rows(database, sql, values)
    return int(found[0][0])


def turn_at(database: Database, message_id: int) -> list[int]:
    """Return the ids from the question at or before `message_id` up to the next question; [] if unknown."""
    found = rows(
        database,
        """
        WITH here AS (SELECT id, conversation_id FROM messages WHERE id = ?),
             every AS (SELECT messages.id, role FROM messages JOIN here USING (conversation_id)),
             first AS (SELECT coalesce(max(every.id), (SELECT id FROM here)) AS id FROM every, here
                       WHERE role = 'user' AND every.id <= here.id),
             next AS (SELECT min(every.id) AS id FROM every, first
                      WHERE role = 'user' AND every.id > first.id)
        SELECT every.id FROM every, first, next
        WHERE every.id >= first.id AND (next.id IS NULL OR every.id < next.id) ORDER BY every.id""",
        (message_id,),
    )
    return [row[0] for row in found]


def refuse_while_answering(database: Database, conversation_id: str) -> None:
    """Raise RunInProgress if the conversation is being answered: that turn will save the memory."""
    sql = "SELECT 1 FROM runs WHERE status = 'running' AND kind = 'turn' AND conversation_id = ?"
    if rows(database, sql, (conversation_id,)):
        raise RunInProgress("An answer is being written here. Press Stop first, or wait for it.")


def unknown(conversation_id: str) -> UnknownConversation:
    """Return the error to raise for a conversation that is not there."""
    return UnknownConversation(
        f"No conversation {conversation_id!r}: it may have been deleted in another tab. Start a new one."
    )

"""Conversations and their raw messages, what agents may do in them, and what modes and agents keep of them.

No message is ever cut or filtered here.
"""

import json
import sqlite3
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.artifacts import (
    ATTACHMENTS,
    attach_artifacts,
    digests_of,
    list_uploads,
    remove_folders,
    sweep,
)
from instrumentgpt.storage.connection import (
    RunInProgress,
    UnknownConversation,
    change,
    connect,
    file_of,
    insert,
    rows,
    select,
    transaction,
)
from instrumentgpt.storage.history import LAST_ID, places
from instrumentgpt.storage.paths import database_path
from instrumentgpt.storage.recall import index_message
from instrumentgpt.storage.runs import finish_run, live_run

TITLE_CHARS = 60  # of the first question, where nobody gave a title
WORKSPACES, RUNS = "workspaces", "runs"  # under the database's folder
UNTITLED = ("", "New Chat")  # the second is the old application's


@dataclass(frozen=True)
class Conversation:
    """A conversation as the sidebar lists it; times in seconds since 1970.

    device         that it is about, "" for none
    tags           words that people gave it, with commas between
    pinned_at      None: it is not pinned
    branched_from  the message of another conversation after which this one goes its own way; None for most
    """

    id: str
    title: str
    created_at: float
    updated_at: float
    device: str = ""
    tags: str = ""
    pinned_at: float | None = None
    branched_from: int | None = None


@dataclass(frozen=True)
class Message:
    """One stored message, raw. `status`: "complete", or how the answer ended ("cancelled", "error", …)."""

    id: int
    role: str
    content: str
    created_at: float
    status: str
    run_id: str | None


_DEVICE = (
    "CASE WHEN json_valid(diagnostic_state) THEN coalesce(json_extract(diagnostic_state, '$.device_name'),"
    " json_extract(diagnostic_state, '$.device_ip'), '') ELSE '' END"
)


def create_conversation(database: Database, title: str = "") -> str:
    """Return the id of a new conversation; without a title it takes the first question's words."""
    conversation_id, now = uuid.uuid4().hex[:12], time.time()
    insert(database, "conversations", id=conversation_id, title=title, created_at=now, updated_at=now)
    return conversation_id


def get_conversation(database: Database, conversation_id: str) -> Conversation | None:
    """Return the conversation, or None if there is none, or it is deleted."""
    source = "conversations WHERE id = ? AND deleted_at IS NULL"
    return next(iter(select(database, Conversation, source, (conversation_id,), device=_DEVICE)), None)


def known_conversation(database: Database, conversation_id: str) -> Conversation:
    """Return the conversation; raise UnknownConversation as `get_conversation` returns None."""
    if conversation := get_conversation(database, conversation_id):
        return conversation
    raise unknown(conversation_id)


def list_conversations(
    database: Database, title: str = "", limit: int = 100, deleted: bool = False, pinned_first: bool = False
) -> list[Conversation]:
    """Return conversations, last used first; only those with `title` in their title or tags, in any case.

    deleted  those that can be brought back, in place of those that are there
    """
    source = (
        "conversations WHERE (title || ' ' || tags LIKE ? ESCAPE '\\' OR ? = '')"
        " AND (deleted_at IS NOT NULL) = ?"
        f" ORDER BY {'pinned_at IS NULL, ' if pinned_first else ''}"
        "updated_at DESC, rowid DESC LIMIT ?"
    )
    words = title.strip()
    like = words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return select(database, Conversation, source, (f"%{like}%", words, deleted, limit), device=_DEVICE)


def rename_conversation(
    database: Database, conversation_id: str, title: str, tags: str | None = None
) -> None:
    """Give the conversation another title, and `tags` (words with commas between) where they are told."""
    sql = "UPDATE conversations SET title = ?, tags = coalesce(?, tags) WHERE id = ?"
    if not change(database, sql, (title, tags, conversation_id)):
        raise unknown(conversation_id)


def conversation_of(database: Database, message_id: int) -> Conversation | None:
    """Return the conversation that a message is in, None if the message or all of it is deleted."""
    stored = rows(database, "SELECT conversation_id FROM messages WHERE id = ?", (message_id,))
    return get_conversation(database, stored[0][0]) if stored else None


def pin_conversation(database: Database, conversation_id: str, pinned: bool) -> None:
    """Let the conversation stand first in the list, or no longer."""
    moment = time.time() if pinned else None
    change(database, "UPDATE conversations SET pinned_at = ? WHERE id = ?", (moment, conversation_id))


def hide_conversation(database: Database, conversation_id: str) -> None:
    """Delete the conversation with the way back by `show_conversation`, until it is pruned.

    Raises RunInProgress while it is being answered.
    """
    with transaction(database):
        refuse_while_answering(database, conversation_id)
        now = time.time()
        sql = "UPDATE conversations SET deleted_at = ?, updated_at = ? WHERE id = ?"
        change(database, sql, (now, now, conversation_id))


def show_conversation(database: Database, conversation_id: str) -> None:
    """Bring a deleted conversation back, with all that it had."""
    change(database, "UPDATE conversations SET deleted_at = NULL WHERE id = ?", (conversation_id,))


def delete_conversation(database: Database, conversation_id: str) -> None:
    """Delete for good all that the database has of the conversation, then its folders; nothing if unknown.

    Raises RunInProgress, and deletes nothing, while it is being answered.
    A folder that cannot be removed is left behind, with a warning in the log.
    """
    folders = list(folders_of(database, conversation_id))
    digests = digests_of(database, conversation_id)
    with transaction(database):
        refuse_while_answering(database, conversation_id)
        change(database, "DELETE FROM conversations WHERE id = ?", (conversation_id,))
    remove_folders(folders)
    sweep(database, digests)


def folders_of(database: Database, conversation_id: str) -> Iterator[Path]:
    """Yield the conversation's own folders, whether they are there or not; other files are `uploads`."""
    stored = rows(database, "SELECT 1 FROM conversations WHERE id = ?", (conversation_id,))
    if not stored or file_of(database) == ":memory:":
        return
    home = Path(file_of(database)).parent
    names = [(WORKSPACES, conversation_id)]
    held = [upload.id for upload in list_uploads(database, conversation_id) if not upload.file]
    names += [(ATTACHMENTS, upload_id) for upload_id in held]
    runs = rows(database, "SELECT id FROM runs WHERE conversation_id = ?", (conversation_id,))
    names += [(RUNS, str(run_id)) for (run_id,) in runs]
    for kind, name in names:
        if name not in ("", ".", "..") and Path(name).name == name:  # an old database's ids may be anything
            yield home / kind / name


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
        touched = "UPDATE conversations SET updated_at = ? WHERE id = ? AND deleted_at IS NULL"
        if not change(database, touched, (now, conversation_id)):
            raise unknown(conversation_id)
        try:
            message_id = insert(
                database, "all_messages", conversation_id=conversation_id, role=role, content=content,
                created_at=now, run_id=run_id, status=status,
            )  # fmt: skip
        except sqlite3.IntegrityError as error:
            raise ValueError(f"role is {role!r}; it must be 'user' or 'assistant'") from error
        index_message(database, message_id, conversation_id, content)
        if role == "user":
            database.conn.execute(
                "UPDATE conversations SET title = ? WHERE id = ? AND title IN (?, ?)",
                (title_of(content), conversation_id, *UNTITLED),
            )
    return message_id


def finish_turn(database: Database, conversation_id: str, run_id: str, answer: str, outcome: str) -> int:
    """Store the answer of a turn with what its run made, end the run, and return the id of the message.

    outcome  as in agents.events: "ok" makes the message "complete", anything else marks it
    """
    with transaction(database):
        status = "complete" if outcome == "ok" else outcome
        message_id = add_message(database, conversation_id, "assistant", answer, run_id, status)
        attach_artifacts(database, run_id, message_id)
        finish_run(database, run_id, outcome)
    return message_id


def title_of(content: str) -> str:
    """Return the title that a first question gives its conversation."""
    words = " ".join(content.split())
    return words if len(words) <= TITLE_CHARS else words[: TITLE_CHARS - 1] + "…"


def list_messages(
    database: Database, conversation_id: str, last: int = -1, before: int = LAST_ID
) -> list[Message]:
    """Return messages, oldest first: of those with an id below `before` the `last` ones, or all (-1)."""
    source = "messages WHERE conversation_id = ? AND id < ? ORDER BY id DESC LIMIT ?"
    return select(database, Message, source, (conversation_id, before, last))[::-1]


def list_messages_around(
    database: Database, conversation_id: str, message_id: int, count: int
) -> list[Message]:
    """Return `count` messages with `message_id` in their middle, oldest first; none if it is not of them."""
    ids, _ = places(database, conversation_id)
    if message_id not in ids:
        return []
    newest = ids[: max(count, ids.index(message_id) + 1 + count // 2)][-1]
    return list_messages(database, conversation_id, count, newest + 1)


def count_messages(database: Database, conversation_id: str, before: int = LAST_ID, after: int = 0) -> int:
    """Return how many messages the conversation has, or those with ids below `before` and above `after`."""
    sql = "SELECT count(*) FROM messages WHERE conversation_id = ? AND id < ? AND id > ?"
    [(count,)] = rows(database, sql, (conversation_id, before, after))
    return int(count)


def turn_at(database: Database, message_id: int) -> list[int]:
    """Return the ids from the question at or before `message_id` up to the next question; [] if unknown."""
    sql = "SELECT conversation_id FROM messages WHERE id = ?"
    for (conversation_id,) in rows(database, sql, (message_id,)):
        ids, question_ids = places(database, conversation_id)
        first = max((question for question in question_ids if question <= message_id), default=message_id)
        after = min((question for question in question_ids if question > first), default=LAST_ID)
        return [message for message in ids if first <= message < after]
    return []


def refuse_while_answering(database: Database, conversation_id: str) -> None:
    """Raise RunInProgress if the conversation is being answered: that turn will save the memory."""
    if live_run(database, conversation_id):
        raise RunInProgress("An answer is being written here. Press Stop first, or wait for it.")


def unknown(conversation_id: str) -> UnknownConversation:
    """Return the error to raise for a conversation that is not there."""
    return UnknownConversation(
        f"No conversation {conversation_id!r}: it may have been deleted in another tab. Start a new one."
    )


def get_memory(conversation_id: str, database: Database | None = None) -> tuple[str, str]:
    """Return (summary, diagnostic_state as JSON); ("", "") for an unknown conversation.

    Without a `database` the one at the default path is opened for this call.
    """
    if database is None:
        with closing(connect(database_path())) as opened:
            return get_memory(conversation_id, opened)
    sql = "SELECT summary, diagnostic_state FROM conversations WHERE id = ?"
    for summary, state in rows(database, sql, (conversation_id,)):
        return summary or "", state or ""
    return "", ""


def update_memory(
    conversation_id: str, summary: str, diagnostic_state: str, database: Database | None = None
) -> None:
    """Store the summary and the state (JSON) of the conversation; nothing else changes."""
    if database is None:
        with closing(connect(database_path())) as opened:
            return update_memory(conversation_id, summary, diagnostic_state, opened)
    sql = "UPDATE conversations SET summary = ?, diagnostic_state = ? WHERE id = ?"
    if not change(database, sql, (summary, diagnostic_state, conversation_id)):
        raise unknown(conversation_id)


@dataclass(frozen=True)
class Permission:
    """One change: what agents may do from then on. Without any, they may only read."""

    may_run: bool = False  # commands
    may_edit: bool = False  # files
    may_browse: bool = False  # the web: its own tools that search it and fetch from it
    changed_by: str = ""
    changed_at: float = 0.0  # s since 1970


def save_permission(database: Database, conversation_id: str, changed_by: str, **may: bool) -> None:
    """Put on record what agents `may` do in this conversation from now on; each that is not told: no."""
    row = vars(Permission(**may, changed_by=changed_by, changed_at=time.time()))
    insert(database, "permissions", conversation_id=conversation_id, **row)


def list_permissions(database: Database, conversation_id: str) -> list[Permission]:
    """Return every change, newest first."""
    source = "permissions WHERE conversation_id = ? ORDER BY id DESC"
    return select(database, Permission, source, (conversation_id,))


def permission_in_force(database: Database, conversation_id: str) -> Permission:
    """Return what agents may do in this conversation: reading only, unless somebody allowed more."""
    return next(iter(list_permissions(database, conversation_id)), Permission())


def get_mode_state(database: Database, conversation_id: str, mode: str) -> dict[str, Any]:
    """Return what `mode` keeps for the conversation; {} if nothing."""
    sql = "SELECT state FROM mode_states WHERE conversation_id = ? AND mode = ?"
    stored = rows(database, sql, (conversation_id, mode))
    return dict(json.loads(stored[0][0])) if stored else {}


def save_mode_state(database: Database, conversation_id: str, mode: str, state: Mapping[str, Any]) -> None:
    """Keep `state` (JSON-ready) as what `mode` knows of the conversation."""
    insert(
        database, "mode_states", "INSERT OR REPLACE", conversation_id=conversation_id, mode=mode,
        state=json.dumps(state, ensure_ascii=False), updated_at=time.time(),
    )  # fmt: skip


def mode_messages(database: Database, conversation_id: str, mode: str) -> list[int]:
    """Return the ids of the conversation's messages that were asked and answered in `mode`, oldest first."""
    runs = "FROM runs WHERE conversation_id = ? AND mode = ?"
    sql = (
        "SELECT id FROM messages WHERE conversation_id = ?"
        f" AND (id IN (SELECT question_message_id {runs}) OR run_id IN (SELECT id {runs})) ORDER BY id"
    )
    return [row[0] for row in rows(database, sql, (conversation_id, *[conversation_id, mode] * 2))]


def get_agent_session(database: Database, conversation_id: str, agent: str, workspace: str) -> str:
    """Return the agent's own id for this conversation in that folder, to resume it; "" if none."""
    sql = "SELECT session_id FROM agent_sessions WHERE conversation_id = ? AND agent = ? AND workspace = ?"
    stored = rows(database, sql, (conversation_id, agent, workspace))
    return str(stored[0][0]) if stored else ""


def save_agent_session(
    database: Database, conversation_id: str, agent: str, workspace: str, session_id: str
) -> None:
    """Remember the agent's own id for this conversation in that folder."""
    insert(
        database, "agent_sessions", "INSERT OR REPLACE", conversation_id=conversation_id, agent=agent,
        workspace=workspace, session_id=session_id,
    )  # fmt: skip

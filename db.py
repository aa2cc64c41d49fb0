"""The database: one SQLite file through sqlite-utils, and the front door to everything stored in it.

Open one connection per run, script or thread with `connect`; never share one.
All functions take the database first, but the two that keep the memory design's signatures.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.artifacts import (
    Artifact,
    Document,
    add_artifact,
    attach_artifacts,
    get_artifact,
    list_artifacts,
    list_documents,
    save_document,
)
from instrumentgpt.storage.connection import (
    RunInProgress,
    StorageError,
    UnknownConversation,
    UnknownRun,
    connect,
    rows,
    transaction,
)
from instrumentgpt.storage.conversations import (
    Conversation,
    Message,
    Offer,
    add_message,
    count_messages,
    create_conversation,
    delete_conversation,
    get_agent_session,
    get_conversation,
    get_mode_state,
    hide_conversation,
    list_conversations,
    list_messages,
    list_messages_around,
    list_offers,
    rename_conversation,
    save_agent_session,
    save_mode_state,
    show_conversation,
    unknown,
)
from instrumentgpt.storage.facts import (
    StateItem,
    add_state_items,
    device_states,
    file_device_state,
    list_facts,
    list_state_items,
    store_facts,
)
from instrumentgpt.storage.notes import Note, delete_note, get_settings, list_notes, save_note, save_setting
from instrumentgpt.storage.paths import database_path
from instrumentgpt.storage.recall import recall
from instrumentgpt.storage.revisions import delete_turn
from instrumentgpt.storage.runs import finish_run
from instrumentgpt.storage.search import Hit, search

__all__ = [
    "Artifact",
    "Conversation",
    "Document",
    "Hit",
    "Message",
    "Note",
    "Offer",
    "RunInProgress",
    "StateItem",
    "StorageError",
    "UnknownConversation",
    "UnknownRun",
    "add_artifact",
    "add_message",
    "add_state_items",
    "attach_artifacts",
    "connect",
    "count_messages",
    "create_conversation",
    "delete_conversation",
    "delete_note",
    "delete_turn",
    "device_states",
    "file_device_state",
    "finish_turn",
    "get_agent_session",
    "get_artifact",
    "get_conversation",
    "get_memory",
    "get_mode_state",
    "get_settings",
    "hide_conversation",
    "list_artifacts",
    "list_conversations",
    "list_documents",
    "list_facts",
    "list_messages",
    "list_messages_around",
    "list_notes",
    "list_offers",
    "list_state_items",
    "recall",
    "rename_conversation",
    "save_agent_session",
    "save_document",
    "save_mode_state",
    "save_note",
    "save_setting",
    "search",
    "show_conversation",
    "store_facts",
    "transaction",
    "update_memory",
]


def get_memory(conversation_id: str, database: Database | None = None) -> tuple[str, str]:
    """Return (summary, diagnostic_state as JSON); ("", "") for an unknown conversation.

    Without a `database` the one at the default path is opened for this call.
    """
    with _given_or_default(database) as opened:
        sql = "SELECT summary, diagnostic_state FROM conversations WHERE id = ?"
        found: list[Any] = rows(opened, sql, (conversation_id,))
    return (found[0][0] or "", found[0][1] or "") if found else ("", "")


def update_memory(
    conversation_id: str, summary: str, diagnostic_state: str, database: Database | None = None
) -> None:
    """Store the summary and the state (JSON) of the conversation; nothing else changes."""
    with _given_or_default(database) as opened, transaction(opened):
        cursor = opened.conn.execute(
            "UPDATE conversations SET summary = ?, diagnostic_state = ? WHERE id = ?",
            (summary, diagnostic_state, conversation_id),
        )
        if cursor.rowcount == 0:
            raise unknown(conversation_id)


@contextmanager
def _given_or_default(database: Database | None) -> Iterator[Database]:
    if database is not None:
        yield database
        return
    with closing(connect(database_path())) as opened:
        yield opened


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

"""The database: one SQLite file through sqlite-utils, and the front door to everything stored in it.

Open one connection per run, script or thread with `connect`; never share one.
All functions take the database first, but the two that keep the memory design's signatures.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.artifacts import (
    Artifact,
    Document,
    add_artifact,
    attach_artifacts,
    get_artifact,
    list_artifacts,
    list_artifacts_of_run,
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
    list_conversations,
    list_messages,
    list_messages_around,
    list_offers,
    rename_conversation,
    save_agent_session,
    save_mode_state,
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
    "keep_learned",
    "list_artifacts",
    "list_artifacts_of_run",
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


def finish_turn(
    database: Database,
    conversation_id: str,
    run_id: str,
    answer: str,
    *,
    outcome: str,
    summary: str,
    diagnostic_state: str,
    items: Iterable[StateItem] = (),
    filed: Mapping[str, str] | None = None,
) -> int:
    """Store the end of a turn, all of it or nothing, and return the id of the answer's message.

    outcome  as in agents.events: "ok" makes the message "complete", anything else marks it
    items    where new lines of the state came from; without a message they get the answer's
    filed    device → state (JSON) of devices that this turn left
    """
    with transaction(database):
        status = "complete" if outcome == "ok" else outcome
        message_id = add_message(database, conversation_id, "assistant", answer, run_id, status)
        attach_artifacts(database, run_id, message_id)
        keep_learned(database, conversation_id, message_id, summary, diagnostic_state, items, filed or {})
        finish_run(database, run_id, outcome)
    return message_id


def keep_learned(
    database: Database,
    conversation_id: str,
    message_id: int,
    summary: str,
    diagnostic_state: str,
    items: Iterable[StateItem],
    filed: Mapping[str, str],
) -> None:
    """Store what the turn that the message answers has come to; the arguments are those of `finish_turn`."""
    with transaction(database):
        update_memory(conversation_id, summary, diagnostic_state, database)
        add_state_items(database, conversation_id, [_with_message(item, message_id) for item in items])
        for device, state in filed.items():
            file_device_state(database, conversation_id, device, state)


def _with_message(item: StateItem, message_id: int) -> StateItem:
    return item if item.message_id is not None else replace(item, message_id=message_id)

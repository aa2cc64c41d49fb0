"""The database: one SQLite file through sqlite-utils, and the front door to everything stored in it.

Open one connection per run, script or thread with `connect`; never share one.
All functions take the database first, but the two that keep the memory design's signatures.
"""

from instrumentgpt.storage.answers import Offer, list_offers
from instrumentgpt.storage.artifacts import (
    Artifact,
    Document,
    add_artifact,
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
    transaction,
)
from instrumentgpt.storage.conversations import (
    Conversation,
    Message,
    add_message,
    count_messages,
    create_conversation,
    delete_conversation,
    finish_turn,
    get_agent_session,
    get_conversation,
    get_memory,
    get_mode_state,
    hide_conversation,
    list_conversations,
    list_messages,
    list_messages_around,
    rename_conversation,
    save_agent_session,
    save_mode_state,
    show_conversation,
    update_memory,
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
from instrumentgpt.storage.search import Hit, search

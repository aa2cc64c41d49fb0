"""What this browser tab is about: its conversation, the database, the settings in force."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.settings import Settings, database_path, settings_in_force

CONVERSATION = "conversation_id"  # in the session's state, beside `conv` in the address


@contextmanager
def opened() -> Iterator[Database]:
    """A connection for one run of the script or of a fragment: they are never shared (0.35 ms each)."""
    database = db.connect(database_path())
    try:
        yield database
    finally:
        database.close()


def in_force(database: Database) -> Settings:
    """Return the settings that the next turn will use."""
    return settings_in_force(db.get_settings(database))


def current(database: Database) -> db.Conversation | None:
    """Return the conversation that the address names, else the tab's last one: other pages drop `conv`."""
    asked = st.query_params.get("conv") or st.session_state.get(CONVERSATION)
    conversation = db.get_conversation(database, asked) if asked else None
    if asked and conversation is None:
        leave()
        st.toast("That conversation is not there: it may have been deleted.", icon=":material/info:")
    elif conversation is not None:
        enter(conversation.id)
    return conversation


def enter(conversation_id: str) -> None:
    """Make this the tab's conversation."""
    st.session_state[CONVERSATION] = conversation_id
    if st.query_params.get("conv") != conversation_id:
        st.query_params["conv"] = conversation_id


def leave() -> None:
    """Make the tab ready for a new conversation."""
    st.session_state.pop(CONVERSATION, None)
    st.query_params.pop("conv", None)

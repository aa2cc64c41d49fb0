"""The button that hands a conversation over as one file."""

import streamlit as st

import db
from instrumentgpt.storage.export import export_name, exported
from instrumentgpt.ui import session


def draw_button(conversation: db.Conversation, label: str, key: str) -> None:
    """Draw the button; the file is made when it is clicked."""
    st.download_button(
        label,
        lambda: _content(conversation.id),
        export_name(conversation.title, conversation.id),
        "application/zip",
        icon=":material/download:",
        help="Messages, memory, charts, files, notes, documents and prompts as one zip",
        on_click="ignore",
        key=f"{key}-{conversation.id}",
    )


def _content(conversation_id: str) -> bytes:
    with session.opened() as database:
        return exported(database, conversation_id)

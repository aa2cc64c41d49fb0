"""Notes that count in this conversation: what waits for a person, and what is to be kept in mind."""

from collections.abc import Sequence

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.memory.revisions import Item
from instrumentgpt.storage.export import DEFERRED, where_noted
from instrumentgpt.storage.notes import notes_of
from instrumentgpt.storage.revisions import forget_note
from instrumentgpt.ui import untrusted
from instrumentgpt.ui.inspector.editing import change, key_of
from instrumentgpt.ui.inspector.forgettable import draw_forgettable
from instrumentgpt.ui.permissions import who

SHOWN = 20  # newest of each kind
CHARACTERS = 300


def draw(database: Database, conversation_id: str, device: str) -> None:
    """Draw the notes of this conversation, of its device and of all, each with Forget."""
    notes = notes_of(database, conversation_id, [device] if device else [])
    _draw(conversation_id, "For a person to decide", [note for note in notes if note.kind == DEFERRED])
    _draw(conversation_id, "Notes in force", [note for note in notes if note.kind != DEFERRED])


def _draw(conversation_id: str, title: str, notes: Sequence[db.Note]) -> None:
    if notes:
        st.markdown(f":small[**{title}**]")
    for note in notes[:SHOWN]:
        words = untrusted.label(note.text, CHARACTERS)
        where = untrusted.label(f"{note.id} · {where_noted(note, conversation_id)}")
        key = f"note-{key_of(Item(note.scope, 'note', note.id))}"
        draw_forgettable(key, words, where, "Forget this note", _forget, conversation_id, note)


def _forget(conversation_id: str, note: db.Note) -> None:
    change(lambda database: forget_note(database, conversation_id, note, who()))

"""Saved settings, and notes: where they count, and how they are found by their words."""

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlite_utils import Database

from instrumentgpt.memory.reading.constraints import constraints_in
from instrumentgpt.memory.terms import Aliases, holds, phrases, terms
from instrumentgpt.storage.connection import change, insert, rows, select

EVERYWHERE = "global"  # the scope of notes that count in every conversation


@dataclass(frozen=True)
class Note:
    """Something kept on request; `id` is unique in its `scope` (a conversation, a device, or "global")."""

    id: str
    scope: str
    kind: str
    text: str
    updated_at: float


def get_settings(database: Database) -> dict[str, Any]:
    """Return the saved settings by name; those never saved are absent."""
    stored = rows(database, "SELECT name, value FROM settings")
    return {name: json.loads(value) for name, value in stored}


def save_setting(database: Database, name: str, value: str | int | float | bool | None) -> None:
    """Save one setting; None forgets it."""
    if value is None:
        change(database, "DELETE FROM settings WHERE name = ?", (name,))
    else:
        insert(database, "settings", "INSERT OR REPLACE", name=name, value=json.dumps(value))


def save_note(database: Database, note_id: str, text: str, kind: str = "note", scope: str = "global") -> None:
    """Keep `text`, replacing an earlier note of that id and scope."""
    note = Note(note_id, scope, kind, text, time.time())
    insert(database, "notes", "INSERT OR REPLACE", **vars(note))


def list_notes(database: Database, scope: str | None = None) -> list[Note]:
    """Return notes, of one `scope` if named, newest first."""
    source = "notes WHERE ? IS NULL OR scope = ? ORDER BY updated_at DESC"
    return select(database, Note, source, (scope, scope))


def delete_note(database: Database, note_id: str, scope: str = "global") -> bool:
    """Forget the note; False if there was none."""
    return change(database, "DELETE FROM notes WHERE id = ? AND scope = ?", (note_id, scope)) == 1


def notes_of(database: Database, conversation_id: str, devices: Iterable[str] = ()) -> list[Note]:
    """Return the notes that count in a conversation about `devices` (their names): narrow scopes first."""
    scopes = list(dict.fromkeys((conversation_id, *devices, EVERYWHERE)))
    marks = ",".join("?" * len(scopes))
    notes = select(database, Note, f"notes WHERE scope IN ({marks}) ORDER BY updated_at DESC", scopes)
    return sorted(notes, key=lambda note: scopes.index(note.scope))


@lru_cache(maxsize=256)  # notes are looked at for every prompt
def constraints_of(note: Note) -> tuple[str, ...]:
    """Return the sentences of a note that lay something down; what was deferred or rejected does not."""
    if note.kind in ("deferred", "rejected"):
        return ()
    return tuple(sentence for kind, sentence in constraints_in(note.text) if kind == "constraint")


def matching_notes(notes: Iterable[Note], query: str, aliases: Aliases = ()) -> list[Note]:
    """Return the notes that bear on `query`, in either language and under other names, the best first."""
    query_phrases = phrases(query, aliases)
    named, fit = query.strip().casefold(), {}
    for note in notes:  # its own name is worth more than any words
        words = terms(f"{note.id} {note.kind} {note.text}")
        fit[note] = note.id.casefold() == named, sum(holds(words, phrase) for phrase in query_phrases)
    return [note for note in sorted(fit, key=fit.__getitem__, reverse=True) if any(fit[note])]

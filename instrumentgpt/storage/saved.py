"""Saved settings, notes, and the agents' own names for a conversation."""

import json
import time
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.connection import rows, transaction


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
    found = rows(database, "SELECT name, value FROM settings")
    return {name: json.loads(value) for name, value in found}


def save_setting(database: Database, name: str, value: str | int | float | bool | None) -> None:
    """Save one setting; None forgets it."""
    with transaction(database):
        database.conn.execute("DELETE FROM settings WHERE name = ?", (name,))
        if value is not None:
            database.conn.execute(
                "INSERT INTO settings (name, value) VALUES (?, ?)", (name, json.dumps(value))
            )


def save_note(database: Database, note_id: str, text: str, kind: str = "note", scope: str = "global") -> None:
    """Keep `text`, replacing an earlier note of that id and scope."""
    with transaction(database):
        database.conn.execute(
            "INSERT INTO notes (id, scope, kind, text, updated_at) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET"
            " kind = excluded.kind, text = excluded.text, updated_at = excluded.updated_at",
            (note_id, scope, kind, text, time.time()),
        )


def list_notes(database: Database, search: str = "", scope: str | None = None) -> list[Note]:
    """Return notes with `search` in id or text, of one `scope` if named, newest first."""
    sql = (
        "SELECT id, scope, kind, text, updated_at FROM notes"
        " WHERE (? IS NULL OR scope = ?) AND (instr(lower(id || ' ' || text), lower(?)) > 0 OR ? = '')"
        " ORDER BY updated_at DESC"
    )
    return [Note(*row) for row in rows(database, sql, (scope, scope, search, search))]


def delete_note(database: Database, note_id: str, scope: str = "global") -> bool:
    """Forget the note; False if there was none."""
    with transaction(database):
        cursor = database.conn.execute("DELETE FROM notes WHERE id = ? AND scope = ?", (note_id, scope))
    return cursor.rowcount == 1


def get_agent_session(database: Database, conversation_id: str, agent: str, workspace: str) -> str:
    """Return the agent's own id for this conversation in that folder, to resume it; "" if none."""
    sql = "SELECT session_id FROM agent_sessions WHERE conversation_id = ? AND agent = ? AND workspace = ?"
    found = rows(database, sql, (conversation_id, agent, workspace))
    return str(found[0][0]) if found else ""


def save_agent_session(
    database: Database, conversation_id: str, agent: str, workspace: str, session_id: str
) -> None:
    """Remember the agent's own id for this conversation in that folder."""
    with transaction(database):
        database.conn.execute(
            "INSERT INTO agent_sessions (conversation_id, agent, workspace, session_id) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET session_id = excluded.session_id",
            (conversation_id, agent, workspace, session_id),
        )

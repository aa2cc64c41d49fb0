"""What a person allowed the agents of a conversation to do, and the record of who allowed it, and when."""

import time
from dataclasses import dataclass

from sqlite_utils import Database

from instrumentgpt.storage.connection import rows, transaction


@dataclass(frozen=True)
class Permission:
    """One change: what agents may do from then on. Without any, they may only read."""

    may_run: bool = False  # commands
    may_edit: bool = False  # files
    may_browse: bool = False  # the web: its own tools that search it and fetch from it
    changed_by: str = ""
    changed_at: float = 0.0  # s since 1970


_COLUMNS = "may_run, may_edit, may_browse, changed_by, changed_at"


def save_permission(
    database: Database,
    conversation_id: str,
    may_run: bool,
    may_edit: bool,
    changed_by: str,
    may_browse: bool = False,
) -> None:
    """Put on record what agents may do in this conversation from now on."""
    with transaction(database):
        database.conn.execute(
            f"INSERT INTO permissions (conversation_id, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
            (conversation_id, may_run, may_edit, may_browse, changed_by, time.time()),
        )


def list_permissions(database: Database, conversation_id: str) -> list[Permission]:
    """Return every change, newest first."""
    sql = f"SELECT {_COLUMNS} FROM permissions WHERE conversation_id = ? ORDER BY id DESC"
    found = rows(database, sql, (conversation_id,))
    return [Permission(bool(row[0]), bool(row[1]), bool(row[2]), *row[3:]) for row in found]


def permission_in_force(database: Database, conversation_id: str) -> Permission:
    """Return what agents may do in this conversation: reading only, unless somebody allowed more."""
    found = list_permissions(database, conversation_id)
    return found[0] if found else Permission()

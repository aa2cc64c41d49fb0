"""Charts, images and files of a conversation: what agents make in the database, what people bring beside."""

import sqlite3
import time
import uuid
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sqlite_utils import Database

from instrumentgpt.storage import uploads
from instrumentgpt.storage.connection import StorageError, UnknownConversation, rows, transaction


@dataclass(frozen=True)
class Artifact:
    """A stored chart, image, log or report; `alt` says in words what it shows, `size` in bytes."""

    id: str
    conversation_id: str
    run_id: str | None
    message_id: int | None
    kind: str  # "plotly", "image", "log", "file", …
    title: str
    alt: str
    size: int
    created_at: float
    removed_at: float | None = None  # s since 1970: its content has been removed to save space
    file: str = ""  # the digest of a file that a person brought (storage/uploads.py)
    content: bytes = b""  # only `get_artifact` loads it


_COLUMNS = "id, conversation_id, run_id, message_id, kind, title, alt, size, created_at, removed_at, file"


def add_artifact(
    database: Database,
    conversation_id: str,
    run_id: str | None,
    message_id: int | None,
    kind: str,
    title: str,
    alt: str,
    content: bytes,
) -> str:
    """Store `content` and return the artifact's id. `message_id` None: its message is not written yet."""
    made = (kind, title, alt, zlib.compress(content), len(content), "")
    return _insert(database, conversation_id, run_id, message_id, *made)


def add_upload(
    database: Database, conversation_id: str, message_id: int | None, given: uploads.Received
) -> str:
    """Keep a file that a person brought and return the artifact's id; `message_id` as in `add_artifact`."""
    brought = (given.kind, given.name, f"{given.name}, attached", b"", given.size, given.digest)
    with transaction(database):
        uploads.keep(database, given)
        return _insert(database, conversation_id, None, message_id, *brought)


def _insert(
    database: Database,
    conversation_id: str,
    run_id: str | None,
    message_id: int | None,
    kind: str,
    title: str,
    alt: str,
    content: bytes,
    size: int,
    file: str,
) -> str:
    artifact_id = uuid.uuid4().hex[:12]
    values = (artifact_id, conversation_id, run_id, message_id, kind, title, alt, content, size, file)
    try:
        with transaction(database):
            database.conn.execute(
                "INSERT INTO all_artifacts (id, conversation_id, run_id, message_id, kind, title, alt,"
                " content, size, file, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*values, time.time()),
            )
    except sqlite3.IntegrityError as error:
        raise UnknownConversation(
            f"No conversation {conversation_id!r} with a message {message_id} to keep “{title}” in."
            " Start a new conversation."
        ) from error
    return artifact_id


def get_artifact(database: Database, conversation_id: str, artifact_id: str) -> Artifact | None:
    """Return the artifact with its content, or None if this conversation has no such artifact."""
    sql = f"SELECT {_COLUMNS}, content FROM artifacts WHERE id = ? AND conversation_id = ?"
    found = rows(database, sql, (artifact_id, conversation_id))
    if not found:
        return None
    row = found[0]
    kept = Artifact(*row[:11])
    if kept.removed_at:
        return kept
    return replace(
        kept, content=_read(upload_path(database, kept)) if kept.file else zlib.decompress(row[11])
    )


def upload_path(database: Database, artifact: Artifact) -> Path:
    """Return where a file is that a person brought; one from an older version, once it is written there."""
    return uploads.path_of(database, artifact.file or artifact.id, artifact.title)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise StorageError(
            f"The attached file {path} cannot be read ({problem.strerror}). Put it back, or attach it again."
        ) from problem


def list_artifacts(database: Database, message_id: int) -> list[Artifact]:
    """Return what belongs to the message, in the order it was made."""
    return _listed(database, "message_id", message_id)


def list_artifacts_of_run(database: Database, run_id: str) -> list[Artifact]:
    """Return what the run has made so far, in the order it was made."""
    return _listed(database, "run_id", run_id)


def list_artifacts_of_conversation(database: Database, conversation_id: str) -> list[Artifact]:
    """Return all of a conversation, in the order it was made."""
    return _listed(database, "conversation_id", conversation_id)


def _listed(database: Database, column: str, value: int | str) -> list[Artifact]:
    sql = f"SELECT {_COLUMNS} FROM artifacts WHERE {column} = ? ORDER BY rowid"
    return [Artifact(*row) for row in rows(database, sql, (value,))]


def attach_artifacts(database: Database, run_id: str, message_id: int) -> int:
    """Give what the run made to the message that answers; return how many."""
    with transaction(database):
        cursor = database.conn.execute(
            "UPDATE all_artifacts SET message_id = ? WHERE run_id = ? AND message_id IS NULL",
            (message_id, run_id),
        )
    return cursor.rowcount


def attach_uploads(
    database: Database, conversation_id: str, artifact_ids: Sequence[str], message_id: int
) -> None:
    """Give files that the user brought, and that no message has yet, to the question `message_id`."""
    with transaction(database):
        database.conn.executemany(
            "UPDATE all_artifacts SET message_id = ?"
            " WHERE id = ? AND conversation_id = ? AND run_id IS NULL AND message_id IS NULL",
            [(message_id, artifact_id, conversation_id) for artifact_id in artifact_ids],
        )


def copy_uploads(database: Database, message_id: int) -> list[str]:
    """Store the files that came with the question `message_id` once more, for a message not written yet.

    Returns the new ids, in order.
    """
    sql = (
        "INSERT INTO all_artifacts (id, conversation_id, kind, title, alt, content, size, file, created_at)"
        " SELECT ?, conversation_id, kind, title, alt, content, size, file, ? FROM artifacts WHERE id = ?"
    )
    brought = [
        one.id for one in list_artifacts(database, message_id) if one.run_id is None and not one.removed_at
    ]
    copies = [uuid.uuid4().hex[:12] for _ in brought]
    with transaction(database):
        database.conn.executemany(
            sql, [(copy, time.time(), one) for copy, one in zip(copies, brought, strict=True)]
        )
    return copies


def list_uploads(database: Database, conversation_id: str) -> list[Artifact]:
    """Return the files that came with the conversation's questions and are still there, newest first."""
    sql = (
        f"SELECT {_COLUMNS} FROM artifacts WHERE conversation_id = ? AND run_id IS NULL"
        " AND message_id IS NOT NULL AND removed_at IS NULL ORDER BY rowid DESC"
    )
    return [Artifact(*row) for row in rows(database, sql, (conversation_id,))]

"""Documents that were saved on purpose: reports and statements, as files beside the database."""

import os
import re
import tempfile
import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from sqlite_utils import Database

from instrumentgpt.storage.connection import file_of, rows, transaction

NAME_CHARACTERS = 60
_UNSAFE = re.compile(r"[^\w.\- ]+")


@dataclass(frozen=True)
class Document:
    """A saved document; `file` lies in the folder `documents` beside the database."""

    id: int
    conversation_id: str | None  # None: the conversation has been deleted since
    ref: str  # what the conversation calls it, "gen_report_1"
    kind: str  # "markdown" or "html"
    title: str
    file: str
    saved_at: float


SUFFIXES = {"markdown": ".md", "html": ".html"}
_COLUMNS = "id, conversation_id, ref, kind, title, file, saved_at"


def folder_of(database: Database) -> Path:
    """Return where the documents lie."""
    return Path(file_of(database)).parent / "documents"


def save_document(
    database: Database, conversation_id: str, ref: str, kind: str, title: str, content: bytes
) -> Document:
    """Save `content` whole or not at all, under a name that no other document has; return the document."""
    folder = folder_of(database)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".part-", delete=False) as part:
        part.write(content)
        part.flush()
        os.fsync(part.fileno())
    try:
        path = _linked(Path(part.name), folder, file_name(title), SUFFIXES[kind])
    finally:
        Path(part.name).unlink()
    values = (conversation_id, ref, kind, title, path.name, time.time())
    try:
        with transaction(database):
            cursor = database.conn.execute(
                "INSERT INTO documents (conversation_id, ref, kind, title, file, saved_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                values,
            )
    except BaseException:  # of Ctrl-C too: no file without its row; raised again
        path.unlink()
        raise
    return Document(int(cursor.lastrowid or 0), *values)


def list_documents(database: Database, conversation_id: str | None = None) -> list[Document]:
    """Return the saved documents, of one conversation if named, newest first."""
    sql = f"SELECT {_COLUMNS} FROM documents WHERE ? IS NULL OR conversation_id = ? ORDER BY id DESC"
    return [Document(*row) for row in rows(database, sql, (conversation_id, conversation_id))]


def file_name(title: str) -> str:
    """Return `title` as the stem of a file name on any system.

    >>> file_name("Fault report: zspr 052 / 爐子"), file_name("../..")
    ('Fault report zspr 052 爐子', 'document')
    """
    words = " ".join(_UNSAFE.sub(" ", title).split())
    return words[:NAME_CHARACTERS].strip(". ") or "document"


def _linked(part: Path, folder: Path, stem: str, suffix: str) -> Path:
    """Give the finished file its name: the first of "stem", "stem 2", … that is free."""
    for number in count(1):
        path = folder / f"{stem}{'' if number == 1 else f' {number}'}{suffix}"
        try:
            os.link(part, path)  # refuses a name that is taken, also by another process just now
        except FileExistsError:
            continue
        return path
    raise AssertionError("unreachable")

"""Charts, images and files of a conversation, and the documents that were saved of it on purpose.

What agents make lies in the database, documents in a folder beside it, and what people bring there, too: in
`attachments/DIGEST/NAME`, by the digest of its content. Such a file is whole before a row names it, and goes
after the last row that did: what a crash leaves is a file too many, never one too few, and `sweep` removes
it. Rows of older versions hold the content themselves.
"""

import hashlib
import logging
import os
import re
import shutil
import sqlite3
import tempfile
import time
import uuid
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path, PurePath
from typing import IO, Any, Literal

from sqlite_utils import Database

from instrumentgpt.storage.connection import (
    StorageError,
    UnknownConversation,
    change,
    file_of,
    insert,
    rows,
    select,
    transaction,
)

ATTACHMENTS = "attachments"
PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"RIFF")  # how one begins, whatever its name says
NAME_CHARACTERS, NAME_BYTES = 120, 200  # file systems allow 255 bytes
BLOCK = 1 << 20  # bytes
PART, ASIDE = ".part", ".going"
STALE = 86_400.0  # s after which a part is nobody's any more
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Received:
    """A file that has arrived whole, at `path`, and that no row names yet."""

    name: str
    path: Path
    digest: str
    size: int  # bytes
    kind: str  # "image" or "log"


@contextmanager
def received(database: Database, name: str, source: IO[bytes]) -> Iterator[Received]:
    """Copy `source` beside the database for the block, in which `storage.artifacts.add_upload` keeps it.

    Raises StorageError if there is no room for it; if the block fails, nothing of it is left.
    """
    folder = folder_of(database)
    digest, size, beginning = hashlib.sha256(), 0, b""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=PART, delete=False) as file:
            path = Path(file.name)
            try:
                while block := source.read(BLOCK):
                    beginning = beginning or block[:16]
                    digest.update(block)
                    size += file.write(block)
                file.flush()
                os.fsync(file.fileno())
            except BaseException:  # of Ctrl-C too: no half of a file stays; raised again
                path.unlink()
                raise
    except OSError as problem:
        raise StorageError(
            f"{plain_name(name)} could not be kept in {folder} ({problem.strerror or problem})."
            f" Free some space there, or set INSTRUMENTGPT_HOME to another folder."
        ) from problem
    kind = "image" if beginning.startswith(PICTURES) else "log"
    try:
        yield Received(plain_name(name), path, digest.hexdigest(), size, kind)
    except BaseException:  # whatever broke the block, its file goes unless a row names it; raised again
        with suppress(StorageError):  # the first problem is told
            sweep(database, [digest.hexdigest()])
        raise
    finally:
        path.unlink(missing_ok=True)


def keep(database: Database, given: Received) -> None:
    """Put a received file where rows name it; inside the transaction that writes the row."""
    target = path_of(database, given.digest, given.name)
    target.parent.mkdir(exist_ok=True)
    if not target.exists():
        given.path.replace(target)
        for folder in (target.parent, target.parent.parent):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def path_of(database: Database, folder: str, name: str) -> Path:
    """Return where the file of this name is, in `folder`: its digest, or the id of a row that holds it."""
    return folder_of(database) / folder / plain_name(name)


def plain_name(name: str) -> str:
    """Return the last part of `name`, printable and short; a browser sends what it likes.

    >>> plain_name("../../etc/run\\n1.log")
    'run1.log'
    """
    last = PurePath(name.replace("\\", "/")).name
    plain = "".join(letter for letter in last if letter.isprintable())[-NAME_CHARACTERS:]
    plain = plain.encode()[-NAME_BYTES:].decode(errors="ignore")
    return plain if plain.strip(". ") else "attachment"


def digests_of(database: Database, conversation_id: str) -> list[str]:
    """Return the contents that only this conversation names, deleted turns included."""
    sql = (
        "SELECT file FROM all_artifacts WHERE file != '' GROUP BY file"
        " HAVING min(conversation_id) = ?1 AND max(conversation_id) = ?1"
    )
    return [str(digest) for (digest,) in rows(database, sql, (conversation_id,))]


def sweep(database: Database, digests: Iterable[str] | None = None) -> None:
    """Remove the files of `digests` that no row names any more; None: all such files, and stale parts.

    To be called after the transaction that deleted the rows, never in it.
    """
    if file_of(database) == ":memory:":
        return
    folder = folder_of(database)
    with transaction(database):  # no row can come to name one of them meanwhile
        stored = rows(database, "SELECT id, file FROM all_artifacts")
        named = {name for row in stored for name in row}
        names = sorted(path.name for path in folder.glob("*")) if digests is None else digests
        going = [folder / name for name in names if name not in named]
        aside = [there for path in going if (there := put_aside(path))]
    for path in aside:
        shutil.rmtree(path, ignore_errors=True)


def remove_folders(folders: Iterable[Path]) -> None:
    """Remove the folders with all that is in them, as far as that can be done."""
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            _log.warning("%s could not be removed. Delete it by hand.", folder)


def put_aside(path: Path) -> Path | None:
    """Return where a folder is from now on, out of the way; a part is removed if it is nobody's."""
    try:
        if path.is_dir():
            return path.rename(path.with_name(f"{path.name[:64]}.{uuid.uuid4().hex[:8]}{ASIDE}"))
        if path.suffix == PART and time.time() - path.stat().st_mtime > STALE:
            path.unlink()
    except FileNotFoundError:  # its owner was quicker
        pass
    except OSError as problem:
        _log.warning("%s could not be removed: %s. Delete it by hand.", path, problem)
    return None


def folder_of(database: Database) -> Path:
    """Return the folder of all brought files, whether it is there or not."""
    if file_of(database) == ":memory:":
        raise StorageError("A database in memory keeps no files. Open one in a folder.")
    return Path(file_of(database)).parent / ATTACHMENTS


_CUT = re.compile(r".{40,80}(?!\S)|.{0,80}")  # 80 of three bytes each: a file's name may have 255
_UNSAFE = re.compile(r"[^\w.\- ]+")


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
    file: str = ""  # the digest of a file that a person brought (`received`)
    content: bytes = b""  # only `get_artifact` loads it


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
    return _insert(
        database, conversation_id, run_id=run_id, message_id=message_id, kind=kind, title=title, alt=alt,
        content=zlib.compress(content), size=len(content),
    )  # fmt: skip


def add_upload(database: Database, conversation_id: str, message_id: int | None, given: Received) -> str:
    """Keep a file that a person brought and return the artifact's id; `message_id` as in `add_artifact`."""
    with transaction(database):
        keep(database, given)
        return _insert(
            database, conversation_id, message_id=message_id, kind=given.kind, title=given.name,
            alt=f"{given.name}, attached", content=b"", size=given.size, file=given.digest,
        )  # fmt: skip


def _insert(database: Database, conversation_id: str, **row: Any) -> str:
    row |= {"id": uuid.uuid4().hex[:12], "conversation_id": conversation_id, "created_at": time.time()}
    try:
        insert(database, "all_artifacts", **row)
    except sqlite3.IntegrityError as error:
        raise UnknownConversation(
            f"No conversation {conversation_id!r} with a message {row['message_id']}"
            f" to keep “{row['title']}” in. Start a new conversation."
        ) from error
    return str(row["id"])


def get_artifact(database: Database, conversation_id: str, artifact_id: str) -> Artifact | None:
    """Return the artifact with its content, or None if this conversation has no such artifact."""
    source = "artifacts WHERE id = ? AND conversation_id = ?"
    for kept in select(database, Artifact, source, (artifact_id, conversation_id)):
        if kept.removed_at:
            return kept
        brought = _read(upload_path(database, kept)) if kept.file else None
        return replace(kept, content=zlib.decompress(kept.content) if brought is None else brought)
    return None


def upload_path(database: Database, artifact: Artifact) -> Path:
    """Return where a file is that a person brought; one from an older version, once it is written there."""
    return path_of(database, artifact.file or artifact.id, artifact.title)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise StorageError(
            f"The attached file {path} cannot be read ({problem.strerror}). Put it back, or attach it again."
        ) from problem


def list_artifacts(
    database: Database,
    owner: int | str,
    column: Literal["message_id", "run_id", "conversation_id"] = "message_id",
) -> list[Artifact]:
    """Return what belongs to a message, a run or a conversation, in the order it was made."""
    return select(database, Artifact, f"artifacts WHERE {column} = ? ORDER BY rowid", (owner,), content="x''")


def list_uploads(database: Database, conversation_id: str) -> list[Artifact]:
    """Return the files that came with the conversation's questions and are still there, newest first."""
    every = reversed(list_artifacts(database, conversation_id, "conversation_id"))
    return [file for file in every if file.run_id is None and file.message_id and not file.removed_at]


def attach_artifacts(database: Database, run_id: str, message_id: int) -> int:
    """Give what the run made to the message that answers; return how many."""
    sql = "UPDATE all_artifacts SET message_id = ? WHERE run_id = ? AND message_id IS NULL"
    return change(database, sql, (message_id, run_id))


def attach_uploads(
    database: Database, conversation_id: str, artifact_ids: Sequence[str], message_id: int
) -> None:
    """Give files that the user brought, and that no message has yet, to the question `message_id`."""
    sql = (
        "UPDATE all_artifacts SET message_id = ?"
        " WHERE id = ? AND conversation_id = ? AND run_id IS NULL AND message_id IS NULL"
    )
    with transaction(database):
        for artifact_id in artifact_ids:
            change(database, sql, (message_id, artifact_id, conversation_id))


def copy_uploads(database: Database, message_id: int) -> list[str]:
    """Store the files that came with the question `message_id` once more, for a message not written yet.

    Returns the new ids, in order.
    """
    sql = (
        "INSERT INTO all_artifacts (id, conversation_id, kind, title, alt, content, size, file, created_at)"
        " SELECT ?, conversation_id, kind, title, alt, content, size, file, ? FROM artifacts WHERE id = ?"
    )
    copies: list[str] = []
    with transaction(database):
        for upload in list_artifacts(database, message_id):
            if upload.run_id is None and not upload.removed_at:
                copies.append(uuid.uuid4().hex[:12])
                change(database, sql, (copies[-1], time.time(), upload.id))
    return copies


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


def documents_folder(database: Database) -> Path:
    """Return where the documents lie."""
    return Path(file_of(database)).parent / "documents"


def save_document(
    database: Database, conversation_id: str, ref: str, kind: str, title: str, content: bytes
) -> Document:
    """Save `content` whole or not at all, under a name that no other document has; return the document."""
    folder = documents_folder(database)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".part-", delete=False) as part:
        part.write(content)
        part.flush()
        os.fsync(part.fileno())
    try:
        path = _linked(Path(part.name), folder, file_name(title), SUFFIXES[kind])
    finally:
        Path(part.name).unlink()
    saved_at = time.time()
    try:
        number = insert(
            database, "documents", conversation_id=conversation_id, ref=ref, kind=kind, title=title,
            file=path.name, saved_at=saved_at,
        )  # fmt: skip
    except BaseException:  # of Ctrl-C too: no file without its row; raised again
        path.unlink()
        raise
    return Document(number, conversation_id, ref, kind, title, path.name, saved_at)


def list_documents(database: Database, conversation_id: str | None = None) -> list[Document]:
    """Return the saved documents, of one conversation if named, newest first."""
    source = "documents WHERE ? IS NULL OR conversation_id = ? ORDER BY id DESC"
    return select(database, Document, source, (conversation_id, conversation_id))


def file_name(title: str) -> str:
    """Return `title` as the stem of a file name on any system, cut between words where it is too long.

    >>> file_name("Fault report: zspr 052 / 爐子"), file_name("../..")
    ('Fault report zspr 052 爐子', 'document')
    """
    words = " ".join(_UNSAFE.sub(" ", title).split())
    return _CUT.findall(words)[0].strip(". ") or "document"


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

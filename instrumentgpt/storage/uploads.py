"""Files that people bring: `attachments/DIGEST/NAME` beside the database, by the digest of their content.

A file is whole before a row names it, and goes after the last row that did: what a crash leaves is a file too
many, never one too few, and `sweep` removes it. Rows of older versions hold the content themselves.
"""

import hashlib
import logging
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO

from sqlite_utils import Database

from instrumentgpt.storage.connection import StorageError, file_of, rows, transaction

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


def remove(folders: Iterable[Path]) -> None:
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

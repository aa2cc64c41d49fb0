"""What can go wrong with the database file, told as what, the file, and the remedy."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from instrumentgpt.errors import InstrumentGPTError


class StorageError(InstrumentGPTError, OSError):
    """The database file cannot be read or written; what was committed before is untouched."""

    def __str__(self) -> str:
        return str(self.args[0])


class UnknownConversation(InstrumentGPTError, LookupError):
    """No conversation has this id (it may have been deleted in another tab)."""


class UnknownRun(InstrumentGPTError, LookupError):
    """No run has this id."""


class RunInProgress(InstrumentGPTError, RuntimeError):
    """The conversation already has a live run."""


_ELSEWHERE = "or set INSTRUMENTGPT_HOME to a folder that you can write"
_TOLD = {  # SQLite's primary result codes, https://www.sqlite.org/rescode.html
    sqlite3.SQLITE_BUSY: (
        "{path} is locked by another program. Close what holds it (a database browser, a backup), try again."
    ),
    sqlite3.SQLITE_LOCKED: (
        "{path} is locked by a statement of this program. Try again; if it stays so, restart the application."
    ),
    sqlite3.SQLITE_READONLY: (
        f"{{path}} is read-only. Make the file and its folder writable (chmod u+w), {_ELSEWHERE}."
    ),
    sqlite3.SQLITE_PERM: (
        f"{{path}} may not be opened. Make the file and its folder writable (chmod u+w), {_ELSEWHERE}."
    ),
    sqlite3.SQLITE_FULL: (
        "No space is left for {path}; the last change was not saved. Free some disk space and try again."
    ),
    sqlite3.SQLITE_CORRUPT: (
        "{path} is damaged ({reason}) and was left as it is. Move it away and put a backup in its place, "
        "or save what is readable: sqlite3 {path} .recover"
    ),
    sqlite3.SQLITE_NOTADB: (
        "{path} is not a database and was left as it is. Move it away to start with an empty one, "
        "or put a backup in its place."
    ),
    sqlite3.SQLITE_CANTOPEN: (
        f"{{path}} cannot be opened. Check that its folder exists and is writable, {_ELSEWHERE}."
    ),
    sqlite3.SQLITE_IOERR: (
        "The disk failed while using {path} ({reason}). Check the disk and its free space, then try again."
    ),
}


def storage_error(error: sqlite3.Error, path: str | Path) -> StorageError:
    """Return `error` as a sentence about the file at `path`, with its remedy."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte is the primary code
    sentence = _TOLD.get(code, "{path} cannot be used: {reason}. Run `python -m instrumentgpt doctor`.")
    return StorageError(sentence.format(path=path, reason=error))


@contextmanager
def told(path: str | Path) -> Iterator[None]:
    """Turn SQLite's operational errors inside the block into `StorageError`.

    Broken constraints pass as they are: those the caller knows how to name.
    """
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.DatabaseError as error:
        raise storage_error(error, path) from error

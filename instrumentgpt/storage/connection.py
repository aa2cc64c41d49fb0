"""The way into the database: `connect` opens it, `rows` and `select` read, `insert` and `change` write.

`transaction` makes writes happen together, `snapshot` lets what is read come from one moment.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from sqlite_utils import Database

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.storage.migrations import LAST, MIGRATIONS

BUSY_SECONDS = 10.0  # as the seed; longer than any transaction of ours takes
_MAKING = threading.Lock()
WAL_RETRY_SECONDS = 0.02  # SQLite does not wait by itself when two processes switch to WAL

Value = str | int | float | bytes | None
Values = Sequence[Value]
T = TypeVar("T")


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
_SENTENCES = {  # SQLite's primary result codes, https://www.sqlite.org/rescode.html
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


@contextmanager
def storage_errors(where: Database | str | Path) -> Iterator[None]:
    """Turn SQLite's operational errors inside the block into `StorageError`, with what to do about the file.

    Broken constraints pass as they are: those the caller knows how to name.
    """
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.DatabaseError as error:
        path = file_of(where) if isinstance(where, Database) else where
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte is the primary code
        sentence = _SENTENCES.get(
            code, "{path} cannot be used: {reason}. Run `python -m instrumentgpt doctor`."
        )
        raise StorageError(sentence.format(path=path, reason=error)) from error


def connect(path: str | Path, busy_seconds: float = BUSY_SECONDS) -> Database:
    """Return an open, up-to-date database at `path`, made if there is none (":memory:": a private one).

    Open one per run, script or thread; it must not cross threads.
    A file made by the seed's schema gains what it lacks and keeps every row.
    Raises StorageError if the file is locked, read-only, damaged, or made by a newer version.
    """
    _make_file(path)
    with storage_errors(path):
        connection = sqlite3.connect(path, timeout=busy_seconds)
        try:
            database = Database(connection)
            _switch_to_wal(database, busy_seconds)
            _migrate(database, path)
            database.execute("PRAGMA synchronous = NORMAL")  # with WAL: no loss but of power, never corrupt
            database.execute("PRAGMA foreign_keys = ON")
        except BaseException:  # of Ctrl-C too: nobody else could close it; raised again
            connection.close()
            raise
    return database


@contextmanager
def opened_to_read(path: str | Path) -> Iterator[Database]:
    """Give the up-to-date database at `path` for reading only; raise StorageError if there is none."""
    with storage_errors(path):
        connection = sqlite3.connect(f"file:{quote(str(Path(path).absolute()))}?mode=ro", uri=True)
    with closing(connection):
        yield Database(connection)


def _make_file(path: str | Path) -> None:
    if path == ":memory:":
        return
    folder = Path(path).parent
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"{folder} cannot be made ({error.strerror})."
            " Set INSTRUMENTGPT_HOME to a folder that you can write."
        ) from error
    # Only a new file: closing one that is there gives up this process's locks on it, those of all threads,
    # and others then take the WAL away from below them (sqlite.org/howtocorrupt.html, 2.2).
    with _MAKING, suppress(OSError):  # SQLite gives its WAL and SHM files this mode, and says what is wrong
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))


def _switch_to_wal(database: Database, busy_seconds: float) -> None:
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            if database.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
                database.execute("PRAGMA journal_mode = WAL").fetchone()
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(WAL_RETRY_SECONDS)


def _migrate(database: Database, path: str | Path) -> None:
    # Foreign keys are still off: dropping an old table must not cascade into its children.
    applied, ours = (
        {row.name for row in steps} for steps in (MIGRATIONS.applied(database), MIGRATIONS._migrations)
    )
    earlier = {name for name in applied if name <= LAST}
    if unknown := applied - earlier - ours:
        raise StorageError(
            f"{path} was written by a newer version ({', '.join(sorted(unknown))}). "
            "Update this checkout, or set INSTRUMENTGPT_HOME to another folder."
        )
    if earlier and LAST not in earlier:
        raise StorageError(
            f"{path} was written by an unreleased version before the step {LAST}, and was left as it is."
            " Open it once with a checkout of that step, or set INSTRUMENTGPT_HOME to another folder."
        )
    if MIGRATIONS.pending(database):
        with transaction(database):  # the lock first: `apply` alone races when several processes start
            MIGRATIONS.apply(database)


def file_of(database: Database) -> str:
    """Return the path of the database's file, or ":memory:"."""
    return database.conn.execute("PRAGMA database_list").fetchone()[2] or ":memory:"


@contextmanager
def transaction(database: Database) -> Iterator[Database]:
    """Make everything written in the block happen together or not at all; may be nested.

    The write lock is taken at once, so what is read inside stays true until the end.
    """
    if database.conn.in_transaction:
        with database.atomic():
            yield database
        return
    with storage_errors(database):
        database.conn.execute("BEGIN IMMEDIATE")
        try:
            yield database
            database.conn.execute("COMMIT")
        except BaseException:  # of Ctrl-C and a closed generator too: not half of it stays; raised again
            if database.conn.in_transaction:
                database.conn.execute("ROLLBACK")
            raise


@contextmanager
def snapshot(database: Database) -> Iterator[Database]:
    """Let all that is read in the block come from one moment, whatever others write meanwhile.

    Nothing can be written in it: a write would have to be based on what may no longer be so.
    """
    with storage_errors(database):
        database.conn.execute("PRAGMA query_only = ON")
        database.conn.execute("BEGIN")
    try:
        yield database
    finally:
        if database.conn.in_transaction:
            database.conn.execute("ROLLBACK")
        database.conn.execute("PRAGMA query_only = OFF")


def rows(database: Database, sql: str, values: Values = ()) -> list[Any]:
    """Return the rows that `sql` selects, each a tuple of what its columns hold."""
    with storage_errors(database):
        return list(database.conn.execute(sql, values))


def select(
    database: Database, kind: Callable[..., T], source: str, values: Values = (), **expressions: str
) -> list[T]:
    """Return the rows of `source` (what follows FROM), each as a `kind`, a dataclass of its columns.

    expressions  field → the SQL that gives it, where there is no column of that name
    """
    names, truths = _columns(kind)
    stored = rows(
        database, f"SELECT {', '.join(expressions.get(name, name) for name in names)} FROM {source}", values
    )
    if not truths:
        return [kind(*row) for row in stored]
    return [kind(*(bool(value) if at in truths else value for at, value in enumerate(row))) for row in stored]


@cache
def _columns(kind: Any) -> tuple[tuple[str, ...], frozenset[int]]:
    """Return the names of the fields, and the places of those that are true or false."""
    columns = fields(kind)
    return tuple(column.name for column in columns), frozenset(
        place for place, column in enumerate(columns) if column.type is bool
    )


def insert(database: Database, table: str, verb: str = "INSERT", **row: Value) -> int:
    """Store a row and return its number; "INSERT OR REPLACE" puts it in place of the one with its key."""
    sql = f"{verb} INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"
    with transaction(database):
        return int(database.conn.execute(sql, tuple(row.values())).lastrowid or 0)


def change(database: Database, sql: str, values: Values = ()) -> int:
    """Let `sql` change or delete rows, and return how many it did."""
    with transaction(database):
        return int(database.conn.execute(sql, values).rowcount)

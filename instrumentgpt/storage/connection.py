"""Opening the database, and the ways in: `rows` reads, `snapshot` reads one moment, `transaction` writes."""

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlite_utils import Database

from instrumentgpt.storage.errors import StorageError, storage_error, told
from instrumentgpt.storage.migrations import LAST, MIGRATIONS, UNRELEASED

BUSY_SECONDS = 10.0  # as the seed; longer than any transaction of ours takes
_MAKING = threading.Lock()
WAL_RETRY_SECONDS = 0.02  # SQLite does not wait by itself when two processes switch to WAL

Values = Sequence[str | int | float | bytes | None]


def connect(path: str | Path, busy_seconds: float = BUSY_SECONDS) -> Database:
    """Return an open, up-to-date database at `path`, made if there is none (":memory:": a private one).

    Open one per run, script or thread; it must not cross threads.
    A file made by the seed's schema gains what it lacks and keeps every row.
    Raises StorageError if the file is locked, read-only, damaged, or made by a newer version.
    """
    _make_file(path)
    with told(path):
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
    with told(path):
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
    # Foreign keys are still off: rebuilding an old table must not cascade into its children.
    unknown = {row.name for row in MIGRATIONS.applied(database)} - {
        row.name for row in MIGRATIONS._migrations
    }
    if unknown:
        raise StorageError(
            f"{path} was written by a newer version ({', '.join(sorted(unknown))}). "
            "Update this checkout, or set INSTRUMENTGPT_HOME to another folder."
        )
    unreleased = [row.name for row in UNRELEASED.applied(database)]
    if unreleased and LAST not in unreleased:
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
    try:
        database.conn.execute("BEGIN IMMEDIATE")
        try:
            yield database
            database.conn.execute("COMMIT")
        except BaseException:  # of Ctrl-C and a closed generator too: not half of it stays; raised again
            if database.conn.in_transaction:
                database.conn.execute("ROLLBACK")
            raise
    except sqlite3.IntegrityError:
        raise
    except sqlite3.DatabaseError as error:
        raise storage_error(error, file_of(database)) from error


@contextmanager
def snapshot(database: Database) -> Iterator[Database]:
    """Let all that is read in the block come from one moment, whatever others write meanwhile.

    Nothing can be written in it: a write would have to be based on what may no longer be so.
    """
    with told(file_of(database)):
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
    try:
        return list(database.conn.execute(sql, values))
    except sqlite3.DatabaseError as error:
        raise storage_error(error, file_of(database)) from error

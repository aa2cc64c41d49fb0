"""Conversations untouched for long are pruned: charts, files, steps, caches and deleted turns go.

What was said stays, but for conversations that were deleted: of these nothing does.

A pruned conversation goes on as any other: the next question fetches its log again.
"""

import logging
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from instrumentgpt.instruments.lognames import device_folder
from instrumentgpt.storage.artifacts import digests_of, folder_of, put_aside, remove_folders, sweep
from instrumentgpt.storage.connection import file_of, rows, transaction
from instrumentgpt.storage.conversations import folders_of
from instrumentgpt.storage.revisions import forget_messages
from instrumentgpt.storage.runs import live_runs

DAY = 86_400.0  # s
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Prunable:
    """A conversation that can be pruned, and how much goes with it, in bytes.

    kept    in the database: artifacts (compressed), the events of its runs, its deleted turns
    beside  in its folders beside the database, and in fetched logs that no other conversation knows: `logs`
    """

    conversation_id: str
    title: str
    updated_at: float  # s since 1970
    kept: int
    beside: int
    logs: tuple[Path, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of all that goes."""
        return self.kept + self.beside


@dataclass(frozen=True)
class Pruned:
    """What pruning did; sizes in bytes. `skipped` were being answered, or used, when their turn came.

    compacted  whether the database file gave its free pages back to the disk
    """

    pruned: tuple[Prunable, ...]
    skipped: tuple[Prunable, ...]
    database_before: int
    database_after: int
    compacted: bool

    @property
    def freed(self) -> int:
        """Bytes that the disk has got back."""
        return sum(one.beside for one in self.pruned) + self.database_before - self.database_after


def prunable(database: Database, days: float, now: float | None = None) -> list[Prunable]:
    """Return the conversations untouched for `days` that have something to prune, the oldest first.

    None for 0 days. One that is being answered, or waits to be, is none of them. Changes nothing.
    """
    if days <= 0:
        return []
    before = (time.time() if now is None else now) - days * DAY
    sql = (
        "SELECT id, title, updated_at FROM conversations WHERE updated_at < ? AND id NOT IN"
        " (SELECT conversation_id FROM runs WHERE status = 'running') ORDER BY updated_at"
    )
    found: list[Any] = rows(database, sql, (before,))
    logs = _logs_alone(database, [row[0] for row in found])
    listed = [
        _measured(database, one, title, updated_at, tuple(logs.get(one, ())))
        for one, title, updated_at in found
    ]
    return [one for one in listed if one.size]


def _measured(
    database: Database, conversation_id: str, title: str, updated_at: float, logs: tuple[Path, ...]
) -> Prunable:
    kept = sum(size or 0 for size in database.execute(_KEPT, {"id": conversation_id}).fetchone())
    beside = sum(map(_size, (*folders_of(database, conversation_id), *logs)))
    if file_of(database) != ":memory:":
        digests = digests_of(database, conversation_id)
        beside += sum(_size(folder_of(database) / digest) for digest in digests)
    return Prunable(conversation_id, title, updated_at, kept, beside, logs)


_KEPT = (  # the bytes of what goes
    "SELECT sum(length(content)), (SELECT sum(length(CAST(event AS BLOB))) FROM run_events"
    " JOIN runs ON runs.id = run_id WHERE conversation_id = :id), (SELECT sum(length(CAST(content AS BLOB)))"
    " FROM all_messages WHERE conversation_id = :id"
    " AND (deleted_at IS NOT NULL OR :id IN deleted_conversations))"
    " FROM all_artifacts WHERE conversation_id = :id AND removed_at IS NULL"
)


def _size(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder; 0 if there is nothing."""
    total = 0
    with suppress(OSError):
        if path.is_file() and not path.is_symlink():
            return path.stat().st_size
        for folder, _, names in os.walk(path):
            total += sum(os.lstat(Path(folder, name)).st_size for name in names)
    return total


def _logs_alone(database: Database, conversations: Sequence[str]) -> dict[str, list[Path]]:
    """Return conversation → fetched logs that only these conversations know; each is of one of them."""
    sql = (
        "SELECT DISTINCT conversation_id, device, text FROM state_items WHERE field = 'downloaded_logs'"
        " AND device != ''"
    )
    known: list[Any] = rows(database, sql)
    going = set(conversations)
    needed = {(device, log) for conversation, device, log in known if conversation not in going}
    found: dict[str, list[Path]] = {}
    told: set[Path] = set()
    for conversation, device, log in known:
        if conversation in going and (device, log) not in needed:
            files = [path for path in _files_of(database, device, log) if path not in told]
            told.update(files)
            found.setdefault(conversation, []).extend(files)
    return found


def _files_of(database: Database, device: str, log: str) -> Iterator[Path]:
    """Yield the copy of a fetched log, and what `fetch` notes beside it; `log` is of the state: any text."""
    if file_of(database) == ":memory:" or Path(log).name != log:
        return
    folder = device_folder(Path(file_of(database)).parent / "cache", device)
    for name in (log, f"{log}.gz"):
        yield from (path for path in (folder / name, folder / f".{name}.json") if path.is_file())


def prune(database: Database, chosen: Iterable[Prunable], now: float | None = None) -> Pruned:
    """Prune the `chosen` conversations, each wholly or not at all, then give the space back to the disk.

    One that has been used since it was listed, or is being answered, is left alone.
    """
    before = _settled_size(database)
    pruned: list[Prunable] = []
    skipped: list[Prunable] = []
    for one in chosen:
        aside = _prune_one(database, one, time.time() if now is None else now)
        (skipped if aside is None else pruned).append(one)
        remove_folders(aside or ())
    sweep(database)
    compacted = bool(pruned) and _compact(database)
    return Pruned(tuple(pruned), tuple(skipped), before, _settled_size(database), compacted)


def _prune_one(database: Database, one: Prunable, now: float) -> list[Path] | None:
    """Return the folders that are left to be removed, or None if the conversation is in use again.

    No run can begin within the transaction, so none finds its folder gone.
    """
    with transaction(database):
        there = rows(
            database,
            "SELECT 1 FROM conversations WHERE id = ? AND updated_at <= ? AND id NOT IN"
            " (SELECT conversation_id FROM runs WHERE status = 'running')",
            (one.conversation_id, one.updated_at),
        )
        if not there:
            return None
        folders = [path for path in folders_of(database, one.conversation_id) if path.is_dir()]
        for sql in _GOING:
            database.conn.execute(sql, {"conversation": one.conversation_id, "now": now})
        sql = "SELECT id FROM all_messages WHERE conversation_id = ? AND deleted_at IS NOT NULL"
        deleted = [row[0] for row in rows(database, sql, (one.conversation_id,))]
        forget_messages(database, one.conversation_id, deleted)
        for path in one.logs:
            path.unlink(missing_ok=True)
        return [aside for path in folders if (aside := put_aside(path))]


_GOING = (
    "UPDATE all_artifacts SET content = x'', file = '', removed_at = :now"
    " WHERE conversation_id = :conversation AND removed_at IS NULL",
    "DELETE FROM run_events WHERE run_id IN (SELECT id FROM runs WHERE conversation_id = :conversation)",
    "DELETE FROM all_prompts WHERE conversation_id = :conversation",
    "DELETE FROM agent_sessions WHERE conversation_id = :conversation",  # their folder is gone
    "DELETE FROM revisions WHERE conversation_id = :conversation AND field = 'turn'",
    "DELETE FROM conversations WHERE id = :conversation AND deleted_at IS NOT NULL",
)


def _compact(database: Database) -> bool:
    """Give free pages back to the disk; False while an answer is written, which would wait for it."""
    if live_runs(database):
        return False
    try:
        database.conn.execute("VACUUM")
    except sqlite3.OperationalError as error:
        _log.warning("%s was not compacted: %s. The next pruning does it.", file_of(database), error)
        return False
    return True


def _settled_size(database: Database) -> int:
    """Return the bytes of the database once its log of writes is part of it, as far as that can be now."""
    with suppress(sqlite3.OperationalError):
        database.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    path = file_of(database)
    return sum(_size(Path(path + suffix)) for suffix in ("", "-wal")) if path != ":memory:" else 0

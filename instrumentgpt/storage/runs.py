"""Runs: turns and summaries in progress, one live of each kind per conversation, and their events."""

import sqlite3
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlite_utils import Database

from instrumentgpt.storage.connection import RunInProgress, UnknownConversation, UnknownRun, rows, transaction

EVENTS_AT_ONCE = 1000  # rows read_events returns at most, unless told
COMMAND = "command"  # who answers a command, in place of an agent's name

Kind = Literal["turn", "summary"]  # of a run: it answers a question, or summarises older messages


@dataclass(frozen=True)
class Run:
    """One turn or summary being written, or written; `status` is "running" while live.

    kind    of a summary, `mode` is "" and there is no question
    …_at     seconds since 1970: what people read
    …_clock  by the monotonic clock of this boot, which nobody can set and which stands still while the
             machine sleeps: how long something has taken. None in rows of before there was one
    """

    id: str
    conversation_id: str
    agent: str
    mode: str
    question_message_id: int | None
    status: str
    pid: int | None
    process_started: float | None  # seconds after the boot: a pid alone may be another process by now
    stop_requested: bool
    started_at: float
    finished_at: float | None
    began_at: float | None  # None: it waits for others to end
    started_clock: float | None
    began_clock: float | None
    kind: Kind = "turn"


_COLUMNS = (
    "id, conversation_id, agent, mode, question_message_id, status, pid, process_started, stop_requested,"
    " started_at, finished_at, began_at, started_clock, began_clock, kind"
)


def start_run(
    database: Database,
    conversation_id: str,
    agent: str,
    mode: str,
    question_message_id: int | None = None,
    kind: Kind = "turn",
) -> str:
    """Return the id of a new live run; raise RunInProgress if the conversation has one of its kind."""
    run_id = uuid.uuid4().hex
    now, clock = time.time(), time.monotonic()
    values = (run_id, conversation_id, agent, mode, question_message_id, now, clock, kind)
    try:
        with transaction(database):
            database.conn.execute(
                "INSERT INTO runs (id, conversation_id, agent, mode, question_message_id, started_at,"
                " started_clock, kind) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )
    except sqlite3.IntegrityError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_UNIQUE:
            raise RunInProgress(
                f"Conversation {conversation_id} is still being answered. Wait for the answer, or press Stop."
            ) from error
        raise UnknownConversation(
            f"No conversation {conversation_id!r} with a message {question_message_id}. Start a new one."
        ) from error
    return run_id


def set_process(database: Database, run_id: str, pid: int, process_started: float) -> None:
    """Note which process answers, so that it can be stopped and found dead."""
    _update(database, run_id, "pid = ?, process_started = ?", (pid, process_started))


def begin_run(database: Database, run_id: str, at_once: int) -> int:
    """Begin the run if fewer than `at_once` are being answered; return its place in the queue, 0 if it began.

    Who asked first begins first, summaries last: no answer waits for one. A run that has begun stays so.
    """
    sql = (
        "SELECT count(*) FILTER (WHERE other.began_at IS NOT NULL),"
        " count(*) FILTER (WHERE other.began_at IS NULL AND (other.kind = 'summary', other.started_at,"
        " other.id) < (run.kind = 'summary', run.started_at, run.id)) FROM runs AS run"
        " LEFT JOIN runs AS other ON other.status = 'running' AND other.id != run.id"
        " AND (other.kind = 'turn' OR run.kind = 'summary') WHERE run.id = ?"
    )
    with transaction(database):
        busy, before = database.conn.execute(sql, (run_id,)).fetchone()
        if busy + before >= at_once and get_run(database, run_id).began_at is None:
            return int(busy + before - at_once + 1)
        database.conn.execute(
            "UPDATE runs SET began_at = ?, began_clock = ? WHERE id = ? AND began_at IS NULL",
            (time.time(), time.monotonic(), run_id),
        )
    return 0


def request_stop(database: Database, run_id: str) -> None:
    """Ask the run to stop; it sees `stop_requested`."""
    _update(database, run_id, "stop_requested = 1", ())


def finish_run(database: Database, run_id: str, status: str) -> bool:
    """Close the run with `status` (an outcome of agents.events); False if it was closed before."""
    with transaction(database):
        cursor = database.conn.execute(
            "UPDATE runs SET status = ?, finished_at = ? WHERE id = ? AND status = 'running'",
            (status, time.time(), run_id),
        )
    return cursor.rowcount == 1


def _update(database: Database, run_id: str, assignments: str, values: Sequence[float]) -> None:
    with transaction(database):
        cursor = database.conn.execute(f"UPDATE runs SET {assignments} WHERE id = ?", (*values, run_id))
        if cursor.rowcount == 0:
            raise _unknown(run_id)


def append_events(database: Database, run_id: str, events: Sequence[str]) -> int:
    """Store `events` (JSON lines) after the run's last one; return the number of the last, from 1."""
    with transaction(database):
        last = _last_number(database, run_id)
        try:
            database.conn.executemany(
                "INSERT INTO run_events (run_id, number, event) VALUES (?, ?, ?)",
                [(run_id, number, event) for number, event in enumerate(events, last + 1)],
            )
        except sqlite3.IntegrityError as error:
            raise _unknown(run_id) from error
    return last + len(events)


def _last_number(database: Database, run_id: str) -> int:
    found = database.conn.execute("SELECT max(number) FROM run_events WHERE run_id = ?", (run_id,)).fetchone()
    return found[0] or 0


def read_events(
    database: Database, run_id: str, after: int = 0, limit: int = EVENTS_AT_ONCE
) -> list[tuple[int, str]]:
    """Return (number, JSON line) of the run's events numbered above `after`, in order."""
    sql = "SELECT number, event FROM run_events WHERE run_id = ? AND number > ? ORDER BY number LIMIT ?"
    return [(number, event) for number, event in rows(database, sql, (run_id, after, limit))]


def get_run(database: Database, run_id: str) -> Run:
    """Return the run; raise UnknownRun if there is none."""
    found = _runs(database, "WHERE id = ?", (run_id,))
    if not found:
        raise _unknown(run_id)
    return found[0]


def live_run(database: Database, conversation_id: str) -> Run | None:
    """Return the run that is answering in this conversation, or None."""
    where = "WHERE conversation_id = ? AND status = 'running' AND kind = 'turn'"
    found = _runs(database, where, (conversation_id,))
    return found[0] if found else None


def live_runs(database: Database) -> list[Run]:
    """Return all live runs of both kinds, oldest first."""
    return _runs(database, "WHERE status = 'running' ORDER BY started_at", ())


def list_runs(database: Database, conversation_id: str, limit: int = 100, kind: Kind = "turn") -> list[Run]:
    """Return the newest `limit` runs of a kind of the conversation, newest first."""
    where = "WHERE conversation_id = ? AND kind = ? ORDER BY started_at DESC, rowid DESC LIMIT ?"
    return _runs(database, where, (conversation_id, kind, limit))


def mode_of(database: Database, question_message_id: int) -> str:
    """Return the mode in which a question was asked last, "" if none is on record."""
    where = "WHERE question_message_id = ? ORDER BY started_at DESC LIMIT 1"
    found = _runs(database, where, (question_message_id,))
    return found[0].mode if found else ""


def _runs(database: Database, where: str, values: tuple[str | int, ...]) -> list[Run]:
    found = rows(database, f"SELECT {_COLUMNS} FROM runs {where}", values)
    return [Run(*(*row[:8], bool(row[8]), *row[9:])) for row in found]


def _unknown(run_id: str) -> UnknownRun:
    return UnknownRun(f"No run {run_id!r}: it was deleted with its conversation. Ask again in a new one.")

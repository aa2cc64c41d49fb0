"""Background summaries: which were asked for, what each replaced, what became of it, and what it cost."""

import json
import sqlite3
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sqlite_utils import Database

from instrumentgpt.memory.summary import Entry, parse, write
from instrumentgpt.storage.connection import rows, transaction


@dataclass(frozen=True)
class SummaryJob:
    """One background summary. `status`: waiting, running, applied, refused, failed or died.

    note      why it was refused or failed
    replaced  the stored lines of the summary that `text` stands for
    """

    id: str
    conversation_id: str
    agent: str
    status: str
    note: str
    replaced: str
    text: str
    pid: int | None
    asked_at: float
    asked_clock: float | None  # monotonic, see storage/runs.py
    began_at: float | None
    finished_at: float | None
    usage: Mapping[str, float] = field(default_factory=dict)


_COLUMNS = (
    "id, conversation_id, agent, status, note, replaced, text, pid, asked_at, asked_clock, began_at,"
    " finished_at, usage"
)


def ask_for_summary(database: Database, conversation_id: str, agent: str, replaced: str) -> str | None:
    """Return the id of a new job, or None while the conversation has one."""
    job_id = uuid.uuid4().hex
    try:
        with transaction(database):
            database.conn.execute(
                "INSERT INTO summary_jobs (id, conversation_id, agent, replaced, asked_at, asked_clock)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (job_id, conversation_id, agent, replaced, time.time(), time.monotonic()),
            )
    except sqlite3.IntegrityError:
        return None
    return job_id


def get_job(database: Database, job_id: str) -> SummaryJob | None:
    """Return the job, or None: it goes with its conversation."""
    found: list[Any] = rows(database, f"SELECT {_COLUMNS} FROM summary_jobs WHERE id = ?", (job_id,))
    return _job(found[0]) if found else None


def list_jobs(database: Database, conversation_id: str) -> list[SummaryJob]:
    """Return the conversation's jobs, newest first."""
    sql = f"SELECT {_COLUMNS} FROM summary_jobs WHERE conversation_id = ? ORDER BY asked_at DESC, rowid DESC"
    found: list[Any] = rows(database, sql, (conversation_id,))
    return [_job(row) for row in found]


def live_jobs(database: Database) -> list[SummaryJob]:
    """Return the jobs of all conversations that wait or run, oldest first."""
    sql = f"SELECT {_COLUMNS} FROM summary_jobs WHERE status IN ('waiting', 'running') ORDER BY asked_at"
    return [_job(row) for row in rows(database, sql)]


def _job(row: tuple[Any, ...]) -> SummaryJob:
    *told, usage = row
    return replace(SummaryJob(*told), usage=json.loads(usage))


def note_process(database: Database, job_id: str, pid: int) -> None:
    """Note which process does the job, so that it can be found dead."""
    with transaction(database):
        database.conn.execute("UPDATE summary_jobs SET pid = ? WHERE id = ?", (pid, job_id))


def begin_job(database: Database, job_id: str, at_once: int) -> bool:
    """Begin the job if a further answer could be written now, and none waits for that; return whether it did.

    Answers never wait for it.
    """
    with transaction(database):
        sql = (
            "SELECT (SELECT count(*) FROM runs WHERE status = 'running')"
            " + (SELECT count(*) FROM summary_jobs WHERE status = 'running' AND id != ?)"
        )
        if database.conn.execute(sql, (job_id,)).fetchone()[0] >= at_once:
            return False
        database.conn.execute(
            "UPDATE summary_jobs SET status = 'running', began_at = ? WHERE id = ? AND status = 'waiting'",
            (time.time(), job_id),
        )
    return True


def finish_job(
    database: Database,
    job_id: str,
    status: str,
    note: str = "",
    text: str = "",
    usage: Mapping[str, float] | None = None,
) -> None:
    """Close the job, unless it was closed before."""
    with transaction(database):
        database.conn.execute(
            "UPDATE summary_jobs SET status = ?, note = ?, text = ?, usage = ?, finished_at = ?"
            " WHERE id = ? AND status IN ('waiting', 'running')",
            (status, note, text, json.dumps(dict(usage or {})), time.time(), job_id),
        )


def put_in_place(database: Database, job: SummaryJob, text: str) -> str:
    """Put `text` in place of the lines that the job replaces; return "", or why that was not done.

    Nothing changes unless exactly these messages are summarised still, and no question is being answered:
    its turn would save the summary as it was when it began.
    """
    with transaction(database):
        if rows(
            database,
            "SELECT 1 FROM runs WHERE conversation_id = ? AND status = 'running'",
            (job.conversation_id,),
        ):
            return "the conversation was being answered"
        found: list[Any] = rows(
            database, "SELECT summary FROM conversations WHERE id = ?", (job.conversation_id,)
        )
        if not found:
            return "the conversation was deleted"
        entries = parse(found[0][0] or "")
        whole = covering(parse(job.replaced))
        if whole is None or not _are_there(database, job.conversation_id, whole):
            return "messages were deleted meanwhile"
        inside = [row for row in entries if _within(row, whole)]
        if covering(inside) != whole:
            return "the summary was merged with newer messages meanwhile"
        place = entries.index(inside[0])
        left = [row for row in entries if row not in inside]
        new = Entry(text, whole.first, whole.last, whole.count)
        database.conn.execute(
            "UPDATE conversations SET summary = ? WHERE id = ?",
            (write([*left[:place], new, *left[place:]]), job.conversation_id),
        )
    return ""


def covering(entries: list[Entry]) -> Entry | None:
    """Return an entry without text that holds all messages of the entries; None where one has no ids."""
    if not entries or any(row.first is None or row.digests for row in entries):
        return None
    return Entry("", entries[0].first, entries[-1].last, sum(row.count for row in entries))


def _within(row: Entry, whole: Entry) -> bool:
    if row.first is None or row.last is None or whole.first is None or whole.last is None:
        return False
    return whole.first <= row.first and row.last <= whole.last


def _are_there(database: Database, conversation_id: str, whole: Entry) -> bool:
    sql = "SELECT count(*) FROM messages WHERE conversation_id = ? AND id BETWEEN ? AND ?"
    found: list[Any] = rows(database, sql, (conversation_id, whole.first, whole.last))
    return bool(found[0][0] == whole.count)

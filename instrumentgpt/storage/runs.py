"""Runs: turns and summaries in progress, one live of each kind per conversation, their events and prompts.

Prompts are kept as they were sent, every one, compressed: 8,000 tokens take about 10 kB.
"""

import json
import sqlite3
import time
import uuid
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlite_utils import Database

from instrumentgpt.storage.connection import (
    RunInProgress,
    UnknownConversation,
    UnknownRun,
    Values,
    change,
    insert,
    rows,
    select,
    transaction,
)

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
    try:
        insert(
            database, "runs", id=run_id, conversation_id=conversation_id, agent=agent, mode=mode, kind=kind,
            question_message_id=question_message_id, started_at=time.time(), started_clock=time.monotonic(),
        )  # fmt: skip
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
    sql = "UPDATE runs SET pid = ?, process_started = ? WHERE id = ?"
    if not change(database, sql, (pid, process_started, run_id)):
        raise _unknown(run_id)


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
        sql = "UPDATE runs SET began_at = ?, began_clock = ? WHERE id = ? AND began_at IS NULL"
        change(database, sql, (time.time(), time.monotonic(), run_id))
    return 0


def request_stop(database: Database, run_id: str) -> None:
    """Ask the run to stop; it sees `stop_requested`."""
    if not change(database, "UPDATE runs SET stop_requested = 1 WHERE id = ?", (run_id,)):
        raise _unknown(run_id)


def finish_run(database: Database, run_id: str, status: str) -> bool:
    """Close the run with `status` (an outcome of agents.events); False if it was closed before."""
    sql = "UPDATE runs SET status = ?, finished_at = ? WHERE id = ? AND status = 'running'"
    return change(database, sql, (status, time.time(), run_id)) == 1


def append_events(database: Database, run_id: str, events: Sequence[str]) -> int:
    """Store `events` (JSON lines) after the run's last one; return the number of the last, from 1."""
    with transaction(database):
        sql = "SELECT ifnull(max(number), 0) FROM run_events WHERE run_id = ?"
        [(last,)] = rows(database, sql, (run_id,))
        try:
            database.conn.executemany(
                "INSERT INTO run_events (run_id, number, event) VALUES (?, ?, ?)",
                [(run_id, number, event) for number, event in enumerate(events, last + 1)],
            )
        except sqlite3.IntegrityError as error:
            raise _unknown(run_id) from error
    return int(last) + len(events)


def read_events(
    database: Database, run_id: str, after: int = 0, limit: int = EVENTS_AT_ONCE
) -> list[tuple[int, str]]:
    """Return (number, JSON line) of the run's events numbered above `after`, in order."""
    sql = "SELECT number, event FROM run_events WHERE run_id = ? AND number > ? ORDER BY number LIMIT ?"
    return rows(database, sql, (run_id, after, limit))


def get_run(database: Database, run_id: str) -> Run:
    """Return the run; raise UnknownRun if there is none."""
    for run in select(database, Run, "runs WHERE id = ?", (run_id,)):
        return run
    raise _unknown(run_id)


def live_run(database: Database, conversation_id: str, kind: Kind = "turn") -> Run | None:
    """Return the run that is answering in this conversation, or summarising it, or None."""
    source = "runs WHERE conversation_id = ? AND status = 'running' AND kind = ?"
    return next(iter(select(database, Run, source, (conversation_id, kind))), None)


def live_runs(database: Database) -> list[Run]:
    """Return all live runs of both kinds, oldest first."""
    return select(database, Run, "runs WHERE status = 'running' ORDER BY started_at")


def list_runs(database: Database, conversation_id: str, limit: int = 100, kind: Kind = "turn") -> list[Run]:
    """Return the newest `limit` runs of a kind of the conversation, newest first."""
    source = "runs WHERE conversation_id = ? AND kind = ? ORDER BY started_at DESC, rowid DESC LIMIT ?"
    return select(database, Run, source, (conversation_id, kind, limit))


def usage_of(database: Database, conversation_id: str) -> dict[str, float]:
    """Return what agents reported of all answers of the conversation together, as `events.Done.usage`."""
    sql = (
        "SELECT json_extract(event, '$.usage') FROM run_events JOIN runs ON runs.id = run_id"
        " WHERE conversation_id = ? AND json_extract(event, '$.event') = 'Done'"
    )
    total: Counter[str] = Counter()
    for (usage,) in rows(database, sql, (conversation_id,)):
        total.update(json.loads(usage or "{}"))
    return dict(total)


def mode_of(database: Database, question_message_id: int) -> str:
    """Return the mode in which a question was asked last, "" if none is on record."""
    sql = "SELECT mode FROM runs WHERE question_message_id = ? ORDER BY started_at DESC LIMIT 1"
    return "".join(mode for (mode,) in rows(database, sql, (question_message_id,)))


def _unknown(run_id: str) -> UnknownRun:
    return UnknownRun(f"No run {run_id!r}: it was deleted with its conversation. Ask again in a new one.")


@dataclass(frozen=True)
class SentPrompt:
    """One prompt as an agent was given it.

    message_id  the question whose turn it belongs to
    task        what the agent was to do: "chat", or one step of another mode
    budget      tokens that it had to keep to
    sent_at     s since 1970
    """

    id: int
    message_id: int
    run_id: str
    task: str
    agent: str
    budget: int
    text: str
    sent_at: float


def keep_prompt(
    database: Database,
    conversation_id: str,
    message_id: int,
    text: str,
    *,
    run_id: str,
    task: str,
    agent: str,
    budget: int,
) -> int:
    """Keep a prompt of the turn of question `message_id`, with which it is deleted; return its id."""
    packed = zlib.compress(text.encode("utf-8", "surrogatepass"))
    return insert(
        database, "all_prompts", conversation_id=conversation_id, message_id=message_id, run_id=run_id,
        task=task, agent=agent, budget=budget, text=packed, sent_at=time.time(),
    )  # fmt: skip


def list_prompts(database: Database, conversation_id: str) -> list[tuple[int, int, str, str]]:
    """Return (id, question's message id, task, agent) of every prompt sent, oldest first."""
    sql = "SELECT id, message_id, task, agent FROM prompts WHERE conversation_id = ? ORDER BY id"
    return rows(database, sql, (conversation_id,))


def get_prompt(database: Database, conversation_id: str, prompt_id: int) -> SentPrompt | None:
    """Return a prompt of this conversation, None if there is none of this id."""
    return _prompt(database, "conversation_id = ? AND id = ?", (conversation_id, prompt_id))


def prompt_before(
    database: Database, conversation_id: str, task: str, prompt_id: int | None = None
) -> SentPrompt | None:
    """Return the newest prompt with this task that was sent before `prompt_id` (None: the newest of all)."""
    where = "conversation_id = ? AND task = ? AND id < ? ORDER BY id DESC LIMIT 1"
    before = 2**63 - 1 if prompt_id is None else prompt_id
    return _prompt(database, where, (conversation_id, task, before))


def _prompt(database: Database, where: str, values: Values) -> SentPrompt | None:
    for sent in select(database, SentPrompt, f"prompts WHERE {where}", values):
        packed: Any = sent.text
        return replace(sent, text=zlib.decompress(packed).decode("utf-8", "surrogatepass"))
    return None

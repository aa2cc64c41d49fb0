"""The summary written by the agent that answers, in the background: a process of its own after the turn.

It is in nobody's way: answers do not wait for it, it waits for them.
What it writes replaces the rules' summary only if it is complete, keeps every number, log and device,
adds none, and the messages that it stands for are still those that the summary holds.
"""

import logging
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from sqlite_utils import Database

import db
from instrumentgpt.agents.events import Done
from instrumentgpt.agents.process import Request
from instrumentgpt.agents.registry import UnknownAgent, choose, model_for
from instrumentgpt.instruments.conversation import nicknamed
from instrumentgpt.instruments.devices import load_inventory, spoken_names
from instrumentgpt.memory.agent_summary import objection, one_line, summary_prompt
from instrumentgpt.memory.filtering import filter_content
from instrumentgpt.memory.summary import Entry, parse, render, write
from instrumentgpt.settings import Settings, settings_in_force
from instrumentgpt.storage.connection import file_of, rows
from instrumentgpt.storage.runs import live_run
from instrumentgpt.storage.summary_jobs import (
    SummaryJob,
    ask_for_summary,
    begin_job,
    covering,
    finish_job,
    get_job,
    list_jobs,
    live_jobs,
    note_process,
    put_in_place,
)
from instrumentgpt.turn.ask import started
from instrumentgpt.turn.detached import is_starting, living, start_detached

NEW_MESSAGES = 4  # that the rules have summarised since the agent did: two exchanges
POLL = 0.2  # s
WAIT_SECONDS = 3600.0  # for its turn
_log = logging.getLogger(__name__)


def after_answer(database: Database, conversation_id: str) -> None:
    """Ask for a summary, if it is wanted; whatever goes wrong, the answer has been given."""
    try:
        ask_summary(database, conversation_id)
    except Exception:  # the edge of a turn: its answer is stored, and must not end in an error of ours
        _log.exception("no summary of %s", conversation_id)


def ask_summary(database: Database, conversation_id: str) -> str | None:
    """Start a background summary if it is wanted and there is enough for it; return the job's id or None.

    The offline analyst writes none: the rules' summary is what it would say.
    """
    settings = settings_in_force(db.get_settings(database))
    if not settings.background_summary:
        return None
    try:
        agent, _ = choose(settings.agent, settings)
    except UnknownAgent:
        return None
    _close_dead(database)
    replaced = _to_replace(database, conversation_id)
    if agent.name == "offline" or not replaced:
        return None
    job_id = ask_for_summary(database, conversation_id, agent.name, write(replaced))
    if job_id is not None:
        path = Path(file_of(database))
        note_process(database, job_id, start_detached("instrumentgpt.turn.summary_process", path, job_id))
    return job_id


def _to_replace(database: Database, conversation_id: str) -> list[Entry]:
    """Return the entries of the summary from the first to the newest, if the rules have added enough.

    Enough since the agent was asked last, whether its answer was taken or not: a refused one costs, too.
    """
    entries = parse(db.get_memory(conversation_id, database)[0])
    if covering(entries) is None:
        return []
    asked = [job for job in list_jobs(database, conversation_id) if job.status != "died"]
    known = covering(parse(asked[0].replaced)) if asked else None
    until = known.last if known else None
    new = sum(row.count for row in entries if until is None or (row.last or 0) > until)
    return entries if new >= NEW_MESSAGES else []


def _close_dead(database: Database) -> None:
    for job in live_jobs(database):
        if not _is_alive(job):
            finish_job(database, job.id, "died", "its process ended")


def _is_alive(job: SummaryJob) -> bool:
    if job.pid is None:
        return is_starting(job.asked_clock)
    return living(job.pid, job.id) is not None


def summarise(database: Database, job_id: str, stopped: Callable[[], bool] = lambda: False) -> None:
    """Do the job: wait for its turn, ask the agent, check what it says, put it in place or say why not."""

    def gone() -> bool:
        return stopped() or get_job(database, job_id) is None

    if not _its_turn(database, job_id, gone):
        finish_job(database, job_id, "failed", "other answers took too long")
        return
    job = get_job(database, job_id)
    if job is None:
        return
    try:
        attempt = _written(database, job, gone)
    except Exception as error:  # the edge of a job: whatever it is, the rules' summary stays and the job ends
        _log.exception("summary %s", job_id)
        attempt = _Attempt("failed", f"{type(error).__name__}: {error}")
    if attempt.status == "written":
        note = _placed(database, job, attempt.text, gone)
        attempt = replace(attempt, status="refused" if note else "applied", note=note)
    finish_job(database, job.id, attempt.status, attempt.note, attempt.text, attempt.usage)


def _its_turn(database: Database, job_id: str, gone: Callable[[], bool]) -> bool:
    """Wait until fewer answers and summaries are written than may be at a time; return whether that came."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not begin_job(database, job_id, settings_in_force(db.get_settings(database)).runs_at_once):
        if gone() or time.monotonic() > deadline:
            return False
        _close_dead(database)
        time.sleep(POLL)
    return True


@dataclass(frozen=True)
class _Attempt:
    """What came of asking for a summary.

    status  "written" if it may be put in place; else as the job ends: "refused", "failed"
    note    why it may not
    """

    status: str
    note: str = ""
    text: str = ""
    usage: Mapping[str, float] = field(default_factory=dict)


def _written(database: Database, job: SummaryJob, gone: Callable[[], bool]) -> _Attempt:
    """Return the summary that the agent writes, or why there is none that may be used."""
    settings = settings_in_force(db.get_settings(database))
    rules, record = render(parse(job.replaced)), _record(database, job)
    devices = spoken_names(nicknamed(database, job.conversation_id, load_inventory(settings.inventory)))
    prompt = summary_prompt(rules, record, settings.prompt_tokens)
    if not prompt:
        return _Attempt("refused", "the record is too long for the budget of a prompt")
    done = _answer(job, prompt, settings, gone)
    if done.outcome != "ok":
        return _Attempt("failed", f"the agent's answer ended: {done.outcome}", usage=done.usage)
    text = one_line(done.text)
    note = objection(rules, "\n".join(record), text, devices)
    return _Attempt("refused" if note else "written", note, text, done.usage)


def _answer(job: SummaryJob, prompt: str, settings: Settings, gone: Callable[[], bool]) -> Done:
    """Return how the agent's answer ended; it works in an empty folder, and may only read."""
    agent, program = choose(job.agent, settings)
    with tempfile.TemporaryDirectory(prefix="summary-") as folder:
        request = Request(prompt, Path(folder), model=model_for(agent, settings))
        done = Done("no-result", "")
        with closing(started(job.id, settings, gone, agent, program, request)) as events:
            for event in events:
                done = event if isinstance(event, Done) else done
    return done


def _record(database: Database, job: SummaryJob) -> list[str]:
    """Return the messages that are summarised, those that the agent has summarised before as it did."""
    written = {one.text for one in list_jobs(database, job.conversation_id) if one.status == "applied"}
    sql = "SELECT role, content FROM messages WHERE conversation_id = ? AND id BETWEEN ? AND ? ORDER BY id"
    told: list[str] = []
    for row in parse(job.replaced):
        if row.text in written:
            told.append(row.text)
            continue
        found = rows(database, sql, (job.conversation_id, row.first or 0, row.last or 0))
        told += [
            f"{'User' if role == 'user' else 'Assistant'}: {filter_content(str(content)).strip()}"
            for role, content in found
        ]
    return told


def _placed(database: Database, job: SummaryJob, text: str, gone: Callable[[], bool]) -> str:
    """Put the text in place once no answer of the conversation is being written; return "", or why not."""
    deadline = time.monotonic() + settings_in_force(db.get_settings(database)).total_seconds
    while (note := put_in_place(database, job, text)) and live_run(database, job.conversation_id):
        if gone() or time.monotonic() > deadline:
            break
        time.sleep(POLL)
    return note

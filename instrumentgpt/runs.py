"""Turns in progress: each a process of its own that outlives the page and the server.

Everything a page or another server needs is in the database: the run, its process, its numbered events.
"""

import logging
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

import psutil
from sqlite_utils import Database

import db
from instrumentgpt.agents.events import Done, Event, Events, Failure, Outcome, Tick, from_json, to_json
from instrumentgpt.agents.family import RUN_VARIABLE, end_all, run_processes
from instrumentgpt.agents.process import POLL
from instrumentgpt.agents.registry import UnknownAgent as UnknownAgent
from instrumentgpt.agents.registry import choose
from instrumentgpt.background import after_answer
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.modes.commands.grammar import COMMAND, is_command
from instrumentgpt.modes.registry import MODES, known_mode, run_turn
from instrumentgpt.settings import CHECKOUT, Settings, settings_in_force
from instrumentgpt.storage.artifacts import attach_uploads
from instrumentgpt.storage.runs import (
    Run,
    append_events,
    begin_run,
    get_run,
    live_run,
    live_runs,
    read_events,
    request_stop,
    set_process,
    start_run,
)
from instrumentgpt.text.approval import approval
from instrumentgpt.turn import Turn, open_turn, run_folder

STARTING_SECONDS = 20.0  # a run may be without a process for so long: between its row and its pid
CLOCK_SECONDS = 1.0  # a start time is told from the boot time, which moves when the clock is set
STOP_SECONDS = 0.9  # for the turn to stop by itself; then it is killed, within 1.5 s in all
OVERTIME_SECONDS = 30.0  # beyond the longest run, for saving the answer
LEFT_BEHIND_SECONDS = 0.5  # for what a turn's agent left behind, between SIGTERM and SIGKILL
LOOK_SECONDS = 1.0  # between two looks of a waiting run for others that died
KEPT_FOLDERS_SECONDS = 7 * 24 * 3600.0  # a failed run's log is there for a week
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_log = logging.getLogger(__name__)

Attachment = str | tuple[str, bytes]  # the id of a stored artifact, or (file name, content)


class RunDoesNotStart(InstrumentGPTError, OSError):
    """The process of a turn could not be started."""


def start(
    database_path: str | Path,
    conversation_id: str,
    text: str,
    *,
    mode: str = "chat",
    agent: str = "auto",
    attachments: Sequence[Attachment] = (),
) -> str:
    """Store the question raw, start its answer as a process in a session of its own, and return the run's id.

    attachments  files that come with the question; an id is of an artifact that no message has yet

    Raises RunInProgress if the conversation is being answered, and UnknownAgent; then nothing is stored.
    """
    path = Path(database_path).absolute()
    with closing(db.connect(path)) as database:
        run_id = _record(database, conversation_id, text, mode, agent, attachments)
        try:
            pid = _spawn(path, run_id)
        except OSError as error:
            close(database, run_id, Failure("died", f"The answer's process does not start: {error}"))
            raise RunDoesNotStart(
                f"The answer's process does not start: {error}. Close other programs."
            ) from error
        _note_process(database, run_id, pid)
    return run_id


def consume(
    database_path: str | Path,
    conversation_id: str,
    text: str,
    *,
    mode: str = "chat",
    agent: str = "auto",
    attachments: Sequence[Attachment] = (),
    stopped: Callable[[], bool] = lambda: False,
) -> Events:
    """Yield the events of a turn that runs in this process, stored as `start` would have them.

    KeyboardInterrupt, and closing the generator, end the turn as cancelled, with its partial text.
    """
    path = Path(database_path).absolute()
    with closing(db.connect(path)) as database:
        run_id = _record(database, conversation_id, text, mode, agent, attachments)
        _note_process(database, run_id, os.getpid())
        try:
            yield from answer(database, run_id, stopped)
            after_answer(database, conversation_id)
        finally:
            shutil.rmtree(run_folder(path, run_id), ignore_errors=True)


def answer(database: Database, run_id: str, stopped: Callable[[], bool]) -> Events:
    """Answer the run's question in this process: append each event to the database, then yield it."""

    def stop_wanted() -> bool:
        return stopped() or get_run(database, run_id).stop_requested

    ended = False
    try:
        if not (yield from _its_turn(database, run_id, stop_wanted)):
            yield from close(database, run_id, outcome="cancelled")
            return
        with closing(run_turn(open_turn(database, run_id, stop_wanted))) as events:
            for event in events:
                if not isinstance(event, Done):  # that one was stored with the answer
                    append_events(database, run_id, [to_json(event)])
                ended = ended or isinstance(event, Done)
                yield event
        if not ended:  # somebody else, who stopped it, was faster
            yield from (event for event in events_of(database, run_id) if isinstance(event, Done))
    except (KeyboardInterrupt, GeneratorExit):
        close(database, run_id, outcome="cancelled")
        raise
    except Exception as error:  # the edge of a turn: whatever it is, the run ends and says so
        _log.exception("run %s", run_id)
        known = isinstance(error, InstrumentGPTError)
        text = str(error) if known else f"{type(error).__name__}: {error}"
        yield from close(
            database, run_id, Failure("error", text, "Ask again. If it happens again, report it.")
        )
    finally:
        end_all(run_processes(run_id), LEFT_BEHIND_SECONDS)


def _its_turn(
    database: Database, run_id: str, stop_wanted: Callable[[], bool]
) -> Generator[Event, None, bool]:
    """Wait while as many runs as allowed are being answered, telling the place; False if stopped."""
    told, looked = 0, 0.0
    while before := begin_run(database, run_id, _in_force(database).runs_at_once):
        if stop_wanted():
            return False
        if before != told:
            told = before
            yield _noted(database, run_id, f"waiting for other answers to end: number {before} in the queue")
        if time.monotonic() - looked > LOOK_SECONDS:
            looked = time.monotonic()
            _reap_all(database, except_for=run_id)
        time.sleep(2 * POLL)
    if told:
        yield _noted(database, run_id, "its turn has come")
    return True


def _noted(database: Database, run_id: str, note: str) -> Tick:
    tick = Tick(note)
    append_events(database, run_id, [to_json(tick)])
    return tick


def close(
    database: Database, run_id: str, failure: Failure | None = None, outcome: Outcome = "died"
) -> list[Event]:
    """End the run from outside its turn and return the events that told so; none if it had ended.

    Its partial text is saved and marked with the outcome of `failure`, or `outcome`; whatever its events
    have told is taken into the memory, as the turn itself would have done.
    """
    turn = open_turn(database, run_id)
    for event in events_of(database, run_id):
        turn.take(event)
    with db.transaction(database):
        if get_run(database, run_id).status != "running":
            return []
        if failure is not None:
            append_events(database, run_id, [to_json(failure)])
        done = _saved(turn, failure.outcome if failure else outcome)
    return [event for event in (failure, done) if event is not None]


def _saved(turn: Turn, outcome: Outcome) -> Done | None:
    try:
        return turn.save(outcome)
    except Exception:  # the edge of a turn: what cannot be remembered must not keep the run open
        _log.exception("run %s: its answer is saved, the memory stays as it was", turn.run.id)
        return turn.save(outcome, remember=False)


def events_of(database: Database, run_id: str, after: int = 0) -> Iterator[Event]:
    """Yield all events stored of the run with numbers above `after`."""
    while page := read_events(database, run_id, after):
        yield from (from_json(line) for _, line in page)
        after = page[-1][0]


def stop(database_path: str | Path, run_id: str) -> Run:
    """Stop the run and all it started, within 1.5 s; return it as it ended, now or before."""
    with closing(db.connect(database_path)) as database:
        request_stop(database, run_id)
        deadline = time.monotonic() + STOP_SECONDS
        while process_of(run := get_run(database, run_id)) and time.monotonic() < deadline:
            if run.status != "running":
                break
            time.sleep(POLL / 2)
        if get_run(database, run_id).status == "running":
            end_all(run_processes(run_id), grace=0.0)
            close(database, run_id, outcome="cancelled")
        return get_run(database, run_id)


def reap(database_path: str | Path) -> list[str]:
    """Close runs whose process died, and end those over the longest time; return the ids of both.

    Cheap when nothing is wrong: pages call it when they open and every few seconds.
    """
    with closing(db.connect(database_path)) as database:
        return _reap_all(database)


def _reap_all(database: Database, except_for: str = "") -> list[str]:
    total = _in_force(database).total_seconds
    runs = [run for run in live_runs(database) if run.id != except_for]
    return [run.id for run in runs if _reap(database, run, _longest(run, total))]


def _longest(run: Run, total: float) -> float:
    """Return the seconds that a run may take: its mode may ask several agents, each for `total`."""
    asked = MODES[run.mode].in_a_row if run.mode in MODES else 1
    return total * asked + OVERTIME_SECONDS


def _in_force(database: Database) -> Settings:
    return settings_in_force(db.get_settings(database))


def process_of(run: Run) -> psutil.Process | None:
    """Return the living process that answers `run`; never another one that has its number by now."""
    if run.pid is None:
        return None
    try:
        process = psutil.Process(run.pid)
        alive = process.status() != psutil.STATUS_ZOMBIE and _is_of(process, run)
    except psutil.Error:
        return None
    return process if alive else None


def _is_of(process: psutil.Process, run: Run) -> bool:
    """A turn's process carries its run's name; one in the foreground is known by when it started."""
    with suppress(psutil.AccessDenied):
        if process.environ().get(RUN_VARIABLE) == run.id:
            return True
    return abs(process.create_time() - (run.process_started or 0.0)) < CLOCK_SECONDS


def _record(
    database: Database,
    conversation_id: str,
    text: str,
    mode: str,
    agent: str,
    attachments: Sequence[Attachment],
) -> str:
    known_mode(mode)
    settings = _in_force(database)
    if is_command(text):
        who = COMMAND
    else:
        who = choose(settings.agent if agent == "auto" else agent, settings)[0].name
        mode = _mode_of_reply(database, conversation_id, text, mode)
    stale = live_run(database, conversation_id)
    if stale is not None:
        _reap(database, stale, longest=float("inf"))
    with db.transaction(database):
        message_id = db.add_message(database, conversation_id, "user", text)
        _attach(database, conversation_id, message_id, attachments)
        return start_run(database, conversation_id, who, mode, message_id)


def _mode_of_reply(database: Database, conversation_id: str, text: str, mode: str) -> str:
    """Return the mode that a plain yes or no belongs to: that of the last answer's offer that means it."""
    meant = approval(text)
    latest = db.list_messages(database, conversation_id)[-1:] if meant else []
    offers = db.list_offers(database, latest[0].id) if latest and latest[0].role == "assistant" else []
    modes = [offer.mode for offer in offers if approval(offer.text) == meant and offer.mode in MODES]
    return mode if mode in modes else next(iter(modes), mode)


def _attach(
    database: Database, conversation_id: str, message_id: int, attachments: Sequence[Attachment]
) -> None:
    attach_uploads(
        database, conversation_id, [given for given in attachments if isinstance(given, str)], message_id
    )
    for given in attachments:
        if isinstance(given, tuple):
            name, content = Path(given[0]).name, given[1]
            kind = "image" if name.lower().endswith(IMAGE_SUFFIXES) else "log"
            db.add_artifact(
                database, conversation_id, None, message_id, kind, name, f"{name}, attached", content
            )


def _spawn(path: Path, run_id: str) -> int:
    folder = run_folder(path, run_id)
    folder.mkdir(parents=True, exist_ok=True)
    _forget_old_folders(folder.parent)
    with (folder / "turn.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "instrumentgpt.turn_process", str(path), run_id],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=CHECKOUT,
            env={**os.environ, RUN_VARIABLE: run_id},
            start_new_session=True,
        )
    threading.Thread(target=process.wait, daemon=True, name=f"wait for run {run_id}").start()  # no zombie
    return process.pid


def _note_process(database: Database, run_id: str, pid: int) -> None:
    try:
        set_process(database, run_id, pid, psutil.Process(pid).create_time())
    except psutil.NoSuchProcess:  # it has ended already; the reaper closes what it left
        set_process(database, run_id, pid, 0.0)


def _forget_old_folders(runs_folder: Path) -> None:
    for folder in runs_folder.iterdir():
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > KEPT_FOLDERS_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


def _reap(database: Database, run: Run, longest: float) -> bool:
    age = time.time() - run.started_at
    if run.began_at is not None and time.time() - run.began_at > longest:
        end_all(run_processes(run.id), grace=0.0)
        close(database, run.id, Failure("timeout", f"The answer took longer than {longest:g} s."))
        return True
    if process_of(run) is not None or (run.pid is None and age < STARTING_SECONDS):
        return False
    if get_run(database, run.id).status != "running":  # it ended between the two looks
        return False
    end_all(run_processes(run.id), grace=0.0)
    close(database, run.id, Failure("died", "The answer's process died.", "Ask again."))
    return True

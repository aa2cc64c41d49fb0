"""Runs in progress: turns and summaries, each a process of its own that outlives the page and the server.

Everything a page or another server needs is in the database: the run, its process, its numbered events.
"""

import hashlib
import io
import logging
import os
import shutil
import time
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import IO

import psutil
from sqlite_utils import Database

import db
from instrumentgpt.agents.approval import approval
from instrumentgpt.agents.events import Done, Event, Events, Failure, Tick, to_json
from instrumentgpt.agents.family import end_all, run_processes
from instrumentgpt.agents.process import POLL
from instrumentgpt.agents.registry import choose
from instrumentgpt.errors import InstrumentGPTError, reason
from instrumentgpt.instruments.pasted import file_name, number_of, pasted_log
from instrumentgpt.modes.commands.table import is_command
from instrumentgpt.modes.registry import MODES, known_mode, run_turn
from instrumentgpt.settings import settings_in_force
from instrumentgpt.storage import runs as stored
from instrumentgpt.storage.artifacts import Received, add_upload, attach_uploads, list_uploads, received
from instrumentgpt.storage.connection import RunInProgress, UnknownRun, file_of
from instrumentgpt.turn.close import (
    close,
    end_at_once,
    events_of,
    process_of,
    reap_all,
    reap_run,
    start_detached,
    started_after_boot,
)
from instrumentgpt.turn.summary import agent_wanted, summarise
from instrumentgpt.turn.turn import open_turn, run_folder

Attachment = str | Path | tuple[str, bytes]  # id of a stored artifact, a file, or (file name, content)
STOP_SECONDS = 0.9  # for the turn to stop by itself; then it is killed, within 1.5 s in all
LEFT_BEHIND_SECONDS = 0.5  # for what a turn's agent left behind, between SIGTERM and SIGKILL
LOOK_SECONDS = 1.0  # between two looks of a waiting run for others that died
KEPT_FOLDERS_SECONDS = 7 * 24 * 3600.0  # a failed run's log is there for a week
_log = logging.getLogger(__name__)


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
        run_id = store_question(database, conversation_id, text, mode, agent, attachments)
        _spawn(database, run_id)
    return run_id


def start_summary(database: Database, conversation_id: str) -> str | None:
    """Start a summary by the agent, if one is wanted and none is being written; return its run's id or None.

    Whatever goes wrong, the answer before it has been given, and must not end in an error of this.
    """
    try:
        reap_all(database)
        agent = agent_wanted(database, conversation_id)
        run_id = stored.start_run(database, conversation_id, agent, "", kind="summary") if agent else None
        if run_id:
            _spawn(database, run_id)
        return run_id
    except RunInProgress:
        return None
    except Exception:  # the edge of a turn
        _log.exception("no summary of %s", conversation_id)
        return None


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
        run_id = store_question(database, conversation_id, text, mode, agent, attachments)
        _note_process(database, run_id, os.getpid())
        try:
            yield from answer(database, run_id, stopped)
            start_summary(database, conversation_id)
        finally:
            shutil.rmtree(run_folder(path, run_id), ignore_errors=True)


def answer(database: Database, run_id: str, stopped: Callable[[], bool]) -> Events:
    """Do the run in this process, a turn or a summary: append each event to the database, then yield it."""

    def stop_wanted() -> bool:
        return stopped() or stored.get_run(database, run_id).stop_requested

    try:
        if (yield from _its_turn(database, run_id, stop_wanted)):
            run = stored.get_run(database, run_id)
            if run.kind == "turn":
                events = run_turn(open_turn(database, run_id, stop_wanted))
            else:
                events = summarise(database, run, stop_wanted)
            yield from _recorded(database, run_id, events)
        else:
            yield from close(database, run_id, outcome="cancelled")
    except (KeyboardInterrupt, GeneratorExit):
        close(database, run_id, outcome="cancelled")
        raise
    except UnknownRun:  # its conversation was deleted
        return
    except Exception as error:  # the edge of a turn: whatever it is, the run ends and says so
        _log.exception("run %s", run_id)
        failure = Failure("error", reason(error), "Ask again. If it happens again, report it.")
        yield from close(database, run_id, failure)
    finally:
        end_all(run_processes(run_id), LEFT_BEHIND_SECONDS)


def _recorded(database: Database, run_id: str, events: Events) -> Events:
    """Append each of the turn's `events` to the database, then yield it; the run's Done comes last."""
    ended = False
    with closing(events):
        for event in events:
            if not isinstance(event, Done):  # that one was stored with the answer
                stored.append_events(database, run_id, [to_json(event)])
            ended = ended or isinstance(event, Done)
            yield event
    if not ended:  # somebody else, who stopped it, was faster
        yield from (event for event in events_of(database, run_id) if isinstance(event, Done))


def _its_turn(
    database: Database, run_id: str, stop_wanted: Callable[[], bool]
) -> Generator[Event, None, bool]:
    """Wait while as many runs as allowed are being answered, and yield the run's place among those waiting.

    Returns whether its turn has come; False if it was stopped before.
    """
    announced, looked = 0, 0.0
    while before := stored.begin_run(
        database, run_id, settings_in_force(db.get_settings(database)).runs_at_once
    ):
        if stop_wanted():
            return False
        if before != announced:
            announced = before
            yield _noted(database, run_id, f"waiting for other answers to end: number {before} in the queue")
        if time.monotonic() - looked > LOOK_SECONDS:
            looked = time.monotonic()
            reap_all(database, except_for=run_id)
        time.sleep(2 * POLL)
    if announced:
        yield _noted(database, run_id, "its turn has come")
    return True


def _noted(database: Database, run_id: str, note: str) -> Tick:
    tick = Tick(note)
    stored.append_events(database, run_id, [to_json(tick)])
    return tick


def stop(database_path: str | Path, run_id: str) -> stored.Run:
    """Stop the run and all it started, within 1.5 s; return it as it ended, now or before."""
    with closing(db.connect(database_path)) as database:
        stored.request_stop(database, run_id)
        deadline = time.monotonic() + STOP_SECONDS
        while process_of(run := stored.get_run(database, run_id)) and time.monotonic() < deadline:
            if run.status != "running":
                break
            time.sleep(POLL / 2)
        if (run := stored.get_run(database, run_id)).status == "running":
            end_at_once(run)
            close(database, run_id, outcome="cancelled")
        return stored.get_run(database, run_id)


def reap(database_path: str | Path) -> list[str]:
    """Close runs whose process died, and end those over the longest time; return the ids of both.

    Cheap when nothing is wrong: pages call it when they open and every few seconds.
    """
    with closing(db.connect(database_path)) as database:
        return reap_all(database)


def _spawn(database: Database, run_id: str) -> None:
    """Start the run's process and note it; raise RunDoesNotStart, with the run closed."""
    path = Path(file_of(database))
    folder = run_folder(path, run_id)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _forget_old_folders(folder.parent, {run.id for run in stored.live_runs(database)})
        with (folder / "turn.log").open("ab") as log:
            pid = start_detached(path, run_id, log)
    except OSError as error:
        close(database, run_id, Failure("died", f"The answer's process does not start: {reason(error)}"))
        raise RunDoesNotStart(
            f"The answer's process does not start: {reason(error)}. Close other programs."
        ) from error
    _note_process(database, run_id, pid)


def _note_process(database: Database, run_id: str, pid: int) -> None:
    try:
        stored.set_process(database, run_id, pid, started_after_boot(psutil.Process(pid)))
    except psutil.NoSuchProcess:  # it has ended already; the reaper closes what it left
        stored.set_process(database, run_id, pid, 0.0)


def _forget_old_folders(runs_folder: Path, live: Collection[str]) -> None:
    """Remove what runs of long ago left; never of a live one, which only looks old once the clock was set."""
    for folder in runs_folder.iterdir():
        with suppress(OSError):
            if folder.name not in live and time.time() - folder.stat().st_mtime > KEPT_FOLDERS_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


def store_question(
    database: Database,
    conversation_id: str,
    text: str,
    mode: str,
    agent: str,
    attachments: Sequence[Attachment],
) -> str:
    """Store the question raw, with its attachments, and return the id of its run, which nobody answers yet.

    A log that is pasted into its words is one of its attachments, too.
    Raises RunInProgress if the conversation is being answered, and UnknownAgent; then nothing is stored.
    """
    known_mode(mode)
    settings = settings_in_force(db.get_settings(database))
    if is_command(text):
        who = stored.COMMAND
    else:
        who = choose(settings.agent if agent == "auto" else agent, settings)[0].name
        mode = _mode_of_reply(database, conversation_id, text, mode)
    stale = stored.live_run(database, conversation_id)
    if stale is not None:
        reap_run(database, stale, longest=float("inf"))
    attached = [given for given in attachments if isinstance(given, str)]
    with ExitStack() as files:
        brought = [
            files.enter_context(_received(database, given))
            for given in attachments
            if not isinstance(given, str)
        ]
        if who != stored.COMMAND and (pasted := _pasted(database, conversation_id, text, attached, brought)):
            brought.append(files.enter_context(_received(database, pasted)))
        with db.transaction(database):
            message_id = db.add_message(database, conversation_id, "user", text)
            attach_uploads(database, conversation_id, attached, message_id)
            for file in brought:
                add_upload(database, conversation_id, message_id, file)
            return stored.start_run(database, conversation_id, who, mode, message_id)


def _mode_of_reply(database: Database, conversation_id: str, text: str, mode: str) -> str:
    """Return the mode that a plain yes or no belongs to: that of the last answer's offer that means it."""
    meant = approval(text)
    latest = db.list_messages(database, conversation_id)[-1:] if meant else []
    offers = db.list_offers(database, latest[0].id) if latest and latest[0].role == "assistant" else []
    modes = [offer.mode for offer in offers if approval(offer.text) == meant and offer.mode in MODES]
    return mode if mode in modes else next(iter(modes), mode)


@contextmanager
def _received(database: Database, given: Path | tuple[str, bytes]) -> Iterator[Received]:
    name = given.name if isinstance(given, Path) else given[0]
    source: IO[bytes] = given.open("rb") if isinstance(given, Path) else io.BytesIO(given[1])
    with source, received(database, name, source) as file:
        yield file


def _pasted(
    database: Database, conversation_id: str, text: str, attached: Sequence[str], brought: Sequence[Received]
) -> tuple[str, bytes] | None:
    """Return the log that is pasted in the question as a file, unless it is among what comes with it."""
    content = pasted_log(text).encode()
    files = db.list_artifacts(database, conversation_id, "conversation_id")
    digests = {given.digest for given in brought} | {file.file for file in files if file.id in attached}
    if not content or hashlib.sha256(content).hexdigest() in digests:
        return None
    before = [number for file in list_uploads(database, conversation_id) if (number := number_of(file.title))]
    return file_name(max(map(int, before), default=0) + 1), content

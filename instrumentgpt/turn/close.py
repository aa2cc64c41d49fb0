"""Runs whose turn cannot end them: stopped, died, or over the longest time; and the processes that do runs.

A run's process outlives the page and the server that started it.
"""

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

import psutil
from sqlite_utils import Database

import db
from instrumentgpt.agents.events import Done, Event, Events, Failure, Outcome, from_json, to_json
from instrumentgpt.agents.family import RUN_VARIABLE, end_all, run_processes
from instrumentgpt.agents.warm import start
from instrumentgpt.modes.registry import MODES
from instrumentgpt.moments import zone_for_runs
from instrumentgpt.settings import CHECKOUT, settings_in_force
from instrumentgpt.storage.runs import Run, append_events, finish_run, get_run, live_runs, read_events
from instrumentgpt.turn.turn import open_turn

STARTING_SECONDS = 20.0  # a run may be without a process for so long: between its row and its pid
TICK_SECONDS = 1.5  # the boot time is told in whole seconds, and may change between two looks at it


def start_detached(database: Path, run_id: str, log: IO[bytes]) -> int:
    """Start the process of a run in a session of its own, its output in `log`; return its process number.

    All that it starts inherits the run's id. Raises OSError if it does not start.
    """
    argv = [sys.executable, "-m", "instrumentgpt.turn.process", str(database), run_id]
    environment = {**os.environ, **zone_for_runs(), RUN_VARIABLE: run_id}
    with open(os.devnull, "rb") as nothing:
        if warm := start(argv, environment, CHECKOUT, (nothing.fileno(), log.fileno(), log.fileno())):
            warm.leave()
            return warm.pid
        process = subprocess.Popen(
            argv, stdin=nothing, stdout=log, stderr=log, cwd=CHECKOUT, env=environment, start_new_session=True
        )
    threading.Thread(target=process.wait, daemon=True, name=f"wait for {run_id}").start()  # no zombie
    return process.pid


def process_of(run: Run) -> psutil.Process | None:
    """Return the living process that answers `run`; never another one that has its number by now."""
    if run.pid is None:
        return None
    with suppress(psutil.Error):
        process = psutil.Process(run.pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        with suppress(psutil.AccessDenied):
            if process.environ().get(RUN_VARIABLE) == run.id:
                return process
        # 0.0: nobody knows, or it had ended when it was looked at
        is_same_start = abs(started_after_boot(process) - (run.process_started or 0.0)) < TICK_SECONDS
        return process if run.process_started and is_same_start else None
    return None


def started_after_boot(process: psutil.Process) -> float:
    """Return the seconds from the boot to the start of `process`: the same whatever the clock is set to."""
    return process.create_time() - psutil.boot_time()


OVERTIME_SECONDS = 30.0  # beyond the longest run, for saving the answer
_log = logging.getLogger(__name__)


def close(
    database: Database, run_id: str, failure: Failure | None = None, outcome: Outcome = "died"
) -> list[Event]:
    """End the run from outside its turn and return the events that told so; none if it had ended.

    Its partial text is saved and marked with the outcome of `failure`, or `outcome`; whatever its events
    have told is taken into the memory, as the turn itself would have done. Of a summary nothing is kept.
    """
    turn = open_turn(database, run_id) if get_run(database, run_id).kind == "turn" else None
    if turn:
        for event in events_of(database, run_id):
            turn.take(event)
    with db.transaction(database):
        if get_run(database, run_id).status != "running":
            return []
        if failure is not None:
            append_events(database, run_id, [to_json(failure)])
        outcome = failure.outcome if failure else outcome
        done: list[Event | None]
        if turn is None:
            done = list(end_summary(database, run_id, Done(outcome, "")))
        else:
            try:
                done = [turn.save(outcome)]
            except Exception:  # the edge of a turn: what cannot be remembered must not keep the run open
                _log.exception("run %s: its answer is saved, the memory stays as it was", run_id)
                done = [turn.save(outcome, remember=False)]
        return [event for event in (failure, *done) if event is not None]


def end_summary(database: Database, run_id: str, done: Done) -> Events:
    """Close the run of a summary with `done` as its last event, and yield it; nothing if it was closed."""
    with db.transaction(database):
        if not finish_run(database, run_id, done.outcome):
            return
        append_events(database, run_id, [to_json(done)])
    yield done


def end_at_once(run: Run) -> None:
    """Kill all that the run started, its turn first: it would store how its agent died as its own end."""
    family = run_processes(run.id)
    end_all((process for process in family if process.pid == run.pid), grace=0.0)
    end_all(family, grace=0.0)


def events_of(database: Database, run_id: str, after: int = 0) -> Iterator[Event]:
    """Yield all events stored of the run with numbers above `after`."""
    while page := read_events(database, run_id, after):
        yield from (from_json(line) for _, line in page)
        after = page[-1][0]


def reap_all(database: Database, except_for: str = "") -> list[str]:
    """Close all runs whose process died, and end those over the longest time; return the ids of both."""
    total = settings_in_force(db.get_settings(database)).total_seconds
    reaped = []
    for run in live_runs(database):
        # its mode may ask several agents, each for so long; a summary waits for an answer to end
        in_a_row = MODES[run.mode].in_a_row if run.mode in MODES else 1 + (run.kind == "summary")
        if run.id != except_for and reap_run(database, run, total * in_a_row + OVERTIME_SECONDS):
            reaped.append(run.id)
    return reaped


def reap_run(database: Database, run: Run, longest: float) -> bool:
    """Return whether the run was ended here: its process died, or it took more than `longest` seconds."""
    if run.began_clock is not None and time.monotonic() - run.began_clock > longest:
        end_at_once(run)
        close(database, run.id, Failure("timeout", f"The answer took longer than {longest:g} s."))
        return True
    started = run.started_clock  # by the monotonic clock
    is_starting = started is not None and 0.0 <= time.monotonic() - started < STARTING_SECONDS
    if process_of(run) is not None or (run.pid is None and is_starting):
        return False
    if get_run(database, run.id).status != "running":  # it ended between the two looks
        return False
    end_at_once(run)
    close(database, run.id, Failure("died", "The answer's process died.", "Ask again."))
    return True

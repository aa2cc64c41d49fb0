"""Programs of ours that outlive the page and the server that started them."""

import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

import psutil

from instrumentgpt.agents.family import RUN_VARIABLE
from instrumentgpt.agents.warm import start
from instrumentgpt.settings import CHECKOUT

STARTING_SECONDS = 20.0  # a run or job may be without a process for so long: between its row and its pid
TICK_SECONDS = 1.5  # the boot time is told in whole seconds, and may change between two looks at it


def start_detached(module: str, database: Path, name: str, log: IO[bytes] | None = None) -> int:
    """Start `python -m module DATABASE NAME` in a session of its own and return its process number.

    name  of the run or job: all that the program starts inherits it
    log   where its output goes; nowhere without one

    Raises OSError if it does not start.
    """
    argv = [sys.executable, "-m", module, str(database), name]
    environment = {**os.environ, RUN_VARIABLE: name}
    with open(os.devnull, "r+b") as nothing:
        output = log or nothing
        files = (nothing.fileno(), output.fileno(), output.fileno())
        if warm := start(argv, environment, CHECKOUT, files):
            warm.leave()
            return warm.pid
        process = subprocess.Popen(
            argv,
            stdin=nothing,
            stdout=output,
            stderr=output,
            cwd=CHECKOUT,
            env=environment,
            start_new_session=True,
        )
    threading.Thread(target=process.wait, daemon=True, name=f"wait for {name}").start()  # no zombie
    return process.pid


def living(pid: int | None, name: str, started: float | None = None) -> psutil.Process | None:
    """Return the living process of the run or job; never another one that has its number by now.

    started  `started_after_boot` of one that does not carry the name in its environment
    """
    if pid is None:
        return None
    try:
        process = psutil.Process(pid)
        alive = process.status() != psutil.STATUS_ZOMBIE and _is_of(process, name, started)
    except psutil.Error:
        return None
    return process if alive else None


def _is_of(process: psutil.Process, name: str, started: float | None) -> bool:
    with suppress(psutil.AccessDenied):
        if process.environ().get(RUN_VARIABLE) == name:
            return True
    if not started:  # nobody knows, or it had ended when it was looked at
        return False
    return abs(started_after_boot(process) - started) < TICK_SECONDS


def started_after_boot(process: psutil.Process) -> float:
    """Return the seconds from the boot to the start of `process`: the same whatever the clock is set to."""
    return process.create_time() - psutil.boot_time()


def is_starting(asked_clock: float | None) -> bool:
    """Return whether what was asked for at `asked_clock`, monotonic, may still be without a process."""
    return asked_clock is not None and 0.0 <= time.monotonic() - asked_clock < STARTING_SECONDS

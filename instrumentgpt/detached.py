"""Programs of ours that outlive the page and the server that started them."""

import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

import psutil

from instrumentgpt.agents.family import RUN_VARIABLE
from instrumentgpt.settings import CHECKOUT

CLOCK_SECONDS = 1.0  # a start time is told from the boot time, which moves when the clock is set


def start_detached(module: str, database: Path, name: str, log: IO[bytes] | int = subprocess.DEVNULL) -> int:
    """Start `python -m module DATABASE NAME` in a session of its own and return its process number.

    name  of the run or job: all that the program starts inherits it
    log   where its output goes

    Raises OSError if it does not start.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", module, str(database), name],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        cwd=CHECKOUT,
        env={**os.environ, RUN_VARIABLE: name},
        start_new_session=True,
    )
    threading.Thread(target=process.wait, daemon=True, name=f"wait for {name}").start()  # no zombie
    return process.pid


def living(pid: int | None, name: str, started: float | None = None) -> psutil.Process | None:
    """Return the living process of the run or job; never another one that has its number by now.

    started  when it began, by which one in the foreground is known, which does not carry the name
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
    return abs(process.create_time() - (started or 0.0)) < CLOCK_SECONDS

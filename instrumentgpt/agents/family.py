"""The processes of a run: found by parentage, group or inheritance, and ended together."""

import os
import signal
import subprocess
import time
from collections.abc import Iterable
from contextlib import suppress

import psutil

RUN_VARIABLE = "INSTRUMENTGPT_RUN"  # inherited by all that a run starts, and so the way to find it
LOOK = 0.01  # s between two looks at processes that are ending
KILLED_SECONDS = 1.0  # what SIGKILL may take on a busy machine


def has_left(process: "subprocess.Popen[bytes]") -> bool:
    """Return whether `process` has ended, without taking its exit code: its number stays its own."""
    if process.returncode is not None:
        return True
    try:
        return psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def end_family(process: "subprocess.Popen[bytes]", patience: float, grace: float) -> int | None:
    """End `process` and all that it started; return its exit code, or None if it did not leave by itself.

    It may do so for `patience` seconds; `grace` seconds lie between SIGTERM and SIGKILL.
    """
    if process.returncode is not None:
        return process.returncode
    deadline = time.monotonic() + patience
    family = family_of(process.pid)
    while not has_left(process) and time.monotonic() < deadline:
        time.sleep(LOOK)
    left = has_left(process)
    end_all(family | family_of(process.pid), grace)
    exit_code = process.wait()
    return exit_code if left else None


def family_of(pid: int) -> set[psutil.Process]:
    """Return `pid`, all below it and all of its process group.

    Walked before killing: an orphan is nobody's child any more, and an MCP server may leave the group.
    """
    try:
        root = psutil.Process(pid)
        family = {root, *root.children(recursive=True)}
    except psutil.NoSuchProcess:
        family = set()
    for member in psutil.pids():
        try:
            if os.getpgid(member) == pid:
                family.add(psutil.Process(member))
        except (OSError, psutil.Error):
            continue
    return family


def run_processes(run: str) -> set[psutil.Process]:
    """Return the living processes of `run` by the environment they inherited, this one excepted."""
    found = set()
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get(RUN_VARIABLE) == run:
                found.add(process)
        except (psutil.Error, OSError):
            continue
    return found


def end_all(family: Iterable[psutil.Process], grace: float) -> None:
    """End every process of `family`: SIGTERM, and SIGKILL for those still there after `grace` seconds.

    Without any grace there is no SIGTERM: on a busy machine somebody would begin to act on it all the same.
    """
    living = [process for process in family if _lives(process)]
    steps = ((signal.SIGTERM, grace), (signal.SIGKILL, KILLED_SECONDS))
    for number, seconds in steps if grace > 0 else steps[1:]:
        for process in living:
            with suppress(psutil.Error):
                process.send_signal(number)
        deadline = time.monotonic() + seconds
        while (living := [process for process in living if _lives(process)]) and time.monotonic() < deadline:
            time.sleep(LOOK)


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False

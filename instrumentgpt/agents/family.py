"""The processes of a run: found by parentage, group or inheritance, and ended together.

An agent's keeper (`keeper.py`) becomes the parent of whatever loses its own: so parentage finds them all, in
whatever session and with whatever environment; where there is no keeper, the group and the mark must do.
"""

import os
import signal
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress

import psutil

from instrumentgpt.agents.warm import Warm

Started = subprocess.Popen[bytes] | Warm  # a program of a run, started cold or warm

RUN_VARIABLE = "INSTRUMENTGPT_RUN"  # inherited by all that a run starts, and so the way to find it
LOOK = 0.01  # s between two looks at processes that are ending
KILLED_SECONDS = 1.0  # what SIGKILL may take on a busy machine


def has_left(process: Started) -> bool:
    """Return whether `process` has ended, without taking its exit code: its number stays its own."""
    if process.returncode is not None:
        return True
    try:
        return psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def end_family(process: Started, patience: float, grace: float) -> int | None:
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
    end_all(family | family_of(process.pid), grace, last=process.pid)
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
    """Return the living processes of `run` but this one: those that inherited its mark, and all below."""
    marked: set[psutil.Process] = set()
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get(RUN_VARIABLE) == run:
                marked.add(process)
        except (psutil.Error, OSError):
            continue
    return {process for process in _with_descendants(marked) if _lives(process)}


def _with_descendants(roots: set[psutil.Process]) -> set[psutil.Process]:
    children: dict[int, list[psutil.Process]] = defaultdict(list)
    for process in psutil.process_iter() if roots else ():
        with suppress(psutil.Error):
            children[process.ppid()].append(process)
    family, new = set(roots), list(roots)
    while new:
        new = [child for child in children[new.pop().pid] if child not in family] + new
        family.update(new)
    return family - {psutil.Process()}


def end_all(family: Iterable[psutil.Process], grace: float, last: int = 0) -> None:
    """End every process of `family`, and all below them: SIGTERM, and SIGKILL for those still there after
    `grace` seconds.

    Without any grace there is no SIGTERM: on a busy machine somebody would begin to act on it all the same.
    The process `last` may leave by itself when all others are gone, as a keeper does, which clears up.
    """
    family = set(family)
    if grace > 0:
        _send(signal.SIGTERM, family)
        _wait_until_gone(family, grace)
    living = {process for process in family if _lives(process)}
    deadline = time.monotonic() + KILLED_SECONDS
    newcomers = living
    while newcomers and time.monotonic() < deadline:  # who is stopped starts nobody any more
        _send(signal.SIGSTOP, newcomers)
        newcomers = _with_descendants(living) - living
        living |= newcomers
    keepers = {process for process in living if process.pid == last}
    _send(signal.SIGKILL, living - keepers)
    _send(signal.SIGCONT, keepers)
    _wait_until_gone(living, KILLED_SECONDS if living - keepers else 0.0)
    _send(signal.SIGKILL, keepers)
    _wait_until_gone(keepers, KILLED_SECONDS)


def _send(number: signal.Signals, processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.Error):
            process.send_signal(number)


def _wait_until_gone(processes: Iterable[psutil.Process], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while any(map(_lives, processes)) and time.monotonic() < deadline:
        time.sleep(LOOK)


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False

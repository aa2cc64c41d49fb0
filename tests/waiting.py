"""Waiting in tests for what other processes do, so that no test depends on the machine's speed.

What a test waits for takes a moment, and whatever would keep it from happening lasts minutes or for ever:
the bounds lie far from both, below the 90 s that a test may take, so that it says itself what failed.
"""

import os
import sys
import time
from contextlib import contextmanager

import psutil
import pytest

from instrumentgpt.agents import warm

AT_ONCE = 20.0  # s that something which takes a moment (up to 1.5 s on a free machine) has
HAPPENS = 75.0  # s in which what is waited for happens: costs nothing unless it does not


def wait_for(condition, seconds=HAPPENS):
    """Return what `condition()` returns once it is true; fail if that is not so within `seconds`."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
    return found


@contextmanager
def at_once():
    """Fail if what is done here takes as long as something that waits for what does not come."""
    began = time.monotonic()
    yield
    took = time.monotonic() - began
    assert took < AT_ONCE, f"it took {took:.1f} s"


def wait_for_forks(home):
    """Wait until the warm server of this home has imported everything, and forks what it is asked for."""
    if sys.platform != "linux":  # where no kernel knows the server's name, all programs start cold
        return
    with pytest.MonkeyPatch.context() as patch, open(os.devnull, "r+b") as nothing:
        patch.setenv("INSTRUMENTGPT_WARM", str(home))
        program = [sys.executable, "-m", "instrumentgpt", "--help"]
        files = [nothing.fileno()] * 3
        wait_for(lambda: warm.start(program, os.environ, home, files)).wait()


def lives(pid):
    """Return whether there is a process of this number that has not ended."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def gone(*pids):
    """Return True once none of these processes lives; fail if one is still there after a while."""
    return wait_for(lambda: not any(map(lives, pids)), AT_ONCE)

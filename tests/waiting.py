"""Waiting in tests for what other processes do."""

import time

import psutil


def wait_for(condition, seconds=15.0):
    """Return what `condition()` returns once it is true; fail if that is not so within `seconds`."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
    return found


def lives(pid):
    """Return whether there is a process of this number that has not ended."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False

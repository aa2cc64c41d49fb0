"""Waiting in tests for what another process does."""

import time


def wait_for(condition, seconds=15.0):
    """Return what `condition()` returns once it is true; fail if that is not so within `seconds`."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
    return found

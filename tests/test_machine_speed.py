"""No test may fail because the machine is slow or stands still for a while: see waiting.py and spent.py."""

import re
from pathlib import Path

import pytest
from hypothesis import settings

TESTS = sorted(set(Path(__file__).parent.rglob("*.py")) - {Path(__file__)})
STRETCH = re.compile(r"\b(?:monotonic|perf_counter|process_time|thread_time|time)\(\) - \w+\b[^<=>]*<")
TIMEOUT = re.compile(r"\btimeout=([\d_.]+)")
LEAST_SECONDS, LEAST_MS = 60, 60_000  # that whatever comes late has: it costs nothing where it comes


def lines_with(pattern):
    """Return (file, line number, match) for every line of the tests that fits."""
    for path in TESTS:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if found := pattern.search(line):
                yield path.name, number, found


def test_no_test_holds_a_stretch_of_time_against_a_bound():
    assert [(name, number) for name, number, _ in lines_with(STRETCH)] == []


def test_no_test_gives_up_within_a_minute():
    short = []
    for name, number, found in lines_with(TIMEOUT):
        given = float(found[1].replace("_", ""))
        if given < LEAST_SECONDS or 1_000 <= given < LEAST_MS:
            short.append((name, number, found[0]))
    assert short == []


def test_no_property_is_given_up_for_being_slow():
    assert settings.default.deadline is None


@pytest.mark.parametrize(
    "line",
    [
        "assert time.monotonic() - began < 3",
        "assert time.process_time() - started < 0.25",
        "assert (time.perf_counter() - begun) / 5 < 0.05",
    ],
)
def test_what_is_looked_for_is_found(line):
    assert STRETCH.search(line)

"""Agents that misbehave at random: every run ends in one outcome, nothing stays, no event is lost."""

import os
import random
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from waiting import AT_ONCE

import cursor_cli
from instrumentgpt.agents.answer import answer_text
from instrumentgpt.agents.events import Done, Failure
from instrumentgpt.agents.process import Clocks, Command, run

FAKE = Path(__file__).parent / "fake_agent.py"
RUNS = int(os.environ.get("SOAK_RUNS", "40"))  # bench/wrapper.py asks for 200
SEED = 20260219
PATIENT = Clocks(
    first_event=200, silence=200, silence_in_tool=200, total=300, grace=0.2, grace_when_stopped=0.2
)
SHORT = replace(
    PATIENT, first_event=6.0, silence=1.5, silence_in_tool=2.0, total=8.0
)  # where one must run out
MISBEHAVIOURS = {  # what the agent does → the outcomes that its evidence allows, without a stop
    ("lingers",): {"ok"},
    ("silent",): {"timeout"},
    ("falls_silent",): {"timeout"},
    ("works_quietly", "0.3"): {"ok"},
    ("works_quietly", "600"): {"timeout"},
    ("chatters",): {"timeout"},
    ("stubborn",): {"timeout"},
    ("leaves_grandchild",): {"ok"},
    ("grandchild_without_result",): {"no-result"},
    ("mcp_child",): {"ok"},
    ("floods_stderr",): {"ok"},
    ("long_lines", "2"): {"ok"},
    ("huge_line", "33"): {"ok"},
    ("half_a_character",): {"no-result"},
    ("unknown_events",): {"ok"},
    ("says_nothing",): {"no-result"},
    ("breaks_off",): {"no-result"},
    ("killed",): {"died"},
    ("closes_stdout",): {"no-result"},
    ("denied",): {"tools-denied"},
    ("deaf",): {"ok"},
    ("fails", "not logged in"): {"not-logged-in"},
    ("fails", "Workspace Trust Required"): {"untrusted"},
    ("replay", "06_dirty_stream"): {"ok"},
    ("replay", "05_no_result_hang"): {"timeout"},
}


def left(folder):
    """Return what a run could leave: living descendants, threads, open files, files in its folders."""
    family = [child for child in psutil.Process().children(recursive=True) if child.status() != "zombie"]
    descriptors = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    return len(family), threading.active_count(), descriptors, sorted(path.name for path in folder.rglob("*"))


def assert_nothing_new(folder, before, run):
    deadline = time.monotonic() + AT_ONCE
    while (now := left(folder)) != before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert now == before, run


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_agents_that_misbehave_at_random(tmp_path):
    chance = random.Random(SEED)
    workspace, temporary = tmp_path / "workspace", tmp_path / "tmp"
    workspace.mkdir(), temporary.mkdir()
    environment = {"PATH": os.environ["PATH"], "TMPDIR": str(temporary)}
    before, seen = left(tmp_path), []
    for number in range(RUNS):
        behaviour = chance.choice(list(MISBEHAVIOURS))
        stop_after = chance.choice([None, None, None, chance.uniform(0.0, 1.0)])
        deadline = time.monotonic() + stop_after if stop_after is not None else float("inf")
        prompt = "x" * chance.choice([0, 10, 8 * 1024 * 1024])
        command = Command((sys.executable, str(FAKE), *behaviour), prompt, environment, workspace)
        stopped = lambda deadline=deadline: time.monotonic() > deadline  # noqa: E731
        expected = MISBEHAVIOURS[behaviour]
        clocks = SHORT if expected == {"timeout"} else PATIENT
        events = list(run(command, cursor_cli.parse_stream, clocks, stopped, cursor_cli.SIGNS))
        outcome = check(events, expected, stop_after is not None)
        seen.append((behaviour, outcome))
        assert_nothing_new(tmp_path, before, f"run {number}, {behaviour}, {outcome}")
    print(f"{len(seen)} runs of {len({behaviour for behaviour, _ in seen})} kinds, each with one outcome")


def check(events, expected, may_be_stopped):
    *before, done = events
    assert isinstance(done, Done) and not [event for event in before if isinstance(event, Done)]
    assert done.text == answer_text(before)
    assert done.outcome in expected | ({"cancelled"} if may_be_stopped else set())
    failures = [event for event in before if isinstance(event, Failure)]
    assert [failure.outcome for failure in failures] == (
        [] if done.outcome in ("ok", "cancelled") else [done.outcome]
    )
    assert all(failure.text and failure.remedy for failure in failures)
    return done.outcome

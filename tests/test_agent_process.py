"""An agent's process: fed, heard, timed, judged and ended with all that it started."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from spent import least_times
from waiting import at_once, gone, lives

import cursor_cli
from cursor_cli import parse_stream
from instrumentgpt.agents.answer import answer_text
from instrumentgpt.agents.events import Done, Failure, Tick
from instrumentgpt.agents.process import STDERR_TAIL, Clocks, Command, Pipes, run
from instrumentgpt.agents.stream import LineSplitter

FAKE = Path(__file__).parent / "fake_agent.py"
CLOCKS = Clocks(
    first_event=100, silence=100, silence_in_tool=100, total=110, grace=0.2, grace_when_stopped=0.2
)


def command(tmp_path, *behaviour, prompt="why?"):
    argv = (sys.executable, str(FAKE), *behaviour)
    return Command(argv, prompt, {"PATH": os.environ["PATH"]}, tmp_path)


def events_of(tmp_path, *behaviour, prompt="why?", clocks=CLOCKS, stopped=lambda: False):
    return list(
        run(command(tmp_path, *behaviour, prompt=prompt), parse_stream, clocks, stopped, cursor_cli.SIGNS)
    )


def failure_in(events):
    return next(event for event in events if isinstance(event, Failure))


def test_a_prompt_of_8_mib_arrives_whole(tmp_path):
    events = events_of(tmp_path, "echo", prompt="溫" * (8 * 1024 * 1024 // 3) + "end")
    assert events[-1].text == f"{8 * 1024 * 1024 // 3 + 3} characters, end"


def test_an_agent_that_does_not_read_its_prompt_is_heard(tmp_path):
    assert events_of(tmp_path, "deaf", prompt="x" * 10_000_000)[-1].outcome == "ok"


def test_an_agent_that_speaks_before_it_reads_is_heard_at_once(tmp_path):
    """It never reads, and stays: who writes the prompt first waits for ever."""
    with at_once():
        assert events_of(tmp_path, "lingers", prompt="x" * 10_000_000)[-1].outcome == "ok"


@pytest.fixture
def open_stdin():
    """A standard input of this process that nobody writes to and nobody closes."""
    reading, writing = os.pipe()
    before = os.dup(0)
    os.dup2(reading, 0)
    yield
    os.dup2(before, 0)
    for pipe in (reading, writing, before):
        os.close(pipe)


def test_without_a_prompt_stdin_is_empty_whatever_ours_is(tmp_path, open_stdin):
    assert events_of(tmp_path, "echo", prompt="")[-1].text == "0 characters, "


def test_the_result_ends_the_run_though_the_agent_lingers(tmp_path):
    agent = run(command(tmp_path, "lingers"), parse_stream, CLOCKS)
    with at_once():
        events = [next(agent), next(agent)]
    assert events[-1].outcome == "ok"
    assert list(agent) == []  # its cleaning up


@pytest.mark.parametrize("behaviour", ["leaves_grandchild", "grandchild_without_result"])
def test_a_grandchild_that_holds_stdout_delays_nothing_and_does_not_stay(tmp_path, behaviour):
    with at_once():
        events = events_of(tmp_path, behaviour)
    gone(int(events[-1].text))


def test_what_ignores_sigterm_in_another_session_is_killed_too(tmp_path):
    agent = run(command(tmp_path, "stubborn"), parse_stream, CLOCKS)
    pids = [int(pid) for pid in next(agent).text.split()]
    assert all(map(lives, pids))
    with at_once():
        agent.close()
    gone(*pids)


def test_stopping_keeps_the_text_so_far(tmp_path):
    heard = []
    asked = run(command(tmp_path, "chatters"), parse_stream, CLOCKS, lambda: len(heard) > 2, cursor_cli.SIGNS)
    while len(heard) < 3:
        heard.append(next(asked))
    with at_once():
        events = [*heard, *asked]
    assert events[-1].outcome == "cancelled"
    assert events[-1].text.startswith("0 1 2 ")
    assert events[-1].text == answer_text(events)


@pytest.mark.parametrize(
    ("behaviour", "clock", "words"),
    [
        (("silent",), {"first_event": 0.3}, "said nothing in its first 0.3 s"),
        (("falls_silent",), {"silence": 0.5}, "silent for more than 0.5 s"),
        (("chatters",), {"total": 0.6}, "worked for more than 0.6 s"),
        (("works_quietly", "600"), {"silence_in_tool": 0.5}, "silent for more than 0.5 s"),
    ],
)
def test_each_clock_ends_a_run(tmp_path, behaviour, clock, words):
    events = events_of(tmp_path, *behaviour, clocks=replace(CLOCKS, **clock))
    assert events[-1].outcome == "timeout"
    assert words in failure_in(events).text


def test_a_connection_that_is_tried_again_is_a_sign_of_life(tmp_path):
    """A line every 0.1 s for longer than the silence that ends a run."""
    assert events_of(tmp_path, "connects", "5", clocks=replace(CLOCKS, silence=3))[-1].text == "reached it"


def test_silence_is_longer_while_a_tool_works(tmp_path):
    """Outside of its tool the agent is not silent for a moment, however slow the machine."""
    events = events_of(tmp_path, "works_quietly", "2", clocks=replace(CLOCKS, silence=0.4))
    assert events[-1].outcome == "ok"


def test_what_an_agent_says_just_before_it_leaves_is_heard(tmp_path):
    """It speaks and leaves between a look at its pipe that finds nothing and the look whether it has left."""
    others = {child.pid for child in psutil.Process().children()}
    events, looks = [], []

    def stopped():
        looks.extend(["since its tool began"] if events else [])
        if len(looks) == 2:  # the first look found the tool, this one nothing
            (tmp_path / "enough").touch()
            gone(*({child.pid for child in psutil.Process().children()} - others))
        return False

    asked = command(tmp_path, "works_until", str(tmp_path / "enough"))
    for event in run(asked, parse_stream, CLOCKS, stopped):
        events.append(event)
    assert (events[-1].outcome, events[-1].text) == ("ok", "found it")


def test_a_flood_on_stderr_blocks_nothing(tmp_path):
    assert events_of(tmp_path, "floods_stderr")[-1].text == "heard through the noise"


def test_of_a_flood_on_stderr_only_the_tail_is_kept(tmp_path):
    process = subprocess.Popen(
        [sys.executable, FAKE, "floods_stderr"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    pipes = Pipes(process, b"")
    while pipes.open:
        pipes.serve(1)
    process.wait()
    pipes.drain()
    pipes.close()
    assert pipes.stderr.endswith(b"last words\n") and len(pipes.stderr) == STDERR_TAIL


def test_a_line_of_31_mib_is_read_and_one_over_the_cap_is_passed_over_and_told(tmp_path):
    assert not [event for event in events_of(tmp_path, "huge_line", "31") if isinstance(event, Tick)]
    *_, tick, done = events_of(tmp_path, "huge_line", "33")
    assert tick.note == "1 lines over 32 MiB were passed over"
    assert (done.outcome, done.text) == ("ok", "heard all the same")


def test_a_server_that_has_left_the_process_group_does_not_outlive_the_run(tmp_path):
    events = events_of(tmp_path, "mcp_child")
    assert events[-1].outcome == "ok"
    gone(*map(int, events[-1].text.split()))


def test_half_a_character_at_the_end_costs_only_itself(tmp_path):
    events = events_of(tmp_path, "half_a_character")
    assert (events[-1].outcome, events[-1].text) == ("no-result", "so far")


@pytest.mark.soak
def test_a_line_is_read_in_linear_time():
    """Joined chunk by chunk, 256 times as much took nine thousand times as long."""
    few, many = least_times(lambda: read(64), lambda: read(256 * 64), repeats=3)
    assert many < 7 * 256 * few


def read(kibibytes):
    """Return the events of a line of so many KiB that comes in small pieces."""
    line = b'{"type": "tool_call", "result": "' + b"z" * (kibibytes << 10) + b'"}\n'
    splitter = LineSplitter()
    chunks = (line[at : at + (1 << 12)] for at in range(0, len(line), 1 << 12))
    return list(parse_stream(whole for chunk in chunks for whole in splitter.feed(chunk)))


@pytest.mark.parametrize(
    ("stderr", "outcome", "remedy"),
    [
        ("Error: Authentication required. Please run 'agent login' first", "not-logged-in", "agent login"),
        ("Workspace Trust Required. Pass --trust, --yolo, or -f", "untrusted", "workspace"),
        ("\x1b[31mError: [resource_exhausted] usage limit\x1b[39m", "error", "wait"),
        ("getaddrinfo ENOTFOUND api2.cursor.sh", "error", "network"),
        ("Segmentation fault", "error", "another agent"),
    ],
)
def test_a_failure_is_named_from_stderr_with_a_remedy(tmp_path, stderr, outcome, remedy):
    events = events_of(tmp_path, "fails", stderr)
    assert [type(event) for event in events] == [Failure, Done]
    assert (events[0].outcome, events[1].outcome) == (outcome, outcome)
    assert remedy in events[0].remedy
    assert "\x1b" not in events[0].text


@pytest.mark.parametrize(
    ("behaviour", "outcome", "text", "words"),
    [
        ("says_nothing", "no-result", "", "code 0, but said nothing"),
        ("breaks_off", "no-result", "The cause is", "code 0, but stopped in mid-answer"),
        ("killed", "died", "so far", "killed by signal 9"),
        ("closes_stdout", "no-result", "so far", "stopped in mid-answer"),
    ],
)
def test_without_a_result_a_run_is_no_success(tmp_path, behaviour, outcome, text, words):
    events = events_of(tmp_path, behaviour)
    assert (events[-1].outcome, events[-1].text) == (outcome, text)
    assert words in failure_in(events).text


def test_a_program_that_does_not_exist_is_a_failure_with_a_remedy(tmp_path):
    missing = Command((str(tmp_path / "agent"),), "why?", {}, tmp_path)
    failure, done = run(missing, parse_stream)
    assert "does not start" in failure.text and "doctor" in failure.remedy
    assert done.outcome == "died"


@pytest.mark.parametrize(
    ("transcript", "outcome"), [("04a_error_midway", "error"), ("05_no_result_hang", "timeout")]
)
def test_a_transcript_without_a_result_ends_as_its_evidence_says(tmp_path, transcript, outcome):
    clocks = replace(CLOCKS, silence=0.5) if outcome == "timeout" else CLOCKS
    events = events_of(tmp_path, "replay", transcript, clocks=clocks)
    assert [event.outcome for event in events if isinstance(event, Done | Failure)] == [outcome, outcome]
    assert events[-1].text == answer_text(events)

"""What a run has shown so far is folded from its numbered events."""

from itertools import pairwise

import pytest

from instrumentgpt.agents.events import Artifact, Done, Failure, Session, Text, Thinking, Tick, Tool
from instrumentgpt.ui.progress import Progress, advance

RUN = [
    Session("s1", "offline", "rules"),
    Tick("listing logs"),
    Tool("t1", "fetch_log", "started", {"device": "zspr 052"}, server="instrumentgpt"),
    Tool("t1", "fetch_log", "ok", {}, '{"summary": "fetched"}', "instrumentgpt"),
    Artifact("a1", "plotly", "Channel 3"),
    Thinking("hm"),
    Text("The loop "),
    Text("oscillates", segment=0),
    Text("The loop oscillates.", whole=True),
    Text(" Lower kp.", segment=1),
]
NUMBERED = list(enumerate(RUN, start=1))


def test_the_whole_run():
    progress = advance(Progress(), NUMBERED)
    assert progress.text == "The loop oscillates. Lower kp."
    assert progress.session.agent == "offline"
    assert [artifact.artifact_id for artifact in progress.artifacts] == ["a1"]
    assert progress.number == len(RUN)


@pytest.mark.parametrize("cut", range(len(RUN) + 1))
def test_it_does_not_matter_where_a_reload_cuts_the_run(cut):
    halves = advance(advance(Progress(), NUMBERED[:cut]), NUMBERED[cut:])
    assert halves == advance(Progress(), NUMBERED)


def test_events_read_twice_count_once():
    assert advance(advance(Progress(), NUMBERED), NUMBERED) == advance(Progress(), NUMBERED)


def test_a_closing_event_without_arguments_keeps_those_of_the_start():
    step = advance(Progress(), NUMBERED).steps["t1"]
    assert (step.status, step.arguments) == ("ok", {"device": "zspr 052"})


def test_a_tool_result_that_has_no_start_is_a_step_all_the_same():
    progress = advance(Progress(), [(1, Tool("t9", "grep", "denied", result="no"))])
    assert progress.steps["t9"].status == "denied"


def test_the_note_of_life_goes_with_the_first_word():
    assert advance(Progress(), NUMBERED[:2]).note == "listing logs"
    assert advance(Progress(), NUMBERED[:7]).note == ""


def test_the_end_has_the_last_word_on_the_text():
    progress = advance(
        Progress(), [*NUMBERED, (11, Failure("cancelled", "stopped")), (12, Done("cancelled", "All."))]
    )
    assert (progress.text, progress.failure and progress.failure.text) == ("All.", "stopped")


def test_text_only_grows_while_deltas_arrive():
    texts = [advance(Progress(), [(i, Text("x")) for i in range(1, n)]).text for n in range(1, 20)]
    assert all(later.startswith(earlier) for earlier, later in pairwise(texts))

"""What a run has shown so far is folded from its numbered events."""

from cases import each
from streamlit.testing.v1 import AppTest

from instrumentgpt.agents.events import Artifact, Done, Failure, Session, Text, Thinking, Tick, Tool
from instrumentgpt.ui.progress import THINKING_CHARACTERS, Progress, advance

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
    assert progress.text == "The loop oscillates.\n\n Lower kp."
    assert progress.session == RUN[0]
    assert progress.artifact_ids == ["a1"]
    assert progress.number == len(RUN)


@each("cut", range(len(RUN) + 1))
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


def test_thinking_is_a_sign_of_life_until_the_first_word():
    assert advance(Progress(), NUMBERED[:6]).note == "Thinking"
    assert advance(Progress(), NUMBERED).thinking == "hm"


def test_of_long_thinking_the_newest_words_are_kept_and_all_are_counted():
    pieces = [(number, Thinking("x" * 999 + str(number % 10))) for number in range(1, 30)]
    progress = advance(Progress(), pieces)
    assert (len(progress.thinking), progress.thought) == (THINKING_CHARACTERS, 29_000)
    assert progress.thinking.endswith("x9")


def test_a_tool_denied_twice_is_named_once():
    calls = [Tool(call, name, "denied") for call, name in (("1", "shell"), ("2", "shell"), ("3", "write"))]
    progress = advance(Progress(), enumerate([*calls, Tool("4", "read", "ok")], 1))
    assert progress.denied() == ["shell", "write"]


def test_how_it_ended_is_kept_beside_the_text():
    progress = advance(
        Progress(), [*NUMBERED, (11, Failure("cancelled", "stopped")), (12, Done("cancelled", "x"))]
    )
    assert (progress.failure and progress.failure.text, progress.done and progress.done.outcome) == (
        "stopped",
        "cancelled",
    )


def test_only_the_words_after_the_last_chart_are_still_growing():
    words = [
        Text("Look:", whole=True),
        Artifact("a1", "plotly", "pv"),
        Text("It swings.", 1),
        Text(" A lot.", 1),
    ]
    assert advance(Progress(), enumerate(words[:1], 1)).after_artifacts(0) == "Look:"
    assert advance(Progress(), enumerate(words[:2], 1)).after_artifacts(1) == ""
    assert advance(Progress(), enumerate(words, 1)).after_artifacts(1) == "It swings. A lot."


def test_a_running_step_spins_in_its_place_until_it_ends_and_a_remark_takes_no_place_of_a_step():
    def page():
        import streamlit as st

        from instrumentgpt.agents.events import Text, Tool
        from instrumentgpt.ui.progress import LiveSteps, Progress, advance

        first = [Tool("1", "fetch_log", "started"), Text("Look.", segment=1, aside=True)]
        steps, progress = LiveSteps(st.container(), set(), "c"), advance(Progress(), enumerate(first, 1))
        steps.show(progress)
        if st.session_state.get("ended"):
            last = [Tool("1", "fetch_log", "ok", {}, "fetched"), Tool("2", "plot_log", "started")]
            steps.show(advance(progress, enumerate(last, 3)))

    at = AppTest.from_function(page).run()
    assert [(one.label, one.icon) for one in at.expander] == [("Fetch log", "spinner")]
    at.session_state["ended"] = True
    at.run()
    assert [(one.label, one.icon) for one in at.expander] == [
        ("Fetch log", ":material/check:"),
        ("Plot log", "spinner"),
    ]
    assert (
        len(at.caption) == 1 and "Look." in at.caption[0].value and at.expander[0].text[0].value == "fetched"
    )

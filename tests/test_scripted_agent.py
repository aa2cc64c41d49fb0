"""The agent that other tests script: chosen only by name, its answers in their order, its tools real."""

import json

import pytest

from instrumentgpt.agents.events import Artifact, Done, Failure, Session, Text, Tool
from instrumentgpt.agents.registry import AUTOMATIC, UnknownAgent, choose
from instrumentgpt.settings import Settings, database_path
from instrumentgpt.turn import runs

pytestmark = pytest.mark.usefixtures("forked")


def ask(conversation, question):
    return list(runs.consume(database_path(), conversation, question, agent="scripted"))


def test_it_is_never_chosen_by_itself_and_needs_a_program(scripted):
    assert "scripted" not in AUTOMATIC
    with pytest.raises(UnknownAgent, match="Name its program in INSTRUMENTGPT_SCRIPT"):
        choose("scripted", Settings())
    program = str(scripted())
    assert choose("scripted", Settings(script=program))[1] == program
    assert choose("scripted", Settings(agent="scripted", agent_path=program))[1] == program
    with pytest.raises(UnknownAgent, match="at gone"):
        choose("scripted", Settings(agent="scripted", script="gone"))


def test_in_a_turn_its_tools_are_ours_and_their_charts_are_stored(scripted, conversation):
    calls = [
        {"tool": "fetch_log", "device": "zspr 052"},
        {"tool": "plot_log", "device": "zspr 052", "log": "${log}"},
        {"tool": "fetch_log", "device": "nowhere"},
    ]
    scripted({"question": "052", "contains": "052 why?", "say": ["I look.\n\n", *calls, "It is ${log}."]})
    events = ask(conversation, "052 why?")
    ended = [(event.name, event.status) for event in events if isinstance(event, Tool)][1::2]
    assert ended == [("fetch_log", "ok"), ("plot_log", "ok"), ("fetch_log", "failed")]
    assert [event.agent for event in events if isinstance(event, Session)] == ["scripted"]
    assert len([event for event in events if isinstance(event, Artifact)]) == 1
    assert events[-1].outcome == "ok"
    assert "It is InstrumentDebug_2026-02-19_23-24-45.39.log." in events[-1].text


def test_answers_for_once_and_for_the_nth_time_come_in_their_order(scripted, conversation):
    scripted({"once": True, "say": "one"}, {"once": True, "say": "two"}, {"nth": 2, "say": "four"})
    assert [ask(conversation, "it is off")[-1].text for _ in range(4)] == ["one", "two", "", "four"]


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ({"task": ["think", "step"]}, "the task is 'chat', not ['think', 'step']"),
        ({"contains": "六台"}, "it does not contain '六台'"),
        ({"matches": r"(?m)^Now: "}, "it does not match '(?m)^Now: '"),
        ({"question": "how"}, "the question does not contain 'how'"),
        ({"given": {"expert": "sensor"}}, "the task's expert does not contain 'sensor'"),
    ],
)
def test_a_prompt_that_nothing_fits_is_an_error_that_names_what_was_looked_for(
    scripted, conversation, answer, missing
):
    scripted({**answer, "say": "?"})
    events = ask(conversation, "why?")
    (failure,) = (event for event in events if isinstance(event, Failure))
    assert missing in failure.text and events[-1].outcome == "error"


def test_the_same_input_gives_the_same_words(scripted, database, conversation):
    scripted({"matches": r"(?P<word>why)", "say": ["first ${word}", json.dumps({"a": "${b}"})]})
    said = [[event for event in ask(conversation, "why?") if isinstance(event, Text | Done)] for _ in "12"]
    assert said[0][:-1] == said[1][:-1] and said[0][-1].text == 'first why{"a": "${b}"}'

"""A session is resumed; one that is gone costs one retry, of which the user is told."""

from pathlib import Path

from cases import each

from instrumentgpt.agents.events import Done, Failure, Session, Text, Tick, Tool
from instrumentgpt.agents.evidence import ASK_AGAIN
from instrumentgpt.agents.process import Request
from instrumentgpt.agents.sessions import TOLD, ask_resuming

FRESH = [Session("new"), Text("It swings."), Done("ok", "It swings.")]


class Agent:
    """Answers a resumed request with the given events, a fresh one with FRESH; remembers what was asked."""

    def __init__(self, *resumed):
        self.resumed, self.asked = resumed, []

    def __call__(self, request):
        self.asked.append(request.resume)
        yield from self.resumed if request.resume else FRESH


def told(agent, resume="old"):
    return list(ask_resuming(agent, Request("why?", Path(), resume=resume)))


def lost(text="No conversation found with session ID: old", outcome="error", remedy=ASK_AGAIN):
    return Failure(outcome, text, remedy), Done(outcome, "")


@each("outcome", ["error", "no-result", "died"])
def test_a_lost_session_is_asked_afresh_once_and_the_user_is_told(outcome):
    agent = Agent(*lost(outcome=outcome))
    tick, *events = told(agent)
    assert agent.asked == ["old", ""]
    assert isinstance(tick, Tick) and tick.note.startswith(TOLD) and "No conversation found" in tick.note
    assert events == FRESH


def test_a_session_that_goes_on_is_asked_once():
    agent = Agent(Session("old"), Text("still"), Done("ok", "still"))
    assert told(agent) == list(agent.resumed)
    assert agent.asked == ["old"]


def test_without_a_session_a_failure_is_a_failure():
    agent = Agent()
    assert told(agent, resume="") == FRESH
    assert agent.asked == [""]


@each(
    "events",
    [
        lost("not logged in", "not-logged-in", "agent login"),
        lost("rate limit", "error", "wait"),
        (Failure("timeout", "silent", ASK_AGAIN), Done("timeout", "")),
        (Done("cancelled", ""),),
        (Text("so far"), *lost()),
        (Tool("1", "shell", "started"), *lost()),
    ],
)
def test_what_a_fresh_session_cannot_mend_is_not_asked_twice(events):
    agent = Agent(*events)
    assert told(agent) == list(events)
    assert agent.asked == ["old"]


def test_closing_ends_the_agent():
    closed = []

    def agent(request):
        try:
            yield Text("a")
            yield Text("b")
        finally:
            closed.append(request.resume)

    events = ask_resuming(agent, Request("why?", Path(), resume="old"))
    next(events)
    events.close()
    assert closed == ["old"]

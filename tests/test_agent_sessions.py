"""A session is resumed; one that is gone costs one retry, of which the user is told."""

from pathlib import Path

from cases import each

import db
from cursor_cli import parse_stream
from instrumentgpt.agents.events import Done, Failure, Session, Text, Tick, Tool
from instrumentgpt.agents.evidence import ASK_AGAIN
from instrumentgpt.agents.process import Command, Request, run
from instrumentgpt.agents.registry import AGENTS
from instrumentgpt.settings import database_path
from instrumentgpt.turn import runs
from instrumentgpt.turn.ask import REFUSED, TOLD, ask_resuming, is_session_id

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


@each("session", ["x" * 200_000, "--force", "two words", "a\0b", "a/../b"])
def test_an_id_that_is_none_is_refused_and_asked_afresh(session):
    agent = Agent()
    tick, *events = told(agent, resume=session)
    assert tick.note.startswith(REFUSED) and len(tick.note) < 200
    assert (agent.asked, events) == ([""], FRESH)


@each("agent", ["claude", "codex", "gemini", "opencode", "cursor"])
def test_the_ids_that_agents_give_are_taken(agent):
    folder = Path(__file__).parent
    streams = [*folder.glob(f"captures/{agent}/*.jsonl"), *folder.glob(f"transcripts/{agent}/*.jsonl")]
    told = [event for path in streams for event in AGENTS[agent].parse(path.read_bytes().split(b"\n"))]
    sessions = [event.session_id for event in told if isinstance(event, Session)]
    assert sessions and all(map(is_session_id, sessions))


def test_a_program_that_does_not_start_with_its_session_is_started_without(tmp_path):
    def begin(request):
        words = "x" * 3_000_000 if request.resume else ""
        return run(Command(("/bin/echo", words), "", {}, tmp_path), parse_stream)

    failure, done = run(Command(("/bin/echo", "x" * 3_000_000), "", {}, tmp_path), parse_stream)
    assert (failure.outcome, done.outcome) == ("died", "died") and "too long" in failure.text
    tick, *_, done = ask_resuming(begin, Request("why?", Path(), resume="old"))
    assert tick.note.startswith(TOLD) and done.outcome == "no-result"


def test_an_over_long_id_breaks_no_conversation(cli_agent, conversation, database):
    cli_agent("fake_agent.py", "names_its_session", "200000")
    for asked in ("why?", "and then?"):
        events = list(runs.consume(database_path(), conversation, asked, agent="cursor"))
        assert (events[-1].outcome, events[-1].text) == ("ok", "a new session")
        assert [event for event in events if isinstance(event, Tick) and event.note.startswith(REFUSED)]
    (folder,) = (database_path().parent / "workspaces").iterdir()
    db.save_agent_session(
        database, conversation, "cursor", str(folder), "x" * 200_000
    )  # by an earlier version
    events = list(runs.consume(database_path(), conversation, "again?", agent="cursor"))
    assert (events[-1].outcome, events[-1].text) == ("ok", "a new session")


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

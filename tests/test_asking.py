"""Asking agents from a mode, one or several at a time: what they say and cost, how they are stopped."""

import itertools
import json
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from waiting import AT_ONCE, at_once, wait_for

import db
from instrumentgpt.agents.events import Done, Session, Text, Tick, Tool
from instrumentgpt.storage.runs import begin_run, start_run
from instrumentgpt.turn.ask import ask, ask_all, replied
from instrumentgpt.turn.request import Asking
from instrumentgpt.turn.turn import open_turn

AGENT = """#!{python}
import json, os, sys, time
task = json.load(open([word for word in sys.argv if word.endswith(".json")][0])) if any(
    word.endswith(".json") for word in sys.argv) else {{}}
prompt = sys.stdin.read()
def tell(**event):
    print(json.dumps(event), flush=True)
tell(type="system", subtype="init", session_id="s-1", model="m", cwd=os.getcwd())
began = time.monotonic()  # the same clock for all processes
if prompt.startswith("sleep"):
    time.sleep(float(prompt.split()[1]))
if prompt.startswith("meet"):  # the others, in a folder
    _, folder, others, name = prompt.split()
    open(os.path.join(folder, name), "w").close()
    while len(os.listdir(folder)) < int(others):
        time.sleep(0.01)
if prompt.startswith("fail"):
    sys.exit("cannot: " + prompt)
words = json.dumps({{"said": prompt, "began": began, "ended": time.monotonic()}})
tell(type="assistant", message={{"role": "assistant", "content": [{{"type": "text", "text": words}}]}},
     session_id="s-1")
tell(type="result", subtype="success", is_error=False, result=words, session_id="s-1", duration_ms=1,
     usage={{"inputTokens": 10, "outputTokens": 2}})
"""


@pytest.fixture
def turn(tmp_path, monkeypatch):
    """A turn that is being answered by an agent which repeats its prompt."""
    program = tmp_path / "agent"
    program.write_text(AGENT.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))
    with closing(db.connect(tmp_path / "home" / "instrumentgpt.db")) as database:
        conversation = db.create_conversation(database)
        question = db.add_message(database, conversation, "user", "why?")
        run = start_run(database, conversation, "cursor", "chat", question)
        begin_run(database, run, 3)
        opened = open_turn(database, run)
        opened.folder.mkdir(parents=True)
        yield opened


def said(text: str) -> dict:
    return json.loads(text)


def drained(generator):
    """Return (events, what the generator returned)."""
    events = []
    while True:
        try:
            events.append(next(generator))
        except StopIteration as end:
            return events, end.value


def test_a_mode_may_say_the_whole_prompt(turn):
    *_, done = ask(turn, Asking("think", prompt="plan it"))
    assert said(done.text)["said"] == "plan it"


def test_without_a_prompt_of_its_own_the_question_is_asked_with_what_memory_adds(turn):
    *_, done = ask(turn)
    assert said(done.text)["said"].startswith("why?")


def test_what_several_askings_cost_is_counted_together(turn):
    for _ in range(3):
        list(ask(turn, Asking(prompt="x")))
    assert turn.usage == {"inputTokens": 30, "outputTokens": 6}


def test_each_asking_has_a_task_file_of_its_own(turn):
    list(ask(turn, Asking("think", prompt="a", told={"limit": 2})))
    list(ask(turn, Asking("reply", prompt="b")))
    tasks = [json.loads(path.read_text()) for path in sorted(turn.folder.glob("task*.json"))]
    assert sorted((task["task"], task["given"].get("limit")) for task in tasks) == [
        ("reply", None),
        ("think", 2),
    ]


def test_words_for_the_page_go_to_their_segment(turn):
    events, done = drained(replied(ask(turn, Asking(prompt="loud")), segment=4))
    assert said(done.text)["said"] == "loud" and Done not in map(type, events)
    assert {event.segment for event in events if isinstance(event, Text)} == {4}


def test_several_are_asked_at_once_and_each_ends_once(turn, tmp_path):
    """None of them answers before all have been asked."""
    meeting = tmp_path / "meeting"
    meeting.mkdir()
    heard = list(ask_all(turn, [Asking(prompt=f"meet {meeting} 3 {name}") for name in "abc"], at_once=3))
    ends = {place: said(event.text) for place, event in heard if isinstance(event, Done)}
    assert [ends[place]["said"][-1] for place in range(3)] == ["a", "b", "c"]
    assert len([event for _, event in heard if isinstance(event, Done)]) == 3
    assert max(end["began"] for end in ends.values()) < min(end["ended"] for end in ends.values())


def test_no_more_are_asked_at_once_than_allowed(turn):
    heard = ask_all(turn, [Asking(prompt=f"sleep 0.2 {name}") for name in "abc"], at_once=1)
    spans = sorted(
        (said(event.text)["began"], said(event.text)["ended"])
        for _, event in heard
        if isinstance(event, Done)
    )
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(spans))


def test_one_that_fails_leaves_the_others_alone(turn):
    heard = list(ask_all(turn, [Asking(prompt="fail"), Asking(prompt="fine")], at_once=2))
    outcomes = {place: event.outcome for place, event in heard if isinstance(event, Done)}
    assert outcomes[0] != "ok" and outcomes[1] == "ok"


def test_one_of_an_unknown_agent_fails_alone(turn):
    heard = list(ask_all(turn, [Asking(prompt="a", agent="nobody"), Asking(prompt="b")], at_once=2))
    outcomes = {place: event.outcome for place, event in heard if isinstance(event, Done)}
    assert outcomes == {0: "error", 1: "ok"}


def test_a_stop_of_the_turn_ends_all(turn):
    began = time.monotonic()
    turn.stopped = lambda: time.monotonic() - began > 1.0
    with at_once():
        heard = list(ask_all(turn, [Asking(prompt="sleep 600")] * 2, at_once=2))
    assert [event.outcome for _, event in heard if isinstance(event, Done)] == ["cancelled"] * 2


def test_leaving_early_leaves_no_process(turn):
    heard = ask_all(turn, [Asking(prompt="sleep 600")] * 2, at_once=2)
    next(heard)
    heard.close()
    assert wait_for(
        lambda: not [path for path in Path("/proc").glob("[0-9]*/cmdline") if _names(path, turn.run.id)],
        AT_ONCE,
    )


def _names(path: Path, run_id: str) -> bool:
    try:
        return run_id.encode() in path.with_name("environ").read_bytes() and b"agent" in path.read_bytes()
    except OSError:
        return False


def test_asking_tells_no_more_than_it_did(turn):
    kinds = {type(event) for event in ask(turn, Asking(prompt="x"))}
    assert kinds <= {Session, Text, Tick, Tool, Done}

"""Claude Code, Codex, Gemini CLI and opencode themselves, through our own wrapper, on loopback.

Their model is a server that plays a script. `make test-agents` installs the programs into .agents/ and runs
this group in a network namespace without any network but loopback.
"""

import shutil
import subprocess
from functools import partial

import pytest
from real_agents import AGENTS, NO_FAULT, SAID, answering, asking
from scripted_model import INPUT, Answer
from waiting import at_once

import db
from instrumentgpt.agents.events import Done, Failure, Session, Text, Tick, Tool
from instrumentgpt.agents.family import run_processes
from instrumentgpt.settings import DEMO_INVENTORY
from instrumentgpt.turn import runs

TIMEOUT = 300
LIST_DEVICES = {  # agent → what it calls our tool
    "claude": "mcp__instrumentgpt__list_devices",
    "codex": "list_devices",
    "gemini": "mcp_instrumentgpt_list_devices",
    "opencode": "instrumentgpt_list_devices",
}
pytestmark = [pytest.mark.agents, pytest.mark.timeout(TIMEOUT)]


@pytest.fixture(params=AGENTS)
def asked(request, tmp_path, monkeypatch, database):
    """A function that puts a question to the real agent while the model plays."""
    monkeypatch.delenv("INSTRUMENTGPT_SANDBOX")
    running = partial(asking, request.param, tmp_path, monkeypatch, database=database)
    running.agent, running.folder = request.param, tmp_path
    return running


def lists_devices(agent):
    return answering(Answer(("I look.",), (LIST_DEVICES[agent], {})))


def test_a_plain_answer_arrives_with_its_tokens_and_its_session(asked):
    with asked(lambda _: NO_FAULT) as question:
        *events, done = question.end()
    assert isinstance(done, Done) and done.outcome == "ok", events
    assert done.text.endswith(SAID) and done.usage["inputTokens"] >= INPUT
    (session,) = [event for event in events if isinstance(event, Session)]
    assert session.agent == asked.agent and session.session_id
    assert db.list_messages(question.database, question.conversation)[-1].content == done.text


def test_our_tool_is_called_and_its_result_used(asked):
    with asked(lists_devices(asked.agent)) as question:
        *events, done = question.end()
    tools = [event for event in events if isinstance(event, Tool)]
    assert [(tool.server, tool.name, tool.status) for tool in tools] == [
        ("instrumentgpt", "list_devices", "started"),
        ("instrumentgpt", "list_devices", "ok"),
    ], events
    assert "zspr 051" in tools[-1].result
    assert done.outcome == "ok" and done.text.endswith(SAID)


def test_an_error_of_the_service_is_told_with_a_remedy(asked):
    with asked(lambda _: Answer(status=401)) as question:
        *events, done = question.end()
    failure = next(event for event in events if isinstance(event, Failure))
    assert done.outcome == failure.outcome == "not-logged-in"
    assert "then ask again" in failure.remedy


def test_stopping_in_mid_answer_leaves_no_process(asked):
    with asked(lambda _: Answer(("The rail ",) * 99, pause=1.0)) as question:
        question.wait_for(lambda: question.events(Session) or question.events(Text | Tick))
        with at_once():
            assert runs.stop(question.path, question.run_id).status == "cancelled"
        question.wait_for(lambda: not run_processes(question.run_id))  # the turn itself leaves last


def test_the_second_question_goes_on_with_the_first_ones_session(asked):
    with asked(lambda _: NO_FAULT) as first:
        first.end()
    with asked(lambda _: NO_FAULT, conversation=first.conversation) as second:
        assert second.end()[-1].outcome == "ok"
    ids = [question.events(Session)[-1].session_id for question in (first, second)]
    assert ids[0] == ids[1]
    assert not [tick for tick in second.events(Tick) if "no longer" in tick.note]


def test_a_session_that_is_gone_is_told_and_answered_afresh(asked):
    with asked(lambda _: NO_FAULT) as first:
        first.end()
    for kept in (".claude", ".codex/sessions", ".gemini/tmp", ".local/share/opencode"):
        shutil.rmtree(asked.folder / "user" / kept, ignore_errors=True)
    with asked(lambda _: NO_FAULT, conversation=first.conversation) as second:
        assert second.end()[-1].outcome == "ok"
    assert [tick for tick in second.events(Tick) if "no longer has its earlier session" in tick.note]


def test_a_source_repository_is_open_to_the_agent_with_our_rule_and_tools_and_stays_as_it_was(
    asked, tmp_path, monkeypatch
):
    repository = tmp_path / "repository"
    subprocess.run(["git", "init", "--quiet", repository], check=True)
    (repository / "pid.c").write_text("int main() {}")
    before = sorted(repository.rglob("*"))
    logs = DEMO_INVENTORY.parent / "logs" / "zspr_051"
    device = f'[[device]]\nname = "zspr 051"\nip = "10.1.1.46"\nlogs = "{logs}"\nsource = "{repository}"\n'
    (tmp_path / "devices.toml").write_text(device)
    monkeypatch.setenv("INSTRUMENTGPT_INVENTORY", str(tmp_path / "devices.toml"))
    with asked(lists_devices(asked.agent), words="Is zspr 051 fine?") as question:
        *events, done = question.end()
    assert done.outcome == "ok", events
    assert [tool.status for tool in events if isinstance(tool, Tool)] == ["started", "ok"]
    said = " ".join(request.text for request in question.requests)
    assert "Diagnosing an instrument" in said and "the repository of this instrument's software" in said
    assert sorted(repository.rglob("*")) == before

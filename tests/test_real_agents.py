"""Claude Code, Codex, Gemini CLI and opencode themselves, through our own wrapper, on loopback.

Their model is a server that plays a scenario. `make test-agents` installs the programs into .agents/ and runs
this group in a network namespace without any network but loopback.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from waiting import at_once, wait_for

import db
from instrumentgpt import runs
from instrumentgpt.agents.events import Done, Failure, Session, Text, Tick, Tool
from instrumentgpt.agents.family import run_processes
from instrumentgpt.ended import events_of
from instrumentgpt.settings import DEMO_INVENTORY
from instrumentgpt.storage.runs import get_run

ROOT = Path(__file__).parents[1]
PROGRAMS = ROOT / ".agents" / "node_modules" / ".bin"
FAKE_MODEL = ROOT.parent / "shared" / "bench" / "agents" / "fake_model.py"
AGENTS = ("claude", "codex", "gemini", "opencode")
SAID = "No fault found."
TIMEOUT = 240
pytestmark = [pytest.mark.agents, pytest.mark.timeout(TIMEOUT)]


def free_port():
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens(port):
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def model(folder, scenario, port, **environment):
    """A model server that plays `scenario`, on loopback."""
    words = [sys.executable, str(FAKE_MODEL), str(port), scenario, str(folder / "model.log")]
    server = subprocess.Popen(words, env={**os.environ, **environment})
    try:
        wait_for(lambda: listens(port))
        yield
    finally:
        server.kill()
        server.wait()


def configure(agent, user, port, setenv):
    """Point `agent` at the model server, by its own settings in the home folder `user`."""
    url = f"http://127.0.0.1:{port}"
    setenv("PATH", f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}")
    if agent == "claude":
        setenv("ANTHROPIC_BASE_URL", url)
        setenv("ANTHROPIC_API_KEY", "not-a-real-key")
        setenv("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
    elif agent == "codex":
        (user / ".codex").mkdir(parents=True)
        (user / ".codex/config.toml").write_text(
            'model = "fake-model"\nmodel_provider = "fake"\n[model_providers.fake]\nname = "fake"\n'
            f'base_url = "{url}/v1"\nenv_key = "OPENAI_API_KEY"\nwire_api = "responses"\n'
        )
        setenv("OPENAI_API_KEY", "not-a-real-key")
    elif agent == "gemini":
        (user / ".gemini").mkdir(parents=True)
        chosen = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
        (user / ".gemini/settings.json").write_text(json.dumps(chosen))
        setenv("GEMINI_API_KEY", "not-a-real-key")
        setenv("GOOGLE_GEMINI_BASE_URL", url)
    else:
        (user / ".config/opencode").mkdir(parents=True)
        options = {"baseURL": f"{url}/v1", "apiKey": "not-a-real-key"}
        provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"fake-model": {}}}
        config = {"model": "fake/fake-model", "provider": {"fake": provider}}
        (user / ".config/opencode/opencode.json").write_text(json.dumps(config))
        setenv("OPENCODE_DISABLE_MODELS_FETCH", "1")


@pytest.fixture(params=AGENTS)
def asked(request, tmp_path, monkeypatch):
    """A function that puts a question to the real agent while the model plays a scenario."""
    agent = request.param
    if not FAKE_MODEL.is_file():
        pytest.skip(f"needs the model server {FAKE_MODEL}, which is not part of this repository")
    if not (PROGRAMS / agent).exists():
        pytest.skip(f"{agent} is not installed in .agents/: `make test-agents` does that")
    port, user = free_port(), tmp_path / "user"
    user.mkdir()
    configure(agent, user, port, monkeypatch.setenv)
    path = tmp_path / "home" / "instrumentgpt.db"
    database = db.connect(path)

    @contextmanager
    def running(scenario, conversation=None, words="Is the loop fine?", **environment):
        conversation = conversation or db.create_conversation(database)
        with model(tmp_path, scenario, port, **environment):
            run_id = runs.start(path, conversation, words, agent=agent)
            try:
                yield Asked(path, database, conversation, run_id)
            finally:
                runs.stop(path, run_id)

    running.agent = agent
    running.folder = tmp_path
    yield running
    database.close()


class Asked:
    """A question put to a real agent, and what came of it."""

    def __init__(self, path, database, conversation, run_id):
        self.path, self.database, self.conversation, self.run_id = path, database, conversation, run_id

    def events(self, kind=object):
        return [event for event in events_of(self.database, self.run_id) if isinstance(event, kind)]

    def wait_for(self, condition, seconds=90):
        deadline = time.monotonic() + seconds
        while not (found := condition()):
            assert time.monotonic() < deadline, self.events()
            time.sleep(0.05)
        return found

    def end(self):
        """Return all events, when the run has ended and its process has left."""
        self.wait_for(lambda: get_run(self.database, self.run_id).status != "running")
        self.wait_for(lambda: not run_processes(self.run_id))
        return self.events()


def test_a_plain_answer_arrives_with_its_tokens_and_its_session(asked):
    with asked("answer") as question:
        *events, done = question.end()
    assert isinstance(done, Done) and done.outcome == "ok", events
    assert done.text.endswith(SAID) and done.usage["inputTokens"] >= 120
    (session,) = [event for event in events if isinstance(event, Session)]
    assert session.agent == asked.agent and session.session_id
    assert db.list_messages(question.database, question.conversation)[-1].content == done.text


def test_our_tool_is_called_and_its_result_used(asked):
    with asked("mcp", FAKE_MCP_TOOL="list_devices") as question:
        *events, done = question.end()
    tools = [event for event in events if isinstance(event, Tool)]
    assert [(tool.server, tool.name, tool.status) for tool in tools] == [
        ("instrumentgpt", "list_devices", "started"),
        ("instrumentgpt", "list_devices", "ok"),
    ], events
    assert "zspr 051" in tools[-1].result
    assert done.outcome == "ok" and done.text.endswith(SAID)


def test_a_command_that_would_write_does_not_run(asked):
    mark = asked.folder / "written"
    with asked("shell", FAKE_SHELL_CMD=f"touch {mark}") as question:
        *events, done = question.end()
    assert not mark.exists()
    assert not [tool for tool in events if isinstance(tool, Tool) and tool.status == "ok" and not tool.result]
    assert done.outcome in ("ok", "tools-denied")


def test_an_error_of_the_service_is_told_with_a_remedy(asked):
    with asked("error401") as question:
        *events, done = question.end()
    failure = next(event for event in events if isinstance(event, Failure))
    assert done.outcome == failure.outcome == "not-logged-in"
    assert "then ask again" in failure.remedy


def test_stopping_in_mid_answer_leaves_no_process(asked):
    with asked("slow") as question:
        question.wait_for(lambda: question.events(Session) or question.events(Text | Tick))
        with at_once():
            assert runs.stop(question.path, question.run_id).status == "cancelled"
        question.wait_for(lambda: not run_processes(question.run_id))  # the turn itself leaves last


def test_the_second_question_goes_on_with_the_first_ones_session(asked):
    with asked("answer") as first:
        first.end()
    with asked("answer", first.conversation) as second:
        assert second.end()[-1].outcome == "ok"
    ids = [question.events(Session)[-1].session_id for question in (first, second)]
    assert ids[0] == ids[1]
    assert not [tick for tick in second.events(Tick) if "no longer" in tick.note]


def test_a_session_that_is_gone_is_told_and_answered_afresh(asked):
    with asked("answer") as first:
        first.end()
    for kept in (".claude", ".codex/sessions", ".gemini/tmp", ".local/share/opencode"):
        shutil.rmtree(asked.folder / "user" / kept, ignore_errors=True)
    with asked("answer", first.conversation) as second:
        assert second.end()[-1].outcome == "ok"
    assert [tick for tick in second.events(Tick) if "no longer has its earlier session" in tick.note]


def test_a_source_repository_is_open_to_the_agent_with_our_rule_and_tools_and_stays_as_it_was(
    asked, tmp_path, monkeypatch
):
    repository, told = tmp_path / "repository", tmp_path / "told"
    subprocess.run(["git", "init", "--quiet", repository], check=True)
    (repository / "pid.c").write_text("int main() {}")
    before = sorted(repository.rglob("*"))
    logs = DEMO_INVENTORY.parent / "logs" / "zspr_051"
    device = f'[[device]]\nname = "zspr 051"\nip = "10.1.1.46"\nlogs = "{logs}"\nsource = "{repository}"\n'
    (tmp_path / "devices.toml").write_text(device)
    monkeypatch.setenv("INSTRUMENTGPT_INVENTORY", str(tmp_path / "devices.toml"))
    words, given = "Is zspr 051 fine?", {"FAKE_MCP_TOOL": "list_devices", "FAKE_DUMP": str(told)}
    with asked("mcp", words=words, **given) as question:
        *events, done = question.end()
    assert done.outcome == "ok", events
    assert [tool.status for tool in events if isinstance(tool, Tool)] == ["started", "ok"]
    said = told.read_text()
    assert "Diagnosing an instrument" in said and "the repository of this instrument's software" in said
    assert sorted(repository.rglob("*")) == before

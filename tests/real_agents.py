"""Real CLI agents in tests: their own settings point them at a model on loopback, and nothing is stubbed.

`make test-agents` installs the programs into .agents/.
"""

import json
import os
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from scripted_model import Answer, Asked, model

import db
from instrumentgpt.agents.family import run_processes
from instrumentgpt.storage.runs import get_run
from instrumentgpt.turn import runs
from instrumentgpt.turn.close import events_of

PROGRAMS = Path(__file__).parents[1] / ".agents" / "node_modules" / ".bin"
AGENTS = ("claude", "codex", "gemini", "opencode")
START_SECONDS = 200  # of a program on a machine that others use, too: opencode took over 60 s
SAID = "No fault found."
NO_FAULT = Answer(("The rail reads 11.93 V: ", SAID))


def configure(agent, user, port, setenv):
    """Point `agent` at the model server, by its own settings in the home folder `user`."""
    url = f"http://127.0.0.1:{port}"
    setenv("INSTRUMENTGPT_FIRST_EVENT_SECONDS", str(START_SECONDS))
    setenv("PATH", f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}")
    if agent == "claude":
        setenv("ANTHROPIC_BASE_URL", url)
        setenv("ANTHROPIC_API_KEY", "not-a-real-key")
        setenv("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
    elif agent == "codex":
        (user / ".codex").mkdir(parents=True, exist_ok=True)
        (user / ".codex/config.toml").write_text(
            'model = "fake-model"\nmodel_provider = "fake"\n[model_providers.fake]\nname = "fake"\n'
            f'base_url = "{url}/v1"\nenv_key = "OPENAI_API_KEY"\nwire_api = "responses"\n'
        )
        setenv("OPENAI_API_KEY", "not-a-real-key")
    elif agent == "gemini":
        (user / ".gemini").mkdir(parents=True, exist_ok=True)
        chosen = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
        (user / ".gemini/settings.json").write_text(json.dumps(chosen))
        setenv("GEMINI_API_KEY", "not-a-real-key")
        setenv("GOOGLE_GEMINI_BASE_URL", url)
    else:
        (user / ".config/opencode").mkdir(parents=True, exist_ok=True)
        options = {"baseURL": f"{url}/v1", "apiKey": "not-a-real-key"}
        provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"fake-model": {}}}
        config = {"model": "fake/fake-model", "provider": {"fake": provider}}
        (user / ".config/opencode/opencode.json").write_text(json.dumps(config))
        setenv("OPENCODE_DISABLE_MODELS_FETCH", "1")


def installed(agent):
    """Fail if the program is not there: a group that was asked for and did not run is no success."""
    if not (PROGRAMS / agent).exists():
        pytest.fail(f"{agent} is not installed in .agents/: `make test-agents` does that")


def answering(first, then=NO_FAULT):
    """A model that begins with `first`, and says `then` once that call's result is there.

    What an agent asks besides, without offering tools (a title, a topic), is answered in words alone.
    """
    return lambda asked: first if asked.tools and not asked.results else then


@contextmanager
def asking(agent, folder, monkeypatch, play, words="Is the loop fine?", conversation=None, database=None):
    """Put a question to the real `agent` while the model plays; yield the Question."""
    installed(agent)
    with model(play) as (port, requests):
        configure(agent, folder / "user", port, monkeypatch.setenv)
        conversation = conversation or db.create_conversation(database)
        path = folder / "home" / "instrumentgpt.db"
        run_id = runs.start(path, conversation, words, agent=agent)
        try:
            yield Question(path, database, conversation, run_id, requests, port)
        finally:
            runs.stop(path, run_id)


class Question:
    """A question put to a real agent, and what came of it."""

    def __init__(self, path, database, conversation, run_id, requests, port):
        self.path, self.database, self.conversation, self.run_id = path, database, conversation, run_id
        self.requests: list[Asked] = requests
        self.port = port

    def events(self, kind=object):
        return [event for event in events_of(self.database, self.run_id) if isinstance(event, kind)]

    def wait_for(self, condition, seconds=START_SECONDS + 20):
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

    def results(self):
        """What the agent told its model of the calls."""
        return [result for asked in self.requests for result in asked.results]

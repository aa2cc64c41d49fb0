"""opencode itself plans and tells an investigation, its model on loopback; a malformed plan is repaired."""

import json
import os
from contextlib import closing
from pathlib import Path

import pytest
from real_agents import START_SECONDS, installed
from scripted_model import Answer, model

import db
from instrumentgpt.agents.events import Tool
from instrumentgpt.settings import database_path
from instrumentgpt.storage.runs import list_prompts
from instrumentgpt.turn import runs

PROGRAMS = Path(__file__).parents[1] / ".agents" / "node_modules" / ".bin"
pytestmark = [pytest.mark.agents, pytest.mark.timeout(600)]
STEPS = [
    {"description": "Fetch the newest log of zspr 053", "step_type": "read", "subdomain": "logs", "group": 0},
    {"description": "Diagnose zspr 053", "step_type": "analyze", "subdomain": "logs", "group": 1},
]
PLAN = {"decision": "plan_direct", "goal": "see why zspr 053 swings", "steps": STEPS}
MALFORMED = {"decision": "plan_direct", "goal": "see", "proposal_message": "Shall I?"}
TOLD = "Channel 2 of zspr 053 swings because of its gains."


def answer(prompt: str) -> str:
    """Answer as a model does that gets the contract wrong at first."""
    if "# Repair" in prompt:
        return f"You are right.\n```json\n{json.dumps(PLAN)}\n```"
    if "<immediate_task>" in prompt:
        return json.dumps(MALFORMED)
    return TOLD if "<results>" in prompt else "Title"


@pytest.fixture
def opencode(tmp_path, monkeypatch):
    """Make the real opencode ask the model at a port."""
    installed("opencode")
    monkeypatch.setenv("PATH", f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("OPENCODE_DISABLE_MODELS_FETCH", "1")
    monkeypatch.setenv("INSTRUMENTGPT_FIRST_EVENT_SECONDS", str(START_SECONDS))
    settings = tmp_path / "user" / ".config" / "opencode"
    settings.mkdir(parents=True)

    def at(port: int) -> None:
        options = {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "not-a-real-key"}
        provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"fake-model": {}}}
        told = {"model": "fake/fake-model", "provider": {"fake": provider}}
        (settings / "opencode.json").write_text(json.dumps(told))

    return at


def test_a_real_agent_plans_is_repaired_once_and_tells_what_our_tools_found(opencode):
    with closing(db.connect(database_path())) as database:
        conversation = db.create_conversation(database)
    with model(lambda one: Answer((answer(one.prompt),))) as (port, asked):
        opencode(port)
        words = "why does zspr 053 swing?"
        events = list(
            runs.consume(database_path(), conversation, words, mode="investigate", agent="opencode")
        )
    assert events[-1].outcome == "ok", events
    assert TOLD in events[-1].text and "1. Fetch the newest log of zspr 053" in events[-1].text
    called = [one.name for one in events if isinstance(one, Tool) and one.server and one.status == "ok"]
    assert called[:3] == ["fetch_log", "diagnose_log", "plot_log"]
    with closing(db.connect(database_path())) as database:
        tasks = [row[2] for row in list_prompts(database, conversation) if row[3] == "opencode"]
    assert tasks == ["think", "think", "reply"]
    repairs = {
        one.prompt for one in asked if "# Repair" in one.prompt
    }  # a set: opencode also asks for a title
    assert len(repairs) == 1 and "needs exactly `steps`" in repairs.pop()
    assert [one for one in asked if "<results>" in one.prompt and "](?log=zspr%20053" in one.prompt]

"""The memory inspector shows what the next question would bring along, and where each item came from."""

from contextlib import closing
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import db
import memory
from instrumentgpt.agents.events import Done
from instrumentgpt.runs import consume
from instrumentgpt.settings import Settings, database_path
from instrumentgpt.ui import inspector

APP = str(Path(__file__).parents[1] / "app.py")


@pytest.fixture
def database():
    with closing(db.connect(database_path())) as opened:
        yield opened


def sidebar(conversation: str, kinds: tuple[str, ...] = ("markdown", "caption", "code")) -> str:
    at = AppTest.from_file(APP, default_timeout=30)
    at.query_params["conv"] = conversation
    at.run()
    assert not at.exception
    return "\n".join(str(element.value) for kind in kinds for element in at.sidebar.get(kind))


def with_state(database, state: memory.DiagnosticState, items=()) -> tuple[str, int]:
    conversation = db.create_conversation(database)
    question = db.add_message(database, conversation, "user", "why?")
    db.update_memory(conversation, "", state.serialize(), database)
    db.add_state_items(database, conversation, [item(question) for item in items])
    return conversation, question


def test_every_item_says_who_said_it_in_which_turn_and_which_line_shows_it(database):
    state = memory.DiagnosticState(
        "10.1.1.47", "zspr 052", findings=["pv swings by 3 °C"], root_causes=["kp is 9"]
    )
    conversation, _ = with_state(
        database,
        state,
        [
            lambda message: db.StateItem(
                "zspr 052", "findings", "pv swings by 3 °C", "tool", message, "run.log", 18204
            ),
            lambda message: db.StateItem("zspr 052", "root_causes", "kp is 9", "user", message),
        ],
    )
    shown = sidebar(conversation)
    assert "pv swings by 3 °C" in shown
    assert f"tool · turn 1 · [L 18,204](?conv={conversation}&log=zspr%20052%2Frun.log&line=18204)" in shown
    assert "user · turn 1" in shown


def test_an_item_whose_origin_nobody_recorded_says_so(database):
    conversation, _ = with_state(database, memory.DiagnosticState(findings=["from an old database"]))
    assert "origin not recorded" in sidebar(conversation)


def test_the_state_cannot_format_the_sidebar(database):
    conversation, _ = with_state(database, memory.DiagnosticState(findings=[":red[x] **b** $y$ <i> :smile:"]))
    shown = sidebar(conversation, ("markdown",))
    assert ":red[x]" not in shown.replace("\\:", "")
    assert "**b**" not in shown
    assert ":smile:" not in shown


def test_every_section_has_its_number_and_a_word_beside_its_colour(database):
    conversation, _ = with_state(
        database, memory.DiagnosticState(device_name="zspr 052", findings=["a finding"])
    )
    shown = sidebar(conversation)
    assert "of 8k tokens" in shown
    for name in ("request", "state", "recent"):
        assert f"}} {name} " in shown


@pytest.mark.parametrize("question", ["那 kp 可以調高嗎？", "10.1.1.47 why?", "zspr 050 怎麼了？"])
def test_the_preview_is_exactly_what_a_turn_would_send(database, monkeypatch, tmp_path, question):
    prompt_file = tmp_path / "prompt.txt"
    agent = tmp_path / "agent"
    agent.write_text(
        f"#!/bin/sh\ncat > {prompt_file}\n"
        'echo \'{"type": "result", "subtype": "success", "is_error": false, "result": "ok"}\'\n'
    )
    agent.chmod(0o755)
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(agent))
    state = memory.DiagnosticState("10.1.1.47", "zspr 052", findings=["pv swings"], status="resolved")
    conversation, _ = with_state(database, state)
    db.add_message(database, conversation, "assistant", "because")
    preview, _ = inspector.next_prompt(database, conversation, question, Settings(agent_path=str(agent)))
    *_, last = consume(database_path(), conversation, question, agent="cursor")
    assert isinstance(last, Done)
    assert prompt_file.read_text() == preview.text


def test_the_preview_stores_nothing(database):
    conversation, _ = with_state(
        database, memory.DiagnosticState(device_name="zspr 052", device_ip="10.1.1.47")
    )
    before = db.get_memory(conversation, database)
    inspector.next_prompt(database, conversation, "zspr 050?", Settings())
    assert db.get_memory(conversation, database) == before
    assert db.device_states(database, conversation) == {}


@pytest.mark.parametrize("parts", [[], [("#000000", 0)], [("#000000", 9000), ("#111111", 4000)]])
def test_the_bar_never_overflows(parts):
    widths = [float(piece.split("%")[0]) for piece in inspector.bar(parts, 8000).split("width:")[1:]]
    assert sum(widths) <= 100.1


def test_turns_are_counted_by_questions(database):
    conversation = db.create_conversation(database)
    for role in ("user", "assistant", "user", "assistant"):
        db.add_message(database, conversation, role, "x")
    assert list(inspector.turns_of(db.list_messages(database, conversation)).values()) == [1, 1, 2, 2]

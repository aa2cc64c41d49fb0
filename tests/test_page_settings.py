"""The Settings page checks what it saves, says what is wrong, and tests the agent."""

import stat
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from cases import each
from pages import button, settings_page
from streamlit.testing.v1 import AppTest

import db
from instrumentgpt.settings import Settings, database_path
from instrumentgpt.ui.settings import problems

pytestmark = pytest.mark.usefixtures("forked")


def saved() -> dict[str, object]:
    with closing(db.connect(database_path())) as database:
        return db.get_settings(database)


def field(at: AppTest, kind: str, label: str):
    return next(element for element in at.get(kind) if element.label == label)


def test_only_what_was_changed_is_saved_and_the_next_question_uses_it():
    at = settings_page()
    field(at, "number_input", "Recent exchanges in the prompt").set_value(5)
    field(at, "text_input", "Model of the agent").set_value(" sonnet ")
    button(at, "Save").click().run()
    assert "Saved" in at.success[0].value
    assert saved() == {"recent_exchanges": 5, "model": "sonnet"}
    assert field(settings_page(), "text_input", "Model of the agent").value == "sonnet"


def test_the_budget_of_a_prompt_is_chosen_in_tokens():
    at = settings_page()
    field(at, "number_input", "Tokens of a whole prompt").set_value(4_000)
    button(at, "Save").click().run()
    assert saved() == {"prompt_tokens": 4_000}


def test_an_inventory_that_cannot_be_read_is_not_saved():
    at = settings_page()
    field(at, "text_input", "Inventory of devices").set_value("/nowhere/devices.toml")
    button(at, "Save").click().run()
    assert "nowhere" in at.error[0].value
    assert not at.success
    assert saved() == {}


def test_what_the_environment_sets_is_shown_locked(monkeypatch):
    monkeypatch.setenv("INSTRUMENTGPT_MODEL", "opus")
    monkeypatch.setenv("INSTRUMENTGPT_TEMPERATURES", "F")
    at = settings_page()
    assert field(at, "selectbox", "Temperatures in").value == "F"
    assert field(at, "text_input", "Model of the agent").disabled
    assert any("INSTRUMENTGPT_MODEL" in caption.value for caption in at.caption)


@each(
    "wrong, word",
    [
        ({"agent_path": "/nowhere/agent"}, "/nowhere/agent"),
        ({"agent_path": __file__}, "no program"),
        ({"total_seconds": 30.0}, "Raise it"),
        ({"inventory": "/"}, "Inventory"),
    ],
)
def test_each_problem_names_the_value_and_the_remedy(wrong, word):
    (problem,) = problems(replace(Settings(), **wrong))
    assert word in problem


def test_the_settings_as_shipped_have_no_problem():
    assert problems(Settings()) == []


def test_the_offline_analyst_passes_the_test():
    at = settings_page()
    button(at, "Test agent").click().run()
    assert "Offline analyst answered" in at.success[0].value


def test_an_agent_that_fails_the_test_is_said_with_its_own_words(monkeypatch, tmp_path):
    program = tmp_path / "agent"
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('Error: Not logged in')\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("INSTRUMENTGPT_AGENT", "cursor")
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))
    at = settings_page()
    button(at, "Test agent").click().run()
    assert "Not logged in" in at.error[0].value
    assert not at.success


def test_a_missing_agent_is_said_with_the_way_to_install_it(monkeypatch):
    monkeypatch.setenv("INSTRUMENTGPT_AGENT", "cursor")
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", "/nowhere/agent")
    at = settings_page()
    button(at, "Test agent").click().run()
    assert "not installed" in at.error[0].value


def test_where_the_data_lies_is_shown():
    assert any(str(Path(database_path())) in caption.value for caption in settings_page().caption)

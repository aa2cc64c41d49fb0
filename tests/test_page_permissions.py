"""The switch for what agents may do: reading only at first, with a warning, stored with who changed it."""

from contextlib import closing

import pytest
from streamlit.testing.v1 import AppTest

import db
from cursor_cli import SERVER_REMEDY
from instrumentgpt.agents import sandbox
from instrumentgpt.agents.stream_parser import SWITCH_REMEDY
from instrumentgpt.settings import database_path
from instrumentgpt.storage.conversations import (
    Permission,
    list_permissions,
    permission_in_force,
    save_permission,
)
from instrumentgpt.ui import agents, answer

TIMEOUT = 100  # s: the first run imports everything


def page(conversation: str) -> AppTest:
    def script(conversation):
        from instrumentgpt.ui import session
        from instrumentgpt.ui.agents import draw_permissions

        with session.opened() as database:
            draw_permissions(database, conversation)

    at = AppTest.from_function(script, args=(conversation,), default_timeout=TIMEOUT).run()
    assert not at.exception
    return at


def stored(conversation: str):
    with closing(db.connect(database_path())) as database:
        return permission_in_force(database, conversation), list_permissions(database, conversation)


def test_at_first_an_agent_may_only_read_and_the_page_warns(conversation):
    at = page(conversation)
    assert [toggle.value for toggle in at.toggle] == [False, False, False]
    assert "mislead" in at.markdown[0].value
    assert stored(conversation)[1] == []


def test_a_switch_is_stored_with_who_and_when_and_shown_in_the_record(conversation):
    at = page(conversation)
    at.toggle[0].set_value(True).run()
    allowed, record = stored(conversation)
    assert (allowed.may_run, allowed.may_edit) == (True, False)
    assert record[0].changed_by and record[0].changed_at > 0
    assert "may run commands" in at.caption[-1].value


def test_the_remedy_for_a_denied_command_names_the_switch_as_it_is_written():
    assert f"“Agent {agents._may(Permission())}”" in SWITCH_REMEDY
    assert len(SWITCH_REMEDY) <= answer.REMEDY_CHARACTERS and len(SERVER_REMEDY) <= answer.REMEDY_CHARACTERS


def test_the_web_is_a_switch_of_its_own(conversation):
    at = page(conversation)
    at.toggle[2].set_value(True).run()
    allowed, _ = stored(conversation)
    assert (allowed.may_run, allowed.may_edit, allowed.may_browse) == (False, False, True)
    assert "may use the web" in at.caption[-1].value


@pytest.mark.parametrize(("name", "words"), [("cursor", "could not be tested"), ("codex", "reads no files")])
def test_before_the_first_question_the_page_says_what_holds_the_agent(name, words, monkeypatch):
    def script(name):
        from instrumentgpt.agents.registry import AGENTS
        from instrumentgpt.settings import settings_in_force
        from instrumentgpt.ui.agents import draw_hold

        draw_hold(AGENTS[name], settings_in_force({}))

    def said():
        at = AppTest.from_function(script, args=(name,), default_timeout=TIMEOUT).run()
        assert not at.exception
        return at.caption[0]

    assert "Only its own settings keep" in said().value and words in said().value
    monkeypatch.setenv("INSTRUMENTGPT_SANDBOX", "on")
    if sandbox.is_there():
        assert "in a sandbox" in said().value and "Linux keeps" in said().help and words in said().help
    else:
        assert "this system has no sandbox" in said().value


def test_what_was_allowed_can_be_taken_back(conversation):
    at = page(conversation)
    at.toggle[1].set_value(True).run()
    at.toggle[1].set_value(False).run()
    allowed, record = stored(conversation)
    assert (allowed.may_edit, len(record)) == (False, 2)


def test_what_another_tab_changed_is_shown(conversation):
    at = page(conversation)
    with closing(db.connect(database_path())) as database:
        save_permission(database, conversation, may_run=True, may_edit=True, changed_by="10.0.0.9")
    at.run()
    assert [toggle.value for toggle in at.toggle] == [True, True, False]


def test_another_conversation_is_not_touched(conversation):
    with closing(db.connect(database_path())) as database:
        other = db.create_conversation(database)
    page(conversation).toggle[0].set_value(True).run()
    assert not stored(other)[0].may_run

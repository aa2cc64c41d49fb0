"""Connecting an agent on the Settings page: the address, the end, the account, the models."""

import os
import sys

import pytest
from pages import button, settings_page

from instrumentgpt.commands import doctor

TIMEOUT = 100  # s: the first run imports everything
AGENT = """
import sys
word = sys.argv[1]
if word == "login":
    print("Open https://cursor.com/login?challenge=1 in a browser")
    print(LOGIN)
elif word == "status":
    print(STATUS)
elif word == "models":
    print("Available models\\n\\nauto - Auto  (current)\\nsonnet-4.5 - Sonnet 4.5")
"""


@pytest.fixture
def agent(tmp_path, monkeypatch):
    """Install an agent whose login and status say this."""

    def installed(login, status):
        program = tmp_path / "agent"
        says = f"LOGIN, STATUS = {login!r}, {status!r}"
        program.write_text(f"#!{sys.executable}\n{says}\n{AGENT}")
        program.chmod(0o755)
        monkeypatch.setenv("INSTRUMENTGPT_AGENT", "cursor")
        monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))

    return installed


def after_clicking(label):
    at = settings_page()
    button(at, label).click().run()
    return at


def test_the_address_of_the_login_is_shown_and_that_it_worked(agent):
    agent("Login successful!", "Logged in as ana@lab.tw")
    at = after_clicking("Connect agent")
    assert any("https://cursor.com/login?challenge=1" in code.value for code in at.code)
    assert "Logged in as ana" in at.info[0].value


def test_a_login_that_fails_is_said_in_the_agents_words(agent):
    agent("You are not logged in", "Not logged in")
    at = after_clicking("Connect agent")
    assert any("You are not logged in" in text.value for text in at.text)
    assert "Not logged in" in at.error[0].value


def test_the_models_of_the_account_are_listed(agent):
    agent("", "Logged in as ana@lab.tw")
    at = after_clicking("Test agent")
    assert any("auto, sonnet" in caption.value for caption in at.caption)


def test_the_offline_analyst_has_no_account_to_connect(monkeypatch):
    monkeypatch.setenv("INSTRUMENTGPT_AGENT", "offline")
    assert "Connect agent" not in [button.label for button in settings_page().button]


@pytest.mark.parametrize(
    ("status", "state", "remedy"),
    [("Logged in as ana@lab.tw", "ok", ""), ("Not logged in", "optional", "connect it in Settings")],
)
def test_doctor_tells_whether_the_agent_is_logged_in(agent, status, state, remedy):
    agent("", status)
    (line,) = [line for line in doctor.agents() if line.what == "Cursor agent, account"]
    assert (line.state, line.found) == (state, status)
    assert remedy in line.remedy


def test_an_agent_whose_login_wants_a_code_says_how_to_log_in_by_hand(agent, monkeypatch):
    agent("", "")
    program = os.environ["INSTRUMENTGPT_AGENT_PATH"]
    with open(program, "w") as file:
        file.write(f"#!{sys.executable}\nprint('{{\"loggedIn\": false}}')\n")
    monkeypatch.setenv("INSTRUMENTGPT_AGENT", "claude")
    at = settings_page()
    assert "Connect agent" not in [button.label for button in at.button]
    button(at, "Test agent").click().run()
    assert "auth login` in a terminal" in at.error[0].value.replace("\\", "")

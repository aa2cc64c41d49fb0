"""The agent's account on the Settings page and for doctor: whether it is logged in, its models."""

import os
import sys

import pytest
from pages import button, settings_page

from instrumentgpt.commands import doctor

AGENT = """
import sys
word = sys.argv[1]
if word == "status":
    print(STATUS)
elif word == "models":
    print("Available models\\n\\nauto - Auto  (current)\\nsonnet-4.5 - Sonnet 4.5")
"""


@pytest.fixture
def agent(tmp_path, monkeypatch):
    """Install an agent whose status says this."""

    def installed(status):
        program = tmp_path / "agent"
        says = f"STATUS = {status!r}"
        program.write_text(f"#!{sys.executable}\n{says}\n{AGENT}")
        program.chmod(0o755)
        monkeypatch.setenv("INSTRUMENTGPT_AGENT", "cursor")
        monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))

    return installed


def after_clicking(label):
    at = settings_page()
    button(at, label).click().run()
    return at


def test_the_models_of_the_account_are_listed(agent):
    agent("Logged in as ana@lab.tw")
    at = after_clicking("Test agent")
    assert any("auto, sonnet" in caption.value for caption in at.caption)


@pytest.mark.parametrize(
    ("status", "state", "remedy"),
    [("Logged in as ana@lab.tw", "ok", ""), ("Not logged in", "optional", "login`")],
)
def test_doctor_tells_whether_the_agent_is_logged_in(agent, status, state, remedy):
    agent(status)
    (line,) = [line for line in doctor.agents() if line.what == "Cursor agent, account"]
    assert (line.state, line.found) == (state, status)
    assert remedy in line.remedy


def test_an_agent_that_is_not_logged_in_says_how_to_log_in(agent, monkeypatch):
    agent("")
    program = os.environ["INSTRUMENTGPT_AGENT_PATH"]
    with open(program, "w") as file:
        file.write(f"#!{sys.executable}\nprint('{{\"loggedIn\": false}}')\n")
    monkeypatch.setenv("INSTRUMENTGPT_AGENT", "claude")
    at = settings_page()
    button(at, "Test agent").click().run()
    assert f"Run `{program} auth login` in a terminal" in at.error[0].value.replace("\\", "")

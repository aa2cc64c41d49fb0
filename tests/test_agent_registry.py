"""Which agents there are, where they are found, and how they are asked."""

import sys

import pytest
from cases import each

from instrumentgpt.agents.process import Request
from instrumentgpt.agents.registry import AGENTS, AUTOMATIC, UnknownAgent, choose, environment_for
from instrumentgpt.modes.registry import MODES, UnknownMode, known_mode
from instrumentgpt.settings import CHECKOUT, Settings

DOCS = (CHECKOUT / "docs" / "add-an-agent.md").read_text(encoding="utf-8")
ARCHITECTURE = (CHECKOUT / "docs" / "architecture.md").read_text(encoding="utf-8")


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put programs of these names, and nothing else, on PATH; return their folder."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def installed(*names):
        for name in names:
            (folder / name).write_text("#!/bin/sh\n")
            (folder / name).chmod(0o755)
        return folder

    return installed


@pytest.mark.parametrize(
    ("names", "found"),
    [(("agent",), "agent"), (("cursor-agent",), "cursor-agent"), (("agent", "cursor-agent"), "agent")],
)
def test_cursors_agent_is_found_on_path_by_either_name(install, names, found):
    folder = install(*names)
    assert AGENTS["cursor"].find("") == str(folder / found)


def test_a_setting_wins_over_path_and_a_wrong_one_is_not_replaced_silently(install, tmp_path):
    install("agent")
    own = tmp_path / "my-agent"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    assert AGENTS["cursor"].find(str(own)) == str(own)
    assert AGENTS["cursor"].find(str(tmp_path / "gone")) is None


def test_auto_is_the_first_installed_agent_else_the_offline_analyst(install):
    install()
    agent, program = choose("auto", Settings())
    assert (agent.name, program) == ("offline", sys.executable)
    install("agent")
    assert choose("auto", Settings())[0].name == "cursor"


def test_an_unknown_or_missing_agent_is_refused_with_the_remedy(install):
    install()
    with pytest.raises(UnknownAgent, match=r"'gpt' is no agent. Choose one of: auto, cursor, claude"):
        choose("gpt", Settings())
    with pytest.raises(UnknownAgent, match=r"Cursor agent is not installed. Install it with"):
        choose("cursor", Settings())


@pytest.mark.parametrize("agent", AGENTS.values(), ids=list(AGENTS))
def test_the_prompt_goes_to_stdin_and_never_into_the_command_line(agent, tmp_path):
    request = Request("why; rm -rf /", tmp_path, tmp_path / "task.json")
    command = agent.command("program", request, {"PATH": "/bin"})
    assert command.prompt == "why; rm -rf /"
    assert command.folder == tmp_path
    assert not any("rm -rf" in word for word in command.argv)
    assert any("json" in word for word in command.argv)


def test_the_offline_analyst_finds_our_code_and_its_task(tmp_path):
    command = AGENTS["offline"].command(sys.executable, Request("why?", tmp_path, tmp_path / "task.json"), {})
    assert command.environment["PYTHONPATH"] == str(CHECKOUT)
    assert command.argv[-2:] == ("--task", str(tmp_path / "task.json"))


def test_each_agent_gets_its_own_environment_and_no_others():
    given = {
        "PATH": "/bin",
        "LC_ALL": "C",
        "CURSOR_API_KEY": "k",
        "INSTRUMENTGPT_HOME": "h",
        "GITHUB_TOKEN": "t",
    }
    assert environment_for(AGENTS["cursor"], given).keys() == {"PATH", "LC_ALL", "CURSOR_API_KEY"}
    assert environment_for(AGENTS["offline"], given).keys() == {"PATH", "LC_ALL", "INSTRUMENTGPT_HOME"}


def test_an_unknown_mode_is_refused_with_the_known_ones():
    with pytest.raises(UnknownMode, match="Choose one of: chat"):
        known_mode("panell")


@each("name", AGENTS)
def test_every_agent_is_named_by_its_key_and_in_the_docs(name):
    assert AGENTS[name].name == name
    assert f"`{name}`" in DOCS


def test_what_answers_automatically_is_registered():
    assert set(AUTOMATIC) <= set(AGENTS)


@each("name", MODES)
def test_every_mode_is_in_the_docs(name):
    assert f"`{name}`" in ARCHITECTURE

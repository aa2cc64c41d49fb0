"""Where programs are found, and which of their options are used."""

import json
import tomllib
from pathlib import Path

import pytest
from cases import each

from instrumentgpt.agents import claude_cli, codex_cli, gemini_cli, opencode_cli
from instrumentgpt.agents.gemini_cli import policy
from instrumentgpt.agents.process import Request
from instrumentgpt.agents.programs import find_program, known_options
from instrumentgpt.agents.registry import AGENTS, choose
from instrumentgpt.settings import Settings

WEB = {"webfetch", "websearch"}
CLI = {"claude": claude_cli, "codex": codex_cli, "gemini": gemini_cli, "opencode": opencode_cli}


@pytest.fixture
def program(tmp_path):
    """A program that lists its options and counts how often it was asked; returns its path."""

    def made(text="", code=0, name="agent"):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\necho asked >> {tmp_path}/asked\necho '{text}'\nexit {code}\n")
        path.chmod(0o755)
        return str(path)

    return made


def asked(tmp_path):
    kept = tmp_path / "asked"
    return len(kept.read_text().splitlines()) if kept.exists() else 0


def test_options_that_help_does_not_list_are_left_out(program, tmp_path):
    old = program("Usage: agent [-p] [--output-format F] [--resume ID]")
    command = AGENTS["cursor"].command(old, Request("why?", tmp_path, resume="s1"), {})
    assert command.argv == (old, "-p", "--output-format", "stream-json", "--resume", "s1")


def test_help_is_asked_once_for_each_version_of_a_program(program, tmp_path):
    path = program("--trust")
    for _ in range(3):
        assert known_options(path, environment={}).of("--trust") == ["--trust"]
    assert asked(tmp_path) == 1
    assert known_options(program("now with --force too"), environment={}).of("--force") == ["--force"]
    assert asked(tmp_path) == 2


@pytest.mark.parametrize(("text", "code"), [("--trust", 1), ("", 0)])
def test_a_program_without_help_is_given_all_options(program, text, code):
    assert known_options(program(text, code), environment={}).of("--force") == ["--force"]


def test_a_broken_list_of_options_is_asked_for_again(program, tmp_path):
    kept = tmp_path / "home" / "cache" / "agent_options.json"
    kept.parent.mkdir(parents=True)
    kept.write_text("{")
    assert known_options(program("--trust"), environment={}).of("--force") == []


@pytest.mark.parametrize("name", CLI)
def test_a_program_is_found_on_path_or_where_installers_put_it(name, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert AGENTS[name].find("") is None
    folder = Path.home() / ".local" / "bin"
    folder.mkdir(parents=True)
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)
    assert AGENTS[name].find("") == find_program((name,)) == str(folder / name)


def test_the_path_of_the_settings_is_that_of_the_chosen_agent(program):
    path = program(name="my-codex")
    assert choose("codex", Settings(agent="codex", agent_path=path))[1] == path
    assert choose("cursor", Settings(agent="auto", agent_path=path))[1] == path


@pytest.mark.parametrize("name", ["cursor", *CLI])
def test_model_and_session_are_passed_on(name, program, tmp_path):
    words = AGENTS[name].command(program(), Request("why?", tmp_path, model="m1", resume="s1"), {}).argv
    assert "m1" in words and "s1" in words
    assert not {"m1", "s1"} & set(AGENTS[name].command(program(), Request("why?", tmp_path), {}).argv)


@pytest.mark.parametrize(
    ("name", "may", "words"),
    [
        ("claude", {}, {"Read,Glob,Grep"}),
        ("claude", {"may_run": True}, {"Read,Glob,Grep,Bash", "mcp__instrumentgpt,Bash"}),
        ("claude", {"may_edit": True}, {"Read,Glob,Grep,Edit,Write"}),
        ("claude", {"may_browse": True}, {"Read,Glob,Grep,WebFetch,WebSearch"}),
        ("codex", {}, {"read-only", 'approval_policy="never"', "features.shell_tool=false"}),
        ("codex", {}, {'web_search="disabled"', "features.view_image=false", "features.unified_exec=false"}),
        ("codex", {"may_edit": True}, {"workspace-write", "features.shell_tool=false"}),
        ("codex", {"may_run": True}, {"workspace-write", 'web_search="disabled"'}),
        ("codex", {"may_run": True, "confined": True}, {"danger-full-access"}),
        ("codex", {"confined": True}, {"read-only"}),
        ("codex", {"may_browse": True}, {"read-only", 'web_search="live"'}),
        ("gemini", {}, {"default", "--admin-policy"}),
        ("gemini", {"may_edit": True, "may_run": True}, {"default", "--admin-policy"}),
        ("cursor", {}, {"--trust", "--approve-mcps"}),
        ("cursor", {"may_run": True}, {"--trust", "--approve-mcps", "--force"}),
    ],
)
def test_an_agent_may_only_read_unless_the_request_allows_more(name, may, words, program, tmp_path):
    told = AGENTS[name].command(program(), Request("why?", tmp_path, **may), {}).argv
    assert words <= set(told)
    if not may:
        assert not {"--force", "yolo", "workspace-write", "auto_edit"} & set(told)


@pytest.mark.parametrize(
    ("may", "allowed"),
    [({}, set()), ({"may_run": True}, {"bash"}), ({"may_edit": True}, {"edit"}), ({"may_browse": True}, WEB)],
)
def test_opencode_is_told_what_it_may_do_over_any_configuration(may, allowed, program, tmp_path):
    told = (
        AGENTS["opencode"].command(program(), Request("why?", tmp_path, **may), {"PATH": "/bin"}).environment
    )
    permissions = json.loads(told["OPENCODE_PERMISSION"])
    assert permissions["*"] == permissions["external_directory"] == "deny"
    assert {name for name in ("bash", "edit", *WEB) if permissions[name] == "allow"} == allowed
    assert told["PATH"] == "/bin"


def test_servers_of_the_configuration_are_told_to_codex_as_settings(tmp_path, program):
    config = tmp_path / "mcp.json"
    server = {"command": "python", "args": ["-m", "溫度"], "env": {"PYTHONPATH": "/a b"}}
    config.write_text(json.dumps({"mcpServers": {"bench": server}}), encoding="utf-8")
    words = AGENTS["codex"].command(program(), Request("why?", tmp_path, mcp_config=config), {}).argv
    assert {
        'mcp_servers.bench.command="python"',
        'mcp_servers.bench.args=["-m", "溫度"]',
        "mcp_servers.bench.required=true",
        'mcp_servers.bench.default_tools_approval_mode="approve"',
        'mcp_servers.bench.env.PYTHONPATH="/a b"',
    } <= set(words)


def test_servers_of_the_users_own_settings_are_left_out_by_codex(tmp_path, program):
    settings = '[mcp_servers.files]\ncommand = "x"\n[mcp_servers.my-web]\ncommand = "y"\n'
    (tmp_path / "config.toml").write_text(settings)
    given = {"CODEX_HOME": str(tmp_path)}
    words = AGENTS["codex"].command(program(), Request("why?", tmp_path), given).argv
    assert {"mcp_servers.files.enabled=false", "mcp_servers.my-web.enabled=false"} <= set(words)


def test_geminis_policy_names_the_tools_it_has_and_denies_all_others():
    rules = tomllib.loads(policy(may_run=True, may_edit=False, may_browse=False))["rule"]
    denied, allowed, ours = rules
    assert (denied["toolName"], denied["decision"]) == ("*", "deny")
    assert all(rule["priority"] > denied["priority"] for rule in (allowed, ours))
    assert ours["mcpName"] == "instrumentgpt"
    assert "run_shell_command" in allowed["toolName"]
    assert not {"write_file", "replace", "google_web_search", "web_fetch"} & set(allowed["toolName"])


def test_claude_uses_no_other_servers_than_those_of_the_configuration(tmp_path, program):
    words = (
        AGENTS["claude"]
        .command(program(), Request("why?", tmp_path, mcp_config=tmp_path / "m.json"), {})
        .argv
    )
    assert "--strict-mcp-config" in words and str(tmp_path / "m.json") in words


def test_claude_waits_for_our_tools_longer_than_it_would(tmp_path, program):
    told = claude_cli.command(program(), Request("why?", tmp_path), {}).environment
    assert int(told["MCP_CONNECT_TIMEOUT_MS"]) > 5_000 and told["MCP_CONNECTION_NONBLOCKING"] == "0"


@each("name", CLI)
def test_an_agent_that_is_not_installed_says_how_to_get_it(name):
    assert f"npm install -g {'@' if name != 'opencode' else 'opencode-ai'}" in AGENTS[name].install

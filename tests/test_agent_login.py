"""What an agent says of its account: its login, its models."""

import sys

import pytest
from cases import each

from instrumentgpt.agents.login import COMMANDS, Commands, Status, models_of, read_models, status_of

CURSOR = COMMANDS["cursor"]


@pytest.fixture
def program(tmp_path):
    """Make a program that behaves so whatever it is told."""

    def made(behaviour):
        path = tmp_path / "agent"
        path.write_text(f"#!{sys.executable}\nimport sys\n{behaviour}\n")
        path.chmod(0o755)
        return str(path)

    return made


@pytest.mark.parametrize(
    ("behaviour", "status"),
    [
        ("print('\\x1b[32m✓\\x1b[0m Logged in as ana@lab.tw')", Status(True, "✓ Logged in as ana@lab.tw")),
        ("print('Not logged in'); sys.exit(1)", Status(False, "Not logged in")),
        ("print('Not logged in')", Status(False, "Not logged in")),
        ('print(\'{"loggedIn": true, "authMethod": "api_key"}\')', Status(True, "Logged in (api_key)")),
        ('print(\'{"loggedIn": false, "authMethod": "none"}\'); sys.exit(1)', Status(False, "Not logged in")),
        ("print('[1]')", Status(None, "[1]")),
        ("print('userEmail: null')", Status(None, "userEmail: null")),
        ("sys.exit(2)", Status(None, "It did not answer.")),
    ],
)
def test_the_status_is_what_the_agent_says_of_itself(program, behaviour, status):
    assert status_of(program(behaviour), CURSOR, {"PATH": "/usr/bin:/bin"}) == status


def test_models_are_asked_only_of_an_agent_that_can_list_them(program):
    listing = program("print('Available models\\n\\nauto - Auto  (current)\\nsonnet-4.5 - Sonnet 4.5')")
    assert models_of(listing, CURSOR, {"PATH": "/bin"}) == ["auto", "sonnet-4.5"]
    assert models_of(listing, Commands((), ()), {"PATH": "/bin"}) == []
    assert models_of(program("sys.exit(1)"), CURSOR, {"PATH": "/bin"}) == []


@each("text", ["", "Error: not logged in", "Tip: use --model <id> to switch.", "No models available"])
def test_what_is_no_line_of_a_model_is_none(text):
    assert read_models(text) == []

"""Logging an agent in on a real terminal: its address, its end whatever it is, and nothing left running."""

import sys

import psutil
import pytest
from cases import each
from waiting import at_once, gone

from instrumentgpt.agents.login import (
    COMMANDS,
    Address,
    Commands,
    Status,
    log_in,
    models_of,
    read_models,
    status_of,
)

CURSOR = COMMANDS["cursor"]
URL = "https://cursor.com/loginDeepControl?challenge=" + "c" * 400 + "&uuid=1&mode=login"
BEHAVIOURS = {
    "succeeds": f"""
print('\\x1b[1mPress any key\\x1b[0m or open:\\n{URL}')
time.sleep(0.3)
print('Login successful!')""",
    "lingers": f"print({URL!r}); print('Logged in as ana@lab.tw'); time.sleep(600)",
    "fails": f"print({URL!r}); print('Error: Authentication denied'); sys.exit(1)",
    "denies": "print('You are not logged in'); sys.exit(0)",
    "hangs": f"print({URL!r}); time.sleep(600)",
    "stubborn": f"""
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
print({URL!r})
time.sleep(600)""",
    "family": """
child = subprocess.Popen(['sleep', '600'], start_new_session=True)
print(f'https://x.test/{child.pid}')
time.sleep(600)""",
    "needs terminal": """
is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
print('ok' if is_terminal else 'Error: no terminal')
sys.exit(not is_terminal)""",
    "pieces": """
sys.stdout.write('https://x.test/ab')
sys.stdout.flush()
time.sleep(0.05)
print('cd')
time.sleep(0.5)""",
    "floods": "sys.stdout.write('x' * 3_000_000); print('\\nLogin successful'); sys.exit(0)",
}


@pytest.fixture
def program(tmp_path):
    """Make a program that behaves so whatever it is told."""

    def made(behaviour):
        path = tmp_path / "agent"
        does = BEHAVIOURS.get(behaviour, behaviour)
        path.write_text(f"#!{sys.executable}\nimport signal, subprocess, sys, time\n{does}\n")
        path.chmod(0o755)
        return str(path)

    return made


@pytest.mark.parametrize(
    ("behaviour", "addresses", "logged_in", "words"),
    [
        ("succeeds", [URL], True, "Login successful!"),
        ("lingers", [URL], True, "Logged in as ana@lab.tw"),
        ("fails", [URL], False, "Error: Authentication denied"),
        ("denies", [], False, "You are not logged in"),
        ("needs terminal", [], True, "ok"),
        ("floods", [], True, "Login successful"),
        ("sys.exit(3)", [], False, "exit code 3"),
    ],
)
def test_a_login_tells_its_address_and_how_it_ended(program, behaviour, addresses, logged_in, words):
    with at_once():
        *told, ended = log_in(program(behaviour), CURSOR, {"PATH": "/usr/bin:/bin"}, seconds=110)
    assert [one.url for one in told] == addresses
    assert isinstance(ended, Status) and ended.logged_in is logged_in
    assert words in ended.text


def test_a_login_that_nobody_finishes_ends_in_time(program):
    *_, ended = log_in(program("hangs"), CURSOR, {"PATH": "/usr/bin:/bin"}, seconds=1)
    assert not ended.logged_in and "Nobody finished the login in time" in ended.text


def test_an_address_that_comes_in_pieces_is_told_whole(program):
    """What has come is told after 0.2 s of silence: where the machine stood still just then, once more."""
    for _ in range(5):
        *told, ended = log_in(program("pieces"), CURSOR, {"PATH": "/usr/bin:/bin"}, seconds=110)
        assert told[-1] == Address("https://x.test/abcd") and ended == Status(True, "https://x.test/abcd")
        if len(told) == 1:
            return
    pytest.fail("its first piece was told as an address, five times")


@pytest.mark.parametrize("behaviour", ["stubborn", "family"])
def test_a_login_that_is_given_up_leaves_no_process(program, behaviour):
    before = set(psutil.Process().children(recursive=True))
    login = log_in(program(behaviour), CURSOR, {"PATH": "/usr/bin:/bin"})
    address = next(login)
    left = set(psutil.Process().children(recursive=True)) - before
    assert isinstance(address, Address) and left
    with at_once():
        login.close()
    gone(*(one.pid for one in left))


def test_a_program_that_does_not_start_is_an_end_too(tmp_path):
    (ended,) = log_in(str(tmp_path / "none"), CURSOR, {})
    assert not ended.logged_in and "does not start" in ended.text


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

"""What holds an agent in its place: a plain program below a keeper tries what it may and what it may not."""

import json
import os
import shlex
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import db
from instrumentgpt.agents import sandbox
from instrumentgpt.agents.events import Tool
from instrumentgpt.agents.process import Command, Request
from instrumentgpt.settings import CHECKOUT, Settings, database_path
from instrumentgpt.turn import runs

SETTINGS = Settings()
CANARY = "the canary sings"
pytestmark = pytest.mark.skipif(
    not sandbox.is_there(),
    reason=f"NO SANDBOX IS TESTED: this kernel ({os.uname().release}) has no Landlock of Linux 6.2 or newer",
)


@pytest.fixture
def places(tmp_path):
    """Folders with a canary each, by what they are to the agent."""
    made = {name: tmp_path / name for name in ("workspace", "source", "state", "other", "home", "program")}
    for folder in made.values():
        folder.mkdir()
        (folder / "canary").write_text(CANARY)
    return made


@pytest.fixture
def attempt(places, monkeypatch):
    """A function that runs shell words as the agent, and returns what came of them."""
    monkeypatch.setenv("INSTRUMENTGPT_HOME", str(places["home"]))

    def run(words, settings=SETTINGS, **allowed):
        program = places["program"] / "agent"
        program.write_text('#!/bin/sh\neval "$1"\n')
        program.chmod(0o755)
        environment = {"PATH": os.environ["PATH"], "HOME": str(places["other"]), "OF": str(os.getpid())}
        environment |= {"CODEX_HOME": str(places["state"])}
        environment |= {name.upper(): str(folder) for name, folder in places.items() if name != "home"}
        request = Request("", places["workspace"], source=places["source"], **allowed)
        command = Command((str(program), words), "", environment, places["workspace"])
        kept = sandbox.confined(command, request, ("$CODEX_HOME",), settings)
        return subprocess.run(
            kept.argv, env=kept.environment, cwd=kept.folder, capture_output=True, text=True, check=False
        )

    return run


@pytest.mark.parametrize("place", ["$WORKSPACE", "$SOURCE", "$STATE", "$PROGRAM"])
def test_what_an_agent_needs_can_be_read(attempt, place):
    assert attempt(f'cat "{place}/canary"').stdout == CANARY


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "$OTHER/canary",
        "$WORKSPACE/../home/canary",
        "/proc/$OF/environ",
        "/proc/$OF/cmdline",
        "/proc/$OF/root/etc/passwd",
        "/proc/self/root/etc/passwd",
    ],
)
def test_nothing_else_can_be_read_not_even_through_a_link(attempt, places, path):
    attempts = [
        f'cat "{path}"',
        f'ln -s "{path}" "$TMPDIR/link"; cat "$TMPDIR/link"',
        f'cp "{path}" /dev/stdout',
    ]
    for words in attempts:
        told = attempt(words)
        assert told.stdout == "" and told.returncode != 0 and "denied" in told.stderr, (words, told)


@pytest.mark.parametrize("place", ["$OTHER", "$WORKSPACE/../home"])
def test_folders_elsewhere_cannot_be_listed(attempt, place):
    assert attempt(f'ls "{place}"').stdout == ""


@pytest.mark.parametrize("place", ["workspace", "source", "other", "home", "program"])
def test_what_may_only_be_read_stays_as_it_is(attempt, places, place):
    writing = "echo x >new; echo x >>canary; truncate -s 0 canary; mkdir folder; ln canary $STATE/linked"
    attempt(f'cd "{places[place]}"; {writing}; mv canary $TMPDIR/; rm -f canary')
    assert [path.name for path in places[place].iterdir() if path.name != "agent"] == ["canary"]
    assert (places[place] / "canary").read_text() == CANARY
    assert not (places["state"] / "linked").exists()


@pytest.mark.parametrize(
    ("allowed", "may_change"),
    [
        ({}, {"state"}),
        ({"may_run": True}, {"state", "workspace"}),
        ({"may_edit": True}, {"state", "workspace", "source"}),
        ({"may_browse": True}, {"state"}),
    ],
)
def test_each_permission_widens_exactly_what_it_says(attempt, places, allowed, may_change):
    attempt('for place in "$WORKSPACE" "$SOURCE" "$STATE" "$OTHER"; do echo x >"$place/new"; done', **allowed)
    assert {name for name, folder in places.items() if (folder / "new").exists()} == may_change


def test_the_agent_has_a_temporary_folder_of_its_own_that_is_gone_afterwards(attempt):
    told = attempt('echo x >"$TMPDIR/x" && echo "$TMPDIR"; echo x >/tmp/$$.x')
    assert "denied" in told.stderr
    assert not Path(told.stdout.strip()).exists()


def test_the_agent_cannot_signal_processes_outside(attempt):
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as other:
        told = attempt(f"kill -0 {other.pid}")
        other.kill()
    assert told.returncode != 0


def test_there_is_no_way_back_by_a_child_or_another_session(attempt):
    told = attempt("setsid -w env -i /bin/sh -c 'cat /etc/passwd'; echo $?")
    assert told.stdout.strip() != "0" and "denied" in told.stderr


def test_further_folders_can_be_opened_for_a_program_that_needs_them(attempt, places):
    settings = Settings(agent_reads=f"'{places['other']}' /nowhere")
    assert attempt('cat "$OTHER/canary"; echo x >"$OTHER/new"', settings).stdout == CANARY
    assert not (places["other"] / "new").exists()


def test_a_sandbox_that_was_promised_and_cannot_be_had_ends_the_agent_before_it_begins(attempt, places):
    """As on a kernel that refuses: there, the program has already been confined as often as it can be."""
    command = Command(("/bin/sh", "-c", "echo begun"), "", {}, places["workspace"])
    kept = sandbox.confined(command, Request("", places["workspace"]), (), SETTINGS).argv
    confined = (
        f"import os, sys\nsys.path.insert(0, {str(CHECKOUT)!r})\nfrom instrumentgpt.agents import keeper\n"
    )
    confined += "for _ in range(16): keeper.confine(['/'], ['/'])\nos.execv(sys.argv[1], sys.argv[1:])"
    told = subprocess.run(
        [sys.executable, "-c", confined, *kept], capture_output=True, text=True, check=False
    )
    assert told.returncode == 127 and "does not start" in told.stderr and "begun" not in told.stdout


def test_a_program_that_takes_what_it_can_gets_our_tools_and_nothing_else(
    tmp_path, database, conversation, cli_agent, monkeypatch
):
    """All at once, as a turn starts it: the way to our tools leads out of the sandbox, and no other does."""
    monkeypatch.setenv("INSTRUMENTGPT_SANDBOX", "on")
    reads = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "evals")]
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_READS", shlex.join(reads))
    other = tmp_path / "other"
    with closing(db.connect(other / "instrumentgpt.db")) as opened:
        db.create_conversation(opened, CANARY)
    db.add_message(database, conversation, "user", CANARY)
    (other / "secret").write_text(CANARY)
    files = [
        "/etc/passwd",
        other / "secret",
        other / "instrumentgpt.db",
        database_path(),
        f"{database_path()}-wal",
    ]
    cli_agent("grabbing_agent.py", str(other), *map(str, files))
    *events, done = runs.consume(database_path(), conversation, "why?")
    assert done.outcome == "ok", events
    assert done.text.count("PermissionError") == len(files) + 2
    assert CANARY not in done.text and "root:" not in done.text
    made = [path.name for path in tmp_path.rglob("*") if path.name in ("written", "touched")]
    assert made == []
    called = [event for event in events if isinstance(event, Tool) and event.server]
    assert [tool.status for tool in called] == ["started", "ok"] and "zspr 051" in called[-1].result


def test_what_is_told_to_the_keeper_holds_no_key(attempt, places):
    """Everybody can read a command line."""
    command = Command(("/bin/sh",), "", {"OPENAI_API_KEY": "k-1"}, places["workspace"])
    told = sandbox.confined(command, Request("", places["workspace"]), (), Settings()).argv
    assert "k-1" not in json.dumps(told)


def test_how_a_program_ends_is_told_as_if_it_had_no_keeper(attempt):
    assert attempt("exit 7").returncode == 7
    assert attempt("kill -TERM $$").returncode == -15
    assert attempt("kill -KILL $$").returncode == -9

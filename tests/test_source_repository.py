"""The repository of an instrument's software: agents read it where it is, and nothing is written into it."""

import json
import sys
from contextlib import closing

import pytest

import db
from instrumentgpt.agents.events import Tick
from instrumentgpt.agents.process import Request
from instrumentgpt.agents.registry import AGENTS
from instrumentgpt.agents.workspace import cursor_permissions, prepare
from instrumentgpt.commands import doctor
from instrumentgpt.instruments.devices import InventoryError, load_inventory
from instrumentgpt.storage.conversations import Permission
from instrumentgpt.turn import runs

pytestmark = pytest.mark.usefixtures("forked")

SERVER = {"command": "python", "args": ["-m", "x"], "env": {"X": "1"}}
DEVICE = '[[device]]\nname = "zspr 060"\nip = "10.1.1.60"\nlogs = "logs"\n'
# A program that tells where it works and what is there, as the last line of Claude Code's or Cursor's stream.
TELLS = f"""#!{sys.executable}
import json, os, sys
given = dict(zip(sys.argv, sys.argv[1:]))
added = given.get("--add-dir")
told = {{
    "cwd": os.getcwd(),
    "files": sorted(os.listdir()),
    "added": sorted(os.listdir(added)) if added else [],
    "resumed": given.get("--resume", ""),
}}
session = "s-" + os.path.basename(os.getcwd())
result = {{"type": "result", "subtype": "success", "is_error": False, "result": json.dumps(told)}}
if "--help" in sys.argv:
    print("--add-dir --resume --trust")
else:
    print(json.dumps({{"type": "system", "subtype": "init", "session_id": session}}))
    print(json.dumps(result))
"""


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "code" / "zspr"
    folder.mkdir(parents=True)
    (folder / "pid.c").write_text("int main() {}")
    return folder


@pytest.fixture
def inventory(tmp_path, repository):
    """Write an inventory of one device, with these further lines; return its path."""

    def written(more='source = "code/zspr"\n'):
        path = tmp_path / "devices.toml"
        path.write_text(DEVICE + more + '[[device]]\nname = "zspr 061"\nip = "10.1.1.61"\nlogs = "logs"\n')
        return path

    return written


@pytest.fixture
def ask(tmp_path, monkeypatch, inventory):
    """Ask an agent that tells where it works; return what it told, and the events before."""
    program = tmp_path / "agent"
    program.write_text(TELLS)
    program.chmod(0o755)
    path = tmp_path / "home" / "instrumentgpt.db"
    with closing(db.connect(path)) as database:
        conversation = db.create_conversation(database)

    def asked(agent, question, more='source = "code/zspr"\n'):
        monkeypatch.setenv("INSTRUMENTGPT_AGENT", agent)
        monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))
        monkeypatch.setenv("INSTRUMENTGPT_INVENTORY", str(inventory(more)))
        *events, done = runs.consume(path, conversation, question, agent=agent)
        assert done.outcome == "ok", events
        return json.loads(done.text), events

    asked.path, asked.conversation = path, conversation
    return asked


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "ours"
    made.mkdir()
    return made


def command(agent, folder, repository, **request):
    mcp_config = prepare(folder, agent, SERVER, Permission(), repository)
    request = Request("why?", folder, mcp_config=mcp_config, source=repository, **request)
    return AGENTS[agent].command("/nowhere/agent", request, {"PATH": "/bin"})


def test_a_source_is_a_folder_beside_the_inventory_or_anywhere(inventory, repository):
    assert load_inventory(inventory()).devices[0].source == str(repository)
    assert load_inventory(inventory(f'source = "{repository}"\n')).devices[0].source == str(repository)
    assert load_inventory(inventory("")).devices[0].source == ""


@pytest.mark.parametrize("source", ["https://example.com/zspr.git", "sftp://10.1.1.60/src", "code\\nzspr"])
def test_a_source_that_is_no_folder_here_is_refused_with_the_remedy(inventory, source):
    with pytest.raises(InventoryError, match="Clone it"):
        load_inventory(inventory(f'source = "{source}"\n'))


def test_claude_works_in_the_source_and_finds_our_files_beside_it(ask, repository):
    told, _ = ask("claude", "10.1.1.60?")
    assert (told["cwd"], told["files"]) == (str(repository), ["pid.c"])
    assert {".cursor", "CLAUDE.md"} <= set(told["added"])


def test_cursor_works_in_our_folder_where_its_permissions_are_and_is_given_the_source(ask, repository):
    told, _ = ask("cursor", "10.1.1.60?")
    assert ".cursor" in told["files"] and told["added"] == ["pid.c"]


@pytest.mark.parametrize("agent", ["claude", "cursor"])
def test_nothing_is_written_into_the_source(ask, repository, agent):
    ask(agent, "10.1.1.60?")
    assert [path.name for path in repository.iterdir()] == ["pid.c"]


def test_the_source_is_that_of_the_device_in_view_and_sessions_are_kept_apart(ask, repository):
    ask("claude", "10.1.1.60?")
    again, _ = ask("claude", "and why?")
    other, _ = ask("claude", "10.1.1.61?")
    assert (again["cwd"], again["resumed"]) == (str(repository), "s-zspr")
    assert other["cwd"] != str(repository) and other["resumed"] == ""


def test_a_source_that_is_not_there_is_told_and_the_question_answered(ask):
    told, events = ask("claude", "10.1.1.60?", 'source = "code/gone"\n')
    assert "CLAUDE.md" in told["files"]
    assert [
        event.note for event in events if isinstance(event, Tick) and "code/gone is not there" in event.note
    ]


@pytest.mark.parametrize(("more", "told"), [('source = "code/zspr"\n', 0), ('source = "code/gone"\n', 1)])
def test_doctor_names_a_source_that_is_not_there(inventory, tmp_path, monkeypatch, more, told):
    (tmp_path / "logs").mkdir()
    monkeypatch.setenv("INSTRUMENTGPT_INVENTORY", str(inventory(more)))
    lines = [line for line in doctor.devices() if "source" in line.what]
    assert len(lines) == told and all("Clone" in line.remedy for line in lines)


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("cursor", ("--add-dir", "{source}")),
        ("claude", ("--add-dir", "{folder}")),
        ("gemini", ("--include-directories", "{source}")),
    ],
)
def test_each_agent_is_told_of_the_second_folder(agent, words, folder, repository):
    argv = command(agent, folder, repository).argv
    option, value = (word.format(source=repository, folder=folder) for word in words)
    assert argv[argv.index(option) + 1] == value


@pytest.mark.parametrize(
    ("agent", "where"),
    [("cursor", "ours"), ("claude", "zspr"), ("codex", "zspr"), ("gemini", "ours"), ("opencode", "ours")],
)
def test_an_agent_works_in_the_source_only_where_nothing_of_ours_must_lie_there(
    agent, where, folder, repository
):
    assert command(agent, folder, repository).folder.name == where


def test_our_rule_reaches_codex_in_the_source(folder, repository):
    (told,) = [word for word in command("codex", folder, repository).argv if "developer_instructions" in word]
    rule = json.loads(told.partition("=")[2])
    assert "Diagnosing an instrument" in rule and str(repository) in rule and str(folder) in rule


def test_opencode_may_read_the_source_and_nothing_else_outside(folder, repository):
    told = json.loads(command("opencode", folder, repository).environment["OPENCODE_PERMISSION"])
    assert told["external_directory"] == {"*": "deny", f"{repository}/*": "allow"}
    assert told["edit"] == "deny"


@pytest.mark.parametrize(
    ("may", "sandbox"),
    [
        ({}, "read-only"),
        ({"may_run": True}, "read-only"),
        ({"may_edit": True}, "workspace-write"),
    ],
)
def test_codex_writes_into_the_source_only_where_it_may_edit(may, sandbox, folder, repository):
    argv = command("codex", folder, repository, **may).argv
    assert argv[argv.index("--sandbox") + 1] == sandbox


@pytest.mark.parametrize("may_edit", [False, True])
def test_cursor_may_read_the_source_and_write_there_only_if_it_may_edit(may_edit, repository):
    told = cursor_permissions(Permission(may_edit=may_edit), repository)
    assert f"Read({repository}/**)" in told["allow"]
    assert f"Write({repository}/**)" in told["allow" if may_edit else "deny"]


@pytest.mark.parametrize("agent", ["cursor", "claude", "codex", "gemini", "opencode"])
def test_the_rule_says_where_source_and_logs_are_and_forgets_it_again(agent, folder, repository):
    def rules():
        return [path.read_text() for path in (*folder.glob("*.md"), *folder.glob(".cursor/rules/*"))]

    prepare(folder, agent, SERVER, Permission(), repository)
    assert all(str(repository) in rule and f"are in `{folder}`" in rule for rule in rules())
    prepare(folder, agent, SERVER, Permission())
    assert not [rule for rule in rules() if str(repository) in rule]

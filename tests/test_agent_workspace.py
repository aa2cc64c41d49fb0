"""What a CLI agent finds in its folder: rule, tools, permissions, logs, pasted dumps; and what it does."""

import gzip
import json
import subprocess

import pytest
from cases import each

import db
from instrumentgpt.agents import workspace
from instrumentgpt.agents.events import Tool
from instrumentgpt.agents.workspace import copy_logs, cursor_permissions, prepare, rule_text, tool_server
from instrumentgpt.instruments.tools import TOOLS
from instrumentgpt.settings import database_path
from instrumentgpt.storage.conversations import (
    Permission,
    list_permissions,
    permission_in_force,
    save_permission,
)
from instrumentgpt.turn import runs
from instrumentgpt.turn.request import pasted
from memory import DiagnosticState

NEWEST = "InstrumentDebug_2026-02-20_08-47-19.73.log"
LOG = {"log": NEWEST, "device": "zspr 053"}
DUMP = "\n".join(f"[2026-02-19 23:24:{second:02}] pv=36.{second}" for second in range(30))
SERVER = {"command": "python", "args": ["-m", "x"], "env": {"INSTRUMENTGPT_HOME": "/home"}}


@pytest.fixture
def folder(tmp_path, conversation):
    return tmp_path / "home" / "workspaces" / conversation


@pytest.fixture
def ask(conversation, cli_agent, judged_before):
    """Ask a question of an agent that makes these tool calls and says this; return the turn's events."""

    def asked(question, *calls, says="Done."):
        cli_agent("mcp_agent.py", json.dumps(calls), says)
        return list(runs.consume(database_path(), conversation, question))

    return asked


@pytest.fixture
def state(database, conversation):
    return lambda: DiagnosticState.deserialize(db.get_memory(conversation, database)[1])


def test_what_an_agent_finds_by_our_tools_is_remembered_as_theirs_and_its_log_and_the_dump_are_files(
    ask, database, conversation, state, folder
):
    events = ask(
        f"10.1.1.112 為什麼溫度波動？\n{DUMP}",
        ("fetch_log", {"device": "10.1.1.112"}),
        ("diagnose_log", LOG),
        ("plot_log", LOG),
        ("record_finding", {**LOG, "text": "蓋子開著", "lines": [3]}),
    )
    assert [one.status for one in events if isinstance(one, Tool)] == ["started", "ok"] * 4
    assert events[-1].outcome == "ok" and "PLOTLY_CHART" in events[-1].text
    assert state().findings[-1] == "蓋子開著" and len(state().findings) > 1
    assert NEWEST in state().downloaded_logs
    items = {item.text: item for item in db.list_state_items(database, conversation)}
    assert (items["蓋子開著"].source, items["蓋子開著"].log, items["蓋子開著"].line) == ("tool", NEWEST, 3)
    assert {item.source for item in items.values()} == {"tool"}

    ask("and now?")  # its folder has the log and the dump as files
    (copied,) = folder.glob(f"logs/*/{NEWEST}")
    assert copied.read_bytes().startswith(b"[2026-02-20")
    assert DUMP in (folder / "pasted" / "turn-001-user.md").read_text()


def test_what_a_tool_reports_wins_over_what_the_prose_seems_to_say(ask, state):
    ask(
        "10.1.1.112 為什麼溫度波動？",
        ("record_hypothesis", {"text": "kp is too high"}),
        ("record_hypothesis", {"text": "the fan has stopped"}),
        ("rule_out", {"hypothesis": "the fan has stopped", "because": "2,900 rpm throughout"}),
        says="**Hypothesis**: the fan has stopped.\n\n**Hypothesis**: the sensor drifts.",
    )
    assert state().hypotheses == ["kp is too high"]
    assert state().findings == []


def test_a_new_turn_starts_the_server_for_its_own_task(ask, folder):
    tasks = []
    for question in ("10.1.1.112 why?", "and now?"):
        ask(question)
        (entry,) = json.loads((folder / ".cursor/mcp.json").read_text())["mcpServers"].values()
        tasks.append(entry["args"][-1])
    assert tasks[0] != tasks[1]


def test_what_a_person_allowed_reaches_the_agents_folder_and_is_gone_when_withdrawn(
    ask, database, conversation, folder
):
    save_permission(database, conversation, may_run=True, may_edit=False, changed_by="ana")
    ask("why?")
    allowed = json.loads((folder / ".cursor/cli.json").read_text())["permissions"]
    assert "Shell(*)" in allowed["allow"] and "Write(**)" in allowed["deny"]
    save_permission(database, conversation, may_run=False, may_edit=False, changed_by="ana")
    ask("why?")
    assert "Shell(*)" in json.loads((folder / ".cursor/cli.json").read_text())["permissions"]["deny"]


def test_the_tag_of_the_rule_goes_under_a_question_about_a_device_only(conversation, cli_agent):
    cli_agent("fake_agent.py", "prompt")
    path = database_path()
    *_, named = runs.consume(path, conversation, "10.1.1.112 為什麼溫度波動？")
    *_, unnamed = runs.consume(path, conversation, "kp 呢？")
    assert named.text.startswith("10.1.1.112 為什麼溫度波動？\n\n@instrument\n")
    assert unnamed.text.startswith("kp 呢？\n\n<")


@each("permission", [Permission(), Permission(True), Permission(False, True), Permission(True, True)])
def test_reading_and_our_tools_are_always_allowed_and_nothing_is_both(permission):
    told = cursor_permissions(permission)
    assert {"Mcp(instrumentgpt:*)", "Read(**)"} <= set(told["allow"])
    assert "WebFetch(*)" in told["deny"]
    assert not set(told["allow"]) & set(told["deny"])
    assert ("Shell(*)" in told["allow"], "Write(**)" in told["allow"]) == (
        permission.may_run,
        permission.may_edit,
    )


@pytest.mark.parametrize(
    ("agent", "rule"),
    [("claude", "CLAUDE.md"), ("codex", "AGENTS.md"), ("gemini", "GEMINI.md"), ("opencode", "AGENTS.md")],
)
def test_each_agent_finds_the_rule_where_it_looks_and_no_other_agents(tmp_path, agent, rule):
    for worked_before in workspace.RULE_FILES:
        prepare(tmp_path, worked_before, SERVER, Permission())
    prepare(tmp_path, agent, SERVER, Permission())
    assert (tmp_path / rule).read_text() == rule_text()
    assert {path.name for path in tmp_path.glob("*.md")} == {rule}


def test_cursor_is_given_the_rule_once(tmp_path):
    prepare(tmp_path, "codex", SERVER, Permission())
    prepare(tmp_path, "cursor", SERVER, Permission())
    assert [path.name for path in tmp_path.iterdir()] == [".cursor"]
    head = (tmp_path / ".cursor/rules/instrument.mdc").read_text().split("---\n")[1]
    assert "alwaysApply: true" in head and head.startswith("description: ")


def test_gemini_and_opencode_are_told_of_the_server_in_their_own_files(tmp_path):
    prepare(tmp_path, "gemini", SERVER, Permission())
    gemini = json.loads((tmp_path / ".gemini/settings.json").read_text())["mcpServers"]["instrumentgpt"]
    assert gemini == {**SERVER, "trust": True}
    prepare(tmp_path, "opencode", SERVER, Permission())
    opencode = json.loads((tmp_path / "opencode.json").read_text())["mcp"]["instrumentgpt"]
    assert opencode["command"] == ["python", "-m", "x"] and opencode["environment"] == SERVER["env"]
    assert not (tmp_path / ".gemini/settings.json").exists()


def test_the_server_starts_in_any_folder_and_imports_nothing_from_it(tmp_path):
    (tmp_path / "json.py").write_text("raise SystemExit('imported from the folder of an agent')")
    entry = tool_server(tmp_path / "task.json", tmp_path, {"INSTRUMENTGPT_RUN": "r1"})
    command = [entry["command"], *entry["args"], "--help"]
    told = subprocess.run(command, cwd=tmp_path, env={}, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (0, "") and "--task" in told.stdout
    assert "PYTHONPATH" not in entry["env"]  # Gemini CLI takes it away
    assert entry["env"]["INSTRUMENTGPT_RUN"] == "r1"
    assert entry["args"][-1] == str(tmp_path / "task.json")


def test_the_rule_names_only_tools_that_there_are():
    named = {word for word in rule_text().split("`") if "_" in word and word.isidentifier()}
    assert len(named) > 10
    assert named - {"diagnostic_context", "conversation_summary"} <= set(TOOLS)


def test_a_packed_log_is_copied_unpacked_and_again_when_it_has_changed(tmp_path):
    source = tmp_path / "a.log.gz"
    for text in (b"first\n", b"second\n"):
        source.write_bytes(gzip.compress(text))
        copy_logs(tmp_path / "logs", [("zspr_053", source)])
        assert (tmp_path / "logs" / "zspr_053" / "a.log").read_bytes() == text


def test_a_log_that_is_damaged_or_huge_is_left_out_and_leaves_nothing(tmp_path):
    (tmp_path / "cut.log.gz").write_bytes(gzip.compress(b"x" * 99_999)[:50])
    (tmp_path / "bomb.log.gz").write_bytes(gzip.compress(b"\n" * (workspace.LARGEST_COPY - 1)))
    with (tmp_path / "huge.log").open("wb") as huge:
        huge.truncate(workspace.LARGEST_COPY + 1)
    copy_logs(tmp_path / "logs", [("d", path) for path in sorted(tmp_path.glob("*.log*"))])
    assert list((tmp_path / "logs").rglob("*.log*")) == []


def test_messages_are_kept_as_files_only_where_the_prompt_leaves_something_out():
    texts = [
        "why?",
        f"see\n{DUMP}",
        f"```\n{'x' * 3000}\n```",
        "word " * 700,
        "short <!-- PLOTLY_CHART:a -->",
    ]
    messages = [db.Message(n, "user", text, 0.0, "complete", None) for n, text in enumerate(texts)]
    assert list(pasted(messages)) == ["turn-002-user.md", "turn-003-user.md", "turn-004-user.md"]


def test_a_change_of_permissions_is_on_record(database, conversation):
    assert permission_in_force(database, conversation) == Permission()
    for may_run in (True, False):
        save_permission(database, conversation, "ana", may_run=may_run)
    record = list_permissions(database, conversation)
    assert [(one.may_run, one.changed_by, one.changed_at > 0) for one in record] == [
        (False, "ana", True),
        (True, "ana", True),
    ]


def test_no_name_breaks_out_of_the_configuration(tmp_path):
    hostile = {"command": "python", "args": ['"]\n[mcp_servers.evil]'], "env": {"X": '"; rm -rf /'}}
    told = json.loads(prepare(tmp_path, "cursor", hostile, Permission()).read_text())
    assert told["mcpServers"]["instrumentgpt"] == hostile

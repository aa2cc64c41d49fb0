"""A turn: what the agent is given, what is taken from it, and what is remembered."""

import json
from pathlib import Path

import pytest

import db
from instrumentgpt.agents.events import Artifact, Done, Failure, Text, Tick
from instrumentgpt.agents.family import RUN_VARIABLE
from instrumentgpt.memory.filtering import Part, rendered_parts
from instrumentgpt.settings import database_path
from instrumentgpt.storage.artifacts import list_uploads
from instrumentgpt.storage.runs import append_events, set_process, start_run
from instrumentgpt.turn import runs
from instrumentgpt.turn.close import events_of
from memory import DiagnosticState

FAKE = Path(__file__).parent / "fake_agent.py"
LOG = "InstrumentDebug_2026-02-19_23-24-45.39.log"
INVENTORY = """
[[device]]
name = "zspr 052"
ip = "10.1.1.47"
logs = "logs/052"

[[device]]
name = "zspr 053"
ip = "10.1.1.112"
logs = "logs/053"
"""


@pytest.fixture(autouse=True)
def path(inventory):
    inventory(INVENTORY)
    return database_path()


@pytest.fixture
def ask(path, conversation, cli_agent):
    """Ask a question of an agent with this behaviour; return the turn's events."""

    def asked(question, *behaviour, **more):
        cli_agent("fake_agent.py", *behaviour)
        return list(runs.consume(path, conversation, question, **more))

    return asked


@pytest.fixture
def state(database, conversation):
    return lambda: DiagnosticState.deserialize(db.get_memory(conversation, database)[1])


def test_the_prompt_begins_with_the_question_as_typed(ask):
    *_, done = ask("  10.1.1.47 為什麼溫度波動？", "prompt")
    assert done.text.startswith("  10.1.1.47 為什麼溫度波動？")
    assert "Device: zspr 052 (10.1.1.47)" in done.text


def test_the_next_prompt_knows_the_question_the_answer_and_the_finding(ask):
    ask("10.1.1.47 為什麼溫度波動？", "diagnoses")
    *_, done = ask("那 kp 可以調高嗎？", "prompt")
    assert "channel 3 swings by 2.1 °C every 63 s" in done.text
    assert f"Last log: {LOG}" in done.text
    assert "為什麼溫度波動" in done.text and "It swings." in done.text
    assert "PLOTLY_CHART" not in done.text


def test_old_messages_go_into_the_summary_once_each(ask, database, conversation):
    for number in range(6):
        ask(f"question {number} of zspr 052", "says", f"answer {number}")
    summary, _ = db.get_memory(conversation, database)
    *_, done = ask("and now?", "prompt")
    told = done.text.split("<recent_conversation>")[0]
    for number in range(3):
        assert f"question {number}" in told
        assert db.get_memory(conversation, database)[0].count(f"answer {number}") == 1
    assert "question 0" in summary


def test_what_our_tools_report_becomes_state_with_its_origin(ask, database, conversation, state):
    ask("10.1.1.47 為什麼溫度波動？", "diagnoses")
    assert state().findings == ["channel 3 swings by 2.1 °C every 63 s"]
    assert state().downloaded_logs == [LOG]
    item = next(item for item in db.list_state_items(database, conversation) if item.field == "findings")
    assert (item.source, item.device, item.log, item.line) == ("tool", "zspr 052", LOG, 18204)
    assert item.message_id == db.list_messages(database, conversation)[-1].id


def test_what_the_answer_states_becomes_state_told_by_the_agent(ask, database, conversation, state):
    ask("10.1.1.47 why?", "says", "**Root cause**: the relay welds shut.")
    assert state().root_causes == ["the relay welds shut"]
    (item,) = [item for item in db.list_state_items(database, conversation) if item.field == "root_causes"]
    assert item.source == "agent"


def test_another_server_of_the_same_shape_reports_nothing(ask, state):
    ask("10.1.1.47 why?", "replay", "03_mcp_tool_partial")
    assert state().findings == []


def test_the_state_is_kept_when_the_answer_breaks_off(ask, database, conversation, state):
    events = ask("10.1.1.47 為什麼溫度波動？", "breaks_off")
    assert events[-1].outcome == "no-result"
    assert (state().device_ip, state().status) == ("10.1.1.47", "investigating")


def test_a_new_device_files_the_old_state_away_and_gets_its_own_back(ask, database, conversation, state):
    ask("10.1.1.47 為什麼溫度波動？", "diagnoses")
    ask("那 10.1.1.112 呢？", "says", "ok")
    assert (state().device_name, state().findings) == ("zspr 053", [])
    filed = DiagnosticState.deserialize(db.device_states(database, conversation)["zspr 052"])
    assert filed.findings == ["channel 3 swings by 2.1 °C every 63 s"]
    ask("back to zspr 052", "says", "ok")
    assert (state().device_name, state().findings) == ("zspr 052", filed.findings)


def test_an_unknown_address_is_answered_without_an_agent(ask, database, conversation):
    (said, done) = ask("10.1.1.200 為什麼溫度波動？", "fails", "never asked")
    assert isinstance(said, Text) and done.outcome == "ok"
    assert "10.1.1.200 不在裝置清單裡" in done.text and "「儀器」頁按「新增儀器」" in done.text
    (_, done) = ask("why does 10.1.1.200 swing?", "fails", "never asked")
    assert "10.1.1.200 is not in the inventory" in done.text and "zspr 052 (10.1.1.47)" in done.text
    assert "Add instrument" in done.text and "a copy of" not in done.text
    assert "10.0.0.1" not in done.text and "[[device]]" not in done.text
    (_, done) = ask("why does zspr 0522 swing?", "fails", "never asked")
    assert done.text.startswith("**Did you mean zspr 052?**")


def test_beside_a_known_device_an_unknown_one_is_told_first(ask):
    *_, done = ask("compare 10.1.1.47 with 10.1.1.200", "replay", "02_shell_tools_partial")
    assert done.text.startswith("10.1.1.200 is not in the inventory")
    assert done.text.endswith("There is no log of PSU-8.")


def test_a_chart_is_stored_and_stands_where_it_was_made(ask, database, conversation):
    events = ask("10.1.1.47 為什麼溫度波動？", "diagnoses")
    made = next(event for event in events if isinstance(event, Artifact))
    message = db.list_messages(database, conversation)[-1]
    (kept,) = db.list_artifacts(database, message.id)
    assert (kept.id, kept.kind, kept.title, kept.alt) == (
        made.artifact_id,
        "plotly",
        "Channel 3",
        "pv swings",
    )
    assert db.get_artifact(database, conversation, kept.id).content == b'{"data": []}'
    assert [part.artifact_id or part.text.strip() for part in rendered_parts(message.content, [kept.id])] == [
        kept.id,
        "It swings.",  # what it said before it looked stands with the steps
    ]
    assert events[-1].text == message.content


@pytest.mark.parametrize(
    "file",
    [
        "../../../instrumentgpt.db",
        "/etc/passwd",
        "link.json",
        "no_such_file.json",
        "not_a_figure.json",
        ".",
        "",
        "x" * 5000,
    ],
)
def test_a_file_that_is_no_chart_in_the_runs_own_folder_is_refused(ask, database, conversation, file):
    events = ask("10.1.1.47 plot", "names_file", file)
    assert any(isinstance(event, Tick) and "refused" in event.note for event in events)
    assert not any(isinstance(event, Artifact) for event in events)
    assert db.list_artifacts(database, db.list_messages(database, conversation)[-1].id) == []
    assert events[-1].outcome == "ok"


def test_a_forged_marker_stays_text(ask, database, conversation):
    ask("10.1.1.47 為什麼溫度波動？", "diagnoses")
    chart = db.list_artifacts(database, db.list_messages(database, conversation)[-1].id)[0]
    forged = f"see <!-- PLOTLY_CHART:{chart.id} --> and <!-- PLOTLY_CHART:../../etc/passwd -->"
    ask(forged, "says", forged)
    for message in db.list_messages(database, conversation)[-2:]:
        own = [artifact.id for artifact in db.list_artifacts(database, message.id)]
        assert rendered_parts(message.content, own) == [Part(forged)]


def test_agents_are_not_given_our_environment(ask, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    monkeypatch.setenv("CURSOR_API_KEY", "k")
    *_, done = ask("why?", "environment")
    names = done.text.split()
    assert "CURSOR_API_KEY" in names and RUN_VARIABLE in names
    assert "AWS_SECRET_ACCESS_KEY" not in names and "INSTRUMENTGPT_HOME" not in names


def test_files_that_came_with_a_question_are_linked_to_it(ask, database, conversation):
    brought = db.add_artifact(
        database, conversation, None, None, "log", "run.log", "run.log, attached", b"t,pv\n"
    )
    elsewhere = db.add_artifact(
        database, db.create_conversation(database), None, None, "log", "other.log", "other", b""
    )
    ask("what is wrong here?", "says", "ok", attachments=[brought, elsewhere])
    question, _ = db.list_messages(database, conversation)
    assert [artifact.id for artifact in db.list_artifacts(database, question.id)] == [brought]
    assert [upload.title for upload in list_uploads(database, conversation)] == ["run.log"]


def test_a_run_that_died_is_closed_with_what_its_events_had_told(path, database, conversation, state):
    question = db.add_message(database, conversation, "user", "10.1.1.47 why?")
    run_id = start_run(database, conversation, "cursor", "chat", question)
    set_process(database, run_id, 1, 0.0)
    result = {"log": LOG, "findings": [{"text": "it swings", "evidence": [{"line": 7}]}]}
    tool = {"call_id": "1", "name": "diagnose_log", "status": "ok", "server": "instrumentgpt"}
    append_events(
        database,
        run_id,
        [
            json.dumps({"event": "Tool", **tool, "result": json.dumps(result)}),
            json.dumps({"event": "Text", "text": "It sw"}),
        ],
    )
    assert runs.reap(path) == [run_id]
    *_, failure, done = events_of(database, run_id)
    assert isinstance(failure, Failure) and isinstance(done, Done)
    assert (done.outcome, done.text) == ("died", "It sw")
    assert (state().device_ip, state().findings) == ("10.1.1.47", ["it swings"])

"""Our tools over MCP, as a CLI agent has them: a real client of the `mcp` package, a real server process."""

import inspect
import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import tool_calls
from anyio.from_thread import start_blocking_portal
from cases import each
from instrument_lines import event, sample
from mcp import ClientSession, StdioServerParameters, stdio_client
from tool_calls import LOG, NEWEST

import db
from instrumentgpt.agents.events import Tool
from instrumentgpt.agents.stream_parser import SERVER, with_whole_result
from instrumentgpt.instruments.tools import TOOLS
from instrumentgpt.mcp_brief import PAGE_CHARACTERS
from instrumentgpt.mcp_server import read_task, server
from instrumentgpt.mcp_tools import OURS, described, offered

ROOT = Path(__file__).parents[1]
SAID = [
    ("user", "10.1.1.47 為什麼溫度波動？"),
    ("assistant", "Channel 3 swings by 2.1 °C every 63 s: kp 0.09 is too high."),
    ("user", "is the heater of channel 3 sound?"),
    ("assistant", "加熱器正常，輸出沒有飽和。"),
    ("user", "what about kp? You may touch the gains now, but the lid stays shut until Friday."),
]
LAID = ["do not touch the gains", "do not open the valve", "最高 60 °C"]


@pytest.fixture(scope="module")
def home(tmp_path_factory, judged):
    folder = tmp_path_factory.mktemp("mcp")
    judged.mkdir(exist_ok=True)
    (folder / "cache").mkdir()
    (folder / "cache" / "frames").symlink_to(judged)  # what another test has judged is known
    return folder


@pytest.fixture(scope="module")
def task(home):
    with closing(db.connect(home / "instrumentgpt.db")) as database:
        conversation = db.create_conversation(database)
        first, *_ = [db.add_message(database, conversation, role, content) for role, content in SAID]
        laid = [("constraint", text, "") for text in LAID]
        db.store_facts(database, conversation, first, "user", [], laid)
    dropped = home / "dropped.csv"
    dropped.write_text(
        "time,setpoint,pv,output\n" + "".join(f"{n},37.0,{36 + n % 3},{n % 100}\n" for n in range(600))
    )
    told = {
        "task": "interview",
        "given": {"filed": ["Channel 3 swings at 70.8"]},
        "question": "what about kp?",
        "conversation_id": conversation,
        "database": str(home / "instrumentgpt.db"),
        "inventory": str(ROOT / "demo" / "devices.toml"),
        "cache": str(home / "cache"),
        "artifacts": str(home / "artifacts"),
        "attachments": [str(dropped)],
        "state": {"findings": []},
    }
    path = home / "task.json"
    path.write_text(json.dumps(told), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def session(home, task):
    """A client's session with a server that was started in a folder of its own, as an agent does it."""
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "instrumentgpt.mcp_server", "--task", str(task)],
        env={"PYTHONPATH": str(ROOT), "INSTRUMENTGPT_HOME": str(home)},
        cwd=home,
    )
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(stdio_client(started)) as (reading, writing),
        portal.wrap_async_context_manager(ClientSession(reading, writing)) as client,
    ):
        portal.call(client.initialize)
        yield portal, client


@pytest.fixture(scope="module")
def call(session):
    """Call a tool; return whether it failed, and its text."""
    portal, client = session

    def called(name, **arguments):
        result = portal.call(client.call_tool, name, arguments)
        return bool(result.is_error), "".join(item.text for item in result.content)

    for back in (0, 1):
        called("fetch_log", device="zspr 053", back=back)
    return called


CALLS = {**tool_calls.CALLS, "survey_devices": {"devices": ["zspr 053"]}}


def test_the_agent_is_offered_every_tool_of_the_registry_and_no_other(session):
    portal, client = session
    offered = {tool.name: tool for tool in portal.call(client.list_tools).tools}
    assert set(offered) == set(TOOLS) == set(CALLS)
    assert all(tool.description for tool in offered.values())


@each("name", TOOLS)
def test_what_the_agent_may_give_is_what_the_tool_takes_and_the_docstring_says(name):
    taken = inspect.signature(TOOLS[name]).parameters
    told, signature = described(name)
    assert signature.parameters.keys() - {"cursor"} == taken.keys() - {*OURS}
    assert TOOLS[name].__doc__.startswith(told.splitlines()[0]) and "record  " not in told


def test_each_tool_answers_with_a_short_page_of_json_and_the_whole_is_kept_for_the_turn(call, home):
    sizes = list[int]()
    for name, given in CALLS.items():
        failed, text = call(name, **given)
        assert not failed and len(text) < 1.5 * PAGE_CHARACTERS, text
        assert whole(home, text)["summary"]
        sizes.append(len(text.encode()))
    sizes.sort()
    assert sizes[len(sizes) // 2] <= 1200 and sizes[int(0.95 * len(sizes)) - 1] <= 4000


def whole(home, text):
    called = Tool("1", "diagnose_log", "ok", result=text, server=SERVER)
    return json.loads(with_whole_result(called, home).result)


def test_evidence_comes_as_a_link_that_opens_its_line_and_the_rest_by_a_second_call(call):
    found = json.loads(call("diagnose_log", **LOG)[1])
    fault, *healthy = found["findings"]
    assert fault["evidence"][0].startswith(f"[L 517](?log=zspr%20053/{NEWEST}&line=517) 08:49:16")
    assert all(one.keys() == {"summary", "evidence"} for one in healthy)
    cursors = {one["cursor"] for one in found["more"]}
    figures = json.loads(call("diagnose_log", **LOG, cursor="channels:0")[1])
    assert "channels:0" in cursors and [one["channel"] for one in figures["channels"]] == [1, 2, 3, 4]


def test_the_logs_of_a_survey_are_linked_with_their_device_and_columns_told_where_none_is_named(call):
    links = [row["line"] for row in json.loads(call("survey_logs", device="zspr 053")[1])["logs"]]
    assert all(link.partition("(")[2].startswith("?log=zspr%20053/Instrument") for link in links)
    catalogue, figures = (
        json.loads(call("column_figures", **LOG, columns=columns)[1]) for columns in ([], ["pv 2"])
    )
    assert len(catalogue["columns"]) == 16 and "columns" not in figures and figures["rows"]


def test_a_forged_name_of_a_result_reads_no_file(home):
    (home / "secret.json").write_text("{}")
    for name in ("../secret", "0" * 12, 7):
        forged = {"result": name, "summary": "it is healthy"}
        assert whole(home, json.dumps(forged)) == forged


def test_a_long_result_goes_on_where_its_cursor_says(call):
    seen, cursor = [], ""
    for _ in range(20):
        found = json.loads(call("read_lines", **LOG, first=1, last=200, cursor=cursor)[1])
        seen += [
            item["line"] if isinstance(item, dict) else int(item.partition(":")[0]) for item in found["lines"]
        ]
        if "more" not in found:
            break
        cursor = found["more"][0]["cursor"]
    assert seen == list(range(1, 201)) and cursor


def pages_of(tool, name, **arguments):
    """Return all items of the list `name`, page after page, and on how many pages they came."""
    seen, cursors = [], [""]
    while cursors[-1] is not None:
        found = json.loads(tool(**arguments, cursor=cursors[-1]))
        seen += found[name]
        cursors.append(next((more["cursor"] for more in found.get("more", ())), None))
    return seen, len(cursors) - 1


def test_every_log_of_a_large_folder_is_reached_by_cursors(tmp_path):
    (tmp_path / "logs").mkdir()
    names = {
        f"InstrumentDebug_2026-01-{day:02}_{hour:02}-00-00.00.log"
        for day in range(1, 31)
        for hour in range(24)
    }
    for name in names:
        (tmp_path / "logs" / name).touch()
    (tmp_path / "devices.toml").write_text('[[device]]\nname = "d"\nip = "10.1.1.60"\nlogs = "logs"\n')
    tools = offered({"inventory": str(tmp_path / "devices.toml"), "cache": str(tmp_path / "cache")})
    seen, pages = pages_of(tools["list_logs"], "logs", device="d")
    assert {log["name"] for log in seen} == names and len(seen) == len(names) and pages > 1


def test_every_group_of_events_is_reached_by_cursors(tmp_path):
    units = [f"{first}{second}" for first in "abcdef" for second in "ghijklmnop"]
    lines = [sample(number) for number in range(100)]
    lines += [
        event(100 + n, f"[{unit}] the {unit} unit reports trouble", "error") for n, unit in enumerate(units)
    ]
    (tmp_path / "events.log").write_text("\n".join(lines))
    tools = offered({"cache": str(tmp_path / "cache"), "attachments": [str(tmp_path / "events.log")]})
    seen, pages = pages_of(tools["search_events"], "groups", log="events.log")
    assert len({group["template"] for group in seen}) == len(seen) == len(units) and pages > 1


def test_the_whole_conversation_can_be_searched_in_both_languages(call):
    first = json.loads(call("recall", query="溫度為什麼波動")[1])["messages"][0]
    assert (first["turn"], first["said_by"]) == (1, "user")
    first = json.loads(call("recall", query="what did we say of the HEATER")[1])["messages"][0]
    assert (first["turn"], first["text"]) == (2, "is the heater of channel 3 sound?")


def test_the_question_being_answered_is_not_recalled(call):
    found = json.loads(call("recall", query="what about kp")[1])["messages"]
    assert found[0]["turn"] == 1
    assert SAID[-1][1] not in [item["text"] for item in found]


def test_a_finding_is_put_on_record_with_the_words_of_its_lines(call, home):
    lines = whole(home, call("read_lines", **LOG, first=3, last=4)[1])["lines"]
    found = json.loads(call("record_finding", **LOG, text="溫度波動 2.1 °C", lines=[3, 4])[1])
    assert found["findings"] == [{"text": "溫度波動 2.1 °C", "evidence": lines}]
    assert found["log"] == NEWEST


def test_what_neither_lines_nor_results_say_is_an_opinion_and_a_cause_without_lines_closes_nothing(call):
    found = json.loads(call("record_finding", **LOG, text="pv fell to 12.34 °C", lines=[517])[1])
    assert found["findings"][0]["opinion"] and "12.34 stands neither in these lines" in found["summary"]
    said = json.loads(call("record_finding", **LOG, text="pv was at 64.59 °C", lines=[517])[1])
    assert "opinion" not in said["findings"][0]
    call("diagnose_log", **LOG)
    said = json.loads(call("record_finding", **LOG, text="pv swings by ±2.71 °C every 45 s", lines=[517])[1])
    assert "opinion" not in said["findings"][0]
    cause = json.loads(call("confirm_root_cause", text="the relay sticks")[1])
    assert "root_causes" not in cause and cause["hypotheses"][0]["opinion"]
    assert "no line shows it" in cause["summary"]
    proven = json.loads(call("confirm_root_cause", **LOG, text="kp 50 is too high", lines=[517])[1])
    assert "opinion" not in proven["root_causes"][0]


def test_what_is_ruled_out_is_kept_with_its_reason(call):
    found = json.loads(call("rule_out", hypothesis="風扇停轉", because="轉速一直是 2900 rpm")[1])
    assert found["ruled_out"] == ["風扇停轉"]
    assert found["summary"] == "風扇停轉（轉速一直是 2900 rpm）" and "findings" not in found


def test_a_value_is_put_on_record_under_its_known_name_with_the_line_that_shows_it(call):
    given = {"quantity": "比例增益", "value": 9, "channel": 2, "line": 900}
    found = json.loads(call("record_value", **LOG, **given)[1])
    [row] = found["values"]
    assert (row["quantity"], row["value"], row["channel"], row["line"]) == ("kp", "9", 2, 900)
    assert row["clock"].startswith("2026-02-20 ") and row["evidence"][0]["line"] == 900
    assert found["summary"] == "on record: kp (比例增益), channel 2 of zspr 053: 9"


def test_a_lifted_constraint_is_named_as_it_is_on_record(call):
    found = json.loads(call("lift_constraint", text="Touch the gains", words="you may touch the gains")[1])
    assert found["lifted"] == ["do not touch the gains"]
    assert found["summary"] == "lifted: do not touch the gains"


def test_a_chart_is_written_into_the_runs_own_folder(call, home):
    made = whole(home, call("plot_log", **LOG)[1])["artifact"]
    assert (home / "artifacts" / made["file"]).is_file()


def test_a_dropped_file_is_opened_without_a_device(call):
    failed, text = call("diagnose_log", log="dropped.csv")
    assert not failed and json.loads(text)["lines"] == 601


@each(
    "name, hostile, remedy",
    [
        ("fetch_log", {"device": "10.9.9.9"}, "is not in the inventory"),
        ("fetch_log", {"device": "file:///etc"}, "is not in the inventory"),
        ("fetch_log", {"device": "zspr 053", "log": "../../../../etc/passwd"}, "There are: Instrument"),
        ("fetch_log", {"device": "zspr 053", "back": 7}, "There are: Instrument"),
        ("fetch_log", {"device": "zspr 053", "back": -1}, "greater than or equal to 0"),
        ("diagnose_log", {"log": "/etc/passwd"}, "not in the inventory"),
        ("diagnose_log", {"log": "../task.json"}, "not in the inventory"),
        ("diagnose_log", {"log": "\x00"}, "Fetch it, or drop the file"),
        ("diagnose_log", {"log": "x" * 100_000}, "at most 300 characters"),
        ("diagnose_log", {**LOG, "channel": 10**30}, "has no channel"),
        ("diagnose_log", {**LOG, "cursor": "findings:x"}, "Take one from its `more`"),
        ("diagnose_log", {**LOG, "cursor": "log:1"}, "Take one from its `more`"),
        ("diagnose_log", {}, "Field required"),
        ("read_lines", {**LOG, "first": 10**12}, "Ask for a smaller number"),
        ("read_lines", {**LOG, "first": "../"}, "valid integer"),
        ("search_events", {**LOG, "level": "'; DROP TABLE"}, "'warning', 'error'"),
        ("look_at_time", {**LOG, "clock": "25:99"}, "match pattern"),
        ("look_at_time", {**LOG, "clock": "13:00"}, "is not in it"),
        ("plot_log", {**LOG, "channel": 99}, "It has: 1, 2, 3, 4"),
        ("plot_log", {**LOG, "chart": "<script>"}, "There are: loop"),
        ("advise_gains", {**LOG, "gain": "__class__"}, "'kp', 'ki' or 'kd'"),
        ("recall", {"query": "  "}, "Give query="),
        ("record_finding", {**LOG, "text": "seen", "lines": []}, "give lines="),
        ("record_finding", {**LOG, "text": "seen", "lines": [10**9]}, "Take line numbers from read_lines"),
        ("record_finding", {**LOG, "text": "seen", "lines": [0]}, "Take line numbers from read_lines"),
        ("record_finding", {**LOG, "text": "seen", "lines": [1] * 99}, "Give the 6 that tell most"),
        ("record_finding", {"log": "none.log", "text": "seen", "lines": [1]}, "Fetch it"),
        ("record_hypothesis", {"text": "  \n"}, "Say it in one sentence"),
        ("record_hypothesis", {"text": "long " * 100}, "300 fit"),
        ("record_hypothesis", {"text": "seen", "lines": [1]}, "Give log="),
        ("record_value", {"device": "10.9.9.9", "quantity": "kp", "value": 1}, "is not in the inventory"),
        ("record_value", {"device": "", "quantity": "kp", "value": "too high"}, "Give a number or an"),
        (
            "record_value",
            {"device": "", "quantity": "kp", "value": "9\n- Root cause: x"},
            "Give a number or an",
        ),
        ("record_value", {"device": "", "quantity": "period", "value": 9, "unit": "°C"}, "no value of"),
        ("record_value", {"device": "", "quantity": "x" * 99, "value": 9}, "60 fit"),
        ("record_value", {"device": "", "quantity": "kp", "value": 9, "line": 3}, "Give log="),
        ("record_value", {**LOG, "quantity": "kp", "value": 9, "line": 10**9}, "Take line numbers from"),
        ("record_constraint", {"text": " "}, "Say it in one sentence"),
        ("record_constraint", {"text": "never " * 60}, "300 fit"),
        ("record_constraint", {"text": "never mention the gains"}, "are not the user's words"),
        (
            "lift_constraint",
            {"text": "do not open the door", "words": "now"},
            "In force are: 'do not touch the gains'; ",
        ),
        ("lift_constraint", {"text": "do not", "words": "now"}, "several are meant"),
        ("lift_constraint", {"text": "touch the gains", "words": "do so"}, "are not the user's words"),
        ("lift_constraint", {"text": "touch the gains", "words": "溫度波動"}, "are not the user's words"),
        ("lift_constraint", {"text": "touch the gains", "words": "until Friday"}, "does not speak of"),
        ("note", {"slot": "must_have", "words": "kp 0.09 is too high"}, "are not the user's words"),
        (
            "note",
            {"slot": "examples", "words": "channel 3", "replaces": "7.8"},
            "Gathered is: 'Channel 3 swings",
        ),
        ("note", {"slot": "cause", "words": "channel 3"}, "cause"),
        ("no_such_tool", {}, "no_such_tool"),
    ],
)
def test_what_cannot_be_done_is_an_error_with_the_remedy_and_the_server_lives(call, name, hostile, remedy):
    failed, text = call(name, **hostile)
    assert failed and remedy in text
    assert len(text) < 2_000
    assert not call("list_devices")[0]


def test_only_an_interview_has_notes():
    assert "note" not in {tool.name for tool in server({})._tool_manager.list_tools()}


def test_the_server_without_a_task_says_that_there_is_nothing_to_recall():
    with pytest.raises(Exception, match="nothing to recall"):
        offered({})["recall"](query="kp")


@pytest.mark.parametrize("content", [None, "{"])
def test_a_task_file_that_cannot_be_read_ends_the_server_with_the_remedy(tmp_path, content):
    if content is not None:
        (tmp_path / "task.json").write_text(content)
    with pytest.raises(SystemExit, match="each turn writes its own"):
        read_task(tmp_path / "task.json")


def test_the_tools_are_offered_before_anything_heavy_is_imported():
    code = "import sys, instrumentgpt.mcp_server as ours; ours.server({}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=250)
    assert {"pandas", "numpy", "plotly", "asyncssh"} & set(done.stdout.split()) == set(), done.stderr

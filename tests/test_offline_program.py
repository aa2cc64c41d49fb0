"""`python -m instrumentgpt offline` as the process that a turn starts."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from cases import each

from instrumentgpt.__main__ import main
from instrumentgpt.agents.events import Done, Session, Text, Tool
from instrumentgpt.agents.registry import AGENTS

ROOT = Path(__file__).parents[1]


def run(*arguments, prompt=""):
    """Run the program in this process; return its exit code and what it wrote on standard output."""
    stdin, stdout = io.TextIOWrapper(io.BytesIO(prompt.encode())), io.TextIOWrapper(io.BytesIO())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", stdin)
        patch.setattr(sys, "stdout", stdout)
        code = main(["offline", *map(str, arguments)])
    stdout.flush()
    return code, stdout.buffer.getvalue()


def task_file(tmp_path, **fields):
    path = tmp_path / "task.json"
    folders = {"cache": str(tmp_path / "cache"), "artifacts": str(tmp_path / "artifacts")}
    path.write_text(json.dumps({"task": "chat", **folders, **fields}, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """One whole answer: the process, its events as the wrapper reads them, and the artifacts folder."""
    folder = tmp_path_factory.mktemp("answer")
    fields = {"question": "10.1.1.112 為什麼溫度波動？", "devices": ["zspr 053"], "state": {}}
    command = [sys.executable, "-m", "instrumentgpt", "offline", "--task", str(task_file(folder, **fields))]
    prompt = b"the whole prompt, with context"
    done = subprocess.run(command, input=prompt, capture_output=True, cwd=ROOT, timeout=250)
    return done, list(AGENTS["offline"].parse(done.stdout.splitlines(keepends=True))), folder / "artifacts"


def test_the_stream_is_read_by_the_wrapper_of_cursor(answered):
    done, events, _ = answered
    assert done.returncode == 0 and done.stderr == b""
    assert isinstance(events[0], Session) and events[0].model == "offline analyst"
    assert isinstance(events[-1], Done) and events[-1].outcome == "ok"
    assert "通道 2 增益造成的振盪" in events[-1].text


def test_the_deltas_and_the_result_say_the_same(answered):
    _, events, _ = answered
    pieces = "".join(event.text for event in events if isinstance(event, Text) and not event.whole)
    assert pieces == events[-1].text
    assert sum(isinstance(event, Text) and not event.whole for event in events) > 10


def test_tools_are_those_of_our_server_and_each_ends(answered):
    _, events, _ = answered
    tools = [event for event in events if isinstance(event, Tool)]
    assert {tool.server for tool in tools} == {"instrumentgpt"}
    started = [tool.call_id for tool in tools if tool.status == "started"]
    assert started == [tool.call_id for tool in tools if tool.status == "ok"]
    names = [tool.name for tool in tools if tool.status == "ok"]
    assert names[:2] == ["fetch_log", "diagnose_log"] and names.count("plot_log") == 1


def test_the_chart_is_drawn_behind_the_verdict_and_before_what_rests_on_it(answered):
    _, events, _ = answered
    drawn = next(n for n, event in enumerate(events) if isinstance(event, Tool) and event.name == "plot_log")
    before, after = (
        "".join(event.text for event in part if isinstance(event, Text) and not event.whole)
        for part in (events[:drawn], events[drawn:])
    )
    assert before.startswith("**") and "根因：" in after and "根因：" not in before


def test_the_chart_lies_in_the_artifacts_folder_and_is_a_figure(answered):
    _, events, artifacts = answered
    (drawn,) = (
        json.loads(event.result) for event in events if isinstance(event, Tool) and "artifact" in event.result
    )
    figure = json.loads((artifacts / drawn["artifact"]["file"]).read_text(encoding="utf-8"))
    assert figure["data"] and drawn["artifact"]["kind"] == "plotly" and drawn["artifact"]["alt"]


def test_the_first_step_comes_before_the_libraries_are_imported(answered):
    """The start of the first tool stands before anything that takes long."""
    done, _, _ = answered
    kinds = [json.loads(line)["type"] for line in done.stdout.splitlines()]
    assert kinds[:3] == ["system", "user", "tool_call"]
    heavy = "import sys; from instrumentgpt.agents.offline import program; print('pandas' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, cwd=ROOT, timeout=250)
    assert out.stdout.strip() == "False", out.stderr


def test_without_a_task_file_the_prompt_is_the_question():
    code, said = run(prompt="哪些設備？ list devices")
    assert b"zspr 052 (10.1.1.47)" in said and code == 0


@each(
    "content, reason",
    [("{", "cannot be read"), ("[]", "cannot be read"), ('{"task": "paint"}', "is none of chat")],
)
def test_a_task_that_cannot_be_done_is_an_error_result_without_a_traceback(tmp_path, capsys, content, reason):
    path = tmp_path / "task.json"
    path.write_text(content, encoding="utf-8")
    code, said = run("--task", path)
    result = json.loads(said.splitlines()[-1])
    assert code == 1 and result["is_error"] and reason in result["result"]
    assert b"Traceback" not in said and capsys.readouterr().err == ""


def test_an_inventory_that_cannot_be_read_is_an_error_result(tmp_path):
    task = task_file(tmp_path, question="052 why?", inventory=str(tmp_path / "none.toml"))
    _, said = run("--task", task)
    result = json.loads(said.splitlines()[-1])
    assert result["is_error"] and "no such inventory" in result["result"]


def test_a_tool_that_fails_is_a_tool_error_and_the_answer_says_why(tmp_path):
    inventory = tmp_path / "devices.toml"
    inventory.write_text('[[device]]\nname = "oven 1"\nip = "10.0.0.1"\nlogs = "nowhere"\n', encoding="utf-8")
    task = task_file(tmp_path, question="oven 1 why?", inventory=str(inventory))
    events = list(AGENTS["offline"].parse(run("--task", task)[1].splitlines(keepends=True)))
    assert [event.status for event in events if isinstance(event, Tool)] == ["started", "failed"]
    assert "That could not be done" in events[-1].text and events[-1].outcome == "ok"


def test_an_unusual_state_and_unknown_fields_do_no_harm(tmp_path):
    fields = {
        "question": "what did we find so far?",
        "state": '{"findings": ["x"], "device_name": null}',
        "new": 1,
    }
    code, said = run("--task", task_file(tmp_path, **fields))
    assert code == 0 and b"- x" in said

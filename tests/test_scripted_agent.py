"""The scripted agent: by a file of expected prompts, as a process and in a turn, the same bytes each time."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import cursor_cli
from instrumentgpt.agents.events import Artifact, Done, Failure, Session, Tool
from instrumentgpt.agents.registry import AUTOMATIC, UnknownAgent, choose
from instrumentgpt.agents.scripted.counts import counter
from instrumentgpt.agents.scripted.script import BadScript, Prompt, choose_answer, read_script
from instrumentgpt.settings import CHECKOUT, Settings, database_path
from instrumentgpt.turn import runs

pytestmark = pytest.mark.usefixtures("forked")

STREAM = ("--output-format", "stream-json", "--stream-partial-output")
SCRIPT = """
[[answer]]
name = "the plan"
task = ["investigate", "think"]
contains = ["log_1", "六台"]
lacks = "finding_1"
matches = '(?m)^Today: (?P<today>\\d{4}-\\d\\d-\\d\\d)'
say = "On ${today}: ${unknown}"

[[answer]]
once = true
question = "why"
say = "first"

[[answer]]
nth = 2
question = "why"
say = "third"

[[answer]]
given = { expert = "sensor" }
error = "the sensor is silent"
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "story.toml"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


def run(script, *arguments, prompt="why?", folder=None):
    words = [sys.executable, "-m", "instrumentgpt", "scripted", "--script", str(script), *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    where = folder or script.parent
    return subprocess.run(
        words, input=prompt.encode(), capture_output=True, cwd=where, env=environment, timeout=250
    )


def answered(script, prompt, folder):
    known = read_script(script)
    return choose_answer(known, prompt, counter(folder, known.digest))


PLAN = "log_1 … 六台\nToday: 2026-02-19\nwhy not"


def test_an_answer_fits_by_task_texts_and_patterns(script, tmp_path):
    assert answered(script, Prompt(PLAN, "think"), tmp_path).name == "the plan"


@pytest.mark.parametrize(
    ("prompt", "missing"),
    [
        (Prompt(PLAN, "chat"), "the task is 'chat', not investigate or think"),
        (Prompt(PLAN.replace("log_1", ""), "think"), "it does not contain 'log_1'"),
        (Prompt(PLAN + "finding_1", "think"), "it does contain 'finding_1'"),
        (Prompt(PLAN.replace("Today", "Then"), "think"), "it does not match '(?m)^Today: "),
        (Prompt("", question="how?"), "the question does not contain 'why'"),
        (Prompt("", fields={"expert": "heater"}), "the task's expert does not contain 'sensor'"),
    ],
)
def test_a_prompt_that_nothing_fits_is_an_error_that_names_what_was_looked_for(
    script, tmp_path, prompt, missing
):
    with pytest.raises(BadScript) as told:
        answered(script, prompt, tmp_path)
    assert missing in str(told.value) and "story.toml: no answer fits" in str(told.value)


def test_answers_for_once_and_for_the_nth_time_come_in_their_order(script, tmp_path):
    asked = Prompt("why?", question="why?")
    assert answered(script, asked, tmp_path).say == ("first",)
    with pytest.raises(BadScript, match="it is for time 1, and this is time 2"):
        answered(script, asked, tmp_path)
    assert answered(script, asked, tmp_path).say == ("third",)


def test_two_that_are_asked_once_are_a_sequence_and_each_conversation_begins_anew(tmp_path):
    path = tmp_path / "script.json"
    answers = [{"once": True, "say": "one"}, {"once": True, "say": "two"}, {"say": "rest"}]
    path.write_text(json.dumps({"answer": answers}))
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        assert [answered(path, Prompt(""), folder).say[0] for _ in range(4)] == ["one", "two", "rest", "rest"]


def test_a_script_that_was_changed_is_counted_anew_and_a_broken_count_is_none(tmp_path):
    assert [counter(tmp_path, "a")(1), counter(tmp_path, "a")(1), counter(tmp_path, "b")(1)] == [1, 2, 1]
    (tmp_path / ".scripted-agent.json").write_text("[]")
    assert counter(tmp_path, "b")(1) == 1


def test_processes_at_the_same_time_are_all_counted(tmp_path):
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"answer": [{"nth": n, "say": f"{n}"} for n in (1, 1, 1, 1)]}))
    words = [sys.executable, "-m", "instrumentgpt", "scripted", "--script", str(path), "why?"]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    several = [subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE) for _ in "1234"]
    assert [process.communicate(timeout=250)[0] for process in several] == [b"1\n"] * 4
    assert json.loads((tmp_path / ".scripted-agent.json").read_text())["counts"]["1"] == 4


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[[answer", "cannot be read as a script"),
        ("title = 1", "no list of answers"),
        (
            '[[answer]]\ncontain = "x"\nsay = "y"',
            "'contain' is no feature of an answer; did you mean",
        ),
        ('[[answer]]\nzzz = "x"\nsay = "y"', "'zzz' is no feature of an answer; Known: name, task"),
        ('[[answer]]\ncontains = "x"', "it says nothing"),
        ('[[answer]]\ncontains = 3\nsay = "y"', "a value of another kind"),
        ('[[answer]]\nonce = 1\nsay = "y"', "a value of another kind"),
        ('[[answer]]\nsay = [{ device = "052" }]', "a value of another kind"),
        ("[[answer]]\nmatches = '('\nsay = 'y'", "no regular expression"),
    ],
)
def test_a_script_that_cannot_be_used_says_where_and_why(tmp_path, text, reason):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(BadScript) as told:
        read_script(path)
    assert reason in str(told.value) and "bad.toml" in str(told.value)


def test_002_6_the_same_input_gives_the_same_bytes_in_any_folder(script, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    first, second = (run(script, *STREAM, folder=tmp_path / name) for name in ("a", "b"))
    assert first.stdout == second.stdout and first.returncode == 0
    assert str(tmp_path).encode() not in first.stdout
    *_, done = cursor_cli.parse_stream(first.stdout.splitlines(keepends=True))
    assert done == Done("ok", "first", usage=done.usage)


def test_what_no_answer_fits_ends_as_an_error_result(script):
    done = run(script, *STREAM, prompt="hello")
    result = json.loads(done.stdout.splitlines()[-1])
    assert done.returncode == 1 and result["is_error"] and "no answer fits this prompt" in result["result"]


def test_an_answer_may_be_an_error(script, tmp_path):
    task = tmp_path / "task.json"
    task.write_text(json.dumps({"question": "?", "given": {"expert": "sensor 1"}}))
    done = run(script, "--task", task)
    assert (done.returncode, done.stdout) == (1, b"the sensor is silent\n")


def test_where_is_counted_can_be_said(script, tmp_path):
    folder = tmp_path / "counts"
    folder.mkdir()
    said = [run(script, "--counts", folder, prompt="why?").returncode for _ in range(3)]
    assert said == [0, 1, 0] and [path.name for path in folder.iterdir()] == [".scripted-agent.json"]


def test_an_answer_may_be_late_and_a_tool_that_is_not_there_is_a_failed_call(tmp_path):
    path = tmp_path / "late.json"
    path.write_text(json.dumps({"answer": [{"delay": 0.3, "say": [{"tool": "fetch_logs"}, "${error}"]}]}))
    started = time.monotonic()
    done = run(path)
    assert time.monotonic() - started > 0.3
    assert "There is no tool 'fetch_logs'. Did you mean fetch_log?" in done.stdout.decode()


def test_it_is_never_chosen_by_itself_and_needs_a_script(script):
    assert "scripted" not in AUTOMATIC
    with pytest.raises(UnknownAgent, match="Name its script in INSTRUMENTGPT_SCRIPT"):
        choose("scripted", Settings())
    assert choose("scripted", Settings(script=str(script)))[1] == str(script)
    assert choose("scripted", Settings(agent="scripted", agent_path=str(script)))[1] == str(script)
    with pytest.raises(UnknownAgent, match=r"gone\.toml"):
        choose("scripted", Settings(agent="scripted", script="gone.toml"))


def ask(conversation, question):
    return list(runs.consume(database_path(), conversation, question, agent="scripted"))


def test_in_a_turn_its_tools_are_ours_and_their_charts_are_stored(scripted, conversation):
    scripted(
        {
            "question": "052",
            "contains": "052 why?",
            "say": [
                "I look.\n\n",
                {"tool": "fetch_log", "device": "zspr 052"},
                {"tool": "plot_log", "device": "zspr 052", "log": "${log}"},
                "It is ${log}.",
            ],
        }
    )
    events = ask(conversation, "052 why?")
    assert [event.name for event in events if isinstance(event, Tool) and event.status == "ok"] == [
        "fetch_log",
        "plot_log",
    ]
    assert [event.agent for event in events if isinstance(event, Session)] == ["scripted"]
    assert len([event for event in events if isinstance(event, Artifact)]) == 1
    assert (
        events[-1].outcome == "ok" and "It is InstrumentDebug_2026-02-19_23-24-45.39.log." in events[-1].text
    )


def test_a_conversation_goes_through_a_sequence(scripted, conversation):
    scripted({"once": True, "say": "What do you see?"}, {"once": True, "say": "Since when?"})
    said = [ask(conversation, "it is off")[-1] for _ in range(3)]
    assert [done.text for done in said[:2]] == ["What do you see?", "Since when?"]
    assert said[2].outcome == "error"


def test_a_tool_that_fails_is_told_as_failed(scripted, conversation):
    scripted({"say": [{"tool": "fetch_log", "device": "nowhere"}, "It is not there."]})
    events = ask(conversation, "052 why?")
    assert [event.status for event in events if isinstance(event, Tool)] == ["started", "failed"]
    assert events[-1].text == "It is not there."


def test_a_turn_without_a_fitting_answer_says_what_was_looked_for(scripted, conversation):
    scripted({"contains": "六台", "say": "?"})
    (failure,) = (event for event in ask(conversation, "why?") if isinstance(event, Failure))
    assert "it does not contain '六台'" in failure.text


def test_the_example_of_the_docs_is_a_script(tmp_path):
    page = (Path(CHECKOUT) / "docs" / "scripted-agent.md").read_text(encoding="utf-8")
    path = tmp_path / "example.toml"
    path.write_text(page.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    assert len(read_script(path).answers) == 4

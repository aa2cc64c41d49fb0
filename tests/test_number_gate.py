"""The number gate: each number of an agent's answer has a source, or the page says that it has none."""

import json
from datetime import date, datetime, timedelta

import pytest
from cases import each
from offline_case import asked

from instrumentgpt.agents.events import Tool
from instrumentgpt.agents.stream_parser import SERVER
from instrumentgpt.handover import markdown
from instrumentgpt.memory.gate import Mark, marks_of
from instrumentgpt.settings import database_path
from instrumentgpt.storage.answers import marks_of_answer
from instrumentgpt.turn import runs
from instrumentgpt.turn.ask import sources

RESULT = {
    "log": "run.log",
    "unit": "°C",
    "channels": [{"channel": 2, "kp": 9.0, "period": 63.24, "mean_error": 0.412, "last": {"line": 18204}}],
    "text": "[2026-02-19 08:14:03.600] pv=57.04",
}
NAMES = (("zspr 052", "10.1.1.47"), ("zspr 053",))


def unsourced(text, result=RESULT, question="why does zspr 052 swing above 57 °C?", **more):
    calls = [Tool("1", "diagnose_log", "ok", result=json.dumps(result, ensure_ascii=False), server=SERVER)]
    marks = marks_of(text, sources(calls, question, **more), NAMES)
    return [text[mark.start : mark.end] for mark in marks if mark.kind == "unknown"]


@each(
    "text, missing",
    [
        ("period 63 s, 63.2 s, 1.05 min", []),
        ("period 63.3 s", ["63.3"]),
        ("週期 63 秒，平均誤差 0.4 °C", []),
        ("週期 68 秒，平均誤差 0.7 K", ["68", "0.7"]),
        ("kp 9 on line 18,204", []),
        ("kp 12 on line 18,205", ["12", "18,205"]),
        ("[L 18,204](?log=run.log&line=18204)", []),
        ("[L 18,204](?log=other.log&line=18204)", ["L 18,204"]),
        ("[L 18,214](?log=run.log&line=18204)", ["L 18,214"]),
        ("at 08:14:03 or 08:14:04, not 08:15:03", ["08:15:03"]),
        ("run.log, not walk.log", ["walk.log"]),
        ("zspr 053 and 10.1.1.99", ["zspr 053", "10.1.1.99"]),
        ("above 57 °C by 0.5 °C", ["0.5"]),
        ("from 63.24 s by 10 %", ["10"]),
        ("digest 9e921 s, 1e-921 K", ["9e921", "1e-921"]),
        ("57 °C − 0.4 °C = 56.6 °C", []),
        ("57 °C − 0.4 °C = 56.9 °C", ["56.9"]),
        ("0.4 °C of 57 °C are 0.7 %", []),
        ("0.4 °C of 57 °C are 1 %; after 52 min", ["1", "52"]),
        ("1. PSU-7 has 0x24\n2. the 3rd of 4\n```\n99 °C\n```", []),
    ],
)
def test_a_number_has_a_source_if_something_known_says_it_within_the_digits_written(text, missing):
    assert unsourced(text) == missing


BOUND = {
    "log": "a.log",
    "unit": "°C",
    "channels": [
        {"channel": 1, "kp": 9.0, "duty": 37.2, "saturated": 0.31},
        {"channel": 2, "kp": 50.0, "period": 63.24, "cycles": 10.6, "phase_margin": 43.1, "r2": 0.97},
    ],
}


@each(
    "text, missing",
    [
        ("channel 1: kp 9, channel 2: kp 50", []),
        ("通道 2：kp 9，通道 1、2：kp 9", ["9"]),
        ("channel 1: an output of 37 %, kp 50", ["50"]),
        ("channel 2: kp 50, while the others have kp 9", []),
        ("channel 2 has kp 50 while the others have kp 9", []),
        ("channel 2: period 63 s; kp 9, and channel 1: period 63 s; kp 9", ["9", "63"]),
        ("channel 1 follows channel 2: kp 50; kp 9", []),
        ("kp 50 %/°C (from 9), period 63.2 s (from 9.0)", ["9.0"]),
        ("an output of 37 %, 31 % at a limit, 11 cycles", []),
        ("every 37 s, for 63 min, 31 cycles, 63 %", ["37", "63", "31", "63"]),
        ("a margin of 43.1, R² = 0.97; every 43 s, by 0.97 °C", ["43", "0.97"]),
    ],
)
def test_where_both_name_channel_quantity_or_unit_these_agree(text, missing):
    assert unsourced(text, BOUND, "why?") == missing


TOLD = {
    "log": "a.log",
    "unit": "°C",
    "noise": [0.0104, 0.0185],
    "setpoint": 55.0,
    "half_peak_to_peak": 4.5,
    "size": 1_136_499,
    "swings": [{"half_size": 0.153, "band": 0.396}],
    "channel_units": {"2": "counts"},
    "channels": [{"channel": 1, "in_band": 0.559}, {"channel": 2, "pv": 389.574}],
    "of_a_check": 7.25,
    "moves": [{"rate": 2.5}],
    "text": "heater 31.5/60",
}


@each(
    "text, missing",
    [
        ("0.0104, 0.0185 °C", []),
        ("0.0104, 0.0195 °C", ["0.0195"]),
        ("0.0104, 0.0185 s", ["0.0104", "0.0185"]),
        ("oscillation ±0.15 °C", []),
        ("±0.15 °C are 39 % of the band of 0.4 °C", []),
        ("±0.15 °C are 33 % of the band of 0.4 °C", ["33"]),
        ("a file of 1.1 MB, not 1.2 MB", ["1.2"]),
        ("largest deviation from the setpoint 0.4 °C", []),
        ("setpoint 0.4 °C", ["0.4"]),
        ("4.5 °C and 0.4 °C: 4.9 °C", []),
        ("4.5 °C and 0.4 °C: setpoint 4.9 °C", ["4.9"]),
        ("channel 1 is out of band 44.1 % of the time, not 44.3 %", ["44.3"]),
        ("channel 2: 389.57 counts", []),
        ("channel 2: 389.57 °C", ["389.57"]),
        ("the last 60 min, and 61 min", ["61"]),
        ("since {two}, not {nine}", ["{nine}"]),
        ("a wave of 7.25 °C, every 7.25 s; the line read 31.5 °C, not 31.5 s", ["7.25", "7.25", "31.5"]),
        ("moved at 2.5 °C/min", []),
    ],
)
def test_lists_shares_sizes_and_what_the_question_means_have_their_sources(text, missing):
    ago = {"two": date.today() - timedelta(days=2), "nine": date.today() - timedelta(days=9)}
    found = unsourced(text.format(**ago), TOLD, "what of the last hour, and of the last two days?")
    assert found == [words.format(**ago) for words in missing]


SURVEYED = {
    "devices": [
        {"device": "zspr 052", "text": "5 spikes of -33.2 °C", "count": 5},
        {"device": "zspr 053", "text": "2 spikes of -12.4 °C, every 45 s", "count": 2},
    ]
}


@each(
    "text, missing",
    [
        ("1. zspr 052: -33.2 °C\n2. zspr 053: -12.4 °C, 2 cycles", []),
        ("zspr 052: -12.4 °C, every 45 s", ["12.4", "45"]),
        ("zspr 052 falls lower than zspr 053, to -33.2 °C from -12.4 °C", []),
        ("The one falls to -33.2 °C\nthe other to -12.4 °C, 53 cycles", ["53"]),
    ],
)
def test_where_a_line_names_one_device_its_numbers_are_of_that_device(text, missing):
    assert unsourced(text, SURVEYED, "how are zspr 052 and zspr 053?") == missing


def test_the_age_of_a_log_is_told_at_any_hour_as_it_rounds():
    end = datetime.now() - timedelta(days=10, hours=14)
    assert unsourced("11 d old, not 13 d", {"end": f"{end:%Y-%m-%d %H:%M:%S}.12"}) == ["13"]


def test_what_the_agent_s_own_programs_printed_is_told_as_that():
    calls = [Tool("1", "Bash", "ok", result="mean 41.7"), Tool("2", "x", "ok", result="57.3", server=SERVER)]
    marks = marks_of("41.7 °C, 57.3 °C, 44.4 °C", sources(calls, ""))
    assert [(mark.kind, mark.source) for mark in marks] == [
        ("agent", "Bash"),
        ("computed", "x"),
        ("unknown", ""),
    ]


def test_what_the_agent_put_on_record_itself_is_no_source():
    call = {"summary": "on record: swings by 4.4 °C", "findings": [{"text": "swings by 4.4 °C"}]}
    assert not unsourced("swings by 4.4 °C", call)
    calls = [Tool("1", "record_finding", "ok", result=json.dumps(call), server=SERVER)]
    assert [mark.kind for mark in marks_of("swings by 4.4 °C", sources(calls, ""))] == ["unknown"]


def test_a_prompt_is_a_source_but_for_what_an_earlier_answer_invented():
    held = ["kp was 8.25 yesterday; the agent said 4.44 %"]
    assert unsourced("8.25, 4.44 %", prompts=held) == []
    assert unsourced("8.25, 4.44 %", prompts=held, unsourced=["4.44"]) == ["4.44"]


@each(
    "question",
    [
        "10.1.1.47 為什麼溫度波動？",
        "why does zspr 050 swing?",
        "zspr 055 有什麼錯誤？",
        "compare zspr 050 with zspr 052",
        "what gains should 051 have?",
        "所有設備的狀況如何？",
    ],
)
def test_all_that_the_offline_analyst_says_has_a_source(question, tmp_path):
    answer = asked(question, tmp_path)
    results = zip(answer.tools, answer.results, strict=True)
    calls = [Tool("", name, "ok", result=json.dumps(told), server=SERVER) for name, told in results]
    marks = marks_of(answer.text, sources(calls, question))
    assert len(marks) > 3
    assert [answer.text[mark.start : mark.end] for mark in marks if mark.kind == "unknown"] == []


@pytest.fixture
def answered(database, conversation, cli_agent):
    """Ask an agent that says these words; return its stored answer and marks."""

    def ask(question, words, agent="cursor"):
        cli_agent("fake_agent.py", "says", words)
        list(runs.consume(database_path(), conversation, question, agent=agent))
        message = max(database["messages"].rows, key=lambda row: row["id"])
        return message["content"], marks_of_answer(database, message["id"])

    return ask


def test_an_answer_is_stored_as_it_was_said_with_its_marks_beside_it(answered):
    text, marks = answered("does it stay below 57 °C?", "It stays below 57 °C, at 41.7 °C.")
    assert text == "It stays below 57 °C, at 41.7 °C."
    assert [(text[mark.start : mark.end], mark.kind) for mark in marks] == [
        ("57", "user"),
        ("41.7", "unknown"),
    ]


def test_a_number_without_a_source_gains_none_by_being_repeated(answered):
    answered("how hot?", "It is 41.7 °C.")
    _, marks = answered("sure?", "Yes, 41.7 °C.")
    assert [mark.kind for mark in marks] == ["unknown"]


def test_the_offline_analyst_is_not_looked_through(answered):
    assert answered("what is wrong with 10.1.1.47?", "", agent="offline")[1] is None


@each(
    "text",
    [
        '<b onclick="x">37 °C</b>',
        '[a](http://x.example "37 °C")',
        "`<i>37</i> °C`",
        "[37 °C](?log=a&line=1)",
        "**37 °C** and `37 °C`\n\n```\n37 °C\n```",
    ],
)
def test_marks_are_made_of_our_html_alone(text):
    marks = marks_of(text, [])
    notes = tuple(markdown.Note('"><script>', markdown.MISSING) for _ in marks)
    signed = markdown.marked(text, [(mark.start, mark.end) for mark in marks])
    shown = markdown.html(signed, notes=notes)
    assert "<script" not in shown and "<b" not in shown and "<i" not in shown
    without = markdown.html(text)
    title = f'<span title="&quot;&gt;&lt;script&gt;" style="{markdown.MISSING}">'
    assert shown.replace(title, "").replace("</span>", "") == without


def test_signs_that_an_agent_brings_along_mark_nothing():
    text = "\U000f000037\U0010fffd °C, 38 °C"
    assert markdown.marked(text, [(0, 2)]) == text


def test_a_mark_with_a_line_leads_there():
    assert Mark(0, 2, "computed", "diagnose_log", "run.log", 7).line == 7
    calls = [
        Tool(
            "1",
            "diagnose_log",
            "ok",
            result='{"log": "run.log", "rows": [{"line": 7, "pv": 37.25}]}',
            server=SERVER,
        )
    ]
    (mark,) = marks_of("pv 37.25 °C", sources(calls, ""))
    assert (mark.source, mark.log, mark.line) == ("diagnose_log", "run.log", 7)

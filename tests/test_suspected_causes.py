"""A question that names parts or causes is told of each what the checks say of it before all else."""

import re

from cases import each

from instrumentgpt.analyst.questions import spelled, suspected, table
from instrumentgpt.analyst.report import BEYOND
from instrumentgpt.analyst.words import sentences
from instrumentgpt.instruments.faults import faults
from tests.offline_case import asked


def test_a_suspected_cause_is_a_fault_that_there_is_and_what_no_log_shows_is_said_in_words():
    assert {fault for row in table()["suspects"].values() for fault in row["faults"]} <= set(faults())
    assert all(f"beyond_{cause}" in sentences() for cause in BEYOND)


@each("question", ["why does it swing?", "053 為什麼溫度波動？", "what is wrong?", "what is kp?"])
def test_a_symptom_is_no_suspected_cause(question):
    assert suspected(spelled(question)) == {}


@each(
    "question, verdicts",
    [
        (
            "sensor drift or heater loss on 053?",
            ["points to sensor offset", "to heater or cooler weakening"],
        ),
        ("053 感測器漂移還是加熱器老化？", ["沒有跡象指向感測器偏移", "沒有跡象指向加熱或冷卻衰退"]),
        ("is it noise or the actuator on 053?", ["No noise: one cycle every 45 s", "Not the actuator"]),
        ("does 053 swing because of kp or a sticky relay?", ["Yes, the tuning: found", "Not the actuator"]),
        ("050 是環境還是感測器漂移？", ["**是，環境干擾：有。**", "沒有跡象指向感測器偏移"]),
        (
            "is the heater of 054 dead or is it the sensor?",
            ["to heater or cooler failure", "Yes, the sensor: found"],
        ),
    ],
)
def test_each_cause_that_is_named_gets_its_verdict_first(tmp_path, question, verdicts):
    parts = asked(question, tmp_path).text.split("\n\n")
    for part, verdict in zip(parts, verdicts, strict=False):
        assert verdict in part


def test_what_no_check_could_judge_is_not_called_out(tmp_path):
    log = tmp_path / "short.csv"
    rows = [f"2026-02-20 10:00:{second:02d},1,50,50.0{second % 3},40" for second in range(40)]
    log.write_text("\n".join(["time,channel,setpoint,pv,output", *rows]), encoding="utf-8")
    text = asked("sensor drift or heater loss?", tmp_path, attachments=(str(log),)).text
    assert "nothing points" not in text and text.count("**Not judged: ") == 2


@each("question", ["053 感測器漂移還是加熱器老化？", "好", "053 怎麼辦？不要更改增益。"])
def test_no_bold_runs_into_a_chinese_word_where_markdown_would_not_end_it(tmp_path, question):
    text = asked(question, tmp_path).text
    assert not re.search(r"[。，：！？）」]\*\*[\u4e00-\u9fff]", text)

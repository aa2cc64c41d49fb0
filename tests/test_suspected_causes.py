"""A question that names causes is told of each what the checks say of it, with numbers, before all else."""

import re

from cases import SHARE, each

from instrumentgpt.agents.offline.answers.suspects import BEYOND, causes, named_causes
from instrumentgpt.agents.offline.phrases import sentences
from instrumentgpt.instruments.faults import faults
from tests.offline_case import asked

SAMPLES = [(cause, sample) for cause, told in causes().items() for sample in told["samples"]]


@each("cause, question", SAMPLES, SHARE)
def test_a_cause_is_found_in_its_samples(cause, question):
    assert cause in named_causes(question)


def test_a_suspected_cause_is_a_fault_that_there_is_and_what_no_log_shows_is_said_in_words():
    assert set(causes()) <= set(faults())
    assert all(f"beyond_{cause}" in sentences() for cause in BEYOND)


@each("question", ["why does it swing?", "053 為什麼溫度波動？", "what is wrong?", "what is kp?"])
def test_a_symptom_is_no_suspected_cause(question):
    assert named_causes(question) == []


@each(
    "question, title, verdicts",
    [
        (
            "sensor drift or heater loss on 053?",
            "2 of the 2 causes that you name are out, by the checks.",
            [
                "**Sensor offset: out.** Its check found nothing in 7,200 samples (mean error -0.10 °C).",
                "**Heater weakening: out.** Its check found nothing in 7,200 samples (mean output 48 %",
            ],
        ),
        (
            "053 感測器漂移還是加熱器老化？",
            "您提到的 2 個原因中，檢查排除了 2 個。",
            [
                "**感測器偏移**：已排除。檢查 7,200 筆沒有發現（平均誤差 -0.10 °C）",
                "**加熱器衰退**：已排除。",
            ],
        ),
        (
            "is it noise or the actuator on 053?",
            "2 of the 2 causes",
            [
                "**Sensor noise: out.** No noise: one cycle every 45 s",
                "**Limit cycle of the actuator: out.** Not",
            ],
        ),
        (
            "050 是環境還是感測器漂移？",
            "您提到的 2 個原因中，檢查排除了 1 個。",
            ["**環境干擾**：有。通道 1, 2, 3, 4 同時偏離設定值 1.27 到 1.90 °C", "**感測器偏移**：已排除。"],
        ),
    ],
)
def test_each_cause_that_is_named_gets_its_verdict_first(tmp_path, question, title, verdicts):
    parts = asked(question, tmp_path).text.split("\n\n")
    assert title in parts[0]
    for verdict in verdicts:
        assert verdict in parts[1]


def test_what_no_check_could_judge_is_not_called_out(tmp_path):
    log = tmp_path / "short.csv"
    rows = [f"2026-02-20 10:00:{second:02d},1,50,50.0{second % 3},40" for second in range(40)]
    log.write_text("\n".join(["time,channel,setpoint,pv,output", *rows]), encoding="utf-8")
    text = asked("sensor drift or heater loss?", tmp_path, attachments=(str(log),)).text
    assert "0 of the 2 causes that you name are out" in text
    assert text.count(": not judged.** Is it") == 2


@each("question", ["053 感測器漂移還是加熱器老化？", "好", "053 怎麼辦？不要更改增益。"])
def test_no_bold_runs_into_a_chinese_word_where_markdown_would_not_end_it(tmp_path, question):
    text = asked(question, tmp_path).text
    assert not re.search(r"[。，：！？）」]\*\*[\u4e00-\u9fff]", text)

"""The offline analyst's answers about the demo instruments, whose conditions are known."""

import re

import pytest
from cases import each

from tests.offline_case import asked, state_after

LINK = re.compile(r"\[L ([\d,]+)\]\(\?log=([^)&]+)&line=(\d+)\)")


@each(
    "question, verdict, numbers",
    [
        ("10.1.1.85 為什麼溫度波動？", "環境干擾", ["14:19", "4 個通道"]),
        ("what is wrong with zspr 051?", "Output saturated, channel 3", ["setpoint 95 °C", "output 100 %"]),
        ("10.1.1.47 為什麼溫度波動？", "正常，通道 1、2、3、4", ["±0.16 °C", "kd ≈ 0"]),
        ("why does 053 oscillate?", "Oscillation from the gains, channel 2", ["every 45 s", "kp 50"]),
        ("054 怎麼了", "通道 1 感測器突波", ["29.4", "61.9"]),
        ("zspr 055 why?", "windup, channel 3", ["setpoint 75 °C", "output 100 %"]),
    ],
)
def test_each_demo_instrument_gets_its_own_verdict_with_numbers_and_lines(
    tmp_path, question, verdict, numbers
):
    answer = asked(question, tmp_path)
    assert answer.tools[:2] == ("fetch_log", "diagnose_log") and "plot_log" in answer.tools
    assert verdict.casefold() in answer.text.casefold().split("\n\n")[0]
    for number in numbers:
        assert number in answer.text


def test_the_verdict_comes_first_and_the_next_action_near_the_end(tmp_path):
    text = asked("what is wrong with 053?", tmp_path).text
    parts = ["**zspr 053", "Key findings:", "Root cause:", "Ruled out:", "Next:"]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_every_cited_line_holds_the_values_quoted_from_it(tmp_path):
    answer = asked("what is wrong with 054?", tmp_path)
    cited = LINK.findall(answer.text)
    assert cited and all(shown.replace(",", "") == line for shown, _, line in cited)
    for finding in answer.results[1]["findings"]:
        for item in finding["evidence"]:
            for value in item["values"].values():
                assert f"{value:.2f}" in item["text"] or f"{value:g}" in item["text"]


def test_gains_that_help_are_proposed_with_a_tuning_fault(tmp_path):
    answer = asked("053 why?", tmp_path)
    assert "advise_gains" in answer.tools
    assert "better gains are kp" in answer.text


def test_a_question_about_one_channel_is_answered_for_that_channel(tmp_path):
    answer = asked("is channel 1 of 053 ok?", tmp_path)
    assert answer.text.split("\n\n")[0] == "Yes: **zspr 053 (10.1.1.112), channel 1: healthy.**"


def test_a_channel_that_is_not_there_is_said_with_those_that_are(tmp_path):
    assert "no channel 9. It has: 1, 2, 3, 4" in asked("053 channel 9 why?", tmp_path).text


def test_a_suspicion_is_answered_first(tmp_path):
    text = asked("is the sensor of 052 broken?", tmp_path).text
    assert "points to the sensor" in text.split("\n\n")[0]


def test_a_gain_question_answers_from_the_known_log_without_fetching_again(tmp_path):
    first = asked("10.1.1.112 為什麼振盪？", tmp_path)
    state = state_after(first, "zspr 053", "10.1.1.112")
    answer = asked("那 kp 可以調高嗎？", tmp_path, state=state)
    assert "fetch_log" not in answer.tools and "advise_gains" in answer.tools
    assert "通道 2：不可以，kp 不應由 50 調到 65" in answer.text


def test_a_gain_that_a_quiet_log_cannot_judge_is_not_proven(tmp_path):
    text = asked("can kp of 052 be raised to 12?", tmp_path).text
    assert "not proven" in text and "What would prove it" in text
    assert "yes on" not in text and "Channels 1, 2, 3, 4: not proven that kp can go from 9 to 12" in text


def test_channels_with_the_same_verdict_are_told_together(tmp_path):
    text = asked("can kp of 053 be raised?", tmp_path).text
    assert text.count("The log is too quiet for a plant model") == 1
    assert text.index("Channel 2: no") < text.index("Channels 1, 3, 4: not proven")


@each(
    "question, parts",
    [
        ("建議 053 的增益", ["建議更改通道 2 的增益", "建議增益為 kp", "通道 1、3、4：不建議任何增益"]),
        ("suggest gains for 053", ["better gains are proposed for channel 2, of 4", "kp 6.1 %/°C (from 50)"]),
        ("suggest gains for 052", ["no other gains are proposed, for none of 4 channels"]),
    ],
)
def test_a_proposal_of_gains_is_the_headline_or_why_there_is_none(tmp_path, question, parts):
    answer = asked(question, tmp_path)
    for part in parts:
        assert part in answer.text
    assert "11.7" not in answer.text, "what was asked is not whether kp may be 1.3 times as high"


def test_what_the_newest_log_cannot_prove_an_older_one_may(tmp_path):
    first = asked("10.1.1.47 那 kp 可以調高嗎？", tmp_path)
    assert first.tools.count("fetch_log") == 1 and "尚未證實" in first.text
    state = state_after(first, "zspr 052", "10.1.1.47")
    for asked_again in ("用 02-18 的 log 看 kp 可以調高嗎？", "can kp be raised, by the log of Feb 18?"):
        answer = asked(asked_again, tmp_path, state=state)
        assert answer.results[1]["log"] == "InstrumentDebug_2026-02-18_22-10-07.51.log"
        assert "可以，kp 可由 9 調到 11.7" in answer.text or "yes, kp can go from 9 to 11.7" in answer.text


def test_a_healthy_verdict_quotes_lines_with_values_and_speaks_for_all_channels(tmp_path):
    answer = asked("10.1.1.47 為什麼溫度波動？", tmp_path)
    assert len(LINK.findall(answer.text)) >= 2
    assert re.search(r"line=\d+\) 設定值 55 °C，實際值 5[45]\.\d+ °C，輸出", answer.text)
    assert answer.text.split("\n\n")[0].count("通道 1、2、3、4") == 2


@each("question", ["10.1.1.47 why?", "053 why?", "plot 054"])
def test_the_chart_stands_between_paragraphs_never_in_a_list(tmp_path, question):
    before, after = asked(question, tmp_path).around("plot_log")
    assert before[-1:] in ("", "\n") and not after.lstrip("\n").startswith("- ")


def test_lowering_a_gain_too_little_is_not_enough(tmp_path):
    text = asked("053: can ki of channel 2 be lowered by 20%?", tmp_path).text
    assert "lowering ki alone, from 0.6 to 0.48, is not enough" in text


def test_what_was_found_is_told_though_its_log_is_gone_and_nothing_is_fetched(tmp_path):
    state = {
        "device_name": "zspr 053",
        "device_ip": "10.1.1.112",
        "findings": ["Channel 2 swings by ±2.71 °C"],
        "root_causes": ["kp 50 is too high"],
        "downloaded_logs": ["a.log"],
        "status": "resolved",
    }
    answer = asked("what did we find so far?", tmp_path, state=state)
    assert set(answer.tools) <= {"diagnose_log"}
    for part in ("zspr 053 (10.1.1.112)", "±2.71 °C", "Root cause: kp 50 is too high", "`a.log`"):
        assert part in answer.text


def test_nothing_found_yet_is_said_and_asked_about(tmp_path):
    assert "0 findings so far" in asked("what did we find so far?", tmp_path).text


def test_a_follow_up_in_the_other_language_keeps_the_findings_in_the_first(tmp_path):
    first = asked("053 為什麼振盪？", tmp_path)
    state = state_after(first, "zspr 053", "10.1.1.112")
    second = asked("and channel 2?", tmp_path, state=state)
    assert "Oscillation from the gains" in second.text
    remembered = state_after(second)["findings"]
    assert remembered and set(remembered) <= set(state["findings"])


def test_what_to_do_and_what_shows_it_come_from_the_known_log(tmp_path):
    state = state_after(asked("054 why?", tmp_path), "zspr 054", "10.1.1.93")
    action = asked("what should I do next?", tmp_path, state=state)
    assert action.tools == ("diagnose_log",) and "Next: Check contacts" in action.text
    shown = asked("有什麼證據？", tmp_path, state=state)
    assert "TC;1;61.90;29.40;100.00`" in shown.text


def test_a_gain_of_zero_is_asked_about_with_a_number(tmp_path):
    answer = asked("055 kd 加大會比較好嗎", tmp_path)
    assert "的 kd 是 0" in answer.text and "可由 0 調到 0" not in answer.text
    example = re.search(r"「(kd 可以調到 [\d.]+ 嗎？)」", answer.text).group(1)
    assert "kd 可由 0 調到" in asked(f"055 {example}", tmp_path).text.replace("不應由", "可由")


@pytest.mark.parametrize(
    ("question", "log"), [("上一份呢？", "02-18_22-10-07.51"), ("and Feb 18?", "02-18_")]
)
def test_another_log_named_alone_is_diagnosed(tmp_path, question, log):
    state = state_after(asked("052 why?", tmp_path), "zspr 052", "10.1.1.47")
    answer = asked(question, tmp_path, state=state)
    assert "diagnose_log" in answer.tools and log in answer.text


def test_the_channel_of_a_short_follow_up_is_understood(tmp_path):
    state = state_after(asked("051 why?", tmp_path), "zspr 051", "10.1.1.46")
    assert "通道 3 輸出飽和" in asked("那 3 號通道", tmp_path, state=state).text


def test_findings_of_a_log_that_is_gone_are_recalled_as_they_were_told(tmp_path):
    state = {"device_name": "zspr 053", "findings": ["通道 2 振盪"], "last_log_file": "gone.log"}
    assert "通道 2 振盪" in asked("what did we find so far?", tmp_path, state=state).text


@each(
    "told, kept",
    [
        ("kp is 0.08, not 0.09; and do not restart it before Friday", ["`kp`: `0.08`", "before Friday"]),
        ("no, the setpoint is 60 °C", ["`setpoint`: `60 °C`"]),
        ("kp 是 0.08，不是 0.09", ["`kp`: `0.08`"]),
        ("星期五之前不要重開 052", ["星期五之前不要重開 052"]),
        ("do not restart 052 before Friday", ["do not restart 052 before Friday"]),
    ],
)
def test_what_is_stated_and_not_asked_is_noted_point_by_point(tmp_path, told, kept):
    answer = asked(told, tmp_path, state={"device_name": "zspr 052", "device_ip": "10.1.1.47"})
    assert answer.tools == () and ("Noted" in answer.text or "已記下" in answer.text)
    assert all(point in answer.text for point in kept)


@each("order", ["set kp of 052 to 0.2", "restart 052", "把 052 的 kp 調到 0.08", "what is kp of 052?"])
def test_orders_and_questions_are_not_noted(tmp_path, order):
    text = asked(order, tmp_path).text
    assert "Noted" not in text and "已記下" not in text


@pytest.mark.parametrize(("lines", "told"), [(19, False), (150, True)])
def test_a_log_that_was_pasted_and_is_not_here_as_a_file_is_said_to_be_undiagnosed(tmp_path, lines, told):
    line = "[2026-02-19 23:24:{:02}.000][info] Temperature channel 1: process value: 54.{} °C"
    pasted = "\n".join(line.format(number % 60, 10 + number % 60) for number in range(lines))
    text = asked(f"what is wrong here?\n{pasted}", tmp_path).text
    assert (f"These {lines} pasted lines were not diagnosed" in text) == told


@each("question", ["what is kp of 052?", "052 的 kp 是多少？", "which errors are in the log of 052?"])
def test_an_answer_names_its_log_and_tells_nothing_of_fetching_it(tmp_path, question):
    answer = asked(question, tmp_path)
    assert "fetch_log" in answer.tools
    assert answer.text.count("InstrumentDebug_2026-02-19_23-24-45.39.log`") == 1
    assert answer.text.startswith("**zspr 052") and "etching" not in answer.text and "正在" not in answer.text


@each("question", ["Are all four zones of 052 okay?", "052 四個通道都正常嗎？"])
def test_all_zones_of_a_named_device_are_no_survey_of_all_devices(question, tmp_path):
    answer = asked(question, tmp_path)
    assert "diagnose_log" in answer.tools and "survey_devices" not in answer.tools
    assert answer.text.startswith(("Yes: **zspr 052", "是：**zspr 052"))

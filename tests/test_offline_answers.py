"""The offline analyst's answers about the demo instruments, whose conditions are known."""

import re
import socket

import pytest

from tests.offline_case import asked, state_after

LINK = re.compile(r"\[L ([\d,]+)\]\(\?log=([^)&]+)&line=(\d+)\)")


@pytest.mark.parametrize(
    ("question", "verdict", "numbers"),
    [
        ("10.1.1.85 為什麼溫度波動？", "環境干擾", ["14:19", "4 個通道"]),
        ("what is wrong with zspr 051?", "Output saturated, channel 3", ["setpoint 95 °C", "output 100 %"]),
        ("10.1.1.47 為什麼溫度波動？", "正常：4 個通道", ["±0.15 °C", "kd ≈ 0"]),
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
    assert verdict.casefold() in answer.text.casefold().split("\n\n")[1]
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
    assert answer.text.split("\n\n")[1] == "**zspr 053 (10.1.1.112), channel 1: healthy.**"


def test_a_channel_that_is_not_there_is_said_with_those_that_are(tmp_path):
    assert "no channel 9. It has: 1, 2, 3, 4" in asked("053 channel 9 why?", tmp_path).text


def test_a_suspicion_is_answered_first(tmp_path):
    text = asked("is the sensor of 052 broken?", tmp_path).text
    assert "nothing points to the sensor" in text.split("\n\n")[1]


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
    assert "**Can kp be changed so? no on channel 2; not proven on channels 1, 3, 4.**" in text
    assert text.count("The log is too quiet for a plant model") == 1
    assert text.index("Channel 2: no") < text.index("Channels 1, 3, 4: not proven")


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("建議 053 的增益", ["建議更改通道 2 的增益", "建議增益為 kp", "通道 1、3、4：不建議任何增益"]),
        ("suggest gains for 053", ["better gains are proposed for channel 2, of 4", "kp 6.1 %/°C (from 50)"]),
        ("suggest gains for 052", ["no other gains are proposed, for none of 4 channels", "02-18"]),
    ],
)
def test_a_proposal_of_gains_is_the_headline_or_why_there_is_none(tmp_path, question, parts):
    answer = asked(question, tmp_path)
    for part in parts:
        assert part in answer.text
    assert "11.7" not in answer.text, "what was asked is not whether kp may be 1.3 times as high"


def test_an_older_log_that_may_prove_it_is_named_and_the_question_to_it_works(tmp_path):
    first = asked("10.1.1.47 那 kp 可以調高嗎？", tmp_path)
    assert first.tools.count("fetch_log") == 1 and "尚未證實" in first.text
    question = re.search(r"「(用 02-18 的 log 看 kp 可以調高嗎？)」", first.text).group(1)
    state = state_after(first, "zspr 052", "10.1.1.47")
    for asked_again in (question, "上一份 log 看 kp 可以調高嗎？", "can kp be raised, by the log of Feb 18?"):
        answer = asked(asked_again, tmp_path, state=state)
        assert answer.results[1]["log"] == "InstrumentDebug_2026-02-18_22-10-07.51.log"
        assert "可以，kp 可由 9 調到 11.7" in answer.text or "yes, kp can go from 9 to 11.7" in answer.text


def test_a_day_without_a_log_is_said_with_the_logs_there_are(tmp_path):
    text = asked("052 why did it swing on 02-17?", tmp_path).text
    assert "has no log of 02-17" in text and "InstrumentDebug_2026-02-18_22-10-07.51.log" in text


@pytest.mark.parametrize("question", ["set 052 to 52 °C", "把 052 設成 52 度", "restart 052", "重啟 052"])
def test_an_order_is_refused_with_what_can_be_done_and_nothing_is_diagnosed(tmp_path, question):
    answer = asked(question, tmp_path)
    assert answer.tools == () and "zspr 052" in answer.text
    assert "only read logs" in answer.text or "我只讀記錄" in answer.text


def test_an_order_to_change_a_gain_is_refused_and_judged(tmp_path):
    text = asked("set kp of 053 channel 2 to 60", tmp_path).text
    assert "cannot write" in text and "no, kp should not go from 50 to 60" in text


def test_a_healthy_verdict_quotes_lines_with_values_and_speaks_for_all_channels(tmp_path):
    answer = asked("10.1.1.47 為什麼溫度波動？", tmp_path)
    assert len(LINK.findall(answer.text)) >= 2
    assert re.search(r"line=\d+\) 設定值 55 °C，實際值 5[45]\.\d+ °C，輸出", answer.text)
    assert answer.text.count("通道 1 ") <= 1 and "在 4 個通道" in answer.text


@pytest.mark.parametrize("question", ["10.1.1.47 why?", "053 why?", "plot 054"])
def test_the_chart_stands_between_paragraphs_never_in_a_list(tmp_path, question):
    before, after = asked(question, tmp_path).around("plot_log")
    assert before.endswith("\n") and not after.lstrip("\n").startswith("- ")


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


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("yes", "Nothing is waiting for a yes or a no here.** Name a device"),
        ("No, cancel.", "Nothing is waiting"),
        ("好", "目前沒有等您答覆"),
        ("ok", "Nothing is waiting"),
        ("ok, thanks", "Shall I look at one of the 6 devices"),
    ],
)
def test_a_yes_to_nothing_is_told_so_in_short_and_reads_nothing(tmp_path, words, told):
    answer = asked(words, tmp_path)
    assert told in answer.text and len(answer.text) < 250
    assert set(answer.tools) <= {"list_devices"}


def test_a_yes_to_nothing_names_the_device_in_view(tmp_path):
    state = {"device_name": "zspr 053", "device_ip": "10.1.1.112"}
    assert "目前看的是 zspr 053 (10.1.1.112)" in asked("好的", tmp_path, state=state).text


def test_nothing_found_yet_is_said_and_asked_about(tmp_path):
    assert "0 findings so far" in asked("what did we find so far?", tmp_path).text


def test_door_timeouts_are_grouped_with_counts_and_lines(tmp_path):
    answer = asked("what errors are in the log of 050?", tmp_path)
    assert "3 warnings and errors in 2 groups" in answer.text
    assert re.search(
        r"DoorTimeout: open for 60000 ms, limit 60000 ms` — 2 times, first \[L 1,273\]", answer.text
    )
    assert "coincides in time" in answer.text


def test_a_word_of_the_question_narrows_the_events(tmp_path):
    answer = asked("門逾時 050", tmp_path)
    assert answer.results[1]["query"] == "door timeout"
    assert "DoorTimeout" in answer.text


def test_no_events_of_a_kind_are_counted_too(tmp_path):
    assert "0 of " in asked('any "flux capacitor" messages in 052?', tmp_path).text


def test_a_spike_in_the_log_is_explained_with_the_line_it_returns_on(tmp_path):
    text = asked("054 temp 61.9 then 29.4 on the next line — why?", tmp_path).text
    assert "A sensor spike" in text and "[L 1,886]" in text and "[L 1,890]" in text


def test_two_values_without_a_log_are_asked_about(tmp_path):
    answer = asked("溫度 61.9 下一行 29.4 為什麼？", tmp_path)
    assert answer.tools == () and "請貼上完整的兩行" in answer.text


def test_values_that_the_log_does_not_have_are_not_explained(tmp_path):
    text = asked("054 temp 77.7 then 11.1 on the next line, why?", tmp_path).text
    assert "has no line with 77.7" in text


def test_pasted_lines_of_two_channels_are_no_jump(tmp_path):
    lines = [
        "[2026-02-13 05:04:52.782][debug] [TempCtrl] id=1 sp=62.00 pv=61.900 out=45.2 p=1.00 i=2.00 d=0.00",
        "[2026-02-13 05:04:52.784][debug] [TempCtrl] id=2 sp=29.00 pv=29.400 out=15.2 p=1.00 i=2.00 d=0.00",
    ]
    text = asked("why?\n" + "\n".join(lines), tmp_path).text
    assert "No jump: the two lines belong to different channels" in text


def test_pasted_lines_that_cannot_be_read_are_asked_for(tmp_path):
    text = asked("why?\n[12:00:01] heater on\n[12:00:02] heater off", tmp_path).text
    assert "Please paste both lines whole" in text


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "053 what changed since last log?",
            ["New fault: Oscillation from the gains.", "kp 7 → 50", "ki 0.06 → 0.6"],
        ),
        ("054 what changed since the last log?", ["**zspr 054 (10.1.1.93): 2 differences", "Sensor spikes"]),
        ("053 跟上次比有什麼不同？", ["新的異常：增益造成的振盪。", "相同設定值下的輸出"]),
        ("050 跟上次比有什麼不同？", ["DoorTimeout", "處不同"]),
    ],
)
def test_the_log_is_compared_with_the_one_before(tmp_path, question, parts):
    answer = asked(question, tmp_path)
    assert "compare_logs" in answer.tools
    for part in parts:
        assert part in answer.text


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("compare 053 with 050", "**zspr 053 (10.1.1.112) beside zspr 050 (10.1.1.85): 17 differences"),
        ("053 和 050 有什麼不同？", "**zspr 053 (10.1.1.112) 與 zspr 050 (10.1.1.85) 相比：17 處不同"),
    ],
)
def test_two_devices_that_are_named_are_compared_with_each_other(tmp_path, question, told):
    answer = asked(question, tmp_path)
    assert told in answer.text and answer.tools == ("fetch_log", "fetch_log", "compare_logs")


def test_three_devices_are_ranked(tmp_path):
    assert asked("compare 050, 052 and 053", tmp_path).tools == ("survey_devices",)


def test_all_devices_are_ranked_by_severity_then_error(tmp_path):
    answer = asked("which device is worst?", tmp_path)
    order = re.findall(r"^\d\. (zspr \d+)", answer.text, re.MULTILINE)
    assert order[0] == "zspr 051" and order[-1] == "zspr 052" and len(order) == 6
    assert all("findings" not in result for result in answer.results), (
        "others' findings are not this device's"
    )


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("what are the gains of 052 channel 2?", ["kp 9, ki 0.07, kd 0", "PI-dominant"]),
        ("050 的設定值是多少？", ["60 °C", "55 °C", "72 °C", "50 °C"]),
        ("how stable is the temperature of 052 channel 1", ["±0.1"]),
    ],
)
def test_figures_of_channels_are_told(tmp_path, question, parts):
    text = asked(question, tmp_path).text
    for part in parts:
        assert part in text


def test_logs_and_devices_are_listed(tmp_path):
    assert "2 份記錄" in asked("052 有哪些 log？", tmp_path).text
    assert "**6 devices" in asked("list devices", tmp_path).text


def test_a_log_fetched_twice_is_told_to_be_unchanged(tmp_path):
    assert "was fetched in" in asked("fetch the newest log of 052", tmp_path).text
    assert "has not changed since" in asked("fetch the newest log of 052", tmp_path).text


def test_an_older_log_is_fetched_by_its_day(tmp_path):
    answer = asked("fetch the log of 02-18 of 052", tmp_path)
    assert "`InstrumentDebug_2026-02-18_22-10-07.51.log` of zspr 052 (10.1.1.47) is here" in answer.text


def test_raw_lines_are_shown_by_number(tmp_path):
    text = asked("show lines 100-102 of 052", tmp_path).text
    assert [int(line) for _, _, line in LINK.findall(text)] == [100, 101, 102]


@pytest.mark.parametrize(
    "question", ["why?", "為什麼溫度波動？", "plot it", "can kp be raised?", "any errors?"]
)
def test_without_device_and_log_it_says_what_is_missing(tmp_path, question):
    answer = asked(question, tmp_path)
    assert answer.tools == ("list_devices",)
    assert "zspr 052 (10.1.1.47)" in answer.text and ("?" in answer.text or "？" in answer.text)


def test_an_unknown_address_is_not_contacted_and_can_be_added(tmp_path):
    answer = asked("10.1.1.99 為什麼溫度波動？", tmp_path)
    assert answer.tools == ("list_devices",)
    assert 'ip = "10.1.1.99"' in answer.text


def test_an_order_is_refused_for_want_of_any_way_to_obey(tmp_path):
    assert "cannot write" in asked("set kp of 052 to 0.2", tmp_path).text


@pytest.mark.parametrize(("question", "sign"), [("help", "can kp be raised?"), ("說明", "那 kp 可以調高嗎")])
def test_help_shows_questions_in_the_language_asked_in(tmp_path, question, sign):
    assert sign in asked(question, tmp_path).text


def test_a_follow_up_in_the_other_language_keeps_the_findings_in_the_first(tmp_path):
    first = asked("053 為什麼振盪？", tmp_path)
    state = state_after(first, "zspr 053", "10.1.1.112")
    second = asked("and channel 2?", tmp_path, state=state)
    assert "Oscillation from the gains" in second.text
    remembered = state_after(second)["findings"]
    assert remembered and set(remembered) <= set(state["findings"])


def test_several_devices_are_surveyed_and_only_they(tmp_path):
    answer = asked("050 和 053 哪裡有問題？", tmp_path)
    assert answer.tools == ("survey_devices",)
    assert re.findall(r"^\d\. (zspr \d+)", answer.text, re.MULTILINE) == ["zspr 053", "zspr 050"]


def test_a_question_that_is_none_of_ours_is_asked_back(tmp_path):
    text = asked("write me a poem", tmp_path).text
    assert text.startswith("I answer 7 kinds of questions") and "?" in text


def test_thanks_are_answered_with_an_offer(tmp_path):
    assert "6 台設備" in asked("謝謝", tmp_path).text


def test_what_to_do_and_what_shows_it_come_from_the_known_log(tmp_path):
    state = state_after(asked("054 why?", tmp_path), "zspr 054", "10.1.1.93")
    action = asked("what should I do next?", tmp_path, state=state)
    assert action.tools == ("diagnose_log",) and "Next: Check contacts" in action.text
    shown = asked("有什麼證據？", tmp_path, state=state)
    assert "TC;1;61.90;29.40;100.00`" in shown.text


def test_a_plot_is_drawn_of_the_channel_asked_for(tmp_path):
    answer = asked("plot channel 1 of 053", tmp_path)
    assert answer.results[1]["artifact"]["kind"] == "plotly"
    assert [one["channel"] for one in answer.results[2]["channels"]] == [1]


def test_a_named_log_is_the_one_that_is_compared_with(tmp_path):
    answer = asked("compare InstrumentDebug_2026-02-16_11-20-41.17.log of 053 with the newest", tmp_path)
    assert answer.results[-1]["before"] == "InstrumentDebug_2026-02-16_11-20-41.17.log"
    assert "kp 7 → 50" in answer.text


def test_an_older_log_is_fetched_by_its_name(tmp_path):
    answer = asked("053 InstrumentDebug_2026-02-16_11-20-41.17.log 有問題嗎", tmp_path)
    assert answer.results[0]["log"] == "InstrumentDebug_2026-02-16_11-20-41.17.log"
    assert "正常" in answer.text


def test_channels_that_cannot_tell_a_figure_are_named_together(tmp_path):
    text = asked("how bad is the overshoot of 055", tmp_path).text
    assert "Channel 3: overshoot 13.7" in text and "Channel 1, 2, 4: the log does not tell" in text


def test_what_happened_at_a_time_is_told_with_readings_events_and_findings(tmp_path):
    text = asked("what happened on 050 at 14:20?", tmp_path).text
    assert "left their setpoints together" in text and "DoorTimeout" in text
    assert re.search(r"line=\d+\) Channel 3: setpoint 72 °C, pv 7\d", text)


def test_a_time_outside_the_log_is_said_with_the_span(tmp_path):
    assert "runs from 2026-02-20 14:05:31 to 2026-02-20 14:45:30" in asked("050 at 18:00?", tmp_path).text


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


def test_findings_are_recalled_in_the_language_asked_in(tmp_path):
    state = state_after(asked("053 為什麼振盪？", tmp_path), "zspr 053", "10.1.1.112")
    recalled = asked("what did we find so far?", tmp_path, state=state)
    assert "Channel 2: pv swings by ±2.71 °C" in recalled.text and "實際值" not in recalled.text
    assert set(state_after(recalled)["findings"]) <= set(state["findings"])


def test_findings_of_a_log_that_is_gone_are_recalled_as_they_were_told(tmp_path):
    state = {"device_name": "zspr 053", "findings": ["通道 2 振盪"], "last_log_file": "gone.log"}
    assert "通道 2 振盪" in asked("what did we find so far?", tmp_path, state=state).text


@pytest.fixture
def troubled(tmp_path):
    """An inventory whose devices have no log, one that cannot be read, and no server."""
    for name, text in [("empty", None), ("broken", "hello\nworld\n")]:
        (tmp_path / name).mkdir()
        if text:
            (tmp_path / name / "run_2026-02-20_10-00-00.log").write_text(text, encoding="utf-8")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    places = {"empty": tmp_path / "empty", "broken": tmp_path / "broken", "gone": tmp_path / "gone"}
    logs = {f"oven {name}": f"file://{path}" for name, path in places.items()}
    logs["oven web"] = f"http://127.0.0.1:{port}/logs"
    entries = [
        f'[[device]]\nname = "{name}"\nip = "10.9.9.{place}"\nlogs = "{where}"\n'
        for place, (name, where) in enumerate(logs.items(), start=1)
    ]
    path = tmp_path / "devices.toml"
    path.write_text("\n".join(entries), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("question", "what", "remedy"),
    [
        ("why oven empty?", "has no logs in", "Check the folder"),
        ("oven broken 為什麼波動？", "fits none of the", "docs/add-a-log-format.md"),
        ("oven gone why?", "there is no", "Correct its entry"),
        ("oven web why?", "no connection to 127.0.0.1", "Check that 127.0.0.1 is on"),
        ("oven web list logs", "no connection to 127.0.0.1", "Check that 127.0.0.1 is on"),
    ],
)
def test_what_could_not_be_done_is_said_with_the_remedy(tmp_path, troubled, question, what, remedy):
    text = asked(question, tmp_path, inventory=troubled).text
    assert what in text and remedy in text


def test_devices_that_could_not_be_judged_are_no_good_news(tmp_path, troubled):
    text = asked("which device is worst?", tmp_path, inventory=troubled).text
    assert "4 could not be judged" in text and "Which of the" not in text


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("kp is 0.08, not 0.09; and do not restart it before Friday", ["`kp`: `0.08`", "before Friday"]),
        ("no, the setpoint is 60 °C", ["`setpoint`: `60 °C`"]),
        ("kp 是 0.08，不是 0.09", ["`kp`: `0.08`"]),
        ("星期五之前不要重開 052", ["星期五之前不要重開 052"]),
        ("do not restart 052 before Friday", ["do not restart 052 before Friday"]),
    ],
)
def test_what_is_stated_and_not_asked_is_noted_point_by_point(tmp_path, told, kept):
    answer = asked(told, tmp_path)
    assert answer.tools == () and ("Noted" in answer.text or "已記下" in answer.text)
    assert all(point in answer.text for point in kept)


@pytest.mark.parametrize(
    "order", ["set kp of 052 to 0.2", "restart 052", "把 052 的 kp 調到 0.08", "what is kp of 052?"]
)
def test_orders_and_questions_are_not_noted(tmp_path, order):
    text = asked(order, tmp_path).text
    assert "Noted" not in text and "已記下" not in text

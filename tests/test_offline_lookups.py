"""What a log holds, looked up by the offline analyst: events, figures, lines, times, logs, charts."""

import re

from cases import each

from tests.offline_case import asked

LINK = re.compile(r"\[L ([\d,]+)\]\(\?log=([^)&]+)&line=(\d+)\)")


def test_door_timeouts_are_grouped_with_counts_and_lines(tmp_path):
    answer = asked("what errors are in the log of 050?", tmp_path)
    assert "3 warnings and errors in 2 groups" in answer.text
    assert re.search(
        r"DoorTimeout: open for 60000 ms, limit 60000 ms` — 2 times, first \[L 1,273\]", answer.text
    )
    assert "What happened, in order" in answer.text


@each(
    "question, told",
    [
        ("how long did 050 take to recover after the door was opened?", "out of its own band for 2.3 min"),
        ("050 通道 2 開門後多久恢復？", "離開自身範圍 2.3 分鐘"),
        ("did 052 recover?", "a wave of ±0.16 °C"),
    ],
)
def test_how_long_a_loop_was_out_of_its_band_is_told_of_each_time(tmp_path, question, told):
    text = asked(question, tmp_path).text
    assert told in text and "\n\n\n" not in text


def test_a_word_of_the_question_narrows_the_events(tmp_path):
    answer = asked("門逾時 050", tmp_path)
    assert (
        "「門」有關" in answer.text and "DoorTimeout" in answer.text and "chamber 2 vent" not in answer.text
    )


def test_no_events_of_a_kind_are_counted_too(tmp_path):
    assert "0 of " in asked('any "flux capacitor" messages in 052?', tmp_path).text


@each(
    "question, parts",
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


def test_an_older_log_is_fetched_by_its_day(tmp_path):
    answer = asked("fetch the log of 02-18 of 052", tmp_path)
    assert "Log `InstrumentDebug_2026-02-18_22-10-07.51.log`:" in answer.text


def test_raw_lines_are_shown_by_number(tmp_path):
    text = asked("show lines 100-102 of 052", tmp_path).text
    assert [int(line) for _, _, line in LINK.findall(text)] == [100, 101, 102]


def test_a_plot_is_drawn_of_the_channel_asked_for(tmp_path):
    answer = asked("plot channel 1 of 053", tmp_path)
    assert [one["artifact"]["kind"] for one in answer.results if "artifact" in one] == ["plotly"]
    assert [one["channel"] for one in answer.results[1]["channels"]] == [1]


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


@each(
    "question, told",
    [
        ("zspr 052: which warnings were in the log yesterday?", "“yesterday” was not looked at by itself"),
        ("zspr 052 昨晚有哪些錯誤？", "沒有單獨看「昨晚」"),
    ],
)
def test_a_time_that_no_tool_looked_at_is_said_not_to_have_been(tmp_path, question, told):
    assert told in asked(question, tmp_path).text


@each(
    "question, told",
    [
        ("write a note on zspr 053 for the night shift", "decides: check that it is set and works"),
        ("寫幾句話給 zspr 053 的夜班同事", "能否無人看管"),
    ],
)
def test_a_note_for_the_night_says_from_when_to_when_and_whether_it_may_run(tmp_path, question, told):
    text = asked(question, tmp_path).text
    assert told in text and "2026-02-20 08:49:16" in text

"""Any column, in any stretch, past any limit: a figure is composed of what the question names."""

import re
from datetime import datetime, timedelta

import numpy as np
import pytest
from cases import each
from offline_case import asked

from instrumentgpt.instruments.tools import TOOLS
from instrumentgpt.instruments.workspace import workspace

START, STEP, PERIOD = datetime(2026, 3, 4, 8), 120, 30  # a row each 30 s for three days; 37 °C from row 120
ROWS = 3 * 24 * 120
HEADS = "Time,SP [°C],PV [°C],OUT [%],T_room [°C],Cooling water [°C],Flow [L/min]"


@pytest.fixture(scope="module")
def chamber(tmp_path_factory):
    """Return a log of three days: two dips of the flow, warmer water for an hour, a room that warms."""
    row, noise = np.arange(ROWS), np.random.default_rng(1).normal(0, 0.02, ROWS)
    setpoint = np.where(row < STEP, 30.0, 37.0)
    pv = 37 - 7 * np.exp(-np.maximum(row - STEP, 0) / 10.0) + noise
    flow = np.where((row // 60 == 20) | (row // 60 == 70), 2.0, 5.0)
    water = np.where((row >= 3000) & (row < 3120), 19.0, 15.0)
    room, output = 20 + 2 * row / ROWS, 40 + 10 * (setpoint - pv)
    lines = [HEADS]
    for number in range(ROWS):
        clock = START + timedelta(seconds=PERIOD * number)
        cells = (setpoint, pv, output, room, water, flow)
        lines.append(",".join([f"{clock}", *(f"{cell[number]:.2f}" for cell in cells)]))
    path = tmp_path_factory.mktemp("composed") / "chamber.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def said(chamber, question: str, before: str = "") -> str:
    log = {"last_log_file": chamber.name, "downloaded_logs": [chamber.name]} if before else {}
    messages = ({"turn": 1, "role": "user", "text": before, "devices": []},) if before else ()
    return asked(question, chamber.parent, attachments=(str(chamber),), state=log, messages=messages).text


@each(
    "question, told",
    [
        ("peak of the coolant?", "`Cooling water [°C]`) from 2026-03-04 08:00:00"),
        ("冷卻水最高多少？", "最高 19 °C，2026-03-05 09:00:00"),
        ("mean of the flow on day 2?", "mean 4.9375 L/min"),
        ("第二天流量的平均？", "平均 4.9375 L/min"),
        ("range of the ambient temperature?", "range 2 °C"),
        ("warmest coolant on Thursday?", "2026-03-05 00:00:00 to 2026-03-05 23:59:59: highest 19 °C"),
        ("第二個小時的平均輸出？", "2026-03-04 09:00:00 到 10:00:00：平均 46"),
        ("max of the room over the last 6 h?", "2026-03-07 01:59:30 to 07:59:30"),
        ("min of the flow and of the room?", "lowest 20 °C"),
        ("max of the flow per day, a row per day", "| 2026-03-06 |"),
        ("how fast does the room drift per day?", "+0.667 °C per day"),
        ("室溫從 2026-03-05 08:00 到 2026-03-06 08:00 變化了多少？", "+0.66 °C"),
    ],
)
def test_a_figure_of_any_column_is_told_in_the_stretch_that_is_named(chamber, question, told):
    assert told in said(chamber, question)


@each(
    "question, told",
    [
        (
            "when did the flow first go below 4?",
            "1.4% of the time; first at 2026-03-04 18:00:00",
        ),
        ("流量最後一次低於 4 是幾點？", "最後一次 2026-03-05 19:"),
        ("how often was the flow below 4 L/min?", "2 times below 4 L/min, 60 min in all"),
        ("longest time the coolant was above 17 °C?", "the longest 60 min from"),
        ("how long was the heater at full power?", "output: 1 time at 100 %, 60 s in all"),
        ("was the room ever above 30 °C?", "never above 30 °C"),
        ("what share of the time was pv within 36.5–37.5 °C?", "% of the time within 36.5 to 37.5 °C"),
        ("how long was pv more than 5 °C away from the setpoint?", "outside -5 to 5 °C, 2 min in all"),
        ("how often was it above 90 %?", "output: 1 time above 90 %"),
        ("how much of the time was it within half a degree?", "error: 99.7% of the time within -0.5 to 0.5"),
        ("how long outside ±0.5 °C?", "error: 1 time outside -0.5 to 0.5 °C"),
    ],
)
def test_times_past_any_limit_are_told_as_they_are_asked_for(chamber, question, told):
    assert told in said(chamber, question)


@each(
    "question, told",
    [
        ("what was the flow when the coolant was highest?", "“when the coolant was” was not looked at"),
        ("冷卻水最高的時候流量多少？", "沒有單獨看「高的時候」"),
        ("what was the biggest gap between sp and pv?", "largest deviation from the setpoint"),
        ("how far is pv from its setpoint now, and since when?", "at the end"),
        ("現在離設定值多遠，從何時開始？", "最後"),
        ("average output to hold 75?", "“75” was not looked at"),
        ("mean of the flow after the refill?", "“after the refill” was not looked at"),
        ("加水前後的平均流量？", "沒有單獨看「加水前後」"),
        ("rise time of the step to 37?", "rise time 11 min"),
    ],
)
def test_what_goes_together_and_what_a_log_has_is_told(chamber, question, told):
    assert told in said(chamber, question)


@each(
    "before, question, told",
    [
        ("mean of the coolant on day 2?", "and the flow?", "mean 4.9375 L/min"),
        ("第二天冷卻水的平均？", "那流量？", "平均 4.9375 L/min"),
        ("mean of the flow in the first hour?", "and the maximum?", "highest 5 L/min"),
    ],
)
def test_a_question_goes_on_with_what_it_does_not_name(chamber, before, question, told):
    assert told in said(chamber, question, before)


@each(
    "question, told",
    [
        (
            "how much of the time was the heater on?",
            "4 times on (above 50 %), 40 min in all, 40.0% of the time",
        ),
        ("how long was the heater off in all?", "off (below 50 %)"),
        ("加熱器開著的時間佔多少比例？", "開啟（高於 50 %） 共 4 次"),
    ],
)
def test_an_output_that_switches_is_told_by_its_times_on(question, told, tmp_path):
    rows = (f"{60 * at},25,{25 + 0.3 * (at % 25 < 10):.1f},{100 * (at % 25 < 10)}" for at in range(100))
    (tmp_path / "bath.csv").write_text("\n".join(["time_s,set,T,heater", *rows]), encoding="utf-8")
    assert told in said(tmp_path / "bath.csv", question)


@each("question", ["mean oil temperature?", "highest outlet temperature?"])
def test_a_column_that_is_not_there_is_no_other_one(chamber, question):
    text = said(chamber, question)
    assert "has no column for" in text and "`PV [°C]`" in text and "mean 3" not in text


@each(
    "question, told",
    [
        (
            "when did pv reach 36?",
            "98.4% of the time; first at 2026-03-04 09:1",
        ),
        ("did pv ever reach 50?", "No: Channel 1 (`PV [°C]`): never at 50 °C or above; highest 37"),
        ("pv 幾點到 36 度？", "達到 36 °C 共 1 次，合計 3 天，佔時間的 98.4%；第一次 2026-03-04 09:1"),
        (
            "mean output while the flow was below 4?",
            "Readings “while the flow was below 4”, that is with `Flow",
        ),
        ("which is warmest, the room or the coolant?", "largest on Channel 2 (`T_room [°C]`) (22 °C).**"),
        ("how often was the flow above 4?", "3 times above 4 L/min"),
        ("did pv reach its setpoint?", "channel 1: healthy"),
    ],
)
def test_when_a_level_was_reached_and_what_was_while_something_was_so(chamber, question, told):
    assert told in said(chamber, question)


def test_gains_that_changed_in_the_log_are_told_with_their_time(tmp_path):
    lines = []
    for second in range(0, 1200, 2):
        clock = f"[{START + timedelta(seconds=second)}.000][info] "
        if second in (0, 600):
            kp = 6 if second < 600 else 4
            gains = f"PID gains Kp: {kp}.000 %/°C, Ki: 0.03000 %/(°C·s), Kd: 0.000 %·s/°C"
            lines.append(f"{clock}Temperature channel 1: {gains}")
        pv = 45 + 0.02 * (second % 3)
        read = f"setpoint: 45.00 °C, process value: {pv:.2f} °C, output power: 30.0 %"
        lines.append(f"{clock}Temperature channel 1: {read}, P: 0.00, I: 30.00, D: 0.00")
    (tmp_path / "rig.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for question in ("did someone change kp?", "which gains are set, and since when?", "kp 有改過嗎？"):
        text = asked(question, tmp_path, attachments=(str(tmp_path / "rig.log"),)).text
        assert "kp 6 → 4" in text and "2026-03-04 08:10" in text


def test_the_cycles_of_a_programme_are_counted_and_the_odd_one_named(tmp_path):
    long = [60, 60, 90, 60, 60]  # rows at 45 °C; 60 at 25 °C after each
    setpoint = np.concatenate([np.full(30, 25.0), *(np.repeat([45.0, 25.0], [rows, 60]) for rows in long)])
    pv, rows = 25.0, ["time,setpoint,pv,output"]
    for second, target in enumerate(setpoint):
        pv += (target - pv) / 8
        rows.append(f"{second},{target},{pv:.2f},{50 + 2 * (target - pv):.1f}")
    (tmp_path / "cycles.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    text = asked("are all cycles alike?", tmp_path, attachments=(str(tmp_path / "cycles.csv"),)).text
    assert "45 °C 5 times: 5 cycles" in text and "Not like the others: 3" in text


def test_a_chambers_pressure_numbers_no_channels(tmp_path):
    rows = ["Time,SP,PV,OUT,P_ch (mbar)"]
    for number in range(600):
        clock = START + timedelta(seconds=number)
        rows.append(f"{clock},37.0,{37 + 0.02 * (number % 3):.2f},40.0,{940 + number // 100}")
    (tmp_path / "run.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    text = asked("highest pressure?", tmp_path, attachments=(str(tmp_path / "run.csv"),)).text
    assert "`P_ch (mbar)`" in text and "highest 945 mbar" in text


def test_a_line_that_nothing_can_be_read_of_in_one_of_two_stretches_is_said(chamber):
    where = {"cache": str(chamber.parent / "cache"), "artifacts": str(chamber.parent / "artifacts")}
    place = workspace("demo/devices.toml", **where, attachments=[str(chamber)])
    spans = [["2026-03-05 10:00", "2026-03-05 11:00"], ["2026-04-01 10:00", "2026-04-01 11:00"]]
    result = TOOLS["column_figures"](place, log=chamber.name, columns=["Flow [L/min]"], spans=spans)
    assert len(result["rows"]) == 1 and result["lacking"] == [spans[1]]


@each("question", ["when was it hottest? how long was it above 36?", "最高溫度是多少？什麼時候超過 36 度？"])
def test_an_extreme_is_told_beside_a_limit_that_is_asked_in_the_same_message(chamber, question):
    first, second = said(chamber, question).split("### 2.")
    assert re.search("highest|最高 37", first) and re.search("above 36|高於 36", second)


@each(
    "question, unread",
    [
        ("what was the median output?", "“median”"),
        ('mean output after "Pump B started"?', "“Pump B started”"),
        ("with kp 12 instead, what would the overshoot be?", "“12”"),
    ],
)
def test_what_no_tool_used_of_a_question_is_said_before_any_figure(chamber, question, unread):
    first = said(chamber, question).split("\n")[0]
    assert unread in first and ("does not answer all of it" in first or "沒有完全回答" in first)


@each(
    "question, both",
    [
        ("did the flow change after 18:00 on 2026-03-05?", ("to 2026-03-05 18:00", "from 2026-03-05 18:00")),
        ("standard deviation of pv up to 12:00 and from then on?", ("to 2026-03-04 12:00", "12:00:00 to")),
    ],
)
def test_what_differs_after_a_moment_is_told_beside_what_was_before_it(chamber, question, both):
    text = said(chamber, question)
    assert (all(part in text for part in both) and "On average" in text) or "mean" in text


@pytest.fixture(scope="module")
def furnace(tmp_path_factory):
    """Return a log of two zones with German heads, and what is beside them."""
    heads = "Zeit;Zone 1 Soll [°C];Zone 1 Ist [°C];Zone 1 Stellgröße [%];"
    heads += heads[5:].replace("1", "2") + "Kühlwasser Vorlauf [°C];Kühlwasser Rücklauf [°C];Heizstrom [A]"
    lines = [heads]
    for number in range(480):
        clock, wave = START + timedelta(seconds=PERIOD * number), np.sin(number / 40)
        zones = (320, 320 + wave, 40 - 5 * wave, 350, 351 + wave, 60 - 5 * wave)
        lines.append(
            ";".join([f"{clock}", *(f"{one:.2f}" for one in (*zones, 14 - wave, 19 + wave, 8 + wave))])
        )
    path = tmp_path_factory.mktemp("furnace") / "ofen.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@each(
    "question, told",
    [
        ("how hot did the cooling water return get?", "`Kühlwasser Rücklauf [°C]`"),
        ("冷卻水出口溫度平均多少？", "`Kühlwasser Rücklauf [°C]`"),
        ("how was the heater current?", "`Heizstrom [A]` from"),
        ("加熱電流最高多少？", "最高 9 A"),
        ("zone 2 minus zone 1, on average?", "+31 °C on average"),
        ("第2區平均比第1區高多少？", "平均 +31 °C"),
        ("average difference between cooling water outlet and cooling water inlet?", "°C on average, from"),
        (
            "how much higher was zone 2 than the temperature of the cooling water on average?",
            "Which column do",
        ),
        ("zone 1 minus the heater current?", "there is no difference between them"),
        ("what was the output of zone 2 on average?", "Channel 2 (`Zone 2 Ist [°C]`), output from"),
    ],
)
def test_a_column_is_named_in_another_tongue_than_its_head_and_two_are_told_apart(furnace, question, told):
    text = said(furnace, question)
    assert told in text and "not looked at" not in text and "沒有單獨看" not in text

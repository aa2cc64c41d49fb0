"""A day, a part of it or a run that is named is what is answered on; what runs tell together is kept to."""

import random
from datetime import datetime, timedelta

import pytest
from cases import each
from offline_case import asked

from instrumentgpt.memory.reading.own_words import is_question

TODAY = "2026-11-26T10:00:00"
RUNS = (2, 6, 10, 14)  # November
CLOCK = "%Y-%m-%d %H:%M:%S"


def held(setpoints, seconds, gain, band, kp, noise, room=20.0, low=0.0):
    """Return pv and output of a PI loop that follows `setpoints`; its gains and its heater are per sample."""
    pv, integral, delayed, rows = room, 0.0, [0.0] * 4, []
    for number, setpoint in enumerate(setpoints):
        read = pv + noise.gauss(0, 0.02 * band)
        wanted = kp[number] * (setpoint - read) + integral
        output = min(max(wanted, low), 100.0)
        integral += kp[number] * (setpoint - read) * seconds / 900 if output == wanted else 0.0
        rows.append((setpoint, read, output))
        delayed.append(output)
        pv += seconds / 1200 * (room + gain * delayed.pop(0) - pv)
    return rows


def bath(day):
    """Return a day of a bath, a row each 20 s: 30 °C, 40 °C from 7 to 11 h; from the 23rd, 10 h it swings."""
    hours = [row / 180 for row in range(4320)]
    setpoints = [40.0 + day - 22 if 7 <= hour < 11 else 30.0 for hour in hours]
    kp = [40.0 if day > 23 or (day == 23 and hour >= 10) else 4.0 for hour in hours]
    return held(setpoints, 20, 0.9, 1.0, kp, random.Random(day), low=-100.0)


def zone(run, number):
    """Return a run of a furnace zone, a row each 20 s: up to 900 °C in two hours; zone 2 gets weaker."""
    setpoints = [min(20 + 880 * row / 360, 900.0) if row < 630 else 20.0 for row in range(700)]
    weak = 1 - 0.1 * RUNS.index(run) * (number == 2)
    return held(setpoints, 20, 17.0 * weak, 10.0, [0.3] * 700, random.Random(run + number))


@pytest.fixture(scope="module")
def inventory(tmp_path_factory):
    folder = tmp_path_factory.mktemp("named")
    for name in ("bath", "furnace"):
        (folder / name).mkdir()
    for day in (22, 23, 24):
        said = {2340: "Low level warning"} if day == 22 else {1800: "Parameter changed"} if day == 23 else {}
        rows = ["time,SP,PV,OUT,message"]
        for row, (setpoint, pv, output) in enumerate(bath(day)):
            at = datetime(2026, 11, day) + timedelta(seconds=20 * row)
            rows.append(f"{at:{CLOCK}},{setpoint},{pv:.2f},{output:.1f},{said.get(row, '')}")
        (folder / "bath" / f"bath_202611{day}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    for run in RUNS:
        rows = ["time,SP,Zone1 PV,Zone1 OUT,Zone2 PV,Zone2 OUT"]
        for row, ((setpoint, first, out), (_, second, other)) in enumerate(
            zip(zone(run, 1), zone(run, 2), strict=True)
        ):
            at = datetime(2026, 11, run, 8) + timedelta(seconds=20 * row)
            rows.append(f"{at:{CLOCK}},{setpoint:.1f},{first:.1f},{out:.1f},{second:.1f},{other:.1f}")
        (folder / "furnace" / f"run_202611{run:02d}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    devices = [f'[[device]]\nname = "{name}"\nlogs = "{name}"\n' for name in ("bath", "furnace")]
    (folder / "devices.toml").write_text("\n".join(devices), encoding="utf-8")
    return str(folder / "devices.toml")


@pytest.fixture
def ask(tmp_path, inventory):
    return lambda question, **task: asked(question, tmp_path, inventory=inventory, today=TODAY, **task).text


def pv_of(day, first=0, stop=24):
    return [pv for _, pv, _ in bath(day)[first * 180 : stop * 180]]


@each(
    "question, told",
    [
        ("what was the highest temperature of the bath on the 22nd?", max(pv_of(22))),
        ("bath 23 日最低溫度是多少？", min(pv_of(23))),
    ],
)
def test_a_named_day_is_the_one_that_is_told(ask, question, told):
    assert f"{told:.2f} °C" in ask(question)


@each(
    "question, told",
    [
        ("highest temperature of the bath in the afternoon of the 22nd?", [max(pv_of(22, 12, 18))]),
        ("bath 11 月 22 日下午最低幾度？", [min(pv_of(22, 12, 18))]),
        ("bath 23 日白天最高溫度？", [max(pv_of(23, 6, 18))]),
        ("highest temperature of the bath on the 22nd and on the 23rd?", [max(pv_of(22)), max(pv_of(23))]),
        ("bath 22 日和 24 日最高溫各是多少？", [max(pv_of(22)), max(pv_of(24))]),
    ],
)
def test_a_part_of_a_day_or_several_days_are_the_stretches_that_are_told(ask, question, told):
    text = ask(question)
    for value in told:
        assert f"{value:.2f} °C" in text


@each(
    "question, told",
    [
        ("what was the highest temperature of the bath on the 15th?", "15"),
        ("bath 15 日最高幾度？", "15"),
        ("bath 15 日和 22 日最高溫各是多少？", f"{max(pv_of(22)):.2f}"),
    ],
)
def test_a_day_without_a_log_is_said_to_have_none(ask, question, told):
    text = ask(question)
    assert told in text and "bath_20261124.csv" in text and f"{max(pv_of(24)):.2f}" not in text


@each(
    "question, told",
    [
        ("did the bath already swing on the 22nd?", "No: **bath"),
        ("bath 24 日也有擺盪嗎？", "是：**bath"),
        ("bath 23 日有沒有問題？", "是：**bath"),
        ("bath 22 日也有這個問題嗎？", "否：**bath"),
        ("when did the bath begin to oscillate?", "began 2026-11-23 1"),
        ("bath 哪幾天有擺盪？", "自 2026-11-23 00:00 的記錄起每份都有"),
    ],
)
def test_whether_and_since_when_it_was_there_is_said_first(ask, question, told):
    assert told in ask(question)[:400]


@each(
    "question, parts",
    [
        (
            "was the low level message of the bath on the 22nd connected to the problem?",
            ["2026-11-22 13:00:00"],
        ),
        ("was the parameter message of the bath on the 23rd connected to it?", ["2026-11-23 10:00:00"]),
        (
            "how often did a door message appear on the bath on the 22nd?",
            ["0 of 1 event lines are about “door”", "Low level warning"],
        ),
    ],
)
def test_a_line_is_found_by_what_is_said_of_it_and_told_with_what_was_found_then(ask, question, parts):
    text = ask(question)
    assert "socket" not in text
    for part in parts:
        assert part in text


@each(
    "question, parts",
    [
        ("compare the run of the furnace of 14 nov with that of 2 nov.", ["Channel 2: output at 900.00 °C"]),
        ("furnace 11 月 14 日那爐跟 2 日那爐差在哪？", ["通道 2：在 900.00 °C 時的輸出"]),
        (
            "how stable was the bath at 30 °C on the 22nd compared with the 24th?",
            ["Channel 1: spread at 30.00 °C", "held 30 °C"],
        ),
    ],
)
def test_two_named_logs_are_compared_at_the_same_setpoint_the_earlier_first(ask, question, parts):
    text = ask(question)
    assert "0 differences" not in text and "0 處不同" not in text
    for part in parts:
        assert part in text
    earlier, later = ("1102.csv", "1114.csv") if "furnace" in question else ("1122.csv", "1124.csv")
    assert text.index(earlier) < text.index(later)


@each(
    "question",
    [
        "furnace: from which run on does it need more power?",
        "furnace 從哪一爐開始變差？",
        "furnace: since when does it get worse?",
        "how long until the furnace reaches its limit?",
        "furnace 還能撐多久？",
        "is it the heater of the furnace?",
        "can we run the furnace on until next week?",
        "write a paragraph on the furnace for my boss",
    ],
)
def test_what_grows_over_the_runs_is_what_each_answer_rests_on(ask, question):
    text = ask(question)
    assert ("Channel 2 (Zone2 PV)" in text or "通道 2 (Zone2 PV)" in text) and "2026-11-06" in text
    assert (
        "0 have a finding" not in text and "0 份有發現" not in text and "points to the heater.**" not in text
    )


@each("sentence", ["Compare the run of 23 nov with that of 2 nov.", "比較兩爐", "請列出所有警告。"])
def test_a_request_to_tell_something_is_a_question(sentence):
    assert is_question(sentence) and not is_question("Show no gains to the vendor.")


@each(
    "question",
    [
        "when did zone 2 of the furnace reach 500 on 14 nov?",
        "furnace 11 月 14 日第 2 區什麼時候到 500 度？",
    ],
)
def test_when_a_value_was_reached_is_the_moment_it_was(ask, question):
    first = next(
        row for row, (_, pv, _) in enumerate(zone(14, 2)) if float(f"{pv:.1f}") > 499.5
    )  # as 500 is written
    assert f"2026-11-14 {datetime(2026, 11, 14, 8) + timedelta(seconds=20 * first):%H:%M:%S}" in ask(question)

"""The stretch that a question names is the one that is told: days over logs, holds, steps, event lines."""

import re
from datetime import datetime, timedelta

import numpy as np
import pytest
from cases import each
from offline_case import asked

TODAY = "2026-11-28T12:00:00"
STEP = 60  # s
HEAD = "Time,SP [°C],PV [°C],Output [%]"
DAYS, HOURS = (24, 25, 26, 27), (0, 8, 16)  # a log each eight hours
DOORS = ((60, 70), (200, 212))  # min in which the door is open
REFILL, LEVELS = 150, ((0, 40.0), (60, 60.0), (180, 80.0))  # min; from which on, setpoint


def reading(at: datetime) -> float:
    """Return what the tower reads: each day and each third of it another value, above 50 around midnight."""
    hot = 20 if at.hour in (23, 0) else 0
    return 20 + at.day - 24 + 3 * (at.hour // 8) + (at.hour >= 18 or at.hour < 6) * 0.5 + hot


def rows_of(begin: datetime, minutes: int, value) -> str:
    clocks = [begin + timedelta(minutes=number) for number in range(minutes)]
    return "\n".join([HEAD, *(f"{at},40.0,{value(at):.2f},{value(at) + 5:.1f}" for at in clocks)]) + "\n"


@pytest.fixture(scope="module")
def machines(tmp_path_factory):
    """Return an inventory: a tower that logs day and night, a bath with a door, an oven with three holds."""
    folder = tmp_path_factory.mktemp("named")
    for name in ("tower", "bath", "oven"):
        (folder / name).mkdir()
    for day in DAYS:
        for hour in HOURS:
            begin = datetime(2026, 11, day, hour)
            (folder / "tower" / f"tower_{begin:%Y%m%d_%H%M}.csv").write_text(rows_of(begin, 480, reading))
    begin, lines = datetime(2026, 11, 27, 8), []
    for minute in range(300):
        clock = f"[{begin + timedelta(minutes=minute)}.000][info] "
        events = {DOORS[0][0]: "Door: opened", DOORS[0][1]: "Door: closed", DOORS[1][0]: "Door: opened"}
        events |= {DOORS[1][1]: "Door: closed", REFILL: "Water: refill done"}
        lines += [clock + events[minute]] if minute in events else []
        pv = (
            55
            + (minute >= REFILL)
            - 4 * any(first <= minute < last for first, last in DOORS)
            + 0.01 * (minute % 3)
        )
        read = f"setpoint: 55.00 °C, process value: {pv:.2f} °C, output power: 30.0 %"
        lines.append(f"{clock}Temperature channel 1: {read}")
    (folder / "bath" / "bath_2026-11-27.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    pv, lines = 25.0, [HEAD]
    for minute in range(300):
        setpoint = next(level for start, level in reversed(LEVELS) if minute >= start)
        pv += (setpoint - pv) * 0.3
        read = pv + 0.02 * (minute % 2)
        lines.append(f"{begin + timedelta(minutes=minute)},{setpoint},{read:.2f},{setpoint / 2:.1f}")
    (folder / "oven" / "oven_2026-11-27.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    devices = [f'[[device]]\nname = "{name}"\nlogs = "{name}"\n' for name in ("tower", "bath", "oven")]
    (folder / "devices.toml").write_text("\n".join(devices), encoding="utf-8")
    return folder


def told(machines, question: str) -> str:
    text = asked(question, machines, inventory=str(machines / "devices.toml"), today=TODAY).text
    return re.sub(r"\]\([^()\s]*\)", "]", text)


def mean(begin: datetime, stop: datetime) -> float:
    count = int((stop - begin).total_seconds()) // STEP
    return float(np.mean([round(reading(begin + timedelta(minutes=number)), 2) for number in range(count)]))


def day(number: int, begin: float = 0, stop: float = 24) -> tuple[datetime, datetime]:
    midnight = datetime(2026, 11, number)
    return midnight + timedelta(hours=begin), midnight + timedelta(hours=stop)


@each(
    "question, stretches",
    [
        ("tower: mean temperature yesterday?", [day(27)]),
        ("tower 昨天的平均溫度？", [day(27)]),
        ("tower: mean temperature on Nov 25?", [day(25)]),
        ("tower: mean temperature on Tuesday and Thursday?", [day(24), day(26)]),
        ("compare the mean temperature of tower on Nov 24 with Nov 26", [day(24), day(26)]),
        ("tower 前天晚上的平均溫度？", [day(26, 18, 30)]),
        ("tower: mean temperature over the last three days?", [day(25), day(26), day(27)]),
        ("tower 每天的平均溫度？", [day(number) for number in DAYS]),
        ("tower: mean temperature from Nov 25 18:00 to Nov 26 06:00?", [day(25, 18, 30)]),
        ("tower: mean temperature in the last 24 hours?", [day(27)]),
        ("tower: mean temperature each night?", [day(25, 18, 30), day(26, 18, 30)]),
        ("tower 24、25日的平均溫度？", [day(24), day(25)]),
    ],
)
def test_a_time_that_lies_in_several_logs_is_told_of_all_of_them(machines, question, stretches):
    text = told(machines, question)
    means = [float(number) for number in re.findall(r"(?:mean |平均 |\| )(\d+(?:\.\d+)?)", text)]
    for begin, stop in stretches:
        assert min(abs(value - mean(begin, stop)) for value in means) < 0.03, text


def test_what_is_past_a_limit_from_one_log_into_the_next_is_counted_once(machines):
    text = told(machines, "tower: how often was it above 35 from Nov 24 to Nov 27?")
    assert "Channel 1 from 2026-11-24 00:00:00 to 2026-11-24 23:59:00: 2 times above 35 °C" in text


@each(
    "question, part",
    [
        ("bath: lowest temperature while the door was open?", "“while the door was” was not looked at"),
        ("bath 開門期間的最低溫度？", "沒有單獨看「開門期間」"),
        ("bath: lowest temperature the first time the door was open?", "was not looked at by itself"),
        ("bath 補水之前的最高溫度？", "沒有單獨看「補水之前」"),
        ("oven: lowest temperature during the 60 °C hold?", "held 60 °C 1 time"),
    ],
)
def test_a_hold_is_told_by_itself_and_of_what_was_done_it_is_said_that_it_was_not(machines, question, part):
    assert part in told(machines, question)


@each(
    "question",
    [
        "bath: mean temperature while the lid was open?",
        "bath: mean temperature after the door was closed?",  # it was twice
        "oven: mean temperature during the 50 °C hold?",
        "oven: highest output in the second hold?",  # the first is too short to be told
        "oven: mean temperature in the first half of the 60 °C hold?",
        "tower: mean temperature on Nov 10 and Nov 11?",
        "bath 清洗期間的平均溫度？",
    ],
)
def test_what_cannot_be_told_apart_is_asked_and_not_guessed(machines, question):
    first = told(machines, question).split("\n")[0]
    assert re.search(r"does not answer all of it|Which one\?|沒有完全回答", first), first

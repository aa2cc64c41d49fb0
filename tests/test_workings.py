"""How a loop works is told, fault or none: its cycle, what full power does, its offset, its end, a moment."""

import math

import numpy as np
import pandas as pd
import pytest
from cases import each

from instrumentgpt.instruments import workings_wording
from instrumentgpt.instruments.analysis.kind import LoopKind
from instrumentgpt.instruments.analysis.workings import at_moment
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.loops import Loop
from tests.offline_case import asked
from tests.test_loop_kinds import fridge


def thermostat(hours=3.0, period=5.0):
    """Return rows of an oven: its heater is on below 59 °C and off above 61 °C, and pv lags it by 60 s."""
    time = np.arange(0.0, hours * 3600.0, period)
    pv, output, on, wall = np.full(len(time), 20.0), np.zeros(len(time)), False, 20.0
    for at in range(1, len(time)):
        on = pv[at - 1] < 59.0 or (on and pv[at - 1] < 61.0)
        wall += period * ((140.0 if on else 20.0) - wall) / 900.0
        pv[at] = pv[at - 1] + period * (wall - pv[at - 1]) / 60.0
        output[at] = 100.0 if on else 0.0
    return pd.DataFrame({"time": time, "setpoint": 60.0, "temp": pv.round(2), "heater": output})


def proportional(kp=5.0, gain=0.6, hours=2.0, period=2.0):
    """Return rows of a loop whose controller has only a proportional part of `kp` % a degree."""
    time = np.arange(0.0, hours * 3600.0, period)
    pv, output = np.full(len(time), 20.0), np.zeros(len(time))
    for at in range(1, len(time)):
        output[at] = np.clip(kp * (50.0 - pv[at - 1]), 0.0, 100.0)
        pv[at] = pv[at - 1] + period * (20.0 + gain * output[at] - pv[at - 1]) / 400.0
    return pd.DataFrame({"time": time, "setpoint": 50.0, "temp": pv.round(2), "heater": output.round(1)})


def weak(hours=2.0, period=5.0):
    """Return rows of a loop that gives all it has and ends 20 °C short."""
    time = np.arange(0.0, hours * 3600.0, period)
    pv = 20.0 + 40.0 * (1.0 - np.exp(-time / 600.0))
    return pd.DataFrame({"time": time, "setpoint": 80.0, "temp": pv.round(2), "heater": 100.0})


def growing(hours=6.0, period=10.0):
    """Return rows of a loop that holds 37 °C with a swing that grows from ±0.1 to ±2 °C."""
    time = np.arange(0.0, hours * 3600.0, period)
    size = np.interp(time, [0.0, time[-1]], [0.1, 2.0])
    wave = np.sin(2 * math.pi * time / 300.0)
    heater = 30.0 - 5.0 * size * wave
    return pd.DataFrame(
        {"time": time, "setpoint": 37.0, "temp": (37.0 + size * wave).round(3), "heater": heater.round(1)}
    )


@pytest.fixture
def told(tmp_path):
    """Return how the loop of a table works: about → its numbers, with `key`."""

    def workings(table):
        path = tmp_path / "run.csv"
        table.to_csv(path, index=False)
        diagnosis = diagnose(read_log(path))
        return {one.about: {"key": one.key, **one.numbers} for one in diagnosis.workings[1]}

    return workings


def test_an_output_that_switches_is_told_with_where_it_does_and_how_far_pv_goes_on(told):
    found = told(thermostat())
    assert found["cycle"]["at_on"] == pytest.approx(59.0, abs=0.7)
    assert found["cycle"]["at_off"] == pytest.approx(61.0, abs=0.7)
    assert found["coast"]["size"] > 0.5 and found["coast"]["to"] > 61.5
    assert found["power"]["key"] == "power_enough" and 20 < found["power"]["duty"] < 50


def test_a_value_that_is_no_reading_is_none_of_how_a_loop_works(told):
    table = weak()
    table["temp"] = table["temp"].astype(object)
    table.loc[:1, "temp"], table.loc[2, "temp"] = "NAN", -45.0
    found = told(table)["power"]
    assert found["from"] == pytest.approx(21.0, abs=0.5) and found["rate"] > 0


def test_what_cools_goes_on_cooling_after_it_is_switched_off(told):
    found = told(fridge())
    assert found["coast"]["to"] < 4.5 < found["cycle"]["at_off"] + 0.2


def test_a_loop_without_an_integral_part_is_told_by_its_offset_and_by_how_its_output_follows(told):
    found = told(proportional(kp=5.0, gain=0.6))
    assert found["throttle"]["slope"] == pytest.approx(5.0, rel=0.05)
    assert found["throttle"]["at_zero"] == pytest.approx(0.0, abs=2.0)


def test_a_loop_that_gives_all_it_has_and_is_short_of_power_says_by_how_much(told):
    found = told(weak())
    assert found["power"]["key"] == "power_short"
    assert found["power"]["short"] == pytest.approx(20.0, abs=0.5)
    assert found["ends"]["key"] == "ends_off"


def test_a_swing_that_grows_is_told_as_getting_worse_and_one_that_stays_is_not(told):
    found = told(growing())
    assert found["ageing"]["swing_last"] > 2 * found["ageing"]["swing_first"]
    assert found["ageing"]["key"] == "ageing_grew"
    steady = told(growing().assign(temp=lambda rows: 37.0 + (rows["temp"] - 37.0).clip(-0.1, 0.1)))
    assert steady.get("ageing", {"key": "ageing_alike"})["key"] == "ageing_alike"


@each("language, rises", [("en", "rises by"), ("zh", "每分鐘上升")])
def test_a_moment_is_told_with_what_the_output_does_and_why(language, rises, tmp_path):
    path, rows = tmp_path / "run.csv", thermostat()
    rows.to_csv(path, index=False)
    diagnosis = diagnose(read_log(path))
    heats = workings_wording.at(diagnosis, 300.0, language)
    assert [row["key"] for row in heats] == ["now", "now_full"] and rises in heats[0]["summary"]
    off = rows["time"][(rows["heater"].diff() < 0) & (rows["temp"] > 60)].iloc[0]
    assert [row["key"] for row in workings_wording.at(diagnosis, off + 20.0, language)][1] == "now_coasts"


@each(
    "pv, output, why",
    [
        (45.0, 100.0, "now_wound"),  # past it, and still all it has
        (35.0, -100.0, "now_wound"),
        (45.0, -100.0, "now_counter"),
        (35.0, 100.0, "now_full"),
        (45.0, 0.0, "now_past"),
        (35.0, 0.0, "now_lets_fall"),
    ],
)
def test_why_an_output_stands_as_it_does_is_told_from_where_pv_is(pv, output, why):
    time = np.arange(0.0, 600.0, 2.0)
    rows = {name: np.full(len(time), value) for name, value in (("pv", pv), ("output", output), ("kp", 1.0))}
    loop = Loop(1, time, np.full(len(time), 40.0), ki=rows["kp"], kd=rows["kp"], line=np.arange(300), **rows)
    kind = LoopKind(
        "continuous", False, True, -100.0, 100.0, "constant", 0, 0.0, 2.0, 0.1, 0.05, 0.5, 20.0, 0
    )
    assert [one.key for one in at_moment(loop, kind, (), 300.0)] == ["now", why]


@each(
    "question, number",
    [
        ("is the heater strong enough?", "100 %"),
        ("加熱功率夠不夠？", "100 %"),
        ("is this on/off or PID control?", "on/off"),
        ("這是開關控制還是 PID？", "開關控制"),
        ("do we need a bigger heater?", "100 %"),
        ("why does it keep climbing after the heater is off?", "0.78 °C"),
        ("為什麼加熱關掉以後溫度還繼續升？", "0.78 °C"),
    ],
)
def test_who_asks_how_a_loop_works_is_told_that_first(question, number, tmp_path):
    path = tmp_path / "run.csv"
    thermostat().to_csv(path, index=False)
    first = asked(question, tmp_path, attachments=(str(path),)).text.partition("\n")[0]
    assert number in first, first


def test_channels_that_work_alike_are_told_once(tmp_path):
    first = asked("is the heater of 052 strong enough?", tmp_path).text.partition("\n")[0]
    assert first.count("Channel 1:") == 1 and "channel 2, 3, 4" in first


def test_what_is_asked_of_a_fault_is_not_answered_by_how_the_loop_works(tmp_path):
    path = tmp_path / "run.csv"
    thermostat().to_csv(path, index=False)
    text = asked("what is wrong with it?", tmp_path, attachments=(str(path),)).text
    assert text.startswith("**run.csv")


def test_every_sentence_stands_in_both_languages_and_none_is_left_open(tmp_path):
    for at, table in enumerate((thermostat(), fridge(), proportional(), weak(), growing())):
        path = tmp_path / f"run{at}.csv"
        table.to_csv(path, index=False)
        diagnosis = diagnose(read_log(path))
        for language in ("en", "zh"):
            rows = workings_wording.rows(diagnosis, None, language)
            assert rows and not [row for row in rows if "?" in row["summary"] or "[[" in row["summary"]]

"""A log without a setpoint is judged by the level that its loops hold, one without an output by pv."""

import numpy as np
import pytest
from cases import each

from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.loop_wording import word
from instrumentgpt.instruments.tools import TOOLS
from instrumentgpt.instruments.workspace import Workspace
from instrumentgpt.memory.values import readings_in

SWITCHED = 60  # samples between two


def on_off(n: int, at: float) -> tuple[np.ndarray, np.ndarray]:
    output = np.where(np.arange(n) // SWITCHED % 2, 0, 100)
    return at + np.abs(np.arange(n) % (2 * SWITCHED) - SWITCHED) / -30.0 + 1.0, output


def controlled(n: int, at: float, seed: int = 7) -> tuple[np.ndarray, np.ndarray]:
    noise = 0.02 * np.random.default_rng(seed).standard_normal(n)
    return np.round(at + noise, 3), np.round(40 - 20 * noise, 2)


def without_setpoint(path, pv, output):
    rows = [f"{time},{one:.3f},{other}" for time, (one, other) in enumerate(zip(pv, output, strict=True))]
    path.write_text("\n".join(["time,temperature,output", *rows]), encoding="utf-8")
    return read_log(path)


@each("loop", [on_off, controlled])
def test_what_a_loop_holds_is_its_setpoint(tmp_path, loop):
    parts = [loop(1200, 60.0), loop(1200, 72.0)]
    log = without_setpoint(tmp_path / "a.csv", *(np.concatenate(part) for part in zip(*parts, strict=True)))
    setpoint = log.samples["setpoint"].to_numpy()
    assert setpoint[600] == pytest.approx(60.0, abs=0.1) and setpoint[1800] == pytest.approx(72.0, abs=0.1)
    assert "channel 1 (72" in log.guessed["setpoint"] and log.missing == ("setpoint",)


@each("output", [30.0, 0.0])
def test_an_output_that_stands_still_holds_nothing(tmp_path, output):
    log = without_setpoint(tmp_path / "a.csv", controlled(1200, 60.0)[0], np.full(1200, output))
    assert log.samples["setpoint"].isna().all() and "setpoint" not in log.guessed


def test_a_heater_switched_at_random_holds_nothing(tmp_path):
    on = np.repeat(np.random.default_rng(3).integers(0, 2, 40), 50)
    pv = 25 + np.convolve(on, 30 / 400 * np.exp(-np.arange(2000) / 400))[: len(on)]
    assert "setpoint" not in without_setpoint(tmp_path / "a.csv", pv, 100 * on).guessed


def heated_in_bursts(path, lids):
    """Write 4 h of a box at 3 s, switched on below 30 °C for three bursts, with its room; a lid cools it."""
    rows, pv, heat, burst = [], 23.0, 0.0, -100
    for number in range(4800):
        burst = number if pv < 30.0 and number - burst > 60 else burst
        output = 100 if number - burst < 54 and (number - burst) % 18 < 8 else 0
        heat += (0.006 * output - heat) / 12
        opened = any(0 <= number - lid < 45 for lid in lids)
        pv += heat - (pv - 22.0) * (0.2 if opened else 0.005) + 0.01 * (number % 3 - 1)
        rows.append(f"{3 * number},{22 + number // 900 / 16:.3f},{pv:.3f},{output}")
    path.write_text("\n".join(["time,t1,t2,heater", *rows]), encoding="utf-8")
    return read_log(path)


def test_bursts_hold_what_they_move_and_not_the_room_and_opened_lids_are_told_as_use(tmp_path):
    log = heated_in_bursts(tmp_path / "a.csv", (1500, 2400, 3900))
    levels = log.samples.groupby("channel")["setpoint"].median()
    assert np.isnan(levels[1]) and 30 < levels[2] < 40
    place = Workspace(tmp_path / "none.toml", tmp_path / "cache", tmp_path / "artifacts", (log.path,))
    told = TOOLS["diagnose_log"](place, log=log.path.name)
    assert not {one["class"] for one in told["findings"]} - {"healthy"}
    assert [one["explained"] for one in told["excursions"]["explained"]] == ["in_use"] * 3
    away = [row for row in told["timeline"] if row["what"] == "out"]
    assert len(away) == 3 and all(word("in_use", "en") in row["summary"] for row in away)


def test_a_sensor_that_jumps_is_told_and_what_asks_for_the_true_setpoint_is_withheld(tmp_path):
    pv, output = controlled(2400, 60.0)
    away = np.where(np.arange(2400) < 1200, 0.0, 3.0 * np.exp(-np.arange(-1200, 1200) / 60.0))
    found = diagnose(without_setpoint(tmp_path / "a.csv", pv + away, output - 5 * away))
    assert [one.fault for one in found.findings] == ["sensor_bias"]
    assert found.withheld["control_off"].missing == ("setpoint",)
    assert "sensor_step" not in found.withheld


def test_a_level_that_is_held_is_no_setpoint_that_anybody_read(tmp_path):
    log = without_setpoint(tmp_path / "a.csv", *controlled(1200, 60.0))
    place = Workspace(tmp_path / "none.toml", tmp_path / "cache", tmp_path / "artifacts", (log.path,))
    told = TOOLS["channel_metrics"](place, log=log.path.name)
    (row,) = told["channels"]
    assert row["setpoint"] is None and row["last"]["setpoint"] is None
    assert "setpoint" not in [one.fact.parameter for one in readings_in(told, "oven 7")]


def test_without_an_output_a_pv_that_stood_still_and_jumps_is_a_stuck_sensor_and_no_offset(tmp_path):
    pv, _ = controlled(2400, 60.0)
    setpoint = np.where(np.arange(2400) < 900, 60.0, 75.0)
    pv = np.where(np.arange(2400) < 1500, pv, pv + 15.0)
    pv[800:1500] = pv[800]
    rows = [f"{time},{asked},{one:.3f}" for time, (asked, one) in enumerate(zip(setpoint, pv, strict=True))]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["time,setpoint,temperature", *rows]), encoding="utf-8")
    (stuck,) = (one for one in diagnose(read_log(path)).findings if one.severity == "critical")
    assert stuck.fault == "sensor_stuck" and stuck.numbers["jump"] == pytest.approx(15.0, abs=0.2)

"""What a machine does by its own programme, another column tells it, is no fault; anything else is."""

import numpy as np
import pandas as pd
import pytest
from cases import each

from instrumentgpt.instruments.analysis.study import study_of
from instrumentgpt.instruments.diagnosis import Diagnosis, diagnose
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.tools.timeline import timeline

ROWS, EVERY, LONG = 4000, 500, 60  # of 10 s: an engine is run every 83 min for ten


@pytest.fixture
def judged(tmp_path):
    def judge(machine: pd.DataFrame) -> Diagnosis:
        path = tmp_path / "machine.csv"
        machine.to_csv(path, index=False)
        return diagnose(read_log(path))

    return judge


def phases(count: int = 8) -> list[int]:
    return [EVERY // 2 + EVERY * number for number in range(count)]


def machine(starts: list[int], sizes: list[float], heads: dict[str, object]) -> pd.DataFrame:
    """Return a block heated to 60 °C whose pv rises by `sizes` from `starts` on, with the output at 0."""
    rows, rng = np.arange(ROWS), np.random.default_rng(4)
    away = np.zeros(ROWS)
    for start, size in zip(starts, sizes, strict=True):
        since = rows - start
        rise = np.where(since > 0, 1 - np.exp(-np.minimum(since, LONG) / 20.0), 0.0)
        away += size * rise * np.where(since > LONG, np.exp(-(since - LONG) / 25.0), 1.0)
    pv = 60.0 + away + rng.normal(0.0, 0.05, ROWS)
    output = np.where(away > 0.3, 0.0, 40.0 + rng.normal(0.0, 0.5, ROWS))
    time = pd.date_range("2025-03-04 06:00", periods=ROWS, freq="10s")
    table = {"time": time, "setpoint": 60.0, "temp": pv.round(2), "output": output.round(1)}
    return pd.DataFrame({**table, **heads})


def state(starts: list[int], on: object, off: object) -> np.ndarray:
    rows = np.arange(ROWS)[:, None]
    inside = ((rows >= np.array(starts)) & (rows < np.array(starts) + LONG)).any(axis=1)
    return np.where(inside, on, off)


def faults(diagnosis: Diagnosis) -> list[str]:
    return [one.fault for one in diagnosis.findings if one.severity not in ("none", "info")]


COLUMNS = {
    "a bit": ("engine", 1, 0),
    "words": ("mode", "TEST", "READY"),
    "Chinese words": ("模式", "測試", "待命"),
    "a load": ("load_kW", 212.5, 0),
    "a step": ("step", 3, 1),
}


@each("column", COLUMNS)
def test_what_comes_with_a_phase_of_the_machine_each_time_is_no_fault(judged, column):
    head, on, off = COLUMNS[column]
    alone = machine(phases(), [25.0] * 8, {})
    told = judged(alone.assign(**{head: state(phases(), on, off)}))
    assert faults(judged(alone)) == ["runaway_stuck_on"]
    assert faults(told) == []
    assert all(one.cause.startswith(head) for one in told.excursions)


def test_a_programme_of_several_steps_is_one(judged):
    steps = state(phases(), "TEST", "READY")
    cooling = np.flatnonzero(steps == "TEST") + LONG
    steps[cooling[cooling < ROWS]] = "COOL"
    told = judged(machine(phases(), [25.0] * 8, {"mode": steps}))
    assert faults(told) == []


def test_a_stage_that_follows_pv_excuses_nothing(judged):
    alone = machine(phases(), [25.0] * 8, {})
    assert faults(judged(alone.assign(stage=(alone["temp"].shift(4) > 66.0).astype(int)))) == [
        "runaway_stuck_on"
    ]


def test_what_a_programme_explains_is_told_with_its_column_its_times_and_its_readings(judged):
    diagnosis = judged(machine(phases(), [25.0] * 8, {"mode": state(phases(), "TEST", "READY")}))
    [english] = [row for row in timeline(diagnosis, 1, "en") if row["what"] == "programme"]
    [chinese] = [row for row in timeline(diagnosis, 1, "zh") if row["what"] == "programme"]
    assert "“mode = TEST”, 8 times" in english["summary"] and "not “Runaway" in english["summary"]
    assert "「mode = TEST」共 8 次" in chinese["summary"] and "機器自己的程序" in chinese["summary"]
    assert english["most"] == pytest.approx(83.8, abs=0.5)


def test_a_phase_that_came_once_excuses_nothing_by_a_bit_but_by_words_that_say_what_it_is(judged):
    once = machine([2250], [25.0], {})
    assert faults(judged(once.assign(relay=state([2250], 1, 0)))) == ["runaway_stuck_on"]
    assert faults(judged(once.assign(mode=state([2250], "TEST", "READY")))) == []


def test_a_fault_that_coincides_once_with_what_often_comes_alone_stays_one(judged):
    often = state(phases(), 1, 0)
    assert faults(judged(machine([phases()[4]], [25.0], {"pump": often}))) == ["runaway_stuck_on"]


def test_a_fault_outside_of_the_phases_is_named_with_its_own_time(judged):
    starts = sorted([*phases(), 2500])
    [found] = judged(machine(starts, [25.0] * 9, {"engine": state(phases(), 1, 0)})).findings
    assert (found.fault, found.onset) == ("runaway_stuck_on", pytest.approx(25000, abs=300))


def test_a_column_of_alarms_is_no_excuse(judged):
    alarmed = machine(phases(), [25.0] * 8, {"status": state(phases(), "ALARM HIGH", "OK")})
    assert faults(judged(alarmed)) == ["runaway_stuck_on"]


def test_readings_that_are_missing_where_a_charge_is_changed_are_no_open_sensor(judged):
    changed = machine([], [], {"charge": state(phases(), "LOADING", "RUN")})
    changed.loc[changed["charge"] == "LOADING", ["temp", "output"]] = [1372.0, 0.0]
    also_lost = changed.copy()
    also_lost.loc[2480:2560, "temp"] = 1372.0
    assert faults(judged(changed)) == []
    assert faults(judged(changed.drop(columns="charge"))) == ["sensor_open"]
    assert faults(judged(also_lost)) == ["sensor_open"]


def test_a_log_without_a_phase_goes_on_where_it_was_left(tmp_path):
    path = tmp_path / "machine.csv"
    machine(phases(), [25.0] * 8, {"engine": state(phases(), 1, 0)}).to_csv(path, index=False)
    study = study_of(read_log(path))
    [programme] = study.programmes(1)
    [track] = study.without([programme]).tracks.values()
    assert len(programme.spans) == 8 and not track.loop.line[0] - 2
    assert np.diff(track.time).max() == pytest.approx(10.0)
    assert np.nanmax(np.abs(track.loop.pv - 60.0)) < 1.0


def test_a_bit_beside_outputs_in_percent_switches_on_and_off(judged):
    rows = np.arange(1200)
    table = {"time": rows * 60, "a_set": 4.0, "a_temp": (4 + np.sin(rows / 5)).round(1)}
    table |= {"a_out": (np.cos(rows / 5) > 0).astype(int), "b_set": 60.0, "b_temp": 60.0, "b_out": 40.0}
    frame = pd.DataFrame(table).assign(b_out=40 + np.sin(rows), b_temp=60 + np.cos(rows) / 10)
    assert judged(frame).kinds[1].drive == "on_off"

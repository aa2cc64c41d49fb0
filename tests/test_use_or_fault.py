"""What a machine's use does looks like a fault, and a fault like its use: each is told as what it is."""

import numpy as np
import pandas as pd
from cases import each
from faulty_logs import FAULTY, limit_cycle_actuator, log_of

from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.logs import read_log

Column = np.ndarray | float


def told(time: np.ndarray, pv: np.ndarray, output: np.ndarray, setpoint: Column = 60.0) -> list[str]:
    frame = pd.DataFrame({"time": time, "channel": 1, "setpoint": setpoint, "pv": pv, "output": output})
    log = log_of(frame.assign(kp=np.nan, ki=np.nan, kd=np.nan))
    return [one.fault for one in diagnose(log).findings if one.fault != "healthy"]


def noise(size: int, sigma: float = 0.03) -> np.ndarray:
    return np.random.default_rng(5).normal(0.0, sigma, size)


@each("every, share", [(100.0, 0.5), (150.0, 0.4), (240.0, 0.5)])
def test_a_load_that_is_switched_by_a_clock_is_no_swing_of_the_actuator(every, share):
    time = np.arange(0.0, 1600.0, 0.5)
    since, is_on = time % every % (share * every), time % every < share * every
    side = np.where(is_on, 1.0, -1.0)
    pv = 60.0 + side * 1.8 * (1 - np.exp(-since / 2.0)) * np.exp(-since / 12.0) + noise(len(time))
    output = 46.0 - side * 8.0 * (2 * (1 - np.exp(-since / 4.0)) - 1)
    assert told(time, pv.round(2), output.round(1)) == []


@each("period, samples", [(30.0, 5.6), (30.0, 6.2), (60.0, 5.2)])
def test_a_valve_that_hunts_from_end_to_end_within_six_samples_is_the_gains_and_no_noise(period, samples):
    time = np.arange(1500) * period
    phase = 2 * np.pi * np.arange(1500) / samples
    pv = 14.0 + 1.8 * np.cos(phase) + noise(1500, 0.1)
    output = np.clip(50.0 + 65.0 * np.cos(phase - 0.3), 0.0, 100.0)
    assert told(time, pv.round(1), output.round(0), 14.0)[0] == "oscillation_tuning"


@each("before, after", [(200, 200), (150, 0)])
def test_a_machine_that_is_off_until_its_start_and_after_its_end_is_not_switched_off(before, after):
    away = 12.0 * (1 - np.exp(-np.arange(after) / 60.0))
    start = 12.0 * np.exp(-np.arange(60) / 8.0)
    held = noise(1200)
    pv = 60.0 - np.concatenate([12.0 + noise(before), start, held, away + noise(after)])
    output = np.concatenate([np.zeros(before), 30.0 + 5.0 * start, 30.0 - 20.0 * held, np.zeros(after)])
    assert told(np.arange(len(pv)) * 10.0, pv.round(2), output.clip(0, 100).round(1)) == []


@each("washed", [0, 3])
def test_a_compressor_is_known_to_cool_whatever_a_wash_does_between(washed):
    pv, output, is_on = [5.0], [0.0], False
    while len(pv) < 2400:
        at = len(pv)
        hot = washed and at % 700 < 60
        is_on = hot or (pv[-1] > 4.0 if not is_on else pv[-1] > 2.0)
        pv.append(pv[-1] + (6.0 if hot and at % 700 < 8 else 0.0) + (-0.12 if is_on else 0.05))
        output.append(100.0 * is_on)
    time = np.arange(len(pv)) * 10.0
    assert told(time, (np.array(pv) + noise(len(pv))).round(2), np.array(output), 3.0) == []


@each("kd", [0.0, 6.0])
def test_noise_that_the_output_answers_is_of_the_sensor(kd):
    rough = np.random.default_rng(8).normal(0.0, 0.02, 1600)
    rough[800:] *= 30
    output = 40.0 - 4.0 * rough - kd * np.diff(rough, prepend=0.0)
    assert told(np.arange(1600) * 2.0, (60.0 + rough).round(2), output.clip(0, 100).round(1)) == [
        "sensor_noise"
    ]


@each("loops, found", [(1, True), (2, False)])
def test_loops_that_swing_alike_are_moved_from_outside(loops, found):
    samples = limit_cycle_actuator().log.samples
    swinging = samples[samples["channel"] == FAULTY]
    told = diagnose(log_of(*(swinging.assign(channel=channel) for channel in range(loops))))
    assert ("limit_cycle_actuator" in {one.fault for one in told.findings}) == found


@each("hours, found", [(24.0, False), (5.0, True)])
def test_a_swing_of_a_day_is_the_day_s_and_none_of_the_loop(hours, found):
    time = np.arange(0.0, 12 * hours * 3600.0, 600.0)
    phase = 2 * np.pi * time / (3600.0 * hours)
    corners = 4 * np.abs(time / (3600.0 * hours) % 1 - 0.5) - 1
    pv, output = 20.0 + 1.5 * corners + noise(len(time)), 40.0 - 8.0 * np.cos(phase)
    assert bool(told(time, pv.round(2), output.round(1), 20.0)) == found


def test_a_loop_that_swings_to_its_limits_does_so_though_a_load_comes_between():
    time = np.arange(0.0, 3600.0, 0.5)
    phase, since = 2 * np.pi * time / 11.5, time % 120.0
    load = 3.2 * np.exp(-since / 6.0) * (time > 60)
    swing = np.where(time > 1900, np.cos(phase), 0.0)
    pv = 150.0 + 1.3 * swing * 2 - load + noise(len(time), 0.02)
    output = np.clip(44.0 + 60.0 * np.where(time > 1900, np.cos(phase + 2.0), 0.0) + 6.0 * load, 0.0, 100.0)
    assert told(time, pv.round(2), output.round(1), 150.0)[:1] == ["oscillation_tuning"]


def test_what_a_cut_out_ends_is_the_runaway_and_not_the_heater_that_it_cut_off():
    pv, output, is_on = [60.0], [0.0], False
    while len(pv) < 3600:
        is_on = pv[-1] < 59.5 or (is_on and pv[-1] < 60.5)
        is_welded, is_cut_off = len(pv) > 1200, max(pv) > 95.0
        power = 100.0 * (is_on or is_welded) * (not is_cut_off)
        pv.append(pv[-1] + 5.0 * (22.0 + power - pv[-1]) / 1200.0)
        output.append(100.0 * is_on)
    time = np.arange(len(pv)) * 5.0
    assert told(time, (np.array(pv) + noise(len(pv), 0.02)).round(2), np.array(output)) == [
        "runaway_stuck_on"
    ]


@each("late, found", [(0.0, []), (11_000.0, ["ambient_disturbance"])])
def test_what_comes_at_the_same_hours_of_several_days_is_use_though_no_output_is_seen(late, found):
    time, rng = np.arange(0.0, 6 * 86_400.0, 180.0), np.random.default_rng(4)
    pv = -35.0 + noise(len(time), 0.1)
    for day in range(6):
        for number, hour in enumerate((9.5, 14.0)):
            off = rng.uniform(-900, 900) + late * (day * 2 + number)
            since = time - 86_400.0 * day - 3_600.0 * hour - off
            pv += np.where(since > 0, 7.0 * np.exp(-np.maximum(since, 0.0) / 900.0), 0.0)
    assert told(time, pv.round(1), np.full(len(time), np.nan), np.nan) == found


def test_what_a_setpoint_asks_to_and_fro_within_few_samples_is_no_noise():
    time = np.arange(0.0, 1500 * 60.0, 60.0)
    spells = np.repeat(np.arange(750) % 2, np.random.default_rng(7).integers(2, 9, 750))[:1500]
    setpoint = np.where((spells > 0) & (np.arange(1500) > 300), 95.0, 70.0)
    pv = setpoint + np.diff(setpoint, prepend=70.0) * -0.5 + noise(1500, 0.1)
    output = 45.0 + 0.8 * (setpoint - 70.0) + noise(1500, 1.0)
    assert "sensor_noise" not in told(time, pv.round(1), output.round(0), setpoint)


@each("said, found", [("Calibrating", False), ("", True)])
def test_a_reading_that_stops_where_the_log_says_what_is_done_is_no_open_sensor(said, found, tmp_path):
    lines = ["time,setpoint,pv,output,stack temp (°C)"]
    for row in range(1500):
        gas = (said or "nan") if 700 <= row < 1200 else f"{12 + row % 5 / 10}"
        lines.append(f"{row * 10},60.0,{60 + (row % 3) / 100:.2f},{40 + row % 2},{gas}")
    (tmp_path / "run.csv").write_text("\n".join(lines))
    doubts = {why.fault for why in diagnose(read_log(tmp_path / "run.csv")).withheld.values() if why.doubt}
    assert ("sensor_open" in doubts) == found

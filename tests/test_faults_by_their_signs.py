"""Faults that no step shows: an action turned round, a sensor that is off from the start, power held back."""

import numpy as np
import pandas as pd
from cases import each
from faulty_logs import HELD, ONSET, PLANT, log_of, samples_of
from offline_case import asked

from demo.simulated_loop import Event
from instrumentgpt.instruments import wording
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.logs import read_log


def turned_round(kp: float, gain: float, by_hand: bool = False) -> pd.DataFrame:
    """Return a loop whose controller acts the wrong way round from ONSET on, or is let down `by_hand`."""
    noise, pv, integral, rows = np.random.default_rng(3).normal(0, 0.03, 1800), 22.0, 0.0, []
    for time, read in enumerate(noise):
        error = HELD - (pv + read)
        acts = -1.0 if time > ONSET and not by_hand else 1.0
        integral = min(100.0, max(0.0, integral + acts * kp / 60.0 * error))
        output = min(100.0, max(0.0, acts * kp * error + integral))
        if by_hand and time > ONSET:
            output = max(0.0, rows[-1][4] - 0.2)
        pv += (22.0 + gain * output - pv) / 180.0
        rows.append((float(time), 2, HELD, round(pv + read, 2), round(output, 1), np.nan, np.nan, np.nan))
    return pd.DataFrame(rows, columns=["time", "channel", "setpoint", "pv", "output", "kp", "ki", "kd"])


def faults_in(*channels: pd.DataFrame, **fields: object) -> list[tuple[str, object]]:
    findings = diagnose(log_of(*channels, **fields)).findings
    return [(one.fault, one.numbers.get("kind")) for one in findings if one.fault != "healthy"]


@each("kp, gain", [(4.0, 1.0), (1.5, 0.8), (6.0, 0.6)])
def test_an_action_that_was_turned_round_is_told_as_that(kp, gain):
    findings = diagnose(log_of(turned_round(kp, gain))).findings
    assert [(one.fault, one.numbers.get("kind")) for one in findings][:1] == [("sensors_swapped", "reversed")]
    assert ONSET <= findings[0].onset < ONSET + 300
    for language in ("en", "zh"):
        told = (wording.summary, wording.cause, wording.action, wording.next_test)
        assert all("{" not in text(findings[0], language) for text in told)


def test_an_output_that_is_let_down_by_hand_was_not_turned_round():
    assert "sensors_swapped" not in dict(faults_in(turned_round(4.0, 1.0, by_hand=True)))


def survey(pv: pd.DataFrame, channel: int, off: float = 0.0, share: float = 0.0) -> pd.DataFrame:
    """Return a thermocouple beside the loop: `off` °C from it, and a `share` of what it is above the room."""
    read = pv["pv"] + off + share * (pv["pv"] - PLANT.ambient)
    return pv.assign(channel=channel, pv=read.round(2), setpoint=np.nan, output=np.nan, kp=np.nan, ki=np.nan)


@each(
    "offs, shares, named",
    [
        ((6.0, 6.2), (0.0, 0.0), [("sensor_bias", "rest")]),
        ((-5.0, -5.3), (0.0, 0.0), [("sensor_bias", "rest")]),
        ((0.0, 0.0), (0.15, 0.15), []),  # a hotter place: the same at rest
        ((6.0, 0.0), (0.0, 0.0), []),  # they do not agree
        ((0.2, 0.3), (0.0, 0.0), []),
    ],
)
def test_a_sensor_is_off_where_others_agree_before_it_is_heated_and_while_it_holds(offs, shares, named):
    loop = samples_of(setpoint=[(0.0, PLANT.ambient), (120.0, HELD)])
    beside = [survey(loop, 3 + n, offs[n], shares[n]) for n in (0, 1)]
    assert faults_in(loop, *beside) == named


@each("held_back, named", [(200.0, [("integral_windup", None)]), (0.0, [])])
def test_an_integral_winds_up_while_power_is_held_back_without_any_step(held_back, named):
    rows, pv, integral = [], 22.0, 0.0
    for time in range(0, 5400, 2):
        setpoint = min(22.0 + time / 60.0, 90.0)
        error = setpoint - pv
        integral = min(400.0, max(0.0, integral + 0.04 * error * 2))
        output = min(100.0, max(0.0, 6.0 * error + integral))
        power = 0.0 if 2000 < time < 2000 + held_back else output
        pv += 2 * (22.0 + power - pv) / 300.0
        rows.append((float(time), 2, round(setpoint, 2), round(pv, 2), round(output, 1), 6.0, 0.02, 0.0))
    columns = ["time", "channel", "setpoint", "pv", "output", "kp", "ki", "kd"]
    assert faults_in(pd.DataFrame(rows, columns=columns)) == named


def test_a_jump_where_a_log_begins_again_is_no_sensor_that_moved(tmp_path):
    banner = "# oven firmware v2\n# setpoint 60.00\n"
    cold = samples_of(
        setpoint=[(0.0, 30.0), (1.0, HELD)], duration=600.0, events=[Event("heater", 0.0, 9e9, 0.0)]
    )
    runs = [samples_of(duration=600.0), cold.iloc[2:]]
    lines = (f"T={row.pv} set={row.setpoint} out={row.output}" for run in runs for row in run.itertuples())
    rows, half = [*lines], 600
    path = tmp_path / "capture.txt"
    path.write_text(banner + "\n".join(rows[:half]) + "\n-- reset --\n" + banner + "\n".join(rows[half:]))
    assert "sensor_bias" not in {one.fault for one in diagnose(read_log(path)).findings}


@each(
    "question, lead",
    [
        ("was channel 1 within ±3 °C while it held?", "Cannot say: "),
        ("通道 1 有沒有超過 63 度？", "無法判斷："),
    ],
)
def test_a_limit_is_neither_kept_nor_passed_by_a_sensor_that_is_off(question, lead, tmp_path):
    loop = samples_of(setpoint=[(0.0, PLANT.ambient), (120.0, HELD)])
    heads = {"SP [°C]": loop["setpoint"], "T1 [°C]": loop["pv"], "output [%]": loop["output"]}
    noise = np.random.default_rng(2).normal(0.0, 0.05, (2, len(loop)))
    beside = {"T2 [°C]": loop["pv"] + 6.0 + noise[0], "T3 [°C]": loop["pv"] + 6.2 + noise[1]}
    path = tmp_path / "soak.csv"
    pd.DataFrame({"time": loop["time"], **heads, **beside}).round(2).to_csv(path, index=False)
    text = asked(question, tmp_path, attachments=(str(path),)).text
    assert lead in text and ("Sensor offset" if "Cannot" in lead else "感測器偏移") in text

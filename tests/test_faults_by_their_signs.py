"""Faults that no step shows: an action turned round, a sensor that is off from the start, power held back."""

import numpy as np
import pandas as pd
from cases import each
from faulty_logs import HELD, ONSET, log_of

from instrumentgpt.instruments.diagnosis import diagnose


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


def test_an_output_that_is_let_down_by_hand_was_not_turned_round():
    assert "sensors_swapped" not in dict(faults_in(turned_round(4.0, 1.0, by_hand=True)))


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

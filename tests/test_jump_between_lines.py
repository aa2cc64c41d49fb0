"""Two readings far apart on neighbouring lines are explained in the order that costs least to believe."""

import math

import numpy as np
import pandas as pd
import pytest
from cases import each

from instrumentgpt.instruments.analysis.jumps import explain, find_jump, largest_jump


def record(pv, channel=None, time=None, setpoint=None):
    n = len(pv)
    return pd.DataFrame(
        {
            "time": np.arange(n) * 0.5 if time is None else time,
            "channel": np.ones(n, dtype=int) if channel is None else channel,
            "setpoint": np.full(n, 62.0) if setpoint is None else setpoint,
            "pv": np.asarray(pv, dtype=float),
            "line": np.arange(10, 10 + n),
        }
    )


def quiet(n=200):
    return 61.9 + 0.02 * np.sin(np.arange(n))


def with_values(start, *values):
    pv = quiet()
    pv[start : start + len(values)] = values
    return pv


def test_the_next_line_of_another_channel_is_no_jump():
    samples = record([61.9, 29.4, 61.9, 29.4], channel=[1, 2, 1, 2])
    jump = find_jump(samples, 61.9, 29.4)
    assert (jump.kind, jump.before.channel, jump.after.channel) == ("other_channel", 1, 2)
    assert (jump.own.line, jump.own.pv) == (12, 61.9)


def test_a_jump_on_one_channel_is_preferred_to_neighbouring_channels():
    pv = [61.9, 29.4, 61.9, 29.4, 61.9, 29.4]
    samples = record(pv, channel=[1, 2, 1, 2, 1, 1])
    assert find_jump(samples, 61.9, 29.4).before.line == 14


def test_a_reading_that_returns_within_six_seconds_is_a_spike():
    jump = find_jump(record(with_values(100, 61.9, 29.4, 61.8)), 61.9, 29.4)
    assert (jump.kind, jump.before.line, jump.after.line, jump.back.line) == ("spike", 110, 111, 112)
    assert jump.rate == pytest.approx(65.0)


def test_a_reading_that_stays_is_no_spike():
    pv = quiet()
    pv[100] = 61.9
    pv[101:] -= 32.5
    assert largest_jump(record(pv)).kind == "stays"


def test_a_jump_at_the_end_of_the_log_is_not_called_either():
    pv = quiet()
    pv[-2:] = 61.9, 29.4
    assert find_jump(record(pv), 61.9, 29.4).kind == "ends"


def test_a_hole_in_the_record_explains_any_difference():
    time = np.arange(200) * 0.5
    time[101:] += 300
    jump = explain(record(with_values(100, 61.9, 29.4), time=time), 100, 101)
    assert (jump.kind, jump.seconds) == ("gap", 300.5)


@each("rail", [-200.0, 850.0, 3276.7, math.nan])
def test_a_rail_is_a_lost_sensor(rail):
    assert explain(record(with_values(100, 61.9, rail)), 100, 101).kind == "rail"


def test_a_movement_as_fast_as_the_plant_moves_is_possible():
    ramp = 40 + 2.0 * np.arange(300)
    jump = explain(record(ramp), 100, 101)
    assert (jump.kind, jump.usual_rate) == ("possible", pytest.approx(4.0))


def test_a_possible_movement_at_a_setpoint_step_is_named_so():
    setpoint = np.where(np.arange(300) > 100, 90.0, 62.0)
    jump = explain(record(40 + 2.0 * np.arange(300), setpoint=setpoint), 100, 101)
    assert jump.kind == "setpoint_step"


def test_a_few_lines_cannot_say_what_the_plant_can_do():
    assert explain(record([61.9, 59.0]), 0, 1).kind == "unclear"


@pytest.mark.parametrize(("before", "after"), [(61.9, 12.0), (99.9, 29.4)])
def test_values_that_do_not_follow_each_other_are_not_found(before, after):
    assert find_jump(record(with_values(100, 61.9, 29.4)), before, after) is None


def test_one_sample_has_no_jump():
    assert largest_jump(record([61.9])) is None


@pytest.mark.parametrize(("time", "scale"), [(0.01, 1.0), (1000.0, 1.0), (1.0, 1.8)])
def test_a_spike_is_one_in_other_units_too(time, scale):
    pv = scale * with_values(100, 61.9, 29.4, 61.8) + (32 if scale > 1 else 0)
    samples = record(
        pv, time=np.arange(200) * time, setpoint=np.full(200, 62 * scale + (32 if scale > 1 else 0))
    )
    assert largest_jump(samples, "°F" if scale > 1 else "°C").kind == "spike"

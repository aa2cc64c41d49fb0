"""What a loop is taken for before it is judged: direction, limits, holds, steps, readings."""

import math

import numpy as np
import pandas as pd
import pytest
from cases import each
from faulty_logs import CONTROLLER, HELD, log_of, quiet, samples_of

from demo.simulated_loop import Controller
from instrumentgpt.instruments.analysis.readings import believable, spikes_in, without_spikes
from instrumentgpt.instruments.analysis.ready import track_of
from instrumentgpt.instruments.analysis.signals import (
    HalfCycles,
    digit,
    half_cycles,
    noise,
    periodicity,
    sliding_median,
)
from instrumentgpt.instruments.analysis.study import study_of
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.loops import loops_of

BAND, LAG = 0.4, 10.0  # °C, s, of the loops made here


def track(frame: pd.DataFrame, **fields: object) -> Track:
    return study_of(log_of(frame, **fields)).tracks[2]


def test_a_log_falls_into_a_loop_per_channel():
    loops = loops_of(log_of(quiet(1, duration=10.0), quiet(7, duration=10.0)))
    assert {channel: len(loop) for channel, loop in loops.items()} == {1: 10, 7: 10}
    assert loops[7].line.tolist() == list(range(3, 40, 4))


def test_a_log_without_samples_has_no_loops():
    assert loops_of(log_of(quiet(1).head(0))) == {}


def test_a_loop_that_heats_is_not_mirrored_and_one_that_cools_is():
    heats = samples_of(setpoint=[(0.0, 50.0), (300.0, 60.0)])
    cools = heats.assign(pv=100 - heats["pv"], setpoint=100 - heats["setpoint"])
    assert track(heats).scale > 0 > track(cools).scale
    shown = [t.error / abs(t.scale) for t in (track(cools), track(heats))]
    assert np.allclose(*shown)


def test_slow_integral_action_in_a_long_approach_is_not_taken_for_cooling():
    slow = samples_of(controller=Controller(0.5, 0.02), setpoint=[(0.0, 30.0), (10.0, 60.0)])
    assert track(slow).scale > 0


@each(
    "output, limits",
    [
        ([30.0, 40.0, 35.0], (0.0, 100.0)),
        ([-30.0, 40.0], (-100.0, 100.0)),
        ([37.0, 36.9, 37.0, 36.8] * 50, (0.0, 100.0)),
        ([25.0, 50.0] * 50, (0.0, 100.0)),
    ],
)
def test_limits_of_an_output(output, limits):
    frame = quiet(2, duration=float(len(output))).assign(output=output)
    assert (track(frame).low, track(frame).high) == limits


def test_switching_between_the_limits_is_on_off_control_and_between_other_values_is_not():
    frame = quiet(2, duration=400.0)
    switching = np.arange(400) // 20 % 2
    assert track(frame.assign(output=switching * 100.0)).kind.drive == "on_off"
    assert track(frame.assign(output=switching * 40.0)).kind.drive == "on_off"
    assert track(frame.assign(output=25.0 + switching * 25.0)).kind.drive == "continuous"


def test_setpoint_zero_with_output_zero_is_switched_off():
    off = quiet(2, duration=300.0).assign(setpoint=0.0, output=0.0)
    assert not track(off).controlled.any()
    off.loc[off.index[0], "output"] = 40.0  # of the moment before
    assert not track(off).controlled.any()
    off.loc[off.index[9], "output"] = 40.0
    assert track(off).controlled.all() and track(quiet(2, duration=300.0)).controlled.all()


def test_a_step_counts_from_where_pv_stood():
    stepped = samples_of(setpoint=[(0.0, 50.0), (300.0, 60.0), (900.0, 55.0)])
    judged = track(stepped)
    steps = judged.steps
    assert [step.index for step in steps] == [300, 900]
    assert [round(step.size / judged.scale) for step in steps] == [10, -5]
    assert steps[0].stop == 900


def test_a_ramp_has_no_steps():
    ramp = [(0.0, 50.0), *((300.0 + k, 50.0 + 0.02 * k) for k in range(500))]
    assert track(samples_of(setpoint=ramp)).steps == ()


def test_quiet_time_begins_after_settling_and_leaves_gaps_out():
    stepped = samples_of(setpoint=[(0.0, 50.0), (300.0, 60.0)])
    calm = track(stepped).quiet
    assert calm[:300].all() and not calm[300:330].any() and calm[-1]
    holed = stepped[(stepped["time"] <= 1000) | (stepped["time"] > 1100)]
    assert not track(holed).quiet[np.searchsorted(holed["time"], 950)]


def test_a_clock_that_runs_back_does_not_break_time():
    time = np.concatenate([np.arange(100.0), np.arange(50.0, 150.0)])
    loop = loops_of(log_of(quiet(2, duration=200.0)))[2]
    mended = track_of(type(loop)(**{**loop.__dict__, "time": time})).time
    assert (np.diff(mended) > 0).all()


def test_rails_are_no_readings_but_a_constant_hold_is_one():
    time = np.arange(200.0)
    pv = np.full(200, 60.0)
    pv[100:] = 850.0
    assert believable(pv, time, BAND, LAG).tolist() == [True] * 100 + [False] * 100


@each("rail", [850.0, -242.0, 3276.7, 512.3])
def test_an_open_sensor_that_lasts_most_of_the_record_is_still_open(rail):
    time = np.arange(400.0)
    pv = np.where(time < 50, 60.0 + 0.01 * (time % 7), rail)
    assert not believable(pv, time, BAND, LAG)[50:].any()
    assert believable(pv, time, BAND, LAG)[:50].all()


def test_a_first_reading_of_a_sentinel_does_not_condemn_the_rest():
    time = np.arange(0.0, 400.0, 10.0)
    pv = np.concatenate([[-45.0], np.full(39, 49.7)])
    assert believable(pv, time, BAND, 100.0).tolist() == [False] + [True] * 39


def test_short_drop_outs_are_bridged_and_long_ones_stay_unknown():
    time = np.arange(300.0)
    pv = 60.0 + 0.01 * (time % 5)
    pv[100:103], pv[200:240] = 0.0, 0.0
    raw = np.where(believable(pv, time, BAND, LAG), pv, np.nan)
    assert np.isnan(raw[100:103]).all() and np.isnan(raw[200:240]).all()
    mended = without_spikes(raw, time, LAG)
    assert np.abs(mended[100:103] - 60.0).max() < 0.1 and np.isnan(mended[200:240]).all()


def test_a_jump_that_stays_is_no_excursion():
    time = np.arange(300.0)
    pv = np.where(time < 150, 60.0, 75.0)
    assert spikes_in(time, pv, LAG) == []


def test_the_digit_survives_one_odd_step():
    coarse = np.round(np.cumsum(np.tile([0.1, 0.0, -0.1, 0.0], 50)), 1)
    coarse[77] += 0.003
    assert digit(coarse) == pytest.approx(0.1)


@each("sigma", [0.01, 0.1, 1.0])
def test_noise_is_measured_on_a_slope_and_over_a_jump(sigma):
    values = np.random.default_rng(1).normal(0, sigma, 2000) + np.arange(2000) * 0.01
    values[1000:] += 50 * sigma
    assert noise(values) == pytest.approx(sigma, rel=0.1)


def test_the_period_is_the_first_of_the_high_peaks():
    period, regularity = periodicity(np.sin(np.arange(1000) * 2 * np.pi / 40))
    assert (period, regularity > 0.95) == (40.0, True)
    assert math.isnan(periodicity(np.zeros(100))[0])
    assert math.isnan(periodicity(np.arange(10.0))[0])


def test_half_cycles_need_to_pass_the_hysteresis():
    wave = np.sin(np.arange(400) * 2 * np.pi / 40)
    cycles = half_cycles(wave, 0.5)
    assert isinstance(cycles, HalfCycles)
    assert len(cycles) == 20
    assert np.allclose(np.abs(cycles.extreme), 1.0)
    assert len(half_cycles(0.4 * wave, 0.5)) == 0


def test_a_sliding_median_takes_a_spike_away():
    values = np.zeros(20)
    values[10] = 100.0
    assert sliding_median(values, 3).tolist() == [0.0] * 20


def test_a_settled_hold_says_when_it_settled():
    stepped = samples_of(controller=CONTROLLER, setpoint=[(0.0, HELD), (300.0, HELD + 10)])
    first, second = track(stepped).holds
    assert first.settled == 0
    assert 20 < second.settled - second.first < 300

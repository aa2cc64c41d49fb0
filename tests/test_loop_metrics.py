"""The figures of a loop: what they are on loops whose answer is known."""

import math
from dataclasses import replace

import numpy as np
import pytest
from cases import each
from faulty_logs import CONTROLLER, HELD, PLANT, log_of, quiet, samples_of

from demo.simulated_loop import Controller
from instrumentgpt.instruments.analysis.metrics import (
    Metrics,
    half_peak_to_peak,
    metrics_of,
    overshoot,
    rise_time,
    settling_time,
)
from instrumentgpt.instruments.analysis.study import study_of
from instrumentgpt.instruments.checks.response import simc_gains


def metrics(frame, **fields) -> Metrics:
    return metrics_of(study_of(log_of(frame, **fields)).tracks[2])


def first_order(time_constant: float, step: float = 10.0) -> tuple[np.ndarray, np.ndarray]:
    time = np.arange(0.0, 20 * time_constant, 0.5)
    return time, 40.0 + step * (1 - np.exp(-time / time_constant))


@pytest.mark.parametrize("time_constant", [10.0, 30.0])
def test_rise_time_of_a_first_order_answer_is_2_2_time_constants(time_constant):
    time, pv = first_order(time_constant)
    assert rise_time(time, pv, setpoint=50.0) == pytest.approx(2.197 * time_constant, abs=1.0)


def test_settling_time_of_a_first_order_answer_follows_from_the_band():
    time, pv = first_order(20.0)
    assert settling_time(time, pv, 50.0, band=0.3) == pytest.approx(20.0 * math.log(10 / 0.3), abs=1.0)


def test_what_never_arrives_has_neither_rise_nor_settling_time():
    time, pv = first_order(20.0)
    assert math.isnan(rise_time(time, pv, setpoint=80.0))
    assert math.isnan(settling_time(time, pv, setpoint=80.0))


def test_overshoot_counts_away_from_the_start_in_either_direction():
    assert overshoot(np.array([20.0, 38.5, 37.0]), setpoint=37.0) == 1.5
    assert overshoot(np.array([60.0, 35.5, 37.0]), setpoint=37.0) == 1.5
    assert overshoot(np.array([20.0, 36.0]), setpoint=37.0) == 0.0
    assert math.isnan(overshoot(np.array([math.nan]), setpoint=37.0))


def test_half_peak_to_peak_hides_no_short_excursion():
    swing = np.sin(np.linspace(0, 100, 5000))
    swing[100:110] = 8.0
    assert half_peak_to_peak(swing) == pytest.approx(4.5, abs=0.01)
    assert math.isnan(half_peak_to_peak(np.array([])))


def test_a_quiet_hold_shows_its_duty_and_its_noise():
    held = metrics(quiet(2))
    assert held.duty == pytest.approx((HELD - PLANT.ambient) / PLANT.gain, abs=0.5)
    assert held.noise == pytest.approx(math.hypot(PLANT.noise, PLANT.resolution / math.sqrt(12)), rel=0.2)
    assert (held.in_band, held.saturated, held.setpoint) == (1.0, 0.0, HELD)
    assert abs(held.mean_error) < 0.01
    assert math.isnan(held.settling_time)


def test_a_step_shows_rise_settling_and_overshoot():
    stepped = metrics(samples_of(setpoint=[(0.0, 50.0), (300.0, 60.0)]))
    assert 15 < stepped.rise_time < stepped.settling_time < 300
    assert stepped.overshoot_percent == pytest.approx(10 * stepped.overshoot, rel=0.05)


def test_a_step_that_never_settles_has_no_settling_time():
    weak = samples_of(plant=replace(PLANT, gain=0.5), setpoint=[(0.0, 50.0), (300.0, 85.0)])
    assert math.isnan(metrics(weak).settling_time)
    assert metrics(weak).saturated > 0.7


def test_an_oscillation_shows_its_period():
    swinging = samples_of(controller=replace(CONTROLLER, actuator_step=25.0))
    measured = metrics(swinging)
    assert measured.period == pytest.approx(35.0, abs=3.0)
    assert measured.regularity > 0.6


def test_figures_are_in_the_unit_of_the_log():
    frame = samples_of(setpoint=[(0.0, 50.0), (300.0, 60.0)])
    celsius = metrics(frame)
    hot = frame.assign(pv=frame["pv"] * 9 / 5 + 32, setpoint=frame["setpoint"] * 9 / 5 + 32)
    fahrenheit = metrics(hot, unit="°F")
    assert fahrenheit.overshoot == pytest.approx(1.8 * celsius.overshoot)
    assert fahrenheit.settling_time == celsius.settling_time
    assert fahrenheit.setpoint == pytest.approx(celsius.setpoint * 1.8 + 32)


def test_a_channel_without_setpoint_or_output_has_only_its_noise():
    blind = quiet(2).assign(setpoint=math.nan, output=math.nan)
    measured = metrics(blind)
    assert measured.noise > 0
    assert all(math.isnan(value) for value in (measured.duty, measured.mean_error, measured.setpoint))


@each("gain, tau1, dead_time", [(1.0, 180.0, 4.0), (0.5, 120.0, 6.0), (2.0, 300.0, 3.0)])
def test_the_quick_model_bears_gains_within_a_factor_of_three_of_simc(gain, tau1, dead_time):
    plant = replace(PLANT, gain=gain, tau1=tau1, dead_time=dead_time)
    gentle = Controller(0.2 * tau1 / gain / dead_time / 2, 0.001)
    frame = samples_of(plant=plant, controller=gentle, setpoint=[(0.0, 40.0), (300.0, 50.0)])
    kp, _ = simc_gains(study_of(log_of(frame)).tracks[2]) or (math.nan, math.nan)
    theta = dead_time + plant.tau2 / 2
    assert 1 / 3 < kp / (tau1 / gain / theta / 2) < 3


def test_a_hold_tells_nothing_of_the_plant():
    assert simc_gains(study_of(log_of(quiet(2))).tracks[2]) is None

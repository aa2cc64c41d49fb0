"""Gain and phase margin of a PID loop."""

import math

import numpy as np
import pytest
from cases import each

from instrumentgpt.instruments.tuning.margins import margins


def exact_pure_lag_margins(kp: float, tau: float, dead_time: float) -> tuple[float, float]:
    """P control of e^(-dead_time s) / (tau s + 1) by the closed formulas, the phase crossing bisected."""
    crossing = math.sqrt(kp**2 - 1) / tau
    phase = 180 - math.degrees(math.atan(crossing * tau) + crossing * dead_time)
    low, high = 0.0, math.pi / dead_time
    for _ in range(80):
        middle = (low + high) / 2
        turned = math.atan(middle * tau) + middle * dead_time > math.pi
        low, high = (low, middle) if turned else (middle, high)
    return phase, math.hypot(1, low * tau) / kp


@each("kp, tau, dead_time", [(5.0, 100.0, 5.0), (20.0, 300.0, 4.0), (3.0, 60.0, 12.0)])
def test_margins_agree_with_the_closed_formulas(kp, tau, dead_time):
    phase, gain = exact_pure_lag_margins(kp, tau, dead_time)
    found = margins(np.array([[1.0, tau, 0.0, dead_time]]), kp, 0.0)
    assert found.phase[0] == pytest.approx(phase, abs=0.1)
    assert found.gain[0] == pytest.approx(gain, rel=0.005)


def test_gains_multiplied_by_the_gain_margin_stand_at_the_edge():
    plant = np.array([[0.8, 200.0, 5.0, 5.0]])
    factor = margins(plant, 12.0, 0.15, 20.0).gain[0]
    edge = margins(plant, 12.0 * factor, 0.15 * factor, 20.0 * factor)
    assert edge.gain[0] == pytest.approx(1.0, rel=0.01)
    assert edge.phase[0] == pytest.approx(0.0, abs=0.5)


@pytest.mark.parametrize(("kp", "stable"), [(20.0, True), (200.0, False)])
def test_an_unstable_loop_has_no_margin(kp, stable):
    phase, gain = margins(np.array([[0.8, 200.0, 5.0, 5.0]]), kp, 0.01).worst()
    assert (phase > 0) == (gain > 1) == stable


def test_too_much_integral_action_alone_costs_all_phase():
    phase, gain = margins(np.array([[0.8, 200.0, 5.0, 5.0]]), 12.0, 5.0).worst()
    assert phase < 0 and gain < 1


def test_derivative_action_is_charged_a_quarter_of_its_time_as_dead_time():
    kp, ki, kd = 12.0, 0.15, 48.0  # Td 4 s
    omega = np.geomspace(1e-3, 1.0, 100_000)
    s = 1j * omega
    law = kp + ki / s + kd * s
    loop = law * 0.8 * np.exp(-s * (5.0 + 1.0)) / (200 * s + 1) / (5 * s + 1)
    crossing = int(np.argmax(np.abs(loop) < 1))
    exact = 180 + np.degrees(np.unwrap(np.angle(loop))[crossing])
    assert margins(np.array([[0.8, 200.0, 5.0, 5.0]]), kp, ki, kd).phase[0] == pytest.approx(exact, abs=0.1)


def test_a_weak_loop_that_never_reaches_gain_one_has_endless_phase_margin():
    found = margins(np.array([[0.5, 100.0, 0.0, 5.0]]), kp=1.0, ki=0.0)
    assert found.phase[0] == math.inf
    assert found.gain[0] > 2

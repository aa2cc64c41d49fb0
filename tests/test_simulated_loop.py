"""The simulated loop does what the physics and the controller's equations say."""

import numpy as np
import pytest
from cases import each

from demo.simulated_loop import Controller, Event, Plant, simulate

QUIET = Plant(0.8, 200.0, 5.0, 6.0, noise=0.0, resolution=0.0)
GENTLE = Controller(9.0, 0.06)


def open_loop(plant, output, duration=3000.0, period=1.0):
    return simulate(plant, Controller(0.0, 0.0), plant.ambient, duration, period, events=[held(output)])


def held(output):
    return Event("output", 0, 1e9, output)


def test_at_rest_the_gain_times_the_output_is_above_the_room():
    run = open_loop(QUIET, 50.0)
    assert run.temperature[-1] == pytest.approx(22.0 + 0.8 * 50.0, abs=1e-3)


def test_the_step_response_is_that_of_two_masses_and_a_dead_time():
    run = open_loop(QUIET, 50.0, 1500.0)
    late = np.maximum(run.time - QUIET.dead_time, 0.0)
    one, two = QUIET.tau1, QUIET.tau2
    exact = 22.0 + 40.0 * (1 - (one * np.exp(-late / one) - two * np.exp(-late / two)) / (one - two))
    assert np.max(np.abs(run.temperature - exact)) < 0.05


def test_nothing_happens_within_the_dead_time():
    run = open_loop(Plant(0.8, 200.0, 5.0, 30.0, noise=0.0), 50.0, 60.0)
    moved = np.flatnonzero(run.temperature > 22.0 + 1e-9)
    assert run.time[moved[0]] == pytest.approx(31.0, abs=1.0)


@each("setpoint", [30.0, 55.0, 90.0])
def test_a_hold_begins_at_rest_and_stays_there(setpoint):
    run = simulate(QUIET, GENTLE, setpoint, 600.0)
    assert np.ptp(run.pv) < 1e-6
    assert run.output == pytest.approx((setpoint - 22.0) / 0.8)


def test_what_the_heater_cannot_hold_begins_at_its_limit_below_the_setpoint():
    run = simulate(QUIET, GENTLE, 150.0, 600.0)
    assert run.pv == pytest.approx(22.0 + 80.0)
    assert (run.output == 100.0).all()


def test_a_cold_start_warms_up_at_full_power_and_settles_without_standing_error():
    run = simulate(QUIET, GENTLE, 60.0, 2400.0, start=22.0)
    assert run.pv[0] == pytest.approx(22.0)
    assert run.output[5] == 100.0
    assert run.pv[-1] == pytest.approx(60.0, abs=0.02)


def test_the_output_is_the_sum_of_its_terms_within_its_limits():
    run = simulate(QUIET, Controller(9.0, 0.06, 20.0), [(0, 40.0), (100, 60.0)], 900.0)
    assert np.allclose(run.output, np.clip(run.terms.sum(axis=1), 0.0, 100.0))
    assert np.allclose(run.terms[:, 0], 9.0 * (run.setpoint - run.pv))


def test_without_anti_windup_a_long_way_up_ends_in_an_overshoot():
    steps = [(0.0, 30.0), (60.0, 85.0)]
    overshoot = {
        anti: simulate(QUIET, Controller(12.0, 0.1, anti_windup=anti), steps, 1500.0).pv.max() - 85.0
        for anti in (True, False)
    }
    assert overshoot[True] < 1.0
    assert overshoot[False] > 8.0


def test_gains_too_high_oscillate_from_limit_to_limit():
    run = simulate(QUIET, Controller(90.0, 1.0), [(0.0, 55.0), (60.0, 58.0)], 1800.0)
    late = run.time > 900
    assert np.ptp(run.pv[late]) > 1.0
    assert (run.output[late].min(), run.output[late].max()) == (0.0, 100.0)


def test_an_actuator_that_works_in_steps_has_only_those():
    run = simulate(QUIET, Controller(9.0, 0.06, actuator_step=5.0), 56.0, 900.0)
    assert set(run.output.tolist()) <= {float(step) for step in range(0, 101, 5)}
    assert np.ptp(run.pv[300:]) > 0.1


def test_a_peltier_cools_with_negative_output():
    run = simulate(QUIET, Controller(9.0, 0.06, low=-100.0), 4.0, 1200.0, start=22.0)
    assert run.pv[-1] == pytest.approx(4.0, abs=0.05)
    assert run.output[-1] == pytest.approx(-22.5, abs=0.5)


def test_noise_and_resolution_are_those_of_the_plant():
    noisy = simulate(
        Plant(0.8, 200.0, 5.0, 6.0, noise=0.05, resolution=0.0), Controller(0.0, 0.0), 40.0, 9000.0
    )
    assert np.std(noisy.pv - noisy.temperature) == pytest.approx(0.05, rel=0.03)
    coarse = simulate(Plant(0.8, 200.0, 5.0, 6.0, noise=0.05, resolution=0.5), GENTLE, 40.0, 600.0)
    assert set((coarse.pv * 2) % 1) == {0.0}


@each(
    "event, expected",
    [
        (Event("load", 100, 400, -10.0), lambda run: run.temperature.min() < 39.5),
        (
            Event("heater", 100, 400, 0.0),
            lambda run: run.temperature.min() < 35.0 and run.output.max() == 100,
        ),
        (Event("sensor", 100, 102, 29.4), lambda run: run.pv[100] == 29.4 and run.temperature.min() > 39.9),
        (Event("bias", 100, 400, 2.0), lambda run: run.pv[100] == 42.0 and run.temperature.min() < 38.5),
        (Event("output", 100, 400, 90.0), lambda run: run.temperature.max() > 60.0),
    ],
)
def test_an_event_changes_what_it_says_from_its_start_to_its_stop(event, expected):
    run = simulate(QUIET, GENTLE, 40.0, 3000.0, events=[event])
    assert np.ptp(run.pv[:100]) < 1e-6
    assert expected(run)
    assert run.pv[-1] == pytest.approx(40.0, abs=0.05)


def test_more_noise_while_the_event_lasts():
    plant = Plant(0.8, 200.0, 5.0, 6.0, noise=0.01, resolution=0.0)
    run = simulate(plant, GENTLE, 40.0, 900.0, events=[Event("noise", 300, 600, 10.0)])
    noise = run.pv - run.temperature
    assert noise[300:600].std() > 5 * noise[:300].std()


def test_a_sensor_that_reads_nothing_is_nan_and_the_controller_lives():
    run = simulate(QUIET, GENTLE, 40.0, 900.0, events=[Event("sensor", 100, 110, float("nan"))])
    assert np.isnan(run.pv).sum() == 10
    assert np.isfinite(run.output).all()
    assert run.pv[-1] == pytest.approx(40.0, abs=0.05)


def test_the_same_seed_gives_the_same_run_and_another_another():
    plant = Plant(0.8, 200.0, 5.0, 6.0)
    first, again, other = (simulate(plant, GENTLE, 40.0, 300.0, seed=seed) for seed in (7, 7, 8))
    assert first.pv.tobytes() == again.pv.tobytes()
    assert first.pv.tobytes() != other.pv.tobytes()


@each("period, samples", [(0.5, 1200), (1.0, 600), (5.0, 120)])
def test_the_period_is_that_of_samples_and_control(period, samples):
    run = simulate(QUIET, GENTLE, [(0, 40.0), (50, 42.0)], 600.0, period)
    assert len(run.time) == samples
    assert run.pv[-1] == pytest.approx(42.0, abs=0.3)

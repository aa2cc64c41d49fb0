"""Whether a gain may be raised, and which gains would be better: by the worst model that the log accepts."""

import math
from dataclasses import replace

import numpy as np
import pytest
from cases import each

from demo.simulated_loop import Controller, Event, Plant, simulate
from instrumentgpt.instruments.advice import (
    DESIGN_GAIN,
    DESIGN_PHASE,
    UnknownGain,
    advise,
    can_raise,
    extreme_models,
    margins_of,
    predicted_iae,
    simc,
)
from instrumentgpt.instruments.plant import Identification, identify
from instrumentgpt.instruments.tuning.gains import Gains
from instrumentgpt.instruments.tuning.margins import margins
from tests.simulated_loops import PLANT, STEPS, simulated_loop, step_test, without_gains

TRUE_PLANT = np.array([[PLANT.gain, PLANT.tau1, PLANT.tau2, PLANT.dead_time + 0.5]])  # half a sample held
SLUGGISH = Controller(1.5, 0.005)
HUNTING = Controller(12.0, 1.2)


@pytest.fixture(scope="module")
def steady() -> Identification:
    found = identify(simulated_loop())
    assert isinstance(found, Identification)
    return found


def test_a_gain_with_room_on_every_model_may_be_raised(steady):
    answer = can_raise(steady, "kp", factor=1.3)
    assert answer.verdict == "yes"
    assert answer.asked == pytest.approx(15.6)
    assert answer.phase_margin >= 45 and answer.gain_margin >= 2


def test_a_gain_with_room_on_no_model_may_not(steady):
    answer = can_raise(steady, "kp", factor=6.0)
    assert (answer.verdict, answer.reason) == ("no", "no_model")
    assert answer.gain_margin < 2


def test_between_them_nothing_is_proven_and_the_experiment_is_named(steady):
    edge = float(can_raise(steady).numbers["proven"]) * 1.005
    answer = can_raise(steady, "kp", target=edge)
    assert (answer.verdict, answer.reason) == ("not_proven", "some_models")
    assert answer.experiment == "setpoint_step"
    assert 0 < answer.numbers["keeping"] < answer.numbers["judged"]


def test_what_is_proven_is_the_edge_of_yes(steady):
    proven = float(can_raise(steady).numbers["proven"])
    assert can_raise(steady, "kp", target=proven * 0.999).verdict == "yes"
    assert can_raise(steady, "kp", target=proven * 1.05).verdict != "yes"


@pytest.mark.parametrize("gain", ["kp", "ki", "kd"])
@pytest.mark.parametrize("factor", [1.1, 1.3, 2.0, 3.0, 5.0])
def test_a_yes_holds_on_the_true_plant(steady, gain, factor):
    answer = can_raise(steady, gain, target=20.0 * factor if gain == "kd" else None, factor=factor)
    new = steady.gains.with_gain(gain, answer.asked)
    phase, size = margins(TRUE_PLANT, new.kp, new.ki, new.kd).worst()
    assert answer.verdict != "yes" or (phase >= 45 and size >= 2)


def test_the_question_may_name_a_target(steady):
    assert can_raise(steady, "ki", target=0.2).asked == 0.2


def test_regressed_gains_leave_less_room(steady):
    guessed = replace(steady, gains=replace(steady.gains, source="regressed"))
    sure, unsure = (margins_of(found, found.gains).worst() for found in (steady, guessed))
    assert unsure[0] < sure[0] and unsure[1] < sure[1]


def test_a_log_that_proves_nothing_is_told_with_the_gains_it_names():
    answer = can_raise(identify(simulated_loop(setpoint=[(0.0, 40.0)])))
    assert (answer.verdict, answer.reason, answer.experiment) == ("not_proven", "quiet", "setpoint_step")
    assert (answer.present, answer.asked) == (12.0, pytest.approx(15.6))
    assert math.isnan(answer.phase_margin)


def test_an_unknown_gain_is_refused_with_the_remedy(steady):
    with pytest.raises(UnknownGain, match="kp, ki or kd"):
        can_raise(steady, "kq")


@pytest.mark.parametrize("controller", [SLUGGISH, HUNTING], ids=["sluggish", "hunting"])
def test_a_badly_tuned_loop_is_given_gains_that_are_better_on_the_true_plant(controller):
    advice = advise(identify(simulated_loop(controller=controller)))
    assert advice.proposed is not None
    new = advice.proposed
    phase, size = margins(TRUE_PLANT, new.kp, new.ki, new.kd).worst()
    assert phase >= 45 and size >= 2
    assert true_iae(Controller(new.kp, new.ki, new.kd)) < 0.8 * true_iae(controller)


def true_iae(controller: Controller) -> float:
    run = simulate(PLANT, controller, STEPS, 1500.0, seed=7)
    return float(np.abs(run.setpoint - run.temperature).sum())


def test_proposed_gains_keep_the_design_margins_on_every_accepted_model():
    found = identify(simulated_loop(controller=SLUGGISH))
    advice = advise(found)
    assert isinstance(found, Identification) and advice.proposed is not None
    phase, size = margins_of(found, advice.proposed).worst()
    assert (phase, size) == (advice.phase_margin, advice.gain_margin)
    assert phase >= DESIGN_PHASE and size >= DESIGN_GAIN


def test_the_gains_that_were_proposed_are_not_improved_again():
    proposed = advise(identify(simulated_loop(controller=SLUGGISH))).proposed
    assert proposed is not None
    again = advise(identify(simulated_loop(controller=Controller(proposed.kp, proposed.ki, proposed.kd))))
    assert (again.proposed, again.reason) == (None, "good_enough")


def test_a_pi_controller_is_given_no_derivative_gain_and_a_pid_keeps_its_own():
    pi, pid = (
        advise(identify(simulated_loop(controller=Controller(1.5, 0.005, kd)))).proposed for kd in (0.0, 6.0)
    )
    assert pi is not None and pi.kd == 0
    assert pid is not None and pid.kd > 0


def test_no_gains_are_given_where_the_models_differ_too_much(steady):
    wide = np.concatenate([steady.models, steady.models * [30.0, 1.0, 1.0, 1.0]])
    advice = advise(replace(steady, models=wide))
    assert (advice.proposed, advice.reason, advice.experiment) == (None, "too_uncertain", "setpoint_step")


def test_gains_are_left_alone_where_the_output_stands_at_its_limit():
    advice = advise(identify(simulated_loop(setpoint=[(0.0, 40.0), (100.0, 130.0)], duration=1200.0)))
    assert (advice.proposed, advice.reason) == (None, "pinned")
    assert 85 < advice.numbers["pinned"] < 93


@each("plant", [PLANT, Plant(2.5, 90.0, 3.0, 2.0, noise=0.01)])
def test_gains_from_a_step_test_keep_the_margins_of_the_true_plant(plant):
    model = identify(step_test(plant))
    advice = advise(model)
    assert (advice.reason, advice.present) == ("from_step", None)
    truth = np.array([[plant.gain, plant.tau1, plant.tau2, plant.dead_time]])
    phase, gain = margins(truth, advice.proposed.kp, advice.proposed.ki).worst()
    assert phase > 45 and gain > 2
    assert can_raise(model, "kp", target=5.0).reason == "no_gains"


def test_a_log_without_named_gains_is_advised_too():
    advice = advise(identify(without_gains(simulated_loop(controller=SLUGGISH))))
    assert advice.present is not None and advice.present.source == "regressed"
    assert advice.proposed is not None


def test_simc_gives_the_published_gains_for_two_lags():
    gains = simc(np.array([2.0, 60.0, 4.0, 3.0]), 1.0, derivative=True)
    series_kp, ti, td = 60.0 / 2.0 / 6.0, 24.0, 4.0
    assert gains == Gains(series_kp * (1 + td / ti), series_kp / ti, series_kp * td, "proposed")


def test_extreme_models_hold_the_best_and_both_ends(steady):
    chosen = extreme_models(steady.models)
    assert chosen[0].tolist() == steady.best.tolist()
    assert chosen.min(axis=0).tolist() == steady.models.min(axis=0).tolist()
    assert chosen.max(axis=0).tolist() == steady.models.max(axis=0).tolist()


def test_a_predicted_iae_of_a_calm_loop_is_that_of_its_integral_action():
    slow = predicted_iae(np.array([[1.0, 50.0, 0.0, 1.0]]), [Gains(4.0, 0.08)])[0]
    # without overshoot the integral of the error is what moves the output: 5 °C/gain and 10 % of load over ki
    assert slow[0] == pytest.approx((5.0 + 10.0) / 0.08, rel=0.05)


@each("controller", [SLUGGISH, Controller(12.0, 0.15), Controller(12.0, 0.3, 30.0)])
def test_the_predicted_iae_is_that_of_the_simulated_loop(controller):
    model = np.array([[PLANT.gain, PLANT.tau1, 15.0, PLANT.dead_time]])
    plant = Plant(PLANT.gain, PLANT.tau1, 15.0, PLANT.dead_time, noise=0.0, resolution=0.0)
    start = plant.ambient + 40 * plant.gain
    load = Event("load", 1201.0, 9e9, -10 * plant.gain)
    steps = [(0.0, start), (1.0, start + 5.0 * plant.gain)]
    run = simulate(plant, controller, steps, 2401.0, period=0.5, events=[load])
    simulated = 0.5 * np.abs(run.setpoint - run.temperature).sum()
    predicted = predicted_iae(model, [Gains(controller.kp, controller.ki, controller.kd)])[0]
    assert predicted[0] == pytest.approx(simulated, rel=0.05)


def test_an_unstable_loop_is_predicted_to_be_worse():
    model = np.array([[0.8, 200.0, 5.0, 5.0]])
    wild, steady = predicted_iae(model, [Gains(200.0, 5.0), Gains(12.0, 0.15)]).T
    assert wild[0] > 2 * steady[0]


@pytest.fixture(scope="module")
def sluggish():
    loop = simulated_loop(controller=SLUGGISH)
    return loop, advise(found := identify(loop)), can_raise(found)


@pytest.mark.parametrize(
    ("time", "pv", "offset", "output"),
    [(0.01, 1.0, 0.0, 1.0), (1000.0, 1.0, 0.0, 1.0), (1.0, 50.0, -1000.0, 1.0), (1.0, 1.0, 0.0, 0.4)],
    ids=["quicker", "slower", "another unit", "clamped"],
)
def test_a_loop_in_other_units_gets_the_same_advice(sluggish, time, pv, offset, output):
    loop, advice, answer = sluggish
    other = replace(
        loop,
        time=loop.time * time,
        setpoint=loop.setpoint * pv + offset,
        pv=loop.pv * pv + offset,
        output=loop.output * output,
        kp=loop.kp * output / pv,
        ki=loop.ki * output / pv / time,
    )
    found = identify(other)
    same = advise(found)
    assert (same.reason, can_raise(found).verdict) == (advice.reason, answer.verdict)
    assert same.proposed.kp * pv / output == pytest.approx(advice.proposed.kp, rel=0.02)
    assert same.proposed.ki * pv * time / output == pytest.approx(advice.proposed.ki, rel=0.02)

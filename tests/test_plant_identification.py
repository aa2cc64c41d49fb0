"""A plant is identified from a log, or the log says why not."""

import time
from dataclasses import replace

import numpy as np
import pytest
from cases import each
from spent import pieces

from demo.simulated_loop import Controller, Event, Plant
from instrumentgpt.instruments.advice import can_raise
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.loops import Loop, loops_of
from instrumentgpt.instruments.plant import Identification, Refusal, identify, longest_record, oscillation
from instrumentgpt.instruments.tuning.advice_wording import sentences
from instrumentgpt.instruments.tuning.margins import margins
from instrumentgpt.instruments.tuning.models import fit
from tests.simulated_loops import PLANT, STEPS, simulated_loop, step_test, without_gains

PLANTS = [
    Plant(0.8, 200.0, 5.0, 5.0, noise=0.02),
    Plant(2.5, 90.0, 3.0, 2.0, noise=0.01),
    Plant(0.4, 400.0, 8.0, 9.0, noise=0.05),
]
CONTROLLERS = [Controller(12.0, 0.15), Controller(5.0, 0.08), Controller(15.0, 0.12)]
LOOPS = list(zip(PLANTS, CONTROLLERS, strict=True))


def identified(loop: Loop, **known: object) -> Identification:
    found = identify(loop, **known)
    assert isinstance(found, Identification), found
    return found


def refused(loop: Loop, **known: object) -> Refusal:
    found = identify(loop, **known)
    assert isinstance(found, Refusal), found
    return found


@each("plant, controller", LOOPS)
def test_the_plant_of_a_simulated_loop_is_found(plant, controller):
    gain, tau1, tau2, dead_time = identified(simulated_loop(plant, controller)).best
    assert gain / tau1 == pytest.approx(plant.gain / plant.tau1, rel=0.03)
    assert gain == pytest.approx(plant.gain, rel=0.1)
    assert tau2 + dead_time == pytest.approx(
        plant.tau2 + plant.dead_time + 0.5, abs=1.0
    )  # + half a sample held


@each("plant, controller", LOOPS)
def test_the_true_margins_lie_within_those_of_the_accepted_models(plant, controller):
    found = identified(simulated_loop(plant, controller))
    every = margins(found.models, controller.kp, controller.ki)
    truth = np.array([[plant.gain, plant.tau1, plant.tau2, plant.dead_time + 0.5]])
    phase, gain = margins(truth, controller.kp, controller.ki).worst()
    assert every.phase.min() - 1 <= phase <= every.phase.max() + 1
    assert every.gain.min() * 0.95 <= gain <= every.gain.max() * 1.05


def test_a_poorer_log_accepts_more_different_models():
    rich = identified(simulated_loop())
    poor = identified(
        simulated_loop(replace(PLANT, noise=0.3), setpoint=[(0.0, 40.0), (300.0, 43.0)], duration=600.0)
    )

    def spread(found: Identification) -> float:
        phases = margins(found.models, 12.0, 0.15).phase
        return float(np.ptp(phases))

    assert spread(poor) > 2 * spread(rich)


def test_a_change_of_unit_changes_nothing_but_the_unit():
    loop = simulated_loop()
    warm = replace(
        loop, pv=loop.pv * 1.8 + 32, setpoint=loop.setpoint * 1.8 + 32, kp=loop.kp / 1.8, ki=loop.ki / 1.8
    )
    celsius, fahrenheit = identified(loop), identified(warm, unit="°F")
    assert fahrenheit.best[0] / 1.8 == pytest.approx(celsius.best[0], rel=0.01)
    assert fahrenheit.best[1:] == pytest.approx(celsius.best[1:], rel=0.02, abs=0.1)


def test_a_loop_that_cools_is_identified_like_one_that_heats():
    loop = simulated_loop()
    heating, cooling = identified(loop), identified(replace(loop, output=100.0 - loop.output))
    assert cooling.best == pytest.approx(heating.best, rel=0.02, abs=0.1)


@pytest.mark.soak
@pytest.mark.parametrize("count", [2000, 5000])
def test_a_channel_takes_less_than_two_seconds(count):
    loop = simulated_loop(setpoint=[*STEPS, (1800.0, 55.0)], duration=float(count))
    assert pieces(lambda: identified(loop), clock=time.process_time) < 350


def test_a_long_log_is_averaged_and_still_tells_the_plant():
    loop = simulated_loop(setpoint=[(0.0, 40.0), (3000.0, 50.0), (6000.0, 45.0)], duration=9000.0)
    gain, tau1, *_ = identified(loop).best
    assert gain / tau1 == pytest.approx(PLANT.gain / PLANT.tau1, rel=0.03)


def test_a_calm_hold_is_refused_with_its_ranges():
    found = refused(simulated_loop(setpoint=[(0.0, 40.0)]))
    assert found.reason == "quiet"
    assert found.numbers["pv_range"] < 2


@pytest.mark.parametrize(
    ("language", "told", "met"), [("en", "process value", "output"), ("zh", "實際值", "輸出變動")]
)
def test_a_calm_log_is_refused_by_what_it_lacks_alone(language, told, met):
    loop = simulated_loop(setpoint=[(0.0, 40.0)])
    said = sentences(
        can_raise(refused(replace(loop, output=loop.output + 20.0 * (loop.time > 900)))), language
    )
    assert told in said[1] and met not in said[1], said


def test_a_short_log_is_refused_with_its_length():
    found = refused(simulated_loop(duration=90.0))
    assert (found.reason, found.numbers["samples"]) == ("short", 90)


def test_of_a_log_in_pieces_the_longest_is_told_to_be_too_short():
    loop = simulated_loop()
    kept = loop.time % 100 < np.where(loop.time < 1_000, 60, 80)
    columns = ("time", "setpoint", "pv", "output", "kp", "ki", "kd", "line")
    found = refused(replace(loop, **{name: getattr(loop, name)[kept] for name in columns}))
    assert (found.reason, found.numbers) == ("short", {"samples": 80, "seconds": 79.0})


def test_a_log_without_output_is_refused_for_that_and_not_for_its_length():
    loop = simulated_loop()
    silent = refused(replace(loop, output=np.full(len(loop), np.nan)))
    assert (silent.reason, silent.numbers) == ("no_output", {})
    assert "does not give the output" in " ".join(sentences(can_raise(silent), "en"))


def test_a_log_moved_by_something_else_is_refused():
    doors = [Event("load", 200.0 * k + 100, 200.0 * k + 200, -25.0) for k in range(7)]
    loop = simulated_loop(setpoint=[(0.0, 40.0)], events=doors)
    shuffled = replace(loop, output=loop.output[::-1].copy())
    assert refused(shuffled).reason == "poor_fit"


def test_a_loop_without_gains_that_show_is_refused():
    loop = without_gains(simulated_loop())
    opened = replace(loop, setpoint=np.full(len(loop), 45.0))  # not what the output answered to
    assert refused(opened).reason == "no_gains"


@each("plant", PLANTS)
@each("levels, setpoint", [((45.0,), np.nan), ((45.0, 30.0), np.nan), ((24.0,), np.nan), ((45.0,), 40.0)])
def test_the_plant_of_a_step_test_is_found_without_any_gains(plant, levels, setpoint):
    found = identified(step_test(plant, levels, setpoint))
    gain, tau1, tau2, dead_time = found.best
    assert (gain, tau1) == (pytest.approx(plant.gain, rel=0.1), pytest.approx(plant.tau1, rel=0.15))
    assert tau2 + dead_time == pytest.approx(plant.tau2 + plant.dead_time + 0.5, abs=3.0)
    assert found.gains.source == "none"


def test_a_pressure_is_refused():
    assert refused(simulated_loop(), unit="bar").reason == "no_temperature"


def test_a_controller_that_only_switches_has_no_gains_to_judge():
    loop = without_gains(simulated_loop())
    assert refused(replace(loop, output=np.where(loop.setpoint > loop.pv, 100.0, 20.0))).reason == "switches"


def test_a_model_that_makes_a_calm_loop_unstable_is_refused():
    found = refused(simulated_loop(named=Controller(200.0, 2.0, kd=0.1)))
    assert found.reason == "unstable_model"
    assert found.numbers["phase_margin"] <= 0 or found.numbers["gain_margin"] <= 1


def test_an_oscillation_that_the_named_gains_cannot_explain_is_refused():
    wild = simulated_loop(controller=Controller(12.0, 3.0, kd=1.0), named=Controller(12.0, 0.15, kd=1.0))
    found = refused(wild)
    assert found.reason == "oscillates"
    assert found.numbers["amplitude"] > 0.28


def test_a_gap_leaves_the_longest_stretch():
    loop = simulated_loop()
    kept = (loop.time < 300) | (loop.time > 600)
    columns = ("time", "setpoint", "pv", "output", "kp", "ki", "kd", "line")
    record = longest_record(replace(loop, **{name: getattr(loop, name)[kept] for name in columns}))
    assert record is not None and record.start == 601.0


def test_excluded_stretches_are_not_used():
    broken = simulated_loop(events=[Event("bias", 1300.0, 1500.0, -30.0)])
    assert isinstance(identify(broken), Refusal)
    gain, tau1, *_ = identified(broken, exclude=[(1299.0, 1501.0)]).best
    assert gain / tau1 == pytest.approx(PLANT.gain / PLANT.tau1, rel=0.03)


def test_readings_that_are_no_number_are_left_out():
    loop = simulated_loop()
    pv = loop.pv.copy()
    pv[::50] = np.nan
    assert identified(replace(loop, pv=pv)).r2 > 0.99


def test_an_element_that_cools_less_than_it_heats_has_a_gain_for_each():
    output = np.repeat([0.0, 30.0, -30.0, 20.0, -20.0], 300)
    slow = simulated_open(np.where(output > 0, output, 0.6 * output))
    found = fit(longest_record(replace(slow, output=output)))
    assert found.models[:2, 0] == pytest.approx([0.8, 0.48], rel=0.05)


def simulated_open(output: np.ndarray) -> Loop:
    """A plant of gain 0.8, tau 100 s and dead time 4 s under a given output, without a controller."""
    pv, rows, heard = 20.0, [], np.concatenate([np.zeros(4), output])
    noise = np.random.default_rng(3).normal(0, 0.01, len(output))
    for index in range(len(output)):
        pv += (20.0 + 0.8 * heard[index] - pv) / 100.0
        rows.append(pv)
    unknown = np.full(len(output), np.nan)
    clock = np.arange(len(output), dtype=float)
    return Loop(
        1, clock, unknown, np.array(rows) + noise, output, unknown, unknown, unknown, np.arange(len(output))
    )


def test_no_accepted_model_answers_within_the_sample():
    quick = replace(PLANT, dead_time=0.2, noise=0.05)
    found = identified(simulated_loop(quick, period=2.0))
    assert found.models[:, 3].min() >= 2.0


def test_load_changes_that_the_controller_answers_are_not_taken_for_delay():
    dice = np.random.default_rng(0)
    loads = [Event("load", 50.0 * k, 50.0 * (k + 1), dice.normal(0, 3.0)) for k in range(30)]
    found = identified(simulated_loop(events=loads))
    slopes = found.models[:, 0] / found.models[:, 1]
    assert found.best[2:].sum() == pytest.approx(10.5, abs=2.0)  # plain output-error says 19 s
    assert slopes.min() < PLANT.gain / PLANT.tau1 < slopes.max()


@each("seed", range(4))
def test_nothing_that_is_proven_under_load_changes_is_unsafe(seed):
    dice = np.random.default_rng(seed)
    loads = [Event("load", 50.0 * k, 50.0 * (k + 1), dice.normal(0, 1.0)) for k in range(30)]
    proven = float(can_raise(identified(simulated_loop(events=loads))).numbers["proven"])
    phase, gain = margins(
        np.array([[PLANT.gain, PLANT.tau1, PLANT.tau2, PLANT.dead_time + 0.5]]), proven, 0.15
    ).worst()
    assert phase >= 45 and gain >= 2


def test_an_open_step_test_is_taken_to_start_at_rest():
    output = np.repeat([0.0, 40.0, 20.0], 200)
    gain, tau1, _, dead_time = fit(longest_record(simulated_open(output))).models[0]
    assert (gain, tau1) == pytest.approx((0.8, 100.0), rel=0.03)
    assert dead_time == pytest.approx(4.0, abs=1.0)


def test_a_regular_oscillation_is_measured_and_noise_is_none():
    clock = np.arange(600.0)
    loop = simulated_loop(setpoint=[(0.0, 40.0)], duration=600.0)
    amplitude, period = oscillation(replace(loop, pv=40 + 0.5 * np.sin(2 * np.pi * clock / 40)))
    assert amplitude == pytest.approx(0.5, rel=0.02)
    assert period == pytest.approx(40.0, rel=0.03)
    assert oscillation(loop)[0] == 0.0


PUBLISHED = {"step_test_F_header": (0.255487983, 231.4510971), "step_test_noheader_K": (0.36073, 138.1)}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_step_test_gives_the_published_plant(shared_logs, name):
    lines = (shared_logs / "tclab" / f"{name}.csv").read_text().splitlines()
    rows = np.array([line.split(",") for line in lines if line[:1].isdigit()], dtype=float)
    unknown = np.full(len(rows), np.nan)
    loop = Loop(
        1, rows[:, 0], unknown, rows[:, 2], rows[:, 1], unknown, unknown, unknown, np.arange(len(rows))
    )
    gain, tau1, *_ = fit(longest_record(loop)).models[0]
    assert (gain, tau1) == pytest.approx(PUBLISHED[name], rel=0.15)


def test_the_plants_of_a_labelled_log_are_found(shared_logs):
    folder = shared_logs / "instrument_debug" / "zspr_078"
    loops = loops_of(read_log(next(folder.glob("*.log.gz"))))
    true_slopes = {1: 0.85034 / 403.90988}
    found = identified(loops[1])
    assert found.best[0] / found.best[1] == pytest.approx(true_slopes[1], rel=0.03)
    assert found.gains.source == "agrees"

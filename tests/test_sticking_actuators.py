"""An actuator that sticks is told by corners, by few slow legs, or by travel that nothing answers."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from cases import each
from faulty_logs import CONTROLLER, END, PLANT, among_quiet, log_of, samples_of

from demo.simulated_loop import Event, simulate
from instrumentgpt.instruments import wording
from instrumentgpt.instruments.analysis.signals import turning_points
from instrumentgpt.instruments.checks.swings import straightness
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.findings import Finding
from instrumentgpt.instruments.logs import Log

TIME = np.arange(900) * 10.0  # s
FLOW_NOISE = 0.02
STEP = [(0.0, 54.0), (200.0, 60.0)]


def named(log: Log) -> list[tuple[str, int | None]]:
    return [(one.fault, one.channel) for one in diagnose(log).findings if one.severity != "none"]


@pytest.mark.parametrize("fault", [{"stiction": 12.0}, {"steps": 25.0}], ids=str)
def test_the_actuator_is_named_where_it_and_not_the_gains_makes_the_swing(fault):
    stepped = samples_of(plant=replace(PLANT, **fault), setpoint=STEP)
    assert named(among_quiet(stepped)) == [("limit_cycle_actuator", 2)]


def test_few_slow_cycles_with_corners_are_enough():
    slow = replace(CONTROLLER, kp=4.0, ki=0.03)
    sticking = samples_of(plant=replace(PLANT, stiction=15.0), controller=slow, setpoint=STEP)
    finding = diagnose(among_quiet(sticking)).findings[0]
    assert finding.fault == "limit_cycle_actuator"
    assert 2.5 <= finding.numbers["cycles"] < 8


@each("calm", [1, 3])
@each("pushes", [(), (Event("load", 300.0, 400.0, -4.0),)])
def test_a_swing_that_stops_is_told_of_its_own_time(calm, pushes):
    sticking = samples_of(plant=replace(PLANT, stiction=12.0), setpoint=STEP)
    after = samples_of(events=pushes, duration=calm * END)
    both = pd.concat([sticking, after.assign(time=after["time"] + END)])
    finding = diagnose(log_of(both)).findings[0]
    assert finding.fault == "limit_cycle_actuator" and finding.end < 1.05 * END


@each("fault", [{"stiction": 1.0}, {"steps": 1.0}, {"play": 1.0}])
def test_an_actuator_a_little_coarse_is_no_fault(fault):
    assert named(among_quiet(samples_of(plant=replace(PLANT, **fault), setpoint=STEP))) == []


@each("fault", [{"stiction": 0.0}, {"play": 0.0}, {"steps": 0.0}])
def test_an_actuator_without_fault_follows_its_output(fault):
    plain, same = (simulate(plant, CONTROLLER, 60.0, 100.0) for plant in (PLANT, replace(PLANT, **fault)))
    assert (plain.pv == same.pv).all()


@pytest.mark.parametrize("height", [0.3, 5.0])
def test_straightness_tells_a_triangle_from_a_cosine(height):
    wave = np.arange(400) / 400 * 8 * np.pi
    triangle = height * np.abs((np.arange(400) % 100) / 50 - 1)
    for values, straight in ((triangle, True), (height * np.cos(wave), False)):
        turns = turning_points(values, height / 2)
        assert (straightness(values, turns) > 0.6) is straight


def flow(output: np.ndarray, pv: np.ndarray, setpoint: float) -> Log:
    noise = np.random.default_rng(5).normal(0.0, FLOW_NOISE, len(pv))
    columns = {"time": TIME, "channel": 1, "setpoint": setpoint, "pv": pv + noise, "output": output}
    frame = pd.DataFrame({**columns, "kp": math.nan, "ki": math.nan, "kd": math.nan})
    return log_of(frame, unit="m3/h")


def sticking_flow() -> Finding:
    output = np.interp(TIME, [0.0, 3000.0, 6000.0, 9000.0], [30.0, 30.0, 45.0, 60.0])
    answered = np.where(TIME < 3000.0, 5.0, 4.0)
    return diagnose(flow(output, answered, 5.0)).findings[0]


def test_a_valve_that_does_not_answer_its_output_is_named():
    finding = sticking_flow()
    assert (finding.fault, finding.numbers["kind"]) == ("limit_cycle_actuator", "sticks")
    assert finding.numbers["share"] > 90
    assert finding.numbers["travel"] == pytest.approx(30.0, abs=3.0)
    assert abs(finding.onset - 3000.0) < 120.0


@pytest.mark.parametrize("language, word", [("en", "unanswered"), ("zh", "沒有反應")])
def test_that_is_said_with_its_numbers(language, word):
    said = wording.summary(sticking_flow(), language)
    assert word in said
    assert "%" in said


def test_a_valve_that_holds_its_flow_against_a_falling_supply_is_well():
    assert named(flow(30.0 + TIME / 300.0, np.full(len(TIME), 5.0), 5.0)) == []


def test_a_valve_that_pv_follows_is_well():
    wave = np.sin(TIME / 500.0)
    assert named(flow(30.0 + 5 * wave, 5.0 + 0.5 * wave, 5.2)) == []

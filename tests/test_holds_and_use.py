"""What a loop does hold by hold, what its own use is, and what held before its gains were changed."""

from dataclasses import replace

import numpy as np
import pytest
from cases import each
from faulty_logs import log_of, samples_of
from offline_case import asked
from simulated_loops import STEADY, simulated_loop

from demo.simulated_loop import Controller, Event, Plant
from instrumentgpt.instruments.advice import advise
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.loops import COLUMNS, Loop
from instrumentgpt.instruments.plant import identify

HOLD = 2400.0  # s
OVEN = Plant(gain=0.8, tau1=150.0, tau2=5.0, dead_time=5.0, noise=0.02)
PROGRAMME = [(number * HOLD, 70.0 if number % 2 == 0 else 40.0) for number in range(6)]


def oven(*power):
    """Return the log of an oven that holds 70 °C three times, with that share of its power."""
    weak = [Event("heater", 2 * at * HOLD, (2 * at + 1) * HOLD, share) for at, share in enumerate(power)]
    run = {"plant": OVEN, "controller": STEADY, "setpoint": PROGRAMME, "duration": 6 * HOLD, "period": 5.0}
    return log_of(samples_of(1, events=weak, **run))


def test_holds_that_are_never_reached_are_short_of_power_and_no_swing():
    diagnosis = diagnose(oven(1.0, 0.55, 0.48))
    found = {finding.fault for finding in diagnosis.findings}
    assert found & {"saturation", "heater_degradation"} and not found & {"healthy", "oscillation_tuning"}
    assert not [one for one in diagnosis.withheld if "swings" in one.reasons]


@each("power", [(1.0, 1.0, 1.0), (0.9, 1.0, 0.9), (0.75, 0.75, 0.75)])
def test_holds_that_are_reached_alike_have_no_weak_heater(power):
    found = {finding.fault for finding in diagnose(oven(*power)).findings}
    assert not found & {"saturation", "heater_degradation", "heater_failure", "oscillation_tuning"}


def test_what_comes_at_even_intervals_and_is_answered_is_the_machine_s_own_cycle():
    shots = [Event("load", 900.0, 930.0, -40.0, every=600.0)]
    log = log_of(
        samples_of(1, plant=OVEN, controller=STEADY, setpoint=[(0.0, 60.0)], duration=6000.0, events=shots)
    )
    diagnosis = diagnose(log)
    found = {finding.fault for finding in diagnosis.findings}
    assert not found & {"ambient_disturbance", "oscillation_tuning", "limit_cycle_actuator"}
    assert all(excursion.explained for excursion in diagnosis.excursions)


def test_gains_that_held_before_those_that_swing_are_the_advice():
    calm = simulated_loop(setpoint=[(0.0, 40.0)])
    wild = simulated_loop(controller=Controller(kp=90.0, ki=3.0), setpoint=[(0.0, 40.0)])
    named = {name: np.concatenate([getattr(calm, name), getattr(wild, name)]) for name in COLUMNS}
    time = np.concatenate([calm.time, wild.time + calm.time[-1] + 1.0])
    both = Loop(3, time, *(named[name] for name in COLUMNS), np.arange(len(time)) + 10)
    advice = advise(identify(both))
    assert advice.reason == "back" and advice.proposed.kp == pytest.approx(STEADY.kp)
    one_set = replace(both, kp=np.full(len(time), 90.0), ki=np.full(len(time), 3.0), kd=np.zeros(len(time)))
    assert advise(identify(one_set)).reason != "back"


@pytest.fixture(scope="module")
def warmed(tmp_path_factory):
    """Return a log that warms up from 20 °C, holds 50 and 60 °C and has one dip to 45 °C."""
    time = np.arange(3000) * 2.0
    setpoint = np.where(time < 4000.0, 50.0, 60.0)
    pv = np.round(setpoint - np.where(time < 4000.0, 30.0, 10.0) * np.exp(-(time % 4000.0) / 60.0), 2)
    pv[1000] = 45.0
    output = np.round(np.clip(40.0 + 2 * (setpoint - pv), 0, 100), 1)
    rows = (",".join(map(str, cells)) for cells in zip(time, setpoint, pv, output, strict=True))
    file = tmp_path_factory.mktemp("warmed") / "warmed.csv"
    file.write_text("\n".join(["time,setpoint,pv,output", *rows]), encoding="utf-8")
    return file


@each(
    "question, told",
    [
        ("what was the lowest temperature?", ["lowest 20 °C", "since it first settled", "lowest 45 °C"]),
        ("最低溫度多少？", ["最低 20 °C", "首次穩定後", "最低 45 °C"]),
        ("mean temperature in the 60 phase?", ["held 60 °C 1 time", "mean 59.9"]),
        ("60 度那段平均多少？", ["維持 60 °C 1 次", "平均 59.9"]),
        ("how cold did it get in each phase?", ["held 50 °C 1 time", "45.00 to", "held 60 °C 1 time"]),
    ],
)
def test_figures_are_told_of_holds_and_without_the_warm_up(question, told, warmed, tmp_path):
    text = asked(question, tmp_path, attachments=[str(warmed)]).text
    assert not [part for part in told if part not in text]

"""Peltier loops: which side has failed, and which is stuck on."""

from dataclasses import replace

import pytest
from faulty_logs import END, ONSET, PLANT, log_of, samples_of

from demo.simulated_loop import Controller, Event
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.findings import Finding

PELTIER = Controller(8.0, 0.06, low=-100.0)
COLD, WARM = 8.0, 50.0  # °C, on either side of the room


def worst(setpoint: float, *events: Event, controller: Controller = PELTIER) -> Finding:
    neighbours = [
        samples_of(1, controller=PELTIER, setpoint=COLD),
        samples_of(3, controller=PELTIER, setpoint=WARM),
    ]
    faulty = samples_of(controller=controller, setpoint=setpoint, events=events)
    finding = diagnose(log_of(neighbours[0], faulty, neighbours[1])).findings[0]
    assert finding.channel in (2, 1)
    return finding


@pytest.mark.parametrize("setpoint", [COLD, WARM])
def test_a_plant_that_returns_to_the_temperature_of_the_room_has_lost_its_power(setpoint):
    failed = worst(setpoint, Event("heater", ONSET, 1e9, 0.0))
    assert (failed.fault, failed.channel) == ("heater_failure", 2)
    assert abs(failed.onset - ONSET) < 30


def test_a_warm_plant_that_heats_against_full_cooling_is_stuck_on():
    stuck = worst(WARM, Event("load", ONSET, 1e9, 180.0))
    assert (stuck.fault, stuck.channel) == ("runaway_stuck_on", 2)


def test_a_cold_plant_that_heats_past_the_room_against_full_cooling_is_stuck_on():
    stuck = worst(COLD, Event("load", ONSET, 1e9, 180.0))
    assert (stuck.fault, stuck.channel) == ("runaway_stuck_on", 2)


def test_an_oscillation_that_changes_sides_is_one_of_the_gains():
    swinging = worst(COLD, controller=replace(PELTIER, kp=60.0, ki=3.0))
    assert (swinging.fault, swinging.channel) == ("oscillation_tuning", 2)


def test_a_setpoint_out_of_reach_of_cooling_saturates_the_low_side():
    weak = replace(PLANT, gain=0.2)
    frame = samples_of(plant=weak, controller=PELTIER, setpoint=[(0.0, 15.0), (300.0, -10.0)])
    finding = diagnose(log_of(frame)).findings[0]
    assert (finding.fault, finding.numbers["side"]) == ("saturation", "low")
    assert finding.end == END - 1.0

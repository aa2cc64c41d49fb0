"""Each fault of the taxonomy is found where it is, with its onset and evidence, and nothing else is."""

from dataclasses import replace

import numpy as np
from cases import each
from faulty_logs import (
    END,
    FAULTY,
    MAKERS,
    ONSET,
    PLANT,
    among_quiet,
    case,
    diagnosed,
    log_of,
    samples_of,
    thermostat,
)

from demo.simulated_loop import Controller, Event
from instrumentgpt.instruments import wording
from instrumentgpt.instruments.checks.slow import Duty, lasting_change
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.faults import faults
from instrumentgpt.instruments.findings import Finding
from instrumentgpt.instruments.logs import Log

NAMES = sorted(MAKERS)
FAULTS = [name for name in NAMES if name != "healthy"]


def found(name: str) -> Finding:
    known = case(name)
    return next(
        one
        for one in diagnosed(name).findings
        if one.fault == known.fault and one.channel in (known.channel, None)
    )


def test_every_class_of_the_taxonomy_has_a_log_here():
    assert {case(name).fault for name in NAMES} == set(faults())


@each("name", FAULTS)
def test_the_fault_is_named_first_and_alone(name):
    known = case(name)
    named = [one for one in diagnosed(name).findings if one.fault != "healthy"]
    assert [(one.fault, one.channel) for one in named] == [(known.fault, known.channel)]


@each("name", FAULTS)
def test_its_onset_is_within_30_s_or_a_tenth_of_the_fault(name):
    known, finding = case(name), found(name)
    last = float(known.log.samples["time"].iloc[-1])
    assert abs(finding.onset - known.onset) <= max(30.0, 0.1 * (last - known.onset))


@each("name", NAMES)
def test_quoted_values_stand_in_the_quoted_line(name):
    known, finding = case(name), found(name)
    rows = known.log.samples.set_index("line")
    quoted = [item for item in finding.evidence if item.values]
    for item in quoted:
        assert dict(item.values) == {key: float(rows.loc[item.line, key]) for key in item.values}
        assert item.time == rows.loc[item.line, "time"]
    assert sum(len(item.values) for item in quoted) >= 2


@each("name", FAULTS)
def test_a_quoted_line_lies_in_the_time_of_the_fault(name):
    finding = found(name)
    assert any(finding.onset - 5 <= item.time <= finding.end + 5 for item in finding.evidence)


@each("name", [name for name in FAULTS if name != "insufficient_data"])
def test_a_near_alternative_is_ruled_out_with_numbers(name):
    assert found(name).ruled_out
    assert all(item.numbers for item in found(name).ruled_out)


def test_what_a_weaker_heater_needs_more_is_told_at_the_same_hours_of_the_day():
    time = np.arange(0.0, 3 * 86_400.0, 1200.0)
    weak = time > 1.2 * 86_400.0
    needed = (50.0 + 10.0 * np.sin(2 * np.pi * time / 86_400.0)) * np.where(weak, 1.6, 1.0)
    change = lasting_change(Duty(1, list(range(len(time))), time, needed))
    assert change is not None and change.same_hours
    assert abs(change.ratio - 1.6) < 0.02


def a_thermostat_whose_heater_weakens() -> Log:
    return thermostat(np.concatenate((np.full(2000, 90.0), np.full(4000, 55.0))))


def a_cooler_that_never_gets_there() -> Log:
    return thermostat(np.full(3000, 18.0), cools=True)


def a_sensor_that_jumps_by_little_more_than_a_plant_can() -> Log:
    return among_quiet(samples_of(events=[Event("bias", ONSET, END, 1.2)]))


def a_slow_loop_whose_log_names_no_gains() -> Log:
    slow = samples_of(controller=Controller(0.4, 0.002), setpoint=[(0.0, 40.0), (300.0, 55.0)])
    return among_quiet(slow.assign(kp=np.nan, ki=np.nan, kd=np.nan))


LOST = (900.0, 1_010.0, 1_340.0, 1_341.0, 1_700.0)  # s, at which a contact opens for one sample


def a_loose_contact(rail: float) -> Log:
    return among_quiet(samples_of(events=[Event("sensor", at, at + 1, rail) for at in LOST]))


@each("rail", [1_372.0, 850.0, -200.0, -127.0, 0.0])
def test_a_contact_that_opens_for_single_samples_is_an_open_sensor_with_all_its_times(rail):
    (finding,) = [one for one in diagnose(a_loose_contact(rail)).findings if one.fault != "healthy"]
    told = finding.numbers
    assert (finding.fault, finding.channel, finding.severity) == ("sensor_open", FAULTY, "high")
    assert (told["value"], told["count"], told["seconds"]) == (rail, 4, 2.0)
    assert finding.moments == (900.0, 1_010.0, 1_340.0, 1_700.0)
    assert {900.0, 1_700.0} <= {item.time for item in finding.evidence if item.values["pv"] == rail}
    assert f"4 times amid good readings the sensor read {rail:g}" in wording.summary(finding, "en")
    assert f"4 次讀到 {rail:g}" in wording.summary(finding, "zh")


def test_a_contact_that_opens_now_and_then_and_at_last_for_good_is_told_with_every_time():
    events = [Event("sensor", at, at + 1, 1_372.0) for at in LOST[:2]]
    frame = samples_of(events=[*events, Event("sensor", 1_400.0, END, 1_372.0)])
    (finding,) = [one for one in diagnose(among_quiet(frame)).findings if one.fault != "healthy"]
    assert (finding.severity, finding.numbers["count"], finding.onset) == ("critical", 3, 900.0)
    assert finding.numbers["seconds"] > 390


def test_a_setpoint_that_is_a_rail_is_read_as_one_where_the_contact_opens():
    events = [Event("sensor", at, at + 1, 1_372.0) for at in LOST]
    frame = samples_of(2, replace(PLANT, gain=5.0), Controller(1.6, 0.012), 300.0, events)
    frame["pv"] = frame["pv"].round()
    (finding,) = [one for one in diagnose(log_of(frame)).findings if one.fault != "healthy"]
    assert (finding.fault, finding.numbers["value"], finding.numbers["count"]) == ("sensor_open", 1_372.0, 4)


@each(
    "make, fault",
    [
        (a_thermostat_whose_heater_weakens, "heater_degradation"),
        (a_cooler_that_never_gets_there, "saturation"),
        (a_sensor_that_jumps_by_little_more_than_a_plant_can, "sensor_bias"),
        (a_slow_loop_whose_log_names_no_gains, "sluggish_tuning"),
    ],
)
def test_a_rarer_shape_of_a_fault_is_named(make, fault):
    assert [one.fault for one in diagnose(make()).findings if one.fault != "healthy"] == [fault]


def test_gains_that_only_the_size_of_the_output_tells_are_told_as_a_bound():
    frame = samples_of(controller=Controller(0.4, 0.002), setpoint=[(0.0, 40.0), (300.0, 55.0)])
    coarse = frame.assign(kp=np.nan, ki=np.nan, kd=np.nan, output=(frame["output"] / 4).round() * 4)
    finding = next(one for one in diagnose(among_quiet(coarse)).findings if one.fault == "sluggish_tuning")
    assert finding.numbers["bound"] == "≤ "
    assert 0.4 <= finding.numbers["kp"] < 1.0


def test_pv_that_goes_further_than_its_step_is_not_driven_by_it():
    frame = samples_of(setpoint=[(0.0, 40.0), (300.0, 42.0)])
    driven = frame["time"] > 340.0
    frame.loc[driven, "pv"] += 0.01 * (frame["time"][driven] - 340.0)
    named = {one.fault for one in diagnose(among_quiet(frame)).findings}
    assert not named & {"overshoot_tuning", "integral_windup"}

"""What a diagnosis keeps whatever the log looks like, and what it withholds by name."""

import json
import math
import re
import time
from dataclasses import replace

import numpy as np
import pytest
from cases import each
from faulty_logs import MAKERS, ONSET, among_quiet, case, diagnosed, log_of, quiet, samples_of
from spent import pieces

from demo.simulated_loop import Event
from instrumentgpt.instruments import wording
from instrumentgpt.instruments.checks import CHECKS, Check
from instrumentgpt.instruments.diagnosis import Diagnosis, diagnose, ranked, rows
from instrumentgpt.instruments.faults import explains, faults
from instrumentgpt.instruments.findings import Finding, worst
from instrumentgpt.instruments.logs import Log, read_log
from instrumentgpt.instruments.reading.clocks import ClockStep

NAMES = sorted(MAKERS)


def verdicts(diagnosis: Diagnosis) -> list[tuple[str, int | None, float]]:
    return [(one.fault, one.channel, one.onset) for one in diagnosis.findings]


def in_fahrenheit(log: Log) -> Log:
    samples = log.samples.copy()
    for name in ("pv", "setpoint"):
        samples[name] = samples[name] * 9 / 5 + 32
    for name in ("kp", "ki", "kd"):
        samples[name] = samples[name] * 5 / 9
    return replace(log, samples=samples, unit="°F")


def in_kelvin(log: Log) -> Log:
    samples = log.samples.assign(pv=log.samples["pv"] + 273.15, setpoint=log.samples["setpoint"] + 273.15)
    return replace(log, samples=samples, unit="K")


@each("name", NAMES)
@each("scaled", [in_fahrenheit, in_kelvin])
def test_the_verdict_is_the_same_in_another_unit(name, scaled):
    assert verdicts(diagnose(scaled(case(name).log))) == verdicts(diagnosed(name))


@each("name", NAMES)
def test_unrelated_lines_between_change_no_verdict(name):
    log = case(name).log
    spread = log.samples.assign(line=log.samples["line"] * 5 + 3)
    assert verdicts(diagnose(replace(log, samples=spread, lines=log.lines * 5))) == verdicts(diagnosed(name))


@each("name", NAMES)
def test_the_order_of_channels_within_one_moment_changes_no_verdict(name):
    log = case(name).log
    samples = log.samples.sort_values(["time", "channel"], ascending=[True, False], kind="stable")
    samples = samples.assign(line=np.sort(log.samples["line"])).reset_index(drop=True)
    assert verdicts(diagnose(replace(log, samples=samples))) == verdicts(diagnosed(name))


def test_fahrenheit_shows_in_the_numbers():
    finding = diagnose(in_fahrenheit(case("overshoot_tuning").log)).findings[0]
    celsius = diagnosed("overshoot_tuning").findings[0]
    assert finding.numbers["unit"] == "°F"
    assert finding.numbers["overshoot"] == pytest.approx(1.8 * celsius.numbers["overshoot"])


def test_a_heater_that_lost_power_explains_that_it_cannot_do_what_is_asked_of_it_later():
    lost = [Event("heater", 900.0, math.inf, 0.5)]
    asked = samples_of(setpoint=[(0.0, 60.0), (2_400.0, 80.0)], events=lost, duration=4_800.0)
    (finding,) = diagnose(log_of(asked)).findings
    assert (finding.fault, finding.consequences) == ("heater_degradation", ("saturation",))
    assert finding.onset == pytest.approx(900.0, abs=60.0)


def test_consequences_are_named_with_their_cause_and_not_beside_it():
    finding = diagnosed("runaway").findings[0]
    assert finding.fault == "runaway_stuck_on"
    assert set(finding.consequences) <= explains("runaway_stuck_on")
    jumped = diagnosed("sensor_step").findings[0]
    assert "heater_degradation" not in [one.fault for one in diagnosed("sensor_step").findings]
    assert jumped.fault == "sensor_bias"


def test_of_different_channels_the_worst_comes_first():
    log = log_of(quiet(1), samples_of(2, events=[Event("heater", 900.0, 1e9, 0.0)]), _with_spikes(3))
    assert [one.fault for one in diagnose(log).findings][:2] == ["heater_failure", "sensor_spike"]


def test_what_loops_do_comes_before_what_was_read_and_there_cause_before_severity():
    of_two, of_one, of_all = (
        Finding(fault, channel, 0.0, 1.0, severity, ())
        for fault, channel, severity in (
            ("heater_failure", 2, "critical"),
            ("sensor_noise", 2, "medium"),
            ("ambient_disturbance", None, "medium"),
        )
    )
    tuned = Finding("oscillation_tuning", 1, 0.0, 1.0, "high", ())
    note = Finding("data_gap", None, 0.0, 1.0, "info", ())
    assert ranked([note, tuned, of_all, of_two, of_one]) == (of_two, tuned, of_one, of_all, note)
    assert worst(one.severity for one in ranked([of_one, of_two])) == "critical"


def test_a_channel_has_one_swing():
    diagnosis = diagnosed("oscillation_tuning")
    finding = diagnosis.findings[0]
    metrics = diagnosis.channels[finding.channel]
    told = finding.numbers["amplitude"], finding.numbers["period"]
    assert (metrics.half_peak_to_peak, metrics.period) == told


def _with_spikes(channel: int):
    return samples_of(channel, events=[Event("bias", 300.0, 302.0, 15.0, every=200)])


def test_a_check_that_breaks_is_named_and_the_others_go_on():
    def breaks(study, before):
        raise ZeroDivisionError("no samples in block")

    checks = {**CHECKS, "sensor_noise": Check(breaks, "sensor_noise")}
    diagnosis = diagnose(case("heater_failure").log, checks)
    said = wording.withheld_reason(diagnosis.withheld["sensor_noise"], "en")
    assert said.startswith(
        "check failed: a fault of the program (ZeroDivisionError in test_diagnosis.py, line "
    )
    assert diagnosis.findings[0].fault == "heater_failure"


def without(name: str) -> Diagnosis:
    log = case("oscillation_tuning").log
    return diagnose(replace(log, samples=log.samples.assign(**{name: math.nan}), missing=(name,)))


@pytest.mark.parametrize("name", ["setpoint", "output"])
def test_verdicts_that_need_a_missing_field_are_withheld_by_name(name):
    diagnosis = without(name)
    assert diagnosis.withheld["overshoot_tuning"].missing == (name,)


def test_a_swing_against_a_limit_is_seen_without_a_setpoint():
    assert [one.fault for one in without("setpoint").findings] == ["oscillation_tuning"]


def test_no_swing_is_named_where_the_output_is_unknown():
    assert {one.fault for one in without("output").findings} <= {"healthy"}


def test_without_a_period_a_loop_is_judged_in_rows():
    log = replace(case("oscillation_tuning").log, missing=("time", "period"))
    finding = diagnose(log).findings[0]
    assert finding.fault == "oscillation_tuning"
    assert " rows" in wording.summary(finding, "en") and " s " not in wording.summary(finding, "en")
    assert "列" in wording.summary(finding, "zh") and "秒" not in wording.summary(finding, "zh")


@each("factor", [0.01, 1000.0])
@each("name", [name for name in NAMES if name not in ("insufficient_data", "data_gap", "sensor_open")])
def test_a_plant_so_much_slower_or_quicker_gets_the_same_verdict(name, factor):
    log = case(name).log
    samples = log.samples.assign(time=log.samples["time"] * factor)
    for gain in ("ki", "kd"):
        samples[gain] = samples[gain] * (1 / factor if gain == "ki" else factor)
    named = [(one.fault, one.channel) for one in diagnose(replace(log, samples=samples)).findings]
    assert named == [(one.fault, one.channel) for one in diagnosed(name).findings]


def test_a_short_rise_in_a_long_day_is_told_and_the_channel_is_not_called_healthy():
    day = samples_of(duration=86_400.0, events=[Event("load", 40_000.0, 41_200.0, 12.0)])
    diagnosis = diagnose(log_of(day))
    assert not [one for one in diagnosis.findings if one.fault == "healthy"]
    assert any(39_900 < one.onset < 40_100 and one.size > 0 for one in diagnosis.excursions)


def test_a_sensor_fault_is_still_seen_in_a_log_of_pv_alone():
    log = case("sensor_open").log
    alone = log.samples.assign(setpoint=math.nan, output=math.nan)
    named = [
        one.fault for one in diagnose(replace(log, samples=alone, missing=("setpoint", "output"))).findings
    ]
    assert named == ["sensor_open"]


@each("hole, kind, told", [(0.0, "back", "clock went back 1 time, by 400 s"), (80.0, "both", "1 gap in")])
def test_a_clock_that_was_set_back_is_told_as_one_and_not_as_a_gap_of_less_than_nothing(hole, kind, told):
    log = case("healthy").log
    samples = log.samples[(log.samples["time"] <= ONSET) | (log.samples["time"] > ONSET + hole)]
    samples = samples.reset_index(drop=True)
    step = ClockStep(line=int(samples["line"].iloc[2000]), time=666.0, seconds=-400.0, kind="clock")
    finding = diagnose(replace(log, samples=samples, clock_steps=(step,))).findings[0]
    assert (finding.fault, finding.numbers["kind"], finding.numbers["set_back"]) == ("data_gap", kind, 400.0)
    english, chinese = (wording.summary(finding, language) for language in ("en", "zh"))
    assert told in english and "went back 1 time, by 400 s" in english
    assert re.search("時鐘倒退 1 次|1 次時鐘倒退", chinese)
    parts = (wording.summary, wording.cause, wording.next_step, wording.next_test)
    for language in ("en", "zh"):
        said = [*(part(finding, language) for part in parts), *wording.ruled_out(finding, language)]
        assert not re.search(r"-\d|nan|\?", " ".join([*said, *wording.cannot_tell(finding, language)]))


def test_what_is_no_temperature_is_judged_by_its_swing_alone():
    log = case("oscillation_tuning").log
    pressure = replace(log, unit="bar")
    diagnosis = diagnose(pressure)
    assert {one.fault for one in diagnosis.findings} == {"oscillation_tuning", "healthy"}
    assert {name for name, check in CHECKS.items() if check.thermal_only} <= set(diagnosis.withheld)


def test_power_that_does_not_arrive_where_nothing_is_heated_is_no_danger():
    log = replace(case("heater_failure").log, unit="bar")
    (finding,) = (one for one in diagnose(log).findings if one.fault == "heater_failure")
    assert finding.severity == "high"
    for language in ("en", "zh"):
        assert "heater" not in wording.next_step(finding, language) + wording.next_test(finding, language)


@each("name", NAMES)
def test_rows_are_json_with_all_a_scorer_needs(name):
    for row in rows(diagnosed(name)):
        again = json.loads(json.dumps(row, allow_nan=False))
        assert {"log", "channel", "class", "onset", "end", "severity", "summary", "evidence"} <= set(again)
        assert again["channel"] == "all" or isinstance(again["channel"], int)
        assert all(isinstance(item["line"], int) for item in again["evidence"])


def test_every_check_reports_a_class_of_the_taxonomy():
    assert {check.fault for check in CHECKS.values()} | {"healthy"} == set(faults())


def test_channels_carry_their_metrics():
    channels = diagnosed("healthy").channels
    assert set(channels) == {1, 2, 3}
    assert channels[1].half_peak_to_peak < 0.05


def test_an_output_in_other_units_is_not_quoted_as_if_it_stood_in_the_line():
    log = replace(case("heater_failure").log, output_scale=100 / 255)
    assert all("output" not in item.values for item in diagnose(log).findings[0].evidence)


@pytest.mark.soak
def test_20000_lines_are_diagnosed_in_well_under_a_second():
    log = among_quiet(samples_of(duration=5000.0))
    assert pieces(lambda: diagnose(log), clock=time.process_time) < 80


@pytest.mark.parametrize("pattern", ["cellularmitosis/20180126-25c-chamber/run13.csv", "tclab/mimo_data.txt"])
def test_healthy_real_logs_are_healthy_or_cannot_be_told(shared_logs, pattern):
    diagnosis = diagnose(read_log(shared_logs / pattern, period=6.0 if "chamber" in pattern else None))
    assert {one.fault for one in diagnosis.findings} <= {"healthy", "insufficient_data"}

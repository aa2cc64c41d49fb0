"""Logs of days and weeks: their segments, what changes from day to day, and what is quick within them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cases import each
from scipy.signal import lfilter

from instrumentgpt.instruments.analysis.segments import DAY, findings_in, segments_of, theil_sen, trends_of
from instrumentgpt.instruments.analysis.study import study_of
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loops import loops_of
from instrumentgpt.instruments.plant import telling
from instrumentgpt.instruments.segment_wording import worth_telling

PERIOD = 20.0  # s
LONG = 400_000  # samples: more than are judged one by one


def long_log(setpoint, output=None, period=PERIOD, time=None, noise=0.02, **changed):
    """Return a log of one channel whose pv follows `setpoint` as a plant of 120 s; `changed` adds to pv."""
    random = np.random.default_rng(7)
    n = len(setpoint)
    pole = np.exp(-period / 120.0)
    level = lfilter([1 - pole], [1, -pole], setpoint - setpoint[0]) + setpoint[0]
    pv = np.round(level + random.normal(0, noise, n) + changed.get("pv", 0.0), 2)
    if output is None:
        output = 40.0 + (setpoint - setpoint[0]) + random.normal(0, 0.3, n)
    samples = pd.DataFrame(
        {
            "time": np.arange(n) * period if time is None else time,
            "channel": 1,
            "setpoint": setpoint,
            "pv": pv,
            "output": np.round(output, 1),
            **dict.fromkeys(("kp", "ki", "kd"), np.nan),
            "line": np.arange(2, n + 2),
        }
    )
    return Log(Path("long.csv"), "long.csv", "table", samples, pd.Timestamp("2026-03-02 06:00"), n + 1)


def spans(log):
    return [(one.kind, one.onset, one.end) for one in segments_of(study_of(log))]


def test_a_record_is_told_by_setpoint_and_programme_and_a_gap_ends_a_segment():
    hold, ramp, other = (
        np.full(1000, 37.0),
        np.round(np.linspace(37.0, 60.0, 502)[1:-1], 2),
        np.full(1500, 60.0),
    )
    setpoint = np.concatenate([hold, ramp, other])
    time = np.arange(3000) * PERIOD + np.where(np.arange(3000) >= 2000, 3600.0, 0.0)
    at = [round(index * PERIOD) for index in (999, 1000, 1999)]
    found = spans(long_log(setpoint, time=time))
    assert [kind for kind, *_ in found] == ["hold", "programme", "hold", "hold"]
    assert found[0] == ("hold", 0.0, at[0])
    assert found[1][1] == pytest.approx(at[1], abs=PERIOD)
    assert found[2][2] == at[2]
    assert found[3][1] == at[2] + PERIOD + 3600.0
    first = segments_of(study_of(long_log(setpoint, time=time)))[0]
    assert first.duty == pytest.approx(40.0, abs=0.1)
    assert first.noise == pytest.approx(0.02, rel=0.2)
    assert abs(first.mean_error) < 0.01


def test_without_a_setpoint_there_are_segments_all_the_same():
    log = long_log(np.full(3000, 37.0))
    log.samples["setpoint"] = np.nan
    assert [kind for kind, *_ in spans(log)] == ["unasked"]


def test_a_hold_of_days_is_told_from_midnight_to_midnight():
    found = spans(long_log(np.full(round(3 * DAY / PERIOD), 37.0)))
    assert [round((onset / 3600 + 6) % 24) for _, onset, _ in found] == [6, 0, 0, 0]


@each("drift, told", [(0.0, False), (1.0, True), (-1.0, True)])
def test_duty_that_drifts_over_days_is_told_with_its_interval_and_the_course_of_a_day_is_not(drift, told):
    n = round(10 * DAY / PERIOD)
    days = np.arange(n) * PERIOD / DAY
    random = np.random.default_rng(3)
    output = 40 + 4 * np.sin(2 * np.pi * days) + drift * days + random.normal(0, 1, n)
    study = study_of(long_log(np.full(n, 37.0), output))
    found = trends_of(segments_of(study), {1: 0.3})
    assert [trend.quantity for trend in found] == (["duty"] if told else [])
    for trend in found:
        assert trend.low <= trend.slope <= trend.high
        assert trend.slope == pytest.approx(drift, abs=0.15)


def test_the_robust_slope_leaves_one_wrong_day_alone():
    days = np.arange(12.0)
    values = 0.5 * days + np.where(days == 5, 40.0, 0.0)
    slope, low, high = theil_sen(days, values)
    assert slope == pytest.approx(0.5)
    assert low <= 0.5 <= high


def test_a_quiet_log_of_weeks_is_healthy():
    setpoint = np.where(np.arange(LONG) < LONG // 2, 37.0, 50.0)
    found = diagnose(long_log(setpoint, period=2.0))
    assert [one.fault for one in found.findings] == ["healthy"]
    assert found.channels[1].sample_period == 2.0
    assert found.channels[1].noise == pytest.approx(0.02, rel=0.2)


def test_readings_that_spike_for_three_samples_in_weeks_are_found_by_their_lines():
    away = np.zeros(LONG)
    for at in (123_456, 123_956, 124_456):
        away[at : at + 3] = 30.0
    found = diagnose(long_log(np.full(LONG, 37.0), period=2.0, pv=away))
    spike = next(one for one in found.findings if one.fault == "sensor_spike")
    assert any(away[item.line - 2] for item in spike.evidence)
    assert spike in findings_in(worth_telling(found)[0], found.findings)


def test_critical_faults_of_less_than_a_few_minutes_in_weeks_are_found():
    log = long_log(np.where(np.arange(LONG) < 200_000, 37.0, 50.0), period=2.0)
    log.samples.loc[123_456:123_480, "pv"] = 8191.0
    log.samples.loc[199_900:200_049, "pv"] = 37.0
    found = {one.fault: one for one in diagnose(log).findings if one.severity == "critical"}
    assert {fault: round(one.onset / 2, -2) for fault, one in found.items()} == {
        "sensor_open": 123_500,
        "sensor_stuck": 199_900,
    }


def test_a_plant_that_is_quick_beside_the_pace_of_a_long_log_does_not_jump_for_it():
    setpoint = np.where(np.arange(LONG) // 20_000 % 2, 50.0, 37.0)
    log = long_log(setpoint, period=30.0)
    for judged in (log, replace(log, samples=log.samples[:50_000])):
        assert [one for one in diagnose(judged).findings if one.severity != "none"] == []


def test_a_swing_of_a_minute_that_lasts_an_afternoon_of_weeks_is_seen():
    index = np.arange(LONG)
    swing = np.where((index > 200_000) & (index < 208_000), np.sin(index * 2 * np.pi / 30), 0.0)
    found = diagnose(long_log(np.full(LONG, 37.0), period=2.0, pv=2 * swing))
    assert "healthy" not in [one.fault for one in found.findings]
    shown = [*found.findings, *found.excursions]
    assert any(one.onset <= 208_000 * 2 and one.end >= 200_000 * 2 for one in shown)


def test_channels_that_do_not_come_in_turn_are_told_apart_alike():
    log = long_log(np.full(600, 37.0))
    both = pd.concat([log.samples, log.samples.assign(channel=2)]).sort_values("time", kind="stable")
    shuffled = pd.concat([both.iloc[:101], both.iloc[101:].iloc[::-1]])
    for frame in (both, shuffled):
        loops = loops_of(Log(Path("x"), "x", "table", frame, None, 1))
        assert sorted(loops) == [1, 2]
        for channel, loop in loops.items():
            assert loop.line.tolist() == frame[frame["channel"] == channel]["line"].tolist()


def test_the_plant_of_a_long_log_is_identified_where_a_step_moved_it_farthest():
    n, stepped = 60_000, 30_000
    setpoint = np.where(np.arange(n) < stepped, 37.0, 52.0)
    output = 30.0 + np.where(np.arange(n) < stepped, 0.0, 30.0) + np.random.default_rng(1).normal(0, 0.3, n)
    log = long_log(setpoint, output, period=2.0)
    segments = segments_of(study_of(log))
    part = telling(loops_of(log)[1], segments)
    assert part.time[0] < stepped * 2 < part.time[-1]
    assert len(part) < n / 5
    assert len(telling(part, segments)) == len(part)

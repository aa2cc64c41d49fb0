"""Event lines near a finding are said to coincide only where chance would hardly put them there."""

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cases import each

from instrumentgpt.instruments.coincidence import at_least, coincidences, sentence
from instrumentgpt.instruments.diagnosis import Diagnosis, diagnose
from instrumentgpt.instruments.findings import Finding
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.reading.record import EVENT_COLUMNS, Log

SPAN = 3600.0  # s
ONSETS = (900.0, 1800.0, 2700.0)
DOOR = Finding("ambient_disturbance", None, ONSETS[0], 2900.0, "medium", (), moments=ONSETS)
OPEN_SENSOR = Finding("sensor_open", 2, 1200.0, 1500.0, "critical", ())


def diagnosis(finding: Finding, *events: tuple[float, str, str, str], span: float = SPAN) -> Diagnosis:
    """Return the diagnosis of a log of `span` seconds with `events` (time, level, source, text)."""
    time = np.arange(0.0, span + 1)
    samples = pd.DataFrame({"time": time, "channel": 1, "line": np.arange(len(time)) * 2 + 1})
    rows = [(*event, 2 * place + 2) for place, event in enumerate(sorted(events))]
    lines = pd.DataFrame(rows, columns=list(EVENT_COLUMNS))
    log = Log(Path("a.log"), "a.log", "test", samples, None, 2 * len(time), load_events=lambda: lines)
    return Diagnosis(log, {}, (finding,), {})


def lines(level: str, source: str, text: str, *times: float) -> list[tuple[float, str, str, str]]:
    return [(time, level, source, text) for time in times]


def test_a_door_that_opens_before_every_disturbance_coincides_and_fits():
    opened = lines("info", "Door", "closed -> open", 890.0, 1788.0, 2695.0)
    (found,) = coincidences(diagnosis(DOOR, *opened))
    assert (found.place, found.seconds, found.reason) == ("before", 12.0, "door")
    assert len(found.messages) == 3 and found.chance < 0.001
    said = sentence(found, "en")
    assert "3 of 3 lines “Door closed -> open” come at most 12 s before one of its 3 onsets" in said
    assert "coincides in time" in said and "look there first" in said


def test_a_line_that_physics_does_not_connect_is_coincidence_alone():
    (found,) = coincidences(diagnosis(DOOR, *lines("warning", "Net", "slow client", 895.0, 1795.0)))
    assert found.reason == "coincidence"
    assert sentence(found, "en").endswith("it alone does not make it the cause.")
    assert sentence(found, "zh").endswith("單憑這點不能說是原因。")


def test_a_line_after_the_onset_is_no_beginning():
    (found,) = coincidences(diagnosis(DOOR, *lines("error", "Door", "timeout", 930.0, 1829.0, 2731.0)))
    assert (found.place, found.reason) == ("after", "reported")


def test_lines_during_a_fault_and_hardly_elsewhere_coincide():
    inside = lines("warning", "Probe", "ch2 out of range 999", 1230.0, 1290.0, 1350.0, 1410.0)
    (found,) = coincidences(diagnosis(OPEN_SENSOR, *inside))
    assert (found.place, found.reason, len(found.messages)) == ("during", "sensor", 4)
    assert "while it lasted (8 % of the log)" in sentence(found, "en")


@each("period", [7.0, 60.0, 100.0, 300.0])
def test_a_heartbeat_does_not_coincide_whatever_its_period(period):
    beats = lines("warning", "Net", "keepalive late", *np.arange(3.0, SPAN, period))
    assert coincidences(diagnosis(OPEN_SENSOR, *beats)) == ()


def test_lines_scattered_by_chance_coincide_in_less_than_one_log_of_twenty():
    random = np.random.default_rng(5)
    alarms = 0
    for _ in range(400):
        times = random.uniform(0.0, SPAN, random.integers(1, 30))
        alarms += bool(coincidences(diagnosis(DOOR, *lines("error", "Any", "thing", *times))))
    assert alarms < 20


def test_the_more_kinds_of_lines_there_are_the_less_one_of_them_says():
    near = lines("error", "A", "one", 1195.0)
    others = [line for number in range(20) for line in lines("error", f"B{number}", "x", 100.0 * number + 7)]
    assert coincidences(diagnosis(OPEN_SENSOR, *near))
    assert coincidences(diagnosis(OPEN_SENSOR, *near, *others)) == ()


def test_what_the_log_says_at_its_start_explains_nothing():
    early = replace(OPEN_SENSOR, onset=4.0, end=3500.0)
    assert coincidences(diagnosis(early, *lines("error", "Main", "boot", 2.0, 3.0))) == ()


def test_debug_lines_and_healthy_channels_are_not_looked_at():
    assert coincidences(diagnosis(OPEN_SENSOR, *lines("debug", "Door", "open", 1199.0))) == ()
    healthy = replace(OPEN_SENSOR, fault="healthy", severity="none")
    assert coincidences(diagnosis(healthy, *lines("error", "Door", "open", 1199.0))) == ()


def test_valid_and_recovered_are_no_doors():
    (found,) = coincidences(diagnosis(DOOR, *lines("error", "Bus", "invalid, recovered", 899.0, 1799.0)))
    assert found.reason == "coincidence"


def test_the_demo_log_with_a_door_says_so():
    path = Path(__file__).parents[1] / "demo/logs/zspr_050/InstrumentDebug_2026-02-20_14-05-31.64.log.gz"
    first = coincidences(diagnose(read_log(path)))[0]
    assert (first.group.source, first.place, first.reason) == ("Door", "before", "door")
    assert [message.line for message in first.messages] == [1192, 2292]


@each("count, trials, share", [(1, 1, 0.5), (3, 40, 0.02), (19, 20, 0.75), (40, 90, 0.3)])
def test_the_chance_of_a_coincidence_is_the_binomial_tail_to_the_last_digits(count, trials, share):
    chance = Fraction(share)
    exact = sum(
        math.comb(trials, hits) * chance**hits * (1 - chance) ** (trials - hits)
        for hits in range(count, trials + 1)
    )
    assert at_least(count, trials, share) == pytest.approx(float(exact), rel=1e-11)

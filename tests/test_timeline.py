"""What happened in a log, in order: setpoints, excursions, limits, gains, and what lines and columns say."""

import math
from fractions import Fraction

import numpy as np
import pytest
from cases import each
from faulty_logs import among_quiet, log_of, samples_of
from hypothesis import given, settings
from hypothesis import strategies as st

from demo.simulated_loop import Event
from instrumentgpt.instruments.analysis.departures import at_least
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.tools import TOOLS
from instrumentgpt.instruments.tools.timeline import MOST, timeline
from instrumentgpt.instruments.workspace import Workspace


def happened(log, language="en", channel=None):
    return timeline(diagnose(log), channel, language)


def told(path, folder):
    place = Workspace(folder / "none.toml", folder / "cache", folder / "artifacts", (path,))
    return TOOLS["diagnose_log"](place, log=path.name)


def test_a_step_of_the_setpoint_is_told_with_the_way_there_and_the_hold_after_it():
    steps = ((0.0, 60.0), (900.0, 80.0))
    rows = happened(log_of(samples_of(1, setpoint=steps, duration=2700.0)))
    held, stepped = (row for row in rows if row["what"] in ("held", "set"))
    assert (held["what"], held["to"], stepped["what"]) == ("held", 60.0, "set")
    assert (stepped["from"], stepped["to"]) == (60.0, 80.0) and 0 < stepped["arrived"] < 600
    assert "setpoint from 60 to 80 °C; pv in its band (±" in stepped["summary"]
    assert stepped["least"] > 79 and stepped["most"] < 81


def test_a_setpoint_that_pv_never_came_to_is_told_as_that():
    steps = ((0.0, 60.0), (900.0, 300.0))
    rows = happened(log_of(samples_of(1, setpoint=steps, duration=2700.0)))
    (stepped,) = (row for row in rows if row["what"] == "set")
    assert stepped["arrived"] is None and "never came into its band" in stepped["summary"]


def test_an_output_at_its_limit_is_told_with_what_pv_read_meanwhile():
    steps = ((0.0, 60.0), (900.0, 300.0))
    rows = happened(log_of(samples_of(1, setpoint=steps, duration=2700.0)))
    (limit,) = (row for row in rows if row["what"] == "limit")
    assert limit["value"] == 100.0 and limit["seconds"] > 1500 and limit["least"] < 65 < limit["most"]


@each("language, words", [("en", "out of its own band"), ("zh", "離開自身範圍")])
def test_an_excursion_is_told_with_the_line_that_it_begins_at_and_that_line_once(language, words):
    pushed = samples_of(2, duration=3600.0, events=[Event("load", 1500.0, 1560.0, -14.0)])
    log = among_quiet(pushed, events=[(1499.0, "closed -> open"), (1561.0, "open -> closed")])
    rows = happened(log, language)
    (away,) = (row for row in rows if row["what"] == "out")
    assert away["channel"] == 2 and away["pv"] < 59 and words in away["summary"]
    assert sum("closed -> open" in row["summary"] for row in rows) == 1


def test_a_column_beside_that_steps_is_told_and_named_as_what_was_written_last(tmp_path):
    rows = ["time,setpoint,temperature,output,feed (l/h)"]
    for second in range(0, 14_400, 10):
        since = max(0.0, second - 7300)
        pv = 60 + 0.05 * math.sin(second) - 4 * (since / 300) * math.exp(1 - since / 300) * (since > 0)
        feed = (12 if second < 7200 else 14) + 0.2 * math.sin(second / 7)
        output = 40 + 5 * min(1.0, since / 900)
        rows.append(f"{second},60,{pv:.2f},{output:.1f},{feed:.2f}")
    path = tmp_path / "still.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    result = told(path, tmp_path)
    (said,) = (row for row in result["timeline"] if row["what"] == "said")
    assert said["text"].startswith("feed (l/h) 12 → 14")
    assert result["excursions"]["count"] and result["timeline"][-1]["what"] == "out"


def test_short_dips_that_come_again_and_again_are_told_with_the_column_that_switches_then(tmp_path):
    rows = ["time,setpoint,temperature,output,wafer"]
    for second in range(1800):
        phase = (second - 60) % 90 if second >= 60 else 89
        dip = 3.3 * math.exp(-phase / 3) if phase < 30 else 0.0
        rows.append(
            f"{second},110,{110 - dip + second % 3 / 50:.2f},{54 + 20 * dip / 3:.1f},{int(phase < 60)}"
        )
    path = tmp_path / "hotplate.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    result = told(path, tmp_path)
    (away,) = (row for row in result["timeline"] if row["what"] == "out")
    assert away["count"] in (19, 20) and "90 s apart" in away["summary"] and "wafer" in away["summary"]
    assert [one["class"] for one in result["findings"]] == ["healthy"]


def test_changed_gains_are_told_when_they_changed():
    samples = samples_of(1)
    samples.loc[samples["time"] >= 900, "kp"] = 16.0
    (changed,) = (row for row in happened(log_of(samples)) if row["what"] == "gains")
    assert changed["changes"] == "kp 8 → 16" and changed["clock"].endswith("23:39:45.390")


@settings(max_examples=20)
@given(st.lists(st.sampled_from([50.0, 60.0, 70.0]), min_size=1, max_size=30), st.integers(0, 60))
def test_there_are_never_more_rows_than_people_read_and_they_are_in_order(setpoints, lines):
    steps = tuple((400.0 * number, level) for number, level in enumerate(setpoints))
    end = 400.0 * len(setpoints)
    events = [(end * number / 61, f"pump {number % 3} on") for number in range(lines)]
    log = log_of(samples_of(1, setpoint=steps, duration=end, period=5.0), events=events)
    rows = happened(log)
    assert len(rows) <= MOST
    assert [row["clock"] for row in rows] == sorted(row["clock"] for row in rows)
    assert all(1 <= row["line"] <= log.lines and row["count"] >= 1 for row in rows)


def test_a_clock_without_a_date_is_told_as_the_time_of_day(tmp_path):
    rows = ["time,setpoint,temperature,output"]
    for number in range(1200):
        minutes = 23 * 60 + number
        rows.append(f"{minutes // 60 % 24:02}:{minutes % 60:02}:00,37,{37 + number % 2 / 10:.1f},30")
    (tmp_path / "night.csv").write_text("\n".join(rows), encoding="utf-8")
    log = read_log(tmp_path / "night.csv")
    assert log.clock(0.0) == "+0.000 s (23:00:00)"
    assert log.clock(7200.0) == "+7200.000 s (01:00:00 +1 d)"
    place = Workspace(tmp_path / "none.toml", tmp_path / "cache", tmp_path / "artifacts", (log.path,))
    at = TOOLS["look_at_time"](place, log="night.csv", clock="01:30")
    assert at["clock"] == "+9000.000 s (01:30:00 +1 d)"


@each(
    "written, period",
    [
        ("{at} ", 0.5),
        ("[R] {at:06d} ", 15.0),
        ("{seconds:.1f}: ", 0.5),
        ("t+{at}s ", 2.0),
        ("[Z] {at} - ", 1.0),
    ],
)
def test_a_number_that_runs_on_before_named_values_is_the_time(written, period, tmp_path):
    step = 500 if written == "{at} " else period
    values = ((37 + number % 3 / 10, 30 + number % 5, number) for number in range(200))
    rows = [
        written.format(at=int(step * number), seconds=step * number) + f"SP=37.0 PV={pv:.1f} OUT={output}"
        for pv, output, number in values
    ]
    path = tmp_path / f"{len(written)}.log"
    path.write_text("\n".join(rows), encoding="utf-8")
    log = read_log(path)
    assert np.diff(log.samples["time"]).max() == period and "period" not in log.missing


@each("stamp", ["20240808-10{minute:02}00", "240808 10{minute:02}00", "20240808T10{minute:02}00"])
def test_stamps_without_marks_are_moments(stamp, tmp_path):
    values = ((stamp.format(minute=at), 40 + at % 3 / 10, 30 + at % 5) for at in range(60))
    rows = [f"{moment} SP:40.0 PV:{pv:.1f} OUT:{output}%" for moment, pv, output in values]
    path = tmp_path / f"{len(stamp)}.log"
    path.write_text("\n".join(rows), encoding="utf-8")
    log = read_log(path)
    assert log.clock(60.0).startswith("2024-08-08 10:01:00")
    assert np.diff(log.samples["time"]).max() == 60.0


def test_y_beside_pv_and_sp_is_the_output_and_else_the_pv_of_who_identifies(tmp_path):
    rows = [f"{at},{25 + at % 3 / 10:.1f},25,{-40 + at % 7}" for at in range(100)]
    (tmp_path / "loop.csv").write_text("\n".join(["time,pv,sp,y", *rows]), encoding="utf-8")
    rows = [f"{at},{at % 20},{25 + at % 9 / 10:.1f}" for at in range(100)]
    (tmp_path / "plant.csv").write_text("\n".join(["time,u,y", *rows]), encoding="utf-8")
    assert read_log(tmp_path / "loop.csv").samples["output"].iloc[0] == -40
    assert read_log(tmp_path / "plant.csv").samples["pv"].iloc[0] == 25.0


def test_the_setpoint_that_notes_beside_the_rows_tell_is_the_setpoint(tmp_path):
    rows = ["Date,Time,Value,Note"]
    for number in range(600):
        hour, minute = number // 6 % 24, number % 6 * 10
        half = "AM" if hour < 12 else "PM"
        clock = f"03/{3 + number // 144:02}/2025,{(hour - 1) % 12 + 1:02}:{minute:02} {half}"
        if minute == 0 and hour in (6, 18):
            rows.append(f"{clock},,Setpoint changed to {20 if hour == 6 else 16}.0 C (schedule)")
        rows.append(f"{clock},{16 + 4 * (6 <= hour < 18) + number % 3 / 10:.1f},")
    path = tmp_path / "room.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    assert set(read_log(path).samples["setpoint"].dropna()) == {16.0, 20.0}


@each("count, trials, share", [(1, 1, 0.5), (3, 40, 0.02), (19, 20, 0.75), (40, 90, 0.3)])
def test_the_chance_that_lines_come_as_pv_leaves_is_a_binomial_tail_to_the_last_digit(count, trials, share):
    chance = Fraction(share)
    exact = sum(
        math.comb(trials, hits) * chance**hits * (1 - chance) ** (trials - hits)
        for hits in range(count, trials + 1)
    )
    assert at_least(count, trials, share) == pytest.approx(float(exact), rel=1e-11)

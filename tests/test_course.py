"""What a reading without a setpoint did, leg by leg; lines without a stamp, values that are no readings."""

import json
import re
from itertools import pairwise

import numpy as np
import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st
from offline_case import asked

from instrumentgpt.agents.events import Tool
from instrumentgpt.instruments.analysis.course import MOST_LEGS, course_of
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.loops import Loop
from instrumentgpt.memory.gate import marks_of
from instrumentgpt.turn.ask import SERVER, sources

CORNERS = (0, 24.0), (300, 24.0), (900, 190.0), (960, 90.0), (1500, 200.0)  # s, °C: a roast


def loop_of(pv, time=None) -> Loop:
    nothing, time = np.full(len(pv), np.nan), np.arange(len(pv)) * 1.0 if time is None else time
    values = {name: nothing for name in ("setpoint", "output", "kp", "ki", "kd")}
    return Loop(1, time, pv=np.asarray(pv, dtype=float), line=np.arange(len(pv)) + 2, **values)


def roast(lost: tuple[int, ...] = (), said: str = "") -> str:
    """Return a roast as CSV, a row each 2 s; -1 where a reading is lost, and a word at 900 s."""
    rows = ["time,BT,event"]
    for second in range(0, 1502, 2):
        pv = np.interp(second, *zip(*CORNERS, strict=True)) + 0.1 * np.sin(second)
        rows.append(f"{second},{-1.0 if second in lost else round(pv, 2)},{said if second == 904 else ''}")
    return "\n".join(rows) + "\n"


def test_the_corners_of_a_reading_are_where_its_legs_end():
    time = np.arange(0, 1501, 2.0)
    legs = course_of(loop_of(np.interp(time, *zip(*CORNERS, strict=True)), time))
    assert [leg.end for leg in legs] == pytest.approx([300, 900, 960, 1500], abs=6)
    assert [leg.stays for leg in legs] == [True, False, False, False]
    assert [leg.rate for leg in legs] == pytest.approx([0, 16.6, -100, 12.2], rel=0.15, abs=0.5)


def test_no_leg_runs_through_a_gap():
    time = np.concatenate((np.arange(0, 300, 5.0), np.arange(90_000, 90_300, 5.0)))
    legs = course_of(loop_of(np.where(time < 300, 25.0, 25.0 + (time - 90_000) / 3), time))
    assert [(leg.start, leg.end) for leg in legs] == [(0, 295), (90_000, 90_295)]


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=300), st.integers(1, 400))
def test_a_course_has_few_legs_that_follow_each_other_however_pv_and_the_clock_went(pv, moments):
    time = np.sort(np.arange(len(pv)) % moments) * 1.0  # several readings of one moment
    legs = course_of(loop_of(pv, time))
    assert len(legs) <= MOST_LEGS
    assert all(one.end == other.start for one, other in pairwise(legs))


@each(
    "question, head",
    [("why did the bean temp crash?", "no sign of a fault"), ("豆溫怎麼掉下去？", "沒有故障的跡象")],
)
def test_a_log_without_a_setpoint_is_told_leg_by_leg_with_what_it_says_and_every_number_has_its_source(
    tmp_path, question, head
):
    (tmp_path / "roast.csv").write_text(roast(said="beans added"), encoding="utf-8")
    answer = asked(question, tmp_path, attachments=(str(tmp_path / "roast.csv"),))
    assert head in answer.text.split("\n")[0]
    assert re.search(r"-8\d(?:\.\d)?(?: a minute\)|）)[^\n]*\n[^\n]*beans added", answer.text)
    results = zip(answer.tools, answer.results, strict=True)
    calls = [Tool("", name, "ok", result=json.dumps(told), server=SERVER) for name, told in results]
    marks = marks_of(answer.text, sources(calls, question))
    assert [answer.text[mark.start : mark.end] for mark in marks if mark.kind == "unknown"] == []


def test_a_rate_of_what_has_no_setpoint_is_the_rate_of_its_legs(tmp_path):
    rows = "".join(f"{second},{900 - second / 20:.2f}\n" for second in range(0, 2000, 5))
    (tmp_path / "kiln.csv").write_text("time,temperature °F\n" + rows, encoding="utf-8")
    answer = asked("how fast does it cool down?", tmp_path, attachments=(str(tmp_path / "kiln.csv"),))
    assert re.search(r"-3(\.0\d?)? a minute", answer.text)


def test_a_value_that_is_no_reading_is_no_lowest_one(tmp_path):
    (tmp_path / "roast.csv").write_text(roast(lost=(400, 702)), encoding="utf-8")
    log = read_log(tmp_path / "roast.csv")
    assert [(row.column, row.value, row.count) for row in log.placeholders] == [("pv", -1.0, 2)]
    assert log.readings["pv"].min() > 20


def test_the_lowest_temperature_of_a_log_without_a_setpoint_is_that_of_its_readings_too(tmp_path):
    rows = "".join(
        f"{second},{60 + second / 100},{50 + second / 100},{second % 7 - 30}\n" for second in range(400)
    )
    (tmp_path / "roast.csv").write_text(
        "time,bean_temp_c,env_temp_c,bean_delta_60s_c\n" + rows, encoding="utf-8"
    )
    answer = asked("lowest temperature?", tmp_path, attachments=(str(tmp_path / "roast.csv"),))
    assert "lowest 60 °C" in answer.text


def test_a_line_without_a_stamp_has_the_time_and_the_level_of_where_and_what_it_is(tmp_path):
    stats = "Stats {}.0: heater_bed: target=55 temp={:.1f} pwm=1.000 extruder: target=0 temp=20.1 pwm=0.000"
    lines = [stats.format(second, 20 + second / 50) for second in range(1, 200)]
    lines.insert(100, 'Internal error on command:"G28"')
    (tmp_path / "klippy.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    events = read_log(tmp_path / "klippy.log").events
    assert events[["time", "level", "line"]].to_numpy().tolist() == [[99.0, "error", 101]]

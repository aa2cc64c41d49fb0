"""Questions on one day of a log of several, or of a folder of such logs; and on one of its quantities."""

import re
from datetime import datetime, timedelta

import numpy as np
import pytest
from cases import each

from instrumentgpt.instruments.tools.events import look_at_time
from instrumentgpt.instruments.tools.window import NotInTheLog
from instrumentgpt.instruments.workspace import workspace
from tests.offline_case import asked

BEGUN = datetime(2026, 11, 22, 6)
HEADS = "time,temperature setpoint,temperature,temperature output %,humidity setpoint,humidity,light lx"
MINUTES = 3 * 1440
TODAY = "2026-11-25T12:00:00"  # a Wednesday


@pytest.fixture(scope="module")
def chamber(tmp_path_factory):
    """An inventory of a chamber: one log of three days, drier and drier from 25 November 02:00 on."""
    folder = tmp_path_factory.mktemp("chamber")
    (folder / "logs").mkdir()
    random = np.random.default_rng(7)
    rows = [HEADS]
    for minute in range(MINUTES):
        at = BEGUN + timedelta(minutes=minute)
        pv = 37 + 0.02 * random.standard_normal() + at.day / 100
        humidity = (
            60
            + 0.1 * random.standard_normal()
            - max(0, (at - datetime(2026, 11, 25, 2)).total_seconds() / 1800)
        )
        light = 500 if 8 <= at.hour < 20 else 0
        rows.append(
            f"{at:%Y-%m-%d %H:%M:%S},37.0,{pv:.2f},{30 - 20 * (pv - 37.23):.1f},60.0,{humidity:.1f},{light}"
        )
    (folder / "logs" / "chamber.csv").write_text("\n".join(rows) + "\n")
    (folder / "devices.toml").write_text('[[device]]\nname = "chamber"\nip = "10.1.1.9"\nlogs = "logs"\n')
    return str(folder / "devices.toml")


def said(chamber, tmp_path, question: str) -> str:
    return asked(question, tmp_path, inventory=chamber, today=TODAY).text


@each(
    "question, moments",
    [
        ("chamber at 14:00 on the 23rd?", ["2026-11-23 14:00"]),
        ("chamber: what was it on Nov 24 at 5 o'clock?", ["2026-11-24 05:00"]),
        (
            "chamber at 14:00 on the 23rd and at 5 o'clock this morning (25th)?",
            ["2026-11-23 14:00", "2026-11-25 05:00"],
        ),
        ("chamber on Monday at 14:00?", ["2026-11-23 14:00"]),
        ("chamber 23日下午兩點和25日5點各是多少？", ["2026-11-23 14:00", "2026-11-25 05:00"]),
        ("chamber 週二早上十點讀到多少？", ["2026-11-24 10:00"]),
        ("chamber 24日中午呢？", ["2026-11-24 12:00"]),
    ],
)
def test_a_time_of_day_is_looked_up_on_the_day_that_stands_beside_it(chamber, tmp_path, question, moments):
    text = said(chamber, tmp_path, question)
    for moment in moments:
        assert f"{moment}:00" in text
        assert f"pv {37 + int(moment[8:10]) / 100:.4g}"[:6] in text or "實際值" in text


@each(
    "question, parts",
    [
        (
            "chamber: for how long has the humidity been below 55 %?",
            ["Channel 2", "below 55 %RH", "2026-11-25 04:"],
        ),
        ("chamber 濕度低於55多久了？", ["通道 2", "55 %RH", "2026-11-25 04:"]),
        ("chamber: lowest temperature?", ["Channel 1 (`temperature`) from", "lowest"]),
        ("chamber 濕度最低多少？", ["通道 2 (`humidity`)", "最低"]),
        ("chamber 23日早上十點多溫度多少？", ["2026-11-23 10:00", "10:59"]),
    ],
)
def test_a_quantity_by_its_name_is_the_channel_that_reads_it(chamber, tmp_path, question, parts):
    text = said(chamber, tmp_path, question)
    for part in parts:
        assert part in text


@each(
    "clock, told",
    [
        ("-23 14:00", "2026-11-23 14:00:00"),
        ("11-24 05:00", "2026-11-24 05:00:00"),
        ("14:00", "2026-11-22 14:00:00"),
    ],
)
def test_the_tools_take_as_much_of_the_day_as_is_known(chamber, tmp_path, clock, told):
    place = workspace(chamber, str(tmp_path / "cache"))
    asked("how is chamber?", tmp_path, inventory=chamber)
    assert look_at_time(place, "chamber.csv", clock, "chamber")["clock"].startswith(told)


def test_a_day_that_the_log_has_not_is_told_with_the_days_that_it_has(chamber, tmp_path):
    place = workspace(chamber, str(tmp_path / "cache"))
    asked("how is chamber?", tmp_path, inventory=chamber)
    with pytest.raises(NotInTheLog, match="2026-11-22 06:00"):
        look_at_time(place, "chamber.csv", "-28 14:00", "chamber")


@each(
    "question, count, told",
    [
        ("chamber: what was the mean temperature each day?", 3, "| 2026-11-24 | 37.2"),
        ("chamber: how warm was it every night?", 4, "2026-11-22 18:00:00 to 2026-11-23 06:00:00"),
        ("chamber: what was the output on the first day and after?", 3, "output"),
        ("chamber 每天的平均溫度是多少？", 4, "| 2026-11-23 | 37.2"),
    ],
)
def test_each_day_or_night_of_a_long_log_is_told_by_itself(chamber, tmp_path, question, count, told):
    text = said(chamber, tmp_path, question)
    assert text.count("2026-11-2") >= count and told in text


@each(
    "question, since, until",
    [
        ("chamber: what was the highest temperature on Nov 23?", "2026-11-23 00:00", "2026-11-23 23:59"),
        (
            "chamber: what was the lowest temperature since Nov 24 noon?",
            "2026-11-24 12:00",
            "2026-11-25 05:59",
        ),
        ("chamber 11月24日最高溫度是幾度？", "2026-11-24 00:00", "2026-11-24 23:59"),
    ],
)
def test_a_day_that_is_named_is_the_window_of_the_figures(chamber, tmp_path, question, since, until):
    text = said(chamber, tmp_path, question)
    assert since in text and until in text


@each(
    "question",
    [
        "chamber: highest temperature from 22:00 on Nov 23 to 06:00?",
        "chamber 11月23日晚上10點到早上6點最高溫度幾度？",
    ],
)
def test_a_span_past_midnight_ends_on_the_next_day(chamber, tmp_path, question):
    assert re.search("2026-11-23 22:00:00 (to|到) 2026-11-24 06:00:00", said(chamber, tmp_path, question))

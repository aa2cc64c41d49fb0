"""How long a programme took from one setpoint to the next, and at what rate, is told of the log."""

import random
import re
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from cases import each
from offline_case import asked

PROGRAMME = ((0, 25), (90, 25), (150, 85), (300, 85), (300, 25), (450, 25))  # minutes, setpoint: 1 °C/min up


def setpoint_at(minute: float) -> float:
    """Return the setpoint of the programme: straight from point to point."""
    for (begin, start), (end, stop) in pairwise(PROGRAMME):
        if begin <= minute < end:
            return start + (stop - start) * (minute - begin) / (end - begin)
    return PROGRAMME[-1][1]


@pytest.fixture(scope="module")
def chamber(tmp_path_factory):
    """Return a log of a chamber that follows its programme within a few minutes, a row each 10 s."""
    noise, start, pv = random.Random(3), datetime(2026, 11, 24), 25.0
    rows = ["Timestamp,Set Value [°C],Process Value [°C],Output [%]"]
    for number in range(PROGRAMME[-1][0] * 6):
        setpoint = setpoint_at(number / 6)
        pv += (setpoint - pv) * 0.1
        output = 20 + 0.5 * setpoint + 5 * (setpoint - pv)
        clock = start + timedelta(seconds=10 * number)
        rows.append(f"{clock},{setpoint:.1f},{pv + noise.gauss(0, 0.03):.2f},{output:.1f}")
    path = tmp_path_factory.mktemp("chamber") / "programme.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@each(
    "question, words, count",
    [
        ("how long from 25 to 85?", ["from 25 to 85 °C", "/min between", "ramped by +1 °C/min"], 1),
        ("is the ramp rate of 1 K/min held?", ["from 25 to 85 °C", "from 85 to 25 °C", "+1 °C/min"], 2),
        ("升溫速率多少？", ["由 25 到 85 °C", "每分鐘 +1 °C"], 2),
        ("how fast does it cool down from 85 to 25?", ["from 85 to 25 °C", "/min between"], 1),
    ],
)
def test_the_way_from_setpoint_to_setpoint_is_told_with_its_rate(tmp_path, chamber, question, words, count):
    answer = asked(question, tmp_path, attachments=(str(chamber),))
    assert "channel_metrics" in answer.tools
    figures = re.split("What the log has on that|What else happened|其餘依時間|記錄中與此有關", answer.text)[
        0
    ]
    assert len(re.findall(r"from \S+ to \S+ °C|由 \S+ 到 \S+ °C", figures)) == count  # ways
    for part in words:
        assert part in answer.text


def test_a_second_question_without_a_mark_is_answered_too(tmp_path, chamber):
    answer = asked("is it ok? and is the ramp rate held", tmp_path, attachments=(str(chamber),))
    assert "### 2." in answer.text and "°C/min" in answer.text

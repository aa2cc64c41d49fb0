"""A programme of fast steps, as of a thermal cycler: each way between setpoints once, with how often."""

import pytest
from cases import each
from offline_case import asked

from instrumentgpt.instruments.tools.analysis import channel_metrics
from instrumentgpt.instruments.workspace import workspace

CYCLE = ((95.0, 20), (58.0, 25), (72.0, 40))  # setpoint, s
CYCLES = 30


@pytest.fixture(scope="module")
def cycler(tmp_path_factory):
    """Return a workspace with a log of a loop that reaches each setpoint within seconds, a row a second."""
    folder = tmp_path_factory.mktemp("cycler")
    pv, rows = 25.0, ["time_s,setpoint_C,pv_C,output_%"]
    for setpoint, seconds in ((95.0, 180), *CYCLE * CYCLES, (72.0, 600)):
        for _ in range(seconds):
            pv += (setpoint - pv) * 0.3
            rows.append(f"{len(rows) - 1},{setpoint},{pv:.3f},{0.5 * setpoint + 2 * (setpoint - pv):.2f}")
    (folder / "cycler.csv").write_text("\n".join(rows) + "\n")
    return workspace(cache=str(folder / "cache"), attachments=[str(folder / "cycler.csv")])


@each("way, count", [((95.0, 58.0), CYCLES), ((58.0, 72.0), CYCLES), ((72.0, 95.0), CYCLES - 1)])
def test_each_way_between_setpoints_is_told_once_with_how_often_it_was_gone(cycler, way, count):
    moves = {
        (row["from"], row["to"]): row for row in channel_metrics(cycler, "cycler.csv")["channels"][0]["moves"]
    }
    assert moves[way]["count"] == count and moves[way]["seconds"] < 20


def test_a_short_setpoint_counts_as_held(cycler):
    holds = channel_metrics(cycler, "cycler.csv", each_hold=True)["channels"][0]["holds"]
    (hold,) = [one for one in holds if one["setpoint"] == 58.0]
    assert hold["count"] == CYCLES and hold["seconds"] == pytest.approx(CYCLES * 24.0)


@each(
    "question, told",
    [("how many cycles?", f"95 °C {CYCLES} times"), ("跑了幾個循環？", f"95 °C 共 {CYCLES} 次")],
)
def test_how_often_the_programme_came_round_is_said(cycler, tmp_path, question, told):
    file = str(cycler.attachments[0])
    assert told in asked(question, tmp_path, attachments=[file]).text

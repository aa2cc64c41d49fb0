"""The measured position of an actuator is told from its output, and what it does no longer follow is told."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cases import each

from instrumentgpt.instruments import wording
from instrumentgpt.instruments.analysis.position import followed_by
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.faults import LANGUAGES
from instrumentgpt.instruments.findings import Finding
from instrumentgpt.instruments.logs import Log, read_log
from instrumentgpt.instruments.understood import account

ROWS, BROKEN, PERIOD = 1200, 500, 5.0  # rows, the first row of a fault, s
Actuator = Callable[[float, float, int], float]  # output, position, row → position
HEADS = ("time,SP [degC],PV [degC],OUT [%],{}", "時間,設定值 [°C],實際值 [°C],輸出 [%],{}")


def follows(output: float, position: float, row: int) -> float:
    return output


def slow(output: float, position: float, row: int) -> float:
    return position + float(np.clip(output - position, -1.5, 1.5))


def sticks(output: float, position: float, row: int) -> float:
    return output if row < BROKEN or abs(output - position) > 9.0 else position


def jams(output: float, position: float, row: int) -> float:
    return output if row < BROKEN else position


def hangs_loose(output: float, position: float, row: int) -> float:
    return output if row < BROKEN else 12.0 + 6.0 * np.sin(row / 90.0)


def rows_of(actuator: Actuator, read: Callable[[float], float] = lambda position: position) -> list[str]:
    """Return the rows of a PI loop (time, setpoint, pv, output, position) that is stepped."""
    dice = np.random.default_rng(7)
    pv = temperature = 40.0
    position = output = integral = 40.0
    rows = []
    for row in range(ROWS):
        setpoint = 40.0 + (8.0 if row // 60 % 2 else 0.0) + (4.0 if row // 150 % 2 else 0.0)
        pv = temperature + dice.normal(0.0, 0.02)
        integral += 0.05 * (setpoint - pv)
        output = float(np.clip(2.0 * (setpoint - pv) + integral, 0.0, 100.0))
        position = actuator(output, position, row)
        temperature += PERIOD / 60.0 * (20.0 + 0.5 * position - temperature)
        shown = read(position + dice.normal(0.0, 0.1))
        rows.append(f"{row * PERIOD:.0f},{setpoint:.2f},{pv:.2f},{output:.1f},{shown:.1f}")
    return rows


def log_at(path: Path, head: str, rows: list[str]) -> Log:
    path.write_text("\n".join([head, *rows]), encoding="utf-8")
    return read_log(path)


def of_actuator(log: Log) -> list[Finding]:
    return [one for one in diagnose(log).findings if one.numbers.get("kind") in ("jumps", "stays")]


@each("actuator, kind", [(sticks, "jumps"), (jams, "stays"), (hangs_loose, "stays")])
@each("head", HEADS)
def test_an_actuator_that_follows_no_longer_is_named_and_no_gains(actuator, kind, head, tmp_path):
    log = log_at(tmp_path / "run.csv", head.format("ZT101 [%]"), rows_of(actuator))
    finding = diagnose(log).findings[0]
    assert (finding.fault, finding.numbers["kind"]) == ("limit_cycle_actuator", kind)
    assert 0.0 <= finding.onset - BROKEN * PERIOD < 120 * PERIOD
    lines = [item.line for item in finding.evidence]
    assert len(lines) > 1 and min(lines) > BROKEN
    named = {one.fault for one in diagnose(log).findings}
    assert not named & {"oscillation_tuning", "sluggish_tuning", "overshoot_tuning", "saturation"}


@each("actuator", [sticks, jams])
@each("language", LANGUAGES)
def test_that_is_said_with_its_numbers_and_that_it_is_mechanical(actuator, language, tmp_path):
    (finding,) = of_actuator(
        log_at(tmp_path / "run.csv", HEADS[0].format("valve feedback"), rows_of(actuator))
    )
    parts = (wording.summary, wording.cause, wording.action, wording.next_test)
    said = " ".join(part(finding, language) for part in parts)
    assert f"{finding.numbers['apart']:.1f} %" in said and not re.search(r"nan|\?", said)
    assert ("mechanical" if language == "en" else "機械問題") in said


@pytest.mark.parametrize(
    "actuator, read",
    [
        (follows, lambda position: position),
        (slow, lambda position: position),
        (follows, lambda position: 2.5 * round(position / 2.5)),
        (slow, lambda position: position + 4.0),
        (lambda output, position, row: output if abs(output - position) > 0.8 else position, lambda one: one),
    ],
    ids=["follows", "slow", "coarse", "slow with an offset", "small dead band"],
)
@each("head", HEADS)
def test_an_actuator_that_does_what_it_always_did_is_well(actuator, read, head, tmp_path):
    log = log_at(tmp_path / "run.csv", head.format("damper position [%]"), rows_of(actuator, read))
    assert log.of_loops[1]["position"] == 4 and log.of_loops[1]["output"] == 3
    assert of_actuator(log) == []


@each("name", ["ZT101 [%]", "Valve actual position [%]", "閥位 [%]", "column e"])
def test_a_position_is_no_output_no_pv_and_no_loop_of_its_own(name, tmp_path):
    log = log_at(tmp_path / "run.csv", HEADS[0].format(name), rows_of(slow))
    assert {number: dict(of) for number, of in log.of_loops.items() if number} == {
        1: {"pv": 2, "setpoint": 1, "output": 3, "position": 4}
    }
    assert any(name in line for line in account(log, "en"))
    assert log.beside == [name]  # which can be asked for


def test_a_position_is_not_the_output_of_the_loop_above(tmp_path):
    rows = [f"{row},{37.0 + (at % 7) / 100:.2f},37.00" for at, row in enumerate(rows_of(sticks))]
    head = "time,TIC205.SP [degC],TIC205.PV [degC],TIC205.OUT [%],ZT205 [%],TIC204.PV [degC],TIC204.SP [degC]"
    log = log_at(tmp_path / "run.csv", head, rows)
    assert "output" not in log.of_loops[204] and log.of_loops[205]["position"] == 4
    assert [one.channel for one in of_actuator(log)] == [205]


@each("other", ["55.0", "37.5"])
def test_a_second_actuator_that_stands_elsewhere_is_no_position(other, tmp_path):
    rows = [f"{row.rpartition(',')[0]},{other}" for row in rows_of(follows)]
    assert of_actuator(log_at(tmp_path / "run.csv", HEADS[0].format("damper position [%]"), rows)) == []


def test_a_valve_position_alone_is_the_output(tmp_path):
    rows = [row.rpartition(",")[0] for row in rows_of(follows)]
    log = log_at(tmp_path / "run.csv", "time,SP [degC],PV [degC],valve position [%]", rows)
    assert log.of_loops[1]["output"] == 3


def test_a_position_that_never_followed_measures_something_else():
    command = np.repeat([20.0, 40.0, 30.0, 60.0], 100)
    assert followed_by(np.full(400, 80.0), command) is None

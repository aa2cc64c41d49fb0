"""Lines that name their values: units glued to them, stamps without a year, lines between that are none."""

import os
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from cases import each

from instrumentgpt.instruments.logs import Log, UnreadableLog, read_log

ROWS = 900
START = datetime(2026, 11, 23, 9, 1)


def loop(two_sided: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return pv, setpoint and amperes of a small loop, `ROWS` samples 2 s apart."""
    rng, rows, pv, held = np.random.default_rng(4), [], 22.0, 0.0
    for row in range(ROWS):
        setpoint = 25.0 if row < 300 else (15.0 if two_sided else 40.0) if row < 600 else 30.0
        driven = float(np.clip(0.4 * (setpoint - pv) + held, -2.0 if two_sided else 0.0, 2.0))
        held += 0.02 * (setpoint - pv) * (abs(driven) < 2.0)
        rows.append((round(pv + rng.normal(0.0, 0.003), 3), setpoint, driven))
        pv += 2.0 * (22.0 - pv + 15.0 * driven) / 60.0
    return tuple(np.array(column) for column in zip(*rows, strict=True))  # type: ignore[return-value]


STAMPS = {
    "iso": lambda at: at.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
    "syslog": lambda at: at.strftime("%b %d %H:%M:%S") + " gc2 ovend[412]:",
    "clock": lambda at: at.strftime("%H:%M:%S"),
}
PELTIER = "T={:.3f}\tSET={:.3f}\tI={:+.3f}A\tV={:+.2f}V"
NAMED = {
    PELTIER: 1.0,
    "temp={:.3f}C, target={:.3f}C, I={:.0f}mA": 1000.0,
    "oven sp={1:.1f} act={0:.3f} P={2:.1f}W flap=shut": 20.0,
    "Tact={:.3f} Tset={:.3f} Vout={:+.2f}V": 5.0,
}


def written(
    folder: Path, form: str, factor: float, stamp: str, two_sided: bool = False, name: str = "run.log"
) -> Path:
    lines = ["# controller fw 2.07", "# 2026-11-23T09:01:00Z CMD PID 0.50,0.012,0"]
    for row, (pv, setpoint, driven) in enumerate(zip(*loop(two_sided), strict=True)):
        at = START + timedelta(seconds=2 * row)
        if row == 450:
            lines.append(f"{STAMPS[stamp](at)} READY to inject")
            lines.append(f"# {at.strftime('%Y-%m-%dT%H:%M:%SZ')} CMD PID 2.20,0.050,0")
        lines.append(f"{STAMPS[stamp](at)} {form.format(pv, setpoint, driven * factor, driven)}")
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / name


@each("form, factor", NAMED.items())
@each("stamp", STAMPS)
def test_values_with_a_glued_unit_are_read_and_what_answers_the_error_is_the_output(
    form, factor, stamp, tmp_path
):
    two_sided = form == PELTIER
    log = read_log(written(tmp_path, form, factor, stamp, two_sided))
    pv, setpoint, driven = loop(two_sided)
    samples = log.samples
    np.testing.assert_allclose(samples["pv"], pv, atol=1e-3)
    np.testing.assert_allclose(samples["setpoint"], setpoint, atol=1e-3)
    np.testing.assert_allclose(samples["output"], 100.0 * driven / np.abs(driven).max(), atol=1.5)
    np.testing.assert_allclose(samples["time"], 2.0 * np.arange(ROWS), atol=1e-6)
    assert "greatest value" in log.guessed["output"]


def test_lines_between_are_events_at_their_time_and_gains_in_them_are_known(tmp_path):
    log = read_log(written(tmp_path, PELTIER, 1.0, "iso", two_sided=True))
    ready = log.events[log.events["text"].str.contains("READY")]
    assert ready["time"].tolist() == [900.0] and log.broken.count == 0
    assert log.samples["kp"].iloc[[0, 449, 450, -1]].tolist() == [0.5, 0.5, 2.2, 2.2]
    assert log.samples["ki"].iloc[-1] == 0.05


@each("name, year", [("run.log", 2024), ("oven_20251123.log", 2025)])
def test_a_stamp_without_a_year_has_that_of_the_files_name_or_of_its_writing(name, year, tmp_path):
    path = written(tmp_path, PELTIER, 1.0, "syslog", name=name)
    os.utime(path, (datetime(2024, 12, 1).timestamp(),) * 2)
    assert str(read_log(path).start) == f"{year}-11-23 09:01:00"


def test_a_stamp_of_december_that_was_written_in_january_is_of_the_year_before(tmp_path):
    path = written(tmp_path, PELTIER, 1.0, "syslog")
    os.utime(path, (datetime(2025, 1, 3).timestamp(),) * 2)
    assert read_log(path).start.year == 2024


def read_with(path: Path, output: str) -> Log:
    return read_log(path, columns={"output": output})


def test_the_output_that_is_said_is_the_one_that_is_read_and_one_that_is_not_there_is_refused(tmp_path):
    path = written(tmp_path, PELTIER, 1.0, "iso", two_sided=True)
    current, voltage = (read_with(path, name).samples["output"] for name in ("I", "V"))
    assert current.min() < -20.0 and not np.array_equal(current, voltage)
    with pytest.raises(UnreadableLog, match="do not fit"):
        read_with(path, "im")

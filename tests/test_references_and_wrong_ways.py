"""A sensor beside what the log calls its reference, or a second one; an output that drives the wrong way."""

from pathlib import Path

import numpy as np
import pytest
from cases import each

from instrumentgpt.instruments.diagnosis import diagnose, rows
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.tools import TOOLS
from instrumentgpt.instruments.workspace import Workspace
from instrumentgpt.settings import CHECKOUT

RNG = np.random.default_rng(4)
ROOM, GAIN, LAG, STEP = 22.0, 1.2, 300.0, 10.0  # °C, °C per percent, s, s


def written(folder: Path, other: str, read, drift: float = 0.0, turned: float = 9e9) -> Path:
    """Write a bath at 40, 60 and 80 °C with another reading of it; `read` by (true, display, share passed).

    drift   °C that the display reads too low in the end
    turned  s from which the controller acts the wrong way
    """
    true, held, lines = ROOM, 20.0, [f"time,set,display,{other},output"]
    for number in range(3000):
        time, share = number * STEP, number / 3000
        setpoint = 60.0 if drift else 40.0 + 20.0 * int(3 * share)
        display = true - drift * max(0.0, share - 0.2) + RNG.normal(0, 0.02)
        error = (setpoint - display) * (1 if time < turned else -1)
        held = float(np.clip(held + 0.02 * error, 0, 100))
        output = float(np.clip(held + 4 * error, 0, 100))
        true += STEP / LAG * (ROOM + GAIN * output - true)
        true = max(true, -20.0)
        there = read(true, display, share) + RNG.normal(0, 0.02)
        lines.append(f"{time:.0f},{setpoint:.1f},{display:.2f},{there:.2f},{output:.1f}")
    path = folder / "bath.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def told(path: Path, fault: str) -> list[str]:
    """Return the kinds of the finding of a class in a log."""
    return [str(one.numbers.get("kind")) for one in diagnose(read_log(path)).findings if one.fault == fault]


@each(
    "head, read, drift, kind",
    [
        ("reference thermometer", lambda true, display, share: 22 + (true - 22) * 0.95, 0.0, "named"),
        ("參考溫度", lambda true, display, share: 22 + (true - 22) * 0.95, 0.0, "named"),
        ("ref", lambda true, display, share: true, 2.0, "named_drift"),
        ("probe 2", lambda true, display, share: 22 + (true - 22) * 0.95, 0.0, None),  # a cooler place
        ("ref junction", lambda true, display, share: 24 + share, 0.0, None),  # of something else
        ("reference thermometer", lambda true, display, share: true + 0.05, 0.0, None),
    ],
)
def test_a_sensor_is_off_where_what_the_log_calls_its_reference_says_so(head, read, drift, kind, tmp_path):
    path = written(tmp_path, head, read, drift)
    assert told(path, "sensor_bias") == ([kind] if kind else [])


@each(
    "arguments, kinds",
    [
        ({"turned": 6000.0}, ["reversed"]),  # a controller that acts the other way from some time on
        ({}, []),
    ],
)
def test_an_output_that_drives_its_plant_the_wrong_way_is_told_and_no_relay_is_blamed(
    arguments, kinds, tmp_path
):
    path = written(tmp_path, "room", lambda true, display, share: ROOM, **arguments)
    assert told(path, "sensors_swapped") == kinds
    assert not (kinds and told(path, "runaway_stuck_on") + told(path, "heater_failure"))


def exchanged(folder: Path) -> Path:
    """Write two trials of a Peltier whose leads are exchanged: to 10 °C, cut off at 60, and to 40 °C."""
    lines = ["time,set,temp,output"]
    for trial, (setpoint, true) in enumerate(((10.0, 25.0), (40.0, 32.0))):
        for number in range(300):
            output = float(np.clip(8 * (setpoint - true), -100, 100))
            lines.append(f"{300 * trial + number},{setpoint},{true + RNG.normal(0, 0.02):.2f},{output:.1f}")
            true += (25.0 - 0.5 * output - true) / 40.0
            if true > 60:
                break
    path = folder / "tec.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_plant_that_goes_the_wrong_way_at_both_limits_has_its_leads_exchanged(tmp_path):
    path = exchanged(tmp_path)
    assert told(path, "sensors_swapped") == ["both"]
    assert not told(path, "runaway_stuck_on") + told(path, "heater_failure")


@pytest.mark.parametrize("language", ["en", "zh"])
@each(
    "head, arguments",
    [
        ("reference", {"drift": 0.0}),
        ("reference", {"drift": 2.0}),
        ("room", {"turned": 6000.0}),
        ("", {}),
    ],
)
def test_each_of_them_is_told_with_cause_action_and_test_in_both_languages(
    head, arguments, language, tmp_path
):
    path = written(tmp_path, head, lambda true, display, share: 22 + (true - 22) * 0.95, **arguments)
    path = exchanged(tmp_path) if not head else path
    assert rows(diagnose(read_log(path)), language)
    work = Workspace(CHECKOUT / "demo" / "devices.toml", tmp_path / "cache", tmp_path / "made", (path,))
    for finding in TOOLS["diagnose_log"](work, log=path.name, language=language)["findings"]:
        assert all(finding[name] for name in ("summary", "cause", "action", "next_test"))

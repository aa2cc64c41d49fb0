"""Lines that name their values: units glued to them, stamps without a year, lines between that are none."""

import json
import os
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from cases import each

from instrumentgpt.instruments.logs import Log, UnreadableLog, read_log

ROWS = 900
START = datetime(2026, 11, 23, 9, 1)


@cache
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
YEARLESS = {
    "syslog": STAMPS["syslog"],
    "day behind": lambda at: at.strftime("%m-%d %H:%M:%S"),
    "dots": lambda at: at.strftime("%d.%m. %H:%M:%S"),
    "slash, day first": lambda at: at.strftime("[%d/%m %H:%M:%S.000]"),
    "day and name": lambda at: at.strftime("%d %b %H:%M:%S"),
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


@each(
    "form, factor, stamp",
    [(*named, stamp) for named, stamp in zip(NAMED.items(), [*STAMPS, "iso"], strict=True)],
)
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


def dated(folder: Path, stamp: str, start: datetime, modified: datetime, name: str = "run.log") -> Log:
    """Return a log of an hour with an event, its stamps without a year."""
    stamps = (YEARLESS[stamp](start + timedelta(seconds=10 * row)) for row in range(360))
    lines = [f"{at} SET=25.0 ACT={25 + row % 7 / 100} OUT={row % 9}" for row, at in enumerate(stamps)]
    lines.insert(180, f"{YEARLESS[stamp](start + timedelta(seconds=1797))} [ALM] 07 ACT 24.1 LOW")
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.utime(folder / name, (modified.timestamp(),) * 2)
    return read_log(folder / name)


@each(
    "stamp, name, modified, year",
    [
        *((stamp, "run.log", datetime(2024, 12, 1), 2024) for stamp in YEARLESS),
        ("syslog", "run.log", datetime(2025, 1, 3), 2024),
        ("dots", "oven_20251123.log", datetime(2026, 12, 1), 2025),
        ("day and name", "chamber_2025.log", datetime(2026, 12, 1), 2025),
    ],
)
def test_a_stamp_without_a_year_has_that_of_the_files_name_or_of_its_writing(
    stamp, name, modified, year, tmp_path
):
    log = dated(tmp_path, stamp, START, modified, name)
    assert str(log.start) == f"{year}-11-23 09:01:00"
    assert log.events[["time", "level"]].values.tolist() == [[1797.0, "error"]]


@each("stamp", YEARLESS)
def test_a_year_without_a_stamp_goes_on_over_new_year(stamp, tmp_path):
    log = dated(tmp_path, stamp, datetime(2025, 12, 31, 23, 40), datetime(2026, 3, 1))
    assert str(log.start) == "2025-12-31 23:40:00" and not log.clock_steps
    np.testing.assert_allclose(log.samples["time"], 10.0 * np.arange(360))
    assert log.events["time"].tolist() == [1797.0]


TWO_LOOPS = [
    "[CHB] T {0:6.2f} SV {1:.2f} HE {2:3.0f}% | H {3:5.1f} SV {4:.1f} HU {5:3.0f}% | FAN ON",
    "T {0:.2f} SV {1:.1f} MV {2:.1f} H {3:.2f} SV {4:.1f} MV {5:.1f}",
    "SP={1:.1f}/PV={0:.2f}/OUT={2:.1f}  SP={4:.1f}/RH={3:.2f}/OUT={5:.1f}",
    "n7 temp {0:.2f}C set {1:.1f}C heat {2:.0f}% / hum {3:.1f}% set {4:.1f}% mist {5:.0f}%",
    "T {0:.2f} SV {1:.1f} ; RH {3:.2f} SV {4:.1f} ; HM {5:.1f}% HT {2:.1f}%",
    "T={0:.2f} T_SV={1:.1f} RH={3:.2f} RH_SV={4:.1f} HT={2:.1f}% HM={5:.1f}%",
    "Temperature: {0:.2f} C, Temperature setpoint: {1:.1f} C, Humidity: {3:.2f} %RH, "
    "Humidity setpoint: {4:.1f} %RH, Humidifier: {5:.0f} %, Heater: {2:.0f} %",
    "[溫度 {0:.2f} 設定 {1:.1f} 加熱 {2:.1f}%] [濕度 {3:.2f} 設定 {4:.1f} 加濕 {5:.1f}%]",
]


@each("form", TWO_LOOPS)
def test_values_named_alike_belong_to_the_loop_they_stand_in_and_outputs_to_the_loop_they_drive(
    form, tmp_path
):
    (pv, setpoint, driven), (damp, asked, steam) = loop(two_sided=False), loop(two_sided=True)
    whole = (pv, setpoint, 50.0 * driven, damp + 40.0, asked + 40.0, 50.0 + 25.0 * steam)
    of_loops = [values[: ROWS // 2] for values in whole]
    lines = [
        f"{STAMPS['iso'](START + timedelta(seconds=2 * row))} {form.format(*values)}"
        for row, values in enumerate(zip(*of_loops, strict=True))
    ]
    lines.insert(300, f"{STAMPS['iso'](START + timedelta(seconds=600))} ALM 07 T 25.1 DEV LOW")
    (tmp_path / "chamber.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    log = read_log(tmp_path / "chamber.log")
    assert [log.unit_of(number) for number in (1, 2)] == ["°C", "%RH"]
    for number, part in log.samples.groupby("channel"):
        for role, values in zip(("pv", "setpoint", "output"), of_loops[3 * number - 3 :], strict=False):
            np.testing.assert_allclose(part[role], values, atol=0.51 if role == "output" else 0.06)
    assert log.events["level"].tolist() == ["error"] and log.samples["channel"].nunique() == 2


def test_readings_named_alike_are_of_the_loops_whose_setpoints_have_a_word_before_them(tmp_path):
    (pv, asked, driven), (low, lower, drawn) = loop(two_sided=False), loop(two_sided=True)
    form = "{} | UP sv={:.1f} pv={:.3f} out={:.1f} | LO sv={:.1f} pv={:.3f} out={:.1f}"
    rows = zip(asked, pv, 50.0 * driven, lower, low, 50.0 + 25.0 * drawn, strict=True)
    lines = [
        form.format(STAMPS["clock"](START + timedelta(seconds=2 * at)), *row) for at, row in enumerate(rows)
    ]
    (tmp_path / "press.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    up, down = (part for _, part in read_log(tmp_path / "press.log").samples.groupby("channel"))
    np.testing.assert_allclose(up[["setpoint", "pv"]], np.column_stack([asked, pv]), atol=1e-3)
    np.testing.assert_allclose(down[["setpoint", "pv"]], np.column_stack([lower, low]), atol=1e-3)
    assert up["output"].max() == down["output"].max() == 100.0


def test_a_number_in_percent_behind_a_heater_is_its_output_and_no_channel(tmp_path):
    pv, setpoint, driven = loop(two_sided=False)
    lines = [
        f"{STAMPS['iso'](START + timedelta(seconds=2 * row))} "
        f"Target: {setpoint[row]:.1f} C, Temp: {pv[row]:.2f} C, Heater: {50 * driven[row]:.0f} %"
        for row in range(ROWS)
    ]
    (tmp_path / "oven.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    samples = read_log(tmp_path / "oven.log").samples
    assert set(samples["channel"]) == {1} and samples["output"].max() == 100.0


def read_with(path: Path, output: str) -> Log:
    return read_log(path, columns={"output": output})


def test_the_output_that_is_said_is_the_one_that_is_read_and_one_that_is_not_there_is_refused(tmp_path):
    path = written(tmp_path, PELTIER, 1.0, "iso", two_sided=True)
    current, voltage = (read_with(path, name).samples["output"] for name in ("I", "V"))
    assert current.min() < -20.0 and not np.array_equal(current, voltage)
    with pytest.raises(UnreadableLog, match="do not fit"):
        read_with(path, "im")


LINES = {
    "{at:%Y-%m-%dT%H:%M:%S} unit 7; T: {pv:.2f}C; SP: 37.00C; duty {out:.0f}%": ("T", "duty"),
    "{{'seq': {row}, 'temp': {pv:.2f}, 'sp': 37.0, 'out': {out:.0f}}}": ("temp", "out"),
    "ts={at:%Y-%m-%dT%H:%M:%S} n={row} meas={pv:.2f} w=37.0 out={out:.0f} st=OK": ("meas", "out"),
    "{at:%H:%M:%S} id=12 seq={row} x={pv:.2f} y={out:.0f} w=37.0": ("x", "y"),
}


@each("line", LINES)
def test_of_named_values_the_one_that_is_a_reading_is_read_and_each_can_be_stated_by_its_name(line, tmp_path):
    rng = np.random.default_rng(5)
    pv, out = np.round(37 + rng.normal(0, 0.05, 90), 2), np.round(rng.uniform(10, 30, 90))
    at = [START + timedelta(seconds=5 * row) for row in range(90)]
    written = [line.format(at=at[row], row=row, pv=pv[row], out=out[row]) for row in range(90)]
    (tmp_path / "run.log").write_text("\n".join(written) + "\n", encoding="utf-8")
    read, output = LINES[line]
    for columns in (None, {"pv": read, "output": f"“{output}”"}):
        samples = read_log(tmp_path / "run.log", columns=columns).samples
        assert samples["pv"].to_numpy() == pytest.approx(pv)
        assert samples["output"].to_numpy() == pytest.approx(out)


def test_lines_that_take_turns_are_of_a_loop_each_though_events_come_between(tmp_path):
    pv, setpoint, driven = loop(two_sided=False)
    lines = []
    for row in range(ROWS):
        stamp = (START + timedelta(seconds=2 * row)).strftime("%Y-%m-%dT%H:%M:%S")
        for tank, warmer in (("T1", 0.0), ("T2", 5.0)):
            values = f"pv={pv[row] + warmer:.2f}C sp={setpoint[row] + warmer}C duty={50 * driven[row]:.0f}%"
            lines.append(f"{stamp} plc01 tank={tank} {values}")
        lines += [f"{stamp} plc01 tank=T2 event=LOADOUT_START truck"] * (row % 40 == 7)
    (tmp_path / "tanks.log").write_text("\n".join(lines))
    log = read_log(tmp_path / "tanks.log")
    for channel, warmer in ((1, 0.0), (2, 5.0)):
        own = log.samples[log.samples["channel"] == channel]
        assert own["pv"].tolist() == pytest.approx((pv + warmer).tolist(), abs=0.006)
    assert log.events["text"].str.contains("LOADOUT").sum() == len(range(7, ROWS, 40))


def test_messages_of_several_things_are_of_the_thing_that_their_topic_names(tmp_path):
    pv, setpoint, driven = loop(two_sided=False)
    order, lines = np.random.default_rng(1).integers(0, 2, ROWS), []
    for row, thing in enumerate(order.tolist()):
        values = {"temperature": round(pv[row] + 5 * thing, 2), "setpoint": setpoint[row] + 5 * thing}
        stamp = (START + timedelta(seconds=2 * row)).isoformat()
        lines.append(
            json.dumps({"ts": stamp, "topic": f"home/room{thing}", "payload": values | {"duty": driven[row]}})
        )
    (tmp_path / "rooms.jsonl").write_text("\n".join(lines))
    samples = read_log(tmp_path / "rooms.jsonl").samples
    for thing in (0, 1):
        own = samples[samples["channel"] == samples["channel"].unique()[int(order[0] != thing)]]
        assert own["pv"].tolist() == pytest.approx((pv[order == thing] + 5 * thing).round(2).tolist())

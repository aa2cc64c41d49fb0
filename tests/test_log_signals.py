"""Lines that name one signal each are read by their names: ids, counters and qualities are no readings."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from cases import each

from instrumentgpt.instruments.logs import read_log

BEGIN = datetime(2026, 7, 4, 9, 0)
LAYOUTS = (
    "{at:%Y-%m-%d %H:%M:%S} [{id}] {name} = {value} {unit} Good",
    "[{id:#x}] {at:%d.%m.%Y %H:%M:%S} {name}: {value}",
    "{row:06d} {at:%Y-%m-%dT%H:%M:%S} {name} {id} {value} 192",
    "{seconds:.2f}\t{id:#x}\t{name}\t{value}\t{unit}",
    "{at:%Y/%m/%d %H:%M:%S};{id};{name};{comma};GOOD",
    "{at:%H:%M:%S} | {id} | {name} | {value} {unit}",
)
NAMES = (
    ("TIC{loop}01.PV", "TIC{loop}01.SP", "TIC{loop}01.OP"),
    ("TIC-{loop}01/PV", "TIC-{loop}01/SV", "TIC-{loop}01/MV"),
    ("Line2.Zone{loop}_Istwert", "Line2.Zone{loop}_Sollwert", "Line2.Zone{loop}_Stellgrad"),
    ("爐{loop}實際溫度", "爐{loop}設定溫度", "爐{loop}輸出"),
)


def written(path, layout, names, on_change):
    """Write a log of two loops; return the values of each of their signals."""
    told, lines, last = {}, [], {}
    for row in range(50):
        for loop, level in ((1, 40.0), (2, 160.0)):
            of = (
                level + 5 * np.exp(-row / 20) + 0.01 * (row % 3),
                level + 2.0 * (row > 30),
                30 + 9 * np.sin(row / 9),
            )
            for number, (name, value) in enumerate(zip(names, of, strict=True), start=3 * loop):
                value, full = round(float(value), 2), name.format(loop=loop)
                told.setdefault((loop, number % 3), []).append(value)
                if on_change and last.get(full) == value:
                    continue
                last[full] = value
                at = BEGIN + timedelta(seconds=10 * row)
                fields = {
                    "at": at,
                    "seconds": 10.0 * row,
                    "id": 400 + number,
                    "name": full,
                    "row": len(lines),
                }
                unit = "%" if number % 3 == 2 else "C"
                fields |= {"value": value, "comma": str(value).replace(".", ","), "unit": unit}
                lines.append(layout.format(**fields))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return told


@each("layout", LAYOUTS)
def test_each_loop_of_a_log_of_one_signal_a_line_has_its_setpoint_pv_and_output(layout, tmp_path):
    names = NAMES[LAYOUTS.index(layout) % len(NAMES)]
    for on_change in (False, True):
        told = written(tmp_path / "run.log", layout, names, on_change)
        log = read_log(tmp_path / "run.log")
        channels = sorted(log.samples["channel"].unique())
        assert len(channels) == 2, log.channel_names
        for loop, channel in enumerate(channels, start=1):
            rows = log.samples[log.samples["channel"] == channel]
            at = np.round(rows["time"] / 10).astype(int).to_numpy()
            for place, role in enumerate(("pv", "setpoint", "output")):
                values = np.array(told[loop, place])[at]
                assert rows[role].to_numpy()[1:] == pytest.approx(values[1:]), (on_change, role)


def test_the_number_of_a_tag_is_no_reading_whatever_its_column_is_called(tmp_path):
    rows = (
        f"{BEGIN + timedelta(seconds=row)};{number};{name};{value:.1f}".replace(".", ",")
        for row in range(60)
        for number, name, value in (
            (7, "Ofen Ist", 40 + row / 9),
            (8, "Ofen Soll", 45),
            (950, "Ofen Stellgrad", row),
        )
    )
    (tmp_path / "run.csv").write_text("\n".join(["Zeit;Nr;Variable;Inhalt", *rows]), encoding="utf-8")
    samples = read_log(tmp_path / "run.csv").samples
    assert samples["setpoint"].unique().tolist() == [45.0]
    assert samples["pv"].iloc[-1] == pytest.approx(40 + 59 / 9, abs=0.06)


def test_a_line_that_only_says_something_is_no_signal(tmp_path):
    written(tmp_path / "run.log", LAYOUTS[0], NAMES[0], on_change=False)
    lines = (tmp_path / "run.log").read_text(encoding="utf-8").splitlines()
    lines.insert(100, "2026-07-04 09:02:47 Controller restarted after 3 s")
    (tmp_path / "run.log").write_text("\n".join(lines), encoding="utf-8")
    log = read_log(tmp_path / "run.log")
    assert len(log.channel_names) == 2
    assert log.events["text"].tolist() == ["2026-07-04 09:02:47 Controller restarted after 3 s"]


def test_lines_of_one_loop_with_all_its_values_are_no_signals(tmp_path):
    lines = (
        f"09:{row:02d}:00 unit 7; T: {36.9 + row % 9 / 100:.2f}C; SP: 37.00C; duty {row % 4}%"
        for row in range(60)
    )
    (tmp_path / "run.log").write_text("\n".join(lines), encoding="utf-8")
    log = read_log(tmp_path / "run.log")
    assert len(log.samples) == 60
    assert log.samples["setpoint"].unique().tolist() == [37.0]

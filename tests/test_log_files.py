"""Files as people hand them over: spreadsheets, Parquet, JSON, dashboards, roast profiles, terminals."""

import json
import zipfile
from datetime import datetime, timedelta
from itertools import pairwise

import numpy as np
import openpyxl
import pandas as pd
import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st

from instrumentgpt.__main__ import main
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.logs import read_lines, read_log
from instrumentgpt.instruments.reading.transcripts import unpacked

NAMES = ("time", "setpoint", "pv", "output")
NAMES_ZH = ("時間", "設定溫度", "溫度", "輸出")
BEGUN = datetime(2026, 2, 13, 5, 4, 52)
EPOCH = 1_770_959_092
TIME = np.arange(60) * 2.0
SETPOINT = np.where(TIME < 60, 40.0, 55.5)
PV = np.round(SETPOINT - 15 * np.exp(-(TIME % 60) / 20), 2)
OUTPUT = np.round(np.clip(8 * (SETPOINT - PV) + 30, 0, 100), 1)
COLUMNS = (TIME, SETPOINT, PV, OUTPUT)
ROWS = [tuple(map(float, row)) for row in zip(*COLUMNS, strict=True)]
FRAME = pd.DataFrame(dict(zip(NAMES, COLUMNS, strict=True)))


def clock(second):
    return (BEGUN + timedelta(seconds=second)).isoformat(" ")


def assert_is_the_run(log, first_line=2):
    assert log.samples["time"].tolist() == TIME.tolist()
    for name, values in zip(NAMES[1:], COLUMNS[1:], strict=True):
        assert log.samples[name].tolist() == pytest.approx(values.tolist()), name
    assert log.samples["line"].tolist() == list(range(first_line, first_line + len(TIME)))
    assert log.missing == ()


def as_spreadsheet(path, names, rows):
    book = openpyxl.Workbook()
    for row in [names, *rows]:
        book.active.append(list(row))
    book.save(path)


def as_lines(path, names, rows, delimiter=",", comma="."):
    cells = [[str(cell).replace(".", comma) for cell in row] for row in rows]
    path.write_text("\n".join(map(delimiter.join, [names, *cells])) + "\n", encoding="utf-8")


def as_json(path, document):
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")


def objects(names, rows):
    return [dict(zip(names, row, strict=True)) for row in rows]


WRITERS = {
    "comma": as_lines,
    "semicolon and decimal comma": lambda path, names, rows: as_lines(path, names, rows, ";", ","),
    "JSON lines": lambda path, names, rows: path.write_text(
        "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects(names, rows)), encoding="utf-8"
    ),
    "JSON array": lambda path, names, rows: as_json(path, objects(names, rows)),
    "JSON columns": lambda path, names, rows: as_json(
        path, dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    ),
    "spreadsheet": as_spreadsheet,
    "Parquet": lambda path, names, rows: pd.DataFrame(rows, columns=list(names)).to_parquet(path),
}
STEPS = st.lists(st.integers(-400, 400), min_size=5, max_size=40).filter(lambda steps: len(set(steps)) > 2)


@settings(max_examples=8)
@given(steps=STEPS, names=st.sampled_from([NAMES, NAMES_ZH]), start=st.sampled_from([0.0, EPOCH]))
def test_a_table_reads_the_same_however_it_is_written(steps, names, start, tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    pv = np.round(40 + np.cumsum(steps) / 100, 2)
    rows = [(start + 2.5 * at, 40.0, float(value), float(at % 7 * 10)) for at, value in enumerate(pv)]
    frames = {}
    for kind, write in WRITERS.items():
        write(folder / kind, names, rows)
        log = read_log(folder / kind)
        frames[kind] = log.samples.drop(columns="line")
        assert log.samples["line"].tolist() == list(
            range(2, 2 + len(rows)) if kind != "JSON lines" else range(1, 1 + len(rows))
        )
    for one, other in pairwise(frames):
        pd.testing.assert_frame_equal(frames[one], frames[other], obj=f"{one}, {other}")
    assert frames["comma"]["pv"].tolist() == pv.tolist()
    assert frames["comma"]["time"].tolist() == [2.5 * at for at in range(len(rows))]


def test_a_sheet_with_a_title_and_a_line_of_units_keeps_its_row_numbers(tmp_path):
    book = openpyxl.Workbook()
    book.create_sheet("Notes").append(["run of Monday"])
    for row in [["Oven 3"], [], ["Zeit", "Sollwert", "Istwert", "Leistung"], ["min", "°F", "°F", "%"], *ROWS]:
        book.active.append(list(row))
    book.save(tmp_path / "oven.xlsx")
    log = read_log(tmp_path / "oven.xlsx")
    assert log.format == "table (spreadsheet, header)" and log.unit == "°F"
    assert log.samples["time"].iloc[1] == 120.0 and log.samples["line"].iloc[0] == 5
    assert read_lines(tmp_path / "oven.xlsx", 5, 5, cache=tmp_path / "kept") == [(5, "0\t40\t25\t100")]


def test_dates_of_a_spreadsheet_and_of_parquet_give_the_wall_clock(tmp_path):
    rows = [(BEGUN + timedelta(seconds=row[0]), *row[1:]) for row in ROWS]
    as_spreadsheet(tmp_path / "run.xlsx", NAMES, rows)
    pd.DataFrame(rows, columns=list(NAMES)).set_index("time").to_parquet(tmp_path / "run.parquet")
    for name in ("run.xlsx", "run.parquet"):
        log = read_log(tmp_path / name)
        assert_is_the_run(log)
        assert log.clock(2.0) == "2026-02-13 05:04:54.000"


SERIES = tuple(zip(("setpoint", "oven temperature", "output"), COLUMNS[1:], strict=True))
DASHBOARDS = {
    "Grafana JSON": [
        {"target": name, "datapoints": [[v, 1000 * (EPOCH + t)] for t, v in zip(TIME, values, strict=True)]}
        for name, values in SERIES
    ],
    "Grafana frames": {
        "schema": {"fields": [{"name": "time"}, *({"name": name} for name, _ in SERIES)]},
        "data": {"values": [(1000 * (EPOCH + TIME)).tolist(), *(values.tolist() for _, values in SERIES)]},
    },
    "Prometheus": {
        "data": {
            "result": [
                {
                    "metric": {"__name__": name},
                    "values": [[EPOCH + t, str(v)] for t, v in zip(TIME, values, strict=True)],
                }
                for name, values in SERIES
            ]
        }
    },
}


@each("kind", list(DASHBOARDS))
def test_a_dashboard_s_json_is_read(kind, tmp_path):
    as_json(tmp_path / "export.json", DASHBOARDS[kind])
    log = read_log(tmp_path / "export.json")
    assert_is_the_run(log)
    assert log.channel_names == {1: "oven temperature"} and log.clock(0) == f"{clock(0)}.000"


def influx(second, table, name, value):
    stamp = clock(second).replace(" ", "T")
    return f",,{table},2026-02-13T00:00:00Z,2026-02-14T00:00:00Z,{stamp}Z,{value},{name},oven,lab"


def test_an_annotated_csv_of_influxdb_is_made_wide(tmp_path):
    lines = [
        "#datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,dateTime:RFC3339,double,string,string,string"
    ]
    lines += ["#default,_result,,,,,,,,", ",result,table,_start,_stop,_time,_value,_field,_measurement,site"]
    for table, (name, values) in enumerate(SERIES):
        lines += [influx(second, table, name, value) for second, value in zip(TIME, values, strict=True)]
    (tmp_path / "query.csv").write_text("\n".join(lines), encoding="utf-8")
    log = read_log(tmp_path / "query.csv")
    assert_is_the_run(log, first_line=4)
    assert log.clock(0) == f"{clock(0)}.000"


@each("head", ["Series;Time;Value", "名稱;時間;數值"])
def test_of_one_value_a_row_those_reported_seldom_hold(head, tmp_path):
    """The setpoint is told when it changes, the output every other time."""
    order = [1, 0, 2] if head.startswith("Series") else [0, 1, 2]
    lines = [head]
    for at, (time, setpoint, pv, output) in enumerate(ROWS):
        for name, value, told in (
            ("setpoint", setpoint, at in (0, 30)),
            ("temp", pv, True),
            ("output", output, at % 2 == 0),
        ):
            cells = [name, clock(time), str(value)]
            lines += [";".join(cells)] if told else []
    (tmp_path / "grafana.csv").write_text("\n".join(lines), encoding="utf-8")
    log = read_log(tmp_path / "grafana.csv")
    assert sorted(order) == [0, 1, 2] and log.samples["pv"].tolist() == PV.tolist()
    assert log.samples["setpoint"].tolist() == SETPOINT.tolist()
    assert log.samples["output"].tolist() == [OUTPUT[at - at % 2] for at in range(len(ROWS))]


def test_cells_with_their_units_are_numbers_and_tell_them(tmp_path):
    rows = [f"{clock(time)},{setpoint} °F,{pv} °F,{output}%" for time, setpoint, pv, output in ROWS]
    (tmp_path / "grafana.csv").write_text(
        "\n".join(['"Time","oven set","oven temp","heater"', *rows]), encoding="utf-8"
    )
    log = read_log(tmp_path / "grafana.csv")
    assert_is_the_run(log)
    assert log.unit == "°F" and log.output_scale == 1.0 and "output" not in log.guessed


PROFILE = {
    "mode": "F",
    "timex": TIME.tolist(),
    "temp1": [-1.0] * 60,
    "temp2": PV.tolist(),
    "title": "it's a roast",
    "etypes": ["Air", "Drum", "Damper", "Burner", "--"],
    "specialevents": [0, 0, 20, 40],
    "specialeventstype": [0, 3, 3, 0],
    "specialeventsvalue": [3.0, 11.0, 5.0, 0.0],
}


def test_a_roast_profile_is_beans_and_burner(tmp_path):
    (tmp_path / "roast.alog").write_text(repr(PROFILE), encoding="utf-8")
    log = read_log(tmp_path / "roast.alog")
    beans = log.samples[log.samples["channel"] == 1]
    assert log.channel_names == {1: "BT (°F)", 2: "ET (°F)"} and log.missing == ("setpoint",)
    assert beans["pv"].tolist() == PV.tolist() and beans["output"].tolist() == [100] * 20 + [40] * 40
    assert [(one.channel, one.value, one.count) for one in log.placeholders] == [(2, -1.0, 60)]


@each(
    "text",
    [
        "__import__('os').system('touch ran')",
        "{'timex': __import__('os').system('touch ran'), 'temp1': [1], 'temp2': [1]}",
        "{'timex': " + "[" * 5000,
        "{'a'" + ": {'a'" * 5000,
        repr({"timex": {"a": 1}, "temp1": "x", "temp2": 5}),
    ],
)
def test_a_profile_is_never_run(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roast.alog").write_text(text, encoding="utf-8")
    with pytest.raises(InstrumentGPTError):
        read_log(tmp_path / "roast.alog")
    assert [path.name for path in tmp_path.iterdir()] == ["roast.alog"]


TERMINALS = {
    "with arrows": lambda time, *cells: (
        f"05:{time // 60:02.0f}:{time % 60:06.3f} -> {cells[0]},{cells[1]},{cells[2]}"
    ),
    "labelled": lambda time, setpoint, pv, output: (
        f"{clock(time)}  Temp: {pv} C  Set: {setpoint} C  Heater: {output}%"
    ),
    "equals": lambda time, setpoint, pv, output: f"{clock(time)} T={pv} target={setpoint} PWM={output}",
    "in Chinese": lambda time, setpoint, pv, output: (
        f"{clock(time)} 溫度：{pv} 設定：{setpoint} 輸出：{output}"
    ),
    "nested JSON": lambda time, setpoint, pv, output: json.dumps(
        {"ts": EPOCH + time, "oven": {"temp": pv, "set": setpoint}, "duty": output}
    ),
}


@each("kind", list(TERMINALS))
def test_what_a_terminal_showed_is_read(kind, tmp_path):
    (tmp_path / "dump.txt").write_text("\n".join(TERMINALS[kind](*row) for row in ROWS), encoding="utf-8")
    assert_is_the_run(read_log(tmp_path / "dump.txt"), first_line=1)


def test_five_rows_are_a_table(tmp_path):
    as_lines(tmp_path / "pasted.csv", NAMES, ROWS[:5])
    assert read_log(tmp_path / "pasted.csv").samples["pv"].tolist() == PV[:5].tolist()


def test_one_log_in_a_zip_is_read_and_of_several_each(tmp_path, capsys):
    as_lines(tmp_path / "run.csv", NAMES, ROWS)
    with zipfile.ZipFile(tmp_path / "one.zip", "w") as packed:
        packed.write(tmp_path / "run.csv", "logs/run.csv")
        packed.writestr("__MACOSX/._run.csv", "x")
    assert_is_the_run(read_log(tmp_path / "one.zip"))
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as packed:
        for name in ("a.csv", "b.csv"):
            packed.write(tmp_path / "run.csv", name)
    with pytest.raises(InstrumentGPTError, match=r"2 logs: a\.csv, b\.csv"):
        read_log(tmp_path / "two.zip")
    main(["diagnose", str(tmp_path / "two.zip")])
    assert [
        line.partition(":")[0].rpartition("/")[2]
        for line in capsys.readouterr().out.splitlines()
        if "lines" in line
    ][:2] == ["a.csv", "b.csv"]


def test_names_in_a_zip_lead_nowhere_else(tmp_path):
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as packed:
        for name in ("../../hidden.csv", "/etc/out.csv", "a/out.csv"):
            packed.writestr(name, "time,temp\n")
    found = unpacked(tmp_path / "bad.zip", tmp_path / "kept")
    assert [path.name for path in found] == ["out.csv", "1_out.csv"]
    assert {path.parent.parent for path in found} == {tmp_path / "kept"} and all(
        path.exists() for path in found
    )


@each(
    "content, told",
    [
        (b"PK\x03\x04 cut off", "starts as a .zip does"),
        (b"PAR1 cut off", "starts as Parquet does"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old kind"),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"SQLite format 3\x00", "SQLite"),
        (b'{"note": "nothing in here", "list": []}', "JSON document without a list of samples"),
        (b"door=1 lamp=0\ndoor=0 lamp=1\n", "name door, lamp"),
        (
            b"time,setpoint,temperature,output\n",
            r"head of a table \(time, setpoint, temperature, output\), but no",
        ),
        (b"# run 7\nZeit;Sollwert;Istwert\n\n", r"head of a table \(Zeit, Sollwert, Istwert\), but no rows"),
    ],
)
def test_what_cannot_be_read_is_named_with_what_it_is(content, told, tmp_path):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(InstrumentGPTError, match=told):
        read_log(tmp_path / "file")


def test_a_spreadsheet_bomb_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/workbook.xml", "<workbook/>")
        packed.writestr("xl/worksheets/sheet1.xml", b" " * 80_000_000)
    with pytest.raises(InstrumentGPTError, match="times as much"):
        read_log(tmp_path / "bomb.xlsx")


def german(begun):
    """Return what a German Excel saves: a title, units, decimal commas, in the code page of Windows."""
    rows = [
        f"{begun + timedelta(seconds=time):%d.%m.%Y;%H:%M:%S};" + ";".join(map(str, cells)).replace(".", ",")
        for time, *cells in ROWS
    ]
    heads = ["Datum;Uhrzeit;Solltemperatur;Isttemperatur;Heizleistung", ";;°C;°C;%"]
    return "\n".join(["Ofen 7;;;;", "Prüfer: Müller;;;;", "", *heads, *rows]).encode("cp1252")


def recorder(begun):
    """Return what a Chinese chart recorder exports, with another channel beside the loop."""
    head = ["記錄器,型號 X", f"開始時間,{begun:%Y/%m/%d %H:%M:%S}"]
    head += ["日期,時間,通道1溫度(°C),通道1設定(°C),通道1輸出(%),通道2溫度(°C)"]
    rows = [
        f"{begun + timedelta(seconds=time):%Y/%m/%d,%H:%M:%S},{pv},{setpoint},{output},{20 + time / 100}"
        for time, setpoint, pv, output in ROWS
    ]
    return "\n".join([*head, *rows]).encode()


def home_assistant(begun):
    """Return the history of three entities, unknown as it began; the setpoint is told when it changes."""
    lines = ["entity_id,state,last_changed", f"sensor.oven_power,unknown,{begun.isoformat()}.000Z"]
    for at, (time, setpoint, pv, output) in enumerate(ROWS):
        moment = (begun + timedelta(seconds=time)).isoformat() + ".000Z"
        lines += [f"number.oven_setpoint,{setpoint},{moment}"] if at in (0, 30) else []
        lines += [f"sensor.oven_temperature,{pv},{moment}", f"sensor.oven_power,{output},{moment}"]
    return "\n".join(lines).encode()


def esp(begun):
    """Return what an ESP32 prints, as PuTTY keeps it."""
    lines = [f"I ({1000 * time:.0f}) ctrl: tgt={sp} temp={pv} pwm={out}" for time, sp, pv, out in ROWS]
    return "\n".join([f"=~=~=~= PuTTY log {begun:%Y.%m.%d %H:%M:%S} =~=~=~=", *lines]).encode()


def windows(begun):
    """Return a table with tabs in UTF-16."""
    lines = [f"{begun + timedelta(seconds=time):%H:%M:%S}\t{sp}\t{pv}\t{out}" for time, sp, pv, out in ROWS]
    return "\n".join(["Time\tSP\tPV\tOP", *lines]).encode("utf-16")


def chat(begun):
    """Return a table as people paste it into a message."""
    lines = [f"| {time} | {setpoint} | {pv} | {output} |" for time, setpoint, pv, output in ROWS]
    return "\n".join(["| time | set | temp | out |", "|---|---|---|---|", *lines]).encode()


@each("written", [german, recorder, home_assistant, esp, windows, chat])
def test_what_people_s_programs_write_is_the_same_run(written, tmp_path):
    (tmp_path / "run.txt").write_bytes(written(BEGUN))
    log = read_log(tmp_path / "run.txt")
    first = log.samples[log.samples["channel"] == 1]
    for name, values in zip(NAMES, COLUMNS, strict=True):
        assert first[name].tolist() == pytest.approx(values.tolist()), name
    assert log.missing == () and log.broken.count == 0
    assert written not in (german, recorder) or (log.unit, log.clock(0)) == ("°C", f"{clock(0)}.000")

"""How readings are written: a line a zone, several lines, XML, lists, setpoints said once."""

import os
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from cases import each

from instrumentgpt.instruments.logs import read_log

ROWS, STEP = 80, 10
START = datetime(2026, 11, 23, 9, 1)
ZONES = ("Inlet", "Column")


@cache
def loops() -> list[list[tuple[float, float, float]]]:
    """Return for each of two zones its rows of setpoint, pv and output."""
    rng, found = np.random.default_rng(7), []
    for level in (48.0, 61.5):
        pv, held, rows = level - 6.0, 40.0, []
        for row in range(ROWS):
            setpoint = level if row < 40 else level - 5.0
            output = float(np.clip(6.0 * (setpoint - pv) + held, 0.0, 100.0))
            held += 0.3 * (setpoint - pv)
            rows.append((setpoint, round(pv + rng.normal(0.0, 0.02), 2), round(output, 1)))
            pv += (22.0 + 0.7 * output - pv) / 12.0
        found.append(rows)
    return found


def stamp(row: int) -> str:
    return (START + timedelta(seconds=STEP * row)).strftime("%Y-%m-%d %H:%M:%S")


def of_zones(form: str) -> str:
    """Return a line for each zone and time."""
    return "\n".join(
        form.format(stamp(row), zone, *of_zone[row])
        for row in range(ROWS)
        for zone, of_zone in zip(ZONES, loops(), strict=True)
    )


def in_a_line(form: str, between: str, before: str = "{} ", after: str = "") -> str:
    """Return a line for each time."""
    return "\n".join(
        before.format(stamp(row))
        + between.join(form.format(n, *of[row]) for n, of in enumerate(loops(), 1))
        + after
        for row in range(ROWS)
    )


FORMS = {
    "name before": of_zones("{} {} SP:{} PV:{} OP:{}"),
    "name in brackets": of_zones("{0} [{1}] Actual={3} Set={2} Power={4}"),
    "name and colon": of_zones("{} zone {}: Set {}, Actual {}, Power {}%"),
    "tag": of_zones("oven,zone={1} sp={2},pv={3},duty={4} {0}"),
    "numbers between words": in_a_line("CH{}[{:.2f} {:.2f} {:.1f}]", " | "),
    "list of objects": in_a_line(
        '{{"id": {}, "sp": {}, "pv": {}, "out": {}}}', ", ", '{{"time": "{}", "zones": [', "]}"
    ),
    "several lines": in_a_line(
        "  SP {0}: {1} C\n  PV {0}: {2} C\n  OP {0}: {3} %\n", "", "-----\nTime: {}\n"
    ),
    "xml": "<log>"
    + in_a_line('sp{0}="{1}" pv{0}="{2}" out{0}="{3}"', " ", '<sample time="{}" ', "/>")
    + "</log>",
    "html": "<table><thead><tr><th>Time<th>SP 1<th>PV 1<th>OP 1<th>SP 2<th>PV 2<th>OP 2</tr></thead><tbody>"
    + in_a_line("<td>{1}</td><td>{2}</td><td>{3}</td>", "", "<tr><td>{}</td>", "</tr>")
    + "</table>",
    "outputs that only their numbers name": "Time,Target 1,Target 2,T1,T2,A1,A2\n"
    + "\n".join(
        ",".join([stamp(row), *(str(of[row][at]) for at in range(3) for of in loops())])
        for row in range(ROWS)
    ),
}


@each("form", FORMS)
def test_every_zone_of_a_log_has_its_setpoint_pv_and_output(form, tmp_path):
    text = FORMS[form]
    if form == "tag":  # InfluxDB: the time behind the values, in ns
        epoch = int((START - datetime(1970, 1, 1)).total_seconds())
        for row in range(ROWS):
            text = text.replace(stamp(row), f"{epoch + STEP * row}000000000")
    (tmp_path / "run.txt").write_text(text + "\n", encoding="utf-8")
    log = read_log(tmp_path / "run.txt")
    assert log.start == START
    channels = [rows for _, rows in log.samples.groupby("channel")]
    assert len(channels) == len(ZONES), log.channel_names
    for rows, expected in zip(channels, loops(), strict=True):
        assert rows[["setpoint", "pv", "output"]].to_numpy() == pytest.approx(np.array(expected))
        assert np.diff(rows["time"]) == pytest.approx(STEP)
    assert log.events.empty or form == "html"  # its head


def test_a_setpoint_said_between_rows_holds_from_there(tmp_path):
    rows = loops()[0]
    lines = [f"{stamp(0)} Setpoint changed to {rows[0][0]}"]
    for row, (before, (setpoint, pv, output)) in enumerate(zip([rows[0], *rows], rows, strict=False)):
        lines += [f"{stamp(row)} SETPOINT {setpoint}"] if setpoint != before[0] else []
        lines.append(f"{stamp(row)} Actual={pv} Power={output}")
    (tmp_path / "run.log").write_text("\n".join(lines) + "\n")
    log = read_log(tmp_path / "run.log")
    assert log.samples["setpoint"].to_list() == [setpoint for setpoint, _, _ in rows]
    assert len(log.events) == sum(one[0] != other[0] for one, other in pairwise(rows)) + 1


HEADS = {
    "labview": "Date\t2026/11/23\t2026/11/23\nTime\t09:01:00.0\t09:01:00.0\n",
    "in a line": "# Start time: 23.11.2026 09:01:00\n",
    "nothing": "Printed: 2026/11/23 09:01:00\n",
}


@each("head", HEADS)
def test_seconds_since_a_start_that_lines_above_state_have_a_clock(head, tmp_path):
    lines = [f"{STEP * row}\t{one[0]}\t{one[1]}\t{one[2]}" for row, one in enumerate(loops()[0])]
    (tmp_path / "run.txt").write_text(HEADS[head] + "X_Value\tSP\tPV\tOP\n" + "\n".join(lines) + "\n")
    assert read_log(tmp_path / "run.txt").start == (None if head == "nothing" else START)


@each(
    "name, start",
    [("oven-2026-11-23.txt", datetime(2026, 11, 23)), ("run.txt", None), ("202611230901.txt", None)],
)
def test_a_clock_from_midnight_is_one_in_a_file_named_after_a_day_else_elapsed(name, start, tmp_path):
    lines = [f"00:{row // 6:02d}:{row % 6}0,{one[0]},{one[1]},{one[2]}" for row, one in enumerate(loops()[0])]
    (tmp_path / name).write_text("Time,SP,PV,OP\n" + "\n".join(lines) + "\n")
    assert read_log(tmp_path / name).start == start


def test_what_is_written_on_change_has_a_row_wherever_anything_changed(tmp_path):
    lines, last, changed = ["timestamp,tag,value"], {}, []
    rows = [(setpoint, round(pv), round(output)) for setpoint, pv, output in loops()[0]]
    for row, values in enumerate(rows):
        tags = dict(zip(("Tset", "Tact", "Heater"), values, strict=True))
        lines += [f"{stamp(row)},{tag},{value}" for tag, value in tags.items() if last.get(tag) != value]
        changed += [row] if tags != last else []
        last = tags
    (tmp_path / "run.csv").write_text("\n".join(lines) + "\n")
    samples = read_log(tmp_path / "run.csv").samples
    assert samples[["setpoint", "pv", "output"]].to_numpy().tolist() == [[*rows[row]] for row in changed]


WRITTEN = {  # how a table writes its times: heads, the cells of a moment, if they say the day
    "offset": (["time"], lambda at, _: [f"{at:%Y-%m-%dT%H:%M:%S}+08:00"], True),
    "year first in two digits": (["Date"], lambda at, _: [f"{at:%y/%m/%d %H:%M:%S}"], True),
    "day first in two digits": (["Date"], lambda at, _: [f"{at:%d/%m/%y %H:%M:%S}"], True),
    "years of the republic": (["日期", "時間"], lambda at, _: [f"115/{at:%m/%d}", f"{at:%H:%M:%S}"], True),
    "a column each": (
        ["Year", "Month", "Day", "Hour", "Min", "Sec"],
        lambda at, _: f"{at:%Y,%m,%d,%H,%M,%S}".split(","),
        True,
    ),
    "days": (["Time (d)"], lambda _, seconds: [f"{seconds / 86400:.7f}"], False),
    "days and a clock": (
        ["Elapsed"],
        lambda _, seconds: [f"{seconds // 86400}d {seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:00"],
        False,
    ),
    "hours and minutes": (["Time"], lambda at, _: [f"{at:%H:%M}"], False),
    "clock with dots": (["Datum", "Uhrzeit"], lambda at, _: [f"{at:%d.%m.%Y}", f"{at:%H.%M.%S}"], True),
    "clock with letters": (["Zeit"], lambda at, _: [f"{at:%d.%m.%Y %Hh%Mm%Ss}"], True),
    "weekday": (["Time"], lambda at, _: [f"{at:%a %d.%m.%Y %H:%M:%S}"], True),
    "weekday in Chinese": (["時間"], lambda at, _: [f"{at:%Y/%m/%d} 週一 {at:%H:%M:%S}"], True),
    "dashes": (["Time"], lambda at, _: [f"{at:%Y-%m-%d_%H-%M-%S}"], True),
    "numbers without marks": (["DATE", "TIME"], lambda at, _: [f"{at:%Y%m%d}", f"{at:%H%M%S}"], True),
    "milliseconds behind a colon": (["Time"], lambda at, _: [f"{at:%Y-%m-%d %H:%M:%S}:000"], True),
    "since the start": (
        ["T"],
        lambda _, seconds: [f"T+{seconds // 3600:02d}:{seconds // 60 % 60:02d}:00"],
        False,
    ),
    "half a day": (["Time"], lambda at, _: [f"{at:%I:%M:%S %p}"], False),
}


@each("written", WRITTEN)
def test_a_time_is_read_as_it_is_written_and_nothing_is_added_to_it(written, tmp_path):
    heads, cells, has_day = WRITTEN[written]
    lines = [",".join([*heads, "SP", "PV", "OP"])]
    for row, values in enumerate(loops()[0]):
        lines.append(",".join([*cells(START + timedelta(minutes=row), 60 * row), *map(str, values)]))
    (tmp_path / "run.csv").write_text("\n".join(lines) + "\n")
    os.utime(tmp_path / "run.csv", times=(1_796_000_000,) * 2)  # the end of November 2026
    log = read_log(tmp_path / "run.csv")
    assert log.start == (START if has_day else None)
    assert np.diff(log.samples["time"]) == pytest.approx(60.0, rel=1e-3)


@each("form", ["Mon {:%d.%m.%Y %H:%M:%S} ", "DATA {:%Y-%m-%d %H:%M:%S} ", "[{:%m/%d/%Y %I:%M:%S %p}] "])
@each("evening", [False, True])
def test_a_stamp_behind_a_word_or_with_half_a_day_is_that_of_its_line(form, evening, tmp_path):
    start = START + timedelta(hours=12 * evening)
    lines = [
        form.format(start + timedelta(minutes=row)) + "Set={} Actual={} Power={}".format(*values)
        for row, values in enumerate(loops()[0])
    ]
    (tmp_path / "run.log").write_text("\n".join(lines) + "\n")
    assert read_log(tmp_path / "run.log").start == start


@each("words", ["SP={} PV={} OP={}", "Set={} Actual={} Power={}"])
@each("day", ["=== 23.11.2026 ===", "Date: 2026-11-23"])
def test_clocks_below_a_line_with_their_day_are_of_it(day, words, tmp_path):
    lines = [f"09:{1 + row // 6:02d}:{row % 6}0 " + words.format(*one) for row, one in enumerate(loops()[0])]
    (tmp_path / "run.log").write_text("\n".join([day, *lines]) + "\n")
    assert read_log(tmp_path / "run.log").start == START


def test_the_number_of_a_row_is_no_time(tmp_path):
    lines = [f"{row},{one[0]},{one[1]},{one[2]}" for row, one in enumerate(loops()[0], 1)]
    (tmp_path / "run.csv").write_text("Scan,SP,PV,OP\n" + "\n".join(lines) + "\n")
    assert "period" in read_log(tmp_path / "run.csv").missing

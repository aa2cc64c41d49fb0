"""Ways in which people and machines write the same rows: all are read to the same loops."""

from collections.abc import Callable
from datetime import datetime, timedelta

import numpy as np
import pytest

from instrumentgpt.instruments.logs import read_log

ROWS, PERIOD, BEGUN = 60, 20, datetime(2026, 5, 4, 9, 59, 40)
PV = [round(60 - 38 * 0.9**row, 1) for row in range(ROWS)]
OUTPUT = [round(100 * 0.93**row) for row in range(ROWS)]
Row = Callable[[datetime, int, float, int], str]


def comma(value: float) -> str:
    return str(value).replace(".", ",")


WAYS: dict[str, tuple[str, Row]] = {
    "a clock in brackets": ("time pv sp out", lambda at, row, pv, out: f"[{at:%H:%M:%S}] {pv} 60 {out}"),
    "seconds since boot in brackets": (
        "",
        lambda at, row, pv, out: f"[{20 * row:9.1f}] pv={pv} sp=60 out={out}",
    ),
    "hours, minutes, seconds": ("", lambda at, row, pv, out: f"T+{at - BEGUN} pv={pv} sp=60 out={out}"),
    "the time as C prints it": (
        "",
        lambda at, row, pv, out: f"{at:%a %b  4 %H:%M:%S %Y} pv {pv} sp 60 out {out}",
    ),
    "a clock with dots": (
        "Date;Time;Temperature;Setpoint;Output %",
        lambda at, row, pv, out: f"{at:%d/%m/%Y};{at:%H.%M.%S};{comma(pv)};60;{out}",
    ),
    "decimal commas in quotes": (
        '"Zeit","Ist","Soll","Stellgrad"',
        lambda at, row, pv, out: f'"{at:%d.%m.%Y %H:%M:%S}","{comma(pv)}","60,0","{out}"',
    ),
    "times that spreadsheets keep": (
        "Time,PV,SP,OUT",
        lambda at, row, pv, out: f'"=""{at:%H:%M:%S}""",{pv},60,{out}',
    ),
    "a legend of channels": (
        "DRYER 4\nCH1 DRYER PV C  CH2 SP C  CH3 HEAT OUT %\nTIME CH1 CH2 CH3",
        lambda at, row, pv, out: f"{at:%H:%M:%S} {pv} 60 {out}",
    ),
    "a legend with a line for each": (
        "# CH1 = dryer temperature, degC\n# CH2 = setpoint, degC\n# CH3 = heater output, %\nTIME,CH1,CH2,CH3",
        lambda at, row, pv, out: f"{at:%H:%M:%S},{pv},60,{out}",
    ),
    "units under the heads": (
        "Time       Temp   Set   OUT%   Cond\n              C     C          uS",
        lambda at, row, pv, out: f"{at:%H:%M:%S}   {pv:5.1f}    60   {out:4d}    {7 + row % 3}.1",
    ),
    "groups of numbers": (
        "time      Z1 act/set pwr",
        lambda at, row, pv, out: f"{at:%H:%M:%S}   {pv}/60  {out}%A",
    ),
    "a mark where nothing is": (
        "time pv alarm sp out",
        lambda at, row, pv, out: f"{at:%H:%M:%S} {pv} * 60 {out}",
    ),
    "comments of numpy": (
        "% dryer 4\n% time pv setpoint output",
        lambda at, row, pv, out: f"{20 * row} {pv} 60 {out}",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_rows_are_read_however_they_are_written(tmp_path, way):
    head, line = WAYS[way]
    rows = [line(BEGUN + timedelta(seconds=PERIOD * row), row, PV[row], OUTPUT[row]) for row in range(ROWS)]
    path = tmp_path / "dryer.log"
    path.write_text("\n".join([*head.splitlines(), *rows]) + "\n", encoding="utf-8")
    log = read_log(path)
    samples = log.samples[log.samples["channel"] == log.samples["channel"].iloc[0]]
    assert np.diff(samples["time"]) == pytest.approx(PERIOD)
    assert samples["pv"].to_numpy() == pytest.approx(PV)
    assert samples["setpoint"].to_numpy() == pytest.approx(60)
    assert samples["output"].to_numpy() == pytest.approx(OUTPUT)


def test_an_open_sensor_in_a_group_of_numbers_is_a_gap_and_no_lost_row(tmp_path):
    path = tmp_path / "zones.log"
    zones = (f"{at}/60 40%A   {'OPEN' if row > 30 else 59}/60 41%A" for row, at in enumerate(PV))
    clock = (f"{BEGUN + timedelta(seconds=PERIOD * row):%H:%M:%S}" for row in range(ROWS))
    rows = [f"{at}   {zone}" for at, zone in zip(clock, zones, strict=True)]
    path.write_text("\n".join(["units: F", "time   Z1 act/set pwr   Z2 act/set pwr", *rows]))
    log = read_log(path)
    second = log.samples[log.samples["channel"] == 2]
    assert (log.unit, log.broken.count, len(second), second["pv"].notna().sum()) == ("°F", 0, ROWS, 31)


def test_a_zone_that_changes_in_spring_is_no_gap(tmp_path):
    path = tmp_path / "spring.csv"
    rows = [f"2026-03-29T{hour}:{minute}0:00+0{zone}:00,{25 + minute / 10},26,40"
            for hour, zone in (("01", 1), ("03", 2)) for minute in range(6)]  # fmt: skip
    path.write_text("\n".join(["time,pv,sp,out", *rows]))
    assert np.diff(read_log(path).samples["time"]) == pytest.approx(600)


def test_the_output_of_the_only_hotend_is_its_own(tmp_path):
    path = tmp_path / "printer.log"
    line = "{}:00:{:02d},000 - Recv: ok T:{pv} /60.0 B:30.0 /30.0 T0:{pv} /60.0 @:{} B@:12"
    text = (f"2026-05-04 {line.format(10, row, OUTPUT[row] * 127 // 100, pv=PV[row])}" for row in range(ROWS))
    path.write_text("\n".join(text))
    log = read_log(path)
    hotend = next(number for number, name in log.channel_names.items() if name == "T0")
    assert log.samples.loc[log.samples["channel"] == hotend, "output"].iloc[0] == pytest.approx(100)


def test_a_tag_with_a_number_is_no_column_that_says_whose_rows_are(tmp_path):
    path = tmp_path / "tags.csv"
    rows = [f"{tag},2026-05-04T10:{row:02d}:00Z,{value}" for row, pv in enumerate(PV)
            for tag, value in (("U1.CHW.T", pv), ("U1.CHW.SP", 60), ("U1.CH2.RUN", row // 31))]  # fmt: skip
    path.write_text("\n".join(["tag,timestamp,value", *rows]))
    assert "channel" not in read_log(path).of_loops[0]


@pytest.mark.parametrize(
    ("words", "is_on"), [("EIN AUS", 1.0), ("on off", 1.0), ("開 關", 1.0), ("marche arrêt", 1.0)]
)
def test_words_of_a_switch_are_an_output(tmp_path, words, is_on):
    path = tmp_path / "switch.csv"
    on, off = words.split()
    rows = [f"{20 * row},{pv},60,{on if pv < 50 else off}" for row, pv in enumerate(PV)]
    path.write_text("\n".join(["time,pv,sp,heater", *rows]), encoding="utf-8")
    output = read_log(path).samples["output"]
    assert output.iloc[0] == 100 * is_on and output.iloc[-1] == 0


def test_a_name_is_nothing_of_the_value_before_it(tmp_path):
    path = tmp_path / "rooms.log"
    rows = [
        f"ts={1777888800 + 60 * row} room=LAB-B T={pv} SP=60 A:out={OUTPUT[row]}" for row, pv in enumerate(PV)
    ]
    path.write_text("\n".join(rows))
    assert list(read_log(path).heads) == ["ts", "T", "SP", "A:out"]


def test_a_pv_is_in_the_degrees_of_what_reads_as_high_beside_it(tmp_path):
    path = tmp_path / "barrel.csv"
    rows = [f"{20 * row},{180 + pv / 10:.1f},186,40,{190 + pv / 10:.1f}" for row, pv in enumerate(PV)]
    path.write_text("\n".join(["time,Z1_act,Z1_set,Z1_out,Melt [°C]", *rows]))
    assert read_log(path).unit == "°C"

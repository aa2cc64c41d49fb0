"""Shapes of logs that programs write beside plain tables, and what their columns are."""

import math

from cases import each

from instrumentgpt.instruments.logs import read_log

ROWS = 240


def values(row: int) -> tuple[str, str, str]:
    """Return time of day, pv and output of a bath that is heated to 60 °C."""
    pv = 60 - 39 * math.exp(-row / 40) + 0.05 * math.sin(row)
    return (
        f"{8 + row // 60:02}:{row % 60:02}:00",
        f"{pv:.2f}",
        f"{max(0.0, min(100.0, 20 + 8 * (60 - pv))):.1f}",
    )


def camonitor() -> list[str]:
    stamps = [
        (f"2026-02-20 {clock}.10{row % 10}", pv, out)
        for row in range(ROWS)
        for clock, pv, out in [values(row)]
    ]
    return [
        line
        for at, pv, out in stamps
        for line in (f"RIG:Z1:T    {at} {pv}", f"RIG:Z1:SP   {at} 60", f"RIG:Z1:OUT  {at} {out}")
    ]


def of_a_day() -> list[str]:
    rows = [values(row) for row in range(ROWS)]
    return [
        f"20-02-26,{clock},{name},{value}"
        for clock, pv, out in rows
        for name, value in (("T_MXC", pv), ("HTR_MXC", out), ("SP_MXC", "60.0"), ("T_4K", "3.05"))
    ]


def rows(written: str, *above: str) -> list[str]:
    return [
        *above,
        *(written.format(clock=clock, pv=pv, out=out) for clock, pv, out in map(values, range(ROWS))),
    ]


@each(
    "lines, loop",
    [
        (camonitor(), ("RIG:Z1:T", "RIG:Z1:SP", "RIG:Z1:OUT")),
        (of_a_day(), ("T_MXC", "SP_MXC", "HTR_MXC")),
        (
            rows('lab/2/tm {{"ts":"2026-02-20T{clock}+02:00","T":{pv},"Tset":60.0,"u":{out}}}'),
            ("T", "Tset", "u"),
        ),
        (
            rows("{clock}  set: 60.00 C  t: {pv} C  po: {out}  ref: {pv}", "ref: thermometer 7 in hole 3"),
            ("t", "set", "po"),
        ),
        (
            rows("{clock} {pv} 60.0 {out} 535", "columns: time T[C] target[C] heater[%] gas[l/h]"),
            ("T[C]", "target[C]", "heater[%]"),
        ),
    ],
)
def test_the_loop_is_read_whatever_stands_around_its_values(lines, loop, tmp_path):
    path = tmp_path / "run.log"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    log = read_log(path)
    first = log.of_loops[1]
    assert tuple(log.heads[first[role]] for role in ("pv", "setpoint", "output")) == loop
    assert not {"period", "setpoint", "output"} & {*log.missing}


def test_whole_numbers_of_the_line_protocol_are_columns(tmp_path):
    path = tmp_path / "run.lp"
    rows = enumerate(map(values, range(ROWS)))
    lines = [
        f"bath,id=S3 t={pv},sp=60.0,heat={out},door={int(row % 90 < 3)}i {1771574400 + 60 * row}"
        for row, (_, pv, out) in rows
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    log = read_log(path)
    assert "door" in log.heads and "door 0 → 1 (on)" in [*log.events["text"]]


@each("again", ["Hz%", "out %"])
def test_heads_that_come_again_are_each_of_the_column_before_them(again, tmp_path):
    path = tmp_path / "run.txt"
    heads = f"Zeit;Wanne °C;{again};Block °C;{again};Raum °C"
    lines = [
        f"{clock};{pv};{out};{float(pv) / 2:.2f};{float(out) / 3 + row % 2:.1f};21.{row % 3}"
        for row in range(ROWS)
        for clock, pv, out in [values(row)]
    ]
    path.write_text("\n".join([heads, *lines]) + "\n", encoding="utf-8")
    of = read_log(path).of_loops
    assert {(loop["pv"], loop.get("output")) for number, loop in of.items() if number} >= {(1, 2), (3, 4)}


@each(
    "head, most, full",
    [
        ("heater power W", 300, 300),  # a physical unit has no digits of a converter
        ("burner", 190, 190),
        ("burner", 255, 255),
        ("output", 180, 255),
        ("pwm", 90, 255),
    ],
)
def test_what_is_full_power_is_told_by_unit_name_and_what_is_reached(head, most, full, tmp_path):
    path = tmp_path / "run.csv"
    lines = [
        f"{clock},60,{pv},{round(float(out) / 100 * most)},{int(float(out) > 50)}"
        for clock, pv, out in map(values, range(ROWS))
    ]
    path.write_text("\n".join([f"time,setpoint,pv,{head},fan", *lines]) + "\n", encoding="utf-8")
    log = read_log(path)
    assert log.samples["output"].max() * full / 100 == most


@each(
    "heads, loop",
    [
        ("A_PIC301_SP,A_PIC301_PV,A_PIC301_Y,A_PV301_RM", (2, 1, 3)),  # the letters of DIN 19226
        ("I_set (degC) TC20,T_cell (degC) TI20,Y_temp (%) TV20,other", (2, 1, 3)),
        ("Consigna (°C),Presión vapor (°C),Quemador (%),Caudal vapor (t/h)", (2, 1, 3)),
        ("set °C,T_ist °C,I_TEC_A,R_NTC_kOhm", (2, 1, 3)),
        ("Cutin ref,S4 air out,AKV OD %,S2 evap out", (2, 1, 3)),  # outlets
    ],
)
def test_what_is_read_is_no_output(heads, loop, tmp_path):
    path = tmp_path / "run.csv"
    rows = enumerate(map(values, range(ROWS)))
    lines = [
        f"{clock};{60 + 10 * (row > 120)};{float(pv) + 10 * (row > 130):.2f};{out};{float(out) + row % 2:.2f}"
        for row, (clock, pv, out) in rows
    ]
    path.write_text("\n".join([f"time;{heads.replace(',', ';')}", *lines]) + "\n", encoding="utf-8")
    first = read_log(path).of_loops[1] | {}
    assert tuple(first[role] for role in ("pv", "setpoint", "output")) == loop


@each("line", ['"Setpoint";"-33.0 C"', "# DS18B20 x2: 28FF air   set=-33.0 hyst=1.6", "Setpoint: -33.0 C"])
def test_a_setpoint_above_the_rows_is_read_wherever_it_stands_in_its_line(line, tmp_path):
    path = tmp_path / "run.csv"
    lines = [f"{values(row)[0]};{-33 + math.sin(row / 9):.2f};{int(row % 56 < 28)}" for row in range(ROWS)]
    path.write_text("\n".join([line, "time;Air (C);relay", *lines]) + "\n", encoding="utf-8")
    assert set(read_log(path).samples["setpoint"]) == {-33.0}


@each(
    "line, start",
    [
        ("=~=~= PuTTY log 2026.02.19 10:22:33 =~=~=", "2026-02-19 10:22:33"),
        ("rig 7, fw 2.1, boot 2026-02-19 10:22:33", "2026-02-19 10:22:33"),
        ("exported 2026-02-19 10:22:33", "None"),
        ("from 2026-02-19 10:22 to 2026-02-19 14:22", "None"),  # which of them is not said
    ],
)
@each("powered", [0, 86_400], share=1.0)
def test_rows_that_count_seconds_begin_when_the_line_above_them_says(line, start, powered, tmp_path):
    path = tmp_path / "run.csv"
    lines = [f"{powered + 60 * row};60;{values(row)[1]};{values(row)[2]}" for row in range(ROWS)]
    path.write_text("\n".join([line, "sec;setpoint;pv;output", *lines]) + "\n", encoding="utf-8")
    assert str(read_log(path).start) == start


@each("head, first", [("Zeit;Wärme", "2024-12-06"), ("Time;Heat", "2024-06-12")])
def test_dates_begin_with_the_month_in_english_alone(head, first, tmp_path):
    path = tmp_path / "oven.csv"
    lines = [f"06/12/2024 {clock};{pv}" for clock, pv, _ in map(values, range(ROWS))]
    path.write_text("\n".join([f"{head} °C", *lines]) + "\n", encoding="utf-8")
    assert f"{read_log(path).start:%F}" == first
    named = tmp_path / "oven_20241206.csv"
    named.write_bytes(path.read_bytes())
    assert f"{read_log(named).start:%F}" == "2024-12-06"


def test_outputs_in_other_units_have_scales_of_their_own(tmp_path):
    path = tmp_path / "run.csv"
    lines = [
        f"{clock},60,{pv},{'ON' if float(out) > 50 else 'OFF'},50,{float(pv) - 10:.2f},{out}"
        for clock, pv, out in map(values, range(ROWS))
    ]
    heads = "time,Z1 setpoint,Z1 pv,Z1 relay,Z2 setpoint,Z2 pv,Z2 output %"
    path.write_text("\n".join([heads, *lines]) + "\n", encoding="utf-8")
    most = read_log(path).samples.groupby("channel")["output"].max()
    assert most[1] == 100 and most[2] <= 100


def test_of_two_clocks_the_one_that_every_row_has_is_the_time(tmp_path):
    lines = ["Time1\tTime2\tBT\tBurner(%)"]
    for row in range(ROWS):
        later = f"{(row - 2) // 60:02}:{(row - 2) % 60:02}" if row > 1 else ""
        lines.append(f"{row // 60:02}:{row % 60:02}\t{later}\t{values(row)[1]}\t{values(row)[2]}")
    (tmp_path / "roast.csv").write_text("\n".join(lines), encoding="utf-8")
    log = read_log(tmp_path / "roast.csv")
    assert log.samples["time"].max() == ROWS - 1  # minutes and seconds, of a watch started at 00:00


def test_letters_before_numbers_are_their_names(tmp_path):
    lines = [f"M0,t{1000 + 100 * row},T{values(row)[1]},r60.0,o{100 * (row % 9 < 4)}" for row in range(ROWS)]
    (tmp_path / "bath.dat").write_text("\n".join(lines), encoding="utf-8")
    log = read_log(tmp_path / "bath.dat")
    assert log.heads[log.of_loops[1]["pv"]] == "T"
    assert log.samples["time"].max() == (ROWS - 1) / 10
    assert log.samples["pv"].iloc[-1] == float(values(ROWS - 1)[1])


def test_the_calmest_of_three_vessels_is_no_setpoint_of_another(tmp_path):
    lines = ["Time,Small pot,Large pot (not stirred),Large pot (stirred)"]
    for row in range(ROWS):
        warm = [20 + 35 * (1 - math.exp(-row / slow)) for slow in (30, 40, 50)]
        small, still = (one + 0.4 * math.sin(1.7 * row + one) for one in warm[:2])
        lines.append(f"{row},{small:.2f},{still:.2f},{warm[2] + 0.1 * math.sin(row):.2f}")
    (tmp_path / "pots.csv").write_text("\n".join(lines), encoding="utf-8")
    log = read_log(tmp_path / "pots.csv")
    assert "setpoint" in log.missing and log.samples["channel"].nunique() == 3


def test_a_temperature_is_not_what_cools_beside_a_compressor_that_switches(tmp_path):
    lines = ["Time,Tank T,Set,Compressor,Cooling out"]
    for row in range(ROWS):
        lines.append(
            f"{row * 60},{4 + math.sin(row / 9):.1f},4.0,{int(row % 20 < 8)},{12 + row % 7 * 0.3:.1f}"
        )
    (tmp_path / "tank.csv").write_text("\n".join(lines), encoding="utf-8")
    assert "cooling" not in read_log(tmp_path / "tank.csv").of_loops[1]

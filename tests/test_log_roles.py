"""Which column of a table is what, by its head or by how it behaves, in English and Chinese."""

import numpy as np
import pandas as pd
import pytest
from cases import each

from instrumentgpt.instruments.logs import UnreadableLog, read_log

ROWS = 200
TIME = np.arange(ROWS) * 2.0
SETPOINT = np.where(TIME < 200, 40.0, 55.0)
PV = np.round(SETPOINT - 15 * np.exp(-(TIME % 200) / 40) + 0.1 * np.sin(TIME), 2)
OUTPUT = np.round(np.clip(8 * (SETPOINT - PV) + 30, 0, 100), 1)
ROOM = np.round(21 + 0.2 * np.sin(TIME / 70), 2)


@pytest.fixture
def read(tmp_path):
    """Read a table of `columns`, written with comma and, if given, a header."""

    def written(header, *columns, name="run.csv", **given):
        rows = [",".join(map(str, cells)) for cells in zip(*columns, strict=True)]
        (tmp_path / name).write_text("\n".join([*([header] if header else []), *rows]), encoding="utf-8")
        return read_log(tmp_path / name, **given)

    return written


def loop(log, channel=1):
    return log.samples[log.samples["channel"] == channel]


@each(
    "head",
    [
        *("dac", "heater power", "burner", "gas valve", "Heat level (%)", "fan", "PWM", "compressor", "SSR"),
        *("Actuators", "aquecedor", "加熱輸出", "閥", "風扇", "燃燒器", "压缩机", "制冷", "继电器"),
        *("Kompressor", "Verdichter", "Heizung 1", "Stellgröße", "Stellwert [%]", "Brenner", "Relais"),
        *("compresseur", "chauffage", "Commande", "vanne"),
    ],
)
def test_what_drives_the_loop_is_its_output(head, read):
    log = read(f"time,temp,{head}", TIME, PV, OUTPUT)
    assert log.samples["output"].tolist() == pytest.approx(OUTPUT.tolist()) and log.missing == ("setpoint",)


@each(
    "fan, heater",
    [("fan level (%)", "heat level (%)"), ("cooling valve", "heating valve"), ("風扇", "加熱器")],
)
def test_of_several_outputs_the_one_that_heats_is_the_loop_s(fan, heater, read):
    log = read(f"time,temp,{fan},{heater}", TIME, PV, np.full(ROWS, 50), OUTPUT)
    assert log.columns["output"] == 3


@each(
    "header",
    [
        "time,Beer Temp,Beer Setpoint,Fridge Temp,Fridge Setpoint",
        "time,PV_oven,SP_oven,PV_bath,SP_bath",
        "時間,啤酒溫度,啤酒設定,冰箱溫度,冰箱設定",
    ],
)
def test_a_setpoint_belongs_to_the_pv_that_is_named_alike(header, read):
    log = read(header, TIME, PV, SETPOINT, PV + 20, SETPOINT + 20)
    for channel, more in ((1, 0), (2, 20)):
        assert loop(log, channel)["pv"].tolist() == (PV + more).tolist()
        assert loop(log, channel)["setpoint"].tolist() == (SETPOINT + more).tolist()


@each("of, beside", [("Shelf", "TC"), ("Bad", "Probe"), ("烘箱", "樣品")])
def test_numbered_readings_that_lie_in_a_loop_have_not_its_setpoint(of, beside, read):
    heads = f"time,{of} SP,{of} inlet (°C),{of} output,{beside}1 (°C),{beside}2 (°C)"
    log = read(heads, TIME, SETPOINT, PV, OUTPUT, np.round(PV - 2.0, 1), np.round(PV - 3.0, 1))
    assert loop(log)["pv"].tolist() == pytest.approx(PV.tolist())
    assert log.columns["setpoint"] == 1 and not loop(log, 2)["setpoint"].notna().any()


@each("head, way", [("error", 1), ("err_c", -1), ("誤差", 1), ("deviation", -1)])
def test_a_control_error_tells_the_setpoint(head, way, read):
    log = read(f"time,temp,{head},duty", TIME, PV, np.round(way * (SETPOINT - PV), 2), OUTPUT)
    assert log.samples["setpoint"].tolist() == SETPOINT.tolist()
    assert "constant in steps" in next(why for role, why in log.guessed.items() if role != "unit")


def test_two_loops_without_header_are_known_by_their_control_errors(read):
    cold = np.round(PV - 30, 2)
    log = read(
        None,
        TIME,
        PV,
        np.round(OUTPUT * 2.55),
        np.round(SETPOINT - PV, 2),
        cold,
        np.round(SETPOINT - 30 - cold, 2),
    )
    assert loop(log, 1)["setpoint"].tolist() == SETPOINT.tolist()
    assert loop(log, 2)["setpoint"].tolist() == (SETPOINT - 30).tolist()
    assert log.columns["output"] == 2 and log.output_scale == pytest.approx(100 / 255)


@each("by_role", [False, True])
def test_several_loops_without_header_are_known_by_the_order_of_their_columns(by_role, read):
    loops = [[SETPOINT + more, PV + more, OUTPUT] for more in (0, 30, 60)]
    columns = [column for of in (zip(*loops, strict=True) if by_role else loops) for column in of]
    log = read(None, TIME, *columns)
    for number, (setpoint, pv, output) in enumerate(loops, start=1):
        assert loop(log, number)["setpoint"].tolist() == setpoint.tolist()
        assert loop(log, number)["pv"].tolist() == pytest.approx(pv.tolist())
        assert loop(log, number)["output"].tolist() == output.tolist()


def test_a_setback_by_day_and_night_is_a_setpoint_and_a_coarse_sensor_is_none(read):
    hours = np.arange(14 * 24 * 6) / 6
    wanted = np.where((hours % 24 > 6) & (hours % 24 < 22), 21.5, 17.0)
    heard, pv = np.empty_like(wanted), 17.0
    for at, target in enumerate(wanted):
        pv += (target - pv) / 9
        heard[at] = round(pv + 0.05 * np.sin(at), 2)
    assert read(None, hours * 3600, heard, wanted).columns["setpoint"] == 2
    assert "setpoint" in read(None, hours * 3600, heard, np.round(heard), name="two.csv").missing


def test_a_temperature_that_steps_in_whole_numbers_is_the_setpoint_of_the_one_that_follows(read):
    first_rows = np.where(np.arange(ROWS) < 4, 0, SETPOINT)
    log = read("time,TI,TE,TR", TIME, PV, ROOM, first_rows)
    assert log.samples["setpoint"].notna().sum() == ROWS
    assert log.columns["setpoint"] == 3 and log.channel_names == {1: "TI", 2: "TE"}
    assert [(one.column, one.value, one.count) for one in log.placeholders] == [("setpoint", 0.0, 4)]


@each("head", ["room", "outside temp", "Outdoor Air Temperature", "室溫", "環境溫度"])
def test_a_room_too_warm_for_celsius_is_in_fahrenheit(head, read):
    log = read(f"time,oven,set,{head}", TIME, PV, SETPOINT, ROOM * 1.8 + 32)
    assert log.unit == "°F" and head in log.guessed["unit"]


def test_other_readings_are_channels_of_their_own_in_their_own_unit(read):
    log = read("time,adc,setpoint,output,si7021_c", TIME, PV * 20, SETPOINT * 20, OUTPUT, ROOM)
    assert (log.unit, log.channel_units) == ("counts", {2: "°C"})
    assert loop(log, 2)["pv"].tolist() == ROOM.tolist() and loop(log, 2)["setpoint"].isna().all()


@each(
    "head",
    [
        *(
            "N2_flow_lpm",
            "flow 2 (L/min)",
            "Pressure [mbar]",
            "chamber_bar",
            "reactor_pH",
            "tc amplifier (V)",
        ),
        *("level 3 rpm", "chamber [%RH]", "流量 (sccm)", "sensor (A)"),
    ],
)
def test_what_has_the_unit_of_something_else_is_no_temperature_beside_one(head, read):
    log = read(f"time,oven_tc1_C,target_C,duty,{head}", TIME, PV, SETPOINT, OUTPUT, ROOM / 10)
    assert log.channel_names == {1: "oven_tc1_C"} and log.columns["setpoint"] == 2


def test_a_line_of_units_tells_what_is_no_temperature_too(read):
    header = "time,oven temperature,setpoint,power,purge flow\ns,degC,degC,%,L/min"
    assert read(header, TIME, PV, SETPOINT, OUTPUT, ROOM / 10).channel_names == {1: "oven temperature (degC)"}


@each("header", ["time,sp,pv,mv", "time,TIC101.SP,TIC101.PV,TIC101.MV", "Zeit,Soll,Ist,Stellgröße"])
def test_the_manipulated_variable_is_no_millivolt(header, read):
    log = read(header, TIME, SETPOINT, PV, OUTPUT)
    assert (log.columns["setpoint"], log.columns["pv"], log.columns["output"]) == (1, 2, 3)


@each("head", ["sensor A", "temp_A", "oven_v", "temperature (min)"])
def test_the_letter_of_a_sensor_is_no_unit(head, read):
    log = read(f"time,temp_c,setpoint,output,{head}", TIME, PV, SETPOINT, OUTPUT, ROOM)
    assert head in log.channel_names.values()


def test_a_pressure_that_has_a_setpoint_is_a_loop_beside_a_temperature(read):
    header = "time,temp_c,temp_set_c,pressure_bar,pressure_set_bar"
    log = read(header, TIME, PV, SETPOINT, ROOM, SETPOINT / 2)
    assert log.channel_names == {1: "temp_c", 2: "pressure_bar"}
    assert loop(log, 2)["setpoint"].tolist() == pytest.approx((SETPOINT / 2).tolist())


def test_a_lone_reading_in_the_unit_of_something_else_is_no_temperature(read):
    assert read("time,reading (mbar)", TIME, PV, columns={"pv": 1}).unit == ""


@each("switch, door", [("K1", "Tür"), ("X1", "X2"), ("bit 3", "bit 4")])
@each("cools", [False, True])
def test_what_switches_to_either_side_of_the_setpoint_is_the_output_whatever_its_name(
    switch, door, cools, read
):
    time, pv, on, rows = np.arange(1_200), 4.0, 0, []
    for second in time:
        on = int(pv > 4.4) if pv > 4.4 or pv < 3.6 else on
        opened = int(second % 170 < 9)
        rows.append((opened, round(pv, 2), int(on == cools)))
        pv += 0.02 - 0.05 * on + 0.03 * opened
    opened, pvs, power = map(np.array, zip(*rows, strict=True))
    log = read(
        f"time,{door},Fach oben [°C],Soll [°C],{switch}", time, opened, pvs, np.full(1_200, 4.0), power
    )
    assert (log.unit, log.missing, log.columns["output"]) == ("°C", (), 4)
    assert set(log.samples["output"]) == {0.0, 100.0}


def controlled(limit: float) -> tuple[np.ndarray, np.ndarray]:
    """Return pv and output of a loop with noise, whose output stays within ± `limit`."""
    noise = np.random.default_rng(3).normal(0, 0.02, ROWS)
    heat, summed, pvs, outputs = 24.0, 0.0, [], []
    for row in range(ROWS):
        pvs.append(round(heat + noise[row], 2))
        error = SETPOINT[row] / 2 - pvs[-1]
        summed = float(np.clip(summed + 0.005 * limit * error, -limit, limit))
        outputs.append(round(float(np.clip(0.1 * limit * error + summed, -limit, limit)), 3))
        heat += 0.05 * (20.0 + 20.0 * outputs[-1] / limit - heat)
    return np.array(pvs), np.array(outputs)


@each("head, limit", [("I (A)", 2.0), ("X2", 100.0), ("Stellung", 100.0), ("Ch3", 10.0), ("A7", 1.0)])
@each("place", [1, 2, 4])
def test_what_answers_the_control_error_is_the_output_whatever_its_name_and_told_as_guessed(
    head, limit, place, read
):
    pv, output = controlled(limit)
    columns = [("SP", SETPOINT / 2), ("PV", pv), ("rpm", np.round(180 + ROOM % 1, 1)), ("B7", ROOM)]
    columns.insert(place - 1, (head, output))
    heads, values = zip(*columns, strict=True)
    log = read(",".join(["time", *heads]), TIME, *values)
    assert log.columns["output"] == place and "by how it behaves" in log.guessed["output"]
    assert np.corrcoef(loop(log)["output"], output)[0, 1] > 0.999


@each("head", ["E7", "T2 (C)", "B7"])
def test_another_reading_of_what_pv_reads_is_no_output(head, read):
    pv, _ = controlled(2.0)
    log = read(f"time,SP,PV,{head}", TIME, SETPOINT / 2, pv, np.round(40 * pv + 3, 1))
    assert "output" in log.missing


def test_the_same_reading_in_another_unit_is_no_channel(read):
    log = read("time,temp_c,temp_f,average temp", TIME, PV, np.round(PV * 1.8 + 32, 2), ROOM)
    assert log.channel_names == {1: "temp_c"}


def test_a_table_of_outputs_alone_is_read(read):
    log = read("time,heater 1 (W),heater 2 (W)", TIME, OUTPUT / 100, OUTPUT)
    assert log.missing == ("setpoint", "pv") and log.channel_names == {1: "heater 1 (W)", 2: "heater 2 (W)"}


def test_the_newest_row_first_is_turned_round(read):
    log = read("time,temp", TIME[::-1] + 1_770_959_092, PV[::-1])
    assert log.samples["pv"].tolist() == PV.tolist() and log.samples["line"].tolist() == [*range(201, 1, -1)]
    assert np.diff(log.samples["time"]).tolist() == pytest.approx([2.0] * (ROWS - 1))


def test_rows_that_a_logger_writes_again_are_left_out(read):
    again = np.concatenate([np.arange(80), np.arange(ROWS)])
    log = read("time,temp", TIME[again] + 1_770_959_092, PV[again])
    assert log.samples["pv"].tolist() == PV.tolist() and not log.clock_steps
    assert "80 rows say again" in log.notes[0]


def test_steps_too_small_for_seconds_are_hours(read):
    log = read(None, np.round(TIME / 3600, 5), PV)
    assert log.samples["time"].iloc[-1] == pytest.approx(398, abs=0.1) and "in hours" in log.guessed["time"]


def brewpi(second):
    clock = f"Feb 05 2014 23:{second // 60:02}:{second % 60:02}"
    return f"{clock};{PV[second]};{SETPOINT[second]};None;4.5;None;None;4;None"


def test_a_table_known_to_have_no_header_has_its_columns_named(tmp_path):
    (tmp_path / "beer.csv").write_text("\n".join(brewpi(second) for second in range(ROWS)), encoding="utf-8")
    log = read_log(tmp_path / "beer.csv")
    assert log.channel_names[1] == "Beer Temperature (°C)" and log.missing == ("output",)
    assert log.format == "table (semicolon, known columns)"


@each(
    "name, missing, unit",
    [("CH6 T 26-06-24.log", ("setpoint", "output"), "K"), ("Heaters.log", ("setpoint", "pv"), "")],
)
def test_a_cryostat_s_files_are_known_by_their_names(name, missing, unit, tmp_path):
    cells = "1.0e-02" if "T" in name else "1,2.0e-04,1,6.0e-03"
    rows = [f"24-06-26,00:{second // 60:02}:{second % 60:02},{cells}" for second in range(0, ROWS, 10)]
    (tmp_path / name).write_text("\n".join(rows), encoding="utf-8")
    log = read_log(tmp_path / name)
    assert (log.missing, log.unit) == (missing, unit) and log.clock(0) == "2026-06-24 00:00:00.000"


@each("value, rows", [(0.0, [0]), (-45.0, [0, 90]), (-127.0, [50, 51, 52]), (85.0, [0]), (300.0, [120])])
def test_what_a_driver_gives_instead_of_a_reading_is_kept_and_listed(value, rows, read):
    pv = PV.copy()
    pv[rows] = value
    log = read("time,temp", TIME, pv)
    assert log.samples["pv"].tolist() == pv.tolist()
    assert [(one.value, one.count) for one in log.placeholders] == [(value, len(rows))]
    assert log.notes[-1].startswith(f"temp: pv {value:g} is no reading ({len(rows)} in all, first in line")


def test_a_reading_that_passes_such_a_value_is_a_reading(read):
    assert read("time,temp", TIME, np.arange(ROWS) * 3.0).placeholders == ()


@each("above", ["# time,wanted,inside temp,duty", "# rig 3: elapsed[s], setpoint[K], T_stage[K], heater[%]"])
def test_a_comment_above_the_rows_names_their_columns(above, read):
    log = read(f"# written by numpy\n{above}", TIME, SETPOINT, PV, OUTPUT)
    assert loop(log)["pv"].tolist() == PV.tolist() and loop(log)["output"].tolist() == OUTPUT.tolist()
    assert log.unit == ("K" if "[K]" in above else "°C") and log.events["text"].tolist() == [
        "# written by numpy"
    ]


def test_what_is_said_of_one_column_leaves_the_others_as_they_were_recognised(read):
    log = read("time,temp,wanted,duty", TIME, PV, SETPOINT + 0.25, OUTPUT, columns={"setpoint": "WANTED"})
    assert log.samples["setpoint"].tolist() == (SETPOINT + 0.25).tolist()
    assert log.samples["output"].tolist() == pytest.approx(OUTPUT.tolist()) and log.missing == ()


def test_a_value_is_the_setpoint_of_what_is_driven(read):
    log = read("time,temp,duty,outside temp", TIME, PV, OUTPUT, ROOM, setpoint=40.0)
    assert set(loop(log, 1)["setpoint"]) == {40.0} and loop(log, 2)["setpoint"].isna().all()
    assert log.missing == () and "the setpoint is 40, as was said" in log.notes


@each("unit, degrees", [("°F", 5 / 9), ("K", 1.0), ("counts", np.nan)])
def test_a_unit_that_is_said_is_no_guess(unit, degrees, read):
    log = read("time,temp", TIME, PV, unit=unit)
    assert (log.unit, log.degrees_per_unit) == (unit, pytest.approx(degrees, nan_ok=True))
    assert "unit" not in log.guessed


@each("column", ["te", "none", "7"])
def test_a_column_that_is_not_there_or_not_one_is_refused_with_those_that_are(column, read):
    with pytest.raises(UnreadableLog, match=r"columns 0 to 2 \(time, temp 1, temp 2\)"):
        read("time,temp 1,temp 2", TIME, PV, ROOM, columns={"setpoint": column})


@each(
    "heads",
    ["T_want,T_proc", "T_ref,T_meas", "T_req,T_real", "wanted,measured", "Demand Temperature,Temperature"],
)
def test_a_setpoint_that_its_head_does_not_name_is_the_one_that_pv_follows(heads, read):
    log = read(f"time,{heads},power", TIME, SETPOINT, PV, OUTPUT)
    assert (loop(log)["setpoint"] == SETPOINT).all() and (loop(log)["pv"] == PV).all()
    assert (loop(log)["output"] == OUTPUT).all()


def test_a_programme_that_climbs_is_a_setpoint_as_well(read):
    climbing = np.round(np.interp(TIME, [0, 120, 400], [30.0, 60.0, 60.0]), 1)
    pv = np.round(climbing - 0.5 + 0.05 * np.sin(TIME), 2)
    log = read("time,T_want,T_proc,power", TIME, climbing, pv, OUTPUT)
    assert (loop(log)["setpoint"] == climbing).all() and (loop(log)["pv"] == pv).all()


def test_loops_without_a_word_are_told_apart_by_their_numbers(read):
    columns = [SETPOINT, PV, OUTPUT, SETPOINT + 20, PV + 20, OUTPUT]
    log = read("time,aa 1,bb 1,power 1,aa 2,bb 2,power 2", TIME, *columns)
    assert (loop(log, 1)["pv"] == PV).all() and (loop(log, 2)["setpoint"] == SETPOINT + 20).all()


def test_readings_with_letter_and_number_are_of_the_loops_with_these_numbers(read):
    log = read("time,SP_all,TZ1,TZ2,OP1_pct,OP2_pct", TIME, SETPOINT, PV, PV + 0.5, OUTPUT, OUTPUT[::-1])
    assert (loop(log, 2)["pv"] == PV + 0.5).all() and (loop(log, 2)["setpoint"] == SETPOINT).all()
    assert loop(log, 1)["output"].tolist() == OUTPUT.tolist() and log.missing == ()


@each("heads", ["T_limit,temp", "T_room,temp"])
def test_a_temperature_that_pv_does_not_stay_at_is_no_setpoint(heads, read):
    other = np.full(ROWS, 80.0) if "limit" in heads else np.round(ROOM)
    log = read(f"time,{heads},power", TIME, other, PV, OUTPUT)
    assert not (loop(log)["setpoint"] == other).any()


def test_a_coarse_sensor_beside_a_fine_one_is_no_setpoint(read):
    tremble = np.random.default_rng(5).standard_normal(ROWS)
    log = read("time,top,bottom,power", TIME, np.round(PV + 0.4 * tremble), PV, OUTPUT)
    assert (loop(log)["pv"] == PV).all() and "column" not in log.guessed.get("setpoint", "")


def fridge(seed=3):
    """Return time, air, a bottle that stays where the air goes, condenser, room and compressor."""
    noise = np.random.default_rng(seed).standard_normal((4, 900))
    at = np.arange(900)
    on = (at % 30 > 20).astype(int)
    air = np.round(4 + np.abs((at % 30) - 20) / 10 - 0.7 + 0.05 * noise[0], 1)
    bottle, room = np.round(4.02 + 0.03 * noise[1], 1), np.round(23.02 + 0.03 * noise[3], 1)
    return at * 60.0, air, bottle, np.round(30 + 8 * on + 0.2 * noise[2], 1), room, on


@each(
    "heads",
    ["Air [C],Bottle [C],Condenser [C],Room [C]", "CH1 Air [C],CH2 Vial [C],CH3 Coil [C],CH4 Room [C]"],
)
def test_a_measured_temperature_is_no_setpoint_of_another(heads, read):
    log = read(f"time,{heads},Compressor", *fridge())
    assert (log.columns["pv"], log.columns["output"]) == (1, 5) and "setpoint" not in log.columns
    driven = log.samples[log.samples["output"].notna()]
    assert set(driven["channel"]) == {1} and log.samples["channel"].nunique() == 4


@each(
    "line, setpoint",
    [
        *(("Setpoint\t4.0 C  hysteresis 2.0", 4.0), ("# Set temperature: 4,5 °C", 4.5), ("SP=4", 4.0)),
        *(("設定溫度：4.2 °C", 4.2), ("Setpoint 39.2 F", None), ("Setpoint 1: 4", None)),
        *(("Set date 2026-08-31", None), ("Setpoint high 8.0 C", None), ("Setpoint: 900", None)),
    ],
)
def test_a_setpoint_that_a_line_above_the_table_states_is_the_loop_s(line, setpoint, read):
    log = read(f"Unit 7\n{line}\ntime,Air [C],Room [C],Compressor", *(fridge()[at] for at in (0, 1, 4, 5)))
    said = [note for note in log.notes if line.strip("# ") in note]
    assert bool(said) == (setpoint is not None)
    assert not said or set(loop(log)["setpoint"]) == {setpoint}
    assert (
        read("time,Air [C],Compressor", *(fridge()[at] for at in (0, 1, 5)), setpoint=3.0)
        .samples["setpoint"]
        .eq(3.0)
        .all()
    )


@each("pv", ["Air", "Bottle"])
def test_a_pv_that_is_said_leaves_time_and_output_as_they_were_recognised(pv, read):
    log = read("time,Air,Bottle,Coil,Room,Compressor", *fridge(), columns={"pv": pv}, setpoint=4.0)
    assert (log.columns["time"], log.columns["output"]) == (0, 5) and log.missing == ()


def test_a_setpoint_that_is_computed_for_an_inner_loop_is_no_sensor(read):
    noise = np.random.default_rng(1).standard_normal((3, 288))
    want = (40 + np.repeat(8 * noise[0][:96], 3)).round(1)
    pipe, valve, left = np.full(288, 40.0), np.zeros(288), 30.0
    for at in range(1, 288):
        pipe[at] = pipe[at - 1] + (20 + 0.5 * valve[at - 1] - pipe[at - 1]) / 4
        left += 0.4 * (want[at] - pipe[at])
        valve[at] = 2 * (want[at] - pipe[at]) + left
    house = np.round(18 + (np.convolve(pipe - 40, np.ones(60) / 60, "same")) / 9 + 0.05 * noise[1], 1)
    log = read(
        "time,House 2 (C),Pipe 1 measured (C),Pipe 1 wanted (C),Valve (%)",
        np.arange(288) * 300.0,
        house,
        pipe.round(1),
        want.round(1),
        valve.round(1),
    )
    inner = next(rows for _, rows in log.samples.groupby("channel") if rows["setpoint"].notna().all())
    assert (inner["pv"] == pipe.round(1)).all() and (inner["setpoint"] == want.round(1)).all()
    assert log.samples["channel"].nunique() == 2


@each("head", ["Peltier I", "Peltier I (A)", "Valve"])
def test_a_drive_both_ways_has_its_own_range_and_its_zero(head, read):
    drive = np.clip(2 * (SETPOINT - PV) - 0.02 * (TIME % 200), -9, 9)
    drive[50:60], drive[0:10] = -9.0, 9.0
    samples = read(f"time,Block SP,Block T,{head}", TIME, SETPOINT, PV, np.round(drive, 3)).samples
    assert samples["output"].tolist() == pytest.approx((np.round(drive, 3) / 0.09).tolist())


@each("head", ["Mains voltage (V)", "Fan", "Current (A)"])
def test_what_rests_while_the_setpoint_moves_is_no_output_and_told_so(head, read):
    log = read(f"time,setpoint,temp,{head}", TIME, SETPOINT, PV, np.round(230 + np.sin(TIME), 1))
    assert log.missing == ("output",) and "cannot tell" in log.guessed["output"]


@each("head", ["Pressure", "pH", "CO2", "DO", "Level", "Vacuum", "Speed", "壓力", "液位", "二氧化碳"])
def test_a_quantity_without_a_unit_is_no_temperature(head, read):
    log = read(f"time,{head} SP,{head},valve (%)", TIME, SETPOINT, PV, OUTPUT)
    assert (log.unit, log.columns["pv"], log.columns["setpoint"]) == ("", 2, 1)
    beside = read(f"time,temp (°C),duty,{head}", TIME, PV, OUTPUT, ROOM)
    units = {beside.unit_of(channel) for channel in beside.samples["channel"].unique()[1:]}
    assert beside.unit == "°C" and not units & {"°C", "°F", "K"}


@each(
    "places",
    ["time,no,return,tank,demand,SV", "time,tank,SV,return,demand,no", "time,demand,return,no,SV,tank"],
)
@each("beside", ["return", "outlet (PT2)", "回水"])
@each("drives", [True, False])
def test_pv_is_what_the_output_answers_and_no_reading_that_follows_it_nor_a_number_of_the_row(
    places, beside, drives, read
):
    pv, output = controlled(100.0)
    follows = np.copy(pv)
    for row in range(1, ROWS):
        follows[row] = follows[row - 1] + 0.02 * (pv[row] - follows[row - 1])
    columns = {
        "time": TIME,
        "no": np.arange(ROWS) + 1,
        "tank": pv,
        "SV": SETPOINT / 2,
        "demand": output if drives else np.full(ROWS, 3.3),
        "return": np.round(follows, 2),
    }
    heads = places.split(",")
    log = read(places.replace("return", beside), *(columns[head] for head in heads))
    assert log.columns["pv"] == heads.index("tank") and log.columns["setpoint"] == heads.index("SV")
    assert log.columns.get("output") == (heads.index("demand") if drives else None)


@each("form", ["%Y%m%d%H%M%S", "%Y%m%d-%H%M%S", "%Y%m%dT%H%M%S"])
@each("beside", ["Time", "t"])
def test_a_date_written_without_marks_is_the_time_whatever_a_number_beside_it_is_called(form, beside, read):
    stamps = pd.date_range("2026-10-05 07:30", periods=ROWS, freq="1min")
    log = read(f"Timestamp,{beside},SP,PV,OP", stamps.strftime(form), TIME / 60, SETPOINT, PV, OUTPUT)
    assert log.start == stamps[0] and np.diff(log.samples["time"]).tolist() == pytest.approx(
        [60.0] * (ROWS - 1)
    )


def test_a_second_line_of_heads_goes_on_with_the_first(read):
    rows = "".join(f"{at}\t25.0\t25.{at % 3}\t{30 + at % 7}\t{int(at == 40)}\n" for at in range(60))
    heads = "No.\tCh1 Set\tCh1 Actual\tCh1 Y\tDoor\n\tTemp. [°C]\tTemp. [°C]\tHeating [%]\t0/1\n"
    log = read(heads + rows)
    assert log.of_loops[1] == {"setpoint": 1, "pv": 2, "output": 3}
    assert log.heads[3] == "Ch1 Y Heating [%]"


def test_a_reading_called_reference_is_no_setpoint_beside_one(read):
    noise = np.random.default_rng(3).normal(0.0, 0.02, (80, 2)) + 80.0
    rows = "".join(f"{at},80.0,{pv:.3f},36.{at % 9},{ref:.3f}\n" for at, (pv, ref) in enumerate(noise))
    log = read("Time,A Set °C,A Block °C,A Power %,A Ref °C\n" + rows)
    assert (log.of_loops[1], log.of_loops[2]) == ({"pv": 2, "setpoint": 1, "output": 3}, {"pv": 4})


@each("head, is_loops", [("FT-110.PV", False), ("TT-102.PV", True), ("PT100", True)])
def test_a_tag_says_what_it_measures(head, is_loops, read):
    rows = "".join(f"{at},25.{at % 3},25.0,3{at % 7},{12 + at % 5}\n" for at in range(60))
    log = read(f"time,TT-101.PV,TIC-101.SP,TIC-101.OP,{head}\n" + rows)
    assert (head in log.channel_names.values()) is is_loops


def test_a_number_that_rests_and_switches_is_told_as_a_line(read):
    speed = [0.0] * 100 + [20.0, 45.0, 59.0] + [60.0] * 97
    rows = "".join(f"{at},25.{at % 3},25.0,3{at % 7},{at // 100},{rpm}\n" for at, rpm in enumerate(speed))
    events = read("time,pv,setpoint,output,Door,Screw rpm\n" + rows).events
    assert [*zip(events["line"], events["text"], strict=True)] == [
        (102, "Door 0 → 1 (on)"),
        (102, "Screw rpm 0 → 60"),
    ]


HEATS, COOLS = (np.round(np.clip(way * 60 * np.sin(TIME / 9), 0, 100), 1) for way in (1, -1))


@each(
    "heat, cool",
    [("Heat (%)", "Cool (%)"), ("Heizventil %", "Kühlventil %"), ("蒸汽閥開度(%)", "冷卻閥開度(%)")],
)
def test_an_output_that_cools_is_the_other_half_of_the_one_that_heats(heat, cool, read):
    for heads, columns in (((heat, cool), (HEATS, COOLS)), ((cool, heat), (COOLS, HEATS))):
        log = read(f"time,setpoint,temp,{','.join(heads)}", TIME, SETPOINT, PV, *columns)
        assert loop(log)["output"].tolist() == pytest.approx((HEATS - COOLS).tolist())
        assert "Cool (%)" not in log.guessed.values() and heat in [*log.beside, log.head_of(1, "output")]


def test_an_output_that_cools_counts_against_one_that_heats_at_the_same_time(read):
    cool, heat = np.round(20 + 5 * np.sin(TIME / 9), 1), HEATS / 2 + 5
    log = read("time,setpoint,temp,Kühlventil %,Nachheizung %", TIME, SETPOINT, PV, cool, heat)
    assert loop(log)["output"].tolist() == pytest.approx((heat - cool).tolist())


@each("nominal", ["CH1 (Nominal) Object Temperature (°C)", "Nominal temperature"])
def test_what_is_nominal_is_asked_for_and_not_read(nominal, read):
    heads = f"time,CH1 Object Temperature (°C),CH1 Target Object Temperature (°C),{nominal},CH1 Voltage (V)"
    log = read(heads, TIME, PV, SETPOINT, SETPOINT + 1, HEATS)
    assert loop(log)["pv"].tolist() == pytest.approx(PV.tolist())
    assert loop(log)["setpoint"].tolist() == pytest.approx(SETPOINT.tolist())


def test_an_output_that_cools_by_a_setpoint_of_its_own_is_another_loop_s(read):
    heads = "time,heating setpoint,cooling setpoint,temp,heating valve (%),cooling valve (%)"
    log = read(heads, TIME, SETPOINT, SETPOINT + 8, PV, HEATS, COOLS)
    assert loop(log)["output"].tolist() == pytest.approx(HEATS.tolist())


@each("still, moving", [("Heat", "Cool"), ("heater", "compressor"), ("加熱", "製冷")])
def test_an_output_that_never_moves_gives_way_to_one_that_does(still, moving, read):
    switched = (PV > SETPOINT).astype(int)
    log = read(f"time,setpoint,temp,{moving},{still}", TIME, SETPOINT, PV, switched, np.zeros(ROWS))
    assert loop(log)["output"].tolist() == (100.0 * switched).tolist()


@each("setpoint", ["SupplyAirSetpt", "SupplyAirStpt", "Supply air SPT"])
def test_the_only_output_is_of_the_loop_that_has_a_setpoint_whoever_shares_its_words(setpoint, read):
    slow = np.round(30 + 20 * TIME / TIME[-1], 1)
    heads = f"time,SupplyAirTemp (°C),{setpoint} (°C),ChwEnterTemp (°C),ChwValveCmd (%)"
    log = read(heads, TIME, np.round(18 + ROOM / 100, 2), np.full(ROWS, 18.0), ROOM / 3, slow)
    assert loop(log)["output"].tolist() == pytest.approx(slow.tolist())
    assert loop(log)["setpoint"].eq(18.0).all()


@each(
    "heads",
    [
        *(
            "Aika,Asetus °C,Lämpötila °C,Teho %",
            "Tid,Börvärde,Ärvärde,Utsignal",
            "Data,Zadana,Temperatura,Moc",
        ),
        *(
            "Дата,Уставка,Температура,Мощность",
            "日時,設定温度,現在温度,ヒータ出力",
            "시간,설정온도,현재온도,출력",
        ),
        *("Ora,Impostata,Misurata,Uscita", "Tijd,Gewenst,Gemeten,Uitgang", "Hora,Consigna,Medida,Salida"),
    ],
)
def test_heads_are_known_in_the_languages_of_those_who_build_machines(heads, read):
    stamps = pd.date_range("2026-03-01 08:00", periods=ROWS, freq="10s").strftime("%Y-%m-%d %H:%M:%S")
    log = read(heads, stamps, SETPOINT, PV, OUTPUT)
    assert (log.columns["setpoint"], log.columns["pv"], log.columns["output"]) == (1, 2, 3)


def test_gauge_and_absolute_pressure_are_units_and_steam_is_no_humidity(read):
    heads = ("Steam press SP,Steam press,Steam valve out", "kPa(g),kPa(g),%")
    log = read(
        "\n".join(f"time,{line}" if line is heads[0] else f",{line}" for line in heads),
        TIME,
        SETPOINT,
        PV,
        OUTPUT,
    )
    assert loop(log)["pv"].tolist() == pytest.approx(PV.tolist())
    assert (log.columns["setpoint"], log.columns["output"]) == (1, 3) and log.unit != "%RH"

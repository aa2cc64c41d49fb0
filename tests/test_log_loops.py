"""Several loops, or several setpoints, in one table: which setpoint and which output belongs to which pv."""

from itertools import chain

import numpy as np
import pytest
from cases import each

from instrumentgpt.instruments.charts.loop import loop_chart, text_alternative
from instrumentgpt.instruments.diagnosis import diagnose, kind_rows
from instrumentgpt.instruments.logs import read_log

ROWS = 200
TIME = np.arange(ROWS) * 5.0
AGE = TIME % 500


def loop_columns(low: float, high: float, lag: float) -> dict[str, np.ndarray]:
    setpoint = np.where(TIME < 500, low, high)
    pv = np.round(setpoint - 12 * np.exp(-AGE / lag) + 0.05 * np.sin(TIME + lag), 2)
    return {
        "pv": pv,
        "setpoint": setpoint,
        "output": np.round(np.clip(3 * (setpoint - pv) + lag / 4, 0, 100), 1),
    }


FIRST, SECOND, THIRD = loop_columns(40, 55, 60), loop_columns(120, 150, 100), loop_columns(210, 230, 80)
DAMP = loop_columns(60, 85, 90)
RAMP = np.round(np.interp(TIME, [0, 600, 1000], [20, 400, 400]), 1)
FINAL = np.full(ROWS, 400.0)
RAMPED = np.round(RAMP - 3 + 0.2 * np.sin(TIME), 1)
POWER = np.round(30 + RAMP / 20 + np.sin(TIME), 1)


@pytest.fixture
def read(tmp_path):
    """Read a table of heads and their columns."""

    def written(heads, columns, separator=","):
        rows = [separator.join(map(str, cells)) for cells in zip(TIME, *columns, strict=True)]
        text = "\n".join([separator.join(["Time (s)", *heads]), *rows])
        (tmp_path / "run.csv").write_text(text + "\n", encoding="utf-8")
        return read_log(tmp_path / "run.csv")

    return written


def assert_loops(log, *loops) -> None:
    assert len(set(log.samples["channel"])) == len(loops)
    for number, columns in enumerate(loops, start=1):
        mine = log.samples[log.samples["channel"] == number]
        for role, values in columns.items():
            assert mine[role].tolist() == pytest.approx(values.tolist()), (number, role)


@each(
    "heads, order",
    [
        ("Temp SP (C),Temp PV (C),Temp Out (%),RH SP (%RH),RH PV (%RH),RH Out (%)", "spospo"),
        ("溫度設定(℃),溫度實際(℃),溫度輸出(%),濕度設定(%RH),濕度實際(%RH),濕度輸出(%)", "spospo"),
        ("温度测量值(℃),湿度测量值(%),温度设定(℃),湿度设定(%),湿度输出(%),温度输出(%)", "ppssoo"),
        ("Ist Temp,Soll Temp,Heizung [%],Ist Feuchte,Soll Feuchte [% r.F.],Feuchte Ausgang [%]", "psopso"),
        ("Temperature,Set Temperature,Humidity,Set Humidity,Heater (%),Humidity Output (%)", "pspsoo"),
    ],
)
def test_a_humidity_with_a_setpoint_is_a_loop_of_its_own_in_its_own_unit(heads, order, read):
    roles = {"s": "setpoint", "p": "pv", "o": "output"}
    heads = heads.split(",")
    damp = [any(word in head for word in ("RH", "濕", "湿", "Feuchte", "Humidity")) for head in heads]
    columns = [(DAMP if is_damp else FIRST)[roles[r]] for is_damp, r in zip(damp, order, strict=True)]
    log = read(heads, columns)
    assert_loops(log, FIRST, DAMP)
    assert (log.unit, log.channel_units) == ("°C", {2: "%RH"})


def test_what_is_told_of_a_humidity_loop_is_in_its_unit(read):
    heads = ["Temp SP (C)", "Temp PV (C)", "Temp Out (%)", "RH SP (%RH)", "RH PV (%RH)", "RH Out (%)"]
    log = read(heads, [loop[role] for loop in (FIRST, DAMP) for role in ("setpoint", "pv", "output")])
    damp = next(row["kind"]["summary"] for row in kind_rows(diagnose(log)) if row["channel"] == 2)
    assert "%RH" in damp and "°C" not in damp
    titles = str(loop_chart(log, channels=[1, 2]).to_dict())
    assert "(%RH)" in titles and "%RH" in text_alternative(log, channels=[2])


@each("humidity", ["Humidity (%)", "RH", "rel. Feuchte", "濕度(%RH)", "Humidity Setpoint"])
def test_a_humidity_without_a_loop_is_no_channel(humidity, read):
    log = read(["SP", "PV (C)", "OP", humidity], [*map(FIRST.get, ("setpoint", "pv", "output")), DAMP["pv"]])
    assert_loops(log, FIRST)


def test_a_pressure_loop_is_told_in_its_own_unit(read):
    heads = ["temp_c", "temp_set_c", "pressure_bar", "pressure_set_bar"]
    log = read(heads, [FIRST["pv"], FIRST["setpoint"], DAMP["pv"], DAMP["setpoint"]])
    assert log.channel_units == {2: "bar"}


@each(
    "pv, setpoint, output",
    [
        ("Input {letter} (K)", "Setpoint {number} (K)", "Heater {number} (%)"),
        ("Fühler {letter}", "Soll {number}", "Stellgrad {number}"),
        ("溫度{letter}", "設定{number}", "輸出{number}"),
        ("Probe D{odd}", "SP{number}", "Out{number}"),
    ],
)
@each("block", ["pso", "spo", "osp"])
@each("by_role", [False, True])
def test_where_names_disagree_the_order_of_the_columns_pairs_them(pv, setpoint, output, block, by_role, read):
    heads = {"p": ("pv", pv), "s": ("setpoint", setpoint), "o": ("output", output)}
    loops = [FIRST, SECOND, THIRD]
    cells = [
        [
            (heads[r][1].format(letter="ABC"[at], number=at + 1, odd=2 * at + 3), loop[heads[r][0]])
            for r in block
        ]
        for at, loop in enumerate(loops)
    ]
    cells = [*zip(*cells, strict=True)] if by_role else cells
    assert_loops(read(*zip(*chain(*cells), strict=True)), *loops)


@each(
    "heads",
    [
        ["esc_in_C", "esc_in_sp", "htr_in_pct", "esc_out_C", "esc_out_sp", "htr_out_pct"],
        ["bath_C", "bathset", "bath_y", "roof_C", "roofset", "roof_y"],
        ["釜溫", "釜溫設定", "釜閥%", "蓋溫", "蓋溫設定", "蓋閥%"],
        ["A1_Ist", "A1_Soll", "A1_Y", "B1_Ist", "B1_Soll", "B1_Y"],
    ],
)
@each("order", [(0, 1, 2, 3, 4, 5), (0, 3, 1, 4, 2, 5), (2, 5, 1, 4, 0, 3)])
def test_words_that_heads_of_several_roles_share_tell_loops_apart(heads, order, read):
    columns = [loop[role] for loop in (FIRST, SECOND) for role in ("pv", "setpoint", "output")]
    assert_loops(read([heads[at] for at in order], [columns[at] for at in order]), FIRST, SECOND)


@each(
    "heads",
    [
        ["sp_F", "tc_top_F", "tc_low_F", "out_top", "out_low"],
        ["設定", "上區溫度", "下區溫度", "上區%", "下區%"],
    ],
)
def test_zones_with_outputs_of_their_own_share_the_one_setpoint(heads, read):
    low = {
        "pv": FIRST["pv"] - 0.4,
        "setpoint": FIRST["setpoint"],
        "output": np.round(FIRST["output"] * 0.8, 1),
    }
    columns = [FIRST["setpoint"], FIRST["pv"], low["pv"], FIRST["output"], low["output"]]
    assert_loops(read(heads, columns), FIRST, low)


@each("beside", ["mercury thermometer", "水銀溫度計", "Room (°C)", "sample_C"])
def test_a_reading_nearer_to_the_setpoint_is_not_its_pv_where_words_say_whose_it_is(beside, read):
    nearer = np.round((FIRST["pv"] + 3 * FIRST["setpoint"]) / 4, 2)
    heads = ["Vessel temp", "Vessel set", "Steam valve (%)", beside]
    log = read(heads, [FIRST["pv"], FIRST["setpoint"], FIRST["output"], nearer])
    assert log.samples[log.samples["channel"] == 1]["pv"].tolist() == FIRST["pv"].tolist()


def test_a_valve_of_another_loop_drives_none_that_it_does_not_answer(read):
    swings = np.where(np.arange(ROWS) % 80 < 40, 0.0, 100.0)
    heads = ["OvenSet", "OvenT", "OvenHeat_pct", "Vent_cmd_pct", "FID_set", "FID_T"]
    columns = [FIRST["setpoint"], FIRST["pv"], FIRST["output"], swings, SECOND["setpoint"], SECOND["pv"]]
    log = read(heads, columns)
    assert log.samples[log.samples["channel"] == 2]["output"].isna().all()


def test_temperatures_beside_the_loops_stay_beside_them(read):
    heads = ["Input A", "Setpoint 1", "Heater 1", "Input B", "Setpoint 2", "Heater 2", "Input C"]
    columns = [*(FIRST[role] for role in ("pv", "setpoint", "output"))]
    columns += [SECOND[role] for role in ("pv", "setpoint", "output")]
    assert_loops(read(heads, [*columns, THIRD["pv"]]), FIRST, SECOND, {"pv": THIRD["pv"]})


@each(
    "final, working, pv, output",
    [
        ("Main.TargetSP", "Loop.1.WorkingSP", "Loop.1.PV (degC)", "Loop.1.OP (%)"),
        ("Target Setpoint", "Current Setpoint", "Temperature", "Output (%)"),
        ("Endsollwert", "Arbeitssollwert", "Istwert", "Stellgrad (%)"),
        ("目標設定", "目前設定", "溫度(℃)", "輸出(%)"),
        ("SP 2", "SP 1", "PV", "OP"),
        ("Programmer.Target", "PID.SP", "PID.PV", "PID.OP"),
    ],
)
@each("turned", [False, True])
def test_of_several_setpoints_the_one_that_pv_follows_is_meant(final, working, pv, output, turned, read):
    heads, columns = [final, working, pv, output], [FINAL, RAMP, RAMPED, POWER]
    step = -1 if turned else 1
    log = read(heads[::step], columns[::step])
    assert_loops(log, {"setpoint": RAMP, "pv": RAMPED, "output": POWER})


def test_of_several_setpoints_of_each_loop_the_one_that_pv_follows_is_meant(read):
    heads = [f"Loop{at}.{name}" for at in (1, 2) for name in ("TargetSP", "WSP", "PV", "OP")]
    columns = [FINAL, RAMP, RAMPED, POWER, FINAL + 50, RAMP + 50, RAMPED + 50, POWER]
    first = {"setpoint": RAMP, "pv": RAMPED, "output": POWER}
    assert_loops(read(heads, columns), first, {"setpoint": RAMP + 50, "pv": RAMPED + 50, "output": POWER})

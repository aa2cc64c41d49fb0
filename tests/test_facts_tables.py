"""Values in tables, whatever their rows and columns stand for, and however their cells are parted."""

import pytest
from cases import SHARE, each, rated

from instrumentgpt.text.facts import facts_in

NAMES = (("oven 7", "10.9.0.7"), ("oven 8", "10.9.0.8"), ("zspr 052", "10.9.0.52"), ("zspr 053", "10.9.0.53"))


def told(text, device="oven 7"):
    return {
        (fact.device, fact.parameter): f"{fact.value} {fact.unit}".strip()
        for fact in facts_in(text, device, NAMES)
    }


@rated("facts_tables")
def test_a_unit_in_the_head_of_a_column_is_no_part_of_the_name(head, name, value):
    assert told(f"| oven | {head} |\n|---|---|\n| oven 8 | 2.6 |") == {("oven 8", name): value}


def test_rows_and_columns_of_devices_say_the_same():
    rows = "| unit | kp | ki |\n|---|---|---|\n| 052 | 0.1 | 0.2 |\n| 053 | 0.3 | 0.4 |"
    columns = "| | 052 | 053 |\n|---|---|---|\n| kp | 0.1 | 0.3 |\n| ki | 0.2 | 0.4 |"
    heads = "| loop | 052 Kp | 053 Kp | 052 Ki | 053 Ki |\n|---|---|---|---|---|\n| | 0.1 | 0.3 | 0.2 | 0.4 |"
    every = {("zspr 052", "kp"): "0.1", ("zspr 052", "ki"): "0.2"}
    every |= {("zspr 053", "kp"): "0.3", ("zspr 053", "ki"): "0.4"}
    assert told(rows) == told(columns) == told(heads) == every


def test_a_row_and_a_column_name_a_quantity_together():
    text = "| zone | PV °C | Kp |\n|---|---|---|\n| left | 80.2 | 12.5 |\n| right | 78.1 | 9.8 |"
    assert told(text) == {
        ("oven 7", "left process value"): "80.2 °C",
        ("oven 7", "left kp"): "12.5",
        ("oven 7", "right process value"): "78.1 °C",
        ("oven 7", "right kp"): "9.8",
    }


def test_two_columns_of_text_tell_the_rows_apart_where_one_does_not():
    rows = ["| 052 | 溫度 | 6.5 |", "| 052 | 濕度 | 11.0 |", "| 053 | 溫度 | 3.8 |"]
    text = "\n".join(["| 機台 | 迴路 | P |", "|---|---|---|", *rows])
    assert told(text) == {
        ("zspr 052", "溫度 p"): "6.5",
        ("zspr 052", "濕度 p"): "11.0",
        ("zspr 053", "溫度 p"): "3.8",
    }


@rated("facts_tables")
def test_of_a_former_and_a_present_value_the_present_one_holds(old, new):
    text = f"| parameter | {old} | {new} |\n|---|---|---|\n| door torque | 3.1 Nm | 4.2 Nm |"
    assert told(text) == {("oven 7", "door torque"): "4.2 Nm"}


def test_columns_that_say_what_their_values_are_go_into_the_name():
    text = "| sensor | setpoint | actual |\n|---|---|---|\n| jacket | 40.0 | 39.7 |"
    assert told(text) == {("oven 7", "jacket setpoint"): "40.0", ("oven 7", "jacket actual"): "39.7"}


@each("head", ["value", "Reading", "數值", "設定"])
def test_a_column_of_plain_values_adds_nothing_to_the_name(head):
    assert told(f"| item | {head} |\n|---|---|\n| hinge torque | 4.2 |") == {
        ("oven 7", "hinge torque"): "4.2"
    }


def test_a_column_of_units_is_that_of_the_values():
    text = "| item | value | unit |\n|---|---|---|\n| spray flow | 4.2 | L/min |"
    assert told(text) == {("oven 7", "spray flow"): "4.2 L/min"}


def test_a_table_that_lies_on_its_side_is_read():
    assert told("| kp | ki |\n|---|---|\n| 0.1 | 0.2 |") == {("oven 7", "kp"): "0.1", ("oven 7", "ki"): "0.2"}


@pytest.mark.parametrize("gap", ["\t", "   "])
def test_cells_are_parted_by_bars_tabs_or_spaces(gap):
    text = "\n".join(["Oven 8:", f"oil temp{gap}187 C{gap}(was 160)", f"spray flow{gap}6.4 L/min"])
    assert told(text) == {("oven 8", "oil temp"): "187 C", ("oven 8", "spray flow"): "6.4 L/min"}


@each(
    "text",
    [
        "| day | upper | lower |\n|---|---|---|\n"
        + "\n".join(f"| 7/{n} | 37.{n} | 36.{n} |" for n in range(1, 9)),
        "| nm | A |\n|---|---|\n| 190 | 0.1 |\n| 200 | 0.2 |",
        "\n".join(f"bin {n}; tips 1000 uL; boxes {n}" for n in range(9)),
        "\n".join(f"S-25{n} | dye | {n} mg | box {n}" for n in range(9)),
        "\n".join(f"pin {n}  Cu  1{n}.5 ohm  shield y" for n in range(9)),
        "\n".join(f"hose 77-{n} count {n} shelf D{n}" for n in range(9)),
        "\n".join(f"08:0{n}:02 lid=104.{n} z1=60.{n}" for n in range(9)),
        "\n".join(f"皿00{n} 活細胞 2.{n}e6 存活率 9{n}.8%" for n in range(9)),
    ],
    SHARE,
)
def test_a_series_of_records_holds_no_values_in_force(text):
    assert told(text) == {}


def test_identifiers_stand_under_names_of_identifiers_alone():
    text = "| oven | column | length | serial |\n|---|---|---|---|\n| oven 8 | C18-AQ | 250 mm | CT-3390-W |"
    assert told(text)["oven 8", "serial number"] == "CT-3390-W"
    assert told("| mount | X128447 |\n| stage | 4.2 K |") == {("oven 7", "stage"): "4.2 K"}


def test_what_a_device_is_called_beside_its_number_is_no_part_of_the_quantity():
    text = "| item | 052 Eagle | 053 Sparrow |\n|---|---|---|\n| spray flow | 4.2 | 6.1 |"
    assert told(text) == {("zspr 052", "spray flow"): "4.2", ("zspr 053", "spray flow"): "6.1"}

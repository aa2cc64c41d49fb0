"""A message falls into the parts that say something by themselves, each with the devices it speaks of."""

import pytest
from cases import each, rated
from hypothesis import given
from hypothesis import strategies as st
from instrumentgpt.text.said.units import MOST_UNITS, UNIT_CHARS, units_in
from spent import pieces

from instrumentgpt.text.facts.devices import devices_in

NAMES = (("oven 7", "10.9.0.7"), ("oven 8", "10.9.0.8"), ("pump 053",))
DATA = [f"10:00:0{at} pv=37.{at} out={40 + at}" for at in range(6)]


def texts(message, device="oven 7"):
    return [unit.text for unit in units_in(message, device, NAMES)]


def told_of(message, device="oven 7"):
    return {unit.text: unit.devices for unit in units_in(message, device, NAMES)}


def stood(message):
    return {unit.text: next(iter(unit.cues), "") for unit in units_in(message, "oven 7", NAMES)}


@rated("units")
def test_a_message_falls_into_sentences(message, parts):
    assert texts(message) == parts


@rated("units")
def test_a_list_is_told_item_by_item_without_its_marks(mark):
    assert stood(f"{mark}worn belt\n{mark}dirty fan") == {"worn belt": "item", "dirty fan": "item"}


@rated("units")
def test_emphasis_links_and_charts_leave_their_words(written, part):
    assert texts(written) == [part]


@each("quoted", ["> kp is 0.12", "  > the fan", "＞ 風扇壞了"])
def test_a_quotation_is_nobodys_word(quoted):
    assert texts(f"{quoted}\nI doubt it") == ["I doubt it"]


@each(
    "table",
    [
        "| oven | kp | ramp |\n|---|---|---|\n| 7a | 0.12 | 4.4 |",
        "oven | kp | ramp\n--- | --- | ---\n7a | 0.12 | 4.4",
        "oven\tkp\tramp\n7a\t0.12\t4.4",
    ],
)
def test_a_row_of_a_table_has_the_names_of_its_columns(table):
    assert stood(table) == {"7a — kp: 0.12; ramp: 4.4": "row"}


def test_a_column_that_names_a_device_is_of_that_device():
    table = "| | oven 7 | oven 8 |\n|---|---|---|\n| kp | 0.12 | 0.3 |"
    assert told_of(table) == {"kp: 0.12": ("oven 7",), "kp: 0.3": ("oven 8",)}


def test_a_line_of_a_configuration_is_told_with_its_section_and_device():
    found = told_of("```ini\n[pid]\nkp = 0.12\n\n[pump053]\nrate = 4\n```\nthat is all")
    assert found == {
        "[pid] kp = 0.12": ("oven 7",),
        "[pump053] rate = 4": ("pump 053",),
        "that is all": ("oven 7",),
    }


@each(
    "program",
    [
        "```python\nkp = 0.12\n```",
        "```\nimport pid\nkp = 0.12\nfor step in range(9):\n    set(kp)\n```",
        "~~~c\nfloat kp = 0.12;\n~~~",
    ],
)
def test_a_program_states_nothing(program):
    assert texts(f"so:\n{program}\ndone") == ["so:", "done"]


@pytest.mark.parametrize("fence", ["", "```\n"])
def test_lines_of_data_are_left_out_but_not_the_event_among_them(fence):
    log = [*DATA[:3], "*** E-214 overtemperature trip", *DATA[3:]]
    message = "what is this\n" + fence + "\n".join(log) + "\n" + fence + "why does it trip"
    assert stood(message) == {
        "what is this": "implied",
        "*** E-214 overtemperature trip": "log",
        "why does it trip": "implied",
    }


def test_who_is_spoken_of_is_said_by_the_sentence_the_paragraph_or_the_heading():
    message = "it hums\n\n## oven 8\nkp is 9\n\nThe pump 053 leaks. It is old.\n\nramp is 3\n\noven 7: fine"
    assert told_of(message) == {
        "it hums": ("oven 7",),
        "oven 8": ("oven 8",),
        "kp is 9": ("oven 8",),
        "The pump 053 leaks.": ("pump 053",),
        "It is old.": ("pump 053",),
        "ramp is 3": ("oven 8",),
        "oven 7: fine": ("oven 7",),
    }


def test_of_a_long_paste_both_ends_are_read():
    paste = "\n".join(f"[2026-02-19 23:24:{at % 60:02}] out={at}" for at in range(6_000))
    assert texts(f"here it is\n{paste}\nwhy does it swing") == ["here it is", "why does it swing"]


LONG = {
    "log": "\n".join(f"[2026-02-19 23:24:{at % 60:02}] out={at} pv=37.{at % 10}" for at in range(5_000)),
    "one line": "The pump of oven 7 was swapped because it leaked. " * 4_000,
    "lines": "".join(f"pump {chr(97 + at % 26)}{at % 89} of oven 7 leaks\n" for at in range(8_000)),
    "empty lines": "\n" * 200_000,
    "fences": "```\n" * 50_000,
    "bars": "|" * 200_000,
    "brackets": "[" * 200_000,
    "open links": "[a](" * 50_000,
    "struck": "~~ a" * 50_000,
    "blanks": " " * 200_000 + "x",
    "digits": "1," * 100_000,
    "rows": "| a1 | b |\n" * 20_000,
    "中文": "加熱器的溫度波動是因為供氣管被壓扁，" * 11_000,
}


@pytest.mark.soak
@each("message", LONG.values())
def test_a_paste_of_200_kb_takes_milliseconds(message):
    assert len(units_in(message, "oven 7", NAMES)) <= MOST_UNITS
    assert pieces(lambda: units_in(message, "oven 7", NAMES)) < 40


@given(st.text(alphabet=st.sampled_from("ab1 .,:|=\t\n\r-#>*`~[]()（「。；因為kp0%壓"), max_size=300))
def test_every_part_of_any_text_says_something_in_the_words_of_the_text(message):
    for unit in units_in(message, "oven 7", NAMES):
        assert unit.text.strip() == unit.text != ""
        assert "\n" not in unit.text
        assert len(unit.text) <= UNIT_CHARS
        assert unit.devices
        assert set(filter(str.isalnum, unit.text)) <= set(message)


@given(st.text(max_size=200))
def test_devices_are_those_named_or_the_one_in_question(message):
    known = {"oven 7", *devices_in(message, NAMES)}
    for unit in units_in(message, "oven 7", NAMES):
        assert set(unit.devices) <= known

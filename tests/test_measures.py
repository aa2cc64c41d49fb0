"""Numbers and units are one, however they are written, and units of one measure are known as such."""

import re

from cases import SHARE, each, rated
from hypothesis import given
from hypothesis import strategies as st

from instrumentgpt.memory.measures import NUMBER, WRITTEN_UNIT, amount, same_measure, unit_of

UNITS = "°C ℃ K 毫秒 分鐘 分钟 小時 小时 kPa mbar % ％RH 轉/分 转/分 kW Ω kΩ µm L/min %/(°C·s) W/（K⋅秒）"


@each("unit", [*UNITS.split(), "W/(m²·K)", "cycles", "輪", "轮", "個月", "个月", "weeks"], SHARE)
def test_a_unit_is_read_as_it_is_written(unit):
    assert re.fullmatch(WRITTEN_UNIT, unit)


@rated("measures")
def test_other_words_and_letters_are_no_units_as_they_are_written(text):
    assert not re.fullmatch(WRITTEN_UNIT, text)


@rated("measures")
def test_spellings_of_a_unit_are_one(one, other):
    assert unit_of(one) == unit_of(other)


@rated("measures")
def test_units_of_one_measure_measure_the_same(one, other):
    assert same_measure(one, other) and same_measure(other, one)
    assert unit_of(one) != unit_of(other)


@rated("measures")
def test_units_of_others_do_not(one, other):
    assert not same_measure(one, other) and not same_measure(other, one)


@rated("measures")
def test_a_number_is_read_whole(number):
    assert re.match(rf"{NUMBER}(?!\S)", f"{number} V")[0] == number


def test_a_number_of_something_is_no_thousand():
    assert re.search(NUMBER, "zone 1 200")[0] == "1"


@each("unit", UNITS.split(), SHARE)
def test_a_unit_in_one_spelling_stays_in_it(unit):
    assert unit_of(unit_of(unit)) == unit_of(unit)


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_units_can_be_compared(one, other):
    assert same_measure(one, other) == same_measure(other, one)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**6), max_value=10**6))
def test_an_amount_is_one_with_and_without_thousands(number):
    assert amount(f"{number:,}") == amount(str(number))

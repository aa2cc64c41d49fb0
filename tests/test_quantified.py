"""The numbers and dates of a sentence are read with what they are of, and whether they still hold."""

import pytest
from cases import SHARE, each, rated
from hypothesis import given
from hypothesis import strategies as st
from instrumentgpt.text.said.quantified import ENOUGH, kinds_in, likeness, quantities_in, units_fit
from spent import pieces

from instrumentgpt.text.terms import fold


def told(sentence):
    return [(one.number, one.unit, one.is_old) for one in quantities_in(sentence)]


@each(
    "sentence, numbers",
    [
        ("ramp is 4.4 °C", [("4.4", "°c")]),
        ("flow 12 sccm, pressure 3 mbar", [("12", "sccm"), ("3", "mbar")]),
        ("fan at 4,017 rpm", [("4,017", "rpm")]),
        ("heater of 3.9 kW", [("3.9", "kw")]),
        ("ramp of 6 °C/s", [("6", "°c/s")]),
        ("流量 15 公升/分", [("15", "l/min")]),
        ("30 cycles, every 5 weeks", [("30", ""), ("5", "")]),
        ("it takes 5 minutes", [("5", "min")]),
        ("轉速 4017 轉", [("4017", "rpm")]),
        ("转速 4017 转", [("4017", "rpm")]),
        ("保持 30 分鐘", [("30", "min")]),
        ("保持 30 分钟", [("30", "min")]),
        ("the audit is on 12 December", [("12 december", "date")]),
        ("校正在 12 月 8 日", [("12 月 8 日", "date")]),
        ("due 2026-02-19", [("2026-02-19", "date")]),
    ],
    SHARE,
)
def test_numbers_are_read_with_their_units(sentence, numbers):
    assert [(number, unit) for number, unit, _ in told(sentence)] == numbers


@rated("quantified")
def test_names_times_and_identifiers_are_no_quantities(sentence):
    assert told(sentence) == []


@rated("quantified")
def test_what_is_told_as_no_more_is_old(sentence, old, new):
    assert {number: is_old for number, _, is_old in told(sentence)} == {old: True, new: False}


@rated("quantified")
def test_an_amount_is_one_however_it_is_written(one, other):
    (first,), (second,) = quantities_in(f"limit {one}"), quantities_in(f"limit {other}")
    assert first.amount == second.amount


def alike(one, other):
    return likeness(kinds_in(one)[0], kinds_in(other)[0])


@rated("quantified")
def test_numbers_of_one_thing_are_alike(one, other):
    assert alike(one, other) >= ENOUGH


@rated("quantified")
def test_numbers_of_other_things_are_not(one, other):
    assert alike(one, other) < ENOUGH


TEXT = st.text(alphabet=st.sampled_from("0123456789.,-+±/:° ck%kp從改成到月日 notfrom\n"), max_size=120)


@given(TEXT)
def test_every_number_of_any_text_stands_in_it(sentence):
    folded = " ".join(fold(sentence).split()).replace("−", "-").replace("–", "-")
    for one in quantities_in(sentence):
        assert one.number in folded
        assert one.amount


@given(TEXT, TEXT)
def test_likeness_is_mutual_and_between_0_and_1(one, other):
    for first in kinds_in(one):
        for second in kinds_in(other):
            assert 0 <= likeness(first, second) <= 1
            assert likeness(first, second) == pytest.approx(likeness(second, first))
            assert units_fit(first, second) == units_fit(second, first)


@pytest.mark.soak
@each(
    "sentence", ["1 " * 200, "not " * 100 + "1", "was the it " * 36, "1,000" * 80, "from 1 to 2 " * 33], SHARE
)
def test_no_sentence_of_a_message_takes_long(sentence):
    fresh = iter([f"{sentence[:398]} {number}" for number in range(3)])  # what was read before is remembered
    assert pieces(lambda: quantities_in(next(fresh))) < 45

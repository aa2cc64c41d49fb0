"""What a user lays down is told from what a user only tells: in English, Chinese and both at once."""

import pytest
from cases import each, rated
from instrumentgpt.text.wishes import lays_down, wishes_in
from spent import least_times


@rated("wishes")
def test_what_holds_for_the_work_to_come_is_laid_down(sentence):
    assert lays_down(sentence)
    assert wishes_in(f"Why does it swing?\n{sentence}\n溫度為什麼波動？") == [sentence]


@rated("wishes")
def test_what_only_tells_lays_nothing_down(sentence):
    assert not lays_down(sentence)
    assert wishes_in(sentence) == []


def test_a_question_right_before_it_is_no_part_of_it():
    assert wishes_in("是不是壞了?不要動它") == ["不要動它"]


def test_an_abbreviation_ends_no_sentence():
    assert wishes_in("Prof. Lin must be there. Why?") == ["Prof. Lin must be there."]


@pytest.mark.soak
@each("piece", ["never ", "不准", "no no ", "前先", "only let ", "until 12/3 "])
def test_a_long_line_is_read_in_no_time(piece):
    begun, whole = least_times(lambda: wishes_in(piece * 1_000), lambda: wishes_in(piece * 20_000))
    assert whole < 10 * begun, "only the beginning of a line is read"

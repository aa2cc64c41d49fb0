"""The difference between two prompts: per layer and by line, and never longer than can be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instrumentgpt.memory.budget import Section
from instrumentgpt.memory.difference import CONTEXT_LINES, MOST_LINES, difference


def section(text, name="recent", tokens=7):
    return Section(name, text, tokens)


def told(before, after):
    [change] = difference([section(before)], [section(after)])
    return list(change.lines)


def test_a_layer_that_did_not_change_has_no_lines():
    assert told("a\nb", "a\nb") == []


def test_a_layer_that_is_new_or_gone_says_so_by_its_tokens():
    new, gone = difference([section("x", "note", 3)], [section("y", "state", 5)])
    assert (new.name, new.before, new.after, new.count("+")) == ("state", 0, 5, 1)
    assert (gone.name, gone.before, gone.after, gone.count("-")) == ("note", 3, 0, 1)


def test_chinese_lines_are_compared_too():
    assert told("溫度波動\n風扇髒了", "溫度波動\n風扇乾淨") == [
        "  溫度波動",
        "- 風扇髒了",
        "+ 風扇乾淨",
    ]


def test_of_what_stayed_only_the_lines_beside_a_change_are_shown():
    before = [f"line {n}" for n in range(30)]
    after = [*before[:15], "another thing altogether", *before[16:]]
    lines = told("\n".join(before), "\n".join(after))
    assert lines[0] == "  …"
    assert [line[0] for line in lines[1:]].count(" ") == 2 * CONTEXT_LINES


@pytest.mark.parametrize(("before", "after"), [("", "x\n" * 5000), ("x\n" * 5000, "")])
def test_a_long_difference_is_cut_and_says_by_how_much(before, after):
    lines = told(before, after)
    assert len(lines) == MOST_LINES + 1
    assert "more lines" in lines[-1]


TEXTS = st.text("ab \n溫1.", max_size=40)


@given(TEXTS, TEXTS)
def test_the_lines_that_are_not_removed_make_up_the_new_text_and_the_others_the_old(before, after):
    [change] = difference([section(before)], [section(after)])
    if not any("…" in line for line in change.lines):
        now = [line[2:] for line in change.lines if line[0] != "-"]
        was = [line[2:] for line in change.lines if line[0] != "+"]
        assert before.startswith("\n".join(was)) and after.startswith("\n".join(now))

"""Event lines are grouped by what they say, with counts and the first and last line."""

import pandas as pd
from cases import each

from instrumentgpt.instruments.messages import group_messages, level_of, template_of


def frame(*rows):
    return pd.DataFrame(rows, columns=["time", "level", "source", "text", "line"])


EVENTS = frame(
    (1.0, "warning", "Net", "slow client 10.1.1.74, queue 8", 4),
    (2.0, "info", "Door", "state closed -> open", 9),
    (3.0, "warn", "Net", "slow client 10.1.1.9, queue 12", 11),
    (4.0, "error", "Net", "socket closed by peer 10.1.1.9", 20),
    (9.0, "info", "Door", "state open -> closed", 30),
)


def test_lines_that_differ_in_numbers_only_are_one_group():
    groups = group_messages(EVENTS, levels=("warning",))
    (slow,) = groups
    assert (slow.template, slow.source, len(slow.messages)) == ("slow client …, queue …", "Net", 2)
    assert (slow.messages[0].line, slow.messages[-1].line) == (4, 11)


def test_the_worst_level_comes_first():
    assert [group.level for group in group_messages(EVENTS)] == ["error", "warning", "info", "info"]


@each("query, lines", [("door", [9, 30]), ("DOOR peer", [20, 9, 30]), ("fan", [])])
def test_words_are_looked_for_in_source_and_text(query, lines):
    groups = group_messages(EVENTS, query)
    assert [message.line for group in groups for message in group.messages] == lines


def test_no_events_are_no_groups():
    assert group_messages(frame()) == []


@each(
    "text, template",
    [
        ("axis X homed in 812 ms", "axis X homed in … ms"),
        ("CRC 0x1F3A at 12:30:01", "CRC … at …"),
        ("24V=15.98 5V=5.07", "…V=… …V=…"),
        ("state closed -> open", "state closed -> open"),
    ],
)
def test_a_template_leaves_open_what_differs(text, template):
    assert template_of(text) == template


@each("text, level", [("WARN", "warning"), ("fatal", "critical"), ("?", "info")])
def test_levels_are_known_in_several_spellings(text, level):
    assert level_of(text) == level

"""Of all that was said, what bears most on the question is told, in its order and under its device."""

from dataclasses import replace

from cases import SHARE, each
from hypothesis import given
from hypothesis import strategies as st
from instrumentgpt.text.said.bearing import (
    HOW_TO_READ,
    asked_for,
    bearing_on,
    only_of,
    said_lines,
    without_settled,
)
from instrumentgpt.text.said.outdated import later_of
from instrumentgpt.text.said.part import Evidence
from spoken import spoken

from instrumentgpt.text.terms import telling, terms


def evidence_of(question, parts):
    return Evidence(parts, dict.fromkeys(telling(terms(question)), 1.0), {})


def lines(question, *messages, devices=("oven 7",), most=8, told=()):
    parts = spoken(*messages)
    found = said_lines(question, evidence_of(question, parts), devices, later_of(parts), most, told)
    assert found[:1] == ([HOW_TO_READ] if found else [])
    return found[1:]


@each(
    "question, kinds",
    [
        ("Why does it swing?", {"cause"}),
        ("為什麼溫度波動？", {"cause"}),
        ("为什么温度波动？", {"cause"}),
        ("What did we rule out?", {"out"}),
        ("哪些已經排除？", {"out"}),
        ("哪些已经排除？", {"out"}),
        ("When was it?", {"time"}),
        ("什麼時候換的？", {"time"}),
        ("什么时候换的？", {"time"}),
        ("Which firmware?", {"name"}),
        ("kp?", set()),
    ],
    SHARE,
)
def test_a_question_asks_for_kinds_of_things(question, kinds):
    assert kinds <= asked_for(question)
    assert kinds or not asked_for(question)


def test_the_parts_with_the_words_of_the_question_are_told_in_their_order():
    found = lines(
        "where is the spare belt kept?",
        "the spare belt is kept in the red box",
        "The weather was nice.",
        "the belt is worn",
        most=2,
    )
    assert found == [
        "Said of oven 7:",
        "  - turn 1, user: “the spare belt is kept in the red box”",
        "  - turn 2, user: “the belt is worn”",
    ]


@each(
    "question, verdict, other",
    [
        ("why does the belt slip?", "The culprit was the tensioner.", "The lamp is black."),
        ("皮帶為什麼打滑？", "真正的原因是張緊輪。", "燈是黑色。"),
        ("皮带为什么打滑？", "真正的原因是张紧轮。", "灯是黑色。"),
    ],
)
def test_a_verdict_comes_first_where_a_cause_is_asked_for(question, verdict, other):
    parts = spoken("hm", other, "hm", verdict)
    (best,) = bearing_on(question, evidence_of(question, parts), ("oven 7",), 1)
    assert best.text == verdict


def test_a_time_is_told_where_one_is_asked_for():
    parts = spoken("the belt was swapped by Lee", "I see.", "the belt was swapped at 10:32")
    (best,) = bearing_on("when was the belt swapped?", evidence_of("belt swapped", parts), ("oven 7",), 1)
    assert best.text.endswith("10:32")


def test_of_equal_parts_the_newest_is_told_and_each_text_once():
    parts = spoken("the belt is worn", "I see.", "the belt is worn")
    found = bearing_on("belt?", evidence_of("belt", parts), ("oven 7",), 5)
    assert [one.turn for one in found if "belt" in one.text] == [2]


def test_a_bare_question_says_nothing():
    parts = spoken("is the belt worn?", "皮帶壞了嗎？", "皮带坏了吗？")
    assert bearing_on("belt 皮帶", evidence_of("belt 皮帶", parts), ("oven 7",), 5) == []


def test_a_brief_part_whose_value_stands_in_the_context_is_left_out():
    parts = spoken("belt tension is 12")
    evidence = evidence_of("belt tension", parts)
    assert bearing_on("belt tension", evidence, ("oven 7",), 5, {("oven 7", "12")}) == []
    assert bearing_on("belt tension", evidence, ("oven 7",), 5, {("oven 8", "12")}) == parts


def test_a_question_that_names_devices_is_told_of_no_others():
    evidence = Evidence(spoken("oven 7 hums\noven 8 leaks\nboth: oven 7 and oven 8 are old"))
    assert [one.text for one in only_of(["oven 8"], evidence).said] == [
        "oven 8 leaks",
        "both: oven 7 and oven 8 are old",
    ]
    assert only_of([], evidence) is evidence
    anywhere = replace(evidence, said=spoken("it hums", device=""))
    assert only_of(["oven 8"], anywhere).said == anywhere.said


def test_each_device_stands_under_its_name_those_in_question_first():
    found = lines("belt?", "the belt of oven 8 is black\nthe belt of oven 7 is red")
    assert [line for line in found if not line.startswith(" ")] == ["Said of oven 7:", "Said of oven 8:"]
    found = lines("belt?", "the belt of oven 7 is red\nthe belt of oven 8 is black", devices=("oven 8",))
    assert [line for line in found if not line.startswith(" ")] == ["Said of oven 8:", "Said of oven 7:"]


@each(
    "guess, dismissal, question",
    [
        ("Perhaps the damper flap sticks.", "We can rule out the damper flap.", "is it the damper flap?"),
        ("可能是供氣管被壓扁。", "供氣管可以排除。", "是供氣管嗎？"),
        ("可能是供气管被压扁。", "供气管可以排除。", "是供气管吗？"),
    ],
)
def test_what_was_ruled_out_stands_under_a_heading_of_its_own(guess, dismissal, question):
    found = lines(question, "why?", guess, "and?", dismissal)
    assert found[found.index("Ruled out, as said of oven 7:") + 1].endswith(f"“{dismissal}”")
    assert not any(guess in line for line in found)


@each(
    "said, is_out",
    [
        ("0.2 mg is noise, so we can stop looking at the lid gasket.", True),
        ("0.13 與 0.12 沒有差別，分散器堵塞這個猜想到此為止。", True),
        ("We take 36 off and leave 40.", False),
    ],
)
def test_a_dismissal_beside_a_number_is_ruled_out_where_its_own_words_have_none(said, is_out):
    found = lines("lid gasket, 分散器, 36?", "why?", said)
    assert ("Ruled out, as said of oven 7:" in found) is is_out


def test_a_supposition_is_left_out_once_the_cause_is_found():
    parts = spoken("why?", "Perhaps the fan is dirty.", "and?", "It turned out to be the relay.")
    assert [one.turn for one in without_settled(parts) if "fan" in one.text] == []
    assert [one.turn for one in without_settled(parts[:2]) if "fan" in one.text] == [1]


@given(st.lists(st.text(max_size=60), max_size=6), st.text(max_size=40))
def test_any_words_come_out_on_lines_of_their_own(messages, question):
    found = lines(question, *messages, most=4)
    assert sum(line.startswith("  - turn ") for line in found) <= 4
    for line in found:
        assert len(line.splitlines()) == 1
        assert line.startswith("  - turn ") or line.endswith(":")

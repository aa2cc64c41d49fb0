"""Quantities that came up before: spoken of by name in any wording, corrected without one, answered to."""

import pytest
from cases import SHARE, each, rated
from spent import pieces

from instrumentgpt.text.facts import Fact, Heard, facts_in

NAMES = (("oven 7", "10.9.0.7"), ("oven 8", "10.9.0.8"), ("zspr 052", "10.9.0.52"), ("zspr 053", "10.9.0.53"))


def fact(parameter, value, unit="", device="oven 7"):
    return Fact(device, "", parameter, value, unit)


KNOWN = (
    fact("hatch", "105.0", "°C"),
    fact("purge flow", "6.4", "L/min"),
    fact("equilibration time", "18", "minutes"),
    fact("停留", "15", "分鐘"),
    fact("出水", "18.5", "度"),
    fact("hatch", "99.5", "°C", "oven 8"),
)


def told(text, heard, device="oven 7"):
    return [
        (one.device[-1], one.parameter, f"{one.value} {one.unit}".strip())
        for one in facts_in(text, device, NAMES, heard)
    ]


@rated("facts_heard")
def test_a_quantity_in_use_is_known_by_its_name_and_by_its_old_value(text, parameter, value):
    assert told(text, Heard(KNOWN)) == [("7", parameter, value)]


@each(
    "text, facts",
    [
        ("wrong, it's 62.2", [("7", "clamp", "62.2 °C")]),
        ("scratch that: 62.2", [("7", "clamp", "62.2 °C")]),
        ("不對，是 62.2 度", [("7", "clamp", "62.2 度")]),
        ("no, not 61.7, make it 62.2", [("7", "clamp", "62.2 °C")]),
        ("actually 1310 on the panel", [("7", "blower", "1310 rpm")]),
        ("欸不對，我剛看現場面板 1310", [("7", "blower", "1310 rpm")]),
        ("wrong, it's 500.5 kg", []),
        ("if it's wrong, 62.2?", []),
        ("it went from 40 to 70 and then there is room for more of it 62.2 up there", []),
        ("wrong, 62.2 or 62.3", []),
    ],
    SHARE,
)
def test_a_correction_without_a_name_is_of_what_was_told_last(text, facts):
    last = (fact("clamp", "61.7", "°C"), fact("blower", "1260", "rpm"), fact("lamp", "73", "W"))
    assert told(text, Heard(KNOWN, last)) == facts


@each(
    "question, answer, facts",
    [
        (
            "serial of oven 8?",
            "Behind the hinge: QX-53-C, as on the sheet.",
            [("8", "serial number", "QX-53-C")],
        ),
        ("oven 8 purge flow?", "8.4 L/min, a little less than needed.", [("8", "purge flow", "8.4 L/min")]),
        (
            "firmware both",
            "052 runs 3.18.2 and 053 runs 3.20.0.",
            [("2", "firmware", "3.18.2"), ("3", "firmware", "3.20.0")],
        ),
        (
            "序號",
            "052：LC9-20417，053：LC9-21988。",
            [("2", "serial number", "LC9-20417"), ("3", "serial number", "LC9-21988")],
        ),
        ("how are you", "8.4 L/min is a lot.", []),
        ("Cheers, Gordon", "NOTE 12 - the fan is listed", []),
        ("so no drift, I would say", "Step 23: closed", []),
    ],
    SHARE,
)
def test_a_value_without_a_name_answers_the_question(question, answer, facts):
    assert told(answer, Heard(KNOWN, question=question), "oven 8") == facts


def test_several_devices_of_a_sentence_each_get_their_own():
    assert told("Mount setpoints: 052 at 4.20, 053 at 3.75.", Heard()) == [
        ("2", "mount setpoints", "4.20"),
        ("3", "mount setpoints", "3.75"),
    ]
    assert told("052 的導電度 2.7 µS/cm，053 是 0.9 µS/cm。", Heard()) == [
        ("2", "conductivity", "2.7 µS/cm"),
        ("3", "conductivity", "0.9 µS/cm"),
    ]


@rated("facts_heard")
def test_bounds_changes_estimates_and_other_measures_are_no_values(text):
    assert told(text, Heard()) == []


@pytest.mark.soak
def test_a_message_of_two_kilobytes_is_read_in_no_time():
    heard = Heard(tuple(fact(f"part {chr(97 + n % 26)}{n} flow", str(n + 1), "L/min") for n in range(300)))
    hostile = [
        "set " * 240 + "x 62.2",
        "from 1 to 2 " * 80,
        "flow " * 190 + "3",
        "改" * 900 + "3",
        "a: 1, " * 160,
    ]
    lines = [
        "The hatch of oven 7 was at 105.0 °C, it is 107.5 °C now.",
        "| kp | 0.1 | 0.2 |",
        "流量 8.4 L/min，溫度 37 度。",
    ]
    texts = [*hostile, "\n".join(lines * 20)]
    assert pieces(lambda: [facts_in(text, "oven 7", NAMES, heard) for text in texts]) < 350

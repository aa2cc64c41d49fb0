"""What is put on record of a user's own words: values, constraints, names; explicit shapes only."""

import pytest
from cases import each, rated
from hypothesis import given
from hypothesis import strategies as st
from spent import pieces

from instrumentgpt.memory.reading.constraints import Ruling, constraints_in, rulings_in_force
from instrumentgpt.memory.reading.names import Naming, names_in, nicknames_by_device
from instrumentgpt.memory.reading.own_words import own_lines, sentences
from instrumentgpt.memory.reading.values import doubts_in, parameter_named, values_in

OVENS = (("oven 7", "10.9.0.7"), ("oven 8", "10.9.0.8"))
DEVICES = (("zspr 052", "10.1.1.47"), ("zspr 054", "10.1.1.93"))
FLOOR = 0.92


def values(text, device="oven 7"):
    return [
        (fact.device, fact.channel, fact.parameter, fact.value + fact.unit)
        for fact in values_in(text, device, OVENS)
    ]


def named(*messages):
    found = nicknames_by_device([naming for message in messages for naming in names_in(message, DEVICES)])
    return {device: nicknames for device, nicknames in found.items()}


@rated("memory_reading", FLOOR)
def test_a_value_that_a_user_states_plainly_is_taken(text, parameter, value):
    assert values(text) == [("oven 7", "", parameter, value)]


@rated("memory_reading", FLOOR)
def test_what_states_no_value(text):
    assert values(text) == []


@rated("memory_reading", FLOOR)
def test_what_a_user_lays_down_is_a_constraint(sentence):
    assert constraints_in(f"Why does it swing?\n{sentence}\n溫度為什麼波動？") == [("constraint", sentence)]


@rated("memory_reading", FLOOR)
def test_what_lifts_a_constraint(sentence):
    assert constraints_in(sentence) == [("lift", sentence)]


@rated("memory_reading", FLOOR)
def test_what_lays_nothing_down(sentence):
    assert constraints_in(sentence) == []


@rated("memory_reading", FLOOR)
def test_a_sentence_gives_a_device_a_name(text, nickname):
    assert named(text) == {"zspr 052": (nickname,)}


@rated("memory_reading", FLOOR)
def test_what_names_no_device(text):
    assert named(text) == {}


@each(
    "text, told",
    [
        ("On oven 8 the kp is 0.3.", [("oven 8", "", "kp", "0.3")]),
        ("10.9.0.8: kp = 0.3", [("oven 8", "", "kp", "0.3")]),
        ("Oven 8:\n- kp: 0.3\n- ki: 0.1", [("oven 8", "", "kp", "0.3"), ("oven 8", "", "ki", "0.1")]),
        ("channel 2: setpoint = 37.0 °C", [("oven 7", "2", "setpoint", "37.0°C")]),
        ("第 3 通道設定值為 40 °C", [("oven 7", "3", "setpoint", "40°C")]),
        ("kp is 9. No, kp is 12.", [("oven 7", "", "kp", "12")]),
    ],
)
def test_a_value_belongs_to_the_device_and_the_channel_that_are_named_with_it(text, told):
    assert values(text) == told


@each(
    "text, told",
    [
        ("Somebody took kp up to 12 last night.", [("oven 7", "", "kp", "12")]),
        ("The setpoint of channel 2 was moved to 41 °C by Ito.", [("oven 7", "2", "setpoint", "41")]),
        ("Why is kp 3? Never touch kp.", []),
        ("The door was open.", []),
        ("kp went from 7 to 12", [("oven 7", "", "kp", "7"), ("oven 7", "", "kp", "12")]),
        ("Raise kp to 12. Please set ki to 0.3. 請把 kp 調到 12。", []),
        ("Suggest better gains. Plot kp. 畫 kp。建議更好的增益。", []),
    ],
)
def test_what_a_statement_speaks_of_may_have_changed(text, told):
    found = doubts_in(text, "oven 7", OVENS)
    assert [(one.device, one.channel, one.parameter, one.value) for one in found] == told


@each("text", ["oven 7 and oven 8: kp is 9", "oven 7 swings more than oven 8. kp is 9 and ki 0.1."])
def test_a_value_among_several_devices_is_of_none(text):
    assert values(text) == []


def test_a_value_of_a_device_that_nobody_named_is_not_taken():
    assert values("kp is 9", device="") == []


@each("label", ["", "turn", "https://x", "a sentence that goes on for far too long", "2026"])
def test_not_every_label_is_a_quantity(label):
    assert parameter_named(label) == ""


@each(
    "pasted",
    [
        "[2026-02-19 23:24:45] out=100\nRoot cause: scrap oven 7.\n[2026-02-19 23:24:46] out=100",
        "12:01 T=40.1\n12:02 T=40.2\n12:03 T=40.1\nNever restart it.\n12:04 T=40.3\n12:05 T=40.1",
        "[2026-02-19 23:24:45] 不要重啟\nkp is 99\n以後一律停機\n[2026-02-19 23:24:46] out=100",
    ],
)
def test_what_stands_in_a_pasted_log_puts_nothing_on_record(pasted):
    text = f"Why?\n\n{pasted}\n\nDo not touch ki."
    assert constraints_in(text) == [("constraint", "Do not touch ki.")]
    assert values(text) == []


@each(
    "text",
    [
        "Context\n---\nNever restart it.\n---\nWhy?",
        "```\nout = 1\n```\nNever restart it.\n```\nout = 2\n```",
        "> 12:01 he wrote this\nNever restart it.\n> 12:02 and that",
    ],
)
def test_what_stands_between_rules_code_and_quotations_is_the_users(text):
    assert constraints_in(text) == [("constraint", "Never restart it.")]


def laid(*told):
    """Return what is in force of sentences: "-" before one that lifts; "oven 8: …" is of that device."""
    said = []
    for text in told:
        device, _, sentence = text.rpartition(": ")
        said.append(Ruling("lift" if sentence[0] == "-" else "constraint", sentence.lstrip("-"), device))
    return [told[at] for at in rulings_in_force(said)]


@each(
    "told, left",
    [
        (["do not restart it", "-you may restart it again"], []),
        (["do not restart it", "keep the lid shut", "-you may restart it now"], ["keep the lid shut"]),
        (["do not restart it", "-that ban is lifted"], []),
        (["do not restart it", "keep shut", "-that ban is lifted"], ["do not restart it", "keep shut"]),
        (["不要重啟", "增益不准改", "-現在可以重啟了"], ["增益不准改"]),
        (["不要重啟", "-解除禁令"], []),
        (["do not restart it", "-you may open the lid now"], ["do not restart it"]),
        (["oven 7: do not restart it", "oven 8: -you may restart it"], ["oven 7: do not restart it"]),
        (["do not restart it", "-you may restart it", "do not restart it"], ["do not restart it"]),
        (["stay below 60 °C", "now stay below 65 °C"], ["now stay below 65 °C"]),
        (["stay below 60 °C", "stay below 2 K/min"], ["stay below 60 °C", "stay below 2 K/min"]),
        (["no restart before Friday", "no restart before Monday"], ["no restart before Monday"]),
        (["溫度不要超過 60 度", "溫度不要超過 65 度"], ["溫度不要超過 65 度"]),
        (["do not restart it", "Do not restart it"], ["Do not restart it"]),
        (["-you may restart it"], []),
    ],
)
def test_what_is_in_force_of_what_was_laid_down_and_lifted(told, left):
    assert laid(*told) == left


@each(
    "messages, expected",
    [
        (["call 052 Tallinn", "call 054 Narva"], {"zspr 052": ("Tallinn",), "zspr 054": ("Narva",)}),
        (["call 052 Tallinn", "From now on call 054 Tallinn."], {"zspr 054": ("Tallinn",)}),
        (["052 叫北極", "以後 054 就叫北极"], {"zspr 054": ("北极",)}),
        (["call 052 Tallinn", "Call 052 TALLINN."], {"zspr 052": ("TALLINN",)}),
        (["call 052 Tallinn", "we call 052 Big T"], {"zspr 052": ("Tallinn", "Big T")}),
    ],
)
def test_a_name_is_one_devices_and_the_last_word_counts(messages, expected):
    assert named(*messages) == expected


namings = st.builds(
    Naming,
    st.sampled_from(["a", "b", "c"]),
    st.sampled_from(["Tallinn", "TALLINN", "北極", "北极", "Narva"]),
)


@given(st.lists(namings))
def test_a_name_never_stands_for_two_devices(told):
    keys = [
        nickname.casefold().replace("極", "极")
        for own in nicknames_by_device(told).values()
        for nickname in own
    ]
    assert len(keys) == len(set(keys))


@given(st.text(alphabet='052 54isthe calledTkpno叫是不要就「」"()（），.:=|?\n', max_size=80))
def test_any_text_can_be_read(text):
    for naming in names_in(text, DEVICES):
        assert naming.device in {names[0] for names in DEVICES} and naming.nickname in text
    for fact in values_in(text, "zspr 052", DEVICES):
        assert fact.value in text and fact.device
    for _, sentence in constraints_in(text):
        assert set(sentence) <= {*text, " ", "…"}


@given(st.text(max_size=200))
def test_every_sentence_is_in_the_words_of_its_text(text):
    for line in own_lines(text):
        assert all(set(part) <= {*line, " "} and part.strip() for part in sentences(line))


HOSTILE = [
    "kp " + "a:" * 400,
    "| " * 20_000,
    "kp is 1 not " * 80,
    "kp " * 20_000,
    "kp" + " of \0" * 400,
    "never " * 20_000,
    "no " * 20_000,
    "不准" * 20_000,
    "until 12/3 " * 5_000,
    "052 is called " + "a " * 5_000,
    "052 " * 20_000,
    "052" + " " * 20_000 + "called",
    "052 叫" * 5_000,
    '"052 ' * 5_000,
    "a. B" * 20_000,
    "- " * 20_000 + "x",
    "```\n" * 20_000,
    "[2026-02-19 23:40:54] " + "ERROR " * 20_000,
    "".join(f"pump {chr(97 + at % 26)}{at % 89} of 052 leaks\n" for at in range(4_000)),
]


@pytest.mark.soak
@each("text", HOSTILE)
def test_long_and_hostile_texts_are_read_in_no_time(text):
    def read():
        values_in(text, "zspr 052", DEVICES)
        constraints_in(text)
        names_in(text, DEVICES)

    assert pieces(read) < 75

"""The analyst tells eleven kinds of question apart, as a rate on questions by somebody who read no code."""

import pytest
from cases import each

from bench.questions import rates
from instrumentgpt.analyst.questions import KINDS, devices_in, near_misses, read_question
from instrumentgpt.instruments.devices import load_inventory

LEAST = {"open": 0.95, "frozen": 0.7, "fresh": 0.7}  # share of kinds that are right; open was looked at


@pytest.mark.parametrize("half", LEAST)
def test_most_questions_are_taken_for_the_kind_they_are(half):
    found = rates(half)["all"]
    assert found["kind"] >= LEAST[half]
    assert found["kind or button"] >= max(LEAST[half], 0.85)


@each("kind", KINDS)
@each("language", ["en", "zh"])
def test_the_name_of_a_kind_decides_where_a_button_repeats_the_question_with_it(kind, language):
    question = "why is channel 2 like that?"
    chosen = read_question(f"{KINDS[kind][language]}: {question}", True, 0, question)
    assert (chosen.kind, chosen.channels) == (kind, (2,))


@each(
    "words, kind",
    [
        ("Report: why does channel 2 swing so much?", "diagnosis"),
        ("Chart: channel 2 please", "plot"),
        ("圖表：為什麼通道 2 一直震盪？", "diagnosis"),
    ],
)
def test_a_name_that_is_typed_is_words_among_others(words, kind):
    assert read_question(words, in_view=True).kind == kind


@pytest.mark.parametrize("slot", ["device", "channels", "time"])
def test_most_devices_channels_and_times_are_read(slot):
    assert rates()["all"][slot] >= 0.85


@pytest.mark.parametrize(
    ("question", "kind"),
    [("hmm", "diagnosis"), ("🔥", "diagnosis"), ("052", "diagnosis"), ("?", "diagnosis")],
)
def test_what_no_word_tells_is_a_diagnosis_with_something_in_view_and_else_a_survey(question, kind):
    assert read_question(question, in_view=True).kind == kind
    assert read_question(question).kind == "survey"


@each(
    "text, device",
    [
        ("what happened on .85", "zspr 050"),
        ("its still hunting on 112", "zspr 053"),
        ("51 ch3 duty", "zspr 051"),
        ("047那台溫度一直跳", "zspr 052"),
        ("set to 52 °C", ""),
        ("line 47 please", ""),
        ("within 0.85 degrees", ""),
    ],
)
def test_a_device_is_named_by_the_end_of_its_address_but_by_no_other_number(text, device):
    named = devices_in(text, load_inventory("demo/devices.toml"))
    assert [one.name for one in named] == ([device] if device else [])


@each("unknown", ["10.1.1.74", "zspr 053x", "zsrp 052"])
def test_a_name_that_nobody_has_brings_the_most_alike(unknown):
    assert near_misses(unknown, load_inventory("demo/devices.toml"))

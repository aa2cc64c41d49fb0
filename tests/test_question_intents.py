"""What a question asks is read from its words, in English and Chinese, and with it the particulars."""

import pytest
from cases import SHARE, each, rated

from instrumentgpt.agents.offline.intents import intents, read_question

SAMPLES = [(name, sample) for name, rule in intents().items() for sample in rule["samples"]]
PASTED = """10.1.1.47: why does this happen?
[2026-02-13 05:04:52.782][debug] [TempCtrl] id=1 sp=37.00 pv=61.90 out=45.2
[2026-02-13 05:04:52.982][debug] [TempCtrl] id=2 sp=37.00 pv=29.40 out=45.2"""


@each("intent, text", SAMPLES, SHARE)
def test_every_sample_of_the_intent_table_is_read_as_that_intent(intent, text):
    assert read_question(text).intent == intent


@each("intent", intents())
def test_every_intent_has_a_sample_in_both_languages(intent):
    assert {sample.isascii() for sample in intents()[intent]["samples"]} == {True, False}


@each(
    "text, gain, direction, factor, target",
    [
        ("那 kp 可以調高嗎？", "kp", "up", None, None),
        ("那kp可以調高嗎", "kp", "up", None, None),
        ("can kp be raised to 0.15?", "kp", "up", None, 0.15),
        ("Should I raise ki by 30%?", "ki", "up", 1.3, None),
        ("should I lower kp by half?", "kp", "down", 0.5, None),
        ("ki 可以降低 20％ 嗎", "ki", "down", 0.8, None),
        ("可以把比例增益加倍嗎？", "kp", "up", 2.0, None),
        ("kp 可以設成 0.2 嗎", "kp", "", None, 0.2),
    ],
    SHARE,
)
def test_a_question_about_changing_gains_is_read_with_its_size(text, gain, direction, factor, target):
    asked = read_question(text)
    assert (asked.intent, asked.gain, asked.direction, asked.target) == ("gain", gain, direction, target)
    assert asked.factor == (pytest.approx(factor) if factor else None)


@rated("question_intents")
def test_better_gains_are_asked_for(text):
    assert read_question(text).intent == "tune"


@rated("question_intents")
def test_an_older_log_is_meant_by_its_day_or_as_the_one_before(text, day, previous):
    asked = read_question(text)
    assert (asked.day, asked.previous) == (day, previous)


@rated("question_intents")
def test_two_values_on_neighbouring_lines_are_an_excerpt(text):
    asked = read_question(text)
    assert (asked.intent, asked.values) == ("excerpt", (61.9, 29.4))


def test_pasted_log_lines_are_kept_apart_from_the_words():
    asked = read_question(PASTED)
    assert asked.intent == "excerpt"
    assert len(asked.pasted) == 2 and asked.pasted[0].startswith("[2026-02-13")
    assert asked.text == "10.1.1.47: why does this happen?"


@each(
    "text, lines",
    [("show lines 100-120", (100, 120)), ("show L 18,204", (18204, 18204)), ("第 18204 行", (18204, 18204))],
)
def test_lines_are_asked_for_by_number(text, lines):
    asked = read_question(text)
    assert (asked.intent, asked.lines) == ("lines", lines)


@each(
    "text, channel",
    [
        ("and channel 3?", 3),
        ("the 2nd channel", 2),
        ("那 3 號通道", 3),
        ("4 個通道都正常嗎", None),
        ("那通道三呢？", 3),
        ("第二個通道的溫度", 2),
        ("ch2 為什麼波動", 2),
        ("why?", None),
    ],
    SHARE,
)
def test_a_channel_is_found_however_it_is_written(text, channel):
    assert read_question(text).channel == channel


@rated("question_intents")
def test_an_order_to_act_on_the_instrument_is_no_question(text):
    assert read_question(text).intent == "act"


@rated("question_intents")
def test_a_question_that_sounds_like_an_order_is_a_question(text, intent):
    assert read_question(text).intent == intent


@rated("question_intents")
def test_what_names_no_task_is_left_to_the_context(text):
    assert read_question(text).intent == "unknown"


@each(
    "text, clock",
    [("what happened at 14:20?", "14:20"), ("14:20:05 發生什麼事", "14:20:05"), ("23:30附近", "23:30")],
)
def test_a_time_of_day_is_asked_for(text, clock):
    asked = read_question(text)
    assert (asked.intent, asked.clock) == ("moment", clock)


def test_a_log_name_and_quoted_words_are_found():
    asked = read_question('find "door timeout" in InstrumentDebug_2026-02-19_23-24-45.39.log')
    assert asked.log == "InstrumentDebug_2026-02-19_23-24-45.39.log"
    assert asked.search == "door timeout"


@rated("question_intents")
def test_words_that_look_like_another_kind_are_read_by_what_they_ask(text, intent):
    assert read_question(text).intent == intent

"""What a question asks is read from its words, in English and Chinese, and with it the particulars."""

import pytest

from instrumentgpt.agents.offline.intents import intents, read_question

SAMPLES = [(name, sample) for name, rule in intents().items() for sample in rule["samples"]]
PASTED = """10.1.1.47: why does this happen?
[2026-02-13 05:04:52.782][debug] [TempCtrl] id=1 sp=37.00 pv=61.90 out=45.2
[2026-02-13 05:04:52.982][debug] [TempCtrl] id=2 sp=37.00 pv=29.40 out=45.2"""


@pytest.mark.parametrize(("intent", "text"), SAMPLES, ids=[text for _, text in SAMPLES])
def test_every_sample_of_the_intent_table_is_read_as_that_intent(intent, text):
    assert read_question(text).intent == intent


@pytest.mark.parametrize("intent", intents())
def test_every_intent_has_a_sample_in_both_languages(intent):
    assert {sample.isascii() for sample in intents()[intent]["samples"]} == {True, False}


@pytest.mark.parametrize(
    ("text", "gain", "direction", "factor", "target"),
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
)
def test_a_question_about_changing_gains_is_read_with_its_size(text, gain, direction, factor, target):
    asked = read_question(text)
    assert (asked.intent, asked.gain, asked.direction, asked.target) == ("gain", gain, direction, target)
    assert asked.factor == (pytest.approx(factor) if factor else None)


@pytest.mark.parametrize(
    "text",
    [
        "what gains do you recommend?",
        "建議的 PID 參數？",
        "建議 053 的增益",
        "suggest gains for 053",
        "tune it",
    ],
)
def test_better_gains_are_asked_for(text):
    assert read_question(text).intent == "tune"


@pytest.mark.parametrize(
    ("text", "day", "previous"),
    [
        ("用 02-18 的 log 看 kp 可以調高嗎？", "02-18", False),
        ("can kp be raised, by the log of 2026-02-18?", "2026-02-18", False),
        ("用2月18日的記錄看 kp 可以調高嗎", "02-18", False),
        ("why did it swing on Feb 18?", "02-18", False),
        ("上一份 log 看 kp 可以調高嗎？", "", True),
        ("what errors are in the previous log?", "", True),
        ("show lines 10-12", "", False),
        ("10.1.1.47 why?", "", False),
        ("compare InstrumentDebug_2026-02-16_11-20-41.17.log", "", False),
    ],
)
def test_an_older_log_is_meant_by_its_day_or_as_the_one_before(text, day, previous):
    asked = read_question(text)
    assert (asked.day, asked.previous) == (day, previous)


@pytest.mark.parametrize(
    "text",
    [
        "temp 61.9 then 29.4 on the next line — why?",
        "10.1.1.47 temp 61.9 → 29.4 next line, why",
        "溫度 61.9 下一行 29.4 為什麼？",
        "溫度從 61.9 度突然變成 29.4 度",
        "temperature jumped from 61.9 to 29.4, why?",
    ],
)
def test_two_values_on_neighbouring_lines_are_an_excerpt(text):
    asked = read_question(text)
    assert (asked.intent, asked.values) == ("excerpt", (61.9, 29.4))


def test_pasted_log_lines_are_kept_apart_from_the_words():
    asked = read_question(PASTED)
    assert asked.intent == "excerpt"
    assert len(asked.pasted) == 2 and asked.pasted[0].startswith("[2026-02-13")
    assert asked.text == "10.1.1.47: why does this happen?"


@pytest.mark.parametrize(
    ("text", "lines"),
    [("show lines 100-120", (100, 120)), ("show L 18,204", (18204, 18204)), ("第 18204 行", (18204, 18204))],
)
def test_lines_are_asked_for_by_number(text, lines):
    asked = read_question(text)
    assert (asked.intent, asked.lines) == ("lines", lines)


@pytest.mark.parametrize(
    ("text", "channel"),
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
)
def test_a_channel_is_found_however_it_is_written(text, channel):
    assert read_question(text).channel == channel


@pytest.mark.parametrize(
    "text",
    [
        "restart it",
        "set kp to 0.2",
        "把 kp 設成 0.2",
        "重新開機",
        "turn off the heater",
        "set 052 to 52 °C",
        "把 052 設成 52 度",
        "restart 052",
        "can you set 052 to 52?",
        "請幫我把 052 調到 52 度",
        "please restart 10.1.1.47",
        "請重啟 052",
    ],
)
def test_an_order_to_act_on_the_instrument_is_no_question(text):
    assert read_question(text).intent == "act"


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("set point of 052?", "metrics"),
        ("power output of channel 3", "metrics"),
        ("change since the last log", "compare"),
        ("把溫度畫成圖", "plot"),
        ("把 051 跟上一份比較", "compare"),
        ("can kp be set to 12?", "gain"),
        ("if I set kp to 12, is it safe?", "gain"),
    ],
)
def test_a_question_that_sounds_like_an_order_is_a_question(text, intent):
    assert read_question(text).intent == intent


@pytest.mark.parametrize("text", ["52 °C", "xyz", "and channel 3?", "what about 053?", "那 053 呢？"])
def test_what_names_no_task_is_left_to_the_context(text):
    assert read_question(text).intent == "unknown"


@pytest.mark.parametrize(
    ("text", "clock"),
    [("what happened at 14:20?", "14:20"), ("14:20:05 發生什麼事", "14:20:05"), ("23:30附近", "23:30")],
)
def test_a_time_of_day_is_asked_for(text, clock):
    asked = read_question(text)
    assert (asked.intent, asked.clock) == ("moment", clock)


def test_a_log_name_and_quoted_words_are_found():
    asked = read_question('find "door timeout" in InstrumentDebug_2026-02-19_23-24-45.39.log')
    assert asked.log == "InstrumentDebug_2026-02-19_23-24-45.39.log"
    assert asked.search == "door timeout"


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("would a bigger kp help?", "gain"),
        ("kp 更大會比較好嗎？", "gain"),
        ("show me what ki was before", "earlier"),
        ("which channel is worst?", "why"),
        ("哪個通道最嚴重？", "why"),
        ("哪個時間最多？", "when"),
        ("are kp and ki the same on all channels?", "metrics"),
        ("is it the same as yesterday?", "compare"),
        ("explain it to a new technician", "why"),
        ("is 055 worse than last week?", "compare"),
        ("which of the two is worse?", "worst"),
        ("我昨天把通道 2 的 kp 改成 6，有改善嗎？", "compare"),
        ("we raised kp to 9 yesterday, did that help?", "compare"),
        ("kp 調高會有幫助嗎？", "gain"),
        ("ki 也要改嗎？", "tune"),
        ("should ki be changed, too?", "tune"),
        ("kp 要調到 9 嗎？", "gain"),
        ("is 050 fine?", "why"),
        ("are 053 and 055 ok?", "why"),
        ("what is the settling time?", "metrics"),
        ("我忘了說，kp 是 9", "metrics"),
        ("抓最新的 log", "fetch"),
    ],
)
def test_words_that_look_like_another_kind_are_read_by_what_they_ask(text, intent):
    assert read_question(text).intent == intent

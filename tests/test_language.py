"""A text is in the language of its own sentences, whatever names, messages and logs stand in it."""

import pytest

from instrumentgpt.text.language import language_of


@pytest.mark.parametrize(
    "text",
    [
        "10.1.1.47 為什麼溫度波動？",
        "kp ki kd overshoot settling time rise time dead time gain margin phase margin 是什麼意思？",
        "這個 error 是什麼意思：The heater is not responding to the controller, please check the cable",
        "InstrumentDebug_2026-02-20.log 裡 PID channel 2 的 setpoint step response overshoot settling time",
        "請比較 zspr 052 InstrumentDebug log and zspr 053 InstrumentDebug log PID output duty",
        "[error] Door DoorTimeout: open for 120000 ms, limit 60000 ms\n[warning] Heater timeout\n怎麼辦",
        "zspr 053 heater SSR relay fuse sensor thermocouple 壞了嗎",
        "溫度圖",
        "畫 PID",
    ],
)
def test_a_chinese_question_stays_chinese_however_much_latin_text_is_in_it(text):
    assert language_of(text) == "zh"


@pytest.mark.parametrize(
    "text",
    [
        "why?",
        "why does the log of 溫控 say heater timeout on channel 3",
        "what does “門未關，請檢查” mean in the log of 053?",
        "What is `為什麼溫度波動？` in the list?",
        "why does the log say 溫度過高，請檢查 on channel 3?",
        "plot 溫控 channel 2 of the oven in the corner",
        "053",
        "",
    ],
)
def test_an_english_question_stays_english_though_it_names_or_quotes_chinese(text):
    assert language_of(text) == "en"


def test_a_text_that_is_nothing_but_a_quotation_goes_by_what_is_quoted():
    assert language_of("「溫度波動」") == "zh"

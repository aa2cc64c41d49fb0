"""What a user lays down is told from what a user only tells: in English, Chinese and both at once."""

import time

import pytest

from instrumentgpt.text.wishes import lays_down, wishes_in


@pytest.mark.parametrize(
    "sentence",
    [
        # forbidden, or allowed under a condition
        "please don't restart the oven while the customer is here",
        "nobody opens the lid until the leak test is signed",
        "no parameter changes on 054 before the audit",
        "the door stays shut till then",
        "nothing above 300 °C in the small furnace, the glass is old",
        "the chuck must not see more than 40 K",
        "they only let us touch it after 18:00",
        "hands off the gains",
        "call extension 4471 before any restart",
        "在驗證結束之前，誰都不准動設定",
        "烤箱不要動",
        "不要更改增益",
        "別調 kp",
        "配方不能變更",
        "客戶在的時候不能停機",
        "沒有品保簽名不能改配方",
        "每次改參數前要先打分機 4471",
        "下週起只准跑測試片",
        "053 在 qual 結束前 setpoint 不可以動",
        # how things are to be done
        "From now on use Kelvin in tables",
        "For 051, report pressures with 4 decimals in every table",
        "I want the remote delay at 20 min",
        "報告一律用攝氏",
        "以後用 2.0",
        # dates
        "the audit is on 12 December",
        "the visit slipped to the 14th",
        "maintenance is scheduled for Friday 09:30",
        "保養排 12/3",
        "停機改到禮拜五 07:20",
        "凍結延到月底",
    ],
)
def test_what_holds_for_the_work_to_come_is_laid_down(sentence):
    assert lays_down(sentence)
    assert wishes_in(f"Why does it swing?\n{sentence}\n溫度為什麼波動？") == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        "I don't know how the last one left it",
        "he says it is always the gasket",
        "the condenser never gets below -58 °C",
        "it must have been the fan",
        "it must be the relay",
        "do I need to repeat the test afterwards",
        "the one by the window swings more",
        "no change in the films",
        "last time somebody had to wait until Friday",
        "they come at 8 min, only in blanks",
        "don't ask",
        "it was shut, never mind",
        "I need to read what they put",
        "nobody knows",
        "上個月才保養過，三支都好的",
        "歸零以後量到 7.4",
        "80 度以後壓力升上來",
        "要不要先動一下 ki",
        "我記得有查",
        "你還記得嗎",
        "它只能選每天的時刻",
        "感測器不準",
        "維護廠商說排水管結凍",
        "那邊只用了 38%",
        "兩台的差別不大",
        "Damper 排程關掉就不跳了",
    ],
)
def test_what_only_tells_lays_nothing_down(sentence):
    assert not lays_down(sentence)
    assert wishes_in(sentence) == []


def test_a_question_right_before_it_is_no_part_of_it():
    assert wishes_in("是不是壞了?不要動它") == ["不要動它"]


def test_an_abbreviation_ends_no_sentence():
    assert wishes_in("Prof. Lin must be there. Why?") == ["Prof. Lin must be there."]


@pytest.mark.parametrize("piece", ["never ", "不准", "no no ", "前先", "only let ", "until 12/3 "])
def test_a_long_line_is_read_in_no_time(piece):
    spent = []
    for length in (1_000, 20_000):  # only the beginning of a line is read
        began = time.process_time()
        for _ in range(20):
            wishes_in(piece * length)
        spent.append(time.process_time() - began)
    assert spent[1] < 10 * spent[0] + 0.5

"""A comparison with another device is no turn to it: the conversation stays with the one in hand."""

from pathlib import Path

import pytest

from instrumentgpt.instruments.compared import asked_about
from instrumentgpt.instruments.devices import Device, Inventory

OWN = Device("zspr 052", "10.1.1.47", "file:///logs", nicknames=("Tallinn", "北極"))
OTHER = Device("zspr 050", "10.1.1.85", "file:///logs", nicknames=("Narva", "大熊"))
INVENTORY = Inventory(Path(), (OTHER, OWN))


@pytest.mark.parametrize(
    "question",
    [
        "compare with 10.1.1.85",
        "compare it to Narva",
        "how does it differ from 050?",
        "versus zspr 050?",
        "does it run hotter than Narva?",
        "is channel 2 the same as on 050?",
        "跟 10.1.1.85 比較",
        "跟大熊有什麼不同？",
        "比 050 差嗎？",
        "和大熊對照一下",
        "跟大熊比较",
    ],
)
def test_what_is_compared_with_comes_second(question):
    assert asked_about(question, INVENTORY, OWN.ip).devices == (OWN, OTHER)


@pytest.mark.parametrize(
    "question",
    [
        "What is wrong with Narva?",
        "does 050 differ from it?",
        "050 跟上次比有什麼不同？",
        "和大熊有關嗎？",
        "compare the last two logs of 050",
        "compare with the last log of 050",
        "compare the logs of 050",
        "back to Narva, then",
        "do the same with 050",
        "apply the same fix to 050",
        "跟 050 一樣設定",
    ],
)
def test_a_question_about_another_device_turns_to_it(question):
    assert asked_about(question, INVENTORY, OWN.ip).devices == (OTHER,)


def test_without_a_device_in_hand_the_one_that_is_named_is_meant():
    assert asked_about("compare with 050", INVENTORY, None).devices == (OTHER,)


def test_of_two_that_are_named_the_first_is_meant():
    assert asked_about("compare 050 with Tallinn", INVENTORY, OWN.ip).devices == (OTHER, OWN)

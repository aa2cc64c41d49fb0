"""A message with several questions is answered part by part, in order; one question is never cut in two."""

import pytest
from cases import each

from tests.offline_case import asked


@each(
    "question, told",
    [
        (
            "why does 053 fluctuate? what events are in the log of 052?",
            [
                "### 1. why does 053",
                "**zspr 053 (10.1.1.112): Oscillation",
                "### 2. what events",
                "**zspr 052",
            ],
        ),
        ("052 溫度為什麼波動？順便問 kp 現在是多少？", ["### 1. 052", "每 170 秒", "### 2. 順便問", "kp 9"]),
    ],
)
def test_each_part_is_answered_under_its_own_words_and_of_its_own_device(tmp_path, question, told):
    text = asked(question, tmp_path).text
    places = [text.find(words) for words in told]
    assert -1 not in places and places == sorted(places), text


@each(
    "question",
    [
        "what is wrong with 052 and how do I fix it?",
        "052 怎麼了？怎麼辦？",
        "052 正常嗎？052 正常嗎？",
        "Is Bob in today? Why does 053 swing?",
        "053 is hunting again. I swapped the SSR yesterday. What now?",
    ],
)
def test_what_asks_one_thing_is_answered_once(tmp_path, question):
    answer = asked(question, tmp_path)
    assert "###" not in answer.text and answer.tools.count("diagnose_log") == 1


@pytest.mark.parametrize("question", ["why does 047 fluctuate?", "047 為什麼波動？"])
def test_the_end_of_an_address_is_taken_for_its_device(tmp_path, question):
    assert "zspr 052" in asked(question, tmp_path).text


def test_devices_that_are_asked_about_together_are_ranked(tmp_path):
    answer = asked("why does 053 fluctuate and is 050 fine?", tmp_path)
    assert answer.tools == ("survey_devices",) and "zspr 050" in answer.text

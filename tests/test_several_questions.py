"""A message with several questions is answered part by part, in order; one question is never cut in two."""

import json

import pytest
from cases import each, rated

import db
from instrumentgpt.agents.offline.several import parts_of
from instrumentgpt.settings import database_path
from instrumentgpt.turn import runs
from memory import DiagnosticState
from tests.offline_case import asked

HEALTHY = {"device_name": "zspr 052", "device_ip": "10.1.1.47"}


@rated("several_questions")
def test_each_question_of_a_message_is_a_part_of_its_own(text, parts):
    found = parts_of(text)
    assert len(found) == len(parts)
    assert all(words in part.text for words, part in zip(parts, found, strict=True))


@rated("several_questions")
def test_one_question_is_never_cut_in_two(text):
    assert len(parts_of(text)) == 1


def test_each_part_is_answered_under_its_own_words_and_of_its_own_device(tmp_path):
    text = asked("why does 053 fluctuate and is 052 fine?", tmp_path).text
    first, second = text.index("### 1. why does 053 fluctuate"), text.index("### 2. is 052 fine?")
    assert first < text.index("**zspr 053 (10.1.1.112): Oscillation") < second
    assert second < text.index("**zspr 052 (10.1.1.47) is healthy")


@each(
    "question, told",
    [
        (
            "溫度為什麼波動？順便問 kp 現在是多少？",
            ["溫度為什麼波動？", "### 2. kp 現在是多少？", "kp 9"],
        ),
        ("what is kp of channel 2? and of channel 3?", ["### 1.", "- Channel 2:", "### 2.", "- Channel 3:"]),
        ("what is kp? can it be raised?", ["### 1.", "kp 9", "### 2. can it be raised?", "11.7"]),
    ],
)
def test_a_later_part_goes_on_about_what_the_one_before_named(tmp_path, question, told):
    text = asked(f"052: {question}" if question.isascii() else f"052 {question}", tmp_path).text
    places = [text.find(words) for words in told]
    assert -1 not in places and places == sorted(places), text


@each(
    "question",
    [
        "what is wrong with 052 and how do I fix it?",
        "052 怎麼了？怎麼辦？",
        "is 052 ok? plot it",
        "052 正常嗎？052 正常嗎？",
    ],
)
def test_what_another_answer_holds_is_not_told_twice(tmp_path, question):
    answer = asked(question, tmp_path)
    assert "###" not in answer.text
    assert answer.tools.count("plot_log") == 1


@pytest.mark.parametrize(
    ("question", "mark"),
    [
        ("why does 053 fluctuate? what is kp now? Do not change the gains before the audit", "the audit"),
        ("053 溫度為什麼波動？順便問 kp 現在是多少？稽核結束之前不要更改增益", "依您的規定"),
    ],
)
def test_what_the_message_lays_down_beside_its_questions_holds_for_each(tmp_path, question, mark):
    assert mark in asked(question, tmp_path).text.partition("### 2.")[0].partition("\n")[2]


def test_a_device_is_asked_for_once(tmp_path):
    text = asked("why does it fluctuate? and what is kp?", tmp_path).text
    assert text.count("Which device is it") == 1


def test_what_is_not_understood_beside_a_question_is_said_and_not_taken_for_a_device(tmp_path):
    text = asked("Is Bob in today? Why does 053 swing?", tmp_path).text
    assert "did not recognise" in text.split("### 2.")[0] and "Oscillation" in text.split("### 2.")[1]


@pytest.mark.parametrize("question", ["why does 047 fluctuate?", "047 為什麼波動？"])
def test_a_number_that_no_device_has_is_not_answered_for_the_device_in_view(tmp_path, question):
    assert "`047`" in asked(question, tmp_path, state=HEALTHY).text


def test_numbers_that_are_no_devices_stay_numbers(tmp_path):
    answer = asked("why is error 047 in the log of 052?", tmp_path)
    assert "not in the inventory" not in answer.text


def test_the_log_of_one_part_is_not_taken_for_one_of_the_other_parts_device(database, conversation):
    question = "why does 053 fluctuate and is 050 fine?"
    list(runs.consume(database_path(), conversation, question, agent="offline"))
    state = DiagnosticState.deserialize(db.get_memory(conversation, database)[1])
    filed = {name: json.loads(one) for name, one in db.device_states(database, conversation).items()}
    other = next(one for name, one in filed.items() if "050" in name)
    assert state.device_name == "zspr 053" and other["last_log_file"] not in (None, state.last_log_file)
    assert state.downloaded_logs == [state.last_log_file]


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("what did I say not to do? and what is kp of 053?", "do not touch the gains of 052", "kp 50"),
        ("我說過什麼不能做？那 053 呢？", "do not touch the gains of 052", "沒有規定過什麼不能做"),
    ],
)
def test_a_first_part_without_a_device_is_of_the_one_in_view_with_all_that_is_known_of_it(
    conversation, question, first, second
):
    for words in ("what is kp of 052?", "do not touch the gains of 052 before Friday"):
        list(runs.consume(database_path(), conversation, words, agent="offline"))
    text = list(runs.consume(database_path(), conversation, question, agent="offline"))[-1].text
    one, two = text.split("### 2.")
    assert first in one and second in two and first not in two

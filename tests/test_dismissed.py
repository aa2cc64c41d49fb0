"""What a user rules out is kept with its words; what is asked, supposed or quoted rules nothing out."""

import exchanges
import pytest

import db
from instrumentgpt.text.dismissed import dismissed_in

pytestmark = pytest.mark.usefixtures("ovens")


@pytest.mark.parametrize(
    "told",
    [
        "it is not the heater",
        "It’s definitely not the heater, we swapped it.",
        "No, it isn't the door seal because we replaced it",
        "it cannot be the water pump",
        "the heater is fine, we swapped it: not the cause",
        "The fan is not to blame.",
        "The relay has nothing to do with it.",
        "we already ruled out the valve",
        "不是加熱器",
        "換過了，不是加熱器。",
        "這不是感測器的問題",
        "问题不在加热器",
        "加熱器不是原因，換過了",
        "跟感測器無關",
        "已經排除風扇",
    ],
)
def test_what_a_user_rules_out_is_found_in_his_words(told):
    assert dismissed_in(told) == [told]


@pytest.mark.parametrize(
    "told",
    [
        "is it not the heater?",
        "why is it not the heater",
        "if it is not the heater, look at the relay",
        "maybe it is not the heater",
        "Anna says it is not the heater",
        'The manual says: "it is not the heater"',
        "> it is not the heater",
        "```\nit is not the heater\n```",
        "it is not the heater that we ordered",
        "it is not the first time",
        "it is not the log I meant",
        "It is not 50, make it 15",
        "that's not the right oven",
        "是不是加熱器？",
        "可能不是加熱器",
        "他說不是加熱器",
        "「不是加熱器」",
        "不是這個意思",
        "kp 不是 5 而是 6",
        "不是每次都這樣",
    ],
)
def test_what_is_asked_supposed_quoted_or_of_no_suspect_rules_nothing_out(told):
    assert dismissed_in(told) == []


@pytest.mark.parametrize(
    "told", ["it is not the heater", "不是加熱器，換過了", "the heater is fine: not the cause"]
)
def test_what_do_we_know_tells_what_the_user_ruled_out_until_that_is_deleted(database, conversation, told):
    exchanges.exchange(database, conversation, "oven 7 is cold. Why?", "I looked.")
    exchanges.exchange(database, conversation, told, "Noted.")
    for _ in range(4):
        exchanges.exchange(database, conversation, "and the newest log?", "I looked.")
    (row,) = [row for row in db.list_facts(database, conversation) if row.kind == "ruled_out"]
    assert (row.fact.device, row.source, row.turn, row.said) == ("oven 7", "user", 2, told)
    context = exchanges.context_of(
        exchanges.exchange(database, conversation, "what do we know so far of oven 7?", "This.")
    )
    assert f"Ruled out:\n  - {told} (turn 2)" in context
    db.delete_turn(database, db.list_messages(database, conversation)[2].id)
    assert all(row.kind != "ruled_out" for row in db.list_facts(database, conversation))


def test_another_device_keeps_its_suspects(database, conversation):
    exchanges.exchange(database, conversation, "oven 7 is cold", "I looked.")
    exchanges.exchange(database, conversation, "on oven 8 it is not the heater", "Noted.")
    told = [row.fact.device for row in db.list_facts(database, conversation) if row.kind == "ruled_out"]
    assert told == ["oven 8"]


@pytest.mark.parametrize(
    ("told", "answer"),
    [
        ("it is not the heater", "Ruled out: it is not the heater, as you said."),
        ("不是加熱器，換過了", "已排除：不是加熱器，換過了。"),
    ],
)
def test_an_answer_that_repeats_what_a_user_ruled_out_does_not_take_it_over(
    database, conversation, told, answer
):
    exchanges.exchange(database, conversation, f"oven 7 is cold. {told}", "Noted.")
    exchanges.exchange(database, conversation, "what is ruled out?", answer)
    (row,) = [row for row in db.list_facts(database, conversation) if row.kind == "ruled_out"]
    assert (row.source, row.turn) == ("user", 1)

"""What a user rules out is kept with its words; what is asked, supposed or quoted rules nothing out."""

import exchanges
import pytest
from cases import rated
from instrumentgpt.text.dismissed import dismissed_in

import db

pytestmark = pytest.mark.usefixtures("ovens")


@rated("dismissed")
def test_what_a_user_rules_out_is_found_in_his_words(told):
    assert dismissed_in(told) == [told]


@rated("dismissed")
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

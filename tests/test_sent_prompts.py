"""Each prompt is kept as it was sent, with its turn, and its layers can be told apart afterwards."""

import pytest
from exchanges import exchange

import db
from instrumentgpt.memory.difference import layers_of
from instrumentgpt.memory.revisions import Item
from instrumentgpt.settings import Settings, database_path
from instrumentgpt.storage.revisions import revise
from instrumentgpt.storage.runs import get_prompt, keep_prompt, list_prompts, prompt_before
from instrumentgpt.turn.runs import consume
from instrumentgpt.ui.inspector import next_prompt

pytestmark = pytest.mark.usefixtures("judged_before")


def kept(database, conversation, question_id, text, task="chat"):
    return keep_prompt(
        database, conversation, question_id, text, run_id="r1", task=task, agent="offline", budget=8000
    )


@pytest.fixture
def asked(database):
    conversation = db.create_conversation(database)
    return conversation, db.add_message(database, conversation, "user", "why?")


@pytest.mark.parametrize("text", ["", "溫度？\r\n\x00\u2028", "lone \ud800", "x" * 100_000])
def test_a_prompt_comes_back_as_it_was_sent(database, asked, text):
    number = kept(database, *asked, text)
    assert get_prompt(database, asked[0], number).text == text


def test_the_prompt_of_a_turn_is_the_one_that_was_previewed_and_its_revised_state_reached_the_agent(
    database,
):
    conversation = db.create_conversation(database)
    exchange(database, conversation, "10.1.1.47 why?", "Key findings:\n- pv swings\n- the fan is dirty")
    revise(database, conversation, Item("zspr 052", "findings", "pv swings"), "forget", "pv swings")
    preview, _ = next_prompt(database, conversation, "Can kp be raised?", Settings(agent="offline"))
    *_, _last = consume(database_path(), conversation, "Can kp be raised?", agent="offline")
    [(number, question_id, task, agent)] = list_prompts(database, conversation)
    sent = get_prompt(database, conversation, number)
    assert (sent.text, sent.task, sent.budget) == (preview.text, "chat", 8000)
    assert (task, agent) == ("chat", "offline")
    assert sent.message_id == question_id == db.list_messages(database, conversation)[-2].id
    assert "the fan is dirty" in sent.text
    assert "- pv swings" not in sent.text.partition("<recent_conversation>")[0]
    assert [layer.text for layer in layers_of(sent.text)] == [layer.text for layer in preview.sections]


def test_the_prompt_before_is_of_the_same_task(database, asked):
    first = kept(database, *asked, "one")
    kept(database, *asked, "other", "panel")
    last = kept(database, *asked, "two")
    assert prompt_before(database, asked[0], "chat", last).id == first
    assert prompt_before(database, asked[0], "chat").id == last
    assert prompt_before(database, asked[0], "chat", first) is None


def test_prompts_go_with_their_turn(database, asked):
    kept(database, *asked, "one")
    db.delete_turn(database, asked[1])
    assert list_prompts(database, asked[0]) == []


def test_a_prompt_of_another_conversation_is_not_shown(database, asked):
    number = kept(database, *asked, "one")
    assert get_prompt(database, db.create_conversation(database), number) is None


def test_words_that_a_mode_adds_are_layers_of_their_own():
    text = "You are the sensor expert.\n\n<note>\nreuse\n</note>\n\nBe brief.\n"
    assert [(layer.name, layer.text) for layer in layers_of(text)] == [
        ("request", "You are the sensor expert."),
        ("note", "<note>\nreuse\n</note>"),
        ("instructions", "Be brief."),
    ]

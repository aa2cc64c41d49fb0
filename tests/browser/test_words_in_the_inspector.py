"""What earlier turns said in words stands in the inspector's prompts, and is gone when forgotten."""

from contextlib import closing

from driving import ANSWER_MS, opened
from exchanges import exchange
from playwright.sync_api import expect

import db
from instrumentgpt.settings import database_path
from instrumentgpt.storage.prompts import keep_prompt
from instrumentgpt.storage.revisions import revise
from instrumentgpt.text.revisions import Item

SAID = "On zspr 052 the door heater gulps 41 percent of the mains in the wee hours"
SEAL = "the door seal leaks"
QUESTION = "zspr 052: how much of the mains does the door heater gulp, and the door seal?"
TURNS = ((SAID, f"On zspr 052 {SEAL}."), *[("Which belts are in storage?", "Flat belts.")] * 4)


def conversation_on(server) -> str:
    with closing(db.connect(server.home / database_path().name)) as database:
        conversation = db.create_conversation(database)
        for question, answer in (*TURNS, (QUESTION, "41 percent.")):
            prompt = exchange(database, conversation, question, answer)
            asked = db.list_messages(database, conversation)[-2].id
            keep_prompt(
                database, conversation, asked, prompt, run_id="r", task="chat", agent="offline", budget=8000
            )
    return conversation


def test_words_of_turn_1_stand_dated_in_the_next_prompt_and_in_the_one_that_was_sent(page, offline):
    conversation = conversation_on(offline)
    opened(page, f"{offline.url}/?conv={conversation}")
    sidebar = page.get_by_test_id("stSidebar")
    sidebar.get_by_role("tab", name="Prompt").click()
    code = sidebar.get_by_test_id("stCode")
    sidebar.get_by_label("What you would ask").fill(QUESTION)
    sidebar.get_by_label("What you would ask").press("Enter")
    expect(code).to_contain_text("Said of zspr 052:", timeout=ANSWER_MS)
    expect(code).to_contain_text(f"- turn 1, user: “{SAID}”")
    expect(code).to_contain_text(f"- turn 1, agent: “On zspr 052 {SEAL}.”")
    expect(sidebar.get_by_role("img", name="Tokens of the prompt").first).to_be_visible()
    expect(sidebar).to_contain_text("■ state")

    sidebar.get_by_test_id("stSelectbox").get_by_role("combobox").click()
    page.get_by_role("option", name="Turn 6 · Offline analyst").click()
    expect(sidebar).to_contain_text("Exactly what the agent was sent:", timeout=ANSWER_MS)
    expect(code).to_contain_text(f"- turn 1, user: “{SAID}”")
    expect(sidebar.get_by_role("img", name="Tokens of the prompt")).to_have_count(2)


def test_what_was_forgotten_is_gone_from_the_next_prompt(page, offline):
    conversation = conversation_on(offline)
    with closing(db.connect(offline.home / database_path().name)) as database:
        revise(database, conversation, Item("zspr 052", "findings", SEAL), "forget", SEAL)
    opened(page, f"{offline.url}/?conv={conversation}")
    sidebar = page.get_by_test_id("stSidebar")
    sidebar.get_by_role("tab", name="Prompt").click()
    sidebar.get_by_label("What you would ask").fill(QUESTION)
    sidebar.get_by_label("What you would ask").press("Enter")
    code = sidebar.get_by_test_id("stCode")
    expect(code).to_contain_text(f"- turn 1, user: “{SAID}”", timeout=ANSWER_MS)
    expect(code).not_to_contain_text(f"- turn 1, agent: “On zspr 052 {SEAL}.”")

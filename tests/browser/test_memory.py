"""What is remembered, on the page: the prompts, the next and those sent; turns deleted and restored."""

import json
import re

import driving
from driving import Server, close_sidebar, expect, inspector, messages, opened, reloaded
from exchanges import exchange
from playwright.sync_api import Page

import db
from instrumentgpt.storage.runs import keep_prompt

FINDING = "Channel 1 swings by 3.2 °C"
REPORTED = {"log": "run.log", "findings": [{"text": FINDING, "evidence": [{"line": 18204}]}]}
QUESTION, ZH = "What is wrong with zspr 052?", "052 為什麼溫度波動？"
CHART = json.dumps({"data": [{"y": [1, 2, 3]}], "layout": {}}).encode()


def conversation_on(server: Server, question: str = QUESTION) -> str:
    """Return a conversation of two turns and their prompts, the first with a finding and a chart."""
    with server.database() as database:
        conversation = db.create_conversation(database)
        turns = (question, "It **oscillates**.", json.dumps(REPORTED)), ("Can kp be raised?", "No.", "")
        for asked, answer, result in turns:
            prompt = exchange(database, conversation, asked, answer, result)
            message, answered = db.list_messages(database, conversation)[-2:]
            of = {"run_id": "r", "task": "chat", "agent": "offline", "budget": 8000}
            keep_prompt(database, conversation, message.id, prompt, **of)
            if result:
                db.add_artifact(
                    database, conversation, None, answered.id, "plotly", "Channel 1", "three points", CHART
                )
    return conversation


def test_on_a_phone_the_next_prompt_and_those_sent_are_read_and_the_case_is_handed_over(page, server):
    page.set_viewport_size(driving.SIZES["phone"])
    opened(page, server.address(conv=conversation_on(server)))
    sidebar = inspector(page, "Prompt")
    code = sidebar.get_by_test_id("stCode")
    sidebar.get_by_label("What you would ask").fill("and the fan?")
    sidebar.get_by_label("What you would ask").press("Enter")
    expect(code).to_contain_text("and the fan?")
    expect(code).to_contain_text(FINDING)
    expect(sidebar.get_by_role("img", name="Tokens of the prompt").first).to_be_visible()
    expect(sidebar).to_contain_text("■ state")
    driving.choose(page, "Prompt of", "Turn 1 · Offline analyst")
    expect(sidebar).to_contain_text("Exactly what the agent is sent:")
    expect(code).to_contain_text(QUESTION)
    expect(code).not_to_contain_text("<recent_conversation>")
    driving.choose(page, "Prompt of", "Turn 2 · Offline analyst")
    sidebar.get_by_text("Difference", exact=True).click()
    expect(sidebar).to_contain_text("Against turn 1")
    added = code.filter(has_text=re.compile(r"^\+ ", re.MULTILINE)).first
    expect(added).to_be_visible()
    box = added.bounding_box()
    assert box and box["x"] + box["width"] <= driving.SIZES["phone"]["width"]
    sidebar.get_by_role("tab", name="State").click()
    with page.expect_download() as download:
        sidebar.get_by_role("button", name="Export the case").click()
    assert "- Device: zspr 052" in download.value.path().read_text(encoding="utf-8")


def test_on_a_phone_a_deleted_turn_is_nowhere_and_comes_back_whole_at_once_and_after_a_reload(page, server):
    page.set_viewport_size(driving.SIZES["phone"])
    opened(page, server.address(conv=conversation_on(server, ZH)))
    expect_whole(page)
    delete_first(page)
    sidebar = inspector(page, "Prompt")
    code = sidebar.get_by_test_id("stCode")
    expect(code).to_contain_text("Can kp be raised?")
    expect(code).not_to_contain_text(ZH)
    expect(code).not_to_contain_text("3.2")
    undo = inspector(page, "State").get_by_role("button", name="Undo: Delete")
    undo.click()
    close_sidebar(page)
    expect_whole(page)
    expect(undo).to_have_count(0)

    delete_first(page)
    reloaded(page)
    messages(page, 2)
    sidebar = inspector(page, "Edits")
    listed = sidebar.locator(".st-key-deleted-turns")
    expect(listed).to_contain_text("was turn 1")
    box = listed.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= driving.SIZES["phone"]["width"]
    listed.get_by_role("button", name="Restore").click()
    expect_whole(page)
    expect(listed).to_have_count(0)
    expect(inspector(page, "State")).to_contain_text("turn 1 · L 18,204")


def delete_first(page: Page) -> None:
    page.locator("[class*=st-key-edit-]").first.get_by_role("button").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_test_id("stExpander").locator("summary").click()
    # It moves while the expander opens: a key finds it.
    dialog.get_by_role("button", name="Delete question and answer").press("Enter")
    expect(dialog).to_have_count(0)
    expect(messages(page, 2).first).to_contain_text("Can kp be raised?")


def expect_whole(page: Page) -> None:
    found = messages(page, 4)
    expect(found.first).to_contain_text(ZH)
    expect(found.nth(1)).to_contain_text("It oscillates.")
    expect(found.nth(1).get_by_role("figure", name="three points")).to_be_visible()
    expect(found.nth(2)).to_contain_text("Can kp be raised?")

"""A turn is deleted on the page, is nowhere, and comes back whole: at once, and after a reload."""

import json
from contextlib import closing

import pytest
from driving import ANSWER_MS, Server, opened
from exchanges import exchange
from playwright.sync_api import Locator, Page, expect

import db
from instrumentgpt.settings import database_path

SIZES = {"desk": {"width": 1440, "height": 900}, "phone": {"width": 390, "height": 844}}
FINDING = "Channel 1 swings by 3.2 °C"
REPORTED = {"log": "run.log", "findings": [{"text": FINDING, "evidence": [{"line": 18204}]}]}
TURNS = {
    "en": ("What is wrong with zspr 052?", "Undo", "Restore", "Delete question and answer", "was turn 1"),
    "zh": ("052 為什麼溫度波動？", "復原", "還原", "刪除問題與回答", "原為第 1 輪"),
}


def conversation_on(server: Server, question: str) -> str:
    """Return a conversation of two turns in the server's database, the first with a finding and a chart."""
    with closing(db.connect(server.home / database_path().name)) as database:
        conversation = db.create_conversation(database)
        exchange(database, conversation, question, "It **oscillates**.", json.dumps(REPORTED))
        answer = db.list_messages(database, conversation)[-1].id
        chart = json.dumps({"data": [{"y": [1, 2, 3]}], "layout": {}}).encode()
        db.add_artifact(database, conversation, None, answer, "plotly", "Channel 1", "three points", chart)
        exchange(database, conversation, "Can kp be raised?", "No: the margin is below 6 dB.")
    return conversation


def is_phone(page: Page) -> bool:
    return bool(page.viewport_size["width"] < 600)


def inspector(page: Page, view: str) -> Locator:
    """Return the sidebar with a view of the memory, opened where the page keeps it closed."""
    sidebar = page.get_by_test_id("stSidebar")
    if is_phone(page):
        page.get_by_test_id("stExpandSidebarButton").click()
    tab = sidebar.get_by_role("tab", name=view)
    tab.scroll_into_view_if_needed(timeout=ANSWER_MS)
    tab.click()
    return sidebar


def close_sidebar(page: Page) -> None:
    """Leave the sidebar where it covers the page."""
    if is_phone(page):
        page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()


@pytest.fixture(params=[("desk", "en"), ("phone", "zh")], ids="-".join)
def chat(request, browser, offline):
    size, language = request.param
    page = browser.new_context(viewport=SIZES[size]).new_page()
    opened(page, f"{offline.url}/?conv={conversation_on(offline, TURNS[language][0])}")
    yield page, *TURNS[language]
    page.context.close()


def messages(page: Page, count: int) -> Locator:
    found = page.get_by_test_id("stChatMessage")
    expect(found).to_have_count(count, timeout=ANSWER_MS)
    return found


def delete_first(page: Page, button: str) -> None:
    page.locator("[class*=st-key-edit-]").first.get_by_role("button").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_test_id("stExpander").locator("summary").click()
    dialog.get_by_role("button", name=button).press("Enter")  # it moves while the expander opens
    expect(dialog).to_have_count(0, timeout=ANSWER_MS)


def expect_whole(page: Page, question: str) -> None:
    found = messages(page, 4)
    expect(found.first).to_contain_text(question)
    expect(found.nth(1)).to_contain_text("It oscillates.")
    expect(found.nth(1).get_by_role("figure", name="three points")).to_be_visible(timeout=ANSWER_MS)
    expect(found.nth(2)).to_contain_text("Can kp be raised?")


def test_a_deleted_turn_is_nowhere_and_comes_back_whole_at_once_and_after_a_reload(chat):
    page, question, undo, restore, button, place = chat
    expect_whole(page, question)
    delete_first(page, button)
    expect(messages(page, 2).first).to_contain_text("Can kp be raised?")
    sidebar = inspector(page, "Prompt")
    expect(sidebar.get_by_test_id("stCode")).to_contain_text("Can kp be raised?", timeout=ANSWER_MS)
    expect(sidebar.get_by_test_id("stCode")).not_to_contain_text(question)
    expect(sidebar.get_by_test_id("stCode")).not_to_contain_text("3.2")
    close_sidebar(page)
    page.locator(".st-key-undelete").get_by_role("button", name=undo).click()
    expect_whole(page, question)
    expect(page.locator(".st-key-undelete")).to_have_count(0)

    delete_first(page, button)
    messages(page, 2)
    page.reload()
    messages(page, 2)
    sidebar = inspector(page, "Edits")
    listed = sidebar.locator(".st-key-deleted-turns")
    expect(listed).to_contain_text(place, timeout=ANSWER_MS)
    box = listed.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"]
    listed.get_by_role("button", name=restore).click()
    expect_whole(page, question)
    expect(listed).to_have_count(0)
    sidebar = inspector(page, "State")
    expect(sidebar).to_contain_text(FINDING, timeout=ANSWER_MS)
    expect(sidebar).to_contain_text("turn 1 · L 18,204")
    close_sidebar(page)
    expect_whole(page, question)
    page.reload()
    expect_whole(page, question)

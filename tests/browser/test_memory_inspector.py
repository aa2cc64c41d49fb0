"""The memory inspector in a browser, at a desk and on a phone: changes, undo, prompts and differences."""

import json
from contextlib import closing

import pytest
from driving import ANSWER_MS, Server, opened
from exchanges import exchange
from playwright.sync_api import Locator, Page, expect

import db
from instrumentgpt.settings import database_path
from instrumentgpt.storage.prompts import keep_prompt

SIZES = {"desk": {"width": 1440, "height": 900}, "phone": {"width": 390, "height": 844}}
FINDING, NEW = "Channel 1 swings by 3.2 °C", "Channel 1 swings at night only"
REPORTED = {"log": "run.log", "findings": [{"text": FINDING, "evidence": [{"line": 18204}]}]}
TURNS = (
    ("What is wrong with zspr 052?", "It swings.", json.dumps(REPORTED)),
    ("Can kp be raised?", "No: the margin is below 6 dB.", ""),
)


def conversation_on(server: Server) -> str:
    """Return a conversation of two turns in the server's database, with findings and the prompts sent."""
    with closing(db.connect(server.home / database_path().name)) as database:
        conversation = db.create_conversation(database)
        for question, answer, told in TURNS:
            prompt = exchange(database, conversation, question, answer, told)
            asked = db.list_messages(database, conversation)[-2].id
            of = {"run_id": "r", "task": "chat", "agent": "offline", "budget": 8000}
            keep_prompt(database, conversation, asked, prompt, **of)
    return conversation


def inspector(page: Page) -> Locator:
    """Return the sidebar, opened where the page keeps it closed."""
    sidebar = page.get_by_test_id("stSidebar")
    if (opener := page.get_by_test_id("stExpandSidebarButton")).is_visible():
        opener.click()
    expect(sidebar.get_by_text("Memory", exact=True)).to_be_visible(timeout=ANSWER_MS)
    return sidebar


def choose(page: Page, entry: Locator, action: str) -> None:
    """Choose an action from the menu beside an entry."""
    menu = entry.locator("[class*=st-key-item-]").get_by_role("button")
    menu.scroll_into_view_if_needed()
    menu.click()
    page.get_by_text(action, exact=True).click()


def entry_of(sidebar: Locator, words: str) -> Locator:
    """Return the row of the sidebar that says `words`, with its menu."""
    rows = sidebar.get_by_test_id("stHorizontalBlock").filter(has_text=words)
    return rows.filter(has=sidebar.page.locator("[class*=st-key-item-]")).last


@pytest.fixture(params=SIZES)
def chat(request, browser, offline) -> Page:
    page = browser.new_context(viewport=SIZES[request.param]).new_page()
    yield opened(page, f"{offline.url}/?conv={conversation_on(offline)}")
    page.context.close()


def test_what_is_known_is_edited_pinned_and_forgotten_and_all_of_it_undone(chat):
    sidebar = inspector(chat)
    row = entry_of(sidebar, FINDING)
    expect(row).to_contain_text("tool · turn 1 · L 18,204", timeout=ANSWER_MS)

    choose(chat, row, "Edit")
    dialog = chat.get_by_role("dialog")
    expect(dialog.get_by_label("What is true")).to_have_value(FINDING)
    dialog.get_by_label("What is true").fill(NEW)
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0, timeout=ANSWER_MS)
    edited = entry_of(sidebar, NEW)
    expect(edited).to_contain_text("was “", timeout=ANSWER_MS)

    choose(chat, edited, "Pin")
    expect(entry_of(sidebar, NEW)).to_contain_text("pinned", timeout=ANSWER_MS)
    choose(chat, entry_of(sidebar, NEW), "Forget")
    expect(sidebar).to_contain_text("1 forgotten", timeout=ANSWER_MS)

    undo = sidebar.locator(".st-key-undo-last").get_by_role("button")
    undo.click()
    expect(entry_of(sidebar, NEW)).to_contain_text("pinned", timeout=ANSWER_MS)
    sidebar.get_by_role("tab", name="Edits").click()
    expect(sidebar).to_contain_text("forgot “", timeout=ANSWER_MS)
    for _ in range(2):
        button = sidebar.locator("[class*=st-key-undo-]").get_by_role("button").first
        count = sidebar.locator("[class*=st-key-redo-]").count()
        button.click()
        expect(sidebar.locator("[class*=st-key-redo-]")).to_have_count(count + 1, timeout=ANSWER_MS)
    sidebar.get_by_role("tab", name="State").click()
    expect(sidebar).to_contain_text(FINDING, timeout=ANSWER_MS)
    expect(entry_of(sidebar, NEW)).to_have_count(0)


def test_a_prompt_that_was_sent_and_what_changed_in_the_next_are_shown(chat):
    sidebar = inspector(chat)
    sidebar.get_by_role("tab", name="Prompt").click()
    code = sidebar.get_by_test_id("stCode")
    expect(code).to_contain_text("<diagnostic_context>", timeout=ANSWER_MS)
    sidebar.get_by_test_id("stSelectbox").get_by_role("combobox").click()
    chat.get_by_role("option", name="Turn 1 · Offline analyst").click()
    expect(code).to_contain_text("What is wrong with zspr 052?", timeout=ANSWER_MS)
    expect(code).not_to_contain_text("<recent_conversation>")
    sidebar.get_by_test_id("stSelectbox").get_by_role("combobox").click()
    chat.get_by_role("option", name="Turn 2 · Offline analyst").click()
    sidebar.get_by_text("Difference", exact=True).click()
    expect(sidebar).to_contain_text("Against turn 1", timeout=ANSWER_MS)
    expect(sidebar.locator("ins").first).to_be_visible(timeout=ANSWER_MS)
    box = sidebar.locator("ins").first.bounding_box()
    assert box and box["x"] + box["width"] <= chat.viewport_size["width"]
    sidebar.get_by_role("tab", name="State").click()
    with chat.expect_download() as download:
        sidebar.get_by_role("button", name="Export the case").click()
    assert "- Device: zspr 052" in download.value.path().read_text(encoding="utf-8")

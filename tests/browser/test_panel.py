"""The panel in the browser: proposed, edited, approved, stopped, gone on with, read, in both languages."""

import os
import re
import signal
from contextlib import closing
from dataclasses import dataclass

import pytest
from driving import ANSWER_MS, ask, opened
from playwright.sync_api import Page, expect

import db
from instrumentgpt.storage.panels import latest_panel, list_steps
from instrumentgpt.storage.runs import live_run

PANEL_MS = 3 * ANSWER_MS


@dataclass(frozen=True)
class Words:
    """What is said and read in one language."""

    question: str
    edited: str
    changed: str
    start: str
    building: str
    heading: str
    conclusion: str
    cause: str
    next_: str


EN = Words(
    "zspr 053 sensor drift or heater loss, why does it swing?",
    "1. Does the record hold? | firmware\n2. Is it the gains? | tuning | after 1\n"
    "3. What comes first? | tuning | after 2",
    "Changed as you said",
    "Start the panel",
    "✓ building on sub-problem 2",
    "Sub-problem 3 of 3: What comes first?",
    "Conclusion",
    "Oscillation from the gains",
    "What to do next",
)
ZH = Words(
    "zspr 053 為什麼溫度波動？是感測器漂移還是加熱器衰退？",
    "1. 記錄可信嗎？ | firmware\n2. 是增益嗎？ | tuning | after 1\n3. 先做什麼？ | tuning | after 2",
    "已依您的意思修改",
    "開始專家會診",
    "✓ 承接子問題 2",
    "子問題 3／3：先做什麼？",
    "結論",
    "增益造成的振盪",
    "接下來做什麼",
)


def last(page: Page):
    return page.get_by_test_id("stChatMessage").last


def steps(page: Page):
    return page.locator(".st-key-panel")


def propose(page: Page, url: str, words: Words) -> None:
    opened(page, url)
    page.get_by_test_id("stBottom").get_by_role("radio", name="Panel").click()
    ask(page, words.question)
    expect(page.get_by_role("button", name=words.start)).to_be_visible(timeout=PANEL_MS)


def edit(page: Page, words: Words) -> None:
    """Send the list changed from the page, and wait until it is shown again."""
    page.get_by_text("Change the sub-problems").click()
    page.get_by_label("One line each").fill(words.edited)
    page.get_by_role("button", name="Send the changed list").click()
    expect(last(page)).to_contain_text(words.changed, timeout=PANEL_MS)
    answered(page)


def answered(page: Page) -> None:
    expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=PANEL_MS)


@pytest.mark.parametrize("words", [EN, ZH], ids=["en", "zh"])
def test_a_panel_is_edited_approved_and_read(page, offline, words):
    propose(page, offline.url, words)
    assert last(page).locator("pre").count() == 0, "the list to edit stands in the editor only"
    edit(page, words)
    page.get_by_role("button", name=words.start).click()
    expect(steps(page)).to_contain_text("1 of 1 experts", timeout=PANEL_MS)
    answered(page)
    answer = last(page)
    expect(answer.get_by_role("heading", name=words.conclusion)).to_be_visible()
    expect(answer).to_contain_text(words.cause)
    folded = answer.get_by_test_id("stExpander").filter(has_text=words.heading)
    expect(folded.get_by_text(words.building)).to_be_hidden()
    folded.locator("summary").click()
    expect(folded.get_by_text(words.building)).to_be_visible()
    expect(folded.locator("table")).to_be_visible()
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_contain_text("Root causes")
    expect(sidebar).to_contain_text(words.cause)
    page.get_by_role("button", name=words.next_).click()
    expect(last(page)).to_contain_text(re.compile("kp|gain|增益"), timeout=PANEL_MS)


def test_a_panel_that_ends_shows_its_conclusion(page, offline):
    page.set_viewport_size({"width": 1280, "height": 640})
    propose(page, offline.url, EN)
    page.get_by_role("button", name=EN.start).click()
    expect(last(page)).to_contain_text("Sub-problem 1 of", timeout=PANEL_MS)
    answered(page)
    expect(last(page).get_by_role("heading", name="Conclusion")).to_be_in_viewport()


def test_a_stopped_panel_goes_on_at_its_sub_problem_and_pays_nothing_twice(page, offline):
    propose(page, offline.url, EN)
    edit(page, EN)
    conversation = re.search(r"conv=([^&]+)", page.url)[1]
    page.get_by_role("button", name=EN.start).click()
    expect(last(page)).to_contain_text("Sub-problem 2 of 3", timeout=PANEL_MS)
    stand_still(offline, conversation)
    page.reload()
    page.get_by_role("button", name="Stop").click(timeout=PANEL_MS)
    go_on = page.get_by_role("button", name=re.compile("Continue at sub-problem [23]"))
    expect(go_on).to_have_count(1, timeout=PANEL_MS)
    before = paid(offline, conversation)
    assert any(key.sub_problem == 1 for key in before)
    other = opened(page.context.new_page(), page.url)
    go_on.click()
    expect(last(other)).to_contain_text(re.compile("Resumed at sub-problem [23]"), timeout=PANEL_MS)
    answered(page)
    for tab in (page, other):
        expect(last(tab).get_by_role("heading", name="Conclusion")).to_be_visible(timeout=PANEL_MS)
    assert before.items() <= paid(offline, conversation).items()


def stand_still(server, conversation: str) -> None:
    """Stop the process of the panel, so that it does not end before somebody has clicked."""
    with closing(db.connect(server.home / "instrumentgpt.db")) as database:
        os.kill(live_run(database, conversation).pid, signal.SIGSTOP)


def test_on_a_phone_a_panel_can_be_dropped_before_anybody_is_asked(page, offline):
    page.set_viewport_size({"width": 390, "height": 844})
    propose(page, offline.url, ZH)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("button", name="取消").click()
    expect(last(page)).to_contain_text("沒有詢問任何專家", timeout=PANEL_MS)
    expect(steps(page)).to_have_count(0)


def paid(server, conversation: str):
    """Return the step → when it was done and what it cost, as stored."""
    with closing(db.connect(server.home / "instrumentgpt.db")) as database:
        known = latest_panel(database, conversation)
        return {one.key: (one.done_at, one.tokens_in) for one in list_steps(database, known.id)}

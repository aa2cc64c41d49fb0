"""Search in the browser: a hit in an old, long conversation opens it there, on a desk and on a phone."""

import os
from contextlib import closing
from pathlib import Path

import pytest
from driving import opened, until
from playwright.sync_api import Page, expect

import db

HIT = "比例增益太高：kp 0.09 of zspr 052 makes channel 1 swing by 0.4 °C every 63 s."


@pytest.fixture
def conversation(offline):
    """A conversation of 120 messages, the hit among its first."""
    with closing(db.connect(offline.home / "instrumentgpt.db")) as database, db.transaction(database):
        conversation = db.create_conversation(database, "Why does 052 swing?")
        for number in range(60):
            db.add_message(database, conversation, "user", f"question {number}")
            text = HIT if number == 10 else f"answer {number}. " + "It says nothing of that. " * 12
            db.add_message(database, conversation, "assistant", text)
    return conversation


def photographed(page: Page, name: str) -> None:
    """Keep a picture where SEARCH_PICTURES names a folder."""
    if folder := os.environ.get("SEARCH_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png")


def is_in_view(page: Page, text: str) -> bool:
    box = page.get_by_test_id("stChatMessage").filter(has_text=text).bounding_box()
    height = page.evaluate("window.innerHeight")
    return box is not None and 60 <= box["y"] < height - 100


def test_a_hit_is_opened_in_its_context_and_the_newest_is_a_click_away(page, offline, conversation):
    opened(page, offline.url)
    page.get_by_test_id("stSidebar").get_by_label("Search everything").fill("052 比例增益")
    hits = page.get_by_test_id("stSidebar").locator(".st-key-hits")
    expect(hits).to_contain_text("比例增益太高：kp 0.09")
    hit = hits.get_by_role("button").first
    photographed(page, "search-light")
    hit.click()
    message = page.get_by_test_id("stChatMessage").filter(has_text="比例增益太高")
    expect(message).to_be_visible()
    page.wait_for_function("window.instrumentgptVisit !== undefined")
    until(page, lambda: is_in_view(page, "比例增益太高"))
    assert f"conv={conversation}" in page.url and "msg=" in page.url
    expect(page.get_by_test_id("stChatMessage").filter(has_text="question 10")).to_be_visible()
    photographed(page, "hit-light")
    page.reload()
    expect(message).to_be_visible()
    page.get_by_role("button", name="Go to the newest").click()
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text("answer 59")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("dark", {"color_scheme": "dark", "viewport": {"width": 1440, "height": 900}}),
        ("phone", {"viewport": {"width": 390, "height": 844}}),
    ],
)
def test_hits_fit_the_screen(browser, offline, conversation, name, options):
    with browser.new_context(**options) as context:
        page = opened(context.new_page(), offline.url)
        if name == "phone":
            page.get_by_test_id("stExpandSidebarButton").click()
        sidebar = page.get_by_test_id("stSidebar")
        sidebar.get_by_label("Search everything").fill("kp 0.09")
        hits = sidebar.locator(".st-key-hits")
        expect(hits).to_contain_text("kp 0.09")
        photographed(page, f"search-{name}")
        assert page.evaluate("document.documentElement.scrollWidth") <= options["viewport"]["width"]
        hits.get_by_role("button").first.click()
        page.wait_for_function("window.instrumentgptVisit !== undefined")
        expect(page.get_by_test_id("stChatMessage").filter(has_text="比例增益太高")).to_be_in_viewport()
        if name == "phone":  # the sidebar has made room
            expect(page.get_by_test_id("stExpandSidebarButton")).to_be_visible()
        photographed(page, f"hit-{name}")

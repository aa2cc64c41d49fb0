"""Conversations are found again, renamed, handed over, opened where a hit stands, and read on a phone."""

import zipfile

import pytest
from driving import SIZES, assert_fits, expect, opened, pick, reloaded, until
from playwright.sync_api import Page

import db

HIT = "比例增益太高：kp 0.09 of zspr 052 makes channel 1 swing by 0.4 °C every 63 s."
LOG = "InstrumentDebug_2026-02-19_23-24-45.39.log"


@pytest.fixture
def long_talk(server) -> str:
    """A conversation of 72 messages, the hit among its first."""
    with server.database() as database, db.transaction(database):
        conversation = db.create_conversation(database, "Why does 052 swing?")
        for number in range(36):
            db.add_message(database, conversation, "user", f"question {number}")
            text = HIT if number == 5 else f"answer {number}. " + "It says nothing of that. " * 12
            db.add_message(database, conversation, "assistant", text)
    return conversation


def is_in_view(page: Page, text: str) -> bool:
    box = page.get_by_test_id("stChatMessage").filter(has_text=text).bounding_box()
    height = page.evaluate("window.innerHeight")
    return box is not None and 60 <= box["y"] < height - 100


def search(page: Page, words: str, hit: str) -> None:
    """Search everything, and open the first hit, which says `hit`."""
    sidebar = page.get_by_test_id("stSidebar")
    sidebar.get_by_label("Search everything").fill(words)
    hits = sidebar.locator(".st-key-hits")
    expect(hits).to_contain_text(hit)
    assert_fits(page)
    hits.get_by_role("button").first.click()
    arrived(page)


def arrived(page: Page) -> None:
    """Wait until the message that the address names was brought into view."""
    until(page, lambda: page.evaluate("window.instrumentgptVisit !== undefined"))


def test_a_long_conversation_opens_at_its_end_and_a_hit_is_opened_in_its_context(page, server, long_talk):
    opened(page, server.address(conv=long_talk))
    shown = page.get_by_test_id("stChatMessage")
    expect(shown).to_have_count(20)
    page.get_by_role("button", name="Load earlier").click()
    expect(shown).to_have_count(40)
    expect(shown.first).to_contain_text("question 16")
    search(page, "052 比例增益", "比例增益太高：kp 0.09")
    until(page, lambda: is_in_view(page, "比例增益太高"))
    assert f"conv={long_talk}" in page.url and "msg=" in page.url
    expect(shown.filter(has_text="question 5")).to_be_visible()
    reloaded(page)
    arrived(page)
    expect(shown.filter(has_text="比例增益太高")).to_be_visible()
    page.get_by_role("button", name="Go to the newest").click()
    expect(shown.last).to_contain_text("answer 35")


def test_a_conversation_is_renamed_handed_over_and_deleted(page, server):
    with server.database() as database:
        conversation = db.create_conversation(database)
        db.add_message(database, conversation, "user", "door")
    opened(page, server.address(conv=conversation))
    sidebar, dialog = page.get_by_test_id("stSidebar"), page.get_by_role("dialog")
    menu = sidebar.locator(f".st-key-menu-{conversation}").get_by_role("button")
    pick(page, menu, page.get_by_text("Rename or tag", exact=True))
    dialog.get_by_label("Title").fill("Oven door")
    dialog.get_by_label("Tags").fill("acceptance")
    dialog.get_by_role("button", name="Save").click()
    expect(sidebar.get_by_role("button", name="Oven door", exact=True)).to_be_visible()
    expect(sidebar.get_by_text("acceptance")).to_be_visible()
    pick(page, menu, page.get_by_text("Export", exact=True))
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Export").click()
    assert zipfile.ZipFile(download.value.path()).namelist()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
    pick(page, menu, page.get_by_text("Delete", exact=True))
    expect(page.get_by_text("What is your instrument doing?")).to_be_visible()
    sidebar.get_by_role("button", name="Undo: Oven door").click()
    expect(sidebar.locator(f".st-key-open-{conversation}")).to_be_visible()
    expect(sidebar.get_by_role("button", name="Undo: Oven door")).to_have_count(0)


def test_on_a_phone_nothing_is_wider_than_the_screen_and_all_is_a_tap_away(page, server, long_talk):
    page.set_viewport_size(SIZES["phone"])
    opened(page, server.address())
    assert_fits(page)
    page.get_by_test_id("stExpandSidebarButton").click()
    search(page, "kp 0.09", "kp 0.09")
    expect(page.get_by_test_id("stChatMessage").filter(has_text="比例增益太高")).to_be_in_viewport()
    page.get_by_test_id("stExpandSidebarButton").click()  # the sidebar had made room
    expect(page.get_by_test_id("stSidebar").get_by_text("Memory", exact=True)).to_be_visible()

    page.goto(server.address("logs", device="zspr 052", log=LOG, line=100))
    expect(page.locator(".lines .row.picked")).to_be_in_viewport()
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()
    assert_fits(page)

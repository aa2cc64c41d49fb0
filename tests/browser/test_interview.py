"""An interview in the browser: from a vague complaint to an approved statement; and on a phone."""

import re

from driving import ANSWER_MS, ask, opened
from playwright.sync_api import Page, expect


def said(page: Page, count: int) -> None:
    """Wait until `count` questions have their finished answers."""
    expect(page.get_by_test_id("stChatMessage")).to_have_count(2 * count, timeout=ANSWER_MS)
    expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=ANSWER_MS)


def last(page: Page):
    return page.get_by_test_id("stChatMessage").last


def panel(page: Page):
    return page.get_by_role("button", name=re.compile("of 6 clear")).locator("visible=true")


def begin(page: Page, url: str) -> None:
    opened(page, url)
    page.get_by_test_id("stBottom").get_by_text("Interview", exact=True).click()


def test_a_vague_complaint_becomes_a_statement_and_its_diagnosis(page, offline):
    begin(page, offline.url)
    ask(page, "it's weird sometimes")
    said(page, 1)
    expect(last(page)).to_contain_text("❓ Can you give a specific example")
    ask(page, "10.1.1.47 is off by two degrees since Monday")
    said(page, 2)
    ask(page, "yesterday at 14:20 it showed 52.3 instead of 50")
    said(page, 3)
    expect(panel(page)).to_contain_text("Users · 2 of 6 clear")
    page.get_by_role("button", name="I don't know").click()
    said(page, 4)
    expect(last(page)).to_contain_text("✅ Noted: not known.")
    page.get_by_role("button", name="Enough, go on").click()
    said(page, 5)
    expect(last(page)).to_contain_text("Users: not known")
    page.reload()
    page.get_by_role("button", name="Yes, save it").click()
    said(page, 6)
    with page.expect_download() as download:
        page.get_by_role("button", name=re.compile("Fault report zspr 052")).click()
    assert "off by two degrees since Monday" in download.value.path().read_text(encoding="utf-8")
    page.get_by_role("button", name="Continue with diagnosis").click()
    said(page, 7)
    expect(last(page)).to_contain_text("zspr 052", timeout=ANSWER_MS)
    expect(page.get_by_test_id("stSidebar")).to_contain_text("Reported: 10.1.1.47 is off by two degrees")


def test_on_a_phone_the_phase_is_chosen_in_the_panel(page, offline):
    page.set_viewport_size({"width": 390, "height": 844})
    begin(page, offline.url)
    ask(page, "爐子從禮拜一開始差兩度")
    said(page, 1)
    panel(page).click()
    expect(page.get_by_test_id("stPopoverBody")).to_contain_text("Users not identified")
    page.get_by_test_id("stPopoverBody").get_by_text("Edge cases", exact=True).click()
    said(page, 2)
    expect(last(page)).to_contain_text("❓ 在哪些條件下情況會不同")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

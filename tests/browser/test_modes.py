"""The modes as an engineer has them: an interview to its statement, a job with its report, a panel."""

import re

from driving import SIZES, answered, ask, assert_fits, drop, expect, in_mode, pick, reloaded, settled
from faulty_logs import written
from playwright.sync_api import Locator, Page

LIST = "1. Is it the heater? | power\n2. What comes first? | power | after 1"


def last(page: Page) -> Locator:
    return page.get_by_test_id("stChatMessage").last


def click(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).click()


def test_what_is_not_clear_becomes_a_statement_that_is_approved_and_saved(page, server):
    in_mode(page, server, "investigate")
    ask(page, "why does it swing?")
    expect(answered(page, 1)).to_contain_text("Which device is it")
    click(page, "Continue in Interview")
    expect(answered(page, 2)).to_contain_text("❓")
    ask(page, "for example 10.1.1.47 showed 52.3 instead of 50 yesterday at 14:20")
    expect(answered(page, 3)).to_contain_text("✅")
    page.get_by_role("button", name=re.compile("of 6 clear")).locator("visible=true").click()
    expect(page.get_by_test_id("stPopoverBody")).to_contain_text("52.3 instead of 50")
    page.keyboard.press("Escape")
    page.get_by_text("Fill in or change everything at once").click()
    users = page.get_by_role("textbox", name="Users")
    users.fill("the night shift")
    users.blur()  # the page knows a field's words once it is left
    settled(page)
    click(page, "Send the changes")
    expect(answered(page, 4)).to_contain_text("Noted, as the form has it.")
    click(page, "Show the summary")
    expect(answered(page, 5)).to_contain_text("Users: the night shift")
    reloaded(page)
    click(page, "Yes, save it")
    answered(page, 6)
    page.get_by_test_id("stSidebar").get_by_text("Documents · 1").click()
    with page.expect_download() as download:
        click(page, "Fault report zspr 052")
    assert "52.3 instead of 50" in download.value.path().read_text(encoding="utf-8")


def test_two_ovens_are_compared_and_the_report_is_saved_only_when_asked(page, server):
    in_mode(page, server, "investigate")
    ask(page, "比較 zspr 050 和 zspr 051 自週一以來的溫度並寫一份報告")
    click(page, "好，開始")
    answer = answered(page, 2)
    expect(answer).to_contain_text("共比較 2 份記錄檔")
    expect(answer.get_by_test_id("stPlotlyChart")).to_be_visible()
    documents = server.home / "documents"
    before = set(documents.glob("*.html"))
    answer.get_by_text(re.compile("^Report: ")).click()
    frame = answer.frame_locator("iframe")
    expect(frame.locator("h1")).to_be_visible()
    expect(frame.locator(".js-plotly-plot").first).to_be_attached()
    sidebar = page.get_by_test_id("stSidebar")
    sidebar.get_by_text(re.compile("^Refs")).click()
    expect(sidebar).to_contain_text("gen_report_1")
    expect(sidebar).to_contain_text("unsaved")
    assert set(documents.glob("*.html")) == before
    page.locator(".st-key-offers").get_by_role("button", name="gen_report_1").click()
    expect(answered(page, 3)).to_contain_text("已儲存為")
    assert len(set(documents.glob("*.html")) - before) == 1
    expect(sidebar.get_by_text("Documents · 1")).to_be_visible()


def test_a_panel_is_edited_approved_and_read(page, server, tmp_path):
    in_mode(page, server, "panel")
    drop(page, written("heater_degradation", tmp_path))
    ask(page, "sensor drift or heater loss?")
    expect(page.get_by_role("button", name="Start the panel")).to_be_visible()
    desktop = page.viewport_size
    page.set_viewport_size(SIZES["phone"])
    assert_fits(page)
    page.set_viewport_size(desktop)
    expect(last(page).locator("pre")).to_have_count(0)  # the list to edit stands in the editor only
    page.get_by_text("Change the sub-problems").click()
    page.get_by_label("One line each").fill(LIST)
    click(page, "Send the changed list")
    expect(answered(page, 2)).to_contain_text("Changed as you said")
    click(page, "Start the panel")
    expect(page.locator(".st-key-panel")).to_contain_text("1 of 1 experts")
    answer = answered(page, 3)
    expect(answer.get_by_role("heading", name="Conclusion")).to_be_in_viewport()
    expect(answer).to_contain_text("Heater or cooler weakening")
    folded = answer.get_by_test_id("stExpander").filter(has_text="Sub-problem 2 of 2: What comes first?")
    expect(folded.get_by_text("✓ building on sub-problem 1").first).to_be_hidden()
    pick(page, folded.locator("summary"), folded.get_by_text("✓ building on sub-problem 1").first)
    expect(folded.locator("table")).to_be_visible()
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_contain_text("Root causes")
    expect(sidebar).to_contain_text("Heater or cooler weakening")

"""Commands in a real browser: typed, answered at once, with links and charts that work."""

import re

from driving import ANSWER_MS, ask, opened
from playwright.sync_api import Page, expect


def answers(page: Page, count: int) -> None:
    """Wait until `count` messages have their finished answers."""
    expect(page.get_by_test_id("stChatMessage")).to_have_count(2 * count, timeout=ANSWER_MS)
    expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=ANSWER_MS)
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text("command ·", timeout=ANSWER_MS)


def test_a_note_is_kept_found_in_chinese_and_a_device_is_observed_with_its_evidence_and_chart(page, offline):
    opened(page, offline.url)
    ask(page, "$memorize fan warning device The fan of 053 is worn")
    answers(page, 1)
    ask(page, "$recall 風扇")
    answers(page, 2)
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text("The fan of 053 is worn")
    ask(page, "$observe 053 2")
    answers(page, 3)
    last = page.get_by_test_id("stChatMessage").last
    expect(last).to_contain_text("channel 2: pv")
    ask(page, "$tool plot_log channel=2")
    answers(page, 4)
    expect(page.get_by_test_id("stChatMessage").last.get_by_test_id("stPlotlyChart")).to_be_visible()
    page.get_by_test_id("stChatMessage").nth(5).get_by_role(
        "link", name=re.compile(r"^L [\d,]+$")
    ).first.click()
    expect(page.get_by_role("dialog")).to_contain_text("Line ")

"""Investigate as an engineer has it: a bigger job is proposed, agreed to, carried out, its report saved."""

import os
import re
from pathlib import Path

import pytest
from driving import ANSWER_MS, ask, opened
from playwright.sync_api import Page, expect

WORK_MS = 4 * ANSWER_MS  # six logs, a chart and a report


def choose(page: Page, mode: str) -> None:
    page.get_by_test_id("stBottom").get_by_role("radio", name=mode).click()


def photographed(page: Page, name: str) -> None:
    """Keep a picture where INSTRUMENTGPT_PICTURES names a folder."""
    if folder := os.environ.get("PICTURES"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=False)


@pytest.mark.parametrize(
    "request_, yes, ranked, saved",
    [
        (
            "compare the six ovens since Monday and write a report",
            "Yes, go ahead",
            "6 logs compared",
            "is saved as",
        ),
        ("比較六台烤箱自週一以來的溫度並寫一份報告", "好，開始", "共比較 6 份記錄檔", "已儲存為"),
    ],
)
def test_six_ovens_are_compared_and_the_report_is_saved_only_when_asked(
    page, offline, request_, yes, ranked, saved
):
    opened(page, offline.url)
    choose(page, "Investigate")
    ask(page, request_)
    page.get_by_role("button", name=yes).click(timeout=WORK_MS)
    answer = page.get_by_test_id("stChatMessage").last
    expect(answer).to_contain_text(ranked, timeout=WORK_MS)
    expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=WORK_MS)
    expect(answer.get_by_test_id("stPlotlyChart")).to_be_visible(timeout=ANSWER_MS)
    photographed(page, f"report-{saved[:2]}")
    documents = offline.home / "documents"
    before = set(documents.glob("*.html"))
    answer.get_by_text(re.compile("^Report: ")).click()
    frame = answer.frame_locator("iframe")
    expect(frame.locator("h1")).to_be_visible(timeout=ANSWER_MS)
    expect(frame.locator(".js-plotly-plot").first).to_be_attached(timeout=ANSWER_MS)
    photographed(page, f"preview-{saved[:2]}")
    page.get_by_test_id("stSidebar").get_by_text(re.compile("^Refs")).click()
    expect(page.get_by_test_id("stSidebar")).to_contain_text("gen_report_1")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("unsaved")
    photographed(page, f"refs-{saved[:2]}")
    assert set(documents.glob("*.html")) == before
    page.locator(".st-key-offers").get_by_role("button", name="gen_report_1").click()
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text(saved, timeout=ANSWER_MS)
    assert len(set(documents.glob("*.html")) - before) == 1
    expect(page.get_by_test_id("stSidebar").get_by_text("Documents · 1")).to_be_visible(timeout=ANSWER_MS)
    photographed(page, f"saved-{saved[:2]}")


def test_what_is_not_clear_is_asked_and_can_go_on_as_an_interview(page, offline):
    opened(page, offline.url)
    choose(page, "Investigate")
    ask(page, "why does it swing?")
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text("Which device is it", timeout=ANSWER_MS)
    photographed(page, "clarify")
    page.get_by_role("button", name="Continue in Interview").click()
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text("❓", timeout=ANSWER_MS)

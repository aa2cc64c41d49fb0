"""A device asked about by the name that the user gave it, in English and Chinese, and that name forgotten."""

import pytest
from driving import ANSWER_MS, ask, opened
from playwright.sync_api import Page, expect


def answered(page: Page, question: str, answer: str) -> None:
    """Ask, and wait for the end of an answer that says `answer`."""
    messages = page.get_by_test_id("stChatMessage")
    before = messages.count()
    ask(page, question)
    expect(messages).to_have_count(before + 2, timeout=ANSWER_MS)
    expect(messages.last).to_contain_text(answer, timeout=ANSWER_MS)
    expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=ANSWER_MS)


@pytest.mark.parametrize(
    ("introduced", "question", "nickname", "again"),
    [
        ("From now on we call 051 Bertha.", "What is wrong with Bertha?", "Bertha", "and Bertha?"),
        ("以後 051 就叫「北極」。", "北極怎麼了？", "北極", "那北极呢？"),
    ],
)
def test_a_device_is_asked_about_by_its_nickname(page, offline, introduced, question, nickname, again):
    opened(page, offline.url)
    answered(page, introduced, "051")
    answered(page, "list the logs of 053", "053")
    answered(page, question, "zspr 051 (10.1.1.46)")
    sidebar = page.get_by_test_id("stSidebar")
    row = sidebar.get_by_test_id("stHorizontalBlock").filter(has_text=f"{nickname} is zspr 051").last
    expect(row).to_contain_text("user · turn 1", timeout=ANSWER_MS)
    row.get_by_role("button").click()
    expect(sidebar.get_by_text(f"{nickname} is zspr 051")).to_have_count(0, timeout=ANSWER_MS)
    sidebar.get_by_role("button", name=f"Undo: forgot “{nickname}").click()
    expect(sidebar.get_by_text(f"{nickname} is zspr 051")).to_be_visible(timeout=ANSWER_MS)
    answered(page, again, "zspr 051 (10.1.1.46)")

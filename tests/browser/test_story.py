"""One case from a vague complaint to a saved report: Interview, Investigate and the documents, in Chinese."""

from contextlib import closing

from driving import ANSWER_MS, ask, opened, until
from playwright.sync_api import Page, expect

import db

COMPLAINT = "053 最近怪怪的"
TOLD = (
    "溫度會上下跳，從禮拜一開始",
    "例如昨天下午兩點設 65 度，讀到 68 度",
    "我和夜班的同事在用",
    "必須維持在 ±0.5 °C 以內",
    "連續兩小時都在 ±0.5 °C 以內就算好了",
    "如果門打開會掉三度",
    "斷電之後也會這樣",
)


def choose(page: Page, mode: str) -> None:
    page.get_by_role("radio", name=mode, exact=True).or_(
        page.get_by_role("button", name=mode, exact=True)
    ).first.click()


def answered(server, page: Page, questions: int) -> str:
    """Wait for the answer to the question number `questions`; return what the page says in it."""
    until(page, lambda: len(stored(server)) >= 2 * questions)
    assert len(stored(server)) == 2 * questions
    expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=ANSWER_MS)
    last = page.get_by_test_id("stChatMessage").last
    expect(last).to_contain_text("Offline analyst", timeout=ANSWER_MS)
    return last.inner_text()


def stored(server) -> list[str]:
    with closing(db.connect(server.home / "instrumentgpt.db")) as database:
        begun = db.list_conversations(database, limit=1)
        return [one.content for found in begun for one in db.list_messages(database, found.id)]


def documents(server) -> list[db.Document]:
    with closing(db.connect(server.home / "instrumentgpt.db")) as database:
        return db.list_documents(database)


def test_a_vague_complaint_becomes_a_statement_a_plan_and_a_saved_report(page, offline):
    opened(page, offline.url)
    choose(page, "Interview")
    for number, words in enumerate((COMPLAINT, *TOLD), start=1):
        ask(page, words)
        said = answered(offline, page, number)
        assert said.count("✅") == 1 and said.count("❓") == 1
    assert "±0.5 °C" in said and "夜班" in said
    assert documents(offline) == []

    page.get_by_role("button", name="是，儲存").click()
    assert "已存為" in answered(offline, page, 9)
    assert [one.kind for one in documents(offline)] == ["markdown"]

    page.get_by_role("button", name="調查").click()
    answered(offline, page, 10)
    ask(page, "比較六台爐子並寫一份報告")
    plan = answered(offline, page, 11)
    assert "zspr 050" in plan and len(documents(offline)) == 1
    page.locator(".st-key-offers button").first.click()
    done = answered(offline, page, 12)
    assert "gen_report_1" in done and "增益造成的振盪" in done
    expect(page.get_by_test_id("stChatMessage").last.get_by_test_id("stPlotlyChart").first).to_be_visible()
    assert len(documents(offline)) == 1

    page.locator(".st-key-offers button").first.click()
    assert "gen_report_1" in answered(offline, page, 13)
    assert sorted(one.kind for one in documents(offline)) == ["html", "markdown"]

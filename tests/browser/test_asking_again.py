"""An answer says who gave it and at what price; its question can go to another agent, or be put better."""

import re

from driving import ANSWER_MS, ask, counting_agent, opened, scripted_agent
from playwright.sync_api import Locator, Page, expect


def messages(page: Page, count: int) -> Locator:
    """Return the messages once there are `count` of them and none is being written."""
    found = page.get_by_test_id("stChatMessage")
    expect(found).to_have_count(count, timeout=ANSWER_MS)
    expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=ANSWER_MS)
    return found


def test_thinking_and_a_refused_tool_show_and_another_agent_is_asked_the_same(page, serve, tmp_path):
    server = serve(**scripted_agent(tmp_path, "thinking_agent.py", tmp_path / "held"))
    server.held.touch()
    ask(opened(page, server.url), "有哪些設備？")
    live = page.get_by_test_id("stChatMessage").last
    expect(live.get_by_text("Thinking", exact=True)).to_be_visible(timeout=ANSWER_MS)
    expect(live).to_contain_text("Shell · rm -rf / · not allowed", timeout=ANSWER_MS)
    expect(live.get_by_text("kp first.")).to_be_hidden()  # folded
    server.held.unlink()
    first = messages(page, 2).last
    expect(first).to_contain_text("Not allowed: Shell", timeout=ANSWER_MS)
    expect(first).to_contain_text("kp is too high.")
    expect(first).to_contain_text(
        re.compile(r"Cursor agent · thinker-1 · \d+\.\d s · 12\.3k tokens in, 410 out")
    )
    expect(first).not_to_contain_text("kp first.")
    first.get_by_text("Thinking", exact=True).click()
    expect(first).to_contain_text("kp first. <img src=x onerror=alert(1)> :red[x] $5 ~6", timeout=ANSWER_MS)
    first.locator("[class*=st-key-again]").get_by_role("button").click()
    page.get_by_text("Ask Offline analyst").click()
    both = messages(page, 4)
    expect(both.nth(1)).to_contain_text("kp is too high.")
    expect(both.nth(2)).to_contain_text("有哪些設備？")
    expect(both.nth(3)).to_contain_text("Offline analyst", timeout=ANSWER_MS)
    expect(both.nth(3)).to_contain_text("zspr 052", timeout=ANSWER_MS)


def test_an_edited_question_is_asked_as_a_new_one(page, offline):
    ask(opened(page, offline.url), "What is wrong with zspr 059?")
    messages(page, 2).first.locator("[class*=st-key-edit]").get_by_role("button").click()
    dialog = page.get_by_role("dialog")
    box = dialog.get_by_label("Question")
    expect(box).to_have_value("What is wrong with zspr 059?")
    box.fill("What is wrong with zspr 052?")
    dialog.get_by_role("button", name="Ask").click()
    expect(dialog).to_have_count(0, timeout=ANSWER_MS)
    both = messages(page, 4)
    expect(both.first).to_contain_text("zspr 059")
    expect(both.nth(2)).to_contain_text("What is wrong with zspr 052?")
    expect(both.nth(3)).to_contain_text("zspr 052", timeout=ANSWER_MS)


def test_a_question_that_waits_for_other_answers_says_so_and_can_be_stopped(page, serve, tmp_path):
    server = serve(**counting_agent(tmp_path, 60, 0.1), runs_at_once="1")
    server.held.touch()  # neither ends but by being stopped
    ask(opened(page, server.url), "the first one")
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text("word3", timeout=ANSWER_MS)
    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_text("What is your instrument doing?")).to_be_visible(timeout=ANSWER_MS)
    ask(page, "the second one")
    waiting = page.get_by_test_id("stChatMessage").last
    expect(waiting).to_contain_text("Waiting", timeout=ANSWER_MS)
    expect(waiting).to_contain_text("number 1 in the queue", timeout=ANSWER_MS)
    page.get_by_role("button", name="Stop").click()
    expect(messages(page, 2).last).to_contain_text("Stopped before the end", timeout=ANSWER_MS)
    page.get_by_role("button", name="the first one").click()
    page.get_by_role("button", name="Stop").click()
    expect(messages(page, 2).last).to_contain_text("Stopped before the end", timeout=ANSWER_MS)

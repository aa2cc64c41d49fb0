"""An answer goes on whatever happens to the page, the tab or the server; and it ends when it is stopped."""

import re

from driving import answered, ask, expect, opened, reloaded, until
from playwright.sync_api import Locator, Page

import db
from instrumentgpt.storage.answers import list_ratings
from instrumentgpt.storage.runs import list_runs, live_runs

ALL = re.compile(r"^\s*" + " ".join(f"word{number}" for number in range(1, 61)) + r"\s*$")


def last(page: Page) -> Locator:
    return page.get_by_test_id("stChatMessage").last


def begin(page: Page, question: str) -> None:
    """Ask, and wait for the first words."""
    ask(page, question)
    expect(last(page)).to_contain_text("word3")


def expect_whole(page: Page, questions: int) -> None:
    answer = answered(page, questions, by="Cursor agent")
    expect(answer.get_by_test_id("stMarkdown").first).to_have_text(ALL)


def stop(page: Page) -> None:
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(last(page)).to_contain_text("Stopped before the end")


def test_an_answer_is_watched_reloaded_and_followed_in_a_second_tab_which_asks_on(page, context, counting):
    opened(page, counting.address())
    begin(page, "count for me")
    expect(last(page)).to_contain_text("Shell")
    expect(page).to_have_url(re.compile(r"conv=\w+"))
    ask(page, "and the output?")
    expect(page.get_by_text("still being answered")).to_be_visible()
    expect(page.get_by_test_id("stChatInput").locator("textarea")).to_have_value("and the output?")
    conversation = re.search(r"conv=(\w+)", page.url)[1]
    with counting.database() as database:
        assert len(list_runs(database, conversation)) == 1
        assert db.count_messages(database, conversation) == 1

    reloaded(page)
    expect(last(page)).to_contain_text("word1 word2")
    second = opened(context.new_page(), page.url)
    expect(last(second)).to_contain_text("word1 word2")
    expect(last(second)).not_to_contain_text("word60")
    counting.held.unlink()
    for tab in (page, second):
        expect_whole(tab, 1)
    expect(last(page)).to_contain_text("1 step")
    page.get_by_role("radio", name="Thumbs down").click()
    reason = page.get_by_role("textbox", name="What was wrong or missing?")
    reason.fill("counts too slowly")
    reason.press("Enter")
    ask(second, "again")
    expect_whole(page, 2)  # an idle tab notices by itself
    with counting.database() as database:
        assert [one.reason for one in list_ratings(database)] == ["counts too slowly"]
    page.get_by_role("radio", name="Thumbs down").first.click()
    expect(reason).to_have_count(0)
    with counting.database() as database:
        assert list_ratings(database) == []


def test_reading_further_up_one_asks_waits_for_another_answer_and_stops_both(page, counting):
    with counting.database() as database:
        conversation = db.create_conversation(database, "A long talk")
        for number in range(6):
            db.add_message(database, conversation, "user", f"question {number}")
            db.add_message(database, conversation, "assistant", "It says nothing of that.\n\n" * 9)
    counting.save({"runs_at_once": 1})
    page.set_viewport_size({"width": 1280, "height": 640})
    opened(page, counting.address(conv=conversation))
    expect(last(page)).to_be_in_viewport()
    page.mouse.move(640, 300)
    until(page, lambda: is_scrolled_up(page))
    begin(page, "the first one")
    expect(last(page).get_by_text("word3")).to_be_in_viewport()

    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_text("What is your instrument doing?")).to_be_visible()
    ask(page, "the second one")
    expect(last(page)).to_contain_text("Waiting")
    expect(last(page)).to_contain_text("number 1 in the queue")
    stop(page)
    page.get_by_role("button", name="A long talk", exact=True).click()
    expect(last(page)).to_contain_text("word3")
    stop(page)
    expect(last(page)).to_contain_text("word1 word2 word3")
    with counting.database() as database:
        assert not live_runs(database)
    counting.held.unlink()
    ask(page, "once more")
    expect_whole(page, 8)


def is_scrolled_up(page: Page) -> bool:
    """Turn the wheel upwards; return whether that brought the first message into view."""
    page.mouse.wheel(0, -5_000)
    box = page.get_by_test_id("stChatMessage").first.bounding_box()
    return box is not None and box["y"] > 0


def test_a_killed_server_loses_no_word(page, counting):
    opened(page, counting.address())
    begin(page, "count for me")
    counting.kill()
    with counting.database() as database:
        assert len(live_runs(database)) == 1
    counting.start()
    expect(last(page)).to_contain_text("word1 word2")
    counting.held.unlink()
    expect_whole(page, 1)

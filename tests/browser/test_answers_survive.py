"""An answer goes on whatever happens to the page, the tab or the server."""

import re
from contextlib import closing

from driving import ANSWER_MS, ask, opened
from playwright.sync_api import Page, expect

import db
from instrumentgpt.storage.runs import list_runs, live_runs


def last_answer(page: Page):
    return page.get_by_test_id("stChatMessage").last


def conversation_of(page: Page) -> str:
    return re.search(r"conv=(\w+)", page.url)[1]


def begin(page: Page, server) -> str:
    """Ask, wait for the first words, and return the address of the conversation."""
    ask(opened(page, server.url), "count for me")
    expect(last_answer(page)).to_contain_text("word3", timeout=ANSWER_MS)
    expect(page).to_have_url(re.compile(r"conv=\w+"))
    return page.url


def expect_whole_answer(page: Page, words: int = 60) -> None:
    expect(last_answer(page).get_by_test_id("stMarkdown").first).to_have_text(
        re.compile(r"^\s*" + " ".join(f"word{n}" for n in range(1, words + 1)) + r"\s*$"), timeout=ANSWER_MS
    )
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)


def test_words_and_steps_appear_while_the_answer_is_written(page, counting, held):
    begin(page, counting)
    expect(last_answer(page)).to_contain_text("Shell")
    expect(last_answer(page)).not_to_contain_text("word60")
    held.unlink()
    expect_whole_answer(page)
    expect(last_answer(page)).to_contain_text("1 step")


def test_a_reload_in_mid_answer_loses_nothing(page, counting, held):
    begin(page, counting)
    page.reload()
    expect(last_answer(page)).to_contain_text("word1 word2")
    expect(last_answer(page)).not_to_contain_text("word60")
    held.unlink()
    expect_whole_answer(page)


def test_a_second_tab_shows_the_same_answer_and_an_idle_one_notices_a_question(page, context, counting, held):
    address = begin(page, counting)
    second = opened(context.new_page(), address)
    expect(last_answer(second)).to_contain_text("word1 word2")
    held.unlink()
    expect_whole_answer(second)
    expect_whole_answer(page)
    ask(second, "again")
    expect(page.get_by_test_id("stChatMessage")).to_have_count(4)
    expect(last_answer(page)).to_contain_text("word1", timeout=ANSWER_MS)


def test_a_killed_server_loses_no_word(page, counting_alone, held):
    begin(page, counting_alone)
    counting_alone.kill()
    with closing(db.connect(counting_alone.home / "instrumentgpt.db")) as database:
        assert len(live_runs(database)) == 1
    counting_alone.start()
    expect(last_answer(page)).to_contain_text("word1 word2", timeout=ANSWER_MS)
    held.unlink()
    expect_whole_answer(page)


def test_stop_ends_an_answer_that_would_not_end_and_keeps_the_words(page, counting, held):
    begin(page, counting)
    page.get_by_role("button", name="Stop").click()
    expect(last_answer(page)).to_contain_text("Stopped before the end")
    expect(last_answer(page)).to_contain_text("word1 word2 word3")
    with closing(db.connect(counting.home / "instrumentgpt.db")) as database:
        assert conversation_of(page) not in [run.conversation_id for run in live_runs(database)]


def test_a_question_during_an_answer_waits_in_the_input(page, counting, held):
    begin(page, counting)
    ask(page, "and the output?")
    expect(page.get_by_text("still being answered")).to_be_visible()
    expect(page.get_by_test_id("stChatInput").locator("textarea")).to_have_value("and the output?")
    conversation = conversation_of(page)
    with closing(db.connect(counting.home / "instrumentgpt.db")) as database:
        assert len(list_runs(database, conversation)) == 1
        assert db.count_messages(database, conversation) == 1


def test_a_double_click_on_an_example_starts_one_answer(page, counting):
    opened(page, counting.url)
    page.get_by_role("button", name="What is wrong with").dblclick()
    expect_whole_answer(page)
    with closing(db.connect(counting.home / "instrumentgpt.db")) as database:
        newest, *_ = db.list_conversations(database)
        assert len(list_runs(database, newest.id)) == 1
        assert [row.title for row in db.list_conversations(database)].count(newest.title) == 1

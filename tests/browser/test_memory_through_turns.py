"""What the page's own turns remember: a value of turn 1 at turn 12, a corrected one, two devices."""

from contextlib import closing

from driving import ANSWER_MS, ask, opened, until
from playwright.sync_api import Page, expect

import db
from instrumentgpt.storage.prompts import get_prompt, list_prompts

BETWEEN = ("thanks", "which devices are there?", "what can you do?", "list the logs of 053") * 3


def answered(server, page: Page, question: str) -> tuple[str, str]:
    """Ask and return (the prompt that was sent, the answer), both as stored."""
    with closing(db.connect(server.home / "instrumentgpt.db")) as database:
        before = sum(len(db.list_messages(database, one.id)) for one in db.list_conversations(database))
        ask(page, question)
        until(page, lambda: len(stored(database)) == before + 2)
        expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=ANSWER_MS)
        conversation = db.list_conversations(database)[0].id
        newest = max(list_prompts(database, conversation))[0]
        return get_prompt(database, conversation, newest).text, stored(database)[-1].content


def stored(database) -> list[db.Message]:
    """Return the messages of the newest conversation."""
    begun = db.list_conversations(database, limit=1)
    return [message for found in begun for message in db.list_messages(database, found.id)]


def test_a_value_of_turn_1_is_in_the_prompt_and_the_answer_of_turn_12(page, offline):
    opened(page, offline.url)
    answered(offline, page, "the serial number of zspr 052 is SN-4711; kp is 0.12")
    answered(offline, page, "no, kp is 0.15")
    for question in BETWEEN[:9]:
        answered(offline, page, question)
    prompt, answer = answered(offline, page, "what was the serial number of zspr 052?")
    assert "SN-4711; kp" not in prompt.split("<recent_conversation>")[1]
    assert "SN-4711" in prompt and "SN-4711" in answer
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text("SN-4711")
    context = prompt.split("<diagnostic_context>")[1].split("</diagnostic_context>")[0]
    current = [line.split("previously")[0] for line in context.splitlines() if line.startswith("  - kp")]
    assert current and all("0.15" in line and "0.12" not in line for line in current)

    prompt, _ = answered(offline, page, "what is the status of 10.1.1.112?")
    own = prompt.split("<diagnostic_context>")[1].split("</diagnostic_context>")[0]
    assert "zspr 053" in own and "SN-4711" not in own and "0.15" not in own

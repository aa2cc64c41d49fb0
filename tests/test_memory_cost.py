"""What a prompt and a message cost hardly grows with the conversation: CPU time, compared within one run."""

import gc
import time
from contextlib import suppress
from statistics import median

import pytest
from exchanges import exchange

import db
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.opening import open_turn
from instrumentgpt.remembered import remember_answer, remember_question
from instrumentgpt.settings import settings_in_force
from instrumentgpt.storage.runs import start_run

FEW, MANY = 100, 1_000  # exchanges
MOST_OF_PROMPT, MOST_OF_MESSAGE = 4.5, 2.5  # times what it costs after FEW; twice what was measured
PARTS = ("seal", "filter", "fan", "valve", "plate", "hose", "bearing", "lamp", "strap", "knife")
QUESTIONS = (
    *(f"what is the gap of the {part} of oven {7 + at % 2}?" for at, part in enumerate(PARTS)),
    "why does oven 7 swing?",
    "oven 7 的風扇排除了嗎？",
)


class _Undone(Exception):
    """Raised to take back what was asked."""


def said(number):
    """Return a question and its answer: values, suspicions and verdicts to be held against one another."""
    part, oven = PARTS[number % len(PARTS)], 7 + number // 10 % 2
    found = "Ruled out: the fan is blocked." if number % 7 == 0 else f"Root cause: the {part} is worn."
    return f"oven {oven}: is the {part} worn?", (
        f"The gap of the {part} on oven {oven} is {number % 90 / 10:.1f} mm now.\n"
        f"Channel {number % 6 + 1} swings by 0.{number % 9 + 1} °C with a period of {number % 50 + 10} s.\n\n"
        f"{found}"
    )


def talk(database, conversation, numbers):
    """Store exchanges with all that is kept of them, and compose the prompt of the last."""
    inventory = load_inventory(settings_in_force({}).inventory)
    with db.transaction(database):
        for number in numbers:
            question, answer = said(number)
            scope = question[: question.index(":")], inventory
            asked = db.add_message(database, conversation, "user", question)
            (message,) = db.list_messages(database, conversation, 1, asked + 1)
            remember_question(database, conversation, message, *scope)
            answered = db.add_message(database, conversation, "assistant", answer)
            remember_answer(database, conversation, answered, message, answer, (), *scope)
    exchange(database, conversation, "oven 7: what now?")


def cost_of_prompts(database, conversation):
    """Return the median CPU seconds of composing the prompt of a question; nothing is kept of it."""
    return median(map(lambda question: min(_seconds(database, conversation, question)), QUESTIONS))


def _seconds(database, conversation, question):
    for _ in range(2):
        with suppress(_Undone), db.transaction(database):
            message = db.add_message(database, conversation, "user", question)
            turn = open_turn(database, start_run(database, conversation, "offline", "chat", message))
            began = time.process_time()
            turn.prompt("offline")
            yield time.process_time() - began
            raise _Undone


def cost_of_a_message(database, conversation):
    """Return the median CPU seconds of storing a message."""
    spent = []
    for number in range(20):
        began = time.process_time()
        message = db.add_message(database, conversation, "user", said(number)[1])
        spent.append(time.process_time() - began)
        db.delete_turn(database, message)
    return median(spent)


@pytest.fixture
def no_collection():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_ten_times_the_conversation_is_not_ten_times_the_cost(ovens, no_collection, database, conversation):
    talk(database, conversation, range(FEW))
    prompt, message = cost_of_prompts(database, conversation), cost_of_a_message(database, conversation)
    talk(database, conversation, range(FEW, MANY))
    assert cost_of_prompts(database, conversation) < MOST_OF_PROMPT * prompt
    assert cost_of_a_message(database, conversation) < MOST_OF_MESSAGE * message

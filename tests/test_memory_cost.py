"""What a prompt and a message cost hardly grows with the conversation: CPU time, compared within one run."""

import gc
import time
from contextlib import closing, contextmanager, suppress
from statistics import median

import pytest
from exchanges import exchange

import db
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.settings import settings_in_force
from instrumentgpt.storage.runs import start_run
from instrumentgpt.turn.record import record_answer, record_question
from instrumentgpt.turn.turn import open_turn

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
            record_question(database, conversation, message, *scope)
            answered = db.add_message(database, conversation, "assistant", answer)
            record_answer(database, conversation, answered, answer, (), *scope)
    exchange(database, conversation, "oven 7: what now?")


def times_as_much(cost, what, few, many):
    """Return how many times the median `cost` of `what` the second conversation has of the first.

    The conversations are measured in turn, and each by the least of three: a machine that is busy for a while
    is so for both.
    """
    spent = [[], []]
    for one in what:
        rounds = [[cost(*side, one) for side in (few, many)] for _ in range(3)]
        for times, least in zip(spent, map(min, zip(*rounds, strict=True)), strict=True):
            times.append(least)
    return median(spent[1]) / median(spent[0])


def cost_of_a_prompt(database, conversation, question):
    """Return the CPU seconds of composing the prompt of a question; nothing is kept of it."""
    spent = 0.0
    with suppress(_Undone), db.transaction(database):
        message = db.add_message(database, conversation, "user", question)
        turn = open_turn(database, start_run(database, conversation, "offline", "chat", message))
        began = time.thread_time()
        turn.prompt("offline")
        spent = time.thread_time() - began
        raise _Undone
    return spent


def cost_of_a_message(database, conversation, text):
    """Return the CPU seconds of storing a message."""
    began = time.thread_time()
    message = db.add_message(database, conversation, "user", text)
    spent = time.thread_time() - began
    db.delete_turn(database, message)
    return spent


@contextmanager
def talked(path, count):
    """Give a database and its only conversation, of so many exchanges."""
    with closing(db.connect(path)) as database:
        conversation = db.create_conversation(database)
        talk(database, conversation, range(count))
        yield database, conversation


@pytest.fixture
def no_collection():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.soak
@pytest.mark.timeout(600)  # twelve hundred exchanges
def test_ten_times_the_conversation_is_not_ten_times_the_cost(ovens, no_collection, tmp_path):
    with talked(tmp_path / "few.db", FEW) as few, talked(tmp_path / "many.db", MANY) as many:
        messages = [said(number)[1] for number in range(20)]
        prompt = times_as_much(cost_of_a_prompt, QUESTIONS, few, many)
        message = times_as_much(cost_of_a_message, messages, few, many)
        print(
            f"{MANY // FEW} times the exchanges: a prompt {prompt:.1f} times, a message {message:.1f} times"
        )
        assert prompt < MOST_OF_PROMPT
        assert message < MOST_OF_MESSAGE

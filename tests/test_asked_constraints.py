"""A sentence that may lay something down or lift it is asked about; what is answered can be undone."""

import pytest
from exchanges import context_of, exchange

import db
from bench.learn import SETS, digest
from instrumentgpt.memory.likeness import likeness
from instrumentgpt.storage.revisions import undo_revision
from instrumentgpt.turn.open_questions import MOST_QUESTIONS, answer, open_questions

LEARN_AGAIN = "the examples were changed: python -m bench.learn"
pytestmark = pytest.mark.usefixtures("ovens")

HELD = "Nobody opens the door of oven 7 before the leak test is signed."
DOUBTFUL = "The auditors want an unbroken trace."
PLAIN = "We owe the client an unbroken trace, so no pauses please."
OVER = "The leak test ran this morning."


@pytest.fixture
def conversation(database):
    made = db.create_conversation(database)
    exchange(database, made, f"oven 7: why does it swing? {HELD}")
    return made


def told(database, conversation):
    """Return the context that a later question would get."""
    return context_of(exchange(database, conversation, "and now?"))


def asked(database, conversation):
    return [(one.sentence, one.constraint) for one in open_questions(database, conversation)]


def test_what_is_plain_is_not_asked(database, conversation):
    assert asked(database, conversation) == []


def test_what_is_very_like_the_examples_is_in_force_without_a_question(database, conversation):
    exchange(database, conversation, PLAIN)
    assert asked(database, conversation) == [] and PLAIN in told(database, conversation)


@pytest.mark.parametrize("sentence", [DOUBTFUL, "風扇轉速照原廠的。"])
def test_a_doubtful_sentence_is_asked_about_and_in_force_only_when_kept_until_that_is_undone(
    database, conversation, sentence
):
    exchange(database, conversation, f"{sentence} What next?")
    (question,) = open_questions(database, conversation)
    assert (question.sentence, question.answers) == (sentence, ("keep", "no"))
    assert sentence in question.words()
    kept = answer(database, conversation, question, "keep")
    assert asked(database, conversation) == []
    assert sentence in told(database, conversation)
    undo_revision(database, kept)
    assert sentence not in told(database, conversation)


@pytest.mark.parametrize("examples", SETS)
def test_the_weights_are_those_of_the_examples_beside_them(examples):
    weights = examples.with_name("weights.tsv")
    assert weights.read_text(encoding="utf-8").partition("\t")[0] == digest(examples), LEARN_AGAIN
    assert sum(likeness("it swings, do not touch it 不要動", weights).values()) == pytest.approx(1)


def test_what_nobody_answers_is_not_told_as_in_force_and_not_asked_again(database, conversation):
    exchange(database, conversation, DOUBTFUL)
    assert DOUBTFUL not in told(database, conversation)
    assert asked(database, conversation) == []


def test_what_is_declined_is_not_asked_again_until_that_is_undone(database, conversation):
    exchange(database, conversation, DOUBTFUL)
    (question,) = open_questions(database, conversation)
    declined = answer(database, conversation, question, "no")
    assert asked(database, conversation) == []
    undo_revision(database, declined)
    assert open_questions(database, conversation) == [question]


@pytest.mark.parametrize(
    "given, in_force",
    [("lifted", []), ("replaced", [OVER]), ("both", [HELD, OVER]), ("still", [HELD])],
)
def test_what_a_sentence_means_for_a_constraint_in_force_is_what_is_answered(
    database, conversation, given, in_force
):
    exchange(database, conversation, f"{OVER} Why does it swing?")
    (question,) = open_questions(database, conversation)
    assert (question.sentence, question.constraint) == (OVER, HELD)
    given_id = answer(database, conversation, question, given)
    assert asked(database, conversation) == []
    context = told(database, conversation)
    assert [one for one in (HELD, OVER) if one in context] == in_force
    undo_revision(database, given_id)
    assert f"{HELD} (turn 1) → turn 2: {OVER}" in told(database, conversation)


def test_a_plain_constraint_on_the_same_thing_is_asked_whether_it_replaces_the_other(database, conversation):
    new = "Nobody touches the door of oven 7 while the leak test runs."
    exchange(database, conversation, new)
    (question,) = open_questions(database, conversation)
    assert (question.constraint, question.answers) == (HELD, ("replaced", "both"))
    answer(database, conversation, question, "replaced")
    context = told(database, conversation)
    assert new in context and HELD not in context


def test_few_questions_are_asked_of_one_message_and_none_of_what_is_pasted_or_asked(database, conversation):
    many = DOUBTFUL, "The samples inside are worth a lot.", "風扇轉速照原廠的。"
    exchange(database, conversation, "\n".join(many))
    assert len(asked(database, conversation)) == MOST_QUESTIONS
    exchange(database, conversation, f"> {DOUBTFUL}\nIs {OVER.lower()[:-1]}?")
    assert asked(database, conversation) == []


def test_until_it_is_answered_a_constraint_stands_with_what_may_lift_it(database, conversation):
    exchange(database, conversation, OVER)
    (question,) = open_questions(database, conversation)
    for _ in range(2):
        assert f"{HELD} (turn 1) → turn 2: {OVER}" in told(database, conversation)
    answer(database, conversation, question, "still")
    context = told(database, conversation)
    assert HELD in context and "→" not in context


def test_what_is_said_of_another_device_stands_beside_no_constraint(database, conversation):
    exchange(database, conversation, "The leak test of oven 8 was signed this morning.")
    assert not any(question.of for question in open_questions(database, conversation))
    context = context_of(exchange(database, conversation, "oven 7: and now?"))
    assert HELD in context and "→" not in context


def test_a_cause_that_the_user_rules_out_is_no_hypothesis_any_more(database, conversation):
    exchange(database, conversation, "oven 7: why?", "Hypothesis: the sensor is loose")
    assert "Hypotheses:\n  - the sensor is loose" in told(database, conversation)
    exchange(database, conversation, "Ruled out: the sensor is loose")
    assert "Hypotheses" not in told(database, conversation)

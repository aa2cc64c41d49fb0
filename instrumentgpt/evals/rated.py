"""Answers that people rated, as cases of the evaluation to be completed: a person says what is true."""

from itertools import pairwise

import tomlkit
from sqlite_utils import Database

import db
from instrumentgpt.storage.answers import Rating, list_ratings
from instrumentgpt.storage.conversations import conversation_of

ANSWER_LINES = 12  # of a rated answer, beside its case


def rated_cases(database: Database) -> str:
    """Return the rated answers, newest first, as text for a file in evals/cases/ (docs/evaluation.md)."""
    rated = ((rating, conversation_of(database, rating.message_id)) for rating in list_ratings(database))
    return "\n".join(_case(database, rating, talk) for rating, talk in rated if talk)


def _case(database: Database, rating: Rating, conversation: db.Conversation) -> str:
    messages = db.list_messages(database, conversation.id, before=rating.message_id + 1)
    exchanges = [
        [question.content, answer.content]
        for question, answer in pairwise(messages)
        if (question.role, answer.role) == ("user", "assistant")
    ]
    lines = [
        f"{'It helped' if rating.helped else 'It did not help'}: {rating.reason or '(no reason given)'}",
        f"About {conversation.device or 'no device'}. It was answered:",
        *messages[-1].content.splitlines()[:ANSWER_LINES],
    ]
    case = {
        "name": f"rated answer {rating.message_id}",
        "turns": [exchanges[-1][0]],
        "earlier": exchanges[:-1],
    }
    comments = "".join(f"# {' '.join(line.split())}\n" for line in lines)
    return f"[[case]]\n{comments}{tomlkit.dumps(case)}"

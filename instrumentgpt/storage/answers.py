"""What is kept beside an answer, which stays as it was said.

What it offers to ask next, where its numbers are from, and whether it helped: people's ratings are kept for
the evaluation.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from sqlite_utils import Database

from instrumentgpt.memory.gate import Mark
from instrumentgpt.storage.connection import change, insert, rows, select, transaction


@dataclass(frozen=True)
class Offer:
    """A button under an answer: what it says on it, and the question that it asks in a mode."""

    label: str
    text: str
    mode: str = "chat"


def store_offers(database: Database, message_id: int, offers: Sequence[Offer]) -> None:
    """Keep what the answer `message_id` offers."""
    with transaction(database):
        for number, offer in enumerate(offers):
            insert(database, "all_offers", message_id=message_id, number=number, **vars(offer))


def list_offers(database: Database, message_id: int) -> list[Offer]:
    """Return what the answer offers, in order."""
    return select(database, Offer, "offers WHERE message_id = ? ORDER BY number", (message_id,))


def store_marks(database: Database, message_id: int, marks: Sequence[Mark]) -> None:
    """Keep the marks of the stored answer `message_id`."""
    text = json.dumps([asdict(mark) for mark in marks], ensure_ascii=False)
    insert(database, "marks", message_id=message_id, marks=text)


def marks_of_answer(database: Database, message_id: int) -> tuple[Mark, ...] | None:
    """Return the marks of an answer, None if it was not looked through."""
    stored = rows(database, "SELECT marks FROM marks WHERE message_id = ?", [message_id])
    return tuple(Mark(**row) for row in json.loads(stored[0][0])) if stored else None


@dataclass(frozen=True)
class Rating:
    """What a person, `who`, said of the answer `message_id`; `rated_at` in s since 1970."""

    message_id: int
    helped: bool
    reason: str
    who: str
    rated_at: float


def rate(database: Database, message_id: int, helped: bool, reason: str, who: str) -> None:
    """Keep the rating of an answer, in place of an earlier one."""
    rating = Rating(message_id, helped, reason, who, time.time())
    insert(database, "ratings", "INSERT OR REPLACE", **asdict(rating))


def take_back(database: Database, message_id: int) -> None:
    """Remove the rating of an answer."""
    change(database, "DELETE FROM ratings WHERE message_id = ?", [message_id])


def rating_of(database: Database, message_id: int) -> Rating | None:
    """Return the rating of an answer, None if nobody rated it."""
    return next(iter(select(database, Rating, "ratings WHERE message_id = ?", [message_id])), None)


def list_ratings(database: Database) -> list[Rating]:
    """Return the ratings of the answers that are not deleted, newest first."""
    source = "ratings WHERE message_id IN (SELECT id FROM messages) ORDER BY rated_at DESC"
    return select(database, Rating, source)


def questions_that_helped(database: Database, most: int, characters: int) -> list[str]:
    """Return the questions, of at most `characters`, whose answers people said helped; the latest first."""
    sql = (
        "SELECT question.content FROM ratings"
        " JOIN messages answer ON answer.id = ratings.message_id"
        " JOIN messages question ON question.id = (SELECT max(id) FROM messages WHERE role = 'user'"
        " AND conversation_id = answer.conversation_id AND id < answer.id)"
        " WHERE ratings.helped AND length(question.content) <= ?"
        " GROUP BY question.content ORDER BY max(rated_at) DESC LIMIT ?"
    )
    return [str(text) for (text,) in rows(database, sql, (characters, most))]

"""Ratings of answers by people: whether one helped, and why. They are kept for the evaluation."""

import time
from dataclasses import asdict, dataclass

from sqlite_utils import Database

from instrumentgpt.storage.connection import change, insert, select


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
    return select(
        database, Rating, "ratings WHERE message_id IN (SELECT id FROM messages) ORDER BY rated_at DESC"
    )

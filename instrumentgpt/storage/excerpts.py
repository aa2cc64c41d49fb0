"""What the messages that were found say: their lines that count, and a few of the messages around them."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.history import Places, turn_of
from instrumentgpt.text.excerpts import relevant_lines
from instrumentgpt.text.recalled import Recalled

NEIGHBOURED = 8  # best hits whose neighbours come along
NEIGHBOUR_TURNS = 2  # before and after a hit
EXCERPT_CHARS = 500
NEIGHBOUR_CHARS = 160
FILLED, FILLED_CHARS = 60, 240  # of `newest_pieces`


def messages_of(database: Database, ids: Iterable[int]) -> dict[int, tuple[str, str]]:
    """Return id → (role, content)."""
    wanted = list(ids)
    if not wanted:
        return {}
    marks = ",".join("?" * len(wanted))
    found: list[Any] = rows(database, f"SELECT id, role, content FROM messages WHERE id IN ({marks})", wanted)
    return {message: (role, content) for message, role, content in found}


def pieces_of(
    database: Database,
    best: Sequence[int],
    scores: Mapping[int, float],
    told: Mapping[int, tuple[str, str]],
    weights: Mapping[str, float],
    placed: Places,
) -> list[Recalled]:
    """Return the excerpts of the best messages, and of those around the very best, the best first.

    best     ids of messages, the best first
    told     id → (role, content) of each of them
    weights  term → how much it tells
    """
    ids, asked = placed

    def piece(message: int, role: str, content: str, chars: int, score: float) -> Recalled:
        lines = tuple(relevant_lines(content, weights, chars))
        return Recalled(message, turn_of(message, asked), role, lines, score)

    pieces = [piece(message, *told[message], EXCERPT_CHARS, scores[message]) for message in best]
    around = _around(ids, best[:NEIGHBOURED], set(best))
    beside = messages_of(database, around)
    pieces += [
        piece(message, *beside[message], NEIGHBOUR_CHARS, share * scores[hit])
        for message, (hit, share) in around.items()
    ]
    return sorted((row for row in pieces if row.lines), key=lambda row: -row.score)


def newest_pieces(database: Database, placed: Places, known: Collection[int]) -> list[Recalled]:
    """Return what the newest messages but the `known` say in few words, for the room that is left."""
    ids, asked = placed
    others = [message for message in reversed(ids) if message not in known][:FILLED]
    told = messages_of(database, others)
    return [
        Recalled(
            one,
            turn_of(one, asked),
            told[one][0],
            tuple(relevant_lines(told[one][1], {}, FILLED_CHARS)),
            -place,
        )
        for place, one in enumerate(others, start=1)
    ]


def _around(ids: Sequence[int], hits: Sequence[int], known: set[int]) -> dict[int, tuple[int, float]]:
    """Return message → (the hit it is near, its share of the hit's score)."""
    found: dict[int, tuple[int, float]] = {}
    for hit in hits:
        place = bisect_left(ids, hit)
        for step in range(1, 2 * NEIGHBOUR_TURNS + 1):
            for at in (place - step, place + step):
                if 0 <= at < len(ids) and ids[at] not in known and ids[at] not in found:
                    found[ids[at]] = (hit, 0.6 / step)
    return found

"""What the messages that were found say: their lines that count, and a few of the messages around them."""

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from sqlite_utils import Database

from instrumentgpt.memory.recalled import Recalled, relevant_lines
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.history import Places, turn_of

NEIGHBOURED = 8  # best hits whose neighbours come along
NEIGHBOUR_TURNS = 2  # before and after a hit
NEIGHBOUR_SHARE = 0.15  # of the score of its hit, for the next message: other hits come first
EXCERPT_CHARS = 500
NEIGHBOUR_CHARS = 160
FILLED, FILLED_CHARS = 60, 240  # newest other messages
READ_AT_ONCE = 16  # messages


def messages_of(database: Database, ids: Iterable[int]) -> dict[int, tuple[str, str]]:
    """Return id → (role, content)."""
    wanted = list(ids)
    if not wanted:
        return {}
    marks = ",".join("?" * len(wanted))
    found = rows(database, f"SELECT id, role, content FROM messages WHERE id IN ({marks})", wanted)
    return {message: (role, content) for message, role, content in found}


@dataclass(frozen=True)
class Candidate:
    """A message that may be told: how many characters of it, and how well it fits."""

    message_id: int
    chars: int
    score: float


def candidates(
    best: Sequence[int], scores: Mapping[int, float], placed: Places, with_newest: bool = False
) -> list[Candidate]:
    """Return the best messages, those around the very best, and the newest others if wanted, in order."""
    ids, _ = placed
    around = _around(ids, best[:NEIGHBOURED], set(best))
    found = [Candidate(message, EXCERPT_CHARS, scores[message]) for message in best]
    found += [
        Candidate(message, NEIGHBOUR_CHARS, share * scores[hit]) for message, (hit, share) in around.items()
    ]
    found.sort(key=lambda one: -one.score)
    if not with_newest:
        return found
    others = (message for message in reversed(ids) if message not in around and message not in scores)
    return found + [
        Candidate(message, FILLED_CHARS, -place)
        for place, message in enumerate(islice(others, FILLED), start=1)
    ]


def pieces_of(
    database: Database,
    chosen: Sequence[Candidate],
    weights: Mapping[str, float],
    asked: Sequence[int],
    room: float = math.inf,
) -> list[Recalled]:
    """Return the excerpts of the chosen messages, the best first, until they take `room` tokens.

    weights  term → how much it tells
    asked    ids of the questions
    """
    pieces: list[Recalled] = []
    for first in range(0, len(chosen), READ_AT_ONCE):
        some = chosen[first : first + READ_AT_ONCE]
        told = messages_of(database, [one.message_id for one in some])
        for one in some:
            role, content = told[one.message_id]
            lines = tuple(relevant_lines(content, weights, one.chars))
            if lines and room > 0:
                pieces.append(
                    Recalled(one.message_id, turn_of(one.message_id, asked), role, lines, one.score)
                )
                room -= pieces[-1].cost if room < math.inf else 0
        if room <= 0:
            break
    return pieces


def _around(ids: Sequence[int], hits: Sequence[int], known: set[int]) -> dict[int, tuple[int, float]]:
    """Return message → (the hit it is near, its share of the hit's score)."""
    found: dict[int, tuple[int, float]] = {}
    for hit in hits:
        place = bisect_left(ids, hit)
        for step in range(1, 2 * NEIGHBOUR_TURNS + 1):
            for at in (place - step, place + step):
                if 0 <= at < len(ids) and ids[at] not in known and ids[at] not in found:
                    found[ids[at]] = (hit, NEIGHBOUR_SHARE / step)
    return found

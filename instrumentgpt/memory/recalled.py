"""Pieces of earlier messages as <recalled_turns> shows them: each with its turn, none said twice."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from instrumentgpt.memory.excerpts import GAP, sentences
from instrumentgpt.memory.summary import shorten, stands_in
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.memory.untrusted import as_content

CUT_STEPS = (0, 200, 80, 30)  # characters of the first line of what is put back; 0: all of them
INDENT = "  "  # of a piece's further lines: no line of a message can seem to begin another piece


@dataclass(frozen=True)
class Recalled:
    """What is recalled of one message: its turn (from 1), who said it, and the lines that count, in order.

    score  how well it fits the question; higher is better, infinite for what a person put back
    """

    message_id: int
    turn: int
    role: str
    lines: tuple[str, ...]
    score: float

    @cached_property
    def told(self) -> str:
        """The piece as it stands in the prompt."""
        speaker = "User" if self.role.casefold() == "user" else "Assistant"
        lines = as_content("\n".join([" ".join(line.split()) for line in self.lines]))
        return f"[turn {self.turn}] {speaker}: " + lines.replace("\n", f"\n{INDENT}")

    @cached_property
    def cost(self) -> int:
        """Its tokens, its newline with it."""
        return count_tokens(self.told + "\n") + 1


def without_repeats(pieces: Sequence[Recalled], shown: str) -> list[Recalled]:
    """Return the pieces, best first, without the sentences that stand in `shown` or in a better piece."""
    told: set[str] = set()
    left: list[Recalled] = []
    for piece in sorted(pieces, key=lambda piece: -piece.score):
        lines = []
        for line in piece.lines:
            parts = sentences(line)
            new = [part for part in parts if part not in told and not stands_in(part, shown)]
            if line == GAP or new:
                lines.append(line if line == GAP or len(new) == len(parts) else " ".join(new))
            told.update(part for part in parts if part != GAP)
        if any(line != GAP for line in lines):
            kept = tuple(line for at, line in enumerate(lines) if line != GAP or lines[at - 1 : at] != [GAP])
            left.append(
                piece
                if kept == piece.lines
                else Recalled(piece.message_id, piece.turn, piece.role, kept, piece.score)
            )
    return left


def fitting(pieces: Sequence[Recalled], room: int) -> list[Recalled]:
    """Return the best pieces that fit into `room` tokens together, in the order they were said.

    What a person put back (score infinite) shares the room first, cut where it must be, never left out.
    """
    put_back = [piece for piece in pieces if piece.score == math.inf]
    chosen: list[Recalled] = []
    for place, piece in enumerate(put_back):
        kept = _cut(piece, room // (len(put_back) - place))
        if kept is not None:
            chosen.append(kept)
            room -= kept.cost
    for piece in pieces:
        cost = piece.cost
        if cost <= room and piece.score != math.inf:
            chosen.append(piece)
            room -= cost
    return sorted(chosen, key=lambda piece: piece.message_id)


def _cut(piece: Recalled, room: int) -> Recalled | None:
    """Return the piece with as many of its first lines as fit, the first shortened; None if nothing fits."""
    lines = list(piece.lines)
    for limit in CUT_STEPS:
        kept = [shorten(lines[0], limit), *lines[1:]] if limit else lines
        while kept:
            told = replace(piece, lines=tuple(kept))
            if told.cost <= room:
                return told
            kept = [*kept[:-2], GAP] if len(kept) > 2 else kept[:-1]
    return None


def render_recalled(pieces: Sequence[Recalled]) -> str:
    """Return the body of <recalled_turns>.

    >>> print(render_recalled([Recalled(3, 2, "user", ("no, kp is 0.12", "…"), 1.0)]))
    [turn 2] User: no, kp is 0.12
      …
    """
    return "\n".join(piece.told for piece in pieces)

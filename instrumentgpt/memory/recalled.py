"""Earlier messages as <recalled_turns> shows them: the lines that answer a question, none said twice."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from instrumentgpt.memory.filtering import as_content, without_markers
from instrumentgpt.memory.summary import shorten, speaker_of, stands_in
from instrumentgpt.memory.terms import fold
from instrumentgpt.memory.tokens import count_tokens

GAP = "…"  # where lines are left out
_SENTENCE = re.compile(r" (?<=[.!?;] )(?=[A-Z\"“(\[]|[^\x00-\x7f])")  # quicker than to look for its end
_CHINESE_ENDS = "。！？；"
_OF_RULES = "|:- "  # what a rule of a table is made of
_DIGIT = re.compile(r"\d")
FIGURE = 0.1  # what a line with figures is worth, whatever is asked
SENTENCE_CHARS = 160  # a shorter line is told whole


def relevant_lines(text: str, weights: Mapping[str, float], limit: int) -> list[str]:
    """Return the lines or sentences of `text` that hold most of the weighted terms, in their order.

    weights  term → how much it tells; a term counts once in a line
    limit    characters of all together, about; at least one line comes back, shortened if it must be

    A line also counts half of what the lines beside it hold; left-out lines become "…".
    """
    lines, folded = _lines(text)
    if not lines:
        return []
    whole = "\n".join(folded)
    weighted = [(term, weight) for term, weight in weights.items() if weight and term in whole]
    held = [
        sum([weight for term, weight in weighted if term in line]) + FIGURE * bool(_DIGIT.search(line))
        for line in folded
    ]
    worth = [
        weight + 0.25 * ((held[at - 1] if at else 0.0) + (held[at + 1] if at + 1 < len(held) else 0.0))
        for at, weight in enumerate(held)
    ]
    kept: set[int] = set()
    room = limit
    for at in sorted(range(len(lines)), key=worth.__getitem__, reverse=True):
        if kept and (room < 20 or (not worth[at] and any(worth))):
            break
        cost = len(lines[at]) + 2
        if cost <= room or not kept:
            kept.add(at)
            room -= cost
    shown: list[str] = []
    for at in range(len(lines)):
        if at in kept:
            shown.append(shorten(lines[at], limit))
        elif shown[-1:] != [GAP]:
            shown.append(GAP)
    return shown


@lru_cache(maxsize=256)  # a search looks at its best messages twice
def _lines(text: str) -> tuple[list[str], list[str]]:
    """Return the lines of the text, long ones as sentences, each once; and the same lines folded."""
    pieces: list[str] = []
    for line in without_markers(text).split("\n"):
        bare = " ".join(line.split())
        if bare.strip(_OF_RULES):
            pieces += sentences(bare) if len(bare) > SENTENCE_CHARS else [bare]
    lines = [line for line in dict.fromkeys(pieces) if line]
    return lines, fold("\n".join(lines)).split("\n")


def sentences(line: str) -> list[str]:
    """Return the sentences of a line, without the blanks between them."""
    for end in _CHINESE_ENDS if not line.isascii() else "":
        line = line.replace(end, f"{end}\n")
    return _SENTENCE.sub("\n", line).split("\n")


CUT_STEPS = (200, 80, 30)  # characters of the first line of what is put back
LEAST_TOKENS = 12  # of a piece that says something
MOST_MISSES = (
    6  # pieces in a row that do not fit: of 395 that fitted in a thousand exchanges none came after more
)
INDENT = "  "  # of a piece's further lines: no line of a message can seem to begin another piece


@dataclass(frozen=True)
class Recalled:
    """What is recalled of one message: its turn (from 1), who said it, and the lines that count, in order."""

    message_id: int
    turn: int
    role: str
    lines: tuple[str, ...]

    @cached_property
    def text(self) -> str:
        """The piece as it stands in the prompt."""
        lines = as_content("\n".join([" ".join(line.split()) for line in self.lines]))
        return f"[turn {self.turn}] {speaker_of(self.role)}: " + lines.replace("\n", f"\n{INDENT}")

    @cached_property
    def cost(self) -> int:
        """Its tokens, its newline with it."""
        return count_tokens(self.text + "\n") + 1


def fitting(
    put_back: Sequence[Recalled], found: Iterable[Recalled], room: int, shown: str = ""
) -> list[Recalled]:
    """Return the pieces that fit into `room` tokens together, in the order they were said.

    put_back  those that a person put back: they share the room first, cut where they must be
    found     the others, the best first; they are made as they are taken
    shown     what stands beside them: its sentences, and those of an earlier piece, are left out
    """
    seen: set[str] = set()
    chosen: list[Recalled] = []
    new = [piece for piece in (_without(piece, seen, shown) for piece in put_back) if piece.lines]
    for place, piece in enumerate(new):
        if kept := _cut(piece, room // (len(new) - place)):
            chosen.append(kept)
            room -= kept.cost
    misses = 0  # in a row
    for piece in found:
        if room < LEAST_TOKENS or misses > MOST_MISSES:
            break
        piece = _without(piece, seen, shown)
        if piece.lines and piece.cost <= room:
            chosen.append(piece)
            room -= piece.cost
            misses = 0
        elif piece.lines:
            misses += 1
    return sorted(chosen, key=lambda piece: piece.message_id)


def _without(piece: Recalled, seen: set[str], shown: str) -> Recalled:
    """Return the piece without the sentences `seen`, which has them from now on, and those in `shown`."""
    lines: list[str] = []
    for line in piece.lines:
        parts = sentences(line)
        new = [part for part in parts if part == GAP or not (part in seen or stands_in(part, shown))]
        if new and not (new == [GAP] == lines[-1:]):
            lines.append(line if len(new) == len(parts) else " ".join(new))
        seen.update(parts)
    if lines == list(piece.lines):
        return piece
    return replace(piece, lines=tuple(lines) if any(line != GAP for line in lines) else ())


def _cut(piece: Recalled, room: int) -> Recalled | None:
    """Return the piece with as many of its first lines as fit, the first shortened; None if nothing fits."""
    first = [
        (*piece.lines[:count], *[GAP] * (count < len(piece.lines)))
        for count in range(len(piece.lines), 0, -1)
    ]
    forms = [*first, *((shorten(piece.lines[0], limit),) for limit in CUT_STEPS)]
    return next((kept for lines in forms if (kept := replace(piece, lines=lines)).cost <= room), None)

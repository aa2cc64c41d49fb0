"""The lines of a message that answer a question, out of the raw text."""

import re
from collections.abc import Mapping
from functools import lru_cache

from instrumentgpt.memory.filtering import without_markers
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.terms import fold

GAP = "…"  # where lines are left out
_SENTENCE = re.compile(r" (?<=[.!?;] )(?=[A-Z\"“(\[]|[^\x00-\x7f])")  # quicker than to look for its end
_CHINESE_ENDS = "。！？；"
_OF_RULES = "|:- "  # what a rule of a table is made of
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
    held = [sum([weight for term, weight in weighted if term in line]) for line in folded]
    held = [
        weight + FIGURE * any(map(str.isdecimal, line)) for weight, line in zip(held, folded, strict=True)
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
    return _with_gaps(lines, kept, limit)


def _with_gaps(lines: list[str], kept: set[int], limit: int) -> list[str]:
    told: list[str] = []
    last = -1
    for at in sorted(kept):
        if at != last + 1:
            told.append(GAP)
        told.append(shorten(lines[at], limit))
        last = at
    return told if last == len(lines) - 1 else [*told, GAP]


@lru_cache(maxsize=256)  # a search looks at its best messages twice
def _lines(text: str) -> tuple[list[str], list[str]]:
    """Return the lines of the text, long ones as sentences, each once; and the same lines folded."""
    found: list[str] = []
    for line in without_markers(text).split("\n"):
        bare = " ".join(line.split())
        if bare.strip(_OF_RULES):
            found += sentences(bare) if len(bare) > SENTENCE_CHARS else [bare]
    lines = [line for line in dict.fromkeys(found) if line]
    return lines, fold("\n".join(lines)).split("\n")


def sentences(line: str) -> list[str]:
    """Return the sentences of a line, without the blanks between them."""
    for end in _CHINESE_ENDS:
        line = line.replace(end, f"{end}\n")
    return _SENTENCE.sub("\n", line).split("\n")

"""The number gate: whose each number of a text is, a tool's, the user's, the agent's own, or nobody's."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from instrumentgpt.memory.claims import Claim, claims_in
from instrumentgpt.memory.facts import Names
from instrumentgpt.memory.sources import Kind, Source

ROUNDED = 0.1  # of what is worked out, at most: of 56 results one rounds to almost any single digit
NEAREST = 8  # claims of a sentence that another of it may be worked out from
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|[。！？；\n]")


@dataclass(frozen=True)
class Mark:
    """A claim's place in its text, and where it is from: the tool, and the line of a log, if there is one."""

    start: int
    end: int
    kind: Kind
    source: str = ""
    log: str = ""
    line: int = 0


def marks_of(text: str, sources: Sequence[Source], names: Names = ()) -> list[Mark]:
    """Return a mark for each claim of `text`: the first of `sources` that says it, or nobody.

    What is worked out of two others of its sentence is computed, too.
    """
    marks = [(claim, _looked_up(claim, sources)) for claim in claims_in(text, names)]
    for first, end in _sentences(text):
        places = [place for place, (claim, _) in enumerate(marks) if first <= claim.start < end]
        sourced = [place for place in places if marks[place][1].kind != "unknown"]
        for place in places:
            claim, mark = marks[place]
            near = sorted(sourced, key=lambda other: abs(other - place))[:NEAREST]
            if mark.kind == "unknown" and _is_worked_out(claim, [marks[other][0] for other in near]):
                marks[place] = claim, Mark(claim.start, claim.end, "computed", "arithmetic")
    return [mark for _, mark in marks]


def unsaid(text: str, sources: Sequence[Source]) -> list[str]:
    """Return the claims of `text` that none of `sources` says."""
    return [text[mark.start : mark.end] for mark in marks_of(text, sources) if mark.kind == "unknown"]


def _looked_up(claim: Claim, sources: Sequence[Source]) -> Mark:
    for source in sources:
        if number := source.says(claim):
            log, line = (number.log, number.line) if number.log and number.line else ("", 0)
            return Mark(claim.start, claim.end, source.kind, source.name, log, line)
    return Mark(claim.start, claim.end, "unknown")


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in _SENTENCE.finditer(text):
        yield start, end.start()
        start = end.end()
    yield start, len(text)


def _is_worked_out(claim: Claim, others: Sequence[Claim]) -> bool:
    """Return whether the claim is the sum, difference, product, ratio or share of two of the others."""
    if math.isnan(claim.value):
        return False
    numbers = [other for other in others if not math.isnan(other.value) and not other.log]
    return any(
        abs(value - claim.value) <= claim.slack(ROUNDED) * (1 + 1e-6)
        for first, second in permutations(numbers, 2)
        for value in _results(claim, first, second)
    )


def _results(claim: Claim, first: Claim, second: Claim) -> Iterator[float]:
    """Yield what plain arithmetic makes of two claims, in the unit of the claim."""
    a, b = first.value, second.value
    same = first.unit == second.unit and (first.unit or first.name == second.name)
    if same and first.unit == claim.unit and first.unit:
        yield from (abs(a - b), a + b)
    if same and b and claim.unit in ("", "%"):
        size = 100.0 if claim.unit == "%" else 1.0
        yield from (size * a / b, size * abs(a - b) / b)
    if second.unit == "%" and first.unit == claim.unit and first.unit != "%":
        yield from (a * b / 100, a * (1 + b / 100), a * (1 - b / 100))
    if not second.unit and first.unit and first.unit == claim.unit and b:
        yield from (a * b, a / b)

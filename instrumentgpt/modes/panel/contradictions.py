"""Where an expert's words do not go with what it said before: forgotten, or changed without a reason."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from instrumentgpt.modes.panel.contracts import Contribution
from instrumentgpt.modes.panel.contributions import Said
from instrumentgpt.modes.panel.expert_memory import SubProblemResult, numbers_in

Kind = Literal["forgotten", "changed", "changed without a reason"]
_LINKS = (
    r"(?:is|are|was|were|be|of|at|to|by|as|below|above|under|over|about|around|within|than|less|more|should|from"
    r"|為|是|約|到|在|低於|高於)"
)
_QUANTITY = re.compile(
    rf"(?P<label>[^\W\d_]{{2,}})(?:\s+{_LINKS}|[:=：])*\s*(?P<sign>[<>≤≥±≈]?)\s*"
    r"(?P<number>[$€]?[-+]?\d[\d,]*(?:\.\d+)?)(?![\d:]|-\d)\s?"
    r"(?P<unit>°\s?[CFK]\b|℃|%|s\b|min\b|h\b|秒|分鐘)?",
    re.I,
)
_COUNTED = re.compile(  # after a number: it tells how many were looked at, not what was measured
    r"\s*(?:(?:possible |different |earlier )?(?:candidates?|causes?|channels?|checks?|cycles?|experts?"
    r"|findings?|gaps?|items?|lines?|logs?|rounds?|samples?|sub-?problems?|times|votes?|warnings?)\b"
    r"|個|条|條|項|行|筆|次|處|種|位|票|輪|份)",
    re.I,
)
_SCOPE = re.compile(
    r"\b(?:all|every|each)\s+channels?\b|所有通道|全部通道|各通道|每個通道"
    r"|(?:\bchannel|通道)\s*(?P<number>\d+)",
    re.I,
)
_COMMON = frozenset(["sub", "problem", "channel", "line", "lines", "turn", "通道", "第"])
_REFERS = re.compile(
    r"\b(?:sub-?problem|earlier|previous(?:ly)?|before|as i said|my (?:analysis|position|view))\b"
    r"|子問題|先前|之前",
    re.I,
)


@dataclass(frozen=True)
class Contradiction:
    """What an expert said in `sub_problem` before, what it says now, and how that goes together."""

    expert: str
    kind: Kind
    sub_problem: int
    before: str
    now: str
    because: str = ""


def contradictions(said: Said, results: Sequence[SubProblemResult]) -> list[Contradiction]:
    """Return how what an expert has `said` differs from its words on earlier sub-problems, newest first.

    "changed" came with a reason and is told, not blamed.
    """
    found: list[Contradiction] = []
    earlier = [
        (one.sub_problem_id, before.contribution)
        for one in reversed(results)
        for before in one.said
        if before.expert == said.expert
    ]
    for number, before in earlier:
        if reversal := _reversal(before, said.contribution):
            kind: Kind = "changed" if said.contribution.changed_because else "changed without a reason"
            told = (said.expert, kind, number, *reversal, said.contribution.changed_because)
            found.append(Contradiction(*told))
    if earlier and not found and _forgets(said, results):
        number, before = earlier[0]
        found.append(
            Contradiction(said.expert, "forgotten", number, before.position, said.contribution.position)
        )
    return found


def _reversal(before: Contribution, now: Contribution) -> tuple[str, str] | None:
    """Return what was said before and what is said now, if both cannot hold."""
    for one in before.rejects:
        if now.cause and one.cause == now.cause:
            return f"not {one.cause}: {one.because}", now.position
    for one in now.rejects:
        if before.cause and one.cause == before.cause:
            return before.position, f"not {one.cause}: {one.because}"
    if _elsewhere(before.position, now.position):
        return None
    old, new = _quantities(before), _quantities(now)
    for key, values in old.items():
        if key in new and not values & new[key]:
            return before.position, now.position
    return None


def _quantities(contribution: Contribution) -> dict[tuple[str, str], set[str]]:
    """Return (name, unit) → the values that the position gives it; how many of something is no quantity."""
    found: dict[tuple[str, str], set[str]] = {}
    for hit in _QUANTITY.finditer(contribution.position):
        label = hit["label"].casefold()
        if not hit["unit"] and _COUNTED.match(contribution.position, hit.end()):
            continue
        if label not in _COMMON and not re.fullmatch(_LINKS, label, re.I):
            unit = re.sub(r"\s", "", hit["unit"] or hit["number"][:1].strip("0123456789+-"))
            found.setdefault((label, unit), set()).add(hit["number"].replace(",", ""))
    return found


def _elsewhere(before: str, now: str) -> bool:
    """Return whether both name where they hold, and not the same: one channel or another, or all of them."""
    old, new = _scopes(before), _scopes(now)
    return bool(old and new) and not old & new


def _scopes(position: str) -> set[str]:
    return {hit["number"] or "all" for hit in _SCOPE.finditer(position)}


def _forgets(said: Said, results: Sequence[SubProblemResult]) -> bool:
    """Return whether nothing in its words shows that the expert has spoken before."""
    now = said.contribution
    words = " ".join([now.position, *(claim.text for claim in now.claims), now.changed_because])
    remembered = " ".join(one.expert_summaries.get(said.expert, "") for one in results)
    if now.builds_on or _REFERS.search(words):
        return False
    return not set(numbers_in(words)) & set(numbers_in(remembered))

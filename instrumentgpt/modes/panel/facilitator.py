"""The vote on a sub-problem, who speaks next, and when it has been discussed enough.

The vote is what each expert holds last, weighed by its confidence: nobody is asked for what it has said.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from instrumentgpt.modes.panel.contracts import View

MOST_ROUNDS = 3  # of one sub-problem
SURE = 0.6  # confidence from which a position is taken as firm
Reason = Literal["opening", "dissent", "unsure", "agreement", "no new evidence", "limit", "nobody"]


@dataclass(frozen=True)
class Count:
    """A candidate with those who vote for it, those who rule it out, and the sum of its votes' confidence."""

    cause: str
    weight: float
    votes: tuple[str, ...]
    against: tuple[str, ...]


@dataclass(frozen=True)
class Decision:
    """Who speaks in the next round, and why; nobody: the discussion is over."""

    speakers: tuple[str, ...]
    reason: Reason


def latest(views: Sequence[View]) -> dict[str, View]:
    """Return expert → what it said last."""
    return {row.expert: row for row in views}


def votes_of(views: Sequence[View]) -> list[dict[str, Any]]:
    """Return what each expert holds at the end: cause ("": none in its field), confidence, condition."""
    return [
        row.model_dump(include={"expert", "cause", "confidence", "condition"})
        for row in latest(views).values()
    ]


def counted(views: Sequence[View], candidates: Iterable[str]) -> list[Count]:
    """Return the candidates, the one with the most confidence behind it first.

    Those without a vote follow, as they come among the candidates: first what nobody rules out.
    """
    last = latest(views).values()
    counts = []
    for cause in dict.fromkeys(candidates):
        voters = [row for row in last if row.cause == cause]
        against = [row.expert for row in last if any(out.cause == cause for out in row.rejects)]
        weight = sum(row.confidence for row in voters)
        counts.append(Count(cause, weight, tuple(row.expert for row in voters), tuple(against)))
    return sorted(counts, key=lambda count: (-count.weight, bool(count.against)))


def leading(counts: Sequence[Count]) -> str:
    """Return the candidate that leads; "" if nobody votes for any."""
    return counts[0].cause if counts and counts[0].votes else ""


def runner_up(counts: Sequence[Count]) -> str:
    """Return the candidate that comes next; "" without a leader."""
    return counts[1].cause if leading(counts) and len(counts) > 1 else ""


def dissenters(views: Sequence[View], lead: str) -> list[View]:
    """Return the last words of those who vote for another candidate than `lead`."""
    return [row for row in latest(views).values() if row.cause not in ("", lead)]


def next_round(
    panel: Sequence[str], views: Sequence[View], candidates: Sequence[str], most: int = MOST_ROUNDS
) -> Decision:
    """Return who of `panel` speaks after the `views` on `candidates`.

    First everybody; then those who differ with the leading view, and who holds that most firmly; if all
    agree but nobody is sure, those least sure. It ends at agreement, when a round after the first brought no
    evidence that had not been told, or after `most` rounds.
    """
    if not views:
        return Decision(tuple(panel), "opening")
    rounds = max(row.round for row in views)
    lead = leading(counted(views, candidates))
    differing = dissenters(views, lead)
    if not differing and _is_firm(views, lead):
        return Decision((), "agreement")
    if rounds > 1 and not _new_evidence(views, rounds):
        return Decision((), "no new evidence")
    if rounds >= most:
        return Decision((), "limit")
    last = latest(views).values()
    if not differing:
        return Decision(tuple(row.expert for row in last if row.confidence < SURE), "unsure")
    holding = [row for row in last if row.cause == lead]
    advocate = max(holding, key=lambda row: row.confidence)
    return Decision((*(row.expert for row in differing), advocate.expert), "dissent")


def _is_firm(views: Sequence[View], lead: str) -> bool:
    """Return whether somebody is sure of the leading view, or, without one, everybody of there being none."""
    last = list(latest(views).values())
    if lead:
        return any(view.cause == lead and view.confidence >= SURE for view in last)
    return all(view.confidence >= SURE for view in last)


def _new_evidence(views: Sequence[View], number: int) -> bool:
    before = [_evidence(row) for row in views if row.round < number]
    now = [_evidence(row) for row in views if row.round == number]
    return bool(frozenset().union(*now) - frozenset().union(*before))


def _evidence(row: View) -> frozenset[str]:
    """Return what a contribution rests on, so that what is new in a later round can be seen."""
    lines = {f"{item.log}:{item.line}" for claim in row.claims for item in claim.evidence}
    return frozenset({*lines, *(out.because for out in row.rejects), *(claim.text for claim in row.claims)})

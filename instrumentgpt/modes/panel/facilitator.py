"""The vote on a sub-problem, who speaks next, and when it has been discussed enough.

The vote is what each expert holds last, weighed by its confidence: nobody is asked for what it has said.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from instrumentgpt.modes.panel.contracts import Said

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


def latest(said: Sequence[Said]) -> dict[str, Said]:
    """Return expert → what it said last."""
    return {row.expert: row for row in said}


def votes_of(said: Sequence[Said]) -> list[dict[str, Any]]:
    """Return what each expert holds at the end: cause ("": none in its field), confidence, condition."""
    return [
        row.model_dump(include={"expert", "cause", "confidence", "condition"})
        for row in latest(said).values()
    ]


def counted(said: Sequence[Said], candidates: Iterable[str]) -> list[Count]:
    """Return the candidates, the one with the most confidence behind it first.

    Those without a vote follow, as they come among the candidates: first what nobody rules out.
    """
    last = latest(said).values()
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


def dissenters(said: Sequence[Said], lead: str) -> list[Said]:
    """Return the last words of those who vote for another candidate than `lead`."""
    return [row for row in latest(said).values() if row.cause not in ("", lead)]


def next_round(
    panel: Sequence[str], said: Sequence[Said], candidates: Sequence[str], most: int = MOST_ROUNDS
) -> Decision:
    """Return who of `panel` speaks after what was `said` on `candidates`.

    First everybody; then those who differ with the leading view, and who holds that most firmly; if all
    agree but nobody is sure, those least sure. It ends at agreement, when a round after the first brought no
    evidence that had not been told, or after `most` rounds.
    """
    if not said:
        return Decision(tuple(panel), "opening")
    rounds = max(row.round for row in said)
    lead = leading(counted(said, candidates))
    differing = dissenters(said, lead)
    if not differing and _is_firm(said, lead):
        return Decision((), "agreement")
    if rounds > 1 and not _new_evidence(said, rounds):
        return Decision((), "no new evidence")
    if rounds >= most:
        return Decision((), "limit")
    last = latest(said).values()
    if not differing:
        return Decision(tuple(row.expert for row in last if row.confidence < SURE), "unsure")
    holding = [row for row in last if row.cause == lead]
    advocate = max(holding, key=lambda row: row.confidence)
    return Decision((*(row.expert for row in differing), advocate.expert), "dissent")


def _is_firm(said: Sequence[Said], lead: str) -> bool:
    """Return whether somebody is sure of the leading view, or, without one, everybody of there being none."""
    last = list(latest(said).values())
    if lead:
        return any(held.cause == lead and held.confidence >= SURE for held in last)
    return all(held.confidence >= SURE for held in last)


def _new_evidence(said: Sequence[Said], number: int) -> bool:
    before = [_evidence(row) for row in said if row.round < number]
    now = [_evidence(row) for row in said if row.round == number]
    return bool(frozenset().union(*now) - frozenset().union(*before))


def _evidence(row: Said) -> frozenset[str]:
    """Return what a contribution rests on, so that what is new in a later round can be seen."""
    lines = {f"{item.log}:{item.line}" for claim in row.claims for item in claim.evidence}
    return frozenset({*lines, *(out.because for out in row.rejects), *(claim.text for claim in row.claims)})

"""The facilitator: who speaks next, and when a sub-problem has been discussed enough."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from instrumentgpt.modes.panel.contributions import Said, evidence_of, latest
from instrumentgpt.modes.panel.votes import counted, dissenters, leading

MOST_ROUNDS = 3  # of one sub-problem
SURE = 0.6  # confidence from which a position is taken as firm
Reason = Literal["opening", "dissent", "unsure", "agreement", "no new evidence", "limit", "nobody"]


@dataclass(frozen=True)
class Decision:
    """Who speaks in the next round, and why; nobody: the discussion is over."""

    speakers: tuple[str, ...]
    reason: Reason


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
    rounds = max(one.round for one in said)
    lead = leading(counted(said, candidates))
    differing = dissenters(said, lead)
    if not differing and _is_firm(said, lead):
        return Decision((), "agreement")
    if rounds > 1 and not _new_evidence(said, rounds):
        return Decision((), "no new evidence")
    if rounds >= most:
        return Decision((), "limit")
    if differing:
        return Decision((*(one.expert for one in differing), _advocate(said, lead)), "dissent")
    return Decision(_least_sure(said), "unsure")


def _is_firm(said: Sequence[Said], lead: str) -> bool:
    """Return whether somebody is sure of the leading view, or, without one, everybody of there being none."""
    last = [one.contribution for one in latest(said).values()]
    if lead:
        return any(one.cause == lead and one.confidence >= SURE for one in last)
    return all(one.confidence >= SURE for one in last)


def _new_evidence(said: Sequence[Said], number: int) -> bool:
    before = [evidence_of(one.contribution) for one in said if one.round < number]
    now = [evidence_of(one.contribution) for one in said if one.round == number]
    return bool(frozenset().union(*now) - frozenset().union(*before))


def _advocate(said: Sequence[Said], lead: str) -> str:
    holding = [one for one in latest(said).values() if one.contribution.cause == lead]
    return max(holding, key=lambda one: one.contribution.confidence).expert


def _least_sure(said: Sequence[Said]) -> tuple[str, ...]:
    return tuple(one.expert for one in latest(said).values() if one.contribution.confidence < SURE)

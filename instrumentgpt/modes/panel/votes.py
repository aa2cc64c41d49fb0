"""The vote on a sub-problem: what each expert holds last, weighed by its confidence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from instrumentgpt.modes.panel.contributions import Said, latest


@dataclass(frozen=True)
class Vote:
    """What an expert holds at the end: a candidate, or "" for none in its field."""

    expert: str
    cause: str
    confidence: float
    condition: str = ""


@dataclass(frozen=True)
class Count:
    """A candidate with those who vote for it, those who rule it out, and the sum of its votes' confidence."""

    cause: str
    weight: float
    votes: tuple[str, ...]
    against: tuple[str, ...]


def votes_of(said: Sequence[Said]) -> list[Vote]:
    """Return a vote per expert who spoke: its last position, so nobody is asked for what it has said."""
    return [
        Vote(one.expert, one.contribution.cause, one.contribution.confidence, one.contribution.condition)
        for one in latest(said).values()
    ]


def counted(said: Sequence[Said], candidates: Iterable[str]) -> list[Count]:
    """Return the candidates, the one with the most confidence behind it first.

    Those without a vote follow, as they come among the candidates: first what nobody rules out.
    """
    last = latest(said).values()
    found = []
    for cause in dict.fromkeys(candidates):
        voters = [one for one in last if one.contribution.cause == cause]
        against = [one.expert for one in last if any(r.cause == cause for r in one.contribution.rejects)]
        weight = sum(one.contribution.confidence for one in voters)
        found.append(Count(cause, weight, tuple(one.expert for one in voters), tuple(against)))
    return sorted(found, key=lambda one: (-one.weight, bool(one.against)))


def leading(counts: Sequence[Count]) -> str:
    """Return the candidate that leads; "" if nobody votes for any."""
    return counts[0].cause if counts and counts[0].votes else ""


def runner_up(counts: Sequence[Count]) -> str:
    """Return the candidate that comes next; "" without a leader."""
    return counts[1].cause if leading(counts) and len(counts) > 1 else ""


def dissenters(said: Sequence[Said], lead: str) -> list[Said]:
    """Return the last words of those who vote for another candidate than `lead`."""
    return [one for one in latest(said).values() if one.contribution.cause not in ("", lead)]

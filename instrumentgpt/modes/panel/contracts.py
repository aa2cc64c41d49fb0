"""What experts and planners answer, as data: the contracts, of one sub-problem and of the whole panel."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.modes.contracts import Contract

FEWEST, MOST = 2, 5  # sub-problems
MOST_EXPERTS = 5  # of one sub-problem
POSITION_TOKENS = 66  # of a position: it must go into a summary of 100 with all its numbers
Kind = Literal["trust", "cause", "decide"]
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=600)]


class Evidence(Contract):
    """One line of a log, as it stands there; without a line, a number that a tool returned."""

    log: str = ""
    line: int | None = Field(default=None, ge=1)
    text: str = Field(default="", max_length=600)


class Claim(Contract):
    """One sentence with its numbers, and what shows it."""

    text: Words
    evidence: tuple[Evidence, ...] = ()


class Rejected(Contract):
    """A possible cause that the expert rules out, and the number that speaks against it."""

    cause: Words
    because: Words
    line: int | None = Field(default=None, ge=1)


class Contribution(Contract):
    """What an expert says in one round.

    position         what the expert holds, in one or two sentences with its numbers
    cause            the candidate it votes for; "" if none in its field
    builds_on        numbers of the earlier sub-problems whose results it uses
    changed_because  why it left a position of its own, if it did
    """

    position: Words
    cause: str = ""
    claims: tuple[Claim, ...] = Field(default=(), max_length=8)
    rejects: tuple[Rejected, ...] = Field(default=(), max_length=8)
    confidence: float = Field(ge=0, le=1)
    condition: str = Field(default="", max_length=400)
    measurement: str = Field(default="", max_length=600)
    builds_on: tuple[int, ...] = ()
    changed_because: str = Field(default="", max_length=400)

    @field_validator("position")
    @classmethod
    def _fits_a_summary(cls, position: str) -> str:
        tokens = count_tokens(position)
        if tokens > POSITION_TOKENS:
            raise ValueError(f"has {tokens} tokens, at most {POSITION_TOKENS} are allowed: say it shorter")
        return position


class View(Contribution):
    """One contribution of one expert in one round.

    tools   names of the tools that it called
    struck  what was taken out of its contribution, and why
    """

    expert: str
    round: int
    tools: tuple[str, ...] = ()
    struck: tuple[str, ...] = ()


def latest(views: Sequence[View]) -> dict[str, View]:
    """Return expert → what it said last."""
    return {row.expert: row for row in views}


class SubProblem(Contract):
    """One part of the problem: its goal, the candidates to be judged, who speaks, and what comes before.

    candidates  fault classes, or other possible causes in words
    after       ids of the sub-problems whose results it needs
    """

    id: int = Field(ge=1)
    goal: Words
    kind: Kind = "cause"
    channel: int | None = None
    candidates: tuple[str, ...] = ()
    experts: tuple[str, ...] = Field(min_length=1, max_length=MOST_EXPERTS)
    after: tuple[int, ...] = ()


class Plan(Contract):
    """The decomposition: two to five sub-problems."""

    sub_problems: tuple[SubProblem, ...] = Field(min_length=FEWEST, max_length=MOST)


class Synthesis(Contract):
    """What the panel holds on one sub-problem, or on all; `measurement`: what would decide."""

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]
    measurement: str = Field(default="", max_length=800)


class SubProblemResult(Contract):
    """What became of one sub-problem; `expert_summaries` is expert → its summary, for contributors only.

    said     the last words of each expert
    stopped  why the discussion ended
    """

    sub_problem_id: int
    sub_problem_goal: str
    synthesis: str
    expert_summaries: dict[str, str] = Field(default_factory=dict)
    said: tuple[View, ...] = ()
    cause: str = ""
    runner_up: str = ""
    dissent: tuple[str, ...] = ()
    measurement: str = ""
    stopped: str = ""
    warnings: tuple[str, ...] = ()


class Summaries(Contract):
    """Expert → a summary of what it said on a sub-problem."""

    summaries: dict[str, str]


class Brief(Contract):
    """What the log says before any expert speaks; our own analyst makes it, and only that."""

    model_config = ConfigDict(extra="allow", frozen=True)
    log: str
    reference: str
    findings: tuple[dict[str, Any], ...] = ()
    alive: tuple[str, ...] = ()  # causes that the checks found or left open


def as_json(content: BaseModel) -> dict[str, Any]:
    """Return a contract as JSON-ready data."""
    return content.model_dump(mode="json")

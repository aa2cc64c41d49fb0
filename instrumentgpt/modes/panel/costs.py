"""What a panel cost, per stage: tokens as the agents report them, else estimated; dollars if reported."""

from collections.abc import Iterable
from dataclasses import dataclass

from instrumentgpt.modes.panel.asked import UNFIT
from instrumentgpt.storage.panels import Step

STAGES = ("plan", "contribution", "synthesis", "expert_memory", "conclusion", "repair")


@dataclass(frozen=True)
class StageCost:
    """The steps of one stage taken together."""

    stage: str
    steps: int
    tokens_in: int
    tokens_out: int
    cost: float

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.tokens_in + self.tokens_out


def stage_costs(steps: Iterable[Step], sub_problem: int | None = None) -> list[StageCost]:
    """Return what each stage cost that had steps, of one sub-problem if named; repairs are a stage."""
    kept = [one for one in steps if sub_problem is None or one.key.sub_problem == sub_problem]
    found = []
    for stage in STAGES:
        own = [one for one in kept if _stage(one) == stage]
        tokens = sum(one.tokens_in for one in own), sum(one.tokens_out for one in own)
        found.append(StageCost(stage, len(own), *tokens, sum(one.cost for one in own)))
    return [one for one in found if one.steps]


def memory_share(steps: Iterable[Step]) -> float:
    """Return the share of `expert_memory` in the panel's tokens; 0 for a panel without any."""
    costs = stage_costs(steps)
    every = sum(one.tokens for one in costs)
    own = sum(one.tokens for one in costs if one.stage == "expert_memory")
    return own / every if every else 0.0


def _stage(step: Step) -> str:
    return "repair" if step.key.stage.startswith(UNFIT) else step.key.stage

"""How far a panel is, read from what is stored: for the page, and for whoever asks later."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlite_utils import Database

from instrumentgpt.modes.panel.contracts import Plan, SubProblem
from instrumentgpt.modes.panel.costs import StageCost, memory_share, stage_costs
from instrumentgpt.modes.panel.expert_memory import SubProblemResult, result_from_json
from instrumentgpt.storage.panels import Panel, Step, latest_panel, list_steps

PartStatus = Literal["done", "now", "waiting"]


@dataclass(frozen=True)
class PartProgress:
    """One sub-problem: how far it is, who has spoken (expert → rounds), and its result once there is one."""

    part: SubProblem
    status: PartStatus
    spoken: dict[str, int]
    result: SubProblemResult | None
    costs: tuple[StageCost, ...]


@dataclass(frozen=True)
class Progress:
    """A panel with its sub-problems in order; `memory_share` is that of expert_memory in all tokens."""

    panel: Panel
    plan: Plan
    parts: tuple[PartProgress, ...]
    costs: tuple[StageCost, ...]
    memory_share: float

    @property
    def reached(self) -> int:
        """The first sub-problem without a result; the last one if all have theirs."""
        left = [one.part.id for one in self.parts if one.result is None]
        return left[0] if left else self.parts[-1].part.id


def read_progress(database: Database, conversation_id: str) -> Progress | None:
    """Return how far the conversation's newest panel is; None if it has none."""
    panel = latest_panel(database, conversation_id)
    if panel is None:
        return None
    plan, steps = Plan.model_validate(panel.plan), list_steps(database, panel.id)
    parts = tuple(_part(one, plan, panel, steps) for one in plan.sub_problems)
    return Progress(panel, plan, parts, tuple(stage_costs(steps)), memory_share(steps))


def _part(part: SubProblem, plan: Plan, panel: Panel, steps: Sequence[Step]) -> PartProgress:
    results = {one.key.sub_problem: one for one in steps if one.key.stage == "result"}
    own = [one for one in steps if one.key.sub_problem == part.id]
    spoken: dict[str, int] = {}
    for one in own:
        if one.key.stage == "contribution" and "content" in one.content:
            spoken[one.key.expert] = max(one.key.round, spoken.get(one.key.expert, 0))
    done = results.get(part.id)
    ready = panel.status == "running" and all(number in results for number in part.after)
    status: PartStatus = "done" if done else "now" if ready else "waiting"
    result = result_from_json(done.content) if done else None
    return PartProgress(part, status, spoken, result, tuple(stage_costs(own)))

"""How far a panel is, and what each stage cost, as its steps tell."""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Literal

from sqlite_utils import Database

from instrumentgpt.modes.asking import UNFIT
from instrumentgpt.modes.panel.contracts import Plan, SubProblem, SubProblemResult
from instrumentgpt.storage.panels import Panel, Step, latest_panel, list_steps

PartStatus = Literal["done", "now", "waiting"]
STAGES = ("plan", "contribution", "synthesis", "expert_memory", "conclusion", "repair")


@dataclass
class StageCost:
    """The steps of one stage taken together."""

    stage: str
    steps: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0


def stage_costs(steps: Iterable[Step]) -> list[StageCost]:
    """Return what each stage that had steps cost: tokens as reported, else estimated; dollars if reported.

    What was asked for again is a stage of its own, "repair".
    """
    costs = {stage: StageCost(stage) for stage in STAGES}
    for step in steps:
        stage = "repair" if step.key.stage.startswith(UNFIT) else step.key.stage
        if stage in costs:
            costs[stage].steps += 1
            costs[stage].tokens_in += step.tokens_in
            costs[stage].tokens_out += step.tokens_out
            costs[stage].cost += step.cost
    return [cost for cost in costs.values() if cost.steps]


@dataclass(frozen=True)
class PartProgress:
    """One sub-problem: how far it is, who has spoken (expert → rounds), and its result once there is one."""

    part: SubProblem
    status: PartStatus
    spoken: dict[str, int]
    result: SubProblemResult | None
    tokens: int


@dataclass(frozen=True)
class Progress:
    """A panel with its sub-problems in order."""

    panel: Panel
    plan: Plan
    parts: tuple[PartProgress, ...]
    reached: int  # the first sub-problem without a result; the last one if all have theirs


def reached(plan: Plan, done: Container[int]) -> int:
    """Return the first sub-problem that is not `done`; the last one if all are."""
    ids = [part.id for part in plan.sub_problems]
    return next((number for number in ids if number not in done), ids[-1])


def read_progress(database: Database, conversation_id: str) -> Progress | None:
    """Return how far the conversation's newest panel is; None if it has none."""
    panel = latest_panel(database, conversation_id)
    if panel is None:
        return None
    plan, steps = Plan.model_validate(panel.plan), list_steps(database, panel.id)
    results = results_of(steps)
    parts = []
    for part in plan.sub_problems:
        ready = panel.status == "running" and all(number in results for number in part.after)
        part_steps = [step for step in steps if step.key.sub_problem == part.id]
        spoken = {
            step.key.expert: step.key.round  # steps come in the order in which they were done
            for step in part_steps
            if step.key.stage == "contribution" and "content" in step.content
        }
        result, tokens = results.get(part.id), sum(step.tokens_in + step.tokens_out for step in part_steps)
        status: PartStatus = "done" if result else "now" if ready else "waiting"
        parts.append(PartProgress(part, status, spoken, result, tokens))
    return Progress(panel, plan, tuple(parts), reached(plan, results))


def results_of(steps: Iterable[Step]) -> dict[int, SubProblemResult]:
    """Return sub-problem → its result, for those that have one."""
    return {
        step.key.sub_problem: SubProblemResult.model_validate(step.content)
        for step in steps
        if step.key.stage == "result"
    }

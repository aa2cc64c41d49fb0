"""The steps of a panel: what is asked for, how far it is, and what each stage cost."""

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlite_utils import Database

from instrumentgpt.modes.asking import UNFIT, Want
from instrumentgpt.modes.panel.contracts import Plan, SubProblem, SubProblemResult
from instrumentgpt.storage.panels import Key, Panel, Step, latest_panel, list_steps


def wanted(
    key: Key, prompt: str, told: Mapping[str, Any], read: Callable[[str], Any], agent: str = ""
) -> Want:
    """Return what is asked for as the step `key`; other arguments as Want has them."""
    return Want(key, f"panel_{key.stage}", prompt, told, read, agent)


PartStatus = Literal["done", "now", "waiting"]
STAGES = ("plan", "contribution", "synthesis", "expert_memory", "conclusion", "repair")


@dataclass(frozen=True)
class StageCost:
    """The steps of one stage taken together."""

    stage: str
    steps: int
    tokens_in: int
    tokens_out: int
    cost: float


def stage_costs(steps: Iterable[Step]) -> list[StageCost]:
    """Return what each stage that had steps cost: tokens as reported, else estimated; dollars if reported.

    What was asked for again is a stage of its own, "repair".
    """
    by_stage: dict[str, list[Step]] = {stage: [] for stage in STAGES}
    for step in steps:
        stage = "repair" if step.key.stage.startswith(UNFIT) else step.key.stage
        by_stage.get(stage, []).append(step)
    return [
        StageCost(
            stage,
            len(stage_steps),
            sum(step.tokens_in for step in stage_steps),
            sum(step.tokens_out for step in stage_steps),
            sum(step.cost for step in stage_steps),
        )
        for stage, stage_steps in by_stage.items()
        if stage_steps
    ]


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

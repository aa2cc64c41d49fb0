"""The steps of a panel: asked for, several at once, each read by its contract and stored once it is done.

A step that is stored already is not asked for again: a panel that was cut off goes on where it was. How far
it is, and what each stage cost, is read from them.
"""

import time
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sqlite_utils import Database

from instrumentgpt.agents.events import Done, Event, Failure, Session, Text, Thinking, Tool
from instrumentgpt.agents.stream_parser import SERVER
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.modes.contracts import Contract, read_reply
from instrumentgpt.modes.panel.contracts import Plan, SubProblem, SubProblemResult, as_json
from instrumentgpt.storage.panels import Key, Panel, Step, latest_panel, list_steps, save_step
from instrumentgpt.turn.ask import ask_all
from instrumentgpt.turn.request import Asking
from instrumentgpt.turn.turn import Turn

UNFIT = "unfit "  # before the stage of a reply that did not fit its contract, and was paid for


class Interrupted(InstrumentGPTError, RuntimeError):
    """The user stopped the panel, or nobody can be asked; what is done stays done."""


@dataclass(frozen=True)
class Want:
    """One thing to be asked: which step it is, the prompt, the facts for our own analyst, the contract."""

    key: Key
    prompt: str
    told: Mapping[str, Any]
    contract: type[Contract]
    agent: str = ""
    check: Callable[[Any], object] = lambda content: None  # raises InstrumentGPTError if it cannot be used


@dataclass(frozen=True)
class Reply:
    """What came of a want: `content` fits the contract, or is None and `problem` says why."""

    content: Any
    tools: tuple[str, ...] = ()
    problem: str = ""


@dataclass
class Journal:
    """The steps of a panel that are done; `panel_id` None: not stored yet."""

    turn: Turn
    panel_id: int | None = None
    steps: dict[Key, Step] = field(default_factory=dict)

    def keep(self, step: Step) -> None:
        """Add a step, in the database too once the panel is there."""
        self.steps[step.key] = step
        if self.panel_id is not None:
            save_step(self.turn.database, self.panel_id, step)


def carry_out(journal: Journal, wants: Sequence[Want]) -> Iterator[Event | tuple[Want, Reply]]:
    """Yield events, and each want with what came of it when it came.

    A reply that does not fit is asked for once more, with what is wrong; then it has no content.
    """
    left = []
    for want in wants:
        if step := journal.steps.get(want.key):
            yield want, _reply(step, want)
        else:
            left.append(want)
    for last_try in (False, True):
        tried = [want for want in left if last_try or _unfit(want.key) not in journal.steps]
        for event in _asked(journal, tried, last_try):
            if isinstance(event, tuple):
                left.remove(event[0])
            yield event


def ask_one(journal: Journal, want: Want) -> Generator[Event, None, Reply]:
    """Yield the events of asking for one thing; return what came of it."""
    for event in carry_out(journal, [want]):
        if isinstance(event, tuple):
            answer = event[1]
        else:
            yield event
    return answer


def _asked(journal: Journal, wants: Sequence[Want], last_try: bool) -> Iterator[Event | tuple[Want, Reply]]:
    """Ask `wants` at once; yield each that fits, and at the last try each that does not, with its answer."""
    turn = journal.turn
    prompts = [_again(journal, want) if last_try else want.prompt for want in wants]
    askings = [
        Asking(f"panel_{want.key.stage}", prompt, want.told, want.agent)
        for want, prompt in zip(wants, prompts, strict=True)
    ]
    tools: list[list[str]] = [[] for _ in wants]
    failures: dict[int, str] = {}
    began = time.monotonic()
    with closing(ask_all(turn, askings, turn.settings.runs_at_once)) as events:
        for place, event in events:
            if isinstance(event, Tool) and event.server == SERVER and event.status == "ok":
                tools[place].append(event.name)
            if isinstance(event, Failure):
                failures[place] = event.text
            elif isinstance(event, Done):
                if turn.stopped():
                    raise Interrupted("Stopped. What the experts have said is kept")
                want = wants[place]
                if event.outcome != "ok":  # nothing was answered: it is not kept, so a later run asks again
                    yield want, Reply(None, problem=failures.get(place) or event.text or event.outcome)
                    continue
                step = _read(want, event, tools[place], prompts[place], time.monotonic() - began)
                if "content" not in step.content and not last_try:
                    journal.keep(replace(step, key=_unfit(want.key)))
                    continue
                journal.keep(step)
                yield want, _reply(step, want)
            elif not isinstance(event, Text | Thinking | Session):
                yield event


def _read(want: Want, done: Done, tools: Sequence[str], prompt: str, seconds: float) -> Step:
    """Return the reply as a step: its content, or what is wrong with it; tokens are reported or estimated."""
    try:
        content = read_reply(done.text, want.contract)
        want.check(content)
        record = {"content": as_json(content), "tools": list(tools)}
    except InstrumentGPTError as problem:
        record = {"reply": done.text, "problem": str(problem)}
    usage = done.usage
    read = sum(usage.get(name, 0) for name in ("inputTokens", "cacheReadTokens", "cacheWriteTokens"))
    written = usage.get("outputTokens", 0)
    if not read and not written:
        read, written = count_tokens(prompt), count_tokens(done.text)
    cost = float(usage.get("costUSD", 0.0))
    return Step(want.key, record, int(read), int(written), cost, done.seconds or seconds)


def _reply(step: Step, want: Want) -> Reply:
    if "content" not in step.content:
        return Reply(None, problem=step.content["problem"])
    content = want.contract.model_validate(step.content["content"])
    return Reply(content, tuple(step.content["tools"]))


def _again(journal: Journal, want: Want) -> str:
    """Return the prompt with the reply that did not fit, and why."""
    before = journal.steps[_unfit(want.key)].content
    return f"{want.prompt}\n\nYour reply was:\n{before['reply'][:4000]}\n\n{before['problem']}"


def _unfit(key: Key) -> Key:
    return replace(key, stage=UNFIT + key.stage)


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

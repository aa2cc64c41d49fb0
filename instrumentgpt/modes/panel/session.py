"""Carrying out an approved panel, from wherever it had got to; what it found is recorded."""

import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlite_utils import Database

from instrumentgpt.agents.events import Done, Event, Events, Text, Tool
from instrumentgpt.agents.stream_parser import SERVER
from instrumentgpt.instruments.faults import cause_title
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.memory.reading.statements import STATEMENT_CHARS
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.modes.asking import Interrupted, Journal, Reply, Want, ask_for, ask_for_all
from instrumentgpt.modes.panel import display, say
from instrumentgpt.modes.panel.contracts import (
    Plan,
    Rejected,
    SubProblem,
    SubProblemResult,
    Synthesis,
    as_json,
)
from instrumentgpt.modes.panel.deliberation import SURE, built_on, deliberate, spoken
from instrumentgpt.modes.panel.experts import Expert, in_order
from instrumentgpt.modes.panel.prompts import CONVERSATION_SHARE, Context, results_section, stage_prompt
from instrumentgpt.storage.answers import Offer
from instrumentgpt.storage.panels import WHOLE, Key, Panel, Step, latest_panel, list_steps, set_panel_status
from instrumentgpt.turn.turn import Turn

LAST = 90  # segment of the conclusion: after those of all sub-problems
TASKS = "panel_"  # what the names of its tasks begin with
CONCLUSION = Key(WHOLE, "conclusion")


PartStatus = Literal["done", "now", "waiting"]


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
    """A panel, its decomposition, and how far it is, as its steps tell."""

    panel: Panel
    plan: Plan
    steps: Sequence[Step]

    @property
    def language(self) -> Language:
        """The language of its question."""
        return language_of(self.panel.question)

    @property
    def results(self) -> dict[int, SubProblemResult]:
        """Sub-problem → its result, for those that have one, in the order in which they came."""
        done = (step for step in self.steps if step.key.stage == "result")
        return {step.key.sub_problem: SubProblemResult.model_validate(step.content) for step in done}

    @property
    def reached(self) -> int:
        """The first sub-problem without a result; the last one if all have theirs."""
        ids, results = [part.id for part in self.plan.sub_problems], self.results
        return next((number for number in ids if number not in results), ids[-1])

    @property
    def spoken(self) -> int:
        """How many contributions and syntheses there are."""
        return sum(step.key.stage in ("contribution", "synthesis") for step in self.steps)

    @property
    def parts(self) -> list[PartProgress]:
        """How far each sub-problem is, in order."""
        return [self._part(part, self.results) for part in self.plan.sub_problems]

    def _part(self, part: SubProblem, results: Mapping[int, SubProblemResult]) -> PartProgress:
        is_now = self.panel.status == "running" and part.id == self.reached
        steps = [step for step in self.steps if step.key.sub_problem == part.id]
        spoken = {
            step.key.expert: step.key.round  # steps come in the order in which they were done
            for step in steps
            if step.key.stage == "contribution" and "content" in step.content
        }
        result, tokens = results.get(part.id), sum(step.tokens_in + step.tokens_out for step in steps)
        return PartProgress(
            part, "done" if result else "now" if is_now else "waiting", spoken, result, tokens
        )


def read_progress(database: Database, conversation_id: str) -> Progress | None:
    """Return the conversation's newest panel; None if it has none."""
    panel = latest_panel(database, conversation_id)
    if panel is None:
        return None
    return Progress(panel, Plan.model_validate(panel.plan), list_steps(database, panel.id))


def context_of(
    turn: Turn,
    experts: Mapping[str, Expert],
    question: str,
    brief: Mapping[str, Any],
    plan: Plan | None = None,
) -> Context:
    """Return what is the same for all of a panel, with what the conversation has on record."""
    budget = turn.settings.prompt_tokens
    record = turn.record(question, int(CONVERSATION_SHARE * budget))
    codes = dict.fromkeys(code for part in plan.sub_problems for code in part.experts) if plan else ()
    by_model = turn.run.agent != "offline"
    return Context(question, language_of(question), brief, experts, budget, record, tuple(codes), by_model)


def carried_on(turn: Turn, progress: Progress, context: Context) -> Events:
    """Yield the panel from where it is; what is done already is neither asked nor paid for again."""
    panel, plan, language, results = progress.panel, progress.plan, progress.language, progress.results
    journal = Journal(turn, TASKS, panel.id, {step.key: step for step in progress.steps})
    set_panel_status(turn.database, panel.id, "running")
    if progress.spoken:
        resumed = say("resumed", language, number=progress.reached, done=progress.spoken)
        yield Text(resumed + "\n", segment=0, whole=True)
    try:
        for part in in_order(plan.sub_problems):
            yield Text(display.heading(part, len(plan.sub_problems), language), part.id)
            if part.id not in results:
                results[part.id] = yield from _worked_on(journal, context, part, [*results.values()])
            yield Text(display.outcome(results[part.id], context), part.id)
        all_results = [results[part.id] for part in plan.sub_problems]
        yield from _concluded(journal, context, plan, all_results)
    except Interrupted:
        stopped = replace(progress, steps=list(journal.steps.values()))
        turn.offers.append(going_on(stopped))
        note = say("stopped", language, done=stopped.spoken, number=stopped.reached)
        yield Text(f"\n\n{note}\n", LAST, whole=True)
        yield Done("cancelled" if turn.stopped() else "error", "")
        return
    yield from recorded(all_results, context, panel.id)
    set_panel_status(turn.database, panel.id, "done")
    turn.offers += after_the_end(progress)


def _worked_on(
    journal: Journal, context: Context, part: SubProblem, before: Sequence[SubProblemResult]
) -> Generator[Event, None, SubProblemResult]:
    """Yield the events of a sub-problem, each contribution as it is made, and return its result."""
    shown: set[str] = set()

    def ask(wants: Sequence[Want]) -> Generator[Event, None, list[Reply]]:
        replies: dict[Key, Reply] = {}
        for event in ask_for_all(journal, wants):
            if not isinstance(event, tuple):
                yield event
                continue
            key, reply = event[0].key, event[1]
            replies[key] = reply
            if key.stage == "contribution" and reply.content is None:
                yield Text(display.silence(key.expert, reply.problem, context), part.id)
            elif key.stage == "contribution":
                view = spoken(part, context, key.expert, reply, key.round)
                yield Text(display.contribution(view, built_on(view, before), context, shown), part.id)
        return [replies[want.key] for want in wants]

    result = yield from deliberate(part, context, before, ask)
    return _stored(journal, result)


def _stored(journal: Journal, result: SubProblemResult) -> SubProblemResult:
    """Store the result; summaries that were made by rule count as the tokens that they have."""
    if Key(result.sub_problem_id, "expert_memory") not in journal.steps:
        for code, summary in result.expert_summaries.items():
            key = Key(result.sub_problem_id, "expert_memory", 0, code)
            journal.keep(Step(key, {"summary": summary}, tokens_out=count_tokens(summary)))
    journal.keep(Step(Key(result.sub_problem_id, "result"), as_json(result)))
    return result


def _concluded(
    journal: Journal, context: Context, plan: Plan, results: Sequence[SubProblemResult]
) -> Generator[Event, None, None]:
    """Yield the overall synthesis and what the stages cost."""
    language = context.language
    facts = {
        "brief": dict(context.brief),
        "results": [
            {
                "sub_problem": result.sub_problem_id,
                "kind": part.kind,
                "cause": result.cause,
                "runner_up": result.runner_up,
                "measurement": result.measurement,
                "dissent": list(result.dissent),
                "told": [line.removeprefix("- ") for line in result.synthesis.splitlines()[1:]],
                "position": result.synthesis.splitlines()[0].removeprefix("- "),
            }
            for part, result in zip(plan.sub_problems, results, strict=True)
        ],
        "language": language,
    }
    prompt = stage_prompt("conclusion", context, elastic=results_section(results))
    reply = yield from ask_for(journal, Want(CONCLUSION, prompt, facts, Synthesis.read))
    text = reply.content.text if reply.content else say("warning", language, text=reply.problem)
    costs = display.costs(journal.steps.values(), journal.turn.run.agent == "offline", language)
    yield Text(f"\n\n{say('conclusion', language)}\n\n{text}\n\n{costs}", LAST, whole=True)


MOST_RULED_OUT = 4  # put on record


def recorded(results: Sequence[SubProblemResult], context: Context, panel_id: int) -> Iterator[Tool]:
    """Yield the panel's causes and what it ruled out as tool results, each a start and an end.

    A cause that everybody agrees on, firmly, is a root cause; one with dissent is a hypothesis beside its
    rival; what is ruled out by a number is no hypothesis any more.
    """
    # log and device are told: by then the conversation may be about another one
    whose = {"log": context.brief["log"], "device": context.brief.get("device", "")}
    for number, (name, values) in enumerate(_statements(results, context), start=1):
        call_id, arguments = f"panel-{panel_id}-{number}", {"text": values["summary"]}
        text = json.dumps({"summary": values.pop("summary"), **whose, **values}, ensure_ascii=False)
        yield Tool(call_id, name, "started", arguments, server=SERVER)
        yield Tool(call_id, name, "ok", arguments, text, SERVER)


def _statements(
    results: Sequence[SubProblemResult], context: Context
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the tools to be called, each with what it returns: of each cause the first result that has it."""
    causes = {result.cause: result for result in reversed(results) if result.cause}
    for cause, result in reversed(causes.items()):
        firm = any(view.cause == cause and view.confidence >= SURE for view in result.said)
        if firm and not result.dissent:
            yield "confirm_root_cause", _cause(result, cause, "root_causes", context)
            continue
        rivals = {view.cause for view in result.said} - {"", cause}
        for held in (cause, *sorted(rivals)):
            yield "record_hypothesis", _cause(result, held, "hypotheses", context)
    ruled_out: dict[str, Rejected] = {}
    for row in (row for result in results for view in result.said for row in view.rejects):
        if row.line and row.cause not in causes:
            ruled_out.setdefault(row.cause, row)
    for row in list(ruled_out.values())[:MOST_RULED_OUT]:
        title = cause_title(row.cause, context.language)
        because = f"{row.because.rstrip('.。')}, L {row.line:,}"
        text = f"{title}（{because}）" if context.language == "zh" else f"{title} ({because})"
        yield "rule_out", {"summary": shorten(text, STATEMENT_CHARS), "ruled_out": [title]}


def _cause(result: SubProblemResult, cause: str, field: str, context: Context) -> dict[str, Any]:
    """Return `cause` as data: in the words of who holds it most firmly, with the lines that it gave."""
    holding = [view for view in result.said if view.cause == cause]
    first = max(holding, key=lambda view: view.confidence)
    items = (item for claim in first.claims for item in claim.evidence if item.line)
    evidence = [{"line": item.line, "text": item.text} for item in items]
    title = cause_title(cause, context.language)
    position = first.position.removeprefix(title).lstrip(".。 ")
    colon = "：" if context.language == "zh" else ": "
    text = shorten(title + colon + position, STATEMENT_CHARS)
    return {"summary": text, field: [{"text": text, "evidence": evidence[:6]}]}


def after_the_end(progress: Progress) -> list[Offer]:
    """Return what is of use after the conclusion: the next action, a report, another panel."""
    panel, language = progress.panel, progress.language
    label = str(panel.brief.get("device") or panel.brief["log"])
    return [
        Offer(say("offer_next", language), say("ask_next", language), "chat"),
        Offer(say("offer_report", language), say("ask_report", language, label=label), "investigate"),
        Offer(say("offer_again", language), panel.question, "panel"),
    ]


def going_on(progress: Progress) -> Offer:
    """Return the offer to go on at the sub-problem that was reached."""
    label = say("go_on", progress.language, number=progress.reached)
    return Offer(label, "繼續" if progress.language == "zh" else "continue", "panel")

"""Carrying out an approved panel: batch by batch, from wherever an earlier run had got to."""

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from instrumentgpt.agents.events import Done, Event, Events, Text
from instrumentgpt.instruments.language import language_of
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.modes.panel import display
from instrumentgpt.modes.panel.asked import Heard, Interrupted, Journal, Want, carry_out
from instrumentgpt.modes.panel.contracts import Plan, SubProblem, Synthesis
from instrumentgpt.modes.panel.costs import stage_costs
from instrumentgpt.modes.panel.decomposition import batches
from instrumentgpt.modes.panel.deliberation import built_on, deliberate, spoken
from instrumentgpt.modes.panel.expert_memory import SubProblemResult, result_as_json, result_from_json
from instrumentgpt.modes.panel.experts import Expert
from instrumentgpt.modes.panel.next_steps import after_the_end, going_on
from instrumentgpt.modes.panel.prompts import CONVERSATION_SHARE, Context, conclusion_prompt
from instrumentgpt.modes.panel.recording import recorded
from instrumentgpt.modes.panel.wording import say
from instrumentgpt.storage.panels import WHOLE, Key, Panel, Step, list_steps, set_panel_status
from instrumentgpt.turn.turn import Turn

LAST = 90  # segment of the conclusion: after those of all sub-problems
CONCLUSION = Key(WHOLE, "conclusion")
Deliberation = Generator[list[Want], list[Heard], SubProblemResult]


def context_of(
    turn: Turn,
    experts: Mapping[str, Expert],
    question: str,
    brief: Mapping[str, Any],
    plan: Plan | None = None,
) -> Context:
    """Return what is the same for all of a panel, with what the conversation has on record."""
    budget = turn.settings.prompt_tokens
    asked = [code for part in plan.sub_problems for code in part.experts] if plan else []
    return Context(
        question,
        language_of(question),
        brief,
        experts,
        budget,
        turn.record(question, int(CONVERSATION_SHARE * budget)),
        tuple(dict.fromkeys(asked)),
        turn.run.agent != "offline",
    )


def carried_on(turn: Turn, known: Panel, experts: Mapping[str, Expert]) -> Events:
    """Yield the panel from where it is; what is done already is neither asked nor paid for again."""
    plan = Plan.model_validate(known.plan)
    journal = Journal(turn, known.id, {step.key: step for step in list_steps(turn.database, known.id)})
    context = context_of(turn, experts, known.question, known.brief, plan)
    language = context.language
    set_panel_status(turn.database, known.id, "running")
    yield Text(_resumed(journal, plan, context), segment=0, whole=True)
    try:
        results: dict[int, SubProblemResult] = {}
        for batch in batches(plan.sub_problems):
            for part in batch:  # each has its place, whoever ends first
                yield Text(display.heading(part, len(plan.sub_problems), language), part.id)
            results |= yield from _batch(journal, context, batch, _in_order(plan, results))
        yield from _concluded(journal, context, plan, _in_order(plan, results))
    except Interrupted as problem:
        yield from _interrupted(journal, context, plan, problem)
        return
    yield from recorded(_in_order(plan, results), context, known.id)
    set_panel_status(turn.database, known.id, "done")
    turn.offers += after_the_end(known)
    yield Done("ok", turn.answer.text)


def _batch(
    journal: Journal, context: Context, batch: Sequence[SubProblem], before: Sequence[SubProblemResult]
) -> Generator[Event, None, dict[int, SubProblemResult]]:
    """Yield the events of sub-problems that do not need one another, worked on together; return results."""
    done = {part.id: _stored(journal, part) for part in batch}
    results = {number: result for number, result in done.items() if result is not None}
    for part in batch:
        if part.id in results:
            yield Text(display.outcome(results[part.id], context), part.id)
    active: dict[int, Deliberation] = {
        part.id: deliberate(part, context, before) for part in batch if part.id not in results
    }
    parts = {part.id: part for part in batch}
    shown: dict[int, set[str]] = {part.id: set() for part in batch}
    wanted = {number: next(one) for number, one in active.items()}
    while wanted:
        heard = yield from _wave(journal, context, parts, before, wanted, shown)
        waiting: dict[int, list[Want]] = {}
        for number, wants in wanted.items():
            try:
                waiting[number] = active[number].send([heard[want.key] for want in wants])
            except StopIteration as end:
                results[number] = _kept(journal, end.value)
                yield Text(display.outcome(results[number], context), number)
        wanted = waiting
    return results


def _wave(
    journal: Journal,
    context: Context,
    parts: Mapping[int, SubProblem],
    before: Sequence[SubProblemResult],
    wanted: Mapping[int, Sequence[Want]],
    shown: Mapping[int, set[str]],
) -> Generator[Event, None, dict[Key, Heard]]:
    """Ask for all that is `wanted` at once, and show what each expert says as it comes."""
    found: dict[Key, Heard] = {}
    for event in carry_out(journal, [want for wants in wanted.values() for want in wants]):
        if not isinstance(event, tuple):
            yield event
            continue
        want, heard = event
        found[want.key] = heard
        key = want.key
        if key.stage == "contribution" and heard.content is None:
            yield Text(display.silence(key.expert, heard.problem, context), key.sub_problem)
        elif key.stage == "contribution":
            said = spoken(parts[key.sub_problem], context, key.expert, heard, key.round)
            builds = built_on(said, before)
            yield Text(display.contribution(said, builds, context, shown[key.sub_problem]), key.sub_problem)
    return found


def _kept(journal: Journal, result: SubProblemResult) -> SubProblemResult:
    """Store the result; summaries that were made by rule count as the tokens that they have."""
    if Key(result.sub_problem_id, "expert_memory") not in journal.steps:
        for code, summary in result.expert_summaries.items():
            key = Key(result.sub_problem_id, "expert_memory", 0, code)
            journal.keep(Step(key, {"summary": summary}, tokens_out=count_tokens(summary)))
    journal.keep(Step(Key(result.sub_problem_id, "result"), result_as_json(result)))
    return result


def _stored(journal: Journal, part: SubProblem) -> SubProblemResult | None:
    step = journal.steps.get(Key(part.id, "result"))
    return result_from_json(step.content) if step else None


def _concluded(
    journal: Journal, context: Context, plan: Plan, results: Sequence[SubProblemResult]
) -> Generator[Event, None, None]:
    """Yield the overall synthesis and what the stages cost."""
    language = context.language
    kinds = {part.id: part.kind for part in plan.sub_problems}
    facts = {
        "brief": dict(context.brief),
        "results": [
            {
                "sub_problem": one.sub_problem_id,
                "kind": kinds[one.sub_problem_id],
                "cause": one.cause,
                "runner_up": one.runner_up,
                "measurement": one.measurement,
                "dissent": list(one.dissent),
                "told": [line.removeprefix("- ") for line in one.synthesis.splitlines()[1:]],
                "position": one.synthesis.splitlines()[0].removeprefix("- "),
            }
            for one in results
        ],
        "language": language,
    }
    prompt = conclusion_prompt(context, results)
    found: dict[Key, Heard] = {}
    for event in carry_out(journal, [Want(CONCLUSION, prompt, facts, Synthesis)]):
        if isinstance(event, tuple):
            found[event[0].key] = event[1]
        else:
            yield event
    heard = found[CONCLUSION]
    text = heard.content.text if heard.content else say("warning", language, text=heard.problem)
    stages = stage_costs(journal.steps.values())
    told = display.costs(stages, journal.turn.run.agent == "offline", language)
    yield Text(f"\n\n{say('conclusion', language)}\n\n{text}\n\n{told}", LAST, whole=True)


def _resumed(journal: Journal, plan: Plan, context: Context) -> str:
    done = sum(key.stage in ("contribution", "synthesis") for key in journal.steps)
    if not done:
        return ""
    return say("resumed", context.language, number=_reached(journal, plan), done=done) + "\n"


def _reached(journal: Journal, plan: Plan) -> int:
    """Return the first sub-problem that has no result yet; the last one if all have."""
    left = [part.id for part in plan.sub_problems if Key(part.id, "result") not in journal.steps]
    return left[0] if left else plan.sub_problems[-1].id


def _interrupted(journal: Journal, context: Context, plan: Plan, problem: Interrupted) -> Events:
    language, turn = context.language, journal.turn
    done = sum(key.stage in ("contribution", "synthesis") for key in journal.steps)
    reached = _reached(journal, plan)
    turn.offers.append(going_on(reached, language))
    note = say("stopped", language, done=done, number=reached)
    yield Text(f"\n\n{note}\n", LAST, whole=True)
    yield Done("cancelled" if turn.stopped() else "error", turn.answer.text)


def _in_order(plan: Plan, results: Mapping[int, SubProblemResult]) -> list[SubProblemResult]:
    return [results[part.id] for part in plan.sub_problems if part.id in results]

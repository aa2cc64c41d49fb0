"""One sub-problem: rounds of contributions, the vote, the synthesis, and a summary for each expert."""

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.modes.panel import facilitator
from instrumentgpt.modes.panel.asking import Interrupted, Reply, Want
from instrumentgpt.modes.panel.contracts import (
    Contribution,
    SubProblem,
    SubProblemResult,
    Summaries,
    Synthesis,
    View,
    as_json,
)
from instrumentgpt.modes.panel.expert_memory import is_usable, summarized
from instrumentgpt.modes.panel.prompts import (
    Context,
    contribution_prompt,
    memory_of,
    summaries_prompt,
    synthesis_prompt,
)
from instrumentgpt.modes.panel.wording import say
from instrumentgpt.storage.panels import Key


def deliberate(
    part: SubProblem, context: Context, results: Sequence[SubProblemResult]
) -> Generator[list[Want], list[Reply], SubProblemResult]:
    """Yield what is to be asked next, be sent what came of it, and return the result.

    results  of the sub-problems before, oldest first: what experts remember

    Everything else begins anew with each sub-problem. Raises Interrupted if no expert answers at all.
    """
    began = time.monotonic()
    views: list[View] = []
    panel, problems = list(part.experts), list[str]()
    most = 1 if part.kind == "decide" else facilitator.MOST_ROUNDS  # what to do is no matter of new evidence
    while (decision := facilitator.next_round(panel, views, part.candidates, most)).speakers:
        replies = yield [contribution_want(part, context, results, views, code) for code in decision.speakers]
        for code, answer in zip(decision.speakers, replies, strict=True):
            if answer.content is None:
                panel.remove(code)
                problems.append(answer.problem)
            else:
                views.append(spoken(part, context, code, answer, _next_number(views, code)))
        if not views:
            raise Interrupted(problems[0])
        if all(answer.content is None for answer in replies):
            break
    counts = facilitator.counted(views, part.candidates)
    lead = facilitator.leading(counts)
    wants = [_synthesis_want(part, context, views)]
    if context.by_model:
        key, prompt = Key(part.id, "expert_memory"), summaries_prompt(context, part.goal, views)
        wants.append(Want(key, prompt, {}, Summaries))
    answer, *written = yield wants
    synthesis = answer.content or Synthesis(text=_positions(context, views))
    by_model: dict[str, str] = next((reply.content.summaries for reply in written if reply.content), {})
    summaries, forgotten = _summaries(part, context, views, lead, by_model)
    return SubProblemResult(
        sub_problem_id=part.id,
        sub_problem_goal=part.goal,
        synthesis=synthesis.text,
        votes=tuple(facilitator.votes_of(views)),
        contribution_count=len(views),
        duration_seconds=time.monotonic() - began,
        expert_panel=tuple(facilitator.latest(views)),
        expert_summaries=summaries,
        said=tuple(facilitator.latest(views).values()),
        cause=lead,
        runner_up=facilitator.runner_up(counts),
        dissent=tuple(row.expert for row in facilitator.dissenters(views, lead)),
        measurement=synthesis.measurement,
        stopped=decision.reason,
        warnings=(*forgotten, *([answer.problem] if answer.content is None else ())),
    )


def contribution_want(
    part: SubProblem, context: Context, results: Sequence[SubProblemResult], views: Sequence[View], code: str
) -> Want:
    """Return what expert `code` is asked: with its memory if it spoke in one of `results`, else without."""
    expert, number = context.experts[code], _next_number(views, code)
    identity = {"code": code, "name": expert.name(context.language), "speaks_on": list(expert.speaks_on)}
    facts = {
        **_facts(part, context, views),
        "expert": {**identity, "tools": list(expert.tools)},
        "remembered": [
            _expert_history(row, code) for row in reversed(results) if code in row.expert_summaries
        ],
        "round": number,
    }
    prompt = contribution_prompt(context, expert, part, views, memory_of(results, code))
    return Want(Key(part.id, "contribution", number, code), prompt, facts, Contribution)


def spoken(part: SubProblem, context: Context, code: str, answer: Reply, number: int) -> View:
    """Return what expert `code` said in round `number`, without what cannot count, with a note for each such.

    A vote for, or a ruling out of, what is outside the expert's field does not count, nor does a line that
    the log does not have.
    """
    reply: Contribution = answer.content
    expert, language, lines = context.experts[code], context.language, int(context.brief.get("lines") or 0)
    named = [reply.cause, *(row.cause for row in reply.rejects if row.cause in part.candidates)]
    may = {cause for cause in part.candidates if cause in expert.speaks_on}
    outside = list(dict.fromkeys(cause for cause in named if cause and cause not in may))
    fields = {"name": expert.name(language), "field": expert.words(language).field}
    notes = [say("struck_field", language, cause=cause, **fields) for cause in outside]
    quoted = [item.line for claim in reply.claims for item in claim.evidence]
    beyond = [line for line in [*quoted, *(row.line for row in reply.rejects)] if line and line > lines]
    if beyond:
        listed = ", ".join(f"{line:,}" for line in beyond)
        notes.append(say("struck_line", language, listed=listed, lines=lines))
    contribution = as_json(reply)
    for claim in contribution["claims"]:
        claim["evidence"] = [item for item in claim["evidence"] if item["line"] not in beyond]
    contribution["rejects"] = [
        {**row, "line": None if row["line"] in beyond else row["line"]}
        for row in contribution["rejects"]
        if row["cause"] not in outside
    ]
    if reply.cause in outside:
        contribution["cause"] = ""
    return View(**contribution, expert=code, round=number, tools=answer.tools, struck=tuple(notes))


def built_on(view: View, results: Sequence[SubProblemResult]) -> list[int]:
    """Return the earlier sub-problems that the expert names, of those that it remembers."""
    remembered = [result.sub_problem_id for result in results if view.expert in result.expert_summaries]
    return [number for number in view.builds_on if number in remembered]


def _next_number(views: Sequence[View], code: str) -> int:
    """Return the round in which `code` speaks next: those of a round have not heard one another."""
    own_rounds = [row.round for row in views if row.expert == code]
    rounds = max((row.round for row in views), default=0)
    return rounds + 1 if own_rounds and max(own_rounds) == rounds else max(rounds, 1)


def _facts(part: SubProblem, context: Context, views: Sequence[View]) -> dict[str, Any]:
    """Return what our own analyst is told beside any prompt."""
    return {
        "sub_problem": as_json(part),
        "brief": dict(context.brief),
        "said": [as_json(row) for row in views],
        "names": {code: expert.name(context.language) for code, expert in context.experts.items()},
        "language": context.language,
    }


def _expert_history(result: SubProblemResult, code: str) -> dict[str, Any]:
    """Return what our own analyst is told of an expert's earlier words."""
    last = next(row for row in result.said if row.expert == code)
    held = {"position": last.position, "confidence": last.confidence, "cause": last.cause}
    return {"sub_problem": result.sub_problem_id, "summary": result.expert_summaries[code], **held}


def _synthesis_want(part: SubProblem, context: Context, views: Sequence[View]) -> Want:
    votes = "; ".join(
        f"{vote['expert']}: {vote['cause'] or '-'} ({vote['confidence']:.2f})"
        for vote in facilitator.votes_of(views)
    )
    facts = {
        **_facts(part, context, views),
        "counts": [asdict(count) for count in facilitator.counted(views, part.candidates)],
    }
    prompt = synthesis_prompt(context, part.goal, views, votes)
    return Want(Key(part.id, "synthesis"), prompt, facts, Synthesis)


def _summaries(
    part: SubProblem, context: Context, views: Sequence[View], lead: str, by_model: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Return the summary of each contributor, and a warning for each that could not be made.

    A model's that may not be used is made by rule. Without one an expert does not remember this
    sub-problem; the panel goes on.
    """
    summaries: dict[str, str] = {}
    warnings: list[str] = []
    for code in facilitator.latest(views):
        own_views = [row for row in views if row.expert == code]
        if is_usable(by_model.get(code, ""), own_views):
            summaries[code] = by_model[code]
            continue
        try:
            name = context.experts[code].name(context.language)
            summaries[code] = summarized(name, part.goal, own_views, lead, context.language)
        except InstrumentGPTError as problem:
            warnings.append(str(problem))
    return summaries, warnings


def _positions(context: Context, views: Sequence[View]) -> str:
    """Return the last positions as they are, where nobody summed them up."""
    return "\n".join(
        f"- {context.experts[code].name(context.language)}: {row.position}"
        for code, row in facilitator.latest(views).items()
    )

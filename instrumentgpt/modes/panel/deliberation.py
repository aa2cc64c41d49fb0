"""One sub-problem: rounds of contributions, the vote, the synthesis, and a summary for each expert.

The vote is what each expert holds last, weighed by its confidence: nobody is asked for what it has said.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from instrumentgpt.agents.events import Event
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.modes.asking import Interrupted, Reply, Want
from instrumentgpt.modes.panel import say
from instrumentgpt.modes.panel.contracts import (
    Contribution,
    SubProblem,
    SubProblemResult,
    Summaries,
    Synthesis,
    View,
    as_json,
    latest,
)
from instrumentgpt.modes.panel.prompts import (
    Context,
    contribution_prompt,
    is_usable,
    memory_of,
    said_section,
    section,
    stage_prompt,
    summaries_prompt,
    summarized,
)
from instrumentgpt.storage.panels import Key

MOST_ROUNDS = 3  # of one sub-problem
SURE = 0.6  # confidence from which a position is taken as firm
Ask = Callable[[Sequence[Want]], Generator[Event, None, list[Reply]]]
Reason = Literal["opening", "dissent", "unsure", "agreement", "no new evidence", "limit", "nobody"]


@dataclass(frozen=True)
class Count:
    """A candidate with those who vote for it, those who rule it out, and the sum of its votes' confidence."""

    cause: str
    weight: float
    votes: tuple[str, ...]
    against: tuple[str, ...]


@dataclass(frozen=True)
class Decision:
    """Who speaks in the next round, and why; nobody: the discussion is over."""

    speakers: tuple[str, ...]
    reason: Reason


def counted(views: Sequence[View], candidates: Iterable[str]) -> list[Count]:
    """Return the candidates, the one with the most confidence behind it first.

    Those without a vote follow, as they come among the candidates: first what nobody rules out.
    """
    last = latest(views).values()
    counts = []
    for cause in dict.fromkeys(candidates):
        voters = [row for row in last if row.cause == cause]
        against = [row.expert for row in last if any(out.cause == cause for out in row.rejects)]
        weight = sum(row.confidence for row in voters)
        counts.append(Count(cause, weight, tuple(row.expert for row in voters), tuple(against)))
    return sorted(counts, key=lambda count: (-count.weight, bool(count.against)))


def leading(counts: Sequence[Count]) -> str:
    """Return the candidate that leads; "" if nobody votes for any."""
    return counts[0].cause if counts and counts[0].votes else ""


def runner_up(counts: Sequence[Count]) -> str:
    """Return the candidate that comes next; "" without a leader."""
    return counts[1].cause if leading(counts) and len(counts) > 1 else ""


def dissenters(views: Sequence[View], lead: str) -> list[View]:
    """Return the last words of those who vote for another candidate than `lead`."""
    return [row for row in latest(views).values() if row.cause not in ("", lead)]


def rounds(views: Sequence[View]) -> int:
    """Return how many rounds there were."""
    return max((row.round for row in views), default=0)


def next_round(
    panel: Sequence[str], views: Sequence[View], candidates: Sequence[str], most: int = MOST_ROUNDS
) -> Decision:
    """Return who of `panel` speaks after the `views` on `candidates`.

    First everybody; then those who differ with the leading view, and who holds that most firmly; if all
    agree but nobody is sure, those least sure. It ends at agreement, when a round after the first brought no
    evidence that had not been told, or after `most` rounds.
    """
    if not views:
        return Decision(tuple(panel), "opening")
    number = rounds(views)
    last = latest(views).values()
    lead = leading(counted(views, candidates))
    holding = [row for row in last if row.cause == lead]
    sure = [row.confidence >= SURE for row in holding]
    differing = dissenters(views, lead)
    # one who is sure of the lead is enough; that there is none, everybody must be sure of
    if not differing and (any(sure) if lead else all(sure)):
        return Decision((), "agreement")
    if number > 1 and not _new_evidence(views, number):
        return Decision((), "no new evidence")
    if number >= most:
        return Decision((), "limit")
    if not differing:
        return Decision(tuple(row.expert for row in last if row.confidence < SURE), "unsure")
    advocate = max(holding, key=lambda row: row.confidence)
    return Decision((*(row.expert for row in differing), advocate.expert), "dissent")


def _new_evidence(views: Sequence[View], number: int) -> bool:
    """Return whether round `number` rests on anything that the rounds before do not."""
    before, now = set[str](), set[str]()
    for row in views:
        found = now if row.round == number else before
        found.update(f"{item.log}:{item.line}" for claim in row.claims for item in claim.evidence)
        found.update(out.because for out in row.rejects)
        found.update(claim.text for claim in row.claims)
    return bool(now - before)


def deliberate(
    part: SubProblem, context: Context, results: Sequence[SubProblemResult], ask: Ask
) -> Generator[Event, None, SubProblemResult]:
    """Yield the events of discussing a sub-problem and return its result.

    results  of the sub-problems before, oldest first: what experts remember
    ask      asks for several things at once, and returns what came of each

    Everything else begins anew with each sub-problem. Raises Interrupted if no expert answers at all.
    """
    views: list[View] = []
    panel, problems = list(part.experts), list[str]()
    most = 1 if part.kind == "decide" else MOST_ROUNDS  # what to do is no matter of new evidence
    while (decision := next_round(panel, views, part.candidates, most)).speakers:
        number = rounds(views) + 1
        wants = [contribution_want(part, context, results, views, code) for code in decision.speakers]
        replies = yield from ask(wants)
        for code, answer in zip(decision.speakers, replies, strict=True):
            if answer.content is None:
                panel.remove(code)
                problems.append(answer.problem)
            else:
                views.append(spoken(part, context, code, answer, number))
        if not views:
            raise Interrupted(problems[0])
        if all(answer.content is None for answer in replies):
            decision = Decision((), "nobody")
            break
    counts = counted(views, part.candidates)
    lead = leading(counts)
    last = latest(views).values()
    wants = [_synthesis_want(part, context, views)]
    if context.by_model:
        key, prompt = Key(part.id, "expert_memory"), summaries_prompt(context, part.goal, views)
        wants.append(Want(key, prompt, {}, Summaries.read))
    answer, *written = yield from ask(wants)
    positions = (f"- {context.experts[row.expert].name(context.language)}: {row.position}" for row in last)
    synthesis = answer.content or Synthesis(text="\n".join(positions))
    by_model: dict[str, str] = next((reply.content.summaries for reply in written if reply.content), {})
    summaries, forgotten = _summaries(part, context, views, lead, by_model)
    return SubProblemResult(
        sub_problem_id=part.id,
        sub_problem_goal=part.goal,
        synthesis=synthesis.text,
        expert_summaries=summaries,
        said=tuple(last),
        cause=lead,
        runner_up=runner_up(counts),
        dissent=tuple(row.expert for row in dissenters(views, lead)),
        measurement=synthesis.measurement,
        stopped=decision.reason,
        warnings=(*forgotten, *([answer.problem] if answer.content is None else ())),
    )


def contribution_want(
    part: SubProblem, context: Context, results: Sequence[SubProblemResult], views: Sequence[View], code: str
) -> Want:
    """Return what expert `code` is asked: with its memory if it spoke in one of `results`, else without."""
    expert, number = context.experts[code], rounds(views) + 1
    remembered = [
        {"sub_problem": row.sub_problem_id, **as_json(view)}
        for row in reversed(results)
        for view in row.said
        if view.expert == code and code in row.expert_summaries
    ]
    identity = {"code": code, "name": expert.name(context.language), "speaks_on": list(expert.speaks_on)}
    facts = {
        **_facts(part, context, views),
        "expert": {**identity, "tools": list(expert.tools)},
        "remembered": remembered,
        "round": number,
    }
    prompt = contribution_prompt(context, expert, part, views, memory_of(results, code))
    return Want(Key(part.id, "contribution", number, code), prompt, facts, Contribution.read)


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
    return View(**contribution, expert=code, round=number, tools=tuple(answer.tools), struck=tuple(notes))


def built_on(view: View, results: Sequence[SubProblemResult]) -> list[int]:
    """Return the earlier sub-problems that the expert names, of those that it remembers."""
    remembered = [result.sub_problem_id for result in results if view.expert in result.expert_summaries]
    return [number for number in view.builds_on if number in remembered]


def _facts(part: SubProblem, context: Context, views: Sequence[View]) -> dict[str, Any]:
    """Return what our own analyst is told beside any prompt."""
    return {
        "sub_problem": as_json(part),
        "brief": dict(context.brief),
        "said": [as_json(row) for row in views],
        "names": {code: expert.name(context.language) for code, expert in context.experts.items()},
        "language": context.language,
    }


def _synthesis_want(part: SubProblem, context: Context, views: Sequence[View]) -> Want:
    held = latest(views).values()
    votes = "; ".join(f"{row.expert}: {row.cause or '-'} ({row.confidence:.2f})" for row in held)
    facts = {
        **_facts(part, context, views),
        "counts": [asdict(count) for count in counted(views, part.candidates)],
    }
    goal = section("sub_problem", f"{part.goal}\nVotes: {votes}")
    prompt = stage_prompt("synthesis", context, goal, elastic=said_section(views))
    return Want(Key(part.id, "synthesis"), prompt, facts, Synthesis.read)


def _summaries(
    part: SubProblem, context: Context, views: Sequence[View], lead: str, by_model: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Return the summary of each contributor, and a warning for each that could not be made.

    A model's that may not be used is made by rule. Without one an expert does not remember this
    sub-problem; the panel goes on.
    """
    summaries: dict[str, str] = {}
    warnings: list[str] = []
    for code in latest(views):
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

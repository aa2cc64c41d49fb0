"""One sub-problem: rounds of contributions, the vote, the synthesis, and a summary for each expert."""

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.language import Language
from instrumentgpt.modes.panel.asked import Heard, Interrupted, Want
from instrumentgpt.modes.panel.contracts import Contribution, SubProblem, Synthesis, as_json
from instrumentgpt.modes.panel.contradictions import Contradiction, contradictions
from instrumentgpt.modes.panel.contributions import Said, latest, screened, told, within_the_log
from instrumentgpt.modes.panel.expert_memory import SubProblemResult, builds_on, memory_of, summarized
from instrumentgpt.modes.panel.experts import Expert
from instrumentgpt.modes.panel.facilitator import MOST_ROUNDS, next_round
from instrumentgpt.modes.panel.prompts import contribution_prompt, record_of, synthesis_prompt
from instrumentgpt.modes.panel.votes import counted, dissenters, leading, runner_up, votes_of
from instrumentgpt.storage.panels import Key


@dataclass(frozen=True)
class Context:
    """What is the same for all sub-problems of a panel.

    brief    what the log says (agents/offline/panel/planning.py)
    budget   tokens of a prompt
    earlier  expert → what it concluded in other conversations, marked as such
    """

    question: str
    language: Language
    brief: Mapping[str, Any]
    experts: Mapping[str, Expert]
    budget: int
    earlier: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Spoken:
    """What somebody said, the sub-problems it builds on, and what does not go with its earlier words."""

    said: Said
    builds_on: tuple[int, ...]
    contradictions: tuple[Contradiction, ...]


def deliberate(
    part: SubProblem, context: Context, results: Sequence[SubProblemResult]
) -> Generator[list[Want], list[Heard], SubProblemResult]:
    """Yield what is to be asked next, be sent what came of it, and return the result.

    results  of the sub-problems before, oldest first: what experts remember

    Everything else begins anew with each sub-problem. Raises Interrupted if no expert answers at all.
    """
    began = time.monotonic()
    said: list[Said] = []
    panel, problems = list(part.experts), list[str]()
    most = 1 if part.kind == "decide" else MOST_ROUNDS  # what to do is no matter of new evidence
    while (decision := next_round(panel, said, part.candidates, most)).speakers:
        heard = yield [contribution_wanted(part, context, results, said, code) for code in decision.speakers]
        for code, answer in zip(decision.speakers, heard, strict=True):
            if answer.content is None:
                panel.remove(code)
                problems.append(answer.problem)
            else:
                said.append(spoken(part, context, results, code, answer, _next_number(said, code)).said)
        if not said:
            raise Interrupted(problems[0])
        if all(answer.content is None for answer in heard):
            break
    (answer,) = yield [_synthesis_wanted(part, context, said)]
    lead = leading(counted(said, part.candidates))
    summaries, forgotten = _summaries(part, context, said, lead)
    warnings = (*forgotten, *([answer.problem] if answer.content is None else ()))
    seconds = time.monotonic() - began
    return _result(part, context, said, answer.content, summaries, warnings, decision.reason, seconds)


def contribution_wanted(
    part: SubProblem,
    context: Context,
    results: Sequence[SubProblemResult],
    said: Sequence[Said],
    code: str,
) -> Want:
    """Return what expert `code` is asked: with its memory if it spoke in one of `results`, else without."""
    expert, language = context.experts[code], context.language
    memory = memory_of(results, code, context.earlier.get(code, ()))
    record = record_of(context.brief)
    asked = (part, record, said, memory, language, context.budget)
    facts = {
        **_facts(part, context, said),
        "expert": {
            "code": code,
            "name": expert.name(language),
            "speaks_on": list(expert.speaks_on),
            "tools": list(expert.tools),
        },
        "remembered": [_remembered(one, code) for one in reversed(results) if code in one.expert_summaries],
        "earlier": list(context.earlier.get(code, ())),
        "round": _next_number(said, code),
    }
    prompt = contribution_prompt(expert, context.question, *asked)
    return Want(Key(part.id, "contribution", _next_number(said, code), code), prompt, facts, Contribution)


def spoken(
    part: SubProblem,
    context: Context,
    results: Sequence[SubProblemResult],
    code: str,
    answer: Heard,
    number: int,
) -> Spoken:
    """Return what expert `code` said in round `number`, screened, and how it goes with its earlier words."""
    expert = context.experts[code]
    screen = screened(answer.content, expert, part.candidates, context.language)
    contribution, beyond = within_the_log(screen[0], int(context.brief.get("lines") or 0), context.language)
    said = Said(code, number, contribution, answer.tools, screen[1] + beyond)
    known = builds_on(results, code)
    named = tuple(one for one in contribution.builds_on if one in known)
    return Spoken(said, named, tuple(contradictions(said, results)))


def _next_number(said: Sequence[Said], code: str) -> int:
    """Return the round in which `code` speaks next: those of a round have not heard one another."""
    own = [one.round for one in said if one.expert == code]
    rounds = max((one.round for one in said), default=0)
    return rounds + 1 if own and max(own) == rounds else max(rounds, 1)


def _facts(part: SubProblem, context: Context, said: Sequence[Said]) -> dict[str, Any]:
    """Return what our own analyst is told beside any prompt."""
    return {
        "sub_problem": as_json(part),
        "brief": dict(context.brief),
        "said": [told(one) for one in said],
        "names": {code: one.name(context.language) for code, one in context.experts.items()},
        "language": context.language,
    }


def _remembered(result: SubProblemResult, code: str) -> dict[str, Any]:
    """Return what our own analyst is told of an expert's earlier words: the newest comes first."""
    last = next(one.contribution for one in result.said if one.expert == code)
    told_ = {"position": last.position, "confidence": last.confidence, "cause": last.cause}
    return {"sub_problem": result.sub_problem_id, "summary": result.expert_summaries[code], **told_}


def _synthesis_wanted(part: SubProblem, context: Context, said: Sequence[Said]) -> Want:
    votes = "; ".join(f"{one.expert}: {one.cause or '-'} ({one.confidence:.2f})" for one in votes_of(said))
    prompt = synthesis_prompt(context.question, part.goal, said, votes, context.language, context.budget)
    counts = [asdict(one) for one in counted(said, part.candidates)]
    return Want(
        Key(part.id, "synthesis"), prompt, {**_facts(part, context, said), "counts": counts}, Synthesis
    )


def _summaries(
    part: SubProblem, context: Context, said: Sequence[Said], lead: str
) -> tuple[dict[str, str], list[str]]:
    """Return the summary of each contributor, and a warning for each that could not be made.

    Without one an expert does not remember this sub-problem; the panel goes on.
    """
    found: dict[str, str] = {}
    warnings: list[str] = []
    for code in latest(said):
        own = [one for one in said if one.expert == code]
        name = context.experts[code].name(context.language)
        try:
            found[code] = summarized(name, part.goal, own, lead, context.language)
        except InstrumentGPTError as problem:
            warnings.append(str(problem))
    return found, warnings


def _result(
    part: SubProblem,
    context: Context,
    said: Sequence[Said],
    synthesis: Synthesis | None,
    summaries: Mapping[str, str],
    warnings: Sequence[str],
    stopped: str,
    seconds: float,
) -> SubProblemResult:
    counts = counted(said, part.candidates)
    lead = leading(counts)
    found = synthesis or Synthesis(text=_positions(context, said))
    return SubProblemResult(
        sub_problem_id=part.id,
        sub_problem_goal=part.goal,
        synthesis=found.text,
        votes=tuple(asdict(one) for one in votes_of(said)),
        contribution_count=len(said),
        cost={},
        duration_seconds=seconds,
        expert_panel=tuple(latest(said)),
        expert_summaries=summaries,
        said=tuple(latest(said).values()),
        cause=lead,
        runner_up=runner_up(counts),
        dissent=tuple(one.expert for one in dissenters(said, lead)),
        measurement=found.measurement,
        stopped=stopped,
        warnings=tuple(warnings),
    )


def _positions(context: Context, said: Sequence[Said]) -> str:
    """Return the last positions as they are, where nobody summed them up."""
    return "\n".join(
        f"- {context.experts[one.expert].name(context.language)}: {one.contribution.position}"
        for one in latest(said).values()
    )

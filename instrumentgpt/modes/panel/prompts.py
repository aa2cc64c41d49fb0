"""What planners, experts and the one who sums up are told: sections in a fixed order, within a budget.

What is the same for everybody stands first, byte for byte, so that an agent's service need not read it anew:
who takes part, the problem, what the log says, what the conversation has on record.
What comes from logs, users and experts stands between tags, and cannot open or close one.

An expert remembers a summary of 50 to 100 tokens of each earlier sub-problem. A model makes it where one
answers, and it is checked: its length, and that its numbers are the expert's. Else a rule does: the position
stays word for word, then come confidence, condition and dissent, and as much of the evidence as fits.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.language import Language
from instrumentgpt.memory.agent_summary import Quantity, quantities
from instrumentgpt.memory.filtering import as_content
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.modes.panel import contracts, say
from instrumentgpt.modes.panel.contracts import View, latest
from instrumentgpt.modes.panel.experts import Expert
from instrumentgpt.modes.prompting import LANGUAGES, MARGIN, fitted, task

FEWEST_TOKENS, TARGET_TOKENS, MOST_TOKENS = 50, 75, 100  # seed 001: "50-100 tokens (strict)", target 75


class SummaryTooLong(InstrumentGPTError, ValueError):
    """What must stay of a contribution does not fit into a summary."""


def summarized(name: str, goal: str, views: Sequence[View], lead: str, language: Language) -> str:
    """Return the summary of one expert's contributions to a sub-problem: 50 to 100 tokens.

    name   what the expert is called
    views  its contributions, oldest first: the last one is its position
    lead   the candidate that the panel took; another vote is told as dissent

    Raises SummaryTooLong if position, confidence and condition do not fit.
    """
    last = views[-1]
    kept = [f"{name}: {last.position}", say("memory_confidence", language, value=last.confidence)]
    if last.condition:
        kept.append(say("memory_condition", language, text=last.condition))
    if last.cause and last.cause != lead:
        kept.append(say("memory_dissent", language, lead=lead or "-"))
    if count_tokens(" ".join(kept)) > MOST_TOKENS * MARGIN:
        raise SummaryTooLong(
            f"{name}: position, confidence and condition take {count_tokens(' '.join(kept))} tokens, "
            f"and a summary has at most {MOST_TOKENS}"
        )
    further = _further(views, goal, language)
    kept = _filled(kept, further, TARGET_TOKENS)
    return " ".join(_filled(kept, further, int(MOST_TOKENS * MARGIN)) if _is_short(kept) else kept)


def is_usable(summary: str, views: Sequence[View]) -> bool:
    """Return whether a model's summary of an expert's `views` may be its memory.

    It has 50 to 100 tokens, every number of the position, and none that the expert did not give.
    """
    given = set[Quantity]()
    for view in views:
        texts = [view.position, view.condition, view.measurement, f"{view.confidence}"]
        texts += [*(claim.text for claim in view.claims), *(out.because for out in view.rejects)]
        given.update(*map(quantities, texts))
    return (
        count_tokens(summary) / MARGIN >= FEWEST_TOKENS
        and count_tokens(summary) <= MOST_TOKENS * MARGIN
        and quantities(views[-1].position) <= quantities(summary) <= given
    )


def _further(views: Sequence[View], goal: str, language: Language) -> list[str]:
    """Return what may follow, the most telling first."""
    last = views[-1]
    lines = [str(item.line) for claim in last.claims for item in claim.evidence if item.line]
    tools = dict.fromkeys(tool for view in views for tool in view.tools)
    rows = [
        *(("evidence", {"text": claim.text}) for claim in last.claims),
        *(("rejects", {"cause": row.cause, "text": row.because}) for row in last.rejects),
        *([("measurement", {"text": last.measurement})] if last.measurement else []),
        *([("lines", {"text": ", ".join(lines)})] if lines else []),
        *([("tools", {"text": ", ".join(tools)})] if tools else []),
        ("about", {"text": goal}),
    ]
    return [say(f"memory_{key}", language, **fields) for key, fields in rows]


def _filled(kept: Sequence[str], further: Sequence[str], most: int) -> list[str]:
    """Return `kept` with those of `further` that fit into `most` tokens, as they come, until it is enough."""
    filled = list(kept)
    for more in further:
        if _is_short(filled) and more not in filled and count_tokens(" ".join([*filled, more])) <= most:
            filled.append(more)
    return filled


def _is_short(kept: Sequence[str]) -> bool:
    return count_tokens(" ".join(kept)) * MARGIN < FEWEST_TOKENS


TASKS = Path(__file__).with_name("tasks.md")
LIMITS = {
    "position_tokens": contracts.POSITION_TOKENS,
    "fewest_parts": contracts.FEWEST,
    "most_parts": contracts.MOST,
    "fewest_tokens": FEWEST_TOKENS,
    "target_tokens": TARGET_TOKENS,
}
MOST_FINDINGS = 8
SHARED_SHARE = 0.6  # of the budget: what everybody is told
CONVERSATION_SHARE = 0.3  # of the budget: what the conversation has on record, within the share above
MEMORY_TOKENS = 600  # of all earlier positions of one expert in a prompt
MEMORY = "your_previous_analysis"
TAGS = ("problem", "problem_context", "participants", "sub_problem", "said", "results", "experts", MEMORY)
_TAG = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(TAGS)})\b)", re.I)


@dataclass(frozen=True)
class Context:
    """What is the same for all of a panel.

    brief         what the log says (our own analyst's `panel_brief`)
    budget        tokens of a prompt
    conversation  what the conversation has on record, as its prompts tell it: values, constraints, findings,
                  what was ruled out, and what was said of the question
    participants  codes of the experts that take part
    by_model      whether a model answers, and can write summaries
    """

    question: str
    language: Language
    brief: Mapping[str, Any]
    experts: Mapping[str, Expert]
    budget: int
    conversation: str = ""
    participants: tuple[str, ...] = ()
    by_model: bool = False


def shared(context: Context) -> str:
    """Return what every prompt of the panel begins with; of the record, whole lines go until it fits."""
    named = [(code, context.experts[code].words(context.language)) for code in context.participants]
    listed = "\n".join(f"{code}: {words.name} ({words.field})" for code, words in named)
    fixed = [section("participants", listed), section("problem", context.question), context.conversation]
    record = section("problem_context", record_of(context.brief))
    return fitted(fixed[:2], record, fixed[2:], SHARED_SHARE * context.budget)


def stage_task(stage: str, context: Context) -> str:
    """Return what is to be done at a stage of the panel."""
    return task(TASKS, stage, **LIMITS, language=LANGUAGES[context.language])


def stage_prompt(stage: str, context: Context, *sections: str, elastic: str = "") -> str:
    """Return the prompt of a stage: what everybody is told, sections, what fits of `elastic`, the task."""
    return fitted([shared(context), *sections], elastic, [stage_task(stage, context)], context.budget)


def contribution_prompt(
    context: Context, expert: Expert, part: contracts.SubProblem, views: Sequence[View], memory: str
) -> str:
    """Return what `expert` is told; `memory` stands right after the role, and only if there is one."""
    words = expert.words(context.language)
    role = (
        f"You are the expert “{words.name}” ({words.field}) of a panel on an instrument. {words.role}\n"
        f"You may vote for or rule out: {', '.join(expert.speaks_on)}.\n"
        f"You may call: {', '.join(expert.tools)}.\n"
    )
    goal = f"{part.id}. {part.goal}\nCandidates: {', '.join(part.candidates) or 'name them'}"
    return stage_prompt(
        "contribution", context, role, memory, section("sub_problem", goal), elastic=said_section(views)
    )


def memory_of(results: Sequence[contracts.SubProblemResult], expert: str, budget: int = MEMORY_TOKENS) -> str:
    """Return <your_previous_analysis> for `expert`, newest sub-problem first within `budget`; "" if none.

    results  of the sub-problems that are done, oldest first
    """
    fitting: list[str] = []
    for result in reversed(results):
        if expert not in result.expert_summaries:
            continue
        goal, position = (
            sealed(" ".join(text.split()))  # experts quote logs
            for text in (result.sub_problem_goal, result.expert_summaries[expert])
        )
        entry = f"Sub-problem {result.sub_problem_id}: {goal}\nYour previous position: {position}"
        if fitting and sum(map(count_tokens, [*fitting, entry])) > budget:
            break
        fitting.append(entry)
    positions = "\n\n".join(fitting)
    return f"<{MEMORY}>\n{task(TASKS, 'memory', positions=positions)}\n</{MEMORY}>" if fitting else ""


def plan_prompt(context: Context, hypotheses: Sequence[str]) -> str:
    """Return what the planner is told."""
    listed = "\n".join(
        f"{code}: {expert.words(context.language).field}; speaks on {', '.join(expert.speaks_on)}"
        for code, expert in context.experts.items()
    )
    opened = "\n".join(["Open hypotheses:", *hypotheses]) if hypotheses else ""
    return stage_prompt("plan", context, section("experts", listed), section("sub_problem", opened))


def summaries_prompt(context: Context, goal: str, views: Sequence[View]) -> str:
    """Return what the one who keeps the experts' memory is told: what each said last, and nothing else."""
    said = said_section(list(latest(views).values()))
    return "\n\n".join([section("sub_problem", goal), said, stage_task("expert_memory", context)])


def record_of(brief: Mapping[str, Any]) -> str:
    """Return what the log says: findings with their evidence, then the figures of channels with a fault."""
    lines = [f"log {brief.get('log', '')} of {brief.get('label', '')}: {brief.get('lines', 0)} lines"]
    healthy = set()
    for finding in brief.get("findings", ())[:MOST_FINDINGS]:
        lines.append(f"- {finding['class']} ({finding['severity']}): {finding['summary']}")
        if finding["severity"] == "none":  # its sentence has all its figures
            healthy.add(finding.get("channel"))
            continue
        lines += [f"  - ruled out {row['class']}: {row['text']}" for row in finding.get("ruled_out", ())]
        lines += [f"  - line {row['line']}: {row['text']}" for row in finding.get("evidence", ())]
    for channel in brief.get("channels", ()):
        if channel["channel"] not in healthy:
            lines.append(
                ", ".join(f"{name} {value:.4g}" for name, value in channel.items() if value is not None)
            )
    return "\n".join(lines)


def results_section(results: Sequence[contracts.SubProblemResult]) -> str:
    """Return what came of the sub-problems that are done, with what each expert holds of them."""
    parts = (
        f"{result.sub_problem_id}. {result.sub_problem_goal}\n{result.synthesis}\n"
        + "\n".join(result.expert_summaries.values())
        for result in results
    )
    return section("results", "\n\n".join(parts))


def said_section(views: Sequence[View]) -> str:
    """Return what experts said, in order."""
    lines = []
    for view in views:
        vote = f"votes {view.cause or 'for none'}"
        who = f"{view.expert} (round {view.round}, confidence {view.confidence:.2f}, {vote})"
        lines += [f"{who}: {view.position}", *(f"  - {claim.text}" for claim in view.claims)]
        lines += [f"  - rules out {out.cause}: {out.because}" for out in view.rejects]
    return section("said", "\n".join(lines))


def section(tag: str, text: str) -> str:
    """Return `text` between the tags, "" if it is empty.

    >>> print(section("said", "kp 9 </said> <b>"))
    <said>
    kp 9 ‹/said> <b>
    </said>
    """
    clean = sealed(text).strip()
    return f"<{tag}>\n{clean}\n</{tag}>" if clean else ""


def sealed(text: str) -> str:
    """Return `text` unable to open or close a section, or to seem to be said by somebody else."""
    return _TAG.sub("‹", as_content(text))

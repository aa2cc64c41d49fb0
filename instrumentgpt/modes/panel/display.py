"""A panel as Markdown: proposal, contributions, votes and dissent, costs; and its answer in parts again."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from instrumentgpt.analyst.words import cited, joined, plain_text, quoted
from instrumentgpt.instruments.faults import cause_title
from instrumentgpt.instruments.language import Language, table
from instrumentgpt.modes.asking import UNFIT
from instrumentgpt.modes.panel import TABLE, say
from instrumentgpt.modes.panel.contracts import Plan, Rejected, SubProblem, SubProblemResult, View
from instrumentgpt.modes.panel.experts import Expert, written
from instrumentgpt.modes.panel.prompts import Context
from instrumentgpt.storage.panels import Step

MOST_CLAIMS = 4  # shown of a contribution; all of them are stored


def proposal(plan: Plan, experts: Mapping[str, Expert], language: Language) -> str:
    """Return the decomposition as it is shown before it is approved, with the text that can be edited."""
    codes = {code for part in plan.sub_problems for code in part.experts}
    lines = [say("proposal", language, count=len(plan.sub_problems), experts=len(codes)), ""]
    for part in plan.sub_problems:
        named = joined([experts[code].name(language) for code in part.experts], language)
        after = say("after", language, ids=joined(part.after, language)) if part.after else ""
        fields = {"id": part.id, "goal": plain_text(part.goal), "experts": named, "after": after}
        lines.append(say("proposal_line", language, **fields))
    lines += ["", say("how_to_change", language), "", "```text", written(plan).replace("```", "'''"), "```"]
    return "\n".join(lines) + "\n"


def heading(part: SubProblem, count: int, language: Language) -> str:
    """Return the heading of a sub-problem; where others were removed, `count` is no less than its number."""
    fields = {"id": part.id, "count": max(count, part.id), "goal": plain_text(part.goal)}
    return "\n\n" + say("heading", language, **fields) + "\n\n"


def contribution(view: View, builds: Sequence[int], context: Context, shown: set[str]) -> str:
    """Return what an expert said, what it `builds` on, and why it changed its view, if it says that.

    shown  lines that were shown of this sub-problem already; new ones are added
    """
    language = context.language
    fields = {
        "name": context.experts[view.expert].name(language),
        "round": say("round", language, number=view.round) if view.round > 1 else "",
        "confidence": view.confidence,
        "vote": say("votes_for", language, title=_title(view.cause, language)) if view.cause else "",
        "builds": "",
        "position": plain_text(view.position),
    }
    if builds:
        numbers = joined(sorted(builds), language)
        fields["builds"] = say("builds", language, count=len(builds), numbers=numbers)
    details = [line for line in _details(view, context) if line not in shown]
    shown.update(details)
    return "\n".join([say("spoke", language, **fields), *(f"  - {line}" for line in details)]) + "\n"


def silence(code: str, problem: str, context: Context) -> str:
    """Return that an expert did not speak, and why."""
    name = context.experts[code].name(context.language)
    return say("silent", context.language, name=name, problem=plain_text(problem)) + "\n"


def outcome(result: SubProblemResult, context: Context) -> str:
    """Return the end of a sub-problem: the votes with dissent in one table, the synthesis, warnings."""
    language, rows = context.language, [say("table", context.language)]
    for view in result.said:
        cells = (
            context.experts[view.expert].name(language),
            _title(view.cause, language) or say("none", language),
            f"{view.confidence:.2f}",
            joined([_title(row.cause, language) for row in view.rejects], language),
            say("dissents", language) if view.expert in result.dissent else "",
        )
        rows.append("| " + " | ".join(text.replace("|", "¦") for text in cells) + " |")
    warnings = [say("warning", language, text=plain_text(text)) for text in result.warnings]
    rounds = max((view.round for view in result.said), default=0)
    reason = say(f"ended_{result.stopped.replace(' ', '_')}", language, most=rounds)
    ended = say("ended", language, reason=reason)
    return "\n" + "\n".join(rows) + f"\n\n{ended}\n\n{result.synthesis}\n" + "\n".join(warnings) + "\n"


STAGES = ("plan", "contribution", "synthesis", "expert_memory", "conclusion", "repair")


def costs(steps: Iterable[Step], free: bool, language: Language) -> str:
    """Return the table of what each stage cost: tokens as reported, else estimated; dollars if reported.

    What was asked for again is a stage of its own, "repair".

    free  the tokens are estimates of what nobody paid
    """
    by_stage: dict[str, list[Step]] = {stage: [] for stage in STAGES}
    for step in steps:
        stage = "repair" if step.key.stage.startswith(UNFIT) else step.key.stage
        by_stage.setdefault(stage, []).append(step)
    money = any(step.cost for group in by_stage.values() for step in group)
    head = {"money": say("money", language) if money else "", "rule": " --- |" if money else ""}
    lines = [say("costs", language, **head)]
    for stage in STAGES:
        if group := by_stage[stage]:
            tokens = f"{sum(step.tokens_in for step in group):,} | {sum(step.tokens_out for step in group):,}"
            dollars = f" {sum(step.cost for step in group):.4f} |" if money else ""
            lines.append(f"| {say(f'stage_{stage}', language)} | {len(group)} | {tokens} |{dollars}")
    return "\n".join(lines) + "\n\n" + (say("costs_free", language) + "\n" if free else "")


def _details(view: View, context: Context) -> Iterator[str]:
    """Yield why it changed its view, claims with their lines, what it rules out, condition, measurement."""
    language, log = context.language, str(context.brief["reference"])
    if view.changed_because:
        yield say("changed_mind", language, because=plain_text(view.changed_because))
    for claim in view.claims[:MOST_CLAIMS]:
        quotes = [quoted(item.text) for item in claim.evidence[:1] if item.text]  # of one line, beside it
        yield " ".join([cited(plain_text(claim.text), log, (item.line for item in claim.evidence)), *quotes])
    for row in view.rejects:
        if row.line:
            yield ruled_out(row, context)
    if rest := [row for row in view.rejects if not row.line]:
        titles = joined([_title(row.cause, language) for row in rest], language)
        yield say("rules_out_rest", language, titles=titles, because=plain_text(rest[0].because))
    if view.condition:
        yield say("condition", language, text=plain_text(view.condition))
    if view.measurement:
        yield say("would_measure", language, text=plain_text(view.measurement))
    for note in view.struck:
        yield say("struck", language, note=plain_text(note))


def ruled_out(row: Rejected, context: Context) -> str:
    """Return that a cause is ruled out, why, and the link to the line that shows it."""
    because = cited(plain_text(row.because), str(context.brief["reference"]), [row.line])
    return say("rules_out", context.language, title=_title(row.cause, context.language), because=because)


def _title(cause: str, language: Language) -> str:
    return plain_text(cause_title(cause, language))


@dataclass(frozen=True)
class Folded:
    """A stored answer of the panel as it is read.

    opening   what comes before the first sub-problem
    parts     heading and text of each sub-problem
    ending    the conclusion, with its heading
    costs     the table of what each stage cost
    """

    opening: str = ""
    parts: tuple[tuple[str, str], ...] = ()
    ending: str = ""
    costs: str = ""


def folded(answer: str) -> Folded | None:
    """Return the parts of a panel's answer that came to its conclusion; None for any other text.

    >>> found = folded("### Sub-problem 1 of 2: Hot?\\n\\nNo.\\n\\n### Conclusion\\n\\n- Cold.\\n")
    >>> found.parts, found.ending
    ((('Sub-problem 1 of 2: Hot?', 'No.'),), '### Conclusion\\n\\n- Cold.')
    >>> folded("### Sub-problem 1 of 2: Is it hot?") is None
    True
    """
    ends = list(_CONCLUSION.finditer(answer))
    if not ends:
        return None
    body, ending = answer[: ends[-1].start()], answer[ends[-1].start() :]
    opening, *parts = _HEADING.split(body)
    costs = _COSTS.search(ending)
    cut = costs.start() if costs else len(ending)
    named = tuple((title.strip(), text.strip()) for title, text in zip(parts[::2], parts[1::2], strict=True))
    return Folded(opening.strip(), named, ending[:cut].strip(), ending[cut:].strip())


def without_editing(answer: str) -> str:
    """Return a proposal without the list to be sent back, for whoever has another way to edit it.

    >>> without_editing("1. Is it hot?\\n\\nSay **yes** to begin. To change it:\\n\\n```text\\n1. …\\n```")
    '1. Is it hot?'
    """
    return _EDITING.sub("", answer, count=1).rstrip()


def _starts(key: str, before: str) -> str:
    """Return a pattern for the text `key` in every language, up to `before`."""
    return "|".join(re.escape(text.split(before)[0]) for text in table(TABLE)[key].values())


_HEADING = re.compile(rf"^(?={_starts('heading', '{')})### (.+)$", re.M)
_CONCLUSION = re.compile(rf"^(?:{_starts('conclusion', '{')})$", re.M)
_COSTS = re.compile(rf"^(?:{_starts('costs', '{')})", re.M)
_EDITING = re.compile(rf"^(?:{_starts('how_to_change', '**')})\*\*.+\n\n```text\n(?:.*\n)*?```$", re.M)

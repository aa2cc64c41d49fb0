"""A panel as Markdown: the proposal, contributions as they come, votes and dissent, costs."""

from collections.abc import Iterator, Mapping, Sequence

from instrumentgpt.analyst.words import joined, line_link, plain_text, quoted
from instrumentgpt.instruments.faults import cause_title
from instrumentgpt.instruments.language import Language
from instrumentgpt.modes.panel.contracts import Claim, Plan, Rejected, SubProblem
from instrumentgpt.modes.panel.contributions import Said
from instrumentgpt.modes.panel.costs import StageCost
from instrumentgpt.modes.panel.decomposition import written
from instrumentgpt.modes.panel.expert_memory import SubProblemResult
from instrumentgpt.modes.panel.experts import Expert
from instrumentgpt.modes.panel.prompts import Context
from instrumentgpt.modes.panel.wording import say

MOST_CLAIMS = 4  # shown of a contribution; all of them are stored


def proposal(plan: Plan, experts: Mapping[str, Expert], language: Language) -> str:
    """Return the decomposition as it is shown before it is approved, with the text that can be edited."""
    asked = {code for part in plan.sub_problems for code in part.experts}
    lines = [say("proposal", language, count=len(plan.sub_problems), experts=len(asked)), ""]
    for part in plan.sub_problems:
        named = joined([experts[code].name(language) for code in part.experts], language)
        after = say("after", language, ids=joined(part.after, language)) if part.after else ""
        told = {"id": part.id, "goal": plain_text(part.goal), "experts": named, "after": after}
        lines.append(say("proposal_line", language, **told))
    lines += ["", say("how_to_change", language), "", "```text", written(plan).replace("```", "'''"), "```"]
    return "\n".join(lines) + "\n"


def heading(part: SubProblem, count: int, language: Language) -> str:
    """Return the heading of a sub-problem; where others were removed, `count` is no less than its number."""
    told = {"id": part.id, "count": max(count, part.id), "goal": plain_text(part.goal)}
    return "\n\n" + say("heading", language, **told) + "\n\n"


def contribution(said: Said, builds: Sequence[int], context: Context, known: set[str]) -> str:
    """Return what an expert said, what it `builds` on, and why it changed its view, if it says that.

    known  lines that were shown of this sub-problem already; new ones are added
    """
    language, one = context.language, said.contribution
    told = {
        "name": context.experts[said.expert].name(language),
        "round": say("round", language, number=said.round) if said.round > 1 else "",
        "confidence": one.confidence,
        "vote": say("votes_for", language, title=_title(one.cause, language)) if one.cause else "",
        "builds": _builds(builds, language),
        "position": plain_text(one.position),
    }
    details = [line for line in _details(said, context) if line not in known]
    known.update(details)
    return "\n".join([say("spoke", language, **told), *(f"  - {line}" for line in details)]) + "\n"


def silence(code: str, problem: str, context: Context) -> str:
    """Return that an expert did not speak, and why."""
    name = context.experts[code].name(context.language)
    return say("silent", context.language, name=name, problem=plain_text(problem)) + "\n"


def outcome(result: SubProblemResult, context: Context) -> str:
    """Return the end of a sub-problem: the votes with dissent in one table, the synthesis, warnings."""
    language = context.language
    reason = say(f"ended_{result.stopped.replace(' ', '_')}", language, most=_rounds(result))
    rows = [say("table", language), *_votes(result, context)]
    warnings = [say("warning", language, text=plain_text(text)) for text in result.warnings]
    ended = say("ended", language, reason=reason)
    return "\n" + "\n".join(rows) + f"\n\n{ended}\n\n{result.synthesis}\n" + "\n".join(warnings) + "\n"


def costs(stages: Sequence[StageCost], free: bool, language: Language) -> str:
    """Return the table of what each stage cost; `free`: the tokens are estimates of what nobody paid."""
    money = any(one.cost for one in stages)
    head = {"money": say("money", language) if money else "", "rule": " --- |" if money else ""}
    lines = [say("costs", language, **head)]
    for one in stages:
        dollars = f" {one.cost:.4f} |" if money else ""
        name = say(f"stage_{one.stage}", language)
        lines.append(f"| {name} | {one.steps} | {one.tokens_in:,} | {one.tokens_out:,} |{dollars}")
    return "\n".join(lines) + "\n\n" + (say("costs_free", language) + "\n" if free else "")


def _details(said: Said, context: Context) -> Iterator[str]:
    language, one = context.language, said.contribution
    if one.changed_because:
        yield say("changed_mind", language, because=plain_text(one.changed_because))
    for claim in one.claims[:MOST_CLAIMS]:
        yield _claim(claim, context)
    yield from _rejected(one.rejects, context)
    if one.condition:
        yield say("condition", language, text=plain_text(one.condition))
    if one.measurement:
        yield say("would_measure", language, text=plain_text(one.measurement))
    for note in said.struck:
        yield say("struck", language, note=plain_text(note))


def _rejected(rows: Sequence[Rejected], context: Context) -> Iterator[str]:
    """Yield what is ruled out by a line of the log, and all the rest together."""
    language = context.language
    for row in rows:
        if row.line:
            because = f"{plain_text(row.because)} ({_link(row.line, context)})"
            yield say("rules_out", language, title=_title(row.cause, language), because=because)
    rest = [row for row in rows if not row.line]
    if rest:
        titles = joined([_title(row.cause, language) for row in rest], language)
        yield say("rules_out_rest", language, titles=titles, because=plain_text(rest[0].because))


def _claim(claim: Claim, context: Context) -> str:
    """Return the claim with links to its lines; a quote of one line stands beside it."""
    links = [_link(item.line, context) for item in claim.evidence if item.line]
    quotes = [quoted(item.text) for item in claim.evidence[:1] if item.text]
    shown = ", ".join(links)
    return " ".join([plain_text(claim.text), *([f"({shown})"] if shown else []), *quotes])


def _link(line: int, context: Context) -> str:
    return line_link(str(context.brief["reference"]), line)


def _rounds(result: SubProblemResult) -> int:
    return max((one.round for one in result.said), default=0)


def _builds(numbers: Sequence[int], language: Language) -> str:
    told = {"count": len(numbers), "numbers": joined(sorted(numbers), language)}
    return say("builds", language, **told) if numbers else ""


def _votes(result: SubProblemResult, context: Context) -> Iterator[str]:
    language = context.language
    for one in result.said:
        cause = _title(one.contribution.cause, language) or say("none", language)
        out = [_title(row.cause, language) for row in one.contribution.rejects]
        dissent = say("dissents", language) if one.expert in result.dissent else ""
        name = context.experts[one.expert].name(language)
        confidence = f"{one.contribution.confidence:.2f}"
        yield (
            "| "
            + " | ".join(_cell(text) for text in (name, cause, confidence, joined(out, language), dissent))
            + " |"
        )


def _cell(text: str) -> str:
    return text.replace("|", "¦")


def _title(cause: str, language: Language) -> str:
    return plain_text(cause_title(cause, language))

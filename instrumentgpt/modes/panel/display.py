"""A panel as Markdown: the proposal, contributions as they come, votes and dissent, costs."""

from collections.abc import Iterator, Mapping, Sequence

from instrumentgpt.analyst.words import joined, line_link, plain_text, quoted
from instrumentgpt.instruments.faults import cause_title
from instrumentgpt.instruments.language import Language
from instrumentgpt.modes.panel.contracts import Plan, Said, SubProblem, SubProblemResult
from instrumentgpt.modes.panel.decomposition import written
from instrumentgpt.modes.panel.experts import Expert
from instrumentgpt.modes.panel.progress import StageCost
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


def contribution(said: Said, builds: Sequence[int], context: Context, shown: set[str]) -> str:
    """Return what an expert said, what it `builds` on, and why it changed its view, if it says that.

    shown  lines that were shown of this sub-problem already; new ones are added
    """
    language = context.language
    told = {
        "name": context.experts[said.expert].name(language),
        "round": say("round", language, number=said.round) if said.round > 1 else "",
        "confidence": said.confidence,
        "vote": say("votes_for", language, title=_title(said.cause, language)) if said.cause else "",
        "builds": "",
        "position": plain_text(said.position),
    }
    if builds:
        told["builds"] = say("builds", language, count=len(builds), numbers=joined(sorted(builds), language))
    details = [line for line in _details(said, context) if line not in shown]
    shown.update(details)
    return "\n".join([say("spoke", language, **told), *(f"  - {line}" for line in details)]) + "\n"


def silence(code: str, problem: str, context: Context) -> str:
    """Return that an expert did not speak, and why."""
    name = context.experts[code].name(context.language)
    return say("silent", context.language, name=name, problem=plain_text(problem)) + "\n"


def outcome(result: SubProblemResult, context: Context) -> str:
    """Return the end of a sub-problem: the votes with dissent in one table, the synthesis, warnings."""
    language, rows = context.language, [say("table", context.language)]
    for said in result.said:
        cells = (
            context.experts[said.expert].name(language),
            _title(said.cause, language) or say("none", language),
            f"{said.confidence:.2f}",
            joined([_title(row.cause, language) for row in said.rejects], language),
            say("dissents", language) if said.expert in result.dissent else "",
        )
        rows.append("| " + " | ".join(text.replace("|", "¦") for text in cells) + " |")
    warnings = [say("warning", language, text=plain_text(text)) for text in result.warnings]
    rounds = max((said.round for said in result.said), default=0)
    reason = say(f"ended_{result.stopped.replace(' ', '_')}", language, most=rounds)
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
    """Yield why it changed its view, claims with their lines, what it rules out, condition, measurement."""
    language = context.language

    def link(line: int) -> str:
        return line_link(str(context.brief["reference"]), line)

    if said.changed_because:
        yield say("changed_mind", language, because=plain_text(said.changed_because))
    for claim in said.claims[:MOST_CLAIMS]:
        links = ", ".join(link(item.line) for item in claim.evidence if item.line)
        quotes = [quoted(item.text) for item in claim.evidence[:1] if item.text]  # of one line, beside it
        yield " ".join([plain_text(claim.text), *([f"({links})"] if links else []), *quotes])
    for row in said.rejects:
        if row.line:
            because = f"{plain_text(row.because)} ({link(row.line)})"
            yield say("rules_out", language, title=_title(row.cause, language), because=because)
    if rest := [row for row in said.rejects if not row.line]:
        titles = joined([_title(row.cause, language) for row in rest], language)
        yield say("rules_out_rest", language, titles=titles, because=plain_text(rest[0].because))
    if said.condition:
        yield say("condition", language, text=plain_text(said.condition))
    if said.measurement:
        yield say("would_measure", language, text=plain_text(said.measurement))
    for note in said.struck:
        yield say("struck", language, note=plain_text(note))


def _title(cause: str, language: Language) -> str:
    return plain_text(cause_title(cause, language))

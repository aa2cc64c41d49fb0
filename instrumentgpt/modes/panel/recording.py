"""What a panel found, as results of our recording tools: the turn takes them into the diagnostic state."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from instrumentgpt.agents.events import Tool
from instrumentgpt.agents.stream_parser import SERVER
from instrumentgpt.instruments.faults import cause_title
from instrumentgpt.memory.reading.statements import STATEMENT_CHARS
from instrumentgpt.memory.summary import shorten
from instrumentgpt.modes.panel.contracts import Rejected, SubProblemResult
from instrumentgpt.modes.panel.facilitator import SURE
from instrumentgpt.modes.panel.prompts import Context

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
        firm = any(vote["cause"] == cause and vote["confidence"] >= SURE for vote in result.votes)
        if firm and not result.dissent:
            yield "confirm_root_cause", _cause(result, cause, "root_causes", context)
            continue
        rivals = {vote["cause"] for vote in result.votes} - {"", cause}
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

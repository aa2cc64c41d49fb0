"""What a panel found, as results of our recording tools: the turn takes them into the diagnostic state."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from instrumentgpt.agents.events import Tool
from instrumentgpt.agents.stream_parser import SERVER
from instrumentgpt.instruments.faults import cause_title
from instrumentgpt.memory.reading.statements import STATEMENT_CHARS
from instrumentgpt.memory.summary import shorten
from instrumentgpt.modes.panel.contracts import Rejected
from instrumentgpt.modes.panel.expert_memory import SubProblemResult
from instrumentgpt.modes.panel.facilitator import SURE
from instrumentgpt.modes.panel.prompts import Context

MOST_RULED_OUT = 4  # put on record


def recorded(results: Sequence[SubProblemResult], context: Context, panel_id: int) -> Iterator[Tool]:
    """Yield the panel's causes and what it ruled out as tool results, each a start and an end.

    A cause that everybody agrees on, firmly, is a root cause; one with dissent is a hypothesis beside its
    rival; what is ruled out by a number is no hypothesis any more.
    """
    number = 0
    causes = [one for one in results if one.cause]
    for result in _each_once(causes):
        for name, told in _statements(result, context):
            number += 1
            yield from _call(name, told, f"panel-{panel_id}-{number}")
    confirmed = {one.cause for one in causes}
    for row in _ruled_out(results, confirmed)[:MOST_RULED_OUT]:
        number += 1
        yield from _call("rule_out", _rule_out(row, context), f"panel-{panel_id}-{number}")


def _each_once(results: Sequence[SubProblemResult]) -> list[SubProblemResult]:
    """Return the first result of each cause."""
    found: dict[str, SubProblemResult] = {}
    for one in results:
        found.setdefault(one.cause, one)
    return list(found.values())


def _statements(result: SubProblemResult, context: Context) -> Iterator[tuple[str, dict[str, Any]]]:
    firm = any(one["cause"] == result.cause and one["confidence"] >= SURE for one in result.votes)
    if firm and not result.dissent:
        yield "confirm_root_cause", _cause(result, result.cause, "root_causes", context)
        return
    yield "record_hypothesis", _cause(result, result.cause, "hypotheses", context)
    rivals = {one["cause"] for one in result.votes} - {"", result.cause}
    for cause in sorted(rivals):
        yield "record_hypothesis", _cause(result, cause, "hypotheses", context)


def _cause(result: SubProblemResult, cause: str, field: str, context: Context) -> dict[str, Any]:
    """Return `cause` as data: in the words of who holds it most firmly, with the lines that it gave."""
    holding = [one for one in result.said if one.contribution.cause == cause]
    first = max(holding, key=lambda one: one.contribution.confidence)
    evidence = [
        {"line": item.line, "text": item.text}
        for claim in first.contribution.claims
        for item in claim.evidence
        if item.line
    ]
    title = cause_title(cause, context.language)
    position = first.contribution.position.removeprefix(title).lstrip(".。 ")
    text = shorten(f"{title}: {position}", STATEMENT_CHARS)
    return {"summary": text, **_whose(context), field: [{"text": text, "evidence": evidence[:6]}]}


def _ruled_out(results: Sequence[SubProblemResult], confirmed: set[str]) -> list[Rejected]:
    """Return what was ruled out by a line of the log, each cause once, and never what is held."""
    found: dict[str, Rejected] = {}
    for result in results:
        for one in result.said:
            for row in one.contribution.rejects:
                if row.line and row.cause not in confirmed:
                    found.setdefault(row.cause, row)
    return list(found.values())


def _rule_out(row: Rejected, context: Context) -> dict[str, Any]:
    title = cause_title(row.cause, context.language)
    because = f"{row.because.rstrip('.。')}, L {row.line:,}"
    text = f"{title}（{because}）" if context.language == "zh" else f"{title} ({because})"
    return {"summary": shorten(text, STATEMENT_CHARS), **_whose(context), "ruled_out": [title]}


def _whose(context: Context) -> dict[str, str]:
    """Return the log and its device: by then the conversation may be about another one."""
    return {"log": context.brief["log"], "device": context.brief.get("device", "")}


def _call(name: str, told: Mapping[str, Any], call_id: str) -> Iterator[Tool]:
    arguments = {"text": told["summary"]}
    yield Tool(call_id, name, "started", arguments, server=SERVER)
    yield Tool(call_id, name, "ok", arguments, json.dumps(told, ensure_ascii=False), SERVER)

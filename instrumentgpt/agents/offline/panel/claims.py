"""What an expert claims and rejects, each with the log line that shows it."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from instrumentgpt.agents.offline.panel.field import Field
from instrumentgpt.agents.offline.panel.record import Reason
from instrumentgpt.agents.offline.panel.sources import SOURCES, Shown
from instrumentgpt.analyst.case import ToolFailed

MOST_CLAIMS, MOST_REJECTS = 5, 5


def shown_by_tools(field: Field) -> list[Shown]:
    """Return what the tools of the expert's field add: those of later rounds only when it speaks again."""
    shown: list[Shown] = []
    for name, source in SOURCES.items():
        if name in field.expert["tools"] and source.round <= field.given["round"]:
            with suppress(ToolFailed):  # the failed call is on the wire; the expert speaks without it
                shown += source.look(field.case, field.given["brief"], field.part["channel"], field.found)
    return shown


def claims_of(field: Field, seen: list[dict[str, Any]], shown: list[Shown]) -> list[dict[str, Any]]:
    """Return what the findings `seen` and the tools say, at most `MOST_CLAIMS`."""
    claims = [
        {
            "text": one["cause"],
            "evidence": [_evidence(field, item["line"], item["text"]) for item in one["evidence"][:2]],
        }
        for one in seen
    ]
    claims += [claim(one.text, field, one.line, one.quote) for one in shown]
    return claims[:MOST_CLAIMS]


def claim(text: str, field: Field, line: int | None = None, quote: str = "") -> dict[str, Any]:
    """Return `text` as a claim of the contract, with `line` of the panel's log as its evidence."""
    return {"text": text, "evidence": [_evidence(field, line, quote)] if line else []}


def _evidence(field: Field, line: int, quote: str) -> dict[str, Any]:
    return {"log": field.given["brief"]["reference"], "line": line, "text": quote[:600]}


def rejections(against: list[Reason]) -> list[dict[str, Any]]:
    """Return the causes that are ruled out, with the reasons; at most `MOST_REJECTS`."""
    return [{"cause": one.cause, "because": one.text, "line": one.line} for one in against[:MOST_REJECTS]]


def remembering(field: Field, told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the contribution's claims with what the expert builds on, and the sub-problems it remembers."""
    remembered = field.given["remembered"]
    if not remembered:
        return {"claims": told["claims"]}
    newest = remembered[0]
    held = {name: newest[name] for name in ("confidence", "position")}
    text = field.say("panel_builds", number=newest["sub_problem"], **held)
    builds_on = [row["sub_problem"] for row in remembered]
    return {"claims": [claim(text, field), *told["claims"]], "builds_on": builds_on}

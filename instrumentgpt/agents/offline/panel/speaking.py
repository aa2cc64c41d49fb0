"""One expert speaking, without any model: from the checks of its field, and the tools it may call."""

import json
import re
from collections.abc import Iterator
from typing import Any

from instrumentgpt.agents.offline.panel.claims import (
    claim,
    claims_of,
    rejections,
    remembering,
    shown_by_tools,
)
from instrumentgpt.agents.offline.panel.field import Field
from instrumentgpt.agents.offline.panel.record import (
    Reason,
    figure,
    first_line,
    found_faults,
    on_channel,
    reasons,
)
from instrumentgpt.agents.offline.panel.votes import FOUND_NOTHING, holds, leaves_open
from instrumentgpt.agents.offline.panel.weighing import quiet, weigh
from instrumentgpt.analyst.case import Case
from instrumentgpt.memory.tokens import count_tokens

RULED_OUT = 0.85  # confidence that there is none: every candidate is ruled out by a line
GENERALIST = 12  # classes from which an expert has no field of its own, and weighs
POSITION_TOKENS = 62  # a position is to fit into a summary of 100 (modes/panel/contracts.py allows 66)


def contribute(case: Case) -> Iterator[str]:
    """Yield the expert's contribution as JSON (modes/panel/contracts.py)."""
    given = case.task.given
    about = given["brief"]
    found = case.tool("diagnose_log", log=about["log"], device=about["device"], language=case.language)
    field = Field(case, given, found)
    if given["sub_problem"]["kind"] == "decide":
        told = _decide(field)
    elif len(field.expert["speaks_on"]) >= GENERALIST:
        told = weigh(field)
    else:
        told = _judge(field)
    told["position"] = _short(told["position"])
    yield json.dumps({**told, **remembering(field, told)}, ensure_ascii=False)


def _judge(field: Field) -> dict[str, Any]:
    """Return the vote for the cause in the expert's field that a check found, or why there is none."""
    language, part = field.case.language, field.part
    against, left = reasons(field.found, field.own, part["channel"], language)
    seen = [
        one for one in on_channel(found_faults(field.found), part["channel"]) if one["class"] in field.own
    ]
    shown = shown_by_tools(field)
    told: dict[str, Any] = {"claims": claims_of(field, seen, shown), "rejects": rejections(against)}
    if seen:
        return {**told, **holds(field, seen[0])}
    if left:
        return {**told, **leaves_open(field, left[0])}
    firm = bool(against) and all(one.line for one in against)
    return {
        **told,
        "position": _nothing(field, against),
        "cause": "",
        "confidence": RULED_OUT if firm else FOUND_NOTHING,
    }


def _decide(field: Field) -> dict[str, Any]:
    """Return what is to be done first in the expert's field, or what keeps a runner-up possible."""
    language = field.case.language
    against, left = reasons(field.found, field.own, None, language)
    told: dict[str, Any] = {"claims": [], "rejects": rejections([one for one in against if one.line])}
    seen = [one for one in found_faults(field.found) if one["class"] in field.own]
    if seen:
        first = seen[0]
        position = field.say("panel_do", action=first["action"])
        claims = [claim(first["cause"], field, *first_line(first))]
        return {**told, **holds(field, first), "position": position, "claims": claims}
    if left:
        opened = leaves_open(field, left[0])
        if opened.get("measurement"):
            kept = {name: opened[name] for name in ("confidence", "measurement")}
            waiting = field.say("panel_wait", title=field.title(left[0].cause), **kept)
            return {**told, **opened, "claims": [claim(waiting, field)]}
        return {**told, **opened}
    reason = _named(field, against[0]) if against else figure(field.found, None, "", language)
    count = len(found_faults(field.found))
    position = field.say("panel_nothing_to_do", count=count, reason=reason)
    return {**told, "position": position, "cause": "", "confidence": RULED_OUT}


def _nothing(field: Field, against: list[Reason]) -> str:
    found = field.found
    if field.part["kind"] == "trust" and "data_gap" in field.own:
        gaps = sum(one["class"] == "data_gap" for one in found["findings"])
        told = {"samples": found["samples"], "lines": found["lines"], "broken": found["broken"]["count"]}
        return field.say("panel_record_holds", gaps=gaps, **told)
    if not against:
        return quiet(field)
    return field.say("panel_none", where=field.where, count=len(against), reason=_named(field, against[0]))


def _named(field: Field, reason: Reason) -> str:
    """Return the reason; one that only says that nothing was found needs the cause's name."""
    if reason.line:
        return reason.text
    return f"{field.title(reason.cause)}{'：' if field.case.language == 'zh' else ': '}{reason.text}"


def _short(position: str) -> str:
    """Return the position without its last sentences, as far as it must fit into a summary."""
    sentences = re.split(r"(?<=[.;])\s+|(?<=[。；])", position)
    while len(sentences) > 1 and count_tokens(" ".join(sentences)) > POSITION_TOKENS:
        sentences.pop()
    return re.sub(r"(?<=[。；]) ", "", " ".join(sentences)).rstrip("；; ")

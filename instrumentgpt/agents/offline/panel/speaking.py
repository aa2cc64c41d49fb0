"""One expert speaking, without any model: from the checks of its field, and the tools it may call."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from instrumentgpt.agents.offline.answers.diagnosis import UNPROVEN
from instrumentgpt.agents.offline.case import Case, Result, ToolFailed
from instrumentgpt.agents.offline.panel.planning import where_is
from instrumentgpt.agents.offline.panel.record import (
    Reason,
    deciding,
    figure,
    found_faults,
    on_channel,
    reasons,
    rivals_of,
    sentence,
    worst_channel,
)
from instrumentgpt.agents.offline.panel.sources import SOURCES, Shown
from instrumentgpt.agents.offline.phrases import phrase
from instrumentgpt.instruments.faults import cause_title
from instrumentgpt.text.durations import with_spans
from instrumentgpt.text.tokens import count_tokens

SURE = {"critical": 0.95, "high": 0.9, "medium": 0.85, "low": 0.75}  # a check's verdict, by its severity
UNPROVEN_LESS, OPEN_LESS = 0.15, 0.15  # where the log alone cannot prove it; where a rival is left open
RULED_OUT, FOUND_NOTHING, LEFT_OPEN, WEIGHED = 0.85, 0.7, 0.4, 0.7  # confidence without a verdict of its own
GENERALIST = 12  # classes from which an expert has no field of its own, and weighs
MOST_CLAIMS, MOST_REJECTS = 5, 5
POSITION_TOKENS = 62  # a position is to fit into a summary of 100 (modes/panel/contracts.py allows 66)
ENOUGH_SAMPLES, ENOUGH_SECONDS = 100, 180.0  # per channel: faults.toml, insufficient_data


@dataclass(frozen=True)
class Field:
    """What the expert works with: who it is, the sub-problem, and what the log says in its field."""

    case: Case
    given: Mapping[str, Any]
    found: Result

    @property
    def part(self) -> Mapping[str, Any]:
        part: Mapping[str, Any] = self.given["sub_problem"]
        return part

    @property
    def expert(self) -> Mapping[str, Any]:
        expert: Mapping[str, Any] = self.given["expert"]
        return expert

    @property
    def own(self) -> list[str]:
        """The candidates that the expert may speak on."""
        return [one for one in self.part["candidates"] if one in self.expert["speaks_on"]]

    @property
    def where(self) -> str:
        return where_is(self.part["channel"], self.case.language)

    def say(self, key: str, **fields: Any) -> str:
        return phrase(key, self.case.language, **fields)

    def title(self, fault: str) -> str:
        return cause_title(fault, self.case.language)


def contribute(case: Case) -> Iterator[str]:
    """Yield the expert's contribution as JSON (modes/panel/contracts.py)."""
    given = case.task.given
    about = given["brief"]
    found = case.tool("diagnose_log", log=about["log"], device=about["device"], language=case.language)
    field = Field(case, given, found)
    if given["sub_problem"]["kind"] == "decide":
        told = _decide(field)
    elif len(field.expert["speaks_on"]) >= GENERALIST:
        told = _weigh(field)
    else:
        told = _judge(field)
    told["position"] = _short(told["position"])
    yield json.dumps({**told, **_memory(field, told)}, ensure_ascii=False)


def _judge(field: Field) -> dict[str, Any]:
    """Vote for the cause in the expert's field that a check found, or say why there is none."""
    language, part = field.case.language, field.part
    against, left = reasons(field.found, field.own, part["channel"], language)
    seen = [
        one for one in on_channel(found_faults(field.found), part["channel"]) if one["class"] in field.own
    ]
    shown = _from_sources(field)
    told: dict[str, Any] = {"claims": _claims(field, seen, shown), "rejects": _rejected(against)}
    if seen:
        return {**told, **_holds(field, seen[0])}
    if left:
        return {**told, **_leaves_open(field, left[0])}
    firm = bool(against) and all(one.line for one in against)
    return {
        **told,
        "position": _nothing(field, against),
        "cause": "",
        "confidence": RULED_OUT if firm else FOUND_NOTHING,
    }


def _holds(field: Field, finding: Mapping[str, Any]) -> dict[str, Any]:
    """Return position, confidence, condition and measurement of an expert whose check found something."""
    fault = finding["class"]
    rival = next((row["class"] for row in finding["alternatives"] if row["reason"] == "not_separable"), "")
    confidence = SURE.get(finding["severity"], FOUND_NOTHING)
    confidence -= UNPROVEN_LESS * (fault in UNPROVEN) + OPEN_LESS * bool(rival)
    where = where_is(finding["channel"], field.case.language)
    nearest = rival or next(iter(rivals_of(fault)), "")
    condition = field.say("panel_condition", where=where, rival=field.title(nearest)) if rival else ""
    return {
        "position": _found(field, finding),
        "cause": fault,
        "confidence": round(confidence, 2),
        "condition": condition,
        "measurement": deciding(finding, field.case.language, field.found["unit"]),
    }


def _leaves_open(field: Field, one: Reason) -> dict[str, Any]:
    """Return position and vote for what is not ruled out; what no check could judge is asked, not held."""
    if not one.judged:
        return {"position": one.text, "cause": "", "confidence": LEFT_OPEN}
    rival = next((row for row in found_faults(field.found) if row["class"] != one.cause), None)
    measure = deciding(rival, field.case.language, field.found["unit"]) if rival else ""
    position = field.say("panel_open", title=field.title(one.cause), text=one.text)
    return {"position": position, "cause": one.cause, "confidence": LEFT_OPEN, "measurement": measure}


def _found(field: Field, finding: Mapping[str, Any]) -> str:
    """Return what the check found, its name first; some sentences begin with it."""
    said = sentence(finding["summary"])
    if said.startswith(finding["title"]):
        return said
    return field.say("panel_holds", title=finding["title"], clause=said)


def _weigh(field: Field) -> dict[str, Any]:
    """Say how strong the evidence is for what the checks found; name no cause of its own."""
    found, language, part = field.found, field.case.language, field.part
    seen = [
        one for one in on_channel(found_faults(found), part["channel"]) if one["class"] in part["candidates"]
    ]
    if not seen:
        position = _amount(field) if part["kind"] == "trust" else _quiet(field)
        return {"position": position, "cause": "", "confidence": WEIGHED, "claims": [], "rejects": []}
    one = seen[0]
    told = {"title": one["title"], "count": len(one["evidence"]), "samples": found["samples"]}
    shown = figure(found, one["channel"], one["class"], language)
    position = field.say("panel_weighs", since=one["onset_clock"], figure=shown, **told)
    claims = [_claim(text["text"], field, text["lines"][0]) for text in one["coincidences"][:2]]
    rival = next((row["class"] for row in one["alternatives"] if row["reason"] == "not_separable"), "")
    if rival:
        names = {"title": one["title"], "rival": field.title(rival)}
        claims.append(_claim(field.say("panel_not_by_numbers", samples=found["samples"], **names), field))
    confidence = WEIGHED - OPEN_LESS * bool(rival)
    return {
        "position": position,
        "cause": one["class"],
        "confidence": confidence,
        "claims": claims,
        "rejects": [],
    }


def _decide(field: Field) -> dict[str, Any]:
    """Say what is to be done first in the expert's field, or what keeps a runner-up possible."""
    language = field.case.language
    against, left = reasons(field.found, field.own, None, language)
    told: dict[str, Any] = {"claims": [], "rejects": _rejected([one for one in against if one.line])}
    seen = [one for one in found_faults(field.found) if one["class"] in field.own]
    if seen:
        first = seen[0]
        position = field.say("panel_do", action=first["action"])
        claims = [_claim(first["cause"], field, *_line(first))]
        return {**told, **_holds(field, first), "position": position, "claims": claims}
    if left:
        opened = _leaves_open(field, left[0])
        if opened.get("measurement"):
            kept = {name: opened[name] for name in ("confidence", "measurement")}
            waiting = field.say("panel_wait", title=field.title(left[0].cause), **kept)
            return {**told, **opened, "claims": [_claim(waiting, field)]}
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
        return _quiet(field)
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


def _quiet(field: Field) -> str:
    shown = figure(field.found, field.part["channel"], "", field.case.language)
    return field.say("panel_weighs_nothing", samples=field.found["samples"], figure=shown)


def _amount(field: Field) -> str:
    """Return whether the log has enough samples for a verdict."""
    found = field.found
    channel = worst_channel(found, None)
    told = {"samples": channel.get("samples") or 0, "seconds": found["seconds"] or 0.0}
    enough = told["samples"] >= ENOUGH_SAMPLES and told["seconds"] >= ENOUGH_SECONDS
    few = not enough or channel.get("sample_period") is None
    key = "panel_weighs_too_little" if few else "panel_weighs_record"
    said = field.say(key, period=channel.get("sample_period"), **told)
    return with_spans(said, field.case.language)


def _from_sources(field: Field) -> list[Shown]:
    """Return what the tools of the expert's field add: those of later rounds only when it speaks again."""
    shown: list[Shown] = []
    for name, source in SOURCES.items():
        if name in field.expert["tools"] and source.round <= field.given["round"]:
            with suppress(ToolFailed):  # the failed call is on the wire; the expert speaks without it
                shown += source.look(field.case, field.given["brief"], field.part["channel"], field.found)
    return shown


def _claims(field: Field, seen: list[dict[str, Any]], shown: list[Shown]) -> list[dict[str, Any]]:
    claims = [
        {
            "text": one["cause"],
            "evidence": [_evidence(field, item["line"], item["text"]) for item in one["evidence"][:2]],
        }
        for one in seen
    ]
    claims += [_claim(one.text, field, one.line, one.quote) for one in shown]
    return claims[:MOST_CLAIMS]


def _claim(text: str, field: Field, line: int | None = None, quote: str = "") -> dict[str, Any]:
    return {"text": text, "evidence": [_evidence(field, line, quote)] if line else []}


def _evidence(field: Field, line: int, quote: str) -> dict[str, Any]:
    return {"log": field.given["brief"]["reference"], "line": line, "text": quote[:600]}


def _line(finding: Mapping[str, Any]) -> tuple[int | None, str]:
    shown = finding["evidence"][:1]
    return (shown[0]["line"], shown[0]["text"]) if shown else (None, "")


def _rejected(against: list[Reason]) -> list[dict[str, Any]]:
    return [{"cause": one.cause, "because": one.text, "line": one.line} for one in against[:MOST_REJECTS]]


def _memory(field: Field, told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the contribution's claims with what the expert builds on, and the sub-problems it remembers."""
    remembered = field.given["remembered"]
    elsewhere = [_claim(text, field) for text in field.given.get("earlier", ())[:1]]
    if not remembered:
        return {"claims": [*elsewhere, *told["claims"]]}
    newest = remembered[0]
    told_ = {name: newest[name] for name in ("confidence", "position")}
    text = field.say("panel_builds", number=newest["sub_problem"], **told_)
    builds_on = [one["sub_problem"] for one in remembered]
    return {"claims": [_claim(text, field), *elsewhere, *told["claims"]], "builds_on": builds_on}

"""A panel without any model: each expert speaks from the checks of its field, then it is summed up."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from instrumentgpt.agents.offline.panel_plan import (
    Reason,
    figure,
    first_line,
    on_channel,
    reasons,
    sentence,
    where_is,
)
from instrumentgpt.analyst.case import Case, Result, ToolFailed
from instrumentgpt.analyst.constraints import mark, step_of
from instrumentgpt.analyst.report import faults_of
from instrumentgpt.analyst.words import cited, joined, phrase
from instrumentgpt.instruments.faults import cause_title
from instrumentgpt.memory.tokens import count_tokens

SURE = {"certain": 0.95, "likely": 0.8, "possible": 0.55}  # how often each grade is right: docs/faults.md
RULED_OUT = 0.85  # confidence that there is none: every candidate is ruled out by a line
FOUND_NOTHING, LEFT_OPEN = 0.7, 0.4  # confidence without a verdict of its own
MOST_CLAIMS, MOST_REJECTS = 5, 5
POSITION_TOKENS = 62  # a position is to fit into a summary of 100 (modes/panel/contracts.py allows 66)
_View = dict[str, Any]


@dataclass(frozen=True)
class _Field:
    """What the expert works with: the brief, the sub-problem, who it is, and what the log says."""

    case: Case
    diagnosis: Result
    brief: Mapping[str, Any]
    part: Mapping[str, Any]
    expert: Mapping[str, Any]

    @property
    def causes(self) -> list[str]:
        """The candidates that the expert may speak on."""
        return [cause for cause in self.part["candidates"] if cause in self.expert["speaks_on"]]

    def say(self, key: str, **fields: Any) -> str:
        return phrase(key, self.case.language, **fields)

    def title(self, fault: str) -> str:
        return cause_title(fault, self.case.language)

    def figure(self, channel: int | None, cause: str = "") -> str:
        return figure(self.diagnosis, channel, cause, self.case.language)

    def faults(self, channel: int | None, causes: list[str]) -> list[dict[str, Any]]:
        """The findings of `channel` that are of `causes`."""
        findings = on_channel(faults_of(self.diagnosis), channel)
        return [finding for finding in findings if finding["class"] in causes]

    def claim(self, text: str, *lines: tuple[int | None, str]) -> _View:
        """`text` as a claim of the contract, with its evidence from the log: (number, words) of `lines`."""
        log = self.brief["reference"]
        shown = [{"log": log, "line": line, "text": quote[:600]} for line, quote in lines if line]
        return {"text": text, "evidence": shown}


def contribute(case: Case) -> Iterator[str]:
    """Yield the expert's contribution as JSON (modes/panel/contracts.py)."""
    given = case.task.given
    brief = given["brief"]
    diagnosis = case.tool("diagnose_log", log=brief["log"], device=brief["device"], language=case.language)
    field = _Field(case, diagnosis, brief, given["sub_problem"], given["expert"])
    view = _decide(field) if field.part["kind"] == "decide" else _judge(field)
    # without its last sentences, as far as it must fit into a summary
    sentences = re.split(r"(?<=[.;])\s+|(?<=[。；])", view["position"])
    while len(sentences) > 1 and count_tokens(" ".join(sentences)) > POSITION_TOKENS:
        sentences.pop()
    view["position"] = re.sub(r"(?<=[。；]) ", "", " ".join(sentences)).rstrip("；; ")
    if remembered := given["remembered"]:
        held = {name: remembered[0][name] for name in ("confidence", "position")}
        text = field.say("panel_builds", number=remembered[0]["sub_problem"], **held)
        view["claims"] = [field.claim(text), *view["claims"]]
        view["builds_on"] = [row["sub_problem"] for row in remembered]
    yield json.dumps(view, ensure_ascii=False)


def _judge(field: _Field) -> _View:
    """Return the vote for the cause in the expert's field that a check found, or why there is none."""
    channel = field.part["channel"]
    against, left = reasons(field.diagnosis, field.causes, channel, field.case.language)
    seen = field.faults(channel, field.causes)
    claims = [
        field.claim(finding["cause"], *((item["line"], item["text"]) for item in finding["evidence"][:2]))
        for finding in seen
    ]
    claims += _shown_by_tools(field)
    view: _View = {"claims": claims[:MOST_CLAIMS], "rejects": _rejects(against)}
    if seen:
        return {**view, **_holds(field, seen[0])}
    if left:
        return {**view, **_leaves_open(field, left[0])}
    firm = bool(against) and all(reason.line for reason in against)
    confidence = RULED_OUT if firm else FOUND_NOTHING
    return {**view, "position": _nothing(field, against), "cause": "", "confidence": confidence}


def _decide(field: _Field) -> _View:
    """Return what is to be done first in the expert's field, or what keeps a runner-up possible."""
    against, left = reasons(field.diagnosis, field.causes, None, field.case.language)
    view: _View = {"claims": [], "rejects": _rejects([reason for reason in against if reason.line])}
    if seen := field.faults(None, field.causes):
        claims = [field.claim(seen[0]["cause"], first_line(seen[0]))]
        position = field.say("panel_do", action=seen[0]["action"])
        return {**view, **_holds(field, seen[0]), "position": position, "claims": claims}
    if left:
        opened = _leaves_open(field, left[0])
        if opened.get("measurement"):
            kept = {name: opened[name] for name in ("confidence", "measurement")}
            waiting = field.say("panel_wait", title=field.title(left[0].cause), **kept)
            opened["claims"] = [field.claim(waiting)]
        return {**view, **opened}
    reason = _named(field, against[0]) if against else field.figure(None)
    count = len(faults_of(field.diagnosis))
    position = field.say("panel_nothing_to_do", count=count, reason=reason)
    return {**view, "position": position, "cause": "", "confidence": RULED_OUT}


def _holds(field: _Field, finding: Mapping[str, Any]) -> _View:
    """Return position, confidence, condition and measurement of an expert whose check found something."""
    where = where_is(finding["channel"], field.case.language)
    # what the log alone cannot tell from it
    alike = (row["class"] for row in finding["alternatives"] if row["reason"] == "not_separable")
    rival = next(alike, "")
    seen = sentence(finding["summary"])
    if not seen.startswith(finding["title"]):  # some sentences begin with it
        seen = field.say("panel_holds", title=finding["title"], clause=seen)
    return {
        "position": seen,
        "cause": finding["class"],
        "confidence": SURE[finding["confidence"]],
        "condition": field.say("panel_condition", where=where, rival=field.title(rival)) if rival else "",
        "measurement": finding["next_test"],
    }


def _leaves_open(field: _Field, reason: Reason) -> _View:
    """Return position and vote for what is not ruled out; what no check could judge is asked, not held."""
    if not reason.judged:
        return {"position": reason.text, "cause": "", "confidence": LEFT_OPEN}
    others = (
        finding["next_test"] for finding in faults_of(field.diagnosis) if finding["class"] != reason.cause
    )
    position = field.say("panel_open", title=field.title(reason.cause), text=reason.text)
    fields = {"cause": reason.cause, "confidence": LEFT_OPEN, "measurement": next(others, "")}
    claims = [field.claim(reason.text, (reason.line, reason.quote))] if reason.line else []
    return {"position": position, "claims": claims, **fields}


def _shown_by_tools(field: _Field) -> list[_View]:
    """Return what the tools of the expert's field add: margins of the loop, events that warn."""
    log = {"log": field.brief["log"], "device": field.brief["device"]}
    channel, case, shown = field.part["channel"], field.case, list[_View]()
    with suppress(ToolFailed):  # the failed call is on the wire; the expert speaks without it
        if "advise_gains" in field.expert["tools"] and channel is not None:
            advice = case.tool("advise_gains", **log, channel=channel, language=case.language)
            shown += [field.claim(text) for row in advice["groups"] for text in row["sentences"][1:2]]
        if "search_events" in field.expert["tools"]:
            events = case.tool("search_events", **log)
            if not events["groups"]:
                return [*shown, field.claim(field.say("panel_no_events", total=events["total"]))]
            worst = events["groups"][0]
            fields = {"count": events["count"], "total": events["total"], "times": worst["count"]}
            text = field.say("panel_events", said=worst["template"], **fields)
            shown.append(field.claim(text, (worst["first"]["line"], worst["first"]["text"])))
    return shown


def _rejects(against: list[Reason]) -> list[_View]:
    return [
        {"cause": reason.cause, "because": reason.text, "line": reason.line}
        for reason in against[:MOST_REJECTS]
    ]


def _nothing(field: _Field, against: list[Reason]) -> str:
    diagnosis = field.diagnosis
    if field.part["kind"] == "trust" and "data_gap" in field.causes:
        gaps = sum(finding["class"] == "data_gap" for finding in diagnosis["findings"])
        fields = {"samples": diagnosis["samples"], "lines": diagnosis["lines"]}
        return field.say("panel_record_holds", gaps=gaps, broken=diagnosis["broken"]["count"], **fields)
    if not against:
        shown = field.figure(field.part["channel"])
        return field.say("panel_weighs_nothing", samples=field.diagnosis["samples"], figure=shown)
    where, reason = where_is(field.part["channel"], field.case.language), _named(field, against[0])
    return field.say("panel_none", where=where, count=len(against), reason=reason)


def _named(field: _Field, reason: Reason) -> str:
    """Return the reason; one that only says that nothing was found needs the cause's name."""
    if reason.line:
        return reason.text
    return f"{field.title(reason.cause)}{'：' if field.case.language == 'zh' else ': '}{reason.text}"


MOST_LINKED = 3  # lines of one view


def synthesis(case: Case) -> Iterator[str]:
    """Yield the synthesis of one sub-problem as JSON."""
    given, language = case.task.given, case.language
    counts, names = given["counts"], given["names"]
    last = {view["expert"]: view for view in given["said"]}
    against = {  # cause → the reason of who ruled it out first
        row["cause"]: cited(row["because"], given["brief"]["reference"], [row["line"]])
        for view in reversed(last.values())
        for row in reversed(view["rejects"])
    }
    lead = counts[0] if counts and counts[0]["votes"] else None
    second = counts[1] if lead and len(counts) > 1 else None
    leading = lead["cause"] if lead else ""
    lines = [_lead(case, lead, last)]
    if second and second["votes"]:
        fields = {"weight": second["weight"], "count": len(second["votes"])}
        text = phrase("panel_runner_up_plain", language, title=_title(case, second), **fields)
        lines.append(_shown(case, text, last[second["votes"][0]]))
    elif second and second["against"]:
        fields = {"title": _title(case, second), "reason": against[second["cause"]]}
        lines.append(phrase("panel_runner_up", language, **fields).strip())
    out = [count for count in counts[1:] if count["against"] and not count["votes"] and count is not second]
    lines += _excluded(case, out, last, against)
    dissent = [
        phrase(
            "panel_dissents",
            language,
            title=_title(case, view),
            name=names[view["expert"]],
            confidence=view["confidence"],
            position=view["position"],
        )
        for view in last.values()
        if lead and view["cause"] not in ("", leading)
    ]
    # what the leading view's firmest advocate would measure, else anybody
    measured = sorted(
        (view for view in last.values() if view["measurement"]),
        key=lambda view: (view["cause"] != leading, -view["confidence"]),
    )
    measurement = measured[0]["measurement"] if measured else ""
    if measurement:
        lines.append(phrase("panel_decides", language, measurement=measurement))
    fields = {"cause": leading, "runner_up": second["cause"] if second else "", "dissent": dissent}
    yield _json(lines, **fields, measurement=measurement)


def conclusion(case: Case) -> Iterator[str]:
    """Yield the overall synthesis as JSON: the first cause found, in the order of the findings."""
    given, language = case.task.given, case.language
    findings = {row["class"]: row for row in reversed(given["brief"]["findings"])}
    order = [row["class"] for row in given["brief"]["findings"]]
    named = [result for result in given["results"] if result["cause"] and result["kind"] != "decide"]
    named.sort(
        key=lambda result: (
            order.index(result["cause"]) if result["cause"] in order else len(order),
            result["kind"] != "cause",
        )
    )
    if not named:
        fields = {"count": len(given["results"]), "lines": given["brief"]["lines"]}
        yield _json([phrase("panel_healthy", language, **fields)])
        return
    lines = []
    once = {result["cause"]: result for result in reversed(named)}  # a sensor's fault is found twice
    for cause, result in reversed(once.items()):
        seen = sentence(findings[cause]["summary"]) if cause in findings else result["position"]
        fields = {"title": _title(case, result), "number": result["sub_problem"], "clause": seen}
        text = phrase("panel_most_likely", language, **fields)
        shown = [item["line"] for item in findings[cause]["evidence"]] if cause in findings else []
        lines.append(cited(text, given["brief"]["reference"], shown))
    first = named[0]
    lines += [line for line in first["told"] if line not in lines]
    to_mend = findings.get(first["cause"])
    if to_mend and to_mend["action"]:
        held = mark(case.task, language, step_of(to_mend))
        lines.append(phrase("panel_do", language, action=to_mend["action"]) + held)
    yield _json(lines, **{name: first[name] for name in ("dissent", "cause", "runner_up", "measurement")})


def _json(lines: list[str], **fields: Any) -> str:
    return json.dumps({"text": "\n".join(f"- {line}" for line in lines), **fields}, ensure_ascii=False)


def _title(case: Case, of_a_cause: Mapping[str, Any]) -> str:
    return cause_title(of_a_cause["cause"], case.language)


def _lead(case: Case, lead: Mapping[str, Any] | None, last: Mapping[str, Any]) -> str:
    given, language = case.task.given, case.language
    if lead is None:
        firmest = max(last.values(), key=lambda view: view["confidence"])
        key = "panel_trusted" if given["sub_problem"]["kind"] == "trust" else "panel_nobody_votes"
        return phrase(key, language, count=len(given["counts"]), position=firmest["position"])
    first = max((last[code] for code in lead["votes"]), key=lambda view: view["confidence"])
    named = joined([given["names"][code] for code in lead["votes"]], language)
    fields = {"title": _title(case, lead), "weight": lead["weight"], "count": len(lead["votes"])}
    text = phrase("panel_leads", language, names=named, position=first["position"], **fields)
    return _shown(case, text, first)


def _shown(case: Case, text: str, view: Mapping[str, Any]) -> str:
    """Return the `text` on an expert's view with the links to the lines that it gave."""
    lines = [item["line"] for claim in view["claims"] for item in claim["evidence"]]
    return cited(text, case.task.given["brief"]["reference"], lines[:MOST_LINKED])


def _excluded(
    case: Case, out: list[Any], last: Mapping[str, Any], against: Mapping[str, str]
) -> Iterator[str]:
    """Yield who ruled what out: by a line of the log each for itself, by silent checks all together."""
    names, language = case.task.given["names"], case.language
    shown = {row["cause"] for view in last.values() for row in view["rejects"] if row["line"]}
    for count in out:
        if count["cause"] in shown:
            named = joined([names[code] for code in count["against"]], language)
            fields = {"title": _title(case, count), "reason": against[count["cause"]]}
            yield phrase("panel_excludes", language, names=named, **fields)
    rest = [count for count in out if count["cause"] not in shown]
    if rest:
        fields = {"titles": joined([_title(case, count) for count in rest], language)}
        reason = against[rest[0]["cause"]]
        yield phrase("panel_excluded_rest", language, count=len(rest), reason=reason, **fields)

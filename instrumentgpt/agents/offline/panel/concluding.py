"""The synthesis of a sub-problem, and of the whole panel: what leads, what comes next, what decides."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from instrumentgpt.agents.offline.panel.record import sentence
from instrumentgpt.analyst.case import Case
from instrumentgpt.analyst.constraints import mark, step_of
from instrumentgpt.analyst.words import cited, joined, phrase
from instrumentgpt.instruments.faults import cause_title

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

"""The synthesis of a sub-problem, and of the whole panel: what leads, what comes next, what decides."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from instrumentgpt.agents.offline.panel.record import sentence
from instrumentgpt.analyst.case import Case
from instrumentgpt.analyst.constraints import mark, step_of
from instrumentgpt.analyst.words import joined, phrase
from instrumentgpt.instruments.faults import cause_title


def synthesis(case: Case) -> Iterator[str]:
    """Yield the synthesis of one sub-problem as JSON."""
    given, language = case.task.given, case.language
    counts, names = given["counts"], given["names"]
    last = {one["expert"]: one for one in given["said"]}
    lead = counts[0] if counts and counts[0]["votes"] else None
    second = counts[1] if lead and len(counts) > 1 else None
    lines = [_lead(case, lead, last, names, len(counts))]
    if second and (second["votes"] or second["against"]):
        lines.append(_second(case, second, last))
    lines += _excluded(case, counts[1:], last, names, second)
    dissent = [
        _dissent(case, one, names)
        for one in last.values()
        if lead and one["cause"] not in ("", lead["cause"])
    ]
    measurement = _measurement(last, lead["cause"] if lead else "")
    if measurement:
        lines.append(phrase("panel_decides", language, measurement=measurement))
    told = {"cause": lead["cause"] if lead else "", "runner_up": second["cause"] if second else ""}
    text = "\n".join(f"- {line}" for line in lines)
    yield json.dumps(
        {"text": text, **told, "dissent": dissent, "measurement": measurement}, ensure_ascii=False
    )


def conclusion(case: Case) -> Iterator[str]:
    """Yield the overall synthesis as JSON: the first cause found, in the order of the findings."""
    given, language = case.task.given, case.language
    about = given["brief"]
    named = [one for one in given["results"] if one["cause"] and one["kind"] != "decide"]
    order = [one["class"] for one in about["findings"]]
    named.sort(key=lambda one: (_place(order, one["cause"]), one["kind"] != "cause"))
    if not named:
        text = phrase("panel_healthy", language, count=len(given["results"]), lines=about["lines"])
        yield json.dumps({"text": f"- {text}"}, ensure_ascii=False)
        return
    lines = []
    for one in _once(named):
        finding = next((row for row in about["findings"] if row["class"] == one["cause"]), None)
        seen = sentence(finding["summary"]) if finding else one["position"]
        told = {"title": cause_title(one["cause"], language), "number": one["sub_problem"], "clause": seen}
        lines.append(phrase("panel_most_likely", language, **told))
    first = named[0]
    lines += [line for line in first["told"] if line not in lines]
    to_mend = next((row for row in about["findings"] if row["class"] == first["cause"]), None)
    if to_mend and to_mend["action"]:
        held = mark(case.task, language, step_of(to_mend))
        lines.append(phrase("panel_do", language, action=to_mend["action"]) + held)
    told = {"cause": first["cause"], "runner_up": first["runner_up"], "measurement": first["measurement"]}
    text = "\n".join(f"- {line}" for line in lines)
    yield json.dumps({"text": text, "dissent": first["dissent"], **told}, ensure_ascii=False)


def _once(named: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the first result of each cause: a sensor's fault is found twice, as the record's too."""
    return list({one["cause"]: one for one in reversed(named)}.values())[::-1]


def _place(order: list[str], cause: str) -> int:
    return order.index(cause) if cause in order else len(order)


def _lead(
    case: Case, lead: Mapping[str, Any] | None, last: Mapping[str, Any], names: Mapping[str, str], count: int
) -> str:
    if lead is None:
        firmest = max(last.values(), key=lambda one: one["confidence"])
        key = "panel_trusted" if case.task.given["sub_problem"]["kind"] == "trust" else "panel_nobody_votes"
        return phrase(key, case.language, count=count, position=firmest["position"])
    voters = [last[code] for code in lead["votes"]]
    first = max(voters, key=lambda one: one["confidence"])
    named = joined([names[code] for code in lead["votes"]], case.language)
    told = {
        "title": cause_title(lead["cause"], case.language),
        "weight": lead["weight"],
        "count": len(voters),
    }
    return phrase("panel_leads", case.language, names=named, position=first["position"], **told)


def _second(case: Case, second: Mapping[str, Any], last: Mapping[str, Any]) -> str:
    named = cause_title(second["cause"], case.language)
    if second["votes"]:
        told = {"weight": second["weight"], "count": len(second["votes"])}
        return phrase("panel_runner_up_plain", case.language, title=named, **told)
    reason = next(_against(second["cause"], last), "")
    return phrase("panel_runner_up", case.language, title=named, reason=reason).strip()


def _excluded(
    case: Case,
    counts: list[Any],
    last: Mapping[str, Any],
    names: Mapping[str, str],
    second: Mapping[str, Any] | None,
) -> list[str]:
    """Return who ruled what out: by a line of the log each for itself, by silent checks all together."""
    out = [one for one in counts if one["against"] and not one["votes"] and one is not second]
    shown = {row["cause"] for one in last.values() for row in one["rejects"] if row["line"]}
    lines = [
        phrase(
            "panel_excludes",
            case.language,
            names=joined([names[code] for code in one["against"]], case.language),
            title=cause_title(one["cause"], case.language),
            reason=next(_against(one["cause"], last), ""),
        )
        for one in out
        if one["cause"] in shown
    ]
    rest = [one["cause"] for one in out if one["cause"] not in shown]
    if rest:
        titles = joined([cause_title(cause, case.language) for cause in rest], case.language)
        told = {"count": len(rest), "titles": titles, "reason": next(_against(rest[0], last), "")}
        lines.append(phrase("panel_excluded_rest", case.language, **told))
    return lines


def _against(cause: str, last: Mapping[str, Any]) -> Iterator[str]:
    for one in last.values():
        yield from (row["because"] for row in one["rejects"] if row["cause"] == cause)


def _dissent(case: Case, one: Mapping[str, Any], names: Mapping[str, str]) -> str:
    told = {"name": names[one["expert"]], "confidence": one["confidence"], "position": one["position"]}
    return phrase("panel_dissents", case.language, title=cause_title(one["cause"], case.language), **told)


def _measurement(last: Mapping[str, Any], lead: str) -> str:
    """Return what the leading view's firmest advocate would measure, else anybody."""
    named = [one for one in last.values() if one["measurement"]]
    named.sort(key=lambda one: (one["cause"] != lead, -one["confidence"]))
    return str(named[0]["measurement"]) if named else ""

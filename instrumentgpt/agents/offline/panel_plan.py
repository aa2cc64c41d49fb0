"""What a log says of possible causes, the brief made of it before any expert speaks, the decomposition."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from instrumentgpt.analyst.case import Case, choose_log
from instrumentgpt.analyst.questions import spelled, suspected
from instrumentgpt.analyst.report import draw, faults_of
from instrumentgpt.analyst.words import joined, phrase, sentences
from instrumentgpt.instruments.faults import cause_title, next_tests
from instrumentgpt.instruments.findings import NOT_RULED_OUT
from instrumentgpt.instruments.language import Language, with_spans

OPEN_REASONS = (*NOT_RULED_OUT, "no_sticking")  # reasons of a check that do not rule out
TOO_LITTLE = "insufficient_data"
SEEN_AT_ONCE = ("data_gap", "sensor_open")  # faults that show in a record of any length
FIGURES = {  # fault class → the figures that speak for or against it: phrases panel_figure_…
    **dict.fromkeys(("data_gap", "insufficient_data"), "record"),
    **dict.fromkeys(("sensor_noise", "sensor_spike", "sensor_open", "sensor_stuck"), "noise"),
    **dict.fromkeys(
        ("heater_failure", "runaway_stuck_on", "saturation", "heater_degradation", "short_cycling"), "power"
    ),
    **dict.fromkeys(("overshoot_tuning", "integral_windup", "sluggish_tuning"), "step"),
    **dict.fromkeys(("sensor_bias", "proportional_offset"), "error"),
    "control_off": "power",
}
_PERCENT = ("in_band", "saturated")  # shares


@dataclass(frozen=True)
class Reason:
    """Why a possible cause is ruled out, or left open: a sentence with its numbers, and a line that shows it.

    firm    it is ruled out; else it is left open
    judged  a check looked at it: what no check could judge is a question, and no cause
    """

    cause: str
    text: str
    line: int | None = None
    quote: str = ""
    firm: bool = True
    judged: bool = True


def rivals_of(fault: str) -> tuple[str, ...]:
    """Return what looks like `fault`, the most alike first; () if nothing is known to."""
    return tuple(next_tests().get(fault, {}).get("rivals", ()))


def clause(summary: str) -> str:
    """Return the first part of a finding's sentence: what was seen, without what it is compared with.

    >>> clause("Channel 4: 60 °C needs 45 % where it needed 38 %; the others changed by 1.0")
    'Channel 4: 60 °C needs 45 % where it needed 38 %'
    """
    return summary.replace("；", ";").split(";")[0].strip()


def sentence(summary: str) -> str:
    """Return the first part of a finding's sentence as a sentence of its own."""
    text = clause(summary)
    return text + ("。" if any("\u4e00" <= letter <= "\u9fff" for letter in text) else ".")


def on_channel(findings: Sequence[dict[str, Any]], channel: int | None) -> list[dict[str, Any]]:
    """Return the findings of `channel` and of the whole device; all of them for None."""
    return [finding for finding in findings if channel is None or finding["channel"] in (None, channel)]


def reasons(
    diagnosis: Mapping[str, Any], candidates: Sequence[str], channel: int | None, language: Language
) -> tuple[list[Reason], list[Reason]]:
    """Return why candidates that no check found are ruled out, and why others are left open.

    What a check weighed against its own finding comes first.
    """
    findings = on_channel(faults_of(diagnosis), channel)
    seen = {finding["class"] for finding in findings}
    against: list[Reason] = []
    left: list[Reason] = []
    for cause in [name for name in candidates if name not in seen]:
        reason = next(_weighed(findings, cause), None) or _explained(findings, cause, language)
        if reason is not None:
            (against if reason.firm else left).append(reason)
        elif _is_judged(diagnosis, cause):
            shown, samples = figure(diagnosis, channel, cause, language), diagnosis["samples"]
            against.append(Reason(cause, phrase("panel_silent", language, figure=shown, samples=samples)))
        else:
            samples = diagnosis["samples"]
            text = phrase("panel_unjudged", language, title=cause_title(cause, language), samples=samples)
            left.append(Reason(cause, text, firm=False, judged=False))
    left.sort(key=lambda reason: not reason.judged)
    return sorted(against, key=lambda reason: reason.line is None), left


def figure(diagnosis: Mapping[str, Any], channel: int | None, cause: str, language: Language) -> str:
    """Return the figures of `channel` (or of the worst one) that speak for or against `cause`."""
    rows = [row for row in diagnosis["channels"] if channel is None or row["channel"] == channel]
    metrics: Mapping[str, Any] = max(rows, key=lambda row: row["half_peak_to_peak"] or 0.0, default={})
    figures = {
        name: 100 * value if name in _PERCENT and value is not None else value
        for name, value in metrics.items()
    }
    kind = FIGURES.get(cause, "swing")
    if kind == "record":
        figures = {name: diagnosis[name] for name in ("seconds", "samples")}
        text = phrase("panel_figure_record", language, broken=diagnosis["broken"]["count"], **figures)
        return with_spans(text, language)
    if kind == "step" and figures.get("overshoot_percent") is None:
        kind = "swing"
    names = ("noise", "digit", "half_peak_to_peak", "in_band", "duty", "saturated", "mean_error", "kp", "ki")
    template = sentences()[f"panel_figure_{kind}"][language]
    if any(figures.get(name) is None for name in names if f"{{{name}" in template):
        return phrase("panel_figure_samples", language, samples=diagnosis["samples"])
    return phrase(f"panel_figure_{kind}", language, **{**figures, "unit": diagnosis["unit"]})


def _weighed(findings: Sequence[Mapping[str, Any]], cause: str) -> Iterator[Reason]:
    """Yield what the checks that found something say about `cause`."""
    for finding in findings:
        for row in finding["alternatives"]:
            if row["class"] == cause:
                firm = row["reason"] not in OPEN_REASONS
                yield Reason(cause, row["text"], *first_line(finding), firm=firm)


def _explained(findings: Sequence[Mapping[str, Any]], cause: str, language: Language) -> Reason | None:
    for finding in findings:
        if cause in finding["explains"]:
            fields = {"title": cause_title(cause, language), "cause": finding["title"]}
            text = phrase("panel_explained", language, clause=clause(finding["summary"]), **fields)
            return Reason(cause, text, *first_line(finding))
    return None


def _is_judged(diagnosis: Mapping[str, Any], cause: str) -> bool:
    """Return whether the silence of the check of `cause` says anything: too little data says nothing."""
    if any(finding["class"] == TOO_LITTLE for finding in diagnosis["findings"]) and cause not in SEEN_AT_ONCE:
        return False
    return cause in diagnosis["checks"] and cause not in diagnosis["unjudged"]


def first_line(finding: Mapping[str, Any]) -> tuple[int | None, str]:
    """Return number and text of the first line that shows `finding`; (None, "") if none does."""
    shown = finding["evidence"][:1]
    return (shown[0]["line"], shown[0]["text"]) if shown else (None, "")


def where_is(channel: int | None, language: Language) -> str:
    """Return where a fault is, as it stands in a sentence."""
    if channel is None:
        return phrase("where_device", language)
    return phrase("where_channel", language, channel=channel)


MOST_FAULTS = 3  # examined each in a sub-problem of its own
MOST_EVIDENCE = 2  # lines of a finding that go into the brief
RECORD = ("data_gap", "insufficient_data", "sensor_open", "sensor_stuck", "sensor_spike", "sensor_noise")
SUSPECTED = ("oscillation_tuning", "ambient_disturbance", "saturation", "heater_degradation", "sensor_bias")
_Fields = Mapping[str, Sequence[str]]  # expert → the classes that it speaks on
_Part = dict[str, Any]  # a sub-problem, as modes/panel/contracts.py has it
_OF_A_LOG = ("lines", "samples", "seconds", "unit", "missing", "start", "end")
_OF_A_FINDING = (  # what of a finding goes into the brief
    "class", "title", "channel", "severity", "summary", "cause", "action", "numbers", "explains",
    "onset_clock",
)  # fmt: skip
_CHANNEL = (  # figures of a channel that go into the brief
    "channel", "setpoint", "mean_error", "half_peak_to_peak", "period", "duty", "saturated",
    "overshoot_percent", "settling_time", "noise", "in_band", "kp", "ki", "kd",
)  # fmt: skip


def brief(case: Case) -> Iterator[str]:
    """Yield what the log says as JSON: findings, what is ruled out, figures of channels, the log before."""
    about = choose_log(case)
    diagnosis = case.tool("diagnose_log", log=about.log, device=about.device, language=case.language)
    draw(case, about)
    faults = [finding for finding in faults_of(diagnosis) if finding["severity"] not in ("none", "info")]
    opened = [
        row["class"] for finding in faults for row in finding["alternatives"] if row["reason"] in OPEN_REASONS
    ]
    opened += filter(None, (finding["open_rival"] for finding in faults))
    facts = {
        "log": about.log,
        "device": about.device,
        "label": about.label,
        "reference": about.reference,
        **{name: diagnosis[name] for name in _OF_A_LOG},
        "findings": [_finding(finding) for finding in diagnosis["findings"]],
        "channels": [{name: channel[name] for name in _CHANNEL} for channel in diagnosis["channels"]],
        "hypotheses": list(case.task.state.get("hypotheses") or ()),
        "alive": list(dict.fromkeys([*(finding["class"] for finding in faults), *opened])),
    }
    yield json.dumps(facts, ensure_ascii=False)


def plan(case: Case) -> Iterator[str]:
    """Yield the decomposition as JSON: the record, then each fault with its rivals, then what decides."""
    facts: Mapping[str, Any] = case.task.given["brief"]
    faults = faults_of(facts)
    faults = [fault for fault in faults if fault["severity"] not in ("none", "info")][:MOST_FAULTS]
    # the fault classes of the parts that the question or an open hypothesis names
    texts = (spelled(text) for text in (case.task.question, *facts["hypotheses"]))
    named = [cause for text in texts for group in suspected(text, is_asked=False).values() for cause in group]
    parts, fields = [_trust(facts, case.language)], case.task.given["fields"]
    for fault in faults:
        more = named if fault is faults[0] else []
        parts.append(_cause(len(parts) + 1, fault, more, fields, case.language))
    if not faults:
        causes = list(dict.fromkeys(named)) or SUSPECTED
        titles = joined([cause_title(cause, case.language) for cause in causes], case.language)
        told = {"count": len(facts["channels"]), "candidates": titles}
        goal = phrase("panel_goal_suspected", case.language, **told)
        parts.append(_of_causes(2, goal, None, causes, fields))
    else:
        parts.append(_decide(parts, fields, case.language))
    yield json.dumps({"sub_problems": parts}, ensure_ascii=False)


def experts_on(causes: Sequence[str], fields: _Fields) -> list[str]:
    """Return the experts in whose fields the causes lie, each once; not who speaks on all, and weighs."""
    own = {code: field for code, field in fields.items() if "healthy" not in field}
    experts = (next((code for code, field in own.items() if cause in field), "") for cause in causes)
    return [code for code in dict.fromkeys(experts) if code]


def _finding(finding: Mapping[str, Any]) -> dict[str, Any]:
    evidence = [{"line": item["line"], "text": item["text"]} for item in finding["evidence"][:MOST_EVIDENCE]]
    kept = {name: finding[name] for name in _OF_A_FINDING}
    return {**kept, "ruled_out": finding["alternatives"], "evidence": evidence}


def _trust(facts: Mapping[str, Any], language: Language) -> _Part:
    seen = [finding["class"] for finding in facts["findings"] if finding["class"] in RECORD]
    alike = [rival for cause in seen for rival in rivals_of(cause) if rival in RECORD]
    return {
        "id": 1,
        "kind": "trust",
        "goal": phrase("panel_goal_trust", language, lines=facts["lines"], log=facts["log"]),
        "channel": None,
        "candidates": list(dict.fromkeys([*seen, *alike, *RECORD])),
        "experts": ["firmware", "sensing"],
        "after": [],
    }


def _cause(
    number: int, fault: Mapping[str, Any], suspected: Sequence[str], fields: _Fields, language: Language
) -> _Part:
    weighed = [row["class"] for row in fault["ruled_out"]]
    alike = dict.fromkeys([fault["class"], *rivals_of(fault["class"]), *weighed, *suspected])
    causes = [cause for cause in alike if cause != "healthy"]
    named = joined([cause_title(cause, language) for cause in causes[:4]], language)
    where = where_is(fault["channel"], language)
    goal = phrase("panel_goal_cause", language, title=fault["title"], where=where, candidates=named)
    return _of_causes(number, goal, fault["channel"], causes, fields)


def _of_causes(number: int, goal: str, channel: int | None, causes: Sequence[str], fields: _Fields) -> _Part:
    experts = experts_on(causes, fields)[:4]
    part = {"id": number, "kind": "cause", "goal": goal, "channel": channel, "candidates": list(causes)}
    return {**part, "experts": experts, "after": [1]}


def _decide(parts: Sequence[_Part], fields: _Fields, language: Language) -> _Part:
    causes = list(dict.fromkeys(cause for part in parts[1:] for cause in part["candidates"]))
    goal = phrase("panel_goal_decide", language, count=len(causes))
    experts = experts_on([cause for part in parts[1:] for cause in part["candidates"][:2]], fields)[:4]
    part = {"id": len(parts) + 1, "kind": "decide", "goal": goal, "channel": None, "candidates": causes}
    return {**part, "experts": experts, "after": [part["id"] for part in parts]}

"""The brief (what the log says, before any expert speaks) and the decomposition made from it by rules."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from instrumentgpt.agents.offline.panel.record import OPEN_REASONS, found_faults, rivals_of
from instrumentgpt.analyst.case import Case, ToolFailed, choose_log
from instrumentgpt.analyst.questions import spelled, suspected
from instrumentgpt.analyst.report import draw
from instrumentgpt.analyst.words import joined, phrase
from instrumentgpt.instruments.faults import cause_title
from instrumentgpt.instruments.language import Language

MOST_FAULTS = 3  # examined each in a sub-problem of its own
MOST_EVIDENCE = 2  # lines of a finding that go into the brief
RECORD = ("data_gap", "insufficient_data", "sensor_open", "sensor_stuck", "sensor_spike", "sensor_noise")
SUSPECTED = ("oscillation_tuning", "ambient_disturbance", "saturation", "heater_degradation", "sensor_bias")
EXPERTS = {  # first word of a fault class → who is asked about it
    "sensor": "sensing",
    "data": "firmware",
    "insufficient": "firmware",
    "control": "firmware",
    "heater": "power",
    "runaway": "power",
    "saturation": "power",
    "limit": "power",
    "ambient": "surroundings",
    "cross": "surroundings",
    "oscillation": "tuning",
    "overshoot": "tuning",
    "sluggish": "tuning",
    "integral": "tuning",
}
_CHANNEL = (  # figures of a channel that go into the brief
    "channel", "setpoint", "mean_error", "half_peak_to_peak", "period", "duty", "saturated",
    "overshoot_percent", "settling_time", "noise", "in_band", "kp", "ki", "kd",
)  # fmt: skip


def brief(case: Case) -> Iterator[str]:
    """Yield what the log says as JSON: findings, what is ruled out, figures of channels, the log before."""
    about = choose_log(case)
    found = case.tool("diagnose_log", log=about.log, device=about.device, language=case.language)
    draw(case, about)
    told = {
        "log": about.log,
        "device": about.device,
        "label": about.label,
        "reference": about.reference,
        "before": _log_before(case, about.log, about.device),
        **{name: found[name] for name in ("lines", "samples", "seconds", "unit", "missing", "start", "end")},
        "findings": [_finding(one) for one in found["findings"]],
        "channels": [{name: one[name] for name in _CHANNEL} for one in found["channels"]],
        "hypotheses": list(case.task.state.get("hypotheses") or ()),
        "alive": alive(found),
    }
    yield json.dumps(told, ensure_ascii=False)


def alive(found: Mapping[str, Any]) -> list[str]:
    """Return the causes that the checks found, or that they left open beside what they found."""
    faults = [finding for finding in found_faults(found) if finding["severity"] not in ("none", "info")]
    opened = [
        row["class"] for finding in faults for row in finding["alternatives"] if row["reason"] in OPEN_REASONS
    ]
    return list(dict.fromkeys([*(finding["class"] for finding in faults), *opened]))


def plan(case: Case) -> Iterator[str]:
    """Yield the decomposition as JSON: the record, then each fault with its rivals, then what decides."""
    told: Mapping[str, Any] = case.task.given["brief"]
    faults = found_faults(told)
    faults = [one for one in faults if one["severity"] not in ("none", "info")][:MOST_FAULTS]
    suspected = _suspected([case.task.question, *told["hypotheses"]])
    parts = [_trust(told, case.language)]
    for one in faults:
        more = suspected if one is faults[0] else []
        parts.append(_cause(len(parts) + 1, one, more, case.language))
    if not faults:
        parts.append(_suspicion(told, suspected or list(SUSPECTED), case.language))
    else:
        parts.append(_decide(parts, case.language))
    yield json.dumps({"sub_problems": parts}, ensure_ascii=False)


def asked_about(causes: Sequence[str]) -> list[str]:
    """Return the experts in whose field the causes lie, each once, the first cause's first."""
    return list(
        dict.fromkeys(EXPERTS[cause.split("_")[0]] for cause in causes if cause.split("_")[0] in EXPERTS)
    )


def _finding(one: Mapping[str, Any]) -> dict[str, Any]:
    evidence = [{"line": item["line"], "text": item["text"]} for item in one["evidence"][:MOST_EVIDENCE]]
    kept = (
        "class",
        "title",
        "channel",
        "severity",
        "summary",
        "cause",
        "action",
        "numbers",
        "explains",
        "onset_clock",
    )
    return {**{name: one[name] for name in kept}, "ruled_out": one["alternatives"], "evidence": evidence}


def _log_before(case: Case, log: str, device: str) -> str:
    """Return the name of the device's log before `log`; "" if there is none, or it cannot be listed."""
    if not device:
        return ""
    with suppress(ToolFailed):
        names = [
            str(one["name"]).removesuffix(".gz") for one in case.tool("list_logs", device=device)["logs"]
        ]
        if log in names[:-1]:
            return names[names.index(log) + 1]
    return ""


def _suspected(texts: Sequence[str]) -> list[str]:
    """Return the fault classes of the parts that the question or an open hypothesis names."""
    named = (faults for text in texts for faults in suspected(spelled(text), asked=False).values())
    return list(dict.fromkeys(cause for faults in named for cause in faults))


def _part(
    number: int,
    kind: str,
    goal: str,
    channel: int | None,
    causes: Sequence[str],
    experts: Sequence[str],
    after: Sequence[int],
) -> dict[str, Any]:
    told = {"id": number, "kind": kind, "goal": goal, "channel": channel, "candidates": list(causes)}
    return {**told, "experts": list(experts), "after": list(after)}


def _trust(told: Mapping[str, Any], language: Language) -> dict[str, Any]:
    goal = phrase("panel_goal_trust", language, lines=told["lines"], log=told["log"])
    seen = [one["class"] for one in told["findings"] if one["class"] in RECORD]
    alike = [rival for cause in seen for rival in rivals_of(cause) if rival in RECORD]
    causes = list(dict.fromkeys([*seen, *alike, *RECORD]))
    return _part(1, "trust", goal, None, causes, ["firmware", "sensing", "statistics"], [])


def _cause(
    number: int, fault: Mapping[str, Any], suspected: Sequence[str], language: Language
) -> dict[str, Any]:
    weighed = [row["class"] for row in fault["ruled_out"]]
    causes = list(dict.fromkeys([fault["class"], *rivals_of(fault["class"]), *weighed, *suspected]))
    causes = [one for one in causes if one != "healthy"]
    named = joined([cause_title(one, language) for one in causes[:4]], language)
    where = where_is(fault["channel"], language)
    goal = phrase("panel_goal_cause", language, title=fault["title"], where=where, candidates=named)
    experts = [*asked_about(causes)[:4], "statistics"]
    return _part(number, "cause", goal, fault["channel"], causes, experts, [1])


def _suspicion(told: Mapping[str, Any], causes: Sequence[str], language: Language) -> dict[str, Any]:
    named = joined([cause_title(one, language) for one in causes], language)
    goal = phrase("panel_goal_suspected", language, count=len(told["channels"]), candidates=named)
    return _part(2, "cause", goal, None, causes, [*asked_about(causes)[:4], "statistics"], [1])


def _decide(parts: Sequence[Mapping[str, Any]], language: Language) -> dict[str, Any]:
    causes = list(dict.fromkeys(cause for part in parts[1:] for cause in part["candidates"]))
    goal = phrase("panel_goal_decide", language, count=len(causes))
    experts = asked_about([cause for part in parts[1:] for cause in part["candidates"][:2]])[:4]
    return _part(len(parts) + 1, "decide", goal, None, causes, experts, [part["id"] for part in parts])


def where_is(channel: int | None, language: Language) -> str:
    """Return where a fault is, as it stands in a sentence."""
    if channel is None:
        return phrase("where_device", language)
    return phrase("where_channel", language, channel=channel)

"""The brief (what the log says, before any expert speaks) and the decomposition made from it by rules."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from instrumentgpt.agents.offline.panel.record import OPEN_REASONS, rivals_of, where_is
from instrumentgpt.analyst.case import Case, choose_log
from instrumentgpt.analyst.questions import spelled, suspected
from instrumentgpt.analyst.report import draw, faults_of
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
    facts = {
        "log": about.log,
        "device": about.device,
        "label": about.label,
        "reference": about.reference,
        **{name: diagnosis[name] for name in _OF_A_LOG},
        "findings": [_finding(finding) for finding in diagnosis["findings"]],
        "channels": [{name: channel[name] for name in _CHANNEL} for channel in diagnosis["channels"]],
        "hypotheses": list(case.task.state.get("hypotheses") or ()),
        "alive": alive(diagnosis),
    }
    yield json.dumps(facts, ensure_ascii=False)


def alive(diagnosis: Mapping[str, Any]) -> list[str]:
    """Return the causes that the checks found, or that they left open beside what they found."""
    faults = [finding for finding in faults_of(diagnosis) if finding["severity"] not in ("none", "info")]
    opened = [
        row["class"] for finding in faults for row in finding["alternatives"] if row["reason"] in OPEN_REASONS
    ]
    opened += filter(None, (finding["open_rival"] for finding in faults))
    return list(dict.fromkeys([*(finding["class"] for finding in faults), *opened]))


def plan(case: Case) -> Iterator[str]:
    """Yield the decomposition as JSON: the record, then each fault with its rivals, then what decides."""
    facts: Mapping[str, Any] = case.task.given["brief"]
    faults = faults_of(facts)
    faults = [fault for fault in faults if fault["severity"] not in ("none", "info")][:MOST_FAULTS]
    suspected = _suspected([case.task.question, *facts["hypotheses"]])
    parts = [_trust(facts, case.language)]
    for fault in faults:
        more = suspected if fault is faults[0] else []
        parts.append(_cause(len(parts) + 1, fault, more, case.language))
    if not faults:
        parts.append(_suspicion(facts, suspected or list(SUSPECTED), case.language))
    else:
        parts.append(_decide(parts, case.language))
    yield json.dumps({"sub_problems": parts}, ensure_ascii=False)


def asked_about(causes: Sequence[str]) -> list[str]:
    """Return the experts in whose field the causes lie, each once, the first cause's first."""
    return list(
        dict.fromkeys(EXPERTS[cause.split("_")[0]] for cause in causes if cause.split("_")[0] in EXPERTS)
    )


def _finding(finding: Mapping[str, Any]) -> dict[str, Any]:
    evidence = [{"line": item["line"], "text": item["text"]} for item in finding["evidence"][:MOST_EVIDENCE]]
    kept = {name: finding[name] for name in _OF_A_FINDING}
    return {**kept, "ruled_out": finding["alternatives"], "evidence": evidence}


def _suspected(texts: Sequence[str]) -> list[str]:
    """Return the fault classes of the parts that the question or an open hypothesis names."""
    named = (faults for text in texts for faults in suspected(spelled(text), is_asked=False).values())
    return list(dict.fromkeys(cause for faults in named for cause in faults))


def _trust(facts: Mapping[str, Any], language: Language) -> _Part:
    seen = [finding["class"] for finding in facts["findings"] if finding["class"] in RECORD]
    alike = [rival for cause in seen for rival in rivals_of(cause) if rival in RECORD]
    return {
        "id": 1,
        "kind": "trust",
        "goal": phrase("panel_goal_trust", language, lines=facts["lines"], log=facts["log"]),
        "channel": None,
        "candidates": list(dict.fromkeys([*seen, *alike, *RECORD])),
        "experts": ["firmware", "sensing", "statistics"],
        "after": [],
    }


def _cause(number: int, fault: Mapping[str, Any], suspected: Sequence[str], language: Language) -> _Part:
    weighed = [row["class"] for row in fault["ruled_out"]]
    alike = dict.fromkeys([fault["class"], *rivals_of(fault["class"]), *weighed, *suspected])
    causes = [cause for cause in alike if cause != "healthy"]
    named = joined([cause_title(cause, language) for cause in causes[:4]], language)
    where = where_is(fault["channel"], language)
    goal = phrase("panel_goal_cause", language, title=fault["title"], where=where, candidates=named)
    return _of_causes(number, goal, fault["channel"], causes)


def _suspicion(facts: Mapping[str, Any], causes: Sequence[str], language: Language) -> _Part:
    named = joined([cause_title(cause, language) for cause in causes], language)
    count = len(facts["channels"])
    return _of_causes(
        2, phrase("panel_goal_suspected", language, count=count, candidates=named), None, causes
    )


def _of_causes(number: int, goal: str, channel: int | None, causes: Sequence[str]) -> _Part:
    experts = [*asked_about(causes)[:4], "statistics"]
    part = {"id": number, "kind": "cause", "goal": goal, "channel": channel, "candidates": list(causes)}
    return {**part, "experts": experts, "after": [1]}


def _decide(parts: Sequence[_Part], language: Language) -> _Part:
    causes = list(dict.fromkeys(cause for part in parts[1:] for cause in part["candidates"]))
    goal = phrase("panel_goal_decide", language, count=len(causes))
    experts = asked_about([cause for part in parts[1:] for cause in part["candidates"][:2]])[:4]
    part = {"id": len(parts) + 1, "kind": "decide", "goal": goal, "channel": None, "candidates": causes}
    return {**part, "experts": experts, "after": [part["id"] for part in parts]}

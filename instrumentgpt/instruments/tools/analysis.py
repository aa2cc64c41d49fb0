"""Tools that judge a log: its diagnosis, the figures of its channels, and all devices side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments import withheld_wording, wording
from instrumentgpt.instruments.analysis.metrics import Metrics
from instrumentgpt.instruments.checks import CHECKS
from instrumentgpt.instruments.coincidence import Coincidence, coincidences, sentence
from instrumentgpt.instruments.conversation import inventory_of
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.findings import SEVERITIES, Evidence, Finding
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.tools.library import fetch_log
from instrumentgpt.instruments.tools.opened import Opened, diagnosed, known_channel, open_log, texts_of
from instrumentgpt.instruments.tools.plain import plain
from instrumentgpt.instruments.workspace import Workspace

MOST_EVIDENCE = 6  # lines quoted of one finding
MOST_COINCIDENT = 4  # lines named of one coincidence


def diagnose_log(
    workspace: Workspace,
    log: str,
    device: str = "",
    channel: int | None = None,
    language: Language = "en",
    record: Language | None = None,
) -> dict[str, Any]:
    """Return what is wrong in `log`, most important first, with the lines that show it, and what is not.

    record  language of each finding's "text", which is what a conversation remembers; None: as `language`
    """
    opened = open_log(workspace, log, device)
    found = diagnosed(opened)
    chosen = [one for one in found.findings if channel is None or one.channel in (None, channel)]
    return {
        "summary": _summary(opened, chosen, language),
        **_about(opened),
        "findings": _findings(opened, chosen, coincidences(found), language, record or language),
        "channels": _channels(opened, found, channel),
        "withheld": {name: withheld_wording.reason(why, language) for name, why in found.withheld.items()},
        "unjudged": sorted({why.fault for why in found.withheld.values()}),
        "checks": list(dict.fromkeys(check.fault for check in CHECKS.values())),
        "titles": {check.fault: wording.title(check.fault, language) for check in CHECKS.values()},
    }


def channel_metrics(
    workspace: Workspace, log: str, device: str = "", channel: int | None = None
) -> dict[str, Any]:
    """Return the figures of each channel of `log`: gains, setpoint, band, overshoot, duty, last values."""
    opened = open_log(workspace, log, device)
    channels = _channels(opened, diagnosed(opened), channel)
    return {"summary": f"{len(channels)} channels of {opened.name}", **_about(opened), "channels": channels}


def survey_devices(
    workspace: Workspace, language: Language = "en", devices: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return the newest log of each of `devices`, or of all, judged; worst first, without a verdict last.

    Worst is who has the most severe finding; equals are ordered by mean error, then by time out of band.
    """
    names = devices or [one.name for one in inventory_of(workspace).devices]
    rows = [_surveyed(workspace, name, language) for name in names]
    return {"summary": f"{len(rows)} devices", "devices": sorted(rows, key=_badness)}


def _surveyed(workspace: Workspace, device: str, language: Language) -> dict[str, Any]:
    try:
        fetched = fetch_log(workspace, device)
        opened = open_log(workspace, fetched["log"], device)
        found = diagnosed(opened)
    except InstrumentGPTError as problem:
        label = inventory_of(workspace).find(device).label
        return {"device": device, "label": label, "error": str(problem)}
    metrics = list(found.channels.values())
    worst = found.findings[0] if found.findings else None
    return {
        "device": device,
        "label": fetched["label"],
        "log": opened.name,
        "class": worst.fault if worst else "",
        "severity": worst.severity if worst else "none",
        "title": wording.title(worst.fault, language) if worst else "",
        "text": wording.summary(worst, language) if worst else "",
        "channel": worst.channel if worst else None,
        "line": worst.evidence[0].line if worst and worst.evidence else None,
        "faults": sum(one.severity not in ("none", "info") for one in found.findings),
        "mean_error": plain(max((one.iae_per_hour for one in metrics), default=None)),
        "out_of_band": plain(max((1 - one.in_band for one in metrics), default=None)),
    }


def _badness(row: dict[str, Any]) -> tuple[int, float, float]:
    if "error" in row:
        return len(SEVERITIES), 0.0, 0.0
    return SEVERITIES.index(row["severity"]), -(row["mean_error"] or 0.0), -(row["out_of_band"] or 0.0)


def _summary(opened: Opened, findings: list[Finding], language: Language) -> str:
    faults = [one for one in findings if one.fault != "healthy"]
    told = faults or findings
    return f"{opened.name}: " + (
        "; ".join(wording.summary(one, language) for one in told[:3]) or "no verdict"
    )


def _about(opened: Opened) -> dict[str, Any]:
    log = opened.log
    time = log.samples["time"]
    first, last = (float(time.iloc[0]), float(time.iloc[-1])) if len(time) else (0.0, 0.0)
    return {
        "log": opened.name,
        "device": opened.device,
        "format": log.format,
        "start": log.clock(first),
        "end": log.clock(last),
        "seconds": plain(last - first),
        "lines": log.lines,
        "samples": len(log.samples),
        "unit": log.unit,
        "missing": list(log.missing),
        "guessed": dict(log.guessed),
        "notes": list(log.notes),
        "broken": {"count": log.broken.count, "examples": [list(one) for one in log.broken.examples[:3]]},
        "channel_numbers": sorted(int(number) for number in log.samples["channel"].unique()),
    }


def _findings(
    opened: Opened,
    findings: Sequence[Finding],
    coincident: Sequence[Coincidence],
    language: Language,
    record: Language,
) -> list[dict[str, Any]]:
    quoted = [item.line for one in findings for item in one.evidence[:MOST_EVIDENCE]]
    texts = texts_of(opened.path, quoted)
    return [
        {
            "text": wording.summary(one, record),
            **_finding(opened, one, texts, language),
            "coincidences": [_coincidence(c, language) for c in coincident if c.finding is one],
        }
        for one in findings
    ]


def _finding(
    opened: Opened, finding: Finding, texts: Mapping[int, str], language: Language
) -> dict[str, Any]:
    log = opened.log
    return {
        "summary": wording.summary(finding, language),
        "class": finding.fault,
        "title": wording.title(finding.fault, language),
        "channel": finding.channel,
        "severity": finding.severity,
        "cause": wording.cause(finding, language),
        "action": wording.action(finding, language),
        "ruled_out": (ruled_out := wording.ruled_out(finding, language)),
        "alternatives": [
            {"class": one.fault, "reason": one.reason, "text": text}
            for one, text in zip(finding.ruled_out, ruled_out, strict=True)
        ],
        "explains": list(finding.consequences),
        "consequences": [wording.title(fault, language) for fault in finding.consequences],
        "onset": plain(finding.onset),
        "end": plain(finding.end),
        "onset_clock": log.clock(finding.onset),
        "end_clock": log.clock(finding.end),
        "line": finding.evidence[0].line if finding.evidence else None,
        "evidence": [_evidence(log, item, texts) for item in finding.evidence[:MOST_EVIDENCE]],
        "numbers": plain(dict(finding.numbers)),
    }


def _evidence(log: Log, item: Evidence, texts: Mapping[int, str]) -> dict[str, Any]:
    values = plain(dict(item.values))
    return {
        "line": item.line,
        "clock": log.clock(item.time),
        "values": values,
        "text": texts.get(item.line, ""),
    }


def _coincidence(found: Coincidence, language: Language) -> dict[str, Any]:
    """Return event lines that coincide with a finding; "reason" tells whether they fit it by physics."""
    return {
        "text": sentence(found, language),
        "template": found.group.template,
        "level": found.group.level,
        "source": found.group.source,
        "count": len(found.messages),
        "of": len(found.group.messages),
        "place": found.place,
        "seconds": plain(found.seconds),
        "chance": plain(found.chance),
        "reason": found.reason,
        "lines": [message.line for message in found.messages[:MOST_COINCIDENT]],
    }


def _channels(opened: Opened, found: Diagnosis, channel: int | None) -> list[dict[str, Any]]:
    chosen = sorted(found.channels) if channel is None else [known_channel(opened, channel)]
    return [_metrics(opened, found.channels[number]) for number in chosen]


def _metrics(opened: Opened, metrics: Metrics) -> dict[str, Any]:
    samples = opened.log.samples
    last = samples[samples["channel"] == metrics.channel].iloc[-1]
    values = {name: plain(last[name]) for name in ("setpoint", "pv", "output")}
    return {
        **plain(asdict(metrics)),
        "last": {**values, "line": int(last["line"]), "clock": opened.log.clock(float(last["time"]))},
    }

"""Tools that judge a log: its diagnosis, the figures of its channels, and all devices side by side."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Literal, TypeVar

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments import loop_wording, segment_wording, wording, workings_wording
from instrumentgpt.instruments.analysis.departures import happenings
from instrumentgpt.instruments.analysis.metrics import swings_of
from instrumentgpt.instruments.checks import CHECKS
from instrumentgpt.instruments.conversation import NoConversation, inventory_of
from instrumentgpt.instruments.conversation import opened as conversation_opened
from instrumentgpt.instruments.diagnosis import Diagnosis, kind_rows
from instrumentgpt.instruments.faults import NO_FAULT, open_rival
from instrumentgpt.instruments.findings import IN_USE, SEVERITIES, Excursion, Finding, worst
from instrumentgpt.instruments.language import Language, span_text
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loops import COLUMNS, loops_of
from instrumentgpt.instruments.messages import TROUBLE, Group, group_messages
from instrumentgpt.instruments.precedents import MOST_SETTLED, settled_before
from instrumentgpt.instruments.reading.stated import Stated
from instrumentgpt.instruments.tools.columns import read_beside, steps_in
from instrumentgpt.instruments.tools.library import fetch_log, list_logs
from instrumentgpt.instruments.tools.opened import Opened, diagnosed, known_channel, open_log, plain, texts_of
from instrumentgpt.instruments.tools.pairs import SMALL, output_over_logs
from instrumentgpt.instruments.tools.timeline import FINE, states, timeline
from instrumentgpt.instruments.tools.window import cycles_of, gain_changes, holds_of, moves_of
from instrumentgpt.instruments.workspace import Workspace

MOST_EVIDENCE = 6  # lines quoted of one finding
Item = TypeVar("Item", Finding, Excursion)
MOST_EXCURSIONS = 20  # told of one log, the largest
MOST_SEGMENTS = 8  # told of one log, the worst
OF_CYCLES = 0.5  # of a swing, in which the loop left its band by its use, from which the swing is that
ELSEWHERE = 0.5  # lines of a template expected in so long a stretch of the log, from which one tells nothing
NEAR = 60.0  # s before a fault, in which a line on trouble may tell how it began


def diagnose_log(
    workspace: Workspace,
    log: str,
    device: str = "",
    channel: int | None = None,
    language: Language = "en",
    record: Language | None = None,
) -> dict[str, Any]:
    """Run all checks on `log`: what is wrong, likeliest root cause first, with confidence, times, numbers,
    evidence lines, cause, next step, what was ruled out, what settled it before, and channels' figures.
    It is on record.

    The first look at every log. Not again for what is on record.
    Example: diagnose_log(log="InstrumentDebug_2026-02-19_23-24-45.39.log", device="zspr 052").

    record  language of each finding's "text", which is what a conversation remembers; None: as `language`
    """
    opened = open_log(workspace, log, device)
    diagnosis = diagnosed(opened)
    chosen = _of_channel(diagnosis.findings, channel)
    settled, withheld = _settled(workspace, opened, chosen), diagnosis.withheld
    done = happenings(opened.log.events)
    if opened.log.beside and len(opened.log.samples) <= FINE:
        done += steps_in(read_beside(opened.log, opened.path, opened.stated or Stated()), opened.log)
    is_ill = bool({finding.fault for finding in chosen} - {*NO_FAULT})
    groups = group_messages(opened.log.events, levels=TROUBLE) if is_ill else []
    of_use = [one.channel for one in diagnosis.excursions if one.explained == IN_USE]
    quoted = [item.line for finding in chosen for item in finding.evidence[:MOST_EVIDENCE]]
    texts = texts_of(opened.path, quoted)
    return {
        "summary": f"{opened.name}: {'; '.join(_verdict(diagnosis, channel, language)[:3]) or 'no verdict'}",
        **_about(opened),
        "findings": [
            {
                **finding_row(opened.log, finding, texts, language, record or language),
                "written": _written(opened.log, (finding.onset - NEAR, finding.onset), finding.onset, groups),
                "settled": [case for case in settled if case["class"] == finding.fault][:MOST_SETTLED],
            }
            for finding in chosen
        ],
        "channels": _channels(opened, diagnosis, channel),
        "kinds": [
            {"channel": row["channel"], **row["kind"]}
            for row in kind_rows(diagnosis, language)
            if channel in (None, row["channel"])
        ],
        "excursions": _excursions(diagnosis, channel, language, done),
        "segments": segment_wording.rows(diagnosis, channel, language, MOST_SEGMENTS),
        "timeline": timeline(diagnosis, channel, language, done),
        "states": states(opened.log, language),
        "workings": workings_wording.rows(diagnosis, channel, language),
        "swings": [
            plain(asdict(swing))
            for swing in swings_of(loops_of(opened.log), diagnosis.channels, diagnosis.kinds).values()
            if channel in (None, swing.channel)
            and not of_use.count(swing.channel) > OF_CYCLES * swing.cycles  # which may be nan
        ],
        "withheld": {name: wording.withheld_reason(why, language) for name, why in withheld.items()},
        "doubts": [
            {
                "channel": why.channel,
                "class": why.fault,
                "text": wording.withheld_reason(why, language),
                "next_test": wording.next_test(why.doubt, language),
            }
            for why in withheld.values()
            if why.doubt and why.fault != "healthy" and channel in (None, why.channel)
        ],
        "unjudged": sorted({why.fault for why in withheld.values()}),
        "checks": list(dict.fromkeys(check.fault for check in CHECKS.values())),
    }


def channel_metrics(
    workspace: Workspace,
    log: str,
    device: str = "",
    channel: int | None = None,
    each_hold: bool = False,
) -> dict[str, Any]:
    """Return the figures of each channel of `log`: gains, setpoint, band, overshoot, duty, last values.

    For a figure that the diagnosis does not tell. Not for a cause, nor between two times: column_figures.
    Example: channel_metrics(log="run.log", channel=1).

    With them come how long pv took from each setpoint that was held to the next, and at what rate; the cycles
    of a programme; and, for `each_hold`, how all its setpoints were held, each time.
    """
    opened = open_log(workspace, log, device)
    diagnosis = diagnosed(opened)
    channels = [
        {
            **row,
            **({"holds": holds_of(*of)} if each_hold else {}),
            "moves": moves_of(*of),
            "cycles": cycles_of(opened.log, row["channel"], row["band"] or 0.0),
        }
        for row in _channels(opened, diagnosis, channel)
        for of in [(opened.log, row["channel"], diagnosis.segments, row["band"] or 0.0)]
    ]
    return {
        "summary": f"{len(channels)} channels of {opened.name}",
        **_about(opened),
        "channels": channels,
    }


def survey_devices(
    workspace: Workspace, language: Language = "en", devices: Sequence[str] | None = None
) -> dict[str, Any]:
    """Fetch and judge the newest log of each of `devices`, or of all; worst first, without a verdict last.

    For questions on all or several devices. Not for one: that is diagnose_log.
    Example: survey_devices(devices=["zspr 050", "zspr 051"]).

    Worst is who has the most severe finding, then who has what nothing explains or what grows over its logs;
    equals are ordered by mean error, then by time out of band.
    """
    names = devices or [device.name for device in inventory_of(workspace).devices]
    rows = [_surveyed(workspace, name, language) for name in names]
    return {"summary": f"{len(rows)} devices", "devices": sorted(rows, key=_badness)}


def survey_logs(
    workspace: Workspace,
    device: str,
    since: str = "",
    until: str = "",
    most: int = 14,
    reading: Literal["all", "small"] = "all",
    language: Language = "en",
) -> dict[str, Any]:
    """Fetch and judge the logs of `device`, oldest first, that began from the day `since` to `until`.

    For what no single log shows: from which log on, on which day, every night. Not for the newest alone.
    Example: survey_logs(device="zspr 052", since="2026-02-18").

    Up to `most`, the newest, each with its verdict; what they read tells column_figures. `reading` "small":
    none, if that takes more than a few seconds.
    """
    there = list_logs(workspace, device)
    days = {row["name"]: (row["begun"] or since)[:10] for row in there["logs"]}
    ends = [until or "~", *days.values()]  # a log ends at the latest when the next one begins
    names = [
        name
        for (name, day), end in zip(days.items(), ends, strict=False)
        if end >= since and (not until or day <= until)
    ]
    sizes = {row["name"]: row["size"] or 0 for row in there["logs"]}
    too_much = reading == "small" and sum(sizes[name] for name in names[:most]) > SMALL
    read = [] if too_much else names[:most]
    rows = [_surveyed(workspace, device, language, name) for name in read]
    rows = sorted(
        (row for row in rows if row.get("end", "~") >= since), key=lambda row: str(row.get("start", ""))
    )
    return {
        "summary": f"{len(rows)} logs of {there['label']}",
        "device": there["device"],
        "label": there["label"],
        "logs": rows,
        "left_out": max(0, len(names) - most),
    }


def _surveyed(workspace: Workspace, device: str, language: Language, log: str = "") -> dict[str, Any]:
    try:
        fetched = fetch_log(workspace, device, log)
        opened = open_log(workspace, fetched["log"], device)
        about, diagnosis = _about(opened), diagnosed(opened)
    except InstrumentGPTError as problem:
        label = inventory_of(workspace).find(device).label
        return {"device": device, "label": label, "log": log, "error": problem.message(language)}
    metrics = list(diagnosis.channels.values())
    finding = next(iter(diagnosis.findings), None)
    away = loop_wording.unexplained(diagnosis.excursions) if not _faults(diagnosis.findings) else []
    first = None if away else finding
    shown = away[0] if away else first
    calm = not log and (first is None or first.fault in NO_FAULT)
    rising = output_over_logs(workspace, device, "", "small", language)["findings"] if calm else []
    sentences = [row["text"] for row in rising] or _verdict(diagnosis, None, language)
    return {
        "device": device,
        "label": fetched["label"],
        "log": opened.name,
        "start": about["start"],
        "end": about["end"],
        "class": first.fault if first else "",
        "severity": worst(finding.severity for finding in diagnosis.findings),
        "confidence_word": wording.confidence(first, language) if first else "",
        "title": wording.title(first.fault, language) if first else "",
        "open": bool(rising or away),
        "text": sentences[0] if sentences else "",
        "channel": shown.channel if shown else None,
        "channels": list(first.channels) if first else [],
        "line": shown.evidence[0].line if shown and shown.evidence else None,
        "faults": sum(finding.severity not in ("none", "info") for finding in diagnosis.findings),
        "unit": opened.log.unit,
        "mean_error": plain(max((figures.iae_per_hour for figures in metrics), default=None)),
        "out_of_band": plain(max((1 - figures.in_band for figures in metrics), default=None)),
    }


def _badness(row: dict[str, Any]) -> tuple[float, ...]:
    if "error" in row:
        return (len(SEVERITIES),)
    figures = (-(row[name] or 0.0) for name in ("mean_error", "out_of_band"))
    return SEVERITIES.index(row["severity"]), not row["open"], *figures


def _verdict(diagnosis: Diagnosis, channel: int | None, language: Language) -> list[str]:
    """Return what is wrong, else what was out of its band unexplained, else what the findings say."""
    findings = _of_channel(diagnosis.findings, channel)
    faults = _faults(findings)
    away = [] if faults else loop_wording.unexplained(_of_channel(diagnosis.excursions, channel))
    sentences = [loop_wording.away(excursion, diagnosis.log, language) for excursion in away]
    return sentences or [wording.summary(finding, language) for finding in faults or findings]


def _faults(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.fault != "healthy"]


def _settled(workspace: Workspace, about: Opened, findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return what settled faults of these classes before; nothing outside of a conversation."""
    classes = {finding.fault for finding in findings} - {*NO_FAULT}
    if not classes or not about.device:
        return []
    inventory = inventory_of(workspace)
    with suppress(NoConversation), conversation_opened(workspace) as database:
        device = inventory.find(about.device)
        cases = settled_before(database, device, inventory, classes, findings[0].channel)
        return [case.as_data() for case in cases]
    return []


def _of_channel(items: Sequence[Item], channel: int | None) -> list[Item]:
    return [item for item in items if channel is None or item.channel in (None, channel)]


def _excursions(
    diagnosis: Diagnosis, channel: int | None, language: Language, done: Sequence[Group]
) -> dict[str, Any]:
    """Return how often loops were out of their own bands, the largest times, and those that a finding covers.

    healthy_but  channels that would be healthy but for excursions that nothing explains
    """
    excursions = _of_channel(diagnosis.excursions, channel)
    explained = [excursion for excursion in excursions if excursion.explained]
    return {
        "count": len(excursions),
        "unexplained": _rows(diagnosis.log, loop_wording.unexplained(excursions), language, done),
        "explained": _rows(diagnosis.log, explained, language, done),
        "unexplained_count": len(excursions) - len(explained),
        "healthy_but": sorted(
            why.channel
            for why in diagnosis.withheld.values()
            if why.fault == "healthy" and why.channel is not None and why.reasons.keys() == {"away"}
        ),
    }


def _rows(
    log: Log, excursions: Sequence[Excursion], language: Language, done: Sequence[Group]
) -> list[dict[str, Any]]:
    return [
        {
            **_when(log, excursion),
            **{name: plain(getattr(excursion, name)) for name in ("channel", "size", "limit", "explained")},
            "span": span_text(excursion.end - excursion.onset, language),
            "lines": [item.line for item in excursion.evidence],
            "written": _written(
                log,
                (2 * excursion.onset - excursion.end, excursion.evidence[1].time),  # as long as it took
                excursion.onset,
                done,
            ),
        }
        for excursion in excursions[:MOST_EXCURSIONS]
    ]


def _written(
    log: Log, within: tuple[float, float], onset: float, groups: Sequence[Group]
) -> dict[str, Any] | None:
    """Return the last line of `groups` `within` two moments, and how long before `onset` it is.

    Of lines that are as likely anywhere, none is.
    """
    first, last = within
    span = float(log.samples["time"].max())
    near = [
        message
        for group in groups
        if len(group.messages) * (last - first) < ELSEWHERE * span
        for message in group.messages
        if first <= message.time <= last
    ]
    if not near:
        return None
    line = max(near, key=lambda message: message.time)
    return log.at(line.time, line.line) | {"text": line.text, "seconds": plain(onset - line.time)}


def _when(log: Log, item: Finding | Excursion) -> dict[str, Any]:
    ends = {"onset": item.onset, "end": item.end}
    return {**plain(ends), **{f"{name}_clock": log.clock(moment) for name, moment in ends.items()}}


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
        "channel_units": {str(number): unit for number, unit in log.channel_units.items()},
        "missing": list(log.missing),
        "guessed": dict(log.guessed),
        "notes": list(log.notes),
        "broken": {"count": log.broken.count, "examples": [*map(list, log.broken.examples[:3])]},
        "beside": log.beside,
        "channel_names": {str(number): name for number, name in log.channel_names.items()},
        "channel_numbers": sorted(int(number) for number in log.samples["channel"].unique()),
    }


def finding_row(
    log: Log, finding: Finding, texts: Mapping[int, str], language: Language, record: Language
) -> dict[str, Any]:
    """Return all that is told of a finding; `texts` are the raw lines by number."""
    return {
        "text": wording.summary(finding, record),
        "summary": wording.summary(finding, language),
        "class": finding.fault,
        "title": wording.title(finding.fault, language),
        "channel": finding.channel,
        "channels": list(finding.channels),
        "severity": finding.severity,
        "confidence": finding.confidence,
        "confidence_word": wording.confidence(finding, language),
        "danger": wording.danger(finding, language),
        "cause": wording.cause(finding, language),
        "action": wording.action(finding, language),
        "next_test": wording.next_test(finding, language),
        "next_step": wording.next_step(finding, language),
        "cannot_tell": wording.cannot_tell(finding, language),
        "ruled_out": wording.ruled_out(finding, language),
        "open_rival": open_rival(finding),
        "signs": wording.signs(finding, language),
        "alternatives": [
            {"class": rival.fault, "reason": rival.reason, "text": wording.reason(finding, rival, language)}
            for rival in finding.ruled_out
        ],
        "explains": list(finding.consequences),
        "consequences": [wording.title(fault, language) for fault in finding.consequences],
        **_when(log, finding),
        "line": finding.evidence[0].line if finding.evidence else None,
        "evidence": [
            {"values": plain(dict(item.values)), "text": texts.get(item.line, "")}
            | log.at(item.time, item.line)
            for item in finding.evidence[:MOST_EVIDENCE]
        ],
        "numbers": plain(dict(finding.numbers)),
    }


def _channels(opened: Opened, diagnosis: Diagnosis, channel: int | None) -> list[dict[str, Any]]:
    """Return the figures of each channel, or of one, with its last sample and what changed in its gains."""
    log, rows = opened.log, list[dict[str, Any]]()
    for number in sorted(diagnosis.channels) if channel is None else [known_channel(opened, channel)]:
        last = log.samples[log.samples["channel"] == number].iloc[-1]
        values = {name: None if name in log.missing else plain(last[name]) for name in COLUMNS[:3]}
        row = plain(asdict(diagnosis.channels[number]))
        if "setpoint" in log.missing:  # which nobody read
            row |= {"setpoint": None, "mean_error": None}
        row |= {"last": {**values, **log.at(last["time"], last["line"])}}
        rows.append(row | {"gain_changes": gain_changes(log, number)})
    return rows

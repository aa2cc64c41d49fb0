"""Tools that judge a log: its diagnosis, the figures of its channels, and all devices side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal, TypeVar

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments import loop_wording, segment_wording, withheld_wording, wording
from instrumentgpt.instruments.analysis.departures import happenings
from instrumentgpt.instruments.analysis.metrics import Metrics, Swing, swings_of
from instrumentgpt.instruments.checks import CHECKS
from instrumentgpt.instruments.conversation import NoConversation, inventory_of
from instrumentgpt.instruments.conversation import opened as conversation_opened
from instrumentgpt.instruments.diagnosis import Diagnosis, kind_rows
from instrumentgpt.instruments.faults import NO_FAULT, open_rival
from instrumentgpt.instruments.findings import IN_USE, SEVERITIES, Evidence, Excursion, Finding, worst
from instrumentgpt.instruments.language import Language, span_text
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loops import COLUMNS, loops_of
from instrumentgpt.instruments.messages import TROUBLE, Group, group_messages
from instrumentgpt.instruments.reading.stated import Stated
from instrumentgpt.instruments.settled import MOST as MOST_SETTLED
from instrumentgpt.instruments.settled import settled_before
from instrumentgpt.instruments.tools.columns import read_beside, steps_in
from instrumentgpt.instruments.tools.library import fetch_log, list_logs
from instrumentgpt.instruments.tools.opened import Opened, diagnosed, known_channel, open_log, plain, texts_of
from instrumentgpt.instruments.tools.pairs import SMALL, output_over_logs
from instrumentgpt.instruments.tools.timeline import FINE, timeline
from instrumentgpt.instruments.tools.window import (
    SIDES,
    beyond,
    cycles_of,
    extremes_of,
    first_settled,
    gain_changes,
    holds_of,
    moves_of,
    pv_of,
    window_of,
)
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
    done = _done(opened)
    is_ill = bool({finding.fault for finding in chosen} - {*NO_FAULT})
    groups = group_messages(opened.log.events, levels=TROUBLE) if is_ill else []
    quoted = [item.line for finding in chosen for item in finding.evidence[:MOST_EVIDENCE]]
    texts = texts_of(opened.path, quoted)
    return {
        "summary": _summary(diagnosis, opened.name, channel, language),
        **_about(opened),
        "findings": [
            {
                **_finding(opened.log, finding, texts, language, record or language),
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
        "swings": [
            plain(asdict(swing))
            for swing in swings_of(loops_of(opened.log), diagnosis.channels, diagnosis.kinds).values()
            if channel in (None, swing.channel) and not _is_of_use(swing, diagnosis.excursions)
        ],
        "withheld": {name: withheld_wording.reason(why, language) for name, why in withheld.items()},
        "unjudged": sorted({why.fault for why in withheld.values()}),
        "checks": list(dict.fromkeys(check.fault for check in CHECKS.values())),
        "titles": {check.fault: wording.title(check.fault, language) for check in CHECKS.values()},
    }


def _done(opened: Opened) -> list[Group]:
    """Return what was done, by lines and, if it is not long, columns of the log, which is read again."""
    log, done = opened.log, happenings(opened.log.events)
    if log.beside and len(log.samples) <= FINE:
        done += steps_in(read_beside(log, opened.path, opened.stated or Stated()), log)
    return done


def channel_metrics(
    workspace: Workspace,
    log: str,
    device: str = "",
    channel: int | None = None,
    since: str = "",
    until: str = "",
    at: float | None = None,
    each_hold: bool = False,
) -> dict[str, Any]:
    """Return the figures of each channel of `log`: gains, setpoint, band, overshoot, duty, last values.

    For a figure that the diagnosis does not tell, or between two times. Not for a cause.
    Example: channel_metrics(log="run.log", channel=1, since="14:20", until="14:30").

    With them come the least, most and mean readings between `since` and `until` ("14:20", or with a date;
    "-1 h" from the log's end, "+20 min" of its begin; "": all), and since pv first settled; how long it took
    from each setpoint that was held to the next, and at what rate; how it held the setpoint `at` each time,
    or, for `each_hold`, all its setpoints. Past limits: column_figures.
    """
    opened = open_log(workspace, log, device)
    window, diagnosis = window_of(opened.log, since, until), diagnosed(opened)
    channels = [
        {
            **row,
            "extremes": extremes_of(opened.log, row["channel"], window),
            **(
                {
                    "settled_at": opened.log.clock(settled),
                    "settled": extremes_of(opened.log, row["channel"], (settled, window[1])),
                }
                if window[0] < (settled := first_settled(diagnosis.segments, row["channel"])) < window[1]
                else {}
            ),
            **({"holds": holds_of(*of, at)} if at is not None or each_hold else {}),
            "moves": moves_of(*of),
            "cycles": cycles_of(opened.log, row["channel"], row["band"] or 0.0),
        }
        for row in _channels(opened, diagnosis, channel)
        for of in [(opened.log, row["channel"], diagnosis.segments, row["band"] or 0.0)]
    ]
    about = {**_about(opened), "window": [opened.log.clock(moment) for moment in window]}
    return {"summary": f"{len(channels)} channels of {opened.name}", **about, "channels": channels}


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
    above: float | None = None,
    below: float | None = None,
    most: int = 14,
    reading: Literal["all", "small"] = "all",
    language: Language = "en",
) -> dict[str, Any]:
    """Fetch and judge the logs of `device`, oldest first, that began from the day `since` to `until`.

    For what no single log shows: from which log on, on which day, every night. Not for the newest alone.
    Example: survey_logs(device="zspr 052", since="2026-02-18").

    Up to `most`, the newest; each with its verdict, and of each channel the mean output, the least and
    the most, and how often and how long pv was `above` or `below` a limit. `reading` "small": none, if that
    takes more than a few seconds.
    """
    there = list_logs(workspace, device)
    days = {row["name"]: (row["begun"] or since)[:10] for row in there["logs"]}
    ends = [until or "~", *days.values()]  # a log ends at the latest when the next one begins
    names = [
        name
        for (name, day), end in zip(days.items(), ends, strict=False)
        if end >= since and (not until or day <= until)
    ]
    limits = {name: limit for name, limit in (("above", above), ("below", below)) if limit is not None}
    sizes = {row["name"]: row["size"] or 0 for row in there["logs"]}
    too_much = reading == "small" and sum(sizes[name] for name in names[:most]) > SMALL
    read = [] if too_much else names[:most]
    rows = [_surveyed(workspace, device, language, name, limits) for name in read]
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


def _surveyed(
    workspace: Workspace, device: str, language: Language, log: str = "", limits: Mapping[str, float] = {}
) -> dict[str, Any]:
    try:
        fetched = fetch_log(workspace, device, log)
        opened = open_log(workspace, fetched["log"], device)
        diagnosis = diagnosed(opened)
    except InstrumentGPTError as problem:
        label = inventory_of(workspace).find(device).label
        return {"device": device, "label": label, "log": log, "error": problem.message(language)}
    metrics = list(diagnosis.channels.values())
    first = diagnosis.findings[0] if diagnosis.findings else None
    away = loop_wording.unexplained(diagnosis.excursions) if first is None or first.fault == "healthy" else []
    if away:
        first = None
    told = away or [excursion for excursion in diagnosis.excursions if excursion.cause and first is None]
    shown = told[0].evidence if told else first.evidence if first else ()
    calm = not log and (first is None or first.fault in NO_FAULT)
    rising = output_over_logs(workspace, device, "", "small", language)["findings"] if calm else []
    return {
        "device": device,
        "label": fetched["label"],
        "log": opened.name,
        "class": first.fault if first else "",
        "severity": worst(finding.severity for finding in diagnosis.findings),
        "confidence_word": wording.confidence(first, language) if first else "",
        "title": wording.title(first.fault, language) if first else "",
        "open": bool(rising or away),
        "text": rising[0]["text"]
        if rising
        else loop_wording.away(told[0], opened.log, language)
        if told
        else wording.summary(first, language)
        if first
        else "",
        "channel": away[0].channel if away else first.channel if first else None,
        "channels": list(first.channels) if first else [],
        "line": shown[0].line if shown else None,
        "faults": sum(finding.severity not in ("none", "info") for finding in diagnosis.findings),
        "unit": opened.log.unit,
        "mean_error": plain(max((figures.iae_per_hour for figures in metrics), default=None)),
        "out_of_band": plain(max((1 - figures.in_band for figures in metrics), default=None)),
        **(_whole(opened, diagnosis, limits) if log else {}),
    }


def _whole(opened: Opened, diagnosis: Diagnosis, limits: Mapping[str, float]) -> dict[str, Any]:
    """Return when a log begins and ends, and what each channel read and needed in all of it."""
    log, time, segments = opened.log, opened.log.samples["time"], diagnosis.segments
    window = (0.0, float(time.max())) if len(time) else (0.0, 0.0)
    channels = [
        {
            "channel": figures.channel,
            "unit": log.unit_of(figures.channel),
            "setpoint": plain(figures.setpoint),
            "duty": plain(figures.duty),
            "pv": {
                "mean": extremes["pv"]["mean"],
                **{name: extremes["pv"][name]["value"] for name in ("least", "most")},
            }
            if (extremes := extremes_of(log, figures.channel, window)).get("pv")
            else None,
            "moves": moves_of(log, figures.channel, segments, figures.band)[:1],
            **{
                name: beyond(log, pv_of(log, figures.channel, window), limit, SIDES[name])
                for name, limit in limits.items()
            },
        }
        for figures in diagnosis.channels.values()
    ]
    return {"start": log.clock(window[0]), "end": log.clock(window[1]), "channels": channels}


def _badness(row: dict[str, Any]) -> tuple[float, ...]:
    if "error" in row:
        return (len(SEVERITIES),)
    figures = (-(row[name] or 0.0) for name in ("mean_error", "out_of_band"))
    return SEVERITIES.index(row["severity"]), not row["open"], *figures


def _summary(diagnosis: Diagnosis, name: str, channel: int | None, language: Language) -> str:
    findings = _of_channel(diagnosis.findings, channel)
    faults = [finding for finding in findings if finding.fault != "healthy"]
    away = [] if faults else loop_wording.unexplained(_of_channel(diagnosis.excursions, channel))
    sentences = [loop_wording.away(excursion, diagnosis.log, language) for excursion in away]
    sentences = sentences or [wording.summary(finding, language) for finding in faults or findings]
    return f"{name}: " + ("; ".join(sentences[:3]) or "no verdict")


def _settled(workspace: Workspace, about: Opened, findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return what settled faults of these classes before; nothing outside of a conversation."""
    classes = {finding.fault for finding in findings} - {*NO_FAULT}
    if not classes or not about.device:
        return []
    inventory = inventory_of(workspace)
    try:
        with conversation_opened(workspace) as database:
            device = inventory.find(about.device)
            cases = settled_before(database, device, inventory, classes, findings[0].channel)
    except NoConversation:
        return []
    return [case.as_data() for case in cases]


def _of_channel(items: Sequence[Item], channel: int | None) -> list[Item]:
    return [item for item in items if channel is None or item.channel in (None, channel)]


def _is_of_use(swing: Swing, excursions: Sequence[Excursion]) -> bool:
    """Return whether a swing is what is left within the band of what the loop is used for."""
    used = sum(one.channel == swing.channel and one.explained == IN_USE for one in excursions)
    return used > OF_CYCLES * swing.cycles


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


def _finding(
    log: Log, finding: Finding, texts: Mapping[int, str], language: Language, record: Language
) -> dict[str, Any]:
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
        "evidence": [_evidence(log, item, texts) for item in finding.evidence[:MOST_EVIDENCE]],
        "numbers": plain(dict(finding.numbers)),
    }


def _evidence(log: Log, item: Evidence, texts: Mapping[int, str]) -> dict[str, Any]:
    values, text = plain(dict(item.values)), texts.get(item.line, "")
    return {"values": values, "text": text, **log.at(item.time, item.line)}


def _channels(opened: Opened, diagnosis: Diagnosis, channel: int | None) -> list[dict[str, Any]]:
    chosen = sorted(diagnosis.channels) if channel is None else [known_channel(opened, channel)]
    return [_metrics(opened, diagnosis.channels[number]) for number in chosen]


def _metrics(opened: Opened, metrics: Metrics) -> dict[str, Any]:
    log = opened.log
    last = log.samples[log.samples["channel"] == metrics.channel].iloc[-1]
    values = {name: None if name in log.missing else plain(last[name]) for name in COLUMNS[:3]}
    level = {"setpoint": None, "mean_error": None} if "setpoint" in log.missing else {}  # which nobody read
    changes, moment = {"gain_changes": gain_changes(log, metrics.channel)}, log.at(last["time"], last["line"])
    return {**plain(asdict(metrics)), **level, "last": {**values, **moment}, **changes}

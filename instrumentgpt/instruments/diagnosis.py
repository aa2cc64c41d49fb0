"""What is wrong in a log: every check run in order, causes kept, each graded by its signs."""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from instrumentgpt.errors import reason
from instrumentgpt.instruments import loop_wording, wording
from instrumentgpt.instruments.analysis.kind import LoopKind
from instrumentgpt.instruments.analysis.metrics import Metrics, metrics_of
from instrumentgpt.instruments.analysis.programme import Programme, programmed
from instrumentgpt.instruments.analysis.segments import Segment, Trend, segments_of, trends_of
from instrumentgpt.instruments.analysis.study import Study, quote, study_of
from instrumentgpt.instruments.analysis.tracks import BAND, Track
from instrumentgpt.instruments.analysis.workings import Working, at_moment, workings_of
from instrumentgpt.instruments.checks import CHECKS, Check
from instrumentgpt.instruments.checks.health import healthy_channels
from instrumentgpt.instruments.close_ups import Close, looked_at_closely
from instrumentgpt.instruments.faults import (
    NO_FAULT,
    TUNED,
    explains,
    faults,
    next_tests,
    open_rival,
    severity,
)
from instrumentgpt.instruments.findings import (
    INDEPENDENT,
    SEVERITIES,
    Confidence,
    Excursion,
    Finding,
    Programmed,
    Withheld,
)
from instrumentgpt.instruments.language import Language, plain
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loops import Loop, Mask, loops_of
from instrumentgpt.instruments.reading.headers import heading_of
from instrumentgpt.instruments.reading.record import gains_stated, is_band, written
from instrumentgpt.instruments.reading.scales import ELECTRIC
from instrumentgpt.instruments.tuning.gains import GAIN_NAMES

CLEAR, FAR = 2.0, 3.0  # times its limit
OFTEN = 4  # times, or cycles: three can be chance
WORKED_FOR = 5.0  # lags
MOST_TRIED = 4  # phases, one by one
BOUND = ("sensor_spike", "sensor_noise")  # judged by how fast a capacity lets a reading move
QUICK = ("flow", "pressure", "rotation", "speed", "electricity", *ELECTRIC)  # units of what has none
ANSWERS = (*TUNED, "integral_windup")  # how a loop answers: what moves it, as a programme does, shows it
UNTOUCHED = 1.5  # bands within which another loop holds
CERTAIN, LIKELY = 3, 1  # points


def graded(study: Study, finding: Finding) -> Finding:
    """Return `finding` with its signs and its grade; critical only if a second, independent sign shows it."""
    finding = replace(finding, signs=signs_of(study, finding))
    rival = bool(open_rival(finding))
    points = len(finding.signs) - rival
    confidence: Confidence = "likely" if points >= LIKELY else "possible"
    if points >= CERTAIN and not rival:
        confidence = "certain"
    track = _track_of(study, finding)
    burns = track is None or track.is_thermal
    alone = finding.severity == "critical" and not (burns and set(finding.signs) & set(INDEPENDENT))
    return replace(finding, confidence=confidence, severity="high" if alone else finding.severity)


def _unsupported(study: Study, check: Check, finding: Finding) -> str:
    """Return why what `check` found is no verdict, a key of wording.toml; "" if it is one.

    beside    a reading of a channel without a setpoint, in a log of loops that have one: what moves it is
              not there
    unbound   moves beyond what a capacity lets a reading make, of what has none
    guessed   critical, and of a setpoint or an output that no head names, of a loop that was not seen to hold
              before, nor another meanwhile: the columns may be others
    unusual   more than usual, of a loop that was not seen to hold before, while no other held: what is usual
              is not known
    unsigned  no sign but the check's own number, of a reading without any setpoint, or of a loop that held
              after it and was not seen to hold before: its start
    """
    track, signs = _track_of(study, finding), signs_of(study, finding)
    if track is None or finding.fault not in next_tests():
        return ""
    if not _has_setpoint(study, track) and _ruled(finding, "is_read"):
        loops = any(_has_setpoint(study, one) for one in study.tracks.values())
        return "beside" if loops else "" if signs else "unsigned"
    if finding.fault in BOUND and _is_quick(study, finding.channel):
        return "unbound"
    is_seen = {"before", "alone"} & {*signs}
    roles = ("setpoint" if need == "level" else need for need in check.needs)
    is_grave = severity(finding.fault) == "critical"
    if is_grave and not is_seen and {*roles} & {*study.log.unnamed}:
        return "guessed"
    if _ruled(finding, "is_relative"):
        return "" if is_seen else "unusual"
    return "" if signs or not _held(track, track.time > finding.end) else "unsigned"


def _has_setpoint(study: Study, track: Track) -> bool:
    return "setpoint" not in study.log.missing and bool(np.isfinite(track.loop.setpoint).any())


def _track_of(study: Study, finding: Finding) -> Track | None:
    return None if finding.channel is None else study.tracks.get(finding.channel)


def signs_of(study: Study, finding: Finding) -> tuple[str, ...]:
    """Return the signs that `finding` rests on beside its check's own.

    clear, far  its number passed its limit `CLEAR`, `FAR` times
    again       it was seen `OFTEN`
    before      the loop worked until then
    alone       other loops of the log held meanwhile
    driven      the output moved meanwhile
    """
    track = _track_of(study, finding)
    place = track or next(iter(study.tracks.values()), None)
    if place is None or finding.fault not in next_tests():
        return ()
    times, margin = _times(finding), _margin(finding, place, "margin")
    signs = {
        "clear": margin >= CLEAR,
        "far": margin >= FAR,
        "again": times >= OFTEN,
        "before": track is not None and _worked(finding, track),
        "alone": track is not None and _others_held(study, finding, track),
        "driven": _margin(finding, place, "driven") >= 1,
    }
    return tuple(name for name, shows in signs.items() if shows)


def is_glitch(finding: Finding) -> bool:
    """Return whether one reading alone is off."""
    return finding.fault == "sensor_spike" and finding.numbers["count"] == 1


def _since_change(study: Study, finding: Finding) -> Finding:
    """Return what gains cure with those that held until they were changed before it, as logged."""
    track = _track_of(study, finding)
    if track is None or finding.fault not in TUNED:
        return finding
    named = np.nan_to_num([getattr(track.loop, name) for name in GAIN_NAMES])
    moved = (np.diff(named) != 0).any(axis=0) & (named[0, :-1] > 0)
    at = int(np.flatnonzero(np.append(True, moved & (track.loop.time[1:] <= finding.onset)))[-1])
    if not at or not _held(track, np.arange(len(track)) < at):
        return finding
    line, events = int(track.loop.line[at]), study.whole.events
    stated = [
        terms
        for number, terms in gains_stated(zip(events["line"], events["text"], strict=True))
        if number <= line
    ]
    back, now = (written(terms) for terms in stated[-2:]) if len(stated) > 1 else ("", "")
    if not back:
        texts = (zip(GAIN_NAMES, named[:, row], strict=True) for row in (at - 1, at))
        back, now = (", ".join(f"{name} {value:.4g}" for name, value in pairs) for pairs in texts)
    softer = stated[-1]["p"].name if is_band(stated[-1]) else math.nan
    numbers = {**finding.numbers, "changed": line, "put_back": back, "now": now, "softer": softer}
    return replace(finding, numbers=numbers, evidence=quote(study, track, at) + finding.evidence)


def _times(finding: Finding) -> float:
    counts = [finding.numbers.get(name, 1) for name in ("times", "cycles", "answered", "count")]
    numbers = [count for count in counts if isinstance(count, int | float)]
    several = finding.channel is None  # whose count is of channels
    return max([*(numbers[:-1] if several else numbers), len(finding.moments)])


def _is_quick(study: Study, channel: int | None) -> bool:
    """Return whether pv is a pressure, a flow, a speed or a current: it may move at once."""
    if channel is None:
        return False
    head, unit = heading_of(study.log.head_of(channel, "pv")), study.log.unit_of(channel)
    return (head.unit or heading_of(f"pv ({unit})").unit) in QUICK


def _ruled(finding: Finding, name: str) -> Any:
    """Return what faults.toml says of the finding's kind by `name`, else of its class; None if nothing."""
    table = faults()[finding.fault]
    return table.get(f"{name}_{finding.numbers.get('kind')}", table.get(name))


def _margin(finding: Finding, track: Track, name: str) -> float:
    """Return how many times the number that faults.toml names passed its limit; 0 where it names none."""
    rule = _ruled(finding, name)
    if rule is None:
        return 0.0
    value, limit = finding.numbers.get(rule["of"], math.nan), rule["limit"]
    limit = finding.numbers.get(limit, math.nan) if isinstance(limit, str) else limit
    if isinstance(value, str) or isinstance(limit, str):
        return 0.0
    if rule.get("unit") == "factor":
        return abs(math.log(value)) / math.log(limit) if value > 0 else 0.0
    unit = {"bands": track.shown(BAND), "lags": track.lag}.get(rule.get("unit", ""), 1.0)
    passed = limit * unit * rule.get("times", 1.0)
    return abs(value) / passed if passed > 0 else 0.0


def _worked(finding: Finding, track: Track) -> bool:
    """Return whether the loop held, or its sensor read, until `finding`."""
    if "good" in finding.numbers:
        return math.isfinite(float(finding.numbers["good"]))
    return _held(track, track.time < finding.onset)


def _held(track: Track, during: Mask) -> bool:
    """Return whether the loop held, or kept to its ramps or cycle, for `WORKED_FOR` of what is `during`."""
    settles = track.kind.drive != "on_off" and track.kind.program != "ramps"
    inside = track.controlled & (np.abs(track.smooth_error) <= track.own_band)
    held = during & (track.quiet if settles else inside)
    return float(held.sum()) * track.period >= track.lags(WORKED_FOR)


def _others_held(study: Study, finding: Finding, track: Track) -> bool:
    """Return whether another loop held its setpoint for most of the time of `finding`, and left it never."""
    for other in study.active:
        during = (other.time >= finding.onset) & (other.time <= finding.end)
        quiet = during & other.quiet
        if other is track or quiet.sum() <= during.sum() / 2:
            continue
        if np.nanmax(np.abs(other.smooth_error[quiet])) < UNTOUCHED * BAND:
            return True
    return False


SPOILED_BY = ("data_gap", "sensor_open", "sensor_spike", "sensor_stuck", "sensor_bias", "sensors_swapped")
ORDER = tuple(faults())  # in which they explain one another away
REACH = 6.0  # lags by which a consequence may seem to begin before its cause


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What the checks say of `log`.

    channels  metrics of each channel
    kinds     what kind of loop each channel is
    findings  likeliest root cause first; "healthy" and "insufficient_data" are findings too
    segments  stretches of one setpoint or one programme run, in the order of channels and time
    excursions  every time a loop that holds left its own band, in order, explained or not
    glitches  single spikes: one reading in a log is no fault of its sensor
    programmes  what looked like a fault, and is what the machine's own programme does each time
    withheld  name of a check, or "healthy, channel 2" → why it gives no verdict: a field the log lacks, a
              check that failed, figures that are not those of a healthy channel
    """

    log: Log
    channels: Mapping[int, Metrics]
    findings: tuple[Finding, ...]
    withheld: Mapping[str, Withheld]
    kinds: Mapping[int, LoopKind] = field(default_factory=dict)
    excursions: tuple[Excursion, ...] = ()
    segments: tuple[Segment, ...] = ()
    programmes: tuple[Programmed, ...] = ()
    glitches: tuple[Finding, ...] = ()

    @cached_property
    def trends(self) -> tuple[Trend, ...]:
        """Return what changes from day to day."""
        return trends_of(self.segments, self.bands)

    @cached_property
    def workings(self) -> dict[int, tuple[Working, ...]]:
        """Return channel → how its loop works, of those that are one."""
        return {
            channel: workings_of(
                loop, self.kinds[channel], self._segments(channel), self.channels.get(channel)
            )
            for channel, loop in self._loops.items()
        }

    def at(self, time: float) -> dict[int, tuple[Working, ...]]:
        """Return channel → what its loop does at `time`, s since the log's first line."""
        return {
            channel: tuple(at_moment(loop, self.kinds[channel], self._segments(channel), time))
            for channel, loop in self._loops.items()
        }

    @cached_property
    def _loops(self) -> dict[int, Loop]:
        """Return the loops that were judged, without what is no reading."""
        loops = loops_of(replace(self.log, samples=self.log.readings))
        return {channel: loop for channel, loop in loops.items() if channel in self.kinds}

    def _segments(self, channel: int) -> list[Segment]:
        return [one for one in self.segments if one.channel == channel]

    @property
    def bands(self) -> dict[int, float]:
        """Return channel → its own band, in the unit of pv."""
        return {channel: kind.band for channel, kind in self.kinds.items()}


def diagnose(log: Log, checks: Mapping[str, Check] = CHECKS) -> Diagnosis:
    """Return the diagnosis of `log` by `checks`, in their order.

    A check that raises is named in `withheld`, the others go on.
    """
    study = study_of(log)
    segments = segments_of(study)
    close = looked_at_closely(study, segments)
    reach = REACH * max((track.lag for track in study.tracks.values()), default=0.0)
    empty = set(study.log.samples.columns[study.log.samples.isna().all()])
    causes: list[Finding] = []
    withheld: dict[str, Withheld] = {}
    programmes: list[Programmed] = []
    doubts: list[Withheld] = []
    glitches: list[Finding] = []
    for name, check in checks.items():
        refused = _withheld(study, check, empty)
        if refused is not None:
            withheld[name] = refused
            continue
        try:
            reported = close.find(name, check, study, tuple(causes))
        except Exception as failure:  # the edge of a check: one that breaks must not cost the others
            withheld[name] = Withheld(check.fault, reasons={"failed": {"error": reason(failure)}})
            continue
        for finding in reported:
            kept, made = _outside(close, name, check, study, tuple(causes), finding)
            programmes += [made] if made else []
            if kept and is_glitch(kept):
                glitches.append(kept)
            elif kept and (why := _unsupported(study, check, kept)):
                doubts.append(Withheld(kept.fault, kept.channel, {why: {}}, doubt=kept))
            elif kept:
                causes = _add(causes, kept, reach)
    channels = {channel: close.of_metrics(metrics_of(track)) for channel, track in study.tracks.items()}
    kinds = {channel: close.of_kind(track.kind, channels[channel]) for channel, track in study.tracks.items()}
    if any(kind.drive != "unseen" for kind in kinds.values()):
        beside = {at for at, kind in kinds.items() if (kind.drive, kind.program) == ("unseen", "none")}
        kinds |= {at: replace(kinds[at], drive="beside") for at in beside}
    withheld |= {f"{item.fault}, channel {item.channel}": item for item in doubts}
    excursions = close.excursions(study, causes)
    healthy, unsure = healthy_channels(study, causes, doubts, channels, excursions)
    findings = ranked([_since_change(study, graded(study, cause)) for cause in causes]) + tuple(healthy)
    channels |= {at: _swinging(channels[at], cause) for cause in causes if (at := cause.channel) in channels}
    told = (excursions, segments, tuple(programmes), tuple(glitches))
    return Diagnosis(log, channels, findings, withheld | unsure, kinds, *told)


def _outside(
    close: Close, name: str, check: Check, study: Study, before: tuple[Finding, ...], finding: Finding
) -> tuple[Finding | None, Programmed | None]:
    """Return `finding` if the machine's own programme does not make it, else what is left, and that.

    The check is asked again of the log without the programme's times; if it would be silent without times
    between these too, that tells nothing.
    """
    about = [at for at in study.tracks if finding.is_about(at)]
    if finding.fault in (*ANSWERS, *NO_FAULT) or _ruled(finding, "is_lasting"):
        return finding, None
    programmes = [one for at in about for one in study.programmes(at)]

    def left(taken: Sequence[Programme]) -> Finding | None:
        rest = close.without(taken).find(name, check, study.without(taken), before)
        return next((one for one in rest if one.channel == finding.channel), None)

    times = (finding.onset, *finding.moments)
    mine = [[one] for one in programmes if any(one.has(time) for time in times)]
    for taken in [*mine[:MOST_TRIED], programmes] if programmes else []:
        rest = left(taken)
        gone = rest is None or not any(one.has(rest.onset) for one in taken)
        if gone and left([one.elsewhere() for one in taken]) is not None:
            return rest, programmed(study.tracks[about[0]], taken[0], finding)
    return finding, None


def _withheld(study: Study, check: Check, empty: Set[str]) -> Withheld | None:
    """Return why `check` cannot judge: what is missing, or in an `empty` column; None if nothing is."""
    missing = study.log.missing
    fields = {need: "setpoint" if need == "level" else need for need in check.needs}
    if absent := tuple(field for need, field in fields.items() if need in missing or field in empty):
        return Withheld(check.fault, missing=absent)
    if check.thermal_only and not study.is_thermal:
        return Withheld(check.fault, reasons={"no_temperature": {}})
    return None


def _add(causes: list[Finding], finding: Finding, reach: float) -> list[Finding]:
    """Return `causes` with `finding` among them, or named as a consequence of the one that explains it.

    Where either may explain the other, it is the one that came first.
    reach  s by which a consequence may seem to begin before its cause
    """
    if later := [cause for cause in causes if _came_first(finding, cause)]:
        explained = dict.fromkeys(name for cause in later for name in (cause.fault, *cause.consequences))
        finding = replace(finding, consequences=tuple(explained))
        causes = [cause for cause in causes if cause not in later]
    for position, cause in enumerate(causes):
        if _is_consequence(cause, finding, reach):
            if finding.fault == cause.fault:
                return causes
            named = tuple(dict.fromkeys([*cause.consequences, finding.fault]))
            return [*causes[:position], replace(cause, consequences=named), *causes[position + 1 :]]
    return [*causes, finding]


def _came_first(one: Finding, other: Finding) -> bool:
    """Return whether `one` was shown before `other` began on its channel, and is of a kind to explain it."""
    explained = other.fault in faults()[one.fault].get("explains_later", ())
    shown = max((item.time for item in one.evidence), default=math.inf)
    return explained and one.channel == other.channel and shown < other.onset


def _is_consequence(cause: Finding, finding: Finding, reach: float) -> bool:
    same_place = finding.channel is None or cause.is_about(finding.channel)
    same_fault = cause.fault == finding.fault and cause.channel == finding.channel
    middle = (finding.onset + finding.end) / 2
    in_time = cause.onset - reach <= middle and finding.onset <= cause.end + 10 * reach
    explained = finding.fault in explains(cause.fault)
    return same_fault or (same_place and explained and in_time) or _came_first(cause, finding)


def _swinging(metrics: Metrics, finding: Finding) -> Metrics:
    """Return `metrics` with the swing that `finding` tells, if it does: one channel has one."""
    amplitude, period = (finding.numbers.get(name) for name in ("amplitude", "period"))
    if not isinstance(amplitude, float) or not isinstance(period, float):
        return metrics
    return replace(metrics, half_peak_to_peak=amplitude, period=period)


def ranked(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return `findings`, likeliest root cause first, notes on the record last.

    A fault of the loop or its actuator comes before what was read and what the room did, which it is left
    beside: they do not explain it. Then what may explain the other comes first, however bad that is.
    A push of one loop alone explains none of its own faults.
    Where neither can, since they are of different channels, the channel with the worst finding comes first.
    """

    def rank(finding: Finding) -> tuple[bool, bool, int, bool, int, float]:
        beside = (
            other
            for other in findings
            if None in (other.channel, finding.channel) or other.channel == finding.channel
        )
        worst = min(SEVERITIES.index(other.severity) for other in beside)
        place = len(ORDER) if finding.numbers.get("kind") == "alone" else ORDER.index(finding.fault)
        is_read = faults()[finding.fault].get("is_read", False)
        return (
            finding.severity == "info",
            is_read,
            worst,
            finding.confidence == "possible",
            place,
            finding.onset,
        )

    return tuple(sorted(findings, key=rank))


def spoiled(diagnosis: Diagnosis, channel: int) -> list[tuple[float, float]]:
    """Return the stretches (from, to; s) of `channel` in which readings or the record are wrong."""
    return [
        (finding.onset, finding.end)
        for finding in diagnosis.findings
        if finding.fault in SPOILED_BY and finding.is_about(channel)
    ]


def rows(diagnosis: Diagnosis, language: Language = "en") -> list[dict[str, Any]]:
    """Return one JSON-ready row per finding, likeliest root cause first: who, what, when, shown by what."""
    return [
        {
            "log": diagnosis.log.name,
            "channel": "all" if finding.channel is None else finding.channel,
            "class": finding.fault,
            "onset": round(finding.onset, 3),
            "end": round(finding.end, 3),
            "clock": diagnosis.log.clock(finding.onset),
            "severity": finding.severity,
            "confidence": finding.confidence,
            "summary": wording.summary(finding, language),
            "evidence": [{"line": item.line, "values": dict(item.values)} for item in finding.evidence],
            "numbers": plain(finding.numbers),
            "consequences": list(finding.consequences),
            "next_test": wording.next_test(finding, language),
        }
        for finding in diagnosis.findings
    ]


def kind_rows(diagnosis: Diagnosis, language: Language = "en") -> list[dict[str, Any]]:
    """Return one JSON-ready row per channel: what kind of loop it is, in figures and as a sentence."""
    unit_of = diagnosis.log.unit_of
    return [
        {
            "channel": channel,
            "kind": {
                **plain(asdict(kind)),
                "name": loop_wording.name(kind, language),
                "short": loop_wording.short(kind, unit_of(channel), language),
                "summary": loop_wording.sentence(kind, unit_of(channel), language),
                "ordinary": loop_wording.is_ordinary(kind),
            },
        }
        for channel, kind in diagnosis.kinds.items()
    ]


def excursion_rows(diagnosis: Diagnosis, language: Language = "en") -> list[dict[str, Any]]:
    """Return one JSON-ready row per excursion, in order: when, how far, by which lines, covered by what."""
    log = diagnosis.log
    return [
        {
            "channel": excursion.channel,
            "excursion": {
                "onset": round(excursion.onset, 3),
                "end": round(excursion.end, 3),
                "clock": log.clock(excursion.onset),
                "size": plain(excursion.size),
                "limit": plain(excursion.limit),
                "unit": log.unit_of(excursion.channel),
                "explained": excursion.explained,
                "summary": loop_wording.excursion(excursion, log, language),
                "explanation": loop_wording.explanation(excursion, language),
                "evidence": [{"line": item.line, "values": dict(item.values)} for item in excursion.evidence],
            },
        }
        for excursion in diagnosis.excursions
    ]

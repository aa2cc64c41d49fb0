"""A record in segments, stretches of one setpoint or programme run: figures of each, trends over days."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from instrumentgpt.instruments.analysis.metrics import answer_to, half_peak_to_peak, mean_of
from instrumentgpt.instruments.analysis.signals import MAD_TO_SIGMA, constant_runs, noise, periodicity, smooth
from instrumentgpt.instruments.analysis.study import GAP_PERIODS, Study, all_samples
from instrumentgpt.instruments.analysis.tracks import SHORTEST_HOLD, Hold, Track
from instrumentgpt.instruments.findings import SEVERITIES, Excursion, Finding
from instrumentgpt.instruments.loops import Floats

DAY = 86_400.0  # s: a longer hold is told day by day, or its trend could not be seen
SHORTEST_SHARE = 1 / 300  # of the record: a shorter stretch is a point of a programme beside the whole
REGULAR = 0.7  # autocorrelation after one period, from which a swing has a period
FINE = 2048  # samples at the end of a segment that its noise and its period are told from
SMOOTHED = 5  # samples: half a lag, as of what is not thinned
SegmentKind = Literal["hold", "programme", "unasked"]
QUANTITIES = ("duty", "period", "noise", "mean_error")
FEWEST = 6  # segments: with fewer a slope of 99 % can hardly be told from none
LEAST_DAYS = 2.0  # a day's course is no trend
CONFIDENCE = 2.576  # standard deviations: 99 %, as some ten slopes are looked at in one log
BEYOND_SPREAD = 2.0  # standard deviations of what is left about the line, that the change must pass
WORTH = 0.1  # of the quantity itself, likewise: a smaller one changes nothing that people do
WORTH_BANDS = 0.25  # bands of an offset, likewise


@dataclass(frozen=True)
class Segment:
    """A stretch of one channel's record and its figures; nan where they cannot be told.

    kind               "hold": one setpoint; "programme": a run of shorter ones or a ramp; "unasked": no
                       setpoint, or switched off
    onset, end         s since the log's first line
    first_line, last_line  1-based
    setpoint           of a hold; of a programme the last one
    settled            share of a hold with pv settled (a thermostat that swings beyond its band: from when pv
                       reached it): the figures up to noise are of that part
    farthest           s, when pv was farthest from its mean there
    duty               percent, mean output
    mean_error         setpoint - pv
    half_peak_to_peak  of pv, a mean of half a lag
    period             s, of its swing; nan without a regular one
    noise              standard deviation of pv
    overshoot, settling_time  after the step it begins with (in the unit of pv; s); nan without one
    """

    channel: int
    kind: SegmentKind
    onset: float
    end: float
    first_line: int
    last_line: int
    setpoint: float
    settled: float = math.nan
    farthest: float = math.nan
    duty: float = math.nan
    mean_error: float = math.nan
    half_peak_to_peak: float = math.nan
    period: float = math.nan
    noise: float = math.nan
    overshoot: float = math.nan
    settling_time: float = math.nan

    @property
    def settled_at(self) -> float:
        """Return when pv had settled, s; half way where it never did."""
        return self.end - (self.settled if self.settled > 0 else 0.5) * (self.end - self.onset)

    @property
    def middle(self) -> float:
        """Return the moment half way, s."""
        return (self.onset + self.end) / 2


@dataclass(frozen=True)
class Trend:
    """How `quantity` of a channel changes while it holds `setpoint`; told only where the spread does not
    explain it.

    quantity     a field of `Segment`
    days         between the middles of the first and the last segment
    first, last  where the line begins and ends, in the quantity's unit
    slope        per day (Theil-Sen: the median of all slopes between two segments)
    low, high    its interval of 99 % (Sen)
    """

    channel: int
    quantity: str
    setpoint: float
    segments: int
    onset: float
    end: float
    days: float
    first: float
    last: float
    slope: float
    low: float
    high: float


def segments_of(study: Study) -> tuple[Segment, ...]:
    """Return the segments of each channel of `study`, in the order of channels and time; gaps end one."""
    start = study.log.start
    midnight = DAY - (start - start.normalize()).total_seconds() if start is not None else DAY
    return tuple(
        _segment(study, track, kind, first, stop)
        for track in study.tracks.values()
        for kind, first, stop in stretches(track, midnight)
    )


def stretches(track: Track, midnight: float = DAY) -> Iterator[tuple[SegmentKind, int, int]]:
    """Yield kind, first and past-the-last sample of each stretch of `track` that is long enough to tell.

    midnight  s, at which one day of the log ends
    """
    if not len(track):
        return
    shortest = max(track.lags(SHORTEST_HOLD), SHORTEST_SHARE * float(track.time[-1] - track.time[0]))
    steps = np.diff(track.loop.time)
    holes = np.flatnonzero((steps > GAP_PERIODS * track.period) | (steps < 0)) + 1
    broken = set(holes.tolist())
    setpoints = np.where(track.controlled, track.setpoint, np.nan)
    cuts = np.union1d(constant_runs(np.nan_to_num(setpoints, nan=math.inf))[:, 0], holes)
    runs: list[tuple[SegmentKind, int, int]] = []
    for first, stop in zip(cuts.tolist(), [*cuts[1:].tolist(), len(track)], strict=True):
        long = track.time[stop - 1] - track.time[first] >= shortest
        kind: SegmentKind = "unasked" if math.isnan(setpoints[first]) else "hold" if long else "programme"
        joins = runs and runs[-1][0] == kind == "programme" and first not in broken
        if joins:
            runs[-1] = (kind, runs[-1][1], stop)
        else:
            runs.append((kind, first, stop))
    for kind, first, stop in runs:
        ends = _days(track.loop.time, first, stop, midnight)
        for a, b in zip([first, *ends], [*ends, stop], strict=True):
            if track.time[b - 1] - track.time[a] >= shortest:
                yield kind, a, b


def _days(time: Floats, first: int, stop: int, midnight: float) -> list[int]:
    """Return where a stretch of more than a day is cut: at each midnight."""
    if time[stop - 1] - time[first] <= DAY:
        return []
    days = np.arange(midnight, time[stop - 1], DAY)
    cuts = first + np.searchsorted(time[first:stop], days)
    return [int(cut) for cut in cuts if first < cut < stop]


def _segment(study: Study, track: Track, kind: SegmentKind, first: int, stop: int) -> Segment:
    loop, sign = track.loop, math.copysign(1.0, track.scale)
    settled = track.settled(first, stop) if kind == "hold" else first
    if settled == stop and track.kind.drive == "on_off":
        settled = track.reached(Hold(first, stop, float(track.setpoint[first]), stop))
    part = slice(settled if settled < stop else first, stop)
    usable, swing = track.usable[part], _swing(track, part)
    away = np.abs(swing - mean_of(swing[usable]))
    held = track.controlled.copy()  # not where it was off, or let cool to where it does not come
    held[first : track.let_cool(first, stop) if kind == "hold" else first] = False
    error = track.error[part][usable & held[part]]
    period, rough = _fine(study, track, part)
    over, settling = _answer(track, first, stop) if kind == "hold" else (math.nan, math.nan)
    return Segment(
        channel=loop.channel,
        kind=kind,
        onset=float(loop.time[first]),
        end=float(loop.time[stop - 1]),
        first_line=int(loop.line[first]),
        last_line=int(loop.line[stop - 1]),
        setpoint=float(loop.setpoint[stop - 1]) if kind != "unasked" else math.nan,
        settled=(stop - settled) / (stop - first) if kind == "hold" else math.nan,
        farthest=float(loop.time[part][np.argmax(np.where(usable & np.isfinite(swing), away, -1.0))]),
        duty=mean_of(track.output[part][usable]),
        mean_error=sign * track.shown(mean_of(error)),
        half_peak_to_peak=track.shown(half_peak_to_peak(swing[usable])),
        period=period,
        noise=rough,
        overshoot=over,
        settling_time=settling,
    )


def _swing(track: Track, part: slice) -> Floats:
    """Return pv less setpoint, or pv where none is given, of these samples alone: no step beside is in it."""
    calm = smooth(track.pv[part], track.samples(track.lag / 2) | 1)
    return calm - track.setpoint[part] if track.controlled[part].all() else calm


def _fine(study: Study, track: Track, part: slice) -> tuple[float, float]:
    """Return period and noise of the end of a stretch, told from all of its samples."""
    if study.thinned is None:
        last = slice(max(part.start, part.stop - FINE), part.stop)
        period, pv, swing = track.period, track.pv[last] / track.scale, _swing(track, last)
    else:
        period, end = track.period / study.thinned.pace, float(track.loop.time[part.stop - 1])
        first = max(float(track.loop.time[part.start]), end - FINE * period)
        pv = all_samples(study, track.loop.channel, first, end)["pv"].to_numpy(dtype=float)
        swing = smooth(pv, SMOOTHED)
    is_finite = len(swing) > 0 and bool(np.isfinite(swing).all())
    samples, regularity = periodicity(swing) if is_finite else (math.nan, math.nan)
    return (samples * period if regularity >= REGULAR else math.nan), noise(pv)


def _answer(track: Track, first: int, stop: int) -> tuple[float, float]:
    """Return overshoot (in the unit of the log) and settling time after the step at `first`."""
    step = next((step for step in track.steps if step.index == first), None)
    if step is None or not track.usable[first:stop].all():
        return math.nan, math.nan
    _, settling, past, _ = answer_to(track, step)
    return track.shown(past), settling


def findings_in(segment: Segment, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that are faults of this channel, or of the whole device, in this segment."""
    return [
        finding
        for finding in findings
        if finding.severity != "none"
        and finding.is_about(segment.channel)
        and finding.onset < segment.end
        and segment.onset <= finding.end
    ]


def worst_first(
    segments: Sequence[Segment],
    findings: Sequence[Finding],
    excursions: Sequence[Excursion],
    bands: Mapping[int, float],
) -> list[Segment]:
    """Return `segments` by the most severe finding that begins there, then what nothing explains.

    Equals: by the most severe that goes on there, then by their swing.

    bands  channel → its own band, which swings are measured in
    """

    def badness(segment: Segment) -> tuple[int, int, int, float]:
        inside = findings_in(segment, findings)
        begun = [finding for finding in inside if segment.onset <= finding.onset]
        away = sum(
            excursion.channel == segment.channel
            and not excursion.explained
            and segment.onset <= excursion.onset < segment.end
            for excursion in excursions
        )
        swing = segment.half_peak_to_peak / bands[segment.channel]
        return _severest(begun), -away, _severest(inside), -float(np.nan_to_num(swing))

    return sorted(segments, key=badness)


def _severest(findings: Sequence[Finding]) -> int:
    return min((SEVERITIES.index(finding.severity) for finding in findings), default=len(SEVERITIES))


def theil_sen(days: Floats, values: Floats) -> tuple[float, float, float]:
    """Return the median slope of `values` over `days`, and its interval of 99 % by Sen's method.

    >>> [round(slope, 3) for slope in theil_sen(np.arange(8.0), np.arange(8.0) * 2 + 1)]
    [2.0, 2.0, 2.0]
    """
    n = len(days)
    later, earlier = np.tril_indices(n, -1)
    apart = days[later] - days[earlier]
    slopes = np.sort((values[later] - values[earlier])[apart > 0] / apart[apart > 0])
    if not slopes.size:
        return math.nan, math.nan, math.nan
    reach = CONFIDENCE * math.sqrt(n * (n - 1) * (2 * n + 5) / 18)
    low = int(max(0, math.floor((slopes.size - reach) / 2)))
    high = int(min(slopes.size - 1, math.ceil((slopes.size + reach) / 2)))
    return float(np.median(slopes)), float(slopes[low]), float(slopes[high])


def trends_of(segments: Sequence[Segment], bands: dict[int, float]) -> tuple[Trend, ...]:
    """Return what changes over days in the holds of each channel at the setpoint it held longest.

    bands  channel → its own band, in the unit of pv
    """
    holds: dict[tuple[int, float], list[Segment]] = defaultdict(list)
    for segment in segments:
        if segment.kind != "programme" and segment.settled != 0:
            holds[segment.channel, segment.setpoint if segment.kind == "hold" else math.inf].append(segment)
    trends = []
    for channel in dict.fromkeys(channel for channel, _ in holds):
        keys = (at for at in holds if at[0] == channel)
        longest = max(keys, key=lambda at: sum(segment.end - segment.onset for segment in holds[at]))
        trends += [_trend(holds[longest], quantity, bands[channel]) for quantity in QUANTITIES]
    return tuple(trend for trend in trends if trend is not None)


def _trend(segments: Sequence[Segment], quantity: str, band: float) -> Trend | None:
    days = np.array([segment.middle for segment in segments]) / DAY
    values = np.array([getattr(segment, quantity) for segment in segments])
    is_finite = np.isfinite(values)
    days, values = days[is_finite], values[is_finite]
    if len(days) < FEWEST or np.ptp(days) < LEAST_DAYS:
        return None
    slope, low, high = theil_sen(days, values)
    level = float(np.median(values - slope * days))
    left = values - slope * days - level
    change = abs(slope) * float(np.ptp(days))
    spread = MAD_TO_SIGMA * float(np.median(np.abs(left)))
    worth = WORTH_BANDS * band if quantity == "mean_error" else WORTH * abs(float(np.median(values)))
    if not low * high > 0 or change < max(BEYOND_SPREAD * spread, worth):
        return None
    first, last = float(days.min()), float(days.max())
    return Trend(
        segments[0].channel,
        quantity,
        segments[0].setpoint,
        len(days),
        first * DAY,
        last * DAY,
        last - first,
        level + slope * first,
        level + slope * last,
        slope,
        low,
        high,
    )

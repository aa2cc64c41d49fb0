"""A long log looked at closely: all samples of some windows, for what is too quick for the thinned whole."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

import numpy as np

from instrumentgpt.instruments.analysis.kind import LoopKind
from instrumentgpt.instruments.analysis.metrics import Metrics, metrics_of
from instrumentgpt.instruments.analysis.programme import Programme
from instrumentgpt.instruments.analysis.segments import Segment, segments_of
from instrumentgpt.instruments.analysis.study import Study, close_up
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.checks import Check, disturbances
from instrumentgpt.instruments.findings import Excursion, Finding

QUICK = (  # faults that show within a few lags, and need not show in one sample of many
    "sensor_open",
    "sensor_spike",
    "sensor_stuck",
    "sensor_noise",
    "oscillation_tuning",
    "limit_cycle_actuator",
    "integral_windup",
    "overshoot_tuning",
)
SEEMING = ("sensor_spike", "sensor_step", "sensor_noise")  # a thinned rise may seem a jump, a swing noise
WINDOW = 4000  # samples: as many as a plant is identified from
MOST_CLOSE = 256_000  # samples of all windows: 0.8 s of judging
BEFORE = 0.2  # of a window that lies before the step or the odd sample it is about


@dataclass(frozen=True)
class Close:
    """The windows of a long log; none of one that is judged as a whole.

    studies   all samples of one channel in a window
    segments  of the whole and of the windows
    """

    studies: Sequence[Study]
    segments: Sequence[Segment]

    def tracks(self, channel: int) -> list[Track]:
        """Return all samples of each window of `channel`."""
        return [study.tracks[channel] for study in self.studies if channel in study.tracks]

    def without(self, programmes: Sequence[Programme]) -> "Close":
        """Return the windows without the times of `programmes`."""
        return replace(self, studies=[study.without(programmes) for study in self.studies])

    def find(self, name: str, check: Check, study: Study, before: Sequence[Finding]) -> list[Finding]:
        """Return what the check `name` finds in the whole `study` and, if it is quick, in the windows."""
        parts = (study, *self.studies) if name in QUICK else (study,)
        findings: list[Finding] = []
        for part in parts:
            for finding in check.find(part.judged_by(check.drives, check.thermal_only), before):
                if part is not study or name not in SEEMING or _is_there(study, finding, check):
                    _note(findings, finding, part is not study)
        return findings

    def of_metrics(self, metrics: Metrics) -> Metrics:
        """Return `metrics` of a thinned channel with what only all samples tell."""
        tracks = self.tracks(metrics.channel)
        if not tracks:
            return metrics
        close = [metrics_of(track) for track in tracks]
        segments = (segment for segment in self.segments if segment.channel == metrics.channel)
        swings = [segment.half_peak_to_peak for segment in segments if segment.settled > 0]
        worst = max(close, key=lambda window: np.nan_to_num(window.overshoot, nan=-1.0))
        regular = max(close, key=lambda window: np.nan_to_num(window.regularity))
        return replace(
            metrics,
            sample_period=close[0].sample_period,
            digit=_median([window.digit for window in close]),
            noise=_median([window.noise for window in close]),
            lag=min(window.lag for window in close),
            half_peak_to_peak=float(np.nanmax(swings)) if np.isfinite(swings).any() else math.nan,
            period=regular.period,
            regularity=regular.regularity,
            rise_time=worst.rise_time,
            settling_time=worst.settling_time,
            overshoot=worst.overshoot,
            overshoot_percent=worst.overshoot_percent,
        )

    def of_kind(self, kind: LoopKind, metrics: Metrics) -> LoopKind:
        """Return the `kind` of a thinned channel with what its `metrics` tell of all samples."""
        if not self.tracks(metrics.channel):
            return kind
        digit, noise = metrics.digit, metrics.noise
        return replace(kind, period=metrics.sample_period, digit=digit, noise=noise, lag=metrics.lag)

    def excursions(self, whole: Study, findings: Sequence[Finding]) -> tuple[Excursion, ...]:
        """Return when loops were out of their own band: in the `whole`, and as only all samples tell."""
        excursions = list(disturbances.excursions_of(whole, findings))
        for study in self.studies:
            further = disturbances.excursions_of(study, findings)
            excursions += [excursion for excursion in further if not _overlaps_any(excursions, excursion)]
        return tuple(sorted(excursions, key=lambda excursion: excursion.onset))


def _is_there(study: Study, finding: Finding, check: Check) -> bool:
    """Return whether what `check` found in `study` is there too where all samples about it are looked at."""
    if study.thinned is None or finding.channel is None:
        return True
    half = WINDOW / 2 * study.tracks[finding.channel].period / study.thinned.pace
    moments = (finding.onset, *(item.time for item in finding.evidence[:1]))
    close = (close_up(study, finding.channel, moment - half, moment + half) for moment in moments)
    return any(check.find(part, ()) for part in close)


def _overlaps_any(excursions: Sequence[Excursion], excursion: Excursion) -> bool:
    others = (other for other in excursions if other.channel == excursion.channel)
    return any(other.onset <= excursion.end and excursion.onset <= other.end for other in others)


def _median(values: Sequence[float]) -> float:
    finite = [value for value in values if math.isfinite(value)]
    return float(np.median(finite)) if finite else math.nan


def _note(findings: list[Finding], finding: Finding, again: bool) -> None:
    """Add `finding`; what was seen `again` on its channel is one, and lasted till then."""
    for at, earlier in enumerate(findings if again else ()):
        if earlier.channel == finding.channel:
            onset, end = min(earlier.onset, finding.onset), max(earlier.end, finding.end)
            findings[at] = replace(earlier, onset=onset, end=end)
            return
    findings.append(finding)


def looked_at_closely(study: Study, segments: Sequence[Segment]) -> Close:
    """Return the windows of a thinned `study`, with what is too quick to show in its whole."""
    close = [close_up(study, *window) for window in windows(study, segments)]
    close = [part for part in close if len(part.log.samples) >= WINDOW / 4]
    return Close(close, [*segments, *(segment for part in close for segment in segments_of(part))])


def windows(study: Study, segments: Sequence[Segment]) -> Iterator[tuple[int, float, float]]:
    """Yield channel, beginning and end (s) of what is looked at closely.

    Of each channel in turn what stands out most, its steps, and the holds that swing most; until
    `MOST_CLOSE` samples are in them.
    """
    if study.thinned is None or study.log.missing[:1] == ("period",):
        return
    time = study.whole.samples["time"].to_numpy()
    for channel, track in study.tracks.items():
        seconds = WINDOW * track.period / study.thinned.pace
        parts = [segment for segment in segments if segment.channel == channel]
        parts.sort(key=lambda segment: -np.nan_to_num(segment.half_peak_to_peak))
        odd = ([float(time[at]) - BEFORE * seconds for at in rows] for rows in study.thinned.oddest[channel])
        steps = [segment.onset - BEFORE * seconds for segment in parts if math.isfinite(segment.overshoot)]
        swings = [segment.farthest - seconds / 2 for segment in parts if not math.isfinite(segment.overshoot)]
        most = max(1, MOST_CLOSE // (WINDOW * len(study.tracks)))
        taken: list[float] = []
        for moment in chain.from_iterable(zip_longest(*odd, steps, swings)):
            if moment is None or len(taken) == most or any(abs(moment - other) < seconds for other in taken):
                continue
            taken.append(moment)
            yield channel, moment, moment + seconds

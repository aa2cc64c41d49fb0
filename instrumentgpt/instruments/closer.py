"""A long log looked at closely: all samples of some windows, for what is too quick for the thinned whole."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

import numpy as np

from instrumentgpt.instruments.analysis.kind import LoopKind
from instrumentgpt.instruments.analysis.metrics import Metrics, metrics_of
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

    def find(self, name: str, check: Check, study: Study, before: Sequence[Finding]) -> list[Finding]:
        """Return what the check `name` finds in the whole `study` and, if it is quick, in the windows."""
        parts = (study, *self.studies) if name in QUICK else (study,)
        found: list[Finding] = []
        for part in parts:
            for finding in check.find(part.of_drives(check.drives), before):
                if part is not study or name not in SEEMING or _is_there(study, finding, check):
                    _note(found, finding, part is not study)
        return found

    def of_metrics(self, metrics: Metrics) -> Metrics:
        """Return `metrics` of a thinned channel with what only all samples tell."""
        own = self.tracks(metrics.channel)
        if not own:
            return metrics
        close = [metrics_of(track) for track in own]
        holds = (one for one in self.segments if one.channel == metrics.channel and one.settled > 0)
        swings = [one.half_peak_to_peak for one in holds]
        worst = max(close, key=lambda one: np.nan_to_num(one.overshoot, nan=-1.0))
        regular = max(close, key=lambda one: np.nan_to_num(one.regularity))
        return replace(
            metrics,
            sample_period=close[0].sample_period,
            digit=_median([one.digit for one in close]),
            noise=_median([one.noise for one in close]),
            lag=min(one.lag for one in close),
            half_peak_to_peak=float(np.nanmax(swings)) if np.isfinite(swings).any() else math.nan,
            period=regular.period,
            regularity=regular.regularity,
            rise_time=worst.rise_time,
            settling_time=worst.settling_time,
            overshoot=worst.overshoot,
            overshoot_percent=worst.overshoot_percent,
        )

    def of_kind(self, channel: int, kind: LoopKind) -> LoopKind:
        """Return the `kind` of a thinned channel with what only all samples tell."""
        own = self.tracks(channel)
        if not own:
            return kind
        digit, noise = (_median([getattr(track.kind, name) for track in own]) for name in ("digit", "noise"))
        lag = min(track.lag for track in own)
        return replace(kind, period=own[0].period, digit=digit, noise=noise, lag=lag)

    def excursions(self, whole: Study, findings: Sequence[Finding]) -> tuple[Excursion, ...]:
        """Return when loops were out of their own band: in the `whole`, and as only all samples tell."""
        found = list(disturbances.excursions_of(whole, findings))
        for study in self.studies:
            found += [one for one in disturbances.excursions_of(study, findings) if not _noted(found, one)]
        return tuple(sorted(found, key=lambda one: one.onset))


def _is_there(study: Study, finding: Finding, check: Check) -> bool:
    """Return whether what `check` found in `study` is there too where all samples about it are looked at."""
    if study.thinned is None or finding.channel is None:
        return True
    half = WINDOW / 2 * study.tracks[finding.channel].period / study.thinned.pace
    moments = (finding.onset, *(item.time for item in finding.evidence[:1]))
    close = (close_up(study, finding.channel, moment - half, moment + half) for moment in moments)
    return any(check.find(one, ()) for one in close)


def _noted(found: Sequence[Excursion], one: Excursion) -> bool:
    own = (other for other in found if other.channel == one.channel)
    return any(other.onset <= one.end and one.onset <= other.end for other in own)


def _median(values: Sequence[float]) -> float:
    known = [value for value in values if math.isfinite(value)]
    return float(np.median(known)) if known else math.nan


def _note(found: list[Finding], finding: Finding, again: bool) -> None:
    """Add `finding`; what was seen `again` on its channel is one, and lasted till then."""
    for at, one in enumerate(found if again else ()):
        if one.channel == finding.channel:
            onset, end = min(one.onset, finding.onset), max(one.end, finding.end)
            found[at] = replace(one, onset=onset, end=end)
            return
    found.append(finding)


def looked_at_closely(study: Study, segments: Sequence[Segment]) -> Close:
    """Return the windows of a thinned `study`, with what is too quick to show in its whole."""
    close = [close_up(study, *window) for window in windows(study, segments)]
    close = [one for one in close if len(one.log.samples) >= WINDOW / 4]
    return Close(close, [*segments, *(segment for one in close for segment in segments_of(one))])


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
        own = [one for one in segments if one.channel == channel]
        own.sort(key=lambda one: -np.nan_to_num(one.half_peak_to_peak))
        odd = ([float(time[at]) - BEFORE * seconds for at in rows] for rows in study.thinned.oddest[channel])
        steps = [one.onset - BEFORE * seconds for one in own if math.isfinite(one.overshoot)]
        swings = [one.farthest - seconds / 2 for one in own if not math.isfinite(one.overshoot)]
        most = max(1, MOST_CLOSE // (WINDOW * len(study.tracks)))
        taken: list[float] = []
        for moment in chain.from_iterable(zip_longest(*odd, steps, swings)):
            if moment is None or len(taken) == most or any(abs(moment - other) < seconds for other in taken):
                continue
            taken.append(moment)
            yield channel, moment, moment + seconds

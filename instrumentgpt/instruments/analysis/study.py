"""All loops of a log made ready to be judged together, and how a check writes down what it saw."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from instrumentgpt.instruments import faults
from instrumentgpt.instruments.analysis.departures import (
    Begun,
    Departure,
    Move,
    begun_by,
    common_moves,
    departures_of,
    happenings,
)
from instrumentgpt.instruments.analysis.kind import DRIVES, Drive
from instrumentgpt.instruments.analysis.programme import (
    Phase,
    Programme,
    answered_by,
    in_programme,
    phases_of,
    within,
    without,
)
from instrumentgpt.instruments.analysis.ready import track_of
from instrumentgpt.instruments.analysis.thinned import Thinned, thinned
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.findings import Evidence, Finding, RuledOut
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loops import Loop, Mask, loops_of, rows_by_channel
from instrumentgpt.instruments.messages import Group
from instrumentgpt.instruments.reading.headers import heading_of
from instrumentgpt.instruments.reading.record import UNSTATED, StatedLoop
from instrumentgpt.instruments.shown import as_logged, shown_per_logged

GAP_PERIODS = 12.0  # sample periods without a line: more than a lag, so that the loop was not seen to act
CLOCK_SET = 2.0  # s by which a clock must jump to count: smaller steps are a network time server's
GAP_MARGIN = 90.0  # sample periods on either side of a gap that no test may use


@dataclass(frozen=True)
class Gap:
    """A hole in the record: the samples on either side (position in log.samples) and the seconds between."""

    before: int
    after: int
    seconds: float


@dataclass(frozen=True, eq=False)
class Study:
    """A log and its tracks by channel; of a long one, `log` has the rows that stand for the `whole`."""

    log: Log
    gaps: tuple[Gap, ...]
    tracks: Mapping[int, Track]
    every: Mapping[int, Track]  # those too that are not under judgement
    whole: Log
    thinned: Thinned | None = None
    drives: tuple[Drive, ...] = DRIVES

    @property
    def is_thermal(self) -> bool:
        """Return whether pv is a temperature, or the counts of its converter: slow, behind its output."""
        return not math.isnan(self.log.degrees_per_unit) or self.log.unit == "counts"

    @cached_property
    def active(self) -> tuple[Track, ...]:
        """Return the tracks under control for at least a tenth of the log, of the kinds that are judged."""
        driven = (track for track in self.tracks.values() if track.controlled.mean() > 0.1)
        return tuple(track for track in driven if track.kind.drive in self.drives)

    def judged_by(self, drives: tuple[Drive, ...], thermal_only: bool) -> "Study":
        """Return the study with only loops of these `drives` under judgement.

        thermal_only  without what is no temperature; a reading beside loops is no loop, whatever is judged
        """
        driven = any(track.kind.drive != "unseen" for track in self.tracks.values())
        kept = {
            number: track
            for number, track in self.tracks.items()
            if track.is_thermal or not (thermal_only or (driven and track.kind.drive == "unseen"))
        }
        if drives == self.drives and len(kept) == len(self.tracks):
            return self
        return replace(self, drives=drives, tracks=kept)

    @cached_property
    def departures(self) -> Mapping[int, tuple[Departure, ...]]:
        """Return channel → when it left its own band while it held."""
        return {at: departures_of(track) for at, track in self.tracks.items()}

    @cached_property
    def happenings(self) -> list[Group]:
        """Return the lines that may say what was done; none where they have no time."""
        return [] if "period" in self.log.missing else happenings(self.whole.events)

    @cached_property
    def begun(self) -> Mapping[int, Begun]:
        """Return channel → departure → the line that says what was done as it began."""
        groups = self.happenings if any(self.departures.values()) else []
        return {
            at: begun_by(track := self.tracks[at], here, groups)
            | in_programme(track, here, self.programmes(at) if here else ())
            for at, here in self.departures.items()
        }

    @cached_property
    def phases(self) -> list[Phase]:
        """Return the phases of the machine's own programme; none where lines have no time."""
        ends = [float(track.loop.time[-1]) for track in self.tracks.values() if len(track)]
        if "period" in self.log.missing or not ends:
            return []
        return phases_of(self.whole.states, self.happenings, max(ends))

    def programmes(self, channel: int) -> tuple[Programme, ...]:
        """Return what a loop does by the machine's own programme."""
        if channel not in self._programmes:
            answered = (answered_by(self.tracks[channel], phase) for phase in self.phases)
            self._programmes[channel] = tuple(one for one in answered if one)
        return self._programmes[channel]

    @cached_property
    def _programmes(self) -> dict[int, tuple[Programme, ...]]:
        return {}

    def without(self, programmes: Sequence[Programme]) -> "Study":
        """Return the study without the times of `programmes`."""
        spans = [one.spans for one in programmes]
        cut = {at: without(track, within(track.loop.time, *spans)) for at, track in self.tracks.items()}
        return replace(self, tracks=cut)

    @cached_property
    def common_moves(self) -> tuple[Move, ...]:
        """Return when the channels under control left their setpoints together."""
        return common_moves(self.active, self.departures)


def study_of(log: Log) -> Study:
    """Return `log` ready for the checks; a long one is thinned."""
    gaps, whole = gaps_of(log), log
    about = np.array([at for gap in gaps for at in (gap.before, gap.after)], dtype=np.int64)
    thin = thinned(log.samples, about)
    if thin:
        log = replace(log, samples=log.samples.iloc[thin.rows].reset_index(drop=True))
        at = np.searchsorted(thin.rows, about).reshape(-1, 2)
        gaps = tuple(Gap(a, b, gap.seconds) for (a, b), gap in zip(at.tolist(), gaps, strict=True))
    tracks = {}
    for channel, loop in loops_of(log).items():
        usable = None if "period" in log.missing else _usable(loop, log, gaps, thin.pace if thin else 1)
        unit, stated = log.logged_unit_of(channel), log.stated_loops.get(channel, UNSTATED)
        factor = shown_per_logged(log, channel)
        cools = (output := log.head_of(channel, "output")) and heading_of(output).says("output", "cooling")
        tracks[channel] = track_of(as_logged(loop, log), unit, usable, stated, loop, factor, bool(cools))
    return Study(log, gaps, tracks, tracks, whole, thin)


def all_samples(study: Study, channel: int, first: float, last: float) -> pd.DataFrame:
    """Return the rows of `channel` between two moments (s), those too that the study was thinned of.

    None where the clock was set back: a moment is then no place.
    """
    if any(gap.seconds < 0 for gap in study.gaps):
        return study.whole.samples.iloc[:0]
    time = study.whole.samples["time"].to_numpy()
    near = study.whole.samples.iloc[slice(*np.searchsorted(time, (first, last)).tolist())]
    rows = dict(rows_by_channel(near["channel"].to_numpy())).get(channel, slice(0, 0))
    return near.iloc[rows].reset_index(drop=True)


def close_up(study: Study, channel: int, first: float, last: float) -> Study:
    """Return `all_samples` as a study of their own, in the units of the whole."""
    track, samples = study.tracks[channel], all_samples(study, channel, first, last)
    stated = StatedLoop(track.kind.drive, track.scale < 0, 1.0 / track.per_logged)
    whole = replace(study.whole, load_events=lambda: study.whole.events)  # read once for all windows
    close = study_of(replace(whole, samples=samples, clock_steps=(), stated_loops={channel: stated}))
    for cut in close.tracks.values():
        cut.usable[:1] = False  # it did not start there: how pv goes on is no answer to a step
    return close


def gaps_of(log: Log) -> tuple[Gap, ...]:
    """Return where the record stops for longer than it should, or its clock jumps back."""
    if "period" in log.missing or len(log.samples) < 3:
        return ()
    time = log.samples["time"].to_numpy(dtype=float)
    channels = max(1, log.samples["channel"].nunique())
    typical = float(np.median(np.diff(time[::channels]))) if len(time) > 3 * channels else math.nan
    if not typical > 0:
        steps = np.diff(time)
        later = steps[steps > 0]
        typical = float(np.median(later)) if later.size else math.inf
    steps = np.diff(time)
    holes = np.flatnonzero((steps > GAP_PERIODS * typical) | (steps < -max(1.0, 2 * typical)))
    gap_seconds = {int(i): float(steps[i]) for i in holes}
    return tuple(Gap(i, i + 1, seconds) for i, seconds in sorted((gap_seconds | _clock_steps(log)).items()))


def _clock_steps(log: Log) -> dict[int, float]:
    """Return the steps of the log's clock: position of the sample before each → seconds, back is negative."""
    lines = log.samples["line"].to_numpy()
    steps = [(int(np.searchsorted(lines, step.line)) - 1, step.seconds) for step in log.clock_steps]
    return {max(0, at): seconds for at, seconds in steps if abs(seconds) >= CLOCK_SET and at < len(lines) - 1}


def _usable(loop: Loop, log: Log, gaps: tuple[Gap, ...], pace: int) -> Mask:
    time, lines = log.samples["time"].to_numpy(dtype=float), log.samples["line"].to_numpy()
    usable = np.ones(len(loop), dtype=bool)
    steps = np.diff(loop.time)
    margin = GAP_MARGIN / pace * float(np.median(steps[steps > 0])) if (steps > 0).any() else 0.0
    for gap in gaps:
        past = loop.line <= lines[gap.before] if lines[0] <= lines[-1] else loop.line >= lines[gap.before]
        near_before = past & (loop.time > time[gap.before] - margin)
        near_after = ~past & (loop.time < time[gap.after] + margin)
        first_after = int(past.sum())
        near_after[:first_after] = False
        usable &= ~(near_before | near_after)
    return usable


def quote(study: Study, track: Track, *indices: int) -> tuple[Evidence, ...]:
    """Return the log lines behind the samples at `indices`, with the values that stand in them."""
    loop = track.loop
    output_as_read = math.isclose(study.log.output_scale, 1.0) or math.isclose(study.log.output_scale, 100.0)
    quoted = []
    for index in dict.fromkeys(min(max(int(i), 0), len(loop) - 1) for i in indices):
        values = {"setpoint": float(loop.setpoint[index]), "pv": float(loop.pv[index])}
        if output_as_read:
            values["output"] = float(loop.output[index])
        finite = {name: value for name, value in values.items() if math.isfinite(value)}
        quoted.append(Evidence(int(loop.line[index]), float(loop.time[index]), finite))
    return tuple(quoted)


def finding_of(
    study: Study,
    fault: str,
    track: Track,
    first: int,
    last: int,
    lines: Iterable[int],
    numbers: Mapping[str, float | str],
    ruled_out: Iterable[RuledOut] = (),
) -> Finding:
    """Return the finding of `fault` on `track` from sample `first` to `last`, quoting `lines`."""
    loop = track.loop
    return Finding(
        fault,
        loop.channel,
        float(loop.time[first]),
        float(loop.time[min(last, len(loop) - 1)]),
        faults.severity(fault),
        quote(study, track, *lines),
        {
            "unit": study.log.unit_of(loop.channel),
            **({"clock": "rows"} if "period" in study.log.missing else {}),
            **numbers,
        },
        tuple(ruled_out),
    )

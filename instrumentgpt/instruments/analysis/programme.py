"""What a machine does by its own programme, and what its loops do each time: wash, defrost, standby, charge.

Columns that are no loop's tell it, and lines between the samples. A phase belongs to a loop's programme if
the loop does in it what it does at no other time, nearly each time, and comes back.
"""

import math
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from instrumentgpt.instruments.analysis.departures import Departure
from instrumentgpt.instruments.analysis.signals import runs
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.findings import Finding, Programmed
from instrumentgpt.instruments.loops import Floats, Mask
from instrumentgpt.instruments.messages import Group, Message
from instrumentgpt.instruments.reading.behaviour import FEW_STATES
from instrumentgpt.instruments.reading.headers import level_of

FEWEST, MOST = 3, 200  # times: twice may be chance; more are no programme of a day
SHARE, REST = 0.5, 0.2  # of the record that a phase may last; that must be left without its ways back
RARE = 0.2  # of the record that a phase may last which came less often
LED = 2.0  # lags before a phase, in which a loop that did something else led it: a stage, an alarm
ANSWERS_IN = 6.0  # lags after a phase began in which pv leaves
BACK = 24.0  # lags after a phase, or as long as it was, in which the loop must be back
BEFORE = 0.5  # lags before a phase that are seen in it: pv is smoothed
CONTROLS = 3  # stretches of the rest, beside which a phase is set
USUAL = (0.05, 0.95)  # quantiles of what the loop does there
NEARLY_EACH = 0.7  # of the times, in which it does something else
ROUGHER, UNREAD, MOVED = 0.5, 0.05, 5.0  # of its roughness; share; percent of output: less is nothing else
CUT = ("setpoint", "raw", "pv", "output", "controlled")
EXTREMES = slice(2)  # of what is seen: an output that switches is off before, too
SIDES = {1.0: [0], -1.0: [1, 2, 3]}  # of what is seen, that says nothing to this side


@dataclass(frozen=True)
class Phase:
    """The times in which a column had a value, or at which a line was written.

    spans  (n, 2) s of the log, in order
    lines  (n,) where they begin
    """

    column: str
    value: str
    spans: Floats
    lines: tuple[int, ...]

    @property
    def seconds(self) -> float:
        """Return how long it lasted in all."""
        return float(np.ptp(self.spans, axis=1).sum())

    @property
    def text(self) -> str:
        """Return the phase as it is told: “mode = WASH”, or the line."""
        sign = "" if self.value[:1] in "≤>" else "= "
        return f"{self.column} {sign}{self.value}" if self.column else self.value

    @property
    def fewest(self) -> int:
        """Return how often it must come: once, if it is rare and its words say what it is."""
        return 1 if self.column and re.search(r"[^\W\d_]{2}", self.value) else FEWEST


@dataclass(frozen=True)
class Programme:
    """A phase that a loop answers: `spans` (n, 2) s, each with its way back, of the times it is the same."""

    phase: Phase
    spans: Floats
    lines: tuple[int, ...]

    def has(self, time: float) -> bool:
        """Return whether `time` (s) is in it."""
        return bool(((self.spans[:, 0] <= time) & (time <= self.spans[:, 1])).any())

    def elsewhere(self) -> "Programme":
        """Return as long times, or the third, in the middle between these, in which it does nothing."""
        between = np.stack([self.spans[:-1, 1], self.spans[1:, 0]], axis=1)
        half = np.minimum(np.ptp(self.spans[:-1], axis=1), np.ptp(between, axis=1) / 3) / 2
        return replace(self, spans=between.mean(axis=1)[:, None] + half[:, None] * [-1.0, 1.0])


class Column(NamedTuple):
    """A column that had each of `values` from each of `times` (s) on, at `lines`."""

    head: str
    times: Sequence[float]
    values: Sequence[str]
    lines: Sequence[int]

    def phases(self, end: float) -> list[Phase]:
        """Return when it had each value, until `end` (s); none of a column of many values."""
        spans, codes = np.array([*pairwise([*self.times, end])]).reshape(-1, 2), np.array(self.values, object)
        names = dict.fromkeys(self.values) if len({*self.values}) <= FEW_STATES else {}
        places = ((name, np.flatnonzero(codes == name).tolist()) for name in names)
        return [
            Phase(self.head, name, spans[at], tuple(self.lines[row] for row in at)) for name, at in places
        ]


def columns_of(states: pd.DataFrame) -> Iterator[Column]:
    """Yield each column of `states`, in order of time."""
    for head, rows in states.groupby("source", sort=False):
        in_order = rows.sort_values("time", kind="stable")
        yield Column(str(head), *(in_order[name].tolist() for name in ("time", "text", "line")))


def phases_of(states: pd.DataFrame, said: Sequence[Group], end: float) -> list[Phase]:
    """Return the phases of a log that ends at `end` (s): of its columns of `states`, and of its lines."""
    found: list[Phase] = []
    for column in columns_of(states):
        if level_of(column.head) == "info":
            found += _of_column(column, end)
    heads = (*{*states["source"]},)
    said = [one for one in said if len(one.messages) >= FEWEST and not one.template.startswith(heads)]
    said = said if len(said) <= FEW_STATES else []  # of so many lines some come with anything
    messages = sorted((one.time, group.template, one.line) for group in said for one in group.messages)
    if messages:  # each until the next line
        found += _of_column(Column("", *zip(*messages, strict=True)), end)
    for group in said:
        written = np.array([message.time for message in group.messages])
        lines = tuple(message.line for message in group.messages)
        found.append(Phase("", group.template, np.stack([written, written], axis=1), lines))
    return [phase for phase in found if phase.fewest <= len(phase.spans) <= MOST]


def _of_column(column: Column, end: float) -> Iterator[Phase]:
    """Yield the phases of a column that tell nothing bad, and all but its usual one as one."""
    every, values = column.phases(end), column.values
    yield from (phase for phase in every if phase.value and level_of(phase.value) == "info")
    lasts = {phase.value: phase.seconds for phase in every}
    usual = max(lasts, key=lasts.__getitem__, default="")
    if len(lasts) > 2 and lasts[usual] > SHARE * sum(lasts.values()):
        rest = runs(np.array(values, object) != usual)
        texts = " → ".join(dict.fromkeys(value for value in values if value and value != usual))
        if level_of(texts) == "info":
            joined = np.array([*column.times, end])[rest]
            yield Phase(column.head, texts, joined, tuple(column.lines[row] for row in rest[:, 0].tolist()))


def within(time: Floats, *every: Floats) -> Mask:
    """Return where `time` is in one of `every` spans (n, 2), s."""
    inside = np.zeros(len(time), dtype=bool)
    for first, last in np.searchsorted(time, np.concatenate(every)).tolist() if every else ():
        inside[first : last + 1] = True
    return inside


def answered_by(track: Track, phase: Phase) -> Programme | None:
    """Return `phase` as what `track` does each time; None if it does nothing else in it."""
    time, spans = track.loop.time, phase.spans
    share = SHARE if len(spans) >= FEWEST else RARE
    if not len(time) or np.ptp(spans, axis=1).sum() > share * np.ptp(time):
        return None
    stops = _back(track, spans)
    reach = np.stack([spans[:, 0] - track.lags(BEFORE), stops], axis=1)
    returned, whole = np.isfinite(stops), (reach[:, 0] > time[0]) & (stops < time[-1])
    if (returned & whole).sum() < phase.fewest or returned.mean() < NEARLY_EACH:
        return None
    reach[~returned, 1] = spans[~returned, 1]
    seen = np.array([_seen(track, *np.searchsorted(time, span)) for span in reach.tolist()])
    ahead = np.stack([spans[:, 0] - track.lags(LED), spans[:, 0]], axis=1)
    led = np.array([_seen(track, *np.searchsorted(time, span)) for span in ahead.tolist()])
    usual = np.array([_seen(track, a, b) for a, b in _rest(time, reach)])
    if len(usual) < CONTROLS:
        return None
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # of what a log never has
        low, middle, high = np.nanquantile(usual, (USUAL[0], 0.5, USUAL[1]), axis=0)
    alike = np.zeros(len(spans), dtype=bool)
    least = np.array([track.own_band, track.own_band, ROUGHER * middle[2], UNREAD, MOVED])
    for sign, limit in ((1.0, np.maximum(high, middle + least)), (-1.0, np.maximum(-low, least - middle))):
        out, before = sign * seen > limit, sign * led > limit
        out[:, SIDES[sign]] = False
        nearly_each = out[returned & whole].mean(axis=0) >= NEARLY_EACH
        if (nearly_each & (before.mean(axis=0) > 1 - NEARLY_EACH))[EXTREMES].any():
            return None
        alike |= out[:, nearly_each].any(axis=1)
    kept = alike & returned
    programme = Programme(phase, reach[kept], tuple(np.array(phase.lines)[kept].tolist()))
    rare = kept.sum() >= phase.fewest and within(time, programme.spans).mean() <= 1 - REST
    return programme if rare else None


def _rest(time: Floats, spans: Floats) -> Iterator[tuple[int, int]]:
    """Yield the stretches between `spans`, in pieces as long as these are."""
    usual = max(2, int(np.median(np.diff(np.searchsorted(time, spans), axis=1))))
    for a, b in runs(~within(time, spans)).tolist():
        count = max(1, (b - a) // usual)
        if b - a >= usual / 3:
            yield from pairwise(np.linspace(a, b, count + 1).astype(int).tolist())


def in_programme(
    track: Track, departures: Iterable[Departure], programmes: Iterable[Programme]
) -> dict[Departure, Message]:
    """Return those of `departures` that begin in one of `programmes`, and what that says."""
    found: dict[Departure, Message] = {}
    for one in programmes:
        starts, stops = one.spans.T
        for departure in departures:
            first, peak = track.loop.time[[departure.first, departure.peak]]
            at = int(np.searchsorted(starts, peak, side="right")) - 1
            if at >= 0 and peak <= stops[at] and first >= starts[at] - track.lags(BEFORE):
                found[departure] = Message(one.lines[at], float(starts[at]), one.phase.text)
    return found


def _back(track: Track, spans: Floats) -> Floats:
    """Return when the loop was back after each of `spans`, s; nan if it was not."""
    time, error = track.loop.time, track.smooth_error
    level = track.smooth_pv - np.nanmedian(track.smooth_pv) if np.isfinite(track.pv).any() else track.pv
    away = np.where(track.controlled, error, level if not track.controlled.any() else 0.0)
    home = (np.abs(away) <= track.own_band) & np.isfinite(track.raw)
    stops, later = np.full(len(spans), math.nan), [*spans[1:, 0].tolist(), math.inf]
    for at, ((start, stop), following) in enumerate(zip(spans.tolist(), later, strict=True)):
        limit = min(stop + max(stop - start, track.lags(BACK)), following)
        first, soon = np.searchsorted(time, (stop, stop + track.lags(ANSWERS_IN))).tolist()
        leaves = first + int(np.argmin(home[first:soon])) if not home[first:soon].all() else first
        back = leaves + int(np.argmax(home[leaves:])) if home[leaves:].any() else len(time)
        if back < len(time) and time[back] <= limit:
            stops[at] = max(stop, float(time[back]))
        elif limit > time[-1]:
            stops[at] = time[-1]
    return stops


def _seen(track: Track, first: int, stop: int) -> tuple[float, ...]:
    """Return what a loop did from `first` to before `stop`: its extremes, roughness, gaps, mean output."""
    first = max(min(first, len(track) - 2), 0)
    stop = max(stop, first + 2)
    pv = (track.pv - np.where(track.controlled, track.setpoint, 0.0))[first:stop]
    rough = np.diff(track.raw[first:stop], 2)
    output = track.output[first:stop]
    read = np.isfinite(pv).any()
    return (
        float(np.nanmin(pv)) if read else math.nan,
        float(np.nanmax(pv)) if read else math.nan,
        float(np.nanstd(rough)) if np.isfinite(rough).sum() > 3 else math.nan,
        float(np.isnan(track.raw[first:stop]).mean()),
        float(np.nanmean(output)) if np.isfinite(output).any() else math.nan,
    )


def without(track: Track, inside: Mask) -> Track:
    """Return `track` without the samples `inside`, its time going on where it was left."""
    kept, steps = ~inside, np.diff(track.time, prepend=track.time[:1])
    joined = np.flatnonzero(kept & np.append(False, inside[:-1]))
    usable = track.usable.copy()
    usable[joined] = False
    rows: dict[str, Any] = {name: getattr(track, name)[kept] for name in CUT}
    for name, loop in (("loop", track.loop), ("logged", track.logged)):
        parts: dict[str, Any] = {
            key: part[kept] for key, part in vars(loop).items() if isinstance(part, np.ndarray)
        }
        rows[name] = replace(loop, **parts)
    return replace(track, time=track.time[0] + np.cumsum(steps[kept]), usable=usable[kept], **rows)


def programmed(track: Track, programme: Programme, finding: Finding) -> Programmed:
    """Return what `programme` does to `track`, which looked like `finding`."""
    inside = within(track.loop.time, programme.spans) & np.isfinite(track.raw)
    pv = track.loop.pv[inside] if inside.any() else np.array([math.nan])
    back = float(np.median(np.ptp(programme.spans, axis=1)))
    moments = tuple((programme.spans[:, 0] + track.lags(BEFORE)).tolist())
    told = (programme.phase.text, moments, programme.lines, float(pv.min()), float(pv.max()), back)
    return Programmed(track.loop.channel, finding.fault, *told)

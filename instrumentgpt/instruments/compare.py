"""What changed between two logs of a device, or in one before and after: channels, kinds of event lines."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np
import pandas as pd

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.analysis.metrics import main_setpoint
from instrumentgpt.instruments.analysis.signals import PARTS, part_of_day
from instrumentgpt.instruments.analysis.study import Study, study_of
from instrumentgpt.instruments.analysis.tracks import AT_LIMIT, FEWEST_CYCLES, Track
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.findings import Finding
from instrumentgpt.instruments.loops import Mask
from instrumentgpt.instruments.messages import TROUBLE, Group, group_messages
from instrumentgpt.instruments.reading.record import Log
from instrumentgpt.instruments.shown import shown_in
from instrumentgpt.instruments.tuning.gains import GAIN_NAMES, named_gains

Item = TypeVar("Item")
Duties = dict[float, tuple[float, ...]]  # setpoint held → mean output (%), s, mean in each part of the day
NOTABLE_AMBIENT = 1.0  # °C
EXPECTED_LINES = 3.0  # so many lines of a kind must be missing, or new, to be no accident
HEAD_SHARE = 0.05  # of the log's length
AMBIENT = re.compile(r"(?:\bambient\b|\broom\b|環境溫度|室溫)[^-\d]{0,12}(-?\d+(?:\.\d+)?)", re.IGNORECASE)
SAME_GAIN = 0.005  # share: smaller differences are rounding in the log
SAME_SETPOINT = 0.05  # in the unit of the log
LEAST_QUIET = 6.0  # lags on setpoint in both logs, before outputs are compared
STANDING = 3.0  # bands of mean error, from which an output is not what the setpoint needs
NOTABLE_DUTY = 1.14  # factor; loops.md section 1, heater_degradation
LEAST_DUTY = 1.0  # %: below it a ratio of outputs says nothing
NOTABLE_NOISE = 2.5  # factor; loops.md section 1, sensor_noise
LEAST_NOISE = 0.00175  # of the span, half of what that rule calls noisy
SETTLED_AFTER = 29.0  # lags: the longest a step may take
NOTABLE_SHARE = 0.1  # of the time out of band
LEAST_LOGS, MOST_LOGS = 3, 8  # of a rise: two are no rise, more tell the same
STEP_BACK = 0.1  # of the whole rise: what is more ends a rise from log to log


@dataclass(frozen=True)
class Row:
    """One quantity before and after; nan where a log does not tell.

    quantity  "kp", "ki", "kd", "setpoint", "duty", "spread", "saturated", "noise", "out_of_band",
              "ambient"
    channel   None: the whole device
    ratio     after / before, nan where `before` is 0 or a ratio means nothing
    net       of "duty": `ratio` over the median ratio of the other channels, nan without others
    at        of "duty", "spread": the setpoint held in both
    """

    quantity: str
    channel: int | None
    before: float
    after: float
    unit: str
    notable: bool
    ratio: float = math.nan
    net: float = math.nan
    at: float = math.nan


@dataclass(frozen=True)
class EventChange:
    """Lines of one template that are new, or no longer there: how many, and the first line of them."""

    template: str
    level: str
    source: str
    before: int
    after: int
    line: int


@dataclass(frozen=True)
class Comparison:
    """All rows, those of a channel together, and the event templates that came or went."""

    before: str
    after: str
    unit: str
    rows: tuple[Row, ...]
    events: tuple[EventChange, ...]

    @property
    def notable(self) -> tuple[Row, ...]:
        """Return the rows that changed by more than chance and rounding do."""
        return tuple(row for row in self.rows if row.notable)


class Incomparable(InstrumentGPTError, ValueError):
    """Two logs, or parts of one, that share nothing to compare."""


def compare(before: Log, after: Log, at: float | None = None) -> Comparison:
    """Return what changed from the log `before` to the log `after`, in the unit of `before`.

    at  the setpoint at which they are compared, where both held it; else that which both held longest
    """
    after = shown_in(after, before.unit)
    if before.unit != after.unit:
        raise Incomparable(
            f"{before.name} is in {before.unit or 'no unit'}, {after.name} in {after.unit or 'no unit'}. "
            "Compare temperatures with temperatures, else logs of one unit."
        )
    first, second = study_of(before), study_of(after)
    channels = sorted(set(first.tracks) & set(second.tracks))
    if not channels:
        raise Incomparable(
            f"{before.name} has channels {sorted(first.tracks)}, {after.name} {sorted(second.tracks)}: "
            "none in common. Choose two logs of the same device."
        )
    rows = [row for channel in channels for row in channel_rows(first, second, channel, at)]
    rows = [*net_of_others(rows), *ambient_rows(before, after)]
    names = (before.name, after.name)
    return Comparison(*names, before.unit, tuple(rows), tuple(event_changes(before, after)))


def divided(log: Log, time: float) -> tuple[Log, Log]:
    """Return the parts of `log` before `time` (s since its first line), and from then on."""
    last = float(log.samples["time"].max()) if len(log.samples) else math.nan
    if not 0 < time < last:
        raise Incomparable(f"{log.name} runs from 0 to {last:.0f} s; {time:.0f} s does not divide it.")
    moment = log.clock(time)
    return _part(log, 0.0, time, f"< {moment}"), _part(log, time, math.inf, f"≥ {moment}")


def _part(log: Log, first: float, last: float, name: str) -> Log:
    def within(frame: pd.DataFrame) -> pd.DataFrame:
        return frame[(frame["time"] >= first) & (frame["time"] < last)].reset_index(drop=True)

    samples = within(log.samples)
    return replace(log, name=name, samples=samples, load_events=lambda: within(log.events), kept=None)


def channel_rows(first: Study, second: Study, channel: int, at: float | None = None) -> Iterator[Row]:
    """Yield what can be compared of `channel`; of gains and outputs only what both logs tell."""
    a, b = first.tracks[channel], second.tracks[channel]
    unit = first.log.unit
    units = {study.log.logged_unit_of(channel) for study in (first, second)}
    yield from _gain_rows(a, b, units.pop()) if len(units) == 1 else ()
    setpoints = main_setpoint(a), main_setpoint(b)
    yield Row("setpoint", channel, *setpoints, unit, abs(setpoints[1] - setpoints[0]) > SAME_SETPOINT)
    yield from duty_rows(channel, duties(first, channel), duties(second, channel), at)
    yield from use_rows(channel, a, b, unit, at)
    noises = a.shown(a.noise), b.shown(b.noise)
    loud = max(noises) > LEAST_NOISE * a.shown(a.span)
    yield _row("noise", channel, *noises, unit, loud and _differs(*noises, NOTABLE_NOISE))
    shares = _out_of_band(a), _out_of_band(b)
    yield Row("out_of_band", channel, *shares, "%", abs(shares[1] - shares[0]) > 100 * NOTABLE_SHARE)


def use_rows(channel: int, a: Track, b: Track, unit: str, at: float | None = None) -> Iterator[Row]:
    """Yield how both held the setpoint that both held longest, and how long their output was at its limit."""
    held = _held(a), _held(b)
    both = {*held[0]} & {*held[1]}
    longest = max(both, key=lambda level: min(one[level] for one in held), default=None)
    if (at := at if at in both else longest) is not None:
        spreads = _spread(a, at), _spread(b, at)
        loud = max(spreads) > a.shown(a.own_band) / 2
        yield replace(
            _row("spread", channel, *spreads, unit, loud and _differs(*spreads, NOTABLE_NOISE)), at=at
        )
    limited = _minutes_at_limit(a), _minutes_at_limit(b)
    shares = limited[0] / (len(a) * a.period), limited[1] / (len(b) * b.period)
    if all(map(math.isfinite, limited)):
        notable = abs(limited[1] - limited[0]) > a.lag / 60 and _differs(*shares, NOTABLE_DUTY)
        yield Row("saturated", channel, *limited, "min", notable)


def _held(track: Track) -> dict[float, float]:
    """Return how long (min) each setpoint stood that pv reached."""
    reached = {*track.loop.setpoint[track.holding].tolist()}
    return {at: _minutes(track, track.loop.setpoint == at) for at in reached}


def _spread(track: Track, at: float) -> float:
    """Return the standard deviation (shown unit) of pv, spikes bridged, while it should hold `at`."""
    return track.shown(float(np.nanstd(track.pv[track.holding & (track.loop.setpoint == at)])))


def _minutes_at_limit(track: Track) -> float:
    """Return how long (min) all was given that can be; nan without an output, or of one that is on or off."""
    if not np.isfinite(track.output).any() or len(track.cycles) >= FEWEST_CYCLES:
        return math.nan
    pinned = track.output >= track.high - AT_LIMIT
    pinned |= (track.output <= track.low + AT_LIMIT) & (track.low < 0)
    return _minutes(track, pinned)


def _minutes(track: Track, when: Mask) -> float:
    return float(when.sum()) * track.period / 60


def ambient_rows(before: Log, after: Log) -> Iterator[Row]:
    """Yield the temperature of the room, if the event lines of both logs tell it."""
    values = _ambient_of(before), _ambient_of(after)
    if not all(math.isfinite(value) for value in values):
        return
    yield Row("ambient", None, *values, "°C", abs(values[1] - values[0]) > NOTABLE_AMBIENT)


def _ambient_of(log: Log) -> float:
    """Return the median of the ambient temperatures in the event lines; nan if none names one."""
    matches = (AMBIENT.search(str(text)) for text in log.events["text"])
    values = [float(match[1]) for match in matches if match]
    return float(np.median(values)) if values else math.nan


def event_changes(before: Log, after: Log) -> Iterator[EventChange]:
    """Yield the templates that one log has and the other lacks although its length made them likely."""
    first, second = (
        {(g.level, g.source, g.template): g for g in group_messages(log.events)} for log in (before, after)
    )
    length = _seconds(after) / _seconds(before) if _seconds(before) else math.nan
    for key, group in second.items():
        if key not in first and (group.level in TROUBLE or len(group.messages) / length >= EXPECTED_LINES):
            yield _event_change(group, 0, len(group.messages))
    for key, group in first.items():
        lasted = group.messages[-1].time - group.messages[0].time
        head = lasted < HEAD_SHARE * _seconds(before)  # what a log says once, at its start
        if key not in second and not head and len(group.messages) * length >= EXPECTED_LINES:
            yield _event_change(group, len(group.messages), 0)


def _event_change(group: Group, before: int, after: int) -> EventChange:
    return EventChange(group.template, group.level, group.source, before, after, group.messages[0].line)


def _seconds(log: Log) -> float:
    return float(np.ptp(log.samples["time"])) if len(log.samples) else 0.0


def _row(
    quantity: str, channel: int, before: float, after: float, unit: str, notable: bool, at: float = math.nan
) -> Row:
    ratio = after / before if before else math.nan
    return Row(quantity, channel, before, after, unit, notable, ratio, at=at)


def _differs(before: float, after: float, factor: float) -> bool:
    """Return whether one is more than `factor` times the other; False where either is unknown."""
    low, high = sorted((abs(before), abs(after)))
    return high > factor * low


def _gain_rows(a: Track, b: Track, unit: str) -> Iterator[Row]:
    units = {"kp": f"%/{unit}", "ki": f"%/({unit}·s)", "kd": f"%·s/{unit}"}
    first, second = named_gains(a.loop), named_gains(b.loop)
    if first is None or second is None:
        return
    for name in GAIN_NAMES:
        values = float(getattr(first, name)), float(getattr(second, name))
        yield _row(name, a.loop.channel, *values, units[name], _differs(*values, 1 + SAME_GAIN))


def duty_rows(channel: int, first: Duties, second: Duties, at: float | None = None) -> Iterator[Row]:
    """Yield the mean output at the setpoint that both held longest, of like parts of the day."""
    first, second = at_like_hours([first, second])
    if not first:
        return
    longest = max(first, key=lambda setpoint: min(first[setpoint][1], second[setpoint][1]))
    at = longest if at is None or at not in first else at
    before, after = first[at][0], second[at][0]
    enough = min(abs(before), abs(after)) > LEAST_DUTY
    ratio = after / before if enough else math.nan
    notable = enough and _differs(before, after, NOTABLE_DUTY) and _in_each_part(first[at], second[at])
    yield Row("duty", channel, before, after, "%", notable, ratio, at=at)


def _in_each_part(first: Sequence[float], second: Sequence[float]) -> bool:
    """Return whether each part of a day needed more than before, or each less.

    Of parts that are not of the same hours each is compared with each.
    """
    before, after = np.array(first[2:]), np.array(second[2:])
    if not np.array_equal(np.isfinite(before), np.isfinite(after)):
        before, after = before[:, None], after[None, :]
    changes = after - before
    signs = np.sign(changes[np.isfinite(changes)])
    return bool((signs == signs[:1]).all())


def at_like_hours(logs: Sequence[Duties]) -> list[Duties]:
    """Return `logs` with the setpoints that all held, and their outputs in those parts of the day alone in
    which all did; in all parts, if there is none such.
    """
    alike: list[Duties] = [{} for _ in logs]
    for at in sorted(set.intersection(*({*log} for log in logs))):
        parts = np.array([log[at][2:] for log in logs])
        parts = np.where(np.isfinite(parts).all(axis=0), parts, math.nan)
        enough = np.isfinite(parts[0]).any()
        for duties_, log, mine in zip(alike, logs, parts, strict=True):
            duties_[at] = (float(np.nanmean(mine)), log[at][1], *mine.tolist()) if enough else log[at]
    return alike


def duties(study: Study, channel: int) -> Duties:
    """Return setpoint → mean output (%), seconds on setpoint, mean output in each part of the day.

    Of setpoints held for long enough; the cycles of an on/off loop count whole. nan: a part it did not hold.
    """
    track, start = study.tracks[channel], study.log.start
    begun = 0.0 if start is None else (start - start.normalize()).total_seconds()
    part = part_of_day(track.loop.time + begun)
    steady = track.holding & np.isfinite(track.output)
    if len(track.cycles) >= FEWEST_CYCLES:
        steady &= np.isin(
            np.arange(len(track)), np.concatenate([np.arange(*cycle) for cycle in track.cycles])
        )
    setpoints, held = track.loop.setpoint, {}
    for setpoint in np.unique(setpoints[steady]):
        mine = steady & (setpoints == setpoint)
        mean = _needed(track, mine)
        if math.isfinite(mean):
            of_parts = (_needed(track, mine & (part == place)) for place in range(PARTS))
            held[float(setpoint)] = (mean, float(mine.sum()) * track.period, *of_parts)
    return held


def _needed(track: Track, held: Mask) -> float:
    """Return the mean output (%) where `track` `held`; nan if that is too short, or it was elsewhere."""
    if float(held.sum()) * track.period < track.lags(LEAST_QUIET):
        return math.nan
    is_there = abs(float(np.nanmean(track.error[held]))) < STANDING
    return float(track.output[held].mean()) if is_there else math.nan


def _out_of_band(track: Track) -> float:
    """Return the share (percent) of the time out of the band of a setpoint that stood for `SETTLED_AFTER`.

    nan without such time.
    """
    late = np.zeros(len(track), dtype=bool)
    for first, stop in track.levels:
        late[track.after(first, track.lags(SETTLED_AFTER)) : stop] = True
    judged = late & track.usable & np.isfinite(track.smooth_error)
    outside = np.abs(track.smooth_error[judged]) > track.own_band
    return 100 * float(outside.mean()) if judged.any() else math.nan


def net_of_others(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield `rows`; an output that moved with those of the other channels is not notable."""
    ratios = {row.channel: row.ratio for row in rows if row.quantity == "duty" and math.isfinite(row.ratio)}
    for row in rows:
        others = [ratio for channel, ratio in ratios.items() if channel != row.channel]
        if row.quantity != "duty" or row.channel not in ratios or not others:
            yield row
            continue
        net = row.ratio / float(np.median(others))
        yield replace(row, net=net, notable=row.notable and _differs(1.0, net, NOTABLE_DUTY))


@dataclass(frozen=True)
class Rise:
    """The output of a channel that grows from log to log; `duties` (%) at setpoint `at`, one for each log."""

    channel: int
    at: float
    duties: tuple[float, ...]
    ratio: float
    same_hours: bool

    @property
    def since(self) -> int:
        """Return the place of the first log that needs plainly more than the first one."""
        grown = np.abs(np.array(self.duties) - self.duties[0])
        return int(np.argmax(grown > STEP_BACK * np.ptp(self.duties)))


def spread_over(logs: Sequence[Item]) -> list[Item]:
    """Return up to MOST_LOGS of `logs`, the first and the last among them."""
    places = np.linspace(0, len(logs) - 1, min(len(logs), MOST_LOGS)).round().astype(int)
    return [logs[place] for place in places]


def rises_over(logs: Sequence[Mapping[int, Duties]]) -> tuple[Rise, ...]:
    """Return the channels that need notably more output at one setpoint, more from log to log.

    logs  oldest first: channel → its duties

    Outputs are of parts of the day in which all logs held. Output that grew as that of the other channels
    did is none: the room, or the supply, has changed.
    Of fewer than LEAST_LOGS logs there is no rise.
    """
    if len(logs) < LEAST_LOGS:
        return ()
    channels = sorted(set.intersection(*({*log} for log in logs)))
    alike = {channel: at_like_hours([log[channel] for log in logs]) for channel in channels}
    first, *later = ({channel: alike[channel][place] for channel in channels} for place in range(len(logs)))
    steps = [_duties_since(first, log) for log in later]
    rises = []
    for channel, last in steps[-1].items():
        rows = [step[channel] for step in steps if channel in step and step[channel].at == last.at]
        held = np.array([last.before, *(row.after for row in rows)])
        grown = held * np.sign(last.after - last.before)  # of a cooler whose output is told below zero
        is_steady = len(rows) == len(steps) and np.all(np.diff(grown) > -STEP_BACK * np.ptp(grown))
        if is_steady and last.notable and last.ratio > 1:
            parts = np.array([log[channel][last.at][2:] for log in logs])
            same_hours = bool(np.isfinite(parts).all(axis=0).any())
            rises.append(Rise(channel, last.at, tuple(held.tolist()), last.ratio, same_hours))
    return tuple(rises)


def _duties_since(first: Mapping[int, Duties], log: Mapping[int, Duties]) -> dict[int, Row]:
    channels = sorted({*first} & {*log})
    rows = [row for channel in channels for row in duty_rows(channel, first[channel], log[channel])]
    return {row.channel: row for row in net_of_others(rows) if row.channel is not None}


Kind = Literal["fault_new", "fault_gone", "fault_still"]


@dataclass(frozen=True)
class FaultChange:
    """A fault and what became of it; `finding` is that of the log that has it, the later if both do."""

    kind: Kind
    finding: Finding


def fault_changes(before: Diagnosis, after: Diagnosis) -> tuple[FaultChange, ...]:
    """Return the faults that are new, then those that stayed, then those that are gone.

    A fault is the same if it is of one class on one channel.
    What a log was too short or too bare to judge is neither new nor gone: it is in `withheld`.
    """
    first, second = _faults(before), _faults(after)
    new = [FaultChange("fault_new", finding) for key, finding in second.items() if key not in first]
    still = [FaultChange("fault_still", finding) for key, finding in second.items() if key in first]
    gone = [
        FaultChange("fault_gone", finding)
        for key, finding in first.items()
        if key not in second and not _unjudged(finding, after)
    ]
    return (*new, *still, *gone)


def _faults(diagnosis: Diagnosis) -> dict[tuple[str, int | None], Finding]:
    faults = [finding for finding in diagnosis.findings if finding.severity not in ("none", "info")]
    return {(finding.fault, finding.channel): finding for finding in faults}


def _unjudged(finding: Finding, diagnosis: Diagnosis) -> bool:
    """Return whether `diagnosis` could not have seen `finding`: withheld, or another fault explains it."""
    explained = any(finding.fault in other.consequences for other in diagnosis.findings)
    return finding.fault in diagnosis.withheld or explained

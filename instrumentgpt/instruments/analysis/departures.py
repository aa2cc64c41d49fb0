"""When a loop that holds left its own band, however short it was and whoever made it do so.

And when several of a device did together, by one cause outside all of them: a loop that is moved from outside
leaves a quiet hold and its output answers; one that moves itself, or is moved by its neighbour's step, is led
by an output or a setpoint. Lines of the log may say what people or the machine did then.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from instrumentgpt.instruments.analysis.signals import MAD_TO_SIGMA, runs, smooth
from instrumentgpt.instruments.analysis.tracks import AT_LIMIT, BAND, CYCLES, SETTLED_FOR, SETTLING, Track
from instrumentgpt.instruments.loops import Floats, Mask
from instrumentgpt.instruments.messages import Group, Message, group_messages
from instrumentgpt.instruments.reading.headers import level_of
from instrumentgpt.instruments.reading.record import gains_in

TYPICAL = 3.0  # times what pv usually does within a lag, from which it is out of its own band
SMALLEST = 1.5  # bands, likewise, of a loop that hardly moves at all
BACK = 1 / 3  # of the limit: pv is back
SHORTEST = 0.5  # lags out of the band; half as long where its own cycles are known
OFTEN = 4  # departures to one side, from which they count however short they are
ONE = 2.0  # lags between two departures to the same side, below which they are one
LATER, LATEST = 12.0, 48.0  # lags after pv was moved, in which its loop has long answered
NEEDED = 0.5  # of the output that holds the plant so much further from its room: less is no lasting change
HELD_LEVEL = 0.5  # of a record without a setpoint that pv must spend at one level, for it to be held there


@dataclass(frozen=True)
class Departure:
    """One time out of the band.

    first, last  indices of the samples at which pv left and came back
    peak         index of the farthest
    size         bands there, positive above; limit: bands, where the loop's own band ends
    """

    first: int
    last: int
    peak: int
    size: float
    limit: float


def departures_of(track: Track) -> tuple[Departure, ...]:
    """Return when `track` left its own band while it held a setpoint, or a level where the log has none.

    Its band is about where it mostly is; about where it was on its setpoint, if it mostly is off it.
    """
    held, target = (track.at_rest, track.setpoint) if track.controlled.any() else _at_level(track)
    away = smooth(np.where(held, track.pv - target, np.nan), track.samples(track.lag / 2) | 1)
    held = held & np.isfinite(away)
    if np.count_nonzero(held) < track.samples(track.lags(SETTLING)):
        return ()
    own = held & (np.abs(away) < track.own_band)
    settled = np.count_nonzero(own) >= track.samples(track.lags(SETTLED_FOR))
    own = own if settled and abs(np.nanmedian(away)) > track.own_band else held
    away = np.where(held, away - np.nanmedian(away[own]), np.nan)
    usual = CYCLES * track.own_swing or TYPICAL * _usual(track, np.where(own, away, np.nan))
    limit = max(SMALLEST * BAND, usual)
    departures: list[Departure] = []
    with np.errstate(invalid="ignore"):
        for sign in (1.0, -1.0):
            departures += _on_side(track, sign * away, sign, limit)
    return tuple(sorted(departures, key=lambda departure: departure.first))


def _on_side(track: Track, away: Floats, sign: float, limit: float) -> list[Departure]:
    joined: list[tuple[int, int]] = []
    for a, b in runs(away > limit):
        if joined and track.time[a] - track.time[joined[-1][1] - 1] < track.lags(ONE):
            joined[-1] = (joined[-1][0], int(b))
        else:
            joined.append((int(a), int(b)))
    departures = []
    shortest = track.lags(SHORTEST / 2 if track.own_swing else SHORTEST)
    long = [(a, b) for a, b in joined if track.time[b - 1] - track.time[a] >= shortest]
    for a, b in joined if len(joined) >= OFTEN else long:
        peak = a + int(np.nanargmax(away[a:b]))
        inside = ~(away > max(BACK * limit, track.own_swing))
        before, after = np.flatnonzero(inside[:a]), np.flatnonzero(inside[b:])
        first = int(before[-1]) + 1 if before.size else 0
        last = b + int(after[0]) if after.size else len(track) - 1
        departures.append(Departure(first, min(last, len(track) - 1), peak, sign * float(away[peak]), limit))
    return departures


def _usual(track: Track, away: Floats) -> float:
    """Return how far pv usually goes within a lag: the median over blocks of that length, bands."""
    size = track.samples(track.lag)
    blocks = np.abs(away[: len(away) // size * size].reshape(-1, size))
    is_finite = np.isfinite(blocks).any(axis=1)
    return float(np.median(np.nanmax(blocks[is_finite], axis=1))) if is_finite.any() else 0.0


def _at_level(track: Track) -> tuple[Mask, float]:
    """Return where a pv without setpoint holds its level, from its first arrival on, and that level."""
    read = np.isfinite(track.pv)
    level = float(np.median(track.pv[read])) if read.any() else np.nan
    near = np.abs(smooth(track.pv, track.samples(track.lag / 2) | 1) - level) < BAND
    mask = np.zeros(len(track), dtype=bool)
    if read.any() and near[read].mean() >= HELD_LEVEL:
        mask[track.after(int(np.argmax(near)), track.lags(SETTLING)) :] = True
    return mask & track.usable, level


def lasting_need(track: Track, index: int, size: float) -> float:
    """Return the change of output long after pv was moved by `size` bands, in the least of a sensor step.

    A sensor that reads another value lets its controller drive the plant elsewhere, which takes another
    output; below 1, what pushed pv is over. nan where the record does not say.
    """
    same = (track.setpoint == track.setpoint[index]) & (
        np.abs(track.smooth_error) < max(SMALLEST * BAND, CYCLES * track.own_swing)
    )
    when = track.time - track.time[index]
    earlier = track.output[same & (when < 0) & (when > track.lags(LATER - LATEST))]
    later = track.output[same & (when > track.lags(LATER)) & (when < track.lags(LATEST))]
    if min(np.isfinite(earlier).sum(), np.isfinite(later).sum()) < track.samples(track.lags(ONE)):
        return np.nan
    usual = np.nanmean if track.kind.drive == "on_off" else np.nanmedian
    before, after = float(usual(earlier)), float(usual(later))
    spread = MAD_TO_SIGMA * float(np.nanmedian(np.abs(earlier - np.nanmedian(earlier))))
    driven = np.nan if track.rest is None else abs(float(track.setpoint[index]) - track.rest)
    needed = NEEDED * abs(size / driven * before) if driven > 0 else 0.0
    return float(np.sign(size) * (before - after) / (needed + max(spread, track.output_digit, AT_LIMIT)))


SHARED_BY = 3  # loops that need to leave but once; loops.md section 1
PAIRED, PAIRED_BY = 3, 2  # times that two must leave together, or it may be chance
LED = 0.5  # of the answer by which the output may have stood to the side of the departure before it
ANSWERED = 0.02  # of the output's range
STEPPED = 6.0  # lags after a setpoint moved in which what its neighbours do may come of it
BEFORE = 2.0  # lags before a departure in which an output would lead it


@dataclass(frozen=True)
class Move:
    """A time in which several channels left their setpoint the same way.

    start, stop  s
    channels     those that moved: when they were farthest out, s, and how far, bands (sign of pv - setpoint)
    """

    start: float
    stop: float
    channels: dict[int, tuple[float, float]]


@dataclass(frozen=True)
class _Push:
    channel: int
    start: float
    peak: float
    stop: float
    size: float
    side: float
    answered: bool


def another_was_set(tracks: Sequence[Track], track: Track, since: float, until: float) -> bool:
    """Return whether the setpoint of another of `tracks` moved between two moments, s."""
    return any(
        (np.diff(other.setpoint[(other.time > since) & (other.time <= until)]) != 0).any()
        for other in tracks
        if other is not track
    )


def common_moves(tracks: Sequence[Track], departures: Mapping[int, Sequence[Departure]]) -> tuple[Move, ...]:
    """Return when loops left their bands together: as often as may be no chance."""
    pushes = [
        push
        for track in tracks
        for departure in departures[track.loop.channel]
        if (push := _push(tracks, track, departure)) is not None
    ]
    if len(tracks) < PAIRED_BY or not pushes:
        return ()
    lag = float(np.median([track.lag for track in tracks]))
    for fewest in range(PAIRED_BY, len(tracks) + 1):
        able = [push for push in pushes if push.answered or fewest >= SHARED_BY]
        groups = [group for group in _groups(able, lag) if len(group) >= fewest]
        if len(groups) >= (1 if fewest >= SHARED_BY else PAIRED):
            return tuple(_move(group) for group in groups)
    return ()


def _move(group: Sequence[_Push]) -> Move:
    channels = {push.channel: (push.peak, push.size) for push in group}
    return Move(group[0].start, max(push.stop for push in group), channels)


def _groups(pushes: Sequence[_Push], lag: float) -> list[list[_Push]]:
    """Return the pushes that begin while the first of them still goes out, to the same side."""
    groups: list[list[_Push]] = []
    for push in sorted(pushes, key=lambda push: push.start):
        for group in groups:
            is_new = all(push.channel != other.channel for other in group)
            if push.side == group[0].side and push.start <= group[0].peak + lag / 2 and is_new:
                group.append(push)
                break
        else:
            groups.append([push])
    return groups


def _push(tracks: Sequence[Track], track: Track, departure: Departure) -> _Push | None:
    """Return `departure` as one that something outside made; None if an output or a setpoint led it."""
    first, side = departure.first, math.copysign(1.0, departure.size)
    if another_was_set(tracks, track, track.time[first] - track.lags(STEPPED), track.time[first]):
        return None
    answered = False
    if track.kind.drive == "continuous":
        output = side * smooth(track.output, track.samples(track.lag / 2) | 1)
        held = output[track.at_rest & (track.setpoint == track.setpoint[first])]
        led = np.nanmean(
            output[max(0, first - track.samples(track.lags(BEFORE))) : first + 1]
        ) - np.nanmedian(held)
        answer = np.nanmedian(held) - np.nanmin(output[first : departure.last + 1])
        answered = bool(answer >= max(ANSWERED * (track.high - track.low), led / LED))
        if not answered:
            return None
    start, peak, stop = (float(track.time[at]) for at in (first, departure.peak, departure.last))
    side *= math.copysign(1.0, track.scale)
    return _Push(track.loop.channel, start, peak, stop, departure.size, side, answered)


def at_least(count: int, trials: int, share: float) -> float:
    """Return the chance that `count` or more of `trials` succeed, of which each does so with chance `share`.

    >>> round(at_least(2, 3, 0.5), 12), at_least(0, 3, 0.5), at_least(3, 3, 1.0), at_least(1, 3, 0.0)
    (0.5, 1.0, 1.0, 0.0)
    """
    if not 0 < share < 1 or count <= 0:
        return float(share >= 1 or count <= 0)
    successes = np.arange(count, trials + 1)
    ways = np.array([math.lgamma(1 + k) + math.lgamma(1 + trials - k) for k in successes.tolist()])
    logarithms = math.lgamma(1 + trials) - ways
    logarithms += successes * math.log(share) + (trials - successes) * math.log1p(-share)
    return min(float(np.exp(logarithms).sum()), 1.0)


WRITTEN_BY_CHANCE = 0.1  # that as many lines of one template come as pv leaves by accident
WITHIN = 2.0  # lags before pv leaves in which what made it may be written

Begun = Mapping[Departure, Message]


def happenings(events: pd.DataFrame) -> list[Group]:
    """Return the lines that may say what was done: none of trouble, which a loop has, and none of gains."""
    groups = group_messages(events, levels=("info",))
    texts = [(group, group.messages[0].text) for group in groups]
    return [group for group, text in texts if level_of(text) == "info" and not gains_in(text)[0]]


def begun_by(
    track: Track, departures: Sequence[Departure], groups: Sequence[Group]
) -> dict[Departure, Message]:
    """Return those of `departures` that begin at a line of `groups`, and the line.

    What made pv leave was written before pv was out; lines of one template must do so more often than chance.
    """
    windows = np.array([_window(track, departure) for departure in departures]).reshape(-1, 2)
    span = float(np.ptp(track.loop.time)) if len(track) else 0.0
    found: dict[int, tuple[float, Message]] = {}
    for group in groups if span else ():
        times = np.array([message.time for message in group.messages], dtype=float)
        first, stop = np.searchsorted(times, windows[:, 0]), np.searchsorted(times, windows[:, 1], "right")
        share = float((windows[:, 1] - windows[:, 0]).sum()) / span
        chance = at_least(int((stop - first).sum()), len(times), share)
        for at, (a, b) in enumerate(zip(first, stop, strict=True)):
            if a < b and chance < min(WRITTEN_BY_CHANCE, found.get(at, (WRITTEN_BY_CHANCE,))[0]):
                found[at] = chance, group.messages[b - 1]
    return {departures[at]: message for at, (_, message) in found.items()}


def _window(track: Track, departure: Departure) -> tuple[float, float]:
    """Return from when to when (s of the log) it is written what made pv leave: until pv itself is out."""
    side, rows = np.sign(departure.size), slice(departure.first, departure.peak + 1)
    out = side * (track.pv - track.setpoint)[rows] > departure.limit
    there = np.flatnonzero(side * track.smooth_error[: departure.first] >= 0)  # where it was on its setpoint
    time, first = track.loop.time, int(there[-1]) if there.size else departure.first
    left = time[departure.first + int(np.argmax(out))] if out.any() else time[departure.peak]
    return float(time[first]) - track.lags(WITHIN), float(left)

"""When several loops of a device left their bands together, by one cause outside all of them.

A loop that is moved from outside leaves a quiet hold and its output answers; one that moves itself, or is
moved by its neighbour's step, is led by an output or a setpoint.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from instrumentgpt.instruments.analysis.departures import Departure
from instrumentgpt.instruments.analysis.signals import smooth
from instrumentgpt.instruments.analysis.tracks import BAND, Track

SHARED_BY = 3  # loops that need to leave but once; loops.md section 1
PAIRED, PAIRED_BY = 3, 2  # times that two must leave together, or it may be chance
CHANCE = 0.01  # that as many would leave together by accident
LED = 0.5  # of the answer by which the output may have stood to the side of the departure before it
ANSWERED = 0.02  # of the output's range
STEPPED = 6.0  # lags after a setpoint moved in which what its neighbours do may come of it
BEFORE = 2.0  # lags before a departure in which an output would lead it
MOST = 0.5  # of the moments that a loop takes part in, or it is not of those that leave together


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


def driven_by_another(tracks: Sequence[Track], track: Track, first: int, last: int, size: float) -> bool:
    """Return whether another of `tracks` had left its setpoint when `track` did, and is farther off it.

    size  setpoint - pv that it is off, on average from sample `first` to `last`; bands of `track`, with sign
    """
    for other in tracks:
        away = np.sign(size) * other.smooth_error
        inside = (other.time >= track.time[first]) & (other.time <= track.time[last]) & other.controlled
        if other is track or not inside.any() or not away[np.argmax(inside)] > BAND:
            continue
        if other.shown(float(np.nanmean(away[inside]))) > track.shown(abs(size)):
            return True
    return False


def another_was_set(tracks: Sequence[Track], track: Track, since: float, until: float) -> bool:
    """Return whether the setpoint of another of `tracks` moved between two moments, s."""
    return any(
        (np.diff(other.setpoint[(other.time > since) & (other.time <= until)]) != 0).any()
        for other in tracks
        if other is not track
    )


def common_moves(tracks: Sequence[Track], departures: Mapping[int, Sequence[Departure]]) -> tuple[Move, ...]:
    """Return when loops left their bands together: as many as chance does not explain, and one cause may."""
    pushes = [
        push
        for track in tracks
        for departure in departures[track.loop.channel]
        if (push := _push(tracks, track, departure)) is not None
    ]
    if len(tracks) < PAIRED_BY or not pushes:
        return ()
    lag = float(np.median([track.lag for track in tracks]))
    seconds = float(np.mean([track.at_rest.sum() * track.period for track in tracks]))
    for fewest in range(PAIRED_BY, len(tracks) + 1):
        able = [push for push in pushes if push.answered or fewest >= SHARED_BY]
        groups = _of_regulars([group for group in _groups(able, lag) if len(group) >= fewest], fewest)
        is_often = len(groups) >= (1 if fewest >= SHARED_BY else PAIRED)
        if is_often and _by_chance(len(groups), able, fewest, lag, seconds) < CHANCE:
            return tuple(_move(group) for group in groups)
    return ()


def _of_regulars(groups: Sequence[Sequence[_Push]], fewest: int) -> list[list[_Push]]:
    """Return `groups` without the channels that are in few of them."""
    often = Counter(push.channel for group in groups for push in group)
    kept = [[push for push in group if often[push.channel] >= MOST * len(groups)] for group in groups]
    return [group for group in kept if len(group) >= fewest]


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


def _by_chance(groups: int, pushes: Sequence[_Push], fewest: int, lag: float, seconds: float) -> float:
    """Return the chance of so many groups, if each loop left when it did for a reason of its own."""
    width = float(np.median([push.peak - push.start for push in pushes])) + lag / 2
    others = (1 - 1 / len({push.channel for push in pushes})) * len(pushes) * width / seconds
    alone = sum(others**k * math.exp(-others) / math.factorial(k) for k in range(fewest - 1))
    return at_least(groups, len(pushes), 1.0 - alone)


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

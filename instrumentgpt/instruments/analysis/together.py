"""What the channels of a device do at the same time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from instrumentgpt.instruments.analysis.signals import runs, smooth
from instrumentgpt.instruments.analysis.tracks import BAND, Track
from instrumentgpt.instruments.loops import Floats

SHARED_MOVE = 1.1  # bands out of the setpoint, at least, of each channel
SHARED_BY = 3  # channels; loops.md section 1
SHARED_FOR = 1.0  # lags
MOVE_BEGINS = 0.33  # bands of mean deviation at which a shared move is traced back to its beginning
RECURRING = 3  # moves, from which a usual interval between them is taken


@dataclass(frozen=True)
class Move:
    """A time in which several channels left their setpoint the same way.

    start, stop  s
    peak         s, when the mean deviation was largest
    channels     those that moved, by how many bands (sign of pv - setpoint)
    """

    start: float
    stop: float
    peak: float
    channels: dict[int, float]


def on_grid(track: Track, values: Floats, grid: Floats) -> Floats:
    """Return `values` of `track` at the moments of `grid`: the latest sample, nan where there is none."""
    index = np.searchsorted(track.time, grid, side="right") - 1
    latest: Floats = np.where(index >= 0, values[np.maximum(index, 0)], np.nan)
    return latest


def deviations(tracks: Sequence[Track], grid: Floats) -> Floats:
    """Return pv - setpoint of each channel, bands, on `grid` (channels, moments); nan while not at rest."""
    rows = []
    for track in tracks:
        error = smooth(np.where(track.at_rest, -track.error, np.nan), track.samples(track.lag) | 1)
        error = np.where(track.at_rest, error, np.nan)
        usual = float(np.nanmedian(error)) if np.isfinite(error).any() else 0.0
        rows.append(on_grid(track, error - usual, grid))
    return np.array(rows) if rows else np.zeros((0, len(grid)))


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


def common_moves(tracks: Sequence[Track], grid: Floats) -> tuple[Move, ...]:
    """Return the times in which at least `SHARED_BY` channels were out the same way; near ones are joined."""
    if len(tracks) < SHARED_BY or len(grid) < 3:
        return ()
    away = deviations(tracks, grid)
    lag = float(np.median([track.lag for track in tracks]))
    shared = []
    with np.errstate(invalid="ignore"):
        for sign in (1.0, -1.0):
            spells = runs((sign * away > SHARED_MOVE).sum(axis=0) >= SHARED_BY)
            shared += [
                (int(a), int(b), sign) for a, b in spells if (b - a) * (grid[1] - grid[0]) >= SHARED_FOR * lag
            ]
    shared.sort()
    recurs = int(np.median(np.diff([a for a, _, _ in shared]))) if len(shared) >= RECURRING else 0
    moves = [_move(tracks, grid, away, spell, recurs) for spell in shared]
    return _joined(sorted(moves, key=lambda move: move.start))


def _joined(moves: list[Move]) -> tuple[Move, ...]:
    """Return `moves` with those joined that overlap: one opening of a door, whatever its edges look like."""
    joined: list[Move] = []
    for move in moves:
        if joined and move.start <= joined[-1].stop:
            larger = max(joined[-1], move, key=lambda move: sum(abs(size) for size in move.channels.values()))
            joined[-1] = replace(larger, start=joined[-1].start, stop=max(joined[-1].stop, move.stop))
        else:
            joined.append(move)
    return tuple(joined)


def _move(
    tracks: Sequence[Track], grid: Floats, away: Floats, spell: tuple[int, int, float], recurs: int
) -> Move:
    a, b, sign = spell
    hit = [i for i in range(len(tracks)) if np.nanmax(np.append(sign * away[i, a:b], -1.0)) > SHARED_MOVE]
    with np.errstate(invalid="ignore"):
        mean = np.nanmean(np.nan_to_num(sign * away[hit]), axis=0)
    start, stop = _beginning(mean, a, max(b - a, recurs)), b
    while stop < len(grid) - 1 and mean[stop] > MOVE_BEGINS:
        stop += 1
    peak = a + int(np.argmax(mean[a:b]))
    sizes = {tracks[i].loop.channel: float(away[i, peak]) for i in hit}
    return Move(float(grid[start]), float(grid[min(stop, len(grid) - 1)]), float(grid[peak]), sizes)


def _beginning(mean: Floats, a: int, reach: int) -> int:
    """Return where the move at `a` began: weaker swings up to `reach` before it belong to it."""
    away = np.abs(mean) > MOVE_BEGINS
    start = a
    while start > 0:
        if not away[start - 1]:
            earlier = np.flatnonzero(away[max(0, start - reach) : start])
            if not earlier.size:
                break
            start = max(0, start - reach) + int(earlier[-1]) + 1
        while start > 0 and away[start - 1]:
            start -= 1
    return start

"""Trains of half cycles of one swing: the longest of a hold, how regular it is, whether it dies away."""

import numpy as np

from instrumentgpt.instruments.analysis.signals import HalfCycles
from instrumentgpt.instruments.analysis.tracks import Hold, Track
from instrumentgpt.instruments.arrays import Floats

STRIKING_CROSSINGS = 12  # half cycles from which a swing is too long to be a settling
DECAYED = 0.6  # of the early amplitude left at the end: a swing that dies away is a settling
LIGHTLY_DAMPED = 0.75  # of the amplitude left after a cycle (damping ratio 0.05): no settling loop rings so
LONG_BEGINNING = 4.0  # periods


def longest_train(track: Track, hold: Hold, smallest: float) -> HalfCycles | None:
    """Return the longest train of large half cycles of like length within `hold`, at least four of them."""
    start = track.reached(hold)
    usable = track.usable[start : hold.stop]
    error = track.error[start : hold.stop]
    known = error[usable & np.isfinite(error)]
    if len(known) < 20:
        return None
    half = float(np.percentile(known, 95) - np.percentile(known, 5)) / 2
    if half < 0.6 * smallest:
        return None
    noise = 0.0 if np.isnan(track.noise) else track.noise
    cycles = track.swings(start, hold.stop, max(0.4 * smallest, min(2 * noise, 0.6 * half), 0.25 * half))
    return _best_train(track, cycles, smallest)


def _best_train(track: Track, cycles: HalfCycles, smallest: float) -> HalfCycles | None:
    large = np.abs(cycles.extreme) > 0.8 * smallest
    times = track.time[cycles.first]
    lengths = np.diff(times, append=times[-1:] + 0.0)
    trains, start = [], 0
    for i in range(1, len(cycles) + 1):
        ends = i == len(cycles) or not large[i]
        unlike = not ends and i - start >= 3 and not 0.4 < lengths[i - 1] / max(lengths[i - 3], 1e-9) < 2.5
        if ends or unlike or not large[start]:
            trains.append((start, i))
            start = i
    best = max(trains, key=lambda train: train[1] - train[0], default=(0, 0))
    if best[1] - best[0] < 4:
        return None
    part = slice(*best)
    return HalfCycles(cycles.first[part], cycles.peak[part], cycles.extreme[part])


def beginning_of(track: Track, train: HalfCycles, period: float, smallest: float) -> int:
    """Return where the swing began: excursions up to `LONG_BEGINNING` before belong to it."""
    first = int(train.first[0])
    earlier: list[int] = []
    for hold in track.holds:
        start, stop = track.reached(hold), min(hold.stop, first)
        if start < stop:
            earlier += track.swings(start, stop, 0.8 * smallest).first.tolist()
    for start in reversed(earlier):
        if track.time[first] - track.time[start] > LONG_BEGINNING * period:
            break
        first = start
    return first


def period_of(track: Track, train: HalfCycles) -> float:
    """Return the period in s: twice the mean half cycle."""
    span = float(track.time[train.first[-1]] - track.time[train.first[0]])
    return 2.0 * span / (len(train) - 1)


def pair_variation(lengths: Floats) -> float:
    """Return the coefficient of variation of whole cycles: a lopsided swing is as regular as an even one."""
    if len(lengths) < 3:
        return 1.0
    pairs = lengths[:-1] + lengths[1:]
    return float(np.std(pairs) / np.mean(pairs))


def decays(train: HalfCycles) -> bool:
    """Return whether the swing dies away, as a settling does; a long one only if it is well damped."""
    size = np.abs(train.extreme)
    if size[0] > 2 * np.median(size):
        size = size[1:]  # the step that set it off
    third = max(2, len(size) // 3)
    if np.median(size[-third:]) >= DECAYED * np.median(size[:third]):
        return False
    a_half_cycle = float(np.polyfit(np.arange(len(size)), np.log(size), 1)[0])
    return len(size) < STRIKING_CROSSINGS or float(np.exp(2 * a_half_cycle)) < LIGHTLY_DAMPED


def growth_of(train: HalfCycles) -> float:
    """Return the amplitude of the last third over that of the first."""
    size = np.abs(train.extreme)
    third = max(2, len(size) // 3)
    return float(np.median(size[-third:]) / np.median(size[:third]))

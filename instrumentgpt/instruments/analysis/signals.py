"""Robust numbers of one signal: runs, blocks, noise, digits, half cycles."""

import math
from dataclasses import dataclass

import numpy as np

from instrumentgpt.instruments.language import DAY
from instrumentgpt.instruments.loops import Floats, Indices, Mask

MAD_TO_SIGMA = 1.4826  # median absolute deviation to standard deviation of a normal distribution
PARTS = 8  # of a day: one may need more than another, day by day
ROUNDING = 1e-12  # of the largest value: a few steps of a double
SECOND_DIFFERENCE_GAIN = math.sqrt(6.0)  # standard deviation of x[i-1] - 2 x[i] + x[i+1] over that of white x


def part_of_day(time: Floats) -> Floats:
    """Return in which of the PARTS of a day each `time` (s) is, from 0."""
    return time % DAY // (DAY / PARTS)


def runs(mask: Mask) -> Indices:
    """Return the (k, 2) first and past-the-last index of each run of True in `mask`; (0, 2) if there is none.

    >>> runs(np.array([False, True, True, False, True])).tolist()
    [[1, 3], [4, 5]]
    """
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8)))
    return edges.reshape(-1, 2).astype(np.int64)


def constant_runs(values: Floats) -> Indices:
    """Return the (k, 2) first and past-the-last index of each stretch of equal `values`; nan ends it.

    >>> constant_runs(np.array([1.0, 1.0, 2.0])).tolist()
    [[0, 2], [2, 3]]
    """
    if not len(values):
        return np.zeros((0, 2), dtype=np.int64)
    starts = np.concatenate(([0], np.flatnonzero(values[1:] != values[:-1]) + 1))
    return np.column_stack([starts, np.append(starts[1:], len(values))]).astype(np.int64)


def digit(values: Floats) -> float:
    """Return the coarseness of `values`: the smallest step between neighbours that differ, nan if none do.

    Of the steps the 5th percentile counts: one odd step must not hide a coarse sensor.

    >>> round(digit(np.array([20.0, 20.1, 20.1, 20.3, 20.2])), 6)
    0.1
    """
    steps = np.abs(np.diff(values))
    steps = steps[steps > 1e-9]
    return float(np.percentile(steps, 5, method="lower")) if steps.size else math.nan


def noise(values: Floats) -> float:
    """Return the standard deviation of the white noise in `values`, by second differences; nan below 5.

    A slope costs nothing, and single jumps are clipped at four times the median. What is no more than the
    rounding of the numbers themselves is 0.

    >>> round(noise(np.arange(50.0)), 3)
    0.0
    """
    values = values[np.isfinite(values)]
    if len(values) < 5:
        return math.nan
    second = np.diff(values, 2)
    size = np.abs(second - np.median(second))
    typical = float(np.median(size))
    if typical == 0.0:
        typical = float(np.mean(size))
    clipped = np.minimum(size, 4 * MAD_TO_SIGMA * typical)
    sigma = float(np.sqrt(np.mean(clipped**2))) / SECOND_DIFFERENCE_GAIN
    return sigma if sigma > ROUNDING * float(np.max(np.abs(values))) else 0.0


def smooth(values: Floats, samples: int) -> Floats:
    """Return the centred moving mean of `values` over `samples`, shorter at the ends; nan are left out.

    >>> smooth(np.array([0.0, 3.0, 0.0, 3.0]), 3).tolist()
    [1.5, 1.0, 2.0, 1.5]
    """
    half = max(samples, 1) // 2
    is_finite = np.isfinite(values)
    sums = np.concatenate(([0.0], np.cumsum(np.where(is_finite, values, 0.0))))
    counts = np.concatenate(([0], np.cumsum(is_finite)))
    index = np.arange(len(values))
    low, high = np.maximum(index - half, 0), np.minimum(index + half + 1, len(values))
    with np.errstate(invalid="ignore"):
        mean: Floats = (sums[high] - sums[low]) / (counts[high] - counts[low])
    return mean


def sliding_median(values: Floats, samples: int) -> Floats:
    """Return the centred moving median of `values` over `samples` (made odd), ends repeated."""
    width = max(samples, 1) | 1
    if width == 1 or len(values) == 0:
        return values
    import pandas as pd  # 0.2 s, which whoever only says something first need not wait for

    padded = pd.Series(np.pad(values, width // 2, "edge"))
    return padded.rolling(width, center=True).median().to_numpy()[width // 2 : -(width // 2)]


def periodicity(values: Floats) -> tuple[float, float]:
    """Return the period of `values` in samples and the autocorrelation there (1 = exact), or nan, nan.

    The period is the first peak within 10 % of the highest after the autocorrelation first falls below zero.

    >>> period, regularity = periodicity(np.sin(np.arange(400) * 2 * np.pi / 25))
    >>> round(period, 1), regularity > 0.95
    (25.0, True)
    """
    values = values - values.mean() if len(values) else values
    size = len(values)
    power = float(np.dot(values, values))
    if size < 16 or power == 0.0:
        return math.nan, math.nan
    spectrum = np.fft.rfft(values, 1 << (2 * size - 1).bit_length())
    correlation = np.fft.irfft(np.abs(spectrum) ** 2)[: size // 2 + 1] / power
    correlation *= size / (size - np.arange(size // 2 + 1))
    below = np.flatnonzero(correlation < 0)
    if not below.size or below[0] + 2 >= len(correlation):
        return math.nan, math.nan
    rest = correlation[below[0] :]
    summits = np.flatnonzero((rest[1:-1] >= rest[:-2]) & (rest[1:-1] >= rest[2:])) + 1
    high = summits[rest[summits] >= 0.9 * rest[summits].max()] if summits.size else summits
    if not high.size:
        return math.nan, math.nan
    peak = int(below[0] + high[0])
    return float(peak), float(correlation[peak])


@dataclass(frozen=True, eq=False)
class HalfCycles:
    """The excursions of a signal to either side of zero, in order.

    first    (k,) index where each begins
    peak     (k,) index of its extreme
    extreme  (k,) value there, sign included
    """

    first: Indices
    peak: Indices
    extreme: Floats

    def __len__(self) -> int:
        return len(self.first)


def half_cycles(values: Floats, hysteresis: float) -> HalfCycles:
    """Return the half cycles of `values` whose excursion passes `hysteresis`; smaller ones are noise.

    >>> half_cycles(np.array([0.0, 2.0, 0.1, -0.1, -3.0, 1.5]), hysteresis=1.0).extreme.tolist()
    [2.0, -3.0, 1.5]
    """
    side = np.where(values > hysteresis, 1, np.where(values < -hysteresis, -1, 0))
    decided = np.flatnonzero(side)
    if not decided.size:
        return HalfCycles(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    turns = decided[np.concatenate(([True], np.diff(side[decided]) != 0))]
    stops = np.append(turns[1:], len(values))
    peaks = [
        start + int(np.argmax(values[start:stop] * side[start]))
        for start, stop in zip(turns, stops, strict=True)
    ]
    return HalfCycles(turns, np.array(peaks, dtype=np.int64), values[peaks])


def turning_points(values: Floats, reversal: float) -> Indices:
    """Return the indices of the extremes of `values` between which it moves by at least `reversal`.

    Highs and lows take turns, wherever zero is: a swing about a moving mean has them too. The first and the
    last are extremes only as far as the record goes.

    >>> turning_points(np.array([0.0, 2.0, 1.9, 2.1, 0.0, 0.1, -1.0, 3.0]), reversal=1.0).tolist()
    [0, 3, 6, 7]
    """
    slope = np.sign(np.diff(values))
    kept = np.flatnonzero(slope)
    turns = kept[1:][slope[kept[1:]] != slope[kept[:-1]]] if kept.size else kept
    extremes = [0]
    rising: bool | None = None
    extreme = lowest = highest = 0
    for index in [*turns.tolist(), len(values) - 1]:
        value = values[index]
        if rising is None:
            lowest = index if value < values[lowest] else lowest
            highest = index if value > values[highest] else highest
            if values[highest] - values[lowest] < reversal:
                continue
            rising, extreme = highest > lowest, index
            extremes = [min(lowest, highest)]
        elif (value > values[extreme]) if rising else (value < values[extreme]):
            extreme = index
        elif abs(value - values[extreme]) >= reversal:
            extremes.append(extreme)
            rising, extreme = not rising, index
    return np.array(extremes if rising is None else [*extremes, extreme], dtype=np.int64)

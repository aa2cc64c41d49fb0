"""What a plant of two lags and a dead time leaves unexplained of a record, by its parameters."""

from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import dtbsv

from instrumentgpt.instruments.arrays import Floats

LONGEST_SHARE = 0.1  # of the record, for the shorter lag and the dead time: to be seen to have passed
TWO_SIDED = 0.01  # of the largest output: one on both sides of this heats and cools, with a gain for each
NOISE_POLE = 0.998  # of the slow disturbance, per sample: almost a random walk


class Record(NamedTuple):
    """An uninterrupted stretch on an even clock: period (s), pv and output (n,), start (s).

    closed  whether a controller made the output from the pv, so that disturbances are in both
    """

    period: float
    start: float
    pv: Floats
    output: Floats
    closed: bool = True


def filtered(values: Floats, now: float, before: float, decay: float) -> Floats:
    """Return y of `values` x (n,), at rest before: y[i] = now x[i] + before x[i-1] + decay y[i-1].

    It is solved as the two diagonals it is: `scipy.signal.lfilter` takes a second to import.

    >>> filtered(np.array([1.0, 0.0, 0.0]), 2.0, 1.0, 0.5).tolist()
    [2.0, 2.0, 1.0]
    """
    driven = now * values
    driven[1:] += before * values[:-1]
    diagonals = np.array([np.ones(len(values)), np.full(len(values), -decay)], order="F")
    through: Floats = dtbsv(1, diagonals, driven, lower=1, diag=1)
    return through


def lagged(values: Floats, tau: float, period: float) -> Floats:
    """Return `values` (n,), linear between samples, after a lag of `tau` s, at rest before the first."""
    ratio = max(tau / period, 1e-3)
    decay = np.exp(-1 / ratio)
    now = 1 - (1 - decay) * ratio
    through: Floats = filtered(values - values[0], now, 1 - decay - now, decay) + values[0]
    return through


def response(output: Floats, tau1: float, tau2: float, dead_time: float, period: float) -> Floats:
    """Return the plant's answer of gain 1 to `output` (n,), at rest before the first sample."""
    through = lagged(lagged(output, tau1, period), tau2, period)
    at = np.arange(len(output)) - dead_time / period
    delayed: Floats = np.interp(at, np.arange(len(output)), through)
    return delayed


def whitened(values: Floats, zero: float) -> Floats:
    """Return `values` (…, n) through the inverse noise filter: a random walk and white noise become white."""
    rows = [filtered(row, 1.0, -NOISE_POLE, zero) for row in np.atleast_2d(values)]
    white: Floats = np.stack(rows) if values.ndim > 1 else rows[0]
    return white


class Search:
    """The residual of a model as a function of (ln tau1, tau2, dead_time), all else solved linearly."""

    def __init__(self, record: Record, zero: float = NOISE_POLE):
        self.record, self.zero = record, zero
        self.target = whitened(record.pv - record.pv[0], zero)
        least = TWO_SIDED * float(np.abs(record.output).max())
        self.cools = bool(record.output.min() < -least)
        two_sided = self.cools and record.output.max() > least
        halves = (np.maximum(record.output, 0.0), np.minimum(record.output, 0.0))
        self.inputs = halves if two_sided else (record.output,)

    def columns(self, point: Floats) -> Floats:
        """Return what the pv is made of at `point`, whitened, (k, n): the answer to each input first."""
        tau1, tau2, dead_time = np.exp(point[0]), point[1], point[2]
        period, n = self.record.period, len(self.target)
        elapsed = np.arange(n) * period
        driven = [response(part, tau1, tau2, dead_time, period) for part in self.inputs]
        start = np.exp(-elapsed / tau1), np.exp(-elapsed / max(tau2, period))
        columns = [*driven, np.ones(n)]
        if self.record.closed:
            columns += [*start, elapsed / elapsed[-1], np.eye(1, n)[0]]
        return whitened(np.stack(columns), self.zero)

    def solve(self, point: Floats) -> tuple[Floats, Floats, Floats]:
        """Return residual (n,), the gain of each input, and their standard errors per unit of residual."""
        columns = self.columns(point)
        scale = np.sqrt((columns**2).sum(axis=1)) + 1e-300
        columns /= scale[:, None]
        normal = columns @ columns.T + 1e-9 * np.eye(len(columns))
        inverse = np.linalg.inv(normal)
        weights = inverse @ (columns @ self.target)
        own = slice(len(self.inputs))
        return (
            self.target - weights @ columns,
            (weights / scale)[own],
            (np.sqrt(np.diag(inverse)) / scale)[own],
        )

    def residual(self, point: Floats) -> Floats:
        """Return what the model of `point` leaves unexplained of the whitened pv, (n,)."""
        return self.solve(point)[0]


def bounds(record: Record) -> tuple[Floats, Floats]:
    """Return the lowest and the highest (ln tau1, tau2, dead_time) that are searched for `record`."""
    # A dead time under one sample would let the output, which answers the sensor's noise at once, explain it.
    period, length = record.period, record.period * len(record.pv)
    low = np.array([np.log(2 * period), 0.0, period])
    longest = LONGEST_SHARE * length
    return low, np.array([np.log(5 * length), longest, max(longest, 2 * period)])

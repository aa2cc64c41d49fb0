"""All models of a plant that a record does not rule out: the best by search, the rest by a walk from it."""

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares
from scipy.signal import correlate, lfilter

from instrumentgpt.instruments.loops import Floats

LONGEST_SHARE = 0.1  # of the record, for the shorter lag and the dead time: to be seen to have passed
TWO_SIDED = 0.01  # of the largest output: one on both sides of this heats and cools, with a gain for each
NOISE_POLE = 0.998  # of the slow disturbance, per sample: almost a random walk
Cell = tuple[int, int, int]
# What is asked of the models is one number each, a margin: its interval is that of the region cut at chi² of
# one degree (profile likelihood), 99.5 % for each of the two margins, so that both hold with 99 %.
BOUND = 7.879438576622417
OTHER_SIDE = 1.6  # a Peltier element heats up to so much stronger than it cools, or weaker
LATTICES = (2.5, 1.2, 0.6)  # points per radius of the accepted region; the finest that is small enough
MOST_MODELS = 300  # points of that lattice
NOISE_ZEROS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, NOISE_POLE)  # the last is plain output-error
QUICK_LAGS = (1.0, 5.0, 20.0, 80.0)  # samples, to start from
DEAD_TIMES = (1.2, 3.0, 8.0, 21.0, 80.0)  # likewise
SLOWER_ZERO = 0.9  # noise against which the fitted one is checked


class Record(NamedTuple):
    """An uninterrupted stretch on an even clock: period (s), pv and output (n,), start (s).

    closed  whether a controller made the output from the pv, so that disturbances are in both
    """

    period: float
    start: float
    pv: Floats
    output: Floats
    closed: bool = True


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
        self.elapsed = np.arange(len(record.pv)) * record.period
        fixed = [np.ones(len(record.pv)), self.elapsed / self.elapsed[-1], np.eye(1, len(record.pv))[0]]
        self.fixed = whitened(np.stack(fixed if record.closed else fixed[:1]), zero)

    def columns(self, point: Floats) -> Floats:
        """Return what the pv is made of at `point`, whitened, (k, n): the answer to each input first."""
        tau1, tau2, dead_time = np.exp(point[0]), point[1], point[2]
        period, inputs = self.record.period, len(self.inputs)
        columns = [response(part, tau1, tau2, dead_time, period) for part in self.inputs]
        if self.record.closed:
            columns += [np.exp(-self.elapsed / lag) for lag in (tau1, max(tau2, period))]
        moving = whitened(np.stack(columns), self.zero)
        return np.concatenate([moving[:inputs], self.fixed[:1], moving[inputs:], self.fixed[1:]])

    def solve(self, point: Floats) -> tuple[Floats, Floats, Floats]:
        """Return residual (n,), the gain of each input, and their standard errors per unit of residual."""
        columns = self.columns(point)
        scale = np.sqrt((columns**2).sum(axis=1)) + 1e-300
        columns /= scale[:, None]
        normal = columns @ columns.T + 1e-9 * np.eye(len(columns))
        inverse = np.linalg.inv(normal)
        weights = inverse @ (columns @ self.target)
        input_columns = slice(len(self.inputs))
        return (
            self.target - weights @ columns,
            (weights / scale)[input_columns],
            (np.sqrt(np.diag(inverse)) / scale)[input_columns],
        )

    def residual(self, point: Floats) -> Floats:
        """Return what the model of `point` leaves unexplained of the whitened pv, (n,)."""
        return self.solve(point)[0]


class Fit(NamedTuple):
    """What the search found; `models` as in `Identification`."""

    models: Floats
    r2: float
    residual: float


def lagged(values: Floats, tau: float, period: float) -> Floats:
    """Return `values` (n,), linear between samples, after a lag of `tau` s, at rest before the first."""
    ratio = max(tau / period, 1e-3)
    decay = np.exp(-1 / ratio)
    now = 1 - (1 - decay) * ratio
    through: Floats = lfilter([now, 1 - decay - now], [1.0, -decay], values - values[0]) + values[0]
    return through


def response(output: Floats, tau1: float, tau2: float, dead_time: float, period: float) -> Floats:
    """Return the plant's answer of gain 1 to `output` (n,), at rest before the first sample."""
    through = lagged(lagged(output, tau1, period), tau2, period)
    at = np.arange(len(output)) - dead_time / period
    delayed: Floats = np.interp(at, np.arange(len(output)), through)
    return delayed


def whitened(values: Floats, zero: float) -> Floats:
    """Return `values` (…, n) through the inverse noise filter: a random walk and white noise become white."""
    white: Floats = lfilter([1.0, -NOISE_POLE], [1.0, -zero], values)
    return white


def bounds(record: Record) -> tuple[Floats, Floats]:
    """Return the lowest and the highest (ln tau1, tau2, dead_time) that are searched for `record`."""
    # A dead time under one sample would let the output, which answers the sensor's noise at once, explain it.
    period, length = record.period, record.period * len(record.pv)
    low = np.array([np.log(2 * period), 0.0, period])
    longest = LONGEST_SHARE * length
    return low, np.array([np.log(5 * length), longest, max(longest, 2 * period)])


def accepted_models(search: Search, best: Floats) -> Floats:
    """Return all models (m, 4) within the likelihood bound around `best`, by a walk over a lattice."""
    residual, gains, _ = search.solve(best)
    least = float(residual @ residual)
    unit = least / _effective_samples(residual)
    models = [(gain, *best) for gain in gains]
    for point in _within_bound(search, best, unit, least):
        residual, gains, errors = search.solve(point)
        room = max(BOUND - (float(residual @ residual) - least) / unit, 0.0)
        for gain, error in zip(gains, errors, strict=True):
            models += [(gain + side * error * np.sqrt(room * unit), *point) for side in (-1, 1)]
    table = np.array(models)
    table[:, 1] = np.exp(table[:, 1])
    if len(search.inputs) == 1 and search.cools:  # only the cooling side was seen
        stronger = table * [OTHER_SIDE, 1.0, 1.0, 1.0]
        return np.concatenate([table, stronger])
    return table


def _effective_samples(residual: Floats) -> float:
    """Return how many independent values `residual` is worth, from its autocorrelation to the first zero."""
    n = len(residual)
    moving = residual - residual.mean()
    correlation = correlate(moving, moving)[n - 1 :]
    correlation /= correlation[0]
    until = int(np.argmax(correlation <= 0)) or n
    return max(n / (1 + 2 * float(correlation[1:until].sum())), 5.0)


def _within_bound(search: Search, best: Floats, unit: float, least: float) -> list[Floats]:
    """Return the lattice points within the bound, of a coarser lattice if there are too many."""
    axes = _axes(search, best, unit) * np.sqrt(BOUND)
    points: list[Floats] = []
    for points_per_radius in LATTICES:
        walk = _walk(search, best, axes / points_per_radius, least + BOUND * unit)
        points = list(islice(walk, MOST_MODELS + 1))
        if len(points) <= MOST_MODELS:
            break
    return points


def _walk(search: Search, best: Floats, axes: Floats, limit: float) -> Iterator[Floats]:
    """Yield the lattice points of squared residual up to `limit`, neighbour by neighbour from `best`."""
    low, high = bounds(search.record)
    origin: Cell = (0, 0, 0)
    waiting, seen = deque([origin]), {origin}
    while waiting:
        cell = waiting.popleft()
        point = best + axes @ np.array(cell)
        if (point < low).any() or (point > high).any():
            continue
        residual = search.residual(point)
        if float(residual @ residual) > limit:
            continue
        yield point
        nearby = [cell for cell in _neighbours(cell) if cell not in seen]
        seen.update(nearby)
        waiting += nearby


def _neighbours(cell: Cell) -> list[Cell]:
    i, j, k = cell
    return [(i - 1, j, k), (i + 1, j, k), (i, j - 1, k), (i, j + 1, k), (i, j, k - 1), (i, j, k + 1)]


def _axes(search: Search, best: Floats, unit: float) -> Floats:
    """Return the axes (3, 3; in columns) along which one standard deviation raises the statistic by 1."""
    steps = np.array([0.02, 0.2, 0.2])
    low, high = bounds(search.record)
    slopes = []
    for axis in range(3):
        ahead, behind = best.copy(), best.copy()
        ahead[axis] = min(best[axis] + steps[axis], high[axis])
        behind[axis] = max(best[axis] - steps[axis], low[axis])
        slopes.append((search.residual(ahead) - search.residual(behind)) / (ahead[axis] - behind[axis]))
    curvature = np.array(slopes) @ np.array(slopes).T / unit
    values, vectors = np.linalg.eigh(curvature)
    longest = max(20.0, best[1] + best[2])
    axes: Floats = vectors / np.sqrt(np.maximum(values, longest**-2))
    return axes


def fit(record: Record) -> Fit:
    """Return the accepted models of `record`, the best first, and how well the best explains the pv.

    Accepted is what lies within the likelihood bound under the fitted noise, or under slower noise:
    where the two disagree the record does not tell dead time from noise, and the set shows it.
    Of an open loop, whose output knows nothing of the disturbances, plain output-error is enough;
    it is taken to start at rest.
    It is searched in sample periods, so that a plant so much slower or quicker is found just as well.
    """
    seconds, record = record.period, record._replace(period=1.0)
    search = Search(record)
    point = _refined(search, _coarse(search))
    for _ in range(2 if record.closed else 0):
        search = Search(record, _noise_zero(Search(record).residual(point)))
        point = _refined(search, point)
    plain = Search(record).residual(point)
    r2 = 1 - float(np.var(plain) / np.var(record.pv))
    models = [accepted_models(search, point)]
    if record.closed and search.zero < SLOWER_ZERO:
        slower = Search(record, SLOWER_ZERO)
        models.append(accepted_models(slower, _refined(slower, point)))
    return Fit(np.concatenate(models) * [1.0, seconds, seconds, seconds], r2, float(np.std(plain)))


def _noise_zero(residual: Floats) -> float:
    return min(NOISE_ZEROS, key=lambda zero: float((whitened(residual, zero)[1:] ** 2).sum()))


def _coarse(search: Search) -> Floats:
    _, high = bounds(search.record)
    points = [
        np.array([slow, quick, dead_time])
        for slow in np.linspace(np.log(10), high[0], 9)
        for quick in QUICK_LAGS
        for dead_time in DEAD_TIMES
        if quick < np.exp(slow) / 2 and quick < high[1] and dead_time < high[2]
    ]
    return min(points, key=lambda point: float((search.residual(point) ** 2).sum()))


def _refined(search: Search, point: Floats) -> Floats:
    low, high = bounds(search.record)
    inside = np.clip(point, low + 1e-6, high - 1e-6)
    refined: Floats = least_squares(
        search.residual,
        inside,
        bounds=(low, high),
        x_scale=[0.3, *np.full(2, max(2.0, (point[1] + point[2]) / 5))],
        diff_step=[1e-3] * 3,
        max_nfev=25,
    ).x
    return refined

"""All models near the best that a record does not rule out, by a walk over a lattice."""

from collections import deque
from collections.abc import Iterator
from itertools import islice

import numpy as np

from instrumentgpt.instruments.arrays import Floats
from instrumentgpt.instruments.tuning.model_residual import Search, bounds

Cell = tuple[int, int, int]

# What is asked of the models is one number each, a margin: its interval is that of the region cut at chi² of
# one degree (profile likelihood), 99.5 % for each of the two margins, so that both hold with 99 %.
BOUND = 7.879438576622417
OTHER_SIDE = 1.6  # a Peltier element heats up to so much stronger than it cools, or weaker
LATTICES = (2.5, 1.2, 0.6)  # points per radius of the accepted region; the finest that is small enough
MOST_MODELS = 300  # points of that lattice


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
    spectrum = np.abs(np.fft.rfft(residual - residual.mean(), 2 * n)) ** 2
    correlation = np.fft.irfft(spectrum)[:n]
    correlation /= correlation[0]
    crossings = np.flatnonzero(correlation <= 0)
    until = int(crossings[0]) if len(crossings) else n
    return max(n / (1 + 2 * float(correlation[1:until].sum())), 5.0)


def _within_bound(search: Search, best: Floats, unit: float, least: float) -> list[Floats]:
    """Return the lattice points within the bound, of a coarser lattice if there are too many."""
    axes = _axes(search, best, unit) * np.sqrt(BOUND)
    found: list[Floats] = []
    for points_per_radius in LATTICES:
        walk = _walk(search, best, axes / points_per_radius, least + BOUND * unit)
        found = list(islice(walk, MOST_MODELS + 1))
        if len(found) <= MOST_MODELS:
            break
    return found


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

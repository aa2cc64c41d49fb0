"""Direct output-error search for the plant of two lags and a dead time that best explains a record."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares

from instrumentgpt.instruments.arrays import Floats
from instrumentgpt.instruments.tuning.accepted_models import accepted_models
from instrumentgpt.instruments.tuning.model_residual import NOISE_POLE, Record, Search, bounds, whitened

NOISE_ZEROS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, NOISE_POLE)  # the last is plain output-error
QUICK_LAGS = (1.0, 5.0, 20.0, 80.0)  # samples, to start from
DEAD_TIMES = (1.2, 3.0, 8.0, 21.0, 80.0)  # likewise
SLOWER_ZERO = 0.9  # noise against which the fitted one is checked


class Fit(NamedTuple):
    """What the search found; `models` as in `Identification`."""

    models: Floats
    r2: float
    residual: float


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
        search = Search(record, _noise_zero(_unwhitened(record, point)))
        point = _refined(search, point)
    plain = _unwhitened(record, point)
    r2 = 1 - float(np.var(plain) / np.var(record.pv))
    models = [accepted_models(search, point)]
    if record.closed and search.zero < SLOWER_ZERO:
        slower = Search(record, SLOWER_ZERO)
        models.append(accepted_models(slower, _refined(slower, point)))
    return Fit(np.concatenate(models) * [1.0, seconds, seconds, seconds], r2, float(np.std(plain)))


def _unwhitened(record: Record, point: Floats) -> Floats:
    return Search(record).residual(point)


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
    found = least_squares(
        search.residual,
        inside,
        bounds=(low, high),
        x_scale=[0.3, *np.full(2, max(2.0, (point[1] + point[2]) / 5))],
        diff_step=[1e-3] * 3,
        max_nfev=25,
    )
    refined: Floats = found.x
    return refined

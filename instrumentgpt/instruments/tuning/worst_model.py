"""The margins that gains keep on every model that a log accepts, the worst of them deciding."""

import math
from itertools import product

import numpy as np

from instrumentgpt.instruments.arrays import Floats, Mask
from instrumentgpt.instruments.plant import Identification
from instrumentgpt.instruments.tuning.gains import GainName, Gains
from instrumentgpt.instruments.tuning.margins import Margins, margins

LEAST_PHASE, LEAST_GAIN = 45.0, 2.0  # degrees, factor: "yes" needs both on every model (loops.md section 2)
REGRESSED_ERROR = 1.3  # factor by which gains regressed from the output may be wrong either way
DEAD_TIME_SHARE = 0.25  # of the delay beyond the first lag, at the least
HIGHEST_FACTOR = 10.0  # no further is searched for what is proven


def are_enough(at: Margins) -> Mask:
    """Return for each model whether it keeps both margins that a "yes" needs, (m,)."""
    return (at.phase >= LEAST_PHASE) & (at.gain >= LEAST_GAIN)


def margins_of(found: Identification, gains: Gains) -> Margins:
    """Return the margins of `gains` around every model; of uncertain gains those of the worst they may be."""
    tried = margins_tried(found, gains)
    return Margins(np.min([one.phase for one in tried], axis=0), np.min([one.gain for one in tried], axis=0))


def margins_tried(found: Identification, gains: Gains) -> list[Margins]:
    """Return the margins of `gains`, or, where they are regressed, of gains 1.3 times both ways."""
    models = with_dead_time(found.models)
    if gains.source not in ("regressed", "disagrees"):
        return [margins(models, gains.kp, gains.ki, gains.kd)]
    sides = (1 / REGRESSED_ERROR, REGRESSED_ERROR)
    return [margins(models, gains.kp * a, gains.ki * b, gains.kd * a) for a, b in product(sides, sides)]


def with_dead_time(models: Floats) -> Floats:
    """Return `models` with at least a quarter of tau2 + dead_time as dead time: real plants have more lags.

    >>> with_dead_time(np.array([[1.0, 100.0, 7.0, 1.0]])).tolist()
    [[1.0, 100.0, 6.0, 2.0]]
    """
    gain, tau1, tau2, dead_time = models.T
    least = np.maximum(dead_time, DEAD_TIME_SHARE * (tau2 + dead_time))
    changed: Floats = np.stack([gain, tau1, tau2 + dead_time - least, least], axis=1)
    return changed


def keeps_margins(
    found: Identification, gains: Gains, phase: float = LEAST_PHASE, gain: float = LEAST_GAIN
) -> bool:
    """Return whether `gains` keep at least `phase` (degrees) and `gain` (factor) on every accepted model."""
    worst_phase, worst_gain = margins_of(found, gains).worst()
    return worst_phase >= phase and worst_gain >= gain


def highest_proven(found: Identification, gain: GainName) -> float:
    """Return the highest value of `gain` at which every model keeps its margins, nan if not even now."""
    low, high = 1.0, HIGHEST_FACTOR
    present = float(getattr(found.gains, gain))
    if not keeps_margins(found, found.gains) or present == 0:
        return math.nan
    for _ in range(8):
        middle = float(np.sqrt(low * high))
        ok = keeps_margins(found, found.gains.with_gain(gain, present * middle))
        low, high = (middle, high) if ok else (low, middle)
    return present * low


def model_numbers(found: Identification) -> dict[str, float | str]:
    """Return what a reader should know of the models: best gain, lags, dead time, R², count, margins now."""
    gain, tau1, tau2, dead_time = (float(value) for value in found.best)
    phase, size = margins_of(found, found.gains).worst()
    return {
        "plant_gain": gain, "tau1": tau1, "tau2": tau2, "dead_time": dead_time, "r2": found.r2,
        "models": len(found.models), "samples": found.samples, "start": found.start, "end": found.end,
        "phase_now": phase, "gain_now": size, "kp": found.gains.kp, "ki": found.gains.ki,
        "kd": found.gains.kd, "source": found.gains.source,
    }  # fmt: skip


def extreme_models(models: Floats) -> Floats:
    """Return the best of `models` (m, 4) and those at the ends of each parameter, slope and total delay."""
    views = [*models.T, models[:, 0] / models[:, 1], models[:, 2] + models[:, 3]]
    rows = {0, *(int(end(view)) for view in views for end in (np.argmin, np.argmax))}
    return models[sorted(rows)]

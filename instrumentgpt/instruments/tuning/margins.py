"""Gain and phase margin of a PID loop around a plant of two lags and a dead time, for many plants at once."""

import math
from itertools import product
from typing import NamedTuple

import numpy as np

from instrumentgpt.instruments.loops import Floats, Mask
from instrumentgpt.instruments.plant import Identification
from instrumentgpt.instruments.tuning.gains import GainName, Gains

FREQUENCIES = 400  # points of the logarithmic grid; crossings are interpolated between them
FILTER_SHARE = 0.25  # of kd / kp, counted as dead time: what an unknown derivative filter costs


class Margins(NamedTuple):
    """Stability margins, one value per plant; an unstable loop has phase <= 0 or gain <= 1.

    phase  (m,) degrees
    gain   (m,) factor by which all gains may rise together
    """

    phase: Floats
    gain: Floats

    def worst(self) -> tuple[float, float]:
        """Return the smallest phase margin (degrees) and gain margin (factor) of all plants."""
        return float(self.phase.min()), float(self.gain.min())


def margins(plants: Floats, kp: float, ki: float, kd: float = 0.0) -> Margins:
    """Return the margins of the parallel PID controller `kp + ki/s + kd s` around each of `plants`.

    plants  (m, 4) gain (°C/%), tau1, tau2 and dead time (s)
    kp      %/°C, ki %/(°C·s), kd %·s/°C

    The phase margin is the smallest over all gain crossings, the gain margin the smallest over all
    crossings of -180 degrees: a conditionally stable loop counts as unstable.
    Without a gain crossing the phase margin is inf, without a phase crossing the gain margin is.

    >>> exact = margins(np.array([[1.0, 100.0, 0.0, 5.0]]), kp=10.0, ki=0.1)
    >>> float(exact.phase[0].round(1)), float(exact.gain[0].round(2))
    (61.4, 3.14)
    """
    gain, tau1, tau2, dead_time = (column[:, None] for column in np.atleast_2d(plants).T)
    delay = dead_time + FILTER_SHARE * (kd / kp if kp else 0.0)
    low, high = 0.01 / tau1.max(), 20.0 / max(float(np.min(delay + tau2)), tau1.max() / 1e4)
    omega = np.geomspace(low, high, FREQUENCIES)[None, :]
    controller = np.hypot(kp, kd * omega - ki / omega)
    lead = np.arctan2(kd * omega - ki / omega, kp)
    size = np.log(np.abs(gain) * controller / np.hypot(1, omega * tau1) / np.hypot(1, omega * tau2))
    angle = lead - np.arctan(omega * tau1) - np.arctan(omega * tau2) - omega * delay + np.pi
    phase = np.degrees(_smallest_at_crossing(size, angle))
    return Margins(phase, np.exp(_smallest_at_crossing(angle, -size)))


def _smallest_at_crossing(crossing: Floats, value: Floats) -> Floats:
    """Return the smallest `value` where `crossing` changes sign, per row; inf where it never does."""
    before, after = crossing[:, :-1], crossing[:, 1:]
    changes = (before >= 0) != (after >= 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(changes, before / (before - after), 0.0)
    at = value[:, :-1] + share * (value[:, 1:] - value[:, :-1])
    smallest: Floats = np.where(changes, at, np.inf).min(axis=1)
    return smallest


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

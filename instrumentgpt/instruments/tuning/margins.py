"""Gain and phase margin of a PID loop around a plant of two lags and a dead time, for many plants at once."""

from typing import NamedTuple

import numpy as np

from instrumentgpt.instruments.loops import Floats

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
    _, size, angle = _open_loop(plants, kp, ki, kd)
    phase = np.degrees(_smallest_at_crossing(size, angle))
    return Margins(phase, np.exp(_smallest_at_crossing(angle, -size)))


def swing_periods(plants: Floats, kp: float, ki: float, kd: float = 0.0) -> Floats:
    """Return the period, s, at which each loop swings if its gains make it: where it lags by 180 degrees.

    Limits of the output make a swing smaller, not slower. Above twice the dead time; 0 without such a point.

    >>> float(swing_periods(np.array([[1.0, 100.0, 0.0, 5.0]]), kp=40.0, ki=0.1)[0].round(1))
    19.7
    """
    log_omega, _, angle = _open_loop(plants, kp, ki, kd)
    periods: Floats = 2 * np.pi / np.exp(_smallest_at_crossing(angle, log_omega))
    return periods


def _open_loop(plants: Floats, kp: float, ki: float, kd: float) -> tuple[Floats, Floats, Floats]:
    """Return log frequency (1, f), log gain (m, f) and angle beyond -180 degrees (m, f)."""
    gain, tau1, tau2, dead_time = (column[:, None] for column in np.atleast_2d(plants).T)
    delay = dead_time + FILTER_SHARE * (kd / kp if kp else 0.0)
    low, high = 0.01 / tau1.max(), 20.0 / max(float(np.min(delay + tau2)), tau1.max() / 1e4)
    omega = np.geomspace(low, high, FREQUENCIES)[None, :]
    controller = np.hypot(kp, kd * omega - ki / omega)
    lead = np.arctan2(kd * omega - ki / omega, kp)
    size = np.log(np.abs(gain) * controller / np.hypot(1, omega * tau1) / np.hypot(1, omega * tau2))
    angle = lead - np.arctan(omega * tau1) - np.arctan(omega * tau2) - omega * delay + np.pi
    return np.broadcast_to(np.log(omega), size.shape), size, angle


def _smallest_at_crossing(crossing: Floats, value: Floats) -> Floats:
    """Return the smallest `value` where `crossing` changes sign, per row; inf where it never does."""
    before, after = crossing[:, :-1], crossing[:, 1:]
    changes = (before >= 0) != (after >= 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(changes, before / (before - after), 0.0)
    at = value[:, :-1] + share * (value[:, 1:] - value[:, :-1])
    smallest: Floats = np.where(changes, at, np.inf).min(axis=1)
    return smallest

"""The gains a controller really applies: those the log names, checked against what its output does."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from instrumentgpt.instruments.analysis.signals import digit
from instrumentgpt.instruments.loops import Floats, Loop

GainName = Literal["kp", "ki", "kd"]
Source = Literal["log", "agrees", "regressed", "disagrees", "proposed", "none"]
GAIN_NAMES: tuple[GainName, ...] = ("kp", "ki", "kd")

LEAST_SAMPLES = 60  # of output within its limits, for a regression on three unknowns
LEAST_STRETCH = 20  # samples between two limits; shorter ones say nothing about the integral
WINDOWS = (5, 15)  # samples, half a lag and one and a half; means over them, lest noise pull kp down
SAME_KP, SAME_KI = 1.15, 1.3  # factor between the two windows that still counts as the same
LEAST_R2 = 0.97  # share of the output's movement that e, its integral and the slope explain
DISAGREEMENT = 2.0  # factor: the regression is within 0.6..1.3 of the true kp, ki on simulated loops
LEAST_TD = 1.0  # sample periods: a shorter derivative time is taken as none
OUTPUT_MARGIN = 0.5  # digits from a limit: nearer, the output may be clipped


@dataclass(frozen=True)
class Gains:
    """A parallel PID controller: output = kp·e + ki·integral of e - kd·slope of pv.

    kp      %/°C
    ki      %/(°C·s)
    kd      %·s/°C
    source  "log": as named there; "agrees": named and confirmed; "regressed": from output on error,
            because the log names none; "disagrees": likewise, because the named ones are not what acts;
            "proposed": by us; "none": no controller acts, all are 0
    reverse True where the output falls with the error, as in a loop that cools; the gains stay positive
    """

    kp: float
    ki: float
    kd: float = 0.0
    source: Source = "log"
    reverse: bool = False

    def with_gain(self, name: GainName, value: float) -> "Gains":
        """Return these gains with one of them changed."""
        changed: dict[str, Any] = {name: value}
        return replace(self, **changed)

    @property
    def ti(self) -> float:
        """Integral time, s; inf without integral action."""
        return self.kp / self.ki if self.ki else float("inf")

    @property
    def td(self) -> float:
        """Derivative time, s."""
        return self.kd / self.kp if self.kp else 0.0

    @property
    def proportional_band(self) -> float:
        """The error that moves the output by its full range, °C.

        >>> Gains(kp=12.5, ki=0.25).proportional_band
        8.0
        """
        return 100.0 / self.kp if self.kp else float("inf")


def named_gains(loop: Loop) -> Gains | None:
    """Return the gains last named in the log, None if kp is not named; a missing ki or kd is 0."""
    last = [_last(values) for values in (loop.kp, loop.ki, loop.kd)]
    if last[0] is None:
        return None
    return Gains(last[0], last[1] or 0.0, last[2] or 0.0)


def _last(values: Floats) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite[-1]) if len(finite) else None


def regressed_gains(loop: Loop, width: int = WINDOWS[-1]) -> tuple[Gains, float] | None:
    """Return the gains that explain the output by error, its integral and the pv's slope, and by which share.

    width  samples over which terms and output are averaged

    None if fewer than 60 samples lie strictly between the output's limits, or the output does not move.
    Only the samples since the last change of the named gains are used.
    Each stretch between limits has its own constant, since anti-windup moves the integral at a limit.
    The slope is left out where the log names kd as 0.
    """
    stretches = [rows for rows in _free_stretches(loop) if len(rows) >= width + LEAST_STRETCH]
    if sum(len(rows) for rows in stretches) < LEAST_SAMPLES:
        return None
    parts = [_averaged(_terms(loop, stretch), width) for stretch in stretches]
    rows = np.concatenate([part - part.mean(axis=0) for part in parts])
    terms, output = rows[:, :3], rows[:, 3]
    scale = terms.std(axis=0)
    if scale[0] == 0 or output.std() == 0:
        return None
    used = (scale > 0) & np.array([True, True, _last(loop.kd) != 0.0])
    weights = np.zeros(3)
    weights[used] = np.linalg.lstsq(terms[:, used] / scale[used], output, rcond=None)[0] / scale[used]
    r2 = 1 - float(np.var(output - terms @ weights) / np.var(output))
    kp, ki, kd = map(float, weights)
    return Gains(kp, ki, kd, "regressed"), r2


def _terms(loop: Loop, rows: NDArray[np.int64]) -> Floats:
    """Return error, its integral, the falling slope of the pv, and the output, (n, 4)."""
    time, error = loop.time[rows], (loop.setpoint - loop.pv)[rows]
    middles = (error + np.concatenate([error[:1], error[:-1]])) / 2
    integral = np.cumsum(np.diff(time, prepend=time[0]) * middles)
    slope = -np.gradient(loop.pv[rows], time)
    return np.stack([error, integral, slope, loop.output[rows]], axis=1)


def _averaged(terms: Floats, width: int) -> Floats:
    sums = np.cumsum(np.concatenate([np.zeros((1, terms.shape[1])), terms]), axis=0)
    averaged: Floats = (sums[width:] - sums[:-width]) / width
    return averaged


def _free_stretches(loop: Loop) -> list[NDArray[np.int64]]:
    """Return the runs of rows whose output is within its limits and whose gains are the last named."""
    is_finite = np.isfinite(loop.setpoint) & np.isfinite(loop.pv) & np.isfinite(loop.output)
    if not is_finite.any():
        return []
    low, high = (0.0, 100.0) if np.nanmin(loop.output) >= 0 else (-100.0, 100.0)
    low, high = max(low, float(np.nanmin(loop.output))), min(high, float(np.nanmax(loop.output)))
    margin = OUTPUT_MARGIN * digit(loop.output)
    free = is_finite & (loop.output > low + margin) & (loop.output < high - margin)
    free &= _same(loop.kp) & _same(loop.ki) & _same(loop.kd)
    rows = np.flatnonzero(free)
    if not len(rows):
        return []
    period = float(np.median(np.diff(loop.time)))
    cuts = np.flatnonzero((np.diff(rows) > 1) | (np.diff(loop.time[rows]) > 5 * period)) + 1
    return [part for part in np.split(rows, cuts) if len(part) >= LEAST_STRETCH]


def _same(values: Floats) -> NDArray[np.bool_]:
    last = _last(values)
    return np.ones(len(values), dtype=bool) if last is None else np.isnan(values) | (values == last)


def trusted_gains(loop: Loop) -> Gains | None:
    """Return the regressed gains if both windows tell the same, with the right signs; else None."""
    found = [regressed for width in WINDOWS if (regressed := regressed_gains(loop, width))]
    if len(found) < len(WINDOWS) or min(r2 for _, r2 in found) < LEAST_R2:
        return None
    (short, _), (long, _) = found
    is_same = _within(short.kp, long.kp, SAME_KP) and _within(short.ki, long.ki, SAME_KI)
    return long if is_same and long.kp * long.ki >= 0 else None


def _within(value: float, other: float, factor: float) -> bool:
    return value * other > 0 and 1 / factor <= value / other <= factor


def gains_in_force(loop: Loop) -> Gains | None:
    """Return the gains to calculate with: the named, or the regressed where those are missing or disagree.

    None if the log names none and its output does not follow from the error either.
    """
    named, seen = named_gains(loop), trusted_gains(loop)
    if seen is None:
        return named
    reverse = seen.kp < 0 and (named is None or named.kp > 0)
    side = -1 if reverse else 1
    kp, ki, kd = side * seen.kp, side * seen.ki, side * seen.kd
    if named is None:
        least = LEAST_TD * float(np.median(np.diff(loop.time)))
        return Gains(kp, ki, kd if kd / kp > least else 0.0, "regressed", reverse)
    if named.kd == 0 and not _within(kp, named.kp, DISAGREEMENT):
        return Gains(kp, ki, 0.0, "disagrees", reverse)
    agrees = _within(kp, named.kp, DISAGREEMENT) and _within(ki, named.ki, DISAGREEMENT)
    return Gains(named.kp, named.ki, named.kd, "agrees" if agrees else "log", reverse)


Verdict = Literal["yes", "no", "not_proven"]


@dataclass(frozen=True)
class Answer:
    """Whether a gain may be changed; `reason` and `experiment` name sentences of advice.toml.

    verdict       "yes": every accepted model keeps both margins; "no": none does; "not_proven": some do
    present       the gain in force, nan if unknown
    asked         the gain asked for, nan if unknown
    phase_margin  degrees, worst of all accepted models at `asked`; nan if there are none
    gain_margin   factor, likewise
    """

    channel: int
    gain: GainName
    verdict: Verdict
    present: float
    asked: float
    phase_margin: float
    gain_margin: float
    reason: str
    experiment: str = ""
    numbers: dict[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Advice:
    """Better gains, or why none are given; `reason` names the sentence of advice.toml, `numbers` fill it.

    proposed      None unless they help on every accepted model
    iae_ratio     predicted IAE with the proposed gains over that with the present ones, on the worst model
    """

    channel: int
    present: Gains | None
    proposed: Gains | None
    phase_margin: float
    gain_margin: float
    iae_ratio: float
    reason: str
    experiment: str = ""
    numbers: dict[str, float | str] = field(default_factory=dict)

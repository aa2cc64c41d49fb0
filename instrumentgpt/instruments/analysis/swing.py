"""The swing that a held loop keeps within its band: how large, how regular, and who makes it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from instrumentgpt.instruments.analysis.metrics import Metrics
from instrumentgpt.instruments.analysis.signals import smooth
from instrumentgpt.instruments.loops import Floats, Loop

Maker = Literal["noise", "outside", "actuator", "not_the_output", "open", "irregular"]
Held = tuple[Floats, Floats, Floats]  # time (s), error and output of the samples on a setpoint
REGULAR = 0.6  # autocorrelation after one period, from which a swing has a period worth a word
TOGETHER = 0.8  # correlation with a neighbour, from which both move by one cause
ABOVE_NOISE = 3.0  # times noise and digit that a swing must have to be one
STILL = 0.02  # % of output amplitude below which the output does not take part
COARSE_STEPS = 4  # values of the output in a swing, up to which it moves in steps
LEAST_CYCLES = 3.0


@dataclass(frozen=True)
class Swing:
    """What is left of a loop's error while it holds its setpoint, in the unit of the log.

    half_size   half peak-to-peak; `noise` and `digit` are those of the sensor
    period      s; nan without one; `regularity` is the autocorrelation there, `cycles` how many there are
    output      %, amplitude of the output at that period
    phase       degrees by which the output follows the error at that period: 0 answers it at once
    expected    degrees that the gains in force give: the controller's own answer; nan without gains
    together    channels that move with it at the same moments
    maker       "noise": nothing but the sensor's scatter; "outside": several loops at once; "actuator": the
                output moves in steps; "not_the_output": it stands still; "open": its loop or something
                outside, which one log at rest cannot tell; "irregular": no period
    """

    channel: int
    half_size: float
    noise: float
    digit: float
    band: float
    period: float
    regularity: float
    cycles: float
    output: float
    phase: float
    expected: float
    together: tuple[int, ...]
    maker: Maker


def swings_of(loops: Mapping[int, Loop], channels: Mapping[int, Metrics]) -> dict[int, Swing]:
    """Return channel → its swing, of the channels that hold a setpoint within their bands at least partly."""
    held = {number: _longest_hold(loops[number], channels[number]) for number in channels if number in loops}
    errors = {number: hold for number, hold in held.items() if len(hold[0]) >= 16}
    return {number: _swing(number, errors, channels[number]) for number in errors}


def _longest_hold(loop: Loop, metrics: Metrics) -> Held:
    """Return time, error and output of the samples on the setpoint that is held longest, within the band."""
    error = loop.setpoint - loop.pv
    near = (loop.setpoint == metrics.setpoint) & (np.abs(error - metrics.mean_error) <= metrics.band)
    return (
        loop.time[near],
        error[near] - float(np.mean(error[near])) if near.any() else error[near],
        loop.output[near],
    )


def _swing(number: int, errors: Mapping[int, Held], metrics: Metrics) -> Swing:
    time, error, output = errors[number]
    window = max(1, round(0.5 * metrics.lag / metrics.sample_period)) if metrics.sample_period > 0 else 1
    quiet = smooth(error, window)
    half = float(np.nanmax(quiet) - np.nanmin(quiet)) / 2
    regular = metrics.regularity > REGULAR and metrics.period > 0
    period = metrics.period if regular else math.nan
    cycles = float(time[-1] - time[0]) / period if regular else 0.0
    is_seen = regular and np.isfinite(output).any()
    amplitude, phase = _answer(time, error, output, period) if is_seen else (math.nan, math.nan)
    expected = math.nan
    if regular and metrics.kp > 0:
        expected = math.degrees(-math.atan2(metrics.ki * period / (2 * math.pi), metrics.kp))
    together = tuple(
        other
        for other in errors
        if other != number and _likeness(errors[number], errors[other], window) >= TOGETHER
    )
    is_noise = half < ABOVE_NOISE * max(metrics.noise, metrics.digit if metrics.digit > 0 else 0.0)
    is_stepped = regular and 1 < len(np.unique(np.round(output[np.isfinite(output)], 2))) <= COARSE_STEPS
    maker: Maker = (
        "noise" if is_noise
        else "outside" if together
        else "irregular" if not regular or cycles < LEAST_CYCLES
        else "not_the_output" if amplitude <= STILL  # nan where the log has no output: nobody can say
        else "actuator" if is_stepped
        else "open"
    )  # fmt: skip
    return Swing(
        number, half, metrics.noise, metrics.digit, metrics.band, period, metrics.regularity, cycles,
        amplitude, phase, expected, together, maker,
    )  # fmt: skip


def _answer(time: Floats, error: Floats, output: Floats, period: float) -> tuple[float, float]:
    """Return the amplitude of the output at `period` (%), and the degrees by which it follows the error."""
    is_finite = np.isfinite(output) & np.isfinite(error)
    turn = np.exp(-2j * np.pi * time[is_finite] / period)
    of_error = 2 * np.mean(error[is_finite] * turn)
    of_output = 2 * np.mean((output[is_finite] - np.mean(output[is_finite])) * turn)
    if abs(of_error) == 0.0:
        return math.nan, math.nan
    return float(abs(of_output)), float(np.degrees(np.angle(of_output / of_error)))


def _likeness(hold: Held, other: Held, window: int) -> float:
    """Return the correlation of two errors at the same moments; 0 where they share too few."""
    start, stop = max(hold[0][0], other[0][0]), min(hold[0][-1], other[0][-1])
    inside = (hold[0] >= start) & (hold[0] <= stop)
    if inside.sum() < 16:
        return 0.0
    first = smooth(hold[1], window)[inside]
    second = np.interp(hold[0][inside], other[0], smooth(other[1], window))
    if np.std(first) == 0.0 or np.std(second) == 0.0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])

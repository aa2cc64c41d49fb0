"""The plant behind a loop, identified from its log, with every model that the data accepts."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from instrumentgpt.instruments.gains import Gains, gains_in_force
from instrumentgpt.instruments.loops import Loop
from instrumentgpt.instruments.margins import margins
from instrumentgpt.instruments.model_search import Fit, Record, fit

Floats = NDArray[np.float64]
Span = tuple[float, float]

LEAST_OUTPUT_RANGE = 3.0  # %, below it the output excites nothing: loops.md section 3
LEAST_PV_RANGE = 2.0  # °C, likewise
LEAST_R2 = 0.9  # share of the pv's variance, likewise
LEAST_SAMPLES = 100  # loops.md: insufficient_data
LEAST_SECONDS = 180.0  # loops.md: insufficient_data
MOST_SAMPLES = 4000  # longer records are averaged in blocks, output and pv alike
GAP_SECONDS, GAP_PERIODS = 20.0, 12.0  # loops.md: data_gap
CALM = 0.28  # °C half peak-to-peak: above it a hold oscillates (loops.md)


@dataclass(frozen=True)
class Refusal:
    """Why no model is given: `reason` names the sentence in advice.toml, `numbers` fill it."""

    channel: int
    reason: str
    numbers: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Identification:
    """The best model of pv / output = gain e^(-dead_time s) / ((tau1 s + 1)(tau2 s + 1)), and all accepted.

    best      (4,) gain (°C/%), tau1, tau2, dead_time (s)
    models    (m, 4) accepted models, the best first; where the output heats and cools, those of both sides
    r2        share of the pv's variance the best model explains
    residual  °C, standard deviation of what it does not
    samples   count used, of the stretch `start`..`end` (s since the log's first line)
    """

    channel: int
    best: Floats
    models: Floats
    r2: float
    residual: float
    samples: int
    start: float
    end: float
    gains: Gains


def identify(loop: Loop, exclude: Sequence[Span] = ()) -> Identification | Refusal:
    """Return the model set of `loop`'s plant, or why the log cannot give one.

    exclude  stretches (from, to; s) not to be used, such as those of data and sensor faults

    Direct output-error identification: the output is interpolated linearly, the pv is linear in gain,
    offset, initial state and drift, so that only (tau1, tau2, dead_time) are searched.
    Disturbances are a random walk seen through white noise; their ratio is fitted too.
    """
    record = longest_record(loop, exclude)
    if record is None:
        return Refusal(loop.channel, "short", {"samples": len(loop), "seconds": _seconds(loop.time)})
    swings = {"output_range": float(np.ptp(record.output)), "pv_range": float(np.ptp(record.pv))}
    if swings["output_range"] < LEAST_OUTPUT_RANGE or swings["pv_range"] < LEAST_PV_RANGE:
        return Refusal(loop.channel, "quiet", swings)
    found = fit(record)
    if found.r2 < LEAST_R2:
        return Refusal(loop.channel, "poor_fit", {"r2": found.r2, "residual": found.residual})
    return _plausible(loop, record, found)


def _plausible(loop: Loop, record: Record, found: Fit) -> Identification | Refusal:
    gains = gains_in_force(loop)
    best = found.models[0]
    if gains is None:
        return Refusal(loop.channel, "no_gains")
    if (found.models[:, 0] * gains.kp <= 0).any():
        return Refusal(loop.channel, "wrong_sign", {"gain": float(best[0]), "kp": gains.kp})
    phase, gain = margins(best, gains.kp, gains.ki, gains.kd).worst()
    if (phase <= 0 or gain <= 1) and is_calm(loop):
        return Refusal(loop.channel, "unstable_model", {"phase_margin": phase, "gain_margin": gain})
    end = record.start + record.period * (len(record.pv) - 1)
    return Identification(
        loop.channel, best, found.models, found.r2, found.residual, len(record.pv), record.start, end, gains
    )


def is_calm(loop: Loop) -> bool:
    """Return whether the last minute at constant setpoint moves less than +-0.28 °C."""
    held = loop.setpoint == loop.setpoint[-1]
    last = held & (loop.time >= loop.time[-1] - 60.0) & np.isfinite(loop.pv)
    return bool(last.any()) and float(np.ptp(loop.pv[last])) / 2 < CALM


def _seconds(time: Floats) -> float:
    return float(time[-1] - time[0]) if len(time) else 0.0


def longest_record(loop: Loop, exclude: Sequence[Span] = ()) -> Record | None:
    """Return the longest stretch of `loop` without gap or `exclude`, evenly sampled; None under 3 minutes."""
    usable = np.isfinite(loop.pv) & np.isfinite(loop.output) & np.isfinite(loop.time)
    for first, last in exclude:
        usable &= (loop.time < first) | (loop.time > last)
    time, pv, output = loop.time[usable], loop.pv[usable], loop.output[usable]
    if len(time) < LEAST_SAMPLES:
        return None
    steps = np.diff(time)
    period = float(np.median(steps))
    cuts = np.flatnonzero((steps > max(GAP_SECONDS, GAP_PERIODS * period)) | (steps < 0)) + 1
    part = max(np.split(np.arange(len(time)), cuts), key=lambda rows: _seconds(time[rows]))
    if len(part) < LEAST_SAMPLES or _seconds(time[part]) < LEAST_SECONDS or period <= 0:
        return None
    even = np.arange(time[part[0]], time[part[-1]], period)
    blocks = -(-len(even) // MOST_SAMPLES)
    pv, output = (_averaged(np.interp(even, time[part], values[part]), blocks) for values in (pv, output))
    return Record(period * blocks, float(even[0] + period * (blocks - 1) / 2), pv, output)


def _averaged(values: Floats, block: int) -> Floats:
    """Return means of `block` neighbours: done to pv and output alike, it leaves the plant as it is."""
    averaged: Floats = values[: len(values) // block * block].reshape(-1, block).mean(axis=1)
    return averaged

"""The plant behind a loop, identified from its log, with every model that the data accepts."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from instrumentgpt.instruments.analysis.kind import drive_of, switched
from instrumentgpt.instruments.analysis.own_units import CELSIUS, DIGITS, LAG_SAMPLES, band_of, span_of
from instrumentgpt.instruments.analysis.segments import Segment
from instrumentgpt.instruments.analysis.signals import digit, periodicity, runs
from instrumentgpt.instruments.analysis.study import GAP_PERIODS
from instrumentgpt.instruments.loops import COLUMNS, Floats, Indices, Loop
from instrumentgpt.instruments.tuning.gains import (
    GAIN_NAMES,
    LEAST_STRETCH,
    Gains,
    gains_in_force,
    named_gains,
)
from instrumentgpt.instruments.tuning.margins import margins, swing_periods
from instrumentgpt.instruments.tuning.models import Record, fit

Span = tuple[float, float]

LEAST_R2 = 0.9  # share of the pv's variance that a model explains; an unrelated output can reach .75
CLEAR_BANDS = 2.5  # of noise or digits that pv must move; six deviations, one and a half, are noise alone
UNSEEN_DIGIT = 0.1  # percent, as controllers mostly print: of an output that never moves
LEAST_SAMPLES = 100  # ten times those of a loop's lag: it was seen to settle
LONG = 10  # times the next, from which blocks would hide what is quick: one part of the record is taken
SETTLINGS = 3.0  # settling times of a step that this part lasts
BEFORE_STEP = 0.1  # of the part that lies before its step
MOST_SAMPLES = 4000  # longer records are averaged in blocks, output and pv alike
LEAST_REGULARITY = 0.7  # autocorrelation after one period, from which an oscillation is one
STEADY_PHASE = 20.0  # degrees: with more on every model, the named gains cannot be why the loop oscillates
SAME_PERIOD = 1.5  # factor between the period of a swing and that of a model's loop, for it to be its model
CALM = 1.0  # bands, half peak to peak: above it a hold oscillates
CALM_LAGS = 6  # of ten samples, at the end of the log: for the slowest cycle of a loop near its limit to show


@dataclass(frozen=True)
class Refusal:
    """Why no model is given: `reason` names the sentence in advice.toml, `numbers` fill it.

    gains  those in force as far as the log tells, None if it does not
    band   of the loop, in the unit of the pv; nan if nothing can be said
    held   gains that the log names before those it swings with, and within what they held pv
    """

    channel: int
    reason: str
    numbers: dict[str, float] = field(default_factory=dict)
    gains: Gains | None = None
    band: float = float("nan")
    held: tuple[Gains, float] | None = None


@dataclass(frozen=True, eq=False)
class Identification:
    """The best model of pv / output = gain e^(-dead_time s) / ((tau1 s + 1)(tau2 s + 1)), and all accepted.

    best      (4,) gain (°C/%), tau1, tau2, dead_time (s)
    models    (m, 4) accepted models, the best first; where the output heats and cools, those of both sides;
              of a loop that acts in reverse, with the sign of the gain turned
    r2        share of the pv's variance the best model explains
    residual  °C, standard deviation of what it does not
    samples   count used, of the stretch `start`..`end` (s since the log's first line)
    pinned    share of that stretch for which the output stood at its top or bottom without a break
    reach     percent from the lowest to the highest output there, or from zero, if that is more
    band      of the loop, in the unit of the pv
    held      as in `Refusal`
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
    pinned: float = 0.0
    reach: float = 100.0
    band: float = float("nan")
    held: tuple[Gains, float] | None = None


def identify(loop: Loop, exclude: Sequence[Span] = (), unit: str = "°C") -> Identification | Refusal:
    """Return the model set of `loop`'s plant, or why the log cannot give one.

    exclude  stretches (from, to; s) not to be used, such as those of data and sensor faults
    unit     of the pv; what is no temperature is refused

    Direct output-error identification: the output is interpolated linearly, the pv is linear in gain,
    offset, initial state and drift, so that only (tau1, tau2, dead_time) are searched.
    Disturbances are a random walk seen through white noise; their ratio is fitted too.
    """
    band = band_of(loop.pv, span_of(loop.pv, loop.setpoint, unit)) if len(loop) else float("nan")
    result = _identified(loop, exclude, unit, band)
    result = replace(result, held=held_before(loop, band) if unit in CELSIUS else None)
    return replace(result, gains=named_gains(loop), band=band) if isinstance(result, Refusal) else result


def held_before(loop: Loop, band: float) -> tuple[Gains, float] | None:
    """Return the gains named last that held pv within `band` before those it swings with; within what."""
    named = np.array([getattr(loop, name) for name in GAIN_NAMES])
    rows = np.flatnonzero(np.isfinite(named[0]))
    changes = rows[1:][(np.diff(np.nan_to_num(named[:, rows])) != 0).any(axis=0)]
    parts = [_part(loop, rows) for rows in np.split(np.arange(len(loop)), changes)]
    if len(parts) > 1 and oscillation(parts[-1])[0] > CALM * band:
        for part in reversed(parts[:-1]):
            stretches = np.split(np.arange(len(part)), np.flatnonzero(np.diff(part.setpoint)) + 1)
            rows = max(stretches, key=len)
            off, gains = (part.pv - part.setpoint)[rows[len(rows) // 2 :]], named_gains(part)
            if gains and len(off) >= LEAST_SAMPLES / 2 and np.nanmax(np.abs(off)) <= CALM * band:
                return gains, _range(off) / 2
    return None


def telling(loop: Loop, segments: Sequence[Segment]) -> Loop:
    """Return the part of a long `loop` that tells most of its plant: about the step that moved it farthest.

    segments  of its log; a loop that is not long, or of which none begins with a step, is returned whole
    """
    if len(loop) <= LONG * MOST_SAMPLES:
        return loop
    period = float(np.median(np.diff(loop.time[:MOST_SAMPLES])))
    steps = [step for step in segments if step.channel == loop.channel and np.isfinite(step.overshoot)]
    parts = []
    for step in steps:
        settled = SETTLINGS * step.settling_time if np.isfinite(step.settling_time) else step.end - step.onset
        lasts = max(MOST_SAMPLES * period, settled)
        about = (step.onset - BEFORE_STEP * lasts, min(step.end, step.onset + lasts))
        parts.append(slice(*np.searchsorted(loop.time, about).tolist()))
    if not parts:
        return loop
    most = max(parts, key=lambda part: _range(loop.pv[part]) * _range(loop.output[part]))
    return _part(loop, most)


def _part(loop: Loop, rows: slice | Indices) -> Loop:
    return Loop(loop.channel, **{name: getattr(loop, name)[rows] for name in ("time", *COLUMNS, "line")})


def _range(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(np.ptp(finite)) if finite.size else 0.0


def _identified(loop: Loop, exclude: Sequence[Span], unit: str, band: float) -> Identification | Refusal:
    if unit not in CELSIUS:
        return Refusal(loop.channel, "no_temperature")
    if not np.isfinite(loop.output).any():
        return Refusal(loop.channel, "no_output")
    drive, *_ = drive_of(loop.setpoint, switched(loop.output), np.isfinite(loop.setpoint))
    if drive == "on_off" and named_gains(loop) is None:
        return Refusal(loop.channel, "switches")
    is_open = named_gains(loop) is None and moved_by_hand(loop)
    record = longest_record(loop, exclude, closed=not is_open)
    if record is None:
        time, *_ = _longest_stretch(loop, exclude)
        return Refusal(loop.channel, "short", {"samples": len(time), "seconds": _seconds(time)})
    moved = _movement(record, loop, band_of(loop.pv, 0.0), is_open)
    if np.isfinite([*moved.values()][:2]).any():
        return Refusal(loop.channel, "quiet", moved)
    fitted = fit(record)
    if fitted.r2 < LEAST_R2:
        return Refusal(loop.channel, "poor_fit", {"r2": fitted.r2, "residual": fitted.residual})
    gains = Gains(0.0, 0.0, source="none") if is_open else gains_in_force(loop)
    if gains is None:
        return Refusal(loop.channel, "no_gains")
    models = fitted.models * ([-1.0, 1.0, 1.0, 1.0] if gains.reverse else 1.0)
    end = record.start + record.period * (len(record.pv) - 1)
    plant = Identification(
        loop.channel,
        models[0],
        models,
        fitted.r2,
        fitted.residual,
        len(record.pv),
        record.start,
        end,
        gains,
        _pinned(record),
        float(np.ptp(np.append(record.output, 0.0))),
        band,
    )
    if is_open:
        return plant
    if contradiction := _contradiction(loop, plant):
        return contradiction
    # with a plant of the other sign the loop would have run away: a calm end of the log rules those out
    models = models[models[:, 0] * gains.kp > 0]
    amplitude, period = oscillation(loop)
    if amplitude > CALM * band:
        periods = swing_periods(models, gains.kp, gains.ki, gains.kd)
        numbers = {"amplitude": amplitude, "period": period, "model_period": float(periods[0])}
        models = models[(periods < SAME_PERIOD * period) & (period < SAME_PERIOD * periods)]
        if not len(models):
            return Refusal(loop.channel, "other_period", numbers)
    return replace(plant, best=models[0], models=models)


def _contradiction(loop: Loop, plant: Identification) -> Refusal | None:
    """Return what in the log speaks against the models, None if nothing does."""
    gains = plant.gains
    wrong = plant.models[:, 0] * gains.kp <= 0
    if wrong[0] or (wrong.any() and not _is_calm(loop, plant.band)):
        numbers = {"wrong": int(wrong.sum()), "judged": len(wrong), "kp": gains.kp}
        return Refusal(loop.channel, "wrong_sign", numbers)
    best, every = (margins(models, gains.kp, gains.ki, gains.kd) for models in (plant.best, plant.models))
    phase, gain = best.worst()
    calm, held = _is_calm(loop, plant.band), not np.any(np.diff(loop.setpoint[np.isfinite(loop.setpoint)]))
    if calm and held and phase < STEADY_PHASE:
        # Without a step the gains answer a swing from outside: a model of that is the controller turned round
        # (Ljung, System Identification, 2nd ed., chapter 13), and stands at the edge of what is stable.
        return Refusal(loop.channel, "quiet", _movement(loop, loop, plant.band))
    if (phase <= 0 or gain <= 1) and (calm or not _meets_a_limit(loop)):
        return Refusal(loop.channel, "unstable_model", {"phase_margin": phase, "gain_margin": gain})
    amplitude, period = oscillation(loop)
    least = float(every.phase.min())
    if amplitude > CALM * plant.band and least > STEADY_PHASE:
        numbers = {"amplitude": amplitude, "period": period, "phase_margin": least}
        return Refusal(loop.channel, "oscillates", numbers)
    return None


def _movement(part: Loop | Record, loop: Loop, band: float, is_open: bool = False) -> dict[str, float]:
    """Return how far output (%) and pv move in a part of `loop`, nan if far enough, and how far they must."""
    digits = 0 if is_open else DIGITS  # what a person sets is known to all its digits
    output_needed = digits * float(np.nan_to_num(digit(loop.output), nan=UNSEEN_DIGIT))
    output_range, pv_range, pv_needed = _range(part.output), _range(part.pv), CLEAR_BANDS * band
    return {
        "output_range": output_range if output_range < output_needed else np.nan,
        "pv_range": pv_range if pv_range < pv_needed else np.nan,
        "output_needed": output_needed,
        "pv_needed": pv_needed,
    }


def _pinned(record: Record) -> float:
    output, near = record.output, digit(record.output)
    stretches = [*runs(output >= output.max() - near), *runs(output <= output.min() + near)]
    return max(float(stop - first) for first, stop in stretches) / len(output)


def _is_calm(loop: Loop, band: float) -> bool:
    """Return whether the end of the log, at constant setpoint, moves less than a band either way."""
    count = CALM_LAGS * int(LAG_SAMPLES)
    pv = loop.pv[-count:][(loop.setpoint[-count:] == loop.setpoint[-1]) & np.isfinite(loop.pv[-count:])]
    return bool(pv.size) and float(np.ptp(pv)) / 2 < CALM * band


def _meets_a_limit(loop: Loop) -> bool:
    """Return whether the output ever is at 0 or 100 %, where a swing that grows ends."""
    size, near = np.abs(loop.output[np.isfinite(loop.output)]), digit(loop.output)
    return bool(np.any((size <= near) | (size >= 100 - near)))


def oscillation(loop: Loop) -> tuple[float, float]:
    """Return half peak-to-peak (unit of the pv) and period (s) of the largest regular oscillation in a hold.

    A hold is a constant setpoint, its first half left out; 0 and nan if none oscillates for 4 periods.
    """
    largest = (0.0, float("nan"))
    changes = np.flatnonzero(np.diff(loop.setpoint) != 0) + 1
    for rows in np.split(np.arange(len(loop)), changes):
        rows = rows[len(rows) // 2 :]
        rows = rows[np.isfinite(loop.pv[rows])]
        if len(rows) < LEAST_SAMPLES:
            continue
        samples, regularity = periodicity(loop.pv[rows])
        if regularity > LEAST_REGULARITY and samples * 4 < len(rows):
            low, high = np.percentile(loop.pv[rows], (2, 98))
            period = samples * _seconds(loop.time[rows]) / (len(rows) - 1)
            largest = max(largest, (float(high - low) / 2, float(period)))
    return largest


def _seconds(time: Floats) -> float:
    return float(time[-1] - time[0]) if len(time) else 0.0


def moved_by_hand(loop: Loop) -> bool:
    """Return whether the output stands still between few steps, each to a new level or back: a step test."""
    output = loop.output[np.isfinite(loop.output)]
    steps, levels = np.count_nonzero(np.diff(output)), len(np.unique(output))
    return bool(0 < steps <= 2 * (levels - 1) and LEAST_STRETCH * (steps + 1) <= len(output))


def longest_record(loop: Loop, exclude: Sequence[Span] = (), closed: bool = True) -> Record | None:
    """Return the longest stretch of `loop` without gap or `exclude`, evenly sampled; None if too short.

    closed  as in `Record`, of a loop with a setpoint
    """
    time, pv, output = _longest_stretch(loop, exclude)
    period = float(np.median(np.diff(time))) if len(time) >= LEAST_SAMPLES else 0.0
    if period <= 0:
        return None
    even = np.arange(time[0], time[-1], period)
    blocks = -(-len(even) // MOST_SAMPLES)
    pv, output = (_averaged(np.interp(even, time, values), blocks) for values in (pv, output))
    start = float(even[0] + period * (blocks - 1) / 2)
    return Record(
        period * blocks, start, pv, output, closed=closed and bool(np.isfinite(loop.setpoint).any())
    )


def _longest_stretch(loop: Loop, exclude: Sequence[Span]) -> tuple[Floats, Floats, Floats]:
    """Return time, pv and output of the longest stretch without gap or `exclude`."""
    usable = np.isfinite(loop.pv) & np.isfinite(loop.output) & np.isfinite(loop.time)
    for first, last in exclude:
        usable &= (loop.time < first) | (loop.time > last)
    steps = np.diff(loop.time[usable])
    cuts = np.flatnonzero((steps > GAP_PERIODS * np.median(steps)) | (steps < 0)) + 1
    part = max(np.split(np.flatnonzero(usable), cuts), key=lambda rows: _seconds(loop.time[rows]))
    return loop.time[part], loop.pv[part], loop.output[part]


def _averaged(values: Floats, block: int) -> Floats:
    """Return means of `block` neighbours: done to pv and output alike, it leaves the plant as it is."""
    averaged: Floats = values[: len(values) // block * block].reshape(-1, block).mean(axis=1)
    return averaged

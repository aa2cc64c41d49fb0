"""A loop made ready to be judged: clock mended, direction of action known, limits of its output found."""

import numpy as np

from instrumentgpt.instruments.analysis.own_units import CELSIUS, band_of, lag_of, span_of
from instrumentgpt.instruments.analysis.readings import is_rail, readings, without_spikes
from instrumentgpt.instruments.analysis.signals import constant_runs
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.arrays import Floats, Mask
from instrumentgpt.instruments.loops import Loop

FEWEST_VALUES = 8  # of an output, below which its highest value may be a step of the actuator and no limit
WELL_BELOW = 5.0  # percent from the highest output, from where coming back to it is meeting a limit
DOMINANT = 2.0  # times the other term, for one term of the controller to decide its direction
EXPLAINED = 0.5  # correlation of the output with what its error explains, before its direction is believed


def track_of(loop: Loop, unit: str = "°C", usable: Mask | None = None) -> Track:
    """Return `loop`, whose pv is in `unit`, made ready; `usable` is False where the log has a gap nearby."""
    time, period = _mended(loop.time)
    controlled = np.isfinite(loop.setpoint) & ~_switched_off(loop)
    asked = loop.setpoint[controlled]
    rough = np.where(is_rail(loop.pv), np.nan, loop.pv)
    band = band_of(rough, span_of(rough, asked, unit))
    lag = lag_of(time, rough, period, band)
    raw = readings(loop.pv, time, band, lag)
    span = span_of(raw, asked, unit)
    band = band_of(raw, span)
    lag = lag_of(time, raw, period, band)
    scale = (-1.0 if _acts_in_reverse(loop) else 1.0) / band
    everywhere = np.ones(len(loop), dtype=bool) if usable is None else usable
    return Track(
        loop,
        scale,
        time,
        loop.setpoint * scale,
        raw * scale,
        without_spikes(raw * scale, time, lag),
        loop.output,
        everywhere,
        controlled,
        period,
        *output_limits(loop.output),
        lag=lag,
        span=span / band,
        is_thermal=unit in CELSIUS or unit == "counts",
    )


def _mended(time: Floats) -> tuple[Floats, float]:
    """Return `time` with backward and far forward jumps replaced by the usual period, and that period."""
    steps = np.diff(time)
    forward = steps[steps > 0]
    period = float(np.median(forward)) if forward.size else 1.0
    mended = np.where(steps < 0, period, steps)
    return np.concatenate((time[:1], time[:1] + np.cumsum(mended))), period


def _switched_off(loop: Loop) -> Mask:
    """Return where a setpoint of exactly 0 goes with an output of exactly 0: firmware says "off"."""
    off = np.zeros(len(loop), dtype=bool)
    for first, stop in constant_runs(loop.setpoint):
        if loop.setpoint[first] == 0 and not np.nan_to_num(loop.output[first:stop]).any():
            off[first:stop] = True
    return off


def _acts_in_reverse(loop: Loop) -> bool:
    """Return whether output falls as the error (setpoint - pv) rises, as in a loop whose output cools.

    Moves of the output are explained by moves of the error and by the error itself, as a PI controller's are.
    """
    error = loop.setpoint - loop.pv
    moves, level, answers = np.diff(error), error[1:], np.diff(loop.output)
    both = np.isfinite(moves) & np.isfinite(answers) & (answers != 0) & (np.diff(loop.setpoint) == 0)
    if both.sum() < 50:
        return False
    moves, level, answers = moves[both], level[both], answers[both]
    design = np.column_stack([moves, level])
    (kp, ki), *_ = np.linalg.lstsq(design, answers, rcond=None)
    by_moves, by_level = abs(kp) * float(np.std(moves)), abs(ki) * float(np.std(level))
    explained = design @ (kp, ki)
    if np.std(explained) == 0 or np.std(answers) == 0:
        return False
    strength = float(np.corrcoef(explained, answers)[0, 1])
    if by_moves > DOMINANT * by_level or by_level > DOMINANT * by_moves:
        return strength > EXPLAINED and (kp if by_moves > by_level else ki) < 0
    return strength > EXPLAINED and kp < 0 and ki < 0


def output_limits(output: Floats) -> tuple[float, float]:
    """Return the limits an output works between, percent: 0 or -100 to 100, or a lower top it keeps meeting.

    >>> output_limits(np.array([0.0, 35.0, 100.0]))
    (0.0, 100.0)
    >>> output_limits(np.array([-20.0, 35.0]))
    (-100.0, 100.0)
    >>> output_limits(np.array([10.0, 65.0, 20.0, 65.0, 30.0, 40.0, 65.0, 50.0, 55.0, 60.0, 65.0]))
    (0.0, 65.0)
    """
    known = output[np.isfinite(output)]
    if not known.size:
        return 0.0, 100.0
    low = -100.0 if known.min() < -1.0 else 0.0
    top = float(known.max())
    limited = 5.0 < top < 99.0 and float(np.mean(known >= top - 1e-9)) > 0.2
    limited = limited and len(np.unique(known)) >= FEWEST_VALUES and _met(known, top) >= 3
    return low, top if limited else 100.0


def _met(output: Floats, top: float) -> int:
    """Return how often `output` came to exactly `top` from well below: quiet holds only hover."""
    place = np.where(output >= top - 1e-9, 1, np.where(output < top - WELL_BELOW, -1, 0))
    turns = place[place != 0]
    return int(np.count_nonzero(np.diff(turns) == 2))

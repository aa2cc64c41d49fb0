"""What a loop holds, told from what it does: the setpoint of a log that has none."""

import numpy as np

from instrumentgpt.instruments.analysis.kind import drive_of
from instrumentgpt.instruments.analysis.own_units import band_of, lag_of, span_of
from instrumentgpt.instruments.analysis.readings import is_rail
from instrumentgpt.instruments.analysis.signals import constant_runs, turning_points
from instrumentgpt.instruments.loops import Floats, Indices, Loop

ALIKE_FOR = 5  # half cycles, or lags, that hold one level
HELD = 0.3  # of them, of which some level must be held: else nothing is, or nobody holds it
SAME = 1 / 6  # of what pv moves in a half cycle: a heater switched at random does not come back so closely
AT_WORK = 0.3  # of the samples of a lag in which an output is inside its limits that holds something
FEWEST_MOVES = 2.0  # of it there in `ALIKE_FOR` lags: one may be by hand
CHANGED = 2.0  # times what is alike, by which another level is another setpoint


def held_by(loop: Loop, unit: str) -> Floats | None:
    """Return the level (n,) that `loop`, whose log has no setpoint, is held at, nan where it is not.

    pv turns to either side of the setpoint of an on/off output; a continuous one that works between its
    limits keeps pv at it. Between two levels the later one counts from where pv left the earlier. None if
    nothing is held, or if there is no output that would do it.
    """
    drive = drive_of(loop.setpoint, loop.output, np.ones(len(loop), dtype=bool))[0]
    if drive not in ("on_off", "manual"):
        return None
    rows = np.flatnonzero(np.isfinite(loop.output) & np.isfinite(loop.pv) & ~is_rail(loop.pv))
    if not len(rows):
        return None
    at, middle, alike = _half_cycles(loop, rows) if drive == "on_off" else _blocks(loop, rows, unit)
    levels, held, stop = np.full(len(loop), np.nan), 0, 0
    windows = np.lib.stride_tricks.sliding_window_view(np.append(middle, [np.nan] * ALIKE_FOR), ALIKE_FOR)
    level = np.median(windows, axis=1)
    for first in np.flatnonzero((np.abs(windows - level[:, None]) <= alike).all(axis=1)).tolist():
        if first >= stop:
            stop = _end(middle, first, level[first], alike)
            levels[at[first] : at[stop]] = float(np.median(middle[first:stop]))
            held += stop - first
    if not held > HELD * len(middle):
        return None
    joined = _joined(levels, alike)
    top, longest = np.nanmax(loop.output), ALIKE_FOR * int(at[1] - at[0])
    for first, after in constant_runs(loop.output):
        if drive == "manual" and after - first >= longest and loop.output[first] < top:
            joined[first:after] = np.nan  # an output that stands still, and not at its highest: in no control
    return joined if np.isfinite(joined).any() else None


def _end(middle: Floats, first: int, level: float, alike: float) -> int:
    """Return the end of the values from `first` on that are alike `level`."""
    size = ALIKE_FOR
    while not (away := ~(np.abs(middle[first : first + size] - level) <= alike)).any():
        if first + size >= len(middle):
            return len(middle)
        size *= 2
    return first + int(np.argmax(away))


def _half_cycles(loop: Loop, rows: Indices) -> tuple[Indices, Floats, float]:
    """Return where pv turns by more than between two switches, the middles between, and what is alike."""
    output, pv = loop.output[rows], loop.pv[rows]
    switched = np.flatnonzero(np.diff((output > (output.min() + output.max()) / 2).astype(np.int8))) + 1
    moved = float(np.median(np.abs(np.diff(pv[switched])))) if switched.size > 1 else 0.0
    at = turning_points(pv, moved) if moved else switched
    if at.size < 2:
        return rows, np.zeros(0), 0.0
    return rows[at], (pv[at[1:]] + pv[at[:-1]]) / 2, SAME * float(np.median(np.abs(np.diff(pv[at]))))


def _blocks(loop: Loop, rows: Indices, unit: str) -> tuple[Indices, Floats, float]:
    """Return where each lag begins and the last ends, pv in it (nan if its output rests), what is alike."""
    time, pv, output = loop.time[rows], loop.pv[rows], loop.output[rows]
    steps = np.diff(time)
    if not (steps > 0).any():
        return rows, np.zeros(0), 0.0
    period = float(np.median(steps[steps > 0]))
    band = band_of(pv, span_of(pv, pv[:0], unit))
    size = max(2, round(lag_of(time, pv, period, band) / period))
    count = len(rows) // size
    inside = (output > output.min()) & (output < output.max())
    moves = inside & (np.diff(output, prepend=output[:1]) != 0)
    moved, share = (each[: count * size].reshape(count, size).mean(axis=1) for each in (moves, inside))
    around = np.ones(min(ALIKE_FOR, max(count, 1)))  # a coarse output moves by a digit at times
    near = np.convolve(size * moved, around, "same")[:count]
    middle = np.median(pv[: count * size].reshape(count, size), axis=1)
    at = rows[np.minimum(np.arange(count + 1) * size, len(rows) - 1)]
    return at, np.where((share >= AT_WORK) & (near >= FEWEST_MOVES), middle, np.nan), band


def _joined(levels: Floats, alike: float) -> Floats:
    """Return `levels` without holes: what comes back to a level never left it, a hole belongs to the next."""
    joined, stop, level = levels.copy(), 0, np.nan
    for first, after in constant_runs(levels):
        if np.isnan(levels[first]):
            continue
        if abs(levels[first] - level) < CHANGED * alike:
            joined[first:after] = level
        level = joined[first]
        joined[stop:first] = level
        stop = after
    joined[stop:] = level
    return joined

"""How the values of one column behave, alone and beside another: what a setpoint, a pv, an output does."""

import math

import numpy as np

from instrumentgpt.instruments.loops import Floats, Indices
from instrumentgpt.instruments.reading.scales import OUTPUT_RANGES, SIGNED_BYTE

STEPS_AT_MOST = 0.05  # share of rows at which a setpoint changes
DISTINCT_AT_MOST = 0.1  # distinct values of a setpoint, per row
EPOCHS = (1e9, 1e12)  # since 2001, s and ms since 1970; twice as many are in 2033
EVEN = 0.5  # a step of a time differs from the usual by less than this share
STARTS_AGAIN = 0.8  # share of rows at which a column called time goes on or stands still
HESITATES = 0.8  # share of rows at which a time in the first column goes on, at the least
FORWARD = 0.98  # share of rows at which a time goes on
AT_LIMITS = 0.02  # share of rows at which an output stands at 0 or at full scale
ROUGHER = 3.0  # an output moves from row to row by so many times more of its range than pv
STRAIGHT, RUNS_STRAIGHT = 0.2, 0.9  # share of rows by which a programme runs straighter than its pv; at all
BENDS = 200  # of a column, at the most, that are looked for
FEW_MOVES = 10  # of a reading, by which it shows that it goes to and fro
REVERSALS = 0.25  # share of the moves of a reading that undo the one before
DECIMALS = 6  # more than a log of temperatures carries
ANSWERS, LEAST_ROWS = 0.5, 40  # share of its steps that the error explains of an output; rows that show it
FAR_APART, SAME_LEVEL, TURNS = 0.25, 0.1, 0.9  # move of a row, of the range; of that in a turn; of rows
MOST_TURN, MANY_DIGITS = 64, 20.0  # sensors in one column; digits they are apart
SWITCHES = 4  # on and off, that show to which sides of the setpoint a column switches
MOST_ROWS = 4000  # in which what no head says is looked for


def runs_on(values: Floats, first: bool) -> bool:
    """Return whether `values` behave like a time: forward, evenly; the `first` column may hesitate.

    >>> runs_on(np.arange(9.0), False), runs_on(1.4e9 + np.arange(9.0) // 3, False)
    (True, True)
    """
    finite = values[np.isfinite(values)]
    steps = np.diff(finite)
    if len(finite) < 2 or len(finite) <= 0.9 * len(values) or not (steps > 0).any():
        return False
    if (steps >= 0).all() and any(low <= finite[0] <= finite[-1] <= 2 * low for low in EPOCHS):
        return True
    usual = float(np.median(steps[steps > 0]))
    odd = np.abs(steps - usual) > EVEN * usual
    even = float((~odd).mean()) >= FORWARD
    onward = float((steps > 0).mean())
    hesitates = first and bool((steps >= 0).all()) and onward > HESITATES and float(np.std(steps)) < 3 * usual
    return (even and onward >= FORWARD) or hesitates


def goes_on(values: Floats) -> bool:
    """Return whether a column called time can be one: it may stand still, start again, or run backwards."""
    finite = values[np.isfinite(values)]
    steps = np.diff(finite)
    way = max(float((steps >= 0).mean()), float((steps <= 0).mean())) if len(steps) else 0.0
    return bool((steps != 0).any() and way >= STARTS_AGAIN)


def stands_at_limits(values: Floats) -> bool:
    """Return whether `values` are in the range of an output and stand for a while at 0 or full scale."""
    finite = np.abs(values[np.isfinite(values)])
    if len(finite) < 2 or finite.max() == 0:
        return False
    if np.ptp(finite) == 0:
        return finite[0] in (100.0, *OUTPUT_RANGES)
    full = [limit for limit in (1.0, 100.0, SIGNED_BYTE, *OUTPUT_RANGES) if finite.max() <= limit]
    at_limit = (finite == 0) | ((finite == finite.max()) & (finite.max() in full))
    return bool(full) and float(at_limit.mean()) >= AT_LIMITS


def varies(values: Floats) -> bool:
    """Return whether there are different `values`."""
    finite = values[np.isfinite(values)]
    return bool(len(finite) and np.ptp(finite) > 0)


def is_steps(values: Floats) -> bool:
    finite = values[np.isfinite(values)]
    changes = float((np.diff(finite) != 0).mean()) if len(finite) > 1 else 0.0
    return changes <= STEPS_AT_MOST and len(np.unique(finite)) <= max(10, DISTINCT_AT_MOST * len(finite))


def straight(values: Floats) -> float:
    """Return the share of rows at which `values` go on as they did, to their digit."""
    finite = values[np.isfinite(values)]
    finite = finite[:: max(1, len(finite) // MOST_ROWS)]
    lag = max(1, len(finite) // BENDS)
    bends = finite[2 * lag :] - 2 * finite[lag:-lag] + finite[: -2 * lag]
    return float((np.abs(bends) <= 1.01 * least_step(finite)).mean()) if len(bends) else 0.0


def roughness(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    spread = float(np.std(finite))
    return float(np.std(np.diff(finite))) / spread if spread and len(finite) > 2 else math.inf


def resolution(values: Floats) -> float:
    """Return the place of the last digit that `values` are written with: 0.1 for 20.5."""
    some = values[:: max(1, len(values) // MOST_ROWS)]
    places = (place for place in range(DECIMALS) if np.allclose(some, np.round(some, place), atol=1e-9))
    return float(10.0 ** -next(places, DECIMALS))


def least_step(values: Floats) -> float:
    """Return the least step between different values, nan if all are equal."""
    steps = np.diff(np.unique(values))
    return float(steps.min()) if len(steps) else math.nan


def goes_to_and_fro(values: Floats) -> bool:
    """Return whether many moves of `values` undo the one before, as of what is read and not set."""
    moves = np.diff(values[np.isfinite(values)])
    moves = moves[moves != 0]
    return len(moves) > FEW_MOVES and float((moves[1:] * moves[:-1] < 0).mean()) > REVERSALS


def is_target(values: Floats, pv: Floats, within: float = 1.0) -> bool:
    """Return whether pv moves, mostly `within` that share of its range of `values`, which rest or run on."""
    away, moves = distance(pv, values), np.diff(values)
    made = np.flatnonzero(np.isfinite(moves) & (moves != 0))
    if math.isinf(away) or away > within * float(np.ptp(pv[np.isfinite(pv)])):
        return False
    rests = is_steps(values) and len(made) < int(np.count_nonzero(np.diff(pv[np.isfinite(pv)])))
    return rests or straight(values) >= max(RUNS_STRAIGHT, straight(pv) + STRAIGHT)


def distance(pv: Floats, setpoint: Floats) -> float:
    both = np.isfinite(pv) & np.isfinite(setpoint)
    return float(np.median(np.abs(pv[both] - setpoint[both]))) if both.any() else math.inf


def is_alike(values: Floats, pv: Floats) -> bool:
    """Return whether `values` are in the range of pv and as smooth: another reading of the kind."""
    (least, most), (low, high) = np.nanquantile((values, pv), [0.02, 0.98], axis=1).T  # no first zeros
    return bool(least <= high and most >= low and roughness(values) <= ROUGHER * roughness(pv))


def same_reading(one: Floats, other: Floats) -> bool:
    """Return whether `one` is the `other` in another unit: on a straight line to the last digit."""
    both = np.isfinite(one) & np.isfinite(other)
    x, y = one[both], other[both]
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0 or is_steps(x) != is_steps(y):
        return False
    x = (x - x.mean()) / np.ptp(x)  # which is 1e-221 in a damaged file
    slope, offset = np.polyfit(x, y, 1)
    digit = abs(slope) * least_step(x) + least_step(y)
    return bool(np.abs(y - offset - slope * x).max() <= digit)


def switched_apart(values: Floats, error: Floats) -> float:
    """Return how far apart `values` switch on and off, per spread of each; 0: it is no switch."""
    if not stands_at_limits(values) or len(np.unique(values)) != 2:
        return 0.0
    on, off = (error[1:][way * np.diff(values) > 0] for way in (1, -1))
    if min(np.isfinite(on).sum(), np.isfinite(off).sum()) < SWITCHES:
        return 0.0
    (low, high), (least, most) = (np.nanquantile(part, (0.25, 0.75)).tolist() for part in (on, off))
    return float(max(low - most, least - high) / max(high - low, most - least, 1e-9))


def answers(values: Floats, error: Floats) -> float:
    """Return the share of the steps of `values`, but at limits, that `error` and its steps explain.

    What goes the way of pv is an output only where it stands at limits, as for cooling: else it follows pv.
    """
    both = np.isfinite(values) & np.isfinite(error)
    values, error = values[both], error[both]
    share, follows = max(explained(values, error, lag) for lag in {1, max(1, len(values) // BENDS)})
    if share <= ANSWERS or not follows or stands_at_limits(values):
        return share
    ends = max(float((values == end).mean()) for end in (values.min(), values.max()))
    return share if ends >= AT_LIMITS and len(np.unique(values)) > LEAST_ROWS else 0.0


def drives(values: Floats, pv: Floats) -> float:
    """Return the correlation, either way, of `values` with how `pv` moves on from there; 0 if one stands."""
    lag = max(1, len(values) // BENDS)
    moves, values = pv[lag:] - pv[:-lag], values[: len(values) - lag]
    both = np.isfinite(moves) & np.isfinite(values)
    if both.sum() <= LEAST_ROWS or np.ptp(moves[both]) == 0 or np.ptp(values[both]) == 0:
        return 0.0
    return abs(float(np.corrcoef(values[both], moves[both])[0, 1]))


def explained(values: Floats, error: Floats, lag: int) -> tuple[float, bool]:
    """Return the share of the steps of `values` over `lag` rows that `error` explains; if they follow it."""
    rows = np.arange(0, len(values) - lag, max(1, len(values) // MOST_ROWS))
    least, most = (values.min(), values.max()) if len(values) else (0.0, 0.0)
    inside = (values > least) & (values < most)
    rows = rows[inside[rows] & inside[rows + lag]]
    steps = values[rows + lag] - values[rows]
    if len(steps) < LEAST_ROWS or not steps.any():
        return 0.0, False
    causes = np.column_stack([error[rows + lag] - error[rows], error[rows + lag]])
    acts = np.linalg.lstsq(causes, steps)[0]
    left = steps - causes @ acts
    strongest = acts[np.argmax(np.abs(acts) * np.std(causes, axis=0))]
    return 1.0 - float((left @ left) / (steps @ steps)), bool(strongest > 0)


def is_mixed(values: Floats) -> bool:
    """Return whether `values` are of several sensors that take turns row by row, as of tags without a name.

    Each row is far from the one before, nearly all are where the row one turn before them was.

    >>> is_mixed(np.tile([21.4, 60.2, 118.0], 40)), is_mixed(np.tile([20.0, 20.1], 60))
    (True, False)
    """
    finite = values[np.isfinite(values)][:MOST_ROWS]
    moves = np.abs(np.diff(finite))
    if len(finite) < LEAST_ROWS or moves.mean() < FAR_APART * np.ptp(np.quantile(finite, (0.01, 0.99))):
        return False
    turns = (np.abs(finite[turn:] - finite[:-turn]) for turn in range(2, min(MOST_TURN, len(finite) // 5)))
    near = any(np.quantile(back, TURNS) <= SAME_LEVEL * moves.mean() for back in turns)
    return bool(near and moves.mean() >= MANY_DIGITS * resolution(finite))


def stated_setpoint(pv: Floats, error: Floats, way: float) -> Floats:
    """Return the setpoint from `pv` and its control error: pv + way * error, to the digits of pv."""
    digit = min(filter(math.isfinite, (least_step(pv[np.isfinite(pv)]), 1.0)), default=1.0)
    decimals = max(0, min(9, -math.floor(math.log10(digit) + 1e-9)))
    return np.asarray(np.round(pv + way * error, decimals))


FEW_STATES = 12  # values of a column of states
NONE_AT_TIMES = 0.05  # of the rows, at which a number is 0 that has many values: the rest is another state
EMPTY = 0.3  # of a range, that no row has: two states lie on either side


def states_of(values: Floats) -> tuple[Indices, list[str]]:
    """Return the state of each of `values` (-1: none) and what these are called; no state of what has many.

    >>> states_of(np.array([0.0, 210.5, 209.0, 0.0, np.nan]))[1]
    ['0', '209', '210.5']
    >>> states_of(np.append(np.zeros(10), np.arange(300.0, 400.0)))[1]
    ['≤ 0', '> 0']
    """
    levels, codes = np.unique(values, return_inverse=True)
    levels = levels[np.isfinite(levels)]
    if len(levels) <= FEW_STATES:
        return np.where(np.isfinite(values), codes, -1), [f"{level:g}" for level in levels]
    gaps, split = np.diff(levels), 0.0
    if (values == 0).mean() < NONE_AT_TIMES:
        if gaps.max() < EMPTY * (levels[-1] - levels[0]):
            return np.full(len(values), -1), []
        split = float(levels[int(np.argmax(gaps))])
    return np.where(np.isfinite(values), values > split, -1), [f"≤ {split:g}", f"> {split:g}"]

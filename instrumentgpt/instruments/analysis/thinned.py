"""A long log at a pace that can be judged: rows of it, whose extremes are kept, and where to look closer.

Of each stretch of as many samples the row nearest to its mean stands for it, so that a quick swing is not
taken for a slow one; where a reading stands out of its stretch and its neighbours, that row does. What moved
does not stand still for that: of neighbours that would show the same value one shows another.
"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from instrumentgpt.instruments.analysis.signals import sliding_median
from instrumentgpt.instruments.loops import Floats, Indices, rows_by_channel

MOST_JUDGED = 700_000  # samples of all channels: 2 s of judging
MOST_OF_CHANNEL = 100_000  # of one: a day at 1 Hz is judged whole
STANDS_OUT = 4.0  # times the usual distance of an extreme from the mean of its stretch
AROUND = 15  # stretches, whose median is what is usual about one
MOST_STEPS = 0.1  # of the rows that are kept: setpoints that change more often are a ramp
ODDEST = 8  # stretches of each channel, those that stand out most: looked at closely while there is room


@dataclass(frozen=True, eq=False)
class Thinned:
    """Rows of a frame of samples.

    rows    positions, ascending
    pace    samples for each of which one is there
    oddest  channel → positions of the rows that stand out most, the most first: of the one before, of their
            stretch, and with all that is about them
    """

    rows: Indices
    pace: int
    oddest: dict[int, list[list[int]]]


def thinned(samples: pd.DataFrame, keep: Indices) -> Thinned | None:
    """Return which rows of `samples` stand for all; None where all can be judged.

    keep  positions that must be among them: those about gaps
    """
    if len(samples) <= MOST_OF_CHANNEL:
        return None
    channels = list(rows_by_channel(samples["channel"].to_numpy()))
    pace = math.ceil(len(samples) / min(MOST_JUDGED, MOST_OF_CHANNEL * len(channels)))
    if pace == 1:
        return None
    kept, oddest = [keep], {}
    for channel, rows in channels:
        pv, setpoint = (np.ascontiguousarray(samples[name].to_numpy()[rows]) for name in ("pv", "setpoint"))
        picked, *odd = (_positions(rows, at) for at in _picked(pv, setpoint, pace))
        kept.append(picked)
        oddest[channel] = [at.tolist() for at in odd]
    ordered = np.sort(np.concatenate(kept))
    return Thinned(ordered[np.diff(ordered, prepend=-1) > 0], pace, oddest)


def _positions(rows: slice | Indices, picked: Indices) -> Indices:
    return rows.start + picked * rows.step if isinstance(rows, slice) else rows[picked]


def _picked(pv: Floats, setpoint: Floats, pace: int) -> tuple[Indices, ...]:
    """Return the samples of a channel that stand for all, and those that stand out (`Thinned.oddest`)."""
    count = len(pv) // pace
    blocks = pv[: count * pace].reshape(count, pace)
    with np.errstate(invalid="ignore"):
        mean = blocks.mean(axis=1)
        for at in np.flatnonzero(~np.isfinite(mean)).tolist():  # few: drop-outs
            finite = blocks[at][np.isfinite(blocks[at])]
            mean[at] = finite.mean() if finite.size else np.nan
        away = np.abs(blocks - mean[:, None])
        moves = np.nan_to_num(np.abs(np.diff(pv[: count * pace], prepend=pv[:1]))).reshape(count, pace)
    away[~np.isfinite(away)] = -1.0
    far = away.argmax(axis=1)
    distance = np.take_along_axis(away, far[:, None], axis=1)[:, 0]
    away[away < 0] = np.inf
    near = away.argmin(axis=1)
    shown = np.take_along_axis(blocks, near[:, None], axis=1)[:, 0]
    moved = np.flatnonzero((shown[1:] == shown[:-1]) & (distance[1:] > 0)) + 1
    moved = moved[moved % 2 == 1]
    other = np.where(blocks[moved] == shown[moved, None], np.inf, away[moved])
    near[moved] = other.argmin(axis=1)
    padded = np.pad(mean, 1, mode="edge")
    slope = np.nan_to_num(np.abs(padded[2:] - padded[:-2]))  # what a step or a ramp does
    odd, loud, starts = distance - slope, sliding_median(distance, AROUND), np.arange(count) * pace
    usual = STANDS_OUT * float(np.median(distance))
    alone = (odd > STANDS_OUT * loud) & (odd > usual) & (usual > 0)  # else it is loud there
    picked = starts + np.where(alone, far, near)
    changed = np.flatnonzero(setpoint[1:] != setpoint[:-1])
    changed = changed[np.isfinite(setpoint[changed]) | np.isfinite(setpoint[changed + 1])]
    ends = [changed, changed + 1] if len(changed) <= MOST_STEPS * count else []
    every = np.concatenate([picked, [len(pv) - 1], *ends]).astype(np.int64)
    jump = np.where(np.isnan(mean), np.inf, moves.max(axis=1))
    of_jumps = STANDS_OUT * float(np.median(jump))
    return every, starts[_most(jump, of_jumps)], (starts + far)[_most(odd, usual)], starts[_most(loud, usual)]


def _most(size: Floats, usual: float) -> Indices:
    """Return the `ODDEST` stretches of the largest `size`, the largest first, none below what is `usual`."""
    most = np.argsort(size)[::-1][:ODDEST]
    return most[size[most] > usual]

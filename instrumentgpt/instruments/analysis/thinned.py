"""A long log at a pace that can be judged: rows of it, whose extremes are kept, and where to look closer.

Of each stretch of as many samples the row nearest to its mean stands for it, so that a quick swing is not
taken for a slow one; where a reading stands out of its stretch and its neighbours, that row does.
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
ODDEST = 2  # stretches of each channel that are looked at closely, those that stand out most


@dataclass(frozen=True, eq=False)
class Thinned:
    """Rows of a frame of samples.

    rows    positions, ascending
    pace    samples for each of which one is there
    oddest  channel → positions of the rows that stand out most
    """

    rows: Indices
    pace: int
    oddest: dict[int, list[int]]


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
        pv, setpoint = (_column(samples, name, rows) for name in ("pv", "setpoint"))
        picked, odd = _picked(pv, setpoint, pace)
        at = _positions(rows, picked)
        kept.append(at)
        oddest[channel] = _positions(rows, odd).tolist()
    return Thinned(np.unique(np.concatenate(kept)), pace, oddest)


def _column(samples: pd.DataFrame, name: str, rows: slice | Indices) -> Floats:
    values: Floats = np.ascontiguousarray(samples[name].to_numpy()[rows], dtype=np.float64)
    return values


def _positions(rows: slice | Indices, picked: Indices) -> Indices:
    return rows.start + picked * rows.step if isinstance(rows, slice) else rows[picked]


def _picked(pv: Floats, setpoint: Floats, pace: int) -> tuple[Indices, Indices]:
    """Return the samples of a channel that stand for all, and those that stand out most."""
    count = len(pv) // pace
    blocks = pv[: count * pace].reshape(count, pace)
    with np.errstate(invalid="ignore"):
        mean = blocks.mean(axis=1)
        for at in np.flatnonzero(~np.isfinite(mean)).tolist():  # few: drop-outs
            known = blocks[at][np.isfinite(blocks[at])]
            mean[at] = known.mean() if known.size else np.nan
        away = np.abs(blocks - mean[:, None])
    away[~np.isfinite(away)] = -1.0
    far = away.argmax(axis=1)
    distance = np.take_along_axis(away, far[:, None], axis=1)[:, 0]
    away[away < 0] = np.inf
    near = away.argmin(axis=1)
    padded = np.pad(mean, 1, mode="edge")
    slope = np.nan_to_num(np.abs(padded[2:] - padded[:-2]))  # what a step or a ramp does
    usual = float(np.median(distance))
    odd = (distance - slope) / usual if usual > 0 else np.zeros(count)
    starts = np.arange(count) * pace
    alone = distance - slope > STANDS_OUT * sliding_median(distance, AROUND)  # else it is loud there
    picked = starts + np.where((odd > STANDS_OUT) & alone, far, near)
    changed = np.flatnonzero(setpoint[1:] != setpoint[:-1])
    changed = changed[np.isfinite(setpoint[changed]) | np.isfinite(setpoint[changed + 1])]
    ends = [changed, changed + 1] if len(changed) <= MOST_STEPS * count else []
    most = np.argsort(odd)[::-1][:ODDEST]
    every = np.unique(np.concatenate([picked, [len(pv) - 1], *ends]).astype(np.int64))
    return every, (starts + far)[most[odd[most] > STANDS_OUT]]

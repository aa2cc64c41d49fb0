"""The course of a reading: the few straight legs in which it went."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from instrumentgpt.instruments.analysis.signals import sliding_median
from instrumentgpt.instruments.loops import Floats, Indices, Loop

MOST_LEGS = 12  # told of one reading: what takes more swings, and is told by its period
LEAVES, GROWS, MOST = 0.05, 1.5, 0.35  # of the whole range, that a reading may leave a leg: at first, at most
STAYS = 0.1  # of it, with less of which it stays
ONE_WAY, FEW = 0.8, 3.0  # of what it moved, so much to one side: slowly, but on its way; steps of its digits
POINTS = 3_000  # of a reading that are looked at
GAP = 12.0  # rows of the usual length: over which nothing is known
SPIKE = 5  # readings, half of which a spike may last


@dataclass(frozen=True)
class Leg:
    """A stretch in which a reading went straight, or hardly at all: its ends, the last line, what it did.

    start, end     s since the log's first line
    before, after  the readings there; rate: of their change, per minute
    least, most    of the readings between
    """

    start: float
    end: float
    line: int
    before: float
    after: float
    least: float
    most: float
    rate: float
    stays: bool


def course_of(loop: Loop) -> tuple[Leg, ...]:
    """Return the legs of the pv of `loop`, in their order; () where it takes more than `MOST_LEGS`.

    The corners are those of Douglas & Peucker, Cartographica 10 (1973) 112-122.
    """
    rows = np.flatnonzero(np.isfinite(loop.pv))
    if len(rows) < SPIKE:
        return ()
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, min(POINTS, len(rows))).astype(np.int64))]
    time, pv = loop.time[rows], sliding_median(loop.pv[rows], SPIKE)
    span, share = float(np.ptp(pv)), LEAVES
    gaps = np.flatnonzero(np.diff(time) > GAP * np.ptp(time) / len(np.unique(time))) + 1
    parts = [part for part in np.split(np.arange(len(time)), gaps) if len(part) >= SPIKE]
    while span > 0 and share <= MOST:
        corners = ([int(part[at]) for at in _corners(time[part], pv[part], share * span)] for part in parts)
        legs = [ends for part in corners for ends in pairwise(part)]
        if len(legs) <= MOST_LEGS:
            return tuple(_leg(loop, rows, pv, ends, STAYS * span) for ends in legs)
        share *= GROWS
    return ()


def _leg(loop: Loop, rows: Indices, pv: Floats, ends: tuple[int, int], little: float) -> Leg:
    (start, end), (before, after) = loop.time[rows[[*ends]]].tolist(), pv[[*ends]].tolist()
    rate = 60 * (after - before) / (end - start) if end > start else 0.0
    read, line = pv[ends[0] : ends[1] + 1], int(loop.line[rows[ends[1]]])
    least, most = float(read.min()), float(read.max())
    steps = np.diff(np.unique(read))
    is_way = abs(after - before) > ONE_WAY * (most - least) > ONE_WAY * FEW * steps.min(initial=np.inf)
    return Leg(
        start, end, line, before, after, least, most, rate, abs(after - before) < little and not is_way
    )


def _corners(time: Floats, values: Floats, within: float) -> list[int]:
    """Return the indices between which `values` leave the straight line by at most `within`."""
    kept, open_ = [0], [(0, len(values) - 1)]
    while open_:
        first, last = open_.pop()
        line = np.interp(time[first : last + 1], time[[first, last]], values[[first, last]])
        away = np.abs(values[first : last + 1] - line)
        at = first + int(np.argmax(away))
        if first < at < last and away[at - first] > within and len(kept) <= 4 * MOST_LEGS:
            open_ += [(first, at), (at, last)]
        else:
            kept.append(last)
    return sorted({*kept})

"""Actuators that stick or move in steps, valves too: few, slow, lopsided swings with corners.

An actuator that stands still makes pv go straight (or as the plant relaxes) until the integral has moved the
output far enough; then it jumps and pv turns round at once. Gains or a room that breathes make pv turn
gradually. So the halves of a swing are compared with a straight line and with half a cosine: the curve
fitting method of He, Wang, Pottmann, Qin, Ind. Eng. Chem. Res. 46 (2007) 4549-4560, from extreme to extreme
here, as the mean of a slow swing need not be at its setpoint.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from instrumentgpt.instruments.analysis.signals import noise, smooth
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.loops import Floats, Indices, Mask

STRAIGHT = 0.6  # index from which a swing has corners; He et al. 2007
SMOOTHED = 0.04  # of a leg, over which pv is averaged before it is judged
SHORTEST_LEG = 8  # samples, for its shape to be told
BLOCK = 6  # samples averaged: noise goes down, and what follows at once has followed
STILL = 3.0  # standard deviations of a block mean by which pv may move and count as still
STANDING = 2.0  # standard deviations of pv by which the error must stand off
UNANSWERED = 0.5  # share of the output's travel; half of it or more is no lag
LEAST_TRAVEL = 1.0  # percent of output travelled unanswered, in one direction
FEWEST_BLOCKS = 40


@dataclass(frozen=True)
class Stuck:
    """How much the output travelled without an answer.

    first, last  indices of the longest stretch of it
    travel       percent, in that stretch
    share        of all the travel of the output, 0 to 1
    error        unit of pv, mean over that stretch
    """

    first: int
    last: int
    travel: float
    share: float
    error: float


def straightness(values: Floats, turns: Indices) -> float:
    """Return the median over the legs of how much better a line fits than half a cosine: 0 to 1, nan if none.

    >>> x = np.arange(100)
    >>> round(straightness(np.abs(x % 50 - 25.0), np.array([0, 25, 50, 75])), 2)
    1.0
    >>> round(straightness(np.cos(np.pi * x / 25), np.array([0, 25, 50, 75])), 2)
    0.0
    """
    legs = ((a, b) for a, b in pairwise(turns.tolist()) if b - a >= SHORTEST_LEG)
    shares = np.array([_straight(values[a : b + 1]) for a, b in legs])
    return float(np.median(shares)) if shares.size else float("nan")


def _straight(leg: Floats) -> float:
    leg = smooth(leg, max(1, round(SMOOTHED * len(leg))))
    way = np.linspace(0.0, 1.0, len(leg))
    by_line, by_cosine = (_misfit(shape, way, leg) for shape in (way, np.cos(np.pi * way)))
    return by_cosine / (by_line + by_cosine) if by_line + by_cosine > 0 else 0.5


def _misfit(shape: Floats, way: Floats, leg: Floats) -> float:
    """Return the squares left by `shape`, bent as far as it takes: a plant relaxes along a curve."""
    design = np.column_stack([np.ones(len(leg)), shape, way * (1.0 - way)])
    return float(np.sum((leg - design @ np.linalg.lstsq(design, leg, rcond=None)[0]) ** 2))


def stuck_of(track: Track) -> Stuck | None:
    """Return how the output of `track` moved unanswered; None if it did not or cannot be judged."""
    count = len(track) // BLOCK
    usable = np.isfinite(track.output) & np.isfinite(track.error) & track.usable
    if count < FEWEST_BLOCKS or not usable.all() or not track.noise > 0:
        return None
    output, pv, error = (
        values[: count * BLOCK].reshape(count, BLOCK).mean(axis=1)
        for values in (track.output, track.pv, track.error)
    )
    moves, changes = np.diff(output), np.diff(pv)
    level = STILL * track.noise * np.sqrt(2.0 / BLOCK)
    moved = np.abs(moves) > max(STILL * noise(track.output) * np.sqrt(2.0 / BLOCK), 1e-9)
    standing = np.abs(error[1:]) > STANDING * track.noise
    demanded = np.sign(moves) == np.sign(error[1:])
    unanswered = moved & standing & demanded & (np.abs(changes) < level)
    travelled = float(np.abs(moves[moved]).sum())
    if not unanswered.any() or not travelled > 0:
        return None
    first, stop = _longest(unanswered, moves)
    return Stuck(
        first * BLOCK,
        min(stop + 1, count) * BLOCK - 1,
        float(abs(moves[first:stop].sum())),
        float(np.abs(moves[unanswered]).sum()) / travelled,
        float(error[first + 1 : stop + 1].mean()),
    )


def _longest(unanswered: Mask, moves: Floats) -> tuple[int, int]:
    """Return (first, past-the-last) block of the stretch in one direction with the most travel."""
    signs = np.where(unanswered, np.sign(moves), 0)
    edges = np.flatnonzero(np.diff(signs, prepend=0, append=0))
    pieces = [(a, b) for a, b in pairwise(edges.tolist()) if signs[a]]
    return max(pieces, key=lambda piece: float(abs(moves[piece[0] : piece[1]].sum())))


def sticks(stuck: Stuck | None) -> bool:
    """Return whether that is a valve that sticks."""
    return stuck is not None and stuck.share > UNANSWERED and stuck.travel > LEAST_TRAVEL

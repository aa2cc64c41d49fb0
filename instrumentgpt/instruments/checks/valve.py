"""A valve that sticks: the controller moves its output against a standing error, and pv does not answer.

After the moving-and-still patterns of Yamashita, Control Engineering Practice 14 (2006) 503-510, who counts
how often pv (a flow, which follows the valve at once) stands still while the output moves. Here the travel
of the output is counted, and only where an error stands: a loop that holds its setpoint against a drifting
supply moves its output over a still pv too, and is well.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from instrumentgpt.instruments.analysis.signals import noise
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.arrays import Floats, Mask

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


def stuck_of(track: Track) -> Stuck | None:
    """Return how the output of `track` moved unanswered; None if it did not or cannot be judged."""
    count = len(track) // BLOCK
    known = np.isfinite(track.output) & np.isfinite(track.error) & track.usable
    if count < FEWEST_BLOCKS or not known.all() or not track.noise > 0:
        return None
    output, pv, error = (
        values[: count * BLOCK].reshape(count, BLOCK).mean(axis=1)
        for values in (track.output, track.pv, track.error)
    )
    moves, changes = np.diff(output), np.diff(pv)
    level = STILL * track.noise * np.sqrt(2.0 / BLOCK)
    moved = np.abs(moves) > max(STILL * noise(track.output) * np.sqrt(2.0 / BLOCK), 1e-9)
    standing = np.abs(error[1:]) > STANDING * track.noise
    asked = np.sign(moves) == np.sign(error[1:])
    unanswered = moved & standing & asked & (np.abs(changes) < level)
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

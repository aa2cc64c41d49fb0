"""The measured position of an actuator beside its command: how it follows, and where it does not."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from instrumentgpt.instruments.analysis.signals import digit, noise
from instrumentgpt.instruments.loops import Floats

AT_FIRST, FEWEST = 0.2, 30  # share of the rows, and rows, in which it is seen how a position follows
NEARLY, MOSTLY = 0.98, 0.8  # of these rows; of all, if it did not at first
DIGITS, NOISES = 1.5, 4.0  # of the position, of either, by which the two may differ: rounding and scatter
LONGEST = 0.05  # of the rows, that a healthy actuator may lag
OFF = 0.1  # of the largest command, that a position may read beside it all along


@dataclass(frozen=True)
class Followed:
    """How a position follows its command: `rows` late at most, `offset` beside it, to `within` (percent)."""

    rows: int
    offset: float
    within: float

    def away(self, position: Floats, command: Floats) -> Floats:
        """Return how far `position` is from where `command` lately was, (n,) percent, 0 where it is there."""
        recent = pd.Series(command).rolling(self.rows + 1, min_periods=1)
        own = position - self.offset
        above, below = own - recent.max().to_numpy(), own - recent.min().to_numpy()
        away: Floats = np.where(above > 0, above, np.minimum(below, 0.0))
        return away


def followed_by(position: Floats, command: Floats) -> Followed | None:
    """Return how `position` follows `command` (both (n,) percent) at first, or for most of the time.

    None if it does neither: then it is no measure of what that command does.

    >>> command = np.repeat([20.0, 40.0, 30.0, 60.0], 50)
    >>> followed_by(command + 1.0, command)
    Followed(rows=0, offset=1.0, within=15.0)
    """
    both = np.isfinite(position) & np.isfinite(command)
    position, command = position[both], command[both]
    if len(position) < FEWEST:
        return None
    first = max(FEWEST, round(AT_FIRST * len(position)))
    at_first = follows(position[:first], command[:first], NEARLY)
    return at_first or follows(position, command, MOSTLY)


def follows(position: Floats, command: Floats, share: float) -> Followed | None:
    """Return how `position` follows `command` in that `share` of the rows, at its quickest; else None."""
    offset = float(np.median(position - command))
    if abs(offset) > OFF * np.max(np.abs(command)):
        return None
    rough = DIGITS * digit(position), NOISES * noise(position), NOISES * noise(command), 1e-6
    within, rows = float(np.nanmax(rough)), 0
    while rows <= LONGEST * len(position) and np.ptp(position) > within:  # what stands still follows nothing
        followed = Followed(rows, offset, within)
        if (np.abs(followed.away(position, command)) <= within).mean() >= share:
            return followed
        rows = 2 * rows or 1
    return None

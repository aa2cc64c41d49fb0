"""What kind of loop a record shows: how it is driven, which way it acts, what it was asked to do."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from instrumentgpt.instruments.analysis.signals import constant_runs
from instrumentgpt.instruments.loops import Floats, Mask

Drive = Literal["continuous", "on_off", "manual", "idle", "unseen", "beside"]
Program = Literal["none", "constant", "steps", "ramps"]

DRIVES: tuple[Drive, ...] = ("continuous", "on_off", "manual", "idle", "unseen")
TWO_VALUES = 0.95  # of the samples under control at one of two outputs, for on/off control
FEWEST_SWITCHES = 4  # between them: fewer may be a loop that was at its limits
APART = 20.0  # percent between the two: an output that dithers by its last digit has two values, too
STAGES = 3  # levels of an output, up to which it is switched between them: off, low, high
FULL = 99.0  # percent: between two values none of which is a limit a coarse output goes, too
LEAST_STAGE = 5.0  # percent of a low stage: one of 255 is the least duty of a PWM, quicker than any loop
OFF, ON = 0.2, 0.5  # of its range: a measured output that is hardly ever between them goes on and off
RAMP_SHARE = 0.2  # of the samples with a new setpoint, from which it is a ramp


@dataclass(frozen=True)
class LoopKind:
    """What kind of loop a channel is, and the numbers it is told from.

    drive        "continuous"; "on_off": its output only switches; "manual": an output, but no setpoint;
                 "idle": nothing was asked of it; "unseen": the log has no output;
                 "beside": neither output nor setpoint, in a log of loops that have
    reverse      more output lowers pv
    two_sided    its output heats and cools
    low, high    percent, the limits its output works between; a top below 100 is a clamp
    program      what the setpoint did: "none", "constant", "steps", "ramps"
    switches     of the output between its two values
    two_values   share of the time at one of these two
    period       s between samples
    digit        coarseness of pv, in its unit
    noise        standard deviation of pv, in its unit
    band         deviation worth a word, in the unit of pv
    lag          s in which the loop can show that it does something
    not_read     samples with no reading, or one that stands for "not read yet"
    stated       which of the above are as people said: "drive", "reverse", "band"
    thermal      pv is a temperature, or the counts of its converter
    """

    drive: Drive
    reverse: bool
    two_sided: bool
    low: float
    high: float
    program: Program
    switches: int
    two_values: float
    period: float
    digit: float
    noise: float
    band: float
    lag: float
    not_read: int
    stated: tuple[str, ...] = ()
    thermal: bool = True


def drive_of(setpoint: Floats, output: Floats, controlled: Mask) -> tuple[Drive, int, float]:
    """Return how a loop is driven, how often its output switched, and its share at its two outer values.

    >>> relay = np.array([0.0, 100.0] * 20)
    >>> drive_of(np.full(40, 37.0), relay, np.ones(40, dtype=bool))
    ('on_off', 39, 1.0)
    """
    is_finite = np.isfinite(output)
    if not is_finite.any():
        return "unseen", 0, 0.0
    judged = output[is_finite & controlled] if (is_finite & controlled).any() else output[is_finite]
    low, high = float(judged.min()), float(judged.max())
    at_ends = judged[(judged == low) | (judged == high)]
    share = len(at_ends) / len(judged)
    switches = int(np.count_nonzero(np.diff(at_ends)))
    if low <= 0 and high - low >= APART and share >= TWO_VALUES and switches >= FEWEST_SWITCHES:
        return "on_off", switches, share
    if not np.isfinite(setpoint).any():
        return "manual", switches, share
    return ("continuous" if controlled.any() else "idle"), switches, share


def switched(output: Floats) -> Floats:
    """Return an output that only goes on and off, as 0 and 100 percent; any other as it is.

    It may have stages, of which those count between which it goes most; and where
    it is measured, a compressor's current trembles where it is off, and drifts with its load.

    >>> switched(np.array([20.0, 20.0, 100.0, 100.0, 20.0, 20.0, 100.0, 20.0])).tolist()
    [0.0, 0.0, 100.0, 100.0, 0.0, 0.0, 100.0, 0.0]
    >>> switched(np.array([0.4, 0.1, 81.0, 84.0, 0.2, 0.3, 97.0, 100.0, 0.5, 99.0])).tolist()
    [0.0, 0.0, 100.0, 100.0, 0.0, 0.0, 100.0, 100.0, 0.0, 100.0]
    """
    read = output[np.isfinite(output)]
    if not read.size or (least := _least_on(read)) is None:
        return output
    is_on = read >= least
    if np.count_nonzero(np.diff(is_on)) < FEWEST_SWITCHES:
        return output
    return np.where(np.isfinite(output), np.where(output >= least, 100.0, 0.0), np.nan)


def _least_on(read: Floats) -> float | None:
    """Return the least percent at which an output that only switches is on; None for any other."""
    low, high = float(read.min()), float(read.max())
    levels, level = np.unique(read, return_inverse=True)
    if levels.tolist() == [0.0, 1.0]:
        return 1.0  # a bit beside outputs in percent
    is_apart = high - low >= APART and (low <= 0 or (low >= LEAST_STAGE and high >= FULL))
    if is_apart and len(levels) <= STAGES:
        [changed] = np.nonzero(np.diff(level))
        pairs = np.sort(np.stack([level[changed], level[changed + 1]]), axis=0)
        kinds, counts = np.unique(pairs, axis=1, return_counts=True)
        return float(levels[kinds[1, np.argmax(counts)]]) if counts.size else None
    is_measured = 0 <= low < (1 - TWO_VALUES) * high and (read[read <= OFF * high] == low).mean() <= ON
    between = (read > OFF * high) & (read < ON * high)
    return OFF * high if is_measured and between.mean() <= 1 - TWO_VALUES else None


def program_of(setpoint: Floats) -> Program:
    """Return what the setpoint did.

    >>> program_of(np.array([20.0, 20.0, 20.0, 37.0, 37.0, 37.0]))
    'steps'
    """
    setpoints = setpoint[np.isfinite(setpoint)]
    if not setpoints.size:
        return "none"
    changes = len(constant_runs(setpoints)) - 1
    if not changes:
        return "constant"
    return "ramps" if changes > RAMP_SHARE * len(setpoints) else "steps"

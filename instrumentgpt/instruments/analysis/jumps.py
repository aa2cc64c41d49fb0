"""Why a value differs so much from the one before it: the next channel, a gap, a step, a spike, a failure.

The explanations are tried in order, those first that cost least to believe.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from instrumentgpt.instruments.analysis import readings
from instrumentgpt.instruments.analysis.own_units import CLEAR_MOVE, LAG_SAMPLES, SPAN_SHARE, band_of, span_of
from instrumentgpt.instruments.analysis.signals import sliding_median
from instrumentgpt.instruments.analysis.study import GAP_PERIODS

Kind = Literal[
    "other_channel", "gap", "rail", "setpoint_step", "possible", "unclear", "spike", "stays", "ends"
]

SPIKE_PERIODS = readings.SPIKE_RETURNS * LAG_SAMPLES  # a spike returns by itself within so many samples
SPIKE_SHARE = 0.6  # … of less than this share of the jump, else it stays
LEAST_RATES = 100  # steps that this takes; with fewer only a move as far as to a rail is impossible


@dataclass(frozen=True)
class Reading:
    """One sample as it stands in the log."""

    line: int
    time: float  # s since the log's first line
    channel: int
    pv: float
    setpoint: float


@dataclass(frozen=True)
class Jump:
    """Two readings and why the second differs; nan and None where it does not apply or cannot be said.

    seconds     between the two
    rate        °C/s that the jump would need
    usual_rate  °C/s, the fastest that the channel kept up over several samples
    back        the first reading near the old value again (spike)
    own         the first channel's next reading (other_channel)
    small       no jump by size: under five bands of the channel
    returns     s within which a spike is over: six samples
    """

    kind: Kind
    before: Reading
    after: Reading
    seconds: float
    rate: float = math.nan
    usual_rate: float = math.nan
    back: Reading | None = None
    own: Reading | None = None
    small: bool = False
    returns: float = math.nan


def find_jump(
    samples: pd.DataFrame, before: float, after: float, tolerance: float = 0.05, unit: str = "°C"
) -> Jump | None:
    """Return the explained jump from `before` to `after` between neighbouring lines, or None.

    samples    as in `Log.samples`, in the order of the file
    tolerance  by which a reading may differ from the value asked for: half of its last digit

    Neighbours on one channel are preferred to neighbouring lines of two channels.
    """
    pv, channel = samples["pv"].to_numpy(dtype=float), samples["channel"].to_numpy()
    first = np.flatnonzero(np.abs(pv - before) <= tolerance + 1e-9)
    on_channel = [(row, _next_of_channel(channel, row)) for row in first.tolist()]
    for row, following in [*on_channel, *((row, row + 1) for row in first[first + 1 < len(pv)].tolist())]:
        if following is not None and abs(pv[following] - after) <= tolerance + 1e-9:
            return explain(samples, row, following, unit)
    return None


def largest_jump(samples: pd.DataFrame, unit: str = "°C") -> Jump | None:
    """Return the greatest difference between neighbouring lines, explained; None below two samples."""
    steps = np.abs(np.diff(samples["pv"].to_numpy(dtype=float)))
    if not np.isfinite(steps).any():
        return None
    row = int(np.nanargmax(steps))
    return explain(samples, row, row + 1, unit)


def explain(samples: pd.DataFrame, row: int, following: int, unit: str = "°C") -> Jump:
    """Return why the reading at position `following` differs from the one at `row`."""
    before, after = _reading(samples, row), _reading(samples, following)
    seconds = after.time - before.time
    if before.channel != after.channel:
        later = _next_of_channel(samples["channel"].to_numpy(), row)
        same_channel = None if later is None else _reading(samples, later)
        return Jump("other_channel", before, after, seconds, own=same_channel)
    mine = samples[samples["channel"] == before.channel]
    pv, setpoint = (mine[name].to_numpy(dtype=float) for name in ("pv", "setpoint"))
    calm = sliding_median(pv, 5)  # without the spikes themselves
    span = span_of(calm, setpoint, unit)
    band = band_of(calm, span) if len(pv) > LEAST_RATES else SPAN_SHARE * span
    far = readings.RAIL_JUMP * band
    if _is_rail(after.pv, before.pv, far) or _is_rail(before.pv, after.pv, far):
        return Jump("rail", before, after, seconds)
    returns = SPIKE_PERIODS * float(np.median(np.diff(mine["time"].to_numpy(dtype=float))))
    small = abs(after.pv - before.pv) < CLEAR_MOVE * band
    jump = _on_one_channel(mine, before, after, small, far, returns)
    return replace(jump, small=small, returns=returns)


def _on_one_channel(
    samples: pd.DataFrame, before: Reading, after: Reading, small: bool, far: float, returns: float
) -> Jump:
    time, pv = samples["time"].to_numpy(dtype=float), samples["pv"].to_numpy(dtype=float)
    steps = np.diff(time)
    seconds, period = after.time - before.time, float(np.median(steps))
    usual = readings.fastest_kept_up(time, pv) if len(pv) > LEAST_RATES else math.nan
    rate = abs(after.pv - before.pv) / seconds if seconds > 0 else math.nan
    if seconds > GAP_PERIODS * period or seconds < 0:
        return Jump("gap", before, after, seconds, rate, usual)
    stepped = abs(after.setpoint - before.setpoint) > 0
    if small or rate <= readings.IMPOSSIBLE_RATE * usual:
        return Jump("setpoint_step" if stepped else "possible", before, after, seconds, rate, usual)
    if math.isnan(usual) and not abs(after.pv - before.pv) > far:
        return Jump("unclear", before, after, seconds, rate, usual)
    near = samples[(samples["time"] > after.time) & (samples["time"] <= before.time + returns)]
    kept = ((near["pv"] - before.pv) / (after.pv - before.pv)).to_numpy(dtype=float)
    lost = np.flatnonzero(kept < SPIKE_SHARE)
    back = _reading(near, int(lost[0])) if len(lost) else None
    if back is not None:
        return Jump("spike", before, after, seconds, rate, usual, back)
    seen = time[-1] - after.time
    return Jump("stays" if seen >= returns else "ends", before, after, seconds, rate, usual)


def _next_of_channel(channel: NDArray[Any], row: int) -> int | None:
    later = np.flatnonzero(channel[row + 1 :] == channel[row])
    return int(row + 1 + later[0]) if len(later) else None


def _reading(samples: pd.DataFrame, row: int) -> Reading:
    names = ("line", "time", "channel", "pv", "setpoint")
    line, time, channel, pv, setpoint = (samples[name].iloc[row] for name in names)
    return Reading(int(line), float(time), int(channel), float(pv), float(setpoint))


def _is_rail(pv: float, other: float, far: float) -> bool:
    """Whether `pv` is what a converter reads without a sensor; a rail near the true value proves nothing."""
    return math.isnan(pv) or bool(readings.is_rail(np.array([pv]))[0] and abs(pv - other) > far)

"""What changes from day to day at the same setpoint: duty, length of a cycle, noise, offset."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from instrumentgpt.instruments.analysis.segments import DAY, Segment
from instrumentgpt.instruments.analysis.signals import MAD_TO_SIGMA
from instrumentgpt.instruments.arrays import Floats

QUANTITIES = ("duty", "period", "noise", "mean_error")
FEWEST = 6  # segments: with fewer a slope of 99 % can hardly be told from none
LEAST_DAYS = 2.0  # a day's course is no trend
CONFIDENCE = 2.576  # standard deviations: 99 %, as some ten slopes are looked at in one log
BEYOND_SPREAD = 2.0  # standard deviations of what is left about the line, that the change must pass
WORTH = 0.1  # of the quantity itself, likewise: a smaller one changes nothing that people do
WORTH_BANDS = 0.25  # bands of an offset, likewise


@dataclass(frozen=True)
class Trend:
    """How `quantity` of a channel changes while it holds `setpoint`; told only where the spread does not
    explain it.

    quantity     a field of `Segment`
    days         between the middles of the first and the last segment
    first, last  where the line begins and ends, in the quantity's unit
    slope        per day (Theil-Sen: the median of all slopes between two segments)
    low, high    its interval of 99 % (Sen)
    """

    channel: int
    quantity: str
    setpoint: float
    segments: int
    onset: float
    end: float
    days: float
    first: float
    last: float
    slope: float
    low: float
    high: float


def theil_sen(days: Floats, values: Floats) -> tuple[float, float, float]:
    """Return the median slope of `values` over `days`, and its interval of 99 % by Sen's method.

    >>> [round(slope, 3) for slope in theil_sen(np.arange(8.0), np.arange(8.0) * 2 + 1)]
    [2.0, 2.0, 2.0]
    """
    n = len(days)
    later, earlier = np.tril_indices(n, -1)
    apart = days[later] - days[earlier]
    slopes = np.sort((values[later] - values[earlier])[apart > 0] / apart[apart > 0])
    if not slopes.size:
        return math.nan, math.nan, math.nan
    reach = CONFIDENCE * math.sqrt(n * (n - 1) * (2 * n + 5) / 18)
    low = int(max(0, math.floor((slopes.size - reach) / 2)))
    high = int(min(slopes.size - 1, math.ceil((slopes.size + reach) / 2)))
    return float(np.median(slopes)), float(slopes[low]), float(slopes[high])


def trends_of(segments: Sequence[Segment], bands: dict[int, float]) -> tuple[Trend, ...]:
    """Return what changes over days in the holds of each channel at the setpoint it held longest.

    bands  channel → its own band, in the unit of pv
    """
    holds: dict[tuple[int, float], list[Segment]] = defaultdict(list)
    for one in segments:
        if one.kind != "programme" and one.settled != 0:
            holds[one.channel, one.setpoint if one.kind == "hold" else math.inf].append(one)
    found = []
    for channel in dict.fromkeys(channel for channel, _ in holds):
        own = (at for at in holds if at[0] == channel)
        longest = max(own, key=lambda at: sum(one.end - one.onset for one in holds[at]))
        found += [_trend(holds[longest], quantity, bands[channel]) for quantity in QUANTITIES]
    return tuple(trend for trend in found if trend is not None)


def _trend(segments: Sequence[Segment], quantity: str, band: float) -> Trend | None:
    days = np.array([one.middle for one in segments]) / DAY
    values = np.array([getattr(one, quantity) for one in segments])
    known = np.isfinite(values)
    days, values = days[known], values[known]
    if len(days) < FEWEST or np.ptp(days) < LEAST_DAYS:
        return None
    slope, low, high = theil_sen(days, values)
    level = float(np.median(values - slope * days))
    left = values - slope * days - level
    change = abs(slope) * float(np.ptp(days))
    spread = MAD_TO_SIGMA * float(np.median(np.abs(left)))
    worth = WORTH_BANDS * band if quantity == "mean_error" else WORTH * abs(float(np.median(values)))
    if not low * high > 0 or change < max(BEYOND_SPREAD * spread, worth):
        return None
    first, last = float(days.min()), float(days.max())
    return Trend(
        segments[0].channel,
        quantity,
        segments[0].setpoint,
        len(days),
        first * DAY,
        last * DAY,
        last - first,
        level + slope * first,
        level + slope * last,
        slope,
        low,
        high,
    )

"""The units a loop is judged in: its own band for sizes, its own lag for times.

A limit in °C or seconds holds for the instruments it was found on. What is small and what is quick follows
from the loop itself: how far it is driven from its surroundings, how fine and how quiet its reading is, how
often it is sampled, how fast its pv can go.
"""

import math

import numpy as np

from instrumentgpt.instruments.analysis.signals import digit, noise, smooth
from instrumentgpt.instruments.loops import Floats

ROOM = 22.0  # °C: where a heater or cooler that does nothing leaves its plant
ABSOLUTE_ZERO = -273.15  # °C
CELSIUS = {"°C": (1.0, 0.0), "K": (1.0, ABSOLUTE_ZERO), "°F": (5 / 9, -32 * 5 / 9)}  # °C = factor x + offset
DECIMALS = 9  # more than any log carries
ROOM_VARIES = 8.0  # °C by which rooms differ: nearer to it, how far a loop is driven cannot be told
SPAN_SHARE = 0.012  # of the span; makers of controllers promise 0.5 to 1.5 % of it around the setpoint
NOISE_SHARE = 4.0  # standard deviations: less is no movement
DIGITS = 3.0  # likewise: two digits to either side are what rounding and a dithering converter show
LAG_SAMPLES = 10.0  # a loop is sampled ten times in its lag, or its controller could not hold it
LAG_SHARE = 0.1  # of the time in which pv crosses its span as fast as it ever goes
CLEAR_MOVE = 5.0  # bands that pv must go for its pace to be told: noise goes no further
PACE_SAMPLES = 1000  # in which a pace is looked for: a move is no rarity there, as it is in a day's record
LONG = 20  # times that, from which a record is long
LAGS_IN_RECORD = 40.0  # at least: a slow programme is no slow plant


def span_of(pv: Floats, setpoint: Floats, unit: str) -> float:
    """Return the range the loop works in, in `unit`: what it showed, or how far it is driven from its room.

    >>> span_of(np.array([60.0, 60.1]), np.array([60.0, 60.0]), "°C")
    38.0
    """
    finite = pv[np.isfinite(pv)]
    shown = float(np.ptp(np.percentile(finite, (1, 99)))) if finite.size else 0.0
    setpoints = setpoint[np.isfinite(setpoint)]
    middle = setpoints if setpoints.size else finite
    if not middle.size or unit not in CELSIUS:
        return shown
    factor, offset = CELSIUS[unit]
    celsius = factor * float(np.median(middle)) + offset
    return max(shown, min(max(abs(celsius - ROOM), ROOM_VARIES), celsius - ABSOLUTE_ZERO) / factor)


def converted(temperatures: Floats, unit: str, other: str) -> Floats:
    """Return `temperatures` of `unit` in the `other`, of `CELSIUS` if they differ; there and back: the same.

    >>> converted(np.array([0.0, 45.2]), "°C", "°F").tolist()
    [32.0, 113.36]
    """
    if unit == other:
        return temperatures
    (factor, offset), (target, zero) = CELSIUS[unit], CELSIUS[other]
    return np.round((factor * temperatures + offset - zero) / target, DECIMALS)


def room_in(unit: str) -> float:
    """Return the temperature of a room in `unit`, one of `CELSIUS`.

    >>> round(room_in("°F"), 1)
    71.6
    """
    factor, offset = CELSIUS[unit]
    return (ROOM - offset) / factor


def band_of(pv: Floats, span: float) -> float:
    """Return the deviation that is worth a word, in the unit of `pv`: of its span, digits and noise.

    >>> round(band_of(np.array([20.0, 20.1, 20.0, 20.1, 20.1, 20.0]), span=50.0), 2)
    0.6
    """
    coarse, rough = digit(pv[np.isfinite(pv)]), noise(pv)
    sizes = (SPAN_SHARE * span, DIGITS * coarse, NOISE_SHARE * rough)
    largest = max((size for size in sizes if math.isfinite(size)), default=0.0)
    return largest if largest > 0 else 1.0


def lag_of(time: Floats, pv: Floats, period: float, band: float) -> float:
    """Return the time in which the loop can show that it does something, s.

    Ten samples, or a tenth of the time that pv takes through its range at its fastest, if that is more.
    """
    least = LAG_SAMPLES * period
    is_finite = np.isfinite(pv)
    if is_finite.sum() < LAG_SAMPLES:
        return least
    pv, time = pv[is_finite], time[is_finite]
    calm = smooth(pv, int(LAG_SAMPLES))
    fastest, size = 0.0, PACE_SAMPLES if len(pv) > LONG * PACE_SAMPLES else len(pv)
    while not fastest and size <= len(pv):
        part = _liveliest(calm, size)
        fastest = _fastest(time[part], calm[part], band)
        size = size * 4 if size * LONG < len(pv) else max(len(pv), size + 1)
    if not fastest > 0:
        return least
    span = float(np.ptp(np.percentile(calm, (1, 99))))
    longest = max(least, float(time[-1] - time[0]) / LAGS_IN_RECORD)
    return min(max(least, LAG_SHARE * span / fastest), longest)


def _liveliest(pv: Floats, size: int) -> slice:
    """Return the stretch of `size` samples in which `pv` goes farthest."""
    if size >= len(pv):
        return slice(0, len(pv))
    starts = np.arange(0, len(pv) - size + 1, size // 2)
    inside = np.lib.stride_tricks.sliding_window_view(pv, size)[:: size // 2]
    first = int(starts[np.argmax(np.ptp(inside[:, :: max(1, size // PACE_SAMPLES)], axis=1))])
    return slice(first, first + size)


def _fastest(time: Floats, pv: Floats, band: float) -> float:
    """Return the fastest pace of a clear move of `pv`, per second; 0 if there is none."""
    width = int(LAG_SAMPLES)
    while width < len(pv) / 2:
        moved = float(np.percentile(np.abs(pv[width:] - pv[:-width]), 98))
        took = float(np.median(time[width:] - time[:-width]))
        if moved >= CLEAR_MOVE * band and took > 0:
            return moved / took
        width *= 2
    return 0.0

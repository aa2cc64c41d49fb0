"""Readings no plant can make: rails of the converter, jumps, and jumps that come back."""

import numpy as np

from instrumentgpt.instruments.analysis.signals import constant_runs, runs
from instrumentgpt.instruments.arrays import Floats, Mask

RAILS = np.array(  # what converters read with the sensor off
    [
        *(-200, -242, -250, -270, 850, 1370, 1372, 1820),  # ends of Pt100 and thermocouple tables, °C
        *(-45, -46.85, -127, 300),  # SHT raw 0, DS18B20 not there, an ohmmeter open
        *(0, 327.67, 3276.7, 3276.8, -3276.8, 6553.5),  # 16 bit limits
        *(999, 999.9, 1000, -999, -999.9, 9999),  # what firmware writes
    ]
)
FAR = 20.0  # units of pv from the median, or of one jump, before a reading is taken for a rail
RAIL_HELD = 20.0  # s a value that is no known rail must stay the same
IMPOSSIBLE = 5000.0  # units of pv no instrument of this kind reaches
OPEN_FOR = 7.0  # s without a believable reading; loops.md section 1
SPIKE_RETURNS = 6.0  # s within which a spike is over; loops.md section 1
IMPOSSIBLE_RATE = 3.0  # times the plant's own fastest usual movement; loops.md section 1
IMPOSSIBLE_MOVE = 2.0  # °C between neighbouring samples; loops.md section 1
CAME_BACK = 0.35  # share of a jump that may be left when it counts as returned


def believable(pv: Floats, time: Floats) -> Mask:
    """Return where `pv` (as logged) can be a reading: not nan, not a rail, not a constant far from the rest.

    A value of `RAILS` counts if it lies `FAR` from the middle, any other if it was reached in one jump
    of more than `FAR` and then stayed the same to the last digit for `RAIL_HELD`.

    >>> believable(np.array([20.0, 20.1, 999.9, 20.0]), np.arange(4.0)).tolist()
    [True, True, False, True]
    """
    good = np.isfinite(pv) & (np.abs(pv) < IMPOSSIBLE)
    if not good.any():
        return good
    middle = float(np.median(np.unique(pv[good])))  # of the values, not the samples: a rail is one value
    far = np.flatnonzero(good & (np.abs(pv - middle) > FAR))
    good[far] = ~np.isclose(pv[far, None], RAILS, atol=0.06).any(axis=1)
    spells = constant_runs(pv)
    for first, stop in spells[time[spells[:, 1] - 1] - time[spells[:, 0]] >= RAIL_HELD]:
        if first and good[first - 1] and min(abs(pv[first] - pv[first - 1]), abs(pv[first] - middle)) > FAR:
            good[first:stop] = False
    return good


def impossible_move(time: Floats, pv: Floats) -> Floats:
    """Return, for each sample after the first, the change of pv (°C) that this plant cannot make."""
    spacing = np.maximum(np.diff(time), 1e-3)
    rate = np.abs(np.diff(pv)) / spacing
    usual = float(np.nanpercentile(rate, 98)) if np.isfinite(rate).any() else 0.0
    limit: Floats = np.maximum(IMPOSSIBLE_MOVE, IMPOSSIBLE_RATE * usual * spacing)
    return limit


def jumps(time: Floats, pv: Floats) -> list[int]:
    """Return the samples reached by an impossible move within an unbroken stretch of the record."""
    if len(pv) < 10:
        return []
    spacing = np.diff(time)
    with np.errstate(invalid="ignore"):
        far = np.abs(np.diff(pv)) > impossible_move(time, pv)
    return [int(i) + 1 for i in np.flatnonzero(far & (spacing < 3 * np.median(spacing)))]


def excursions(time: Floats, pv: Floats) -> list[tuple[int, int]]:
    """Return (first, past-the-last) of each impossible excursion that came back by itself.

    >>> excursions(np.arange(208.0), np.array([20.0] * 100 + [31.0, 31.2] + [20.1] * 106))
    [(100, 102)]
    """
    if len(pv) < 10:
        return []
    seconds = max(SPIKE_RETURNS, 1.5 * float(np.median(np.diff(time))))
    spikes: list[tuple[int, int]] = []
    for start in jumps(time, pv):
        if spikes and start <= spikes[-1][1]:
            continue
        level, size = pv[start - 1], pv[start] - pv[start - 1]
        stop = int(np.searchsorted(time, time[start] + seconds, side="right"))
        returned = np.abs(pv[start + 1 : stop + 1] - level) < CAME_BACK * abs(size)
        if returned.any():
            spikes.append((start, start + 1 + int(np.argmax(returned))))
    return spikes


def readings(pv: Floats, time: Floats) -> Floats:
    """Return `pv`, nan where nothing believable was read for `OPEN_FOR`; short rails stay in."""
    good = believable(pv, time)
    kept = np.where(np.isfinite(pv), pv, np.nan)
    last = len(pv) - 1
    for first, stop in runs(~good):
        if time[min(stop, last)] - time[first] >= OPEN_FOR or stop > last:
            kept[first:stop] = np.nan
    return kept


def without_spikes(pv: Floats, time: Floats) -> Floats:
    """Return `pv` with excursions and short drop-outs bridged by a straight line; long drop-outs stay nan."""
    mended = pv.copy()
    for first, stop in excursions(time, pv):
        mended[first:stop] = np.nan
    last = len(pv) - 1
    for first, stop in runs(~np.isfinite(mended)):
        if first > 0 and stop <= last and time[stop] - time[first] < OPEN_FOR:
            inside = slice(first, stop)
            mended[inside] = np.interp(time[inside], time[[first - 1, stop]], mended[[first - 1, stop]])
    return mended

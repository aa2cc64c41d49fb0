"""Readings no plant can make: rails of the converter, jumps, and jumps that come back.

What a plant can do is told from what it did: a move counts as impossible if it is much faster than the
fastest that pv kept up over several samples, and large beside the loop's band.
"""

import numpy as np

from instrumentgpt.instruments.analysis.signals import (
    MAD_TO_SIGMA,
    SECOND_DIFFERENCE_GAIN,
    constant_runs,
    runs,
    sliding_median,
)
from instrumentgpt.instruments.loops import Floats, Mask

RAILS = np.sort(  # what converters read with the sensor off, in the unit of the log
    [
        *(-200, -242, -250, -270, -273.15),  # ends of Pt100 and thermocouple tables, °C
        *(850, 1370, 1372, 1820),  # their other ends
        *(-45, -46.85, -127, 300),  # SHT raw 0, DS18B20 not there, an ohmmeter open
        *(0, 327.67, 3276.7, 3276.8, -3276.8, 6553.5),  # 16 bit limits
        *(999, 999.9, 1000, -999, -999.9, 9999, -99.6),  # what firmware writes
    ]
)
RAIL_DIGIT = 0.06  # half a digit of a reading with one decimal
RAIL_JUMP = 20.0  # bands, of the move to a value that is no known rail but never changes again
RAIL_HELD = 2.0  # lags that such a value stands
AGAIN = 3  # samples at the end of its own range, to the digit: two may be two spikes alike
NO_VALUE = -1.0  # in the unit of the log: Artisan's, which is a temperature where it is not all there is
IMPOSSIBLE = 1000.0  # times the usual size of a reading: a number that was never one (3.6e7 beside 20)
OPEN_FOR = 0.7  # lags without a believable reading
SPIKE_RETURNS = 0.6  # lags within which a spike is over
IMPOSSIBLE_RATE = 3.0  # times the fastest move that pv kept up; loops.md section 1
IMPOSSIBLE_MOVE = 2.5  # bands between neighbouring samples
NOISE_MOVE = 7.0  # standard deviations of noise, which one in 10^11 differences passes
NOISE_BLOCK = 50  # samples over which noise is taken
USUAL = 99.0  # percentile of the moves of the median of `CALM` samples, in which spikes do not show
CALM = 13  # samples: twice as long as a spike may last
BLOCK = 5  # samples of a median
KEPT_UP = 3  # such blocks over which a move counts as kept up: no spike is that long
OFTEN = 0.4  # spikes a lag
CAME_BACK = 0.35  # share of a jump that may be left when it counts as returned; past it, a loop overshoots
AT_ONCE, AT_LEAST = 1, 0.5  # samples in which it goes back by this share of the jump: slower, it is heat
FEWEST = 10  # samples


def believable(pv: Floats, time: Floats, band: float, lag: float) -> Mask:
    """Return where `pv` (as logged) can be a reading: not nan, not a rail, not stuck far from the rest.

    A value of `RAILS` is none if pv came to it or left it by an impossible move (if that was to another rail:
    only where nothing was read beside it), any other if it was reached by one of `RAIL_JUMP` bands and then
    stayed the same to the last digit for `RAIL_HELD` lags, or is one of `own_rails`. One that never changed
    is none if it is `NO_VALUE`.

    >>> believable(np.array([20.0, 20.1, 999.9] + [20.0] * 9), np.arange(12.0), 0.3, 10.0)[:4].tolist()
    [True, True, False, True]
    """
    good = np.isfinite(pv)
    if not good.any():
        return good
    good &= np.abs(np.nan_to_num(pv)) <= IMPOSSIBLE * max(band, float(np.median(np.abs(pv[good]))))
    if len(pv) < FEWEST:
        return good
    values = np.unique(pv[good])  # of the values, not the samples: a rail is one value
    if values.size == 1 and values[0] == NO_VALUE:
        return np.zeros(len(pv), dtype=bool)
    for rail in own_rails(pv, time, band):
        good &= pv != rail
    believed = values[~is_rail(values)]
    middle = float(np.median(believed if believed.size else values))
    limit = impossible_move(time, pv, band)
    moves = np.abs(np.diff(pv))
    far = np.concatenate(([False], moves > limit))
    spells = constant_runs(pv)
    at_rail = is_rail(pv[spells[:, 0]])
    held = time[spells[:, 1] - 1] - time[spells[:, 0]] >= RAIL_HELD * lag
    for (first, stop), railed in zip(spells[at_rail | held].tolist(), at_rail[at_rail | held], strict=True):
        reached = first > 0 and bool(far[first])
        if railed:
            beside = pv[[first - 1] * reached + [stop] * (stop < len(pv) and bool(far[stop]))]
            near = believed.size and float(np.abs(believed - pv[first]).min()) <= limit.min()
            good[first:stop] &= not beside.size or bool(near and is_rail(beside).all())
        elif reached and not is_rail(pv[first - 1 : first])[0]:  # zeros at first are no place to move from
            good[first:stop] &= min(moves[first - 1], abs(pv[first] - middle)) <= RAIL_JUMP * band
    return good


def own_rails(pv: Floats, time: Floats, band: float) -> list[float]:
    """Return the ends of the range of `pv` to which it jumped more than once, to the digit, and back.

    >>> pv = np.arange(90.0)
    >>> pv[[20, 50, 51]] = 1768.0
    >>> own_rails(pv, np.arange(90.0), 1.0)
    [1768.0]
    """
    rails = []
    for rail in (float(np.nanmin(pv)), float(np.nanmax(pv))):
        at, rest = pv == rail, pv[(pv != rail) & np.isfinite(pv)]
        spells = runs(at)
        if len(spells) < 2 or np.count_nonzero(at) < AGAIN or not len(pv) / 2 <= len(rest):
            continue
        beside = np.concatenate((pv[spells[:, 0] - 1], pv[spells[:, 1][spells[:, 1] < len(pv)]]))
        alone = len(np.unique(rest)) > FEWEST and np.isfinite(beside).all() and spells[0, 0] > 0
        away = float(np.abs(rest - rail).min()) if alone else 0.0
        if away > RAIL_JUMP * band and away > impossible_move(time, np.where(at, np.nan, pv)).min():
            rails.append(rail)
    return rails


def is_rail(pv: Floats) -> Mask:
    """Return where `pv`, in the unit of the log, is a value that converters read with the sensor off.

    >>> is_rail(np.array([20.0, 999.9, -127.0])).tolist()
    [False, True, True]
    """
    above = np.clip(np.searchsorted(RAILS, pv), 1, len(RAILS) - 1)
    rail: Mask = np.minimum(np.abs(pv - RAILS[above - 1]), np.abs(pv - RAILS[above])) <= RAIL_DIGIT
    return rail


def fastest_kept_up(time: Floats, pv: Floats) -> float:
    """Return the fastest rate that `pv` kept up over `KEPT_UP` blocks, per second; 0 if it cannot be told.

    >>> round(fastest_kept_up(np.arange(60.0), np.arange(60.0) * 0.5 + 30.0 * (np.arange(60) == 31)), 1)
    0.5
    """
    count = len(pv) // BLOCK
    if count <= KEPT_UP:
        return 0.0
    blocks = pv[: count * BLOCK].reshape(count, BLOCK)
    middle = np.full(count, np.nan)
    is_finite = np.isfinite(blocks).all(axis=1)
    middle[is_finite] = np.median(blocks[is_finite], axis=1)
    when = time[: count * BLOCK].reshape(count, BLOCK)[:, BLOCK // 2]
    moved = np.abs(middle[KEPT_UP:] - middle[:-KEPT_UP])
    rate = moved / np.maximum(when[KEPT_UP:] - when[:-KEPT_UP], 1e-9)
    return float(np.nanmax(rate)) if np.isfinite(rate).any() else 0.0


def impossible_move(time: Floats, pv: Floats, band: float = 1.0) -> Floats:
    """Return, for each sample after the first, the change of pv that this plant cannot make."""
    spacing = np.maximum(np.diff(time), 1e-9)
    usual = np.abs(np.diff(sliding_median(pv, CALM)))[CALM // 2 : -(CALM // 2)]  # its ends are repeated
    moves = float(np.nanpercentile(usual, USUAL)) if np.isfinite(usual).any() else 0.0
    least = max(IMPOSSIBLE_MOVE * band, IMPOSSIBLE_RATE * moves, NOISE_MOVE * _loudest_noise(pv))
    limit: Floats = np.maximum(least, IMPOSSIBLE_RATE * fastest_kept_up(time, pv) * spacing)
    return limit


def _loudest_noise(pv: Floats) -> float:
    """Return the noise of the loudest tenth of the record; 0 where it cannot be told."""
    count = len(pv) // NOISE_BLOCK
    if count < 2:
        return 0.0
    rough = np.abs(np.diff(pv[: count * NOISE_BLOCK].reshape(count, NOISE_BLOCK), 2, axis=1))
    levels = MAD_TO_SIGMA * np.median(rough[np.isfinite(rough).all(axis=1)], axis=1) / SECOND_DIFFERENCE_GAIN
    return float(np.percentile(levels, 90)) if levels.size else 0.0


def jumps(time: Floats, pv: Floats) -> list[int]:
    """Return the samples reached by an impossible move (pv in bands) within an unbroken stretch."""
    if len(pv) < FEWEST:
        return []
    spacing = np.diff(time)
    with np.errstate(invalid="ignore"):
        far = np.abs(np.diff(pv)) > impossible_move(time, pv)
    return [int(i) + 1 for i in np.flatnonzero(far & (spacing < 3 * np.median(spacing)))]


def spikes_in(time: Floats, pv: Floats, lag: float, setpoint: Floats | None = None) -> list[tuple[int, int]]:
    """Return (first, past-the-last) of each impossible excursion of pv (in bands) that came back by itself.

    What comes `OFTEN` a lag is noise and no excursion.

    setpoint  (n,) of the loop, which stands meanwhile

    >>> spikes_in(np.arange(208.0), np.array([20.0] * 100 + [31.0, 31.2] + [20.1] * 106), lag=10.0)
    [(100, 102)]
    """
    spikes: list[tuple[int, int]] = []
    for start in jumps(time, pv):
        if spikes and start <= spikes[-1][1]:
            continue
        size, before = pv[start] - pv[start - 1], start - 1
        while before and (pv[before] - pv[before - 1]) / size > CAME_BACK:
            before -= 1  # on its way already
        level, size = pv[before], pv[start] - pv[before]
        stop = int(np.searchsorted(time, time[start] + SPIKE_RETURNS * lag, side="right"))
        returned = np.abs(pv[start + 1 : stop + 1] - level) < CAME_BACK * abs(size)
        back = start + 1 + int(np.argmax(returned)) if returned.any() else start
        past = (level - pv[back : back + stop - start]) / size
        stays = not np.nanmedian(past) > CAME_BACK  # where it came back to, whatever other spike comes next
        if (pv[max(start, back - AT_ONCE)] - pv[back]) / size >= AT_LEAST and stays:
            spikes.append((start, back))
    if setpoint is not None:
        spikes = [(a, b) for a, b in spikes if np.ptp(np.nan_to_num(setpoint[a - 1 : b + 1])) == 0]
    often = len(pv) and len(spikes) * lag > OFTEN * (time[-1] - time[0])
    return [] if often else spikes


def without_spikes(pv: Floats, time: Floats, lag: float, setpoint: Floats | None = None) -> Floats:
    """Return `pv` (in bands) with excursions and short drop-outs bridged; long drop-outs stay nan."""
    mended = pv.copy()
    for first, stop in spikes_in(time, pv, lag, setpoint):
        mended[first:stop] = np.nan
    last = len(pv) - 1
    for first, stop in runs(~np.isfinite(mended)):
        if first > 0 and stop <= last and time[stop] - time[first] < OPEN_FOR * lag:
            inside = slice(first, stop)
            mended[inside] = np.interp(time[inside], time[[first - 1, stop]], mended[[first - 1, stop]])
    return mended

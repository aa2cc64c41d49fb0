"""When a loop that holds left its own band, however short it was and whoever made it do so."""

from dataclasses import dataclass

import numpy as np

from instrumentgpt.instruments.analysis.signals import MAD_TO_SIGMA, runs, smooth
from instrumentgpt.instruments.analysis.tracks import AT_LIMIT, BAND, CYCLES, SETTLED_FOR, SETTLING, Track
from instrumentgpt.instruments.loops import Floats, Mask

TYPICAL = 3.0  # times what pv usually does within a lag, from which it is out of its own band
SMALLEST = 1.5  # bands, likewise, of a loop that hardly moves at all
BACK = 1 / 3  # of the limit: pv is back
SHORTEST = 0.5  # lags out of the band; half as long where its own cycles are known
ONE = 2.0  # lags between two departures to the same side, below which they are one
LATER, LATEST = 12.0, 48.0  # lags after pv was moved, in which its loop has long answered
NEEDED = 0.5  # of the output that holds the plant so much further from its room: less is no lasting change
WORKS = 0.25  # of a record, in which an output works between its limits, for pv to be held there
HELD_LEVEL = 0.5  # of a record without a setpoint that pv must spend at one level, for it to be held there


@dataclass(frozen=True)
class Departure:
    """One time out of the band.

    first, last  indices of the samples at which pv left and came back
    peak         index of the farthest
    size         bands there, positive above; limit: bands, where the loop's own band ends
    """

    first: int
    last: int
    peak: int
    size: float
    limit: float


def departures_of(track: Track) -> tuple[Departure, ...]:
    """Return when `track` left its own band while it held a setpoint, or a level where the log has none.

    Its band is about where it mostly is; about where it was on its setpoint, if it mostly is off it.
    """
    held, target = (track.at_rest, track.setpoint) if track.controlled.any() else _at_level(track)
    if np.count_nonzero(held) < track.samples(track.lags(SETTLING)):
        return ()
    away = smooth(np.where(held, track.pv - target, np.nan), track.samples(track.lag / 2) | 1)
    own = held & (np.abs(away) < track.own_band)
    settled = np.count_nonzero(own) >= track.samples(track.lags(SETTLED_FOR))
    own = own if settled and abs(np.nanmedian(away)) > track.own_band else held
    away = np.where(held, away - np.nanmedian(away[own]), np.nan)
    usual = CYCLES * track.own_swing or TYPICAL * _usual(track, np.where(own, away, np.nan))
    limit = max(SMALLEST * BAND, usual)
    departures: list[Departure] = []
    with np.errstate(invalid="ignore"):
        for sign in (1.0, -1.0):
            departures += _on_side(track, sign * away, sign, limit)
    return tuple(sorted(departures, key=lambda departure: departure.first))


def _on_side(track: Track, away: Floats, sign: float, limit: float) -> list[Departure]:
    joined: list[tuple[int, int]] = []
    for a, b in runs(away > limit):
        if joined and track.time[a] - track.time[joined[-1][1] - 1] < track.lags(ONE):
            joined[-1] = (joined[-1][0], int(b))
        else:
            joined.append((int(a), int(b)))
    departures = []
    for a, b in joined:
        if track.time[b - 1] - track.time[a] < track.lags(SHORTEST / 2 if track.own_swing else SHORTEST):
            continue
        peak = a + int(np.nanargmax(away[a:b]))
        inside = ~(away > max(BACK * limit, track.own_swing))
        before, after = np.flatnonzero(inside[:a]), np.flatnonzero(inside[b:])
        first = int(before[-1]) + 1 if before.size else 0
        last = b + int(after[0]) if after.size else len(track) - 1
        departures.append(Departure(first, min(last, len(track) - 1), peak, sign * float(away[peak]), limit))
    return departures


def _usual(track: Track, away: Floats) -> float:
    """Return how far pv usually goes within a lag: the median over blocks of that length, bands."""
    size = track.samples(track.lag)
    blocks = np.abs(away[: len(away) // size * size].reshape(-1, size))
    is_finite = np.isfinite(blocks).any(axis=1)
    return float(np.median(np.nanmax(blocks[is_finite], axis=1))) if is_finite.any() else 0.0


def _at_level(track: Track) -> tuple[Mask, float]:
    """Return where a pv without setpoint holds its level, from its first arrival on, and that level.

    It is held where its output works, if there is one that ever does: at a limit it holds nothing.
    """
    works = np.isfinite(track.pv) & np.isfinite(track.output) & ~(track.at_low | track.at_high)
    works = works if works.mean() >= WORKS else np.isfinite(track.pv)
    level = float(np.median(track.pv[works])) if works.any() else np.nan
    near = np.abs(smooth(track.pv, track.samples(track.lag / 2) | 1) - level) < BAND
    mask = np.zeros(len(track), dtype=bool)
    if works.any() and near[works].mean() >= HELD_LEVEL:
        mask[track.after(int(np.argmax(near)), track.lags(SETTLING)) :] = True
    return mask & track.usable, level


def lasting_need(track: Track, index: int, size: float) -> float:
    """Return the change of output long after pv was moved by `size` bands, in the least of a sensor step.

    A sensor that reads another value lets its controller drive the plant elsewhere, which takes another
    output; below 1, what pushed pv is over. nan where the record does not say.
    """
    same = (track.setpoint == track.setpoint[index]) & (
        np.abs(track.smooth_error) < max(SMALLEST * BAND, CYCLES * track.own_swing)
    )
    when = track.time - track.time[index]
    earlier = track.output[same & (when < 0) & (when > track.lags(LATER - LATEST))]
    later = track.output[same & (when > track.lags(LATER)) & (when < track.lags(LATEST))]
    if min(np.isfinite(earlier).sum(), np.isfinite(later).sum()) < track.samples(track.lags(ONE)):
        return np.nan
    usual = np.nanmean if track.kind.drive == "on_off" else np.nanmedian
    before, after = float(usual(earlier)), float(usual(later))
    spread = MAD_TO_SIGMA * float(np.nanmedian(np.abs(earlier - np.nanmedian(earlier))))
    driven = np.nan if track.rest is None else abs(float(track.setpoint[index]) - track.rest)
    needed = NEEDED * abs(size / driven * before) if driven > 0 else 0.0
    return float(np.sign(size) * (before - after) / (needed + max(spread, track.output_digit, AT_LIMIT)))

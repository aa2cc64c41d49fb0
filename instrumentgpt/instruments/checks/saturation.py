"""A heater or cooler too weak for what is asked of it; stretches with the output at a limit."""

from collections.abc import Callable, Sequence
from operator import attrgetter

import numpy as np

from instrumentgpt.instruments.analysis.signals import runs, smooth
from instrumentgpt.instruments.analysis.study import Study, finding_of
from instrumentgpt.instruments.analysis.tracks import BAND, Track
from instrumentgpt.instruments.findings import Finding, RuledOut
from instrumentgpt.instruments.loops import Mask

BLIP = 1.0  # lags off the limit that noise on the derivative may cause
Limit = Callable[[Track], Mask]
Judge = Callable[[Study, Track, Mask, float], Finding | None]  # float: 1 of heating, -1 of cooling
PINNED_FOR = 20.0  # lags
LEVELLED_FOR = 10.0  # lags, likewise, where pv never was at this setpoint to the end of its hold
SHORT_OF = 2.0  # bands that are missing in the end
FOR_GOOD = 3 * PINNED_FOR  # after which it does not matter that it once could: a load goes, if pv moves
SAME_SETPOINT, HELD_FOR = 1.7, 6.0  # bands, lags: what counts as having held it
NO_RISE = 1.0  # band of movement in half of that time, or in the last three quarters of a load: it stands
CURVED = 0.85  # of the first half's way in the second, for an end to be foreseen; a ramp makes 1


def pinned(track: Track, at_limit: Mask) -> list[tuple[int, int]]:
    """Return (first, past-the-last) of each stretch at a limit under control; short leaves are bridged.

    Not those of an on/off output: it leaves one limit for the other, and that is all it can do.
    """
    merged: list[tuple[int, int]] = []
    bridged = 0.0 if track.kind.drive == "on_off" else track.lags(BLIP)
    for a, b in runs(at_limit & track.controlled & np.isfinite(track.pv)):
        if (
            merged
            and track.time[a] - track.time[merged[-1][1] - 1] <= bridged
            and track.controlled[merged[-1][1]]
        ):
            merged[-1] = (merged[-1][0], int(b))
        else:
            merged.append((int(a), int(b)))
    return merged


def left_band(track: Track, index: int) -> int:
    """Return the last sample before `index` at which the error left the band; `index` if it never was in."""
    inside = np.flatnonzero(np.abs(track.smooth_error[: index + 1]) < BAND)
    inside = inside[track.time[inside] > track.time[index] - track.lags(60.0)]
    return min(int(inside[-1]) + 1, index) if inside.size else index


def back_in_band(track: Track, stop: int) -> int:
    """Return where a fault that lasted to `stop` ends: when pv is back in the band, else with the log."""
    back = np.flatnonzero(np.abs(track.smooth_error[stop - 1 :]) < BAND)
    return stop - 1 + int(back[0]) if back.size else len(track) - 1


def of_either_side(study: Study, judge: Judge, heating: Limit, cooling: Limit) -> list[Finding]:
    """Return what `judge` finds of each channel: of its heating, else of its cooling, if it cools.

    heating, cooling  at which limit of the output a fault of that side shows
    """
    findings = []
    for track in study.active:
        finding = judge(study, track, heating(track), 1.0)
        if finding is None and track.low < 0:
            finding = judge(study, track, cooling(track), -1.0)
        if finding is not None:
            findings.append(finding)
    return findings


def saturation(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find an output pinned for minutes while pv stands short of a setpoint that this log never held."""
    return of_either_side(study, _saturates, heating=attrgetter("at_high"), cooling=attrgetter("at_low"))


def _saturates(study: Study, track: Track, at_limit: Mask, sign: float) -> Finding | None:
    for first, stop in pinned(track, at_limit):
        seconds = float(track.time[stop - 1] - track.time[first])
        short, slope = foreseen(track, first, stop, sign)
        level = next(a for a, b in reversed(track.levels) if a < stop)
        never = bool((sign * track.smooth_error[level:stop] > BAND).all())
        stood = float(track.time[stop - 1] - track.time[max(first, level)]) if never else 0.0
        after = track.setpoint[min(stop + track.samples(track.lag), len(track) - 1)]
        to_its_end = stop == len(track) or after != track.setpoint[stop - 1]
        if seconds < track.lags(PINNED_FOR) and not (to_its_end and stood >= track.lags(LEVELLED_FOR)):
            continue
        if short == -np.inf and seconds >= track.lags(FOR_GOOD):  # it rises: in as long again, to where?
            short = sign * float(track.smooth_error[stop - 1]) - slope * seconds
        held = _held_with(track, stop - 1)
        stands = (
            np.abs(np.diff(track.smooth_error[[first + (stop - first) // 4, stop - 1]])).item() <= NO_RISE
        )
        lasts = never or seconds >= track.lags(FOR_GOOD) or (to_its_end and stands)
        if short < SHORT_OF or (np.isfinite(held) and not lasts):
            continue
        numbers: dict[str, float | str] = {
            "output": float(track.output[stop - 1]),
            "seconds": seconds,
            "short": track.shown(sign * float(np.nanmedian(track.error[max(first, stop - 5) : stop]))),
            "end": track.shown(short),
            "slope": track.shown(slope) * 60.0,
            "side": "high" if sign > 0 else "low",
            "held": held,
        }
        ruled_out = RuledOut("heater_failure", "not_falling", {"slope": numbers["slope"]})
        lines = (first, (first + stop) // 2, stop - 1)
        return finding_of(study, "saturation", track, first, stop - 1, lines, numbers, [ruled_out])
    return None


def foreseen(track: Track, first: int, stop: int, sign: float) -> tuple[float, float]:
    """Return how many bands short pv will stay at this output, and its slope in the end, bands per second.

    A plant of one time constant makes in the second half of a stretch r times the way of the first, and
    r / (1 - r) of the second's way is left to come. inf where it falls on and on, -inf where it rises so.
    """
    level = sign * smooth(track.pv[first:stop], track.samples(track.lag) | 1)
    missing = sign * track.setpoint[stop - 1] - level
    is_finite = np.isfinite(level)
    if is_finite.sum() < 10:
        return -np.inf, 0.0
    time, level = track.time[first:stop][is_finite], level[is_finite]
    start, middle, end = (float(np.interp(at, time, level)) for at in np.linspace(time[0], time[-1], 3))
    early, late = middle - start, end - middle
    slope = late / max(float(time[-1] - time[0]) / 2, 1e-9)
    if abs(late) <= NO_RISE:
        return float(missing[is_finite][-1]), slope
    if early * late <= 0 or abs(late) > CURVED * abs(early):
        return (np.inf if late < 0 else -np.inf), slope
    return float(missing[is_finite][-1]) - late * late / (early - late), slope


def _held_with(track: Track, index: int) -> float:
    """Return the mean output (%) while the setpoint of sample `index` was held `HELD_FOR`; nan if never."""
    same = np.abs(track.setpoint - track.setpoint[index]) < SAME_SETPOINT
    inside = np.abs(track.smooth_error) < BAND
    spans = runs(same & inside & track.controlled & np.isfinite(track.output))
    held = [track.output[a:b] for a, b in spans if track.time[b - 1] - track.time[a] >= track.lags(HELD_FOR)]
    return float(np.mean(np.concatenate(held))) if held else np.nan

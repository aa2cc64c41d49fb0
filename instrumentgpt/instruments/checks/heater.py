"""Faults of power: a heater that fails, stays on or is too weak; whether power or its room drives a plant."""

from collections.abc import Callable, Sequence
from operator import attrgetter

import numpy as np

from instrumentgpt.instruments.analysis.readings import fastest_kept_up
from instrumentgpt.instruments.analysis.signals import runs, smooth
from instrumentgpt.instruments.analysis.study import Study, finding_of
from instrumentgpt.instruments.analysis.tracks import BAND, SHORTEST_HOLD, Track
from instrumentgpt.instruments.findings import Finding, RuledOut
from instrumentgpt.instruments.loops import Floats, Mask

BEYOND_ROOM = 10.0  # bands
AGAINST = 5.0  # bands that pv moves against a pinned output
FALLS_FOR = 3.0  # lags of fall at full output
NO_POWER = 0.7  # of the way to the setpoint that is missing in the end, from which none arrives
PACE = 0.05  # of the fastest that pv kept up: power drives a plant at its own pace
QUICK = 30.0  # lags in which pv falls so far: without power a plant goes at its own pace
HALF_WAY = 0.5  # to its room: what turns round before, at full output, was let cool; heaters do not mend
AT_END = 0.1  # of a rise, that pv makes slowly: it comes to where the power takes it
OUTDOES = 1.2  # times what pv came back from before: the sun, or what else heats it
DEAD_TIME = 1.0  # lags allowed before pv must follow an output at its floor
RISES_FOR = 1.5  # lags


def _driven_elsewhere(track: Track, sign: float, level: float) -> bool:
    """Return whether a two-sided plant goes where only power drives it, so that the power is stuck on.

    sign   +1 if pv rises against full cooling, -1 if it falls against full heating
    level  -sign * pv where it got to

    Without power pv goes to the temperature of the room: beyond that it is driven.
    """
    return track.rest is not None and -level > sign * track.rest + BEYOND_ROOM


def heater_failure(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find pv falling for long at full output (or rising at full cooling): the power does not arrive."""
    return of_either_side(study, _fails, heating=attrgetter("at_high"), cooling=attrgetter("at_low"))


def _fails(study: Study, track: Track, at_limit: Mask, sign: float) -> Finding | None:
    level = smooth(sign * track.pv, track.samples(track.lag / 2) | 1)
    for first, stop in pinned(track, at_limit):
        bottom = first + int(np.nanargmin(level[first:stop]))
        fall = float(level[first] - level[bottom])
        lasted = float(track.time[bottom] - track.time[first])
        recovered = float(level[stop - 1] - level[bottom])
        way = np.inf if track.rest is None else float(level[first]) - sign * track.rest
        if fall < AGAINST or lasted < track.lags(FALLS_FOR) or not track.usable[first]:
            continue
        if _lags_to_fall(track, level, first, bottom) > QUICK:
            continue  # the room takes more than the heater has: that is saturation
        if _arrives(track, first, stop, sign):
            continue
        if recovered > 0.3 * fall and fall < HALF_WAY * way:
            continue
        start = left_band(track, first)
        if start == first and fall < 2 * AGAINST:
            continue  # never in band: a plant that was still cooling when the log began
        if track.low < 0 and _driven_elsewhere(track, -sign, level[bottom]):
            continue
        numbers: dict[str, float | str] = {
            "output": float(track.output[first]),
            "fall": track.shown(fall),
            "seconds": lasted,
            "from": float(track.loop.pv[first]),
            "low": float(track.loop.pv[bottom]),
        }
        if not track.is_thermal:
            numbers["kind"] = "no_temperature"
        lines, out = (start, first, bottom), [_of_room(study, track, start, bottom)]
        end = back_in_band(track, stop)
        return finding_of(study, "heater_failure", track, start, end, lines, numbers, out)
    return None


def _arrives(track: Track, first: int, stop: int, sign: float) -> bool:
    """Return whether pv goes to where some power keeps it: without any it goes to its room's temperature."""
    short, _ = foreseen(track, first, stop, sign)
    if track.rest is None or not np.isfinite(short):
        return False
    driven = sign * (float(track.setpoint[stop - 1]) - track.rest)
    return driven > 0 and short < NO_POWER * driven


def _lags_to_fall(track: Track, level: Floats, first: int, bottom: int) -> float:
    """Return in how many lags pv fell by `AGAINST` after it began to."""
    below = np.flatnonzero(level[first : bottom + 1] <= level[first] - AGAINST)
    stop = first + int(below[0]) if below.size else bottom
    start = first + int(np.argmax(level[first : stop + 1]))
    return float(track.time[stop] - track.time[start]) / track.lag


def _of_room(study: Study, track: Track, first: int, last: int) -> RuledOut:
    """Return what the other holding channels say of the room in this time: their largest error, if any."""
    a, b = float(track.time[first]), float(track.time[last])
    moved = []
    for other in study.active:
        inside = (other.time >= a) & (other.time <= b) & other.quiet
        if other is not track and inside.sum() > 2:
            moved.append(float(np.nanmax(np.abs(other.smooth_error[inside]))))
    numbers = {"others": track.shown(max(moved))} if moved else {}
    return RuledOut("ambient_disturbance", "alone" if moved else "untold", numbers)


def runaway_stuck_on(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find pv rising above the setpoint with the output at its floor: power arrives that nobody asked for."""
    return of_either_side(study, _runs_away, heating=attrgetter("at_low"), cooling=attrgetter("at_high"))


def _runs_away(study: Study, track: Track, at_limit: Mask, sign: float) -> Finding | None:
    level, usual = smooth(sign * track.pv, track.samples(track.lag / 2) | 1), 0.0
    for first, stop in pinned(track, at_limit):
        allowed, came_back = track.after(first, track.lags(DEAD_TIME)), usual
        if allowed >= stop - 2 or not track.usable[first]:
            continue
        beyond = -sign * track.smooth_error[allowed:stop]
        usual = max(usual, float(np.nanmax(beyond, initial=0.0)))
        # where pv last was on the near side: what it does until then is what the setpoint asked for
        left = np.maximum.accumulate(np.where(beyond <= 0, np.arange(len(beyond)), 0)) + allowed
        rises = np.where(beyond > AGAINST, level[allowed:stop] - level[left], np.nan)
        if np.isnan(rises).all():
            continue
        at = int(np.nanargmax(rises))
        top, begun, rise, above = allowed + at, int(left[at]), float(rises[at]), float(beyond[at])
        lasted = float(track.time[top] - track.time[begun])
        there = begun + int(np.argmax(level[begun : top + 1] >= level[top] - AT_END * rise))
        took = float(track.time[there] - track.time[begun])  # in the end pv hardly moves
        if rise / max(took, 1e-9) < PACE * fastest_kept_up(track.time, track.pv):
            continue  # a room that warms up
        if rise < AGAINST or lasted < track.lags(RISES_FOR) or above < max(AGAINST, OUTDOES * came_back):
            continue
        start = left_band(track, first)
        if track.low < 0 and not _driven_elsewhere(track, sign, -level[top]):
            continue
        numbers: dict[str, float | str] = {
            "output": float(track.output[first]),
            "rise": track.shown(rise),
            "seconds": lasted,
            "above": track.shown(above),
            "peak": float(track.loop.pv[top]),
        }
        times = {"seconds": track.lags(DEAD_TIME) + lasted, "allowed": track.lags(DEAD_TIME)}
        ruled_out = RuledOut("overshoot_tuning", "keeps_rising", times)
        lines = (start, first, top)
        return finding_of(
            study, "runaway_stuck_on", track, start, back_in_band(track, stop), lines, numbers, [ruled_out]
        )
    return None


MOSTLY_THERE = 0.8  # of a stretch at a limit: what comes and goes as often swings
BLIP = 1.0  # lags off the limit that noise on the derivative may cause
Limit = Callable[[Track], Mask]
Judge = Callable[[Study, Track, Mask, float], Finding | None]  # float: 1 of heating, -1 of cooling
PINNED_FOR = 20.0  # lags
SHORT_OF = 2.0  # bands that are missing in the end
NO_LOAD = 0.15  # of a record, at its end: a load is shorter; it could, and cannot any more
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
    return [(a, b) for a, b in merged if at_limit[a:b].mean() > MOSTLY_THERE]


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
        if seconds < track.lags(PINNED_FOR) and not (to_its_end and stood >= track.lags(SHORTEST_HOLD)):
            continue
        held = _held_with(track, stop - 1)
        till_its_end = stop == len(track) and stop - first >= NO_LOAD * stop and np.isfinite(held)
        for_good = seconds >= track.lags(PINNED_FOR if till_its_end else FOR_GOOD)
        if short == -np.inf and for_good:  # it rises: in as long again, to where?
            short = sign * float(track.smooth_error[stop - 1]) - slope * seconds
        stands = abs(np.diff(track.smooth_error[[first + (stop - first) // 4, stop - 1]]).item()) <= NO_RISE
        lasts = never or for_good or (to_its_end and stands)
        missing = sign * float(np.nanmedian(track.error[max(first, stop - 5) : stop]))
        if short < SHORT_OF or missing <= 0 or (np.isfinite(held) and not lasts):
            continue
        numbers: dict[str, float | str] = {
            "output": float(track.output[stop - 1]),
            "seconds": seconds,
            "short": track.shown(missing),
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

"""Faults of power: the heater that fails, the one that stays on, the one that is too weak."""

from collections.abc import Callable, Sequence
from operator import attrgetter

import numpy as np

from instrumentgpt.instruments.analysis.signals import Floats, Mask, runs, smooth
from instrumentgpt.instruments.analysis.study import Study, found
from instrumentgpt.instruments.analysis.tracks import BAND, Track
from instrumentgpt.instruments.findings import Finding, RuledOut

AGAINST = 1.5  # °C that pv moves against a pinned output; loops.md section 1
FALLS_FOR = 30.0  # s of fall at full output; loops.md section 1
STEADY_FALL = 90.0  # s after which the fall counts even if pv recovers at full output
DEAD_TIME = 25.0  # s allowed before pv must follow an output at its floor; loops.md section 1
RISES_FOR = 25.0  # s; loops.md section 1
COAST = 60.0  # s before the floor over which the pace of a driven plant is taken
KEEPS_ITS_PACE = 0.7  # of that pace: a plant that slows down coasts, one that is still driven does not
BEYOND_ROOM = 3.0  # °C past the bound of the room's temperature
DRIVEN = 2.0  # percent of output from which a channel is away from the room's temperature
NEIGHBOUR_HEAT = 3.0  # °C of rise that a neighbour's setpoint step may cause at most
PINNED_FOR = 390.0  # s; loops.md section 1
SHORT_OF = 0.6  # °C of error while pinned; loops.md section 1
FLAT = 0.35  # °C per minute; loops.md section 1
TOO_FAR = 15.0  # minutes to go at the present slope; loops.md section 1
BLIP = 10.0  # s off the limit that noise on the derivative may cause

Limit = Callable[[Track], Mask]
Judge = Callable[[Study, Track, Mask, float], Finding | None]  # float: 1 of heating, -1 of cooling


def pinned(track: Track, at_limit: Mask) -> list[tuple[int, int]]:
    """Return (first, past-the-last) of each stretch at a limit under control; short leaves are bridged."""
    merged: list[tuple[int, int]] = []
    for a, b in runs(at_limit & track.controlled & np.isfinite(track.pv)):
        if (
            merged
            and track.time[a] - track.time[merged[-1][1] - 1] <= BLIP
            and track.controlled[merged[-1][1]]
        ):
            merged[-1] = (merged[-1][0], int(b))
        else:
            merged.append((int(a), int(b)))
    return merged


def left_band(track: Track, index: int) -> int:
    """Return the last sample before `index` at which the error left the band; `index` if it never was in."""
    inside = np.flatnonzero(np.abs(track.smooth_error[: index + 1]) < BAND)
    inside = inside[track.time[inside] > track.time[index] - 600.0]
    return min(int(inside[-1]) + 1, index) if inside.size else index


def heater_failure(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find pv falling for long at full output (or rising at full cooling): the power does not arrive."""
    return _of_either_side(study, _fails, heating=attrgetter("at_high"), cooling=attrgetter("at_low"))


def _of_either_side(study: Study, judge: Judge, heating: Limit, cooling: Limit) -> list[Finding]:
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


def _fails(study: Study, track: Track, at_limit: Mask, sign: float) -> Finding | None:
    level = smooth(sign * track.pv, track.samples(5.0) | 1)
    for first, stop in pinned(track, at_limit):
        bottom = first + int(np.nanargmin(level[first:stop]))
        fall = float(level[first] - level[bottom])
        lasted = float(track.time[bottom] - track.time[first])
        recovered = float(level[stop - 1] - level[bottom])
        if fall < AGAINST or lasted < FALLS_FOR or not track.usable[first]:
            continue
        if recovered > 0.3 * fall and lasted < STEADY_FALL:
            continue
        start = left_band(track, first)
        if start == first and fall < 2 * AGAINST:
            continue  # never in band: a plant that was still cooling when the log began
        if track.low < 0 and _driven_elsewhere(study, track, -sign, start, level[bottom]):
            continue
        if _shared(study, track, start, bottom) or _cooling_on(track, level, first, bottom):
            continue
        numbers: dict[str, float | str] = {
            "output": float(track.output[first]),
            "fall": track.shown(fall),
            "seconds": lasted,
            "from": float(track.loop.pv[first]),
            "low": float(track.loop.pv[bottom]),
        }
        ruled_out = RuledOut(
            "ambient_disturbance", "alone", {"others": _others_moved(study, track, start, bottom)}
        )
        lines = (start, first, bottom)
        return found(study, "heater_failure", track, start, _end(track, stop), lines, numbers, [ruled_out])
    return None


def _driven_elsewhere(study: Study, track: Track, sign: float, start: int, level: float) -> bool:
    """Return whether a two-sided plant goes where only power drives it, so that the power is stuck on.

    sign   +1 if pv rises against full cooling, -1 if it falls against full heating
    level  -sign * pv where it got to

    Without power pv goes to the temperature of the room: beyond that it is driven.
    """
    if sign * _usual_output(track, start) > 0:
        return True  # it was driven this way before, and still is
    bound = _room_bound(study, sign)
    return bound is not None and -level > sign * bound + BEYOND_ROOM


def _room_bound(study: Study, sign: float) -> float | None:
    """Return what the room cannot be warmer (sign +1) or colder (-1) than: what channels are driven to."""
    driven = []
    for track in study.active:
        output = float(np.nanmedian(track.output[track.quiet])) if track.quiet.any() else 0.0
        if track.scale > 0 and sign * output > DRIVEN:
            driven.append(sign * float(np.nanmedian(track.pv[track.quiet])))
    return sign * min(driven) if driven else None


def _usual_output(track: Track, index: int) -> float:
    """Return the median output of the two minutes before `index`, percent; 0 where there is none."""
    earlier = track.output[(track.time > track.time[index] - 120.0) & (track.time <= track.time[index] - 2.0)]
    return float(np.nanmedian(earlier)) if np.isfinite(earlier).any() else 0.0


def _end(track: Track, stop: int) -> int:
    """Return where a fault that lasted to `stop` ends: when pv is back in the band, else with the log."""
    back = np.flatnonzero(np.abs(track.smooth_error[stop - 1 :]) < BAND)
    return stop - 1 + int(back[0]) if back.size else len(track) - 1


def _cooling_on(track: Track, level: Floats, first: int, bottom: int) -> bool:
    """Return whether pv was already falling before the output went full, and only slowed down since."""
    before = first - track.samples(20.0)
    if before < 0:
        return False
    earlier = float(level[before] - level[first])
    return earlier > 0 and float(level[first] - level[bottom]) < earlier


def _shared(study: Study, track: Track, first: int, last: int) -> bool:
    """Return whether the room moved all channels in this time."""
    a, b = float(track.time[first]), float(track.time[last])
    return any(move.start - 30 < b and move.stop > a for move in study.common_moves)


def _others_moved(study: Study, track: Track, first: int, last: int) -> float:
    """Return the largest change of error of any other holding channel in this time, in the log's unit."""
    a, b = float(track.time[first]), float(track.time[last])
    largest = 0.0
    for other in study.active:
        inside = (other.time >= a) & (other.time <= b) & other.quiet
        if other is not track and inside.sum() > 2:
            largest = max(largest, float(np.nanmax(np.abs(other.smooth_error[inside]))))
    return track.shown(largest)


def runaway_stuck_on(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find pv rising above the setpoint with the output at its floor: power arrives that nobody asked for."""
    return _of_either_side(study, _runs_away, heating=attrgetter("at_low"), cooling=attrgetter("at_high"))


def _runs_away(study: Study, track: Track, at_limit: Mask, sign: float) -> Finding | None:
    level = smooth(sign * track.pv, track.samples(5.0) | 1)
    for first, stop in pinned(track, at_limit):
        allowed = track.after(first, DEAD_TIME)
        if allowed >= stop - 2 or not track.usable[first]:
            continue
        past = -sign * track.smooth_error[allowed:stop] > AGAINST
        if not past.any():
            continue
        top = allowed + int(np.argmax(np.where(past, level[allowed:stop], -np.inf)))
        rise, lasted = float(level[top] - level[allowed]), float(track.time[top] - track.time[allowed])
        above = float(-sign * track.smooth_error[top])
        if rise < AGAINST or lasted < RISES_FOR or above < AGAINST or _coasts(track, level, first, top):
            continue
        start = left_band(track, first)
        if track.low < 0 and not _driven_elsewhere(study, track, sign, start, -level[top]):
            continue
        if (_neighbour_stepped(study, track, start, top) and rise < NEIGHBOUR_HEAT) or _shared(
            study, track, start, top
        ):
            continue
        numbers: dict[str, float | str] = {
            "output": float(track.output[first]),
            "rise": track.shown(rise),
            "seconds": lasted,
            "above": track.shown(above),
            "peak": float(track.loop.pv[top]),
        }
        ruled_out = RuledOut(
            "overshoot_tuning", "keeps_rising", {"seconds": DEAD_TIME + lasted, "allowed": DEAD_TIME}
        )
        lines = (start, first, top)
        return found(study, "runaway_stuck_on", track, start, _end(track, stop), lines, numbers, [ruled_out])
    return None


def _coasts(track: Track, level: Floats, first: int, top: int) -> bool:
    """Return whether pv had been driven this way at full output right before, and has slowed down since."""
    limit = track.at_high | (track.at_low if track.low < 0 else False)
    reach = track.samples(BLIP)
    if not limit[max(0, first - reach) : first].any():
        return False
    start = max(0, first - track.samples(COAST))
    before = float(level[first] - level[start]) / max(float(track.time[first] - track.time[start]), 1e-9)
    after = float(level[top] - level[first]) / max(float(track.time[top] - track.time[first]), 1e-9)
    return after < KEEPS_ITS_PACE * before


def _neighbour_stepped(study: Study, track: Track, first: int, last: int) -> bool:
    """Return whether another channel's setpoint went up shortly before or in this time."""
    a, b = float(track.time[first]) - 300.0, float(track.time[last])
    return any(
        step.size > 0 and a < other.time[step.index] < b
        for other in study.active
        if other is not track
        for step in other.steps
    )


def saturation(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find an output pinned for minutes while pv stands short of a setpoint that this log never held."""
    findings = []
    for track in study.active:
        if track.two_point:
            continue
        sides = [(track.at_high, 1.0), (track.at_low, -1.0)]
        hits = [hit for at_limit, sign in sides for hit in [_saturates(study, track, at_limit, sign)] if hit]
        findings += hits[:1]
    return findings


def _saturates(study: Study, track: Track, at_limit: Mask, sign: float) -> Finding | None:
    for first, stop in pinned(track, at_limit):
        seconds = float(track.time[stop - 1] - track.time[first])
        if seconds < PINNED_FOR:
            continue
        tail = slice(max(first, int(np.searchsorted(track.time, track.time[stop - 1] - 120.0))), stop)
        short = sign * float(np.nanmedian(track.error[tail]))
        slope = sign * _slope(track.time[tail], track.pv[tail]) * 60.0
        to_go = short / slope if slope > 1e-6 else np.inf
        flat, far = slope < FLAT and to_go > 3.0, to_go > TOO_FAR
        passive = sign < 0 and track.low >= 0
        if short < SHORT_OF or not (flat and far if passive else flat or far) or _ever_held(track, stop - 1):
            continue
        numbers: dict[str, float | str] = {
            "output": float(track.output[stop - 1]),
            "seconds": seconds,
            "short": track.shown(short),
            "slope": track.shown(slope),
            "side": "high" if sign > 0 else "low",
        }
        ruled_out = RuledOut("heater_failure", "not_falling", {"slope": track.shown(slope)})
        lines = (first, (first + stop) // 2, stop - 1)
        return found(study, "saturation", track, first, stop - 1, lines, numbers, [ruled_out])
    return None


def _slope(time: Floats, values: Floats) -> float:
    """Return the slope of a straight line through `values`, per second; 0 for fewer than 3 values."""
    known = np.isfinite(values)
    if known.sum() < 3:
        return 0.0
    centred = time[known] - time[known].mean()
    return float(np.dot(centred, values[known]) / np.dot(centred, centred))


def _ever_held(track: Track, index: int) -> bool:
    """Return whether this log shows the setpoint of sample `index` held for a minute."""
    same = np.abs(track.setpoint - track.setpoint[index]) < 0.5
    inside = np.abs(track.smooth_error) < BAND
    return any(track.time[b - 1] - track.time[a] >= 60.0 for a, b in runs(same & inside & track.controlled))

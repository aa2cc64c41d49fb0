"""How a loop answers a step of its setpoint: too far, wound up, too slow, not all the way; or not at all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from instrumentgpt.instruments.analysis.signals import constant_runs, runs, smooth
from instrumentgpt.instruments.analysis.study import Study, finding_of
from instrumentgpt.instruments.analysis.tracks import BAND, Step, Track
from instrumentgpt.instruments.checks.heater import pinned
from instrumentgpt.instruments.findings import Finding, RuledOut
from instrumentgpt.instruments.loops import Floats, Mask

OVERSHOOT = 2.8  # bands
OVERSHOOT_SHARE = 0.13  # of the step: normal printers reach 0.11, a damping ratio of 0.5 makes 0.16
BRIEF = 1.0  # lags past the band: a loop shows nothing in less
TOWARDS = 0.5  # of these limits: enough where the output tells, and what most steps pass
PINNED_PAST = 0.5  # lags at the limit after pv crossed the setpoint
SLUGGISH = 10.0  # lags to the band
SLUGGISH_GAINS = 1 / 3  # of the SIMC gains; loops.md section 1
POWER_TO_SPARE = 0.95  # of the upper limit
PINNED_SHARE = 0.1  # of the way at a limit: then the power is slow, not the gains
STANDS_OFF = 1.5  # bands
RESTS_FOR = 6.0  # lags, the second half of a hold
STILL = 0.1  # of the offset, by which the halves of a rest may differ
EXPLAINED = 0.9  # of how the output varies, by bias + kp error
DEAD_TIMES = np.arange(0.0, 4.2, 0.2)  # lags tried in the quick model
MODEL_WINDOW = 2.0  # lags over which the quick model integrates


@dataclass(frozen=True)
class Overshoot:
    """How far pv went past the setpoint of `step`: bands, at index `peak`, having crossed at `crossing`."""

    step: Step
    size: float
    crossing: int
    peak: int
    pinned: float  # s at the limit after the crossing


def overshoots(track: Track) -> list[Overshoot]:
    """Return what pv did after each step in a direction that the output can drive."""
    measured = [_overshoot(track, step) for step in track.steps if step.size > 0 or track.low < 0]
    return [overshoot for overshoot in measured if overshoot is not None]


def _overshoot(track: Track, step: Step) -> Overshoot | None:
    sign = math.copysign(1.0, step.size)
    beyond = -sign * track.smooth_error[step.index : track.answered(step)]
    if not track.usable[step.index] or not (beyond > 0).any():
        return None
    crossing = step.index + int(np.argmax(beyond > 0))
    took = float(track.time[crossing] - track.time[step.index])
    stop = min(track.answered(step), track.after(crossing, max(track.lags(30.0), 3 * took)))
    stop = max(track.settled(crossing, stop), crossing + 3)  # what comes later is no answer to the step
    if stop - crossing < 3 or not track.usable[step.index : stop].all():
        return None
    peak = crossing + int(np.nanargmax(-sign * track.smooth_error[crossing:stop]))
    size = float(-sign * track.smooth_error[peak])
    if size > abs(step.size):
        return None  # further than it was sent: it is not the step that drives it
    at_limit = track.at_high if sign > 0 else track.at_low
    return Overshoot(step, size, crossing, peak, _seconds_at_limit(track, at_limit, crossing))


def caught_up(track: Track, steps: Sequence[Overshoot]) -> list[Overshoot]:
    """Return what pv did each time that it came back from afar and past, at full output, not after `steps`.

    A ramp had run ahead, or the power was held back for a while. What pv was short of is the step.
    """
    answers = [range(one.step.index, track.over(one.step)) for one in steps]
    found = []
    for sign, at_limit in ((1.0, track.at_high), (-1.0, track.at_low)):
        error = sign * track.smooth_error
        for first, stop in pinned(track, at_limit) if sign > 0 or track.low < 0 else ():
            short = int(np.nanargmax(error[first:stop])) + first
            past = np.flatnonzero(error[short:stop] < 0) + short
            if not past.size or any(first in answer for answer in answers):
                continue
            back = np.flatnonzero(error[past[0] :] > 0)
            end = int(past[0] + back[0]) if back.size else len(track)
            if track.usable[first:end].all():
                peak = int(past[0] + np.nanargmin(error[past[0] : end]))
                step = Step(short, end, float(track.setpoint[past[0]]), sign * float(error[short]))
                seconds = _seconds_at_limit(track, at_limit, int(past[0]))
                found.append(Overshoot(step, -float(error[peak]), int(past[0]), peak, seconds))
    return [one for one in found if one.size <= abs(one.step.size) and one.pinned > track.lags(PINNED_PAST)]


def _seconds_at_limit(track: Track, at_limit: Mask, index: int) -> float:
    """Return for how many seconds after `index` the output stayed at the limit."""
    off = np.flatnonzero(~at_limit[index:])
    last = index + int(off[0]) if off.size else len(track) - 1
    return float(track.time[last] - track.time[index])


def _passes(overshoot: Overshoot, share: float = 1.0) -> bool:
    """Return whether pv went `share` of what is too far past the setpoint."""
    return overshoot.size > share * max(OVERSHOOT, OVERSHOOT_SHARE * abs(overshoot.step.size))


def _stays_past(track: Track, overshoot: Overshoot) -> bool:
    """Return whether pv was past its band for `BRIEF` or more."""
    past = -math.copysign(1.0, overshoot.step.size) * track.smooth_error[overshoot.crossing :] > BAND
    return bool(np.any(np.diff(runs(past)[:1]) * track.period >= track.lags(BRIEF)))


def went_past(study: Study, before: Sequence[Finding], fault: str) -> list[Finding]:
    """Find overshoot: windup if the output is at its limit well after pv crossed the setpoint, else gains."""
    findings = []
    for track in study.active:
        answers = overshoots(track)
        measured = [*answers, *caught_up(track, answers)]
        towards = [one for one in measured if _passes(one, TOWARDS) and _stays_past(track, one)]
        wound_up = [overshoot for overshoot in towards if overshoot.pinned > track.lags(PINNED_PAST)]
        far = [overshoot for overshoot in towards if overshoot not in wound_up and _passes(overshoot)]
        hits = wound_up if fault == "integral_windup" else far
        worst = max(wound_up + far, key=lambda overshoot: overshoot.size, default=None)
        if worst in hits and 2 * _way(towards) > _way(measured):
            findings.append(_overshoot_finding(study, track, fault, hits, len(measured)))
    return findings


def _way(answers: list[Overshoot]) -> float:
    return sum(abs(overshoot.step.size) for overshoot in answers)


def _overshoot_finding(study: Study, track: Track, fault: str, hits: list[Overshoot], steps: int) -> Finding:
    worst = max(hits, key=lambda overshoot: overshoot.size)
    numbers: dict[str, float | str] = {
        "overshoot": track.shown(worst.size),
        "percent": 100 * worst.size / abs(worst.step.size),
        "step": track.shown(abs(worst.step.size)),
        "pinned": worst.pinned,
        "setpoint": float(track.loop.setpoint[worst.step.index]),
        "peak": float(track.loop.pv[worst.peak]),
        "output": float(track.output[worst.crossing]),
        "count": len(hits),
        "steps": steps,
        "kp": float(track.loop.kp[worst.peak]),
        "ki": float(track.loop.ki[worst.peak]),
    }
    wound_up = fault == "integral_windup"
    other, reason = ("overshoot_tuning", "still_pinned") if wound_up else ("integral_windup", "left_limit")
    ruled_out = RuledOut(other, reason, {"pinned": worst.pinned, "output": numbers["output"]})
    lines = (worst.step.index, worst.crossing, worst.peak)
    last = max(track.settled(hits[-1].peak, hits[-1].step.stop) - 1, hits[-1].peak)
    is_told = math.isfinite(float(track.output[worst.crossing]))
    return finding_of(study, fault, track, hits[0].step.index, last, lines, numbers, [ruled_out] * is_told)


def proportional_offset(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find a loop that rests off its setpoint and whose output follows the error alone: no integral."""
    findings = []
    for track in study.active:
        inside = track.usable & track.controlled & ~(track.at_low | track.at_high)
        inside &= np.isfinite(track.smooth_error + track.output)
        rests = [slice((hold.first + hold.stop) // 2, hold.stop) for hold in track.holds]
        off = [rest for rest in rests if inside[rest].all() and _rests_off(track, rest)]
        kp, share = _follows(track, inside) if off else (0.0, 0.0)
        if share < EXPLAINED:
            continue
        means = [float(track.smooth_error[rest].mean()) for rest in off]
        worst = off[int(np.argmax(np.abs(means)))]
        offset, output = max(means, key=abs) / track.scale, float(track.output[worst].mean())
        numbers = {"offset": offset, "half": offset / 2, "output": output, "kp": kp, "share": 100 * share}
        numbers["setpoint"] = float(track.loop.setpoint[worst.start])
        ruled_out = RuledOut("saturation", "inside_limits", {"output": output, "limit": track.high})
        away = np.abs(track.smooth_error[: off[0].start] - means[0]) >= BAND
        first, last = int(np.flatnonzero(np.append(True, away))[-1]), off[-1].stop - 1
        ends = (first, worst.start, worst.stop - 1)
        findings += [finding_of(study, "proportional_offset", track, first, last, ends, numbers, [ruled_out])]
    return findings


def _rests_off(track: Track, rest: slice) -> bool:
    """Return whether pv stands still off its setpoint in `rest`, and no integral would have moved it."""
    error, seconds = track.smooth_error[rest], float(track.time[rest.stop - 1] - track.time[rest.start])
    offset, early, late = (abs(float(part.mean())) for part in (error, *np.array_split(error, 2)))
    owed = abs(track.loop.ki[rest.start]) * offset / track.per_logged * seconds
    still = abs(late - early) <= STILL * offset and seconds >= track.lags(RESTS_FOR)
    return offset >= STANDS_OFF and still and not owed > DEMANDED


def _follows(track: Track, inside: Mask) -> tuple[float, float]:
    """Return kp (percent per unit of the file) of output = bias + kp error `inside`, and what it explains."""
    error, output = track.smooth_error[inside], smooth(track.output, track.samples(track.lag / 2) | 1)[inside]
    if np.ptp(output) < DEMANDED:
        return 0.0, 0.0
    kp = float(np.polyfit(error, output, 1)[0])
    left = float(np.var(output - kp * error) / np.var(output))
    return kp * track.per_logged, 1 - left if kp > 0 else 0.0


def sluggish_tuning(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find slow answers to steps with power to spare and gains far below what the plant would bear."""
    findings = []
    for track in study.active:
        slow = _slow_steps(track)
        if not slow:
            continue
        bearable = simc_gains(track)
        step, seconds, index = max(slow, key=lambda row: row[1])
        kp, ki, are_known = _gains(track, step, index)
        largest = float(np.fmax.reduce(np.abs(track.output[step.index : index + 1])))
        if not largest <= POWER_TO_SPARE * track.high:  # nan: nobody saw whether it had more
            continue
        if bearable is None or not kp < SLUGGISH_GAINS * bearable[0] or not ki < SLUGGISH_GAINS * bearable[1]:
            continue
        numbers: dict[str, float | str] = {
            "seconds": seconds,
            "step": track.shown(abs(step.size)),
            "kp": kp,
            "ki": ki,
            "bound": "" if are_known else "≤ ",
            "kp_simc": bearable[0],
            "ki_simc": bearable[1],
            "largest": largest,
        }
        ruled_out = RuledOut("saturation", "power_to_spare", {"output": largest, "limit": track.high})
        lines, ends = (step.index, (step.index + index) // 2, index), (slow[0][0].index, slow[-1][2])
        findings += [finding_of(study, "sluggish_tuning", track, *ends, lines, numbers, [ruled_out])]
    return findings


def _gains(track: Track, step: Step, settled: int) -> tuple[float, float, bool]:
    """Return kp, ki and whether they are known, as the log names them.

    Else they are the largest possible after an output that moved so little after `step`: all of it at once
    for kp, all of it from the error's integral for ki.
    """
    kp, ki = float(track.loop.kp[step.index]), float(track.loop.ki[step.index])
    if math.isnan(kp):
        part = slice(max(0, step.index - 1), settled + 1)
        soon = slice(part.start, track.after(step.index, track.lag))
        error = float(np.nansum(np.abs(track.error[part]))) / track.per_logged * track.period
        kp = float(np.ptp(track.output[soon])) * track.per_logged / abs(step.size)
        return kp, float(np.ptp(track.output[part])) / max(error, 1e-12), False
    return kp, ki, True


def _slow_steps(track: Track) -> list[tuple[Step, float, int]]:
    """Return (step, seconds to the band, index there) of steps slower than `SLUGGISH` with power to spare."""
    slow = []
    for step in track.steps:
        settled = min(track.settled(step.index, step.stop), step.stop - 1)
        seconds = float(track.time[settled] - track.time[step.index])
        soon = slice(step.index, track.after(step.index, track.lags(SLUGGISH / 2)))
        if (np.abs(track.smooth_error[soon]) < BAND).any():
            continue  # it was there soon, and went past: it rings
        pinned = (track.at_low | track.at_high)[step.index : settled].mean() if settled > step.index else 1.0
        usable = track.usable[step.index : settled + 1].all()
        if seconds > track.lags(SLUGGISH) and pinned < PINNED_SHARE and usable:
            slow.append((step, seconds, settled))
    return slow


def simc_gains(track: Track) -> tuple[float, float] | None:
    """Return kp and ki (per unit of the file) of the SIMC rule, tau_c = dead time, for a quick model.

    The model dpv/dt = a output(t - dead_time) - b pv + c is fitted to changes over `MODEL_WINDOW`.
    None where the log does not carry it (R2 below 0.8, or no rise with output).
    """
    model = _quick_model(track)
    if model is None:
        return None
    slope, dead_time, time_constant = model
    kp = track.per_logged / (2.0 * slope * dead_time)
    return kp, kp / min(time_constant, 8.0 * dead_time)


def _quick_model(track: Track) -> tuple[float, float, float] | None:
    """Return (slope in °C/s per percent, dead time s, time constant s) of the best of `DEAD_TIMES`."""
    good = np.isfinite(track.pv) & np.isfinite(track.output)
    time, pv, output = track.time[good], track.pv[good], track.output[good]
    if len(time) < 50 or np.ptp(output) < 3.0 or np.ptp(pv) < 7.0:
        return None
    grid = np.arange(time[0], time[-1], max(track.lag / 5, track.period))
    pv, output = np.interp(grid, time, pv), np.interp(grid, time, output)
    step = grid[1] - grid[0]
    width = max(2, round(track.lags(MODEL_WINDOW) / step))
    change = pv[width:] - pv[:-width]
    level, ones = _windows(pv, width) * step, np.full(len(change), width * step)
    fits = []
    for dead_time in (DEAD_TIMES * track.lag).tolist():
        delayed = np.interp(grid - dead_time, grid, output)
        design = np.column_stack([_windows(delayed, width) * step, -level, ones])
        fit = np.linalg.lstsq(design, change, rcond=None)[0]
        rest = change - design @ fit
        fits.append((float(np.dot(rest, rest) / np.dot(change, change)), *fit[:2].tolist(), dead_time))
    unexplained, slope, decay, dead_time = min(fits)
    if not unexplained <= 0.2 or slope <= 0:
        return None
    return slope, max(dead_time, track.lag / 5, track.period), 1.0 / max(decay, 1e-3 / track.lag)


def _windows(values: Floats, width: int) -> Floats:
    """Return the sums of `values` over each window of `width` samples."""
    sums = np.concatenate(([0.0], np.cumsum(values)))
    total: Floats = sums[width:-1] - sums[: -width - 1]
    return total


CONSTANT_FOR = 7.5  # lags
STANDING_ERROR = 3.0  # bands
OWED = 0.5  # percent of movement owed, from which an output that stands still is no longer at rest
DIGITS = 12.0  # of the output, likewise: a coarse one hides how it creeps
DEMANDED = 3.0  # percent of movement the gains ask for; loops.md section 1


def control_off(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find an output that stands still over a standing error which the gains in force would answer.

    Not where it goes on from its start, or after it was led to a limit; nor at 0 if it rests so between jobs.
    """
    findings = []
    for track in study.active:
        rests = [(a, b) for a, b in _still(track) if b < len(track) and _goes_on(track, a, b)]
        short = np.nan_to_num(track.smooth_error) * (track.at_low & track.controlled)
        at_low = any(short[a:b].max() > STANDING_ERROR for a, b in rests)
        still = (at for at in _still(track) if at not in rests and not (at_low and track.at_low[at[1] - 1]))
        findings += [off for a, b in still if (off := _off(study, track, a, b)) is not None][:1]
    return findings


def _goes_on(track: Track, first: int, stop: int) -> bool:
    """Return whether an output that stood still began so, or was asked to its limit: an integral wound up."""
    began = first + int(np.argmax(track.controlled[first:stop]))
    error = track.smooth_error[began : began + max(1, (stop - began) // 20)]
    asked = track.at_high if np.median(np.nan_to_num(error)) > 0 else track.at_low
    return bool(asked[began] or not track.controlled[:began].any())


def _still(track: Track) -> list[tuple[int, int]]:
    """Return (first, past-the-last) of each stretch of equal output long enough, under control."""
    spells = constant_runs(track.output)
    ends = np.minimum(spells[:, 1], len(track) - 1)
    long = spells[track.time[ends] - track.time[spells[:, 0]] >= track.lags(CONSTANT_FOR)]
    return [(int(a), int(b)) for a, b in long if track.controlled[a:b].any()]


def _off(study: Study, track: Track, first: int, stop: int) -> Finding | None:
    while first < stop and not track.controlled[first]:
        first += 1
    error = track.smooth_error[first:stop]
    standing = error if track.at_low[first] else -error if track.at_high[first] else np.abs(error)
    demand = demanded(track, first, stop)
    for a, b in runs((standing > STANDING_ERROR) & track.controlled[first:stop]):
        lasted = float(track.time[first + b - 1] - track.time[first + a])
        moved = float(np.max(np.abs(demand[a:b]))) if b > a else 0.0
        if lasted < track.lags(CONSTANT_FOR) or moved < max(DEMANDED, DIGITS * track.output_digit):
            continue
        start = first + _first_owed(demand, a, max(track.output_digit, OWED))
        worst = first + int(a) + int(np.argmax(np.abs(error[a:b])))
        numbers: dict[str, float | str] = {
            "output": float(track.output[first]),
            "seconds": float(track.time[stop - 1] - track.time[start]),
            "error": track.shown(float(np.median(error[a:b]))),
            "demanded": moved,
        }
        ruled_out = RuledOut("saturation", "not_at_limit", {"output": numbers["output"], "limit": track.high})
        lines = (start, worst, stop - 1)
        return finding_of(study, "control_off", track, start, stop - 1, lines, numbers, [ruled_out])
    return None


def demanded(track: Track, first: int, stop: int) -> Floats:
    """Return the movement of the output (percent) that the gains in force ask for since sample `first`."""
    error = np.nan_to_num(track.smooth_error[first:stop]) / track.per_logged
    spacing = np.diff(track.time[first:stop], prepend=track.time[first])
    kp, ki = track.loop.kp[first], track.loop.ki[first]
    if not np.isfinite(kp):
        kp, ki = effective_kp(track), 0.0
    moved: Floats = np.nan_to_num(kp) * (error - error[:1]) + np.nan_to_num(ki) * np.cumsum(error * spacing)
    return moved


def effective_kp(track: Track) -> float:
    """Return the gain (percent per unit of the file) with which the output answered the error; 0 if none."""
    moves, answers = np.diff(track.error) / track.per_logged, np.diff(track.output)
    both = np.isfinite(moves) & np.isfinite(answers) & (moves != 0) & (answers != 0)
    if both.sum() < 20:
        return 0.0
    return max(0.0, float(np.median(answers[both] / moves[both])))


def _first_owed(demand: Floats, last: int, digit: float) -> int:
    """Return the last position before `last` at which less movement than `digit` was owed."""
    owed = np.flatnonzero(np.abs(demand[: last + 1]) < digit)
    return int(owed[-1]) if owed.size else 0

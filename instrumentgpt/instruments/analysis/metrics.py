"""The figures of one loop: how fast, how far past, how quiet, its swing, how hard its output works."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from instrumentgpt.instruments.analysis.kind import LoopKind
from instrumentgpt.instruments.analysis.signals import periodicity, runs, smooth
from instrumentgpt.instruments.analysis.tracks import BAND, Step, Track
from instrumentgpt.instruments.loops import Floats, Loop, Mask


def rise_time(time: Floats, pv: Floats, setpoint: float) -> float:
    """Return the seconds pv takes from 10 to 90 % of the way from pv[0] to `setpoint`; nan if it never does.

    time  (n,) s, increasing
    pv    (n,) from the step on

    >>> rise_time(np.arange(11.0), np.linspace(20.0, 40.0, 11), setpoint=40.0)
    8.0
    """
    if not len(pv) or setpoint == pv[0]:
        return math.nan
    way = (pv - pv[0]) / (setpoint - pv[0])
    started, arrived = np.flatnonzero(way >= 0.1 - 1e-9), np.flatnonzero(way >= 0.9 - 1e-9)
    return float(time[arrived[0]] - time[started[0]]) if arrived.size else math.nan


def settling_time(time: Floats, pv: Floats, setpoint: float, band: float = BAND) -> float:
    """Return the seconds after which pv stays within `band` of `setpoint`, in the unit of pv.

    nan if the stretch ends outside the band: "not settled" must never look like a number.

    >>> settling_time(np.arange(5.0), np.array([20.0, 30.0, 36.5, 36.9, 37.1]), setpoint=37.0, band=0.3)
    3.0
    >>> settling_time(np.arange(2.0), np.array([20.0, 30.0]), setpoint=37.0)
    nan
    """
    outside = np.flatnonzero(~(np.abs(pv - setpoint) <= band))
    if not outside.size:
        return 0.0
    last = int(outside[-1])
    return math.nan if last == len(pv) - 1 else float(time[last + 1] - time[0])


def overshoot(pv: Floats, setpoint: float) -> float:
    """Return how far pv went past `setpoint`, coming from pv[0], in the unit of pv; 0 if it never passed.

    >>> round(overshoot(np.array([20.0, 36.0, 38.2, 37.0]), setpoint=37.0), 2)
    1.2
    """
    finite = pv[np.isfinite(pv)]
    if not finite.size:
        return math.nan
    sign = math.copysign(1.0, setpoint - float(finite[0]))
    return max(0.0, float(np.max(sign * (finite - setpoint))))


def half_peak_to_peak(values: Floats) -> float:
    """Return half the distance of the lowest and the highest of `values`; nan without any.

    >>> round(half_peak_to_peak(np.sin(np.linspace(0, 60, 2000))), 1)
    1.0
    """
    finite = values[np.isfinite(values)]
    return float(finite.max() - finite.min()) / 2 if finite.size else math.nan


@dataclass(frozen=True)
class Metrics:
    """What one channel did; temperatures in the unit of the log, nan where the log cannot say.

    The figures from mean_error to duty are over holds, once settled (or, if never, once pv was there).
    """

    channel: int
    samples: int
    sample_period: float  # s, median
    controlled: float  # share of the record with a setpoint and the loop on
    setpoint: float  # the one held longest
    mean_error: float  # setpoint - pv
    half_peak_to_peak: float  # of a mean of half a lag; of a loop that is on or off, of most of its cycles
    period: float  # s, of the strongest oscillation; nan without one
    regularity: float  # autocorrelation at that period
    duty: float  # percent, mean output
    saturated: float  # share of the controlled time with the output at a limit
    rise_time: float  # s, median of the steps
    settling_time: float  # s, slowest step; nan if none, or one did not settle
    overshoot: float  # largest of the steps
    overshoot_percent: float  # of that step
    noise: float  # standard deviation of pv
    digit: float  # coarseness of pv
    band: float  # deviation worth a word: what settling is told of
    lag: float  # s in which the loop can show that it does something
    in_band: float  # share of the controlled time within the band, or that of its own cycles
    iae_per_hour: float  # integral of |error|, degree hours per hour
    kp: float
    ki: float
    kd: float


def metrics_of(track: Track) -> Metrics:
    """Return the figures of the loop that `track` was made from."""
    held, loop, on = track.holding, track.loop, track.controlled
    calm = held & ~track.settling
    calm = calm if calm.any() else held  # its humps after a step are its overshoot
    error = track.error[held]
    longest = _longest(held)
    period, regularity = periodicity(np.nan_to_num(track.error[longest] - mean_of(track.error[longest])))
    sign = math.copysign(1.0, track.scale)
    rise, settle, over, over_percent = _steps(track)
    limited = (track.at_low | track.at_high)[on]
    return Metrics(
        channel=loop.channel,
        samples=len(track),
        sample_period=track.period,
        controlled=_share(on),
        setpoint=main_setpoint(track),
        mean_error=sign * track.shown(mean_of(error)),
        half_peak_to_peak=track.shown(track.own_swing or half_peak_to_peak(track.smooth_error[calm])),
        period=period * track.period,
        regularity=regularity,
        duty=mean_of(track.output[held]),
        saturated=_share(limited) if np.isfinite(track.output).any() else math.nan,
        rise_time=rise,
        settling_time=settle,
        overshoot=track.shown(over),
        overshoot_percent=over_percent,
        noise=track.shown(track.noise),
        digit=track.shown(track.digit),
        band=track.shown(BAND),
        lag=track.lag,
        in_band=_share(np.abs(track.error[on]) < track.own_band),
        iae_per_hour=track.shown(mean_of(np.abs(track.error[on]))),
        kp=_last(loop.kp),
        ki=_last(loop.ki),
        kd=_last(loop.kd),
    )


def _longest(mask: Mask) -> slice:
    """Return the longest run of True: what several holds have in common is their programme's, not a swing's.

    >>> _longest(np.array([True, False, True, True]))
    slice(2, 4, None)
    """
    found = runs(mask)
    first, stop = max(found.tolist(), key=lambda run: run[1] - run[0], default=(0, 0))
    return slice(first, stop)


def mean_of(values: Floats) -> float:
    """Return the mean of the finite of `values`; nan without any."""
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else math.nan


def _share(mask: Mask) -> float:
    return float(mask.mean()) if mask.size else math.nan


def _last(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(finite[-1]) if finite.size else math.nan


def main_setpoint(track: Track) -> float:
    """Return the setpoint in force for longest, in the unit of the log; nan if there is none."""
    given = track.loop.setpoint[track.controlled]
    if not given.size:
        return math.nan
    values, counts = np.unique(given, return_counts=True)
    return float(values[np.argmax(counts)])


def _steps(track: Track) -> tuple[float, float, float, float]:
    """Return rise time (median), settling time (slowest), overshoot (largest, °C), percent of its step."""
    ends = [
        (step, step.index, step.stop) for step in track.steps if track.usable[step.index : step.stop].all()
    ]
    steps = [step for step, a, b in ends if track.let_cool(a, b) == a or track.settled(a, b) < b]
    if not steps:
        return (math.nan,) * 4
    answers = [answer_to(track, step) for step in steps]
    rises = np.array([answer[0] for answer in answers])
    largest = max(answers, key=lambda answer: answer[2])
    settles = [answer[1] for answer in answers]
    return (
        float(np.nanmedian(rises)) if np.isfinite(rises).any() else math.nan,
        math.nan if any(math.isnan(value) for value in settles) else max(settles),
        largest[2],
        largest[3],
    )


def answer_to(track: Track, step: Step) -> tuple[float, float, float, float]:
    """Return rise time and settling time (s), overshoot in bands and in percent of `step`."""
    part = slice(step.index, track.over(step))
    time, pv = track.time[part], step.setpoint - track.smooth_error[part]
    past = overshoot(pv, step.setpoint)
    settled = settling_time(time, pv, step.setpoint)
    return rise_time(time, pv, step.setpoint), settled, past, 100 * past / abs(step.size)


Maker = Literal["switching", "outside", "actuator", "not_the_output", "open", "irregular"]
Held = tuple[Floats, Floats, Floats]  # time (s), error and output of the samples on a setpoint
REGULAR = 0.6  # autocorrelation after one period, from which a swing has a period worth a word
TOGETHER = 0.8  # correlation with a neighbour, from which both move by one cause
ABOVE_NOISE = 3.0  # times noise and digit that a swing must have to be one
STILL = 0.02  # % of output amplitude below which the output does not take part
COARSE_STEPS = 4  # values of the output in a swing, up to which it moves in steps
LEAST_CYCLES = 4.0  # three can be chance
FEWEST_SAMPLES = 16  # of a hold that a period is looked for in


@dataclass(frozen=True)
class Swing:
    """What is left of a loop's error while it holds its setpoint, in the unit of the log.

    half_size   half peak-to-peak, beyond the sensor's scatter
    period      s; nan without one; `regularity` is the autocorrelation there, `cycles` how many there are
    output      %, amplitude of the output at that period
    phase       degrees by which the output follows the error at that period: 0 answers it at once
    expected    degrees that the gains in force give: the controller's own answer; nan without gains
    together    channels that move with it at the same moments
    maker       "switching": its output only goes on and off; "outside": several loops at once; "actuator":
                the output moves in steps; "not_the_output": it stands still; "open": its loop or something
                outside, which one log at rest cannot tell; "irregular": no period
    """

    channel: int
    half_size: float
    band: float
    period: float
    maker: Maker
    regularity: float = math.nan
    cycles: float = math.nan
    output: float = math.nan
    phase: float = math.nan
    expected: float = math.nan
    together: tuple[int, ...] = ()


def swings_of(
    loops: Mapping[int, Loop], channels: Mapping[int, Metrics], kinds: Mapping[int, LoopKind]
) -> dict[int, Swing]:
    """Return channel → its swing, of the channels that hold a setpoint within their bands at least partly."""
    switching = [number for number, kind in kinds.items() if kind.drive == "on_off" and number in channels]
    held = {
        number: _longest_hold(loops[number], channels[number])
        for number in channels
        if number in loops and number not in switching
    }
    errors = {number: hold for number, hold in held.items() if len(hold[0])}
    swings = {number: _swing(number, errors, channels[number]) for number in errors}
    swings |= {number: _cycle(loops[number], channels[number]) for number in switching}
    return {number: swing for number, swing in swings.items() if swing is not None}


def _cycle(loop: Loop, metrics: Metrics) -> Swing:
    """Return what a loop does whose output only goes on and off: its period is that of its switching on."""
    on = loop.output > np.nanmean(loop.output)
    starts = loop.time[1:][on[1:] & ~on[:-1]]
    period = float(np.median(np.diff(starts))) if len(starts) > 1 else math.nan
    return Swing(loop.channel, metrics.half_peak_to_peak, metrics.band, period, "switching")


def _longest_hold(loop: Loop, metrics: Metrics) -> Held:
    """Return time, error and output of the longest hold; out of the band the error is told as none.

    Nothing where it is in it too seldom.
    """
    hold = _longest(loop.setpoint == metrics.setpoint)
    time, error, output = loop.time[hold], loop.setpoint[hold] - loop.pv[hold], loop.output[hold]
    near = np.abs(error - metrics.mean_error) <= metrics.band
    if np.count_nonzero(near) < FEWEST_SAMPLES:
        return time[:0], error[:0], output[:0]
    return time, np.where(near, error - mean_of(error[near]), 0.0), output


def _swing(number: int, errors: Mapping[int, Held], metrics: Metrics) -> Swing | None:
    time, error, output = errors[number]
    window = max(1, round(0.5 * metrics.lag / metrics.sample_period)) if metrics.sample_period > 0 else 1
    quiet = smooth(error, window)
    half = float(np.nanmax(quiet) - np.nanmin(quiet)) / 2
    if half < ABOVE_NOISE * max(metrics.noise, metrics.digit if metrics.digit > 0 else 0.0):
        return None
    samples, regularity = periodicity(error)
    period = samples * metrics.sample_period
    regular = regularity > REGULAR and period > 0
    period = period if regular else math.nan
    cycles = float(time[-1] - time[0]) / period if regular else 0.0
    is_seen = regular and np.isfinite(output).any()
    amplitude, phase = _output_at(time, error, output, period) if is_seen else (math.nan, math.nan)
    expected = math.nan
    if regular and metrics.kp > 0:
        expected = math.degrees(-math.atan2(metrics.ki * period / (2 * math.pi), metrics.kp))
    together = tuple(
        other
        for other in errors
        if other != number and _likeness(errors[number], errors[other], window) >= TOGETHER
    )
    is_stepped = regular and 1 < len(np.unique(np.round(output[np.isfinite(output)], 2))) <= COARSE_STEPS
    maker: Maker = (
        "outside" if together
        else "irregular" if not regular or cycles < LEAST_CYCLES
        else "not_the_output" if amplitude <= STILL  # nan where the log has no output: nobody can say
        else "actuator" if is_stepped
        else "open"
    )  # fmt: skip
    return Swing(
        number, half, metrics.band, period, maker, regularity, cycles, amplitude, phase, expected, together
    )


def _output_at(time: Floats, error: Floats, output: Floats, period: float) -> tuple[float, float]:
    """Return the amplitude of the output at `period` (%), and the degrees by which it follows the error."""
    is_finite = np.isfinite(output) & np.isfinite(error)
    turn = np.exp(-2j * np.pi * time[is_finite] / period)
    of_error = 2 * np.mean(error[is_finite] * turn)
    of_output = 2 * np.mean((output[is_finite] - np.mean(output[is_finite])) * turn)
    if abs(of_error) == 0.0:
        return math.nan, math.nan
    return float(abs(of_output)), float(np.degrees(np.angle(of_output / of_error)))


def _likeness(hold: Held, other: Held, window: int) -> float:
    """Return the correlation of two errors at the same moments; 0 where they share too few."""
    start, stop = max(hold[0][0], other[0][0]), min(hold[0][-1], other[0][-1])
    inside = (hold[0] >= start) & (hold[0] <= stop)
    if inside.sum() < FEWEST_SAMPLES:
        return 0.0
    first = smooth(hold[1], window)[inside]
    second = np.interp(hold[0][inside], other[0], smooth(other[1], window))
    if np.std(first) == 0.0 or np.std(second) == 0.0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])

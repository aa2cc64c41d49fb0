"""The figures of one loop: how fast, how far past, how quiet, how hard its output works."""

import math
from dataclasses import dataclass

import numpy as np

from instrumentgpt.instruments.analysis.signals import periodicity
from instrumentgpt.instruments.analysis.tracks import BAND, Step, Track
from instrumentgpt.instruments.loops import Floats, Mask


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
    half_peak_to_peak: float  # of a mean of half a lag; in a diagnosis that tells a swing, that one
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
    period, regularity = (
        periodicity(np.nan_to_num(error - np.nanmean(error))) if np.isfinite(error).any() else (math.nan,) * 2
    )
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
        half_peak_to_peak=track.shown(half_peak_to_peak(track.smooth_error[calm])),
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
    answers = [_answer(track, step) for step in steps]
    rises = np.array([answer[0] for answer in answers])
    largest = max(answers, key=lambda answer: answer[2])
    settles = [answer[1] for answer in answers]
    return (
        float(np.nanmedian(rises)) if np.isfinite(rises).any() else math.nan,
        math.nan if any(math.isnan(value) for value in settles) else max(settles),
        largest[2],
        largest[3],
    )


def _answer(track: Track, step: Step) -> tuple[float, float, float, float]:
    part = slice(step.index, track.over(step))
    time, pv = track.time[part], step.setpoint - track.smooth_error[part]
    past = overshoot(pv, step.setpoint) if abs(step.size) > 0 else 0.0
    settled = settling_time(time, pv, step.setpoint)
    return rise_time(time, pv, step.setpoint), settled, past, 100 * past / abs(step.size)

"""A loop made ready to be judged: clock mended, direction of action known, limits of its output found."""

from dataclasses import replace

import numpy as np

from instrumentgpt.instruments.analysis.kind import drive_of, switched
from instrumentgpt.instruments.analysis.own_units import CELSIUS, band_of, lag_of, room_in, span_of
from instrumentgpt.instruments.analysis.readings import believable, is_rail, without_spikes
from instrumentgpt.instruments.analysis.signals import MAD_TO_SIGMA, constant_runs, runs
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.loops import Floats, Loop, Mask
from instrumentgpt.instruments.reading.record import UNSTATED, StatedLoop

SMALLEST_CLAMP, LARGEST_CLAMP = 5.0, 99.0  # percent
CLAMPED_FOR = 2.0  # lags
LONG = 3.0  # times `CLAMPED_FOR`, from which an error need not be worked off
ROSE = 10.0  # percent by which an output went up to its clamp
WORKED_OFF = 0.6  # of the error left at the end of a stretch at the clamp
SWITCHES = 3  # on and off, that show on which side of its setpoint a thermostat switches
MOSTLY, ALWAYS, ENDS = 0.5, 0.95, 0.1  # shares: of a record, and of its samples at full output
KICK = 20.0  # times the usual move of an output: more answers a step that the log may not tell
FEWEST_MOVES = 10
EXPLAINED = 0.5  # correlation of the output with what its error explains, before its direction is believed


def track_of(
    loop: Loop,
    unit: str = "°C",
    usable: Mask | None = None,
    stated: StatedLoop = UNSTATED,
    shown: Loop | None = None,
    shown_per_logged: float = 1.0,
    cools: bool = False,
) -> Track:
    """Return `loop`, whose pv is in `unit`, made ready, as it is `stated` to be.

    usable  False where the log has a gap nearby
    shown   the loop in the unit it is shown in, of which `shown_per_logged` are one of `unit`
    cools   its output is called so: what counts where the values leave the direction open
    """
    shown, loop = shown or loop, replace(loop, output=switched(loop.output))
    time, period = _mended(loop.time)
    controlled = np.isfinite(loop.setpoint) & ~_switched_off(loop)
    setpoints = loop.setpoint[controlled]
    rough = np.where(is_rail(loop.pv), np.nan, loop.pv)
    band = stated.band or band_of(rough, span_of(rough, setpoints, unit))
    lag = lag_of(time, rough, period, band)
    raw = np.where(believable(loop.pv, time, band, lag), loop.pv, np.nan)
    span = span_of(raw, setpoints, unit)
    band = stated.band or band_of(raw, span)
    lag = lag_of(time, raw, period, band)
    on_off = (stated.drive or drive_of(loop.setpoint, loop.output, controlled)[0]) == "on_off"
    reverse = _acts_in_reverse(loop, on_off, cools) if stated.reverse is None else stated.reverse
    scale = (-1.0 if reverse else 1.0) / band
    error = np.where(controlled, (loop.setpoint - raw) * scale, np.nan)
    everywhere = np.ones(len(loop), dtype=bool) if usable is None else usable
    return Track(
        shown,
        loop,
        scale / shown_per_logged,
        1.0 / band,
        time,
        loop.setpoint * scale,
        raw * scale,
        without_spikes(raw * scale, time, lag, loop.setpoint),
        loop.output,
        everywhere,
        controlled,
        period,
        *output_limits(loop.output, error, max(5, round(CLAMPED_FOR * lag / period))),
        lag=lag,
        span=span / band,
        is_thermal=unit in CELSIUS or unit == "counts",
        rest=room_in(unit) * scale if unit in CELSIUS else None,
        stated=stated,
    )


def _mended(time: Floats) -> tuple[Floats, float]:
    """Return `time` with backward and far forward jumps replaced by the usual period, and that period."""
    steps = np.diff(time)
    forward = steps[steps > 0]
    period = float(np.median(forward)) if forward.size else 1.0
    mended = np.where(steps < 0, period, steps)
    return np.concatenate((time[:1], time[:1] + np.cumsum(mended))), period


def _switched_off(loop: Loop) -> Mask:
    """Return where a setpoint of exactly 0 goes with an output of exactly 0: firmware says "off".

    The first line of it may still tell the output before: setpoint and output are not read at one moment.
    """
    off = np.zeros(len(loop), dtype=bool)
    for first, stop in constant_runs(loop.setpoint):
        late = first + (stop - first > 1)
        if loop.setpoint[first] == 0 and not np.nan_to_num(loop.output[late:stop]).any():
            off[first:stop] = True
    return off


def _acts_in_reverse(loop: Loop, on_off: bool, cools: bool) -> bool:
    """Return whether output falls as the error (setpoint - pv) rises, as in a loop whose output cools.

    A thermostat that cools switches on where it is warmer than where it switches off. Moves of another output
    are explained by moves of the error and by the error itself, as a PI controller's are.
    One that stands at its upper limit says it by bringing pv down to a setpoint below. What none of this
    tells is as the output is called.
    """
    error = loop.setpoint - loop.pv
    if on_off:
        switched = np.diff((loop.output > np.nanmean(loop.output)).astype(np.int8))
        on, off = (error[1:][(switched == way) & np.isfinite(error[1:])] for way in (1, -1))
        if min(len(on), len(off)) >= SWITCHES:
            apart = float(np.median(on) - np.median(off))
            spread = max(float(np.median(np.abs(part - np.median(part)))) for part in (on, off))
            if abs(apart) > MAD_TO_SIGMA * spread:  # a PWM switches by its clock
                return apart < 0
    elif (law := law_of_moves(loop)) is not None:
        of_moves, of_level = law
        return of_moves < 0 and of_level < 0
    above = -error[(loop.output >= LARGEST_CLAMP) & np.isfinite(error)]
    if len(above) <= MOSTLY * len(error) or (above > 0).mean() <= ALWAYS:
        return cools
    ends = max(1, round(ENDS * len(above)))
    return bool(np.median(above[-ends:]) < np.median(above[:ends]))


def law_of_moves(loop: Loop) -> tuple[float, float] | None:
    """Return what of the output's moves comes of the error's moves, and of the error itself; None if little.

    In percent, a standard deviation each, negative where the output falls as its error (setpoint - pv) rises.
    """
    error = loop.setpoint - loop.pv
    moves, level, answers = np.diff(error), error[1:], np.diff(loop.output)
    both = np.isfinite(moves) & np.isfinite(answers) & (answers != 0) & (np.diff(loop.setpoint) == 0)
    if both.sum() < FEWEST_MOVES:
        return None
    both &= np.abs(answers) <= KICK * np.median(np.abs(answers[both]))
    moves, level, answers = moves[both], level[both], answers[both]
    design = np.column_stack([moves, level])
    (kp, ki), *_ = np.linalg.lstsq(design, answers, rcond=None)
    explained = design @ (kp, ki)
    if np.std(explained) == 0 or np.std(answers) == 0:
        return None
    strength = float(np.corrcoef(explained, answers)[0, 1])
    if strength <= EXPLAINED:
        return None
    return float(kp * np.std(moves)), float(ki * np.std(level))


def output_limits(output: Floats, error: Floats, shortest: int) -> tuple[float, float]:
    """Return the limits an output works between, percent: 0 or -100 to 100, or the clamp it showed below 100.

    error     (n,) what the output works against, positive where more is asked for
    shortest  samples that a stretch at a clamp lasts

    A clamp is the highest output there was, if it went there by itself, or stood there over an error that it
    worked off: an output that is not in control stands still where it was over an error that stays.

    >>> rising = np.concatenate([np.full(20, 65.0), np.linspace(60.0, 30.0, 20)])
    >>> output_limits(rising, np.linspace(40.0, -1.0, 40), 5)
    (0.0, 65.0)
    >>> output_limits(np.array([-20.0, 35.0]), np.zeros(2), 5)
    (-100.0, 100.0)
    """
    outputs = output[np.isfinite(output)]
    if not outputs.size:
        return 0.0, 100.0
    low, top = -100.0 if outputs.min() < -1.0 else 0.0, float(outputs.max())
    if not SMALLEST_CLAMP < top < LARGEST_CLAMP:
        return low, 100.0
    with np.errstate(invalid="ignore"):
        at_top = (output >= top - 1e-9) & (error > 0)
    for first, stop in (run for run in runs(at_top).tolist() if run[1] - run[0] >= shortest):
        earlier = output[max(0, first - shortest) : first]
        by_itself = not earlier.size or not np.nanmin(earlier) > top - ROSE
        worked_off = error[stop - 1] < WORKED_OFF * error[first] or stop - first >= LONG * shortest
        if by_itself and worked_off:
            return low, top
    return low, 100.0

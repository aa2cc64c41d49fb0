"""What changed in a channel between two logs: gains, setpoint, output, noise, time out of band."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from instrumentgpt.instruments.analysis.signals import noise
from instrumentgpt.instruments.analysis.study import Study
from instrumentgpt.instruments.analysis.tracks import BAND, Track
from instrumentgpt.instruments.comparing.rows import Row
from instrumentgpt.instruments.tuning.gains import GAIN_NAMES, named_gains

SAME_GAIN = 0.005  # share: smaller differences are rounding in the log
SAME_SETPOINT = 0.05  # in the unit of the log
LEAST_QUIET = 6.0  # lags on setpoint in both logs, before outputs are compared
NOTABLE_DUTY = 1.14  # factor; loops.md section 1, heater_degradation
LEAST_DUTY = 1.0  # %: below it a ratio of outputs says nothing
NOTABLE_NOISE = 2.5  # factor; loops.md section 1, sensor_noise
LEAST_NOISE = 0.00175  # of the span, half of what that rule calls noisy
SETTLED_AFTER = 29.0  # lags: the longest a step may take
NOTABLE_SHARE = 0.1  # of the time out of band


def channel_rows(first: Study, second: Study, channel: int) -> Iterator[Row]:
    """Yield what can be compared of `channel`; of gains and outputs only what both logs tell."""
    a, b = first.tracks[channel], second.tracks[channel]
    unit = first.log.unit
    yield from _gain_rows(a, b, unit)
    yield from _setpoint_rows(a, b, unit)
    yield from _duty_rows(a, b)
    noises = a.shown(_quiet_noise(a)), b.shown(_quiet_noise(b))
    loud = max(noises) > LEAST_NOISE * a.shown(a.span)
    yield _row("noise", channel, *noises, unit, loud and _differs(*noises, NOTABLE_NOISE))
    shares = _out_of_band(a), _out_of_band(b)
    yield Row("out_of_band", channel, *shares, "%", abs(shares[1] - shares[0]) > 100 * NOTABLE_SHARE)


def _row(quantity: str, channel: int, before: float, after: float, unit: str, notable: bool) -> Row:
    return Row(quantity, channel, before, after, unit, notable, after / before if before else math.nan)


def _differs(before: float, after: float, factor: float) -> bool:
    """Return whether one is more than `factor` times the other; False where either is unknown."""
    low, high = sorted((abs(before), abs(after)))
    return high > factor * low


def _gain_rows(a: Track, b: Track, unit: str) -> Iterator[Row]:
    units = {"kp": f"%/{unit}", "ki": f"%/({unit}·s)", "kd": f"%·s/{unit}"}
    first, second = named_gains(a.loop), named_gains(b.loop)
    if first is None or second is None:
        return
    for name in GAIN_NAMES:
        values = float(getattr(first, name)), float(getattr(second, name))
        yield _row(name, a.loop.channel, *values, units[name], _differs(*values, 1 + SAME_GAIN))


def _setpoint_rows(a: Track, b: Track, unit: str) -> Iterator[Row]:
    values = _main_setpoint(a), _main_setpoint(b)
    changed = abs(values[1] - values[0]) > SAME_SETPOINT
    yield Row("setpoint", a.loop.channel, *values, unit, changed)


def _main_setpoint(track: Track) -> float:
    """Return the setpoint in force for longest, in the unit of the log; nan if there is none."""
    given = track.loop.setpoint[track.controlled]
    if not len(given):
        return math.nan
    values, counts = np.unique(given, return_counts=True)
    return float(values[np.argmax(counts)])


def _duty_rows(a: Track, b: Track) -> Iterator[Row]:
    """Yield the mean output at the setpoint that both held longest."""
    first, second = _duties(a), _duties(b)
    common = set(first) & set(second)
    if not common:
        return
    at = max(common, key=lambda setpoint: min(first[setpoint][1], second[setpoint][1]))
    before, after = first[at][0], second[at][0]
    enough = min(abs(before), abs(after)) > LEAST_DUTY
    ratio = after / before if enough else math.nan
    notable = enough and _differs(before, after, NOTABLE_DUTY)
    yield Row("duty", a.loop.channel, before, after, "%", notable, ratio, at=at)


def _duties(track: Track) -> dict[float, tuple[float, float]]:
    """Return setpoint → mean output (%) and seconds on setpoint, of setpoints held for at least a minute."""
    found = {}
    setpoints = track.loop.setpoint
    quiet = track.quiet & np.isfinite(track.output)
    for setpoint in np.unique(setpoints[quiet]):
        mine = quiet & (setpoints == setpoint)
        seconds = float(mine.sum()) * track.period
        if seconds >= track.lags(LEAST_QUIET):
            found[float(setpoint)] = (float(track.output[mine].mean()), seconds)
    return found


def _quiet_noise(track: Track) -> float:
    """Return the noise of pv while on setpoint, °C, at least that of its digits; nan under a minute."""
    if float(track.quiet.sum()) * track.period < track.lags(LEAST_QUIET):
        return math.nan
    return max(noise(track.pv[track.quiet]), track.digit / math.sqrt(12))


def _out_of_band(track: Track) -> float:
    """Return the share (percent) of the time out of the band of a setpoint that stood for `SETTLED_AFTER`.

    nan without such time.
    """
    late = np.zeros(len(track), dtype=bool)
    for first, stop in track.levels:
        late[track.after(first, track.lags(SETTLED_AFTER)) : stop] = True
    known = late & track.usable & np.isfinite(track.smooth_error)
    return 100 * float((np.abs(track.smooth_error[known]) > BAND).mean()) if known.any() else math.nan


def net_of_others(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield `rows`; an output that moved with those of the other channels is not notable."""
    ratios = {row.channel: row.ratio for row in rows if row.quantity == "duty" and math.isfinite(row.ratio)}
    for row in rows:
        others = [ratio for channel, ratio in ratios.items() if channel != row.channel]
        if row.quantity != "duty" or row.channel not in ratios or not others:
            yield row
            continue
        net = row.ratio / float(np.median(others))
        yield replace(row, net=net, notable=row.notable and _differs(1.0, net, NOTABLE_DUTY))

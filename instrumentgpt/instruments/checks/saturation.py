"""A fault of power: the heater, or the cooler, that is too weak for what is asked of it."""

from collections.abc import Sequence

import numpy as np

from instrumentgpt.instruments.analysis.signals import runs
from instrumentgpt.instruments.analysis.study import Study, found
from instrumentgpt.instruments.analysis.tracks import BAND, Track
from instrumentgpt.instruments.arrays import Floats, Mask
from instrumentgpt.instruments.checks.limits import pinned
from instrumentgpt.instruments.findings import Finding, RuledOut

PINNED_FOR = 39.0  # lags
SHORT_OF = 2.0  # bands of error while pinned
FLAT = 0.2  # band per lag
TOO_FAR = 90.0  # lags to go at the present slope
NEAR = 18.0  # lags to go: it arrives


def saturation(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find an output pinned for minutes while pv stands short of a setpoint that this log never held."""
    findings = []
    for track in study.active:
        sides = [(track.at_high, 1.0)] + ([(track.at_low, -1.0)] if track.low < 0 else [])
        hits = [hit for at_limit, sign in sides for hit in [_saturates(study, track, at_limit, sign)] if hit]
        findings += hits[:1]
    return findings


def _saturates(study: Study, track: Track, at_limit: Mask, sign: float) -> Finding | None:
    for first, stop in pinned(track, at_limit):
        seconds = float(track.time[stop - 1] - track.time[first])
        if seconds < track.lags(PINNED_FOR):
            continue
        tail = slice(max(first, int(np.searchsorted(track.time, track.time[stop - 1] - track.lags(12.0)))), stop)
        short = sign * float(np.nanmedian(track.error[tail]))
        slope = sign * _slope(track.time[tail], track.pv[tail]) * track.lag
        to_go = short / slope if slope > 1e-6 else np.inf
        flat, far = slope < FLAT and to_go > NEAR, to_go > TOO_FAR
        if short < SHORT_OF or not (flat or far) or _ever_held(track, stop - 1):
            continue
        numbers: dict[str, float | str] = {
            "output": float(track.output[stop - 1]),
            "seconds": seconds,
            "short": track.shown(short),
            "slope": track.shown(slope) * 60.0 / track.lag,
            "side": "high" if sign > 0 else "low",
        }
        ruled_out = RuledOut("heater_failure", "not_falling", {"slope": numbers["slope"]})
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
    same = np.abs(track.setpoint - track.setpoint[index]) < 1.7
    inside = np.abs(track.smooth_error) < BAND
    return any(track.time[b - 1] - track.time[a] >= track.lags(6.0) for a, b in runs(same & inside & track.controlled))

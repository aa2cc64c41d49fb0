"""A fault of power: the heater, or the cooler, that is too weak for what is asked of it."""

from collections.abc import Sequence

import numpy as np

from instrumentgpt.instruments.analysis.signals import runs
from instrumentgpt.instruments.analysis.study import Study, found
from instrumentgpt.instruments.analysis.tracks import BAND, Track
from instrumentgpt.instruments.arrays import Floats, Mask
from instrumentgpt.instruments.checks.limits import pinned
from instrumentgpt.instruments.findings import Finding, RuledOut

PINNED_FOR = 390.0  # s; loops.md section 1
SHORT_OF = 0.6  # °C of error while pinned; loops.md section 1
FLAT = 0.35  # °C per minute; loops.md section 1
TOO_FAR = 15.0  # minutes to go at the present slope; loops.md section 1


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

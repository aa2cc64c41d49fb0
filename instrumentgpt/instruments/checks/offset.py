"""A loop that rests off its setpoint because nothing integrates: its output only follows the error."""

from collections.abc import Sequence

import numpy as np

from instrumentgpt.instruments.analysis.study import Study, finding_of
from instrumentgpt.instruments.analysis.tracks import BAND, Hold, Track
from instrumentgpt.instruments.checks.control import DEMANDED
from instrumentgpt.instruments.findings import Finding, RuledOut
from instrumentgpt.instruments.loops import Floats

STANDS_OFF = 1.5  # bands
RESTS_FOR = 6.0  # lags, the second half of a hold
STILL = 0.1  # of the offset, by which pv may move from one half of its rest to the other
EXPLAINED = 0.9  # of the output's change, by bias + kp error


def proportional_offset(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find a loop at rest off its setpoint whose output follows from the error alone."""
    findings = []
    for track in study.active:
        rests = [(hold, (hold.first + hold.stop) // 2) for hold in track.holds]
        off = [(hold, middle) for hold, middle in rests if _rests_off(track, middle, hold.stop)]
        kp, share = _follows(track) if off else (0.0, 0.0)
        if share < EXPLAINED:
            continue
        hold, middle = max(off, key=lambda rest: abs(_mean(track.error, rest[1], rest[0].stop)))
        offset = track.shown(_mean(track.error, middle, hold.stop)) * float(np.sign(track.scale))
        numbers: dict[str, float | str] = {
            "offset": offset,
            "half": offset / 2,
            "setpoint": float(track.loop.setpoint[middle]),
            "output": _mean(track.output, middle, hold.stop),
            "kp": kp,
            "share": 100 * share,
            "count": len(off),
        }
        ruled_out = RuledOut(
            "saturation", "inside_limits", {"output": numbers["output"], "limit": track.high}
        )
        first, lines = _arrived(track, *off[0]), (_arrived(track, hold, middle), middle, hold.stop - 1)
        last = off[-1][0].stop - 1
        findings.append(
            finding_of(study, "proportional_offset", track, first, last, lines, numbers, [ruled_out])
        )
    return findings


def _mean(values: Floats, first: int, stop: int) -> float:
    return float(np.nanmean(values[first:stop])) if np.isfinite(values[first:stop]).any() else np.nan


def _rests_off(track: Track, first: int, stop: int) -> bool:
    """Return whether pv stands still off its setpoint, inside the limits, with no integral to move it."""
    seconds, middle = float(track.time[stop - 1] - track.time[first]), (first + stop) // 2
    offset = _mean(track.error, first, stop)
    moved = _mean(track.error, middle, stop) - _mean(track.error, first, middle)
    limited = (track.at_low | track.at_high)[first:stop].any()
    owed = abs(track.loop.ki[first]) * track.shown(abs(offset)) * seconds
    if seconds < track.lags(RESTS_FOR) or limited or not track.usable[first:stop].all() or owed > DEMANDED:
        return False
    return abs(offset) >= STANDS_OFF and abs(moved) <= STILL * abs(offset)


def _follows(track: Track) -> tuple[float, float]:
    """Return kp (percent per logged unit) of output = bias + kp error in holds, and the share it explains."""
    size = track.samples(track.lag)
    inside = track.usable & ~(track.at_low | track.at_high) & np.isfinite(track.error + track.output)
    starts = [at for hold in track.holds for at in range(hold.first, hold.stop - size + 1, size)]
    blocks = [slice(at, at + size) for at in starts if inside[at : at + size].all()]
    error = np.array([track.error[block].mean() for block in blocks])
    output = np.array([track.output[block].mean() for block in blocks])
    if len(blocks) < 3 or np.ptp(output) < DEMANDED or not np.ptp(error) > 0:
        return 0.0, 0.0
    kp, bias = np.polyfit(error, output, 1)
    left = np.sum((output - bias - kp * error) ** 2) / np.sum((output - output.mean()) ** 2)
    return float(kp) * abs(track.scale), float(1 - left) if kp > 0 else 0.0


def _arrived(track: Track, hold: Hold, middle: int) -> int:
    """Return the first sample of `hold` at which pv is where it then rests."""
    away = np.abs(track.smooth_error[hold.first : middle] - _mean(track.error, middle, hold.stop))
    return hold.first + int(np.argmax(np.append(away, 0.0) < BAND))

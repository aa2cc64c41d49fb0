"""A loop that swings and does not stop: by its gains, or by its actuator."""

import math
from collections.abc import Sequence

import numpy as np

from instrumentgpt.instruments.analysis.study import Study, finding_of
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.checks.swings import (
    AT_LIMIT_SHARE,
    SMOOTH,
    WIDE,
    Stuck,
    Swing,
    about_its_middle,
    any_swing_of,
    is_pushed,
    stuck_of,
)
from instrumentgpt.instruments.checks.wiring import follows_output
from instrumentgpt.instruments.findings import Finding, RuledOut

SAME_PERIOD = 0.05  # natural logarithm of the ratio, of loops that one thing outside moves


def oscillation_tuning(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find sustained swings whose output meets a limit in most cycles: the gains are too high."""
    return [
        _finding(study, track, swing, "oscillation_tuning")
        for track, swing in _swings(study, before)
        if not _by_actuator(track, swing)
    ]


def limit_cycle_actuator(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find sustained swings whose output stays inside its limits, and valves that stick."""
    swings = _swings(study, before)
    findings = [
        _finding(study, track, swing, "limit_cycle_actuator")
        for track, swing in swings
        if _by_actuator(track, swing)
    ]
    swinging = {track.loop.channel for track, _ in swings}
    if study.is_thermal:
        return findings
    still = [(track, stuck_of(track)) for track in study.active if track.loop.channel not in swinging]
    return findings + [_stuck_finding(study, track, stuck) for track, stuck in still if stuck is not None]


def _stuck_finding(study: Study, track: Track, stuck: Stuck) -> Finding:
    numbers: dict[str, float | str] = {
        "kind": "sticks",
        "travel": stuck.travel,
        "share": 100 * stuck.share,
        "error": stuck.error,
        "seconds": float(track.time[stuck.last] - track.time[stuck.first]),
    }
    ruled_out = [RuledOut("oscillation_tuning", "unanswered", {"error": stuck.error})]
    lines = (stuck.first, (stuck.first + stuck.last) // 2, stuck.last)
    return finding_of(
        study, "limit_cycle_actuator", track, stuck.first, stuck.last, lines, numbers, ruled_out
    )


def _swings(study: Study, before: Sequence[Finding]) -> list[tuple[Track, Swing]]:
    swings = [(track, any_swing_of(track)) for track in _judged(study, before)]
    own = [(track, swing) for track, swing in swings if swing is not None and not _is_outside(track, swing)]
    return [(track, swing) for track, swing in own if not _is_common(swing, [other for _, other in own])]


def _is_common(swing: Swing, every: Sequence[Swing]) -> bool:
    """Return whether another loop swings as fast inside its limits: no two valves stick so."""
    if swing.at_limit > AT_LIMIT_SHARE:
        return False
    alike = (
        other is not swing
        and other.at_limit <= AT_LIMIT_SHARE
        and abs(math.log(other.period / swing.period)) < SAME_PERIOD
        for other in every
    )
    return any(alike)


def _is_outside(track: Track, swing: Swing) -> bool:
    """Return whether `swing` is brought back by the output, not made by it: by loads, or by a room.

    No room makes a loop work so regularly over so much of its range.
    """
    smooth = swing.at_limit <= AT_LIMIT_SHARE and swing.straightness < SMOOTH
    smooth &= not _is_wide(track, swing) and not follows_output(track)
    return is_pushed(track, swing) or (track.is_thermal and smooth)


def _is_wide(track: Track, swing: Swing) -> bool:
    """Return whether the output goes over much of its range in a `swing` without corners."""
    return swing.output >= WIDE * (track.high - track.low) and swing.straightness < SMOOTH


def _judged(study: Study, before: Sequence[Finding]) -> Sequence[Track]:
    """Return the tracks under control; those without a setpoint about the middle of their pv."""
    if study.active:
        return study.active
    bare = [track for track in study.tracks.values() if track.kind.drive == "manual"]
    return [about_its_middle(track) for track in bare if np.isfinite(track.pv).any()]


def _finding(study: Study, track: Track, swing: Swing, fault: str) -> Finding:
    other, reason = "oscillation_tuning", "inside_limits"
    if fault == other:
        other = "limit_cycle_actuator"
        reason = "meets_limit" if swing.at_limit > AT_LIMIT_SHARE else "no_sticking"
    numbers: dict[str, float | str] = {
        "period": swing.period,
        "amplitude": track.shown(swing.amplitude),
        "cycles": swing.cycles,
        "at_limit": 100 * swing.at_limit,
        "output": swing.output,
        "kp": float(track.loop.kp[swing.last]),
        "ki": float(track.loop.ki[swing.last]),
        "kd": float(track.loop.kd[swing.last]),
    }
    ruled_out = [
        RuledOut(other, reason, numbers),
        RuledOut("sensor_noise", "regular", {"period": swing.period, "regularity": swing.regularity}),
    ]
    lines = (swing.first, *swing.peaks)
    return finding_of(study, fault, track, swing.first, swing.last, lines, numbers, ruled_out)


def _by_actuator(track: Track, swing: Swing) -> bool:
    """Return whether the actuator is behind `swing`: its output stays inside the limits.

    Where pv is no temperature the plant may be fast, and gains can make it swing inside the limits too, as
    they do anywhere next to the gain at which a loop just goes on swinging: smoothly, by much output.
    """
    inside = swing.at_limit <= AT_LIMIT_SHARE
    return inside and track.is_thermal and not _is_wide(track, swing)

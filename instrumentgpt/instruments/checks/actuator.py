"""An actuator whose measured position leaves its output: it sticks, is jammed, or hangs on nothing."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from instrumentgpt.instruments.analysis.position import Followed, followed_by
from instrumentgpt.instruments.analysis.signals import runs, sliding_median
from instrumentgpt.instruments.analysis.study import Study, finding_of
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.checks.swings import any_swing_of
from instrumentgpt.instruments.findings import Finding, RuledOut
from instrumentgpt.instruments.loops import Floats, Mask

AWAY, OF_MOVES = 3.0, 0.2  # times what it usually is, and of what the output moves, that a position is away
PACE, COMES = 3, 1 / 3  # rows in which one that is on its way moves by that share of what it usually is away
FEWEST, LASTS = 10, 0.1  # rows, and share of those since the first, that it is away and not on its way


def position_left(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find an actuator that followed its output and does no longer: it stands still, jumps, or stays away."""
    findings = []
    for track in study.tracks.values():
        position, output = track.loop.position, track.loop.output
        followed = None if position is None else followed_by(position, output)
        if position is None or followed is None:
            continue
        away = followed.away(position, output)
        moved = float(np.ptp(np.nanpercentile(output, (2, 98))))
        limit = max(AWAY * followed.within, OF_MOVES * moved)
        lost = _lost(followed, away, position)
        spells = [(a, b) for a, b in runs(lost).tolist() if np.nanmax(np.abs(away[a:b])) > limit]
        rows = sum(b - a for a, b in spells)
        if rows >= FEWEST and rows >= LASTS * (len(track) - spells[0][0]):
            findings.append(_finding(study, track, position, away, limit, spells))
    return findings


def _lost(followed: Followed, away: Floats, position: Floats) -> Mask:
    """Return where `position` is away and not on its way."""
    pace = max(PACE, followed.rows)
    since = position - np.concatenate([position[:1].repeat(pace), position[:-pace]])
    comes = -np.sign(away) * since > COMES * followed.within
    is_away = (np.abs(away) > followed.within) & ~comes
    lost: Mask = sliding_median(is_away.astype(float), 2 * pace + 1) > 0
    return lost


def _finding(
    study: Study, track: Track, position: Floats, away: Floats, limit: float, spells: list[tuple[int, int]]
) -> Finding:
    first, last = spells[0][0], min(spells[-1][1], len(track) - 1)
    steps, output = np.abs(np.diff(position)), track.loop.output
    jumps = first + np.flatnonzero(steps[first:last] > limit)
    start, stop = max(pairwise([first, *(jumps + 1).tolist(), last]), key=lambda ends: ends[1] - ends[0])
    worst = first + int(np.nanargmax(np.abs(away[first : last + 1])))
    swing = any_swing_of(track) if track.controlled.any() else None
    numbers: dict[str, float | str] = {
        "kind": "jumps" if jumps.size else "stays",
        "times": len(jumps),
        "jump": float(np.median(steps[jumps])) if jumps.size else math.nan,
        "seconds": float(track.time[stop] - track.time[start]),
        "travel": float(np.nanmax(output[start : stop + 1]) - np.nanmin(output[start : stop + 1])),
        "apart": float(abs(away[worst])),
        "position": float(position[worst]),
        "output": float(output[worst]),
        "limit": limit,
        "every": swing.period if swing else math.nan,
        "swing": track.shown(swing.amplitude) if swing else math.nan,
    }
    lines = (first, worst, *(jumps[:2] + 1).tolist(), last)
    ruled_out = [RuledOut("oscillation_tuning", "measured", {"travel": numbers["travel"]})]
    finding = finding_of(study, "limit_cycle_actuator", track, first, last, lines, numbers, ruled_out)
    moments = tuple(float(track.loop.time[a]) for a, _ in spells) if len(spells) > 1 else ()
    return replace(finding, moments=moments, severity=finding.severity if jumps.size else "high")

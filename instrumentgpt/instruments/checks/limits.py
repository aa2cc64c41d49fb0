"""Stretches with the output at a limit: where they begin and end, of either side of a plant."""

from collections.abc import Callable

import numpy as np

from instrumentgpt.instruments.analysis.signals import runs
from instrumentgpt.instruments.analysis.study import Study
from instrumentgpt.instruments.analysis.tracks import BAND, Track
from instrumentgpt.instruments.arrays import Mask
from instrumentgpt.instruments.findings import Finding

LONGER = 4.0  # times its usual stretch, from which an on/off output has a reason to stay
BLIP = 1.0  # lags off the limit that noise on the derivative may cause

Limit = Callable[[Track], Mask]
Judge = Callable[[Study, Track, Mask, float], Finding | None]  # float: 1 of heating, -1 of cooling


def pinned(track: Track, at_limit: Mask) -> list[tuple[int, int]]:
    """Return (first, past-the-last) of each stretch at a limit under control; short leaves are bridged."""
    merged: list[tuple[int, int]] = []
    for a, b in runs(at_limit & track.controlled & np.isfinite(track.pv)):
        if (
            merged
            and track.time[a] - track.time[merged[-1][1] - 1] <= track.lags(BLIP)
            and track.controlled[merged[-1][1]]
        ):
            merged[-1] = (merged[-1][0], int(b))
        else:
            merged.append((int(a), int(b)))
    if track.kind.drive == "on_off" and merged:  # what it does in every cycle is no fault
        lengths = [track.time[b - 1] - track.time[a] for a, b in merged]
        usual = LONGER * float(np.median(lengths))
        merged = [spell for spell, length in zip(merged, lengths, strict=True) if length > usual]
    return merged


def left_band(track: Track, index: int) -> int:
    """Return the last sample before `index` at which the error left the band; `index` if it never was in."""
    inside = np.flatnonzero(np.abs(track.smooth_error[: index + 1]) < BAND)
    inside = inside[track.time[inside] > track.time[index] - track.lags(60.0)]
    return min(int(inside[-1]) + 1, index) if inside.size else index


def back_in_band(track: Track, stop: int) -> int:
    """Return where a fault that lasted to `stop` ends: when pv is back in the band, else with the log."""
    back = np.flatnonzero(np.abs(track.smooth_error[stop - 1 :]) < BAND)
    return stop - 1 + int(back[0]) if back.size else len(track) - 1


def of_either_side(study: Study, judge: Judge, heating: Limit, cooling: Limit) -> list[Finding]:
    """Return what `judge` finds of each channel: of its heating, else of its cooling, if it cools.

    heating, cooling  at which limit of the output a fault of that side shows
    """
    findings = []
    for track in study.active:
        finding = judge(study, track, heating(track), 1.0)
        if finding is None and track.low < 0:
            finding = judge(study, track, cooling(track), -1.0)
        if finding is not None:
            findings.append(finding)
    return findings

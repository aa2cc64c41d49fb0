"""A fault of the sensor: pv stands still while the output moves, or until it jumps."""

import math
from collections.abc import Sequence

import numpy as np

from instrumentgpt.instruments.analysis.readings import impossible_move
from instrumentgpt.instruments.analysis.signals import constant_runs, noise
from instrumentgpt.instruments.analysis.study import Study, finding_of
from instrumentgpt.instruments.analysis.tracks import BAND, Track
from instrumentgpt.instruments.findings import Finding, RuledOut

STUCK_FOR = 7.5  # lags of pv equal to the last digit
TORN_FOR, SHORTEST = 4.0, 2.0  # lags, of one that ends in a jump; and of one such as no other stretch is
STUCK_AFTER = 4.5  # lags of dead time and lag that pv is given to follow the output
RARE = 0.25  # of a still stretch that breaks off, for the longest other one
OFF = 2.0  # bands
RESTED = 4.0  # times the usual time between two switches of an on/off loop, which never rests
JUMP = 4.0  # bands by which pv comes unstuck
STUCK_OUTPUT = 6.0  # percent the output moves meanwhile; loops.md section 1
TREMOR = 0.02  # of the output's movement: more noise than that and pv moves below its last digit
UNSTUCK_OUTPUT = 25.0  # percent, for a pv that later moves on by itself: a sticking actuator does that too


def sensor_stuck(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find a pv equal to the last digit for long while the output moved, or until it jumped."""
    bare = [track for track in study.tracks.values() if track.kind.drive == "manual"]
    return [finding for track in (*study.active, *bare) for finding in _stuck(study, track)]


def _stuck(study: Study, track: Track) -> list[Finding]:
    spells = constant_runs(track.pv)
    held = track.time[spells[:, 1] - 1] - track.time[spells[:, 0]]
    lengths = np.sort(held)
    for first, stop in spells[held >= track.lags(SHORTEST)].tolist():
        seconds = float(track.time[stop - 1] - track.time[first])
        if not np.isfinite(track.pv[first]) or (track.controlled.any() and not track.controlled[stop - 1]):
            continue
        others = float(lengths[-2] if len(lengths) > 1 and seconds == lengths[-1] else lengths[-1])
        moved = _output_moved(track, first, stop)
        setpoints = track.setpoint[first:stop][track.controlled[first:stop]]
        needed = max(STUCK_OUTPUT, 18 * track.digit) if stop == len(track) else UNSTUCK_OUTPUT
        usual = others > 0.5 * seconds and others != seconds
        torn = _jump_after(track, first, stop)
        if usual or (seconds < track.lags(STUCK_FOR) and not torn):
            continue
        if not (
            (torn and (seconds >= track.lags(TORN_FOR) or others < RARE * seconds))
            or (others < RARE * seconds and _rests(track, first, stop))
            or (track.controlled.any() and moved >= needed and not _noisy_output(track, first, stop, moved))
        ):
            continue
        numbers: dict[str, float | str] = {
            "seconds": seconds,
            "value": float(track.loop.pv[first]),
            "output_change": moved,
            "setpoint_change": track.shown(float(np.ptp(setpoints))) if setpoints.size else math.nan,
            "usual": others,
            "jump": torn / track.scale,
            **({"kind": "jump"} if torn and (moved < STUCK_OUTPUT or not setpoints.size) else {}),
        }
        output = np.nan_to_num(track.output[first:stop])
        low, high = first + int(np.argmin(output)), first + int(np.argmax(output))
        first = _stuck_since(track, first, stop, others)
        ruled_out = RuledOut("healthy", "not_coarse", {"usual": others, "seconds": seconds})
        lines = (first, low, high, stop - 1)
        return [finding_of(study, "sensor_stuck", track, first, stop - 1, lines, numbers, [ruled_out])]
    return []


def _jump_after(track: Track, first: int, stop: int) -> float:
    """Return by what a still stretch jumps in the end, bands; 0 on its setpoint: loops stand still there."""
    if stop == len(track) or not track.usable[stop]:
        return 0.0
    if track.controlled.any():
        is_off, least = np.nanmax(np.abs(track.error[first:stop])) > OFF * BAND, JUMP * BAND
    else:
        is_off, least = True, max(JUMP * BAND, impossible_move(track.time, track.raw)[stop - 1])
    size = float(track.raw[min(stop + 1, len(track) - 1)] - track.raw[stop - 1])
    return size if is_off and abs(size) > least else 0.0


def _rests(track: Track, first: int, stop: int) -> bool:
    """Return whether an on/off loop stopped switching while pv stood still: in its band it never rests."""
    if track.kind.drive != "on_off" or abs(track.error[first]) > track.own_band:
        return False
    at = track.time[1:][(np.diff(track.output) != 0) & track.controlled[1:]]
    between = np.diff(at)
    seconds = float(track.time[stop - 1] - track.time[first])
    return bool(between.size and seconds > RESTED * np.percentile(between, 90))


def _output_moved(track: Track, first: int, stop: int) -> float:
    """Return how far the output had moved (percent) `STUCK_AFTER` before the end: pv had time to follow."""
    last = int(np.searchsorted(track.time, track.time[stop - 1] - track.lags(STUCK_AFTER)))
    inside = track.output[min(first + 2, stop - 1) : last]
    inside = inside[np.isfinite(inside)]
    return float(np.ptp(inside)) if inside.size else 0.0


def _stuck_since(track: Track, first: int, stop: int, others: float) -> int:
    """Return where pv can have stuck at the latest: coarse digits are constant for `others` anyway."""
    output = track.output[first:stop]
    away = np.abs(output - output[0]) > 0.3 * STUCK_OUTPUT
    departure = track.time[first + int(np.argmax(away))] if away.any() else track.time[first]
    if others < float(departure) - track.time[first]:
        return first
    return max(first, int(np.searchsorted(track.time, float(departure) - track.lags(STUCK_FOR))))


def _noisy_output(track: Track, first: int, stop: int, moved: float) -> bool:
    """Return whether the output trembles: its controller then sees pv move below the last digit."""
    tremor = noise(track.output[first + 2 : stop])
    return not tremor <= max(TREMOR * moved, 0.6 * track.output_digit)

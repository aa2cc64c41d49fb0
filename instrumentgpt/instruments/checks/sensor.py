"""Faults of the sensor that show in readings no plant can give: open, spikes, a step."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from instrumentgpt.instruments.analysis import readings
from instrumentgpt.instruments.analysis.departures import lasting_need
from instrumentgpt.instruments.analysis.readings import impossible_move
from instrumentgpt.instruments.analysis.signals import constant_runs, noise, runs
from instrumentgpt.instruments.analysis.study import Study, finding_of
from instrumentgpt.instruments.analysis.tracks import BAND, Track
from instrumentgpt.instruments.findings import Finding, RuledOut
from instrumentgpt.instruments.reading.cells import NO_VALUES

FEWEST_SPIKES = 2  # one is a glitch
SPIKES, LARGE = 3.5, 10.0  # moves no plant can make, all spikes together: less is no fault; a glitch
DROPPED_OUT = 5  # samples without a number: fewer are a reading that was missed
KEPT = 0.8  # share of a jump still there after it: a step of the sensor; of real ones 0.95 and more stayed
AT_ONCE = 4  # samples after a jump in which its controller can hardly have answered
ASKED = 0.5  # of a jump, by which the setpoint had just moved: the plant is on its way
MISSING_FOR = 2.0  # lags without a number: shorter is a reading that was missed, whatever the sensor did
ALIKE = 2.0  # times that one jump is larger than another, at most: heat comes so, a sensor does not shed it
CARRIED_ON = 1.6  # times a jump: the plant is on its way, it did not jump


def sensor_open(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find readings that are no temperature: nan, null, the rails of converters."""
    return [finding for track in study.tracks.values() for finding in _open(study, track)]


def _open(study: Study, track: Track) -> list[Finding]:
    spells, loose = _without_reading(track)
    spells = {spell: seconds for spell, seconds in spells.items() if not _is_said(study, track, spell[0])}
    if not spells:
        return []
    first, stop = longest = max(spells, key=spells.__getitem__)
    begins, seconds = [a for a, _ in spells], spells[longest]
    value = float(track.loop.pv[first])
    numbers: dict[str, float | str] = {
        "value": value if math.isfinite(value) else "nan",
        "good": float(track.loop.pv[first - 1]) if first else float("nan"),
        "seconds": seconds,
        "count": len(spells),
        "total": sum(spells.values()),
        **({"kind": "loose"} if loose else {}),
    }
    limit = {"seconds": seconds, "limit": track.lags(readings.SPIKE_RETURNS)}
    ruled_out = RuledOut("sensor_spike", *(("same", numbers) if loose else ("too_long", limit)))
    lines = (*([first - 1] if first else []), first, stop - 1, begins[0], *begins[-2:])
    last = max(b for _, b in spells)
    finding = finding_of(study, "sensor_open", track, begins[0], last, lines, numbers, [ruled_out])
    moments = tuple(float(track.loop.time[a]) for a in begins) if len(begins) > 1 else ()
    return [replace(finding, moments=moments, severity="high" if loose else finding.severity)]


def _is_said(study: Study, track: Track, first: int) -> bool:
    """Return whether the log itself says, at the line where readings stop, what is done: “Calibrating”."""
    events, line = study.log.events, track.loop.line[first]
    at_line = events[(events["line"] == line) & (events["level"] == "info")]
    return not np.isfinite(track.loop.pv[first]) and not {*at_line["text"].str.lower()} <= NO_VALUES


def _without_reading(track: Track) -> tuple[dict[tuple[int, int], float], bool]:
    """Return (first, past-the-last) → s of each spell without a reading, and whether it comes and goes.

    Where none lasted, those are told that came again, at a rail amid good readings of a loop that is on.
    """
    bad, written, time = ~np.isfinite(track.raw), np.isfinite(track.loop.pv), track.time
    if bad.all() and not written.any() and not track.controlled.any():
        return {}, False
    spells = {(int(a), int(b)): float(time[min(b, len(time) - 1)] - time[a]) for a, b in runs(bad)}
    lasting = {
        (a, b)
        for (a, b), seconds in spells.items()
        if b - a >= (3 if written[a] else DROPPED_OUT)
        and seconds >= track.lags(readings.OPEN_FOR if written[a] else MISSING_FOR)
        and (a > 0 or bad.all() or np.isfinite(track.setpoint[a]))
    }
    on = track.usable & (track.controlled | ~np.isfinite(track.setpoint).any())
    values, times = np.unique([track.logged.pv[a] for a, _ in spells if written[a]], return_counts=True)
    railed = readings.is_rail(track.logged.pv) | np.isin(track.logged.pv, values[times >= FEWEST_SPIKES])
    lost = {(a, b) for a, b in spells if a > 0 and b < len(on) and railed[a] and on[a - 1 : b + 1].all()}
    named = lasting | lost if lasting or len(lost) >= FEWEST_SPIKES else set()
    comes_and_goes = len(lost) >= FEWEST_SPIKES and lasting <= lost
    return {spell: spells[spell] for spell in sorted(named)}, comes_and_goes or not lasting


def sensor_spike(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find movements no plant can make that return at once, together `SPIKES` times the least of them."""
    findings = []
    for track in study.tracks.values():
        spikes = readings.spikes_in(track.time, track.raw, track.lag, track.setpoint)
        sizes = [float(track.raw[a] - track.raw[a - 1]) for a, _ in spikes]
        if not spikes:
            continue
        largest = max(range(len(spikes)), key=lambda i: abs(sizes[i]))
        possible = readings.impossible_move(track.time, track.raw)
        moves = sum(abs(size) / possible[a - 1] for size, (a, _) in zip(sizes, spikes, strict=True))
        if moves < (SPIKES if len(spikes) >= FEWEST_SPIKES else LARGE):
            continue
        first, stop = spikes[largest]
        numbers: dict[str, float | str] = {
            "count": len(spikes),
            "size": track.shown(sizes[largest]) * math.copysign(1.0, track.scale),
            "seconds": float(track.time[stop] - track.time[first]),
            "possible": track.shown(float(possible[first - 1])),
        }
        lines = (spikes[0][0], first - 1, first, stop)
        kept = float(track.raw[stop] - track.raw[first - 1]) / sizes[largest]
        ruled_out = RuledOut("sensor_bias", "returns", {"kept": 100 * kept, "seconds": numbers["seconds"]})
        ends = spikes[0][0], spikes[-1][1]
        findings.append(finding_of(study, "sensor_spike", track, *ends, lines, numbers, [ruled_out]))
    return findings


def sensor_step(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find an impossible movement of pv that stays: the sensor moved, the plant did not."""
    return [finding for track in study.tracks.values() for finding in _step(study, track)]


def _step(study: Study, track: Track) -> list[Finding]:
    found_at = readings.jumps(track.time, track.pv)
    moves = readings.impossible_move(track.time, track.pv) if found_at else np.zeros(0)
    merged = _merged(track, found_at)
    sizes = [float(track.pv[last] - track.pv[index - 1]) for index, last in merged]
    for (index, last), size in zip(merged, sizes, strict=True):
        asked = (track.setpoint[last] - track.setpoint[max(index - AT_ONCE, 0)]) / size
        if not (track.usable[index] and _is_held(track, index)) or asked >= ASKED:
            continue
        previous = track.pv[max(0, index - 5) : index]
        later = track.pv[last + 1 : last + 1 + AT_ONCE]
        later = later[np.isfinite(later)]
        if min(len(later), len(previous)) < 3 or not np.isfinite(previous).all():
            continue
        kept = (float(np.median(later)) - float(np.median(previous))) / size
        possible = float(moves[index - 1])
        again = sum(1 / ALIKE < other / size < ALIKE for other in sizes) > 1
        comes_again = again and min(sizes) * max(sizes) > 0  # and never jumps back
        if comes_again or not KEPT < kept < CARRIED_ON or lasting_need(track, index, size) < 1:
            continue
        sign = math.copysign(1.0, track.scale)
        numbers: dict[str, float | str] = {
            "kind": "step",
            "size": sign * track.shown(size),
            "from": float(track.loop.pv[index - 1]),
            "to": float(track.loop.pv[last]),
            "possible": track.shown(possible),
            "kept": 100 * kept,
        }
        stays = {"kept": 100 * kept, "seconds": track.lags(readings.SPIKE_RETURNS)}
        ruled_out, end, lines = RuledOut("sensor_spike", "stays", stays), len(track) - 1, (index - 1, last)
        return [finding_of(study, "sensor_bias", track, index, end, lines, numbers, [ruled_out])]
    return []


def _is_held(track: Track, index: int) -> bool:
    """Return whether a controller with room to move held pv before the jump: else nothing says who jumped."""
    return bool(track.controlled[index]) and not (track.at_low | track.at_high)[index - 1]


def _merged(track: Track, found_at: list[int]) -> list[tuple[int, int]]:
    """Return the first and the last sample of each jump: a filter spreads one over neighbours."""
    merged: list[tuple[int, int]] = []
    for index in found_at:
        if merged and merged[-1][1] == index - 1 and np.prod(np.diff(track.pv[index - 2 : index + 1])) > 0:
            merged[-1] = (merged[-1][0], index)
        else:
            merged.append((index, index))
    return merged


FROZEN_FOR, MANY_DIGITS = 40, 5  # readings of one number that has so many digits, some behind the point
LEAST_NUMBER = float(np.finfo(np.float32).tiny)  # that a converter's float has: below, it is 0
STUCK_FOR = 7.5  # lags of pv equal to the last digit
TORN_FOR = 2.0  # lags, of one that ends in a jump
STUCK_AFTER = 4.5  # lags of dead time and lag that pv is given to follow the output
RARE = 0.25  # of a still stretch of a loop that rests, for the longest other one
RESTED = 4.0  # times the usual time between two switches of an on/off loop, which never rests
OFF = 2.0  # bands
JUMP = 4.0  # bands by which pv comes unstuck
STUCK_OUTPUT = 6.0  # percent the output moves meanwhile; loops.md section 1
TREMOR = 0.02  # of the output's movement: more noise than that and pv moves below its last digit
UNSTUCK_OUTPUT = 25.0  # percent, for a pv that later moves on by itself: a sticking actuator does that too


def sensor_stuck(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find a pv equal to the last digit for long while the output moved, or until a jump, or throughout."""
    bare = [track for track in study.tracks.values() if track.kind.drive == "manual"]
    found = [finding for track in (*study.active, *bare) for finding in _stuck(study, track)]
    return found or [finding for track in study.tracks.values() for finding in _frozen(study, track)]


def _frozen(study: Study, track: Track) -> list[Finding]:
    """Find a pv that is one number of `MANY_DIGITS` throughout: a live one would not be read so again."""
    read = np.flatnonzero(np.isfinite(track.loop.pv))
    if len(read) < FROZEN_FOR or np.ptp(track.loop.pv[read]):
        return []
    value = float(track.loop.pv[read[0]])
    if (
        value.is_integer()
        or abs(value) < LEAST_NUMBER
        or len(f"{abs(value):.9g}".lstrip("0.").replace(".", "")) < MANY_DIGITS
    ):
        return []
    first, last = int(read[0]), int(read[-1])
    numbers: dict[str, float | str] = {"kind": "frozen", "value": value, "count": len(read)}
    numbers["seconds"] = float(track.time[last] - track.time[first])
    finding = finding_of(study, "sensor_stuck", track, first, last, (first, last), numbers)
    return [replace(finding, severity="high")]


def _stuck(study: Study, track: Track) -> list[Finding]:
    spells = constant_runs(track.pv)
    held = track.time[spells[:, 1] - 1] - track.time[spells[:, 0]]
    lengths = np.sort(held)
    for first, stop in spells[held >= track.lags(TORN_FOR)].tolist():
        seconds = float(track.time[stop - 1] - track.time[first])
        is_on = track.controlled[first:stop].mean() > 0.5 or not track.controlled.any()
        if not (np.isfinite(track.pv[first]) and is_on):
            continue
        others = float(lengths[-2] if len(lengths) > 1 and seconds == lengths[-1] else lengths[-1])
        moved = _output_moved(track, first, stop)
        setpoints = track.setpoint[first:stop][track.controlled[first:stop]]
        needed = max(STUCK_OUTPUT, 18 * track.digit) if stop == len(track) else UNSTUCK_OUTPUT
        torn = _jump_after(track, first, stop)
        came = np.abs(track.raw[max(first - 2, 0) : first] - track.raw[first])  # torn at both ends: no digits
        is_cut_out = bool(torn) and bool((came > JUMP * BAND).any())
        usual = others > 0.5 * seconds and others != seconds and not is_cut_out
        if usual or (seconds < track.lags(STUCK_FOR) and not torn):
            continue
        asked = track.controlled.any() and moved >= needed and not _noisy_output(track, first, stop, moved)
        if not (torn or asked or (others < RARE * seconds and _rests(track, first, stop))):
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
        coarse = RuledOut("healthy", "not_coarse", {"usual": others, "seconds": seconds})
        ruled_out = [coarse] * (others < seconds)
        lines = (first, low, high, stop - 1)
        return [finding_of(study, "sensor_stuck", track, first, stop - 1, lines, numbers, ruled_out)]
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
    between = np.diff(track.time[1:][np.diff(track.output) != 0])
    seconds = float(track.time[stop - 1] - track.time[first])
    in_band = track.kind.drive == "on_off" and abs(track.error[first]) <= track.own_band
    return bool(in_band and between.size and seconds > RESTED * np.percentile(between, 90))


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

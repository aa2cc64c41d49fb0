"""Faults of the sensor that one channel's own pv gives away: open, spikes, a step, stuck, noise."""

import math
from collections.abc import Sequence

import numpy as np

from instrumentgpt.instruments.analysis.excursions import (
    OPEN_FOR,
    SPIKE_RETURNS,
    excursions,
    impossible_move,
    jumps,
)
from instrumentgpt.instruments.analysis.signals import Floats, constant_runs, noise, runs, sliding_median
from instrumentgpt.instruments.analysis.study import Study, found
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.findings import Finding, RuledOut

SPIKES = 2  # fewer are a glitch, not a fault; loops.md section 1
DROPPED_OUT = 5  # samples without a number: fewer are a reading that was missed
KEPT = 0.6  # share of a jump still there after it: a step of the sensor; loops.md section 1
CARRIED_ON = 1.6  # times a jump: the plant is on its way, it did not jump
STUCK_FOR = 75.0  # s of pv equal to the last digit; loops.md section 1
STUCK_AFTER = 45.0  # s of dead time and lag that pv is given to follow the output
STUCK_OUTPUT = 6.0  # percent the output moves meanwhile; loops.md section 1
TREMOR = 0.02  # of the output's movement: more noise than that and pv moves below its last digit
UNSTUCK_OUTPUT = 25.0  # percent, for a pv that later moves on by itself: a sticking actuator does that too
NOISY = 0.085  # °C, standard deviation; loops.md section 1
NOISIER = 2.5  # times the channel's own quiet level; loops.md section 1
NOISY_FOR = 180.0  # s; loops.md section 1
BLOCK = 20.0  # s over which the noise is taken


def sensor_open(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find readings that are no temperature: nan, null, the rails of converters."""
    return [finding for track in study.tracks.values() for finding in _open(study, track)]


def _open(study: Study, track: Track) -> list[Finding]:
    bad = ~np.isfinite(track.raw)
    if bad.all() and not np.isfinite(track.loop.pv).any() and not track.controlled.any():
        return []
    spells = [
        (int(a), int(b))
        for a, b in runs(bad)
        if b - a >= (3 if np.isfinite(track.loop.pv[a]) else DROPPED_OUT)
        and track.time[min(b, len(track) - 1)] - track.time[a] >= OPEN_FOR
        and (a > 0 or np.isfinite(track.setpoint[a]))
    ]
    if not spells:
        return []
    first, stop = spells[0]
    last = spells[-1][1]
    value = float(track.loop.pv[first])
    numbers: dict[str, float | str] = {
        "value": value if math.isfinite(value) else "nan",
        "good": float(track.loop.pv[first - 1]) if first else float("nan"),
        "seconds": float(track.time[min(stop, len(track) - 1)] - track.time[first]),
        "count": len(spells),
    }
    ruled_out = RuledOut("sensor_spike", "too_long", {"seconds": numbers["seconds"], "limit": SPIKE_RETURNS})
    lines = (first - 1, first, stop - 1) if first else (first, stop - 1)
    return [found(study, "sensor_open", track, first, last, lines, numbers, [ruled_out])]


def sensor_spike(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find at least `SPIKES` movements no plant can make that return by themselves within seconds."""
    findings = []
    for track in study.tracks.values():
        spikes = excursions(track.time, track.raw)
        if len(spikes) < SPIKES:
            continue
        sizes = [float(track.raw[a] - track.raw[a - 1]) for a, _ in spikes]
        largest = max(range(len(spikes)), key=lambda i: abs(sizes[i]))
        first, stop = spikes[largest]
        numbers: dict[str, float | str] = {
            "count": len(spikes),
            "size": track.shown(sizes[largest]) * math.copysign(1.0, track.scale),
            "seconds": float(track.time[stop] - track.time[first]),
            "possible": track.shown(float(impossible_move(track.time, track.raw)[first - 1])),
        }
        lines = (spikes[0][0], first - 1, first, stop)
        kept = float(track.raw[stop] - track.raw[first - 1]) / sizes[largest]
        ruled_out = RuledOut("sensor_bias", "returns", {"kept": 100 * kept, "seconds": numbers["seconds"]})
        findings.append(
            found(study, "sensor_spike", track, spikes[0][0], spikes[-1][1], lines, numbers, [ruled_out])
        )
    return findings


def sensor_step(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find an impossible movement of pv that stays: the sensor moved, the plant did not."""
    return [finding for track in study.tracks.values() for finding in _step(study, track)]


def _step(study: Study, track: Track) -> list[Finding]:
    for index in jumps(track.time, track.pv):
        if not track.usable[index] or _was_stuck(track, index):
            continue
        previous = track.pv[max(0, index - 5) : index]
        later = track.pv[track.after(index, SPIKE_RETURNS / 2) : track.after(index, 2 * SPIKE_RETURNS)]
        later = later[np.isfinite(later)]
        if len(later) < 3 or not np.isfinite(previous).all():
            continue
        level, size = float(np.median(previous)), float(track.pv[index] - track.pv[index - 1])
        kept = (float(np.median(later)) - level) / size
        if not KEPT < kept < CARRIED_ON or _moves_on(track, index):
            continue
        sign = math.copysign(1.0, track.scale)
        numbers: dict[str, float | str] = {
            "kind": "step",
            "size": sign * track.shown(size),
            "from": float(track.loop.pv[index - 1]),
            "to": float(track.loop.pv[index]),
            "possible": track.shown(float(impossible_move(track.time, track.pv)[index - 1])),
            "kept": 100 * kept,
        }
        ruled_out = RuledOut("sensor_spike", "stays", {"kept": 100 * kept, "seconds": SPIKE_RETURNS})
        return [
            found(
                study, "sensor_bias", track, index, len(track) - 1, (index - 1, index), numbers, [ruled_out]
            )
        ]
    return []


def _moves_on(track: Track, index: int) -> bool:
    """Return whether the samples beside the jump move half as far: then it is the plant's own pace."""
    size = track.pv[index] - track.pv[index - 1]
    beside = [
        track.pv[index - 1] - track.pv[max(0, index - 2)],
        track.pv[min(index + 1, len(track) - 1)] - track.pv[index],
    ]
    return any(float(move) / size > 0.5 for move in beside if np.isfinite(move))


def _was_stuck(track: Track, index: int) -> bool:
    """Return whether pv stood still before the jump although the output moved: then it comes unstuck."""
    moved = np.flatnonzero(track.pv[:index] != track.pv[index - 1])
    first = int(moved[-1]) + 1 if moved.size else 0
    held = float(track.time[index - 1] - track.time[first])
    return held >= STUCK_FOR and _output_moved(track, first, index) > STUCK_OUTPUT


def sensor_stuck(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find a pv equal to the last digit for long while the output moved as if it were not."""
    return [finding for track in study.active for finding in _stuck(study, track)]


def _stuck(study: Study, track: Track) -> list[Finding]:
    spells = constant_runs(track.pv)
    held = track.time[spells[:, 1] - 1] - track.time[spells[:, 0]]
    lengths = np.sort(held)
    for first, stop in spells[held >= STUCK_FOR].tolist():
        seconds = float(track.time[stop - 1] - track.time[first])
        if not np.isfinite(track.pv[first]) or not track.controlled[stop - 1]:
            continue
        others = float(lengths[-2] if len(lengths) > 1 and seconds == lengths[-1] else lengths[-1])
        moved = _output_moved(track, first, stop)
        setpoint = float(np.ptp(track.setpoint[first:stop][track.controlled[first:stop]]))
        needed = max(STUCK_OUTPUT, 60 * track.digit) if stop == len(track) else UNSTUCK_OUTPUT
        if (
            moved < needed
            or (others > 0.5 * seconds and others != seconds)
            or _noisy_output(track, first, stop, moved)
        ):
            continue
        numbers: dict[str, float | str] = {
            "seconds": seconds,
            "value": float(track.loop.pv[first]),
            "output_change": moved,
            "setpoint_change": track.shown(setpoint),
            "usual": others,
        }
        low, high = _extremes(track.output, first, stop)
        first = _stuck_since(track, first, stop, others)
        ruled_out = RuledOut("healthy", "not_coarse", {"usual": others, "seconds": seconds})
        lines = (first, low, high, stop - 1)
        return [found(study, "sensor_stuck", track, first, stop - 1, lines, numbers, [ruled_out])]
    return []


def _output_moved(track: Track, first: int, stop: int) -> float:
    """Return how far the output had moved (percent) `STUCK_AFTER` before the end: pv had time to follow."""
    start, last = (
        min(first + 2, stop - 1),
        int(np.searchsorted(track.time, track.time[stop - 1] - STUCK_AFTER)),
    )
    inside = track.output[start : max(start, last)]
    inside = inside[np.isfinite(inside)]
    return float(np.ptp(inside)) if inside.size else 0.0


def _stuck_since(track: Track, first: int, stop: int, others: float) -> int:
    """Return where pv can have stuck at the latest: coarse digits are constant for `others` anyway."""
    output = track.output[first:stop]
    away = np.abs(output - output[0]) > 0.3 * STUCK_OUTPUT
    departure = track.time[first + int(np.argmax(away))] if away.any() else track.time[first]
    if others < float(departure) - track.time[first]:
        return first
    return max(first, int(np.searchsorted(track.time, float(departure) - STUCK_FOR)))


def _noisy_output(track: Track, first: int, stop: int, moved: float) -> bool:
    """Return whether the output trembles: its controller then sees pv move below the last digit."""
    tremor = noise(track.output[first + 2 : stop])
    return not tremor <= max(TREMOR * moved, 0.6 * track.output_digit)


def _extremes(values: Floats, first: int, stop: int) -> tuple[int, int]:
    part = np.nan_to_num(values[first:stop])
    return first + int(np.argmin(part)), first + int(np.argmax(part))


def sensor_noise(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find pv noise, white, above `NOISY` and well above the channel's own quiet level, for minutes."""
    levels = {channel: block_noise(track) for channel, track in study.tracks.items()}
    quiet = {c: float(np.nanpercentile(v[1], 20)) for c, v in levels.items() if np.isfinite(v[1]).sum() >= 5}
    findings = []
    for channel, own in quiet.items():
        starts, sigma = levels[channel]
        others = [value for other, value in quiet.items() if other != channel]
        usual = min(own, float(np.median(others))) if others else own
        track = study.tracks[channel]
        limit = max(NOISY, NOISIER * usual, 0.6 * track.digit)
        blocks = math.ceil(NOISY_FOR / max(BLOCK, 10 * track.period))
        for a, b in runs(sliding_median(np.nan_to_num(sigma), 3) > limit):
            if b - a >= blocks:
                findings.append(_noise_finding(study, track, starts, sigma, int(a), int(b), usual, limit))
                break
    return findings


def block_noise(track: Track) -> tuple[list[int], Floats]:
    """Return the first index of each block of `BLOCK` and the noise of pv in it (°C, from third differences).

    Third differences leave only what is white: a slope, a hump, an oscillation of many samples vanish.
    Samples that repeat the one before (a log faster than its controller) are dropped first.
    """
    fresh = np.flatnonzero(np.concatenate(([True], np.diff(track.pv) != 0)))
    index = fresh if len(fresh) < 0.7 * len(track) and track.digit < 0.02 else np.arange(len(track))
    size = max(10, round(BLOCK / track.period)) if track.period > 0 else 10
    size = max(8, int(size * len(index) / max(1, len(track))))
    count = len(index) // size
    pv = track.pv[index[: count * size]].reshape(count, size)
    third = np.abs(np.diff(pv, 3, axis=1))
    with np.errstate(invalid="ignore"):
        typical = np.median(third, axis=1, keepdims=True) if count else third
        clipped = np.minimum(third, np.maximum(6 * typical, 1e-9))
        sigma: Floats = np.sqrt(np.mean(clipped**2, axis=1)) / math.sqrt(20.0) if count else np.zeros(0)
    return [int(i) for i in index[: count * size : size]], sigma


def _noise_finding(
    study: Study, track: Track, starts: list[int], sigma: Floats, a: int, b: int, usual: float, limit: float
) -> Finding:
    first = starts[a]
    stop = starts[b] - 1 if b < len(starts) else len(track) - 1
    part = track.pv[first : stop + 1]
    numbers: dict[str, float | str] = {
        "sigma": track.shown(float(np.median(sigma[a:b]))),
        "usual": track.shown(usual),
        "seconds": float(track.time[stop] - track.time[first]),
        "limit": track.shown(limit),
    }
    low, high = first + int(np.nanargmin(part[:60])), first + int(np.nanargmax(part[:60]))
    share = _white_share(part)
    ruled_out = RuledOut("oscillation_tuning", "white", {"removed": 100 * share})
    return found(study, "sensor_noise", track, first, stop, (first, low, high), numbers, [ruled_out])


def _white_share(pv: Floats) -> float:
    """Return the share of the noise that a mean of three takes away; 0.42 for white noise."""
    rough = np.diff(pv, 3)
    mean = np.diff((pv[:-2] + pv[1:-1] + pv[2:]) / 3, 3)
    return 1.0 - float(np.nanstd(mean) / np.nanstd(rough)) if np.nanstd(rough) > 0 else 0.0

"""A fault of the sensor: white noise on pv, above what the channel usually has."""

import math
from collections.abc import Sequence

import numpy as np

from instrumentgpt.instruments.analysis.signals import runs, sliding_median
from instrumentgpt.instruments.analysis.study import Study, found
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.arrays import Floats
from instrumentgpt.instruments.findings import Finding, RuledOut

NOISY = 0.28  # band, standard deviation
NOISIER = 2.5  # times the channel's own quiet level; loops.md section 1
NOISY_FOR = 18.0  # lags
BLOCK = 2.0  # lags over which the noise is taken


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
        blocks = math.ceil(NOISY_FOR / BLOCK)
        for a, b in runs(sliding_median(np.nan_to_num(sigma), 3) > limit):
            if b - a >= blocks:
                findings.append(_noise_finding(study, track, starts, sigma, int(a), int(b), usual, limit))
                break
    return findings


def block_noise(track: Track) -> tuple[list[int], Floats]:
    """Return the first index of each block of `BLOCK` and the noise of pv in it (bands, from third differences).

    Third differences leave only what is white: a slope, a hump, an oscillation of many samples vanish.
    Samples that repeat the one before (a log faster than its controller) are dropped first.
    """
    fresh = np.flatnonzero(np.concatenate(([True], np.diff(track.pv) != 0)))
    index = fresh if len(fresh) < 0.7 * len(track) and track.digit < 0.07 else np.arange(len(track))
    size = max(10, track.samples(track.lags(BLOCK)))
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

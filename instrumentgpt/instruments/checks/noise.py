"""A fault of the sensor: white noise on pv, above what the channel usually has."""

import math
from collections.abc import Sequence

import numpy as np

from instrumentgpt.instruments.analysis.own_units import CELSIUS
from instrumentgpt.instruments.analysis.signals import MAD_TO_SIGMA, periodicity, runs, sliding_median, smooth
from instrumentgpt.instruments.analysis.study import Study, finding_of
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.findings import Finding, RuledOut
from instrumentgpt.instruments.loops import Floats

NOISY_OF_SPAN = 0.0035  # of the span, standard deviation, of a channel that was quieter
ALWAYS_NOISY = 0.0065  # of the span, of one that never was: half the band of a good loop
WHITE = 0.3  # of the roughness that a mean of three takes away; white noise loses 0.42, a swing a tenth
CLIP = 12.0  # times the median third difference: more is a jump
COARSE = 1.0  # digit: a dithering converter shows no more
ALIKE = 2  # other channels, from which their quiet level says what this one could have
NOISIER = 5.0  # times the channel's own quiet level: a heater that switches doubles or trebles it
NOISY_FOR, ALWAYS_FOR = 8.0, 18.0  # lags above its own quiet level, or above what any channel should have
ROUNDED = 12**-0.5  # digits of noise that rounding makes, and below which it hides what there is
FEWEST_BLOCKS = 5
REGULAR, WINDOW = 0.7, 20.0  # autocorrelation after one period, over as many lags: white noise has 0.2
STEADY = 0.4  # of its standard deviation that it has at any time, by its median: draws, switches come and go
BLOCK = 2.0  # lags over which the noise is taken


def sensor_noise(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find pv noise, white, well above the channel's own quiet level or large beside its span, for long."""
    tracks, findings = study.tracks, list[Finding]()
    levels = {channel: block_noise(track) for channel, track in tracks.items()}
    quiet_levels = {channel: _quiet(tracks[channel], *level) for channel, level in levels.items()}
    quiet = {channel: level for channel, level in quiet_levels.items() if level is not None}
    for channel, level in quiet.items():
        track, (size, sigma) = tracks[channel], levels[channel]
        others = [value for other, value in quiet.items() if other != channel]
        usual = min(level, float(np.median(others))) if len(others) >= ALIKE else level
        usual = max(usual, ROUNDED * track.digit)
        louder = max(NOISY_OF_SPAN * track.span, NOISIER * usual, COARSE * track.digit)
        always = max(ALWAYS_NOISY * track.span, COARSE * track.digit)
        is_told = np.isfinite(track.setpoint).any() or np.isfinite(track.output).any()
        is_known = study.log.unit_of(channel) in CELSIUS and is_told  # else who knows what it reads
        always = always if is_known else np.inf
        loudness = sliding_median(np.nan_to_num(sigma), 3)
        hits = [
            (a * size, b * size if b < len(sigma) else len(track), limit, float(np.median(sigma[a:b])))
            for limit, lags in ((louder, NOISY_FOR), (always, ALWAYS_FOR))
            for a, b in runs(loudness > limit).tolist()
            if b - a >= math.ceil(lags / BLOCK)
        ]
        hits = [hit for hit in hits if _is_white(track, hit[0], hit[1])]
        if not hits:
            continue
        first, stop, limit, loud = min(hits)
        sizes = {"sigma": loud, "usual": usual, "limit": limit}
        findings.append(_finding(study, track, first, stop, sizes))
    return findings


def _finding(study: Study, track: Track, first: int, stop: int, sizes: dict[str, float]) -> Finding:
    part = track.pv[first:stop]
    numbers = {name: track.shown(size) for name, size in sizes.items()}
    numbers["seconds"] = float(track.time[stop - 1] - track.time[first])
    ruled_out = [RuledOut("oscillation_tuning", "white", {"removed": 100 * _white_share(part)})]
    lines = (first, first + int(np.nanargmin(part[:60])), first + int(np.nanargmax(part[:60])))
    return finding_of(study, "sensor_noise", track, first, stop - 1, lines, numbers, ruled_out)


def _is_white(track: Track, first: int, stop: int) -> bool:
    """Return whether pv's roughness there is of noise: steady, and no swing of few samples."""
    pv, size = track.pv[first:stop], track.samples(track.lags(WINDOW))
    rest = np.nan_to_num(pv - smooth(pv, track.samples(track.lag) | 1))
    swings = [periodicity(rest[a : a + size])[1] for a in range(0, max(1, len(rest) - size), size)]
    rough = np.diff(pv, 3)
    steady = MAD_TO_SIGMA * np.nanmedian(np.abs(rough)) > STEADY * np.nanstd(rough)
    return bool(_white_share(pv) > WHITE and steady and not np.nanmedian(swings) > REGULAR)


def _quiet(track: Track, size: int, sigma: Floats) -> float | None:
    """Return the quiet level of `track`, under control if it mostly was: heating can be heard in a sensor."""
    is_finite = np.isfinite(sigma)
    driven = is_finite & track.controlled[: size * len(sigma) : size]
    judged = sigma[driven if driven.sum() >= FEWEST_BLOCKS else is_finite]
    return float(np.percentile(judged, 20)) if judged.size >= FEWEST_BLOCKS else None


def block_noise(track: Track) -> tuple[int, Floats]:
    """Return the samples of a block of `BLOCK`, and pv's noise in each (bands, from third differences).

    Third differences leave only what is white: a slope, a hump, an oscillation of many samples vanish. nan
    where the setpoint stepped as far: pv that is asked to and fro within few samples is no noise.
    """
    size = max(10, track.samples(track.lags(BLOCK)))
    count = len(track) // size
    pv = track.pv[: count * size].reshape(count, size)
    third = np.abs(np.diff(pv, 3, axis=1))
    with np.errstate(invalid="ignore"):
        typical = np.median(third, axis=1, keepdims=True) if count else third
        clipped = np.minimum(third, np.maximum(CLIP * typical, 1e-9))
        sigma: Floats = np.sqrt(np.mean(clipped**2, axis=1)) / math.sqrt(20.0) if count else np.zeros(0)
        asked = np.abs(np.diff(track.setpoint[: count * size].reshape(count, size), 3, axis=1))
        if count:
            sigma[np.nan_to_num(asked).max(axis=1) > sigma * math.sqrt(20.0)] = np.nan
    return size, sigma


def _white_share(pv: Floats) -> float:
    """Return the share of the noise that a mean of three takes away; 0.42 for white noise."""
    rough = np.diff(pv, 3)
    mean = np.diff((pv[:-2] + pv[1:-1] + pv[2:]) / 3, 3)
    return 1.0 - float(np.nanstd(mean) / np.nanstd(rough)) if np.nanstd(rough) > 0 else 0.0

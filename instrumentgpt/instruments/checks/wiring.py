"""Which output moves which pv: sensors, or outputs, of two channels that were swapped."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from instrumentgpt.instruments.analysis.study import Study, finding_of
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.findings import Finding, RuledOut
from instrumentgpt.instruments.loops import Floats, Mask

OFF = 5.0  # bands that pv is off while its output is at the limit that should bring it back
ASTRAY = 0.3  # of the log, so: loops with each other's sensor never hold
BLOCK, SAMPLES = 1.0, 8  # lags in which pv is seen to move; values averaged in one
FEWEST_BLOCKS = 20
BETTER = 4.0  # times less left unexplained crosswise; coupled zones with their own sensors reach 1


def sensors_swapped(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find two loops that both run against a limit, and of which each pv answers the other's output."""
    astray = [at for at, track in enumerate(study.active) if np.mean(_astray(track)) > ASTRAY]
    if len(astray) < 2:
        return []
    left = _unexplained(study.active)
    own = np.diag(left)
    better = {(a, b): float(own[a] * own[b] / (left[a, b] * left[b, a])) for a, b in combinations(astray, 2)}
    findings: list[Finding] = []
    for a, b in sorted(better, key=better.__getitem__, reverse=True):
        pair = study.active[a], study.active[b]
        if better[a, b] > BETTER and not any(
            found.is_about(one.loop.channel) for one in pair for found in findings
        ):
            findings.append(_finding(study, *pair, better[a, b]))
    return findings


def _astray(track: Track) -> Mask:
    """Return where the output is at a limit and pv far off on the side that it should bring it back from."""
    return (track.at_low & (track.smooth_error < -OFF)) | (track.at_high & (track.smooth_error > OFF))


def _unexplained(tracks: Sequence[Track]) -> Floats:
    """Return how much of the moves of each pv (row) is left by each output (column), at most 1.

    What all pv were, and so what heat flows between them, explains the rest; an output moves a pv its own way.
    """
    seconds = BLOCK * max(track.lag for track in tracks) / SAMPLES
    span = max(track.time[0] for track in tracks), min(track.time[-1] for track in tracks)
    count = int((span[1] - span[0]) / seconds) // SAMPLES
    if count < FEWEST_BLOCKS:
        return np.ones((len(tracks), len(tracks)))
    time = span[0] + np.arange(count * SAMPLES) * seconds

    def blocks(track: Track, values: Floats) -> Floats:
        there = np.isfinite(values)
        return np.sign(track.scale) * np.interp(time, track.time[there], values[there]).reshape(
            count, -1
        ).mean(1)

    pv = np.stack([blocks(track, track.pv) for track in tracks])
    output = np.stack([blocks(track, track.output) for track in tracks])
    before, during = output[:, :-2], output[:, 1:-1]
    delays = (before + during + output[:, 2:]) / 3, (before + during) / 2, before
    stays = np.vstack([np.ones(count - 2), pv[:, 1:-1]])

    def of_moves(moves: Floats, *driven: Floats) -> float:
        design = np.vstack([stays, *driven]).T
        weights = np.linalg.lstsq(design, moves, rcond=None)[0]
        is_drive = not driven or weights[-1] > 0
        return float(((moves - design @ weights) ** 2).sum()) if is_drive else np.inf

    left = np.ones((len(tracks), len(tracks)))
    for row, moves in zip(left, pv[:, 2:] - pv[:, :-2], strict=True):
        for at in range(len(tracks)):
            row[at] = min(1.0, *(of_moves(moves, delay[at]) / of_moves(moves) for delay in delays))
    return left


def _finding(study: Study, one: Track, other: Track, better: float) -> Finding:
    mirrored = one.smooth_error * np.interp(one.time, other.time, other.smooth_error)
    at = int(np.nanargmin(mirrored))
    worst = at, min(int(np.searchsorted(other.time, one.time[at])), len(other) - 1)
    numbers: dict[str, float | str] = {"better": better, "limit": BETTER}
    for name, track, index in zip(("one", "other"), (one, other), worst, strict=True):
        numbers |= {
            name: track.loop.channel,
            f"{name}_pv": float(track.loop.pv[index]),
            f"{name}_output": float(track.output[index]),
        }
    ruled_out = RuledOut("runaway_stuck_on", "crosswise", {"better": better})
    of_one, of_other = (
        finding_of(
            study,
            "sensors_swapped",
            track,
            int(np.argmax(_astray(track))),
            len(track) - 1,
            [index],
            numbers,
            [ruled_out],
        )
        for track, index in zip((one, other), worst, strict=True)
    )
    onset, end = min(of_one.onset, of_other.onset), max(of_one.end, of_other.end)
    channels = one.loop.channel, other.loop.channel
    evidence = of_one.evidence + of_other.evidence
    return replace(of_one, channel=None, channels=channels, onset=onset, end=end, evidence=evidence)

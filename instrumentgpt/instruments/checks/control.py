"""Is anybody at the wheel? An output that does not answer the error."""

from collections.abc import Sequence

import numpy as np

from instrumentgpt.instruments.analysis.signals import constant_runs, runs
from instrumentgpt.instruments.analysis.study import Study, finding_of
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.findings import Finding, RuledOut
from instrumentgpt.instruments.loops import Floats

CONSTANT_FOR = 7.5  # lags
STANDING_ERROR = 3.0  # bands
OWED = 0.5  # percent of movement owed, from which an output that stands still is no longer at rest
DIGITS = 12.0  # of the output, likewise: a coarse one hides how it creeps
DEMANDED = 3.0  # percent of movement the gains ask for; loops.md section 1


def control_off(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find an output that stands still over a standing error which the gains in force would answer."""
    findings = []
    for track in study.active:
        finding = next(filter(None, (_off(study, track, a, b) for a, b in _still(track))), None)
        if finding is not None:
            findings.append(finding)
    return findings


def _still(track: Track) -> list[tuple[int, int]]:
    """Return (first, past-the-last) of each stretch of equal output long enough, under control."""
    spells = constant_runs(track.output)
    ends = np.minimum(spells[:, 1], len(track) - 1)
    long = spells[track.time[ends] - track.time[spells[:, 0]] >= track.lags(CONSTANT_FOR)]
    return [(int(a), int(b)) for a, b in long if track.controlled[a:b].any()]


def _off(study: Study, track: Track, first: int, stop: int) -> Finding | None:
    while first < stop and not track.controlled[first]:
        first += 1
    error = track.smooth_error[first:stop]
    low, high = track.at_low[first], track.at_high[first]
    wrong = (
        error > STANDING_ERROR if low else error < -STANDING_ERROR if high else np.abs(error) > STANDING_ERROR
    )
    if (low or high) and _was_asked(error, bool(low)) and stop < len(track):
        return None  # it went to the limit itself and left it again: an integral wound up, at most
    demand = demanded(track, first, stop)
    for a, b in runs(wrong & track.controlled[first:stop]):
        lasted = float(track.time[first + b - 1] - track.time[first + a])
        moved = float(np.max(np.abs(demand[a:b]))) if b > a else 0.0
        if lasted < track.lags(CONSTANT_FOR) or moved < max(DEMANDED, DIGITS * track.output_digit):
            continue
        start = first + _first_owed(demand, a, max(track.output_digit, OWED))
        worst = first + int(a) + int(np.argmax(np.abs(error[a:b])))
        numbers: dict[str, float | str] = {
            "output": float(track.output[first]),
            "seconds": float(track.time[stop - 1] - track.time[start]),
            "error": track.shown(float(np.median(error[a:b]))),
            "demanded": moved,
        }
        ruled_out = RuledOut("saturation", "not_at_limit", {"output": numbers["output"], "limit": track.high})
        lines = (start, worst, stop - 1)
        return finding_of(study, "control_off", track, start, stop - 1, lines, numbers, [ruled_out])
    return None


def _was_asked(error: Floats, low: bool) -> bool:
    """Return whether the error asked for the limit when the output came there, 0 for low, else 100 %."""
    began = error[: max(1, len(error) // 20)]
    if not np.isfinite(began).any():
        return False
    return bool(np.nanmedian(began) < 0) if low else bool(np.nanmedian(began) > 0)


def demanded(track: Track, first: int, stop: int) -> Floats:
    """Return the movement of the output (percent) that the gains in force ask for since sample `first`."""
    error = np.nan_to_num(track.smooth_error[first:stop]) / track.per_logged
    spacing = np.diff(track.time[first:stop], prepend=track.time[first])
    kp, ki = track.loop.kp[first], track.loop.ki[first]
    if not np.isfinite(kp):
        kp, ki = effective_kp(track), 0.0
    moved: Floats = np.nan_to_num(kp) * (error - error[:1]) + np.nan_to_num(ki) * np.cumsum(error * spacing)
    return moved


def effective_kp(track: Track) -> float:
    """Return the gain (percent per unit of the file) with which the output answered the error; 0 if none."""
    moves, answers = np.diff(track.error) / track.per_logged, np.diff(track.output)
    both = np.isfinite(moves) & np.isfinite(answers) & (moves != 0) & (answers != 0)
    if both.sum() < 20:
        return 0.0
    return max(0.0, float(np.median(answers[both] / moves[both])))


def _first_owed(demand: Floats, last: int, digit: float) -> int:
    """Return the last position before `last` at which less movement than `digit` was owed."""
    owed = np.flatnonzero(np.abs(demand[: last + 1]) < digit)
    return int(owed[-1]) if owed.size else 0

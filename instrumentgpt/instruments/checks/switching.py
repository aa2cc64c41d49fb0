"""How often an output that only switches goes on: more often from some time on than a load explains."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from instrumentgpt.instruments.analysis.study import Study, finding_of
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.findings import Finding, RuledOut
from instrumentgpt.instruments.loops import Floats

AGAIN = 5  # cycles before and after: fewer may be a door or a defrost
SHORTER = 2.0  # times that a cycle, and what is the loop's own of it, was longer before
APART = 10, 90  # percentiles of the cycles before and after that do not overlap
LASTS = 3.0  # cycles of before that the later ones take at least
NARROWER = 1.5  # times that pv swung further before, from which it is switched in a narrower band
SEEN = 4.0  # digits, or times its noise, that it swings at least, or nobody can say


def short_cycling(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find on/off loops that are switched on far more often from some time on.

    A load alone changes how often: n = 4 n_max d (1 - d), d the share of the time on and n_max what capacity,
    power and differential make of a loop (Henderson and Rengarajan, ASHRAE Trans. 102 (1), 1996). So both the
    cycle and its 1 / n_max must have become shorter.
    """
    return [found for track in study.active if (found := _more_often(study, track)) is not None]


def _more_often(study: Study, track: Track) -> Finding | None:
    on = track.output > track.high / 2
    starts = np.flatnonzero(np.diff(on.astype(int)) > 0) + 1
    rows = [(a, b) for a, b in pairwise(starts.tolist()) if track.usable[a:b].all()]
    if len(rows) < 2 * AGAIN:
        return None
    length = np.array([track.time[b] - track.time[a] for a, b in rows])
    share = np.array([float(on[a:b].mean()) for a, b in rows])
    own = 4 * length * share * (1 - share)
    at = _parted(np.log(own))
    ratio = min(_times_longer(each, at) for each in (length, own))
    lasted = track.time[rows[-1][1]] - track.time[rows[at][0]]
    if ratio < SHORTER or lasted < LASTS * float(np.median(length[:at])):
        return None
    swings = np.array([np.ptp(track.pv[a:b]) for a, b in rows])
    numbers: dict[str, float | str] = {"ratio": ratio, "cycles": at, "later": len(rows) - at}
    for name, values in (("length", length), ("on", length * share), ("share", 100 * share)):
        numbers |= {name: float(np.median(values[:at])), f"{name}_after": float(np.median(values[at:]))}
    numbers["by_load"] = _times_longer(length, at) / _times_longer(own, at)
    swing, after = (track.shown(float(np.nanmedian(part))) for part in (swings[:at], swings[at:]))
    numbers |= {"swing": swing, "swing_after": after}
    if swing > SEEN * track.shown(max(track.digit, track.noise)):
        numbers["kind"] = "narrow" if swing > NARROWER * after else "fast"
    first, lines = rows[at][0], (*rows[at - 1], rows[at][1], rows[-1][1])
    out = [RuledOut("ambient_disturbance", "not_by_load", numbers)]
    return finding_of(study, "short_cycling", track, first, rows[-1][1], lines, numbers, out)


def _parted(values: Floats) -> int:
    """Return the place that parts `values` into two of the most different means (least squares)."""
    count = np.arange(1, len(values))
    total = np.cumsum(values)
    before, after = total[:-1] / count, (total[-1] - total[:-1]) / (len(values) - count)
    gained = count * (len(values) - count) * (before - after) ** 2
    return AGAIN + int(np.argmax(gained[AGAIN - 1 : len(values) - AGAIN]))


def _times_longer(lengths: Floats, at: int) -> float:
    """Return how many times longer `lengths` are before `at`; 0 where the two overlap."""
    low, high = APART
    is_apart = np.percentile(lengths[:at], low) > np.percentile(lengths[at:], high)
    return float(np.median(lengths[:at]) / np.median(lengths[at:])) if is_apart else 0.0

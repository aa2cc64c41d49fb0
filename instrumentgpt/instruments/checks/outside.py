"""What something outside a loop does to it alone: a door, a draw-off, cold medium, a hand."""

from collections.abc import Sequence

import numpy as np

from instrumentgpt.instruments.analysis.excursions import Excursion, excursions_of
from instrumentgpt.instruments.analysis.study import Study, found
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.findings import Finding, RuledOut

ALIKE = 1.6  # times, at most, that one is larger than another of the same cause
REPEATED = 3  # alike, from which they are no accident
FOUGHT = 5.0  # percent by which the output goes against it
QUICK = 12.0  # lags to its peak: what is slower may be the loop itself


def disturbance(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find channels that were pushed out of their band from outside and came back, by themselves alone.

    Either it happened again and again alike, or the output of a continuous loop went against it.
    """
    findings = []
    for track in study.tracks.values():
        free = [one for one in excursions_of(track) if not _explained(track, one, before)]
        pushed = [one for one in free if _is_push(track, one)]
        largest = max(pushed, key=lambda one: abs(one.size), default=None)
        if largest is None:
            continue
        alike = [one for one in pushed if 1 / ALIKE < one.size / largest.size <= 1]
        fought = [one for one in alike if _fought(track, one)]
        if len(alike) < REPEATED and not fought:
            continue
        findings.append(_finding(study, track, alike, largest, bool(fought)))
    return findings


def _explained(track: Track, excursion: Excursion, before: Sequence[Finding]) -> bool:
    start, stop = track.loop.time[excursion.first], track.loop.time[excursion.last]
    return any(
        finding.channel in (None, track.loop.channel) and finding.onset <= stop and start <= finding.end
        for finding in before
        if finding.fault not in ("data_gap", "insufficient_data")
    )


def _is_push(track: Track, excursion: Excursion) -> bool:
    """Return whether pv went out quickly and came back within the record."""
    rose = float(track.time[excursion.peak] - track.time[excursion.first])
    return excursion.last < len(track) - 1 and rose <= track.lags(QUICK)


def _fought(track: Track, excursion: Excursion) -> bool:
    if track.kind.drive != "continuous":
        return False
    width = track.samples(track.lags(2.0))
    earlier = track.output[max(0, excursion.first - width) : excursion.first + 1]
    during = track.output[excursion.first : excursion.last + 1]
    if not (np.isfinite(earlier).any() and np.isfinite(during).any()):
        return False
    sign = np.sign(excursion.size)
    return bool(np.nanmax(-sign * (during - np.nanmedian(earlier))) >= FOUGHT)


def _finding(
    study: Study, track: Track, alike: list[Excursion], largest: Excursion, fought: bool
) -> Finding:
    sizes = [abs(one.size) for one in alike]
    numbers: dict[str, float | str] = {
        "kind": "alone",
        "channels": str(track.loop.channel),
        "count": 1,
        "smallest": track.shown(min(sizes)),
        "largest": track.shown(max(sizes)),
        "times": len(alike),
        "seconds": float(np.median([track.time[one.last] - track.time[one.first] for one in alike])),
        "limit": track.shown(largest.limit),
        "door": float("nan"),
    }
    reason = "fought" if fought else "again"
    ruled_out = RuledOut("oscillation_tuning", reason, {"times": len(alike)})
    lines = (largest.first, largest.peak, largest.last)
    first, last = alike[0].first, alike[-1].last
    finding = found(study, "ambient_disturbance", track, first, last, lines, numbers, [ruled_out])
    began = tuple(float(track.loop.time[one.first]) for one in alike)
    return Finding(**{**finding.__dict__, "moments": began})

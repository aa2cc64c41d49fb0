"""What something outside a loop does to it alone: a door, a draw-off, cold medium, a hand."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from instrumentgpt.instruments.analysis.departures import Departure
from instrumentgpt.instruments.analysis.study import Study, found, quote
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.findings import Excursion, Finding, RuledOut

NO_CAUSE = ("data_gap", "insufficient_data", "healthy")
ALIKE = 1.6  # times, at most, that one is larger than another of the same cause
REPEATED = 3  # alike, from which they are no accident
CLEAR = 1.7  # times the limit of its band
FOUGHT = 5.0  # percent by which the output goes against it
QUICK = 12.0  # lags to its peak: what is slower may be the loop itself


def disturbance(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find channels that were pushed out of their band from outside and came back, by themselves alone.

    Either it happened again and again alike, or the output of a continuous loop went against it.
    """
    findings = []
    for track in study.tracks.values():
        free = [one for one in study.departures[track.loop.channel] if not _explained(track, one, before)]
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


def excursions_of(study: Study, findings: Sequence[Finding]) -> tuple[Excursion, ...]:
    """Return every time in which a channel left its own band, and which of `findings` covers it."""
    noted = [
        _noted(study, track, departure, findings)
        for track in study.tracks.values()
        for departure in study.departures[track.loop.channel]
    ]
    return tuple(sorted(noted, key=lambda excursion: excursion.onset))


def _noted(study: Study, track: Track, departure: Departure, findings: Sequence[Finding]) -> Excursion:
    return Excursion(
        track.loop.channel,
        float(track.loop.time[departure.first]),
        float(track.loop.time[departure.last]),
        math.copysign(1.0, track.scale) * track.shown(departure.size),
        track.shown(departure.limit),
        quote(study, track, departure.first, departure.peak, departure.last),
        _explained(track, departure, findings),
    )


def _explained(track: Track, departure: Departure, findings: Sequence[Finding]) -> str:
    """Return the class of the first of `findings` that covers a part of `departure`, "" if none does."""
    start, stop = track.loop.time[departure.first], track.loop.time[departure.last]
    covering = (
        finding.fault
        for finding in findings
        if finding.channel in (None, track.loop.channel) and finding.onset <= stop and start <= finding.end
    )
    return next((fault for fault in covering if fault not in NO_CAUSE), "")


def _is_push(track: Track, departure: Departure) -> bool:
    """Return whether pv went out quickly and came back within the record."""
    rose = float(track.time[departure.peak] - track.time[departure.first])
    clear = abs(departure.size) >= CLEAR * departure.limit
    return clear and departure.last < len(track) - 1 and rose <= track.lags(QUICK)


def _fought(track: Track, departure: Departure) -> bool:
    if track.kind.drive != "continuous":
        return False
    width = track.samples(track.lags(2.0))
    earlier = track.output[max(0, departure.first - width) : departure.first + 1]
    during = track.output[departure.first : departure.last + 1]
    if not (np.isfinite(earlier).any() and np.isfinite(during).any()):
        return False
    sign = np.sign(departure.size)
    return bool(np.nanmax(-sign * (during - np.nanmedian(earlier))) >= FOUGHT)


def _finding(study: Study, track: Track, alike: list[Departure], largest: Departure, fought: bool) -> Finding:
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
    return replace(finding, moments=began)

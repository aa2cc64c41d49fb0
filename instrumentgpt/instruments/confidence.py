"""How sure a finding is, in three grades: from the signs it rests on, and from what they leave open.

A finding has a point for each sign beside its check, one less where what looks most like it stays open
(next_tests.toml): nothing is certain beside an open rival. The limits were chosen on simulated machines and
on the real logs at hand; how often each grade is right is measured by bench/confidence.py.
"""

import math
from dataclasses import replace

import numpy as np

from instrumentgpt.instruments.analysis.study import Study
from instrumentgpt.instruments.analysis.tracks import BAND, Track
from instrumentgpt.instruments.faults import faults, is_open, next_tests
from instrumentgpt.instruments.findings import Confidence, Finding

CLEAR, FAR = 2.0, 3.0  # times its limit
OFTEN = 4  # times, or cycles: three can be chance
WORKED_FOR = 5.0  # lags
UNTOUCHED = 1.5  # bands within which another loop holds
INDEPENDENT = ("again", "before", "alone", "driven")  # not of the number that the check itself is about
CERTAIN, LIKELY = 3, 1  # points


def graded(study: Study, finding: Finding) -> Finding:
    """Return `finding` with its signs and its grade; critical only if a second, independent sign shows it."""
    finding = replace(finding, signs=signs_of(study, finding))
    rival = is_open(finding)
    points = len(finding.signs) - rival
    confidence: Confidence = "likely" if points >= LIKELY else "possible"
    if points >= CERTAIN and not rival:
        confidence = "certain"
    alone = finding.severity == "critical" and not set(finding.signs) & set(INDEPENDENT)
    return replace(finding, confidence=confidence, severity="high" if alone else finding.severity)


def signs_of(study: Study, finding: Finding) -> tuple[str, ...]:
    """Return the signs that `finding` rests on beside its check's own.

    clear, far  its number passed its limit `CLEAR`, `FAR` times
    again       it was seen `OFTEN`
    before      the loop worked until then
    alone       other loops of the log held meanwhile
    driven      the output moved meanwhile
    """
    track = study.tracks.get(finding.channel if finding.channel is not None else -1)
    place = track or next(iter(study.tracks.values()), None)
    if place is None or finding.fault not in next_tests():
        return ()
    times, margin = _times(finding), _margin(finding, place, "margin")
    signs = {
        "clear": margin >= CLEAR,
        "far": margin >= FAR,
        "again": times >= OFTEN,
        "before": track is not None and _worked(finding, track),
        "alone": track is not None and _others_held(study, finding, track),
        "driven": _margin(finding, place, "driven") >= 1,
    }
    return tuple(name for name, shows in signs.items() if shows)


def _times(finding: Finding) -> float:
    counts = [finding.numbers.get(name, 1) for name in ("times", "cycles", "answered", "count")]
    known = [one for one in counts if isinstance(one, int | float)]
    several = finding.channel is None  # whose count is of channels
    return max([*(known[:-1] if several else known), len(finding.moments)])


def _margin(finding: Finding, track: Track, name: str) -> float:
    """Return how many times the number that faults.toml names passed its limit; 0 where it names none."""
    table = faults()[finding.fault]
    told = table.get(f"{name}_{finding.numbers.get('kind')}") or table.get(name)
    if told is None:
        return 0.0
    value, limit = finding.numbers.get(told["of"], math.nan), told["limit"]
    limit = finding.numbers.get(limit, math.nan) if isinstance(limit, str) else limit
    if isinstance(value, str) or isinstance(limit, str):
        return 0.0
    if told.get("unit") == "factor":
        return abs(math.log(value)) / math.log(limit) if value > 0 else 0.0
    own = {"bands": track.shown(BAND), "lags": track.lag}.get(told.get("unit", ""), 1.0)
    passed = limit * own * told.get("times", 1.0)
    return abs(value) / passed if passed > 0 else 0.0


def _worked(finding: Finding, track: Track) -> bool:
    """Return whether the loop held within its band for `WORKED_FOR`, or its sensor read, until `finding`."""
    if "good" in finding.numbers:
        return math.isfinite(float(finding.numbers["good"]))
    before = (track.time < finding.onset) & track.quiet
    return float(before.sum()) * track.period >= track.lags(WORKED_FOR)


def _others_held(study: Study, finding: Finding, track: Track) -> bool:
    """Return whether another loop held its setpoint for most of the time of `finding`, and left it never."""
    for other in study.active:
        during = (other.time >= finding.onset) & (other.time <= finding.end)
        quiet = during & other.quiet
        if other is track or quiet.sum() <= during.sum() / 2:
            continue
        if np.nanmax(np.abs(other.smooth_error[quiet])) < UNTOUCHED * BAND:
            return True
    return False

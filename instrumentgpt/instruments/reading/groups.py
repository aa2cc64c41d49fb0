"""Which values of a line belong together where their names do not say: “T 25.1 SV 25 | H 60.2 SV 60”."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from instrumentgpt.instruments.loops import Floats
from instrumentgpt.instruments.reading.headers import (
    CERTAIN,
    DEGREES,
    HUMIDITY,
    LIKELY,
    Heading,
)

SEPARATORS = (r"\|", r"[\[\](){}<>]", ";", r"\s{2}|\t", "/", ",|--")  # strongest first
FULL = 100.0  # percent
PAIRED = ("setpoint", "pv")  # roles of which a loop has one
Group = dict[str, int]  # role → place of its heading


def with_groups(
    headings: Sequence[Heading], gaps: Sequence[str], values: Sequence[Floats]
) -> tuple[Heading, ...]:
    """Return `headings` with the number of its loop on each, where several are named alike.

    gaps    what stands before each value in a line
    values  (rows,) of each, nan where there is none
    """
    setpoints = [at for at, heading in enumerate(headings) if _role(heading) == "setpoint"]
    alike = Counter(heading.words for heading in headings if _role(heading) in PAIRED)
    if len(setpoints) < 2 or max(alike.values()) < 2:
        return tuple(headings)
    for parts in _partings(len(headings), setpoints, gaps, values):
        groups = [_group(part, headings, values) for part in parts if set(part) & {*setpoints}]
        if len(groups) == len(setpoints) and all("pv" in group for group in groups):
            return _marked(headings, groups, parts, values)
    return tuple(headings)


def _role(heading: Heading) -> str:
    none = ("time", "channel", "output" if heading.unit in DEGREES else "")  # air in °C drives nothing
    scores = {role: score for role, score in heading.scores.items() if role not in none}
    return max(scores, key=scores.__getitem__, default="")


def _partings(
    count: int, setpoints: Sequence[int], gaps: Sequence[str], values: Sequence[Floats]
) -> Iterator[list[range]]:
    """Yield the parts of a line between separators, then those that begin alike by order alone."""
    for separator in SEPARATORS:
        yield _parts([at for at, gap in enumerate(gaps) if re.search(separator, gap)], count)
    before = sum(_away(values, at - 1, at) < _away(values, at + 1, at) for at in setpoints)
    yield _parts([at - (2 * before > len(setpoints)) for at in setpoints], count)


def _parts(starts: Sequence[int], count: int) -> list[range]:
    edges = sorted({0, *starts, count})
    return [range(*edge) for edge in itertools.pairwise(edges)]


def _away(values: Sequence[Floats], at: int, setpoint: int) -> float:
    if not 0 <= at < len(values):
        return np.inf
    away = np.abs(values[at] - values[setpoint])
    return float(np.nanmedian(away)) if np.isfinite(away).any() else np.inf


def _group(part: range, headings: Sequence[Heading], values: Sequence[Floats]) -> Group:
    """Return setpoint and pv of `part`: the pv that is named so, else the nearest of what is not named."""
    setpoints = [at for at in part if _role(headings[at]) == "setpoint"]
    if len(setpoints) > 1:
        return {}
    away = {at: _away(values, at, setpoints[0]) for at in part}
    named = [at for at in part if _role(headings[at]) == "pv" and away[at] < np.inf]
    open_ = [at for at in part if _is_open(headings[at]) and headings[at].unit != "%" and away[at] < np.inf]
    pv = min(named or open_, key=away.__getitem__, default=None)
    return {"setpoint": setpoints[0]} | ({} if pv is None else {"pv": pv})


def _is_open(heading: Heading) -> bool:
    return not _role(heading) and "time" not in heading.scores and not heading.says("other", "certain")


def _marked(
    headings: Sequence[Heading], groups: list[Group], parts: Sequence[range], values: Sequence[Floats]
) -> tuple[Heading, ...]:
    """Return `headings` with the roles and numbers of the `groups`, and of the output of each."""
    marked = list(headings)
    pvs = [headings[group["pv"]] for group in groups]
    thermal = any(pv.text[-1:] == "T" for pv in pvs)
    humid = [pv.names_humidity() or (thermal and pv.text == "H") for pv in pvs]
    outputs = _outputs(headings, groups, parts, values)
    for number, (group, damp, output) in enumerate(zip(groups, humid, outputs, strict=True), start=1):
        for role, at in [*group.items(), *(("output", at) for at in output)]:
            unit = HUMIDITY if damp and role != "output" else marked[at].unit
            score = CERTAIN if role != "output" else marked[at].scores.get(role, LIKELY)
            marked[at] = replace(marked[at], scores={role: score}, index=number, unit=unit)
    return tuple(marked)


def _outputs(
    headings: Sequence[Heading], groups: Sequence[Group], parts: Sequence[range], values: Sequence[Floats]
) -> list[list[int]]:
    """Return the outputs of each group: those named in its part, else the one that is not named.

    None where that leaves out a group: they are then told by their names, or by what they drive.
    """
    found: list[list[int]] = []
    for part, group in ((part, group) for group in groups for part in parts if group["pv"] in part):
        percent = [at for at in part if at != group["pv"] and not np.any(np.abs(values[at]) > FULL)]
        spare = [at for at in percent if _is_open(headings[at]) or headings[at].words == ("y",)]
        named = [at for at in part if _role(headings[at]) == "output"]
        found.append(named or spare * (len(spare) == 1))
    return found if all(found) else [[] for _ in groups]

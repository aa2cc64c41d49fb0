"""The columns of a log that are no loop's: whether they moved with its faults, and where they changed."""

from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.faults import NO_FAULT
from instrumentgpt.instruments.findings import Excursion, Finding
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.logs import other_columns as read_other_columns
from instrumentgpt.instruments.loops import Floats
from instrumentgpt.instruments.messages import Group, Message
from instrumentgpt.instruments.reading.tables import OtherColumns
from instrumentgpt.instruments.tools.opened import KEPT_LOGS
from instrumentgpt.instruments.tools.window import Readings

USUAL = (0.005, 0.995)  # quantiles of the rest of the time, between which 99 % of it lies
APART = 0.25  # share of a fault outside of that, from which it moved: the cause may be over before its effect
MARGIN = 0.25  # of its length, before and after a fault, is no rest: heat lags behind what moves it
FEWEST = 20  # samples of the rest, below which nothing can be set beside it
LONGEST = 0.5  # share of the log; a longer fault has no rest beside it
SHIFTED = 2.0  # standard deviations on either side, from which a mean changed
AT_ONCE = 0.5  # of a shift, between the FEWEST before and after: the rest may be on the way
MOST_TIMES = 8  # told of one kind of fault
Spans = dict[str, list[tuple[float, float, int]]]  # what happened → onset and end (s), line

read_beside = lru_cache(KEPT_LOGS)(read_other_columns)


def happened(diagnosis: Diagnosis) -> Spans:
    """Return the excursions "above" and "below", and the faults that explain none of these."""
    covered = {excursion.explained for excursion in diagnosis.excursions}
    every: list[tuple[str, Excursion | Finding]] = [
        *(("above" if one.size > 0 else "below", one) for one in diagnosis.excursions),
        *((one.fault, one) for one in diagnosis.findings if one.fault not in (*NO_FAULT, *covered)),
    ]
    longest, spans = LONGEST * float(diagnosis.log.samples["time"].max()), Spans()
    for what, one in every:
        if one.end - one.onset <= longest and one.evidence:
            spans.setdefault(what, []).append((one.onset, one.end, one.evidence[0].line))
    return spans


def shift(log: Log, read: Readings) -> dict[str, Any] | None:
    """Return where the mean of a column, all finite, changed most, and from what to what; None: hardly."""
    time, level, line = read
    if (place := _shifted_at(level)) is None:
        return None
    return log.at(time[place], line[place]) | {"before": level[:place].mean(), "after": level[place:].mean()}


def _shifted_at(level: Floats) -> int | None:
    """Return the place of the largest deviation of the cumulative sum (Page 1954), if the mean changed."""
    count = len(level)
    place = int(np.abs(np.cumsum(level - level.mean())).argmax()) + 1 if count else 0
    if not FEWEST <= place <= count - FEWEST:
        return None
    before, after = level[:place], level[place:]
    within = np.sqrt((place * before.var() + (count - place) * after.var()) / count)
    return place if abs(after.mean() - before.mean()) > SHIFTED * within else None


def steps_in(read: OtherColumns, log: Log) -> list[Group]:
    """Return where a column went from one mean to another at once: as lines, which `log` has of others."""
    steps, told = list[Group](), {*log.events["line"]}
    for name, values in read.values.items():
        level = values[finite := np.flatnonzero(np.isfinite(values))]
        if (place := _shifted_at(level)) is None or (line := int(read.line[finite[place]])) in told:
            continue
        before, after = level[:place].mean(), level[place:].mean()
        near = level[place : place + FEWEST].mean() - level[place - FEWEST : place].mean()
        if near / (after - before) > AT_ONCE:
            text = f"{name} {before:.4g} → {after:.4g}"
            steps.append(Group(text, "info", "", (Message(line, float(read.time[finite[place]]), text),)))
    return steps


def during(log: Log, read: Readings, window: tuple[float, float], spans: Spans) -> dict[str, Any]:
    """Return what a column read during faults and excursions, beside the rest of the time.

    usual   limits between which 99 % of the rest lies; median: of it
    during  of each kind of fault or excursion in `window`: how often it was, in how many of these a quarter
            of the column was out of `usual`, the medians, and when, up to MOST_TIMES
    moved   whether in most of one kind it was out; that names no cause. None: it cannot be set beside
    """
    time, values, _ = read
    finite = np.isfinite(values)
    rest = finite.copy()
    for onset, end, _ in chain(*spans.values()):
        margin = MARGIN * (end - onset)
        rest &= (time < onset - margin) | (time > end + margin)
    if not spans or rest.sum() < FEWEST:
        return {"during": [], "moved": None}
    low, high = usual = [float(limit) for limit in np.quantile(values[rest], USUAL)]
    groups = []
    for what, every in spans.items():
        times: list[dict[str, Any]] = []
        for onset, end, line in every:
            part = values[finite & (time >= onset) & (time <= end)]
            if part.size and onset <= window[1] and end >= window[0]:
                told = {**log.at(onset, line), "end_clock": log.clock(end)}
                share = float(((part < low) | (part > high)).mean())
                times.append({**told, "median": np.median(part), "share": share, "out": share >= APART})
        if times:
            middle = {name: np.median([one[name] for one in times]) for name in ("median", "share")}
            counts = {"count": len(times), "out": sum(one["out"] for one in times)}
            times.sort(key=lambda one: not one["out"])
            groups.append({"what": what, **counts, **middle, "times": times[:MOST_TIMES]})
    moved = any(2 * group["out"] >= group["count"] for group in groups) if groups else None
    return {"usual": usual, "median": np.median(values[rest]), "during": groups, "moved": moved}

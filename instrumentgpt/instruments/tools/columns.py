"""The columns of a log that are no loop's: what they read, and whether they moved with its faults."""

from functools import lru_cache
from typing import Any

import numpy as np

from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.faults import NO_FAULT
from instrumentgpt.instruments.findings import Excursion, Finding
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.logs import other_columns as read_other_columns
from instrumentgpt.instruments.loops import Floats, Indices
from instrumentgpt.instruments.messages import Group, Message
from instrumentgpt.instruments.reading.headers import written_unit
from instrumentgpt.instruments.reading.stated import Stated
from instrumentgpt.instruments.reading.tables import OtherColumns
from instrumentgpt.instruments.tools.opened import KEPT_LOGS, ToolProblem, diagnosed, open_log, plain
from instrumentgpt.instruments.tools.window import summary_of, window_of
from instrumentgpt.instruments.workspace import Workspace

USUAL = (0.005, 0.995)  # quantiles of the rest of the time, between which 99 % of it lies
APART = 0.25  # share of a fault outside of that, from which it moved: the cause may be over before its effect
MARGIN = 0.25  # of its length, before and after a fault, is no rest: heat lags behind what moves it
FEWEST = 20  # samples of the rest, below which nothing can be set beside it
LONGEST = 0.5  # share of the log; a longer fault has no rest beside it
SHIFTED = 2.0  # standard deviations on either side, from which a mean changed
AT_ONCE = 0.5  # of a shift, between the FEWEST before and after: the rest may be on the way
MOST_TIMES = 40  # told of all columns together
Spans = dict[str, list[tuple[float, float, int]]]  # what happened → onset and end (s), line


def other_columns(
    workspace: Workspace,
    log: str,
    device: str = "",
    column: str = "",
    since: str = "",
    until: str = "",
) -> dict[str, Any]:
    """Return what the columns of `log` read that are no loop's (mains, flow, humidity, …): least, most, mean,
    and the median during its faults and excursions, and else: whether they moved at the same times.

    When the user names such a column or quantity. Not for setpoint, pv or output: that is channel_metrics.
    Example: other_columns(log="run.csv", column="Mains V", since="14:20").

    column  its head, or a part of it; "": all
    moved   whether in most of them a quarter was out of `usual`, 99 % of the rest; that names no cause
    """
    opened = open_log(workspace, log, device)
    window = window_of(opened.log, since, until)
    read = read_beside(opened.log, opened.path, opened.stated or Stated())
    wanted = column.casefold()
    chosen = [name for name in read.values if wanted in name.casefold() or name.casefold() in wanted]
    if column and not chosen:
        has = ", ".join(read.values) or "none"
        raise ToolProblem("no_column", log=opened.name, column=repr(column), has=has)
    spans, most = _spans(diagnosed(opened)), max(1, MOST_TIMES // max(1, len(chosen)))
    rows = [row for name in chosen if (row := _row(opened.log, read, name, window, spans, most))]
    return {
        "summary": f"{opened.name}: " + ("; ".join(row["text"] for row in rows) or "no other columns"),
        "log": opened.name,
        "device": opened.device,
        "window": [opened.log.clock(moment) for moment in window],
        "columns": rows,
    }


read_beside = lru_cache(KEPT_LOGS)(read_other_columns)


def _spans(diagnosis: Diagnosis) -> Spans:
    """Return the excursions "above" and "below", and the faults that explain none of these."""
    covered = {excursion.explained for excursion in diagnosis.excursions}
    happened: list[tuple[str, Excursion | Finding]] = [
        *(("above" if one.size > 0 else "below", one) for one in diagnosis.excursions),
        *((one.fault, one) for one in diagnosis.findings if one.fault not in (*NO_FAULT, *covered)),
    ]
    longest, spans = LONGEST * float(diagnosis.log.samples["time"].max()), Spans()
    for what, one in happened:
        if one.end - one.onset <= longest and one.evidence:
            spans.setdefault(what, []).append((one.onset, one.end, one.evidence[0].line))
    return spans


def _shift(log: Log, read: OtherColumns, values: Floats, inside: Indices) -> dict[str, Any] | None:
    """Return where the mean of a column changed most, and from what to what; None where it hardly did.

    By the largest deviation of the cumulative sum (Page 1954), against the spread on either side.
    """
    if (place := _shifted_at(level := values[inside])) is None:
        return None
    at, before, after = inside[place], level[:place].mean(), level[place:].mean()
    return log.at(read.time[at], read.line[at]) | {"before": before, "after": after}


def _shifted_at(level: Floats) -> int | None:
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


def _row(
    log: Log, read: OtherColumns, name: str, window: tuple[float, float], spans: Spans, most: int
) -> dict[str, Any]:
    """Return what the column `name` read in `window`, {} if nothing."""
    time, values, unit = read.time, read.values[name], written_unit(name)
    finite = np.isfinite(values)
    inside = np.flatnonzero(finite & (time >= window[0]) & (time <= window[1]))
    if not inside.size:
        return {}
    row: dict[str, Any] = {"column": name, "unit": unit, "samples": len(inside), "during": [], "moved": None}
    row |= summary_of(log, time[inside], values[inside], read.line[inside])
    row["shift"] = _shift(log, read, values, inside)
    rest = finite.copy()
    for onset, end, _ in (span for every in spans.values() for span in every):
        margin = MARGIN * (end - onset)
        rest &= (time < onset - margin) | (time > end + margin)
    if spans and rest.sum() >= FEWEST:
        low, high = row["usual"] = [float(limit) for limit in np.quantile(values[rest], USUAL)]
        row["median"] = np.median(values[rest])
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
                row["during"].append({"what": what, **counts, **middle, "times": times[:most]})
    if row["during"]:
        row["moved"] = any(2 * group["out"] >= group["count"] for group in row["during"])
    judged = {True: "moved at the same times as", False: "did not move with", None: "cannot be set beside"}
    reach = f"{row['least']['value']:g} to {row['most']['value']:g} {unit}".strip()
    return {**plain(row), "text": f"{name}: {reach}, {judged[row['moved']]} the faults and excursions"}

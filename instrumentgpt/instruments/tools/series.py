"""The figures of any column of a log in any stretches of it: a loop's own, its error, those beside."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from instrumentgpt.instruments.analysis.signals import constant_runs, sliding_median
from instrumentgpt.instruments.language import HOUR, MINUTE
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loops import Floats
from instrumentgpt.instruments.reading.headers import written_unit
from instrumentgpt.instruments.reading.stated import Stated
from instrumentgpt.instruments.tools.columns import during, happened, read_beside, shift
from instrumentgpt.instruments.tools.opened import Opened, ToolProblem, diagnosed, open_log, plain
from instrumentgpt.instruments.tools.window import (
    NotInTheLog,
    Readings,
    beyond,
    first_settled,
    went,
    window_of,
)
from instrumentgpt.instruments.workspace import Workspace

MOST_LEVELS = 24  # setpoints that are told
ROUNDING = 1e-9  # of the largest value: a mean below is 0 but for how numbers are kept
FEWEST = 3  # samples of a line through them, or of a correlation
MOST_GAPS, GAP_PERIODS = 4, 3.0  # that are told; of what is no gap one is longest, too
STEEP = 0.05  # of the readings, over which the steepest rate is told
OF_LOOP = ("pv", "setpoint", "output", "error")


@dataclass(frozen=True, eq=False)
class Series:
    """One column: what it is of ("pv", …, "": no loop's), its channel, head and unit, and what it read."""

    role: str
    channel: int | None
    head: str
    unit: str
    time: Floats
    values: Floats
    line: NDArray[np.int64]

    @property
    def name(self) -> str:
        """The name that a tool is given: "pv 1", or its head."""
        return f"{self.role} {self.channel}" if self.role else self.head

    def within(self, window: tuple[float, float]) -> Readings:
        """Return what is finite of it in a `window`, s; of one moment the reading that is nearest to it."""
        inside = np.isfinite(self.values) & (self.time >= window[0]) & (self.time <= window[1])
        if window[0] == window[1] and not inside.any() and np.isfinite(self.values).any():
            apart = np.where(np.isfinite(self.values), np.abs(self.time - window[0]), np.inf)
            inside[apart.argmin()] = apart.min() <= GAP_PERIODS * np.median(np.diff(self.time, prepend=0.0))
        return self.time[inside], self.values[inside], self.line[inside]


def column_figures(
    workspace: Workspace,
    log: str,
    device: str = "",
    columns: Sequence[str] = (),
    spans: Sequence[Sequence[str]] = (),
    above: float | None = None,
    below: float | None = None,
    beside: str = "",
    only_loops: bool = False,
    way: Sequence[float] = (),
    where: str = "",
    where_above: float | None = None,
    where_below: float | None = None,
) -> dict[str, Any]:
    """Return what `columns` of `log` read in each of `spans`: least, most, mean, std, first, last and slopes.

    For a figure of any column, also of several, in one or more stretches. Not for a cause.
    Example: column_figures(log="run.csv", columns=["Flow [L/min]", "pv 1"], spans=[["10:00", "11:00"]]).

    columns  their heads, or "pv 1", "setpoint 1", "output 1", "error 1" (setpoint - pv) of channel 1; none:
             only what there is
    spans    each [since, until]: "14:20", or with a date; "-1 h" from the log's end, "20 min" of its begin;
             "": that end; none: all of the log
    above    a limit, of which is told how often and how long a column was past it; below: likewise; both,
             with `below` the lower one: how long it was out of the band between them
    only_loops  whether columns beside those of the loops are left unread, which takes seconds in a wide table
    beside   another column: how far the two go together (r), what it read when the first was least, most, and
             what the first had more than it (apart); in the result the heads of those beside the loops
    way      two values: how long a column took from the first to the second (went), where it did
    where    a column, above where_above or below where_below when readings count; the others are left out

    A row has the number of its span, from 0. Of all the log a loop's column has `settled`, too: what it read
    since pv had first settled. Of a column that is no loop's (mains, flow, …) it is told what it read
    `during` faults and excursions, whether it `moved` at the same times, and a `shift` of its mean.
    """
    opened = open_log(workspace, log, device)
    there = {one.name: one for one in _all(opened, only_loops)}
    if unknown := [name for name in (*columns, beside, where) if name and name not in there]:
        raise ToolProblem("no_column", log=opened.name, column=repr(unknown[0]), has=", ".join(there))
    rows, lacking = list[dict[str, Any]](), list[list[str]]()
    other, state = there.get(beside), there.get(where)
    for number, (since, until) in enumerate(spans or [("", "")]):
        try:
            window = window_of(opened.log, since, until)
        except NotInTheLog:
            if len(spans) < 2:
                raise
            lacking.append([since, until])
            continue
        for name in columns:
            one = there[name] if state is None else _while(there[name], state, (where_above, where_below))
            if row := _row(opened.log, one, window, (above, below), other, way):
                more = _with_faults(opened, one, window) if not one.role else {}
                more |= _once_settled(opened, one, window) if one.role and not spans else {}
                rows.append(row | more | {"span": number})
    return {
        "summary": f"{opened.name}: {len(rows)} rows",
        "log": opened.name,
        "device": opened.device,
        "whole": [opened.log.clock(at) for at in window_of(opened.log, "", "")],
        "beside": opened.log.beside,
        "seconds": plain(float(np.ptp(opened.log.samples["time"]))),
        **plain(_spacing(opened.log)),
        "columns": [
            {"name": one.name, "role": one.role, "channel": one.channel, "head": one.head, "unit": one.unit}
            | (_levels(opened.log, one) if one.role == "setpoint" else {})
            for one in there.values()
        ],
        "rows": rows,
        "lacking": lacking,
    }


def _while(one: Series, state: Series, limits: tuple[float | None, float | None]) -> Series:
    """Return a column without what it read while another, by its last reading, was not past both `limits`."""
    known = np.isfinite(state.values)
    at = np.searchsorted(state.time[known], one.time, side="right") - 1
    read = np.where(at < 0, np.nan, state.values[known][at]) if known.any() else np.full(at.shape, np.nan)
    above, below = limits
    held = (read > (-np.inf if above is None else above)) & (read < (np.inf if below is None else below))
    return replace(one, values=np.where(held, one.values, np.nan))


def _with_faults(opened: Opened, one: Series, window: tuple[float, float]) -> dict[str, Any]:
    told = during(opened.log, (one.time, one.values, one.line), window, happened(diagnosed(opened)))
    return dict(plain(told | {"shift": shift(opened.log, one.within(window))}))


def _once_settled(opened: Opened, one: Series, window: tuple[float, float]) -> dict[str, Any]:
    """Return what a loop's column read since pv had first settled; {} where it began so, or never did."""
    settled = first_settled(diagnosed(opened).segments, one.channel)
    is_later = window[0] < settled < window[1]
    return {"settled": _row(opened.log, one, (settled, window[1]))} if is_later else {}


def _levels(log: Log, one: Series) -> dict[str, Any]:
    """Return the values of a setpoint, and from when on each was held; no more than are told."""
    held = [span for span in constant_runs(one.values) if span[1] - span[0] >= FEWEST]
    held = [next(spans) for _, spans in groupby(held, key=lambda span: one.values[span[0]])]
    firsts = [first for first, _ in held[:MOST_LEVELS]]
    starts = [{"value": one.values[at], **log.at(one.time[at], one.line[at])} for at in firsts]
    levels = sorted({float(one.values[first]) for first, _ in held})[:MOST_LEVELS]
    return dict(plain({"levels": levels, "changes": len(held) - 1, "starts": starts}))


def _spacing(log: Log) -> dict[str, Any]:
    """Return how many times a log was read, its period (median), s, and its longest gaps, in order."""
    first = log.samples[log.samples["channel"] == log.samples["channel"].iloc[0]]
    rows = first.drop_duplicates("time").sort_values("time")
    time, line = rows["time"].to_numpy(dtype=float), rows["line"].to_numpy()
    steps = np.diff(time)
    if not steps.size:
        return {"readings": len(rows), "period": np.nan, "gaps": []}
    period, longest = float(np.median(steps)), np.argsort(-steps, kind="stable")[:MOST_GAPS]
    gaps = [
        {"seconds": steps[at], **log.at(time[at], line[at]), "end_clock": log.clock(time[at + 1])}
        for at in sorted(longest.tolist())
        if steps[at] > GAP_PERIODS * period or at == longest[0]
    ]
    return {"readings": len(rows), "period": period, "gaps": gaps}


def _all(opened: Opened, only_loops: bool) -> Iterable[Series]:
    """Yield the columns of a log: of each channel what it has, then those beside."""
    log = opened.log
    for number in sorted(map(int, log.samples["channel"].unique())):
        samples = log.readings[log.readings["channel"] == number]
        time, line = samples["time"].to_numpy(dtype=float), samples["line"].to_numpy()
        for role in OF_LOOP:
            values = samples["setpoint"] - samples["pv"] if role == "error" else samples[role]
            numeric = values.to_numpy(dtype=float)
            if not np.isfinite(numeric).any():
                continue
            unit = "%" if role == "output" else log.unit_of(number)
            at = log.of_loops.get(number, {}).get(role)
            head = "" if at is None else log.heads[at]
            head = log.channel_names.get(number, "") if role == "pv" else head
            yield Series(role, number, head, unit, time, numeric, line)
    if not only_loops:
        read = read_beside(log, opened.path, opened.stated or Stated())
        for head, numeric in read.values.items():
            yield Series("", None, head, written_unit(head), read.time, numeric, read.line)


def _row(
    log: Log,
    one: Series,
    window: tuple[float, float],
    limits: tuple[float | None, float | None] = (None, None),
    other: Series | None = None,
    way: Sequence[float] = (),
) -> dict[str, Any]:
    """Return what a column read in `window`, {} if nothing."""
    time, values, lines = one.within(window)
    if not values.size:
        return {}

    def at(place: int) -> dict[str, Any]:
        beside = other.values[np.abs(other.time - time[place]).argmin()] if other else np.nan
        return {"value": values[place], "beside": beside, **log.at(time[place], lines[place])}

    mean = values.mean() if abs(values.mean()) > ROUNDING * np.abs(values).max() else 0.0
    row: dict[str, Any] = {"column": one.name, "unit": one.unit, "samples": len(values)}
    row |= {"since": log.clock(window[0]), "until": log.clock(window[1]), "mean": mean}
    row |= {"std": values.std(), "least": at(int(values.argmin())), "most": at(int(values.argmax()))}
    row |= {"first": at(0), "last": at(len(values) - 1), "mean_size": np.abs(values).mean()}
    row["per_hour"] = (
        np.polyfit(time, values, 1)[0] * HOUR * bool(np.ptp(values))
        if len(values) >= FEWEST and np.ptp(time)
        else None
    )
    row["steepest"] = _steepest(log, (time, values, lines))
    row["thirds"] = _thirds(values)
    if way:
        row["went"] = went(log, (time, values, lines), (way[0], way[1]))
    above, below = limits
    if above is not None or below is not None:
        past = values > (np.inf if above is None else above)
        past |= values < (-np.inf if below is None else below)
        row["past"] = {"share": past.mean(), **beyond(log, (time, values, lines), past)}
    if other and other.values.size:
        beside = np.interp(time, other.time, other.values)
        both = np.isfinite(beside)
        is_told = both.sum() >= FEWEST and values[both].std() > 0 and beside[both].std() > 0
        gap = (values - beside)[both]
        row["apart"] = {"mean": gap.mean(), "least": gap.min(), "most": gap.max()} if gap.size else {}
        row["r"] = np.corrcoef(values[both], beside[both])[0, 1] if is_told else None
    return dict(plain(row))


def _thirds(values: Floats) -> list[float]:
    """Return by how much `values` swing (half of 10 to 90 %) in each third of them.

    From when they first came to where they are later: the way there is no swing.
    """
    beyond_it = values > np.median(values[len(values) // 2 :])
    there = values[int((beyond_it != beyond_it[0]).argmax()) :]
    thirds = np.array_split(there, 3) if len(there) >= FEWEST else []
    return [float(np.ptp(np.percentile(third, (10, 90)))) / 2 for third in thirds]


def _steepest(log: Log, read: Readings) -> dict[str, Any] | None:
    """Return the steepest rate over STEEP of what was `read`, per minute, with its begin and end."""
    time, values, lines = read
    values = sliding_median(values, FEWEST)  # a spike is no rate
    rows = max(FEWEST, round(STEEP * len(values)))
    taken = time[rows:] - time[:-rows]
    if not taken.size or not (taken > 0).any():
        return None
    rates = np.divide(values[rows:] - values[:-rows], taken, out=np.zeros_like(taken), where=taken > 0)
    at = int(np.abs(rates).argmax())
    until = log.clock(time[at + rows])
    return {"rate": MINUTE * rates[at], **log.at(time[at], lines[at]), "end_clock": until}

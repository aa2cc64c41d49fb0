"""Moments of a log: on a chart's axis, as lines of the file, and back."""

import math
from dataclasses import replace
from datetime import datetime

import numpy as np
import pandas as pd

from instrumentgpt.instruments.charts.frame import Clock, clock_of
from instrumentgpt.instruments.logs import Log

Window = tuple[float, float]  # s since the log's first line


def axis_of(log: Log) -> Clock:
    """Return the axis of time that every chart of `log` has."""
    return clock_of(log, last_moment(log))


def last_moment(log: Log) -> float:
    """Return the time of the last sample or event, s; 0 for a log without either."""
    ends = [float(frame["time"].max()) for frame in (log.samples, log.events) if len(frame)]
    return max([end for end in ends if math.isfinite(end)], default=0.0)


def moment_at(clock: Clock, position: float | str) -> float:
    """Return the time (s) of a position on the axis as a browser tells it: a number, or a date's text.

    Raises ValueError for anything else.
    """
    if isinstance(position, str):
        moment = datetime.fromisoformat(position.strip())
        start = clock.log.start
        if start is None:
            raise ValueError(f"{position!r} is a date, and {clock.log.name} has none")
        return float((pd.Timestamp(moment) - start).total_seconds())
    return (float(position) - clock.at(0.0)) / (clock.at(1.0) - clock.at(0.0))


def line_at(log: Log, time: float) -> int:
    """Return the line of the sample or event nearest to `time` (s); 1 for a log without either."""
    nearest = [
        (abs(float(frame["time"].iloc[at]) - time), int(frame["line"].iloc[at]))
        for frame in (log.samples, log.events)
        if len(frame)
        for at in [int(np.nanargmin(np.abs(frame["time"].to_numpy() - time)))]
    ]
    return min(nearest, default=(0.0, 1))[1]


def time_of(log: Log, line: int) -> float:
    """Return when `line` was written, s: the time of the sample or event nearest to it; nan without one."""
    found = []
    for frame in (log.samples, log.events):
        if len(frame):
            at = int(np.abs(frame["line"].to_numpy() - line).argmin())
            found.append((abs(int(frame["line"].iloc[at]) - line), float(frame["time"].iloc[at])))
    return min(found, default=(0, math.nan))[1]


def within(log: Log, window: Window | None) -> Log:
    """Return `log` with only the samples of `window`, so that a chart spends its points there."""
    if window is None:
        return log
    times = log.samples["time"]
    samples = log.samples[(times >= window[0]) & (times <= window[1])].reset_index(drop=True)
    return replace(log, samples=samples, kept=None) if len(samples) else log

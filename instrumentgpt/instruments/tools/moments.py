"""A tool that says what a log shows around a time of day."""

import math
from typing import Any

import pandas as pd

from instrumentgpt.instruments import wording
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.messages import Group, group_messages
from instrumentgpt.instruments.tools.events import described
from instrumentgpt.instruments.tools.opened import diagnosed, open_log
from instrumentgpt.instruments.tools.plain import plain
from instrumentgpt.instruments.tools.problems import ToolProblem
from instrumentgpt.instruments.workspace import Workspace

AROUND = 60.0  # s on either side
MOST_GROUPS = 12
LEVELS = ("critical", "error", "warning", "info")


class NotInTheLog(ToolProblem, LookupError):
    """A time that the log does not cover."""


def look_at_time(
    workspace: Workspace, log: str, clock: str, device: str = "", language: Language = "en"
) -> dict[str, Any]:
    """Return the readings at `clock` ("14:20" or "14:20:05"), events and findings within a minute of it."""
    opened = open_log(workspace, log, device)
    time = time_of(opened.log, clock)
    events = opened.log.events
    near = events[(events["time"] - time).abs() <= AROUND]
    findings = [
        one
        for one in diagnosed(opened).findings
        if one.severity != "none" and one.onset - AROUND <= time <= one.end + AROUND
    ]
    return {
        "summary": f"{opened.name} at {opened.log.clock(time)}: {len(findings)} findings",
        "log": opened.name,
        "device": opened.device,
        "unit": opened.log.unit,
        "clock": opened.log.clock(time),
        "time": plain(time),
        "readings": _readings(opened.log, time),
        "groups": [described(opened.log, one) for one in _rarest_first(near)[:MOST_GROUPS]],
        "during": [
            {"class": one.fault, "channel": one.channel, "summary": wording.summary(one, language)}
            for one in findings
        ],
    }


def _rarest_first(events: pd.DataFrame) -> list[Group]:
    """Return the groups of `events`, the worst level first, then the rarest: what is usual says little."""
    groups = group_messages(events, levels=LEVELS)
    return sorted(groups, key=lambda group: (LEVELS.index(group.level), len(group.messages)))


def time_of(log: Log, clock: str) -> float:
    """Return the s since the log's first line at which it was `clock` first, or raise NotInTheLog."""
    samples = log.samples["time"]
    last = float(samples.max()) if len(samples) else math.nan
    if log.start is None or math.isnan(last):
        raise NotInTheLog("no_clock", log=log.name, clock=clock)
    moment = log.start.normalize() + pd.Timedelta(clock if clock.count(":") == 2 else f"{clock}:00")
    if moment < log.start.floor("min"):
        moment += pd.Timedelta(days=1)
    time = max(0.0, (moment - log.start).total_seconds())
    if time > last:
        span = {"first": log.clock(0.0)[:19], "last": log.clock(last)[:19]}
        raise NotInTheLog("time_not_in_it", log=log.name, clock=clock, **span)
    return time


def _readings(log: Log, time: float) -> list[dict[str, Any]]:
    """Return the last sample of each channel at `time`, or its first one after."""
    found = []
    for channel, own in log.samples.groupby("channel"):
        before = own[own["time"] <= time]
        row = before.iloc[-1] if len(before) else own.iloc[0]
        values = {name: plain(row[name]) for name in ("setpoint", "pv", "output")}
        found.append({"channel": plain(channel), "line": int(row["line"]), **values})
    return found

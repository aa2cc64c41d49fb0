"""Tools that read lines: events, raw lines, what stands around a moment."""

import math
from typing import Any, Literal

import pandas as pd

from instrumentgpt.instruments import loop_wording, wording
from instrumentgpt.instruments.diagnosis import REACH
from instrumentgpt.instruments.findings import IN_USE, Excursion, Finding
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log, read_lines
from instrumentgpt.instruments.messages import TROUBLE, Group, Message, group_messages
from instrumentgpt.instruments.tools.opened import (
    Opened,
    ToolProblem,
    diagnosed,
    frames,
    open_log,
    plain,
)
from instrumentgpt.instruments.workspace import Workspace

MOST_GROUPS = 500  # an agent is given them by pages
MOST_TIMES = 40  # of one group; enough to see what coincides
MOST_LINES = 200


class NoSuchLine(ToolProblem, LookupError):
    """Lines that the log does not have."""


def search_events(
    workspace: Workspace,
    log: str,
    device: str = "",
    query: str = "",
    level: Literal["", "info", "warning", "error", "critical"] = "",
) -> dict[str, Any]:
    """Return the event lines of `log`, grouped by what they say, the worst level first.

    For messages beside the loops: errors, doors, restarts. Not for readings.
    Example: search_events(log="run.log", query="door", level="warning").

    query  words, any of which the line must hold; with none, warnings and errors only
    level  "warning", "error" or "critical" alone; "info": all of them
    """
    opened = open_log(workspace, log, device)
    levels = () if level == "info" else (level,) if level else () if query else TROUBLE
    groups = group_messages(opened.log.events, query, levels)
    count = sum(len(group.messages) for group in groups)
    return {
        "summary": f"{count} event lines in {len(groups)} groups",
        "log": opened.name,
        "device": opened.device,
        "query": query,
        "total": len(opened.log.events),
        "count": count,
        "groups": [described(opened.log, group) for group in groups[:MOST_GROUPS]],
        "left_out": max(0, len(groups) - MOST_GROUPS),
    }


def described(log: Log, group: Group) -> dict[str, Any]:
    """Return a group of event lines as JSON: what it says, how often, first and last line, and when."""
    messages = group.messages
    return {
        "template": group.template,
        "level": group.level,
        "source": group.source,
        "count": len(messages),
        "first": _message(log, messages[0]),
        "last": _message(log, messages[-1]),
        "times": plain([message.time for message in messages[:MOST_TIMES]]),
        "lines": [message.line for message in messages[:MOST_TIMES]],
    }


def _message(log: Log, message: Message) -> dict[str, Any]:
    clock = log.clock(message.time)
    return {"line": message.line, "time": plain(message.time), "clock": clock, "text": message.text}


def read_log_lines(
    workspace: Workspace, log: str, first: int, last: int = 0, device: str = ""
) -> dict[str, Any]:
    """Return the raw lines `first` to `last` of `log`, at most 200.

    For the exact words around a line that another tool named; not to read a log through.
    Example: read_lines(log="run.log", first=510, last=520).
    """
    opened: Opened = open_log(workspace, log, device)
    last = min(max(first, last), first + MOST_LINES - 1)
    lines = read_lines(opened.path, first, last, frames(workspace))
    if not lines:
        raise NoSuchLine("no_line", log=opened.name, lines=opened.log.lines, line=first)
    return {
        "summary": f"lines {lines[0][0]} to {lines[-1][0]} of {opened.log.lines}",
        "log": opened.name,
        "device": opened.device,
        "lines": [{"line": number, "text": text} for number, text in lines],
    }


AROUND = 60.0  # s on either side
MOST_NEAR = 12
LEVELS = ("critical", "error", "warning", "info")


class NotInTheLog(ToolProblem, LookupError):
    """A time that the log does not cover."""


def look_at_time(
    workspace: Workspace, log: str, clock: str, device: str = "", language: Language = "en"
) -> dict[str, Any]:
    """Return the readings at `clock` ("14:20", "2026-02-20 14:20:05"), and the events within a minute of it.

    When the user names a time; not for a span, which channel_metrics takes.
    Example: look_at_time(log="run.log", clock="14:20").

    during   findings, and excursions that none explains, then or as near as a loop takes to answer
    nearest  else the one that is nearest in time
    """
    opened = open_log(workspace, log, device)
    time = time_of(opened.log, clock)
    events = opened.log.events
    near = events[(events["time"] - time).abs() <= AROUND]
    diagnosis = diagnosed(opened)
    reach = max([AROUND, *(REACH * kind.lag for kind in diagnosis.kinds.values())])
    told: list[Finding | Excursion] = [row for row in diagnosis.findings if row.severity != "none"]
    told += [one for one in diagnosis.excursions if one.explained in ("", IN_USE)]
    told.sort(key=lambda one: max(one.onset - time, time - one.end, 0.0))
    during = [one for one in told if one.onset - reach <= time <= one.end + reach]
    return {
        "summary": f"{opened.name} at {opened.log.clock(time)}: {len(during)} findings",
        "log": opened.name,
        "device": opened.device,
        "unit": opened.log.unit,
        "clock": opened.log.clock(time),
        "time": plain(time),
        "readings": _readings(opened.log, time),
        "beside": opened.log.beside,
        "groups": [described(opened.log, group) for group in _rarest_first(near)[:MOST_NEAR]],
        "seconds": plain(reach),
        "during": [_then(opened.log, one, language) for one in during],
        "nearest": [_then(opened.log, one, language) for one in told[:1] if not during],
    }


def _then(log: Log, one: Finding | Excursion, language: Language) -> dict[str, Any]:
    if isinstance(one, Finding):
        fault, text = one.fault, wording.summary(one, language)
    else:
        fault, text = "", loop_wording.away(one, log, language)
    times = {"onset_clock": log.clock(one.onset), "end_clock": log.clock(one.end)}
    return {"class": fault, "channel": one.channel, "summary": text, **times}


def _rarest_first(events: pd.DataFrame) -> list[Group]:
    """Return the groups of `events`, the worst level first, then the rarest: what is usual says little."""
    groups = group_messages(events, levels=LEVELS)
    return sorted(groups, key=lambda group: (LEVELS.index(group.level), len(group.messages)))


def time_of(log: Log, clock: str) -> float:
    """Return the s since the log's first line at which it was `clock` first ("+205 min": so long after it).

    clock  "14:20", or with as much of its day as is known: "-20 14:20", "2026-02-20 14:20:05"

    Raises NotInTheLog.
    """
    if (time := seconds_at(log, clock)) > (last := float(log.samples["time"].max())):
        raise not_in(log, clock, last)
    return time


def not_in(log: Log, clock: str, last: float) -> NotInTheLog:
    """Return that `clock` is not in `log`, whose last sample is `last` s after its first line."""
    span = {"first": log.clock(0.0)[:19], "last": log.clock(last)[:19]}
    return NotInTheLog("time_not_in_it", log=log.name, clock=clock, **span)


def seconds_at(log: Log, clock: str) -> float:
    """Return as `time_of`, but of a moment after the log's end, too, on a day that it has."""
    samples = log.samples["time"]
    last = float(samples.max()) if len(samples) else math.nan
    clock, is_elapsed = clock.partition(" (")[0], clock.startswith("+")
    start = log.start or pd.Timestamp(log.of_day or 0.0, unit="s")
    if math.isnan(last) or (log.start is None and log.of_day is None and not is_elapsed):
        raise NotInTheLog("no_clock", log=log.name, clock=clock)
    day, _, of_day = ("", "", clock.removeprefix("+")) if is_elapsed else clock.rpartition(" ")
    passed = pd.Timedelta(of_day if is_elapsed or of_day.count(":") == 2 else f"{of_day}:00")
    days = pd.date_range(start.normalize(), start + pd.Timedelta(seconds=last))
    moments = [start + passed] if is_elapsed else [at + passed for at in days if str(at.date()).endswith(day)]
    times = [(moment - start).total_seconds() for moment in moments if moment >= start.floor("min")]
    if not times:
        raise not_in(log, clock, last)
    return max(0.0, times[0])


def _readings(log: Log, time: float) -> list[dict[str, Any]]:
    """Return the last sample of each channel at `time`, or its first one after."""
    readings = []
    for channel, samples in log.samples.groupby("channel"):
        before = samples[samples["time"] <= time]
        row = before.iloc[-1] if len(before) else samples.iloc[0]
        values = {name: plain(row[name]) for name in ("setpoint", "pv", "output")}
        of = {"channel": plain(channel), "unit": log.unit_of(int(row["channel"]))}
        readings.append({**of, "line": int(row["line"]), **values})
    return readings

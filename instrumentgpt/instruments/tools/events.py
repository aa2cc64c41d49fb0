"""Tools that read lines: events, raw lines, what stands around a moment."""

import re
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from instrumentgpt.instruments import loop_wording, wording, workings_wording
from instrumentgpt.instruments.diagnosis import REACH
from instrumentgpt.instruments.findings import IN_USE, Excursion, Finding
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log, read_lines
from instrumentgpt.instruments.loops import Floats
from instrumentgpt.instruments.messages import LEVELS, TROUBLE, Group, group_messages
from instrumentgpt.instruments.tools.opened import ToolProblem, diagnosed, frames, open_log, plain
from instrumentgpt.instruments.tools.window import time_of
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
        "first": log.at(messages[0].time, messages[0].line) | {"text": messages[0].text},
        "last": log.at(messages[-1].time, messages[-1].line) | {"text": messages[-1].text},
        "times": plain([message.time for message in messages[:MOST_TIMES]]),
        "lines": [message.line for message in messages[:MOST_TIMES]],
    }


def read_log_lines(
    workspace: Workspace, log: str, first: int, last: int = 0, device: str = ""
) -> dict[str, Any]:
    """Return the raw lines `first` to `last` of `log`, at most 200.

    For the exact words around a line that another tool named; not to read a log through.
    Example: read_lines(log="run.log", first=510, last=520).
    """
    opened = open_log(workspace, log, device)
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
ROWS_AROUND = 5  # on either side, in which it is told what moved
TURNED = 0.5  # of its way, by which a column is off that way where it turned
TO_THE_MINUTE = re.compile(r"(?:.* )?\d\d?:\d\d")


def look_at_time(
    workspace: Workspace, log: str, clock: str, device: str = "", language: Language = "en"
) -> dict[str, Any]:
    """Return the readings at `clock` ("14:20", "2026-02-20 14:20:05"), and the events within a minute of it.

    When the user names a time; not for a span, which column_figures takes.
    Example: look_at_time(log="run.log", clock="14:20").

    during   findings, and excursions that none explains, then or as near as a loop takes to answer
    nearest  else the one that is nearest in time
    workings what each loop does then, and why
    moves    what moved around it: of each column what it began with, where it turned, what it ended with
    """
    opened = open_log(workspace, log, device)
    time = time_of(opened.log, clock)
    events = opened.log.events
    near = group_messages(events[(events["time"] - time).abs() <= AROUND], levels=(*TROUBLE, "info"))
    near.sort(key=lambda group: (LEVELS.index(group.level), len(group.messages)))  # what is usual says little
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
        "workings": workings_wording.at(diagnosis, time, language),
        "moves": [*_moves(opened.log, time, AROUND if TO_THE_MINUTE.fullmatch(clock) else 0.0)],
        "beside": opened.log.beside,
        "groups": [described(opened.log, group) for group in near[:MOST_NEAR]],
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


def _moves(log: Log, time: float, around: float) -> Iterator[dict[str, Any]]:
    """Yield for each channel what moved in ROWS_AROUND, and `around` s, before and after `time`."""
    for _, samples in log.samples.groupby("channel"):
        at = int((samples["time"] - time).abs().to_numpy().argmin())
        inside = samples["time"].between(time - around, time + around).to_numpy(copy=True)
        inside[max(0, at - ROWS_AROUND) : at + ROWS_AROUND + 1] = True
        rows = samples[inside]
        moved = {name: _way(rows[name].dropna().to_numpy()) for name in ("setpoint", "pv", "output")}
        if moved := {name: plain(way) for name, way in moved.items() if way}:
            channel, (since, until) = int(rows["channel"].iloc[0]), rows["time"].iloc[[0, -1]]
            clocks = {"since_clock": log.clock(since), "until_clock": log.clock(until)}
            yield {"channel": channel, "unit": log.unit_of(channel), **clocks, **moved}


def _way(values: Floats) -> list[float]:
    """Return the first of `values`, the one farthest off the way to the last, and that; [] at rest."""
    if len(values) < 2 or not np.ptp(values):
        return []
    off = values - np.linspace(values[0], values[-1], len(values))
    turn = int(np.abs(off).argmax())
    turned = [float(values[turn])] if abs(off[turn]) > TURNED * abs(values[-1] - values[0]) else []
    return [float(values[0]), *turned, float(values[-1])]


def _readings(log: Log, time: float) -> list[dict[str, Any]]:
    """Return the last sample of each channel at `time`, or its first one after."""
    readings = []
    for _, samples in log.samples.groupby("channel"):
        before = samples[samples["time"] <= time]
        row = before.iloc[-1] if len(before) else samples.iloc[0]
        values = {name: plain(row[name]) for name in ("setpoint", "pv", "output")}
        channel, line = int(row["channel"]), int(row["line"])
        readings.append({"channel": channel, "unit": log.unit_of(channel), "line": line, **values})
    return readings

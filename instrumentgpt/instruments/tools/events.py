"""Tools that read event lines and raw lines of a log."""

from typing import Any, Literal

from instrumentgpt.instruments.logs import Log, read_lines
from instrumentgpt.instruments.messages import TROUBLE, Group, Message, group_messages
from instrumentgpt.instruments.tools.opened import Opened, open_log
from instrumentgpt.instruments.tools.plain import plain
from instrumentgpt.instruments.tools.problems import ToolProblem
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
    level: Literal["", "warning", "error", "critical"] = "",
) -> dict[str, Any]:
    """Return the event lines of `log`, grouped by what they say, the worst level first.

    query  words, any of which the line must hold; with none, warnings and errors only
    level  "warning", "error" or "critical" alone
    """
    opened = open_log(workspace, log, device)
    levels = (level,) if level else () if query else TROUBLE
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
    """Return the raw lines `first` to `last` of `log`, at most 200."""
    opened: Opened = open_log(workspace, log, device)
    last = min(max(first, last), first + MOST_LINES - 1)
    found = read_lines(opened.path, first, last)
    if not found:
        raise NoSuchLine("no_line", log=opened.name, lines=opened.log.lines, line=first)
    return {
        "summary": f"lines {found[0][0]} to {found[-1][0]} of {opened.log.lines}",
        "log": opened.name,
        "device": opened.device,
        "lines": [{"line": number, "text": text} for number, text in found],
    }

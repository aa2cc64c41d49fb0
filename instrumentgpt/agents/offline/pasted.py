"""A log that was pasted into a message: it becomes a file of its question, like one that was dropped."""

import re

from instrumentgpt.agents.offline.particulars import split_pasted

LOG_LINES = 20  # pasted lines: fewer are an excerpt, of which the step between two is asked
MOST_OTHER = 2.0  # other lines per line that is surely logged, up to which all of it is a log
NAME = re.compile(r"pasted-(\d+)\.log")
_SEPARATOR = re.compile(r"[,;\t]")


def pasted_log(text: str) -> str:
    """Return the log that is pasted in `text`, "" if there is none: from its first line to its last.

    What stands before and after it is the user's own word; line 1 is the first line of the log.

    >>> pasted_log("why?\\n" + "[2026-02-19 23:24:45] sp=55.00 pv=54.90\\n" * 20).count("sp=55")
    20
    >>> pasted_log("why?\\nno log")
    ''
    """
    if text.count("\n") < LOG_LINES - 1:
        return ""
    logged = set(split_pasted(text)[0])
    lines = text.splitlines()
    places = [place for place, line in enumerate(lines) if line.strip() in logged]
    if len(places) < LOG_LINES:
        return ""
    first, last = places[0], places[-1]
    if last - first + 1 > len(places) * (1 + MOST_OTHER):
        return ""
    if first and _is_head(lines[first - 1], lines[first]):
        first -= 1
    return "\n".join(lines[first : last + 1]) + "\n"


def _is_head(above: str, line: str) -> bool:
    """Return whether `above` names the columns of the table that `line` begins."""
    columns = len(_SEPARATOR.findall(line))
    return columns > 0 and len(_SEPARATOR.findall(above)) == columns


def file_name(number: int) -> str:
    """Return the name of the file of a conversation's pasted log of this number, from 1."""
    return f"pasted-{number}.log"


def number_of(name: str) -> str:
    """Return the number of a pasted log by the name of its file, "" for other files."""
    found = NAME.fullmatch(name)
    return found.group(1) if found else ""


def device_name(name: str) -> str:
    """Return under which name a pasted log without a device is filed, "" for other files.

    >>> device_name("pasted-2.log"), device_name("run.log")
    ('pasted log 2', '')
    """
    number = number_of(name)
    return f"pasted log {number}" if number else ""


def is_device_name(name: str) -> bool:
    """Return whether that is the name of a pasted log, and of no device.

    >>> is_device_name("pasted log 2"), is_device_name("zspr 052")
    (True, False)
    """
    return bool(re.fullmatch(r"pasted log \d+", name))

"""Logs that are pasted into a message: their lines, and the file that a whole one becomes."""

import re

LOG_LINES = 20  # pasted lines: fewer are an excerpt, of which the step between two is asked
MOST_OTHER = 2.0  # other lines per line that is surely logged, up to which all of it is a log
ASKS = (  # words that ask, wherever they stand
    r"\?|\bwhy\b|\bcan\b|\bcould\b|\bshould\b|\bmay\b|\bsafe|\bwhat if\b"
    r"|為什麼|为什么|原因|可以|能否|能不能|可否|[嗎吗]|是否|如果"
)
NAME = re.compile(r"pasted-(\d+)\.log")
_SEPARATOR = re.compile(r"[,;\t]")
_DECIMAL = re.compile(r"(?<![\d.])\d+\.\d+(?!\.?\d)")  # not a part of an address
_TIME_OF_DAY = re.compile(r"\d{1,2}:\d\d:\d\d", re.ASCII)
_READINGS = re.compile(
    r"\b(?:sp|pv|out|setpoint|processvalue|t\d|temp\w*)\b\W{0,4}-?\d", re.IGNORECASE | re.ASCII
)
_ASKS = re.compile(ASKS, re.IGNORECASE | re.ASCII)


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


def split_pasted(text: str) -> tuple[tuple[str, ...], str]:
    """Return the log lines that stand in `text`, and the other lines."""
    lines = text.splitlines()
    pasted = tuple(line.strip() for line in lines if _looks_logged(line))
    if len(lines) < 2 or not pasted:
        return (), text
    return pasted, "\n".join(line for line in lines if not _looks_logged(line) and line.strip() != "```")


def _looks_logged(line: str) -> bool:
    readings = _DECIMAL.findall(line)
    timed = _TIME_OF_DAY.search(line) and (readings or line.lstrip().startswith("["))
    return bool(
        timed or len(readings) >= 2 or (readings and _READINGS.search(line) and not _ASKS.search(line))
    )


def _is_head(above: str, line: str) -> bool:
    """Return whether `above` names the columns of the table that `line` begins."""
    columns = len(_SEPARATOR.findall(line))
    return columns > 0 and len(_SEPARATOR.findall(above)) == columns


def file_name(number: int) -> str:
    """Return the name of the file of a conversation's pasted log of this number, from 1."""
    return f"pasted-{number}.log"


def number_of(name: str) -> str:
    """Return the number of a pasted log by the name of its file, "" for other files."""
    match = NAME.fullmatch(name)
    return match.group(1) if match else ""


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

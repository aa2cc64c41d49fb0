"""The event lines of a log, grouped by what they say: numbers, addresses and names in quotes left open."""

import re
from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

LEVELS = ("critical", "error", "warning", "info", "debug", "trace")  # worst first
_SPELLINGS = {"fatal": "critical", "crit": "critical", "err": "error", "warn": "warning", "notice": "info"}
TROUBLE = LEVELS[:3]
_OPEN = re.compile(
    r"'[^']*'|\"[^\"]*\""  # a quoted name
    r"|\b0x[0-9a-fA-F]+\b|\b[0-9a-fA-F]{8,}\b"
    r"|(?<![A-Za-z])[-+]?\d+(?:[.:]\d+)*"  # numbers, times, addresses
)
_OPEN_JSON = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+|(?<![A-Za-z])[-+]?\d+(?:[.:]\d+)*")  # words say what


@dataclass(frozen=True)
class Message:
    """One event line: its number, its time (s since the log's first line), and its words."""

    line: int
    time: float
    text: str


@dataclass(frozen=True)
class Group:
    """Event lines that say the same; `template` has … where they differ."""

    template: str
    level: str
    source: str
    messages: tuple[Message, ...]  # in the order of the log, at least one


def level_of(text: str) -> str:
    """Return the level that `text` spells, lower case; what is not known is "info".

    >>> level_of("WARN"), level_of("E"), level_of("")
    ('warning', 'info', 'info')
    """
    name = _SPELLINGS.get(text.strip().casefold(), text.strip().casefold())
    return name if name in LEVELS else "info"


@lru_cache(maxsize=1 << 14)  # a log's messages are grouped for each who asks, and many are alike
def template_of(text: str) -> str:
    """Return `text` with everything left open that differs from line to line.

    >>> template_of("slow client 10.1.1.74, queue 8"), template_of("read 'PLT-23103'")
    ('slow client …, queue …', 'read …')
    """
    return (_OPEN_JSON if text.startswith("{") else _OPEN).sub("…", text).strip()


def group_messages(events: pd.DataFrame, query: str = "", levels: tuple[str, ...] = ()) -> list[Group]:
    """Return the groups of `events` (`Log.events`), the worst level first, then the most frequent.

    query   words, any of which the source or the text must hold, case ignored; "" for all
    levels  those wanted; () for all
    """
    terms = [word.casefold() for word in query.split()]
    kept: dict[tuple[str, str, str], list[Message]] = {}
    columns = (events[name].tolist() for name in ("level", "source", "text", "line", "time"))
    for spelling, source, text, line, time in zip(*columns, strict=True):
        level = level_of(str(spelling))
        searched = f"{source} {text}".casefold()
        if (levels and level not in levels) or (terms and not any(term in searched for term in terms)):
            continue
        message = Message(int(line), float(time), text)
        kept.setdefault((level, source, template_of(text)), []).append(message)
    groups = [Group(template, level, source, tuple(rows)) for (level, source, template), rows in kept.items()]
    return sorted(groups, key=lambda group: (LEVELS.index(group.level), -len(group.messages)))

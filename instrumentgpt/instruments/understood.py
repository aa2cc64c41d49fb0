"""What a log was understood as: its loops by the names in the file, what stands beside, what is missing."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from instrumentgpt.errors import in_language
from instrumentgpt.instruments import wording
from instrumentgpt.instruments.language import Language, phrase
from instrumentgpt.instruments.reading.record import Log

WORDS = Path(__file__).with_name("understood.toml")
ROLES = ("pv", "setpoint", "output")
MOST_HEADS = 12  # of columns beside
MOST_CHANNELS = 12
TEXT = 100  # characters of a line
OPTIONS = {
    "pv": "--pv COLUMN",
    "setpoint": "--setpoint COLUMN (or its value)",
    "output": "--output COLUMN",
    "period": "--period SECONDS",
    "unit": "--unit C|F|K|counts",
}
INFERRED = ("°F", "K", "counts")  # units that another could explain, too


def account(log: Log, language: Language, command: str = "") -> Iterator[str]:
    """Yield what `log` was read as, a line each; of what it lacks the question and what answers it.

    command  what is typed before the option that answers: 'python -m instrumentgpt devices "oven 1"'; without
             it the page where it is answered is named
    """
    say = partial(phrase, WORDS, language=language)
    times, channels = log.samples["time"].to_numpy(), log.samples["channel"].unique().tolist()
    steps = np.diff(np.unique(times[log.samples["channel"] == channels[0]])) if channels else times[:0]
    step = float(np.median(steps)) if len(steps) else 0.0
    each = say("each", period=float(f"{step:.3g}")) if step and "period" not in log.missing else ""
    rows = log.samples["line"].nunique()
    begin, end = (
        log.clock(float(time)) for time in ((times.min(), times.max()) if len(times) else (np.nan, np.nan))
    )
    yield say("read", log=log.name, format=log.format, rows=rows, each=each, begin=begin, end=end)
    for channel in channels[:MOST_CHANNELS]:
        name = log.channel_names.get(channel, "")
        roles = ", ".join(_roles(log, channel, language))
        yield say("channel", channel=channel, name=f" “{name}”" if name else "", roles=roles)
    if len(channels) > MOST_CHANNELS:
        yield f"… {len(channels)}"
    if beside := [f"“{head}”" for head in log.beside]:
        yield say("beside", heads=", ".join(beside[:MOST_HEADS]))
    if count := len(log.events):
        event = log.events.iloc[count // 2]
        yield say("events", count=count, line=int(event["line"]), text=str(event["text"])[:TEXT])
    yield from log.remarks(language)
    yield from unread(log, language)
    yield from questions(log, language, command)


def _roles(log: Log, channel: int, language: Language) -> Iterator[str]:
    """Yield each role of a loop with the head of its column, and the unit; what it has none of."""
    rows = log.samples[log.samples["channel"] == channel]
    shared = log.of_loops.get(1, {}) if len(log.of_loops) == 2 else {}  # of rows of a channel each
    columns = dict(log.of_loops.get(channel) or shared)
    columns = {"setpoint": columns.get("error", columns.get("deviation", -1)), **columns}
    for role in ROLES:
        unit, name = "%" if role == "output" else log.unit_of(channel), wording.field(role, language)
        if rows[role].notna().any():
            head = f"{_head(log, columns[role])} " if columns.get(role, -1) >= 0 else ""
            if role == "output" and "cooling" in columns:
                head += f"- {_head(log, columns['cooling'])} "
            yield f"{name} {head}({unit})"
        else:
            yield phrase(WORDS, "none", language, role=name)
    if "position" in columns:
        yield f"{wording.field('position', language)} {_head(log, columns['position'])} (%)"


def _head(log: Log, column: int) -> str:
    return f"“{log.heads[column] or f'column {column + 1}'}”"


def unread(log: Log, language: Language) -> Iterator[str]:
    """Yield how many lines of `log` could not be read, with one of them; nothing if all could."""
    if log.broken.count:
        line, text, reason = (*log.broken.examples, (0, "", ""))[0]
        fields = {"line": line, "text": text[:TEXT], "reason": in_language(reason, language)}
        yield phrase(WORDS, "unread", language, count=log.broken.count, **fields)


def questions(log: Log, language: Language, command: str) -> Iterator[str]:
    """Yield what `log` does not say of itself: the question, and the option of `command` that answers it."""
    for name in (
        *[name for name in OPTIONS if name in log.missing],
        *["unit"] * (log.logged_unit in INFERRED and "unit" in log.guessed),
    ):
        answer = f"→ {command} {OPTIONS[name]}" if command else phrase(WORDS, "page", language)
        yield f"{phrase(WORDS, name, language, unit=log.logged_unit)} {answer}"

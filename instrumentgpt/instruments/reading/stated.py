"""What people say of a log that its file does not: columns, the setpoint, the period, the unit."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from instrumentgpt.instruments.reading.headers import Heading
from instrumentgpt.instruments.reading.record import Log, StatedLoop, UnreadableLog, missing_of
from instrumentgpt.instruments.reading.roles import Roles
from instrumentgpt.instruments.reading.spoken import UNITS

KIND_WORDS: Mapping[str, Mapping[str, Any]] = {
    **{drive: {"drive": drive} for drive in ("continuous", "on_off", "manual", "idle", "unseen")},
    "heats": {"reverse": False},
    "cools": {"reverse": True},
}
TIMES_TEN = re.compile(r"\s*[x×*] ?(10{1,3})\b")  # “set x10”: what a column has is so many times its unit
QUOTED = re.compile("[“\"']([^”\"']+)[”\"']")


@dataclass(frozen=True)
class Stated:
    """How a log is to be read; what is not stated is recognised.

    columns   of a table: role → 0-based number or head of its column
    setpoint  its value, in the unit of pv, where no column has it
    period    s between rows, where no column has a time
    unit      of pv: "°C", "°F", "K", "counts"
    loops     channel (0: every one) → what its loop is
    heads     of a table without a header: 0-based number of a column → what people call it
    """

    columns: tuple[tuple[str, int | str], ...] = ()
    setpoint: float | None = None
    period: float | None = None
    unit: str = ""
    loops: tuple[tuple[int, StatedLoop], ...] = ()
    heads: tuple[tuple[int, str], ...] = ()


def stated_unit(text: str) -> str:
    """Return the unit that `text` names; ValueError if none.

    >>> stated_unit("f"), stated_unit("K")
    ('°F', 'K')
    """
    if text.lower() not in UNITS:
        raise ValueError(f"{text} is no unit of a temperature. Give C, F, K or counts")
    return UNITS[text.lower()]


def stated_loop(words: str) -> StatedLoop:
    """Return the loop that `words` name, by its drive and whether it heats or cools; ValueError if none.

    >>> stated_loop("on_off,cools")
    StatedLoop(drive='on_off', reverse=True, band=None)
    """
    loop = StatedLoop()
    for word in words.lower().replace("-", "_").replace("/", "_").split(","):
        if word.strip() not in KIND_WORDS:
            raise ValueError(f"{word} is no kind of loop. Give one of {', '.join(KIND_WORDS)}")
        loop = replace(loop, **KIND_WORDS[word.strip()])
    return loop


def loops_of_channels(stated: Stated, channels: Iterable[int]) -> dict[int, StatedLoop]:
    """Return channel → what is stated of its loop, for those of `channels` of which anything is."""
    loops: dict[int, StatedLoop] = {}
    for number, loop in sorted(stated.loops, key=lambda pair: pair[0]):  # of every channel before its own
        values = {name: value for name, value in asdict(loop).items() if value not in ("", None)}
        for channel in channels if number == 0 else (number,):
            loops[channel] = replace(loops.get(channel, StatedLoop()), **values)
    return loops


def numbered(name: str, stated: Stated, headings: Sequence[Heading], width: int) -> dict[str, int]:
    """Return the `stated` columns of the table `name`, role → number; UnreadableLog for one it lacks."""
    columns = {role: _column(column, headings) for role, column in stated.columns}
    if not all(0 <= at < width for at in columns.values()):
        given = ",".join(f"{role}={column}" for role, column in stated.columns)
        heads = f" ({', '.join(heading.text for heading in headings)})" if headings else ""
        raise UnreadableLog(
            f"{name}: columns {given} do not fit: the table has columns 0 to {width - 1}{heads}. "
            "Give them as time=0,setpoint=1,pv=2,output=3, or by their heads."
        )
    return columns


def _column(column: int | str, headings: Sequence[Heading]) -> int:
    """Return the number of a column given by number or head, or words that begin in one; -1 without."""
    if isinstance(column, int) or column.isdecimal():
        return int(column)
    if not headings and (match := re.fullmatch(r"column (\d+)", column)):  # as people are told
        return int(match[1]) - 1
    heads = [heading.text.casefold() for heading in headings]
    quoted = QUOTED.search(column)  # as in “column 2 “temp””
    text = (quoted[1] if quoted else column).strip().casefold()
    alike = [at for at, head in enumerate(heads) if head == text]
    for part in (text, re.sub(r"\s*[(\[].*$", "", text)):  # with a unit, or without
        begins = re.compile(rf"(?<![a-z]){re.escape(part)}")
        alike = alike or [at for at, head in enumerate(heads) if begins.search(head)]
    return alike[0] if len(alike) == 1 else -1


def with_columns(roles: Roles | None, columns: Mapping[str, int]) -> Roles | None:
    """Return `roles`, as they were recognised, with `columns` (role → number) as they were stated.

    With a pv among them its channel is all there is; otherwise the first channel has them.
    """
    stated = {role: at for role, at in columns.items() if role not in ("time", "channel")}
    if "pv" in columns:
        loops = roles.channels.values() if roles else ()
        own = next((loop for loop in loops if loop.get("pv") == columns["pv"]), {})
        kept = {role: at for role, at in own.items() if at not in columns.values()}
        recognised = tuple(at for at in roles.time if at not in columns.values()) if roles else ()
        time = (columns["time"],) if "time" in columns else recognised
        guessed = {role: why for role, why in roles.guessed.items() if role in kept} if roles else {}
        unnamed = roles.unnamed & kept.keys() if roles else frozenset()
        return Roles(time, {1: {**kept, **stated}}, guessed, columns.get("channel"), unnamed)
    if roles is None or not columns:
        return roles
    (first, loop), *others = roles.channels.items()
    inferred = ("error", "deviation") if "setpoint" in stated else ()
    loop = {role: at for role, at in loop.items() if role not in inferred and at not in columns.values()}
    rest = {number: each for number, each in others if each.get("pv") not in columns.values()}
    return replace(
        roles,
        time=(columns["time"],) if "time" in columns else roles.time,
        channels={first: {**loop, **stated}, **rest},
        guessed={role: why for role, why in roles.guessed.items() if role not in columns},
        channel_column=columns.get("channel", roles.channel_column),
        unnamed=roles.unnamed - columns.keys(),
    )


def with_setpoint(log: Log, setpoint: float, why: str) -> Log:
    """Return `log` with the value `setpoint`, known for the reason `why`.

    It is that of the channels that have an output and no setpoint; without any output, of the first channel.
    """
    samples, channel = log.samples, log.samples["channel"]
    without = [number for number, rows in samples.groupby("channel") if rows["setpoint"].isna().all()]
    driven = [number for number in without if samples.loc[channel == number, "output"].notna().any()]
    mine = channel.isin(driven or without[:1])
    samples = samples.assign(setpoint=np.where(mine, setpoint, samples["setpoint"]))
    kept = tuple(name for name in log.missing if name in ("time", "period"))
    notes = (*log.notes, f"the setpoint is {setpoint:g}, {why}")
    return replace(log, samples=samples, missing=(*kept, *missing_of(samples)), notes=notes)


def as_stated(log: Log, stated: Stated) -> Log:
    """Return `log` with the setpoint and the unit that are stated."""
    if stated.setpoint is not None:
        log = with_setpoint(log, stated.setpoint, "as was said")
    if not stated.unit:
        return log
    guessed = {name: reason for name, reason in log.guessed.items() if name != "unit"}
    return replace(log, unit=stated.unit, guessed=guessed)

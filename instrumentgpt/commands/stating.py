"""What a log does not say of itself: given as options, or asked for where a person sits at the terminal."""

import argparse
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import db
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.reading.record import StatedLoop
from instrumentgpt.instruments.reading.stated import Stated, stated_loop, stated_unit
from instrumentgpt.instruments.readings import read_as, recalled, remember
from instrumentgpt.settings import home
from instrumentgpt.storage.paths import database_path

T = TypeVar("T")
ROLES = ("time", "setpoint", "pv", "output")
QUESTIONS = {
    "setpoint": "Which column is the setpoint, or what is its value? (Enter: nobody knows)",
    "period": "How many seconds lie between two rows? (Enter: nobody knows)",
    "unit": "Is the temperature in {unit}? ({why}) Enter: yes, else C, F, K or counts",
}
REMEMBERED = "note: remembered for logs like this one; --forget takes it back"


class BadColumns(argparse.ArgumentTypeError):
    """A --columns that cannot be read."""


def add_stating(parser: argparse.ArgumentParser) -> None:
    """Add the options that `stated_by` reads."""
    parser.add_argument(
        "--columns", type=columns, metavar="NAME=N,…", help="of a table: time=0,setpoint=1,pv=2,output=3"
    )
    for role in ROLES:
        value = " or VALUE" if role == "setpoint" else ""
        parser.add_argument(
            f"--{role}",
            metavar="COLUMN" + value.replace(" or ", "|"),
            help=f"the column of {role}, by head or number{value}",
        )
    parser.add_argument(
        "--period", type=positive, metavar="SECONDS", help="between rows, for a table without time"
    )
    parser.add_argument("--unit", type=unit, metavar="UNIT", help="of the temperature: C, F, K or counts")
    parser.add_argument(
        "--kind",
        type=kind,
        action="append",
        default=[],
        metavar="[CHANNEL=]KIND",
        help="of its loop: continuous, on_off, manual or idle; heats or cools (1=on_off,cools)",
    )
    parser.add_argument(
        "--band",
        type=band,
        action="append",
        default=[],
        metavar="[CHANNEL=]SIZE",
        help="deviation of pv that is worth a word, in its unit",
    )
    parser.add_argument("--forget", action="store_true", help="what was said of logs like these before")


def columns(text: str) -> dict[str, int]:
    """Return "time=0,pv=2" as name → 0-based column.

    >>> columns("time=0,pv=2")
    {'time': 0, 'pv': 2}
    """
    try:
        return {name.strip(): int(number) for name, number in (part.split("=") for part in text.split(","))}
    except ValueError:
        raise BadColumns(f"{text!r}: write it like time=0,setpoint=1,pv=2,output=3") from None


def kind(text: str) -> tuple[int, StatedLoop]:
    """Return "1=on_off" as (1, a loop that is so); without a channel it is 0: every one."""
    channel, words = _of_channel(text)
    try:
        return channel, stated_loop(words)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def band(text: str) -> tuple[int, StatedLoop]:
    """Return "1=0.5" as (1, a loop with that band); without a channel it is 0: every one."""
    channel, size = _of_channel(text)
    if not 0 < (value := float(size)) < float("inf"):
        raise argparse.ArgumentTypeError(f"{size} is no band. Give a size above 0, in the unit of pv")
    return channel, StatedLoop(band=value)


def _of_channel(text: str) -> tuple[int, str]:
    channel, _, rest = text.rpartition("=")
    return int(channel or 0), rest


def positive(text: str) -> float:
    """Return a number of seconds above 0."""
    seconds = float(text)
    if not seconds > 0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 seconds")
    return seconds


def unit(text: str) -> str:
    """Return the unit that `text` names."""
    try:
        return stated_unit(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def stated_by(arguments: argparse.Namespace) -> Stated | None:
    """Return what the options say, None if they say nothing."""
    said: dict[str, int | str] = {**(arguments.columns or {})}
    said |= {role: getattr(arguments, role) for role in ROLES if getattr(arguments, role) is not None}
    stated = with_setpoint(
        Stated(tuple(said.items())), said.get("setpoint"), "setpoint" in (arguments.columns or {})
    )
    loops = (*arguments.kind, *arguments.band)
    stated = replace(stated, period=arguments.period, unit=arguments.unit or "", loops=loops)
    return stated if stated != Stated() else None


def with_setpoint(stated: Stated, answer: int | str | None, numbered: bool = False) -> Stated:
    """Return `stated` with the setpoint that `answer` gives: a number is its value, else a column's head."""
    others = tuple((role, column) for role, column in stated.columns if role != "setpoint")
    try:
        value = None if answer is None or numbered else float(answer)
    except ValueError:
        value = None
    if answer is None or value is not None:
        return replace(stated, columns=others, setpoint=value)
    return replace(stated, columns=(*others, ("setpoint", answer)), setpoint=None)


def read_stated(path: Path, owner: str, stated: Stated | None, forget: bool, asks: bool) -> Log:
    """Return the log at `path` as `stated`, now or before for logs of `owner` that are laid out like it.

    asks  whether a person can be asked what is missing; the answers are remembered
    """
    cache = home() / "cache" / "frames"
    log = read_as(path, stated, cache)
    if not (stated or forget or asks) and not database_path().exists():
        return log
    with closing(db.connect(database_path())) as database:
        kept = None if stated or forget else recalled(database, owner, log)
        if kept:
            return read_as(path, kept, cache)
        said = answers(log, stated, _input) if asks else stated
        if forget or said:
            remember(database, owner, log, said)
    if said != stated:
        log = read_as(path, said, cache)
    if said:
        print(REMEMBERED, file=sys.stderr)
    return log


def answers(log: Log, stated: Stated | None, ask: Callable[[str], str]) -> Stated | None:
    """Return `stated` with what `ask` (question → line) tells of what `log` lacks; None if nothing is."""
    said = stated or Stated()
    heads = f" ({log.layout})" if log.columns and log.channel_names else ""
    if "setpoint" in log.missing and (answer := ask(f"{log.name}{heads}: {QUESTIONS['setpoint']} ").strip()):
        said = with_setpoint(said, answer)
    if "period" in log.missing:
        said = replace(said, period=_prompted(f"{log.name}: {QUESTIONS['period']} ", positive, ask))
    if in_doubt(log):
        question = QUESTIONS["unit"].format(unit=log.unit, why=log.guessed["unit"])
        said = replace(said, unit=_prompted(f"{log.name}: {question} ", stated_unit, ask) or "")
    return said if said != Stated() else None


def _prompted(question: str, parse: Callable[[str], T], ask: Callable[[str], str]) -> T | None:
    """Return what the answer to `question` is as `parse` reads it, None if it is empty."""
    while answer := ask(question).strip():
        try:
            return parse(answer)
        except (ValueError, argparse.ArgumentTypeError) as problem:
            print(problem, file=sys.stderr)
    return None


def _input(question: str) -> str:
    """Return the line that is typed, "" at the end of input."""
    try:
        return input(question)
    except EOFError:
        return ""


def in_doubt(log: Log) -> bool:
    """Return whether the unit was inferred from values that another unit could explain, too."""
    return "unit" in log.guessed and log.unit in ("°F", "K", "counts")


def at_terminal() -> bool:
    """Return whether a person sits at both ends."""
    return sys.stdin.isatty() and sys.stdout.isatty()

"""What a log does not say of itself: given as options, or asked for where a person sits at the terminal."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from instrumentgpt.commands.arguments import ROLES, positive
from instrumentgpt.commands.shared import opened, saved_settings
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.reading.stated import Stated, stated_unit
from instrumentgpt.instruments.readings import read_as, recalled, remember
from instrumentgpt.settings import home
from instrumentgpt.storage.paths import database_path

T = TypeVar("T")
QUESTIONS = {
    "setpoint": "Which column is the setpoint, or what is its value? (Enter: nobody knows)",
    "period": "How many seconds lie between two rows? (Enter: nobody knows)",
    "unit": "Is the temperature in {unit}? ({why}) Enter: yes, else C, F, K or counts",
}
REMEMBERED = "note: remembered for logs like this one; --forget takes it back"


def stated_by(arguments: argparse.Namespace) -> Stated | None:
    """Return what the options say, None if they say nothing."""
    options: dict[str, int | str] = {**(arguments.columns or {})}
    options |= {role: getattr(arguments, role) for role in ROLES if getattr(arguments, role) is not None}
    stated = with_setpoint(
        Stated(tuple(options.items())), options.get("setpoint"), "setpoint" in (arguments.columns or {})
    )
    loops = (*arguments.kind, *arguments.band)
    stated = replace(stated, period=arguments.period, unit=arguments.unit or "", loops=loops)
    return stated if stated != Stated() else None


def with_setpoint(stated: Stated, answer: int | str | None, numbered: bool = False) -> Stated:
    """Return `stated` with the setpoint that `answer` gives: a number is its value, else a column's head."""
    other_columns = tuple((role, column) for role, column in stated.columns if role != "setpoint")
    try:
        value = None if answer is None or numbered else float(answer)
    except ValueError:
        value = None
    if answer is None or value is not None:
        return replace(stated, columns=other_columns, setpoint=value)
    return replace(stated, columns=(*other_columns, ("setpoint", answer)), setpoint=None)


def read_stated(path: Path, owner: str, stated: Stated | None, forget: bool, asks: bool) -> Log:
    """Return the log at `path` as `stated`, now or before for logs of `owner` that are laid out like it.

    It is shown in the unit that is set.

    asks  whether a person can be asked what is missing; the answers are remembered
    """
    read_log = partial(read_as, path, cache=home() / "cache" / "frames", unit=saved_settings().temperatures)
    log = read_log(stated)
    if not (stated or forget or asks) and not database_path().exists():
        return log
    with opened() as database:
        earlier = None if stated or forget else recalled(database, owner, log)
        if earlier:
            return read_log(earlier)
        completed = answers(log, stated, _input) if asks else stated
        if forget or completed:
            remember(database, owner, log, completed)
    if completed != stated:
        log = read_log(completed)
    if completed:
        print(REMEMBERED, file=sys.stderr)
    return log


def answers(log: Log, stated: Stated | None, ask: Callable[[str], str]) -> Stated | None:
    """Return `stated` with what `ask` (question → line) tells of what `log` lacks; None if nothing is."""
    completed = stated or Stated()
    heads = f" ({log.layout})" if log.columns and log.channel_names else ""
    if "setpoint" in log.missing and (answer := ask(f"{log.name}{heads}: {QUESTIONS['setpoint']} ").strip()):
        completed = with_setpoint(completed, answer)
    if "period" in log.missing:
        completed = replace(completed, period=_prompted(f"{log.name}: {QUESTIONS['period']} ", positive, ask))
    if "unit" in log.guessed and log.logged_unit in ("°F", "K", "counts"):  # another could explain them, too
        question = QUESTIONS["unit"].format(unit=log.logged_unit, why=log.guessed["unit"])
        completed = replace(completed, unit=_prompted(f"{log.name}: {question} ", stated_unit, ask) or "")
    return completed if completed != Stated() else None


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


def at_terminal() -> bool:
    """Return whether a person sits at both ends."""
    return sys.stdin.isatty() and sys.stdout.isatty()

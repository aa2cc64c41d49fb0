"""What a log does not say of itself, given as options, and remembered for logs like it."""

import argparse
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from instrumentgpt.commands.arguments import ROLES
from instrumentgpt.commands.shared import opened, saved_settings
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.reading.stated import Stated
from instrumentgpt.instruments.readings import read_as, recalled, remember
from instrumentgpt.settings import home
from instrumentgpt.storage.paths import database_path

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


def read_stated(path: Path, owner: str, stated: Stated | None, forget: bool) -> Log:
    """Return the log at `path` as `stated`, now or before for logs of `owner` that are laid out like it.

    It is shown in the unit that is set.
    """
    read_log = partial(read_as, path, cache=home() / "cache" / "frames", unit=saved_settings().temperatures)
    log = read_log(stated)
    if not (stated or forget) and not database_path().exists():
        return log
    with opened() as database:
        earlier = None if stated or forget else recalled(database, owner, log)
        if earlier:
            return read_log(earlier)
        if forget or stated:
            remember(database, owner, log, stated)
    if stated:
        print(REMEMBERED, file=sys.stderr)
    return log

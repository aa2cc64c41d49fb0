"""`compare`: what changed between two logs of a device, or in one at a time of day."""

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from instrumentgpt.commands.diagnose import problem_text
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.compare import Comparison, compare, divided
from instrumentgpt.instruments.comparison_wording import (
    comparison_sentences,
    event_sentence,
    fault_sentence,
    row_sentence,
)
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.fault_changes import FaultChange, fault_changes
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.tools.events import time_of
from instrumentgpt.instruments.tools.opened import plain


class WrongNumberOfLogs(InstrumentGPTError, ValueError):
    """Neither two logs, nor one and a time that divides it."""


class UnopenedLog(InstrumentGPTError, OSError):
    """A log that the system does not open."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the logs, or one log and a time."""
    parser.add_argument(
        "logs", nargs="+", type=Path, metavar="LOG", help="the older and the newer log, or one with --at"
    )
    parser.add_argument("--at", type=clock, metavar="HH:MM", help="divide one log at this time of its clock")
    parser.add_argument("--json", action="store_true", help="one JSON object per difference and line")
    parser.add_argument(
        "--language", choices=["en", "zh"], default="en", help="of the sentences (default: en)"
    )


def clock(text: str) -> str:
    """Return a time of day as it is written, if it is one.

    >>> clock("14:20")
    '14:20'
    """
    if not re.fullmatch(r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no time of day: write it like 14:20 or 14:20:05")
    return text


def run(arguments: argparse.Namespace) -> int:
    """Print what changed; 0 whether or not something did."""
    if len(arguments.logs) != (1 if arguments.at else 2):
        raise WrongNumberOfLogs(
            f"{len(arguments.logs)} logs{' and a time' if arguments.at else ''} were given. "
            "Give an older and a newer log, or one log with --at HH:MM"
        )
    first = arguments.logs[0]
    found, faults = _divided(first, arguments.at) if arguments.at else _both(first, arguments.logs[1])
    written = json_lines if arguments.json else text_lines
    for line in written(found, faults, arguments.language):
        print(line)
    return 0


def _both(before: Path, after: Path) -> tuple[Comparison, tuple[FaultChange, ...]]:
    first, second = _read(before), _read(after)
    return compare(first, second), fault_changes(diagnose(first), diagnose(second))


def _divided(path: Path, at: str) -> tuple[Comparison, tuple[FaultChange, ...]]:
    log = _read(path)
    first, second = divided(log, time_of(log, at))
    return compare(first, second), fault_changes(diagnose(first), diagnose(second))


def _read(path: Path) -> Any:
    try:
        return read_log(path)
    except OSError as problem:
        raise UnopenedLog(problem_text(path, problem)) from problem


def text_lines(found: Comparison, faults: tuple[FaultChange, ...], language: Language) -> Iterator[str]:
    """Yield the differences as people read them, the faults first."""
    head, *rest = comparison_sentences(found, language)
    yield head
    yield from (f"  {fault_sentence(one, language)}" for one in faults)
    nothing = not found.notable and not found.events
    yield from (f"  {line}" for line in rest if not (nothing and faults))


def json_lines(found: Comparison, faults: tuple[FaultChange, ...], language: Language) -> Iterator[str]:
    """Yield one JSON object per difference: a fault, a figure, or a kind of event line."""
    logs = {"before_log": found.before, "after_log": found.after}
    for fault in faults:
        named = {"class": fault.finding.fault, "channel": fault.finding.channel}
        yield _json({"kind": fault.kind, **named, **logs, "text": fault_sentence(fault, language)})
    for row in found.notable:
        text = row_sentence(row, found.unit, language)
        yield _json({"kind": row.quantity, **plain(asdict(row)), **logs, "text": text})
    for change in found.events:
        yield _json({"kind": "events", **asdict(change), **logs, "text": event_sentence(change, language)})


def _json(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False)

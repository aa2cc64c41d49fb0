"""`compare`: what changed between two logs of a device, or in one at a time of day."""

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from instrumentgpt.commands.diagnose import problem_text
from instrumentgpt.commands.stored import saved_settings
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.compare import Comparison, FaultChange, compare, divided, fault_changes
from instrumentgpt.instruments.comparison_wording import (
    comparison_sentences,
    event_sentence,
    fault_sentence,
    row_sentence,
)
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.readings import read_as
from instrumentgpt.instruments.tools.events import time_of
from instrumentgpt.instruments.tools.opened import plain


class WrongNumberOfLogs(InstrumentGPTError, ValueError):
    """Neither two logs, nor one and a time that divides it."""


class UnopenedLog(InstrumentGPTError, OSError):
    """A log that the system does not open."""


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
        return read_as(path, unit=saved_settings().temperatures)
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

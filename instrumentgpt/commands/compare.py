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
    path = arguments.logs[0]
    if arguments.at:
        log = _read(path)
        logs = divided(log, time_of(log, arguments.at))
    else:
        logs = _read(path), _read(arguments.logs[1])
    comparison, faults = compare(*logs), fault_changes(*map(diagnose, logs))
    lines_of = json_lines if arguments.json else text_lines
    for line in lines_of(comparison, faults, arguments.language):
        print(line)
    return 0


def _read(path: Path) -> Any:
    try:
        return read_as(path, unit=saved_settings().temperatures)
    except OSError as problem:
        raise UnopenedLog(problem_text(path, problem)) from problem


def text_lines(comparison: Comparison, faults: tuple[FaultChange, ...], language: Language) -> Iterator[str]:
    """Yield the differences as people read them, the faults first."""
    head, *sentences = comparison_sentences(comparison, language)
    yield head
    yield from (f"  {fault_sentence(fault, language)}" for fault in faults)
    nothing = not comparison.notable and not comparison.events
    yield from (f"  {line}" for line in sentences if not (nothing and faults))


def json_lines(comparison: Comparison, faults: tuple[FaultChange, ...], language: Language) -> Iterator[str]:
    """Yield one JSON object per difference: a fault, a figure, or a kind of event line."""
    logs = {"before_log": comparison.before, "after_log": comparison.after}
    for fault in faults:
        fields = {"class": fault.finding.fault, "channel": fault.finding.channel}
        yield _json({"kind": fault.kind, **fields, **logs, "text": fault_sentence(fault, language)})
    for row in comparison.notable:
        text = row_sentence(row, comparison.unit, language)
        yield _json({"kind": row.quantity, **plain(asdict(row)), **logs, "text": text})
    for change in comparison.events:
        yield _json({"kind": "events", **asdict(change), **logs, "text": event_sentence(change, language)})


def _json(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False)

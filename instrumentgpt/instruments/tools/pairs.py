"""A tool that compares two logs of a device."""

from dataclasses import asdict
from typing import Any

from instrumentgpt.instruments.compare import Comparison, compare
from instrumentgpt.instruments.comparison_wording import (
    comparison_sentences,
    event_sentence,
    fault_sentence,
    quantity_name,
    row_sentence,
)
from instrumentgpt.instruments.fault_changes import FaultChange, fault_changes
from instrumentgpt.instruments.tools.opened import diagnosed, open_log
from instrumentgpt.instruments.tools.plain import plain
from instrumentgpt.instruments.workspace import Workspace
from instrumentgpt.text.language import Language


def compare_logs(
    workspace: Workspace, log: str, before: str, device: str = "", language: Language = "en"
) -> dict[str, Any]:
    """Return what differs in `log` from the earlier `before`: faults, gains, setpoints, output, events."""
    later, earlier = open_log(workspace, log, device), open_log(workspace, before, device)
    found = compare(earlier.log, later.log)
    faults = fault_changes(diagnosed(earlier), diagnosed(later))
    told = [_fault(one, language) for one in faults]
    return {
        "summary": " ".join([*comparison_sentences(found, language), *(one["text"] for one in told)]),
        "log": later.name,
        "logs": [earlier.name, later.name],
        "before": earlier.name,
        "changes": [one for one in told if one["kind"] != "fault_still"] + _changes(found, language),
        "lasting": [one for one in told if one["kind"] == "fault_still"],
        "compared": [
            {**plain(asdict(row)), "name": quantity_name(row.quantity, language)} for row in found.rows
        ],
    }


def _fault(change: FaultChange, language: Language) -> dict[str, Any]:
    """Return a fault that came, went or stayed; "line" is its first evidence, in the log that has it."""
    finding = change.finding
    return {
        "quantity": "faults",
        "kind": change.kind,
        "class": finding.fault,
        "channel": finding.channel,
        "before": int(change.kind == "fault_gone"),
        **({"line": finding.evidence[0].line} if finding.evidence else {}),
        "text": fault_sentence(change, language),
    }


def _changes(found: Comparison, language: Language) -> list[dict[str, Any]]:
    rows = [{**plain(asdict(row)), "text": row_sentence(row, found.unit, language)} for row in found.notable]
    events = [
        {**plain(asdict(one)), "quantity": "events", "text": event_sentence(one, language)}
        for one in found.events
    ]
    return rows + events

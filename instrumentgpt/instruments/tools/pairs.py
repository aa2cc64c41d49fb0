"""A tool that compares two logs, of a device or of two."""

from dataclasses import asdict
from typing import Any

from instrumentgpt.instruments.compare import Comparison, FaultChange, compare, fault_changes
from instrumentgpt.instruments.comparison_wording import (
    Devices,
    comparison_sentences,
    event_sentence,
    fault_sentence,
    quantity_name,
    row_sentence,
)
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.tools.opened import diagnosed, open_log, plain
from instrumentgpt.instruments.workspace import Workspace


def compare_logs(
    workspace: Workspace, log: str, before: str, device: str = "", language: Language = "en"
) -> dict[str, Any]:
    """Return what differs in `log` from the earlier `before`: faults, gains, setpoints, output, events.

    For what changed since, or between two devices; both logs must be fetched.
    Example: compare_logs(log="new.log", before="old.log", device="zspr 052").

    Either may be named with its device ("zspr 052/run.log"), which counts more than `device`: so two devices
    are compared. Then "logs" are those of the first device alone.
    """
    devices = _device_of(before, device), _device_of(log, device)
    later, earlier = open_log(workspace, log, devices[1]), open_log(workspace, before, devices[0])
    named = devices if all(devices) and devices[0] != devices[1] else None
    comparison = compare(earlier.log, later.log)
    faults = fault_changes(diagnosed(earlier), diagnosed(later))
    rows = [_fault(change, language, named) for change in faults]
    sentences = [*comparison_sentences(comparison, language, named), *(row["text"] for row in rows)]
    new = [row for row in rows if row["kind"] != "fault_still"]
    return {
        "summary": " ".join(sentences),
        "log": later.name,
        "logs": [later.name] if named else [earlier.name, later.name],
        "before": earlier.name,
        "changes": new + _changes(comparison, language, named),
        "lasting": [row for row in rows if row["kind"] == "fault_still"],
        "compared": [
            {**plain(asdict(row)), "name": quantity_name(row.quantity, language)} for row in comparison.rows
        ],
    }


def _device_of(log: str, device: str) -> str:
    """Return the device that the name of a log carries, else `device`."""
    return log.rpartition("/")[0] or device


def _fault(change: FaultChange, language: Language, devices: Devices | None) -> dict[str, Any]:
    """Return a fault that came, went or stayed; "line" is its first evidence, in the log that has it."""
    finding = change.finding
    return {
        "quantity": "faults",
        "kind": change.kind,
        "class": finding.fault,
        "channel": finding.channel,
        "before": int(change.kind == "fault_gone"),
        **({"line": finding.evidence[0].line} if finding.evidence else {}),
        "text": fault_sentence(change, language, devices),
    }


def _changes(comparison: Comparison, language: Language, devices: Devices | None) -> list[dict[str, Any]]:
    unit, notable = comparison.unit, comparison.notable
    rows = [{**plain(asdict(row)), "text": row_sentence(row, unit, language)} for row in notable]
    events = [
        {**plain(asdict(event)), "quantity": "events", "text": event_sentence(event, language, devices)}
        for event in comparison.events
    ]
    return rows + events

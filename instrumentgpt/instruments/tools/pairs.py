"""Tools that compare logs: two, of a device or of two, or those of a device over days and weeks."""

from contextlib import suppress
from dataclasses import asdict
from typing import Any, Literal

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.compare import (
    Comparison,
    Duties,
    FaultChange,
    compare,
    fault_changes,
    rises_over,
    spread_over,
)
from instrumentgpt.instruments.comparison_wording import (
    Devices,
    comparison_sentences,
    event_sentence,
    fault_sentence,
    quantity_name,
    rise_sentence,
    row_sentence,
)
from instrumentgpt.instruments.documents import ValueChange, change_sentences, changes_between, values_of
from instrumentgpt.instruments.kept_verdicts import held_duties
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.shown import shown_in
from instrumentgpt.instruments.tools.library import fetch_log, list_logs
from instrumentgpt.instruments.tools.opened import Opened, bare, diagnosed, find_log, open_log, plain
from instrumentgpt.instruments.workspace import Workspace

SMALL = 30_000_000  # bytes together


def compare_logs(
    workspace: Workspace,
    log: str,
    before: str,
    device: str = "",
    language: Language = "en",
    at: float | None = None,
) -> dict[str, Any]:
    """Return what differs in `log` from the earlier `before`: faults, gains, setpoints, output, events.

    For what changed since, or between two devices; both logs must be fetched.
    Example: compare_logs(log="new.log", before="old.log", device="zspr 052").

    Either may be named with its device ("zspr 052/run.log"), which counts more than `device`: so two devices
    are compared. Then "logs" are those of the first device alone. `at`: the setpoint they are compared at.
    Two JSON documents of values (configuration, health) are compared value by value.
    """
    devices = _device_of(before, device), _device_of(log, device)
    files = find_log(workspace, before, devices[0]), find_log(workspace, log, devices[1])
    old, new_values = map(values_of, files)
    if old is not None and new_values is not None:
        names = bare(files[0].name), bare(files[1].name)
        return _of_documents(*names, changes_between(old, new_values), language)
    later, earlier = open_log(workspace, log, devices[1]), open_log(workspace, before, devices[0])
    machines = devices[0] or earlier.name, devices[1] or later.name  # a file of no device is of another
    named = machines if devices[0] != devices[1] else None
    comparison = compare(earlier.log, later.log, at)
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


def _of_documents(before: str, log: str, changes: list[ValueChange], language: Language) -> dict[str, Any]:
    told = [{"kind": "value", **vars(change), "text": change.sentence(language)} for change in changes]
    return {
        "summary": " ".join(change_sentences(before, log, changes, language)),
        "log": log,
        "logs": [before, log],
        "before": before,
        "changes": told,
        "lasting": [],
        "compared": [],
    }


def output_over_logs(
    workspace: Workspace,
    device: str,
    log: str = "",
    reading: Literal["all", "small"] = "all",
    language: Language = "en",
) -> dict[str, Any]:
    """Return the channels of `device` that need more and more output for one setpoint, from log to log.

    For what grows over days or weeks, which no single log shows. Not for two logs: that is compare_logs.
    Example: output_over_logs(device="zspr 052").

    Up to eight logs are read, from the oldest to `log`, or the newest; without three there is no rise;
    `reading` "small": only if that takes no more than a few seconds.
    """
    there = list_logs(workspace, device)["logs"]
    names = [row["name"] for row in there]
    begun = {row["name"]: row["begun"] or "" for row in there}
    older = names[names.index(bare(log)) if bare(log) in names else 0 :][::-1]
    chosen = spread_over(older)
    sizes = {row["name"]: row["size"] or 0 for row in there}
    too_much = reading == "small" and sum(sizes[name] for name in chosen) > SMALL
    read, held = list[Opened](), list[dict[int, Duties]]()
    for name in [] if too_much else chosen:
        with suppress(InstrumentGPTError):  # what cannot be read is told where it is asked for
            fetch_log(workspace, device, name)
            opened = open_log(workspace, name, device)
            duties = held_duties(shown_in(opened.log, (read or [opened])[0].log.unit))
            read += [opened] * any(duties.values())
            held += [duties] * any(duties.values())
    rises = rises_over(held)
    days = [begun[opened.name] or opened.name for opened in read]
    rows = [
        {
            **plain(asdict(rise)),
            "since": days[rise.since],
            "text": rise_sentence(
                rise,
                days,
                read[0].log.unit_of(rise.channel),
                language,
                read[-1].log.channel_names.get(rise.channel, ""),
            ),
        }
        for rise in rises
    ]
    return {
        "summary": " ".join(str(row["text"]) for row in rows) or f"{len(read)} logs, no rising output",
        "device": device,
        "logs": [opened.name for opened in read],
        "findings": rows,
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

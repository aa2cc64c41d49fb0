"""Tools that say which devices and logs there are, fetch a log, and tell what a shift saw."""

import time
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.conversation import inventory_of, opened
from instrumentgpt.instruments.devices import Device
from instrumentgpt.instruments.documents import is_document_name
from instrumentgpt.instruments.fetch import RemoteLog, fetch, list_files
from instrumentgpt.instruments.fetch import list_logs as logs_of
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.tools.opened import UnknownLog, bare, device_folder, diagnosed, open_log
from instrumentgpt.instruments.workspace import Workspace
from instrumentgpt.moments import now
from instrumentgpt.storage.verdicts import SMALL_PART

MOST_LOGS = 5_000  # of years; an agent is given them by pages


def list_devices(workspace: Workspace) -> dict[str, Any]:
    """Return the devices there are: nothing else can be reached.

    First, when the user's device has no name or address that you know.
    Example: list_devices().
    """
    inventory = inventory_of(workspace)
    devices = [
        {
            "name": device.name,
            "ip": device.ip,
            "aliases": [*device.aliases, *device.nicknames],
            "model": device.model,
            "logs": device.logs,
        }
        for device in inventory.devices
    ]
    return {"summary": f"{len(devices)} devices", "inventory": str(inventory.path), "devices": devices}


def list_logs(workspace: Workspace, device: str) -> dict[str, Any]:
    """Return the logs of `device` (name or address), newest first; nothing is fetched.

    Before fetch_log when an older log is wanted; not to open one.
    Example: list_logs(device="zspr 052").

    "documents" are its JSON files of values (configuration, health), which compare_logs compares.
    """
    target = inventory_of(workspace).find(device)
    files = list_files(target)
    logs = [file for file in files if not is_document_name(file.name)]
    documents = [bare(file.name) for file in files if is_document_name(file.name)]
    return {
        "summary": f"{target.label}: {len(logs)} logs, newest {bare(logs[0].name) if logs else 'none'}",
        "device": target.name,
        "label": target.label,
        "logs": [
            {
                "name": bare(log.name),
                "size": log.size,
                "begun": when.strftime("%Y-%m-%d %H:%M:%S") if when else None,
            }
            for log in logs[:MOST_LOGS]
            for when in [log.begun or log.modified]
        ],
        "left_out": max(0, len(logs) - MOST_LOGS),
        **({"documents": documents[:MOST_LOGS]} if documents else {}),
    }


def fetch_log(workspace: Workspace, device: str, log: str = "", back: int = 0) -> dict[str, Any]:
    """Fetch a log of `device` so that the other tools can open it; an unchanged one is not fetched again.

    Once per log; not for a dropped file, which is there already.
    Example: fetch_log(device="zspr 052", back=1) for the log before the newest.

    log   its name; without it the newest, but one that has only begun gives way to the one before it
    back  … or the one so many before the newest
    """
    target = inventory_of(workspace).find(device)
    chosen = _chosen(target, log, back)
    begun = "" if log or back else _only_begun(workspace, target)
    if begun:
        chosen = _chosen(target, "", 1)
    before = _version(device_folder(workspace.cache, target.name) / chosen.local_name)
    started = time.monotonic()
    path = fetch(chosen, workspace.cache)
    return {
        "summary": f"{bare(path.name)} of {target.label}: {path.stat().st_size:,} bytes"
        + (f"; {begun} is newer, and cannot be judged yet" if begun else ""),
        "log": bare(path.name),
        "only_begun": begun,
        "device": target.name,
        "label": target.label,
        "size": path.stat().st_size,
        "seconds": round(time.monotonic() - started, 3),
        "from_cache": _version(path) == before,
    }


def _only_begun(workspace: Workspace, device: Device) -> str:
    """Return the name of the newest log, if it is small beside the one before and cannot be judged yet."""
    newest, before = (*logs_of(device), None, None)[:2]
    if newest is None or before is None or (newest.size or 0) * SMALL_PART >= (before.size or 0):
        return ""
    if newest.size == 0:
        return newest.local_name
    with suppress(InstrumentGPTError):
        fetch(newest, workspace.cache)
        findings = diagnosed(open_log(workspace, newest.local_name, device.name)).findings
        return newest.local_name if [one.fault for one in findings[:1]] == ["insufficient_data"] else ""
    return ""


def _version(path: Path) -> tuple[int, int] | None:
    return (path.stat().st_size, path.stat().st_mtime_ns) if path.exists() else None


def _chosen(device: Device, name: str, back: int) -> RemoteLog:
    files = list_files(device)
    logs = [file for file in files if not is_document_name(file.name)]
    fitting = [file for file in files if bare(file.name) == bare(name)] if name else logs[back : back + 1]
    if not (logs or fitting):
        raise UnknownLog("no_logs", device=device.label, folder=device.logs)
    if not fitting:
        listed = ", ".join(bare(log.name) for log in logs[:5])
        key = "no_log_called" if name else "no_log_back"
        raise UnknownLog(key, device=device.label, log=repr(name), back=back, listed=listed)
    return fitting[0]


def shift_report(workspace: Workspace, since: str = "", language: Language = "en") -> dict[str, Any]:
    """Return what happened to all devices since a moment: faults that came, went or stayed, silence, cases.

    For "what happened since yesterday 18:00?", a hand-over. Not for one log; look_at_time is for that.
    Example: shift_report(since="2026-11-24 18:00").

    since  a day and a time, or the time that was last; "": today
    """
    from instrumentgpt.handover.shift import shift_document

    at = now()
    began = datetime.fromisoformat(since if "-" in since else f"{at:%Y-%m-%d} {since or '0:00':0>5}")
    began = began.replace(tzinfo=at.tzinfo)
    began -= timedelta(days=began > at)
    with opened(workspace) as database:
        devices = inventory_of(workspace).devices
        report = shift_document(database, devices, began.timestamp(), language, None)
    return {"summary": report.title, "since": f"{began:%Y-%m-%d %H:%M}", "text": list(report.parts)}

"""The task file: what our own analyst, and our tools for any agent, are told of a turn as data."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

from instrumentgpt.memory.revised import InForce
from instrumentgpt.memory.state import DiagnosticState, device_key
from instrumentgpt.storage.connection import file_of
from instrumentgpt.turn.turn import Turn, made

MOST_CONSTRAINTS = MOST_RULED_OUT = 8  # sentences told to our own analyst, the newest


def write_task_file(turn: Turn, task: str, given: Mapping[str, Any], remembered: InForce) -> Path:
    """Write the turn's next task file (docs/architecture.md, The task file); return its path.

    task, given  what a mode asks for, and what it tells beside the question
    remembered   what is known of the device in question
    """
    home = turn.home()
    told = {
        "task": task,
        "question": turn.question.content,
        "conversation_id": turn.run.conversation_id,
        "database": file_of(turn.database),
        "inventory": str(turn.inventory.path),
        "cache": str(home / "cache"),
        "artifacts": str(made(turn.folder / "artifacts")),
        "devices": [device.name for device in turn.devices],
        "nicknames": {device.name: device.nicknames for device in turn.inventory.devices if device.nicknames},
        "left": _left(turn),
        "state": asdict(remembered.state),
        "stated": _stated(remembered),
        "constraints": _said(remembered, "constraint")[-MOST_CONSTRAINTS:],
        "ruled_out": _said(remembered, "ruled_out")[-MOST_RULED_OUT:],
        "attachments": [str(path) for path in turn.uploads()],
        "given": dict(given),
    }
    path = _free_name(turn.folder)
    path.write_text(json.dumps(told, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def _left(turn: Turn) -> dict[str, str]:
    """Return the device that this question turned away from and its last log, nothing if it did not."""
    for device, stored in turn.filed.items():
        return {"device": device, "log": DiagnosticState.deserialize(stored).last_log_file or ""}
    return {}


def _stated(remembered: InForce) -> list[dict[str, Any]]:
    """Return what the user said last of each value of the device in question, be it in force or not."""
    device = device_key(remembered.state)
    said = [one for one in remembered.known if one.kind == "value" and one.source == "user"]
    newest = {
        one.fact.key: {**asdict(one.fact), "turn": one.turn} for one in said if one.fact.device == device
    }
    return list(newest.values())


def _said(remembered: InForce, kind: str) -> list[str]:
    """Return the sentences of `kind` for the device in question, or for all, oldest first, once each."""
    about = ("", device_key(remembered.state))
    said = [one for one in remembered.known if one.kind == kind and one.fact.device in about]
    return list(dict.fromkeys(one.said for one in said))


def _free_name(folder: Path) -> Path:
    """Return the path of the next task file: task.json, task-2.json, …"""
    names = (folder / ("task.json" if number == 1 else f"task-{number}.json") for number in count(1))
    return next(path for path in names if not path.exists())

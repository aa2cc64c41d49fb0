"""What a CLI agent is given for a turn: its folder with our rule and tools, and the conversation's files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import db
from instrumentgpt.agents.workspace import copy_logs, prepare, write_pasted
from instrumentgpt.instruments.devices import Device
from instrumentgpt.memory.filtering import RAW_LOG, RECENT_CHARS, filter_content
from instrumentgpt.storage.conversations import Permission

MOST_LOGS = 5  # newest fetched logs copied for an agent; our tools open all
TAGGED = ("cursor",)  # agents that know rules by a tag in the request


@dataclass(frozen=True)
class Case:
    """What a turn knows that an agent's folder is made of.

    home     the folder of the database, the cache and the workspaces
    tools    what the agent starts as our MCP server: {command, args, env}
    logs     names of the logs fetched in this conversation, oldest first
    dropped  files that came with its questions
    source   the repository of the device's software
    """

    home: Path
    tools: Mapping[str, Any]
    permission: Permission
    logs: Sequence[str]
    dropped: Iterable[Path]
    earlier: Sequence[db.Message]
    source: Path | None = None


def equip(folder: Path, agent: str, case: Case) -> Path:
    """Make `folder` ready for `agent` and return the file that names our tools' server."""
    mcp_config = prepare(folder, agent, case.tools, case.permission, case.source)
    fetched = _fetched(case.home / "cache", set(case.logs[-MOST_LOGS:]))
    copy_logs(folder / "logs", [*fetched, *(("dropped", path) for path in case.dropped)])
    write_pasted(folder / "pasted", pasted(case.earlier))
    return mcp_config


def source_of(device: Device | None) -> Path | None:
    """Return the folder of the repository of the device's software, if it names one that is there."""
    path = Path(device.source) if device and device.source else None
    return path if path is not None and path.is_dir() else None


def missing_source(device: Device | None) -> str:
    """Return what to tell of a source that is named but not there, or ""."""
    if device is None or not device.source or source_of(device) is not None:
        return ""
    return f"{device.label}: its source {device.source} is not there; the agent works without it"


def tagged(question: str, tag: str, agent: str, is_device_query: bool) -> str:
    """Return the request for `agent`: as typed, and below it the rule's tag if a device is named.

    >>> tagged("10.1.1.47 為什麼溫度波動？", "@instrument", "cursor", True)
    '10.1.1.47 為什麼溫度波動？\\n\\n@instrument'
    >>> tagged("why?", "@instrument", "cursor", False)
    'why?'
    """
    words = " ".join(tag.split())
    return f"{question}\n\n{words}" if words and is_device_query and agent in TAGGED else question


def pasted(messages: Sequence[db.Message]) -> dict[str, str]:
    """Return file name → raw text of the messages of which a prompt leaves something out."""
    found, turn = {}, 0
    for message in messages:
        turn += message.role == "user"
        if _is_cut(message.content):
            found[f"turn-{turn:03d}-{message.role}.md"] = message.content
    return found


def _is_cut(content: str) -> bool:
    kept = filter_content(content)
    return RAW_LOG in kept or "characters left out]" in kept or len(kept) > RECENT_CHARS


def _fetched(cache: Path, names: set[str]) -> list[tuple[str, Path]]:
    """Return (device's folder, file) of the logs in the cache that have one of the names."""
    paths = sorted(cache.glob("*/*")) if names else []
    return [
        (path.parent.name, path)
        for path in paths
        if path.name.removesuffix(".gz") in names or path.name in names
    ]

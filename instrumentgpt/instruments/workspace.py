"""Where the tools work: the inventory, fetched logs, dropped files, and the folder for charts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from instrumentgpt.settings import home, settings_in_force

if TYPE_CHECKING:
    from sqlite_utils import Database


@dataclass(frozen=True)
class Workspace:
    """The folders and files of one task; only the tools write there, and only in `cache` and `artifacts`."""

    inventory: Path
    cache: Path
    artifacts: Path
    attachments: tuple[Path, ...] = ()  # files dropped into the conversation: logs without a device
    database: Path | None = None  # where the conversation is stored; None outside of one
    conversation: str = ""
    unit: str = ""  # that temperatures are told in; "": as the settings have it


def workspace(
    inventory: str = "",
    cache: str = "",
    artifacts: str = "",
    attachments: Iterable[str] = (),
    database: str = "",
    conversation: str = "",
    unit: str = "",
) -> Workspace:
    """Return the workspace with these paths; what is "" has its place in the house (`settings.home`)."""
    return Workspace(
        Path(inventory or settings_in_force({}).inventory),
        Path(cache) if cache else home() / "cache",
        Path(artifacts) if artifacts else home() / "artifacts",
        tuple(Path(path) for path in attachments),
        Path(database) if database else None,
        conversation,
        unit,
    )


def workspace_of(database: Database, conversation_id: str, inventory: str = "") -> Workspace:
    """Return where the logs of a conversation are: the inventory's copies, and what came with it."""
    from instrumentgpt.storage.artifacts import list_uploads, upload_path  # pandas, by sqlite_utils

    dropped = [str(upload_path(database, upload)) for upload in list_uploads(database, conversation_id)]
    return workspace(inventory, attachments=dropped)

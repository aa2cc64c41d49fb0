"""Which logs can be opened: those of the inventory's devices, and those dropped into the conversation."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import streamlit as st

from instrumentgpt.instruments.devices import Device, Inventory
from instrumentgpt.instruments.fetch import FetchError, RemoteLog, list_logs
from instrumentgpt.instruments.lognames import begun, is_log_name, reference_to
from instrumentgpt.instruments.tools.opened import UnknownLog, bare, device_folder
from instrumentgpt.instruments.workspace import Workspace

DROPPED = ""  # stands for a device: the files that came with the conversation
LISTED_FOR = "10m"  # a device is asked again after that, or on request


@dataclass(frozen=True)
class Choice:
    """One log: of `device`, or DROPPED; at its device as `remote`, or here already at `path`."""

    device: str
    name: str
    remote: RemoteLog | None = None
    path: Path | None = None
    size: int | None = None  # bytes
    when: datetime | None = None  # by its name, else when it was written

    @property
    def reference(self) -> str:
        """Return its name as links carry it: "zspr 052/run.log"."""
        return reference_to(self.name, self.device)


def device_logs(device: Device, workspace: Workspace) -> tuple[list[Choice], str]:
    """Return the device's logs, newest first, and "" or why only copies that are here can be offered."""
    try:
        return [_remote(log) for log in _listed(device)], ""
    except FetchError as error:
        kept = device_folder(workspace.cache, device.name).glob("*")
        copies = [_copy(device.name, path) for path in kept if is_log_name(path.name)]
        return sorted(copies, key=lambda copy: (copy.when or datetime.min, copy.name), reverse=True), str(
            error
        )


def dropped_logs(workspace: Workspace) -> list[Choice]:
    """Return the logs among the conversation's files, the latest first."""
    paths = [path for path in workspace.attachments if is_log_name(path.name) and path.exists()]
    return [_copy(DROPPED, path) for path in paths]


def ask_again() -> None:
    """Forget which logs the devices had."""
    _listed.clear()


def device_of(log: str, device: str, inventory: Inventory, workspace: Workspace) -> str:
    """Return the device that an address means by `log` ("run.log", "zspr 052/run.log") and `device`.

    Both come from anywhere. Raises UnknownLog or UnknownDevice if the inventory and the conversation have
    nothing of the kind.
    """
    device = device or log.rpartition("/")[0]
    if device:
        return inventory.find(device).name
    if any(bare(path.name) == bare(log) for path in workspace.attachments):
        return DROPPED
    for known in inventory.devices:
        folder = device_folder(workspace.cache, known.name)
        if any(bare(path.name) == bare(log) for path in folder.glob("*")):
            return known.name
    raise UnknownLog("log_of_nobody", log=repr(log))


@st.cache_data(ttl=LISTED_FOR, max_entries=100, show_spinner="Looking for logs…")
def _listed(device: Device) -> list[RemoteLog]:
    return list_logs(device)


def _remote(log: RemoteLog) -> Choice:
    return Choice(log.device.name, bare(log.name), log, None, log.size, log.begun or log.modified)


def _copy(device: str, path: Path) -> Choice:
    found = path.stat()
    when = begun(path.name) or datetime.fromtimestamp(found.st_mtime)
    return Choice(device, bare(path.name), None, path, found.st_size, when)

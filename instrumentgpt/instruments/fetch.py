"""Logs of a device: which there are, and a whole copy of one on this machine."""

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from instrumentgpt.instruments.copies import Copy, OnProgress, alone
from instrumentgpt.instruments.devices import Device
from instrumentgpt.instruments.lognames import device_folder, is_log_name, safe_name, start_time
from instrumentgpt.instruments.remotes import (
    LIMITS,
    NETWORK_ERRORS,
    FetchError,
    Limits,
    Remote,
    connected,
    explained,
)

__all__ = ["FetchError", "Limits", "RemoteLog", "fetch", "list_logs"]

ASKED_FOR_TIME = 32  # files whose time a web server is asked for, where their names tell none


@dataclass(frozen=True)
class RemoteLog:
    """A log where it lies. `begun` is the time in its name, by the instrument's clock; None: not known."""

    device: Device
    name: str
    url: str
    size: int | None  # bytes
    modified: datetime | None  # UTC
    begun: datetime | None

    @property
    def local_name(self) -> str:
        """The name of its copy here: a server's names are not to be trusted."""
        return safe_name(self.name)


def list_logs(device: Device, limits: Limits = LIMITS) -> list[RemoteLog]:
    """Return the logs in the device's folder, newest first: by the time in the name, else of the file.

    Folders in it, hidden files, links that lead out of it and files that are no logs are left out.
    Raises FetchError.
    """
    try:
        with closing(connected(device, limits)) as remote:
            logs = [log for entry in remote.entries() if (log := _as_log(device, remote, entry))]
            return sorted(_with_times(remote, logs), key=_age, reverse=True)
    except NETWORK_ERRORS as error:
        raise explained(error, device, device.logs, limits) from error


def _as_log(device: Device, remote: Remote, entry: dict[str, Any]) -> RemoteLog | None:
    path = str(entry["name"])
    if entry.get("type") not in ("file", "link") or not path.startswith(f"{remote.folder.rstrip('/')}/"):
        return None
    last = path.removeprefix(remote.folder.rstrip("/")).lstrip("/")
    name = unquote(last) if remote.scheme in ("http", "https") else last
    if "/" in name or "\\" in name or not name.isprintable() or not is_log_name(name):
        return None
    if remote.scheme == "file" and Path(path).resolve().parent != Path(remote.folder).resolve():
        return None
    url = f"{device.logs}/{quote(name)}"
    return RemoteLog(device, name, url, entry.get("size"), _modified(entry), start_time(name))


def _modified(entry: dict[str, Any]) -> datetime | None:
    value = entry.get("mtime") or entry.get("Last-Modified")
    try:
        if isinstance(value, str):
            return parsedate_to_datetime(value).astimezone(UTC)
        return datetime.fromtimestamp(value, UTC) if isinstance(value, int | float) else value
    except (ValueError, OverflowError, OSError):
        return None


def _with_times(remote: Remote, logs: list[RemoteLog]) -> Iterator[RemoteLog]:
    look_ups = 0
    for log in logs:
        if log.begun or log.modified or look_ups >= ASKED_FOR_TIME:
            yield log
            continue
        look_ups += 1
        try:
            info = remote.info(log.url)
        except NETWORK_ERRORS:  # a link to nothing is no reason to hide the rest
            info = {}
        yield RemoteLog(log.device, log.name, log.url, info.get("size"), _modified(info), None)


def _age(log: RemoteLog) -> tuple[datetime, str]:
    written = log.modified.astimezone().replace(tzinfo=None) if log.modified else datetime.min
    return (log.begun or written, log.name)


def fetch(
    log: RemoteLog, cache: Path, on_progress: OnProgress | None = None, limits: Limits = LIMITS
) -> Path:
    """Return the path of a whole copy of `log` below `cache`, made or brought up to date if need be.

    The copy shows the log as it was at one moment: what is written meanwhile comes with the next fetch, and
    only that; an unchanged log is not read again. Every kind of folder is copied, local ones too, so that
    line numbers quoted once stay true after the instrument has rotated its logs.
    A broken download is continued (up to `limits.attempts` times, and by the next fetch), after the bytes
    before the break were compared; it is never given out. on_progress(done, size) counts bytes.
    Several processes may fetch the same log at once: one does, the others wait for it.
    Raises FetchError.
    """
    copy = copy_of(log, cache, on_progress, limits)
    try:
        copy.target.parent.mkdir(parents=True, exist_ok=True)
        with alone(copy.target, copy.deadline), closing(copy):
            return copy.bring_up_to_date()
    except NETWORK_ERRORS as error:
        raise explained(error, log.device, log.url, limits) from error


def copy_of(log: RemoteLog, cache: Path, on_progress: OnProgress | None, limits: Limits) -> Copy:
    """Return the copy of `log` below `cache`, to be made. Raises FetchError for one out of its folder."""
    if not log.url.startswith(f"{log.device.logs}/") or "/" in unquote(log.url[len(log.device.logs) + 1 :]):
        raise FetchError(f"{log.url} does not lie in {log.device.logs}. Choose a log that list_logs gave")
    target = device_folder(cache, log.device.name) / log.local_name
    report = on_progress or (lambda done, size: None)
    return Copy(log.device, log.name, log.url, target, report, limits, time.monotonic() + limits.total)

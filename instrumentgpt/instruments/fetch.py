"""Logs of a device: which there are, and a whole copy of one on this machine."""

import errno
import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from instrumentgpt.instruments.devices import Device
from instrumentgpt.instruments.documents import is_document_name, is_listed_name
from instrumentgpt.instruments.lognames import device_folder, safe_name, start_time
from instrumentgpt.instruments.reading.bounds import most_text
from instrumentgpt.instruments.remotes import LIMITS, FetchError, Limits, Remote, connected, told

__all__ = ["FetchError", "Limits", "RemoteLog", "fetch", "list_logs"]

CHUNK = 1 << 18  # bytes
OVERLAP = 1 << 12  # bytes read again before a copy is continued: they must be the same
PROGRESS_EVERY = 0.2  # s
UNTIL = "~until-"  # in the name of a copy whose log was replaced by another of its name

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True)
class _Version:
    """What tells one state of a remote file from another."""

    size: int
    stamp: str  # its time, or what a server calls its version; "": unknown


@contextmanager
def alone(target: Path) -> Iterator[None]:
    """Hold the only right to write `target`, waited for; a process that dies gives it back."""
    with target.with_name(f".{target.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@dataclass
class Copy:
    """One copy being made: `part` grows until it is whole, then becomes `target`.

    name, url    of the file, in the device's folder
    on_progress  is told bytes and size, a few times a second
    deadline     by the monotonic clock
    """

    device: Device
    name: str
    url: str
    target: Path
    on_progress: OnProgress
    limits: Limits
    deadline: float
    shown: float = 0.0
    open_remote: Remote | None = None
    has_ranges: bool = True  # as far as is known: a server without them sends a log from its beginning

    @property
    def remote(self) -> Remote:
        """The connection, made when it is first wanted."""
        if self.open_remote is None:
            self.open_remote = connected(self.device, self.limits)
        return self.open_remote

    def close(self) -> None:
        """End the connection, if there is one."""
        if self.open_remote is not None:
            self.open_remote.close()
            self.open_remote = None

    @property
    def part(self) -> Path:
        """Where the copy grows; what a broken download leaves is continued."""
        return self.target.with_name(f".{self.target.name}.part")

    @property
    def note(self) -> Path:
        """Where it is noted what state of the file the copy is of."""
        return self.target.with_name(f".{self.target.name}.json")

    def bring_up_to_date(self) -> Path:
        """Return `target`, the file as it is now; what the connection raises comes through."""
        version = self._look()
        if self.target.exists() and self._read_note() == [self.url, version.size, version.stamp]:
            self.on_progress(version.size, version.size)
            return self.target
        self._check_size(version)
        if self.target.exists() and not self.part.exists():
            shutil.copyfile(self.target, self.part)
        self._download(version)
        after = self._look()
        if after.size < version.size or (after.size == version.size and after.stamp != version.stamp):
            self.part.unlink()
            raise FetchError(
                f"{self.name} was replaced while it was read ({version.size}, then {after.size} bytes). "
                "Ask again"
            )
        os.replace(self.part, self.target)
        self._write_note(version)
        return self.target

    def extend(self) -> bool:
        """Add to `target`, in place, what the file has by now; return False if it is another file.

        Whoever reads `target` meanwhile must have taken its size before; what the connection raises comes
        through.
        """
        version = self._look()
        if self._read_note() == [self.url, version.size, version.stamp]:
            return True
        self._check_size(version)
        if version.size < self.target.stat().st_size or not self._append(self.target, version):
            return False
        self._write_note(version)
        return True

    def set_aside(self) -> Path:
        """Keep `target` under a name that no fetch gives, as the log until now; return where."""
        stem, suffix = self.target.stem, self.target.suffix
        kept = self.target.with_name(f"{stem}{UNTIL}{datetime.now():%Y-%m-%d_%H-%M-%S.%f}{suffix}")
        self.target.rename(kept)
        self.note.unlink(missing_ok=True)
        return kept

    def _check_size(self, version: _Version) -> None:
        most = self.limits.size or most_text()
        if version.size > most:
            raise FetchError(
                f"{self.name} has {version.size / 1e6:.1f} MB, over the limit of "
                f"{most / 1e6:.1f} MB. Cut the part you need out of it, and drop that on the page"
            )

    def _write_note(self, version: _Version) -> None:
        self.note.write_text(json.dumps([self.url, version.size, version.stamp]))

    def _read_note(self) -> object:
        try:
            return json.loads(self.note.read_text())
        except (OSError, ValueError):
            return None

    def _look(self) -> _Version:
        info = self.remote.info(self._path)
        if info.get("size") is None:
            raise FetchError(
                f"{self.url}: the server does not say how long it is, so that a broken download could "
                "not be told from a whole one. Serve the folder as plain files"
            )
        stamp = info.get("ETag") or info.get("Last-Modified") or info.get("mtime") or ""
        return _Version(int(info["size"]), str(stamp))

    @property
    def _path(self) -> str:
        if self.remote.scheme in ("http", "https"):
            return self.url
        return f"{self.remote.folder.rstrip('/')}/{unquote(urlsplit(self.url).path.rpartition('/')[2])}"

    def _download(self, version: _Version) -> None:
        failures = 0
        while True:
            had = self._length()
            try:
                self._read(version)
                return
            except Exception as error:
                from instrumentgpt.instruments.network import is_cut

                failures = 1 if self._length() > had else failures + 1
                if not is_cut(error) or failures >= self.limits.attempts:
                    raise
                self.close()
                time.sleep(0.2 * failures)

    def _length(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def _read(self, version: _Version) -> None:
        """Add to `part` what it lacks of `version`."""
        if self._length() > version.size:
            self.part.unlink()
        self.part.touch()
        if not self._append(self.part, version):
            os.truncate(self.part, 0)
            raise ConnectionResetError(
                errno.ECONNRESET, "the log was replaced; it is read from its beginning"
            )

    def _append(self, path: Path, version: _Version) -> bool:
        """Add to the file at `path` what it lacks of `version`; return False if it is no beginning of it."""
        start = max(0, path.stat().st_size - OVERLAP)
        with (
            self.remote.reading(self._path, start, version.size) as (reader, offset),
            path.open("r+b") as file,
        ):
            self.has_ranges = offset == start
            if not _same(reader, file, offset, file.seek(0, os.SEEK_END)):
                return False
            while (done := file.tell()) < version.size:
                piece = reader.read(min(CHUNK, version.size - done))
                if not piece:
                    raise ConnectionResetError(errno.ECONNRESET, f"cut at {done} of {version.size} bytes")
                file.write(piece)
                self._tell(file.tell(), version.size)
            file.flush()
            os.fsync(file.fileno())
        return True

    def _tell(self, done: int, size: int) -> None:
        now = time.monotonic()
        if now > self.deadline:
            raise FetchError(
                f"{self.name}: {done / 1e6:.1f} of {size / 1e6:.1f} MB came in {self.limits.total:g} s. "
                "Ask again: it goes on from there"
            )
        if done == size or now - self.shown > PROGRESS_EVERY:
            self.shown = now
            self.on_progress(done, size)


def _same(reader: Any, part: Any, offset: int, length: int) -> bool:
    """Read from `offset` to `length` and compare with what `part` has there; leave both at `length`."""
    part.seek(offset)
    while (at := part.tell()) < length:
        theirs = reader.read(min(CHUNK, length - at))
        if not theirs or theirs != part.read(len(theirs)):
            part.seek(length)
            return False
    return True


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
    """Return the logs in the device's folder, as `list_files` does."""
    return [file for file in list_files(device, limits) if not is_document_name(file.name)]


def list_files(device: Device, limits: Limits = LIMITS) -> list[RemoteLog]:
    """Return logs and JSON documents in the device's folder, newest first: by the time in the name, else of
    the file.

    Folders in it, hidden files, links that lead out of it and files that are neither are left out.
    Raises FetchError.
    """
    with told(device, device.logs, limits), closing(connected(device, limits)) as remote:
        logs = [log for entry in remote.entries() if (log := _as_log(device, remote, entry))]
        return sorted(_with_times(remote, logs), key=_age, reverse=True)


def _as_log(device: Device, remote: Remote, entry: dict[str, Any]) -> RemoteLog | None:
    path = str(entry["name"])
    if entry.get("type") not in ("file", "link") or not path.startswith(f"{remote.folder.rstrip('/')}/"):
        return None
    last = path.removeprefix(remote.folder.rstrip("/")).lstrip("/")
    name = unquote(last) if remote.scheme in ("http", "https") else last
    if "/" in name or "\\" in name or not name.isprintable() or not is_listed_name(name):
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
            with told(log.device, log.url):
                info = remote.info(log.url)
        except FetchError:  # a link to nothing is no reason to hide the rest
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
    with told(log.device, log.url, limits):
        copy.target.parent.mkdir(parents=True, exist_ok=True)
        with alone(copy.target), closing(copy):
            return copy.bring_up_to_date()


def copy_of(log: RemoteLog, cache: Path, on_progress: OnProgress | None, limits: Limits) -> Copy:
    """Return the copy of `log` below `cache`, to be made. Raises FetchError for one out of its folder."""
    if not log.url.startswith(f"{log.device.logs}/") or "/" in unquote(log.url[len(log.device.logs) + 1 :]):
        raise FetchError(f"{log.url} does not lie in {log.device.logs}. Choose a log that list_logs gave")
    target = device_folder(cache, log.device.name) / log.local_name
    report = on_progress or (lambda done, size: None)
    return Copy(log.device, log.name, log.url, target, report, limits, time.monotonic() + limits.total)

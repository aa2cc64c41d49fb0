"""Connections to the folders that hold logs (local, HTTP, SFTP), within time limits and the inventory."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote, urlsplit

from fsspec.asyn import sync
from fsspec.implementations.local import LocalFileSystem

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import Device

SFTP_BLOCK = 1 << 16  # bytes of a request; more at once leaves asyncssh's tasks behind when the line breaks


@dataclass(frozen=True)
class Limits:
    """How long, in s, and how much, in bytes, a fetch may take."""

    connect: float = 10.0
    silence: float = 20.0  # without one byte
    total: float = 900.0
    size: int = 0  # 0: as much as may be read
    attempts: int = 4  # in a row without a new byte


LIMITS = Limits()


class FetchError(InstrumentGPTError, OSError):
    """A log that cannot be had: what was tried, what came back, and what to do."""


@dataclass(frozen=True)
class Remote:
    """An open connection: the file system, and the folder as that file system names it."""

    files: Any  # an fsspec file system
    folder: str
    scheme: str
    limits: Limits

    def entries(self) -> list[dict[str, Any]]:
        """Return what lies in the folder, as fsspec's dicts (name, type, size, mtime …)."""
        folder = f"{self.folder}/" if self.scheme in ("http", "https") else self.folder
        entries: list[dict[str, Any]] = self.files.ls(folder, detail=True, timeout=self.limits.silence)
        return entries

    def info(self, path: str) -> dict[str, Any]:
        """Return what is known of one file, as fsspec's dict."""
        info: dict[str, Any] = self.files.info(path, timeout=self.limits.silence)
        return info

    @contextmanager
    def reading(self, path: str, offset: int, size: int) -> Iterator[tuple[Any, int]]:
        """Give a reader (`read(n)`) and the offset where it really begins: 0 if a server cannot resume."""
        if self.scheme in ("http", "https"):
            headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={offset}-"} if offset else {})}
            with self.files.open(path, "rb", block_size=0, size=size, headers=headers) as file:
                file.r.raise_for_status()
                partial = file.r.status == 206
                yield (
                    SimpleNamespace(read=lambda n: file.read(n, timeout=self.limits.silence)),
                    offset * partial,
                )
            return
        one_by_one = {"block_size": SFTP_BLOCK, "max_requests": 1} if self.scheme == "sftp" else {}
        timed = {"timeout": self.limits.silence} if self.scheme == "sftp" else {}
        most = SFTP_BLOCK if self.scheme == "sftp" else size
        file = self.files.open(path, "rb", **one_by_one)
        try:
            file.seek(offset)
            yield SimpleNamespace(read=lambda n: file.read(min(n, most), **timed)), offset
        except Exception:
            self.abort()  # or closing the file would wait for a server that is silent
            raise
        finally:
            with suppress(Exception):  # what broke the line was raised
                file.close()

    def abort(self) -> None:
        """Drop the connection at once, without a word to the other side."""
        if self.scheme == "sftp":
            self.files.loop.call_soon_threadsafe(self.files.client.abort)

    def close(self) -> None:
        """End the connection; a broken one too."""
        if self.scheme == "sftp":
            self.files.loop.call_soon_threadsafe(self.files.client.close)
        elif self.scheme != "file":
            type(self.files).close_session(self.files.loop, sync(self.files.loop, self.files.set_session))


def connected(device: Device, limits: Limits = LIMITS) -> Remote:
    """Return a connection to the device's folder of logs."""
    url = urlsplit(device.logs)
    if url.scheme in ("http", "https", "sftp"):
        from instrumentgpt.instruments.network import http_files, sftp_files  # which take half a second

        if url.scheme == "sftp":
            return Remote(sftp_files(device, limits), unquote(url.path) or "/", url.scheme, limits)
        return Remote(http_files(limits), device.logs, url.scheme, limits)
    return Remote(LocalFileSystem(skip_instance_cache=True), unquote(url.path), "file", limits)


@contextmanager
def told(device: Device, url: str, limits: Limits = LIMITS) -> Iterator[None]:
    """Raise what connections raise within as a FetchError that a person can act on."""
    try:
        yield
    except Exception as error:
        from instrumentgpt.instruments.network import ERRORS, explained

        if isinstance(error, ERRORS):
            raise explained(error, device, url, limits) from error
        raise

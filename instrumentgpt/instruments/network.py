"""The libraries for HTTP and SFTP, and what their errors mean; loaded when a connection is made or breaks."""

import asyncio
import errno
import os
from typing import Any
from urllib.parse import urljoin, urlsplit

import aiohttp
import asyncssh
from fsspec.implementations.http import HTTPFileSystem
from sshfs import SSHFileSystem

from instrumentgpt.errors import NO_REASON, reason
from instrumentgpt.instruments.devices import Device
from instrumentgpt.instruments.remotes import LIMITS, FetchError, Limits

LISTING_BYTES = 8_000_000  # of a web server's page of links: 50,000 logs take 5 MB
_CUT = (
    aiohttp.ClientPayloadError,
    aiohttp.ServerDisconnectedError,
    aiohttp.ClientOSError,
    asyncssh.ConnectionLost,
    asyncssh.SFTPConnectionLost,
    asyncssh.SFTPNoConnection,
    ConnectionError,
    TimeoutError,
    EOFError,
)
ERRORS = (OSError, aiohttp.ClientError, asyncssh.Error, asyncio.IncompleteReadError, ValueError)


class Redirected(FetchError):
    """A server that sends us to another host, where nothing in the inventory lies."""


def http_files(limits: Limits) -> HTTPFileSystem:
    """Return the files of web servers."""
    timeout = aiohttp.ClientTimeout(
        total=None, connect=limits.connect, sock_connect=limits.connect, sock_read=limits.silence
    )
    return HTTPFileSystem(
        simple_links=False,
        skip_instance_cache=True,
        get_client=_session,
        client_kwargs={
            "timeout": timeout,
            "auto_decompress": False,  # what is packed is unpacked where that has limits: by its reader
            "headers": {"Accept-Encoding": "identity"},
        },
    )


async def _session(**options: Any) -> aiohttp.ClientSession:
    tracing = aiohttp.TraceConfig()
    tracing.on_request_redirect.append(_stay_on_host)
    return aiohttp.ClientSession(trace_configs=[tracing], response_class=_Listing, **options)


class _Listing(aiohttp.ClientResponse):
    """An answer that is read as one text only up to a length: a log is read piece by piece, past this."""

    async def read(self) -> bytes:
        body = bytearray()
        async for piece in self.content.iter_any():
            body += piece
            if len(body) > LISTING_BYTES:
                self.close()
                raise FetchError(
                    f"{self.url}: the page that lists the folder is longer than {LISTING_BYTES / 1e6:g} MB. "
                    "Check the address, or move older logs to another folder"
                )
        self._body = bytes(body)
        return self._body


async def _stay_on_host(
    _session: aiohttp.ClientSession, _context: Any, redirect: aiohttp.TraceRequestRedirectParams
) -> None:
    target = urlsplit(urljoin(str(redirect.url), redirect.response.headers.get("Location", "")))
    origin = urlsplit(str(redirect.url))
    if (target.scheme, target.netloc) != (origin.scheme, origin.netloc):
        raise Redirected(
            f"{origin.scheme}://{origin.netloc} sends us on to {target.scheme}://{target.netloc}, which is "
            "not the folder of this device. If that is right, put the new address into the inventory"
        )


def sftp_files(device: Device, limits: Limits) -> SSHFileSystem:
    """Return the files that the device shows by SSH."""
    url = urlsplit(device.logs)
    given: dict[str, Any] = {"username": url.username or device.user, "port": url.port}
    if device.key:
        given["client_keys"] = [device.key]
    return SSHFileSystem(
        url.hostname,
        known_hosts=device.known_hosts or (),  # (): the user's own file; sshfs itself would trust anyone
        connect_timeout=limits.connect,
        login_timeout=limits.connect,
        keepalive_interval=limits.silence / 4,
        keepalive_count_max=3,
        skip_instance_cache=True,
        **{name: value for name, value in given.items() if value},
    )


def is_cut(error: BaseException) -> bool:
    """Return whether `error` is a connection that broke or fell silent, so that trying again may help."""
    return isinstance(error, _CUT) and not isinstance(error, FetchError | aiohttp.ClientConnectorError)


def explained(error: BaseException, device: Device, url: str, limits: Limits = LIMITS) -> FetchError:
    """Return `error` as a FetchError that a person can act on."""
    while isinstance(error, FileNotFoundError) and isinstance(error.__cause__, Exception):
        error = error.__cause__  # fsspec hides every failed HTTP request behind "not found"
    if isinstance(error, FetchError):
        return error
    host = urlsplit(url).hostname or "this machine"
    what, remedy = _words(error, host, limits)
    return FetchError(f"{device.label}: {url}: {what}. {remedy}")


def _words(error: BaseException, host: str, limits: Limits) -> tuple[str, str]:
    status = getattr(error, "status", None)
    if status in (401, 403) or isinstance(error, PermissionError | asyncssh.PermissionDenied):
        return (
            f"access is refused ({_brief(error)})",
            "Give this user the right to read it, or set user and key",
        )
    if status == 404 or isinstance(error, FileNotFoundError | asyncssh.SFTPNoSuchFile):
        missing = getattr(error, "filename", None) or "such folder or file"
        return f"there is no {missing}", "Correct its entry in the inventory, or list the logs again"
    if isinstance(error, asyncssh.HostKeyNotVerifiable):
        return (
            f"the key of {host} is not known ({_brief(error)})",
            f"Compare it with the instrument's, then log in once with: ssh {host}",
        )
    if isinstance(error, TimeoutError):
        return (
            f"no answer within {max(limits.connect, limits.silence):g} s",
            f"Check that {host} is on and reachable from here, then ask again",
        )
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "no space is left for the copy", "Free some space, or set another folder in INSTRUMENTGPT_HOME"
    if isinstance(error, aiohttp.TooManyRedirects):
        return "it leads round and round", f"Check the address, or how {host} redirects"
    if isinstance(error, (aiohttp.ClientConnectorError, *_CUT)):
        return (
            f"no connection to {host} ({_brief(error)})",
            f"Check that {host} is on and that its service runs",
        )
    return _brief(error), f"Check that {host} serves this folder, then ask again"


def _brief(error: BaseException) -> str:
    status = getattr(error, "status", None)
    if isinstance(error, aiohttp.ClientConnectorError) and error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)  # its own words name the call that failed
    text = " ".join(reason(error).split()) if status is None else f"HTTP {status}" if status else ""
    return "".join(character for character in text if character.isprintable())[:160] or NO_REASON

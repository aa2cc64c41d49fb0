"""Servers on loopback that hold logs: well-behaved, cut, slow, forgetful of ranges, misleading."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, unquote, urlsplit

import asyncssh

SILENT_SECONDS = 120.0  # that a server says nothing; ended with the server
SECONDS = 60.0  # that a server may take to start or to end on a machine that stands still meanwhile


@dataclass
class Web:
    """What the server serves and how it misbehaves; `requests` is what it was asked."""

    files: dict[str, bytes]
    listing: str | None = None  # HTML instead of the list of files
    cuts: list[int] = field(default_factory=list)  # bytes after which the next answers break off
    cut_when: Callable[[], bool] = lambda: True  # not before: a break takes what the client has not read
    ranges: bool = True
    length: bool = True
    pause: float = 0.0  # s before each piece of an answer
    held_at: int | None = None  # bytes after which an answer stands still for as long as the server runs
    redirect: str = ""
    status: int = 0
    modified: float = 1_760_000_000.0
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    url: str = ""
    ended: threading.Event = field(default_factory=threading.Event)


@contextmanager
def web(state):
    """Serve `state` on loopback; its `url` is the folder."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args):
            pass

        def do_HEAD(self):
            self.answer(body=False)

        def do_GET(self):
            self.answer(body=True)

        def answer(self, body):
            state.requests.append((self.command, self.path, self.headers.get("Range", "")))
            name = unquote(urlsplit(self.path).path).removeprefix("/logs/")
            if state.redirect:
                self.plain(302, b"", {"Location": state.redirect})
            elif state.status:
                self.plain(state.status, b"no")
            elif name == "":
                self.plain(200, self.listed().encode(), {"Content-Type": "text/html"})
            elif name not in state.files:
                self.plain(404, b"nothing here")
            else:
                self.file(state.files[name], body)

        def listed(self):
            links = "".join(f'<a href="{quote(name)}">x</a>' for name in state.files)
            return state.listing if state.listing is not None else f'<a href="../">up</a>{links}'

        def plain(self, status, content, headers=None):
            self.send_response(status)
            for key, value in {**(headers or {}), "Content-Length": str(len(content))}.items():
                self.send_header(key, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        def file(self, content, body):
            wanted = self.headers.get("Range", "") if state.ranges else ""
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
            self.send_response(206 if wanted else 200)
            if state.length:
                self.send_header("Content-Length", str(len(content) - start))
            if wanted:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            self.send_header("Last-Modified", formatdate(state.modified, usegmt=True))
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            if body:
                self.pieces(content[start:])

        def pieces(self, content):
            stop = state.cuts.pop(0) if state.cuts else len(content)
            for at in range(0, min(stop, len(content)), 50_000):
                held = state.held_at is not None and at >= state.held_at
                if state.ended.wait(None if held else state.pause):
                    return
                self.wfile.write(content[at : min(at + 50_000, stop)])
            while stop < len(content) and not state.cut_when() and not state.ended.wait(0.01):
                pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request, client_address):
            pass  # clients of a slow server leave

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/logs"
    try:
        yield state
    finally:
        state.ended.set()
        server.shutdown()
        server.server_close()


@dataclass
class Shell:
    """A running SFTP server: its port, the key that opens it, and a file that says which key it has."""

    port: int
    key: str
    known_hosts: str


class Unreliable(asyncssh.SFTPServer):
    """An SFTP server that breaks the connection, or falls silent, once it has sent so many bytes."""

    def __init__(self, channel, root, faults, opened):
        self.faults, self.sent, self.opened = faults, 0, opened
        super().__init__(channel, chroot=root)

    def open(self, path, pflags, attrs):
        self.opened.append(super().open(path, pflags, attrs))
        return self.opened[-1]

    async def read(self, file_obj, offset, size):
        content = super().read(file_obj, offset, size)
        self.sent += len(content)
        if self.faults and self.sent > self.faults[0][1]:
            what, _ = self.faults.pop(0)
            if what == "break":
                self.channel.get_connection().abort()
            await asyncio.sleep(SILENT_SECONDS)
        return content


@contextmanager
def sftp(root, keys, faults=()):
    """Serve the folder `root` over SFTP on loopback, with fresh keys in the folder `keys`.

    faults: ("break" or "silence", bytes sent before), one per connection in order.
    """
    faults, opened = list(faults), []
    host, user = asyncssh.generate_private_key("ssh-ed25519"), asyncssh.generate_private_key("ssh-ed25519")
    keys.mkdir()
    user.write_private_key(str(keys / "user"))
    trusted = asyncssh.import_authorized_keys(user.export_public_key().decode())
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def start():
        return await asyncssh.listen(
            "127.0.0.1",
            0,
            server_host_keys=[host],
            authorized_client_keys=trusted,
            sftp_factory=lambda channel: Unreliable(channel, str(root), faults, opened),
        )

    async def stop():
        server.close()
        await server.wait_closed()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await asyncio.sleep(0.05)  # broken connections close their sockets a moment later
        for file in opened:
            file.close()

    server = asyncio.run_coroutine_threadsafe(start(), loop).result(SECONDS)
    known = keys / "known_hosts"
    known.write_text(f"[127.0.0.1]:{server.get_port()} {host.export_public_key().decode()}")
    try:
        yield Shell(server.get_port(), str(keys / "user"), str(known))
    finally:
        asyncio.run_coroutine_threadsafe(stop(), loop).result(SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(SECONDS)
        loop.close()

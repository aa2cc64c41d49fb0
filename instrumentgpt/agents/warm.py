"""Our own programs without their imports: forked by a server (`warm_server`) that has made them already.

A program is the same process either way, in a session of its own, with its own pipes and environment.
Where the server is not there, is of another version of our files, or belongs to somebody else,
`start` returns None and the caller starts a fresh interpreter.
"""

import hashlib
import json
import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from instrumentgpt.settings import CHECKOUT, home

PROGRAMS = ("instrumentgpt.turn.process", "instrumentgpt")
CODE = (".py", ".toml", ".md", ".html")  # what a running program of ours may have read
PATIENCE_SECONDS = 10.0  # a server that has just started imports for two seconds of CPU time
NUMBER = struct.Struct("i")
_keeping = threading.Event()  # whether this process wants a server to be there


class Warm:
    """A forked program, as much of `subprocess.Popen` as is needed of one.

    returncode  None while it is not known, and for ever if the server did not live to tell
    """

    def __init__(self, pid: int, connection: socket.socket) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdin: IO[bytes] | None = None
        self.stdout: IO[bytes] | None = None
        self.stderr: IO[bytes] | None = None
        self._connection = connection

    def wait(self) -> int | None:
        """Return the exit code once it has ended; until then its number is given to no other process."""
        with self._connection:
            if self.returncode is None and self._connection.fileno() >= 0:
                with suppress(OSError):
                    self._connection.shutdown(socket.SHUT_WR)
                    status = self._connection.recv(NUMBER.size)
                    self.returncode = NUMBER.unpack(status)[0] if len(status) == NUMBER.size else None
        return self.returncode

    def leave(self) -> None:
        """Let it end when it likes: nobody here waits for it."""
        self._connection.close()


def start(
    argv: Sequence[str], environment: Mapping[str, str], folder: Path, files: Sequence[int]
) -> Warm | None:
    """Return the program `argv`, begun with `files` as its standard ones; None if it must be started cold."""
    is_ours = tuple(argv[:2]) == (sys.executable, "-m") and argv[2] in PROGRAMS
    if is_off() or not is_ours:
        return None
    connection = socket.socket(socket.AF_UNIX)
    waits, go = os.pipe()  # it begins when its number has come here, and never if that has failed
    try:
        connection.settimeout(PATIENCE_SECONDS)
        connection.connect(address())
        if peer(connection) != os.getuid():
            raise PermissionError("the server is of another user")
        request = {"version": code_version(), "argv": argv[2:], "cwd": str(folder), "env": dict(environment)}
        socket.send_fds(connection, [b"r"], [*files, waits])
        connection.sendall(json.dumps(request).encode() + b"\n")
        number = connection.recv(NUMBER.size, socket.MSG_WAITALL)
        if len(number) < NUMBER.size:
            raise ConnectionRefusedError("another version of the code")
        os.write(go, b"g")
    except OSError:
        connection.close()
        if _keeping.is_set():
            keep_server()
        return None
    finally:
        os.close(waits)
        os.close(go)
    connection.settimeout(None)
    return Warm(NUMBER.unpack(number)[0], connection)


def start_piped(argv: Sequence[str], environment: Mapping[str, str], folder: Path) -> Warm | None:
    """Return the program as `start` does, with a pipe for each of its standard files."""
    (stdin, to_program), (from_program, stdout), (complaints, stderr) = os.pipe(), os.pipe(), os.pipe()
    program = start(argv, environment, folder, (stdin, stdout, stderr))
    for pipe in (stdin, stdout, stderr):
        os.close(pipe)
    if program is None:
        for pipe in (to_program, from_program, complaints):
            os.close(pipe)
        return None
    program.stdin = os.fdopen(to_program, "wb", buffering=0)
    program.stdout, program.stderr = os.fdopen(from_program, "rb"), os.fdopen(complaints, "rb")
    return program


def keep_server() -> None:
    """See to it that there is a server as long as this process lives, unless it is set "off"; return at once.

    Of two that are started for one home, the second leaves.
    """
    if is_off():
        return
    _keeping.set()
    process = subprocess.Popen(
        [sys.executable, "-m", "instrumentgpt.warm_server"],
        stdin=subprocess.PIPE,  # its end is the end of this process, however it comes
        stdout=subprocess.DEVNULL,
        cwd=CHECKOUT,
        start_new_session=True,
    )
    threading.Thread(target=process.wait, daemon=True, name="wait for the warm server").start()


def is_off() -> bool:
    """Return whether the environment says that programs are to be started cold."""
    return os.environ.get("INSTRUMENTGPT_WARM") == "off"


def code_version() -> str:
    """Return a name for our files as they are now."""
    paths = [*CHECKOUT.glob("*.py"), *(CHECKOUT / "instrumentgpt").rglob("*")]
    ours = [(path, path.stat()) for path in paths if path.suffix in CODE]
    files = sorted((str(path), about.st_mtime_ns, about.st_size) for path, about in ours)
    return _digest(f"{sys.version} {files}")


def address() -> str:
    """Return where the server of this home listens: a name that the kernel knows as long as it does.

    $INSTRUMENTGPT_WARM may name another home, whose server is asked then.
    """
    served = os.environ.get("INSTRUMENTGPT_WARM") or str(home().absolute())
    return f"\0instrumentgpt-{os.getuid()}-{_digest(served)}"


def _digest(text: str) -> str:
    return hashlib.blake2b(os.fsencode(text), digest_size=16).hexdigest()


def peer(connection: socket.socket) -> int:
    """Return the user at the other end; -1 where the system does not tell."""
    if not hasattr(socket, "SO_PEERCRED"):
        return -1
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", credentials)[1])

"""The parent of one agent: it confines it, serves our tools to it from outside, and leaves nothing behind.

A program of its own with the standard library alone; see docs/decisions/0055. What it is told, as JSON:
reads, writes  what the agent may open, if `confined`
server         argv and env of our tools; "" for none
sockets        the folder where the agent's processes find them (`relay`)
It takes no signal: what ends the agent, or its leaving, ends it, once nothing of the agent lives.
"""

import ctypes
import json
import os
import shutil
import signal
import socket
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from instrumentgpt.agents.landlock import confine
from instrumentgpt.agents.relay import WELCOME

TEMPORARY = "instrumentgpt-agent-"
NOT_STARTED = 127  # exit code, as a shell has it
GRACE_SECONDS = 0.3  # for what the agent left behind, between SIGTERM and SIGKILL
_SET_PARENT_DEATH_SIGNAL, _SET_SUBREAPER = 1, 36  # of prctl


def main() -> None:
    """Run the agent of the command line and leave as it left."""
    setup, argv = json.loads(sys.argv[1]), sys.argv[2:]
    ctypes.CDLL(None).prctl(_SET_SUBREAPER, 1, 0, 0, 0)  # whoever loses its parent becomes a child of ours
    listener = _listener(setup["sockets"]) if setup["server"] else None
    temporary = _temporary_folder()
    agent = os.fork()
    if agent == 0:
        _become(argv, setup, temporary)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):  # the ends of the agent's pipes are the agent's
        os.dup2(nothing, standard)
    if listener:
        threading.Thread(target=_serve, args=(listener, setup["server"]), daemon=True).start()
    status = _wait_for(agent)
    if listener:
        os.unlink(os.path.join(setup["sockets"], str(os.getpid())))
    _end_what_is_left()
    shutil.rmtree(temporary, ignore_errors=True)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:  # a signal ended it, and so it shall be told of this one
        signal.signal(-code, signal.SIG_DFL) if -code not in (signal.SIGKILL, signal.SIGSTOP) else None
        os.kill(os.getpid(), -code)
    os._exit(code)


def _temporary_folder() -> str:
    """Return a new folder for the agent alone; those of keepers that were killed are removed."""
    for name in os.listdir(tempfile.gettempdir()):
        owner = name.removeprefix(TEMPORARY).partition("-")[0]
        if name.startswith(TEMPORARY) and owner.isdigit() and not os.path.exists(f"/proc/{owner}"):
            shutil.rmtree(os.path.join(tempfile.gettempdir(), name), ignore_errors=True)
    return tempfile.mkdtemp(prefix=f"{TEMPORARY}{os.getpid()}-")


def _become(argv: list[str], setup: dict[str, Any], temporary: str) -> None:
    """Be the agent, confined; a sandbox that cannot be had ends it before it has begun."""
    try:
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if setup["confined"]:
            confine(setup["reads"], [*setup["writes"], temporary])
        os.execvpe(argv[0], argv, {**os.environ, "TMPDIR": temporary})
    except OSError as error:
        os.write(2, f"{argv[0]} does not start: {error.strerror}\n".encode())
    finally:
        os._exit(NOT_STARTED)


def _wait_for(agent: int) -> int:
    while True:
        ended, status = os.wait()
        if ended == agent:
            return status


def _end_what_is_left() -> None:
    """End all that the agent started: who loses its parent is a child of ours, so they become fewer."""
    deadline, number = time.monotonic() + GRACE_SECONDS, signal.SIGTERM
    while children := list(_children()):
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, number)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.01)
        number = signal.SIGTERM if time.monotonic() < deadline else signal.SIGKILL


def _children() -> Iterator[int]:
    """Yield the numbers of our children that have not been waited for."""
    for name in os.listdir("/proc"):
        if name.isdigit() and _parent(int(name)) == os.getpid():
            yield int(name)


def _parent(process: int) -> int:
    """Return the number of the parent of `process`; 0 if it is gone."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


def _listener(folder: str) -> socket.socket:
    """Return a socket in `folder`, by its name alone: a path of over 107 bytes cannot be bound."""
    before = os.getcwd()
    os.makedirs(folder, mode=0o700, exist_ok=True)
    os.chdir(folder)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(os.getpid()))
    listener.listen()
    os.chdir(before)
    return listener


def _serve(listener: socket.socket, server: dict[str, Any]) -> None:
    """Start our tools, outside of the sandbox, for every process of the agent that asks for them."""
    while True:
        connection, _ = listener.accept()
        with connection:
            if _is_ours(connection):
                connection.sendall(WELCOME)
                connected = [(os.POSIX_SPAWN_DUP2, connection.fileno(), standard) for standard in (0, 1)]
                with suppress(OSError):  # the agent is told by the end of its connection
                    environment = {**os.environ, **server["env"]}
                    os.posix_spawn(server["argv"][0], server["argv"], environment, file_actions=connected)


def _is_ours(connection: socket.socket) -> bool:
    """Return whether the other end is below this process."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    process = struct.unpack("3i", credentials)[0]
    while process > 1:
        process = _parent(process)
        if process == os.getpid():
            return True
    return False

"""The parent of one agent: it confines it, serves our tools to it from outside, and leaves nothing behind.

A program of its own with the standard library alone; see docs/decisions/0055. What it is told, as JSON:
reads, writes  what the agent may open, if `confined`
server         argv and env of our tools; "" for none
sockets        the folder where the agent's processes find them: this file, run with that as its argument
It takes no signal: what ends the agent, or its leaving, ends it, once nothing of the agent lives.
"""

import ctypes
import json
import os
import shutil
import signal
import socket
import stat
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

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
    ended = status = 0
    while ended != agent:
        ended, status = os.wait()
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


ENOUGH = 3  # the version, of Linux 6.2, from which a file cannot be emptied either
_CREATE, _ADD, _RESTRICT = 444, 445, 446  # system calls, the same on every processor
_NO_NEW_PRIVILEGES = 38  # of prctl: a program with the setuid bit would leave the sandbox
_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}  # version → all there are
_OF_A_FILE = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL
_SCOPES = 0b11  # abstract sockets and signals: from version 6 on, only to what is confined with it


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """Return which version of Landlock this kernel has; 0 if none, or another system."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, int(_libc().syscall(_CREATE, None, ctypes.c_size_t(0), 1)))


def confine(reads: Iterable[str], writes: Iterable[str]) -> None:
    """Let this process open nothing but what lies under `reads`, and change nothing but under `writes`.

    What is not there is passed over. Raises OSError if the kernel refuses: then nothing is confined.
    """
    abi = version()
    if not abi:
        raise OSError("this kernel has no Landlock")
    rights = _RIGHTS[max(listed for listed in _RIGHTS if listed <= abi)]
    attributes = _Ruleset(rights, 0, _SCOPES if abi >= 6 else 0)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset = _call(_CREATE, ctypes.byref(attributes), ctypes.c_size_t(size), 0)
    try:
        for path in reads:
            _allow(ruleset, path, rights & (_EXECUTE | _READ | _LIST))
        for path in writes:
            _allow(ruleset, path, rights)
        if _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "no_new_privs")
        _call(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            rights &= _OF_A_FILE
        _call(_ADD, ruleset, 1, ctypes.byref(_Beneath(rights, opened)), 0)
    finally:
        os.close(opened)


def _call(number: int, *arguments: object) -> int:
    result = int(_libc().syscall(number, *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


WELCOME = b"+"  # the first byte to a process of the agent; any other is turned away
CHUNK = 64 * 1024  # bytes


def relay() -> None:
    """Be what a confined agent starts as our MCP server: hand its lines to and fro, to the tools outside."""
    tools = _connected(sys.argv[1])
    if tools is None:
        sys.exit("No tools are served here: ask again")
    threading.Thread(target=_send, args=(tools,), daemon=True).start()
    while block := tools.recv(CHUNK):
        while block:
            block = block[os.write(1, block) :]


def _connected(folder: str) -> socket.socket | None:
    """Return a connection to the keeper of this process: each turns away who is not below it."""
    os.chdir(folder)
    for name in os.listdir("."):
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(name)
            if connection.recv(1) == WELCOME:
                return connection
        except OSError:
            pass  # of a keeper that is gone
        connection.close()
    return None


def _send(tools: socket.socket) -> None:
    while block := os.read(0, CHUNK):
        tools.sendall(block)
    tools.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    relay()

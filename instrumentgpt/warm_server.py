"""The program that forks our others warm: `python -m instrumentgpt.warm_server`, for $INSTRUMENTGPT_HOME.

It has imported what they need, has no thread, opens no database, and ends with who started it: its standard
input is the other end of a pipe. What it forked lives on (docs/decisions/0061).
"""

import ctypes
import gc
import importlib
import inspect
import itertools
import json
import logging
import os
import selectors
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from instrumentgpt.agents.family import RUN_VARIABLE
from instrumentgpt.agents.warm import NUMBER, PROGRAMS, address, code_version, is_off, peer
from instrumentgpt.instruments.language import table
from instrumentgpt.settings import CHECKOUT

NEEDED = (  # beside the programs themselves: what their functions import when they run
    "instrumentgpt.modes.commands.mode",
    "instrumentgpt.instruments.tools",
    "instrumentgpt.instruments.charts",
    "instrumentgpt.instruments.report",
    "instrumentgpt.turn.runs",
    "pyarrow.parquet",
    "plotly.graph_objects",
    "scipy.optimize",
)
NO_THREADS = {"OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
REQUEST_SECONDS = 2.0  # for a request to come whole
LARGEST_REQUEST = 8 << 20  # bytes: an environment is no larger


def main() -> int:
    """Serve until standard input ends; return 0, also if there is a server for this home already."""
    if listener := listening():
        version = code_version()
        os.environ |= NO_THREADS
        Server(listener, version, warm_up(), sys.stdin.fileno()).serve()
    return 0


@contextmanager
def beside() -> Iterator[None]:
    """Serve from a fork of this process, while in here, unless the home has a server or wants none."""
    listener = None if is_off() else listening()
    if listener is None:
        yield
        return
    ends, end = os.pipe()
    server = os.fork()
    if server == 0:
        os.setsid()
        os.close(end)
        with suppress(BaseException):  # an agent is started cold then
            Server(listener, code_version(), functions(), ends).serve()
        os._exit(0)
    listener.close()
    os.close(ends)
    try:
        yield
    finally:
        os.close(end)
        os.waitpid(server, 0)


def listening() -> socket.socket | None:
    """Return the socket of this home's server, None if there is one already.

    Who asks before the server is ready waits in the queue.
    """
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind(address())
    except OSError:
        listener.close()
        return None
    listener.listen(64)
    return listener


def warm_up() -> dict[str, Callable[[list[str]], int]]:
    """Import what the programs need, read their tables and use them once; return the programs."""
    from instrumentgpt.agents.offline import program  # not before NO_THREADS is in the environment
    from instrumentgpt.modes.registry import MODES

    modes = (f"instrumentgpt.modes.{mode.generator.partition(':')[0]}" for mode in MODES.values())
    for name in (*NEEDED, *modes):
        importlib.import_module(name)
    read_tables()
    with suppress(Exception):  # whatever it is, each fork loads what it needs, as it would without
        program.rehearse()
    gc.collect()
    gc.freeze()
    return functions()


def read_tables() -> None:
    """Read the tables of words; call each cached function of ours that takes nothing.

    1,500 patterns take a fork 0.3 s to compile.
    """
    for path in (CHECKOUT / "instrumentgpt").rglob("*.toml"):
        table(path)
    ours = [module for name, module in sys.modules.items() if name.startswith("instrumentgpt.")]
    cached = {
        value for module in ours for value in vars(module).values() if hasattr(value, "cache_parameters")
    }
    for function in cached:
        if not inspect.signature(function).parameters:
            function()


def functions() -> dict[str, Callable[[list[str]], int]]:
    """Return the function of each program: its arguments → its exit code."""
    from instrumentgpt import __main__
    from instrumentgpt.turn import process

    return dict(zip(PROGRAMS, (process.main, __main__.main), strict=True))


class Server:
    """Takes requests one after the other; a program's connection is kept until its exit code was taken."""

    def __init__(
        self,
        listener: socket.socket,
        version: str,
        programs: dict[str, Callable[[list[str]], int]],
        until: int,
    ) -> None:
        self.until = until  # the end of a pipe: when the other end is closed, it has served
        self.listener, self.version, self.programs = listener, version, programs
        self.children: dict[int, socket.socket] = {}
        self.wanted: set[int] = set()  # children whose exit code is waited for, or never will be
        self.selector = selectors.DefaultSelector()

    def serve(self) -> None:
        """Serve until `until` ends, or our files are no longer those that were imported."""
        wake, waker = socket.socketpair()
        for end in (wake, waker):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        for file in (self.listener, wake, self.until):
            self.selector.register(file, selectors.EVENT_READ)
        while True:
            for key, _ in self.selector.select():
                if key.fileobj == self.until:
                    return
                if key.fileobj is wake:
                    wake.recv(4096)
                elif key.fileobj is not self.listener:
                    self.wanted.add(key.data)
                    self.selector.unregister(key.fileobj)
                elif not self.answer():
                    return
            self.bury()

    def bury(self) -> None:
        """Take the exit codes of the ended whose askers wait, or are gone, and tell them."""
        for pid in [
            pid for pid in self.wanted if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        ]:
            _, status = os.waitpid(pid, 0)
            self.wanted.discard(pid)
            with self.children.pop(pid) as connection, suppress(OSError):
                connection.sendall(NUMBER.pack(os.waitstatus_to_exitcode(status)))

    def answer(self) -> bool:
        """Fork what is asked for; return False if it is asked of another version of our files."""
        connection, _ = self.listener.accept()
        connection.settimeout(REQUEST_SECONDS)
        files: list[int] = []
        try:
            request = self.request(connection, files)
            if request["version"] != self.version:
                connection.close()
                return False
            pid = os.fork()
            if pid == 0:
                become(connection, files, request, self.programs[request["argv"][0]])
        except (OSError, ValueError, KeyError, TypeError):
            connection.close()
            return True
        finally:
            for file in files:
                os.close(file)
        self.children[pid] = connection
        self.selector.register(connection, selectors.EVENT_READ, pid)
        return True

    def request(self, connection: socket.socket, files: list[int]) -> dict[str, Any]:
        """Return what is asked for, its standard files in `files`; raise if it is none of ours that asks."""
        if peer(connection) != os.getuid():
            raise PermissionError("another user asks")
        _, received, _, _ = socket.recv_fds(connection, 1, 4)
        files += received
        text = b""
        deadline = time.monotonic() + REQUEST_SECONDS
        while not text.endswith(b"\n"):
            more = connection.recv(1 << 16)
            text += more
            if not more or len(text) > LARGEST_REQUEST or time.monotonic() > deadline:
                raise ValueError("not a whole request")
        request: dict[str, Any] = json.loads(text)
        return request


def become(
    connection: socket.socket,
    files: list[int],
    request: dict[str, Any],
    program: Callable[[list[str]], int],
) -> None:
    """Be the program asked for, once who asked has its number; leave without a trace if that is gone."""
    code = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        *standard, go = files
        for number, file in enumerate(standard):
            os.dup2(file, number)
        close_all_but(0, 1, 2, go, connection.fileno())
        take_on(request)
        connection.sendall(NUMBER.pack(os.getpid()))
        connection.close()
        if os.read(go, 1):
            os.close(go)
            code = program(request["argv"][1:])
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BrokenPipeError:  # nobody waits for it any more
        pass
    except BaseException:  # the edge of a program: what an interpreter would do
        traceback.print_exc()
    finally:
        with suppress(Exception):
            logging.shutdown()
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def close_all_but(*kept: int) -> None:
    """Close all files of this process but these."""
    edges = [-1, *sorted(kept), os.sysconf("SC_OPEN_MAX")]
    for below, above in itertools.pairwise(edges):
        if below + 1 < above:
            os.closerange(below + 1, above)


def take_on(request: dict[str, Any]) -> None:
    """Give this process the folder, environment and standard streams that it was asked with."""
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    show_environment(request["env"])
    time.tzset()
    sys.argv = [f"-m {request['argv'][0]}", *request["argv"][1:]]
    sys.stdin = os.fdopen(0, "r", closefd=False, encoding="utf-8")
    sys.stdout = os.fdopen(1, "w", closefd=False, encoding="utf-8")
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False, encoding="utf-8", errors="backslashreplace")


def show_environment(environment: dict[str, str]) -> None:
    """Let others see in /proc what this process has, its run first: a run is found by that (`run_processes`).

    What they see is where the server's own environment was laid, once; nobody reads it there any more.
    """
    names = sorted(environment, key=lambda name: name != RUN_VARIABLE)
    shown = b"".join(os.fsencode(f"{name}={environment[name]}") + b"\0" for name in names)
    with suppress(OSError, IndexError, ValueError), open("/proc/self/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
        start, end = int(fields[47]), int(fields[48])
        whole = shown[: shown.rfind(b"\0", 0, end - start) + 1]
        ctypes.memset(start, 0, end - start)
        ctypes.memmove(start, whole, len(whole))


if __name__ == "__main__":
    sys.exit(main())

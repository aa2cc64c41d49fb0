"""An agent as a process: started, fed, read, timed and ended with all that it started."""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil

from instrumentgpt.agents.events import Done, Event, Events, Failure, Tool
from instrumentgpt.agents.evidence import COMMON_SIGNS, Evidence, Sign, judge
from instrumentgpt.agents.stream import LineSplitter, clean

POLL = 0.05  # s; how late a stop, a clock or an exit is noticed
CHUNK = 256 * 1024  # bytes read or written at once; a pipe holds 64 KiB
STDERR_TAIL = 16 * 1024  # bytes kept of what the agent complains about
DOCTOR = "`python -m instrumentgpt doctor` says what works here and what is missing."
RUN_VARIABLE = "INSTRUMENTGPT_RUN"  # inherited by all that a run starts, and so the way to find it

Parser = Callable[[Iterable[bytes]], Iterator[Event]]


@dataclass(frozen=True)
class Request:
    """What a turn asks of an agent; `task_file` is for our own analyst, which reads facts and not prompts."""

    prompt: str
    folder: Path  # the agent's working directory
    task_file: Path | None = None
    model: str = ""


@dataclass(frozen=True)
class Command:
    """A program to start, with the prompt for its standard input."""

    argv: tuple[str, ...]
    prompt: str
    environment: Mapping[str, str]
    folder: Path


@dataclass(frozen=True)
class Clocks:
    """How long a run may do what, in seconds."""

    first_event: float = 60.0
    silence: float = 180.0
    silence_in_tool: float = 600.0
    total: float = 900.0
    grace: float = 3.0  # to leave after its last word, and again after SIGTERM
    grace_when_stopped: float = 0.4  # a person waits: stopping may take 1.5 s in all


@dataclass
class _Watch:
    """The clocks of one run; `ended` says in words which one ran out."""

    clocks: Clocks
    stopped: Callable[[], bool]
    started: float = field(default_factory=time.monotonic)
    heard: float = field(default_factory=time.monotonic)
    spoke: bool = False
    open_tools: set[str] = field(default_factory=set)
    was_stopped: bool = False
    ended: str = ""

    def note(self, event: Event) -> None:
        self.spoke = True
        if isinstance(event, Tool):
            (self.open_tools.add if event.status == "started" else self.open_tools.discard)(event.call_id)

    def over(self, idle: bool) -> bool:
        """Return whether the run must end; silence counts only when there was nothing to read (`idle`)."""
        now = time.monotonic()
        silence = self.clocks.silence_in_tool if self.open_tools else self.clocks.silence
        self.was_stopped = self.stopped()
        if now - self.started > self.clocks.total:
            self.ended = f"The agent worked for more than {self.clocks.total:g} s."
        elif idle and not self.spoke and now - self.started > self.clocks.first_event:
            self.ended = f"The agent said nothing in its first {self.clocks.first_event:g} s."
        elif idle and now - self.heard > silence:
            self.ended = f"The agent was silent for more than {silence:g} s."
        return self.was_stopped or bool(self.ended)


class _Pipes:
    """The three pipes of `process`, served in turn so that none of them can block the others."""

    def __init__(self, process: "subprocess.Popen[bytes]", prompt: bytes) -> None:
        self.stderr = b""
        self.open = True
        self._process = process
        self._prompt = memoryview(prompt)
        self._selector = selectors.DefaultSelector()
        assert process.stdout is not None and process.stderr is not None
        self._register(process.stdout.fileno(), selectors.EVENT_READ, self._read_stdout)
        self._register(process.stderr.fileno(), selectors.EVENT_READ, self._read_stderr)
        if process.stdin is not None:
            self._register(process.stdin.fileno(), selectors.EVENT_WRITE, self._write_stdin)

    def serve(self, seconds: float) -> bytes | None:
        """Return what came on stdout within `seconds`: None if nothing, b"" if other pipes were served."""
        ready = self._selector.select(seconds)
        if not ready:
            return None
        return b"".join([key.data(key.fd) for key, _ in ready])

    def drain(self) -> None:
        """Read what is left in the pipes of an agent that has ended, for its last words on stderr."""
        while self.serve(0) is not None:
            continue

    def close(self) -> None:
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _register(self, pipe: int, direction: int, serve: Callable[[int], bytes]) -> None:
        os.set_blocking(pipe, False)
        self._selector.register(pipe, direction, serve)

    def _read_stdout(self, pipe: int) -> bytes:
        chunk = os.read(pipe, CHUNK)
        if not chunk:
            self._selector.unregister(pipe)
            self.open = False
        return chunk

    def _read_stderr(self, pipe: int) -> bytes:
        chunk = os.read(pipe, CHUNK)
        if not chunk:
            self._selector.unregister(pipe)
        self.stderr = (self.stderr + chunk)[-STDERR_TAIL:]
        return b""

    def _write_stdin(self, pipe: int) -> bytes:
        try:
            self._prompt = self._prompt[os.write(pipe, self._prompt[:CHUNK]) :]
        except BrokenPipeError:  # it does not want the rest; what it says decides
            self._prompt = self._prompt[:0]
        if not self._prompt:
            self._selector.unregister(pipe)
            assert self._process.stdin is not None
            self._process.stdin.close()
        return b""


def run(
    command: Command,
    parse: Parser,
    clocks: Clocks = Clocks(),
    stopped: Callable[[], bool] = lambda: False,
    signs: tuple[Sign, ...] = COMMON_SIGNS,
) -> Events:
    """Start `command` and yield what `parse` makes of its lines; the last event is the only Done.

    `stopped` is asked every 50 ms. Whatever happens, closing the generator too, no process stays:
    after its last word the agent has `clocks.grace` to leave, after Done has been yielded.
    """
    started = time.monotonic()
    try:
        process = _start(command)
    except OSError as error:
        yield Failure("died", f"{command.argv[0]} does not start: {error}", DOCTOR)
        yield Done("died", "", time.monotonic() - started)
        return
    pipes, watch, splitter = _Pipes(process, command.prompt.encode()), _Watch(clocks, stopped), LineSplitter()
    patience, grace = 0.0, clocks.grace_when_stopped
    try:
        done = Done("no-result", "")
        for event in parse(_lines(process, pipes, splitter, watch)):
            watch.note(event)
            if isinstance(event, Done):
                done = event
                break
            yield event
        if not (watch.was_stopped or watch.ended):
            patience, grace = clocks.grace, clocks.grace
        exit_code = None
        if done.outcome == "no-result":  # nothing more to hear: how it leaves is the evidence
            exit_code = _end(process, patience, grace)
        pipes.drain()
        evidence = Evidence(
            exit_code, _readable(pipes.stderr), watch.was_stopped, watch.ended, splitter.dropped
        )
        failure, outcome = judge(done, evidence, signs)
        if failure is not None:
            yield failure
        yield replace(done, outcome=outcome, seconds=time.monotonic() - started)
    except GeneratorExit:
        patience, grace = 0.0, clocks.grace_when_stopped
        raise
    finally:
        _end(process, patience, grace)
        pipes.close()


def _start(command: Command) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command.argv,
        stdin=subprocess.PIPE if command.prompt else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(command.environment),
        cwd=command.folder,
        start_new_session=True,
    )


def _lines(
    process: "subprocess.Popen[bytes]", pipes: _Pipes, splitter: LineSplitter, watch: _Watch
) -> Iterator[bytes]:
    """Yield lines until stdout ends, the agent has left and its pipe is empty, or a clock runs out."""
    while pipes.open:
        chunk = pipes.serve(POLL)
        if chunk:
            watch.heard = time.monotonic()
            yield from splitter.feed(chunk)
        if watch.over(idle=not chunk):
            break
        if chunk is None and _has_left(process):  # a grandchild may hold the pipe open for ever
            break
    if rest := splitter.rest():
        yield rest


def _readable(stderr: bytes) -> str:
    return "\n".join(filter(None, (clean(line) for line in stderr.splitlines())))


def _has_left(process: "subprocess.Popen[bytes]") -> bool:
    """Return whether `process` has ended, without taking its exit code: its number stays its own."""
    if process.returncode is not None:
        return True
    try:
        return psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _end(process: "subprocess.Popen[bytes]", patience: float, grace: float) -> int | None:
    """End `process` and all that it started; return its exit code, or None if it did not leave by itself.

    It may do so for `patience` seconds; `grace` seconds lie between SIGTERM and SIGKILL.
    """
    if process.returncode is not None:
        return process.returncode
    deadline = time.monotonic() + patience
    family = _family(process.pid)
    while not _has_left(process) and time.monotonic() < deadline:
        time.sleep(POLL / 5)
    left = _has_left(process)
    end_all(family | _family(process.pid), grace)
    exit_code = process.wait()
    return exit_code if left else None


def _family(pid: int) -> set[psutil.Process]:
    """Return `pid`, all below it and all of its process group.

    Walked before killing: an orphan is nobody's child any more, and an MCP server may leave the group.
    """
    try:
        root = psutil.Process(pid)
        family = {root, *root.children(recursive=True)}
    except psutil.NoSuchProcess:
        family = set()
    for member in psutil.pids():
        try:
            if os.getpgid(member) == pid:
                family.add(psutil.Process(member))
        except (OSError, psutil.Error):
            continue
    return family


def run_processes(run: str) -> set[psutil.Process]:
    """Return the living processes of `run` by the environment they inherited, this one excepted."""
    found = set()
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get(RUN_VARIABLE) == run:
                found.add(process)
        except (psutil.Error, OSError):
            continue
    return found


def end_all(family: Iterable[psutil.Process], grace: float) -> None:
    """End every process of `family`: SIGTERM, and SIGKILL for those still there after `grace` seconds."""
    living = [process for process in family if _lives(process)]
    for number, seconds in ((signal.SIGTERM, grace), (signal.SIGKILL, 1.0)):
        for process in living:
            with suppress(psutil.Error):
                process.send_signal(number)
        deadline = time.monotonic() + seconds
        while (living := [process for process in living if _lives(process)]) and time.monotonic() < deadline:
            time.sleep(POLL / 5)


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False

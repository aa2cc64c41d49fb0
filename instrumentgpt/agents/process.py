"""An agent as a process: started, fed, read, timed and ended with all that it started."""

import os
import selectors
import subprocess
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from instrumentgpt.agents.events import Done, Event, Events, Failure, Tick, Tool
from instrumentgpt.agents.evidence import COMMON_SIGNS, Evidence, Sign, judge
from instrumentgpt.agents.family import Started, end_family, has_left
from instrumentgpt.agents.stream import LineSplitter, clean
from instrumentgpt.agents.warm import start_piped
from instrumentgpt.errors import reason

CHUNK = 256 * 1024  # bytes read or written at once; a pipe holds 64 KiB
STDERR_TAIL = 16 * 1024  # bytes kept of what the program complains about
POLL = 0.05  # s; how late a stop, a clock or an exit is noticed
DOCTOR = "`python -m instrumentgpt doctor` says what works here and what is missing."

Parser = Callable[[Iterable[bytes]], Iterator[Event]]


@dataclass(frozen=True)
class Request:
    """What a turn asks of an agent; `task_file` is for our own analyst, which reads facts and not prompts.

    mcp_config  a file {"mcpServers": {name: {command, args, env}}} for agents told on their command line
    resume      the agent's own id of the session to go on with, or ""
    may_run, may_edit, may_browse  whether it may run commands, change files, use the web; else it may read
    source      the repository of the instrument's software, to work in; nothing of ours is written there
    confined    whether the kernel holds it to all this, so that a sandbox of its own may be left out
    run_folder  of the run, ours: an agent that is kept finds our tools in it
    server      how our MCP server is started: {command, args, env}
    """

    prompt: str
    folder: Path  # ours, made ready for the agent; its working directory, unless that is `source`
    task_file: Path | None = None
    model: str = ""
    mcp_config: Path | None = None
    resume: str = ""
    may_run: bool = False
    may_edit: bool = False
    source: Path | None = None
    may_browse: bool = False
    confined: bool = False
    run_folder: Path | None = None
    server: Mapping[str, Any] | None = None

    @property
    def workplace(self) -> Path:
        """The folder that the agent works on: its sessions are kept apart by it."""
        return self.source or self.folder


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


class Pipes:
    """The three pipes of `process`, served in turn so that none of them can block the others."""

    def __init__(self, process: Started, prompt: bytes) -> None:
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
        """Close all pipes of the agent; what is still in them is lost."""
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
        elif idle and self.spoke and now - self.heard > silence:
            self.ended = f"The agent was silent for more than {silence:g} s."
        return self.was_stopped or bool(self.ended)


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
        yield Failure("died", f"{command.argv[0]} does not start: {reason(error)}", DOCTOR)
        yield Done("died", "", time.monotonic() - started)
        return
    pipes, watch, splitter = Pipes(process, command.prompt.encode()), _Watch(clocks, stopped), LineSplitter()
    patience, grace = 0.0, clocks.grace_when_stopped
    try:
        done = yield from _until_done(parse(_lines(process, pipes, splitter, watch)), watch)
        if not (watch.was_stopped or watch.ended):
            patience, grace = clocks.grace, clocks.grace
        exit_code = None
        if done.outcome == "no-result":  # nothing more to hear: how it leaves is the evidence
            exit_code = end_family(process, patience, grace)
        pipes.drain()
        words = "\n".join(filter(None, map(clean, pipes.stderr.splitlines())))
        evidence = Evidence(exit_code, words, watch.was_stopped, watch.ended)
        failure, outcome = judge(done, evidence, signs)
        if splitter.dropped:
            yield Tick(f"{splitter.dropped} lines over {splitter.longest >> 20} MiB were passed over")
        if failure is not None:
            yield failure
        yield replace(done, outcome=outcome, seconds=time.monotonic() - started)
    except GeneratorExit:
        patience, grace = 0.0, clocks.grace_when_stopped
        raise
    finally:
        end_family(process, patience, grace)
        pipes.close()


def _until_done(events: Iterator[Event], watch: _Watch) -> Generator[Event, None, Done]:
    """Yield `events` up to their Done, and return that."""
    for event in events:
        watch.note(event)
        if isinstance(event, Done):
            return event
        yield event
    return Done("no-result", "")


def _start(command: Command) -> Started:
    warm = start_piped(command.argv, command.environment, command.folder)
    return warm or subprocess.Popen(
        command.argv,
        stdin=subprocess.PIPE if command.prompt else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(command.environment),
        cwd=command.folder,
        start_new_session=True,
    )


def _lines(process: Started, pipes: Pipes, splitter: LineSplitter, watch: _Watch) -> Iterator[bytes]:
    """Yield lines until stdout ends, the agent has left and its pipe is empty, or a clock runs out."""
    gone = False
    while pipes.open:
        chunk = pipes.serve(POLL)
        if chunk:
            watch.heard = time.monotonic()
            yield from splitter.feed(chunk)
        if watch.over(idle=not chunk):
            break
        if chunk is None and gone:  # a grandchild may hold the pipe open for ever
            break
        gone = chunk is None and has_left(process)  # its last words may have come since the look
    if rest := splitter.rest():
        yield rest

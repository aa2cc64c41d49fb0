"""The three pipes of a program: its prompt goes in, its lines and its complaints come out."""

import os
import selectors
from collections.abc import Callable

from instrumentgpt.agents.family import Started

CHUNK = 256 * 1024  # bytes read or written at once; a pipe holds 64 KiB
STDERR_TAIL = 16 * 1024  # bytes kept of what the program complains about


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

"""Scanning a whole log on all cores, in blocks, so that memory stays flat whatever its size."""

import os
import pickle
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from operator import sub
from pathlib import Path
from typing import IO, TypeVar

from instrumentgpt.instruments.reading.bounds import LONGEST_LINE, check_line, check_size
from instrumentgpt.instruments.reading.layouts import Format
from instrumentgpt.instruments.reading.lines import Rows
from instrumentgpt.instruments.reading.scan import NAMED, LineShapes, Samples, scan
from instrumentgpt.instruments.reading.sources import Source, chunks, is_packed
from instrumentgpt.instruments.reading.words import PADDING, Text

BLOCK_BYTES = 4 << 20
PROCESSES = min(os.cpu_count() or 1, 4)
LEAST_BLOCKS = 32  # for fewer no process is forked: it costs 100 ms of CPU, half of what 50 MB take

Scanned = tuple[Samples, Rows, int]  # samples, the rest, number of lines; lines numbered from 1
Found = TypeVar("Found")


def scanned(
    source: Source, layout: Format, notes: list[str], block_bytes: int = BLOCK_BYTES
) -> Iterator[tuple[Scanned, float]]:
    """Yield what each block of `source` says, in order, and the share of the log that is read by then.

    Its channels with names are numbered from NAMED on.
    notes  gets what must be known of damaged parts
    """
    done, text, learned = 0, 0, LineShapes()
    for part, size in zip(source.parts, source.sizes, strict=True):
        if is_packed(part):
            read = [0.0]
            for chunk in chunks(Source(part, (part,), (size,)), block_bytes, notes, read.append):
                text += len(chunk.content)
                check_size(source.path.name, text)
                block = _scan_text(Text.of(chunk.content), layout, learned)
                yield block, (done + read[-1] * size) / source.size
        else:
            for block, end in _of_plain(part, size, layout, learned, block_bytes):
                yield block, (done + end) / source.size
        done += size


def _of_plain(
    part: Path, size: int, layout: Format, learned: LineShapes, block_bytes: int
) -> Iterator[tuple[Scanned, float]]:
    """Yield what each block of a file says, and how many of its bytes are read by then."""
    cuts = _line_starts(part, size, block_bytes)
    room = bytearray(max(map(sub, cuts[1:], cuts), default=0) + PADDING)

    def read(start: int, stop: int) -> Scanned:
        with part.open("rb") as file:
            file.seek(start)
            got = file.readinto(memoryview(room)[: stop - start])
        room[got : got + PADDING] = bytes(PADDING)
        return _scan_text(Text.padded(room, 0, got), layout, learned)

    blocks = [partial(read, start, stop) for start, stop in pairwise(cuts)]
    return zip(_all(blocks), cuts[1:], strict=True)


def _line_starts(part: Path, size: int, block_bytes: int) -> list[int]:
    """Return where the file is cut into blocks of whole lines, with its start and its end."""
    cuts = [0]
    with part.open("rb") as file:
        for at in range(block_bytes, size, block_bytes):
            if at > cuts[-1]:
                file.seek(at - 1)
                line = file.readline(LONGEST_LINE + 1)
                check_line(part.name, 0, len(line))
                cuts.append(min(at - 1 + len(line), size))
    return [*cuts, size] if cuts[-1] < size else cuts


def _all(blocks: Sequence[Callable[[], Found]]) -> Iterator[Found]:
    """Yield what `blocks` give, in order, forked off to all cores where that is safe and worth its time.

    The first is read here, for all to know the shapes of its lines. Threads are no help: they wait for each
    other between numpy's short calls.
    """
    yield from (block() for block in blocks[:1])
    alone = sys.platform == "linux" and threading.active_count() == 1  # no other thread's lock is copied
    if len(blocks) < LEAST_BLOCKS or PROCESSES == 1 or not alone:
        yield from (block() for block in blocks[1:])
    else:
        yield from forked(blocks[1:])


def forked(blocks: Sequence[Callable[[], Found]]) -> Iterator[Found]:
    """Yield what `blocks` give, in order, each called in one of PROCESSES forked processes.

    One that raises, or whose process was killed or never came to be, is called here: its error is raised.
    """
    pids: list[int] = []
    pipes: list[IO[bytes]] = []
    try:
        for at in range(PROCESSES):
            receive, send = os.pipe()
            pipes.append(os.fdopen(receive, "rb"))
            with os.fdopen(send, "wb") as mine, suppress(OSError):  # there may be no more processes to have
                pids.append(_forked(blocks[at::PROCESSES], mine, pipes))
        for at, block in enumerate(blocks):
            try:
                result: Found = pickle.load(pipes[at % PROCESSES])
            except (EOFError, pickle.UnpicklingError):  # its process has ended, perhaps while it wrote
                result = block()
            yield result
    finally:
        for pipe in pipes:
            pipe.close()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _forked(blocks: Sequence[Callable[[], Found]], pipe: IO[bytes], others: Sequence[IO[bytes]]) -> int:
    """Return the number of a process that writes to `pipe` what `blocks` give, until one raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of OpenBLAS's idle threads, in Python 3.12
        pid = os.fork()
    if pid:
        return pid
    try:
        for other in others:  # the parent's ends: open here, they would outlive it
            other.close()
        for block in blocks:
            pickle.dump(block(), pipe, protocol=5)
            pipe.flush()
    finally:
        os._exit(0)  # whatever was raised


def _scan_text(text: Text, layout: Format, learned: LineShapes) -> Scanned:
    rows = Rows(first_number=NAMED)
    samples, lines = scan(text, 1, layout, rows, learned)
    return samples, rows, lines

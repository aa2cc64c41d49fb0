"""Scanning a whole log on all cores, in blocks, so that memory stays flat whatever its size."""

import io
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path

from instrumentgpt.instruments.reading.bounds import check_line, check_size
from instrumentgpt.instruments.reading.layouts import Format
from instrumentgpt.instruments.reading.lines import Rows
from instrumentgpt.instruments.reading.scan import NAMED, Learned, Samples, scan
from instrumentgpt.instruments.reading.sources import Progress, Source, chunks, is_packed
from instrumentgpt.instruments.reading.words import PADDING, Text

BLOCK_BYTES = 8 << 20  # threads wait less for each other than with 4 (bench/parse.py); takes 20 MB more
TAIL_BYTES = 1 << 16  # read beyond a block for the rest of its last line
THREADS = min(os.cpu_count() or 1, 4)

_of_thread = threading.local()

Scanned = tuple[Samples, Rows, int]  # samples, the rest, number of lines; lines numbered from 1


def scanned(
    source: Source,
    layout: Format,
    notes: list[str],
    progress: Progress | None = None,
    block_bytes: int = BLOCK_BYTES,
) -> Iterator[Scanned]:
    """Yield what each block of `source` says, in order; its channels with names are numbered from NAMED on.

    notes  gets what must be known of damaged parts
    """
    with ThreadPoolExecutor(THREADS) as pool:
        running: deque[tuple[Future[Scanned], float]] = deque()
        for block, share in _blocks(source, layout, notes, block_bytes):
            running.append((pool.submit(block), share))
            if len(running) > 2 * THREADS:
                yield _finished(running, progress)
        while running:
            yield _finished(running, progress)


def _finished(running: "deque[tuple[Future[Scanned], float]]", progress: Progress | None) -> Scanned:
    block, share = running.popleft()
    found = block.result()
    if progress:
        progress(share)
    return found


def _blocks(
    source: Source, layout: Format, notes: list[str], block_bytes: int
) -> Iterator[tuple[Callable[[], Scanned], float]]:
    """Yield the work of each block, and the share of the log that is read after it."""
    done, text, learned = 0, 0, Learned()
    for part, size in zip(source.parts, source.sizes, strict=True):
        if is_packed(part):
            single = Source(part, (part,), (size,))
            read = [0.0]
            for chunk in chunks(single, block_bytes, notes, read.append):
                text += len(chunk.content)
                check_size(source.path.name, text)
                yield (
                    partial(_scan_text, Text.of(chunk.content), layout, learned),
                    (done + read[-1] * size) / source.size,
                )
        else:
            for offset in range(0, size, block_bytes):
                share = (done + min(offset + block_bytes, size)) / source.size
                yield partial(_scan_block, part, offset, size, block_bytes, layout, learned), share
        done += size


def _scan_text(text: Text, layout: Format, learned: Learned) -> Scanned:
    rows = Rows(first_number=NAMED)
    samples, lines = scan(text, 1, layout, rows, learned)
    return samples, rows, lines


def _scan_block(
    part: Path, offset: int, size: int, block_bytes: int, layout: Format, learned: Learned
) -> Scanned:
    """Return what the lines say that start in the block of `part` at `offset`."""
    return _scan_text(_text_of_block(part, offset, size, block_bytes), layout, learned)


def _text_of_block(part: Path, offset: int, size: int, block_bytes: int) -> Text:
    """Return the lines that start in the block, the last one to its end, wherever that is."""
    before = 1 if offset else 0  # with the letter before, to see whether a line starts at the block's start
    tail = TAIL_BYTES
    while True:
        wanted = min(before + block_bytes + tail, size - offset + before)
        buffer = _buffer(wanted + PADDING)
        with part.open("rb", buffering=0) as file:
            file.seek(offset - before)
            got = _fill(file, memoryview(buffer)[:wanted])
        start = buffer.find(b"\n", 0, before + block_bytes) + 1 if before else 0
        if (before and not start) or start >= min(got, before + block_bytes):
            return Text.padded(bytearray(PADDING), 0, 0)
        end = buffer.find(b"\n", before + block_bytes - 1, got) + 1
        if end or got < wanted or offset - before + got >= size:
            end = end or got
            buffer[end : end + PADDING] = bytes(PADDING)
            return Text.padded(buffer, start, end - start)
        check_line(part.name, 0, tail)
        tail *= 16


def _buffer(size: int) -> bytearray:
    """Return at least `size` bytes, those of this thread's last block if they are enough."""
    buffer: bytearray = getattr(_of_thread, "buffer", bytearray())
    if len(buffer) < size:
        buffer = bytearray(size)
        _of_thread.buffer = buffer
    return buffer


def _fill(file: io.FileIO, view: memoryview) -> int:
    """Read into `view` until it is full or the file ends; return the number of bytes."""
    got = 0
    while got < len(view) and (count := file.readinto(view[got:])):
        got += count
    return got

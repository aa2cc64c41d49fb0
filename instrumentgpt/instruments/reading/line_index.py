"""Where the lines of a large log begin: any of them is read in milliseconds, whatever the log's size."""

import json
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import IO

from instrumentgpt.files import whole
from instrumentgpt.instruments.reading.frame_cache import fingerprint, prune, restored, write_whole
from instrumentgpt.instruments.reading.sources import Progress, Source, chunks, is_packed, text_of

MOST_BYTES = 8 << 30  # of unpacked texts in the folder; the oldest go first
STRIDE_BYTES = 1 << 20  # between two known lines: read in a millisecond, 2,000 of them in 2 GB


@dataclass(frozen=True)
class LineIndex:
    """Known lines of a text: `lines[i]` (1-based) begins `offsets[i]` bytes into `parts`, laid end to end."""

    parts: tuple[str, ...]
    sizes: tuple[int, ...]  # bytes
    lines: tuple[int, ...]
    offsets: tuple[int, ...]
    total: int  # lines of the whole log


def line_index(source: Source, folder: Path, progress: Progress | None = None) -> LineIndex:
    """Return the index of `source`, kept in `folder` for the next time.

    A log that is no text has no place to seek to: its text is written into `folder`, beside the index.
    """
    name = fingerprint(source, "lines")
    kept = folder / f"{name}.json"
    index = _load(kept)
    if index is None:
        index = _indexed(source, folder / f"{name}.txt", progress)
        text = json.dumps(asdict(index)).encode()
        write_whole(kept, lambda file: file.write(text))
    return index


def extended(index: LineIndex, source: Source, folder: Path) -> LineIndex:
    """Return the index of `source`, of which `index` knows all but whole lines that came to its end."""
    if index.parts != tuple(map(str, source.parts)):  # as text in a file of its own: written anew
        return line_index(source, folder)
    with source.parts[-1].open("rb") as file:
        file.seek(index.sizes[-1])
        count = file.read(source.sizes[-1] - index.sizes[-1]).count(b"\n")
    lines, offsets = (*index.lines, index.total + 1), (*index.offsets, sum(index.sizes))
    return LineIndex(index.parts, source.sizes, lines, offsets, index.total + count)


def indexed_lines(index: LineIndex, first: int, last: int) -> list[tuple[int, str]]:
    """Return (number, text) of the lines `first` to `last`, both included, 1-based; fewer at either end."""
    first, last = max(first, 1), min(last, index.total)
    if first > last:
        return []
    begin = max(bisect_right(index.lines, first) - 1, 0)
    end = bisect_right(index.lines, last)
    stop = index.offsets[end] if end < len(index.offsets) else sum(index.sizes)
    numbered = enumerate(_split(index, index.offsets[begin], stop), index.lines[begin])
    return [(number, text_of(line)) for number, line in numbered if first <= number <= last]


def _split(index: LineIndex, start: int, stop: int) -> Iterator[bytes]:
    """Yield the lines between two offsets; the end of a part ends its last line too."""
    begins = [0, *accumulate(index.sizes)]
    for part, begin, end in zip(index.parts, begins, begins[1:], strict=False):
        low, high = max(start, begin), min(stop, end)
        if low < high:
            with open(part, "rb") as file:
                file.seek(low - begin)
                content = file.read(high - low)
            yield from content.removesuffix(b"\n").split(b"\n")


def _indexed(source: Source, unpacked: Path, progress: Progress | None) -> LineIndex:
    if not any(map(is_packed, source.parts)):
        return _scanned(source, progress)
    unpacked.parent.mkdir(parents=True, exist_ok=True)
    with whole(unpacked) as file:
        index = _scanned(source, progress, file)
    size = unpacked.stat().st_size
    prune(unpacked.parent.glob("*.txt"), MOST_BYTES)
    return replace(index, parts=(str(unpacked),), sizes=(size,))


def _scanned(source: Source, progress: Progress | None, copy: IO[bytes] | None = None) -> LineIndex:
    """Return the index of the text in the parts of `source` end to end; write the text into `copy`."""
    lines, offsets, total, size = [], [], 0, 0
    for chunk in chunks(source, STRIDE_BYTES, progress=progress):
        whole = chunk.content.endswith(b"\n")
        lines.append(chunk.first_line)
        offsets.append(size)
        total = chunk.first_line + chunk.content.count(b"\n") - whole
        size += len(chunk.content)
        if copy is not None:
            copy.write(chunk.content if whole else chunk.content + b"\n")
            size += not whole
    return LineIndex(tuple(map(str, source.parts)), source.sizes, tuple(lines), tuple(offsets), total)


def _load(path: Path) -> LineIndex | None:
    """Return the index kept at `path` if what it points to is still as long as it was."""
    try:
        index: LineIndex = restored(LineIndex, json.loads(path.read_text(encoding="utf-8")))
        same = tuple(Path(part).stat().st_size for part in index.parts) == index.sizes
    except (OSError, KeyError, TypeError, ValueError, AttributeError):
        return None
    return index if same else None

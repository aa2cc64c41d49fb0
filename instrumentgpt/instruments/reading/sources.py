"""The lines of a log, wherever they lie: a file, a .gz, a spreadsheet, a rotated set, a folder of parts."""

import codecs
import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.reading.bounds import check_is_file, check_line, check_size
from instrumentgpt.instruments.reading.encodings import encoding_of
from instrumentgpt.instruments.reading.transcripts import HEAD_BYTES, kind_of, transcribed

CHUNK_BYTES = 8 << 20  # one numpy pass over 8 MB stays in cache-friendly, flat memory
ROTATED = re.compile(r"\.(\d+)$")
Progress = Callable[[float], None]
GZIP_MAGIC = b"\x1f\x8b"


class EmptyLog(InstrumentGPTError, ValueError):
    """A log file or folder without a byte in it."""


@dataclass(frozen=True)
class Chunk:
    """A run of whole lines. `first_line` is the 1-based number of its first line."""

    content: bytes
    first_line: int


@dataclass(frozen=True)
class Source:
    """The parts of one log, oldest first, with the sizes they had when they were found."""

    path: Path
    parts: tuple[Path, ...]
    sizes: tuple[int, ...]
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Return the bytes on disk, of all parts together."""
        return sum(self.sizes)


def open_source(path: Path) -> Source:
    """Return the parts of the log at `path`, oldest first.

    A folder is one log of its files. A file whose neighbours are named after it (`run.log.1`, `run.log.2.gz`)
    is one log with them: the greater the number, the older the part.
    Raises OversizedLog for one that is too much to read.
    """
    if path.is_dir():
        parts = sorted((part for part in path.iterdir() if _is_part(part)), key=_age_of)
        if not parts:
            raise EmptyLog(
                f"{path.name}: the folder has no log file in it. Choose a folder with .log or .csv files."
            )
    else:
        check_is_file(path)
        parts = [*_rotated(path), path]
    notes = (f"read as one log: {', '.join(part.name for part in parts)}",) if len(parts) > 1 else ()
    sizes = tuple(part.stat().st_size for part in parts)
    check_size(path.name, sum(sizes))
    return Source(path, tuple(parts), sizes, notes)


def _is_part(path: Path) -> bool:
    return (
        path.is_file()
        and not path.name.startswith(".")
        and path.suffix not in (".md", ".json", ".toml", ".parquet")
    )


def _age_of(path: Path) -> tuple[str, int]:
    """Order parts of a folder by name, and rotated parts of one name oldest first."""
    bare = path.name.removesuffix(".gz")
    rotated = ROTATED.search(bare)
    return (bare[: rotated.start()], -int(rotated[1])) if rotated else (bare, 0)


def _rotated(path: Path) -> list[Path]:
    bare = path.name.removesuffix(".gz")
    if ROTATED.search(bare):
        return []  # a part that was asked for by its own name is read alone
    pattern = re.compile(re.escape(bare) + r"\.(\d+)(\.gz)?$")
    return sorted((part for part in path.parent.iterdir() if pattern.match(part.name)), key=_age_of)


def chunks(
    source: Source,
    chunk_bytes: int = CHUNK_BYTES,
    notes: list[str] | None = None,
    progress: Progress | None = None,
) -> Iterator[Chunk]:
    """Yield the lines of `source` in chunks that end at line ends.

    notes     gets what a reader must know: a part that is cut off or damaged
    progress  is called with the share of the parts' bytes that has been read, 0 to 1
    """
    notes = [] if notes is None else notes
    first_line, done, text = 1, 0, 0
    for part, size in zip(source.parts, source.sizes, strict=True):
        rest = b""
        for block, read in _blocks(part, size, chunk_bytes, notes):
            text += len(block)
            check_size(source.path.name, text)
            if progress:
                progress((done + read) / max(source.size, 1))
            end = block.rfind(b"\n") + 1
            if not end:
                rest += block
                check_line(part.name, first_line, len(rest))
                continue
            content = rest + block[:end] if rest else block[:end]
            rest = block[end:]
            yield Chunk(content, first_line)
            first_line += content.count(b"\n")
        if rest:
            yield Chunk(rest, first_line)
            first_line += 1
        done += size


def is_packed(part: Path) -> bool:
    """Return whether `part` is no text to seek in: compressed, a spreadsheet, one JSON document …"""
    return _is_gzip(part) or kind_of(part) is not None


def texts_of(part: Path) -> Iterator[bytes]:
    """Yield the text of `part`, whatever it is packed in; EOFError if it is damaged."""
    notes: list[str] = []
    for block, _ in _blocks(part, part.stat().st_size, CHUNK_BYTES, notes):
        yield block
    if notes:
        raise EOFError(notes[0])


def _is_gzip(part: Path) -> bool:
    with part.open("rb") as file:
        return file.read(2) == GZIP_MAGIC


def _blocks(part: Path, size: int, chunk_bytes: int, notes: list[str]) -> Iterator[tuple[bytes, int]]:
    """Yield the text of `part` in blocks, each with the bytes on disk that are read by then."""
    compressed = _is_gzip(part)
    if not compressed and kind_of(part):
        text = 0
        for block in transcribed(part):
            text += len(block)
            check_size(part.name, text, packed=size)
            yield block, size
        return
    with part.open("rb") as file:
        if not compressed:
            left = size
            while left > 0 and (block := file.read(min(chunk_bytes, left))):
                left -= len(block)
                yield block, size - left
            return
        with gzip.GzipFile(fileobj=file) as unpacked:
            text, codec = 0, None
            for block in _unpacked(unpacked, part, chunk_bytes, notes):
                if not text and (name := encoding_of(block[:HEAD_BYTES])):
                    codec = codecs.getincrementaldecoder(name)("replace")
                text += len(block)
                check_size(part.name, text, packed=file.tell())
                yield codec.decode(block).encode() if codec else block, file.tell()


def _unpacked(unpacked: gzip.GzipFile, part: Path, chunk_bytes: int, notes: list[str]) -> Iterator[bytes]:
    """Yield what can be decompressed; a cut or damaged rest is noted, not raised."""
    count = 0
    piece_bytes = min(chunk_bytes, 1 << 16)  # small, so that a cut costs little of what came before it
    while True:
        block = bytearray()
        try:
            while len(block) < chunk_bytes and (piece := unpacked.read1(piece_bytes)):
                block += piece
        except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
            yield bytes(block)
            notes.append(
                f"{part.name}: the compressed file is cut off or damaged after {count + len(block)} bytes "
                f"of text ({problem}); what came before is read. Fetch it again for the rest."
            )
            return
        if not block:
            return
        count += len(block)
        yield bytes(block)


def text_of(line: bytes) -> str:
    """Return `line` as text: bytes that are no UTF-8 become U+FFFD, control characters but tabs are dropped.

    >>> text_of(b"25.3\\xb0C\\x00\\r")
    '25.3\ufffdC'
    """
    decoded = line.decode("utf-8", "replace").removeprefix("\ufeff")
    if decoded.isprintable():
        return decoded
    return "".join(letter for letter in decoded if letter >= " " or letter == "\t")


def lines_above(source: Source, row: int) -> list[tuple[int, str]]:
    """Return number and text of the lines above line `row` of `source`."""
    first = next(iter(chunks(source)), None) if row > 1 else None
    texts = first.content.split(b"\n", row)[: row - 1] if first else []
    return [(number, text_of(text)) for number, text in enumerate(texts, start=1)]

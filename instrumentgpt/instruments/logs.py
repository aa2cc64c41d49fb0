"""Reading a log: any file, folder or rotated set to a `Log`, and its raw lines by number."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from instrumentgpt.instruments.analysis.held import held_by
from instrumentgpt.instruments.loops import Loop, loops_of
from instrumentgpt.instruments.reading import sources, tables
from instrumentgpt.instruments.reading.cells import unread_cell
from instrumentgpt.instruments.reading.frame_cache import cached_log
from instrumentgpt.instruments.reading.layouts import formats, own_files
from instrumentgpt.instruments.reading.line_index import indexed_lines, line_index
from instrumentgpt.instruments.reading.record import HOW_TO, REST, Log, UnreadableLog, names_in
from instrumentgpt.instruments.reading.sources import Chunk, Progress, Source
from instrumentgpt.instruments.reading.stated import Stated, as_stated
from instrumentgpt.instruments.reading.tables import (
    SNIFFED_BYTES,
    most_numbers,
    named_values,
    read_table,
    table_shape,
)
from instrumentgpt.instruments.reading.textlogs import Fit, fits, format_problems, read_text_log
from instrumentgpt.instruments.reading.transcripts import JSON_DOCUMENT

__all__ = ["Log", "UnreadableLog", "read_lines", "read_log"]

KNOWN_BINARIES = (
    (b"\xd0\xcf\x11\xe0", "a spreadsheet of the old kind (.xls)", "Save it as .xlsx or CSV"),
    (b"SQLite format 3", "an SQLite database", "Export the table of the samples as CSV"),
    (b"\x89HDF", "an HDF5 or MATLAB file", "Export the samples as CSV or Parquet"),
    (b"TDSm", "a LabVIEW TDMS file", "Export the channels as CSV"),
    (b"%PDF", "a PDF", "Hand over the file that its table or chart was made from"),
    (b"\x89PNG", "a picture", "Hand over the numbers that it shows, as CSV"),
    (b"\xff\xd8\xff", "a picture", "Hand over the numbers that it shows, as CSV"),
    (b"7z\xbc\xaf", "a 7z archive", "Unpack it and hand over the logs in it"),
    (b"Rar!", "a RAR archive", "Unpack it and hand over the logs in it"),
)
CONTROL_SHARE = 0.1  # of bytes that no text has, above which a file is binary
THOROUGH_CHUNKS = 4  # of 8 MB; 0.1 s of CPU each, which a large file of something else must not cost
FAR_LESS = 0.2  # of what an output moves one pv, below which another pv is beside its loop: a room, a wall
TEXT_CONTROLS = frozenset(b"\t\n\r\f\x1b\x00")  # NULs: what a power cut leaves in a log


def read_log(
    path: Path | str | Source,
    columns: Mapping[str, int | str] | None = None,
    period: float | None = None,
    progress: Progress | None = None,
    cache: Path | None = None,
    setpoint: float | None = None,
    unit: str = "",
) -> Log:
    """Return the log at `path`: a file, a .gz, a rotated set, a folder of parts, or parts of known sizes.

    columns, period, setpoint, unit  what the file does not say, or is wrongly recognised: see `Stated`;
              {"time": 0, "setpoint": 1, "pv": 2, "output": 3}, {"setpoint": "set_c"}
    progress  is called with the share that has been read, 0 to 1
    cache     a folder for parsed frames; without it nothing is kept

    Raises UnreadableLog if no format fits, OSError if the file cannot be opened.
    """
    source = path if isinstance(path, Source) else sources.open_source(Path(path))
    stated = Stated(tuple((columns or {}).items()), setpoint, period, unit)
    read = partial(_read_as, source, stated, progress)
    return _with_levels(cached_log(source, f"{stated}{own_files() or ''}", cache, read) if cache else read())


def _with_levels(log: Log) -> Log:
    """Return `log` with the levels its loops hold as their setpoint, if its file has none."""
    if "setpoint" not in log.missing or {"output", "period"} & set(log.missing):
        return log
    units, loops = log.channel_units, loops_of(log)
    moved = log.samples.groupby("channel")["pv"].std().fillna(0.0)
    judged = {
        number: held_by(loop, units.get(number, log.unit))
        for number, loop in loops.items()
        if moved[number] > FAR_LESS * max(moved[other] for other in loops if _share(loops, number, other))
    }
    held = {number: levels for number, levels in judged.items() if levels is not None}
    if not held:
        return log
    setpoint, channel = np.full(len(log.samples), np.nan), log.samples["channel"].to_numpy()
    for number, levels in held.items():
        setpoint[channel == number] = levels
    last = {number: levels[np.isfinite(levels)][-1] for number, levels in held.items()}
    held_text = ", ".join(f"channel {number} ({level:.4g} in the end)" for number, level in last.items())
    guessed = {**log.guessed, "setpoint": f"none in the file; the level held by {held_text}"}
    return replace(log, samples=log.samples.assign(setpoint=setpoint), guessed=guessed)


def _share(loops: Mapping[int, Loop], first: int, second: int) -> bool:
    return np.array_equal(loops[first].output, loops[second].output, equal_nan=True)


def _read_as(source: Source, stated: Stated, progress: Progress | None) -> Log:
    log = _read(source, stated, progress)
    return as_stated(log, stated) if stated.unit or stated.setpoint is not None else log


def _read(source: Source, stated: Stated, progress: Progress | None) -> Log:
    name, period = source.path.name, stated.period
    if period is not None and not 0 < period < float("inf"):
        raise UnreadableLog(f"{name}: a period of {period:g} s cannot be. Give the seconds between two rows.")
    log = _reader(source, stated, progress)()  # what it has read of the log is let go before
    if log.missing != ("output",) or not formats().get(log.layout) or not formats()[log.layout].last_resort:
        return log
    shape = named_values(next(sources.chunks(source)).content)  # which takes words that no format knows
    table = read_table(source, shape, stated, progress) if shape else log
    return log if "output" in table.missing else table


def _reader(source: Source, stated: Stated, progress: Progress | None) -> partial[Log]:
    """Return what reads the log; raise UnreadableLog if nothing does."""
    name = source.path.name
    notes: list[str] = []
    nearest: list[Fit] = []
    understood: list[str] = []
    for number, chunk in enumerate(sources.chunks(source, notes=notes)):
        if chunk.first_line == 1:
            _refuse_binary(name, chunk)
        objects = chunk.first_line == 1 and chunk.content.lstrip().startswith(b"{")  # JSON, one a line
        if objects and (shape := named_values(chunk.content)):
            return partial(read_table, source, shape, stated, progress)
        shape = table_shape(chunk.content, name, stated) if chunk.first_line == 1 else None
        has_heads = bool(shape and shape.headings)  # then few lines tell whether it is a text after all
        thoroughly = number < THOROUGH_CHUNKS and not has_heads
        candidates = [] if stated.columns else fits(chunk, thoroughly)
        if candidates and candidates[0].rows and candidates[0].layout.last_resort and chunk.first_line == 1:
            named = named_values(chunk.content)
            setpoints = sum("setpoint" in heading.scores for heading in named.headings) if named else 0
            if named and (setpoints > 1 or REST in named.names or named.signals):
                return partial(read_table, source, named, stated, progress)
        if candidates and candidates[0].rows:
            return partial(read_text_log, source, candidates[0].layout, stated.period, progress)
        if chunk.first_line == 1 and not has_heads:
            shape = named_values(chunk.content) or most_numbers(shape, chunk.content)
        if shape:
            return partial(read_table, source, shape, stated, progress)
        nearest = nearest or candidates or fits(chunk, thoroughly=False)
        understood = understood or _understood(chunk.content)
    raise _unreadable(name, nearest, [*understood, *notes, *format_problems()])


def other_columns(log: Log, path: Path, stated: Stated) -> tables.OtherColumns:
    """Return the columns of `log` beside those of its loops, read again; none of one that is no table."""
    read = _reader(sources.open_source(path), stated, None)
    if read.func is read_table:
        return tables.read_other_columns(read.args[0], read.args[1], stated, log.samples)
    return tables.OtherColumns(np.empty(0), np.empty(0, dtype=np.int64), {}, ())


def _refuse_binary(name: str, chunk: Chunk) -> None:
    beginning = chunk.content[:4096]
    for magic, kind, remedy in KNOWN_BINARIES:
        if beginning.startswith(magic):
            raise UnreadableLog(f"{name} is {kind}, no log as it is. {remedy}.")
    controls = sum(letter < 32 and letter not in TEXT_CONTROLS for letter in beginning)
    if controls > CONTROL_SHARE * len(beginning) or beginning.count(0) > len(beginning) / 2:
        raise UnreadableLog(
            f"{name} is no text: it starts with the bytes {beginning[:8].hex(' ')}. "
            "Export the log as text or CSV and read that."
        )


def _understood(content: bytes) -> list[str]:
    """Return a sentence on what the start of an unreadable log is, none if there is nothing to say."""
    if cell := unread_cell(tables.first_lines(content)):
        why = f"Line {cell[0]}, cell {cell[1]} “{cell[2][:40]}” is no number, time or gap."
        return [f"{why} Say which columns are what: --columns time=0,setpoint=1,pv=2,output=3."]
    if JSON_DOCUMENT.match(content):
        return ["It is a JSON document without a list of samples in it."]
    names = names_in([sources.text_of(line) for line in content[:SNIFFED_BYTES].split(b"\n") if line.strip()])
    return [f"Its lines name {', '.join(names[:8])}, of which none is known to be a loop's."] if names else []


def _unreadable(name: str, tried: list[Fit], notes: list[str]) -> UnreadableLog:
    if not tried:
        return UnreadableLog(" ".join([f"{name} is empty. Choose a log with lines in it.", *notes]))
    names = ", ".join(fit.layout.name for fit in tried)
    text = (
        f"{name}: fits none of the {len(tried)} known formats ({names}) and is no table with known columns."
    )
    nearest = max(tried, key=lambda fit: (fit.prefixed, not fit.layout.last_resort))
    if nearest.near_miss:
        number, line, reason = nearest.near_miss
        text += f" Nearest is {nearest.layout.name}: line {number} is “{line}”: {reason}."
    return UnreadableLog(" ".join([f"{text} {HOW_TO}.", *notes]))


def read_lines(path: Path | str, first: int, last: int, cache: Path) -> list[tuple[int, str]]:
    """Return (number, text) of the lines `first` to `last` of the log at `path`, both included, 1-based.

    cache  a folder for an index of the lines: only the first reading goes through the whole log
    """
    return indexed_lines(line_index(sources.open_source(Path(path)), cache), first, last)

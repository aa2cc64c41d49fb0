"""Reading a log: any file, folder or rotated set to a `Log`, and its raw lines by number.

A log that has no setpoint is given what its loops hold, told from what they do.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from instrumentgpt.instruments.analysis.kind import drive_of
from instrumentgpt.instruments.analysis.own_units import band_of, lag_of, span_of
from instrumentgpt.instruments.analysis.readings import is_rail
from instrumentgpt.instruments.analysis.signals import constant_runs, turning_points
from instrumentgpt.instruments.documents import values_of
from instrumentgpt.instruments.loops import Floats, Indices, Loop, loops_of
from instrumentgpt.instruments.reading import sources, tables
from instrumentgpt.instruments.reading.cells import NUMBERS_ALONE, heads_alone, unread_cell
from instrumentgpt.instruments.reading.frame_cache import cached_log
from instrumentgpt.instruments.reading.layouts import formats, own_files
from instrumentgpt.instruments.reading.line_index import indexed_lines, line_index
from instrumentgpt.instruments.reading.record import HOW_TO, REST, Log, UnreadableLog, names_in
from instrumentgpt.instruments.reading.sources import Chunk, Progress, Source
from instrumentgpt.instruments.reading.stated import Stated, as_stated
from instrumentgpt.instruments.reading.tables import SNIFFED_BYTES, named_values, read_table, table_shape
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
    heads: Mapping[int, str] | None = None,
) -> Log:
    """Return the log at `path`: a file, a .gz, a rotated set, a folder of parts, or parts of known sizes.

    columns, period, setpoint, unit, heads  what the file does not say, or is wrongly read: see `Stated`;
              {"time": 0, "setpoint": 1, "pv": 2, "output": 3}, {"setpoint": "set_c"}
    progress  is called with the share that has been read, 0 to 1
    cache     a folder for parsed frames; without it nothing is kept

    Raises UnreadableLog if no format fits, OSError if the file cannot be opened.
    """
    source = path if isinstance(path, Source) else sources.open_source(Path(path))
    if not columns and (values := values_of(source.path)):
        raise UnreadableLog(
            f"{source.path.name}: {len(values)} values and no readings over time. "
            "Open it on the Logs page, or compare it with another of its kind"
        )
    named = tuple((heads or {}).items())
    stated = Stated(tuple((columns or {}).items()), setpoint, period, unit, heads=named)
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
        has_heads = bool(shape and shape.headings and shape.delimiter != NUMBERS_ALONE)  # then few lines tell
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
            shape = tables.named_or_numbered(shape, chunk.content)
        if shape:
            return partial(read_table, source, shape, stated, progress)
        nearest = nearest or candidates or fits(chunk, thoroughly=False)
        if chunk.first_line == 1 and (heads := heads_alone(tables.first_lines(chunk.content))):
            known = ", ".join(heads)
            raise UnreadableLog(
                f"{name} has the head of a table ({known}), but no rows below it. Hand over one with samples."
            )
        understood = understood or _understood(chunk.content)
    raise _unreadable(name, nearest, [*understood, *notes, *format_problems()])


def other_columns(log: Log, path: Path, stated: Stated) -> tables.OtherColumns:
    """Return the columns of `log` beside those of its loops, read again; none of one that is no table."""
    read = _reader(sources.open_source(path), stated, None)
    if read.func is read_table:
        return tables.read_other_columns(read.args[0], read.args[1], stated, log.samples)
    return tables.OtherColumns(np.empty(0), np.empty(0, dtype=np.int64), {})


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


ALIKE_FOR = 5  # half cycles, or lags, that hold one level
HELD = 0.3  # of them, of which some level must be held: else nothing is, or nobody holds it
SAME = 1 / 6  # of what pv moves in a half cycle: a heater switched at random does not come back so closely
AT_WORK = 0.3  # of the samples of a lag in which an output is inside its limits that holds something
FEWEST_MOVES = 2.0  # of it there in `ALIKE_FOR` lags: one may be by hand
CHANGED = 2.0  # times what is alike, by which another level is another setpoint


def held_by(loop: Loop, unit: str) -> Floats | None:
    """Return the level (n,) that `loop`, whose log has no setpoint, is held at, nan where it is not.

    pv turns to either side of the setpoint of an on/off output; a continuous one that works between its
    limits keeps pv at it. Between two levels the later one counts from where pv left the earlier. None if
    nothing is held, or if there is no output that would do it.
    """
    drive = drive_of(loop.setpoint, loop.output, np.ones(len(loop), dtype=bool))[0]
    if drive not in ("on_off", "manual"):
        return None
    rows = np.flatnonzero(np.isfinite(loop.output) & np.isfinite(loop.pv) & ~is_rail(loop.pv))
    if not len(rows):
        return None
    at, middle, alike = _half_cycles(loop, rows) if drive == "on_off" else _blocks(loop, rows, unit)
    levels, held, stop = np.full(len(loop), np.nan), 0, 0
    windows = np.lib.stride_tricks.sliding_window_view(np.append(middle, [np.nan] * ALIKE_FOR), ALIKE_FOR)
    level = np.median(windows, axis=1)
    for first in np.flatnonzero((np.abs(windows - level[:, None]) <= alike).all(axis=1)).tolist():
        if first >= stop:
            away = np.flatnonzero(~(np.abs(middle[first:] - level[first]) <= alike))
            stop = first + int(away[0]) if away.size else len(middle)
            levels[at[first] : at[stop]] = float(np.median(middle[first:stop]))
            held += stop - first
    if not held > HELD * len(middle):
        return None
    joined = _joined(levels, alike)
    top, longest = np.nanmax(loop.output), ALIKE_FOR * int(at[1] - at[0])
    for first, after in constant_runs(loop.output):
        if drive == "manual" and after - first >= longest and loop.output[first] < top:
            joined[first:after] = np.nan  # an output that stands still, and not at its highest: in no control
    return joined if np.isfinite(joined).any() else None


def _half_cycles(loop: Loop, rows: Indices) -> tuple[Indices, Floats, float]:
    """Return where pv turns by more than between two switches, the middles between, and what is alike."""
    output, pv = loop.output[rows], loop.pv[rows]
    switched = np.flatnonzero(np.diff((output > (output.min() + output.max()) / 2).astype(np.int8))) + 1
    moved = float(np.median(np.abs(np.diff(pv[switched])))) if switched.size > 1 else 0.0
    at = turning_points(pv, moved) if moved else switched
    if at.size < 2:
        return rows, np.zeros(0), 0.0
    return rows[at], (pv[at[1:]] + pv[at[:-1]]) / 2, SAME * float(np.median(np.abs(np.diff(pv[at]))))


def _blocks(loop: Loop, rows: Indices, unit: str) -> tuple[Indices, Floats, float]:
    """Return where each lag begins and the last ends, pv in it (nan if its output rests), what is alike."""
    time, pv, output = loop.time[rows], loop.pv[rows], loop.output[rows]
    steps = np.diff(time)
    if not (steps > 0).any():
        return rows, np.zeros(0), 0.0
    period = float(np.median(steps[steps > 0]))
    band = band_of(pv, span_of(pv, pv[:0], unit))
    size = max(2, round(lag_of(time, pv, period, band) / period))
    if not (count := len(rows) // size):
        return rows, np.zeros(0), 0.0
    inside = (output > output.min()) & (output < output.max())
    moves = inside & (np.diff(output, prepend=output[:1]) != 0)
    moved, share = (each[: count * size].reshape(count, size).mean(axis=1) for each in (moves, inside))
    around = np.ones(min(ALIKE_FOR, count))  # a coarse output moves by a digit at times
    near = np.convolve(size * moved, around, "same")[:count]
    middle = np.median(pv[: count * size].reshape(count, size), axis=1)
    at = rows[np.minimum(np.arange(count + 1) * size, len(rows) - 1)]
    return at, np.where((share >= AT_WORK) & (near >= FEWEST_MOVES), middle, np.nan), band


def _joined(levels: Floats, alike: float) -> Floats:
    """Return `levels` without holes: what comes back to a level never left it, a hole belongs to the next."""
    joined, stop, level = levels.copy(), 0, np.nan
    for first, after in constant_runs(levels):
        if np.isnan(levels[first]):
            continue
        if abs(levels[first] - level) < CHANGED * alike:
            joined[first:after] = level
        level = joined[first]
        joined[stop:first] = level
        stop = after
    joined[stop:] = level
    return joined

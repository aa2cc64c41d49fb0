"""Delimited tables as logs: any delimiter, header or none, whatever units, times and output scales."""

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import itemgetter
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from instrumentgpt.instruments.analysis.signals import runs
from instrumentgpt.instruments.loops import Floats, rows_by_channel
from instrumentgpt.instruments.reading import clocks
from instrumentgpt.instruments.reading.behaviour import FEW_STATES, is_mixed, stated_setpoint, states_of
from instrumentgpt.instruments.reading.cells import (
    DELIMITERS,
    FREE_NUMBER,
    GREATEST,
    MOST_NAMES,
    NUMBERS_ALONE,
    ON_OFF,
    ONE_SIGNAL,
    Shape,
    Table,
    began_in,
    find_shape,
    headings_of,
    is_remark,
    number_in,
    read_chunk,
    read_rows,
    record_shape,
    take_turns,
    unread_cell,
)
from instrumentgpt.instruments.reading.clocks import (
    NO_TIME,
    SECOND,
    WALL_KINDS,
    Stamps,
    TimeAxis,
    counted_at,
    second_of_day,
    start_of,
    time_axis,
)
from instrumentgpt.instruments.reading.headers import (
    CERTAIN,
    CLOCKED,
    DEGREES,
    HUMIDITY,
    LIKELY,
    Heading,
    heading_of,
    level_of,
    setpoint_in,
    vocabulary,
    written_unit,
)
from instrumentgpt.instruments.reading.lines import EXAMPLES, VALUES
from instrumentgpt.instruments.reading.pairing import Columns
from instrumentgpt.instruments.reading.placeholders import notes_of, placeholders_of
from instrumentgpt.instruments.reading.record import (
    ALSO_BESIDE,
    EVENT_COLUMNS,
    STAMP,
    STATE,
    Broken,
    Log,
    UnreadableLog,
    gains_of,
    gains_stated,
    missing_of,
    no_events,
    nothing,
)
from instrumentgpt.instruments.reading.roles import Roles, roles_of, times_of
from instrumentgpt.instruments.reading.scales import COUNTS_ABOVE, PV_UNITS, output_scale, unit_of
from instrumentgpt.instruments.reading.sources import Progress, Source, chunks, text_of
from instrumentgpt.instruments.reading.stated import TIMES_TEN, Stated, numbered, with_columns, with_setpoint
from instrumentgpt.instruments.reading.transcripts import kind_of

SNIFFED_LINES = 400
SNIFFED_BYTES = 1 << 18
NEWEST_FIRST = 0.8  # share of the steps of a time that go back
LEAST_REPEATED = 10  # rows
MOSTLY = 0.9  # share of rows with a time
EVENLY, TURNS_OVER, CLOSE = 0.02, 0.98, 0.1  # of a step; share of rows; of the way of a ramp, to its pv
LARGE = 5_000_000  # samples, from which single precision does: 7 digits of a reading
TWO_OF_A_NAME = re.compile(r"[:=] ?-?\d+(?:\.\d+)?/-?\d")
PAIRED = re.compile(r"(?<![\d/.])\d+(?:\.\d+)?/\d+(?:\.\d+)?(?![\d/])")  # pv and setpoint in one cell
FOREIGN = re.compile(r"[À-ÖØ-öø-ɏͰ-ΡΣ-ϿЀ-ӿ]")  # letters of no English word, and no Ω
ENTITY = re.compile(r"^(?:sensor|number|climate|switch|input_number|binary_sensor)\.")  # Home Assistant's
MOSTLY_SAID = 0.5  # share of rows with words, above which they are a state
HARDLY = 0.05  # of all that a number ever moves
SELDOM = 0.1  # share of rows in which a number that rests moves
RARELY = 0.03  # share of rows at which a state changes that says what was done: a door, no heater's cycle
SUPPLY = {*vocabulary()["readings"]["voltage"]["words"]}
FIRST_YEAR = 1900
LEAST_DAY = 100_000  # of those written without marks: 260704, 20260704
PART_NAMES = ("year", "month", "day", "hour", "minute", "second")
SHARED = 1.5  # times those rows, up to which the names of a long table share their times
RARE = 0.1  # of the rows of the name that has most: a name that has less says nothing of whose rows they are
DELIMITER_NAMES = {
    "=": "named values",
    NUMBERS_ALONE: "numbers between words",
    ONE_SIGNAL: "one signal a line",
    "": "blanks",
    "\t": "tab",
    ";": "semicolon",
    ",": "comma",
    "|": "bar",
}


@dataclass(frozen=True)
class Grid:
    """All rows by column: cells, the same as numbers (nan), what texts they are; and the line of each row.

    channel  the column that says whose each row is, if there are rows of several; its texts by their `names`
    """

    shape: Shape
    cells: list[NDArray[np.generic]]
    numbers: list[Floats]
    texts: list[str]
    line: NDArray[np.int64]
    channel: int | None = None
    names: Mapping[int, str] = field(default_factory=dict)

    def heading(self, column: int) -> Heading | None:
        """Return the heading of `column`, None in a table without a header."""
        return self.shape.headings[column] if self.shape.headings else None


def table_shape(content: bytes, name: str = "", stated: Stated | None = None) -> Shape | None:
    """Return how the table at the start of `content`, of the file `name`, is written; None if it is none.

    Of what is no table in itself the columns that are `stated` tell the rows.
    """
    lines, columns = first_lines(content), [at for _, at in stated.columns] if stated else []
    shape = find_shape(lines, name) or (find_shape(lines, name, columns) if columns else None)
    is_plain = shape and shape.headings and not PAIRED.search(lines[len(lines) // 2][1])
    more = None if is_plain else most_numbers(shape, content)
    return more if more and more.header_line else shape


def named_values(content: bytes) -> Shape | None:
    """Return how the lines at the start of `content` name their values, None if they do not."""
    return record_shape(first_lines(content))


def most_numbers(shape: Shape | None, content: bytes) -> Shape | None:
    """Return `shape` or that of the numbers between words where these are more, or alone have heads."""
    lines = first_lines(content)
    unread = unread_cell(lines)  # of a table with cells that are no values, which is refused
    may = len(lines) > LEAST_REPEATED and not (unread and not FREE_NUMBER.search(unread[2]))
    found = find_shape(lines, delimiters=(NUMBERS_ALONE,)) if may else None
    shapes = (((one.width - len(one.texts), bool(one.headings)), one) for one in (shape, found) if one)
    return max(shapes, key=itemgetter(0), default=(0, None))[1]


def named_or_numbered(shape: Shape | None, content: bytes) -> Shape | None:
    """Return how the lines at the start of `content` name their values, else their numbers in order.

    Where a name has two values, “LWT:7.0/7.1”, the numbers are more.
    """
    named, lines = named_values(content), first_lines(content)
    is_paired = TWO_OF_A_NAME.search(lines[len(lines) // 2][1])
    found = most_numbers(shape, content) if is_paired or not named else None
    return found if found and (not named or found.width > named.width) else named


def first_lines(content: bytes) -> list[tuple[int, str]]:
    """Return number and text of each line that tells how `content` is written."""
    lines = content[:SNIFFED_BYTES].split(b"\n", SNIFFED_LINES)[:SNIFFED_LINES]
    return [(number, text_of(line)) for number, line in enumerate(lines, 1)]


@dataclass(frozen=True)
class OtherColumns:
    """Columns of numbers that are no time and no loop's: head → `values` at the log's `time` and `line`."""

    time: Floats
    line: NDArray[np.int64]
    values: Mapping[str, Floats]


def read_table(
    source: Source,
    shape: Shape,
    stated: Stated,
    progress: Progress | None = None,
) -> Log:
    """Return the log that `source` is, a table of `shape`, read as `stated`."""
    table, grid, lines, notes = _rows_of(source, shape, progress)
    layout = layout_of(grid.shape)
    grid, roles = _roles(source.path.name, grid, stated)
    times = _times(grid, roles, stated, source.path)
    rows, order_notes = _in_order(grid, times)
    if order_notes:
        notes += order_notes
        grid = _of_rows(grid, rows)
        times = replace(times, raw=times.raw[rows])
    log = _without_mixed(_log_of(source, table, grid, roles, times, lines, notes))
    log = replace(log, layout=layout) if stated.heads else log
    setpoint, unit, line = shape.setpoint
    within = log.samples["pv"].min() <= setpoint <= log.samples["pv"].max()
    if "setpoint" in log.missing and stated.setpoint is None and (log.unit == unit if unit else within):
        return with_setpoint(log, setpoint, f"as the line “{line.lstrip('# ')}” says")
    return log


def _without_mixed(log: Log) -> Log:
    """Return `log` without pvs that are readings of several sensors, mixed row by row."""
    channel, pv = log.samples["channel"].to_numpy(), log.samples["pv"].to_numpy(dtype=float)
    mixed = [number for number, rows in rows_by_channel(channel) if is_mixed(pv[rows])]
    if not mixed:
        return log
    samples = log.samples.copy()
    samples.loc[np.isin(channel, mixed), ["pv", "setpoint", "output"]] = math.nan
    names = ", ".join(log.channel_names.get(number) or f"channel {number}" for number in mixed)
    note = f"{names}: readings of several sensors take turns in one column; not judged"
    missing = (*log.missing, *set(missing_of(samples)) - {*log.missing})
    return replace(log, samples=samples, missing=missing, notes=(*log.notes, note))


def read_other_columns(source: Source, shape: Shape, stated: Stated, samples: pd.DataFrame) -> OtherColumns:
    """Return what `read_table` left out of the table whose log has these `samples`."""
    _, grid, *_ = _rows_of(source, shape, None)
    grid, roles = _roles(source.path.name, grid, stated)
    line, rows, at_line = np.intersect1d(grid.line, samples["line"].to_numpy(), return_indices=True)
    heads = [heading.text for heading in grid.shape.headings] or [""] * len(grid.numbers)
    found: dict[str, Floats] = {}
    for at in _others(grid, roles):
        heading, values = grid.heading(at), grid.numbers[at][rows]
        is_time = grid.texts[at] or (heading and heading.scores.get("time", 0) >= LIKELY)
        if not is_time and np.isfinite(values).any():
            is_own = heads[at] and heads[at] not in found
            found[heads[at] if is_own else f"{heads[at]} column {at + 1}".strip()] = values
    return OtherColumns(samples["time"].to_numpy()[at_line], line, found)


def _others(grid: Grid, roles: Roles) -> list[int]:
    """Return the columns that are no time, no channel and no loop's."""
    of_loops = (at for of in roles.channels.values() for role, at in of.items() if role not in ALSO_BESIDE)
    own = {*roles.time, roles.channel_column, *of_loops}
    return sorted({*range(len(grid.numbers))} - own)


def _one_column(parts: Sequence[NDArray[np.generic]]) -> NDArray[np.generic]:
    """Return the parts of a column as one: beside words an empty cell is one, and no number."""
    has_words = any(part.dtype.kind == "O" for part in parts)
    cells = [np.where(pd.isna(part), "", part.astype(object)) if has_words else part for part in parts]
    return np.concatenate(cells) if cells else np.empty(0)


def _rows_of(source: Source, shape: Shape, progress: Progress | None) -> tuple[Table, Grid, int, list[str]]:
    """Return the table as read, its rows by column, its lines, and notes."""
    notes: list[str] = []
    table = Table([[] for _ in range(shape.width)], [], [])
    lines = 0
    for chunk in chunks(source, notes=notes, progress=progress):
        lines += read_chunk(table, chunk, shape)
    read_rows(table, table.unended, shape)
    if table.headers_again:
        notes.append(f"headers that come again: {table.headers_again}, each a new start of the recording")
    cells = [_one_column(parts) for parts in table.columns]
    numbers = [_numbers(column, shape.decimal_comma) for column in cells]
    texts = [_kind_of_texts(column, values) for column, values in zip(cells, numbers, strict=True)]
    line = np.concatenate(table.line) if table.line else np.empty(0, dtype=np.int64)
    return table, _widened(_dated(Grid(shape, cells, numbers, texts, line)), source.path), lines, notes


def _roles(name: str, grid: Grid, stated: Stated) -> tuple[Grid, Roles]:
    """Return `grid` with the numbers of the channels that its rows name, and what its columns are."""
    grid = _with_heads(grid, stated.heads) if stated.heads else grid
    headings = grid.shape.headings
    columns = numbered(name, stated, headings, grid.shape.width)
    grid = _with_channels(grid, columns.get("channel"))
    values = [*grid.numbers]
    if grid.channel is not None:
        columns.setdefault("channel", grid.channel)
        number = pd.Series(grid.numbers[grid.channel])
        values = [column[number == number.mode()[0]] for column in values]
    every = Columns(headings, values, grid.texts, grid.channel)
    free = [at for at in {*range(len(values))} - {*times_of(every)} if not grid.texts[at]]
    counts = [at for at in free if every.says_nothing(at) and _is_count(values, at)]
    if stated.heads:  # what people do not name of a table, they do not mean
        counts = [at for at in free if not headings[at].text]
    for at in counts if len(counts) < len(free) else ():  # so that it is no reading beside one
        values[at] = np.full(len(values[at]), math.nan)
    recognised = roles_of(every)
    loops = recognised.channels.values() if recognised else ()
    driven = [loop["pv"] for loop in loops if {"pv", "output"} <= loop.keys()]
    if headings and "pv" in columns and columns["pv"] not in driven:
        recognised = roles_of(every.as_stated(columns))
    roles = with_columns(recognised, columns)
    if roles is None:
        header = ", ".join(heading.text for heading in headings) or "none"
        raise UnreadableLog(
            f"{name}: a table of {grid.shape.width} columns (header: {header}) in which no column looks like "
            "a process value. Say which one is: --pv COLUMN, or --columns time=0,setpoint=1,pv=2,output=3."
        )
    return grid, roles


def _with_heads(grid: Grid, stated: Sequence[tuple[int, str]]) -> Grid:
    """Return `grid` whose columns are called as is `stated`, where its header calls them nothing.

    What is stated as so many times its unit, “set x10”, is divided by that.
    """
    names = [heading.text for heading in grid.shape.headings] or [""] * grid.shape.width
    numbers = [*grid.numbers]
    for at, head in stated:
        if at < len(names) and not names[at]:
            names[at] = TIMES_TEN.sub("", head).strip()
            scale = TIMES_TEN.search(head)
            numbers[at] = numbers[at] / (float(scale[1]) if scale else 1.0)
    shape = replace(grid.shape, headings=tuple(headings_of(names)))
    return replace(grid, shape=shape, numbers=numbers)


def layout_of(shape: Shape) -> str:
    """Return what tables of one make have in common: their heads, else how their rows are written."""
    return " ".join(heading.text for heading in shape.headings) or f"{shape.delimiter}{shape.width}"


def _is_count(values: Sequence[Floats], at: int) -> bool:
    """Return whether column `at` steps evenly, as a counter or a time does, and no other comes near it."""
    steps, span = np.diff(values[at]), np.ptp(values[at]) if len(values[at]) else 0.0
    usual = np.median(steps) if len(steps) else 0.0
    even = np.abs(steps - usual) <= EVENLY * abs(usual)
    near = (np.nanmedian(np.abs(values[at] - other)) for other in values if np.isfinite(other).any())
    return bool(usual and even.mean() >= TURNS_OVER and sum(away < CLOSE * span for away in near) < 2)


def _with_channels(grid: Grid, stated: int | None) -> Grid:
    """Return `grid` with the column that says whose each row is: whole numbers, or texts like “Z1”, “oben”.

    By its head, or as few texts that take turns: each comes again when all others came.
    """
    for at, cells in enumerate(grid.cells):
        heading = grid.heading(at)
        sure = CERTAIN if at == stated else heading.scores.get("channel", 0) if heading else 0
        if grid.texts[at] or (cells.dtype.kind == "f" and not sure):
            continue
        values = grid.numbers[at][np.isfinite(grid.numbers[at])]
        if heading and len(values) and sure:
            few = len(np.unique(values)) <= MOST_NAMES and (values == np.round(values)).all()
            if few and set(heading.scores) == {"channel"} and not re.search(r"\d", heading.text):
                return replace(grid, channel=at)
        codes, texts = pd.factorize(cells)
        if len(values) or not len(texts):
            continue
        count = np.bincount(codes + 1)[1:]
        often = np.flatnonzero((codes >= 0) & (count >= RARE * count.max())[codes])
        if sure != CERTAIN and len(often) < len(codes) and take_turns(pd.factorize(codes[often])[0]):
            return _with_channels(_of_rows(grid, often), stated)
        if len(texts) <= MOST_NAMES and (sure == CERTAIN or take_turns(codes)):
            numbers = _numbers_of([str(text) for text in texts])
            columns = [*grid.numbers[:at], np.array(numbers, dtype=float)[codes], *grid.numbers[at + 1 :]]
            names = dict(zip(numbers, map(str, texts), strict=True))
            return replace(grid, numbers=columns, channel=at, names=names)
    return grid


def _of_rows(grid: Grid, rows: NDArray[np.intp]) -> Grid:
    return replace(
        grid,
        cells=[column[rows] for column in grid.cells],
        numbers=[column[rows] for column in grid.numbers],
        line=grid.line[rows],
    )


def _numbers_of(names: Sequence[str]) -> list[int]:
    """Return a number for each of `names`: the one in it, if all are different, else the next free one.

    >>> _numbers_of(["Zone 3", "Zone 4", "die"]), _numbers_of(["oben", "unten"])
    ([3, 4, 5], [1, 2])
    """
    written = [int(digits[-1]) if (digits := re.findall(r"\d{1,4}", name)) else 0 for name in names]
    own = [number for number in written if number]
    if len(set(own)) < len(own):
        return list(range(1, len(names) + 1))
    free = itertools.count(max(own, default=0) + 1)
    return [number or next(free) for number in written]


def _times(grid: Grid, roles: Roles, stated: Stated, path: Path) -> Stamps:
    """Return the stamps of the rows; `period` apart where no column has a time."""
    stamps = _stamps(grid, roles.time, path)
    times = stamps.raw[stamps.raw != NO_TIME]
    if stamps.kind and len(times) > 0.5 * len(stamps.raw) and (len(times) < LEAST_REPEATED or np.ptp(times)):
        raw = clocks.spread(stamps.raw) if roles.channel_column is None else stamps.raw
        spread = "" if raw is stamps.raw else "rows of one stamp are spread evenly"
        return Stamps(raw, stamps.kind, _joined(stamps.assumed, spread))
    rows = np.arange(len(grid.line), dtype=np.int64)
    step = round((stated.period or 1.0) * SECOND)
    return Stamps(rows * step, "seconds", missing=() if stated.period else ("period",))


def _stamps(grid: Grid, time: Sequence[int], path: Path) -> Stamps:
    if time and grid.texts[time[0]]:
        parts = [grid.cells[at].astype(str).tolist() for at in time]
        texts = [" ".join(cells) for cells in zip(*parts, strict=True)]
        is_foreign = any(FOREIGN.search(heading.text) for heading in grid.shape.headings)
        return clocks.from_texts(texts, path, day_first=grid.shape.decimal_comma or is_foreign)
    if time:
        heading = grid.heading(time[0])
        return clocks.from_numbers(grid.numbers[time[0]], heading.unit if heading else "")
    return Stamps(np.empty(0, dtype=np.int64), "")


def _in_order(grid: Grid, times: Stamps) -> tuple[NDArray[np.int64], list[str]]:
    """Return the rows in the order of time where the file has another one that is plain, and what it has.

    Newest first is turned round; rows that say again what stands above, as of a logger that writes its whole
    memory each time, are left out.
    """
    rows = np.arange(len(grid.line))
    steps = np.diff(times.raw[times.raw != NO_TIME])
    if not (steps < 0).any() or "period" in times.missing:
        return rows, []
    if float((steps[steps != 0] < 0).mean()) > NEWEST_FIRST:
        return rows[::-1], ["the newest row comes first: read from the last one on"]
    if times.kind in WALL_KINDS:
        again = pd.DataFrame(dict(enumerate([times.raw, *grid.numbers]))).duplicated().to_numpy()
        if again.sum() >= LEAST_REPEATED:
            said = "rows say again what rows above say, time included: left out, and so that time goes back"
            return rows[~again], [f"{again.sum():,} {said}"]
    return rows, []


def _log_of(
    source: Source, table: Table, grid: Grid, roles: Roles, times: Stamps, lines: int, notes: list[str]
) -> Log:
    usable = times.raw != NO_TIME
    stamps = times.raw[usable]
    axis = time_axis(stamps, grid.line[usable], times.kind, int(stamps[0]) if len(stamps) else 0)
    unit, why_unit = _unit(grid, roles)
    scales = _scales(grid, roles)
    scale, why_scale = next(iter(scales.values()), (1.0, ""))
    samples = _samples(
        grid, roles, usable, {number: scale for number, (scale, _) in scales.items()}, axis.time
    )
    unread = [*_texts_of(grid, ~usable)]
    said = [*table.above, *table.others, *_remarks(grid, table, roles), *_switched(grid, roles)]
    order = np.argsort(grid.line[usable]) if said or unread else slice(0)
    placed = grid.line[usable][order], axis.time[order]
    _carry_gains(samples, roles, said)
    _carry_setpoint(samples, roles, table.others)
    began = began_in(text for _, text in table.above)
    kind = kind_of(source.path) if source.path.is_file() else None
    written = kind.name if kind else DELIMITER_NAMES[grid.shape.delimiter]
    header = "header" if grid.shape.header_line else "known columns" if grid.shape.headings else "no header"
    guessed = {
        **roles.guessed,
        "unit": why_unit,
        "output": _joined(roles.guessed.get("output", ""), why_scale),
        "time": _joined(roles.guessed.get("time", ""), times.assumed),
    }
    channel_names, units = _named(grid, roles, unit)
    shared = {f"time {at}": at for at in roles.time}
    shared |= {} if roles.channel_column is None else {"channel": roles.channel_column}
    placeholders = placeholders_of(samples)
    return Log(
        path=source.path,
        name=source.path.name.removesuffix(".gz"),
        format=f"table ({written}, {header})",
        samples=samples,
        layout=layout_of(grid.shape),
        start=start_of(axis.first, times.kind, source.path, began) if len(stamps) else None,
        of_day=second_of_day(axis.first, times.kind) if len(stamps) else None,
        counted=counted_at(axis.first, times.kind) if len(stamps) else 0.0,
        lines=lines,
        broken=Broken(
            table.broken_count + len(unread),
            (*table.broken, *((*row, "there is no such time") for row in unread[:EXAMPLES])),
        ),
        unit=unit,
        missing=(*times.missing, *missing_of(samples)),
        output_scale=scale,
        columns={**({"time": roles.time[0]} if roles.time else {}), **next(iter(roles.channels.values()))},
        heads=[heading.text for heading in grid.shape.headings] or [""] * grid.shape.width,
        of_loops={0: shared, **roles.channels},
        channel_units={channel: units[channel] for channel in units if units[channel] != unit},
        placeholders=placeholders,
        guessed={role: reason for role, reason in guessed.items() if reason},
        unnamed=tuple(sorted(roles.unnamed)),
        channel_names=channel_names,
        clock_steps=axis.clock_steps,
        notes=(*source.notes, *notes, *axis.notes, *notes_of(placeholders, channel_names)),
        load_events=partial(
            table_events,
            grid.shape,
            [*said, *unread],
            *placed,
            axis,
            times.kind,
            _states(grid, roles, usable, axis),
        ),
    )


def _texts_of(grid: Grid, rows: NDArray[np.bool_]) -> Iterable[tuple[int, str]]:
    """Yield line and text of each of the `rows`."""
    delimiter = grid.shape.delimiter if grid.shape.delimiter in DELIMITERS else ""
    for at in np.flatnonzero(rows).tolist():
        yield int(grid.line[at]), (delimiter or " ").join(str(column[at]) for column in grid.cells)


def _named(grid: Grid, roles: Roles, unit: str) -> tuple[dict[int, str], dict[int, str]]:
    """Return the names of the channels, and their units beside the first channel's `unit`."""
    heads = {
        channel: heading.text
        for channel, columns in roles.channels.items()
        if (heading := grid.heading(columns.get("pv", next(iter(columns.values())))))
    }
    pvs = {channel: columns["pv"] for channel, columns in roles.channels.items() if "pv" in columns}
    units = {channel: _own_unit(grid, pv, next(iter(pvs.values())), unit) for channel, pv in pvs.items()}
    if not grid.names:
        return heads, units
    order = sorted(roles.channels)
    rows = {
        (number - 1) * len(order) + place: (name, channel)
        for number, name in sorted(grid.names.items())
        for place, channel in enumerate(order, start=1)
    }
    names = {at: f"{name} {heads.get(of, of)}" if len(order) > 1 else name for at, (name, of) in rows.items()}
    return names, {at: units[of] for at, (_, of) in rows.items() if of in units}


def _unit(grid: Grid, roles: Roles) -> tuple[str, str]:
    columns = next(iter(roles.channels.values()))
    if "pv" not in columns:
        return "", ""
    if grid.shape.unit and not any(heading.unit in DEGREES for heading in grid.shape.headings):
        return grid.shape.unit, ""
    output = grid.numbers[columns["output"]] if "output" in columns else None
    heads = zip(grid.shape.headings, grid.numbers, strict=False)
    degrees = [(heading.unit, values) for heading, values in heads if heading.unit in DEGREES]
    rooms = {
        heading.text: grid.numbers[at]
        for at, heading in enumerate(grid.shape.headings)
        if heading.says("pv", "room") and not heading.unit and heading.scores.get("pv", 0) >= LIKELY
    }
    return unit_of(grid.numbers[columns["pv"]], output, grid.heading(columns["pv"]), degrees, rooms)


def _own_unit(grid: Grid, pv: int, first: int, unit: str) -> str:
    """Return the unit of column `pv` beside the `first` channel's in `unit`: whole numbers may be raw."""
    heading = grid.heading(pv)
    if heading and heading.names_humidity():
        return HUMIDITY
    if heading and (heading.unit in PV_UNITS or heading.has_other_unit()):
        is_cut = heading.unit in CLOCKED  # “流量L/min”
        return heading.unit if heading.unit in PV_UNITS else "" if is_cut else written_unit(heading.text)
    values, of_first = (grid.numbers[at][np.isfinite(grid.numbers[at])] for at in (pv, first))
    raw = (values == np.round(values)).all() and (of_first != np.round(of_first)).any()
    return "counts" if raw and np.median(values) > COUNTS_ABOVE else unit


def _scales(grid: Grid, roles: Roles) -> dict[int, tuple[float, str]]:
    """Return percent per unit of the output of each channel, and why: alike for those in one unit."""
    alike: dict[tuple[str, bool], list[int]] = {}
    outputs = {number: columns["output"] for number, columns in roles.channels.items() if "output" in columns}
    for at in outputs.values():
        cells, head = grid.cells[at], grid.heading(at)
        switched = cells.dtype == object and any(str(cell).lower() in ON_OFF for cell in cells[:50])
        alike.setdefault((head.unit if head else "", switched), []).append(at)
    scales = {
        at: output_scale(np.concatenate([grid.numbers[one] for one in of_unit]), grid.heading(at), switched)
        for (_, switched), of_unit in alike.items()
        for at in of_unit
    }
    return {number: scales[at] for number, at in outputs.items()}


def _samples(
    grid: Grid, roles: Roles, usable: NDArray[np.bool_], scales: Mapping[int, float], time: Floats
) -> pd.DataFrame:
    """Return the samples in the order of rows and channels; of a large table in half the bytes.

    scales  of the outputs, percent per unit
    """
    large = len(time) * len(roles.channels) > LARGE
    order = sorted(roles.channels)
    stated = {channel: _stated(roles.channels[channel], grid) for channel in order}
    empty = np.full(len(grid.line), math.nan)

    def in_turn(columns: Iterable[NDArray[np.generic]], kind: type[np.generic]) -> NDArray[np.generic]:
        turns = np.empty((len(time), len(order)), dtype=kind)
        for at, column in enumerate(columns):
            turns[:, at] = column
        return turns.reshape(-1)

    number = empty if roles.channel_column is None else grid.numbers[roles.channel_column]
    whole = (np.isfinite(number) & (np.abs(number) < 2**31))[usable]
    before = (np.where(whole, number[usable], 1) - 1) * len(order)
    numbers = (np.where(whole, before + at, channel) for at, channel in enumerate(order, start=1))
    channels = np.min_scalar_type(-1 - max(order)) if large and roles.channel_column is None else np.int64
    columns = {
        "time": in_turn([time] * len(order), np.float64),
        "channel": in_turn(numbers, np.dtype(channels).type),
    }
    positions = ["position"] if any("position" in of_channel for of_channel in stated.values()) else []
    for role in (*VALUES, *positions):
        if large and not any(role in columns_of for columns_of in stated.values()):
            columns[role] = nothing(len(columns["time"]))
            continue
        factors = scales if role in ("output", "position") else {}
        parts = (stated[channel].get(role, empty)[usable] * factors.get(channel, 1.0) for channel in order)
        columns[role] = in_turn(parts, np.float32 if large else np.float64)
    columns["line"] = in_turn([grid.line[usable]] * len(order), np.int32 if large else np.int64)
    return pd.DataFrame(columns, copy=False)


def _stated(columns: Mapping[str, int], grid: Grid) -> dict[str, Floats]:
    """Return the values of a channel's roles; a setpoint from the error where only that is given.

    An output that cools beside one that heats is its other half: both are one of -100 to 100 %.
    """
    stated = {role: grid.numbers[at] for role, at in columns.items()}
    if "cooling" in stated:
        stated["output"] = stated["output"] - stated["cooling"]
    for role, way in (("error", 1.0), ("deviation", -1.0)):
        if role in columns:
            stated["setpoint"] = stated_setpoint(stated["pv"], stated[role], way)
    return stated


def _joined(*reasons: str) -> str:
    return "; ".join(filter(None, reasons))


def table_events(
    shape: Shape,
    said: Sequence[tuple[int, str]],
    line: NDArray[np.int64],
    time: Floats,
    axis: TimeAxis,
    kind: str,
    states: pd.DataFrame,
) -> pd.DataFrame:
    """Return what is `said` (number of the line, text) in and between rows, and is no header, as events.

    With the `states` behind them.

    line, time  of the rows in the order of lines: an event has the time of its row or the row above, the
                first ones 0, unless it begins with a stamp of its own, of the `kind` that `axis` is made of
    """
    told = [
        (number, text)
        for number, text in sorted(said, key=itemgetter(0))
        if text.strip(" -=*_") and number != shape.header_line
    ]
    above = np.searchsorted(line, [number for number, _ in told], side="right") - 1
    events = pd.DataFrame(told, columns=["line", "text"]).assign(
        time=np.append(time, 0.0)[above],
        level=[level_of(text) if number >= shape.first_row else "info" for number, text in told],
        source="",
    )
    events = events[[*EVENT_COLUMNS]].astype(EVENT_COLUMNS)
    stamped = [STAMP.match(text.strip().lstrip("# ")) for text in events["text"]]
    if any(stamped):
        rows_above = axis.first + np.round(events["time"].to_numpy() * SECOND).astype(np.int64)
        own = clocks.from_texts([match[1] if match else "" for match in stamped], near=rows_above)
        has = own.raw != NO_TIME
        if own.kind in WALL_KINDS and own.kind == kind:
            lines = events["line"].to_numpy()
            events.loc[has, "time"] = clocks.shifted(own.raw[has], lines[has], axis, own.kind)
    return pd.concat([events, states], ignore_index=True) if len(states) else events


def _states(grid: Grid, roles: Roles, usable: NDArray[np.bool_], axis: TimeAxis) -> pd.DataFrame:
    """Return where other columns come to another state, behind an empty frame of events."""
    line, found = grid.line[usable], [no_events()]
    for at in _others(grid, roles) if len(line) else ():
        head, cells = grid.heading(at), grid.cells[at][usable]
        if not head or grid.texts[at] == "stamp" or head.scores.get("time", 0) >= LIKELY:
            continue
        if {"error", "deviation"} & {*head.scores} or head.unit == "V" or {*head.words} & SUPPLY:
            continue  # of a loop; a supply that sags is no programme
        numbers = grid.numbers[at][usable]
        words = cells.dtype.kind != "f" and pd.factorize(cells)[1]
        is_word = words is not False and (
            len(words) <= FEW_STATES or np.isfinite(numbers).mean() < MOSTLY_SAID
        )
        codes, names = pd.factorize(cells.astype(str)) if is_word else states_of(numbers)
        starts = np.flatnonzero(np.append(True, np.diff(codes) != 0))
        if 1 < len(starts) <= max(MOST_NAMES, SELDOM * len(line)):
            texts = [str(name).strip() for name in [*names, ""]]
            row = {"time": axis.time[starts], "source": head.text, "line": line[starts]}
            found.append(pd.DataFrame(row).assign(text=[texts[code] for code in codes[starts]], level=STATE))
    return pd.concat(found, ignore_index=True)[[*EVENT_COLUMNS]].astype(EVENT_COLUMNS)


def _remarks(grid: Grid, table: Table, roles: Roles) -> list[tuple[int, str]]:
    """Return line and text of each remark that begins in a row: of a column of words and behind its cells.

    Where most rows have words, they are a state: of those a remark is what tells of something bad, and, with
    its head, what is not the usual one, if the state rarely changes.
    """
    own = {*roles.time, roles.channel_column, grid.channel}
    behind = pd.Series(dict(table.remarks), dtype=object).reindex(grid.line).fillna("").to_numpy(dtype=object)
    found: list[tuple[int, str]] = []
    for at, cells in enumerate([*grid.cells, *([behind] if table.remarks else [])]):
        if at in own or cells.dtype.kind == "f":
            continue
        codes, texts = pd.factorize(cells)
        said = np.array([is_remark(str(text)) for text in texts], dtype=bool)
        if len(codes) and said[codes].mean() > MOSTLY_SAID:
            bad = np.array([level_of(str(text)) != "info" for text in texts], dtype=bool)
            rarely = np.count_nonzero(np.diff(codes)) <= RARELY * len(codes)
            unusual = np.arange(len(texts)) != np.argmax(np.bincount(codes[codes >= 0]))
            said |= [str(text).lower() == "open" for text in texts]  # a door's, where it is no sensor's
            said &= (bad | (rarely & unusual)) if len(texts) <= MOST_NAMES else False
            if head := grid.heading(at) if at < len(grid.cells) else None:
                texts = np.where(
                    bad, texts, np.array([f"{head.text} {text}" for text in texts], dtype=object)
                )
        begins = said[codes] & np.append(True, np.diff(codes) != 0) if len(codes) else codes
        found += [(int(grid.line[row]), str(texts[codes[row]])) for row in np.flatnonzero(begins)]
    return found


def _switched(grid: Grid, roles: Roles) -> Iterator[tuple[int, str]]:
    """Yield line and text of each change of a number that rarely changes: of a door, a pump, a speed.

    One that goes on from row to row is one change; what is hardly one is none.
    """
    for at in _others(grid, roles):
        rows = np.flatnonzero(np.isfinite(grid.numbers[at]))
        values, head = grid.numbers[at][rows], grid.heading(at)
        moves = np.diff(values) != 0
        changes = runs(moves)
        if not (head and head.text) or len(changes) > RARELY * len(rows) or moves.sum() > SELDOM * len(rows):
            continue
        words = (" (off)", " (on)") if np.isin(values, (0, 1)).all() else ()
        for (first, _), (before, now) in zip(changes.tolist(), values[changes].tolist(), strict=True):
            if abs(now - before) > HARDLY * np.ptp(values):
                said = words[int(now)] if words else ""
                yield int(grid.line[rows[first + 1]]), f"{head.text} {before:g} → {now:g}{said}"


def _carry_gains(samples: pd.DataFrame, roles: Roles, said: Sequence[tuple[int, str]]) -> None:
    """Fill kp, ki, kd of the one loop of a table that has an output, and none, from what lines state."""
    driven = [number for number, columns in roles.channels.items() if "output" in columns]
    stated = gains_stated(sorted(said))
    if len(driven) != 1 or len(stated) < 2 or roles.channel_column is not None:
        return
    if {"kp", "ki"} & {*roles.channels[driven[0]]}:
        return
    mine = (samples["channel"] == driven[0]).to_numpy()
    at = np.searchsorted([number for number, _ in stated], samples["line"].to_numpy()[mine], side="right") - 1
    samples.loc[mine, ["kp", "ki", "kd"]] = np.array([gains_of(terms) for _, terms in stated])[at]


def _carry_setpoint(samples: pd.DataFrame, roles: Roles, others: Sequence[tuple[int, str]]) -> None:
    """Fill the setpoint of a table of one loop that has none from the last line above that states it."""
    told = {*next(iter(roles.channels.values()))} & {"setpoint", "error", "deviation"}
    if told or len(roles.channels) > 1 or roles.channel_column is not None:
        return
    texts = ((number, STAMP.sub("", text, count=1)) for number, text in others)
    cells = ((number, cell) for number, text in texts for cell in (text, re.split("[;,\t|]", text)[-1]))
    held = {number: value for number, cell in cells if not math.isnan(value := setpoint_in(cell, False)[0])}
    if held:
        at = np.searchsorted([*held], samples["line"].to_numpy(), side="right") - 1
        samples["setpoint"] = np.array([math.nan, *held.values()])[at + 1]


def _dated(grid: Grid) -> Grid:
    """Return `grid` with one column of time where its parts have one each: year, month; 20260704, 133312."""
    headings = grid.shape.headings
    named = [at for at, heading in enumerate(headings) if heading.scores.get("time") == CERTAIN][:2]
    if len(named) == 2 and all(grid.cells[at].dtype.kind == "f" for at in named):
        day, clock = (grid.numbers[at] for at in named)
        century = 20_000_000 * (day < 1_000_000)
        texts = [f"{d:.0f} {c:06.0f}" for d, c in zip(day + century, clock, strict=True)]
        if (day > LEAST_DAY).all() and all(map(clocks.COMPACT.match, texts)):
            return _with_times(grid, texts, *named)
    year = next((at for at, heading in enumerate(headings) if heading.says("time", "year")), len(headings))
    parts = dict(zip(PART_NAMES, grid.numbers[year:], strict=False))
    if len(parts) < len(PART_NAMES) or not (parts["year"] > FIRST_YEAR).all():
        return grid
    stamps = pd.to_datetime(pd.DataFrame(parts), errors="coerce")
    if stamps.notna().mean() < MOSTLY:
        return grid
    times = stamps.dt.strftime("%Y-%m-%d %H:%M:%S.%f").fillna("").tolist()
    return _with_times(grid, times, *range(year, year + len(PART_NAMES)))


def _with_times(grid: Grid, texts: Sequence[str], first: int, *others: int) -> Grid:
    """Return `grid` with the times `texts` as its column `first`, and nothing in the columns `others`."""
    nothing_left = np.full(len(grid.line), math.nan)
    cells, numbers, kinds = [*grid.cells], [*grid.numbers], [*grid.texts]
    cells[first], kinds[first] = np.array(texts, dtype=object), "stamp"
    for at in (first, *others):
        numbers[at] = nothing_left
    for at in others:
        cells[at] = nothing_left
    return replace(grid, cells=cells, numbers=numbers, texts=kinds)


def _widened(grid: Grid, path: Path) -> Grid:
    """Return `grid` with a column for each name, where its rows are “time, name, value”; else as it is.

    Its rows are those of the name that has most, or one for each time where names share these; what has none
    there holds its value until its next row.
    """
    named = _name_and_value(grid)
    if not named:
        return grid
    left = [at for at in range(len(grid.cells)) if at not in named]
    headings, texts = [grid.shape.headings[at] for at in left], [grid.texts[at] for at in left]
    time = [left[at] for at in times_of(Columns(headings, [grid.numbers[at] for at in left], texts))]
    if not time:
        return grid
    name, value = grid.cells[named[0]].astype(str), grid.numbers[named[1]]
    every, first, count = np.unique(name, return_index=True, return_counts=True)
    order = every[np.argsort(first)].tolist()
    rows = np.flatnonzero(name == max(zip(count, -first, every, strict=True))[2])
    stamps = _stamps(grid, time, path).raw
    often = np.flatnonzero(np.isin(name, every[count >= RARE * count.max()]))
    distinct = often[np.unique(stamps[often], return_index=True)[1]]
    rows = distinct if len(rows) < len(distinct) <= SHARED * len(rows) else rows
    columns = [_newest_before(stamps, value, name == column_name, rows) for column_name in order]
    shape = replace(
        grid.shape,
        width=len(time) + len(order),
        headings=(
            *(grid.shape.headings[at] for at in time),
            *headings_of([ENTITY.sub("", name.strip()) for name in order]),
        ),
        texts=frozenset(place for place, at in enumerate(time) if grid.texts[at]),
        names=(),
    )
    cells = [*(grid.cells[at][rows] for at in time), *columns]
    numbers = [*(grid.numbers[at][rows] for at in time), *columns]
    return Grid(
        shape, cells, numbers, [*(grid.texts[at] for at in time), *[""] * len(order)], grid.line[rows]
    )


def _name_and_value(grid: Grid) -> list[int]:
    """Return the columns of a long table: that of the names and that of the values; [] of another table.

    By their heads, or as names that take turns and say what is setpoint, pv and output, or stand beside one
    column of numbers, and the numbers that they tell apart best.
    """
    heads = [heading.text.lower().strip("_ ") for heading in grid.shape.headings]
    known = [at for at, head in enumerate(heads) if head in vocabulary()["long"]["name"]]
    values = [at for at, head in enumerate(heads) if head in vocabulary()["long"]["value"]]
    beside = {
        role for at, heading in enumerate(grid.shape.headings) if at not in values for role in heading.scores
    }
    for at, cells in enumerate(grid.cells if heads else []):
        is_known = at in known[:1] and len(values) == 1 and not beside & {"setpoint", "output"}
        if cells.dtype.kind == "f" or grid.texts[at]:
            continue
        codes, names = pd.factorize(cells)
        if not 1 < len(names) <= MOST_NAMES or (not is_known and np.isfinite(grid.numbers[at]).any()):
            continue
        if is_known:
            return [at, values[0]]
        said = (heading_of(str(name)).scores.items() for name in names)
        roles = {role for scores in said for role, score in scores if score >= LIKELY}
        in_turn = (np.diff(codes) == 0).mean() < 0.5
        others = [place for place in range(len(heads)) if place != at and not grid.texts[place]]
        if in_turn and (len(roles & {"setpoint", "pv", "output"}) > 1 or len(others) == 1):
            told = [_told_by(codes, numbers) for numbers in grid.numbers]
            return [at, others[0] if len(others) == 1 else int(np.argmax(told))]
    return []


def _told_by(codes: NDArray[np.intp], values: Floats) -> float:
    """Return the share of the spread of `values` that is between those of different `codes`, no rare ones.

    0 of what never moves under a code: its id, whatever the others are.
    """
    count = np.bincount(codes)
    is_common = count[codes] >= RARE * count.max()
    codes, numbers = codes[is_common], pd.Series(values[is_common])
    if (numbers.groupby(codes).nunique() < 2).all():
        return 0.0
    means = numbers.groupby(codes).transform("mean")
    return float(means.var() / numbers.var()) if numbers.var() > 0 else 0.0


def _newest_before(
    stamps: NDArray[np.int64], value: Floats, mine: NDArray[np.bool_], rows: NDArray[np.int64]
) -> Floats:
    """Return at each of `rows` the newest of the values that are `mine`: at its own stamp or before."""
    positions = np.flatnonzero(mine)
    positions = positions[np.argsort(stamps[positions], kind="stable")]
    last = np.searchsorted(stamps[positions], stamps[rows], side="right") - 1
    return np.where(last >= 0, value[positions[np.maximum(last, 0)]], math.nan)


def _numbers(column: NDArray[np.generic], decimal_comma: bool) -> Floats:
    if column.dtype.kind == "f":
        return np.where(np.abs(column.astype(float)) < GREATEST, column.astype(float), math.nan)
    codes, unique = pd.factorize(column)
    values = np.array([number_in(str(cell), decimal_comma) for cell in unique], dtype=float)
    return values[codes] if len(values) else np.empty(0)


def _kind_of_texts(column: NDArray[np.generic], numbers: Floats) -> str:
    """Return which of `Columns.texts` a `column` of dates or clock times is; "" if there are numbers."""
    if column.dtype.kind == "f" or np.isfinite(numbers).mean() > HARDLY:  # a last line may count the rows
        return ""
    cells = [str(cell) for cell in column[:: max(len(column) // 200, 1)]]
    stamps = clocks.from_texts(cells)
    if not (stamps.raw >= 0).mean() > 0.5:
        return ""
    has_clock = sum(":" in cell or bool(clocks.COMPACT.match(cell)) for cell in cells)
    return (
        "clock" if stamps.kind in ("clock", "seconds") else "stamp" if 2 * has_clock > len(cells) else "date"
    )

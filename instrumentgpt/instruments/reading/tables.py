"""Delimited tables as logs: any delimiter, header or none, whatever units, times and output scales."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from instrumentgpt.instruments.reading import stamps
from instrumentgpt.instruments.reading.cells import ON_OFF, Shape, Table, find_shape, read_chunk
from instrumentgpt.instruments.reading.clocks import NO_TIME, SECOND, Micros, start_of, time_axis
from instrumentgpt.instruments.reading.grid import Grid, grid_of
from instrumentgpt.instruments.reading.record import (
    DEGREES_PER_UNIT,
    EVENT_COLUMNS,
    Broken,
    Log,
    UnreadableLog,
    missing_of,
    no_events,
)
from instrumentgpt.instruments.reading.roles import Roles, guess_roles, header_roles, stated_roles
from instrumentgpt.instruments.reading.scales import output_scale, unit_of
from instrumentgpt.instruments.reading.sources import Progress, Source, chunks, text_of

SNIFFED_LINES = 400
SNIFFED_BYTES = 1 << 18
DELIMITER_NAMES = {"": "blanks", "\t": "tab", ";": "semicolon", ",": "comma", "|": "bar"}


@dataclass(frozen=True)
class _Times:
    raw: Micros
    kind: str
    missing: tuple[str, ...] = ()
    assumed: str = ""


def table_shape(content: bytes) -> Shape | None:
    """Return how the table at the start of `content` is written, None if it is none."""
    lines = content[:SNIFFED_BYTES].split(b"\n", SNIFFED_LINES)[:SNIFFED_LINES]
    return find_shape([(number, text_of(line)) for number, line in enumerate(lines, 1)])


def read_table(
    source: Source,
    shape: Shape,
    columns: Mapping[str, int] | None = None,
    period: float | None = None,
    progress: Progress | None = None,
) -> Log:
    """Return the log that `source` is, a table of `shape`. `columns` and `period` as in logs.read_log."""
    notes: list[str] = []
    table = Table([[] for _ in range(shape.width)], [], [])
    lines = 0
    for chunk in chunks(source, notes=notes, progress=progress):
        lines += read_chunk(table, chunk, shape)
    if table.headers_again:
        notes.append(f"the header comes {table.headers_again} more times: new starts of the recording")
    grid = grid_of(table, shape)
    roles = _roles(source.path.name, grid, columns)
    times = _times(grid, roles, period)
    return _log_of(source, table, grid, roles, times, lines, notes)


def _roles(name: str, grid: Grid, columns: Mapping[str, int] | None) -> Roles:
    if columns:
        return _stated(name, columns, grid.shape.width)
    headings = grid.shape.headings
    roles = header_roles(headings, grid.numbers, grid.texts) if headings else None
    roles = roles or guess_roles(grid.numbers, grid.texts)
    if roles is None:
        header = ", ".join(heading.text for heading in headings) or "none"
        raise UnreadableLog(
            f"{name}: a table of {grid.shape.width} columns (header: {header}) in which no column looks like "
            "a process value. Give the columns as time=0,setpoint=1,pv=2,output=3."
        )
    return roles


def _stated(name: str, columns: Mapping[str, int], width: int) -> Roles:
    if "pv" not in columns or not all(0 <= at < width for at in columns.values()):
        given = ",".join(f"{role}={at}" for role, at in columns.items())
        raise UnreadableLog(
            f"{name}: columns {given} do not fit: the table has columns 0 to {width - 1}, and pv must be "
            "one of them. Give them as time=0,setpoint=1,pv=2,output=3."
        )
    return stated_roles(columns)


def _times(grid: Grid, roles: Roles, period: float | None) -> _Times:
    found = stamps.Stamps(np.empty(0, dtype=np.int64), "")
    if roles.time and grid.texts[roles.time[0]]:
        parts = [grid.cells[at].astype(str).tolist() for at in roles.time]
        found = stamps.from_texts([" ".join(cells) for cells in zip(*parts, strict=True)])
    elif roles.time:
        heading = grid.heading(roles.time[0])
        found = stamps.from_numbers(grid.numbers[roles.time[0]], heading.unit if heading else "")
    if found.kind and (found.raw != NO_TIME).mean() > 0.5:
        raw = stamps.spread(found.raw) if roles.channel_column is None else found.raw
        spread = "" if raw is found.raw else "rows of one stamp are spread evenly"
        return _Times(raw, found.kind, (), _joined(found.assumed, spread))
    step = round((period or 1.0) * SECOND)
    rows = np.arange(len(grid.line), dtype=np.int64)
    return _Times(rows * step, "seconds", () if period else ("period",))


def _log_of(
    source: Source, table: Table, grid: Grid, roles: Roles, times: _Times, lines: int, notes: list[str]
) -> Log:
    usable = times.raw != NO_TIME
    known = times.raw[usable]
    axis = time_axis(known, grid.line[usable], times.kind, int(known[0]) if len(known) else 0)
    unit, why_unit = _unit(grid, roles)
    scale, why_scale = _scale(grid, roles)
    samples = pd.concat(
        _channel_frame(channel, own, grid, roles, usable, scale) for channel, own in roles.channels.items()
    )
    samples.insert(0, "time", np.tile(axis.time, len(roles.channels)))
    samples = samples.sort_values(["line", "channel"], kind="stable", ignore_index=True)
    header = "header" if grid.shape.headings else "no header"
    guessed = {
        **roles.guessed,
        "unit": why_unit,
        "output": _joined(roles.guessed.get("output", ""), why_scale),
        "time": _joined(roles.guessed.get("time", ""), times.assumed),
    }
    names = {channel: grid.heading(own["pv"]) for channel, own in roles.channels.items()}
    return Log(
        path=source.path,
        name=source.path.name.removesuffix(".gz"),
        format=f"table ({DELIMITER_NAMES[grid.shape.delimiter]}, {header})",
        samples=samples,
        start=start_of(axis.first, times.kind) if len(known) else None,
        lines=lines,
        broken=Broken(table.broken_count + int((~usable).sum()), tuple(table.broken)),
        unit=unit,
        missing=(*times.missing, *missing_of(samples)),
        output_scale=scale,
        degrees_per_unit=DEGREES_PER_UNIT.get(unit, math.nan),
        columns={**({"time": roles.time[0]} if roles.time else {}), **next(iter(roles.channels.values()))},
        guessed={role: reason for role, reason in guessed.items() if reason},
        channel_names={channel: heading.text for channel, heading in names.items() if heading},
        clock_steps=axis.clock_steps,
        notes=(*source.notes, *notes, *axis.notes),
        load_events=partial(preamble_events, source, grid.shape),
    )


def _unit(grid: Grid, roles: Roles) -> tuple[str, str]:
    own = next(iter(roles.channels.values()))
    output = grid.numbers[own["output"]] if "output" in own else None
    units = [heading.unit for at, heading in enumerate(grid.shape.headings) if at != own["pv"]]
    return unit_of(grid.numbers[own["pv"]], output, grid.heading(own["pv"]), units)


def _scale(grid: Grid, roles: Roles) -> tuple[float, str]:
    """Return percent per unit of the outputs: one for all channels, so that they can be compared."""
    outputs = [own["output"] for own in roles.channels.values() if "output" in own]
    if not outputs:
        return 1.0, ""
    first = grid.cells[outputs[0]]
    switched = first.dtype == object and any(str(cell).lower() in ON_OFF for cell in first[:50])
    values = np.concatenate([grid.numbers[at] for at in outputs])
    return output_scale(values, grid.heading(outputs[0]), switched)


def _channel_frame(
    channel: int,
    own: Mapping[str, int],
    grid: Grid,
    roles: Roles,
    usable: NDArray[np.bool_],
    scale: float,
) -> pd.DataFrame:
    nothing = np.full(len(grid.line), math.nan)
    number = nothing if roles.channel_column is None else grid.numbers[roles.channel_column]
    whole = np.isfinite(number) & (np.abs(number) < 2**31)
    columns: dict[str, NDArray[np.generic]] = {
        "channel": np.where(whole, np.where(whole, number, 0), channel).astype(np.int64)[usable]
    }
    for role in ("setpoint", "pv", "output", "kp", "ki", "kd"):
        values = grid.numbers[own[role]] if role in own else nothing
        columns[role] = (values * scale if role == "output" else values)[usable]
    return pd.DataFrame({**columns, "line": grid.line[usable]})


def _joined(*reasons: str) -> str:
    return "; ".join(filter(None, reasons))


def preamble_events(source: Source, shape: Shape) -> pd.DataFrame:
    """Return the lines above the rows, without the header, as events at time 0."""
    above: list[bytes] = []
    for chunk in chunks(source):
        above = chunk.content.split(b"\n", shape.first_row)[: shape.first_row - 1]
        break
    rows = [
        (0.0, "info", "", text_of(line), number)
        for number, line in enumerate(above, 1)
        if line.strip() and number != shape.header_line
    ]
    if not rows:
        return no_events()
    return pd.DataFrame(rows, columns=list(EVENT_COLUMNS)).astype(no_events().dtypes)

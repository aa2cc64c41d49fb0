"""A delimited table by column: its cells, the same as numbers, and which column holds text."""

import math
import re
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from instrumentgpt.instruments.arrays import Floats
from instrumentgpt.instruments.reading.cells import GREATEST, Shape, Table, number_in
from instrumentgpt.instruments.reading.headers import LIKELY, Heading, heading_of, vocabulary

ENTITY = re.compile(r"^(?:sensor|number|climate|switch|input_number|binary_sensor)\.")  # Home Assistant's
MOST_NAMES = 64  # in a table of “time, name, value”


@dataclass(frozen=True)
class Grid:
    """All rows by column: cells, the same as numbers (nan), whether it is text; and the line of each row."""

    shape: Shape
    cells: list[NDArray[np.generic]]
    numbers: list[Floats]
    texts: list[bool]
    line: NDArray[np.int64]

    def rows_at(self, rows: NDArray[np.int64]) -> "Grid":
        """Return `rows` of it, in that order."""
        cells, numbers = [column[rows] for column in self.cells], [column[rows] for column in self.numbers]
        return Grid(self.shape, cells, numbers, self.texts, self.line[rows])

    def heading(self, column: int) -> Heading | None:
        """Return the heading of `column`, None in a table without a header."""
        return self.shape.headings[column] if self.shape.headings else None


def grid_of(table: Table, shape: Shape) -> Grid:
    """Return `table`, as `read_chunk` filled it, as columns of numbers and text."""
    cells = [np.concatenate(parts) if parts else np.empty(0) for parts in table.columns]
    numbers = [_numbers(column, shape.decimal_comma) for column in cells]
    texts = [_is_text(column, known) for column, known in zip(cells, numbers, strict=True)]
    line = np.concatenate(table.line) if table.line else np.empty(0, dtype=np.int64)
    return Grid(shape, cells, numbers, texts, line)


def widened(grid: Grid) -> Grid:
    """Return `grid` with a column for each name, where its rows are “time, name, value”; else as it is.

    Its rows are those of the name that has most; the others hold their value until their next row.
    """
    heads = [heading.text.lower().strip("_ ") for heading in grid.shape.headings]
    names = [at for at, head in enumerate(heads) if head in vocabulary()["long"]["name"]]
    values = [at for at, head in enumerate(heads) if head in vocabulary()["long"]["value"]]
    times = [at for at, heading in enumerate(grid.shape.headings) if heading.scores.get("time", 0) >= LIKELY]
    times.sort(key=lambda at: heads[at] not in ("time", "timestamp"))  # InfluxDB has _start and _stop besides
    if len(names) < 1 or len(values) != 1 or not times:
        return grid
    name, value, time = grid.cells[names[0]].astype(str), grid.numbers[values[0]], times[0]
    every, first, count = np.unique(name, return_index=True, return_counts=True)
    if not 1 < len(every) <= MOST_NAMES:
        return grid
    order = every[np.argsort(first)].tolist()
    rows = np.flatnonzero(name == max(zip(count, -first, every, strict=True))[2])
    stamps = grid.cells[time].astype(str) if grid.texts[time] else grid.numbers[time]
    columns = [_newest_before(stamps, value, name == own, rows) for own in order]
    shape = replace(
        grid.shape,
        width=len(order) + 1,
        headings=(grid.shape.headings[time], *(heading_of(ENTITY.sub("", name)) for name in order)),
        texts=frozenset([0] if grid.texts[time] else []),
        names=(),
    )
    cells = [grid.cells[time][rows], *columns]
    return Grid(
        shape,
        cells,
        [grid.numbers[time][rows], *columns],
        [grid.texts[time], *[False] * len(order)],
        grid.line[rows],
    )


def _newest_before(
    stamps: NDArray[np.generic], value: Floats, mine: NDArray[np.bool_], rows: NDArray[np.int64]
) -> Floats:
    """Return at each of `rows` the newest of the values that are `mine`: at its own stamp or before."""
    own = np.flatnonzero(mine)
    own = own[np.argsort(stamps[own], kind="stable")]
    last = np.searchsorted(stamps[own], stamps[rows], side="right") - 1
    return np.where(last >= 0, value[own[np.maximum(last, 0)]], math.nan)


def _numbers(column: NDArray[np.generic], decimal_comma: bool) -> Floats:
    if column.dtype.kind == "f":
        return np.where(np.abs(column.astype(float)) < GREATEST, column.astype(float), math.nan)
    codes, unique = pd.factorize(column)
    known = np.array([number_in(str(cell), decimal_comma) for cell in unique], dtype=float)
    return known[codes] if len(known) else np.empty(0)


def _is_text(column: NDArray[np.generic], numbers: Floats) -> bool:
    """Return whether `column` holds dates or clock times: no numbers, but digits."""
    if column.dtype.kind == "f" or np.isfinite(numbers).any():
        return False
    sample = (str(cell) for cell in column[:: max(len(column) // 200, 1)])
    return any(letter.isdigit() for cell in sample for letter in cell)

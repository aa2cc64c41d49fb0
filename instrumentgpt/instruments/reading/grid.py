"""A delimited table by column: its cells, the same as numbers, and which column holds text."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from instrumentgpt.instruments.arrays import Floats
from instrumentgpt.instruments.reading.cells import GREATEST, Shape, Table, number_in
from instrumentgpt.instruments.reading.headers import Heading


@dataclass(frozen=True)
class Grid:
    """All rows by column: cells, the same as numbers (nan), whether it is text; and the line of each row."""

    shape: Shape
    cells: list[NDArray[np.generic]]
    numbers: list[Floats]
    texts: list[bool]
    line: NDArray[np.int64]

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

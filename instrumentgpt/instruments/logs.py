"""Reading a log: any file, folder or rotated set to a `Log`, and its raw lines by number."""

from pathlib import Path

from instrumentgpt.instruments import sources
from instrumentgpt.instruments.record import (
    EVENT_COLUMNS,
    HOW_TO,
    SAMPLE_COLUMNS,
    Broken,
    Log,
    UnreadableLog,
)
from instrumentgpt.instruments.tables import read_table, table_shape
from instrumentgpt.instruments.textlogs import Fit, fits, read_text_log

__all__ = ["EVENT_COLUMNS", "SAMPLE_COLUMNS", "Broken", "Log", "UnreadableLog", "read_lines", "read_log"]


def read_log(
    path: Path | str,
    columns: dict[str, int] | None = None,
    period: float | None = None,
    progress: sources.Progress | None = None,
) -> Log:
    """Return the log at `path`: a file, a .gz, a rotated set or a folder.

    columns   of a table, name → 0-based column, where they cannot be or were wrongly recognised
    period    s between rows, for a table without time
    progress  is called with the share that has been read, 0 to 1

    Raises UnreadableLog if no format fits, OSError if the file cannot be opened.
    """
    source = sources.open_source(Path(path))
    notes: list[str] = []
    nearest: list[Fit] = []
    for chunk in sources.chunks(source, notes=notes):
        found = [] if columns else fits(chunk)
        if found and found[0].rows:
            return read_text_log(source, found[0].layout, [], progress)
        shape = table_shape(chunk.content) if chunk.first_line == 1 else None
        if shape:
            return read_table(source, shape, columns, period, progress)
        nearest = nearest or found
    raise _unreadable(source.path.name, nearest)


def _unreadable(name: str, tried: list[Fit]) -> UnreadableLog:
    if not tried:
        return UnreadableLog(f"{name} is empty. Choose a log with lines in it.")
    names = ", ".join(fit.layout.name for fit in tried)
    nearest = max(tried, key=lambda fit: fit.prefixed)
    text = (
        f"{name}: fits none of the {len(tried)} known formats ({names}) and is no table with known columns."
    )
    if nearest.near_miss:
        number, line, reason = nearest.near_miss
        text += f" Nearest is {nearest.layout.name}: line {number} is “{line}”: {reason}."
    return UnreadableLog(f"{text} {HOW_TO}.")


def read_lines(path: Path | str, first: int, last: int) -> list[tuple[int, str]]:
    """Return (number, text) of the lines `first` to `last` of the log at `path`, both included, 1-based."""
    return sources.line_texts(sources.open_source(Path(path)), max(first, 1), last)

"""Values that stand in a log where there was no reading: zeros before the first, what drivers give."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from instrumentgpt.instruments.analysis.signals import runs
from instrumentgpt.instruments.loops import Floats, rows_by_channel
from instrumentgpt.instruments.reading.headers import vocabulary

JUMP = 10.0  # times the usual change from row to row, by which a reading and its placeholder are apart
USUAL = 0.99  # quantile of those changes
MOST_NOTES = 8  # on values that are no readings
FIRST_ROWS = 10  # in which a setpoint may not have been read yet


@dataclass(frozen=True)
class Placeholder:
    """A value that is no reading: of which channel and column, and its lines as (first, last) of each run."""

    channel: int
    column: str  # "pv" or "setpoint"
    value: float
    count: int
    spans: tuple[tuple[int, int], ...]


def placeholders_of(samples: pd.DataFrame) -> tuple[Placeholder, ...]:
    """Return the placeholders among `samples` (see Log.samples), which keep them.

    A value counts only if the reading above and the one below are far from it: a kiln that passes 300.0 °C
    on its way is none. Of a setpoint, zeros in the first rows are.
    """
    placeholders: list[Placeholder] = []
    for channel, rows in rows_by_channel(samples["channel"].to_numpy()):
        line = samples["line"].to_numpy()[rows]
        pv, setpoint = (samples[name].iloc[rows].to_numpy(dtype=float) for name in ("pv", "setpoint"))
        for name, value, stretches in [*_of_pv(pv), *_of_setpoint(setpoint)]:
            spans = tuple((int(line[first]), int(line[last])) for first, last in stretches)
            count = sum(last - first + 1 for first, last in stretches)
            placeholders.append(Placeholder(channel, name, value, count, spans))
    return tuple(placeholders)


def notes_of(placeholders: Sequence[Placeholder], names: Mapping[int, str]) -> list[str]:
    """Return for people what is listed of each channel, by its number or name."""
    notes = [
        f"{names.get(placeholder.channel) or f'channel {placeholder.channel}'}: "
        f"{placeholder.column} {placeholder.value:g} is no reading "
        f"({placeholder.count:,} in all, first in line {placeholder.spans[0][0]})"
        for placeholder in placeholders[:MOST_NOTES]
    ]
    more = len(placeholders) - len(notes)
    return [*notes, f"further values that are no readings: {more}"] if more else notes


Runs = list[tuple[int, int]]


def _of_pv(pv: Floats) -> Iterator[tuple[str, float, Runs]]:
    odd = np.isin(pv, vocabulary()["placeholders"]["values"])
    if not odd.any():
        return
    readings = pv[~odd & np.isfinite(pv)]
    changes = np.abs(np.diff(readings))
    usual = float(np.quantile(changes, USUAL)) if len(changes) else 0.0
    for value in np.unique(pv[odd]).tolist():
        spans = [(int(a), int(b) - 1) for a, b in runs(pv == value)]
        if away := [span for span in spans if _is_away(pv, *span, odd, JUMP * usual)]:
            yield "pv", value, away


def _is_away(pv: Floats, first: int, last: int, odd: NDArray[np.bool_], distance: float) -> bool:
    """Return whether the readings next to a run of one value are far from it; alone it must be below 0."""
    above = np.flatnonzero(~odd[:first] & np.isfinite(pv[:first]))
    below = np.flatnonzero(~odd[last + 1 :] & np.isfinite(pv[last + 1 :]))
    near = [pv[above[-1]]] if len(above) else []
    near += [pv[last + 1 + below[0]]] if len(below) else []
    return all(abs(value - pv[first]) > distance for value in near) if near else pv[first] < 0


def _of_setpoint(setpoint: Floats) -> Iterator[tuple[str, float, Runs]]:
    rows = np.flatnonzero(np.isfinite(setpoint))
    zero = setpoint[rows] == 0
    first = int(np.argmin(zero)) if len(zero) and not zero.all() else 0
    if 0 < first <= FIRST_ROWS and not zero[first:].any():
        yield "setpoint", 0.0, [(int(rows[0]), int(rows[first - 1]))]

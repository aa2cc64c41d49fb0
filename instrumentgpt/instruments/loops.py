"""The control loops in a log as arrays, one `Loop` per channel."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Indices = NDArray[np.int64]


if TYPE_CHECKING:
    from instrumentgpt.instruments.logs import Log

Lines = NDArray[np.int64]
COLUMNS = ("setpoint", "pv", "output", "kp", "ki", "kd")


@dataclass(frozen=True, eq=False)
class Loop:
    """One channel's samples in the order of time; nan where the log says nothing.

    time      (n,) seconds since the log's first line
    setpoint  (n,) in the unit of `pv`
    pv        (n,) process value
    output    (n,) percent
    kp ki kd  (n,) gains in force
    line      (n,) number of the log line each sample was read from, 1-based
    position  (n,) percent, of the actuator as measured; None where it is not
    """

    channel: int
    time: Floats
    setpoint: Floats
    pv: Floats
    output: Floats
    kp: Floats
    ki: Floats
    kd: Floats
    line: Lines
    position: Floats | None = None

    def __len__(self) -> int:
        return len(self.time)

    def part(self, first: int, stop: int) -> "Loop":
        """Return the samples from `first` to before `stop`."""
        names = ("time", *COLUMNS, "line")
        return Loop(self.channel, **{name: getattr(self, name)[first:stop] for name in names})


def loops_of(log: "Log") -> dict[int, Loop]:
    """Return the loop of each channel of `log`, by channel number; empty if the log has no samples."""
    frame = log.samples
    names = ("time", *COLUMNS, *(["position"] if "position" in frame else []))
    lines, columns = frame["line"], [(name, frame[name]) for name in names]
    return {
        channel: Loop(
            channel,
            line=lines.iloc[rows].to_numpy(dtype=np.int64, copy=True),
            **{name: column.iloc[rows].to_numpy(dtype=float, na_value=np.nan) for name, column in columns},
        )
        for channel, rows in rows_by_channel(frame["channel"].to_numpy())
    }


def rows_by_channel(channels: Indices) -> Iterator[tuple[int, slice | Indices]]:
    """Yield each channel and its rows: a slice where channels come in turn, which costs nothing to take.

    >>> dict(rows_by_channel(np.array([1, 2, 1, 2])))
    {1: slice(0, None, 2), 2: slice(1, None, 2)}
    """
    first = channels[:1]
    again = np.flatnonzero(channels[1:4096] == first)
    turn = int(again[0]) + 1 if again.size else len(channels)
    whole = len(channels) // max(turn, 1) * turn
    in_turn = whole and (channels[:whole].reshape(-1, turn) == channels[:turn]).all()
    if in_turn and (channels[whole:] == channels[: len(channels) - whole]).all():
        heads = channels[:turn].tolist()
        if len(set(heads)) == turn:
            yield from sorted((int(head), slice(at, None, turn)) for at, head in enumerate(heads))
            return
    for channel in np.unique(channels).tolist():
        yield int(channel), np.flatnonzero(channels == channel)

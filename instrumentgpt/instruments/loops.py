"""The control loops in a log as arrays, one `Loop` per channel."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from instrumentgpt.instruments.arrays import Floats

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

    def __len__(self) -> int:
        return len(self.time)


def loops_of(log: "Log") -> dict[int, Loop]:
    """Return the loop of each channel of `log`, by channel number; empty if the log has no samples."""
    frame = log.samples
    channels: NDArray[Any] = frame["channel"].to_numpy()
    columns = {name: frame[name].to_numpy(dtype=float, na_value=np.nan) for name in ("time", *COLUMNS)}
    lines = frame["line"].to_numpy(dtype=np.int64)
    return {
        int(channel): _loop(int(channel), channels == channel, columns, lines)
        for channel in np.unique(channels)
    }


def _loop(channel: int, mine: NDArray[np.bool_], columns: dict[str, Floats], lines: Lines) -> Loop:
    return Loop(channel, line=lines[mine], **{name: values[mine] for name, values in columns.items()})

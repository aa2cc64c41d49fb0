"""A log as the rest of the house sees it: samples and events in frames, with line numbers and times."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from instrumentgpt.instruments import sources

SAMPLE_COLUMNS = ("time", "channel", "setpoint", "pv", "output", "kp", "ki", "kd", "line")
EVENT_COLUMNS = ("time", "level", "source", "text", "line")


@dataclass(frozen=True)
class Broken:
    """Lines that look like samples and cannot be read: how many, and the first few as (number, text, reason)."""

    count: int = 0
    examples: tuple[tuple[int, str, str], ...] = ()


@dataclass(frozen=True, eq=False)
class Log:
    """One log that was read.

    samples  time (s since the first line), channel (int), setpoint, pv (in `unit`), output (percent), kp, ki, kd,
             line (1-based), in the order of the file; nan where the log says nothing
    missing  what the file does not carry: "period" (time then counts rows), "setpoint", "output"; a verdict
             that needs it must be withheld by that name
    output_scale        percent per unit of the output as it stands in the log (100 for a duty 0..1)
    degrees_per_unit    °C per unit of pv: 1, 5/9 for °F, nan where pv is no temperature or counts
    guessed  column → what it was taken for, where that was inferred and not read from a header
    notes    what a reader should know: clocks that jump, boots, cut files
    """

    path: Path
    name: str
    format: str
    samples: pd.DataFrame
    start: pd.Timestamp | None
    lines: int
    broken: Broken = Broken()
    unit: str = "°C"
    missing: tuple[str, ...] = ()
    output_scale: float = 1.0
    degrees_per_unit: float = 1.0
    guessed: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    channel_names: dict[int, str] = field(default_factory=dict)
    load_events: Callable[[], pd.DataFrame] = lambda: pd.DataFrame(columns=list(EVENT_COLUMNS))

    @cached_property
    def events(self) -> pd.DataFrame:
        """Return the other lines: time (s), level, source, text, line; read from the file when first asked for."""
        return self.load_events()

    def clock(self, time: float) -> str:
        """Return the wall-clock text of `time` (s), to the millisecond, or "+12.345 s" where the log has no date."""
        if math.isnan(time):
            return "?"
        if self.start is None:
            return f"+{time:.3f} s"
        moment = self.start + pd.Timedelta(round(time * 1000), unit="ms")
        return moment.strftime("%Y-%m-%d %H:%M:%S.") + f"{moment.microsecond // 1000:03d}"


def read_lines(path: Path, first: int, last: int) -> list[tuple[int, str]]:
    """Return (number, text) of the lines `first` to `last` of the log at `path`, both included, 1-based."""
    return sources.line_texts(sources.open_source(Path(path)), max(first, 1), last)

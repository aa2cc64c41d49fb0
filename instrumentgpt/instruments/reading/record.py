"""What was read from a log, as the rest of the house sees it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.reading.clocks import ClockStep
from instrumentgpt.instruments.reading.placeholders import Placeholder

SAMPLE_COLUMNS = ("time", "channel", "setpoint", "pv", "output", "kp", "ki", "kd", "line")
EVENT_COLUMNS = ("time", "level", "source", "text", "line")
DEGREES_PER_UNIT: Mapping[str, float] = {"°C": 1.0, "K": 1.0, "°F": 5 / 9}  # °C per unit of a difference
HOW_TO = "See docs/add-a-log-format.md"


class UnreadableLog(InstrumentGPTError, ValueError):
    """A log that no format recognises, or that is no text."""


@dataclass(frozen=True)
class Broken:
    """Lines meant as samples that cannot be read: how many; of the first few (number, text, reason)."""

    count: int = 0
    examples: tuple[tuple[int, str, str], ...] = ()


def no_events() -> pd.DataFrame:
    """Return an empty frame of events."""
    return pd.DataFrame(
        {name: pd.Series(dtype=kind) for name, kind in zip(EVENT_COLUMNS, _EVENT_TYPES, strict=True)}
    )


_EVENT_TYPES = ("float64", "str", "str", "str", "int64")


def missing_of(samples: pd.DataFrame) -> tuple[str, ...]:
    """Return which of setpoint, pv and output no sample carries."""
    return tuple(name for name in ("setpoint", "pv", "output") if not samples[name].notna().any())


@dataclass(frozen=True)
class StatedLoop:
    """What people say of a loop; what they do not is told from its log.

    drive    a drive of analysis.kind, "" if nothing is said
    reverse  whether more output lowers pv
    band     deviation worth a word, in the unit of pv
    """

    drive: str = ""
    reverse: bool | None = None
    band: float | None = None


UNSTATED = StatedLoop()


@dataclass(frozen=True, eq=False)
class Log:
    """One log.

    samples   time (s since the first line), channel (int), setpoint, pv (both in `unit`), output (percent),
              kp, ki, kd, line (1-based), in the order of the file; nan where the log says nothing
    start     wall clock of time 0, None where the log carries no date
    missing   what the file does not carry: "time", "period" (time then counts rows), "setpoint", "output";
              a verdict that needs it is withheld by that name
    output_scale      percent per unit of the output as it stands in the log: 100 for a duty 0..1
    channel_units     units of channels whose pv is in another one than `unit`
    placeholders      values that are no readings, which `samples` keeps
    degrees_per_unit  °C per unit of a pv difference: 1 for °C and K, 5/9 for °F, nan for counts
    layout    what logs of one make have in common: the heads of a table, the name of a text log's format
    columns   of a table: name → 0-based column it was read from
    guessed   columns or units that were inferred, not stated by the file: name → the reason, for people
    clock_steps     steps of the log's own clock that are no passing of time
    notes     what a reader should know, for people
    stated_loops    channel → what people said of its loop
    kept      path and stem of what is kept of this content, None if nothing is
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
    layout: str = ""
    columns: Mapping[str, int] = field(default_factory=dict)
    guessed: Mapping[str, str] = field(default_factory=dict)
    channel_names: Mapping[int, str] = field(default_factory=dict)
    channel_units: Mapping[int, str] = field(default_factory=dict)
    placeholders: tuple[Placeholder, ...] = ()
    clock_steps: tuple[ClockStep, ...] = ()
    notes: tuple[str, ...] = ()
    load_events: Callable[[], pd.DataFrame] = no_events
    stated_loops: Mapping[int, StatedLoop] = field(default_factory=dict)
    kept: Path | None = None

    @cached_property
    def events(self) -> pd.DataFrame:
        """Return the lines that are no samples: time (s), level, source, text, line; read when asked for."""
        return self.load_events()

    def clock(self, time: float) -> str:
        """Return the log's wall clock at `time` (s), to the millisecond; "+12.345 s" without a date."""
        if math.isnan(time):
            return "?"
        if self.start is None:
            return f"+{time:.3f} s"
        stepped = sum(step.seconds for step in self.clock_steps if time >= step.time)
        moment = self.start + pd.Timedelta(round((time + stepped) * 1000), unit="ms")
        return moment.strftime("%Y-%m-%d %H:%M:%S.") + f"{moment.microsecond // 1000:03d}"

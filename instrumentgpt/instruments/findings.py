"""What a check reports: a fault on a channel, over a time, with the log lines that show it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

FEWEST_SAMPLES = 50  # per channel, below which a record is too little to judge: five lags of ten samples

IN_USE = "in_use"  # what covers an excursion that comes again and again, and that the output answers

Severity = Literal["none", "info", "low", "medium", "high", "critical"]
INDEPENDENT = ("again", "before", "alone", "driven")  # signs not of the number that the check is about
SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low", "info", "none")  # worst first

Confidence = Literal["certain", "likely", "possible"]


@dataclass(frozen=True)
class Evidence:
    """One log line and the values quoted from it, in the units of the frame (output in percent)."""

    line: int  # 1-based, in the file as it is read
    time: float  # s since the log's first line
    values: Mapping[str, float]  # "pv", "setpoint", "output", …


NOT_RULED_OUT = ("not_separable", "untold")  # reasons that leave the alternative open, as they say


@dataclass(frozen=True)
class RuledOut:
    """A near alternative and the numbers that speak against it; its sentence is in faults.toml."""

    fault: str
    reason: str  # key of the sentence
    numbers: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Excursion:
    """One time in which a loop that holds was out of its own band, whoever made it do so.

    onset, end  s since the log's first line: when pv left, and when it was back
    size        the farthest, in the unit of pv, positive above
    limit       where the loop's own band ends, in the unit of pv
    evidence    the lines at its onset, its farthest and its end
    explained   the class of the finding that covers it, or `IN_USE`; "" if nothing does
    cause       the line of the log, first of `evidence`, that says what was done as it began
    """

    channel: int
    onset: float
    end: float
    size: float
    limit: float
    evidence: tuple[Evidence, ...]
    explained: str = ""
    cause: str = ""


@dataclass(frozen=True)
class Programmed:
    """What a machine's own programme makes of a loop each time, which looks like `fault`.

    text     the column and its value, “mode = WASH”, or the line
    moments  s, when it began each time; lines: there
    lowest, highest  pv meanwhile; back: s until it was in its band again, as a rule
    """

    channel: int
    fault: str
    text: str
    moments: tuple[float, ...]
    lines: tuple[int, ...]
    lowest: float
    highest: float
    back: float


@dataclass(frozen=True)
class Withheld:
    """A verdict that is not given, and why; its sentences are in wording.toml.

    channel  None: of the whole log
    reasons  key of a sentence → the numbers in it
    missing  what the log does not carry: "setpoint", "output", "period"
    doubt    what a check found, and too little speaks for
    """

    fault: str
    channel: int | None = None
    reasons: Mapping[str, Mapping[str, float | str]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    doubt: "Finding | None" = None


@dataclass(frozen=True)
class Finding:
    """One verdict of a check. `numbers` fill the sentences of faults.toml, in any language."""

    fault: str  # a class of the taxonomy: "oscillation_tuning", "healthy", …
    channel: int | None  # None: the whole device
    onset: float  # s since the log's first line
    end: float
    severity: Severity
    evidence: tuple[Evidence, ...]
    numbers: Mapping[str, float | str] = field(default_factory=dict)
    ruled_out: tuple[RuledOut, ...] = ()
    consequences: tuple[str, ...] = ()  # faults seen too, and explained by this one
    moments: tuple[float, ...] = ()  # s, when it began each time; (): once, at `onset`
    signs: tuple[str, ...] = ()  # what it rests on beside its check: diagnosis.py
    confidence: Confidence = "likely"
    channels: tuple[int, ...] = ()  # of the device, that it is about; (): all, or `channel`

    def is_about(self, channel: int | None) -> bool:
        """Return whether it concerns `channel`."""
        return channel in self.channels if self.channels else self.channel in (None, channel)


def worst(severities: Iterable[Severity]) -> Severity:
    """Return the worst of `severities`, "none" without any.

    >>> worst(["medium", "critical", "high"])
    'critical'
    """
    return min(severities, key=SEVERITIES.index, default="none")

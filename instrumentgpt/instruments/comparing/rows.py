"""What a comparison of two logs is made of: quantities before and after, and events that came or went."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One quantity before and after; nan where a log does not tell.

    quantity  "kp", "ki", "kd", "setpoint", "duty", "noise", "out_of_band", "ambient"
    channel   None: the whole device
    ratio     after / before, nan where `before` is 0 or a ratio means nothing
    net       of "duty": `ratio` over the median ratio of the other channels, nan without others
    at        of "duty": the setpoint held in both
    """

    quantity: str
    channel: int | None
    before: float
    after: float
    unit: str
    notable: bool
    ratio: float = math.nan
    net: float = math.nan
    at: float = math.nan


@dataclass(frozen=True)
class EventChange:
    """Lines of one template that are new, or no longer there: how many, and the first line of them."""

    template: str
    level: str
    source: str
    before: int
    after: int
    line: int


@dataclass(frozen=True)
class Comparison:
    """All rows, those of a channel together, and the event templates that came or went."""

    before: str
    after: str
    unit: str
    rows: tuple[Row, ...]
    events: tuple[EventChange, ...]

    @property
    def notable(self) -> tuple[Row, ...]:
        """Return the rows that changed by more than chance and rounding do."""
        return tuple(row for row in self.rows if row.notable)

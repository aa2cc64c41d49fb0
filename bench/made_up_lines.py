"""Line shapes that no one has written: words, brackets, separators, fields and number formats at random."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

NAMES = {  # as firmware calls them
    "channel": ("ch", "channel", "id", "loop", "zone", "heater"),
    "setpoint": ("setpoint", "sp", "SV", "target", "set temp", "Set_Point", "target temperature"),
    "pv": ("pv", "temp", "actual", "measured", "process value", "Temperature"),
    "output": ("out", "output", "duty", "power", "pwm", "output power"),
}
STAMPS = (  # strftime, digits behind the point, what stands before them; Polars' and DuckDB's format
    ("%Y-%m-%d %H:%M:%S", 3, "."),
    ("%Y-%m-%d %H:%M:%S", 3, ","),
    ("%Y-%m-%dT%H:%M:%S", 6, "."),
    ("%Y/%m/%d %H:%M:%S", 3, "."),
    ("%Y-%m-%d %H:%M:%S", 0, ""),
)
AROUND_STAMP = (("[", "]"), ("", ""), ("[", "] "), ("", " - "), ("", " | "), ("", "; "))
LEVELS = ("[debug] ", "DEBUG ", "[info]: ", "info - ", "")
JOINS = ("=", ": ", ":", " = ")
SEPARATORS = (" ", ", ", "; ", " | ", "  ", "\t")
FORMATS = ("{:.0f}", "{:.1f}", "{:.2f}", "{:.3f}", "{:.5f}", "{:7.2f}")
UNITS = ("", "", "C", " °C", "%", "V")
NUMBER = r"\s*([-+]?\d+(?:\.\d+)?)"


@dataclass(frozen=True)
class Field:
    """A named number of a line; `role` is "" for one that means nothing to a loop."""

    role: str
    name: str
    number: str  # its format
    unit: str


@dataclass(frozen=True)
class MadeUpShape:
    """A line shape; `expression` has a group for the stamp and for each of `roles`, in this order."""

    stamp: tuple[str, int, str]
    before: str
    after: str
    words: str
    join: str
    separator: str
    fields: tuple[Field, ...]
    noise: tuple[str, ...]  # other lines between, with {} for a number
    noise_share: float

    @property
    def roles(self) -> tuple[str, ...]:
        """Return the roles of its fields, as they stand in the line."""
        return tuple(field.role for field in self.fields if field.role)

    @property
    def expression(self) -> str:
        """Return a regular expression for the whole line, as a good user of another reader writes it."""
        pattern, digits, point = self.stamp
        clock = re.sub("%[A-Za-z]", lambda part: r"\d{4}" if part[0] == "%Y" else r"\d\d", pattern)
        decimals = _escaped(point) + r"\d" * digits
        other = NUMBER.replace("(", "(?:", 1)
        fields = [
            _escaped(field.name + self.join) + (NUMBER if field.role else other) + _escaped(field.unit)
            for field in self.fields
        ]
        begin = f"^{_escaped(self.before)}({clock}{decimals}){_escaped(self.after + self.words)}"
        return begin + _escaped(self.separator).join(fields) + "$"

    def write(self, moment: datetime, channel: int, chance: random.Random) -> str:
        """Return a line of this shape at `moment`."""
        values = {
            "channel": channel,
            "setpoint": 37.0,
            "pv": 37 + chance.gauss(0, 4),
            "output": chance.uniform(0, 100),
        }
        fields = []
        for field in self.fields:
            number = field.number.format(values.get(field.role, chance.gauss(0, 50)))
            fields.append(f"{field.name}{self.join}{number}{field.unit}")
        return self._begin(moment) + self.words + self.separator.join(fields)

    def _begin(self, moment: datetime) -> str:
        pattern, digits, point = self.stamp
        decimals = f"{moment.microsecond:06d}"[:digits]
        return f"{self.before}{moment.strftime(pattern)}{point}{decimals}{self.after}"

    def lines(self, chance: random.Random) -> Iterator[str]:
        """Yield lines without end: samples of four channels in turn, and others between."""
        moment, channel = datetime(2026, 1, 8, 6, 48, 31, 18000), 0
        while True:
            moment += timedelta(milliseconds=chance.randint(40, 60))
            if chance.random() < self.noise_share:
                number = chance.choice((chance.randint(0, 99999), round(chance.gauss(0, 9), 2)))
                yield self._begin(moment) + chance.choice(self.noise).replace("{}", str(number))
            else:
                channel = channel % 4 + 1
                yield self.write(moment, channel, chance)


def _escaped(text: str) -> str:
    """Return `text` as an expression that every regular-expression library reads alike."""
    return re.sub(r"([\[\]().|*+?^${}\\])", r"\\\1", text)


def _word(chance: random.Random) -> str:
    """Return a word that no language has and no field is called."""
    return "".join(
        chance.choice("bdfgjklmnrvz") + chance.choice("aeiou") for _ in range(chance.randint(2, 4))
    )


def make_up(chance: random.Random) -> MadeUpShape:
    """Return a line shape at random."""
    fields = [
        Field(
            role, chance.choice(NAMES[role]), "{:d}" if role == "channel" else chance.choice(FORMATS[1:]), ""
        )
        for role in ("channel", "setpoint", "pv", "output")
    ]
    fields += [
        Field("", _word(chance), chance.choice(FORMATS), chance.choice(UNITS))
        for _ in range(chance.randint(0, 6))
    ]
    if len({field.name.lower().split()[0] for field in fields}) < len(fields):
        return make_up(chance)  # two names of which one could be taken for the other
    chance.shuffle(fields)
    before, after = chance.choice(AROUND_STAMP)
    source = _word(chance).title()
    words = chance.choice(
        ("", f"[{source}] ", f"{source}::{_word(chance)} ", f"({_word(chance)}) {source} - ")
    )
    noise = tuple(
        f"[{_word(chance).title()}] {' '.join(_word(chance) for _ in range(chance.randint(1, 9)))} {{}}"
        for _ in range(4)
    )
    return MadeUpShape(
        chance.choice(STAMPS),
        before,
        after or " ",
        chance.choice(LEVELS) + words,
        chance.choice(JOINS),
        chance.choice(SEPARATORS),
        tuple(fields),
        noise,
        chance.choice((0.0, 0.3, 0.8)),
    )

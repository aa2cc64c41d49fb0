"""One line at a time: the plain, exact way to read a text log, which the vectorised scan must agree with."""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from instrumentgpt.instruments.reading.clocks import NO_TIME, micros
from instrumentgpt.instruments.reading.layouts import NO_NUMBER, NUMBER, Format, Pattern
from instrumentgpt.instruments.reading.sources import text_of

VALUES = ("setpoint", "pv", "output", "kp", "ki", "kd")
EXAMPLES = 5  # broken lines kept as examples
EXAMPLE_CHARACTERS = 200
PLACEHOLDER_OR_TEXT = re.compile(r"(\{[a-z]*\})")
UNSEEN = b"\r\0\xef\xbb\xbf"  # line ends, what a power cut leaves, a byte order mark
ANY_NUMBER = re.compile(NUMBER + b"|" + NO_NUMBER, re.IGNORECASE)

Row = tuple[float, float, float, float, float, float]


@dataclass
class Rows:
    """What was read from some lines: a sample per entry of `line`, `raw` (µs), `channel` and `values`."""

    line: list[int] = field(default_factory=list)
    raw: list[int] = field(default_factory=list)
    channel: list[int] = field(default_factory=list)
    values: list[Row] = field(default_factory=list)
    gains: list[tuple[int, int, Row]] = field(default_factory=list)  # (line, channel, values)
    broken: list[tuple[int, str, str]] = field(default_factory=list)
    broken_count: int = 0
    boots: list[int] = field(default_factory=list)  # lines at which the instrument says that it starts
    scales: dict[str, float] = field(default_factory=dict)  # pattern → percent per unit of its output
    names: dict[str, int] = field(default_factory=dict)  # channel names met, with the numbers given to them
    first_number: int = 1  # of the channels that have names

    def number_of_channel(self, name: str) -> int:
        """Return the number of the channel called `name`, a new one if it is new."""
        return self.names.setdefault(name, len(self.names) + self.first_number)


@dataclass(frozen=True)
class Parts:
    """A line taken apart: stamp (µs; None if no such time, NO_TIME without), level and message.

    `kind` is that of its time, `stamp_span` and `message_start` tell where the two stand in the line.
    """

    stamp: int | None
    level: bytes
    message: bytes
    kind: str
    stamp_span: tuple[int, int]
    message_start: int


@dataclass(frozen=True)
class Meaning:
    """What a line says: gains, or a new start, or samples; or the reason why it is broken."""

    parts: Parts
    gains: tuple[Pattern, re.Match[bytes]] | None = None
    boot: bool = False
    samples: tuple[tuple[Pattern, re.Match[bytes]], ...] = ()
    broken: str = ""


def number_of(text: bytes | None) -> float:
    """Return the number in `text`; nan for none, null, inf and other words of a sensor without a reading.

    >>> number_of(b"36.98"), number_of(b"null"), number_of(None)
    (36.98, nan, nan)
    """
    try:
        number = float(text) if text else math.nan
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def take_apart(line: bytes, layout: Format) -> Parts | None:
    """Return the parts of `line`, None if it has no prefix of `layout`: a continuation, or another format."""
    for prefix in layout.prefixes:
        match = prefix.regex.match(line)
        if match:
            kind, end = prefix.kind, match.end()
            stamp = micros(kind, match["time"]) if kind else NO_TIME
            span = match.span("time") if kind else (0, 0)
            level = match["level"] or b"" if "level" in prefix.regex.groupindex else b""
            return Parts(stamp, level, line[end:], kind, span, end)
    return None


def stripped(line: bytes) -> bytes:
    """Return `line` without what people do not see at its ends."""
    return line.lstrip(UNSEEN).rstrip(UNSEEN)


def meaning_of(line: bytes, layout: Format) -> Meaning | None:
    """Return what the stripped `line` says as a line of `layout`, None if it has no prefix of it."""
    parts = take_apart(line, layout)
    if parts is None:
        return None
    for pattern in layout.gains:
        for match in _matches(pattern, parts.message):
            return Meaning(parts, gains=(pattern, match))
    if layout.boot and parts.message.startswith(layout.boot):
        return Meaning(parts, boot=True)
    matches: list[tuple[Pattern, re.Match[bytes]]] = []
    broken = ""
    for pattern in layout.samples:
        matches += [(pattern, match) for match in _matches(pattern, parts.message)]
        meant = bool(pattern.anchor) and parts.message.startswith(pattern.anchor)
        if meant and not matches and pattern.start.match(parts.message):
            broken = broken or unlike(parts.message, pattern)
    if matches and parts.stamp is None:
        return Meaning(parts, broken="there is no such time")
    return Meaning(parts, samples=tuple(matches), broken="" if matches else broken)


def read_into(rows: Rows, lines: Iterable[tuple[int, bytes]], layout: Format) -> None:
    """Read the (number, line) pairs `lines` as `layout` into `rows`; other lines leave no trace."""
    for number, line in lines:
        meaning = meaning_of(stripped(line), layout)
        if meaning is None:
            continue
        if meaning.gains:
            pattern, match = meaning.gains
            rows.gains.append((number, _channel(match, pattern, rows), _values(match, pattern)))
        if meaning.boot:
            rows.boots.append(number)
        for pattern, match in meaning.samples:
            rows.line.append(number)
            rows.raw.append(NO_TIME if meaning.parts.stamp is None else meaning.parts.stamp)
            rows.channel.append(_channel(match, pattern, rows))
            rows.values.append(_values(match, pattern))
            rows.scales[pattern.name] = pattern.output_scale
        if meaning.broken:
            rows.broken_count += 1
            if len(rows.broken) < EXAMPLES:
                rows.broken.append((number, text_of(line)[:EXAMPLE_CHARACTERS], meaning.broken))


def _matches(pattern: Pattern, message: bytes) -> Iterator[re.Match[bytes]]:
    if not pattern.anchor:
        yield from pattern.regex.finditer(message)
    elif message.startswith(pattern.anchor):
        match = pattern.regex.fullmatch(message)
        if match:
            yield from pattern.each.finditer(message) if pattern.each_layout else (match,)


def _channel(match: re.Match[bytes], pattern: Pattern, rows: Rows) -> int:
    groups = match.groupdict()
    if groups.get("channel"):
        return int(groups["channel"])
    name = pattern.channel_name or (groups.get("name") or b"").decode()
    return rows.number_of_channel(name) if name else 1


def _values(match: re.Match[bytes], pattern: Pattern) -> Row:
    groups = match.groupdict()
    setpoint, pv, output, kp, ki, kd = (number_of(groups.get(name)) for name in VALUES)
    return (setpoint, pv, output * pattern.output_scale, kp, ki, kd)


def unlike(message: bytes, pattern: Pattern) -> str:
    """Return where `message` stops looking like `pattern`, for people: what was expected, at which column."""
    position = 0
    for part in PLACEHOLDER_OR_TEXT.split(pattern.layout + pattern.each_layout):
        if PLACEHOLDER_OR_TEXT.fullmatch(part):
            match = ANY_NUMBER.match(message, position)
            if match is None:
                return f"expected a number for {part} at column {position + 1} of the message"
            position = match.end()
        elif not message.startswith(part.encode(), position):
            return f"expected “{part.strip()}” at column {position + 1} of the message"
        else:
            position += len(part.encode())
    return (
        f"unexpected “{text_of(message[position : position + 20])}” at column {position + 1} of the message"
    )

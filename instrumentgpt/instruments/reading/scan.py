"""Lines that differ in nothing but numbers, read by one expression: the fast way to read a text log.

What lines of a shape mean is what the plain reader (`lines`) says of one of them. It is asked of some more,
and with other numbers; where it says anything else than the shape does, all lines of the shape are left to
it, as are lines of rare shapes. So both ways give the same.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, pairwise
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from instrumentgpt.instruments.reading.clocks import NO_TIME, micros
from instrumentgpt.instruments.reading.layouts import TIMES, Format, Pattern
from instrumentgpt.instruments.reading.lines import VALUES, Rows, meaning_of, number_of, read_into, stripped

NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
DIGIT = re.compile(rb"\d")
WANTED = {"channel": rb"\d{1,4}", "number": NUMBER.pattern, "(": b"(", ")": b")", **TIMES}
OTHER_DIGITS = bytes.maketrans(b"0123456789", b"1234567892")
OTHER_NUMBERS = (b"8", b"-36.25", b"53186")
FEW_LINES = 5  # of a shape: the plain reader takes them sooner than anything can be learned from them
ASKED_LINES = 5  # of a shape
MOST_SHAPES, MOST_ALIKE = 2000, 8  # in a log; that differ in nothing but digits of their words
IN_NUMBERS = b"0123456789.-"

Span = tuple[int, int]


class Piece(NamedTuple):
    """A part of a line: "text", a "number", "digits" that are no number, a "channel", or a kind of time."""

    kind: str
    text: bytes


class Sample(NamedTuple):
    """A sample of a pattern: which groups of its shape its channel and `VALUES` are, 0 for none."""

    pattern: Pattern
    channel: int
    name: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class Shape:
    """What lines like `regex` say: nothing without `samples`. `stamp` is the group of a time, 0 for none."""

    regex: re.Pattern[bytes]
    kind: str
    stamp: int
    samples: tuple[Sample, ...]

    def read(self, rows: Rows, number: int, match: re.Match[bytes]) -> bool:
        """Add to `rows` what the line of this `match` says, and return True; False if its time cannot be."""
        stamp = micros(self.kind, match[self.stamp]) if self.stamp else NO_TIME
        if stamp is None:
            return False
        for pattern, channel, name, groups in self.samples:
            setpoint, pv, output, kp, ki, kd = [
                number_of(match[group]) if group else math.nan for group in groups
            ]
            rows.line.append(number)
            rows.raw.append(stamp)
            rows.channel.append(
                int(match[channel]) if channel else rows.number_of_channel(name) if name else 1
            )
            rows.values.append((setpoint, pv, output * pattern.output_scale, kp, ki, kd))
            rows.scales[pattern.name] = pattern.output_scale
        return True


Matched = tuple[Shape, re.Match[bytes]]


@dataclass
class Shapes:
    """The line shapes of one log, met so far, by what they write between their numbers."""

    layout: Format
    learned: dict[bytes, list[Shape]] = field(default_factory=dict)

    def matches(self, lines: Sequence[bytes], content: bytes) -> list[Matched | None]:
        """Return the shape and the match of each of `lines`, which are those of `content`; None without."""
        words = content.translate(None, IN_NUMBERS).split(b"\n")[: len(lines)]
        for own, count in Counter(words).items():
            if count >= FEW_LINES and own not in self.learned and len(self.learned) < MOST_SHAPES:
                alike = list(compress(lines, map(own.__eq__, words)))
                self.learned[own] = list(shapes_of(alike, self.layout))
        return [self._match(line, own) for line, own in zip(lines, words, strict=True)]

    def _match(self, line: bytes, words: bytes) -> Matched | None:
        for shape in self.learned.get(words, ()):
            if match := shape.regex.fullmatch(line):
                return shape, match
        return None


def read_block(rows: Rows, content: bytes, first_line: int, shapes: Shapes) -> int:
    """Add to `rows` what the lines of `content` say, from `first_line` on; return how many they are."""
    lines = content.removesuffix(b"\n").split(b"\n")
    matches = shapes.matches(lines, content)
    left = [line for line, matched in zip(lines, matches, strict=True) if not matched]
    may_say = iter(_may_say_something(left, shapes.layout))
    for number, (line, matched) in enumerate(zip(lines, matches, strict=True), first_line):
        plainly = not matched[0].read(rows, number, matched[1]) if matched else next(may_say)
        if plainly:
            read_into(rows, [(number, line)], shapes.layout)
    return len(lines)


def _may_say_something(lines: Sequence[bytes], layout: Format) -> Sequence[bool]:
    """Return which of `lines` have what every line with samples or gains has."""
    if not layout.needs:
        return [True] * len(lines)
    found: list[bool] = pc.match_substring_regex(pa.array(lines, pa.binary()), layout.needs).to_pylist()
    return found


def shapes_of(lines: Sequence[bytes], layout: Format) -> Iterator[Shape]:
    """Yield the shapes of `lines`, which are alike between their numbers, until the plain reader must do."""
    for _ in range(MOST_ALIKE):
        asked = lines[:: -(-len(lines) // ASKED_LINES) or 1]
        shape = shape_of(asked, layout) if len(lines) >= FEW_LINES else None
        if shape is None:
            return
        yield shape
        lines = [line for line in lines if not shape.regex.fullmatch(line)]


def shape_of(lines: Sequence[bytes], layout: Format) -> Shape | None:
    """Return the shape of the first of `lines`; None if the plain reader says else of any that it matches."""
    line = lines[0]
    meaning = meaning_of(stripped(line), layout)
    if meaning and (meaning.gains or meaning.boot or meaning.broken):
        return None
    kinds: dict[Span | None, str] = {}  # of what is wanted; "" for values
    samples: list[tuple[Pattern, Span | None, str, list[Span | None]]] = []
    kind, stamp = "", None
    if meaning and meaning.samples:
        begin, parts = line.index(stripped(line)), meaning.parts
        if kind := parts.kind:
            kinds[stamp := (begin + parts.stamp_span[0], begin + parts.stamp_span[1])] = kind
        for pattern, match in meaning.samples:
            channel, *values = (
                _span(match, name, begin + parts.message_start) for name in ("channel", *VALUES)
            )
            kinds |= {channel: "channel"} | dict.fromkeys(values, "")
            name = pattern.channel_name or (match.groupdict().get("name") or b"").decode()
            samples.append((pattern, channel, name, values))
    wanted = sorted(span for span in kinds if span)
    if any(first[1] > second[0] for first, second in pairwise(wanted)):
        return None
    pieces = list(_pieces(line, {span: kinds[span] for span in wanted}))
    group: dict[Span | None, int] = {None: 0, **{span: number for number, span in enumerate(wanted, start=1)}}
    shape = Shape(
        _expression(pieces),
        kind,
        group[stamp],
        tuple(
            Sample(pattern, group[channel], name, tuple(group[span] for span in values))
            for pattern, channel, name, values in samples
        ),
    )
    if not all(_agrees(shape, _changed(pieces, number), layout) for number in OTHER_NUMBERS):
        pieces = [_limited(shape, pieces, at, layout) for at in range(len(pieces))]
        shape = replace(shape, regex=_expression(pieces))
    asked = (*lines, *(_changed(pieces, number) for number in OTHER_NUMBERS))
    return shape if all(_agrees(shape, line, layout) for line in asked) else None


def _span(match: re.Match[bytes], name: str, start: int) -> Span | None:
    """Return where in its line the group `name` of a match stands whose message begins at `start`."""
    has = name in match.re.groupindex and match.start(name) >= 0
    return (start + match.start(name), start + match.end(name)) if has else None


def _pieces(line: bytes, kinds: Mapping[Span, str]) -> Iterator[Piece]:
    """Yield the pieces of `line`: "text", "number", or one of `kinds`, between brackets."""
    done = 0
    for (start, end), kind in kinds.items():
        yield from _numbers_and_text(line, done, start)
        yield Piece("(", b"")
        yield from [Piece(kind, line[start:end])] if kind else _numbers_and_text(line, start, end)
        yield Piece(")", b"")
        done = end
    yield from _numbers_and_text(line, done, len(line))


def _numbers_and_text(line: bytes, done: int, end: int) -> Iterator[Piece]:
    for match in NUMBER.finditer(line, done, end):
        yield Piece("text", line[done : match.start()])
        yield Piece("number", match[0])
        done = match.end()
    yield Piece("text", line[done:end])


def _expression(pieces: Sequence[Piece]) -> re.Pattern[bytes]:
    def written(piece: Piece) -> bytes:
        text = re.escape(piece.text)
        return DIGIT.sub(rb"\\d", text) if piece.kind == "digits" else WANTED.get(piece.kind, text)

    return re.compile(b"".join(map(written, pieces)))


def _changed(pieces: Sequence[Piece], number: bytes) -> bytes:
    """Return the line of `pieces` with another `number` wherever one may be, and other digits."""
    others = {"number": number, "channel": number if number.isdigit() and len(number) < 5 else b"42"}
    return b"".join(
        piece.text.translate(OTHER_DIGITS) if piece.kind == "digits" else others.get(piece.kind, piece.text)
        for piece in pieces
    )


def _limited(shape: Shape, pieces: Sequence[Piece], at: int, layout: Format) -> Piece:
    """Return the piece `at` with its digits alone free, or none, where other numbers would say else."""
    piece = pieces[at]
    before, after = (b"".join(other.text for other in part) for part in (pieces[:at], pieces[at + 1 :]))
    others = (before + number + after for number in OTHER_NUMBERS)
    if piece.kind != "number" or all(_agrees(shape, other, layout) for other in others):
        return piece
    digits = piece.text.translate(OTHER_DIGITS)
    return piece._replace(kind="digits" if _agrees(shape, before + digits + after, layout) else "text")


def _agrees(shape: Shape, line: bytes, layout: Format) -> bool:
    """Return whether the plain reader says of `line` what `shape` does, if that takes it."""
    quick, plain = Rows(), Rows()
    match = shape.regex.fullmatch(line)
    if match is None or not shape.read(quick, 1, match):
        return True
    read_into(plain, [(1, line)], layout)
    return repr(quick) == repr(plain)

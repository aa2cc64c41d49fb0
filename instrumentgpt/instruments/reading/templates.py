"""Line shapes that a log repeats, learned from its own lines: constant words and moving numbers.

What a shape means is found by asking the plain reader (`lines`): once for a line of the shape, and again with
its numbers and blanks changed in every way that the shape is then allowed to vary. What changes the answer is
kept constant or limited; a shape whose answers cannot be explained that way is not learned.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, groupby
from typing import NamedTuple

from instrumentgpt.instruments.reading.layouts import Format, Pattern
from instrumentgpt.instruments.reading.lines import VALUES, Parts, meaning_of, stripped
from instrumentgpt.instruments.reading.words import MOST_DIGITS, StampLayout

PIECE = re.compile(rb"(?P<number>-?\d+(?:\.\d+)?)|(?P<blanks> +)")
LEAST_LINES = 2  # of a shape among the lines shown
MOST_ALIKE = 12  # lines that differ in numbers alone: so many are looked at
OTHER_DIGITS = bytes.maketrans(b"0123456789", b"1234567892")
INTEGERS = (b"7", b"42", b"318", b"4271", b"53186", b"6204817", b"71930482615")
KINDS = (b"8", b"3.5", b"-8", b"-36.204817")  # whole, with a point, negative, both
MOST_BLANKS = 7
MIXED_PROBES = 6
MOST_ATTEMPTS = 5  # to make a line's answer plain by making more of it constant
Place = int | bytes | None  # a piece; the constant text; nothing


class Piece(NamedTuple):
    """A part of a line: "text" that is constant, a "number", some "blanks", or its "stamp"."""

    kind: str
    text: bytes


@dataclass(frozen=True)
class Limits:
    """Which numbers may stand in place of one: digits before the point, and which of KINDS."""

    least: int
    most: int
    kinds: tuple[bool, ...]

    @property
    def any(self) -> bool:
        """Return whether each number may."""
        return self.least == 1 and self.most == MOST_DIGITS and all(self.kinds)


@dataclass(frozen=True)
class Sample:
    """Where a sample stands in a shape."""

    pattern: Pattern
    channel: Place
    name: str
    values: tuple[Place, ...]  # in the order of VALUES


@dataclass(frozen=True, eq=False)
class Template:
    """A line shape and what it says: samples, or gains; neither where such lines say nothing.

    limits   of each piece that is a number
    stamp    the piece that is the time, of `kind` and `layout`; -1 without
    kept     the pieces whose numbers are wanted
    """

    pieces: tuple[Piece, ...]
    limits: dict[int, Limits]
    samples: tuple[Sample, ...]
    gains: bool
    stamp: int
    kind: str
    layout: StampLayout | None
    kept: frozenset[int]
    least_size: int


@dataclass(frozen=True)
class _Answer:
    """What the plain reader says of a line, as places in its pieces."""

    samples: tuple[Sample, ...] = ()
    gains: bool = False
    stamp: int = -1
    kind: str = ""


def templates_of(lines: Sequence[bytes], layout: Format) -> list[Template]:
    """Return the shapes that repeat among `lines` and that can be vouched for, the most frequent first.

    Only of lines that have what every line with samples or gains has.
    """
    alike: dict[bytes, list[bytes]] = defaultdict(list)
    for line in map(stripped, lines):
        if b"\0" not in line:
            alike[PIECE.sub(b"0", line)].append(line)
    shapes: dict[tuple[object, ...], list[list[Piece]]] = defaultdict(list)
    needs = re.compile(layout.needs.encode())
    for line in filter(needs.search, chain.from_iterable(some[:MOST_ALIKE] for some in alike.values())):
        meaning = meaning_of(line, layout)
        if not meaning or not (meaning.boot or meaning.broken):
            says = meaning and (meaning.samples or meaning.gains)
            pieces = list(pieces_of(line, meaning.parts if meaning and says else None))
            shapes[tuple(map(_identity, pieces))].append(pieces)
    repeated = sorted(shapes.values(), key=len, reverse=True)
    templates = (_template_of(shape, layout) for shape in repeated if len(shape) >= LEAST_LINES)
    return [template for template in templates if template]


def _identity(piece: Piece) -> object:
    return piece.text if piece.kind == "text" else (piece.kind, len(piece.text) * (piece.kind == "stamp"))


def pieces_of(line: bytes, parts: Parts | None) -> Iterator[Piece]:
    """Yield the pieces of `line`, all of it; its stamp is one of them if `parts` are given."""
    start, end = parts.stamp_span if parts else (0, 0)
    layout = StampLayout.of(parts.kind, line[start:end]) if parts else None
    if layout is None:
        yield from _numbers_and_text(line)
        return
    yield from _numbers_and_text(line[:start])
    yield Piece("stamp", line[start:end])
    yield from _numbers_and_text(line[end:])


def _numbers_and_text(text: bytes) -> Iterator[Piece]:
    done = 0
    for match in PIECE.finditer(text):
        if match.start() > done:
            yield Piece("text", text[done : match.start()])
        yield Piece(match.lastgroup or "", match[0])
        done = match.end()
    if done < len(text):
        yield Piece("text", text[done:])


def _template_of(shape: list[list[Piece]], layout: Format) -> Template | None:
    """Return the template of the lines of one `shape`, None if the plain reader's answers do not fit one."""
    pieces = shape[0]
    for at, piece in enumerate(pieces):
        if piece.kind == "blanks" and len({other[at].text for other in shape}) == 1:
            pieces = _frozen(pieces, {at})
    answer, pieces = _settled(pieces, layout)
    if answer is None:
        return None
    limits = {}
    numbers = [at for at, piece in enumerate(pieces) if piece.kind == "number"]
    allowed = _allowed(pieces, numbers, [*INTEGERS, *KINDS], answer, layout)
    for at in numbers:
        limits[at] = _limits(pieces[at].text, allowed[at])
    blanks = [at for at, piece in enumerate(pieces) if piece.kind == "blanks"]
    wide = _allowed(pieces, blanks, [b" " * count for count in range(1, MOST_BLANKS + 1)], answer, layout)
    if any(len(texts) < MOST_BLANKS for texts in wide.values()):
        return None
    chance = random.Random(len(pieces))
    for _ in range(MIXED_PROBES):
        mixed = {at: chance.choice([*texts, pieces[at].text]) for at, texts in (allowed | wide).items()}
        if _answer(_changed(pieces, mixed), layout) != answer:
            return None
    return _template(pieces, limits, answer)


def _line(pieces: Iterable[Piece]) -> bytes:
    return b"".join(piece.text for piece in pieces)


def _numbers_of(sample: Sample) -> list[int]:
    """Return the pieces that the numbers of `sample` are."""
    return [at for at in (sample.channel, *sample.values) if isinstance(at, int)]


def _settled(pieces: list[Piece], layout: Format) -> tuple[_Answer | None, list[Piece]]:
    """Return what a line of these pieces says; pieces whose digits are words' or decide are made constant."""
    for _ in range(MOST_ATTEMPTS):
        answer = _answer(pieces, layout)
        if isinstance(answer, _Answer):
            numbers = ((at, piece.text) for at, piece in enumerate(pieces) if piece.kind == "number")
            other = {at: text.translate(OTHER_DIGITS) for at, text in numbers}
            if _answer(_changed(pieces, other), layout) == answer:
                return answer, pieces
            deciding = {at for at in other if _answer(_changed(pieces, {at: other[at]}), layout) != answer}
        else:
            deciding = answer
        pieces = _frozen(pieces, deciding)
    return None, pieces


def _frozen(pieces: list[Piece], which: Iterable[int]) -> list[Piece]:
    chosen = set(which)
    return [Piece("text", piece.text) if at in chosen else piece for at, piece in enumerate(pieces)]


def _changed(pieces: list[Piece], texts: dict[int, bytes]) -> list[Piece]:
    return [Piece(piece.kind, texts[at]) if at in texts else piece for at, piece in enumerate(pieces)]


def _allowed(
    pieces: list[Piece], places: list[int], texts: Sequence[bytes], answer: _Answer, layout: Format
) -> dict[int, list[bytes]]:
    """Return for each of the `places` which of `texts` may stand there without changing the `answer`."""
    allowed: dict[int, list[bytes]] = {at: [] for at in places}
    for text in texts:
        everywhere = _answer(_changed(pieces, dict.fromkeys(places, text)), layout) == answer
        for at in places:
            if everywhere or _answer(_changed(pieces, {at: text}), layout) == answer:
                allowed[at].append(text)
    return allowed


def _limits(number: bytes, allowed: Sequence[bytes]) -> Limits:
    kinds = tuple(text in allowed or _kind(text) == _kind(number) for text in KINDS)
    whole = len(number.lstrip(b"-").partition(b".")[0])
    least = most = whole
    for text in INTEGERS:
        if len(text) >= whole and text not in allowed:
            break
        most = max(most, len(text)) if text is not INTEGERS[-1] else MOST_DIGITS
    for text in reversed(INTEGERS):
        if len(text) <= whole and text not in allowed:
            break
        least = min(least, len(text))
    return Limits(least, most, kinds)


def _kind(number: bytes) -> tuple[bool, bool]:
    return number.startswith(b"-"), b"." in number


def _answer(pieces: list[Piece], layout: Format) -> _Answer | set[int]:
    """Return what a line of these pieces says; the pieces to make constant where that cannot be told.

    An empty set: nothing helps.
    """
    meaning = meaning_of(_line(pieces), layout)
    if meaning is None:
        return _Answer()
    if meaning.boot or meaning.broken:
        return set()
    matches = (meaning.gains,) if meaning.gains else meaning.samples
    if not matches:
        return _Answer()
    parts, places = meaning.parts, _Places(pieces, meaning.parts.message_start)
    samples = []
    for pattern, match in matches:
        channel = places.of(match, "channel")
        name = "" if channel is not None else pattern.channel_name or places.text_of(match, "name")
        values = tuple(places.of(match, value) for value in VALUES)
        samples.append(Sample(pattern, channel, name, values))
    stamp = places.spans.get(parts.stamp_span, -1) if parts.kind else -1
    if places.unclear:
        return places.unclear
    if parts.kind and (stamp < 0 or pieces[stamp].kind == "text"):
        return set()
    return _Answer(tuple(samples), meaning.gains is not None, stamp, parts.kind)


class _Places:
    """Which pieces the groups of a match are; `unclear` gathers those that are only a part of one."""

    def __init__(self, pieces: list[Piece], message_start: int) -> None:
        self.pieces, self.message_start = pieces, message_start
        self.unclear: set[int] = set()
        ends = accumulate(len(piece.text) for piece in pieces)
        sized = zip(pieces, ends, strict=True)
        self.spans = {(end - len(piece.text), end): at for at, (piece, end) in enumerate(sized)}

    def of(self, match: re.Match[bytes], group: str) -> Place:
        if group not in match.re.groupindex or match.start(group) < 0:
            return None
        start, end = (at + self.message_start for at in match.span(group))
        text = match[group]
        exact = self.spans.get((start + text.startswith(b"+"), end - text.endswith(b".")))
        if exact is not None and self.pieces[exact].kind != "text":
            return exact
        within = [
            at
            for (low, high), at in self.spans.items()
            if low < end and high > start and self.pieces[at].kind != "text"
        ]
        self.unclear.update(within)
        return text

    def text_of(self, match: re.Match[bytes], group: str) -> str:
        place = self.of(match, group)
        if isinstance(place, bytes):
            return place.decode()
        self.unclear.update([] if place is None else [place])
        return ""


def _template(pieces: list[Piece], limits: dict[int, Limits], answer: _Answer) -> Template:
    """Return the template, its neighbouring constant pieces joined."""
    joined: list[Piece] = []
    renumbered: dict[int, int] = {}
    numbered = list(enumerate(pieces))
    for constant, group in groupby(numbered, key=lambda pair: pair[1].kind == "text"):
        if constant:
            joined.append(Piece("text", b"".join(piece.text for _, piece in group)))
            continue
        for at, piece in group:
            renumbered[at] = len(joined)
            joined.append(piece)

    def moved(place: Place) -> Place:
        return renumbered[place] if isinstance(place, int) else place

    samples = tuple(
        replace(sample, channel=moved(sample.channel), values=tuple(map(moved, sample.values)))
        for sample in answer.samples
    )
    stamp = renumbered.get(answer.stamp, -1)
    kept = {stamp, *(at for sample in samples for at in _numbers_of(sample))}
    return Template(
        pieces=tuple(joined),
        limits={renumbered[at]: limit for at, limit in limits.items()},
        samples=samples,
        gains=answer.gains,
        stamp=stamp,
        kind=answer.kind,
        layout=StampLayout.of(answer.kind, joined[stamp].text) if stamp >= 0 else None,
        kept=frozenset(kept),
        least_size=sum(len(piece.text) if piece.kind not in ("number", "blanks") else 1 for piece in joined),
    )

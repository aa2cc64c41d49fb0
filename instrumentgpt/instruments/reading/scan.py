"""All lines of a block at once: the fast way to read a text log.

Lines are found by their newline and read by the shapes that the log repeats (`templates`), each for all its
lines together, numbers by `words`. A line of no learned shape is left out if it lacks what every sample has,
else it goes to the plain reader (`lines`): both ways give the same.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from instrumentgpt.instruments.reading.clocks import NO_TIME
from instrumentgpt.instruments.reading.layouts import Format
from instrumentgpt.instruments.reading.lines import VALUES, Rows, number_of, read_into
from instrumentgpt.instruments.reading.templates import MOST_BLANKS, Limits, Sample, Template, templates_of
from instrumentgpt.instruments.reading.words import (
    WHOLE_POWERS,
    Flags,
    Numbers,
    Positions,
    Text,
    blanks_at,
    numbers_at,
    stamps_at,
)

NEWLINE, CARRIAGE_RETURN = 10, 13
LEAST_TAKEN = 0.1  # of the lines left: what shapes must take for learning to be of use
FEW_LINES = 100  # the plain reader takes so many sooner than anything can be learned from them
SHOWN_LINES = 200  # to learn from at once
MOST_TEMPLATES = 150
PATIENCE = 6  # learning that is of no use is given up after so many times
NAMED = 1 << 20  # channels with names have numbers from here on until all blocks are read
MOST_SECONDS = 12  # digits of a time in seconds, so that its µs fit an integer

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Samples:
    """Samples in the order of their lines: `raw` is the stamp (µs), `values` are those that some line has."""

    line: Ints
    raw: Ints
    channel: Ints
    values: dict[str, Floats]


@dataclass
class _Block:
    """The lines of a block: where they start and end (before "\\r\\n"), and which are not read yet."""

    text: Text
    starts: Positions
    ends: Positions
    left: Positions

    @classmethod
    def of(cls, text: Text) -> "_Block":
        ends = np.flatnonzero(text.letters[: text.size] == NEWLINE)
        if text.size and (not len(ends) or ends[-1] != text.size - 1):
            ends = np.append(ends, text.size)
        starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
        ends = ends - (text.letters[ends - 1] == CARRIAGE_RETURN)
        return cls(text, starts, ends, np.arange(len(ends)))

    def line(self, at: int) -> bytes:
        return self.text.letters[self.starts[at] : self.ends[at]].tobytes()


@dataclass
class LineShapes:
    """The line shapes of one log, met so far."""

    templates: tuple[Template, ...] = ()
    patience: int = PATIENCE

    def learn(self, block: _Block, layout: Format) -> bool:
        """Return whether the lines that are left of the block have shapes that are new: they are learned."""
        if self.patience == 0:
            return False
        self.patience -= 1
        shown = np.linspace(0, len(block.left) - 1, SHOWN_LINES).astype(np.int64)
        lines = [block.line(at) for at in block.left[np.unique(shown)].tolist()]
        new = templates_of(lines, layout)[: MOST_TEMPLATES - len(self.templates)]
        self.templates += tuple(new)
        return bool(new)


def samples_of(rows: Rows) -> Samples:
    """Return the samples of `rows` as arrays."""
    values = np.array(rows.values, dtype=np.float64).reshape(-1, len(VALUES))
    return Samples(
        np.array(rows.line, dtype=np.int64),
        np.array(rows.raw, dtype=np.int64),
        np.array(rows.channel, dtype=np.int64),
        {name: values[:, at] for at, name in enumerate(VALUES) if not np.isnan(values[:, at]).all()},
    )


def merged(parts: Sequence[Samples]) -> Samples:
    """Return `parts` as one, in the order of their lines; samples of a line stay as they are.

    The values of the parts are used up: there may be millions.
    """
    parts = [part for part in parts if len(part.line)] or parts[:1]
    if len(parts) == 1:
        return parts[0]
    line = np.concatenate([part.line for part in parts])
    order = np.argsort(line, kind="stable") if (np.diff(line) < 0).any() else slice(None)
    values = {}
    for name in VALUES:
        if any(name in part.values for part in parts):
            columns = [part.values.pop(name, np.broadcast_to(np.nan, len(part.line))) for part in parts]
            values[name] = np.concatenate(columns)[order]
    raw, channel = (np.concatenate([getattr(part, name) for part in parts]) for name in ("raw", "channel"))
    return Samples(line[order], raw[order], channel[order], values)


def scan(
    text: Text, first_line: int, layout: Format, rows: Rows, learned: LineShapes | None = None
) -> tuple[Samples, int]:
    """Return the samples in `text` and its number of lines; what is not samples goes to `rows`.

    rows     gets gains, boots, broken lines and scales; it must have no samples
    learned  the shapes that other blocks of the log have; it gets those of this one
    """
    block, learned = _Block.of(text), learned or LineShapes()
    parts: list[Samples] = []
    if layout.needs and len(block.left) > FEW_LINES:
        block.left = block.left[_may_say_something(block, layout)]
    used = 0
    while len(block.left) > FEW_LINES and (used < len(learned.templates) or learned.learn(block, layout)):
        before, new = len(block.left), learned.templates[used:]
        for template in new:
            parts += _read_shape(block, template, first_line, rows)
        used += len(new)
        if before - len(block.left) > LEAST_TAKEN * before:
            learned.patience = PATIENCE
    lines = ((first_line + at, block.line(at)) for at in block.left.tolist())
    read_into(rows, lines, layout)
    rows.gains.sort(key=lambda gains: gains[0])
    return merged([*parts, samples_of(rows)]), len(block.starts)


def _may_say_something(block: _Block, layout: Format) -> Flags:
    """Return which lines have what every line with samples or gains has."""
    offsets = np.append(block.starts, block.text.size).astype(np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(block.text.letters)]
    lines = pa.Array.from_buffers(pa.binary(), len(block.starts), buffers)
    matches = pc.match_substring_regex(lines, layout.needs)
    return np.asarray(matches.to_numpy(zero_copy_only=False), dtype=bool)


@dataclass
class _Matched:
    """The lines of a shape: places among the lines left, where their reading stands, and what was read."""

    which: Positions
    position: Positions
    end: Positions
    stamp: Ints | None
    numbers: dict[int, Numbers]

    def keep(self, ok: Flags) -> None:
        if not ok.all():
            self.which, self.position, self.end = self.which[ok], self.position[ok], self.end[ok]
            self.stamp = None if self.stamp is None else self.stamp[ok]
            self.numbers = {at: numbers.where(ok) for at, numbers in self.numbers.items()}


def _read_shape(block: _Block, template: Template, first_line: int, rows: Rows) -> list[Samples]:
    """Return the samples of the lines that are written as `template`, and take these from the lines left."""
    starts, ends = block.starts.take(block.left), block.ends.take(block.left)
    matched = _Matched(np.arange(len(block.left)), starts, ends, None, {})
    matched.keep(ends - starts >= template.least_size)
    for at, piece in enumerate(template.pieces):
        if not len(matched.which):
            return []
        position = matched.position
        if piece.kind == "text":
            ok = block.text.is_at(piece.text, position)
            matched.position = position + len(piece.text)
        elif piece.kind == "blanks":
            count = blanks_at(block.text, position)
            ok = (count > 0) & (count <= MOST_BLANKS)
            matched.position = position + count
        elif piece.kind == "stamp" and template.layout:
            matched.stamp, ok = stamps_at(block.text, position, template.layout)
            matched.position = position + template.layout.size
        else:
            kept = at in template.kept
            numbers = numbers_at(block.text, position, kept)
            ok = _within(numbers, template.limits[at], kept)
            matched.position = numbers.end
            if kept:
                matched.numbers[at] = numbers
        matched.keep(ok)
    matched.keep(matched.position == matched.end)
    if not template.layout and template.stamp >= 0:
        matched.keep(matched.numbers[template.stamp].whole <= MOST_SECONDS)
    lines = block.left[matched.which] + first_line
    block.left = np.delete(block.left, matched.which)
    return _shape_samples(matched, template, lines, rows) if len(lines) and template.samples else []


def _within(numbers: Numbers, limits: Limits, kept: bool) -> Flags:
    ok = numbers.ok & numbers.exact() if kept else numbers.ok
    if limits.any:
        return ok
    ok = ok & (numbers.whole >= limits.least) & (numbers.whole <= limits.most)
    if all(limits.kinds):
        return ok
    kind = 2 * numbers.negative + (numbers.decimals > 0)
    allowed: Flags = np.array(limits.kinds)[kind]
    return ok & allowed


def _shape_samples(matched: _Matched, template: Template, lines: Ints, rows: Rows) -> list[Samples]:
    """Return the samples of the `lines` of a shape; gains go to `rows`."""
    channels = [_channels(matched, sample, rows) for sample in template.samples]
    values = [_values(matched, sample) for sample in template.samples]
    names = [name for name in VALUES if any(name in sample for sample in values)]
    nothing = np.full(len(lines), np.nan)
    columns = {name: _laced([sample.get(name, nothing) for sample in values]) for name in names}
    line, channel = np.repeat(lines, len(channels)), _laced(channels)
    if template.gains:
        given = np.array([columns.get(name, nothing) for name in VALUES]).T.tolist()
        rows.gains += zip(line.tolist(), channel.tolist(), map(tuple, given), strict=True)
        return []
    rows.scales |= {sample.pattern.name: sample.pattern.output_scale for sample in template.samples}
    return [Samples(line, np.repeat(_stamps(matched, template), len(channels)), channel, columns)]


def _laced(columns: list[NDArray[Any]]) -> NDArray[Any]:
    """Return the values of all columns, line by line."""
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1).ravel()


def _stamps(matched: _Matched, template: Template) -> Ints:
    if template.stamp < 0:
        return np.full(len(matched.which), NO_TIME)
    if matched.stamp is not None:
        return matched.stamp
    numbers = matched.numbers[template.stamp]
    if template.kind == "milliseconds":
        return numbers.mantissa * 1000
    finer = np.maximum(numbers.decimals - 6, 0)
    return numbers.mantissa // WHOLE_POWERS[finer] * WHOLE_POWERS[np.maximum(6 - numbers.decimals, 0)]


def _channels(matched: _Matched, sample: Sample, rows: Rows) -> Ints:
    if isinstance(sample.channel, int):
        return matched.numbers[sample.channel].mantissa
    if isinstance(sample.channel, bytes):
        number = int(sample.channel)
    else:
        number = rows.number_of_channel(sample.name) if sample.name else 1
    return np.full(len(matched.which), number, dtype=np.int64)


def _values(matched: _Matched, sample: Sample) -> dict[str, Floats]:
    columns: dict[str, Floats] = {}
    for name, place in zip(VALUES, sample.values, strict=True):
        if isinstance(place, int):
            values = matched.numbers[place].values()
        elif math.isnan(constant := number_of(place)):
            continue
        else:
            values = np.full(len(matched.which), constant)
        columns[name] = values * sample.pattern.output_scale if name == "output" else values
    return columns

"""All lines of a chunk at once: the fast way to read a text log.

Lines are found by their newline, samples by the words their message starts with, numbers by `words`.
A line that is not written exactly as its format says goes to the plain reader (`lines`), so that both give
the same.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from instrumentgpt.instruments.reading.layouts import PLACEHOLDER, Format, Pattern
from instrumentgpt.instruments.reading.lines import VALUES, Rows, read_into
from instrumentgpt.instruments.reading.stamp_words import STAMP, stamps_at
from instrumentgpt.instruments.reading.words import (
    PADDING,
    Flags,
    Positions,
    Text,
    find_byte,
    numbers_at,
    word_and_mask,
)

LEVEL = 8  # letters of the longest level, "critical"
ODD_SHARE = 0.2  # of lines without the usual prefix, above which the plain reader takes the whole chunk
PREFIX = re.compile(r"(?P<before>[^{}]{0,8})\{time\}(?P<between>[^{}]{1,2})\{level\}(?P<after>[^{}]{1,2})")
CHANNELS = 10_000  # a channel has at most four digits
NEWLINE, CARRIAGE_RETURN, BLANK = 10, 13, 32


@dataclass(frozen=True)
class Samples:
    """Samples in the order of their lines: `raw` is the stamp (µs), `values` (n, 6) are VALUES."""

    line: NDArray[np.int64]
    raw: NDArray[np.int64]
    channel: NDArray[np.int64]
    values: NDArray[np.float64]


@dataclass(frozen=True)
class Candidates:
    """Lines whose message starts as a sample's: line number, and places of stamp, message and end."""

    number: NDArray[np.int64]
    stamp: Positions
    message: Positions
    end: Positions


@dataclass(frozen=True)
class Plan:
    """How the lines of a format are laid out: what stands before, between and behind stamp and level."""

    before: bytes
    between: bytes
    after: bytes
    patterns: tuple[
        tuple[Pattern, tuple[str | bytes, ...]], ...
    ]  # with its literals and field names in order
    other_anchors: tuple[bytes, ...]  # of messages for the plain reader


@cache
def plan_of(layout: Format) -> Plan | None:
    """Return the plan by which lines of `layout` can be scanned, None where they vary too much for it."""
    prefix = layout.prefixes[0]
    match = PREFIX.fullmatch(prefix.layout)
    anchored = all(len(pattern.anchor) >= 2 for pattern in (*layout.samples, *layout.gains))
    if len(layout.prefixes) != 1 or prefix.kind != "datetime" or not match or not anchored:
        return None
    return Plan(
        match["before"].encode(),
        match["between"].encode(),
        match["after"].encode(),
        tuple((pattern, _tokens(pattern)) for pattern in layout.samples),
        tuple(pattern.anchor for pattern in layout.gains) + ((layout.boot,) if layout.boot else ()),
    )


def _tokens(pattern: Pattern) -> tuple[str | bytes, ...]:
    """Return literals (bytes) and field names ("" if not kept) of the pattern, or of its repeated part."""
    parts = re.split(r"(\{[a-z]*\})", pattern.each_layout or pattern.layout)
    return tuple(part[1:-1] if PLACEHOLDER.fullmatch(part) else part.encode() for part in parts if part)


def samples_of(rows: Rows) -> Samples:
    """Return the samples of `rows` as arrays."""
    return Samples(
        np.array(rows.line, dtype=np.int64),
        np.array(rows.raw, dtype=np.int64),
        np.array(rows.channel, dtype=np.int64),
        np.array(rows.values, dtype=np.float64).reshape(-1, len(VALUES)),
    )


def merged(parts: Sequence[Samples]) -> Samples:
    """Return `parts` as one, in the order of their lines; samples of a line stay as they are."""
    line = np.concatenate([part.line for part in parts])
    order = np.argsort(line, kind="stable") if (np.diff(line) < 0).any() else slice(None)
    return Samples(
        line[order],
        np.concatenate([part.raw for part in parts])[order],
        np.concatenate([part.channel for part in parts])[order],
        np.concatenate([part.values for part in parts])[order],
    )


def scan(text: Text, first_line: int, layout: Format, rows: Rows) -> tuple[Samples, int]:
    """Return the samples in `text` and its number of lines; what is not samples goes to `rows`.

    rows  gets gains, boots, broken lines and scales; it must be fresh
    """
    ends = np.flatnonzero(text.letters[: text.size] == NEWLINE)
    if text.size and (not len(ends) or ends[-1] != text.size - 1):
        ends = np.append(ends, text.size)
    if not len(ends):
        return samples_of(rows), 0
    starts = np.concatenate([[0], ends[:-1] + 1])
    plan = plan_of(layout)
    if plan is None:
        return _plainly(text, np.arange(len(starts)), starts, ends, first_line, layout, rows), len(starts)
    message, odd = _messages(text, starts, plan)
    if odd.sum() > ODD_SHARE * len(starts):
        return _plainly(text, np.arange(len(starts)), starts, ends, first_line, layout, rows), len(starts)
    keys = text.words[message - len(plan.after)]
    keys[odd] = 0
    found: list[Samples] = []
    left, read = odd.copy(), np.zeros(len(starts), dtype=bool)
    for anchor in plan.other_anchors:
        left[_candidates(keys, plan.after + anchor)] = True
    for pattern, tokens in plan.patterns:
        candidates = _candidates(keys, plan.after + pattern.anchor)
        if len(candidates):
            stamps = starts[candidates] + len(plan.before)
            lines = Candidates(candidates + first_line, stamps, message[candidates], ends[candidates])
            samples, good = _read_pattern(text, lines, plan, pattern, tokens)
            found.append(samples)
            read[candidates[good]] = True
            left[candidates[~good]] = True
            if good.any():
                rows.scales[pattern.name] = pattern.output_scale
    found.append(_plainly(text, np.flatnonzero(left & ~read), starts, ends, first_line, layout, rows))
    return merged(found), len(starts)


def _plainly(
    text: Text,
    which: Positions,
    starts: Positions,
    ends: Positions,
    first_line: int,
    layout: Format,
    rows: Rows,
) -> Samples:
    places = zip(which.tolist(), starts[which].tolist(), ends[which].tolist(), strict=True)
    lines = ((first_line + at, text.letters[start:end].tobytes()) for at, start, end in places)
    read_into(rows, lines, layout)
    return samples_of(rows)


def _messages(text: Text, starts: Positions, plan: Plan) -> tuple[Positions, Flags]:
    """Return where the message of each line starts, and which lines have no such prefix."""
    level = starts + len(plan.before) + STAMP + len(plan.between)
    level = np.minimum(level, len(text.words) - 2 * LEVEL - 2)
    word, mask = word_and_mask(plan.between)
    around = text.words[level - len(plan.between)]
    odd = (around & mask) != word
    length = find_byte(around >> np.uint64(8 * len(plan.between)), plan.after[0])
    unclear = np.flatnonzero(length >= LEVEL)  # longer than what the first word still holds
    length[unclear] = find_byte(text.words[level[unclear]], plan.after[0])
    last = unclear[length[unclear] >= LEVEL]
    odd[last] |= text.letters[level[last] + LEVEL] != plan.after[0]
    return level + length + len(plan.after), odd


def _candidates(keys: NDArray[np.uint64], beginning: bytes) -> Positions:
    word, mask = word_and_mask(beginning[:8])
    return np.flatnonzero((keys & mask) == word)


def _read_pattern(
    text: Text, lines: Candidates, plan: Plan, pattern: Pattern, tokens: tuple[str | bytes, ...]
) -> tuple[Samples, Flags]:
    """Return the samples of the candidate lines that are written as `pattern`, and which lines these are."""
    raw, good = stamps_at(text, lines.stamp)
    good &= _levels_are_words(text, lines, plan)
    position = lines.message.copy()
    if pattern.each:
        good &= text.is_at(pattern.layout.encode(), position)
        position += len(pattern.layout.encode())
    active = np.flatnonzero(good)
    which, channels, values = [active[:0]], [np.empty(0, np.int64)], [np.empty((0, len(VALUES)))]
    while len(active):
        behind, ok, channel, fields = _fields(text, position[active], tokens, pattern.output_scale)
        which.append(active)
        channels.append(channel)
        values.append(fields)
        end, letter = lines.end[active], text.letters[behind]
        done = (behind == end) | ((letter == CARRIAGE_RETURN) & (behind + 1 == end))
        more = ok & ~done & (letter == BLANK) & bool(pattern.each)
        good[active[~(ok & (done | more))]] = False
        position[active] = behind + 1
        active = active[more]
    row = np.concatenate(which)
    kept = np.flatnonzero(good[row])
    kept = kept[np.argsort(row[kept], kind="stable")] if len(which) > 2 else kept
    row = row[kept]
    return Samples(
        lines.number[row], raw[row], np.concatenate(channels)[kept], np.concatenate(values)[kept]
    ), good


def _fields(
    text: Text, position: Positions, tokens: tuple[str | bytes, ...], output_scale: float
) -> tuple[Positions, Flags, NDArray[np.int64], NDArray[np.float64]]:
    """Return what stands at `position` as `tokens` say: its end, whether it does, channel and values."""
    ok = np.ones(len(position), dtype=bool)
    channel = np.ones(len(position), dtype=np.int64)
    values = np.full((len(position), len(VALUES)), np.nan)
    for token in tokens:
        if isinstance(token, bytes):
            ok &= text.is_at(token, position)
            position = np.minimum(position + len(token), len(text.words) - PADDING // 2)
            continue
        numbers = numbers_at(text, position, kept=bool(token))
        ok &= numbers.ok
        position = np.minimum(numbers.end, len(text.words) - PADDING // 2)
        if token == "channel":
            ok &= (numbers.decimals == 0) & ~numbers.negative & (numbers.mantissa < CHANNELS)
            channel = numbers.mantissa
        elif token:
            scale = output_scale if token == "output" else 1.0
            values[:, VALUES.index(token)] = numbers.values() * scale
    return position, ok, channel, values


def _levels_are_words(text: Text, lines: Candidates, plan: Plan) -> Flags:
    start = lines.stamp + STAMP + len(plan.between)
    length = lines.message - len(plan.after) - start
    shift = np.uint64(8) * (LEVEL - np.minimum(length, LEVEL)).astype(np.uint64)
    spelled, which = np.unique(text.words[start] << shift, return_inverse=True)
    words = [int(word).to_bytes(8, "little").lstrip(b"\0") for word in spelled]
    return np.array([word.isalpha() for word in words], dtype=bool)[which] & (length > 0)

"""Text logs: which format fits, and what its lines say."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from instrumentgpt.instruments.clocks import NO_TIME, TimeAxis, shifted, start_of, time_axis
from instrumentgpt.instruments.layouts import Format, formats
from instrumentgpt.instruments.lines import EXAMPLES, VALUES, Rows, read_into, take_apart
from instrumentgpt.instruments.parallel import scanned
from instrumentgpt.instruments.record import DEGREES_PER_UNIT, EVENT_COLUMNS, Broken, Log, missing_of
from instrumentgpt.instruments.scan import Samples, merged
from instrumentgpt.instruments.sources import Chunk, Progress, Source, chunks, text_of

FIRST_BYTES = 1 << 16
SNIFFED_LINES = 400  # at the start of a log
SNIFFED_EVERY = 199  # and one line in so many after that, within the first chunk
SOURCE = re.compile(rb"\[([^\]]{1,60})\] ?|([A-Za-z][\w.]{1,30}): ")


@dataclass(frozen=True)
class Fit:
    """How well a format fits some lines: rows it reads, lines with its prefix, and the first near miss."""

    layout: Format
    rows: int
    prefixed: int
    near_miss: tuple[int, str, str] | None


def fits(chunk: Chunk) -> list[Fit]:
    """Return how well each known format fits the lines of `chunk`, best first."""
    lines = list(sniffed(chunk))
    return sorted((_fit(layout, lines) for layout in formats().values()), key=lambda fit: -fit.rows)


def sniffed(chunk: Chunk) -> Iterator[tuple[int, bytes]]:
    """Yield (number, line) of the lines by which a log is recognised."""
    for number, line in enumerate(chunk.content.split(b"\n"), chunk.first_line):
        if number - chunk.first_line < SNIFFED_LINES or number % SNIFFED_EVERY == 0:
            yield number, line


def _fit(layout: Format, lines: list[tuple[int, bytes]]) -> Fit:
    rows = Rows()
    read_into(rows, lines, layout)
    prefixed = [(number, line) for number, line in lines if take_apart(line, layout)]
    near = rows.broken[0] if rows.broken else None
    if near is None and prefixed and prefixed[0][1]:
        expected = " or ".join(
            f"“{pattern.layout}{pattern.each_layout}”" for pattern in layout.samples if pattern.layout
        )
        near = (prefixed[0][0], text_of(prefixed[0][1])[:120], f"no message like {expected}")
    return Fit(layout, len(rows.line), len(prefixed), near)


@dataclass
class _Gathered:
    """What all chunks of a log gave together."""

    parts: list[Samples] = field(default_factory=list)
    rows: Rows = field(default_factory=Rows)  # all but the samples
    first: int = 0  # stamp of the first stamped line, µs
    kind: str = ""
    lines: int = 0

    def add(self, samples: Samples, rows: Rows, lines: int) -> None:
        """Add what `lines` lines gave, whose numbers start at 1."""
        self.parts.append(replace(samples, line=samples.line + self.lines))
        self.rows.gains += [(line + self.lines, channel, values) for line, channel, values in rows.gains]
        self.rows.boots += [line + self.lines for line in rows.boots]
        self.rows.broken_count += rows.broken_count
        room = EXAMPLES - len(self.rows.broken)
        self.rows.broken += [(line + self.lines, text, why) for line, text, why in rows.broken[:room]]
        self.rows.scales |= rows.scales
        self.lines += lines


def read_text_log(source: Source, layout: Format, notes: list[str], progress: Progress | None = None) -> Log:
    """Return the log that `source` is, read as `layout`; `notes` gets what went wrong on the way."""
    found = _Gathered()
    found.first, found.kind = _first_stamp(source, layout)
    for samples, rows, lines in scanned(source, layout, found.rows.names, notes, progress):
        found.add(samples, rows, lines)
    return _log_of(source, layout, found, notes)


def _first_stamp(source: Source, layout: Format) -> tuple[int, str]:
    """Return the stamp (µs) of the first line that has one, and the kind of its time."""
    for chunk in chunks(source, FIRST_BYTES):
        for line in chunk.content.split(b"\n"):
            for prefix in layout.prefixes:
                parts = take_apart(line, layout) if prefix.regex.match(line) else None
                if parts and parts.stamp is not None and parts.stamp != NO_TIME:
                    return parts.stamp, prefix.kind
    return 0, ""


def _log_of(source: Source, layout: Format, found: _Gathered, notes: list[str]) -> Log:
    rows, all_samples = found.rows, merged(found.parts)
    timed = all_samples.raw != NO_TIME
    axis = time_axis(all_samples.raw, all_samples.line, found.kind, found.first, rows.boots)
    samples = pd.DataFrame({"time": axis.time, "channel": all_samples.channel})
    for column, name in enumerate(VALUES):
        samples[name] = all_samples.values[:, column]
    samples["line"] = all_samples.line
    carry_gains(samples, rows)
    kinds = ", ".join(sorted(filter(None, rows.scales)))
    return Log(
        path=source.path,
        name=source.path.name.removesuffix(".gz"),
        format=f"{layout.name} ({kinds})" if kinds else layout.name,
        samples=samples,
        start=start_of(found.first, found.kind),
        lines=found.lines,
        broken=Broken(rows.broken_count, tuple(rows.broken)),
        unit=layout.unit,
        missing=(*(() if found.kind and timed.any() else ("period",)), *missing_of(samples)),
        output_scale=max(rows.scales.values(), default=1.0),
        degrees_per_unit=DEGREES_PER_UNIT.get(layout.unit, math.nan),
        channel_names={number: name for name, number in rows.names.items()},
        clock_steps=axis.clock_steps,
        notes=(*source.notes, *notes, *axis.notes),
        load_events=partial(read_events, source, layout, axis, found.kind, all_samples.line),
    )


def carry_gains(samples: pd.DataFrame, rows: Rows) -> None:
    """Fill kp, ki, kd of `samples` from the last line above that stated them for the channel."""
    if not rows.gains:
        return
    stated = np.array([line for line, _, _ in rows.gains])
    channels = np.array([channel for _, channel, _ in rows.gains])
    gains = np.array([values[3:] for _, _, values in rows.gains])
    for channel in np.unique(channels):
        mine = channels == channel
        of_channel = np.flatnonzero(samples["channel"].to_numpy() == channel)
        last = np.searchsorted(stated[mine], samples["line"].to_numpy()[of_channel], side="right") - 1
        known = last >= 0
        for column, name in enumerate(("kp", "ki", "kd")):
            filled = samples[name].to_numpy(copy=True)
            filled[of_channel[known]] = gains[mine][last[known], column]
            samples[name] = filled


def read_events(
    source: Source, layout: Format, axis: TimeAxis, kind: str, sample_lines: NDArray[np.int64]
) -> pd.DataFrame:
    """Return the lines of `source` that are not among `sample_lines`: time, level, source, text, line."""
    skipped = set(sample_lines.tolist())
    found: list[tuple[int, str, str, str, int]] = []
    for chunk in chunks(source):
        for number, line in enumerate(chunk.content.split(b"\n"), chunk.first_line):
            if number not in skipped and line.strip():
                found.append(_event(number, line.rstrip(b"\r"), layout))
    frame = pd.DataFrame(found, columns=["raw", *EVENT_COLUMNS[1:]])
    lines = frame["line"].to_numpy(dtype=np.int64)
    frame["raw"] = shifted(frame["raw"].to_numpy(dtype=np.int64), lines, axis, kind)
    return frame.rename(columns={"raw": "time"}).astype(
        {"level": "str", "source": "str", "text": "str", "line": "int64"}
    )


def _event(number: int, line: bytes, layout: Format) -> tuple[int, str, str, str, int]:
    parts = take_apart(line, layout)
    if parts is None:
        return NO_TIME, "", "", text_of(line), number
    named = SOURCE.match(parts.message)
    name = (named[1] or named[2]) if named else b""
    text = parts.message[named.end() :] if named else parts.message
    stamp = NO_TIME if parts.stamp is None else parts.stamp
    return stamp, parts.level.decode().lower(), text_of(name), text_of(text), number

"""Text logs: which format fits, and what its lines say."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from instrumentgpt.instruments.clocks import NO_TIME, TimeAxis, shifted, start_of, time_axis
from instrumentgpt.instruments.layouts import Format, formats
from instrumentgpt.instruments.lines import Rows, read_into, take_apart
from instrumentgpt.instruments.record import DEGREES_PER_UNIT, EVENT_COLUMNS, Broken, Log, missing_of
from instrumentgpt.instruments.sources import Chunk, Progress, Source, chunks, text_of

SNIFFED_LINES = 3000  # at the start of a log
SNIFFED_EVERY = 50  # and one line in so many after that, within the first chunk
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

    rows: Rows = field(default_factory=Rows)
    first: int | None = None  # stamp of the first stamped line, µs
    kind: str = ""
    boots: list[int] = field(default_factory=list)
    lines: int = 0


def read_text_log(source: Source, layout: Format, notes: list[str], progress: Progress | None = None) -> Log:
    """Return the log that `source` is, read as `layout`."""
    found = _Gathered()
    for chunk in chunks(source, notes=notes, progress=progress):
        lines = chunk.content.split(b"\n")
        if lines[-1] == b"":
            lines.pop()
        numbered = list(enumerate(lines, chunk.first_line))
        if found.first is None:
            _first_stamp(found, numbered, layout)
        read_into(found.rows, numbered, layout)
        if layout.boot:
            found.boots += [number for number, line in numbered if layout.boot in line]
        found.lines += len(lines)
    return _log_of(source, layout, found, notes)


def _first_stamp(found: _Gathered, lines: Iterable[tuple[int, bytes]], layout: Format) -> None:
    for _, line in lines:
        for prefix in layout.prefixes:
            if prefix.regex.match(line):
                parts = take_apart(line, layout)
                if parts and parts.stamp is not None:
                    found.first, found.kind = parts.stamp, prefix.kind
                    return


def _log_of(source: Source, layout: Format, found: _Gathered, notes: list[str]) -> Log:
    rows = found.rows
    line = np.asarray(rows.line, dtype=np.int64)
    raw = np.asarray(rows.raw, dtype=np.int64)
    axis = time_axis(raw, line, found.kind, found.first or 0, found.boots)
    samples = pd.DataFrame({"time": axis.time, "channel": np.asarray(rows.channel, dtype=np.int64)})
    values = np.asarray(rows.values, dtype=float).reshape(-1, 6)
    for column, name in enumerate(("setpoint", "pv", "output", "kp", "ki", "kd")):
        samples[name] = values[:, column]
    samples["line"] = line
    carry_gains(samples, rows)
    return Log(
        path=source.path,
        name=source.path.name.removesuffix(".gz"),
        format=f"{layout.name} ({', '.join(sorted(filter(None, rows.scales)))})".removesuffix(" ()"),
        samples=samples,
        start=start_of(found.first, found.kind) if found.first is not None else None,
        lines=found.lines,
        broken=Broken(rows.broken_count, tuple(rows.broken)),
        unit=layout.unit,
        missing=missing_of(samples),
        output_scale=max(rows.scales.values(), default=1.0),
        degrees_per_unit=DEGREES_PER_UNIT.get(layout.unit, np.nan),
        channel_names={number: name for name, number in rows.names.items()},
        clock_steps=axis.clock_steps,
        notes=(*source.notes, *notes, *axis.notes),
        load_events=partial(read_events, source, layout, axis, found.kind, line),
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

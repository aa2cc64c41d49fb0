"""Text logs: which format fits, and what its lines say."""

import math
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from instrumentgpt.instruments.reading.cells import began_in
from instrumentgpt.instruments.reading.clocks import (
    NO_TIME,
    SECOND,
    Lines,
    TimeAxis,
    counted_at,
    second_of_day,
    shifted,
    start_of,
    time_axis,
)
from instrumentgpt.instruments.reading.headers import NAMES, level_of
from instrumentgpt.instruments.reading.layouts import Format, FormatError, formats, own_files, own_format
from instrumentgpt.instruments.reading.lines import VALUES, Rows, read_into, take_apart
from instrumentgpt.instruments.reading.placeholders import notes_of, placeholders_of
from instrumentgpt.instruments.reading.record import EVENT_COLUMNS, Broken, Log, missing_of
from instrumentgpt.instruments.reading.scales import output_scale
from instrumentgpt.instruments.reading.scan import NAMED, LineShapes, Samples, merged, samples_of, scan
from instrumentgpt.instruments.reading.sources import Chunk, Progress, Source, chunks, lines_above, text_of
from instrumentgpt.instruments.reading.words import Text

BLOCK_BYTES = 4 << 20  # read at once: memory stays flat, whatever the size of the log
FIRST_BYTES = 1 << 16
STEP_BYTES, WALL_STEPS = 1 << 20, 8  # in so many from the start a line may say the epoch
EPOCH = 300_000_000 * SECOND  # a clock beyond counts since 1970
SNIFFED = (150, 80), (3000, 2000)  # lines at the start of a log and spread over it; where those say nothing
SOURCE = re.compile(rb"\[([^\]]{1,60})\] ?|([A-Za-z][\w.]{1,30}): ")


@dataclass(frozen=True)
class Fit:
    """How well a format fits some lines: rows it reads; without any, lines with its prefix, a near miss."""

    layout: Format
    rows: int
    prefixed: int = 0
    near_miss: tuple[int, str, str] | None = None


def fits(chunk: Chunk, thoroughly: bool = True) -> list[Fit]:
    """Return how well each known format fits the lines of `chunk`, best first.

    thoroughly  look at many lines where a few say nothing
    """
    best_first: list[Fit] = []
    for count, places in SNIFFED[: 1 + thoroughly]:
        lines, best_first = sniffed(chunk, count, places), []
        for last_resort in (False, True):
            some = [_fit(layout, lines) for layout in formats().values() if layout.last_resort == last_resort]
            best_first = sorted([*best_first, *some], key=lambda fit: -fit.rows)
            if best_first[0].rows:
                return best_first
    return best_first


def format_problems() -> list[str]:
    """Return what is wrong with the user's own formats: files that are none, examples that are not read."""
    problems = []
    for path, _ in own_files():
        try:
            layout = own_format(path)
        except FormatError as problem:
            problems.append(str(problem))
            continue
        for example in layout.examples:
            rows = Rows()
            read_into(rows, [(1, str(example.get("line", "")).encode())], layout)
            named = [dict(zip(VALUES, values, strict=True)) for values in rows.values]
            found = [{"channel": at, **one} for at, one in zip(rows.channel, named, strict=True)]
            if "samples" in example and _rounded(found) != _rounded(example["samples"]):
                text = (
                    f"{path}: its example “{example.get('line')}” is read as {_rounded(found) or 'nothing'}"
                )
                problems.append(f"{text}, not as {example['samples']}. Correct the one or the other")
    return problems


def _rounded(samples: Any) -> Any:
    """Return `samples` to two decimals, without what they do not carry; as they are where they are none."""
    with suppress(AttributeError, TypeError):
        return [{name: round(value, 2) for name, value in one.items() if value == value} for one in samples]
    return samples


def sniffed(chunk: Chunk, count: int, places: int) -> list[tuple[int, bytes]]:
    """Return (number, line) of the first `count` lines, then lines at `places` of the rest, with number 0."""
    content = chunk.content
    first = content.split(b"\n", count)
    lines = list(enumerate(first[:count], chunk.first_line))
    behind = len(content) - len(first[-1]) if len(first) > count else len(content)
    for place in range(places):
        start = content.find(b"\n", behind + (len(content) - behind) * place // places) + 1
        end = content.find(b"\n", start)
        if start and end > start:
            lines.append((0, content[start:end]))
    return lines


def _fit(layout: Format, lines: list[tuple[int, bytes]]) -> Fit:
    rows = Rows()
    read_into(rows, lines, layout)
    if rows.line:
        return Fit(layout, len(rows.line))
    prefixed = [(number, line) for number, line in lines if number and take_apart(line, layout)]
    near = next((broken for broken in rows.broken if broken[0]), None)
    if near is None and prefixed and prefixed[0][1]:
        expected = " or ".join(
            f"“{pattern.layout}{pattern.each_layout}”" for pattern in layout.samples if pattern.layout
        )
        reason = f"no message like {expected}" if expected else "no message with the values of a loop"
        near = (prefixed[0][0], text_of(prefixed[0][1])[:120], reason)
    return Fit(layout, 0, len(prefixed), near)


def read_text_log(
    source: Source, layout: Format, period: float | None = None, progress: Progress | None = None
) -> Log:
    """Return the log that `source` is, read as `layout`; `period` (s) is for one without times."""
    notes: list[str] = []
    rows, learned, lines = Rows(first_number=NAMED), LineShapes(), 0
    parts = [samples_of(rows)]
    for chunk in chunks(source, BLOCK_BYTES, notes, progress):
        rows = replace(rows, line=[], raw=[], channel=[], values=[])  # those of a block; the rest goes on
        samples, count = scan(Text.of(chunk.content), chunk.first_line, layout, rows, learned)
        parts.append(samples)
        lines = chunk.first_line - 1 + count
    return _log_of(source, layout, merged(parts), rows, lines, notes, period)


def _number_channels(samples: Samples, rows: Rows) -> dict[int, str]:
    """Return the names of the channels that have names; these are numbered from 1 on as they are met."""
    names = {number: name for name, number in rows.names.items()}
    places = {number: np.flatnonzero(samples.channel == number) for number in names}
    met = [(int(samples.line[at[0]]), int(at[0]), number) for number, at in places.items() if len(at)]
    met += [(line, 0, number) for line, number, _ in rows.gains if number in names]
    order = list(dict.fromkeys(number for *_, number in sorted(met)))
    numbers = {number: place for place, number in enumerate(order, start=1)}
    for number in order:
        samples.channel[places[number]] = numbers[number]
    rows.gains = [(line, numbers.get(number, number), values) for line, number, values in rows.gains]
    return {numbers[number]: names[number] for number in order}


def _first_stamp(source: Source, layout: Format) -> tuple[int, str]:
    """Return the stamp (µs) of the first line that has one, and the kind of its time."""
    for chunk in chunks(source, FIRST_BYTES):
        for line in chunk.content.split(b"\n"):
            parts = take_apart(line, layout)
            if parts and parts.stamp is not None and parts.stamp != NO_TIME:
                epoch = parts.kind == "seconds" and parts.stamp > EPOCH
                return parts.stamp, "epoch" if epoch else parts.kind
    return 0, ""


def _wall_clock(source: Source, layout: Format) -> int | None:
    """Return the µs since 1970 at 0 of the log's own clock, from the line that says it; None without one."""
    for chunk in islice(chunks(source, STEP_BYTES), WALL_STEPS) if layout.wall else ():
        if layout.wall and (match := layout.wall.search(chunk.content)):
            return round((float(match["epoch"]) - float(match["time"])) * SECOND)
    return None


def _stamped(samples: Samples, period: float | None) -> NDArray[np.int64]:
    """Return the stamps (µs): without one, that of the row above; without any, lines are `period` apart."""
    timed = samples.raw != NO_TIME
    if timed.all():
        return samples.raw
    if timed.any():
        above = np.maximum.accumulate(np.where(timed, np.arange(len(timed)), np.argmax(timed)))
        return samples.raw[above]
    rows = np.cumsum(np.diff(samples.line, prepend=samples.line[:1]) > 0)
    return rows * round((period or 1.0) * SECOND)


def _last_of_stamp(samples: Samples) -> Samples:
    """Return `samples` without those that the next row of the same channel and stamp replaces."""
    same = (np.diff(samples.raw) == 0) & (np.diff(samples.channel) == 0)
    kept = np.flatnonzero(np.append(~same, True)[: len(samples.raw)])
    values = {name: column[kept] for name, column in samples.values.items()}
    return Samples(samples.line[kept], samples.raw[kept], samples.channel[kept], values)


def _log_of(
    source: Source,
    layout: Format,
    all_samples: Samples,
    rows: Rows,
    lines: int,
    notes: list[str],
    period: float | None,
) -> Log:
    channel_names = _number_channels(all_samples, rows)
    untimed = not (all_samples.raw != NO_TIME).any()
    first, kind = (0, "seconds") if untimed else _first_stamp(source, layout)
    skipped = all_samples.line
    if layout.last_of_stamp and not untimed:
        all_samples = _last_of_stamp(all_samples)
    raw = _stamped(all_samples, period)
    axis = time_axis(raw, all_samples.line, kind, first, rows.boots)
    wall = _wall_clock(source, layout)
    above = lines_above(source, int(skipped[0])) if kind == "clock" and len(skipped) else []
    began = began_in(text for _, text in above)
    nothing = np.broadcast_to(math.nan, len(axis.time))  # takes no room
    values = {name: all_samples.values.get(name, nothing) for name in VALUES}
    columns = {"time": axis.time, "channel": all_samples.channel, **values, "line": all_samples.line}
    samples = pd.DataFrame(columns, copy=False)
    carry_gains(samples, rows)
    scale, why = max(rows.scales.values(), default=1.0), ""
    if layout.last_resort:  # which says nothing of the output's range
        scale, why = output_scale(samples["output"].to_numpy(dtype=np.float64), None)
        samples["output"] *= scale
    placeholders = placeholders_of(samples)
    kinds = ", ".join(sorted(filter(None, rows.scales)))
    return Log(
        path=source.path,
        name=source.path.name.removesuffix(".gz"),
        format=f"{layout.name} ({kinds})" if kinds else layout.name,
        samples=samples,
        start=start_of(axis.first, kind, source.path, began)
        if wall is None
        else start_of(axis.first + wall, "epoch"),
        of_day=second_of_day(axis.first, kind),
        counted=counted_at(axis.first, kind),
        layout=layout.name,
        lines=lines,
        broken=Broken(rows.broken_count, tuple(rows.broken)),
        unit=layout.unit,
        missing=(*(("period",) if untimed and not period else ()), *missing_of(samples)),
        output_scale=scale,
        placeholders=placeholders,
        guessed={"output": why} if why else {},
        channel_names=channel_names,
        clock_steps=axis.clock_steps,
        notes=(*source.notes, *notes, *axis.notes, *notes_of(placeholders, channel_names)),
        load_events=partial(read_events, source, layout, axis, kind, skipped, all_samples.line),
    )


def carry_gains(samples: pd.DataFrame, rows: Rows) -> None:
    """Fill kp, ki, kd of `samples` from the last line above that stated them, or before it."""
    if not rows.gains:
        return
    stated = np.array([line for line, _, _ in rows.gains])
    channels = np.array([channel for _, channel, _ in rows.gains])
    gains = np.array([values for _, _, values in rows.gains])
    for channel in np.unique(channels):
        mine = channels == channel
        of_channel = np.flatnonzero(samples["channel"].to_numpy() == channel)
        last = np.searchsorted(stated[mine], samples["line"].to_numpy()[of_channel], side="right") - 1
        for column, name in enumerate(("kp", "ki", "kd")):
            filled = samples[name].to_numpy(copy=True)
            after, before = gains[mine, column + 3], gains[mine, column][:1]
            holds = np.append(before, after)[last + 1]
            filled[of_channel] = np.where((last >= 0) | np.isfinite(holds), holds, filled[of_channel])
            samples[name] = filled


def read_events(
    source: Source, layout: Format, axis: TimeAxis, kind: str, skipped: Lines, sample_lines: Lines
) -> pd.DataFrame:
    """Return the lines of `source` that are not `skipped`, or begin to tell of something bad.

    One without a stamp has the time of the event above, or of the later sample there, those of `axis`.
    """
    to_skip = set(skipped.tolist())
    events: list[tuple[int, str, str, str, int]] = []
    level = ""
    for chunk in chunks(source):
        for number, line in enumerate(chunk.content.split(b"\n"), chunk.first_line):
            is_said, before = number not in to_skip, level
            if layout.last_resort and not is_said:
                level = level_of(NAMES.sub("", text_of(line)))
                is_said = bool(before) and level not in (before, "info")
            if is_said and line.strip():
                events.append(_event(number, line.rstrip(b"\r"), layout))
    frame = pd.DataFrame(events, columns=[*EVENT_COLUMNS])
    stamps, lines = (frame[name].to_numpy(dtype=np.int64) for name in ("time", "line"))
    time, above = shifted(stamps, lines, axis, kind), np.searchsorted(sample_lines, lines) - 1
    late = np.maximum(time, np.append(axis.time, 0.0)[above])
    return frame.assign(time=np.where(stamps == NO_TIME, late, time)).astype(EVENT_COLUMNS)


def _trouble(text: str) -> str:
    """Return the level of a line that has none but tells of trouble, else ""."""
    return "" if (level := level_of(text)) == "info" else level


def _event(number: int, line: bytes, layout: Format) -> tuple[int, str, str, str, int]:
    parts = take_apart(line, layout)
    if parts is None:
        return NO_TIME, _trouble(text_of(line)), "", text_of(line), number
    named = SOURCE.match(parts.message)
    name = (named[1] or named[2]) if named else b""
    text = parts.message[named.end() :] if named else parts.message
    stamp = NO_TIME if parts.stamp is None else parts.stamp
    level = parts.level.decode().lower() or _trouble(text_of(text))
    return stamp, level, text_of(name), text_of(text), number

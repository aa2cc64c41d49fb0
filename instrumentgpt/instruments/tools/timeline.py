"""What happened in a log, in its order: what was set, how pv came there, when it left, what was said."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from instrumentgpt.instruments import loop_wording, wording
from instrumentgpt.instruments.analysis.course import course_of
from instrumentgpt.instruments.analysis.departures import happenings
from instrumentgpt.instruments.analysis.programme import Phase, columns_of
from instrumentgpt.instruments.analysis.segments import Segment
from instrumentgpt.instruments.analysis.signals import runs
from instrumentgpt.instruments.analysis.tracks import AT_LIMIT
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.language import Language, phrase, span_text
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loops import Floats, Loop, loops_of
from instrumentgpt.instruments.messages import TROUBLE, Group, group_messages
from instrumentgpt.instruments.tools.opened import plain
from instrumentgpt.instruments.tools.window import gain_changes, levels_of, ways_of
from instrumentgpt.instruments.tuning.gains import GAIN_NAMES

SHORT = 3  # legs
ALIKE = 4  # lines: more are told as one
MOST = 16  # told of one log; of more those alike are told as one, and lines that come more often tell nothing
FINE = 400_000  # samples, above which the segments tell what was set
AT_LIMIT_FOR = 0.01  # of the log, and two lags, for which an output stands at its limit to be told
FIRST = ("found", "found_all", "glitch", "programme", "out")
ORDER = (*FIRST, "set", "limit", "gains", "held", "goes", "stays", "said")
word = partial(phrase, Path(__file__).with_name("timeline.toml"))
Numbers = dict[str, Any]


@dataclass(frozen=True)
class Happening:
    """Something that happened in a log.

    what        its sentence in timeline.toml
    start, end  s since the log's first line
    alike       what those like it have, too
    numbers     that its sentence tells
    """

    what: str
    channel: int | None
    start: float
    end: float
    line: int
    alike: tuple[object, ...]
    numbers: Numbers


def timeline(
    diagnosis: Diagnosis, channel: int | None, language: Language, done: Sequence[Group] | None = None
) -> list[Numbers]:
    """Return what happened in order, each with clock, line, numbers and a summary, at most `MOST`.

    Where it is more, those that are alike are told as one: `count`.

    done  what was done, by lines and columns of the log; None: by lines
    """
    done = happenings(diagnosis.log.events) if done is None else done
    happened = [*_found(diagnosis, channel, language), *_programmes(diagnosis, channel, language)]
    happened += _said(diagnosis, channel, done)
    log, alone, size = diagnosis.log, "setpoint" in diagnosis.log.missing, max(1, len(diagnosis.channels))
    count = len(log.samples)  # of which a long log's are taken a row of all channels here and there
    rows = np.arange(0, count, size * max(1, count // FINE))[:, None] + np.arange(size)
    log = replace(log, samples=log.samples.iloc[rows[rows < count]])
    for number, loop in (loops := loops_of(replace(log, samples=log.readings))).items():
        if channel in (None, number) and number in diagnosis.kinds:
            happened += chain(_out(diagnosis, loop, language), _limits(diagnosis, loop))
            happened += chain(_gains(log, number), _legs(loop, alone), _set(diagnosis, loops, number))
    alike = defaultdict[object, list[Happening]](list)
    for one in sorted(happened, key=lambda one: one.start):
        alike[one.what, one.channel, one.alike].append(one)
    said = [group for group in alike.values() if group[0].what == "said" and len(group) > ALIKE]
    groups = sorted((group for group in alike.values() if group not in said), key=len)
    while groups and len(said) + sum(map(len, groups)) > MOST and len(groups[-1]) > 1:
        said.append(groups.pop())
    told = [*said, *([one] for group in groups for one in group)]
    told.sort(key=lambda row: (ORDER.index(row[0].what), row[0].start - row[-1].end))
    told = sorted(told[:MOST], key=lambda row: row[0].start)
    return [_row(diagnosis, row, language) for row in told]


def states(log: Log, language: Language) -> list[Numbers]:
    """Return how often and how long each column beside the loops had each of its few values, and when.

    count, seconds in all, shortest and longest; clock and line of the first time, the last, and a summary
    """
    end = float(log.samples["time"].max()) if len(log.samples) else 0.0
    told = list[Numbers]()
    for phases in (column.phases(end) for column in columns_of(log.states)):
        if sum(phase.seconds if phase.value else -phase.seconds for phase in phases) >= 0:  # else remarks
            told += [_state(log, phase, language) for phase in phases if phase.value]
    return told


def _state(log: Log, phase: Phase, language: Language) -> Numbers:
    span, lengths = partial(span_text, language=language, exact=True), np.ptp(phase.spans, axis=1)
    (first, _), (last, until) = phase.spans[[0, -1]].tolist()
    numbers = {"count": len(lengths), "seconds": phase.seconds, "longest": float(lengths.max())}
    said = {"text": phase.text, "total": span(phase.seconds), "last": _clock(log, last, first)}
    said["spans"] = "–".join(dict.fromkeys(map(span, (lengths.min(), lengths.max()))))
    summary = word("state" if len(lengths) > 1 else "state_once", language, **numbers | said)
    told = {"what": "state", "channel": None, "text": phase.text, "summary": summary, **numbers}
    return dict(plain(log.at(first, phase.lines[0]) | {"end_clock": log.clock(until)} | told))


def _row(diagnosis: Diagnosis, row: Sequence[Happening], language: Language) -> Numbers:
    """Return one happening, or all that are alike, as JSON."""
    log, first, span = diagnosis.log, row[0], partial(span_text, language=language, exact=True)
    by_size = sorted(row, key=lambda one: abs(one.numbers.get("size", 0.0)))
    taken = [one.numbers.get("arrived", one.end - one.start) for one in row]
    numbers = {**first.numbers, "count": len(row), "seconds": first.end - first.start}
    for name, one in (("smallest", by_size[0]), ("largest", by_size[-1])):
        numbers[name] = one.numbers.get("size", math.nan)
    numbers |= {name: by_size[-1].numbers[name] for name in ("pv", "peak") if name in first.numbers}
    numbers |= {"last": _clock(log, row[-1].start, first.start), "at": _clock(log, first.start, math.nan)}
    apart = np.median(np.diff([one.start for one in row])) if len(row) > 1 else math.nan
    ends = {"span": first.end - first.start, "came": taken[0], "apart": float(apart)}
    ends["kept"] = numbers.get("kept", math.nan)
    said = {name: "?" if math.isnan(value) else span(value) for name, value in ends.items()}
    lengths = [span(length) for length in sorted(length for length in taken if length >= 0)]
    said |= {"channel": f"{first.channel}", "unit": log.unit_of(first.channel or 0)}
    said |= {"spans": "–".join(dict.fromkeys([*lengths[:1], *lengths[-1:]]))}
    names = _parts(numbers) if len(row) == 1 else ["came"] * bool(lengths)
    parts = "".join(word(name, language, **numbers | said) for name in names)
    key = first.what if len(row) == 1 else f"{first.what}_often"
    told = {"what": first.what, "channel": first.channel, **log.at(first.start, first.line), **numbers}
    summary = word(key, language, **numbers | said, parts=parts)
    return dict(plain(told | {"end_clock": log.clock(row[-1].end), "summary": summary}))


def _clock(log: Log, time: float, start: float) -> str:
    """Return the clock at `time`, without the day if that is the one of `start`."""
    clock, day = log.clock(time)[: 19 if log.start else None], log.clock(start).partition(" ")[0]
    return clock.partition("(")[2].rstrip(")") or clock.removeprefix(f"{day} ")


def _parts(numbers: Numbers) -> Iterator[str]:
    """Yield what is known of how pv came to a setpoint, and how it was held."""
    if "arrived" in numbers:
        came = math.isfinite(numbers["arrived"])
        yield from ["ramped"] * math.isfinite(numbers["asked"])
        yield "arrived" if came else "short"
        yield from ["beyond"] * bool(came and numbers["size"] > 0)
    yield from (name for name in ("least", "duty") if name in numbers)


def _found(diagnosis: Diagnosis, channel: int | None, language: Language) -> Iterator[Happening]:
    for one in diagnosis.glitches:
        if channel in (None, one.channel):
            numbers = {"size": one.numbers["size"]}
            yield Happening("glitch", one.channel, one.onset, one.end, one.evidence[0].line, (), numbers)
    for one in diagnosis.findings:
        if one.severity not in ("none", "info") and (channel is None or one.is_about(channel)):
            place = (one.onset, one.end, one.evidence[0].line if one.evidence else 1, (one.onset,))
            numbers = {"title": wording.title(one.fault, language)}
            numbers["until"] = _clock(diagnosis.log, one.end, one.onset)
            yield Happening("found" if one.channel else "found_all", one.channel, *place, numbers)


def _programmes(diagnosis: Diagnosis, channel: int | None, language: Language) -> Iterator[Happening]:
    for one in diagnosis.programmes:
        if channel in (None, one.channel):
            numbers = {"text": one.text, "times": len(one.moments), "least": one.lowest, "most": one.highest}
            numbers |= {"kept": one.back, "title": wording.title(one.fault, language)}
            numbers["until"] = _clock(diagnosis.log, one.moments[-1], one.moments[0])
            place = (one.moments[0], one.moments[-1], one.lines[0], (one.text, one.fault))
            yield Happening("programme", one.channel, *place, numbers)


def _read(values: Floats, loop: Loop, window: tuple[float, float]) -> Floats:
    """Return what is finite of the `values` of a loop in a `window`, s."""
    first, stop = np.searchsorted(loop.time, window)
    part = values[first : stop + 1]
    return np.asarray(part[np.isfinite(part)])


def _set(diagnosis: Diagnosis, loops: Mapping[int, Loop], channel: int) -> Iterator[Happening]:
    """Yield how pv came to the setpoints of a channel, and how these were held; not of the only one."""
    log, band, loop = diagnosis.log, diagnosis.bands[channel], loops[channel]
    if len(log.samples) > FINE or "setpoint" in log.missing:
        return
    segments = [one for one in diagnosis.segments if one.channel == channel]
    ways = {after.onset: way for way, after in ways_of(log, channel, segments, band)}
    levels = list[Segment]()
    for level in levels_of(log.samples[log.samples["channel"] == channel], segments, band):
        if levels and level.setpoint == levels[-1].setpoint and level.onset not in ways:  # of another day
            levels[-1] = replace(levels[-1], end=level.end)
        else:
            levels.append(level)
    for level in levels if ways or len(levels) > 1 else ():
        window = (level.settled_at if level.kind == "hold" else level.middle), level.end
        numbers: Numbers = {"to": level.setpoint, "kept": level.end - level.onset, "band": band}
        pv, output = (_read(values, loop, window) for values in (loop.pv, loop.output))
        numbers |= {"least": pv.min(), "most": pv.max()} if pv.size else {}
        numbers |= {"duty": output.mean()} if output.size else {}
        if way := ways.get(level.onset):
            numbers |= {"from": way["from"], "arrived": way["seconds"], "asked": way["asked"]}
            numbers["left"] = math.nan if level is levels[0] else way["from"]
            numbers |= {name: way["beyond"][name] for name in ("size", "value")}
        begun: tuple[float, float, int]
        begun = (way["start"], level.end, way["line"]) if way else (level.onset, level.end, level.first_line)
        alike = numbers.get("from"), level.setpoint
        yield Happening("set" if way else "held", channel, *begun, alike, numbers)


def _out(diagnosis: Diagnosis, loop: Loop, language: Language) -> Iterator[Happening]:
    """Yield the times in which a loop was out of its own band, and what explains them."""
    of_several = {one.fault for one in diagnosis.findings if one.channels or "cycles" in one.numbers}
    for one in diagnosis.excursions:
        first, stop = np.searchsorted(loop.time, [one.onset, one.end])
        away = math.copysign(1.0, one.size) * loop.pv[first : stop + 1]
        if one.channel == loop.channel and np.isfinite(away).any():
            peak, why = int(first) + int(np.nanargmax(away)), loop_wording.explanation(one, language)
            clock = _clock(diagnosis.log, loop.time[peak], one.onset)
            numbers = {"size": one.size, "pv": loop.pv[peak], "why": why, "peak": clock}
            numbers["shared"] = one.explained in of_several
            place = (one.onset, one.end, one.evidence[0].line, (one.size > 0, why))
            yield Happening("out", loop.channel, *place, numbers)


def _limits(diagnosis: Diagnosis, loop: Loop) -> Iterator[Happening]:
    """Yield the times in which an output that is no switch stood at one of its limits."""
    kind = diagnosis.kinds[loop.channel]
    if kind.drive not in ("continuous", "manual") or not len(loop) or kind.high <= kind.low:
        return
    least = max(2 * kind.lag, AT_LIMIT_FOR * float(np.ptp(loop.time)))
    for limit in (kind.low, kind.high):
        for first, stop in runs(np.abs(loop.output - limit) < AT_LIMIT).tolist():
            start, end = float(loop.time[first]), float(loop.time[stop - 1])
            pv = _read(loop.pv, loop, (start, end))
            if end - start >= least and pv.size:
                numbers = {"value": limit, "least": pv.min(), "most": pv.max()}
                yield Happening("limit", loop.channel, start, end, int(loop.line[first]), (limit,), numbers)


def _gains(log: Log, channel: int) -> Iterator[Happening]:
    for change in gain_changes(log, channel):
        told = (f"{name} {change[name][0]:g} → {change[name][1]:g}" for name in GAIN_NAMES if name in change)
        place = (change["time"], change["time"], change["line"], (change["line"],))
        yield Happening("gains", channel, *place, {"changes": ", ".join(told)})


def _said(diagnosis: Diagnosis, channel: int | None, done: Sequence[Group]) -> Iterator[Happening]:
    """Yield the lines on trouble and on what was done, but those at which `channel` leaves its band."""
    events, first = diagnosis.log.events, diagnosis.log.samples["line"].min()
    away = (one for one in diagnosis.excursions if one.cause and channel in (None, one.channel))
    begun = {one.evidence[0].line for one in away}
    for group in [*done, *group_messages(events, levels=TROUBLE)]:
        for message in group.messages if len(group.messages) <= MOST else ():
            if message.line > first and message.line not in begun:
                place = (message.time, message.time, message.line, (group.source, group.template))
                yield Happening("said", None, *place, {"text": f"{group.source} {message.text}".strip()})


def _legs(loop: Loop, alone: bool) -> Iterator[Happening]:
    """Yield the course of a pv without setpoint; beside loops that have one, only where it is a short one."""
    legs = () if np.isfinite(loop.setpoint).any() else course_of(loop)
    for leg in legs if alone or len(legs) <= SHORT else ():
        numbers = {"from": leg.before, "to": leg.after, "rate": leg.rate}
        numbers |= {"least": leg.least, "most": leg.most}
        line = int(loop.line[np.searchsorted(loop.time, leg.start)])
        place = (leg.start, leg.end, line, (leg.start,))
        yield Happening("stays" if leg.stays else "goes", loop.channel, *place, numbers)

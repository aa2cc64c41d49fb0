"""The stretch of a log that a question names, and what its readings were in it."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from instrumentgpt.instruments.analysis.segments import Segment
from instrumentgpt.instruments.analysis.signals import constant_runs, runs
from instrumentgpt.instruments.language import DAY, MINUTE
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loops import Floats
from instrumentgpt.instruments.tools.opened import ToolProblem, plain
from instrumentgpt.instruments.tuning.gains import GAIN_NAMES

REACHED = 0.005  # of its range, as near as which a column has come to a value
MOST_TIMES = 8  # past a limit that are told one by one
WARMING = 3.0  # bands from the setpoint, from which a log begins with a warm-up
PLATEAU = 10  # times as many rows as a setpoint that is ramped has at one value, mostly
FEWEST_ROWS = 4  # of a way between two setpoints, or its rate is none
MOST_MOVES = 12  # from one setpoint to another that are told: a programme of six has as many ways
CALM = 3.0  # times as long as its way in its band, after which what pv does is no answer to the step
STEEP = 0.2  # of a rise time, over which the steepest rate is told
MEDIANS = ("seconds", "rate", "asked", "rise", "settled", "steepest")  # of a way that was gone several times
FEWEST_CYCLES = 3  # visits of a setpoint that make a programme of cycles
MOST_CYCLES = 40  # told one by one
UNLIKE = 0.05  # of the median length, from which a cycle is not like the others
RISE = (0.1, 0.9)  # of the way, between which its rate is told, as of a rise time
MOST_CHANGES = 8  # of gains that are told: more are a schedule


_LENGTH = re.compile(r"([+-]?)(\d+(?:\.\d+)? ?[a-z]+)")


class NotInTheLog(ToolProblem, LookupError):
    """A time that the log does not cover."""


def window_of(log: Log, since: str, until: str) -> tuple[float, float]:
    """Return the s since the log's first line of two moments, as `seconds_at` takes them; "": its ends.

    Raises NotInTheLog if nothing of the log lies between them.
    """
    last = float(log.samples["time"].max()) if len(log.samples) else 0.0
    start = max(0.0, seconds_at(log, since)) if since else 0.0
    stop = seconds_at(log, until) if until else last
    if stop < start and ":" in until and " " not in until:  # from 22:00 on a day to 06:00: on the next
        stop += DAY * math.ceil((start - stop) / DAY)
    stop = min(last, stop)
    if stop < 0.0 or start > last or stop < start:
        raise _not_in(log, f"{since} – {until}")
    return start, stop


def time_of(log: Log, clock: str) -> float:
    """Return the s since the log's first line at which it was `clock` first; as `seconds_at` takes it.

    Raises NotInTheLog if it is not in the log, whose first minute counts from its beginning.
    """
    time = seconds_at(log, clock)
    if not -MINUTE < time <= log.samples["time"].max():
        raise _not_in(log, clock)
    return max(0.0, time)


def seconds_at(log: Log, moment: str) -> float:
    """Return the s since the log's first line of a moment, which may be before or after the log.

    moment  "14:20", or with as much of its day as is known: "-20 14:20", "2026-02-20 14:20:05"; "20 min"
            after the first line, "-1 h" before the last sample, "+20 min" as a log without a clock counts,
            or after the first line where it never counts so little; of a watch that began
            with the log "2:30" may be minutes and seconds

    Raises NotInTheLog where the log has no such day, or no clock.
    """
    if log.samples.empty:
        raise NotInTheLog("no_clock", log=log.name, clock=moment)
    moment, last = moment.partition(" (")[0], float(log.samples["time"].max())
    day, _, of_day = moment.rpartition(" ")
    start = log.start or (None if log.of_day is None else pd.Timestamp(log.of_day, unit="s"))
    is_watch = start is None or start - start.normalize() < pd.Timedelta(minutes=1)  # begun with the log
    minute = re.fullmatch(r"(\d+):(\d\d)", moment) if is_watch else None  # and second
    elapsed = 60.0 * int(minute[1]) + int(minute[2]) if minute else math.inf
    try:
        if length := _LENGTH.fullmatch(moment):
            span = float(pd.Timedelta(length[2]).total_seconds())
            counted = log.counted if length[1] == "+" and span >= log.counted else 0.0
            return last - span if length[1] == "-" else span - counted
        if log.start is not None and moment[:4].isdecimal():
            return float((pd.Timestamp(moment) - log.start).total_seconds())
        if start is None and elapsed <= last:
            return elapsed
        if start is None:
            raise NotInTheLog("no_clock", log=log.name, clock=moment)
        passed = pd.Timedelta(of_day if of_day.count(":") == 2 else f"{of_day}:00")
        days = pd.date_range(start.normalize(), start + pd.Timedelta(seconds=last))
        times = [at + passed - start for at in days if str(at.date()).endswith(day)]
    except ValueError:  # "2026-02-30 14:20"
        raise NotInTheLog("no_clock", log=log.name, clock=moment) from None
    seconds = [time.total_seconds() for time in times if start + time >= start.floor("min")]
    if elapsed <= last < min(seconds, default=math.inf):
        return elapsed
    if not seconds:
        raise _not_in(log, moment)
    return max(0.0, float(seconds[0]))


def _not_in(log: Log, clock: str) -> NotInTheLog:
    first, last = (log.clock(at)[:19] for at in (0.0, float(log.samples["time"].max())))
    return NotInTheLog("time_not_in_it", log=log.name, clock=clock, first=first, last=last)


def first_settled(segments: Sequence[Segment], channel: int | None) -> float:
    """Return when a channel had first settled, s since the first line; nan if it never did."""
    holds = (one for one in segments if one.channel == channel and one.kind == "hold" and one.settled > 0)
    return min((hold.settled_at for hold in holds), default=math.nan)


def gain_changes(log: Log, channel: int) -> list[dict[str, Any]]:
    """Return when the log states other gains of a channel than before: clock, line, kp → [before, after]."""
    samples = log.samples[log.samples["channel"] == channel]
    gains = samples[list(GAIN_NAMES)].to_numpy()
    moved = np.abs(np.diff(gains, axis=0)) > 0
    changes = list[dict[str, Any]]()
    places = np.flatnonzero(moved.any(axis=1)) + 1
    for at in places if len(places) <= MOST_CHANGES else ():
        time, line = samples["time"].iloc[at], samples["line"].iloc[at]
        pairs = zip(GAIN_NAMES, gains[at - 1], gains[at], moved[at - 1], strict=True)
        told = {name: [before, after] for name, before, after, is_other in pairs if is_other}
        changes.append({**log.at(time, line), **plain({"time": time, **told})})
    return changes


Readings = tuple[Floats, Floats, NDArray[np.int64]]  # time, s; values; lines


def beyond(log: Log, read: Readings, past: NDArray[np.bool_]) -> dict[str, Any]:
    """Return how often and how long it was so that `past`, for each value that was `read`.

    count, seconds in all; of the longest time: seconds, clock and line; when the first began and the last
    ended; wait: s from what was first read to the first; every: the median s from begin to begin; `times`,
    the longest ones where there are more than MOST_TIMES, each with seconds, clock and line, end_clock, the
    reading that was `farthest` from the one before it began, and back: s from that to the end
    """
    time, values, lines = read
    spans = runs(past)
    if not len(spans):
        return {"count": 0, "seconds": 0.0}
    ends = time[np.minimum(spans[:, 1], len(time) - 1)]
    seconds = ends - time[spans[:, 0]]
    by_length = np.argsort(-seconds, kind="stable")
    clocks, rows = time[spans[:, 0]], lines[spans[:, 0]]
    times = dict[int, dict[str, Any]]()
    for place in sorted(by_length[:MOST_TIMES].tolist()):
        first, stop = spans[place]
        level = values[first - 1] if first else values[min(stop, len(values) - 1)]
        far = first + int(np.abs(values[first:stop] - level).argmax())
        told = {"seconds": seconds[place], "back": ends[place] - time[far]}
        farthest = plain({"value": values[far], **log.at(time[far], lines[far])})
        told |= {"end_clock": log.clock(ends[place]), "farthest": farthest}
        times[place] = {**plain(told), **log.at(clocks[place], rows[place])}
    longest = times[int(by_length[0])]
    return {
        **longest,
        "count": len(spans),
        "seconds": plain(float(seconds.sum())),
        "longest": longest["seconds"],
        "wait": plain(float(clocks[0] - time[0])),
        "every": plain(float(np.median(np.diff(clocks)))) if len(spans) > 1 else None,
        "first": log.at(clocks[0], rows[0]),
        "last": log.at(time[spans[-1, 1] - 1], lines[spans[-1, 1] - 1]),
        "times": list(times.values()),
    }


def went(log: Log, read: Readings, way: tuple[float, float]) -> dict[str, Any] | None:
    """Return how long it took from the first value of `way` to the second, None if it never went so.

    From the last reading at the first value, or before it, to the first reading at the second, or past it,
    seconds, clock and line of the first, end_clock, end_line. One that it never was at it was as near as
    REACHED of the range.
    """
    time, values, lines = read
    sign, near = np.sign(way[1] - way[0]), REACHED * float(np.ptp(values))
    begun, done = (
        next((there for there in found if there.size), found[0])
        for off in (sign * (values - way[0]), sign * (way[1] - values))
        for found in ([np.flatnonzero(off <= within) for within in (0.0, near)],)
    )
    done = done[done > begun[0]] if begun.size else done[:0]
    if not done.size:
        return None
    end = int(done[0])
    at = int(begun[begun < end][-1])
    ends = {"end_clock": log.clock(time[end]), "end_line": int(lines[end])}
    return {"seconds": time[end] - time[at], **log.at(time[at], lines[at]), **ends}


def levels_of(samples: pd.DataFrame, segments: Sequence[Segment], band: float) -> list[Segment]:
    """Return the setpoints of a channel in order: those held, and those a fast programme went to.

    segments  of the channel; what is too short to be a hold there counts here if it was stepped to by more
              than WARMING bands, and read FEWEST_ROWS times, or stood PLATEAU times as long as most on a ramp
    """
    holds = [segment for segment in segments if segment.kind == "hold"]
    time, setpoint = samples["time"].to_numpy(), samples["setpoint"].to_numpy()
    levels, stretches = [*holds], constant_runs(setpoint)
    begins, rows_of = stretches[:, 0], np.diff(stretches, axis=1)[:, 0]
    usual = float(np.median([*rows_of] or [0]))
    stepped = (np.abs(setpoint[begins] - setpoint[begins - 1]) > WARMING * band) & (band > 0)
    stepped[begins == 0] = rows_of[begins == 0] >= usual / 2  # what the log begins with
    stays = rows_of >= PLATEAU * usual
    for first, stop in stretches[(rows_of >= FEWEST_ROWS) & (stepped | stays)]:
        onset, end = float(time[first]), float(time[stop - 1])
        if not any(hold.onset < end and onset < hold.end for hold in holds):
            rows = samples.iloc[first:stop]
            means = {"duty": rows["output"].mean(), "mean_error": setpoint[first] - rows["pv"].mean()}
            lines = int(rows["line"].iloc[0]), int(rows["line"].iloc[-1])
            channel, value = int(rows["channel"].iloc[0]), float(setpoint[first])
            levels.append(Segment(channel, "programme", onset, end, *lines, value, **means))
    return sorted(levels, key=lambda level: level.onset)


def moves_of(log: Log, channel: int, segments: Sequence[Segment], band: float) -> list[dict[str, Any]]:
    """Return how pv of a channel went from one setpoint to the next, as `ways_of`, each way once.

    count  how often it went so; clock, line: when first; the medians of its times and rates; the most it
           went beyond
    """
    ways: dict[tuple[float, float], list[dict[str, Any]]] = defaultdict(list)
    for way, _ in ways_of(log, channel, segments, band):
        ways[way["from"], way["to"]].append(way)
    often = sorted(ways.values(), key=len, reverse=True)[:MOST_MOVES]
    return [
        plain(
            {name: rows[0][name] for name in ("from", "to", "clock", "line")}
            | {"count": len(rows)}
            | pd.DataFrame(rows)[list(MEDIANS)].median().to_dict()
            | {"beyond": max((row["beyond"] for row in rows), key=itemgetter("size"))}
        )
        for rows in ways.values()
        if rows in often
    ]


def ways_of(
    log: Log, channel: int, segments: Sequence[Segment], band: float
) -> Iterator[tuple[dict[str, Any], Segment]]:
    """Yield how pv of a channel went from one setpoint to the next, and to the first; and the latter's time.

    from, to  setpoints, of the first way the pv that the log begins with
    clock, line  when the first was left; start: s
    seconds   from then until pv was within `band` of the second; nan if it never was
    rate      of pv from 10 to 90 % of the way, per minute; rise: the s it took for that
    steepest  rate over STEEP of that, where it was largest
    settled   s until pv was within `band` and stayed there; nan if it was not there at the end
    beyond    how far pv went past the second setpoint, at the most: with its value, clock and line
    asked     rate of a setpoint that was ramped, per minute; nan of one that was stepped
    """
    samples = log.readings
    samples = samples[(samples["channel"] == channel) & samples["pv"].notna()]
    if samples.empty:
        return
    levels = levels_of(samples, [one for one in segments if one.channel == channel], band)
    left_at = [(level.setpoint, level.end, level.last_line) for level in levels[:-1]]
    reached = levels[1:]
    if levels and abs((start := float(samples["pv"].iloc[0])) - levels[0].setpoint) > WARMING * band > 0:
        left_at.insert(0, (start, float(samples["time"].iloc[0]), int(samples["line"].iloc[0])))
        reached = levels
    for (left, begin, line), after in zip(left_at, reached, strict=True):
        inside = samples[samples["time"].between(begin, after.end)]
        is_ramped = len(constant_runs(inside["setpoint"].to_numpy())) > FEWEST_ROWS
        if not is_ramped and after is levels[0]:  # before that nobody asked for it
            begin, line = after.onset, after.first_line
            inside = inside[inside["time"] >= begin]
        time, pv = inside["time"].to_numpy(), inside["pv"].to_numpy()
        if after.setpoint == left or len(inside) < FEWEST_ROWS or not np.isfinite(pv).any():
            continue
        begun_at = pv[0] if abs(pv[0] - left) > WARMING * band else left  # it may not have come to the first
        way = after.setpoint - begun_at or np.nan
        share = (pv - begun_at) / way
        begun, done, arrived = (
            float(time[places[0]]) if (places := np.flatnonzero(there)).size else np.nan
            for there in (share >= RISE[0], share >= RISE[1], share >= 1 - band / abs(way))
        )
        ramp, period = after.onset - begin, float(np.median(np.diff(time)))
        away = np.flatnonzero(np.abs(pv - after.setpoint) > band)
        calm = np.diff(time[away], append=time[-1]) > CALM * max(arrived - begin, FEWEST_ROWS * period)
        stop = int(away[np.argmax(calm)]) + 1 if calm.any() else len(time)
        away = away[away < stop]
        peak = inside.iloc[int(np.nanargmax((pv if after.setpoint > left else -pv)[:stop]))]
        rows = max(FEWEST_ROWS, round((done - begun) * STEEP / period)) if done > begun else len(pv)
        taken = time[rows:] - time[:-rows]
        slopes = (pv[rows:] - pv[:-rows])[taken > 0] / taken[taken > 0]
        settled = float(time[min(away[-1] + 1, len(time) - 1)]) if away.size else begin
        told = {
            "from": left,
            "to": after.setpoint,
            "start": begin,
            **log.at(begin, line),
            "seconds": arrived - begin,
            "rise": done - begun,
            "steepest": 60 * slopes[np.abs(slopes).argmax()] if slopes.size else np.nan,
            "settled": np.nan if away.size and away[-1] == len(time) - 1 else settled - begin,
            "beyond": {
                "size": max(0.0, (float(peak["pv"]) - after.setpoint) * np.sign(after.setpoint - left)),
                "value": float(peak["pv"]),
                **log.at(peak["time"], peak["line"]),
            },
            "rate": 60 * (RISE[1] - RISE[0]) * way / (done - begun) if done > begun else np.nan,
            "asked": 60 * (after.setpoint - left) / ramp if is_ramped else np.nan,
        }
        yield told, after


def cycles_of(log: Log, channel: int, band: float) -> dict[str, Any]:
    """Return the cycles of a programme that comes to one setpoint again and again; {} of any other.

    A cycle lasts from a begin of that setpoint, the highest of those that come most often but for one, to
    the next; the last one has no length. `odd` are the numbers of those that are not like the others: in
    length by UNLIKE and more than two rows, or by more than two `band`s in what pv reached.
    """
    samples = log.samples[log.samples["channel"] == channel]
    time, setpoint, pv = (samples[name].to_numpy(dtype=float) for name in ("time", "setpoint", "pv"))
    begins: dict[float, list[int]] = {}
    for first, stop in constant_runs(setpoint):
        if stop - first >= FEWEST_ROWS:
            begins.setdefault(float(setpoint[first]), []).append(int(first))
    count = max(map(len, begins.values()), default=0)
    if count < FEWEST_CYCLES:
        return {}
    level = max(level for level, places in begins.items() if len(places) >= count - 1)
    places = begins[level]
    rows = [
        {
            "number": number,
            **log.at(time[begin], samples["line"].iloc[begin]),
            "seconds": float(time[end] - time[begin]) if end < len(time) else np.nan,
            "least": float(np.nanmin(pv[begin:end])),
            "most": float(np.nanmax(pv[begin:end])),
        }
        for number, (begin, end) in enumerate(zip(places, [*places[1:], len(time)], strict=True), start=1)
    ]
    table = pd.DataFrame(rows).set_index("number")[["seconds", "least", "most"]]
    away, usual = (table - table.median()).abs(), float(table["seconds"].median())
    longest = max(UNLIKE * usual, 2 * float(np.median(np.diff(time))))
    limits = pd.Series({"seconds": longest, "least": 2 * band, "most": 2 * band})
    is_odd = (away > limits).any(axis=1) & table["seconds"].notna()
    ends = {f"{name}_{end}": getattr(table[name], end)() for name in table for end in ("min", "max")}
    told = {"setpoint": level, "count": len(rows), "seconds": usual, **ends}
    return dict(plain(told | {"odd": table.index[is_odd].tolist(), "rows": rows[:MOST_CYCLES]}))


def holds_of(log: Log, channel: int, segments: Sequence[Segment], band: float) -> list[dict[str, Any]]:
    """Return how a channel held each of its setpoints: how often, how long, and when.

    times  clock, end_clock, line, seconds, and from settled_clock on, else in the second half: its mean, std,
           least and most, duty and mean_error; of the longest holds where there are many
    """
    samples = log.samples[log.samples["channel"] == channel]
    holds: dict[float, list[Segment]] = defaultdict(list)
    for level in levels_of(samples, [one for one in segments if one.channel == channel], band):
        holds[level.setpoint].append(level)
    longest = {
        held: sorted(times, key=lambda level: level.onset - level.end)[:MOST_TIMES]
        for held, times in holds.items()
    }
    return [
        {
            "setpoint": held,
            "count": len(times),
            "seconds": plain(sum(level.end - level.onset for level in times)),
            "times": [_hold(log, samples, one) for one in times if one in longest[held]],
        }
        for held, times in holds.items()
    ]


def _hold(log: Log, samples: pd.DataFrame, hold: Segment) -> dict[str, Any]:
    begin = hold.settled_at if hold.kind == "hold" else hold.middle
    pv = samples.loc[samples["time"].between(begin, hold.end), "pv"]
    figures = {"mean": pv.mean(), "std": pv.std(), "least": pv.min(), "most": pv.max()}
    return {
        **log.at(hold.onset, hold.first_line),
        "settled_clock": log.clock(begin),
        "end_clock": log.clock(hold.end),
        "seconds": plain(hold.end - hold.onset),
        **{name: plain(float(value)) for name, value in figures.items()},
        **{name: plain(getattr(hold, name)) for name in ("duty", "mean_error")},
    }

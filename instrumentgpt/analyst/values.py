"""What columns read in the stretches that are asked about: the rows of a tool, and their sentences."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, repeat
from math import inf
from operator import itemgetter
from typing import Any

from instrumentgpt.analyst.case import (
    MOST_NAMED,
    Case,
    Result,
    Subject,
    ToolFailed,
    age,
    diagnosed,
    faults_of,
    fetched_log,
    log_names,
)
from instrumentgpt.analyst.columns import on_off, what_is
from instrumentgpt.analyst.questions import (
    aspect,
    limits_in,
    spelled,
    suspected,
    table,
    without_times,
    written,
)
from instrumentgpt.analyst.stretches import ALL_OF_IT, Stretches
from instrumentgpt.analyst.words import moment, plain_text, quoted
from instrumentgpt.instruments.language import HOUR, span_text

EXTREMES = {"least": min, "most": max}
VALUES = ("least", "most", "mean", "std", "reach", "now")  # of what was read; else of times past a limit
OF_ALL = ("slope", "change", "steepest", "fades")  # of all of a stretch, each told by a sentence of its own
STEADY = 0.8  # of a third's swing, below which another's is less
MOST_TOLD = 3  # times past a limit, the longest; of more rows there is a table
PAST = {"longest", "share", "how_many", "last"}  # asked of the times past a level, and not when it came
OF_TABLE = ("least", "most", "mean", "std")
PER = {  # of an hour, and the words for it; an hour where none is said
    "minute": (1 / 60, r"(?:per|an?|each|every|/) ?min|每分"),
    "second": (1 / 3600, r"(?:per|an?|each|every|/) ?s(?:ec(?:ond)?)?(?![a-z])|每秒"),
    "day": (24.0, r"(?:per|an?|each|every|/) ?day|daily|[每一][天日]"),
    "hour": (1.0, ""),
}
REACHED = 0.005  # a level that was never quite come to is reached so near
FULL_LOAD = {"above": 99.95, "below": -99.95}  # percent: an output that is written as 100.0, either way


@dataclass(frozen=True)
class Wanted:
    """The figures that are asked for: operations (`asks`) on `columns`, in the stretches `when`.

    limits  "above" and "below": asked is of the times past them
    inside  between the limits, not out of them
    level   asked is when a column came to this value, from the side on which it began; and to those in `then`
    way     two values: asked is how long a column took from the first to the second
    beside  a second column
    at      the moment at which values are asked for
    """

    asks: frozenset[str]
    columns: tuple[Result, ...] = ()
    when: Stretches = ALL_OF_IT
    limits: dict[str, float] = field(default_factory=dict)
    inside: bool = False
    level: float | None = None
    then: tuple[float, ...] = ()
    way: tuple[float, ...] = ()
    beside: Result | None = None
    at: str = ""


def told(case: Case, about: Subject, read: Result, wanted: Wanted) -> Iterator[str]:
    """Say what the columns read: a row for each, or for each in each stretch."""
    if wanted.then:
        for level in (wanted.level, *wanted.then):
            yield from told(case, about, read, replace(wanted, level=level, then=()))
        return
    when, spans = wanted.when, [list(span) for span in wanted.when.spans]
    yield when.note + "\n\n" if when.note else ""
    yield from (day_none(case, about, day) + "\n\n" for day in when.lacking * (not when.note))
    if wanted.at:
        minute = re.sub(r"(:\d\d):\d\d$", r"\1", wanted.at)
        spans = [[wanted.at, minute if wanted.at[0] == "+" else f"{minute}:59"]]
    rows = _rows(case, about, read, wanted, spans)
    is_of_level = wanted.limits or wanted.level is not None
    if "how_many" in wanted.asks and not is_of_level:  # of what is on or off
        switched = [row["column"] for row in rows if on_off(row) is not None]
        columns = tuple(column for column in wanted.columns if column["name"] in switched)
        wanted, rows = replace(wanted, columns=columns), [row for row in rows if row["column"] in switched]
        if not rows:
            return
    if not rows:
        yield from (case.item("series_lacking", since=since, until=until) for since, until in spans)
        return
    if (limits := _limits_of(case, wanted, rows)) != wanted.limits:
        of_own = frozenset() if wanted.limits or wanted.level is not None else frozenset(("switched",))
        wanted = replace(wanted, limits=limits, asks=wanted.asks | of_own)
        rows = _rows(case, about, read, wanted, spans)
    lead = ""
    if wanted.limits:
        crossed = [row for row in rows if 0 < row["past"]["share"] < 1]  # “25±2” is of no humidity
        rows = crossed if crossed and len({row["unit"] for row in rows}) > 1 else rows
        so = [_is_so(case, wanted, row)[0] for row in rows]
        is_so = (all if aspect("all_along", case.question.words) or wanted.inside else any)(so)
        is_else = suspected(case.question.words) or aspect("alternatives", case.question.words)  # asked, too
        lead = "" if is_else else case.lead(None if _is_of_a_false_reading(case, about, wanted) else is_so)
        rows = sorted(rows, key=lambda row: so[rows.index(row)] is not is_so) if lead else rows
    if "spacing" in wanted.asks:
        yield from _spacing(case, about, read)
        if not wanted.asks & {*VALUES}:
            return
    yield from _first_of(case, wanted, read, rows)
    if len(rows) > MOST_TOLD and not (
        wanted.limits or wanted.beside or wanted.at or wanted.asks - {*OF_TABLE}
    ):
        yield from _table(case, wanted, rows, read)
        return
    for row in rows:
        for text in _sentences(case, wanted, row, read):
            yield text if text.startswith(" ") else f"- {lead}{text}\n"
            lead = ""
    numbers = [row["span"] for row in rows]
    for number, (since, until) in enumerate(spans):
        is_between = case.question.days or len(spans) == 2 or min(numbers) < number < max(numbers)
        if is_between and number not in numbers:
            yield case.item("series_lacking", since=since, until=until)


def _spacing(case: Case, about: Subject, read: Result) -> Iterator[str]:
    """Say how often the log was read, and which are the longest times between two readings."""
    gaps = sorted(read["gaps"], key=itemgetter("seconds"), reverse=True)
    spans = [span_text(gap["seconds"], case.language, exact=True) for gap in gaps]
    for key, gap, span in zip(chain(["series_spacing"], repeat("series_gap")), gaps, spans, strict=False):
        ends = {"since": moment(gap["clock"]), "until": moment(gap["end_clock"], gap["clock"])}
        period = span_text(read["period"], case.language, exact=True)
        told = case.item(
            key, count=read["readings"], period=period, gap=span, line=about.link(gap["line"]), **ends
        )
        yield told if gap is gaps[0] else f"  {told}"


def _table(case: Case, wanted: Wanted, rows: Sequence[Result], read: Result) -> Iterator[str]:
    """Say what is asked for of many columns or stretches, a line each."""
    asked = [name for name in OF_TABLE if name in wanted.asks]
    is_of_one = len({row["column"] for row in rows}) == 1
    of = (
        _named(case, wanted, rows[0], read, False)
        if is_of_one
        else _span(rows[0]["since"], rows[-1]["until"])
    )
    heads = [of, *(case.say(f"table_{name}") for name in asked)]
    yield f"{_line(heads)}|{' --- |' * len(heads)}\n"
    for row in rows:
        unit = f" {row['unit']}".rstrip()
        states = wanted.when.names  # words of the log
        span = quoted(states[row["span"]]) if states else _span(row["since"], row["until"])
        cells = [span if is_of_one else _named(case, wanted, row, read, bool(wanted.when.spans))]
        for name in asked:
            at = name in EXTREMES and case.say("cell_at", **at_clock(row[name], row["since"]), unit=unit)
            cells.append(at or f"{row[name]:.5g}{unit}")
        yield _line(cells)


def _line(cells: Sequence[str]) -> str:
    """Return a line of a table: a mark in a cell, as in the head of a column, ends none."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _span(since: str, until: str) -> str:
    """Return a stretch as a cell has it, a whole day by its date.

    >>> _span("2026-02-19 00:00:00", "2026-02-19 23:59:59"), _span("2026-02-19 08:00:00", "2026-02-19 09:00")
    ('2026-02-19', '2026-02-19 08:00:00 – 09:00')
    """
    is_day = since[10:16] == " 00:00" and until[10:16] == " 23:59" and since[:10] == until[:10]
    return since[:10] if is_day else f"{moment(since)} – {moment(until, since)}"


def day_none(case: Case, about: Subject, day: str) -> str:
    """Return that there is no log of a day, with those that there are."""
    names = log_names(case)[:MOST_NAMED] if about.device else [about.log]
    return case.say("day_none", day=day.lstrip("-"), label=about.label, logs=case.listed(map(quoted, names)))


def aged(case: Case, read: Result) -> str:
    """Return how old the end of a log is, as a paragraph; "" where that is not worth a word."""
    old = age(case.task, case.language, read["whole"][1])
    return f"\n{old}\n" if old else ""


def _limits_of(case: Case, wanted: Wanted, rows: Sequence[Result]) -> dict[str, float]:
    """Return the limits of the times that are asked of: a level's, or those of a column that is on or off.

    A level counts as reached within half of its last digit, and of `REACHED` of the column's range.
    """
    row = rows[0]
    if wanted.level is not None:
        digit = 10.0 ** -len(f"{wanted.level:g}".partition(".")[2])
        half = 0.5 * min(digit, REACHED * (row["most"]["value"] - row["least"]["value"]))
        rises = row["first"]["value"] < wanted.level
        return {"above": wanted.level - half} if rises else {"below": wanted.level + half}
    if wanted.limits or not wanted.asks & {"how_many", "how_long", "longest", "share", "first", "last"}:
        return wanted.limits
    words = without_times(spelled(case.question.text))
    is_off = aspect("event_ends", words)
    middle = _switches_at(row, bool(table()["asked"]["switched"].search(words)))
    return {"below" if is_off else "above": middle} if middle is not None else {}


def _switches_at(row: Result, is_said: bool) -> float | None:
    """Return above what a column is on: the middle of two values, else 0 of an output that is said to be."""
    middle = on_off(row)
    return 0.0 if middle is None and is_said and row["column"].startswith("output ") else middle


def first_at(case: Case, about: Subject, read: Result, column: Result, level: float) -> str:
    """Return the clock at which a column first came to a level, from where it began; "" if it never did."""
    wanted = Wanted(frozenset(("level",)), (column,), level=level)
    if not (rows := _rows(case, about, read, wanted, [])):
        return ""
    limited = replace(wanted, limits=_limits_of(case, wanted, rows))
    past = _rows(case, about, read, limited, [])[0]["past"]
    return str(past["first"]["clock"]) if past["count"] else ""


def state_of(
    case: Case, about: Subject, read: Result, column: Result, named: re.Match[str]
) -> tuple[dict[str, Any], str]:
    """Return when a column was in the state that is `named` ("off", "above 4"), and a sentence that says so.

    {} where it has no such state: "on" of what has more than two values.
    """
    state = named["state"] or named["so"]
    if limits := limits_in(state):
        key = next(iter(limits))
    elif at := re.search(r"-?\d+(\.\d+)?", state):
        half = 0.5 * 10.0 ** -len((at[1] or ".")[1:])
        limits, key = {"above": float(at[0]) - half, "below": float(at[0]) + half}, "at"
    else:
        rows = _rows(case, about, read, Wanted(frozenset(), (column,)), [])
        if not rows or (middle := _switches_at(rows[0], is_said=True)) is None:
            return {}, ""
        limits = {"below" if aspect("event_ends", state) else "above": middle}
        key = f"{next(iter(limits))}_switched"
    ends = {"high": limits.get("above"), "low": limits.get("below")}
    band = {**ends, "level": sum(limits.values()) / len(limits), "unit": f" {column['unit']}".rstrip()}
    said = {"what": what_is(case, column, read), "side": case.say(f"side_{key}", **band)}
    words = plain_text(written(named[0], case.question.text))
    where = {"where": column["name"], **{f"where_{end}": limit for end, limit in limits.items()}}
    return where, case.say("series_while", **said, words=words)


def _is_of_a_false_reading(case: Case, about: Subject, wanted: Wanted) -> bool:
    """Return whether the sensor of a loop that is asked about is off from the start: pv tells nothing."""
    asked = {column["channel"] for column in wanted.columns if column["role"] in ("pv", "error")}
    diagnosis = diagnosed(case, about) if asked and case.question.yes_no else {"findings": [], "start": ""}
    off = [one for one in faults_of(diagnosis) if one["class"] == "sensor_bias" and one["channel"] in asked]
    return any(one["onset_clock"] == diagnosis["start"] and one["confidence"] != "possible" for one in off)


def _rows(
    case: Case, about: Subject, read: Result, wanted: Wanted, spans: Sequence[Sequence[str]]
) -> list[Result]:
    """Return what the columns read in each span, with links to its lines; of several logs as of one."""
    names, found = [column["name"] for column in wanted.columns], dict[tuple[int, str], list[Result]]()
    given: dict[str, Any] = {"columns": names, "spans": spans, **wanted.limits, **wanted.when.where}
    given["way"] = wanted.way
    given["only_loops"] = all(column["role"] for column in read["columns"]) and not wanted.when.where
    given["beside"] = wanted.beside["name"] if wanted.beside else ""
    for name in wanted.when.logs or (about.log,):
        try:
            log = about if name == about.log else fetched_log(case, name)
            result = case.tool("column_figures", **log.named, **given)
        except ToolFailed:
            if not wanted.when.logs:
                raise
            continue
        for row in result["rows"]:
            found.setdefault((row["span"], row["column"]), []).append(_linked(row, log))
    return [_joined(found[key]) for key in sorted(found, key=lambda key: (key[0], names.index(key[1])))]


def _linked(value: Any, log: Subject) -> Any:
    """Return what a tool told of a log with links where it has the numbers of lines."""
    if isinstance(value, dict):
        return {key: log.link(one) if key == "line" else _linked(one, log) for key, one in value.items()}
    return [_linked(one, log) for one in value] if isinstance(value, list) else value


def _joined(rows: Sequence[Result]) -> Result:
    """Return the rows of one column, in order of time, as that of one stretch."""
    row, *rest = rows
    for other in rest:
        both, count = (row, other), row["samples"] + other["samples"]
        sums = {
            name: sum(one["samples"] * one[name] for one in both) / count for name in ("mean", "mean_size")
        }
        spread = sum(one["samples"] * (one["std"] ** 2 + (one["mean"] - sums["mean"]) ** 2) for one in both)
        sums |= {"std": (spread / count) ** 0.5, "samples": count}
        ends = {end: far(row[end], other[end], key=itemgetter("value")) for end, far in EXTREMES.items()}
        past = {"past": _past_of(both, count)} if "past" in row else {}
        row = row | sums | ends | past | {"last": other["last"], "until": other["until"], "per_hour": None}
    return row


def _past_of(both: tuple[Result, Result], count: int) -> Result:
    """Return the times past a limit of two stretches as of one: the last of one may go on in the other."""
    first, second = (one["past"] for one in both)
    share = sum(one["samples"] * one["past"]["share"] for one in both) / count
    if not (first["count"] and second["count"]):
        return {**(first if first["count"] else second), "share": share}
    ends = first["last"]["clock"], second["first"]["clock"]
    goes_on = ends == (both[0]["last"]["clock"], both[1]["first"]["clock"])
    *before, last = first["times"]
    begin, *after = second["times"]
    met = [begin | last | {"seconds": last["seconds"] + begin["seconds"]}] if goes_on else [last, begin]
    times = [*before, *met, *after]
    longest = max(times, key=itemgetter("seconds"))
    sums = {"count": first["count"] + second["count"] - goes_on, "longest": longest["seconds"]}
    sums |= {"seconds": first["seconds"] + second["seconds"], "share": share, "times": times}
    own = {"clock": longest["clock"], "line": longest["line"], "last": second["last"], "every": None}
    return {**longest, **first, **sums, **own}


def at_clock(told: Result, day: str = "") -> Result:
    """Return a moment whose line is linked with its clock (without `day`) as people are told it."""
    return {**told, "clock": moment(told["clock"], day)}


def _first_of(case: Case, wanted: Wanted, read: Result, rows: Sequence[Result]) -> Iterator[str]:
    """Say which column, or stretch, has most and least of what is told, where it is asked which."""
    of_limit = wanted.limits or wanted.beside or wanted.at
    if len(rows) < 2 or of_limit or not aspect("which_one", case.question.words):
        return
    of_error = all(column["role"] == "error" for column in wanted.columns)
    end = next((name for name in EXTREMES if name in wanted.asks and not of_error), "mean")
    sizes = [
        row["mean_size"] if of_error else row[end] if end == "mean" else row[end]["value"] for row in rows
    ]
    ranked = sorted(zip(sizes, range(len(rows)), strict=True))
    if len({row["unit"] for row in rows}) > 1:
        return
    names = [_named(case, wanted, rows[place], read, bool(wanted.when.spans)) for _, place in ranked]
    said = {"best": names[0], "least": ranked[0][0], "worst": names[-1], "most": ranked[-1][0]}
    what = case.say("which_error" if of_error else f"which_{end}")
    yield case.say("which", what=what, unit=f" {rows[0]['unit']}".rstrip(), **said) + "\n\n"


def _named(case: Case, wanted: Wanted, row: Result, read: Result, is_placed: bool) -> str:
    """Return what a row is of, as people are told: the column, and in which stretch."""
    column = next(one for one in wanted.columns if one["name"] == row["column"])
    ends = moment(row["since"]), moment(row["until"], "" if wanted.when.of_days else row["since"])
    state = f" ({quoted(wanted.when.names[row['span']])})" if wanted.when.names else ""
    placed = state + case.say("series_span", since=ends[0], until=ends[1])
    return what_is(case, column, read) + placed * is_placed


def _sentences(case: Case, wanted: Wanted, row: Result, read: Result) -> Iterator[str]:
    """Yield what one column read in one stretch, in what is asked for."""
    asks, unit = wanted.asks, f" {row['unit']}".rstrip()
    of_values = asks & {*VALUES} and not (wanted.beside or wanted.limits)
    said = {"unit": unit, "what": _named(case, wanted, row, read, bool(wanted.when.spans or of_values))}
    if wanted.way:
        yield _went(case, wanted, row, said)
    elif wanted.limits:
        yield from _past(case, wanted, row, said)
    elif wanted.beside:
        yield from _beside(case, wanted, row, read, said)
    elif wanted.at:
        yield case.say("series_value", **said, **at_clock(row["first"]))
    elif not wanted.when.spans and row["least"]["value"] == row["most"]["value"]:
        yield case.say("series_constant", **said, value=row["least"]["value"], samples=row["samples"])
    else:
        yield from _over_all(case, wanted, row, said)
        if asks & {*VALUES} or not asks & {*OF_ALL}:
            of_error = row["column"].startswith("error ")
            parts, settled = _stats(case, asks, row, of_error, unit), row.get("settled") or row
            if any(settled[end]["value"] != row[end]["value"] for end in ("least", "most")):
                own = _stats(case, asks - {"now"}, settled, of_error, unit)
                own = case.say("extreme_settled", clock=moment(settled["since"]), parts=own)
                parts = case.say("list_separator").join((parts, own))
            yield case.say("series_row", **said, samples=row["samples"], parts=parts)


def _over_all(case: Case, wanted: Wanted, row: Result, said: Result) -> Iterator[str]:
    """Yield how a column went over all of a stretch: its rates, its change, what its swing did."""
    asks, ends = wanted.asks, {name: row[name]["value"] for name in ("first", "last")}
    if asks & ({"slope", "steepest"} if wanted.when.spans else {"slope"}) and row["per_hour"] is not None:
        words = without_times(spelled(case.question.text))
        own = "minute" if "steepest" in asks else "hour"
        per = next((name for name, of in PER.items() if of[1] and re.search(of[1], words)), own)
        slope = row["per_hour"] * PER[per][0]
        yield case.say("series_slope", **said, **ends, slope=slope, per=case.say(f"per_{per}"))
    if "change" in asks:
        clocks = {f"{name}_clock": moment(row[name]["clock"]) for name in ends}
        yield case.say("series_change", **said, **ends, **clocks, by=ends["last"] - ends["first"])
    if "steepest" in asks and row["steepest"]:
        yield case.say("series_steepest", **said, **at_clock(row["steepest"]))
    if "fades" in asks and row["thirds"]:
        yield _faded(case, row, said)


def _beside(case: Case, wanted: Wanted, row: Result, read: Result, said: Result) -> Iterator[str]:
    """Yield what one column has more than another, or what that read when the first was at an extreme."""
    other = wanted.beside or {}
    said = said | {"beside": what_is(case, other, read), "other": f" {other['unit']}".rstrip()}
    if said["unit"] and said["other"] not in ("", said["unit"]):
        yield case.say("series_unlike", **said)
    else:
        more = row["apart"]["mean"] * (-1 if table()["asked"]["less"].search(case.question.words) else 1)
        yield case.lead(more > 0) + case.say("series_apart", **row["apart"], **said)


def _stats(case: Case, asks: frozenset[str], row: Result, of_error: bool, unit: str) -> str:
    """Return what is asked for of the least, the most, the mean and the spread of a column, and its last."""
    day = "" if "when" in asks else row["since"]
    fields = {"unit": unit, "mean": row["mean"], "std": row["std"]}
    parts = [case.say("column_last", **at_clock(row["last"], day), unit=unit)] * ("now" in asks)
    if of_error and not asks & {"least", "std", "reach"}:
        if "most" in asks:
            largest = max((row["least"], row["most"]), key=lambda end: abs(end["value"]))
            most = at_clock(largest) | {"value": abs(largest["value"]), "unit": unit}
            parts.append(case.say("series_error_most", **most))
        parts.append(case.say("series_error_mean", size=row["mean_size"], **fields))
        return case.say("list_separator").join(parts)
    if "reach" in asks:
        size = row["most"]["value"] - row["least"]["value"]
        parts.append(case.say("series_reach", size=size, unit=unit))
    for end in EXTREMES:
        if asks & {end, "reach"}:
            parts.append(case.say(f"column_{end}", **at_clock(row[end], day), unit=unit))
    key = "series_std" if "std" in asks and "mean" not in asks else "series_mean"
    return case.say("list_separator").join([*parts, case.say(key, **fields)])


def _went(case: Case, wanted: Wanted, row: Result, said: Result) -> str:
    """Return how long a column took from one value to another."""
    went, said = row["went"], said | {"start": wanted.way[0], "stop": wanted.way[1]}
    if not went:
        return case.say("series_never_went", **said)
    span = span_text(went["seconds"], case.language, exact=True)
    return case.say("series_went", **said, **at_clock(went) | {"end": moment(went["end_clock"])}, span=span)


def _faded(case: Case, row: Result, said: Result) -> str:
    """Return whether what a column swings by becomes smaller or larger over the stretch, by its thirds."""
    first, middle, last = row["thirds"]
    is_less, is_more = last < STEADY * min(first, middle), STEADY * last > max(first, middle)
    way = "less" if is_less else "more" if is_more else "same"
    words = case.question.words
    lead = case.lead((way == "more") if aspect("up", words) and not aspect("down", words) else way == "less")
    sizes = {"first": first, "middle": middle, "last": last}
    return lead + case.say("series_thirds", **said, **sizes, way=case.say(f"thirds_{way}"))


def _is_so(case: Case, wanted: Wanted, row: Result) -> tuple[bool, str]:
    """Return whether it is as a yes would say of a limit, and the end of what was read that shows it."""
    limits, words, is_never = wanted.limits, case.question.words, re.compile(r"\bnever\b|没(?!有)")
    ends = ("most", "least") if "above" in limits else ("least", "most")
    if aspect("all_along", words) and len(limits) == 1 and not is_never.search(words):
        return row["past"]["share"] == 1, ends[1]
    if aspect("still", words):
        last = row["last"]["value"]
        is_past = last > limits.get("above", inf) or last < limits.get("below", -inf)
        return is_past is not wanted.inside, "last"
    return bool(row["past"]["count"]) is not (wanted.inside or bool(is_never.search(words))), ends[0]


def _past(case: Case, wanted: Wanted, row: Result, said: Result) -> Iterator[str]:
    """Say how often, how long, when first and last a column was past limits, between them, or at a level."""
    limits, past, is_switched = wanted.limits, row["past"], "switched" in wanted.asks
    band = {"low": limits.get("below", -inf), "high": limits.get("above", inf), "level": wanted.level}
    key = "full" if limits == FULL_LOAD else "band" if len(limits) == 2 else next(iter(limits))
    key += "_level" if wanted.level is not None else "_switched" if is_switched else ""
    side = case.say(f"side_{key}", **band, unit=said["unit"])
    _, end = _is_so(case, wanted, row)
    reach = {"end": case.say(f"column_{end}", **at_clock(row[end]), unit=said["unit"])}
    if not past["count"]:
        yield case.say("past_never", side=side, what=said["what"], **reach)
        return
    if "overshoot" in wanted.asks:
        yield case.say(
            "past_over", **said, **reach, high=limits["above"], by=row["most"]["value"] - limits["above"]
        )
        return
    fields = {**said, "side": side, **at_clock(past)}
    exact = partial(span_text, language=case.language, exact=True)
    fields |= {name: exact(past[name]) for name in ("seconds", "longest")}
    for name in ("first", "last"):
        fields |= {f"{name}_{part}": text for part, text in at_clock(past[name]).items()}
    if wanted.inside:
        yield case.say("past_inside", **fields, rest=1 - past["share"], **band)
    is_mean = is_switched and table()["asked"]["mean"].search(case.question.words)
    span = exact(past["seconds"] / past["count"])
    each = case.say("each_mean" if is_mean else "each_time", span=span)
    fields["each"] = each if past["count"] > 1 else None
    fields["wait"] = exact(past["wait"]) if wanted.level is not None and past["wait"] else None
    if is_switched and past["count"] > 1:
        reach["end"] = case.say("past_rate", rate=past["count"] * past["share"] * HOUR / past["seconds"])
    if past["every"] and "how_many" in wanted.asks:
        reach["end"] = case.say("past_every", **reach, every=exact(past["every"]))
    if fields["wait"] and aspect("until_level", case.question.words) and not wanted.asks & PAST:
        yield case.say("past_first", **fields, **reach)
        return
    yield case.say("past_row", **fields, **reach)
    longest = sorted(past["times"], key=itemgetter("seconds"), reverse=True)[:MOST_TOLD]
    for one in (one for one in past["times"] if one in longest):
        spans = {name: exact(one[name]) for name in ("seconds", "back")}
        clocks = {"since": moment(one["clock"]), "until": moment(one["end_clock"], one["clock"])}
        farthest = at_clock(one["farthest"], one["clock"])
        fields = {**farthest, **spans, **clocks, "line": one["line"], "unit": said["unit"]}
        yield "  " + case.item("limit_switched" if is_switched else "limit_time", **fields)

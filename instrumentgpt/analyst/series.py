"""Figures composed of what a question names: columns, stretches of a log, a limit, and what is asked."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from operator import itemgetter
from typing import Any

from instrumentgpt.analyst.case import (
    MOST_NAMED,
    Case,
    NothingToRead,
    Result,
    Subject,
    ToolFailed,
    age,
    choose_log,
    fetched_log,
    known_log,
    log_names,
)
from instrumentgpt.analyst.columns import ASIDE, Named, columns_in, columns_named, lacking, number_of
from instrumentgpt.analyst.questions import (
    LONGEST_QUESTION,
    aspect,
    limits_in,
    numbers_in,
    spelled,
    table,
    without_times,
    written,
)
from instrumentgpt.analyst.stages import ALL_OF_IT, Stretches
from instrumentgpt.analyst.times import both_sides, stretches, window_words
from instrumentgpt.analyst.words import moment, plain_text, quoted
from instrumentgpt.instruments.language import HOUR, span_text
from instrumentgpt.memory.likeness import LOG_NAME

EXTREMES = {"least": min, "most": max}
STATS = ("least", "most", "mean", "std", "reach")
PAST = ("first", "last", "longest", "how_long", "share", "how_many", "ever", "when")  # asked of a limit
# The kinds of question that may be one of columns
OF_COLUMNS = ("diagnosis", "figures", "events", "compare", "survey", "logs", "help", "term")
COLUMN = {"temperature": "pv", "output": "output", "setpoint": "setpoint", "": "pv"}  # quantity → role
COLUMN |= dict.fromkeys(("error", "spread", "noise", "in_band"), "error")
OF_ALL = ("setpoints", "length", "sampling", "names")  # asked of the log, of none of its columns
PAIRED = ("related", "lag", "apart")  # asked of two columns
OTHERS = ("change", "slope", *PAIRED)
PER = {  # of an hour, and the words for it; an hour where none is said
    "minute": (1 / 60, r"(?:per|an?|each|every|/) ?min|每分"),
    "day": (24.0, r"(?:per|an?|each|every|/) ?day|daily|[每一][天日]"),
    "hour": (1.0, ""),
}
RELATED = {"strong": 0.7, "clear": 0.4, "weak": 0.2}  # |r| from which it is said so (Evans 1996, in three)
_DEGREES = re.compile(r"\d\s*(?:°|度|deg|℃)")
FULL_LOAD = {"above": 99.95, "below": -99.95}  # percent: an output that is written as 100.0, either way
OF_THE_LOOP = ("overshoot", "settling", "rise", "recovery", "period", "gains", "noise")  # not of a column
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_BAND = re.compile(
    rf"(?<![\d.]){_NUMBER}\s*(?:°?\s?[cfk]\b|度|%)?\s*(?:–|—|-|~|\bto\b|\band\b|到|至|和)\s*{_NUMBER}(?![\d.])"
)
_NEAR = re.compile(  # the setpoint
    r"(?:within|±|\+/-|in)\s*(half|\d+(?:\.\d+)?)\s*(?:a |of a )?(?:°|deg|c\b|k\b|度)"
    r"|(?:正负|±)\s*(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*度(?:以内|之内)"
)


@dataclass(frozen=True)
class Wanted:
    """What is asked: of `columns`, in the stretches `when`."""

    asks: frozenset[str]
    columns: tuple[Result, ...]
    when: Stretches = ALL_OF_IT
    limits: dict[str, float] | None = None
    inside: bool = False  # between the limits, not out of them
    beside: Result | None = None
    at: str = ""  # the moment at which values are asked for


def composed(case: Case, kind: str) -> list[str]:
    """Return the answer to a question on figures of columns, [] where it asks for something else.

    Of several devices it is told of each, or of none.
    """
    if len(case.task.devices) > 1:
        if table()["asked"]["apart"].search(spelled(case.question.text)):
            return []  # it is the devices that differ
        tasks = [replace(case.task, devices=(name,)) for name in case.task.devices]
        each = [composed(replace(case, task=task), kind) for task in tasks]
        told = zip(case.task.devices, each, strict=True)
        return [text for name, rows in told for text in (f"**{name}**\n\n", *rows, "\n")] if all(each) else []
    question = case.question
    is_short = len(question.words) <= LONGEST_QUESTION and not (question.pasted or question.lines)
    if not (is_short and (case.device or known_log(case))) or question.gain or question.order:
        return []
    asks, limits, inside = _asks(case)
    of_all = {name for name in OF_ALL if table()["asked"][name].search(question.words)}
    since_when = question.extreme == "when" and not limits and not aspect("reached", question.words)
    if table()["asked"]["deviation"].search(question.words):
        of_all -= {"setpoints"}
    elif since_when and table()["roles"]["setpoint"].search(spelled(question.text)):
        of_all |= {"setpoints"}
    if of_all:
        asks = frozenset(of_all)
    elif kind == "handover" and aspect("paragraph", question.words):
        asks = frozenset(() if aspect("report", question.words) else ("least", "most", "mean"))
    elif not (kind in OF_COLUMNS or (kind == "plot" and question.score < table()["least"])):
        return []
    of_way = question.quantity == "rise" and asks & {*STATS} and aspect("by_event", question.words)
    of_loop = question.quantity in OF_THE_LOOP[: 1 if limits else None] and not of_way
    if of_loop and not of_all and kind != "handover":
        return []
    if not asks and len(window_words(question.words)) == 2:
        when = stretches(case, about := choose_log(case))
        return list(read_in(case, about, when)) if len(when.spans) == 2 else []
    if not asks and kind == "logs" and question.quantity in COLUMN and aspect("what_is", question.words):
        asks = frozenset(("least", "most", "mean"))
    if not asks:
        return []
    about = choose_log(case)
    texts = [spelled(question.text), question.words]
    if any(_DEGREES.search(text) for text in texts):  # which are no output
        texts = [table()["roles"]["output"].sub(" ", text) for text in texts]
    read, named = named_in(case, about, *texts, every="names" in asks)
    if asks & {*OF_ALL}:
        return list(_of_all(case, about, read, asks))
    when = stretches(case, about, of_device=True, each="slope" not in asks)
    if about.device and when.lacking and not when.spans:
        raise NothingToRead(_day_none(case, about, when.lacking[0]))
    own = spelled(question.text)
    own = own.replace(when.words, " ") if when.words else own
    if lacks := lacking(own, [column["head"] for column in columns_in(read)], ASIDE):
        return [case.say("column_lacking", label=about.label, what=case.listed(lacks)), _names(case, read)]
    wanted = _wanted(case, read, named, Wanted(asks, (), when, limits=limits, inside=inside))
    if isinstance(wanted, str):
        return [wanted]
    if wanted and kind == "handover" and {column["channel"] for column in wanted.columns} & loops_of(read):
        return []  # a letter tells of the loops
    return [*_told(case, about, read, wanted), _aged(case, read)] if wanted else []


def named_in(case: Case, about: Subject, *texts: str, every: bool = False) -> tuple[Result, list[Named]]:
    """Return the columns of a log, and those that the first of `texts` names, or the next.

    The columns beside the loops, which may take seconds to read, are read where one is named, or `every`.
    """
    read = case.tool("column_figures", **about.named, only_loops=True)
    for words in (re.sub(LOG_NAME, " ", text) for text in texts):
        if named := columns_named(case.question, words, columns_in(read)):
            break
    if every or any(not column["role"] for _, meant, _ in named for column in meant):
        read = case.tool("column_figures", **about.named)
        named = columns_named(case.question, words, read["columns"])
    return read, named


def loops_of(read: Result) -> set[int]:
    """Return the channels that have a setpoint."""
    return {column["channel"] for column in read["columns"] if column["role"] == "setpoint"}


def _of_all(case: Case, about: Subject, read: Result, asks: frozenset[str]) -> Iterator[str]:
    """Say how long a log is and how often it was written, what it has, or which setpoints, since when."""
    if "setpoints" in asks:
        of = [column for column in read["columns"] if column["role"] == "setpoint"]
        for column in _of_channels(case, of, read):
            yield from _setpoints(case, about, column, read)
    elif "names" in asks:
        yield _names(case, read)
    else:
        ends, span = [moment(at) for at in read["whole"]], span_text(read["seconds"], case.language)
        fields = {"log": about.log, "since": ends[0], "until": ends[1], "period": read["period"]}
        yield case.say("series_length", span=span, hours=read["seconds"] / HOUR, **fields)


def _setpoints(case: Case, about: Subject, column: Result, read: Result) -> Iterator[str]:
    """Say which setpoints a channel had, and from when on each."""
    unit, starts = f" {column['unit']}".rstrip(), column["starts"]
    rows = [about.at(row) | {"unit": unit} for row in starts]
    more = column["changes"] + 1 - len(rows)
    if named := [row for row in rows if row["value"] in numbers_in(case.question.words)][:1]:
        yield case.item("setpoint_from", what=what_is(case, column, read), **named[0])
        return
    if rows and not more:
        what, count = what_is(case, column, read), column["changes"]
        yield case.item("setpoints_row", what=what, count=count, **rows[-1])
    yield from ("  " + case.item("setpoint_since", **row) for row in rows)
    if more:
        levels = case.listed(f"{level:g}" for level in column["levels"])
        yield "  " + case.item("setpoints_more", count=more, levels=levels + unit)


def _names(case: Case, read: Result) -> str:
    """Return the names of the columns that a log has, by their heads where it has these."""
    names = [
        quoted(column["head"]) if column["head"] else what_is(case, column, read)
        for column in read["columns"]
        if column["role"] != "error"
    ]
    return case.say("series_has", names=case.listed(dict.fromkeys(names)))


def _asks(case: Case) -> tuple[frozenset[str], dict[str, float], bool]:
    """Return what is asked, the limits it is asked of, and whether of the time between them."""
    patterns, own, all_words = table()["asked"], spelled(case.question.text), case.question.words
    limits, inside = _limits(own) or _limits(all_words) or (_reached(case), False)
    limits = {} if {*limits.values()} <= {*map(float, case.question.channels)} else limits
    names = PAST if limits else (*STATS, *OTHERS, "when")
    for words in (own, all_words):
        asks = {name for name in names if patterns[name].search(without_times(words))}
        if asks - {"when"} or (limits and asks):
            break
    if limits and not asks and case.question.yes_no:
        asks = {"ever"}
    if not limits and "when" in asks and not asks & {"least", "most"}:
        asks = set()
    if not (asks or limits) and patterns["deviation"].search(own) and patterns["size"].search(own):
        asks = {"most", "mean"}
    asks -= {"change"} if len(case.question.moments) < 2 else set()
    if both_sides(case.question) and not (limits or asks & {*STATS}):
        asks |= {"mean", "std"}
    asks -= {"slope"} if asks & {*STATS} else set()
    if not limits and patterns["apart"].search(own):
        asks |= {"apart"}
    if not asks and len(case.question.moments) == 1 and not window_words(all_words):
        asks = {"value"}
    return frozenset(asks), limits, inside


def _reached(case: Case) -> dict[str, float]:
    """Return the value of which it is asked when it was reached, as a limit; {} if none is.

    From which side tells a word for falling, else it is from below.
    """
    words = case.question.words
    values = numbers_in(words) - {*case.question.channels}
    is_asked = case.question.extreme == "when" or case.question.yes_no
    if not is_asked or len(values) != 1 or not aspect("reached", words):
        return {}
    return {"below" if aspect("down", words) or aspect("below", words) else "above": values.pop()}


def _limits(words: str) -> tuple[dict[str, float], bool] | None:
    """Return the limits that `words` name, and whether it is asked of the time between them; None: no limits.

    >>> _limits("how long was it outside 29.8-30.2 °c?"), _limits("超过38度几次")
    (({'above': 30.2, 'below': 29.8}, False), ({'above': 38.0}, False))
    >>> _limits("mean of pv from 10:00 to 11:00") is None
    True
    >>> _limits("time with an error larger than ±0.5?")
    ({'above': 0.5, 'below': -0.5}, False)
    >>> _limits("how much of the time was it within half a degree?")
    ({'above': 0.5, 'below': -0.5}, True)
    """
    patterns = table()["asked"]
    plain = without_times(words)
    if patterns["full"].search(plain):
        return FULL_LOAD, False
    is_out, is_in = patterns["outside"].search(plain), patterns["inside"].search(plain)
    if (band := _BAND.search(plain)) and (is_out or is_in):
        low, high = sorted((float(band[1]), float(band[2])))
        return {"above": high, "below": low}, bool(is_in and not is_out)
    limits = limits_in(plain)
    if "above" in limits and patterns["deviation"].search(plain):
        return {"above": limits["above"], "below": -limits["above"]}, False
    if (near := _NEAR.search(plain)) and not limits:
        size = float(next(filter(None, near.groups())).replace("half", "0.5"))
        return {"above": size, "below": -size}, not is_out
    return (limits, False) if limits else None


def _wanted(case: Case, read: Result, named: list[Named], wanted: Wanted) -> Wanted | str | None:
    """Return what is wanted with its columns and stretches, None if it is no figure of these.

    Of two columns that are set beside each other each must be one: else the question which it is.
    """
    columns, patterns, words = read["columns"], table()["asked"], case.question.words
    to_either_side = len(limits := wanted.limits or {}) == 2 and limits["above"] == -limits["below"]
    is_error = to_either_side or patterns["deviation"].search(words)
    if role := "output" if wanted.limits == FULL_LOAD else "error" if is_error else "":
        named = [(0, [column for column in columns if column["role"] == role], "")]
    groups = list[tuple[str, list[Result]]]()
    for _, meant, text in named:
        group = _of_channels(case, meant, read)
        if group and group not in [other for _, other in groups]:
            groups.append((text, group))
    told = {column["channel"] for _, group in groups for column in group if column["role"] not in ("pv", "")}
    if not table()["roles"]["pv"].search(spelled(case.question.text)):  # "the top zone's output"
        groups = [one for one in groups if one[1][0]["role"] != "pv" or one[1][0]["channel"] not in told]
    if not groups and (wanted.limits or wanted.asks & {*STATS}) and not (role or wanted.asks & {*OTHERS}):
        of_share = wanted.limits and re.search(r"\d\s*%", words)  # a limit in % is none of a temperature
        role = COLUMN.get(case.question.quantity if not wanted.limits else "", "")
        meant = [column for column in columns if of_share and column["unit"][:1] == "%"]
        meant = meant if of_share else [column for column in columns if column["role"] == role]
        groups = [("", group)] if (group := _of_channels(case, meant, read)) else []
    chosen = list({column["name"]: column for _, group in groups for column in group}.values())
    if not chosen:
        return None
    if wanted.when.held and not wanted.limits and all(column["role"] == "pv" for column in chosen):
        return None  # told with their setpoints
    beside, at_extreme = None, _at_extreme(words, named, wanted)
    pair = groups if len(groups) == 2 else [("", [column]) for column in chosen]
    if "apart" in wanted.asks and len(pair) < 2:  # of two stretches, or of the most and the least
        wanted = replace(wanted, asks=wanted.asks - {"apart"})
    if not (wanted.asks or wanted.limits):
        return None
    if wanted.asks & {*PAIRED} or at_extreme is not None:
        if len(pair) < 2:
            return None
        if several := [one for one in groups if len(one[1]) > 1 or len(pair) > 2]:
            if case.question.kind == "diagnosis":
                return None  # a verdict needs no column
            text = plain_text(written(several[0][0], case.question.text))
            names = (what_is(case, column, read) for column in (several[0][1] if len(pair) == 2 else chosen))
            return case.say("series_which", words=text, names=case.listed(names))
        (_, [first]), (_, [second]) = pair[:: -1 if at_extreme else 1]
        chosen, beside = [first], second
        if at_extreme is not None:
            wanted = replace(wanted, asks=wanted.asks - {"when"} | {"beside"})
    if "value" in wanted.asks:
        if any(column["channel"] in loops_of(read) for column in chosen):  # told with its findings
            return None
        return replace(wanted, columns=tuple(chosen), at=case.question.moments[0])
    return replace(wanted, columns=tuple(chosen), beside=beside)


def _of_channels(case: Case, meant: list[Result], read: Result) -> list[Result]:
    """Return those of the columns `meant` that are of the channels asked about, else of the loops, if any."""
    asked, every = {*case.question.channels}, {column["channel"] for column in read["columns"]}
    loops = loops_of(read) or every
    kept = [
        column
        for column in meant
        if not column["role"]
        or (number_of(column, read["columns"]) in asked if asked else column["channel"] in loops)
    ]
    return kept or meant


def _at_extreme(words: str, named: list[Named], wanted: Wanted) -> int | None:
    """Return which of two columns has the extreme that is the moment of which the other is asked."""
    found = aspect("at_extreme", words)
    if not (found and len(named) > 1 and wanted.asks & {"least", "most"}):
        return None
    place = max(found.start("extreme"), found.start("zh"))
    before = [number for number, (at, _, _) in enumerate(named) if at < place]  # said last before it
    return min(before[-1], 1) if before else None


def read_in(case: Case, about: Subject, when: Stretches, aged: bool = True) -> Iterator[str]:
    """Say what the loops asked about read in stretches of a log, `aged`: and how old it is."""
    read, named = named_in(case, about, case.question.words)
    roles = {COLUMN.get(case.question.quantity, "pv")}
    if len(when.spans) == 2 and both_sides(case.question) and not case.question.quantity:
        roles |= {"output", "error"}
    meant = (column for _, of, _ in named for column in _of_channels(case, of, read) if column["role"])
    called = {column["channel"] for column in meant}
    of_called = (column for column in read["columns"] if not called or column["channel"] in called)
    columns = _of_channels(case, [column for column in of_called if column["role"] in roles], read)
    yield from read_of(case, about, read, columns, when)
    yield _aged(case, read) if aged else ""


def read_of(case: Case, about: Subject, read: Result, of: list[Result], when: Stretches) -> Iterator[str]:
    """Say what columns read in stretches of a log, of what is asked of any."""
    asked = _asks(case)[0] & {*STATS} or {"least", "most", "mean"}
    yield from _told(case, about, read, Wanted(frozenset(asked), tuple(of), when))


def _told(case: Case, about: Subject, read: Result, wanted: Wanted) -> Iterator[str]:
    """Say what the columns read: a row for each, or for each in each stretch."""
    named = [column["name"] for column in wanted.columns]
    given: dict[str, Any] = {"columns": named, **(wanted.limits or {})}
    given["only_loops"] = all(column["role"] for column in read["columns"])
    given["beside"] = wanted.beside["name"] if wanted.beside else ""
    spans = [list(span) for span in wanted.when.spans]
    yield wanted.when.note + "\n\n" if wanted.when.note else ""
    yield from (_day_none(case, about, day) + "\n\n" for day in wanted.when.lacking * (not wanted.when.note))
    if wanted.at:
        minute = re.sub(r"(:\d\d):\d\d$", r"\1", wanted.at)
        spans = [[wanted.at, minute if wanted.at[0] == "+" else f"{minute}:59"]]
    columns = {column["name"]: column for column in read["columns"]}
    rows = _rows(case, about, wanted, given, spans)
    if not rows:
        yield from (case.item("series_lacking", since=since, until=until) for since, until in spans)
        return
    is_whole = not (wanted.when.spans or wanted.limits or wanted.beside or wanted.at)
    is_whole &= any(column["role"] for column in wanted.columns) and not wanted.asks.isdisjoint(STATS[:3])
    so = [_is_so(case, wanted, row)[0] for row in rows] if wanted.limits else []
    is_so = (all if aspect("all_along", case.question.words) or wanted.inside else any)(so)
    lead = case.lead(None if _is_of_a_false_reading(case, about, wanted) else is_so) if so else ""
    of_all = list[Result]()
    if len(rows) > 2 * len(named) and wanted.when.of_days and wanted.asks & {"least", "most", "mean", *PAST}:
        of_each = ([row for row in rows if row["column"] == name] for name in named)
        of_all = [_joined(of) | {"is_all": True} for of in of_each if of]
    elif lead:
        rows = sorted(rows, key=lambda row: so[rows.index(row)] is not is_so)
    for row in (*of_all, *rows):
        column = columns[row["column"]]
        ends = moment(row["since"]), moment(row["until"], "" if wanted.when.of_days else row["since"])
        is_named = wanted.when.spans or (wanted.asks & {*STATS} and not wanted.beside)
        span = case.say("series_span", since=ends[0], until=ends[1]) if is_named else ""
        what = what_is(case, column, read) + span
        said = list(_sentences(case, wanted, column, row, read, what))
        if "is_all" in row:
            yield lead + case.say("logs_of_all", told=said[0].rstrip(".。")) + "\n\n"
            said, lead = [], ""
        for text in said:
            yield text if text.startswith(" ") else f"- {lead}{text}\n"
            lead = ""
    yield from _changes(case, rows, wanted)
    told = [row["span"] for row in rows]
    for number, (since, until) in enumerate(spans):
        is_between = case.question.days or len(spans) == 2 or min(told) < number < max(told)
        if is_between and number not in told:
            yield case.item("series_lacking", since=since, until=until)


def _is_of_a_false_reading(case: Case, about: Subject, wanted: Wanted) -> bool:
    """Return whether the sensor of a loop that is asked about is off from the start: pv tells nothing."""
    from instrumentgpt.analyst.report import diagnosed, faults_of  # which has figures in it

    asked = {column["channel"] for column in wanted.columns if column["role"] in ("pv", "error")}
    diagnosis = diagnosed(case, about) if asked and case.question.yes_no else {"findings": [], "start": ""}
    off = [one for one in faults_of(diagnosis) if one["class"] == "sensor_bias" and one["channel"] in asked]
    return any(one["onset_clock"] == diagnosis["start"] and one["confidence"] != "possible" for one in off)


def _day_none(case: Case, about: Subject, day: str) -> str:
    names = log_names(case)[:MOST_NAMED] if about.device else [about.log]
    return case.say("day_none", day=day.lstrip("-"), label=about.label, logs=case.listed(map(quoted, names)))


def _rows(case: Case, about: Subject, wanted: Wanted, given: Result, spans: list[list[str]]) -> list[Result]:
    """Return what the columns read in each span, with links to its lines; of several logs as of one."""
    found = dict[tuple[int, str], list[Result]]()
    for name in wanted.when.logs or (about.log,):
        try:
            log = about if name == about.log else fetched_log(case, name)
            result = case.tool("column_figures", **log.named, **given, spans=spans)
        except ToolFailed:
            if not wanted.when.logs:
                raise
            continue
        for row in result["rows"]:
            found.setdefault((row["span"], row["column"]), []).append(_linked(row, log))
    order = given["columns"]
    return [_joined(found[key]) for key in sorted(found, key=lambda key: (key[0], order.index(key[1])))]


def _linked(value: Any, log: Subject) -> Any:
    """Return what a tool told of a log with links where it has the numbers of lines."""
    if isinstance(value, dict):
        return {key: log.link(one) if key == "line" else _linked(one, log) for key, one in value.items()}
    return [_linked(one, log) for one in value] if isinstance(value, list) else value


def _at(told: Result, day: str = "") -> Result:
    """Return a moment whose line is linked with its clock (without `day`) as people are told it."""
    return {**told, "clock": moment(told["clock"], day)}


def _joined(rows: Sequence[Result]) -> Result:
    """Return the rows of one column, in order of time, as that of one stretch."""
    row, *rest = rows
    for other in rest:
        of = [(one["samples"] / (row["samples"] + other["samples"]), one) for one in (row, other)]
        sums = {name: sum(part * one[name] for part, one in of) for name in ("mean", "mean_size")}
        sums["std"] = (
            sum(part * (one["std"] ** 2 + (one["mean"] - sums["mean"]) ** 2) for part, one in of) ** 0.5
        )
        sums["samples"] = row["samples"] + other["samples"]
        past = {"past": _past_both(of)} if "past" in row else {}
        unknown = dict.fromkeys({"per_hour", "r", "lag", "lag_r"} & {*row})
        ends = {end: far(row[end], other[end], key=itemgetter("value")) for end, far in EXTREMES.items()}
        ends |= {end: other[end] for end in ("last", "until")}
        row = {**row, **sums, **ends, **past, **unknown}
    return row


def _past_both(of: Sequence[tuple[float, Result]]) -> Result:
    """Return the times past a limit of two stretches as of one: the last of one may go on in the other."""
    (_, row), (_, other) = of
    first, second, share = row["past"], other["past"], sum(part * one["past"]["share"] for part, one in of)
    if not (first["count"] and second["count"]):
        return {**(first if first["count"] else second), "share": share}
    ends = first["last"]["clock"], other["first"]["clock"]
    goes_on = ends == (row["last"]["clock"], second["first"]["clock"])
    times = [*first["times"], *second["times"]]
    if goes_on:
        whole = first["times"][-1]["seconds"] + second["times"][0]["seconds"]
        times = [*first["times"][:-1], first["times"][-1] | {"seconds": whole}, *second["times"][1:]]
    longest = max(times, key=lambda one: one["seconds"])
    sums = {
        "count": first["count"] + second["count"] - goes_on,
        "seconds": first["seconds"] + second["seconds"],
    }
    where = {"longest": longest["seconds"], "clock": longest["clock"], "line": longest["line"]}
    return {**sums, **where, "share": share, "first": first["first"], "last": second["last"], "times": times}


def _aged(case: Case, read: Result) -> str:
    old = age(case.task, case.language, read["whole"][1])
    return f"\n{old}\n" if old else ""


def what_is(case: Case, column: Result, read: Result) -> str:
    """Return a column as people are told of it: its head in quotes, or its channel and what it is of."""
    if not column["role"]:
        return quoted(column["head"])
    channel = str(column["channel"])
    several = len({other["channel"] for other in read["columns"] if other["role"]}) > 1
    names = {other["channel"]: other["head"] for other in read["columns"] if other["role"] == "pv"}
    if several and (head := names.get(column["channel"])):
        channel += f" ({quoted(head)})"
    what, of = case.say("channel_named", channel=channel), case.say(f"value_{column['role']}")
    return what if column["role"] == "pv" else what + case.say("list_separator") + of


def _sentences(
    case: Case, wanted: Wanted, column: Result, row: Result, read: Result, what: str
) -> Iterator[str]:
    """Yield what one column, `what` people are told of it, read in one stretch, in what is asked for."""
    asks, said = wanted.asks, {"what": what, "unit": f" {column['unit']}".rstrip()}
    ends = {name: row[name]["value"] for name in ("first", "last")}

    if wanted.limits:
        yield from _past(case, wanted, row, said)
    elif wanted.beside:
        beside = {"beside": what_is(case, wanted.beside, read), "other": f" {wanted.beside['unit']}".rstrip()}
        if asks & {*PAIRED}:
            yield _together(case, asks, row, said | beside)
        for name in () if asks & {*PAIRED} else asks & {"least", "most"}:
            yield case.say(
                f"series_at_{name}", **said, **{**_at(row[name]), **beside}, read=row[name]["beside"]
            )
    elif wanted.at:
        yield case.say("series_value", **said, **_at(row["first"]))
    elif "slope" in asks:
        words = without_times(spelled(case.question.text))
        pattern = next((name for name, of in PER.items() if re.search(of[1], words)), "hour")
        if row["per_hour"] is not None:
            slope, per = row["per_hour"] * PER[pattern][0], case.say(f"per_{pattern}")
            yield case.say("series_slope", **said, **ends, slope=slope, per=per)
    elif "change" in asks:
        clocks = {f"{name}_clock": moment(row[name]["clock"]) for name in ends}
        yield case.say("series_change", **said, **ends, **clocks, by=ends["last"] - ends["first"])
    else:
        parts, settled = _stats(case, asks, column, row, said), row.get("settled") or row
        if any(settled[end]["value"] != row[end]["value"] for end in ("least", "most")):
            own = _stats(case, asks, column, settled, said)
            own = case.say("extreme_settled", clock=moment(settled["since"]), parts=own)
            parts = case.say("list_separator").join((parts, own))
        yield case.say("series_row", **said, samples=row["samples"], parts=parts)


def _together(case: Case, asks: frozenset[str], row: Result, said: Result) -> str:
    """Return how far two columns go together, or which changed first and by how much."""
    r, lag, apart = row["r"], row["lag"], row["apart"]
    if "apart" in asks and said["unit"] and said["other"] not in ("", said["unit"]):
        return case.say("series_unlike", **said)
    if "apart" in asks:
        is_less = table()["asked"]["less"].search(case.question.words)
        lead = case.lead(apart["mean"] < 0 if is_less else apart["mean"] > 0)
        return lead + case.say("series_apart", **apart, **said)
    if "related" in asks and r is None:
        return case.say("series_unrelated", **said)
    if "related" in asks:
        size = next((name for name, least in RELATED.items() if abs(r) >= least), "none")
        said |= {"r": r, "size": case.say(f"related_{size}"), "samples": row["samples"]}
        return case.say("series_related", **said)
    first, second = (said["what"], said["beside"])[:: 1 if (lag or 0.0) >= 0 else -1]
    key = "lag_unknown" if lag is None else "lag_told" if abs(lag) > row["lag_step"] else "lag_none"
    span = span_text(abs(lag or 0.0), case.language, exact=True)
    return case.say(key, first=first, second=second, span=span, r=abs(row["lag_r"] or 0.0))


def _stats(case: Case, asks: frozenset[str], column: Result, row: Result, said: Result) -> str:
    """Return what is asked for of the least, the most, the mean and the spread of a column."""
    numbers, day = {"std": row["std"], "mean": row["mean"], **said}, "" if "when" in asks else row["since"]
    if column["role"] == "error" and not asks & {"least", "std", "reach"}:
        largest = max((row["least"], row["most"]), key=lambda end: abs(end["value"]))
        parts = [case.say("series_error_mean", size=row["mean_size"], **numbers)]
        if "most" in asks:
            most = _at(largest) | {"value": abs(largest["value"])}
            parts.insert(0, case.say("series_error_most", **most, **said))
        if aspect("still", case.question.words):
            parts.insert(0, case.say("column_last", **_at(row["last"], day), **said))
        return case.say("list_separator").join(parts)
    ends = [name for name in ("least", "most") if asks & {name, "reach"}]
    parts = [case.say(f"column_{name}", **_at(row[name], day), **said) for name in ends]
    if "reach" in asks:
        parts.insert(0, case.say("series_reach", size=row["most"]["value"] - row["least"]["value"], **said))
    key = "series_std" if "std" in asks and "mean" not in asks else "series_mean"
    return case.say("list_separator").join([*parts, case.say(key, **numbers)])


def _is_so(case: Case, wanted: Wanted, row: Result) -> tuple[bool, str]:
    """Return whether it is as a yes would say of a limit, and the end of what was read that shows it."""
    limits, words, is_never = wanted.limits or {}, case.question.words, re.compile(r"\bnever\b|没(?!有)")
    ends = ("most", "least") if "above" in limits else ("least", "most")
    if aspect("all_along", words) and len(limits) == 1 and not is_never.search(words):
        return row["past"]["share"] == 1, ends[1]
    if aspect("still", words):
        last = row["last"]["value"]
        is_past = last > limits.get("above", inf) or last < limits.get("below", -inf)
        return is_past is not wanted.inside, "last"
    return bool(row["past"]["count"]) is not (wanted.inside or bool(is_never.search(words))), ends[0]


def _past(case: Case, wanted: Wanted, row: Result, said: Result) -> Iterator[str]:
    """Say how often, how long, when first and last a column was past limits, or between them."""
    limits, past = wanted.limits or {}, row["past"]
    band = {"low": limits.get("below", -inf), "high": limits.get("above", inf)}
    key = "band" if len(limits) == 2 else next(iter(limits))
    key = "full" if limits == FULL_LOAD else key
    side = case.say(f"side_{key}", **band, unit=said["unit"])
    _, end = _is_so(case, wanted, row)
    reach = {"end": case.say(f"column_{end}", **_at(row[end]), **said)}
    if not past["count"]:
        yield case.say("past_never", side=side, what=said["what"], **reach)
        return
    told = {**said, "side": side, **_at(past)}
    told |= {name: span_text(past[name], case.language, exact=True) for name in ("seconds", "longest")}
    for name in ("first", "last"):
        told |= {f"{name}_{part}": text for part, text in _at(past[name]).items()}
    if wanted.inside:
        yield case.say("past_inside", **told, rest=1 - past["share"], **band)
    leads = ("first", "last", "longest") if wanted.inside else ("first", "last", "longest", "share")
    keys = [name for name in leads if name in wanted.asks] or ["first"] * ("when" in wanted.asks)
    for name in () if case.question.yes_no else keys:
        yield case.say(f"past_{name}", **told)
    yield case.say("past_row", **told, **reach)
    for one in past["times"] if past["count"] > 1 else ():
        span = span_text(one["seconds"], case.language, exact=True)
        yield "  " + case.item("limit_time", span=span, **_at(one))


def _changes(case: Case, rows: Sequence[Result], wanted: Wanted) -> Iterator[str]:
    """Say by how much the mean of a column differs from one of two stretches to the other."""
    is_asked = len(wanted.when.spans) == 2 and not wanted.limits and "mean" in wanted.asks
    for column in wanted.columns if is_asked else ():
        means = [row["mean"] for row in rows if row["column"] == column["name"]]
        if len(means) == 2:
            unit = f" {column['unit']}".rstrip()
            yield case.item("series_difference", by=means[1] - means[0], unit=unit)

"""Figures composed of what a question names: columns, stretches of a log, a limit, and what is asked."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from math import inf
from typing import Any

from instrumentgpt.analyst.case import Case, Result, Subject, age, choose_log, known_log
from instrumentgpt.analyst.figures import (
    COLUMN,
    LONGEST_QUESTION,
    called,
    figures,
    limits_in,
    numbers_in,
    window_asked,
    window_words,
)
from instrumentgpt.analyst.questions import aspect, days_in, spelled, table, weekdays_in, without_times
from instrumentgpt.analyst.words import moment, quoted
from instrumentgpt.instruments.analysis.own_units import CELSIUS
from instrumentgpt.instruments.language import HOUR, span_text
from instrumentgpt.instruments.reading.headers import heading_of, written_unit
from instrumentgpt.memory.likeness import LOG_NAME

STATS = ("least", "most", "mean", "std", "reach")
PAST = ("first", "last", "longest", "how_long", "share", "how_many", "ever", "when")  # asked of a limit
OF_COLUMNS = ("diagnosis", "figures", "events", "compare", "survey", "logs", "help")  # as which it may read
QUANTITIES = {"pv": "temperature", "output": "output", "setpoint": "setpoint"}  # by their roles
OF_ALL = ("setpoints", "length", "sampling", "names")  # asked of the log, of none of its columns
OTHERS = ("change", "slope", "related", "lag")
PER = {  # of an hour, and the words for it; an hour where none is said
    "minute": (1 / 60, r"(?:per|an?|each|every|/) ?min|每分"),
    "day": (24.0, r"(?:per|an?|each|every|/) ?day|daily|[每一][天日]"),
    "hour": (1.0, ""),
}
RELATED = {"strong": 0.7, "clear": 0.4, "weak": 0.2}  # |r| from which it is said so (Evans 1996, in three)
ASIDE = ("room", "coolant", "inlet", "outlet", "exhaust", "oil", "air", "pump", "fan", "motor")  # no loop's
MOST_LETTERS = 30  # of the name of a column that is not there
FULL_LOAD = {"above": 99.95, "below": -99.95}  # percent: an output that is written as 100.0, either way
MOST_DAYS = 14  # of one log, told one by one
OF_THE_LOOP = ("overshoot", "settling", "rise", "recovery", "period", "gains", "noise")  # not of a column
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_BAND = re.compile(
    rf"(?<![\d.]){_NUMBER}\s*(?:°?\s?[cfk]\b|度|%)?\s*(?:–|—|-|~|\bto\b|\band\b|到|至|和)\s*{_NUMBER}(?![\d.])"
)
_NEAR = re.compile(  # the setpoint
    r"(?:within|±|\+/-|in)\s*(half|\d+(?:\.\d+)?)\s*(?:a |of a )?(?:°|deg|c\b|k\b|度)"
    r"|(?:正负|±)\s*(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*度(?:以内|之内)"
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
_HAN = "一二三四五六七八九"
_ORDINAL = rf"(?:{'|'.join(_ORDINALS)})"
_AND = r"\W+(?:(?:and|on|the|day|to|vs|with)\W+)*"
_DAY_LIST = re.compile(
    rf"\b({_ORDINAL}(?:{_AND}{_ORDINAL})*) days?\b|\bdays? (\d{{1,2}}(?:{_AND}\d{{1,2}}(?!\d|:))*)"
    rf"|第\s*([{_HAN}\d])\s*天"
)


@dataclass(frozen=True)
class Wanted:
    """What is asked: of `columns`, in each of `spans`, with their names where they are of days."""

    asks: frozenset[str]
    columns: tuple[Result, ...]
    spans: tuple[tuple[str, str], ...] = ()
    limits: dict[str, float] | None = None
    inside: bool = False  # between the limits, not out of them
    beside: Result | None = None
    of_days: bool = False  # the spans are days of the log, told one by one
    at: str = ""  # the moment at which values are asked for


def composed(case: Case, kind: str) -> list[str]:
    """Return the answer to a question on figures of columns, [] where it asks for something else.

    Of several devices it is told of each, or of none.
    """
    if len(case.task.devices) > 1:
        each = [
            composed(replace(case, task=replace(case.task, devices=(name,))), kind)
            for name in case.task.devices
        ]
        told = zip(case.task.devices, each, strict=True)
        return [text for name, rows in told for text in (f"**{name}**\n\n", *rows, "\n")] if all(each) else []
    question = case.question
    is_short = len(question.words) <= LONGEST_QUESTION and not (question.pasted or question.lines)
    if not (is_short and (case.device or known_log(case))) or question.gain or question.order:
        return []
    asks, limits, inside = _asks(case)
    if of_all := {name for name in OF_ALL if table()["asked"][name].search(question.words)}:
        asks = frozenset(of_all)
    elif kind == "handover" and aspect("paragraph", question.words):
        asks = frozenset(() if aspect("report", question.words) else ("least", "most", "mean"))
    elif kind not in OF_COLUMNS or question.quantity in OF_THE_LOOP[: 1 if limits else None]:
        return []
    if not asks:
        return []
    about = choose_log(case)
    read = case.tool("column_figures", **about.named, only_loops=True)
    if "names" in asks or _may_be_beside(question.words, read["heads"]):
        read = case.tool("column_figures", **about.named)
    if asks & {*OF_ALL}:
        return list(_of_all(case, about, read, asks))
    if what := _lacking(spelled(question.text), read["columns"]):
        return [case.say("column_lacking", label=about.label, what=f"“{what}”"), _names(case, read)]
    wanted = _wanted(case, about, read, Wanted(asks, (), limits=limits, inside=inside))
    if wanted and kind == "handover" and {column["channel"] for column in wanted.columns} & _loops(read):
        return []  # a letter tells of the loops
    if wanted and (plain := _of_loops(case, read, wanted)):
        return [*_never_held(case, read), *figures(plain)]
    return list(_told(case, about, read, wanted)) if wanted else []


def _may_be_beside(words: str, heads: str) -> bool:
    """Return whether `words` may name a column of `heads` that is no loop's."""
    rest, roles = spelled(heads), table()["roles"].values()
    for pattern in roles:
        rest = pattern.sub(" ", rest)
    of_heads = {*re.findall(r"[a-z]{2,}\d*|[\u4e00-\u9fff]{2,}", rest)} if heads else set()
    patterns = [row["pattern"] for row in table()["columns"].values()] + [*table()["things"].values()]
    said = (part for part in of_heads if re.search(rf"(?<![a-z0-9]){part}(?![a-z0-9])", words))
    return bool(heads) and (any(pattern.search(words) for pattern in patterns) or any(said))


def _loops(read: Result) -> set[int]:
    return {column["channel"] for column in read["columns"] if column["role"] == "setpoint"}


def _never_held(case: Case, read: Result) -> Iterator[str]:
    """Say that a setpoint which is named was never held, where what is told is of all of the log."""
    held = {level for column in read["columns"] for level in column.get("levels", ())}
    plain = without_times(case.question.words)
    named = {
        float(match[1]) for match in re.finditer(rf"(?:\bhold(?:ing)?|\bat|维持|保温|在)\s*{_NUMBER}", plain)
    }
    if lacking := sorted(named - held - {*map(float, case.question.channels)}):
        yield case.say("never_held", setpoints=case.listed(f"{number:g}" for number in lacking)) + "\n\n"


def _of_loops(case: Case, read: Result, wanted: Wanted) -> Case | None:
    """Return the case of an extreme or a mean of loops, which `figures` tells; None of another."""
    loops = _loops(read)
    roles = {column["role"] for column in wanted.columns}
    is_plain = wanted.asks <= {"least", "most", "mean"} and not (wanted.limits or wanted.beside or wanted.at)
    is_one = len(wanted.spans) == 1 and not wanted.of_days and len(roles) == 1
    channels = tuple(column["channel"] for column in wanted.columns)
    if not (is_plain and is_one and roles <= {*QUANTITIES} and {*channels} <= loops):
        return None
    quantity = QUANTITIES[roles.pop()]
    return replace(case, question=replace(case.question, channels=channels, quantity=quantity))


def _of_all(case: Case, about: Subject, read: Result, asks: frozenset[str]) -> Iterator[str]:
    """Say how long a log is and how often it was written, what it has, or which setpoints, since when."""
    if "setpoints" in asks:
        for column in read["columns"]:
            if column["role"] == "setpoint" and (
                not case.question.channels or column["channel"] in case.question.channels
            ):
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
    rows = [
        {**row, "clock": moment(row["clock"]), "line": about.link(row["line"]), "unit": unit}
        for row in starts
    ]
    more = column["changes"] + 1 - len(rows)
    if rows and not more:
        yield case.item(
            "setpoints_row", what=what_is(case, column, read), count=column["changes"], **rows[-1]
        )
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
    names = PAST if limits else (*STATS, *OTHERS, "when")
    for words in (own, all_words):
        asks = {name for name in names if patterns[name].search(without_times(words))}
        if asks - {"when"} or (limits and asks):
            break
    if not limits and "when" in asks and not asks & {"least", "most"}:
        asks = set()
    if not asks and _is_of_error(limits) and case.question.kind == "figures":
        asks = {"share"}
    asks -= {"change"} if len(case.question.moments) < 2 else set()
    asks -= {"slope"} if asks & {*STATS} else set()
    if not asks and len(case.question.moments) == 1 and aspect("before_after", all_words):
        asks = {"mean"}
    if not asks and len(case.question.moments) == 1 and not window_words(all_words):
        asks = {"value"}
    return frozenset(asks), limits, inside


def _reached(case: Case) -> dict[str, float]:
    """Return the value of which it is asked when it was reached, as a limit; {} if none is.

    From which side tells a word for falling, else it is from below.
    """
    words = case.question.words
    values = numbers_in(words) - {*case.question.channels}
    if case.question.extreme != "when" or len(values) != 1 or not aspect("reached", words):
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


def _is_of_error(limits: dict[str, float] | None) -> bool:
    """Return whether limits are those of a deviation from the setpoint, to either side."""
    return limits is not None and len(limits) == 2 and limits["above"] == -limits["below"]


def columns_named(words: str, columns: Sequence[Result]) -> list[tuple[int, list[Result]]]:
    """Return the columns that `words` (spelled) name: where each is named, and which may be meant.

    A column is named by its head, by what the head says in another tongue, or by its quantity: of those that
    are named by the same words, the ones of which the most is said, and the least is not.
    """
    claims = list[tuple[int, int, int, Result]]()
    for column in columns:
        naming, telling = _features(column)
        quantity = [
            row["pattern"] for row in table()["columns"].values() if is_of(spelled(column["head"]), row)
        ]
        if quantity and not any(pattern.search(words) for pattern in (naming[0], *quantity)):
            continue  # "the chamber" is not its pressure
        places = [match.span() for pattern in naming for match in pattern.finditer(words)]
        unsaid = 0 if naming[0].search(words) else sum(not pattern.search(words) for pattern in telling)
        phrases = list[list[int]]()
        for start, stop in sorted(places):
            if phrases and re.fullmatch(r"[\s的/_-]*", words[phrases[-1][1] : start]):
                phrases[-1][1] = max(stop, phrases[-1][1])
            else:
                phrases.append([start, stop])
        claims += [(start, stop, unsaid, column) for start, stop in phrases]
    named = list[tuple[int, list[Result]]]()
    taken = list[tuple[int, int]]()
    for start, stop, _, _ in sorted(claims, key=lambda claim: claim[0] - claim[1]):
        if any(start < end and begin < stop for begin, end in taken):
            continue
        taken.append((start, stop))
        same = [(unsaid, column) for first, last, unsaid, column in claims if (first, last) == (start, stop)]
        fewest = min(unsaid for unsaid, _ in same)
        named.append((start, [column for unsaid, column in same if unsaid == fewest]))
    return sorted(named, key=lambda one: one[0])


def _lacking(words: str, columns: Sequence[Result]) -> str:
    """Return the words that name a column of a quantity that only others have: "oil temperature"."""
    heads = " ".join(spelled(column["head"]) for column in columns)
    for place, _ in columns_named(words, columns):
        for name in ASIDE:
            pattern = table()["things"][name]
            led = [at for at in pattern.finditer(words[:place]) if not words[at.end() : place].strip()]
            if led and not pattern.search(heads):
                return words[led[0].start() :].split("?")[0].split("？")[0][:MOST_LETTERS].strip()
    return ""


def _features(column: Result) -> tuple[list[re.Pattern[str]], list[re.Pattern[str]]]:
    """Return what may name a column, and what tells it from others of its role: each thing its head says."""
    head, role = spelled(column["head"]), column["role"]
    bare = re.sub(r"\W*[\[(][^\])]*[\])]\s*$", "", head).strip() or head
    whole = re.compile(rf"(?<![a-z0-9]){re.escape(bare)}(?![a-z0-9])" if head else r"(?!)")
    quantities, roles, things = table()["columns"], table()["roles"], table()["things"]
    of = [row["pattern"] for row in quantities.values() if role in ("", "pv") and is_of(head, row)]
    is_warm = role == "pv" or heading_of(column["head"]).unit in CELSIUS or roles["pv"].search(head)
    features = [*of, *(pattern for pattern in things.values() if role != "output" and pattern.search(head))]
    rest = bare
    for pattern in (*features, *roles.values()):
        rest = pattern.sub(" ", rest)
    features += [
        re.compile(rf"(?<![a-z0-9]){part}(?![a-z0-9])")
        for part in re.findall(r"[a-z]{3,}\d*|[\u4e00-\u9fff]{2,}", rest)
    ]
    named = roles[role] if role not in ("", "pv") else roles["pv"] if is_warm and not of else None
    return [whole, *([named] if named else []), *features], features


def is_of(head: str, row: Result) -> bool:
    """Return whether a column of that head (spelled) is of a quantity, a row of [columns]."""
    units = (heading_of(head).unit, written_unit(head))
    return row["unit"] in units or bool(row["pattern"].search(head))


def _wanted(case: Case, about: Subject, read: Result, wanted: Wanted) -> Wanted | None:
    """Return what is wanted with its columns and stretches, None if it is no figure of these."""
    columns, patterns, words = read["columns"], table()["asked"], case.question.words
    own = re.sub(LOG_NAME, " ", spelled(case.question.text))
    named = columns_named(own, columns) or columns_named(words, columns)
    loops = _loops(read)
    is_error = _is_of_error(wanted.limits) or patterns["deviation"].search(words)
    if role := "output" if wanted.limits == FULL_LOAD else "error" if is_error else "":
        named = [(0, [column for column in columns if column["role"] == role])]
    all_meant = [meant for _, meant in named]
    named = [one for number, one in enumerate(named) if one[1] not in all_meant[:number]]
    groups = [group for _, meant in named if (group := _of_channels(case, meant, loops))]
    if case.question.channels and not named and not wanted.limits:
        return None
    if not groups and wanted.limits and not (role or wanted.asks & {*OTHERS}):
        of_share = re.search(r"\d\s*%", words)  # a limit in % is none of a temperature
        meant = [column for column in columns if of_share and column["unit"][:1] == "%"]
        meant = meant if of_share else [column for column in columns if column["role"] == "pv"]
        groups = [_of_channels(case, meant, loops)]
    if not groups or not groups[0]:
        return None
    chosen = list({column["name"]: column for group in groups for column in group}.values())
    held = {level for column in columns for level in column.get("levels", ())}
    is_of_holds = held & numbers_in(words) - {*map(float, case.question.channels)}
    if not wanted.limits and (aspect("each_hold", words) or is_of_holds) and "value" not in wanted.asks:
        return None
    beside = None
    if len(groups) > 1 and (pair := _pair(words, named, wanted)):
        chosen, beside = [pair[0]], pair[1]
        if not wanted.asks & {"related", "lag"}:
            wanted = replace(wanted, asks=wanted.asks - {"when"} | {"beside"})
    elif wanted.asks & {"related", "lag"}:
        return None
    if "value" in wanted.asks:
        if any(column["channel"] in loops for column in chosen):  # what a loop read is told with its findings
            return None
        return replace(wanted, columns=tuple(chosen), at=case.question.moments[0])
    if days := _days(case, read, wanted.asks):
        return replace(wanted, columns=tuple(chosen), spans=tuple(days), beside=beside, of_days=True)
    spans = _spans(case, about)
    return replace(wanted, columns=tuple(chosen), spans=spans, beside=beside) if spans else None


def _of_channels(case: Case, meant: list[Result], loops: set[int]) -> list[Result]:
    """Return the columns of the channels asked about, else of the loops, of those that are `meant`."""
    asked = {*case.question.channels} or {column["channel"] for column in meant} & loops
    return [column for column in meant if not column["role"] or not asked or column["channel"] in asked]


def _pair(words: str, named: list[tuple[int, list[Result]]], wanted: Wanted) -> tuple[Result, Result] | None:
    """Return the two columns that are set beside each other: first the one whose extreme is the moment."""
    (_, first), (_, second) = named[0], named[1]
    if wanted.asks & {"related", "lag"}:
        return None if first[0] is second[0] else (first[0], second[0])
    found = aspect("at_extreme", words)
    if not (found and wanted.asks & {"least", "most"}):
        return None
    place = max(found.start("extreme"), found.start("zh"))
    before = [number for number, (at, _) in enumerate(named) if at < place][-1:]  # said last before it
    other = [meant for number, (_, meant) in enumerate(named) if number not in before]
    return (named[before[0]][1][0], other[0][0]) if before and other else None


def _spans(case: Case, about: Subject) -> tuple[tuple[str, str], ...]:
    """Return the stretches that are asked about, () where they lie in another log."""
    question, words = case.question, case.question.words
    if aspect("before_after", words) and len(question.moments) == 1:
        return ("", question.moments[0]), (question.moments[0], "")
    if case.device and aspect("over_logs", words):
        return ()
    window, note = window_asked(case, about)
    return () if note else ((window.get("since", ""), window.get("until", "")),)


def _days(case: Case, read: Result, asks: frozenset[str]) -> list[tuple[str, str]]:
    """Return the days of the log that are asked about: each, those that are counted, or those of a date."""
    question, patterns = case.question, table()["asked"]
    if question.moments or len(each := _each_day(read, "")) < 2:
        return []
    days = [date.fromisoformat(begun[:10]) for begun, _ in each]
    own, meant = spelled(question.text), list[date]()
    for words in dict.fromkeys((own, question.words)):
        if "slope" not in asks and patterns["daily"].search(words):
            return _each_day(read, question.words)[:MOST_DAYS]
        counted = [number for match in _DAY_LIST.finditer(words) for number in _counted(match)]
        dated = [day for day in days for name in days_in(words) if str(day).endswith(name)]
        dated += [day for day in days if day.weekday() in weekdays_in(words)]
        meant = meant or [days[number - 1] for number in counted if number <= len(days)] or dated
    if re.search(r"\bday before\b(?! yesterday)|前一天", own) and question.relative == "yesterday":
        meant = [case.task.now.date() - timedelta(days=2)]
    if len(meant) == 2 and re.search(r"\b(?:from .* to|through)\b|[从自].*[到至]", own):
        return [(f"{meant[0]} 00:00:00", f"{meant[1]} 23:59:59")]
    return [(f"{day} 00:00:00", f"{day} 23:59:59") for day in meant]


def _each_day(read: Result, words: str) -> list[tuple[str, str]]:
    """Return since and until of each day of a log, or of each night that `words` name; [] without dates."""
    try:
        first, last = (datetime.fromisoformat(at[:19]) for at in read["whole"])
    except ValueError:
        return []
    hours = table()["times"]["last night" if aspect("night", words) else "yesterday"]
    midnight = datetime.combine(first, time())
    spans = (
        tuple(midnight + timedelta(days=number, hours=hours[end]) for end in ("from", "to"))
        for number in range(-1, (last - midnight).days + 1)
    )
    return [(str(since), str(until)) for since, until in spans if since < last and until > first]


def by_days(case: Case) -> list[str]:
    """Return what the loops read on each day of the log, or each night; [] where it has only one."""
    about = choose_log(case)
    read = case.tool("column_figures", **about.named, only_loops=True)
    asked = called(case, case.tool("channel_metrics", **about.named)).question.channels
    columns = [
        column for column in read["columns"] if column["role"] == COLUMN.get(case.question.quantity, "pv")
    ]
    columns = [column for column in columns if not asked or column["channel"] in asked]
    spans = _each_day(read, case.question.words)[:MOST_DAYS]
    asks = _asks(case)[0] & {"least", "most", "mean"} or {"least", "most", "mean"}
    wanted = Wanted(frozenset(asks), tuple(columns), tuple(spans), of_days=True)
    return list(_told(case, about, read, wanted)) if columns and len(spans) > 1 else []


def _counted(match: re.Match[str]) -> list[int]:
    ordinals, digits, han = match.groups()
    if han:
        return [int(han) if han.isdigit() else _HAN.index(han) + 1]
    if digits:
        return [int(number) for number in re.findall(r"\d+", digits)]
    return [_ORDINALS.index(word) + 1 for word in re.findall(_ORDINAL, ordinals)]


def _told(case: Case, about: Subject, read: Result, wanted: Wanted) -> Iterator[str]:
    """Say what the columns read: a row for each, or for each in each stretch."""
    named = [column["name"] for column in wanted.columns]
    given = {**about.named, "columns": named, **(wanted.limits or {})}
    given["only_loops"] = all(column["role"] for column in read["columns"])
    if wanted.beside:
        given["beside"] = wanted.beside["name"]
    spans = [list(span) for span in wanted.spans]
    if wanted.at:
        minute = re.sub(r"(:\d\d):\d\d$", r"\1", wanted.at)
        spans = [[wanted.at, minute if wanted.at[0] == "+" else f"{minute}:59"]]
    result = case.tool("column_figures", **given, spans=spans)
    columns = {column["name"]: column for column in read["columns"]}
    rows = result["rows"]
    if not rows:
        return
    for row in rows:
        ends = moment(row["since"]), moment(row["until"], "" if wanted.of_days else row["since"])
        is_named = any(map(any, wanted.spans)) or (wanted.asks & {*STATS} and not wanted.beside)
        span = case.say("series_span", since=ends[0], until=ends[1]) if is_named else ""
        what = what_is(case, columns[row["column"]], read) + span
        for text in _sentences(case, about, wanted, columns[row["column"]], row, read, what):
            yield text if text.startswith(" ") else f"- {text}\n"
    yield from _changes(case, rows, columns, wanted)
    for since, until in result["lacking"]:
        yield case.item("series_lacking", since=since, until=until)
    if old := age(case.task, case.language, read["whole"][1]):
        yield f"\n{old}\n"


def what_is(case: Case, column: Result, read: Result) -> str:
    """Return a column as people are told of it: its head in quotes, or its channel and what it is of."""
    if not column["role"]:
        return quoted(column["head"])
    channel = str(column["channel"])
    several = len({other["channel"] for other in read["columns"] if other["role"]}) > 1
    if several and (head := _head_of(column, read)):
        channel += f" ({quoted(head)})"
    what, of = case.say("channel_named", channel=channel), case.say(f"value_{column['role']}")
    return what if column["role"] == "pv" else what + case.say("list_separator") + of


def _head_of(column: Result, read: Result) -> str:
    of = (
        other for other in read["columns"] if other["channel"] == column["channel"] and other["role"] == "pv"
    )
    return next((other["head"] for other in of), "")


def _sentences(
    case: Case, about: Subject, wanted: Wanted, column: Result, row: Result, read: Result, what: str
) -> Iterator[str]:
    """Yield what one column, `what` people are told of it, read in one stretch, in what is asked for."""
    asks, said = wanted.asks, {"what": what, "unit": f" {column['unit']}".rstrip()}
    ends = {name: row[name]["value"] for name in ("first", "last")}

    def at(end: Result, day: str = "") -> dict[str, Any]:
        return {"value": end["value"], "clock": moment(end["clock"], day), "line": about.link(end["line"])}

    if wanted.limits:
        yield from _past(case, about, wanted, row["past"], said)
    elif wanted.beside:
        beside = {"beside": what_is(case, wanted.beside, read), "other": f" {wanted.beside['unit']}".rstrip()}
        if asks & {"related", "lag"}:
            yield _together(case, asks, row, said | beside)
        for name in () if asks & {"related", "lag"} else asks & {"least", "most"}:
            yield case.say(f"series_at_{name}", **said, **beside, **at(row[name]), read=row[name]["beside"])
    elif wanted.at:
        yield case.say("series_value", **said, **at(row["first"]))
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
        yield case.say(
            "series_row", **said, samples=row["samples"], parts=_stats(case, asks, column, row, said, at)
        )


def _together(case: Case, asks: frozenset[str], row: Result, said: Result) -> str:
    """Return how far two columns go together, or which changed first and by how much."""
    r, lag = row["r"], row["lag"]
    if "related" in asks and r is None:
        return case.say("series_unrelated", **said)
    if "related" in asks:
        size = next((name for name, least in RELATED.items() if abs(r) >= least), "none")
        return case.say(
            "series_related", **said, r=r, size=case.say(f"related_{size}"), samples=row["samples"]
        )
    first, second = (said["what"], said["beside"])[:: 1 if (lag or 0.0) >= 0 else -1]
    key = "lag_unknown" if lag is None else "lag_told" if abs(lag) > row["lag_step"] else "lag_none"
    span = span_text(abs(lag or 0.0), case.language, exact=True)
    return case.say(key, first=first, second=second, span=span, r=abs(row["lag_r"] or 0.0))


def _stats(
    case: Case, asks: frozenset[str], column: Result, row: Result, said: Result, at: Callable[..., Result]
) -> str:
    """Return what is asked for of the least, the most, the mean and the spread of a column."""
    numbers, day = {"std": row["std"], "mean": row["mean"], **said}, "" if "when" in asks else row["since"]
    if column["role"] == "error" and not asks & {"least", "std", "reach"}:
        largest = max((row["least"], row["most"]), key=lambda end: abs(end["value"]))
        parts = [case.say("series_error_mean", size=row["mean_size"], **numbers)]
        if "most" in asks:
            most = at(largest) | {"value": abs(largest["value"])}
            parts.insert(0, case.say("series_error_most", **most, **said))
        return case.say("list_separator").join(parts)
    parts = [
        case.say(f"column_{name}", **at(row[name], day), **said)
        for name in ("least", "most")
        if asks & {name, "reach"}
    ]
    if "reach" in asks:
        parts.insert(0, case.say("series_reach", size=row["most"]["value"] - row["least"]["value"], **said))
    key = "series_std" if "std" in asks and "mean" not in asks else "series_mean"
    return case.say("list_separator").join([*parts, case.say(key, **numbers)])


def _past(case: Case, about: Subject, wanted: Wanted, past: Result, said: Result) -> Iterator[str]:
    """Say how often, how long, when first and last a column was past limits, or between them."""
    limits = wanted.limits or {}
    band = {"low": limits.get("below", -inf), "high": limits.get("above", inf)}
    key = "band" if len(limits) == 2 else next(iter(limits))
    key = "full" if limits == FULL_LOAD else key
    side = case.say(f"side_{key}", **band, unit=said["unit"])
    if not past["count"]:
        yield case.say("past_never", side=side, what=said["what"])
        return
    at = {name: (moment(past[name]["clock"]), about.link(past[name]["line"])) for name in ("first", "last")}
    numbers = {name: span_text(past[name], case.language, exact=True) for name in ("seconds", "longest")}
    numbers |= {"share": past["share"], "count": past["count"], "line": about.link(past["line"])}
    numbers["clock"] = moment(past["clock"])
    told = {**said, "side": side, **numbers}
    told |= {
        f"{name}_{part}": text
        for name, pair in at.items()
        for part, text in zip(("clock", "line"), pair, strict=True)
    }
    if wanted.inside:
        yield case.say("past_inside", **told, rest=1 - past["share"], **band)
    leads = ("first", "last", "longest") if wanted.inside else ("first", "last", "longest", "share")
    keys = [name for name in leads if name in wanted.asks]
    keys = keys or (["first"] if "when" in wanted.asks else [])
    for name in keys:
        yield case.say(f"past_{name}", **told)
    yield case.say("past_row", **told)
    for one in past["times"] if past["count"] > 1 else ():
        span, line = span_text(one["seconds"], case.language, exact=True), about.link(one["line"])
        yield "  " + case.item("limit_time", clock=moment(one["clock"]), span=span, line=line)


def _changes(case: Case, rows: Sequence[Result], columns: dict[str, Result], wanted: Wanted) -> Iterator[str]:
    """Say by how much the mean of a column differs from one of two stretches to the other."""
    of = {
        column["name"]: [row for row in rows if row["column"] == column["name"]] for column in wanted.columns
    }
    for name, both in of.items():
        if len(wanted.spans) == 2 == len(both) and not wanted.limits and "mean" in wanted.asks:
            before, after = (row["mean"] for row in both)
            unit = f" {columns[name]['unit']}".rstrip()
            yield case.item("series_difference", by=after - before, unit=unit)

"""The stretches that a question is about: days, moments, ends of logs; holds, cycles, events, states."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import Any

from instrumentgpt.analyst.case import MOST_READ, Case, Extent, Result, Subject, diagnosed, extents
from instrumentgpt.analyst.questions import (
    WEEKDAY,
    Question,
    aspect,
    counted_days,
    limits_in,
    part_of_day,
    relative_words,
    span_of,
    spelled,
    table,
    weekdays_in,
    written,
)
from instrumentgpt.analyst.words import plain_text
from instrumentgpt.instruments.since import parts_of, since

Span = tuple[str, str]  # since and until, as tools take them
Times = tuple[datetime, datetime]  # begin and end
DAY = 24  # hours
SECOND = timedelta(seconds=1)
_LOGS = r"\b(?:each|every|per|which) (?:run|batch|firing|log|file)s?\b|每一?[次炉批份]|哪一?[次炉批份]"
_NAMED = (  # a time that is named
    r"(?:\+?\d|noon|midnight|(?:mon|tues|wednes|thurs|fri|satur|sun)day|yesterday|today|last|this"
    r"|周[一二三四五六日末]|星期|礼拜|[昨今前][天日晚早]|中午|半夜)"
)
_BEHIND, _BEFORE = rf"(?: (?!it\b|they\b)[a-z]+){{0,2}} {_NAMED}", rf"{_NAMED}[^,;。？?]{{0,4}}?"
_SIDES = {  # at which ends of it
    "until": rf"\b(?:before|until|till|up to){_BEHIND}|{_BEFORE}(?:之前|以前|前后)",
    "since": rf"\b(?:after|since|from){_BEHIND}|:\d\d (?:on|onwards?)\b(?! the)"
    rf"|{_BEFORE}(?:之后|以[后来]|前后|起)|[从自]{_NAMED}",
}
_SEVERAL = re.compile(  # both batches, each of the wafers, 两批, 每一片
    r"\b(?:both|each|every|all|two|three|four|per|which)(?: of)?(?: the)? ([a-z]{3,}?)(?:es|s)?\b"
    r"|(?:[两每各几三四哪]|第[一二三四五六七八九\d]+)[一个]?([\u4e00-\u9fff])"
)
_LIKE_A_NAME = re.compile(r"[a-z][a-z_]*-?\d[\w.-]*")  # of a batch
_TO = (
    r"\bfrom\b.* to\b|\bthrough\b|\bbetween\b.* and\b|[从自].*[到至]|\d[日号]?\s*[到至~]\s*(?:\d+月)?\d"
    r"|\d(?:st|nd|rd|th)? ?(?:to|-|–) ?\d{1,2}(?:st|nd|rd|th)?\b(?![:.]\d)"
)


@dataclass(frozen=True)
class Stretches:
    """Since and until of each stretch, as tools take them, () for all of the log; `note`: why it is that.

    of_days  whether they are days, told one by one
    logs     the names of the logs that they may lie in; () for the one that is asked about
    lacking  the days that are named, and of which there is no log
    where    what of them counts: a column and its limit, as `column_figures` takes them; {} for all
    names    of each of the spans, where they are the states of a column: "batch = A12"
    """

    spans: tuple[Span, ...] = ()
    note: str = ""
    of_days: bool = False
    logs: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    where: Mapping[str, Any] = field(default_factory=dict)
    names: tuple[str, ...] = ()


ALL_OF_IT = Stretches()


def stretches(case: Case, about: Subject, of_device: bool = False, each: bool = True) -> Stretches:
    """Return the stretches that the question names: of a log, or, `of_device`, of all logs of its device.

    What is counted from today is so by the calendar; a day of the week or by its number is the log's.

    each  whether "each day" is one by one, and not a rate
    """
    question, words = case.question, spelled(case.question.timed)
    if parts := parts_of(question.timed):
        return _at_end(case, about, parts) if of_device and len(parts) == 1 else Stretches(tuple(parts))
    if both_sides(question):
        return Stretches((("", question.moments[0]), (question.moments[0], "")))
    if aspect("to_come", words) or (len(question.moments) == 1 and not window_words(words)):
        return ALL_OF_IT
    is_each = each and bool(table()["asked"]["daily"].search(words) or aspect("over_logs", words))
    part = part_of_day(question.timed)[2]
    named = question.days or question.months or question.relative or part
    is_of_days = named or counted_days(words) or weekdays_in(words) or since(question.timed, date.max)
    if not (question.moments or question.days) and (states := _of_states(case, about)):
        return states
    if not (question.moments or is_of_days or is_each):
        return ALL_OF_IT
    there = extents(case, "" if of_device and about.device and not question.log else about.log, about)
    if question.moments:
        return _between(case, there)
    if not there:
        name = part or relative_words(question) or question.timed
        untold = Stretches(note=case.say("part_no_clock", part=plain_text(name)))
        return ALL_OF_IT if is_each and not is_of_days else untold
    return _of_days(case, there, of_device, is_each, not about.device)


def _of_states(case: Case, about: Subject) -> Stretches | None:
    """Return the batches, runs or wafers that are named: of a column whose every state was there once.

    By two of its states, or by a word of its head beside one for several: "both batches", 兩批.
    """
    own = spelled(case.question.text)
    if not (_SEVERAL.search(own) or len(_LIKE_A_NAME.findall(own)) > 1):
        return None
    diagnosis = diagnosed(replace(case, question=replace(case.question, channels=())), about)
    runs = dict[str, list[tuple[str, Result]]]()
    for row in diagnosis["states"]:
        head, _, value = row["text"].partition(" = ")
        runs.setdefault(head, []).append((value, row))
    for head, states in runs.items():
        if not 1 < len(states) <= MOST_READ or any(row["count"] > 1 or not value for value, row in states):
            continue
        named = [row for value, row in states if len(value) > 1 and spelled(value) in own]
        is_meant = any(noun and noun in spelled(head) for nouns in _SEVERAL.findall(own) for noun in nouns)
        rows = named if len(named) > 1 else [row for _, row in states] * is_meant
        ends = [(row["clock"], row["end_clock"]) for row in rows]
        if rows and all(begin[4:5] == "-" for begin, _ in ends):
            spans = tuple((begin, _just_before(end, diagnosis["end"])) for begin, end in ends)
            return Stretches(spans, of_days=True, names=tuple(row["text"] for row in rows))
    return None


def _just_before(clock: str, last: str) -> str:
    """Return the moment before a state ended by another that began; the last of the log is its own."""
    return clock if clock >= last else str(datetime.fromisoformat(clock) - timedelta(milliseconds=1))


def _between(case: Case, there: list[Extent]) -> Stretches:
    """Return the stretch between two moments, or to one, each with its whole day where that is known.

    Of four or more the stretches between each two.
    """
    days = _days(case, _ends(there))[0] if there else []
    moments = [_dated(moment, days) for moment in case.question.moments]
    if len(moments) > 2 and len(moments) % 2 == 0:
        return Stretches(tuple(zip(moments[::2], moments[1::2], strict=True)))
    begin, end = (*moments, "")[:2]
    (on, _, _), (same, _, clock) = begin.rpartition(" "), end.rpartition(" ")
    is_dated = len(on) > len("-23")
    if on == same and end < begin:  # past midnight
        end = f"{date.fromisoformat(on) + timedelta(days=1)} {clock}" if is_dated and days else clock
    if not end and window_words(spelled(case.question.timed)) == {"until"}:
        begin, end = f"{on} 00:00" if on else "", begin
    return Stretches(
        ((begin, end),), logs=tuple(log for log, *_ in there) if is_dated and len(there) > 1 else ()
    )


def _dated(moment: str, days: list[date]) -> str:
    """Return a moment with the whole of its day, where that is one of `days`, or the only one."""
    on, _, clock = moment.rpartition(" ")
    of = [day for day in days if str(day).endswith(on)] if on or len(days) == 1 else []
    return f"{of[0]} {clock}" if len(of) == 1 and clock[0] != "+" else moment


def _of_days(case: Case, there: list[Extent], of_device: bool, is_each: bool, is_file: bool) -> Stretches:
    """Return the days, or the parts of days, that are named, each by itself."""
    question, now, words = case.question, case.task.now, spelled(case.question.timed)
    (begins, stops, part), ends, sides = part_of_day(question.timed), _ends(there), window_words(words)
    if is_each and not part and aspect("night", words):
        begins, stops = (table()["times"]["last night"][end] for end in ("from", "to"))
    begun = since(question.timed, now.date())
    is_begin = begun and part and re.search(rf"(?:day|[一二三四五六日天]) ?{re.escape(part)}", question.timed)
    is_part, hour = not is_begin and (begins, stops) != (0, DAY), begins if is_begin else 0
    times = _counted(case, now, hour)
    is_long = any(stop - start > timedelta(days=1) for start, stop in times)
    name, note = case.say("since_day", day=begun) if begun else relative_words(question), ""
    if times and ends[1] < times[0][0] and is_file and not begun:  # a file tells of its own last night
        ways = ((at, _counted(case, at, hour)) for at in (ends[1], ends[1] - timedelta(days=1)))
        now, times = next(((at, found) for at, found in ways if _is_in(found, ends)), (now, times))
        note = case.say("time_of_file", time=plain_text(name), end=f"{ends[1]:%F %H:%M}")
    if times and not _is_in(times, ends):  # of an old log
        return _not_there(case, name, ends[1])
    if is_part and times and not is_long:
        times = [_hours(start.date(), begins, stops) for start, _ in times]
    if times and not (is_long and is_part):
        found = _by_day(*times[0]) if is_long and of_device else times
        return replace(_told(found, there), of_days=len(found) > 1, note=note)
    if times:  # parts of the days of a longer time
        ends, is_each = (max(ends[0], times[0][0]), min(ends[1], times[0][1])), True
    days, named = _days(case, ends) if not times else ([], "")
    if not named and is_each and not is_part and re.search(_LOGS, words) and len(there) > 1:
        return _told([(begin, end - SECOND) for _, begin, end in there], there)
    if not named and not is_part and not is_each:
        return ALL_OF_IT
    if not named:
        first = ends[0].date() - timedelta(days=stops > DAY)
        days = [first + timedelta(days=n) for n in range((ends[1].date() - first).days + 1)][-MOST_READ:]
    found = [_hours(day, begins, stops) for day in days]
    found = [(start, stop) for start, stop in found if start < ends[1] and stop > ends[0]]
    lacking = tuple(day for day in question.days if not any(str(one).endswith(day) for one in days))
    if not found:
        return replace(_not_there(case, plain_text(part or named.lstrip("-")), ends[1]), lacking=lacking)
    is_range = bool(question.months or re.search(_TO, words)) and not is_each
    if len(found) > 1 and is_range and stops > DAY:
        found = found[:1]  # a night from one day to the next
    elif len(found) > 1 and is_range:
        whole = (found[0][0], found[-1][1])
        found = _by_day(*whole) if of_device and not (part or question.months) else [whole]
    elif len(found) == 1 and len(sides) == 1 and not part and not is_range:
        start, stop = _told(found, there).spans[0]
        return Stretches((("", stop) if sides == {"until"} else (start, ""),), of_days=True)
    return replace(_told(found[-MOST_READ:], there), lacking=lacking)


def _counted(case: Case, now: datetime, hour: int) -> list[Times]:
    """Return the stretches that are named as counted from `now`; since a day: from its `hour` on."""
    question, words = case.question, spelled(case.question.timed)
    if begun := since(question.timed, now.date()):
        return [(_hours(begun, hour, 0)[0], now)]
    part, is_each = part_of_day(question.timed)[2], re.search(r"\b(?:each|every)\b|每", words)
    is_counted = not (question.days or (is_each and part in relative_words(question)))
    return [span_of(name, now) for name in _relatives(words)] if is_counted else []


def _is_in(times: list[Times], ends: Times) -> bool:
    return any(start <= ends[1] and ends[0] < stop for start, stop in times)


def _ends(there: list[Extent]) -> Times:
    return there[0][1], max(end for *_, end in there)


def _hours(day: date, begins: int, stops: int) -> Times:
    midnight = datetime.combine(day, time())
    return midnight + timedelta(hours=begins), midnight + timedelta(hours=stops)


def _relatives(words: str) -> list[str]:
    """Return the times counted from today that `words` name, none that stands in the words for another."""
    places = {name: row["pattern"].search(words) for name, row in table()["times"].items()}
    found = {name: {*range(*match.span())} for name, match in places.items() if match}
    return [name for name, span in found.items() if not any(span < other for other in found.values())]


def _told(found: list[Times], there: list[Extent]) -> Stretches:
    """Return the stretches as tools take them, with the logs in which they lie."""
    spans = [(str(start), str(stop - SECOND * (stop.time() == time()))) for start, stop in found]
    logs = [log for log, begin, end in there if any(start < end and begin < stop for start, stop in found)]
    return Stretches(tuple(dict.fromkeys(spans)), of_days=True, logs=tuple(logs) if len(there) > 1 else ())


def _by_day(start: datetime, stop: datetime) -> list[Times]:
    """Return the days of a stretch, the first and the last as far as they are in it."""
    midnights = (_hours(start.date(), DAY * n, 0)[0] for n in range(1, (stop - start).days + 2))
    return [*pairwise([start, *(at for at in midnights if at < stop), stop])][-MOST_READ:]


def _at_end(case: Case, about: Subject, parts: list[Span]) -> Stretches:
    """Return a part at an end of a log; one longer than the newest log goes back into those before."""
    (begin, end), there = parts[0], list[Extent]()
    length = begin[:1] == "-" and case.tool("column_figures", **about.named, only_loops=True)["seconds"]
    if length is not False and timedelta(seconds=length) < _duration(begin):
        there = extents(case)
    if len(there) < 2:
        return Stretches(((begin, end),))
    return replace(_told([(there[-1][2] - _duration(begin), there[-1][2] + SECOND)], there), of_days=False)


def _duration(part: str) -> timedelta:
    return timedelta(minutes=int(part[1:].split()[0]))


def _days(case: Case, ends: Times) -> tuple[list[date], str]:
    """Return the days of the log that are named, and a name of them; days that it has not are left out."""
    question, words = case.question, spelled(case.question.timed)
    of_log = [ends[0].date() + timedelta(days=n) for n in range((ends[1].date() - ends[0].date()).days + 1)]
    if names := question.days:
        return [day for day in of_log if any(str(day).endswith(name) for name in names)], names[0]
    if names := question.months:
        return [day for day in of_log if any(name in f"-{day}" for name in names)], names[0].strip("-")
    if counted := counted_days(words):
        return [of_log[number - (number > 0)] for number in counted if number <= len(of_log)], question.timed
    if weekdays := weekdays_in(words):
        name = written(next(WEEKDAY.finditer(words))[0], question.timed)
        return [day for day in of_log if day.weekday() in weekdays][-len(weekdays) :], name
    if question.relative:
        return [span_of(question.relative, case.task.now)[0].date()], relative_words(question)
    return [], ""


def window_asked(case: Case, about: Subject) -> tuple[dict[str, str], str]:
    """Return since and until of the stretch as tools take them, and what is said if it is not there.

    Of several the last.
    """
    found = stretches(case, about, each=False)
    since_, until = found.spans[-1] if found.spans else ("", "")
    return {name: at for name, at in (("since", since_), ("until", until)) if at}, found.note


def _not_there(case: Case, name: str, end: datetime) -> Stretches:
    return Stretches(note=case.say("time_not_there", time=name, end=f"{end:%F %H:%M}"))


def both_sides(question: Question) -> bool:
    """Return whether it is asked what differs from before the one moment that is named to after it."""
    words, asked = question.words, table()["asked"]
    sides = window_words(spelled(question.timed)) if len(question.moments) == 1 else set()
    differs = asked["change"].search(words) or asked["apart"].search(words) or question.direction
    return len(sides) == 2 or bool(sides and differs and not limits_in(words))


def window_words(words: str) -> set[str]:
    """Return at which ends of one named time `words` look: {"until"} is before it, {"since"} after it.

    >>> window_words("mean after 14:20?"), sorted(window_words("14:20前后差多少"))
    ({'since'}, ['since', 'until'])
    """
    return {end for end, pattern in _SIDES.items() if re.search(pattern, words)}

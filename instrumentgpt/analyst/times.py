"""The stretches of a log that a question is about: days, their parts, between two moments, an end."""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from instrumentgpt.analyst.case import Case, Subject
from instrumentgpt.analyst.questions import (
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
)
from instrumentgpt.analyst.words import plain_text
from instrumentgpt.instruments.since import since, stretch

DAY, MOST_DAYS = 24, 14  # hours; days of one log that are told one by one


@dataclass(frozen=True)
class Stretches:
    """Since and until of each stretch, as tools take them, () for all of the log; `note`: why it is that.

    of_days  whether they are days, told one by one
    lacking  whether the log has fewer days than are named
    """

    spans: tuple[tuple[str, str], ...] = ()
    note: str = ""
    of_days: bool = False
    lacking: bool = False


ALL_OF_IT = Stretches()


def stretches(case: Case, about: Subject) -> Stretches:
    """Return the stretches of a log that the question names.

    What is counted from today is so by the calendar; a day of the week or by its number is the log's.
    """
    question, now = case.question, case.task.now
    moments, sides = question.moments, window_words(words := spelled(question.timed))
    begins, stops, part = part_of_day(question.timed)
    if ended := stretch(question.timed):
        return Stretches(((ended.get("since", ""), ended.get("until", "")),))
    if both_sides(question):
        return Stretches((("", moments[0]), (moments[0], "")))
    if aspect("to_come", words):
        return ALL_OF_IT
    is_of_days = question.days or question.relative or part or counted_days(words) or weekdays_in(words)
    is_moment = len(moments) == 1 and not sides
    if is_moment or not (moments or is_of_days or since(question.timed, now.date())):
        return ALL_OF_IT
    ends = _ends(case, about)
    begun = None if moments else since(question.timed, now.date())
    if begun or (question.relative and not question.days and not moments):
        start, stop = (datetime.combine(begun, time()), now) if begun else span_of(question.relative, now)
        if part and not begun and stop - start <= timedelta(days=1):
            midnight = start.replace(hour=0)
            start, stop = midnight + timedelta(hours=begins), midnight + timedelta(hours=stops)
        named = case.say("since_day", day=begun) if begun else relative_words(question)
        if not ends or ends[1] < start:
            return _not_there(case, named, ends[1]) if ends else Stretches()
        return Stretches(((f"{start:%F %H:%M}", f"{stop:%F %H:%M}"),))
    days, named = _days(case, ends) if ends else ([], "")
    if moments:
        of_day = f"{days[0]} " if len(days) == 1 and not re.search(r"[-@+]", "".join(moments)) else ""
        begin, end = (*(of_day + at for at in moments), "")[:2]
        (on, _, _), (same, _, clock) = begin.rpartition(" "), end.rpartition(" ")
        end = clock if on == same and end < begin else end  # past midnight
        return Stretches((("", begin) if not end and sides == {"until"} else (begin, end),))
    if not (named or part) or not ends:
        return Stretches(note=case.say("part_no_clock", part=plain_text(part)) if part and not ends else "")
    if not named:
        days = [ends[1].date() - timedelta(days=n) for n in range((ends[1].date() - ends[0].date()).days + 2)]
    midnights = [datetime.combine(day, time()) for day in days]
    spans = [(day + timedelta(hours=begins), day + timedelta(hours=stops)) for day in midnights]
    spans = [span for span in spans if span[0] < ends[1] and span[1] > ends[0]][: None if named else 1]
    if not spans:
        return replace(_not_there(case, plain_text(named or part), ends[1]), lacking=True)
    lacking = len(spans) < len(question.days)
    if len(spans) > 1 and re.search(r"\bfrom\b.* to\b|\bthrough\b|[从自].*[到至]", words):
        spans = [(spans[0][0], spans[0 if stops > DAY else -1][1])]  # a night from one day to the next
    told = [(f"{start}", f"{stop - timedelta(seconds=stops == DAY)}") for start, stop in spans[:MOST_DAYS]]
    if len(told) == 1 and len(sides) == 1 and not part:
        told = [("", told[0][1]) if sides == {"until"} else (told[0][0], "")]
    return Stretches(tuple(told), of_days=bool(named), lacking=lacking)


def _days(case: Case, ends: tuple[datetime, datetime]) -> tuple[list[date], str]:
    """Return the days of the log that are named, and a name of them; days that it has not are left out."""
    question, words = case.question, spelled(case.question.timed)
    of_log = [ends[0].date() + timedelta(days=n) for n in range((ends[1].date() - ends[0].date()).days + 1)]
    if names := [name for name in question.days if name[0] != "~"]:
        return [day for day in of_log if any(str(day).endswith(name) for name in names)], names[0]
    if counted := counted_days(words):
        return [of_log[number - 1] for number in counted if number <= len(of_log)], question.timed
    if weekdays := weekdays_in(words):
        return [day for day in of_log if day.weekday() in weekdays][-len(weekdays) :], question.timed
    if question.relative:
        return [span_of(question.relative, case.task.now)[0].date()], relative_words(question)
    return [], ""


def each_day(case: Case, about: Subject, words: str) -> Stretches:
    """Return the days of a log, or each night that `words` name; none without dates or of one day."""
    if not (ends := _ends(case, about)):
        return Stretches()
    hours = table()["times"]["last night" if aspect("night", words) else "yesterday"]
    first = datetime.combine(ends[0], time())
    midnights = (first + timedelta(days=number) for number in range(-1, (ends[1] - first).days + 1))
    spans = [tuple(day + timedelta(hours=hours[end]) for end in ("from", "to")) for day in midnights]
    told = [(str(start), str(stop)) for start, stop in spans if start < ends[1] and stop > ends[0]]
    return Stretches(tuple(told[:MOST_DAYS]) if len(told) > 1 else (), of_days=True)


def window_asked(case: Case, about: Subject) -> tuple[dict[str, str], str]:
    """Return since and until of the first stretch as tools take them, and what is said if it is not there."""
    found = stretches(case, about)
    since_, until = (*found.spans, ("", ""))[0]
    return {name: at for name, at in (("since", since_), ("until", until)) if at}, found.note


def _ends(case: Case, about: Subject) -> tuple[datetime, datetime] | None:
    """Return the first and the last moment of a log, None of one without dates."""
    try:
        first, last = case.tool("column_figures", **about.named, only_loops=True)["whole"]
        return datetime.fromisoformat(first[:19]), datetime.fromisoformat(last[:19])
    except ValueError:
        return None


def _not_there(case: Case, name: str, end: datetime) -> Stretches:
    return Stretches(note=case.say("time_not_there", time=name, end=f"{end:%F %H:%M}"))


def both_sides(question: Question) -> bool:
    """Return whether it is asked what differs from before the one moment that is named to after it."""
    words, asked = question.words, table()["asked"]
    sides = window_words(spelled(question.timed)) if len(question.moments) == 1 else set()
    differs = asked["change"].search(words) or asked["than"].search(words) or question.direction
    return len(sides) == 2 or bool(sides and differs and not limits_in(words))


def window_words(words: str) -> set[str]:
    """Return at which ends of one named time `words` look: {"until"} is before it, {"since"} after it.

    >>> window_words("mean after 14:20?"), sorted(window_words("14:20前后差多少"))
    ({'since'}, ['since', 'until'])
    """
    before = re.search(r"\b(?:before|until|till|up to)\b|之前|以前|前后", words)
    after = re.search(r"\b(?:after|since|from)\b|之后|以后|[从自]|前后", words)
    return {end for end, match in (("until", before), ("since", after)) if match}

"""The stretches that a question is about: days, moments, ends of logs; holds, cycles, events, states."""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from math import ceil, inf

from instrumentgpt.analyst.case import MOST_READ, Case, Extent, Result, Subject, extents
from instrumentgpt.analyst.columns import columns_named, on_off
from instrumentgpt.analyst.questions import (
    WEEKDAY,
    Question,
    aspect,
    counted_days,
    limits_in,
    numbers_in,
    part_of_day,
    relative_words,
    span_of,
    spelled,
    table,
    topics_of,
    weekdays_in,
    without_times,
    written,
)
from instrumentgpt.analyst.words import moment, plain_text, quoted
from instrumentgpt.instruments.language import HOUR
from instrumentgpt.instruments.since import UNIT_SECONDS, counted, parts_of, places_in, since
from instrumentgpt.memory.terms import telling, terms

Span = tuple[str, str]  # since and until, as tools take them
Times = tuple[datetime, datetime]  # begin and end
Stage = tuple[float, float]  # s since the log's first line: its begin and end; both the same of a moment
DAY = 24  # hours
SECOND = timedelta(seconds=1)
MOST_STAGES = 24  # of one log that are told one by one
BARELY = 1e-3  # s: what reads otherwise from a moment on is not of the time before it
_LOGS = r"\b(?:each|every|per|which) (?:run|batch|firing|log|file)s?\b|每一?[次炉批份]|哪一?[次炉批份]"
_TO = r"\bfrom\b.* to\b|\bthrough\b|\bbetween\b.* and\b|[从自].*[到至]|\d[日号]?\s*[到至~]\s*(?:\d+月)?\d"
WEAK = ("with", "in", "at", "from", "between", "when")  # said of much else: a state must be told, too
CYCLE = r"个?(?:\w+ )?(?:cycle|run|firing|bake)s?\b|个?(?:循环|轮|炉|次烧)"
HOLD = r"(?:\w+ )?(?:hold|soak|plateau|dwell|phase|stage)|个?(?:段|次?保温|阶段)"
_SIDES = re.compile(  # of what stands behind, or, in Chinese, before
    r"\b(?P<side>before and after|before|until|after|following|since|while|as long as|when(?:ever)?|during"
    r"|throughout|with|in|at|from|between|(?:first|second|third|last) time)\b (?:(?:the|an?|its) )?"
    r"(?=(?P<what>(?:(?! (?:before|after|until|while|during|since)\b)[^,.?!;:]){3,60}))"
    r"|(?P<told>[^,，。?？!、:]{2,24}?)的?(?P<han>前后|(?<!最)之?后|以[后来]|之?前|以前|期间|中(?=的)|的?时候|时(?![间钟候])|到结束)"
)
_STEP = re.compile(
    r"\b(?:step\w*|chang\w*|went|set(?: ?points?)?|switch\w*|rais\w*|lower\w*)\b"
    r"[^.?!]{0,20}?\bto (-?\d+(?:\.\d+)?)"
    r"|[升降调改设][^，。]{0,3}?[到成为至] ?(-?\d+(?:\.\d+)?)"
)
_LONG = re.compile(  # "in the ten minutes after", 之后十分钟
    r"(?P<count>\w+)(?: an?)? (?P<unit>h|min|s(?=\b|ec))\w* (?:right |just )?(?:after|following|before)\b"
    r"|[后前](?:的|前|头|最初)*\s*(?P<han>[\d一二两三四五六七八九十半]+)\s*个?(?P<han_unit>小时|分|秒)"
    r"|(?P<quarter>一刻钟|quarter of an hour)"
)


@dataclass(frozen=True)
class Stretches:
    """Since and until of each stretch, as tools take them, () for all of the log; `note`: why it is that.

    of_days  whether they are days, told one by one
    logs     the names of the logs that they may lie in; () for the one that is asked about
    words    by which they are told, where these name what was done
    held     whether they are all the holds of setpoints that are named, or of each
    lacking  the days that are named, and of which there is no log
    after    whether they begin with what is asked about the time behind
    """

    spans: tuple[Span, ...] = ()
    note: str = ""
    of_days: bool = False
    logs: tuple[str, ...] = ()
    words: str = ""
    held: bool = False
    lacking: tuple[str, ...] = ()
    after: bool = False


ALL_OF_IT = Stretches()


def stretches(case: Case, about: Subject, of_device: bool = False, each: bool = True) -> Stretches:
    """Return the stretches that the question names: of a log, or, `of_device`, of all logs of its device.

    What is counted from today is so by the calendar; a day of the week or by its number is the log's.

    each  whether "each day" is one by one, and not a rate
    """
    question, words = case.question, spelled(case.question.timed)
    if (stages := _stages_named(case, about)).spans:
        return stages
    if parts := parts_of(question.timed):
        return _at_end(case, about, parts) if of_device and len(parts) == 1 else Stretches(tuple(parts))
    if both_sides(question):
        return Stretches((("", question.moments[0]), (question.moments[0], "")))
    if aspect("to_come", words) or (len(question.moments) == 1 and not window_words(words)):
        return ALL_OF_IT
    is_hourly = each and aspect("hourly", words) and not question.moments
    if is_hourly and not table()["asked"]["how_many"].search(words):
        hours = ceil(_read(case, about)["seconds"] / HOUR)
        spans = ((f"+{hour} h", f"+{hour + 1} h") for hour in range(hours))
        return Stretches(tuple(spans) if hours <= DAY else (), of_days=True)
    is_each = each and bool(table()["asked"]["daily"].search(words) or aspect("over_logs", words))
    part = part_of_day(question.timed)[2]
    is_of_days = part or counted_days(words) or weekdays_in(words) or since(question.timed, date.max)
    if not (question.moments or question.days or question.relative or is_of_days or is_each):
        return ALL_OF_IT
    there = extents(case, "" if of_device and about.device and not question.log else about.log, about)
    if question.moments:
        return _between(case, there)
    if not there:
        name = part or relative_words(question) or question.timed
        untold = Stretches(note=case.say("part_no_clock", part=plain_text(name)))
        return ALL_OF_IT if is_each and not is_of_days else untold
    return _of_days(case, there, of_device, is_each)


def _between(case: Case, there: list[Extent]) -> Stretches:
    """Return the stretch between two moments, or to one, each with its whole day where that is known."""
    days = _days(case, _ends(there))[0] if there else []
    begin, end = (*(_dated(moment, days) for moment in case.question.moments), "")[:2]
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


def _of_days(case: Case, there: list[Extent], of_device: bool, is_each: bool) -> Stretches:
    """Return the days, or the parts of days, that are named, each by itself."""
    question, now, words = case.question, case.task.now, spelled(case.question.timed)
    (begins, stops, part), ends, sides = part_of_day(question.timed), _ends(there), window_words(words)
    if is_each and not part and aspect("night", words):
        begins, stops = (table()["times"]["last night"][end] for end in ("from", "to"))
    begun = since(question.timed, now.date())
    is_begin = begun and part and re.search(rf"(?:day|[一二三四五六日天]) ?{re.escape(part)}", question.timed)
    is_part, hour = not is_begin and (begins, stops) != (0, DAY), begins if is_begin else 0
    times, taken = _counted(case, now, hour), ""
    is_long = any(stop - start > timedelta(days=1) for start, stop in times)
    if times and ends[1] < times[0][0]:  # of an old log: as of its last day, or of one beside it
        taken = case.say("since_day", day=begun) if begun else relative_words(question)
        is_late = is_long or 0 < times[0][1].hour < times[0][0].hour  # a night: the last that it has
        nows = (ends[1] + timedelta(days=days) for days in ((1, 0, -1) if is_late else (0, 1, -1)))
        counted = (_counted(case, at, hour) for at in nows if not question.days)
        times = next((one for one in counted if one[0][0] <= ends[1] and ends[0] < one[-1][1]), [])
        if not times:
            return _not_there(case, taken, ends[1])
        times, is_each = ([], True) if part == taken else (times, is_each)  # 早上: each that it has
    if is_part and times and not is_long:
        times = [_hours(start.date(), begins, stops) for start, _ in times]
    if times and not (is_long and is_part):
        found = _by_day(*times[0]) if is_long and of_device else times
        note = _taken(case, taken, times, ends[1])
        return replace(_told(found, there), of_days=len(found) > 1, note=note)
    if times:  # parts of the days of a longer time
        ends, is_each = (max(ends[0], times[0][0]), min(ends[1], times[0][1])), True
    days, named = _days(case, ends) if not (times or taken) else ([], "")
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
    is_range = bool(re.search(_TO, words)) and not is_each
    if len(found) > 1 and is_range and stops > DAY:
        found = found[:1]  # a night from one day to the next
    elif len(found) > 1 and is_range:
        whole = (found[0][0], found[-1][1])
        found = _by_day(*whole) if of_device and not part else [whole]
    elif len(found) == 1 and len(sides) == 1 and not part and not is_range:
        start, stop = _told(found, there).spans[0]
        return Stretches((("", stop) if sides == {"until"} else (start, ""),), of_days=True)
    note = _taken(case, taken, found[-MOST_READ:], ends[1])
    return replace(_told(found[-MOST_READ:], there), lacking=lacking, note=note)


def _counted(case: Case, now: datetime, hour: int) -> list[Times]:
    """Return the stretches that are named as counted from `now`; since a day: from its `hour` on."""
    question, words = case.question, spelled(case.question.timed)
    if begun := since(question.timed, now.date()):
        return [(_hours(begun, hour, 0)[0], now)]
    part, is_each = part_of_day(question.timed)[2], re.search(r"\b(?:each|every)\b|每", words)
    is_counted = not (question.days or (is_each and part in relative_words(question)))
    return [span_of(name, now) for name in _relatives(words)] if is_counted else []


def _taken(case: Case, name: str, times: list[Times], end: datetime) -> str:
    """Return as which `times` the time called `name` was taken, "" where that is none."""
    ends = [(f"{start:%F %H:%M}", f"{min(stop, end):%F %H:%M}") for start, stop in times]
    spans = [f"{start} – {moment(stop, start)}" for start, stop in ends]
    return case.say("time_taken", time=name, spans=case.listed(spans), end=f"{end:%F %H:%M}") if name else ""


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
    if begin.startswith("-") and timedelta(seconds=_read(case, about)["seconds"]) < _duration(begin):
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


def _read(case: Case, about: Subject) -> Result:
    return case.tool("column_figures", **about.named, only_loops=True)


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
    before = re.search(r"\b(?:before|until|till|up to)\b|之前|以前|前后", words)
    after = re.search(r"\b(?:after|since|from)\b|之后|以[后来]|[从自]|前后", words)
    return {end for end, match in (("until", before), ("since", after)) if match}


def _stages_named(case: Case, about: Subject) -> Stretches:
    """Return the stretches of a log that the question tells by what was done in it.

    ALL_OF_IT where it tells of none, and where the log has it not, or several where one is meant.
    """
    words, question = spelled(case.question.timed), case.question
    if question.moments or question.lines:
        return ALL_OF_IT
    for match in _SIDES.finditer(words):
        side, what = match["side"] or match["han"], (match["what"] or match["told"]).strip()
        is_after, is_before = (
            bool(re.search(of, side)) for of in ("after|following|since|后|来", "before|until|前")
        )
        is_other = part_of_day(what)[2] or weekdays_in(what) or question.relative or not telling(terms(what))
        if is_other or (is_before and aspect("until_level", words)):
            continue
        is_state = side not in WEAK or aspect("event_begins", what) or aspect("event_ends", what)
        stages, told, is_hold = _stages(case, about, what, is_after or is_before, bool(is_state))
        long = _length(words) if is_after or is_before else inf
        stages = [stages[at - (at > 0)] for at in places_in(words, "time|次") if at <= len(stages)] or stages
        of_each = is_after and not is_before and (limits_in(words) or aspect("until_level", words))
        is_one_meant = (is_after or is_before) and long == inf and len(stages) > 1 and not of_each
        if not 0 < len(stages) <= MOST_STAGES or not long or is_one_meant:
            continue
        nexts = [*(begin for begin, _ in stages[1:]), inf]
        ends = [(begin - long, begin - BARELY) for begin, _ in stages] if is_before else []
        if is_after:
            ends += [(at, min(at + long, then) - BARELY) for (_, at), then in zip(stages, nexts, strict=True)]
        ends = ends or [(begin, end - BARELY) for begin, end in stages if begin < end]
        phrase = match[0] + (match["what"] or "")
        note = told or case.say("stage_told", words=phrase.strip())
        is_held = is_hold and not (is_after or is_before or places_in(words, HOLD))
        after = is_after and not is_before
        return Stretches(_spans(ends), note, words=phrase, held=is_held, after=after)
    of_level = limits_in(words) or aspect("until_level", words)
    if spans := () if of_level else _spans(_cycles(case, about, words)):
        return Stretches(spans)
    if aspect("each_hold", words) or places_in(words, HOLD) or numbers_in(words) - {*question.channels}:
        stages, told, _ = _stages(case, about, words, False, False)
        return Stretches(_spans(stages), told, held=not places_in(words, HOLD)) if told else ALL_OF_IT
    return ALL_OF_IT


def _spans(stages: list[Stage]) -> tuple[Span, ...]:
    ends = [["" if abs(at) == inf else f"+{max(0.0, at):.3f} s" for at in stage] for stage in stages]
    return tuple((since, until) for since, until in ends)


def _length(words: str) -> float:
    """Return for how many s beside a moment it is asked, inf for no length, 0 for one not understood."""
    if not (match := _LONG.search(words)):
        return inf
    if match["quarter"]:
        return 15 * UNIT_SECONDS["m"]
    word = match["count"] or match["han"]
    return (0.5 if word in ("half", "半") else counted(word)) * UNIT_SECONDS[
        (match["unit"] or match["han_unit"])[0]
    ]


def _stages(
    case: Case, about: Subject, what: str, beside: bool, is_event: bool
) -> tuple[list[Stage], str, bool]:
    """Return when that was what the words tell of, by what it is told, and whether by holds.

    beside    whether it is asked about the time beside it, for which a moment is enough
    is_event  whether event lines may say so
    """
    read = case.tool("column_figures", **about.named, only_loops=True)
    warms, cools = aspect("warms", what), aspect("cools", what)
    if (warms or cools) and not beside:
        return _ways(case, about, read, what, bool(warms)), "", False
    if step := _STEP.search(what):
        return _steps(read, float(step[1] or step[2])) if beside else [], "", False
    levels = {level for column in read["columns"] for level in column.get("levels", ())}
    is_hold = aspect("each_hold", what) or aspect("hold", what) or places_in(what, HOLD)
    if is_hold or (levels & numbers_in(what) and not beside):
        holds = _holds(case, about, read, what)
        told = case.listed(dict.fromkeys(f"{level:g}" for _, level in holds))
        return [stage for stage, _ in holds], case.say("stage_holds", levels=told) if holds else "", True
    if not is_event:
        return [], "", False
    found = _events(case, about, what, beside)
    return (*(found if found[0] else (_states(case, about, what), "")), False)


def _at(read: Result, clock: str) -> float:
    """Return the s from the first sample of a log to a clock time that a tool told of it."""
    if clock.startswith("+"):
        return float(clock[1:].split()[0])
    begun, at = (datetime.fromisoformat(one) for one in (read["whole"][0], clock))
    return (at - begun).total_seconds()


def _steps(read: Result, level: float) -> list[Stage]:
    starts = (column["starts"][1:] for column in read["columns"] if column["role"] == "setpoint")
    return sorted(
        {(_at(read, one["clock"]),) * 2 for rows in starts for one in rows if one["value"] == level}
    )


def _ways(case: Case, about: Subject, read: Result, what: str, is_warm: bool) -> list[Stage]:
    """Return the ways up, or down, to the setpoint that is named, else to any, until pv was there."""
    rows = case.tool("channel_metrics", **about.named, channel=case.question.channel)["channels"]
    moves = [move for row in rows for move in row["moves"] if (move["to"] > move["from"]) is is_warm]
    named = numbers_in(what)
    meant = [move for move in moves if move["to"] in named or not named]
    if any(move["count"] > 1 or move["seconds"] is None for move in meant):
        return []
    begun = ((_at(read, move["clock"]), move["seconds"]) for move in meant)
    return sorted({(begin + BARELY, begin + seconds) for begin, seconds in begun})


def _holds(case: Case, about: Subject, read: Result, words: str) -> list[tuple[Stage, float]]:
    """Return the holds of the setpoints that `words` name, or by place, or each, since pv had settled."""
    numbers = numbers_in(words) - {*map(float, case.question.channels)}
    rows = case.tool("channel_metrics", **about.named, channel=case.question.channel, each_hold=True)
    times = [
        (hold["setpoint"], _at(read, one["settled_clock"]), _at(read, one["end_clock"]))
        for row in rows["channels"]
        for hold in row["holds"]
        for one in hold["times"]
    ]
    holds = sorted({(begin, end): level for level, begin, end in times}.items())
    starts = (len(column["starts"]) for column in read["columns"] if column["role"] == "setpoint")
    if (places := places_in(words, HOLD)) and len(holds) != max(starts, default=0):
        return []  # one of them is none that is told, and the others' places are not theirs
    if places:
        holds = [holds[place - (place > 0)] for place in places if place <= len(holds)]
    return [(stage, level) for stage, level in holds if level in numbers or not numbers]


def _cycles(case: Case, about: Subject, words: str) -> list[Stage]:
    """Return the cycles of a programme that `words` count, or each, from begin to begin of its setpoint."""
    places = places_in(words, CYCLE)
    if not (places or aspect("each_cycle", words)):
        return []
    read = case.tool("column_figures", **about.named, only_loops=True)
    rows = case.tool("channel_metrics", **about.named, channel=case.question.channel)["channels"]
    cycles: list[Result] = next((row["cycles"]["rows"] for row in rows if row["cycles"]), [])
    begins = [_at(read, row["clock"]) for row in cycles]
    stages = [*zip(begins, [*(at - BARELY for at in begins[1:]), inf], strict=True)][:MOST_STAGES]
    return [stages[at - (at > 0)] for at in places if at <= len(stages)] if places else stages


def _states(case: Case, about: Subject, what: str) -> list[Stage]:
    """Return when a column that `what` names was past the limit it says, or on, or off; [] where often."""
    read, limits = case.tool("column_figures", **about.named), limits_in(what)
    named = columns_named(case.question, without_times(what), read["columns"])
    meant = [column["name"] for _, of, _ in named[:1] for column in of if limits or not column["role"]][:1]
    given = {**about.named, "columns": meant}
    if meant and not limits:
        rows = case.tool("column_figures", **given)["rows"]
        side = "below" if aspect("event_ends", what) else "above"
        limits = {side: middle} if rows and (middle := on_off(rows[0])) is not None else {}
    rows = case.tool("column_figures", **given, **limits)["rows"] if meant and limits else []
    past: Result = rows[0]["past"] if rows else {"count": 0}
    times = past["times"] if past["count"] and past["count"] == len(past["times"]) else []
    return [(_at(read, one["clock"]), _at(read, one["end_clock"])) for one in times]


def _events(case: Case, about: Subject, what: str, beside: bool) -> tuple[list[Stage], str]:
    """Return from when to when it was so by the event lines that the words name, and which these are."""
    begins, ends = aspect("event_begins", what), aspect("event_ends", what)
    plain = without_times(what)
    for name in ("event_begins", "event_ends"):
        plain = table()["aspects"][name].sub(" ", plain)
    topics, own = topics_of(what), {*telling(terms(plain))}
    opened, closed, others, lines = list[float](), list[float](), list[float](), list[str]()
    for group in case.tool("search_events", **about.named, level="info")["groups"]:
        said = ": ".join(filter(None, (group["source"], group["first"]["text"])))
        text = spelled(said)
        if not (any(word in text for word in topics) if topics else own and own <= {*terms(text)}):
            continue
        if len(group["times"]) < group["count"]:
            return [], ""
        lines.append(f"{about.link(group['first']['line'])} {quoted(said)}")
        kind = opened if aspect("event_begins", text) else closed if aspect("event_ends", text) else others
        kind += group["times"]
    told = case.say("stage_lines", words=what, lines=case.listed(lines))
    opened, closed = (closed, opened) if ends and not begins and not beside else (opened, closed)
    if not (opened and closed) or (beside and (begins or ends)):
        meant = closed if ends and not begins and closed else opened if begins and opened else ()
        return [(at, at) for at in sorted(meant or (*opened, *closed, *others))], told
    stages = [(at, min((end for end in closed if end > at), default=inf)) for at in sorted(opened)]
    return [
        one for one, after in zip(stages, [*stages[1:], (inf, inf)], strict=True) if one[1] <= after[0]
    ], told

"""Stretches of a log that are told by what was done: a hold, a step, a way, what event lines tell."""

import re
from dataclasses import dataclass
from datetime import datetime
from math import inf

from instrumentgpt.analyst.case import Case, Result, Subject
from instrumentgpt.analyst.questions import (
    aspect,
    limits_in,
    numbers_in,
    part_of_day,
    spelled,
    table,
    weekdays_in,
    without_times,
)
from instrumentgpt.analyst.words import quoted
from instrumentgpt.instruments.since import UNIT_SECONDS, counted, places_in
from instrumentgpt.memory.terms import telling, terms

Span = tuple[str, str]  # since and until, as tools take them
Stage = tuple[float, float]  # s since the log's first line: its begin and end; both the same of a moment
WEAK = ("with", "in", "at", "from", "between", "when")  # said of much else: a state must be told, too
HOLD = r"(?:\w+ )?(?:hold|soak|plateau|dwell|phase|stage)|个?(?:段|次?保温|阶段)"
BARELY = 1e-3  # s: what reads otherwise from a moment on is not of the time before it
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
    """

    spans: tuple[Span, ...] = ()
    note: str = ""
    of_days: bool = False
    logs: tuple[str, ...] = ()
    words: str = ""
    held: bool = False
    lacking: tuple[str, ...] = ()


ALL_OF_IT = Stretches()


def stages_named(case: Case, about: Subject) -> Stretches:
    """Return the stretches of a log that the question tells by what was done in it.

    ALL_OF_IT where it tells of none, and where the log has it not, or several where one is meant.
    """
    words, question = spelled(case.question.timed), case.question
    if question.moments or question.lines or limits_in(words):
        return ALL_OF_IT
    for match in _SIDES.finditer(words):
        side, what = match["side"] or match["han"], (match["what"] or match["told"]).strip()
        is_after, is_before = (
            bool(re.search(of, side)) for of in ("after|following|since|后|来", "before|until|前")
        )
        if part_of_day(what)[2] or weekdays_in(what) or question.relative or not telling(terms(what)):
            continue
        is_state = side not in WEAK or aspect("event_begins", what) or aspect("event_ends", what)
        stages, told, is_hold = _stages(case, about, what, is_after or is_before, bool(is_state))
        long = _length(words) if is_after or is_before else inf
        stages = [stages[at - (at > 0)] for at in places_in(words, "time|次") if at <= len(stages)] or stages
        if not stages or not long or ((is_after or is_before) and long == inf and len(stages) > 1):
            continue
        ends = [(begin - long, begin - BARELY) for begin, _ in stages] if is_before else []
        ends += [(end, end + long - BARELY) for _, end in stages] if is_after else []
        ends = ends or [(begin, end - BARELY) for begin, end in stages if begin < end]
        phrase = match[0] + (match["what"] or "")
        note = told or case.say("stage_told", words=phrase.strip())
        is_held = is_hold and not (is_after or is_before or places_in(words, HOLD))
        return Stretches(_spans(ends), note, words=phrase, held=is_held)
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
    return (*(_events(case, about, what, beside) if is_event else ([], "")), False)


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


def _events(case: Case, about: Subject, what: str, beside: bool) -> tuple[list[Stage], str]:
    """Return from when to when it was so by the event lines that the words name, and which these are."""
    from instrumentgpt.analyst.events import topics_of  # which looks at stretches

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

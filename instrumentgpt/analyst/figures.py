"""Figures composed of what a question names: operations on columns, in stretches of a log, past limits."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from instrumentgpt.analyst.case import (
    Case,
    NothingToRead,
    Result,
    Subject,
    age,
    choose_log,
    diagnosed,
    known_log,
)
from instrumentgpt.analyst.columns import (
    ASIDE,
    Named,
    columns_in,
    columns_named,
    lacking,
    loops_of,
    named_in,
    of_channels,
    what_is,
)
from instrumentgpt.analyst.programme import (
    channel_figures,
    cycles,
    held_setpoints,
)
from instrumentgpt.analyst.questions import (
    LONGEST_QUESTION,
    Question,
    asking,
    aspect,
    limits_in,
    numbers_in,
    read_question,
    spelled,
    suspected,
    table,
    without_times,
    written,
)
from instrumentgpt.analyst.stretches import ALL_OF_IT, Stretches, both_sides, stretches, window_words
from instrumentgpt.analyst.values import FULL_LOAD, VALUES, Wanted, aged, day_none, first_at, state_of, told
from instrumentgpt.analyst.words import plain_text, quoted
from instrumentgpt.instruments.faults import faults
from instrumentgpt.memory.likeness import LOG_NAME

USUAL = frozenset(("least", "most", "mean"))  # where nothing else is asked of a column
PAST = ("first", "last", "longest", "how_long", "share", "how_many", "ever", "when")  # asked of a limit
OTHERS = ("change", "slope", "apart", "steepest", "fades")
# The kinds of question that may be one of columns, and of other kinds the most weight that these may have
OF_COLUMNS = ("diagnosis", "figures", "events", "compare", "survey", "logs", "help", "term")
MOST_WEIGHT = {"diagnosis": inf, "figures": inf, "plot": inf, "help": inf, "events": 5, "remembered": 0}
COLUMN = {"temperature": "pv", "output": "output", "setpoint": "setpoint", "": "pv"}  # quantity → role
COLUMN |= dict.fromkeys(("error", "spread", "noise", "in_band"), "error")
OF_THE_LOOP = ("overshoot", "settling", "rise", "recovery", "period", "gains", "noise")  # not of a column
BARE = 16  # characters: "051 flow" asks without a word for it
_DEGREES = re.compile(r"\d\s*(?:°|度|deg|℃)")
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_BAND = re.compile(
    rf"(?<![\d.]){_NUMBER}\s*(?:°?\s?[cfk]\b|度|%)?\s*(?:–|—|-|~|\bto\b|\band\b|到|至|和)\s*{_NUMBER}(?![\d.])"
)
_NEAR = re.compile(  # the setpoint
    r"(?:within|±|\+/-|in)\s*(half|\d+(?:\.\d+)?)\s*(?:a |of a )?(?:°|deg|c\b|k\b|度)"
    r"|(?:正负|±)\s*(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*度(?:以内|之内)"
)
_AROUND = re.compile(rf"{_NUMBER}\s*°?[cfk]?\s*(?:±|\+/-|正负)\s*(\d+(?:\.\d+)?)")  # 25±2
MOST_LEVELS = 3  # that are told of, where it is asked of several
_HEATS = re.compile("heat|加热")  # what stopped, and not what was below 35
_SWITCHING = re.compile(r"\b(?:power|heat)(?:ed|ing)?[ -](?:on|up|off)\b|[通断]电")  # an event, no column
_AND = r"\s*°?[cfk]?\s*(?:,|、|\band\b|[和跟与])\s*(?:then )?(?:to |at |[到达])?\s*"
_THEN = re.compile(_AND + _NUMBER)
_LEVEL = re.compile(  # that a reading comes to
    r"(?:\b(?:reach\w*|hit|pass\w*|cross\w*|(?:g[eo]t|came?|come|back|up|down|cool\w*|heat\w*|warm\w*|f[ae]ll"
    r"|r[io]se|drop\w*)(?: \w+){0,2}? (?:to|at|past)) (?:about |the )?"
    r"|\bhow (?:long|much time)\b[^\d?;]{0,48}\bto |[到达至过]了?\s*)"
    rf"{_NUMBER}((?:{_AND}{_NUMBER})*)"
)
_ON_LEVEL = re.compile(  # after it first reached 40, what of it is asked; when it reached 40; 到了 40 度之后
    r"\b(?:(?P<after>after|since|once|from when)|when|as soon as|the moment)(?: that)?"
    r" (?P<who>it|they|pv|the \w+)(?: has| had)?(?: first| once)?"
    r" (?:reach\w*|hits?|pass\w*|cross\w*"
    r"|(?:g[eo]ts?|comes?|came|fell|rose|dropp?ed)(?: up| down)? (?:to|at|past))"
    r" (?:about |the )?(?P<level>-?\d+(?:\.\d+)?)(?:\s*(?:°?[cfk]|deg\w*)(?![a-z]))?"
    r"|[升降冲回]?(?:[达到]+|超?过)了?\s*(?P<zh>-?\d+(?:\.\d+)?)\s*(?:度|°c)?\s*(?:(?P<later>[之以]后)|的?时候?)"
)
_WHILE = re.compile(  # while the fan was on, when the flow is below 4; 风扇开着的时候, 流量低于4时
    r"\b(?:while|when(?:ever)?|as long as)"
    r" (?P<what>(?!(?:it|they|is|was|are|were|do|does|did)\b)[^,?;.]{2,48}?)"
    r" (?:was|is|were|are) (?P<state>(?:on|off|running|open|closed)\b|[^,?;.\d-]{0,16}-?\d+(?:\.\d+)?)"
    r"|(?P<zh>[\u4e00-\u9fffa-z0-9_]{1,12}?)"
    r"(?P<so>(?:[开关][着著]?|打开|[开]启|关闭|停止?)了?"
    r"|(?:[高低大小][于过]|[是为在]) ?-?\d+(?:\.\d+)?[^\d,，?？]{0,3}?)"
    r"(?:的时候|的时间|时(?!间)|期间)"
)
_MOVES = re.compile("ris(?:e|ing)|rose|f[ae]ll|climb|drift|chang|heat|cool|warm|[升降漂变]")
_FROM_TO = re.compile(
    rf"(?:\bfrom|从|由)\s*(?:about |the )?{_NUMBER}[^\d?？。;]{{0,16}}?(?:\bto\b|到|至)了?\s*"
    rf"(?:about )?{_NUMBER}"
)


def figures(case: Case) -> Iterator[str]:
    """Say the figures asked for, of the channels asked about or of all, in the time asked about."""
    question, about = case.question, choose_log(case)
    stretch = stretches(case, about, of_device=True)
    if held := [*cycles(case, about)] or [*held_setpoints(case, about)]:
        yield from (stretch.note + "\n\n" if stretch.note else "", *held)
        return
    role = COLUMN.get(question.quantity)
    if role and (stretch.spans or question.quantity == "temperature" or question.extreme in USUAL):
        yield from read_in(case, about, stretch)
    elif question.gain or question.quantity not in ("", "recovery"):  # else the diagnosis tells
        yield stretch.note + "\n\n" if stretch.note else ""
        yield from channel_figures(case, about)
        if not stretch.note and (old := age(case.task, case.language, diagnosed(case, about)["end"])):
            yield "\n" + (case.say("not_live") + " " if aspect("now", question.words) else "") + old + "\n"


def composed(case: Case, kind: str) -> tuple[list[str], bool]:
    """Return what is told of the columns that the question names, and whether that is all of its answer.

    [] where it asks for something else. Of several devices it is told of each, or of none.
    """
    question, devices = case.question, case.task.devices
    if len(devices) > 1:
        each = [composed(replace(case, task=replace(case.task, devices=(one,))), kind)[0] for one in devices]
        if not all(each) or table()["asked"]["apart"].search(spelled(question.text)):
            return [], False  # it is the devices that differ
        rows = zip(devices, each, strict=True)
        return [text for name, said in rows for text in (f"**{name}**\n\n", *said, "\n")], True
    if question.gain or question.order or question.pasted or not (case.device or known_log(case)):
        return [], False
    is_short = len(question.words) <= LONGEST_QUESTION and not question.lines
    said = list(_looked_at(case, kind)) if is_short else []
    return (said, True) if said else _beside_the_loops(case, kind)


def _looked_at(case: Case, kind: str) -> Iterator[str]:
    """Say what is asked of columns: in a state or at a level that is named, else in all of the stretch."""
    own = spelled(case.question.text)
    if level := _ON_LEVEL.search(own):
        yield from _on_level(case, kind, level)
    elif (state := _WHILE.search(own)) and (rows := [*_in_state(case, kind, state)]):
        yield from rows
    else:
        yield from _asked_of_columns(case, kind)


def _asked_of_columns(case: Case, kind: str, where: Mapping[str, Any] | None = None) -> Iterator[str]:
    """Say what is asked of the columns that are named or meant; nothing where it is asked of none.

    where  a state of another column, in which readings count
    """
    question = case.question
    wanted = _operations(case, kind) or _past_a_target(case)
    if where and not (wanted and not wanted.limits and wanted.asks <= {*VALUES, "when"}):
        return
    is_of_sides = not wanted and len(window_words(question.words)) == 2 and len(question.moments) == 1
    if not (wanted or is_of_sides) or not (
        kind in OF_COLUMNS or kind == "handover" or question.score < table()["least"]
    ):
        return
    about = choose_log(case)
    if wanted is None:
        yield from read_in(case, about, stretches(case, about))
        return
    own = spelled(question.text)
    texts = [own, question.words, question.before]
    if any(_DEGREES.search(text) for text in texts):  # which are no output
        texts = [table()["roles"]["output"].sub(" ", text) for text in texts]
    if wanted.level is not None or wanted.way:
        texts = [_SWITCHING.sub(" ", text) for text in texts]
    read, named = named_in(case, about, *texts)
    is_of_hold = not (wanted.limits or where) and (
        aspect("hold", question.words) or aspect("each_hold", question.words)
    )
    if is_of_hold and (held := list(held_setpoints(case, about))):
        yield from held
        return
    is_whole = not (question.moments or question.days or table()["asked"]["extremely"].search(own))
    if wanted.asks & {"way", "steepest"} and "slope" not in wanted.asks and is_whole and loops_of(read):
        return  # the ways between setpoints are told
    stretch = stretches(case, about, of_device=True, each="slope" not in wanted.asks)
    stretch = replace(stretch, where=where) if where else stretch
    if about.device and stretch.lacking and not stretch.spans:
        raise NothingToRead(day_none(case, about, stretch.lacking[0]))
    is_beside = any(not column["role"] for _, of, _ in named for column in of)
    of = [
        text
        for text in asking(own)
        if _operations(replace(case, question=replace(question, text=text)), kind)
    ]
    lacks = lacking(". ".join(of) or own, [column["head"] for column in columns_in(read)], ASIDE)
    if lacks and not is_beside:
        if not (question.yes_no or aspect("why", own)):  # of which the diagnosis says what there is
            yield _lacking_of(case, about, read, lacks)
        return
    meant = _with_columns(case, read, named, replace(wanted, when=stretch))
    if isinstance(meant, str):
        yield meant
    elif meant and not (kind == "handover" and {one["channel"] for one in meant.columns} & loops_of(read)):
        rows = list(told(case, about, read, meant))
        yield from (*rows, aged(case, read)) if any(rows) else ()


def _in_state(case: Case, kind: str, named: re.Match[str]) -> Iterator[str]:
    """Say what is asked of the time in which a column was in a state: “mean while the fan was on”."""
    about, own = choose_log(case), named.string
    read, columns = named_in(case, about, named["what"] or named["zh"])
    of_loop = [column for _, of, _ in columns for column in of_channels(case, of, read)]
    if len(of_loop) != 1:
        return
    where, said = state_of(case, about, read, of_loop[0], named)
    text = f"{own[: named.start()]}{own[named.end() :]}"
    question = replace(read_question(text, True), channels=case.question.channels)
    rows = [*_asked_of_columns(replace(case, question=question), kind, where)] if where else []
    yield from (said + "\n\n", *rows) if rows else ()


def _past_a_target(case: Case) -> Wanted | None:
    """Return that it is asked how far it overshot the one value named, where no column has a setpoint."""
    numbers = numbers_in(spelled(case.question.text)) - {*map(float, case.question.channels)}
    if case.question.quantity != "overshoot" or len(numbers) != 1 or not (case.device or known_log(case)):
        return None
    read = case.tool("column_figures", **choose_log(case).named, only_loops=True)
    has_setpoint = any(column["role"] == "setpoint" for column in read["columns"])
    return None if has_setpoint else Wanted(frozenset(("overshoot",)), limits={"above": numbers.pop()})


def _on_level(case: Case, kind: str, named: re.Match[str]) -> Iterator[str]:
    """Say of each loop what is asked of when it came to a level, or of the time after, which are so known."""
    from instrumentgpt.analyst.events import at_moment  # which has figures in it

    about, level, own = choose_log(case), float(named["level"] or named["zh"]), named.string
    read = case.tool("column_figures", **about.named, only_loops=True)
    named_too = [
        one for _, of, _ in columns_named(case.question, named["who"] or "", read["columns"]) for one in of
    ]
    meant = named_too or [one for one in read["columns"] if one["role"] == "pv"]
    for column in of_channels(case, meant, read):
        if not (clock := first_at(case, about, read, column, level)):
            yield from told(case, about, read, Wanted(frozenset(("level",)), (column,), level=level))
            continue
        way = "after" if named["after"] or named["later"] else "at"
        text = f"{own[: named.start()]}{way} {clock} {own[named.end() :]}"
        of_it = replace(case, question=replace(read_question(text, True), channels=(column["channel"],)))
        if way == "at":
            yield from at_moment(of_it, about, clock)
            continue
        is_of_time = any(table()["asked"][name].search(text) for name in ("how_long", "how_many", "when"))
        rows = [*_looked_at(of_it, kind)]
        since = Wanted(USUAL, (column,), Stretches(((clock, ""),)))
        yield from rows if rows or is_of_time else told(of_it, about, read, since)


def _lacking_of(case: Case, about: Subject, read: Result, lacks: Sequence[str]) -> str:
    """Return that a log has no column for what is named, and which columns it has."""
    names = [quoted(one["head"]) if one["head"] else what_is(case, one, read) for one in read["columns"]]
    has = case.listed(dict.fromkeys([*names, *map(quoted, read["beside"])]))
    return case.say("column_lacking", label=about.label, what=case.listed(lacks), names=has)


def ranks(question: Question) -> bool:
    """Return whether it is asked which of several channels is the steadier, or the better, one."""
    words = question.words
    of_channels = len(question.channels) > 1 or question.all_channels or aspect("which_channel", words)
    is_which = aspect("which_one", words) and not aspect("why", words) and not question.yes_no
    is_which = is_which and question.quantity not in OF_THE_LOOP
    return bool(of_channels and is_which and (aspect("steady", words) or aspect("better", words)))


def _operations(case: Case, kind: str) -> Wanted | None:
    """Return the operations that the question asks for, with the limits that it names; None for none."""
    patterns, question, words = table()["asked"], case.question, case.question.words
    own = spelled(question.text)
    if kind == "handover":
        is_figures = aspect("paragraph", words) and not aspect("report", words)
        return Wanted(USUAL) if is_figures else None
    if ranks(question):
        return Wanted(frozenset(("mean", "rank")))
    limits, inside = _limits(own) or _limits(words) or ({}, False)
    limits = {} if {*limits.values()} <= {*map(float, question.channels)} else limits
    level = None if limits and limits != FULL_LOAD else _level(case, own)
    is_of_switch = patterns["switched"].search(own)
    is_of_time = patterns["how_long"].search(own) or aspect("until_level", own)
    if level is None and is_of_time and (way := _way(own)):
        return Wanted(frozenset(("way",)), way=way)
    is_of_all = any(patterns[name].search(own) for name in ("steepest", "fades", "spacing"))
    of_loop = question.quantity in OF_THE_LOOP[: 1 if limits else None]
    of_loop &= sum(bool(patterns[name].search(own)) for name in USUAL) < 2  # "average, min and max"
    if level is None and of_loop and not (is_of_switch or is_of_all):
        of_way = question.quantity == "rise" and aspect("by_event", words)
        if not (of_way and any(patterns[name].search(own) for name in USUAL)):
            return None
    if level is not None:
        of_level = frozenset(("level", *(name for name in PAST if patterns[name].search(own))))
        return Wanted(of_level, level=level[0], then=level[1:MOST_LEVELS])
    names = PAST if limits else (*VALUES[:-1], *OTHERS, *(PAST if is_of_switch else ("how_many", "when")))
    asks = set[str]()
    for text in map(without_times, (own, words)):
        rest = patterns["spacing"].sub(" ", text)  # whose "biggest gap" is no highest reading
        asks = {name for name in names if patterns[name].search(rest)}
        asks |= {"spacing"} if rest != text else set()
        if asks - {"when", "how_many"} or (limits and asks):
            break
    asks |= {"ever"} if limits and not asks and question.yes_no else set()
    asks |= {"now"} if not limits and aspect("now", words) and (asks & {"least", "most"}) else set()
    if not limits and not asks & {*VALUES, *OTHERS, "spacing"}:
        asks &= {*PAST} if is_of_switch else {"how_many"}
    is_size = patterns["size"].search(own) or aspect("which_channel", own)
    if not (asks or limits) and is_size and patterns["deviation"].search(own):
        asks = {"most", "mean"} | ({"now"} if aspect("still", words) else set())
    if "change" in asks and len(question.moments) < 2:  # of all of the log, and not since the one before
        asks = asks - {"change"} if kind == "compare" else asks | {"least", "most"}
    if both_sides(question) and not (limits or asks & {*VALUES, "how_many"}):
        asks |= {"mean", "std"}
    if "slope" in asks and (values := asks & {*VALUES, "how_many"}):
        is_rate = values == {"mean"} and _MOVES.search(own)  # on average it rose by
        asks -= {"mean"} if is_rate else {"slope"}
    asks |= {"value"} if not asks and len(question.moments) == 1 and not window_words(words) else set()
    return Wanted(frozenset(asks), limits=limits, inside=inside) if asks or limits else None


def _level(case: Case, words: str) -> tuple[float, ...] | None:
    """Return the values of which it is asked when, or whether, a reading came to them; None for none.

    Of two, from one to another, it is the programme that is asked about.
    """
    patterns, plain = table()["asked"], without_times(words)
    texts = [text for match in _LEVEL.finditer(plain) for text in (match[1], *_THEN.findall(match[2]))]
    named = [value for value in map(float, texts) if value in numbers_in(words)]
    is_asked = any(patterns[name].search(plain) for name in ("when", "how_long", "how_many", "ever"))
    is_asked = is_asked or case.question.yes_no or bool(aspect("until_level", words))
    values = [value for value in named if value not in case.question.channels]
    numbers = numbers_in(words) - {*case.question.channels}
    if not values and len(numbers) == 1 and case.question.yes_no and aspect("reached", words):
        return (numbers.pop(),)
    return tuple(dict.fromkeys(values)) if values and is_asked and not _way(plain) else None


def _way(words: str) -> tuple[float, float] | None:
    """Return the two values that a reading is said to go from and to, None for none.

    >>> _way("how long from 38 down to 22 °c?"), _way("从 25 升到 120 度"), _way("mean from 10:00 to 11:00")
    ((38.0, 22.0), (25.0, 120.0), None)
    """
    way = _FROM_TO.search(without_times(words))
    return (float(way[1]), float(way[2])) if way else None


def _limits(words: str) -> tuple[dict[str, float], bool] | None:
    """Return the limits that `words` name, and whether it is asked of the time between them; None: no limits.

    >>> _limits("how long was it outside 29.8-30.2 °c?"), _limits("超过38度几次")
    (({'above': 30.2, 'below': 29.8}, False), ({'above': 38.0}, False))
    >>> _limits("time with an error larger than ±0.5?")
    ({'above': 0.5, 'below': -0.5}, False)
    >>> _limits("how many hours out of 25±2 °C?"), _limits("mean of pv from 10:00 to 11:00")
    (({'above': 27.0, 'below': 23.0}, False), None)
    >>> _limits("how much of the time was it within half a degree?")
    ({'above': 0.5, 'below': -0.5}, True)
    """
    patterns, plain = table()["asked"], without_times(words)
    if patterns["full"].search(plain):
        return FULL_LOAD, False
    is_out, is_in = patterns["outside"].search(plain), patterns["inside"].search(plain)
    around, band = _AROUND.search(plain), _BAND.search(plain) if is_out or is_in else None
    if found := around or band:
        one, other = map(float, found.groups())
        low, high = (one - other, one + other) if around else sorted((one, other))
        return {"above": high, "below": low}, bool(is_in and not is_out)
    limits = limits_in(plain)
    if "above" in limits and patterns["deviation"].search(plain):
        return {"above": limits["above"], "below": -limits["above"]}, False
    if (near := _NEAR.search(plain)) and not limits:
        size = float(next(filter(None, near.groups())).replace("half", "0.5"))
        return {"above": size, "below": -size}, not is_out
    return (limits, False) if limits else None


def _with_columns(case: Case, read: Result, named: list[Named], wanted: Wanted) -> Wanted | str | None:
    """Return what is wanted with its columns, None if it is no figure of any.

    Of two columns that are set beside each other each must be one: else the question which it is.
    """
    columns, words, limits, asks = read["columns"], case.question.words, wanted.limits, wanted.asks
    is_error = len(limits) == 2 and limits["above"] == -limits["below"]
    is_error |= bool(table()["asked"]["deviation"].search(words)) or "rank" in asks
    if role := "output" if limits == FULL_LOAD else "error" if is_error else "":
        channels = {one["channel"] for _, of, _ in named for one in of if one["role"]}
        of_role = [one for one in columns if one["role"] == role]
        named = [(0, [one for one in of_role if one["channel"] in channels] or of_role, "")]
    groups = list[tuple[str, list[Result]]]()
    for _, meant, text in named:
        group = of_channels(case, meant, read)
        if group and group not in [other for _, other in groups]:
            groups.append((text, group))
    if limits or wanted.level is not None:  # of what has a unit, and not of "each run"
        groups = [
            one for one in groups if one[1][0]["role"] != "output" or "%" in words or not _HEATS.match(one[0])
        ]
        groups = [one for one in groups if any(column["unit"] for column in one[1])] or groups
    of_others = {one["channel"] for _, group in groups for one in group if one["role"] not in ("pv", "")}
    own = spelled(case.question.text)
    patterns = table()["roles"]["pv"], table()["asked"]["all_columns"]
    if not any(pattern.search(own) for pattern in patterns):  # "the top zone's output"
        groups = [one for one in groups if one[1][0]["role"] != "pv" or one[1][0]["channel"] not in of_others]
    is_of_one = limits or wanted.level is not None or asks & {*VALUES, "way", "spacing", *OTHERS}
    if not groups and (is_of_one or "how_many" in asks) and not (role or "apart" in asks):
        of_share = limits and re.search(r"\d\s*%", words)  # a limit in % is none of a temperature
        role = COLUMN.get("output" if not is_of_one else "" if limits else case.question.quantity, "pv")
        meant = [one for one in columns if one["unit"][:1] == "%"] if of_share else []
        of_role = [one for one in columns if one["role"] == role] or (
            [one for one in columns if one["role"] == "pv"] if asks & {*OTHERS} else []
        )
        meant = meant if of_share else of_role
        groups = [("", group)] if (group := of_channels(case, meant, read)) else []
    chosen = list({column["name"]: column for _, group in groups for column in group}.values())
    if not chosen:
        return None
    pair = groups if len(groups) == 2 else [("", [column]) for column in chosen]
    if "apart" in asks and len(pair) < 2:  # of two stretches, or of the most and the least
        wanted = replace(wanted, asks=asks - {"apart"})
    if "apart" in wanted.asks:
        if several := [one for one in groups if len(one[1]) > 1 or len(pair) > 2] if len(pair) > 1 else []:
            if case.question.kind == "diagnosis":
                return None  # a verdict needs no column
            names = (what_is(case, one, read) for one in (several[0][1] if len(pair) == 2 else chosen))
            text = plain_text(written(several[0][0], case.question.text))
            return case.say("series_which", words=text, names=case.listed(names))
        if len(pair) < 2:
            return None
        (_, [first]), (_, [second]) = pair
        return replace(wanted, columns=(first,), beside=second)
    if "value" in asks:
        if any(column["channel"] in loops_of(read) for column in chosen):  # told with its findings
            return None
        wanted = replace(wanted, at=case.question.moments[0])
    is_empty = not (wanted.asks or limits)
    return None if is_empty else replace(wanted, columns=tuple(chosen))


def read_in(case: Case, about: Subject, when: Stretches = ALL_OF_IT, is_aged: bool = True) -> Iterator[str]:
    """Say what the loops asked about read in stretches of a log, `is_aged`: and how old it is."""
    read, named = named_in(case, about, case.question.words)
    roles = {COLUMN.get(case.question.quantity, "pv")}
    is_of_all = case.question.kind in ("diagnosis", "compare") or both_sides(case.question)
    if when.spans and is_of_all and case.question.quantity not in {*COLUMN} - {""}:
        roles |= {"output", "error"}
    meant = (column for _, of, _ in named for column in of_channels(case, of, read) if column["role"])
    asked = {column["channel"] for column in meant}
    of_asked = (column for column in read["columns"] if not asked or column["channel"] in asked)
    columns = of_channels(case, [column for column in of_asked if column["role"] in roles], read)
    if not columns:  # no error without a setpoint
        yield from channel_figures(case, about)
        return
    yield from _usual(case, about, read, columns, when)
    yield aged(case, read) if is_aged else ""


def _usual(case: Case, about: Subject, read: Result, of: Sequence[Result], when: Stretches) -> Iterator[str]:
    """Say what columns read in stretches of a log, of what is asked of any."""
    wanted = _operations(case, "figures")
    asks = (wanted.asks if wanted else frozenset()) & {*VALUES} or USUAL
    asks |= {"now"} if aspect("now", case.question.words) else frozenset()
    yield from told(case, about, read, Wanted(asks, tuple(of), when))


def _beside_the_loops(case: Case, kind: str) -> tuple[list[str], bool]:
    """Return what is told of columns that are no loop's, where nothing is asked of them; if that is all."""
    question, words = case.question, _asking(case)
    names_one = bool(lacking(words, ()))
    is_of_log = kind in ("diagnosis", "figures") or (kind == "compare" and not case.device)  # of parts of it
    may_be = is_of_log or (names_one and question.score <= MOST_WEIGHT.get(kind, -1))
    if not (may_be and words):
        return [], False
    about = choose_log(case)
    if kind == "diagnosis" and not names_one:  # which has the names of all columns, too
        first = columns_in(diagnosed(case, about))
        if all(len(of) == len(first) for _, of, _ in columns_named(question, words, first)):
            return [], False
    read, every = named_in(case, about, words)
    meant, rest = list[Result](), words
    for _, columns, part in every:
        if not loops_of(read) & {column["channel"] for column in columns}:
            meant, rest = meant + columns, rest.replace(part, " ")
    heads, said = [column["head"] for column in columns_in(read)], list[str]()
    if lacks := lacking(words, heads) and lacking(question.text, heads):
        said.append(_lacking_of(case, about, read, lacks) + "\n\n")
    if meant:
        said += [case.say("column_undrawn") + "\n\n"] if kind == "plot" else []
        stretch = stretches(case, about)
        names = [column["name"] for column in meant if not column["role"]]
        rows = case.tool("column_figures", **about.named, columns=names, spans=stretch.spans[-1:])["rows"]
        said += [text for row in rows for text in _moved(case, about, row)]
        said += _usual(case, about, read, meant, stretch)
    of_loop = any(table()["quantities"][name].search(rest) for name in COLUMN if name)
    is_wider = suspected(words) or of_loop or kind == "diagnosis"
    return said, bool(meant) or bool(lacks and not is_wider)


def _asking(case: Case) -> str:
    """Return the sentences of the question that ask, or are as short as a question without a word for it."""
    question = case.question  # "and the temperature?" has the words of the question before in front
    words = re.sub(LOG_NAME, " ", spelled(question.text) if question.quantity else question.words)
    if len(question.words) > 2 * LONGEST_QUESTION:
        return ""
    is_bare = len(words) <= BARE and not re.search(r"\d", re.sub(r"co2|\b0\d\d\b", "", words))
    return words if is_bare else " ".join(asking(words))


def _moved(case: Case, about: Subject, row: Result) -> Iterator[str]:
    """Say whether a column moved with the faults, where there are any."""
    if groups := {_what(case, group["what"]): group for group in row["during"]}:
        met = [what for what, group in groups.items() if 2 * group["out"] >= group["count"]]
        said = {"label": about.label, "column": quoted(row["column"]), "what": case.listed(met or groups)}
        yield case.say("column_moved" if met else "column_still", **said) + "\n\n"


def _what(case: Case, name: str) -> str:
    is_fault = name in faults()
    return str(faults()[name][case.language]["title"]) if is_fault else case.say(f"column_{name}")

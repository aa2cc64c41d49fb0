"""The account of an answer: what a question names that no tool was given and no sentence tells."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

from instrumentgpt.analyst.case import Case, Result, ToolFailed
from instrumentgpt.analyst.columns import ASIDE, lacking
from instrumentgpt.analyst.events import topics_of
from instrumentgpt.analyst.questions import (
    LONGEST_QUESTION,
    WEEKDAY,
    aspect,
    counted_days,
    means,
    numbers_in,
    part_of_day,
    relative_words,
    spelled,
    table,
    vocabulary,
    weekdays_in,
    without_times,
    written,
)
from instrumentgpt.analyst.words import plain_text, quoted, sentences
from instrumentgpt.instruments.since import parts_of, since
from instrumentgpt.memory.likeness import LOG_NAME
from instrumentgpt.memory.terms import is_common

NO_TIME = ("log", "device", "language", "record", "before", "columns", "column", "beside", "query", "lines")
FIGURES = ("figures", "compare", "logs", "gains")  # every word counts; else times, columns, quotations
ANSWERING = (*FIGURES, "diagnosis", "events")
TOLD = ("mean", "std")  # of [asked]: what an answer tells by its name
STEM = 5  # letters, from which a word with another ending is the same
_DAY = r"\d{4}-\d\d-\d\d"
_PART = re.compile(  # of a log: "the second hour", "five minutes after", 第二個小時
    r"\b(?:first|second|third|fourth|\d+|one|two|three|four|five|ten|half an?) "
    r"(?:hours?|minutes?|min|holds?|soaks?|plateaus?|phases?)\b"
    r"|(?:第[一二三四五\d]个?|[一二两三四五十\d]+个?)半?(?:小时|分钟)|第[一二三四五\d](?:段|次?保温)"
)
_HALF = re.compile(  # which no tool is given
    r"\b(?:first|second|other|last|latter) half\b(?! (?:an )?hour)|[前后上下]半[段程部]"
    r"|\bthe day (?:before|after)\b(?! yest)"
)
_EVENT = re.compile(  # "after the refill", 开门前后: a stretch that is told by what happened
    r"\b(?:before|after|during|while|until)\b(?: (?:the|an?|its?|each|every))?"
    r"(?P<what>(?! (?:and|the|its)\b)(?: [a-z-]{3,}){1,2})"
    r"|(?P<zh>(?:(?![最什么哪几何])[\u4e00-\u9fff]){2,4}?)(?:前后|之后|以后|期间|的?时候)"
)


def accounted(
    case: Case, kind: str, names: Collection[str], answering: Callable[[Case], Iterator[str]]
) -> Iterator[str]:
    """Yield what `answering` says, what of the question it does not answer, and its logs.

    A figure of something else may pass for the answer: what it is not of is said before it, else behind it.

    names  words of the question that name devices
    """
    calls, done, used = list[Result](), dict[str, Result](), dict[str, None]()
    told = list[str | Callable[[], Result]]()  # words, and the charts that stand between them

    def tool(name: str, **given: Any) -> Result:
        calls.append(given)
        if name == "plot_log" and told:
            told.append(partial(case.tool, name, **given))
            return {}
        call = f"{name} {given}"
        if call not in done:  # once in an answer
            done[call] = case.tool(name, **given)
        result = done[call]
        if name != "fetch_log":
            logs = (result.get("log"), result.get("before"))
            used.update((log.removesuffix(".gz"), None) for log in logs if isinstance(log, str))
        return result

    for words in answering(replace(case, tool=tool)):
        told.append(words)
    shown = re.sub(r"\]\([^()\s]*\)", "]", "".join(words for words in told if isinstance(words, str)))
    titles = {row.get("title") for result in done.values() for row in result.get("findings", ())} - {None}
    if any(title in shown.split("\n")[0] for title in titles):
        kind = "diagnosis"  # its verdict leads, whatever kind of question it was taken for
    heads = [*re.findall(r"`([^`]+)`", shown)]
    heads += (head for result in done.values() for head in result.get("channel_names", {}).values())
    if parts := unused(without_names(case, names), kind, calls, shown, heads):
        listed = case.listed(case.say("in_quotes", words=plain_text(part)) for part in parts)
        note = case.say("unused", parts=listed, count=len(parts))
        told = [note + "\n\n", *told] if kind in FIGURES else [*told, "\n" + note + "\n"]
    for piece in told:
        if isinstance(piece, str):
            yield piece
        else:
            with suppress(ToolFailed):  # an answer without its chart is still an answer
                piece()
    if unnamed := [quoted(log) for log in used if log and log not in shown]:
        blank = "\n" * (2 - (len(shown) - len(shown.rstrip("\n"))))
        yield blank + case.say("source", logs=case.listed(unnamed), count=len(unnamed))


def without_names(case: Case, names: Collection[str]) -> Case:
    """Return the case without the words that name devices, and neither numbers nor columns: "rig 7"."""
    slots = {name: getattr(case.question, name) for name in ("words", "text", "timed")}
    for name in names:
        slots = {slot: re.sub(re.escape(name), " ", text, flags=re.I) for slot, text in slots.items()}
    return replace(case, question=replace(case.question, **slots))


def unused(case: Case, kind: str, calls: Collection[Result], shown: str, heads: Sequence[str]) -> list[str]:
    """Return the words of a question of `kind` that neither the tools were given nor the answer has.

    calls  the arguments of the tools
    shown  the answer, without the addresses of its links
    heads  of the columns that it told
    """
    question = case.question
    asks_otherwise = question.pasted or question.order or question.lines
    if kind not in ANSWERING or asks_otherwise or len(question.text) > LONGEST_QUESTION:
        return []
    given = [str(value) for call in calls for name, value in call.items() if name not in NO_TIME]
    evidence = spelled("\n".join([*(str(call) for call in calls), shown]))
    words = re.sub(LOG_NAME, " ", spelled(question.text))
    is_timed = any(re.search(r"\d:\d|\d-\d|[+-]\d", value) for value in given)
    parts = [*_times(case, kind, evidence, is_timed), *lacking(question.text, heads, ASIDE, evidence)]
    if question.search and spelled(question.search) not in evidence:
        parts.append(question.search)
    if kind in FIGURES and not (question.again or question.is_story) and re.search("(?m)^- ", shown):
        parts += _readings(words, evidence) + _unknown(words, evidence)
    whole = [part for part in parts if not any(part in other and part != other for other in parts)]
    return list(dict.fromkeys(written(part, question.text) for part in whole))


def _times(case: Case, kind: str, evidence: str, is_timed: bool) -> Iterator[str]:
    """Yield the moments, days and stretches that are named and were not looked at by themselves."""
    question, words = case.question, spelled(case.question.timed)
    if question.again and not (question.clocks or question.days):
        return
    yield from (clock for clock in question.clocks if clock.removeprefix("0") not in evidence)
    yield from (day.lstrip("-") for day in question.days if day[0] != "~" and day not in evidence)
    yield from (half[0] for half in [_HALF.search(words)] if half)
    named = relative_words(question) or part_of_day(question.timed)[2]
    if not is_timed:
        yield from [named] * bool(named and not question.days and spelled(named) not in evidence)
        part = _PART.search(words)
        if part and (parts_of(words) or not question.clocks) and part[0] not in evidence:
            yield part[0]
        event = _EVENT.search(words) if kind in ("figures", "compare") else None
        if event and not all(word in evidence for word in (event["zh"] or event["what"]).split()):
            yield event[0]
        state = aspect("event_begins", words) or aspect("event_ends", words)
        if state and kind in ("figures", "compare") and topics_of(words) and not aspect("since_when", words):
            yield state[0]
        held = [float(level) for level in re.findall(r"(?:held|维持) (-?\d+(?:\.\d+)?)", evidence)]
        for number in numbers_in(words) if aspect("hold", words) else ():
            yield from [] if any(means(number, level) for level in held) else [f"{number:g}"]
    dates = {date.fromisoformat(day) for day in re.findall(_DAY, evidence)}
    weekdays, over = weekdays_in(words), aspect("over_logs", words)
    several = over or len({*weekdays, *counted_days(words), *question.days}) > 1
    lacks = len(dates) < 2 and (several or since(question.timed, case.task.now.date()))
    if case.device and dates and (lacks or weekdays - {day.weekday() for day in dates}):
        days = over or WEEKDAY.search(words)
        yield written(days[0], question.timed) if days else question.timed


def _readings(words: str, evidence: str) -> list[str]:
    """Return the numbers, and the names of figures, that the answer has not."""
    there = {float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", without_times(evidence))}
    told = there | {-number for number in there}
    asked = sorted(numbers_in(words))
    numbers = [f"{number:g}" for number in asked if not any(means(number, one) for one in told)]
    figures = (table()["asked"][name] for name in TOLD)
    named = [
        found[0] for pattern in figures if (found := pattern.search(words)) and not pattern.search(evidence)
    ]
    return numbers + named


def _unknown(words: str, evidence: str) -> list[str]:
    """Return the words that stand in no question we know of, and not in the answer."""
    plain = without_times(words)
    latin = [
        word
        for word in re.findall(r"(?<![\w.-])[a-z]{3,}(?<!day)(?![\w-])", plain)
        if not (word in evidence or is_common(word) or any(stem in vocabulary() for stem in _stems(word)))
    ]
    known = vocabulary() | {*spelled("".join(row["zh"] for row in sentences().values()))}
    han = [letter for letter in re.findall(r"[\u4e00-\u9fff]", plain) if letter not in known]
    told = re.findall(rf"(?:[{''.join(han)}][\u4e00-\u9fff]?)+", plain) if han else []
    return [*latin, *(word for word in told if word not in evidence)]


def _stems(word: str) -> Iterator[str]:
    yield from (word[:length] for length in range(min(STEM, len(word)), len(word) + 1))
    for end in ("s", "es", "ed", "d", "er", "est", "ing", "ly"):
        if word.endswith(end):
            yield from (word.removesuffix(end), word.removesuffix(end) + "e")

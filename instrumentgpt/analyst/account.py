"""The account of an answer: what a question names that no tool was given and no sentence tells."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from instrumentgpt.analyst.case import Case, Result, ToolFailed
from instrumentgpt.analyst.columns import ASIDE, lacking
from instrumentgpt.analyst.questions import (
    LONGEST_QUESTION,
    WEEKDAY,
    aspect,
    means,
    numbers_in,
    part_of_day,
    relative_words,
    spelled,
    table,
    without_times,
    written,
)
from instrumentgpt.analyst.words import plain_text, quoted
from instrumentgpt.memory.likeness import LOG_NAME

NO_TIME = ("log", "device", "language", "record", "before", "columns", "beside", "query", "lines")
FIGURES = ("figures", "compare", "logs", "gains")
ANSWERING = (*FIGURES, "diagnosis", "events")
_PART = re.compile(  # "the first half", "the second hold", which no tool is given
    r"\b(?:first|second|third|fourth|other|last|latter) (?:half\b(?! (?:an )?hour)|(?:hold|soak|phase)s?)"
    r"|[前后上下]半[段程部]|\bthe day (?:before|after)\b(?! yest)|第[一二三四五\d](?:段|次?保温)"
)
_EVENT = re.compile(  # "after the refill", 开门前后: a stretch that is told by what happened
    r"\b(?:before|after|during|while|until|when(?= the\b)|(?:first|second|third|last) time)\b"
    r"(?: (?:the|an?|its|each|every))?"
    r"(?P<what>(?! (?:and|the|its|it|they)\b)(?: [a-z-]{3,}){1,2})"
    r"|(?P<zh>(?:(?![最什么哪几何])[\u4e00-\u9fff]){2,4}?)(?:前后|[之以][前后]|期间|的?时候)"
)


def accounted(case: Case, kind: str, answering: Callable[[Case], Iterator[str]]) -> Iterator[str]:
    """Yield what `answering` says, what of the question it does not answer, and its logs."""
    calls, results, used = list[Result](), list[Result](), dict[str, None]()
    told = list[str | Callable[[], Result]]()  # words, and the charts that stand between them

    def tool(name: str, **given: Any) -> Result:
        calls.append(given)
        if name == "plot_log" and told:
            told.append(partial(case.tool, name, **given))
            return {}
        result = case.tool(name, **given)
        results.append(result)
        if name != "fetch_log":
            logs = (result.get("log"), result.get("before"))
            used.update((log.removesuffix(".gz"), None) for log in logs if isinstance(log, str))
        return result

    for words in answering(replace(case, tool=tool)):
        told.append(words)
    shown = re.sub(r"\]\([^()\s]*\)", "]", "".join(words for words in told if isinstance(words, str)))
    titles = {row.get("title") for result in results for row in result.get("findings", ())} - {None}
    if any(title.casefold() in shown.split("\n")[0].casefold() for title in titles):
        kind = "diagnosis"  # its verdict leads, whatever kind of question it was taken for
    heads = [*re.findall(r"`([^`]+)`", shown)]
    heads += (head for result in results for head in result.get("channel_names", {}).values())
    figures = shown.partition(case.say("bearing"))[0]
    parts, misleads = unused(case, kind, calls, shown, figures, heads)
    if parts:
        listed = case.listed(case.say("in_quotes", words=plain_text(part)) for part in parts)
        note = case.say("unused", parts=listed, count=len(parts))
        told = [note + "\n\n", *told] if misleads and kind in FIGURES else [*told, "\n" + note + "\n"]
    for piece in told:
        if isinstance(piece, str):
            yield piece
        else:
            with suppress(ToolFailed):  # an answer without its chart is still an answer
                piece()
    if unnamed := [quoted(log) for log in used if log and log not in shown]:
        blank = "\n" * (2 - (len(shown) - len(shown.rstrip("\n"))))
        yield blank + case.say("source", logs=case.listed(unnamed), count=len(unnamed))


def unused(
    case: Case, kind: str, calls: Collection[Result], shown: str, figures: str, heads: Sequence[str]
) -> tuple[list[str], bool]:
    """Return the words of a question that no tool was given and no sentence has; whether they mislead.

    calls  the arguments of the tools
    shown  the answer, without the addresses of its links
    figures  of it, what was read for it
    heads  of the columns that it told
    """
    question = case.question
    asks_otherwise = question.pasted or question.order or question.lines
    if kind not in ANSWERING or asks_otherwise or len(question.text) > LONGEST_QUESTION:
        return [], False
    given = [str(value) for call in calls for name, value in call.items() if name not in NO_TIME]
    evidence = spelled("\n".join([*(str(call) for call in calls), shown]))
    is_timed = any(re.search(r"\d:\d|\d-\d|[+-]\d", value) for value in given)
    own = spelled("\n".join([*(str(call) for call in calls), figures]))
    parts = [*_times(case, kind, evidence, own, is_timed)]
    if question.search and spelled(question.search) not in evidence:
        parts.append(question.search)
    if kind in FIGURES and not (question.again or question.is_story) and re.search("(?m)^- |^\\| ", figures):
        parts += _unread(re.sub(rf"{LOG_NAME}|[\d.]+(?= ?±)", " ", spelled(question.text)), own)
    parts, misleads = [*parts, *lacking(question.text, heads, ASIDE, evidence)], bool(parts)
    whole = [part for part in parts if not any(part in other and part != other for other in parts)]
    return list(dict.fromkeys(written(part, question.text) for part in whole)), misleads


def _times(case: Case, kind: str, evidence: str, own: str, is_timed: bool) -> Iterator[str]:
    """Yield the moments, days and stretches that are named and were not looked at by themselves."""
    question, words = case.question, spelled(case.question.timed)
    if question.again and not (question.clocks or question.days):
        return
    yield from (clock for clock in question.clocks if clock.removeprefix("0") not in evidence)
    yield from (day.lstrip("-") for day in question.days if day not in evidence)
    part = _PART.search(words)
    if part and ("half" in part[0] or "半" in part[0] or not is_timed):
        yield part[0]
    if is_timed:
        return
    named = relative_words(question) or part_of_day(question.timed)[2]
    yield from [named] * bool(named and not question.days and spelled(named) not in evidence)
    days = None if named else aspect("over_logs", words) or WEEKDAY.search(words)
    if case.device and days and "logs" not in evidence:
        yield written(days[0], question.timed)
    event = _EVENT.search(words) if kind in ("figures", "compare") else None
    there = evidence if event and event[0].startswith("when") else own  # a time, not a stretch
    if event and not all(word in there for word in (event["zh"] or event["what"]).split()):
        yield event[0]


def _unread(words: str, evidence: str) -> Iterator[str]:
    """Yield the numbers, and the names of figures, that the answer has not."""
    there = {abs(float(number)) for number in re.findall(r"-?\d+(?:\.\d+)?", without_times(evidence))}
    numbers = sorted(
        number for number in numbers_in(words) if not any(means(abs(number), one) for one in there)
    )
    yield from (f"{number:g}" for number in numbers)
    named = (table()["asked"][name] for name in ("mean", "std", "untold"))
    yield from (
        found[0] for pattern in named if (found := pattern.search(words)) and not pattern.search(evidence)
    )

"""What stands in a log: event lines, what was at a time, raw lines; and which logs there are."""

import re
from collections.abc import Iterator
from dataclasses import replace

from instrumentgpt.analyst import report
from instrumentgpt.analyst.case import (
    Case,
    NothingToRead,
    Result,
    Subject,
    age,
    ask_for_log,
    choose_log,
    diagnosed,
    known_log,
)
from instrumentgpt.analyst.questions import aspect, spelled, table, topics_of
from instrumentgpt.analyst.words import moment, plain_text, quoted
from instrumentgpt.instruments.language import size_text, span_text
from instrumentgpt.instruments.pasted import LOG_LINES, number_of

MOST_LISTED = 40  # lines of a log, listed where none is about what is asked
MOST_GROUPS, MOST_AT_ONCE, MOST_LOGS, MOST_CLOCKS = 8, 6, 12, 4
VALUES = ("setpoint", "pv", "output")
AROUND = 4  # lines on either side of the one that is asked for


def events(case: Case) -> Iterator[str]:
    """Answer about lines: what is asked for decides which."""
    question, about = case.question, known_log(case)
    for name, answer in SORTS.items():
        if aspect(name, question.words):
            yield from answer(case)
            return
    if len(question.pasted) >= 2 and not (about and number_of(about.log)):
        is_log = len(question.pasted) >= LOG_LINES
        yield case.say("pasted_no_file" if is_log else "pasted_needs", lines=len(question.pasted))
    elif question.lines:
        yield from _lines(case, *question.lines)
    elif question.clocks:
        yield from _at_time(case)
    elif aspect("happened", question.words) and not topic(case):
        yield from report.diagnose(case)
        yield "\n"
        yield from _groups(case)
    else:
        yield from _groups(case)


def _groups(case: Case) -> Iterator[str]:
    """Say which event lines there are, grouped, and what the loops did meanwhile."""
    about, search = choose_log(case), case.question.search
    result = case.tool("search_events", **about.named, query=search)
    groups, query = result["groups"], search or _said(case)
    if not search and (named := named_lines(case, about)):
        groups, query = named, named[0]["first"]["text"] if len(named) == 1 else query
    elif query and not search:
        groups = []
    numbers = {"label": about.label, "total": result["total"], "query": query}
    if not groups and 0 < result["total"] <= MOST_LISTED:  # so few are told as they are
        yield case.say("events_query_none" if query else "events_none", **numbers) + "\n\n"
        query = ""
        groups = case.tool("search_events", **about.named, level="info")["groups"]
    if not result["total"]:
        yield case.say("events_absent", label=about.label) + "\n\n"
        yield from report.explained(case, about, diagnosed(case, about))
        return
    numbers["count"] = sum(group["count"] for group in groups)
    key = "events" + "_query" * bool(query) + ("_title" if groups else "_none")
    key = "events_few" if groups and groups is not result["groups"] and not query else key
    left_out = result["left_out"] if groups is result["groups"] else 0
    yield case.say(key, groups=len(groups) + left_out, **numbers) + "\n\n"
    yield from ("- " + _group(case, about, group) + "\n" for group in groups[:MOST_GROUPS])
    if (more := len(groups) - MOST_GROUPS + left_out) > 0:
        yield case.item("events_more", count=more)
    if aspect("by_people", case.question.words):
        yield "\n" + case.say("nobody_seen") + "\n"
    diagnosis = diagnosed(case, about)
    if groups and not query:  # what the loops did meanwhile
        yield from ("\n" + case.say("happened") + "\n\n", *report.happened(case, about, diagnosis))
    if old := age(case.task, case.language, diagnosis["end"]):
        yield f"\n{old}\n"


def _said(case: Case) -> str:
    """Return the words of the question by which it names one of the topics, "" if it names none."""
    words = spelled(case.question.text)
    found = (match for row in table()["topics"].values() if (match := row["pattern"].search(words)))
    return next((case.question.text[match.start() : match.end()] for match in found), "")


def named_lines(case: Case, about: Subject) -> list[Result]:
    """Return the groups of the log's lines that are about a topic of the question."""
    groups, topics = case.tool("search_events", **about.named, level="info")["groups"], topic(case).split()
    texts = [f"{group['source']} {group['first']['text']}".casefold() for group in groups]
    return [group for group, text in zip(groups, texts, strict=True) if any(word in text for word in topics)]


def topic(case: Case) -> str:
    """Return the words to look for: those in quotation marks, else those of the question's topics."""
    return case.question.search or " ".join(topics_of(case.question.words))


def _group(case: Case, about: Subject, group: Result) -> str:
    """Return the sentence on one group of event lines, quoting its first line."""
    first, last = (about.at(group[name]) for name in ("first", "last"))
    fields = {"first": first["line"], "first_clock": first["clock"], "last": last["line"]}
    fields |= {"last_clock": moment(group["last"]["clock"], group["first"]["clock"])}
    fields |= {"level": group["level"], "source": quoted(group["source"] or "log")}
    key = "events_group" if group["count"] > 1 else "events_group_one"
    return case.say(key, text=quoted(group["first"]["text"]), count=group["count"], **fields)


def _at_time(case: Case) -> Iterator[str]:
    """Say what the channels read then, which findings were in progress, and which events were near."""
    for at in case.question.moments[:MOST_CLOCKS]:
        days = tuple(day for day in at.split(" ")[:-1] if "-" in day)
        alone = replace(case, question=replace(case.question, days=days))
        yield from (*at_moment(case, choose_log(alone), at), "\n")


def at_moment(case: Case, about: Subject, clock: str) -> Iterator[str]:
    """Say what the loops of a log read at `clock`, and what was found then."""
    result = case.tool("look_at_time", **about.named, clock=clock, language=case.language)
    readings, found = list[str](), list[str]()
    for reading in result["readings"]:
        values = {name: reading[name] for name in VALUES if reading[name] is not None}
        parts = report.values_text(case, values, reading["unit"])
        sentence = case.say("metric_row", channel=reading["channel"], parts=parts)
        readings.append(f"- {about.link(reading['line'])} {sentence}\n")
    for name in ("during", "nearest"):
        for one in result[name]:
            until = moment(one["end_clock"], one["onset_clock"])
            ends = {"since": moment(one["onset_clock"], result["clock"]), "until": until}
            found.append(case.item(f"moment_{name}", text=one["summary"], **ends))
    fields = {"label": about.label, "clock": moment(result["clock"]), "count": len(result["during"])}
    key = "moment_fault" if result["during"] else "moment_calm"
    yield case.say(key, span=span_text(result["seconds"], case.language), **fields) + "\n\n"
    readings += [_moves_around(case, moves) for moves in result["moves"]]
    works = [f"- {plain_text(row['summary'])}\n" for row in result["workings"]]
    yield from (*readings, *works, *found) if case.question.quantity else (*found, *works, *readings)
    yield from (f"- {_group(case, about, group)}\n" for group in result["groups"][:MOST_AT_ONCE])


def _moves_around(case: Case, moves: Result) -> str:
    """Return what the columns of a channel began with, where they turned, and what they ended with."""
    parts = list[str]()
    for name in (name for name in VALUES if name in moves):
        way = " → ".join(f"{value:.5g}" for value in moves[name])
        parts.append(
            f"{case.say(f'value_{name}')} {way} {'%' if name == 'output' else moves['unit']}".rstrip()
        )
    told = case.say("metric_row", channel=moves["channel"], parts=case.say("list_separator").join(parts))
    since, until = (moves[f"{end}_clock"] for end in ("since", "until"))
    return case.item("moment_moves", told=told, since=moment(since), until=moment(until, since))


def _lines(case: Case, first: int, last: int) -> Iterator[str]:
    """Show raw lines by number; around a single one if that is asked."""
    about = choose_log(case)
    if first == last and re.search(r"around|near|about|附近|前后|左右", case.question.words):
        first, last = max(1, first - AROUND), last + AROUND
    rows = case.tool("read_lines", **about.named, first=first, last=last)["lines"]
    lines = "–".join(dict.fromkeys(f"{row['line']:,}" for row in (rows[0], rows[-1])))
    yield case.say("lines_title", log=quoted(about.log), lines=lines, count=len(rows)) + "\n\n"
    yield from (f"- {about.link(row['line'])} {quoted(row['text'])}\n" for row in rows)


def list_logs(case: Case) -> Iterator[str]:
    """Say which logs a device has."""
    if not case.device:
        raise NothingToRead(ask_for_log(case))
    result = case.tool("list_logs", device=case.device)
    logs, label = result["logs"], result["label"]
    yield case.say("logs_title" if logs else "logs_none", label=label, count=len(logs)) + "\n\n"
    for log in logs[:MOST_LOGS]:
        yield f"- {quoted(log['name'])} · {size_text(log['size'])} · {log['begun'] or '?'}\n"
    if len(logs) > MOST_LOGS:
        yield case.item("logs_more", count=len(logs) - MOST_LOGS)


SORTS = {"lists_logs": list_logs}

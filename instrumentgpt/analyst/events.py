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
    ToolFailed,
    age,
    ask_for_log,
    bare,
    choose_log,
    diagnosed,
    faults_of,
    known_log,
    older_log,
)
from instrumentgpt.analyst.figures import figures
from instrumentgpt.analyst.programme import when
from instrumentgpt.analyst.questions import aspect, spelled, table, topics_of
from instrumentgpt.analyst.report import values_text
from instrumentgpt.analyst.stretches import window_asked
from instrumentgpt.analyst.words import moment, plain_text, quoted
from instrumentgpt.instruments.language import size_text, span_text
from instrumentgpt.instruments.pasted import LOG_LINES, number_of
from instrumentgpt.memory.terms import phrases, terms

OF_EVENTS = (  # words for any line
    r"\b(?:messages?|events?|alarms?|warnings?|errors?|lines?|logs?|entr(?:y|ies)|reported|appear\w*)\b"
    r"|讯息|消息|事件|警报|警告|错误|记录|提示|出现"
)
MOST_LISTED = 40  # lines of a log, listed where none is about what is asked
MOST_GROUPS, MOST_AT_ONCE, MOST_LOGS, MOST_CLOCKS = 8, 6, 12, 4
AROUND = 4  # lines on either side of the one that is asked for


def events(case: Case) -> Iterator[str]:
    """Answer about lines: what is asked for decides which."""
    question = case.question
    for name, answer in SORTS.items():
        if aspect(name, question.words):
            yield from answer(case)
            return
    about = known_log(case)
    is_file = bool(about and number_of(about.log))
    if len(question.pasted) >= 2 and not is_file:
        is_log = len(question.pasted) >= LOG_LINES
        yield case.say("pasted_no_file" if is_log else "pasted_needs", lines=len(question.pasted))
    elif question.lines:
        yield from _lines(case, *question.lines)
    elif question.clocks:
        yield from _at_time(case)
    elif aspect("happened", question.words) and not topic(case):
        yield from _account(case)
    else:
        yield from _groups(case)


def _account(case: Case) -> Iterator[str]:
    """Say what happened: what the diagnosis found and when, then the event lines."""
    about = choose_log(case)
    window, note = window_asked(case, about)
    yield note + "\n\n" if note and not window else ""
    diagnosis = diagnosed(case, about)
    yield report.verdict(case, about, diagnosis) + "\n\n"
    yield from (report.fault_row(case, about, fault) for fault in faults_of(diagnosis))
    rest = [row for row in diagnosis["timeline"] if not row["what"].startswith("found")]  # these are told
    yield from ("\n", *report.happened(case, about, diagnosis | {"timeline": rest}))
    yield "\n" + report.header(case, about, diagnosis) + "\n\n"
    yield from figures(case) if window else ()
    if all(row["what"] != "said" for row in rest):
        yield from _groups(case, about)


def _groups(case: Case, subject: Subject | None = None) -> Iterator[str]:
    """Say which event lines there are, grouped, and which coincide with findings of the log.

    subject  the log, where its findings and its age were said before
    """
    about = subject or choose_log(case)
    query = case.question.search or _said(case)
    result = case.tool("search_events", **about.named, query=case.question.search)
    if not (case.question.search or subject) and (groups := named_lines(case, about)):
        result |= {"groups": groups, "count": sum(group["count"] for group in groups), "left_out": 0}
        query = groups[0]["first"]["text"] if len(groups) == 1 else query
    elif query:
        result |= {"groups": [], "count": 0, "left_out": 0} if not case.question.search else {}
    found = bool(result["groups"])
    led = "" if subject or found else case.lead(None if query else False)
    numbers = {"label": about.label, "total": result["total"], "query": query, "count": result["count"]}
    few = MOST_LISTED if query or aspect("message", case.question.words) else MOST_GROUPS
    if not result["groups"] and 0 < result["total"] <= few:
        everything = case.tool("search_events", **about.named, level="info")  # so few are told as they are
        result |= {name: everything[name] for name in ("groups", "count", "left_out")}
        if query:
            yield led + case.say("events_query_none", **numbers) + "\n\n"
            query = led = ""
            numbers |= {"count": result["count"]}
    if not result["total"]:
        yield case.say("events_absent", label=about.label) + "\n\n"
        yield from () if subject else when(case, about)
        return
    is_all = result["count"] == result["total"] and result["groups"] and not query
    key = ("events_query" if query else "events") + ("_title" if result["groups"] else "_none")
    key = "events_few" if is_all else key
    yield led + case.say(key, groups=len(result["groups"]) + result["left_out"], **numbers) + "\n\n"
    yield from ("- " + _group(case, about, group) + "\n" for group in result["groups"][:MOST_GROUPS])
    if (more := len(result["groups"]) - MOST_GROUPS + result["left_out"]) > 0:
        yield case.item("events_more", count=more)
    if re.search(r"\bwho\b|谁|有人|somebody|someone", case.question.words):
        yield "\n" + case.say("nobody_seen") + "\n"
    diagnosis = diagnosed(case, about)
    if result["groups"] and not subject and not query:  # what the loops did meanwhile
        yield "\n"
        yield from report.happened(case, about, diagnosis)
    if not subject and (old := age(case.task, case.language, diagnosis["end"])):
        yield f"\n{old}\n"


def _said(case: Case) -> str:
    """Return the words of the question by which it names one of the topics, "" if it names none."""
    words = spelled(case.question.text)
    found = (match for row in table()["topics"].values() if (match := row["pattern"].search(words)))
    return next((case.question.text[match.start() : match.end()] for match in found), "")


def named_lines(case: Case, about: Subject) -> list[Result]:
    """Return the groups of the log's lines that the question names: by its topic, or words of their own."""
    groups = case.tool("search_events", **about.named, level="info")["groups"]
    topics = topic(case).split()
    own = {*terms(f"{case.device} {case.label}")}  # the device's name stands in many a head
    sought = [one for one in phrases(re.sub(OF_EVENTS, " ", case.question.words)) if not {*one} <= own]
    texts = [f"{group['source']} {group['first']['text']}" for group in groups]
    words = [{*terms(text)} for text in texts]
    shared = {one for one in sought if all({*one} <= have for have in words)} if len(groups) > 1 else set()
    scores = [
        sum({*one} <= have and one not in shared and not "".join(one).isdecimal() for one in sought)
        + 2 * any(word in text.casefold() for word in topics)
        for have, text in zip(words, texts, strict=True)
    ]
    most = max(scores, default=0)
    return [group for group, score in zip(groups, scores, strict=True) if score == most] if most else []


def topic(case: Case) -> str:
    """Return the words to look for: those in quotation marks, else those of the question's topics."""
    return case.question.search or " ".join(topics_of(case.question.words))


def _group(case: Case, about: Subject, group: Result) -> str:
    """Return the sentence on one group of event lines, quoting its first line."""
    first, last = group["first"], group["last"]
    return case.say(
        "events_group" if group["count"] > 1 else "events_group_one",
        level=group["level"],
        source=quoted(group["source"] or "log"),
        text=quoted(first["text"]),
        count=group["count"],
        first=about.link(first["line"]),
        first_clock=moment(first["clock"]),
        last=about.link(last["line"]),
        last_clock=moment(last["clock"], first["clock"]),
    )


def _at_time(case: Case) -> Iterator[str]:
    """Say what the channels read then, which findings were in progress, and which events were near."""
    for at in case.question.moments[:MOST_CLOCKS]:
        days = tuple(day for day in at.split(" ")[:-1] if "-" in day)
        alone = replace(case, question=replace(case.question, days=days))
        try:
            yield from at_moment(case, choose_log(alone), at)
        except ToolFailed as problem:
            if not aspect("event", case.question.words):
                raise
            yield plain_text(str(problem)) + "\n\n"  # its lines may tell
            yield from _groups(alone)
        yield "\n"


def at_moment(case: Case, about: Subject, clock: str) -> Iterator[str]:
    """Say what the loops and the other columns of a log read at `clock`, and what was found then."""
    result = case.tool("look_at_time", **about.named, clock=clock, language=case.language)
    readings = [_reading(case, about, reading) for reading in result["readings"]]
    clock, count = moment(result["clock"]), len(result["during"])
    title = case.say(
        "moment_fault" if count else "moment_calm",
        label=about.label,
        clock=clock,
        count=count,
        span=span_text(result["seconds"], case.language),
    )
    found = []
    for name in ("during", "nearest"):
        for one in result[name]:
            since = moment(one["onset_clock"], result["clock"])
            until = moment(one["end_clock"], one["onset_clock"])
            found.append(case.item(f"moment_{name}", text=one["summary"], since=since, until=until))
    yield title + "\n\n"
    yield from (*readings, *found) if case.question.quantity else (*found, *readings)
    yield from (f"- {_group(case, about, group)}\n" for group in result["groups"][:MOST_AT_ONCE])


def _reading(case: Case, about: Subject, reading: Result) -> str:
    values = {name: reading[name] for name in ("setpoint", "pv", "output") if reading[name] is not None}
    parts = values_text(case, values, reading["unit"])
    sentence = case.say("metric_row", channel=reading["channel"], parts=parts)
    return f"- {about.link(reading['line'])} {sentence}\n"


def _lines(case: Case, first: int, last: int, about: Subject | None = None) -> Iterator[str]:
    """Show raw lines by number; around a single one if that is asked."""
    about = about or choose_log(case)
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


def _fetch(case: Case) -> Iterator[str]:
    if not case.device:
        raise NothingToRead(ask_for_log(case))
    log = older_log(case) if case.question.day or case.question.previous else case.question.log
    got = case.tool("fetch_log", device=case.device, log=log)
    how = case.say("fetched_cache") if got["from_cache"] else case.say("fetched_now", seconds=got["seconds"])
    yield case.say(
        "fetched", log=quoted(got["log"]), label=got["label"], size=size_text(got["size"]), how=how
    )


def which_log(case: Case) -> Iterator[str]:
    """Say which log the last answer is from, and which others were read of the device."""
    about = known_log(case)
    if about is None:
        yield case.say("which_log_none")
        return
    yield case.say("which_log", log=quoted(about.log), label=about.label)
    read = dict.fromkeys(bare(name) for name in case.task.state.get("downloaded_logs") or [])
    if others := [quoted(name) for name in read if name != about.log]:
        yield "\n\n" + case.say("which_log_others", logs=case.listed(others))


SORTS = {"which_log": which_log, "lists_logs": list_logs, "fetches": _fetch}

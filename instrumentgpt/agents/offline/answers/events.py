"""Which errors, warnings and other event lines are in the log."""

import re
from collections.abc import Iterator

from instrumentgpt.agents.offline.answers.subject import Subject, choose_log, remembered_in
from instrumentgpt.agents.offline.case import Case, Result
from instrumentgpt.agents.offline.phrases import moment, phrase, plain_text, quoted

MOST_GROUPS = 8
TOPICS = {  # what the question is about → words that logs use for it
    r"\bdoors?\b|[門门]": "door",
    r"\btime-?outs?\b|逾時|逾时|超時|超时": "timeout",
    r"\bnet(?:work)?\b|\bsockets?\b|\bclients?\b|網路|网络|連線|连线": "net socket client",
    r"\bmotors?\b|\baxis\b|馬達|电机|電機": "motor",
    r"\bfans?\b|風扇|风扇": "fan",
    r"\bsupply\b|\bpsu\b|\bvoltage\b|電源|电源|電壓|电压": "psu voltage",
}


def events(case: Case) -> Iterator[str]:
    """Say which event lines there are, grouped, and which coincide with findings."""
    about = choose_log(case, newest=bool(case.task.devices))
    query = topic(case)
    found = case.tool("search_events", log=about.log, device=about.device, query=query)
    yield _title(case, about, found, query) + "\n\n"
    for group in found["groups"][:MOST_GROUPS]:
        yield "- " + group_text(case, about, group) + "\n"
    more = len(found["groups"]) - MOST_GROUPS + found["left_out"]
    if more > 0:
        yield "- " + phrase("events_more", case.language, count=more) + "\n"
    if found["groups"]:
        yield from _coincidences(case, about)


def topic(case: Case) -> str:
    """Return the words to look for: those in quotation marks, else those of the question's topics."""
    if case.question.search:
        return case.question.search
    words = case.question.text.casefold()
    return " ".join(said for asked, said in TOPICS.items() if re.search(asked, words, re.ASCII))


def _title(case: Case, about: Subject, found: Result, query: str) -> str:
    numbers = {"label": about.label, "total": found["total"]}
    if not found["groups"]:
        key = "events_query_none" if query else "events_none"
        return phrase(key, case.language, query=query, **numbers)
    numbers |= {"count": found["count"], "groups": len(found["groups"]) + found["left_out"]}
    return phrase("events_query_title" if query else "events_title", case.language, query=query, **numbers)


def group_text(case: Case, about: Subject, group: Result) -> str:
    """Return the sentence on one group of event lines, quoting its first line."""
    first, last = group["first"], group["last"]
    return phrase(
        "events_group" if group["count"] > 1 else "events_group_one",
        case.language,
        level=group["level"],
        source=quoted(group["source"] or "log"),
        text=quoted(first["text"]),
        count=group["count"],
        first=about.link(first["line"]),
        first_clock=moment(first["clock"]),
        last=about.link(last["line"]),
        last_clock=moment(last["clock"], first["clock"]),
    )


def _coincidences(case: Case, about: Subject) -> Iterator[str]:
    wanted = {"log": about.log, "device": about.device, "record": remembered_in(case)}
    diagnosed = case.tool("diagnose_log", language=case.language, **wanted)
    faults = [finding for finding in diagnosed["findings"] if finding["class"] != "healthy"]
    near = [fault for fault in faults if fault["coincidences"]]
    for fault in near:
        named = {"clock": moment(fault["onset_clock"]), "text": fault["summary"]}
        yield "\n" + phrase("events_coincide", case.language, **named) + "\n\n"
        yield from coincident(about, fault)
    if faults and not near:
        yield "\n" + phrase("events_apart", case.language, findings=len(faults))


def coincident(about: Subject, fault: Result) -> Iterator[str]:
    """Yield a bullet per kind of event line that coincides with `fault`, with links to the lines."""
    for one in fault["coincidences"]:
        places = ", ".join(about.link(line) for line in one["lines"])
        yield f"- {plain_text(one['text'])} ({places})\n"

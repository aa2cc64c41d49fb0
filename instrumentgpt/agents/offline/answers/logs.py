"""Answers about devices, logs and lines themselves."""

from collections.abc import Iterator

from instrumentgpt.agents.offline.answers.subject import (
    NothingToRead,
    ask_for_log,
    bare,
    choose_log,
    known_log,
    means_older,
    older_log,
)
from instrumentgpt.agents.offline.case import Case
from instrumentgpt.agents.offline.phrases import phrase, quoted
from instrumentgpt.instruments.language import size_text

MOST_LOGS = 12


def devices(case: Case) -> Iterator[str]:
    """Say which devices there are."""
    found = case.tool("list_devices")["devices"]
    yield phrase("devices_title", case.language, count=len(found)) + "\n\n"
    for one in found:
        yield f"- {one['name']} ({one['ip']}){', ' + one['model'] if one['model'] else ''}\n"


def list_logs(case: Case) -> Iterator[str]:
    """Say which logs a device has."""
    if not case.device:
        raise NothingToRead(ask_for_log(case))
    found = case.tool("list_logs", device=case.device)
    logs, label = found["logs"], found["label"]
    if not logs:
        yield phrase("logs_none", case.language, label=label)
        return
    yield phrase("logs_title", case.language, label=label, count=len(logs)) + "\n\n"
    for one in logs[:MOST_LOGS]:
        yield f"- {quoted(one['name'])} · {size_text(one['size'])} · {one['begun'] or '?'}\n"
    if len(logs) > MOST_LOGS:
        yield "- " + phrase("logs_more", case.language, count=len(logs) - MOST_LOGS) + "\n"


def newest_log(case: Case) -> Iterator[str]:
    """Say whether the log in view is the newest of its device."""
    about = known_log(case)
    if about is None and not case.device:
        yield phrase("which_log_none", case.language)
        return
    if not case.device:
        yield phrase("newest_brought", case.language, log=quoted(about.log if about else ""))
        return
    found = case.tool("list_logs", device=case.device)
    if not found["logs"]:
        yield phrase("logs_none", case.language, label=found["label"])
        return
    newest = found["logs"][0]
    told = {"newest": quoted(bare(newest["name"])), "begun": newest["begun"] or "?", "label": found["label"]}
    is_newest = about is not None and about.device and bare(newest["name"]) == about.log
    key = "newest_untold" if about is None else "newest_yes" if is_newest else "newest_no"
    log = quoted(about.log) if about else ""
    yield phrase(key, case.language, log=log, count=len(found["logs"]), **told)


def fetch(case: Case) -> Iterator[str]:
    """Fetch a log and say so."""
    if not case.device:
        raise NothingToRead(ask_for_log(case))
    log = older_log(case) if means_older(case) else case.question.log
    got = case.tool("fetch_log", device=case.device, log=log)
    how = (
        phrase("fetched_cache", case.language)
        if got["from_cache"]
        else phrase("fetched_now", case.language, seconds=got["seconds"])
    )
    size = size_text(got["size"])
    yield phrase("fetched", case.language, log=quoted(got["log"]), label=got["label"], size=size, how=how)


def lines(case: Case) -> Iterator[str]:
    """Show raw lines by number."""
    assert case.question.lines is not None, "the intent comes from the numbers"
    first, last = case.question.lines
    about = choose_log(case)
    found = case.tool("read_lines", log=about.log, device=about.device, first=first, last=last)["lines"]
    numbers = {"first": found[0]["line"], "last": found[-1]["line"]}
    yield phrase("lines_title", case.language, log=quoted(about.log), **numbers) + "\n\n"
    for one in found:
        yield f"- {about.link(one['line'])} {quoted(one['text'])}\n"

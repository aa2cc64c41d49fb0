"""What changed since the last log, or what differs from the device that the conversation was about."""

import re
from collections.abc import Iterator

from instrumentgpt.agents.offline.answers.subject import (
    Subject,
    bare,
    choose_log,
    dropped_logs,
    fetched_log,
    known_log,
)
from instrumentgpt.agents.offline.case import Case, Result
from instrumentgpt.agents.offline.phrases import phrase, plain_text, quoted

_IN_TIME = re.compile(  # what makes a comparison one of two logs of the device that is named
    r"\bchang|\b(?:last|previous|before|earlier|older|since|yesterday|ago)\b|\b(?:two|both|its) logs\b"
    r"|[上前昨]|[變变]|改[變变]|[兩两]份",
    re.IGNORECASE,
)


def compare(case: Case) -> Iterator[str]:
    """Compare the log with the one named or the one before it, or two dropped logs, or two devices."""
    if other := other_device(case):
        yield from _compare_devices(case, **other)
        return
    if case.device and case.question.log and not dropped_logs(case):
        about = fetched_log(case)
    else:
        about = choose_log(case, newest=bool(case.task.devices))
    older = _dropped_before(case, about) if not about.device else _fetched_before(case, about)
    if not older:
        yield phrase("compare_one", case.language, label=about.label, count=1)
        return
    found = case.tool(
        "compare_logs", log=about.log, before=older, device=about.device, language=case.language
    )
    key = "compare_title" if found["changes"] else "compare_same"
    named = {"label": about.label, "before": quoted(found["before"]), "after": quoted(found["log"])}
    yield phrase(key, case.language, count=len(found["changes"]), **named) + "\n\n"
    yield from _told(case, about, Subject(older, about.device), found)


def other_device(case: Case) -> dict[str, str]:
    """Return "device" and "log" of what the device that is named first is compared with; {}: with itself.

    That is the second device named, or the one that was in view before.
    """
    asked, named = case.question, case.task.devices
    if asked.log or asked.day or asked.previous or _IN_TIME.search(asked.text):
        return {}
    if len(named) == 2:
        return {"device": named[1], "log": ""}
    return dict(case.task.left) if len(named) == 1 else {}


def _compare_devices(case: Case, device: str, log: str) -> Iterator[str]:
    about = _own_log(case)
    other = _other_log(case, device, bare(log))
    named = {"log": about.reference, "before": other.reference}
    found = case.tool("compare_logs", language=case.language, **named)
    key = "compare_devices" if found["changes"] else "compare_devices_same"
    labels = {"label": about.label, "other": other.label}
    yield phrase(key, case.language, count=len(found["changes"]), **labels) + "\n\n"
    yield from _told(case, about, other, found, f"{about.device}: ")


def _own_log(case: Case) -> Subject:
    """Return the log of the first device that is in view, else its newest."""
    known = known_log(case)
    return choose_log(case) if known and known.device else fetched_log(case)


def _other_log(case: Case, device: str, log: str) -> Subject:
    """Return the log of `device` that was in view, else its newest."""
    known = "" if log in dropped_logs(case) else log
    got = case.tool("fetch_log", device=device, log=known)
    return Subject(got["log"], got["device"], got["label"])


def _told(case: Case, about: Subject, older: Subject, found: Result, whose: str = "") -> Iterator[str]:
    """Yield a line per difference, then what lasts, then what was compared.

    whose  stands before a figure, whose new value is that of one device of two
    """
    for one in (*found["changes"], *found["lasting"]):
        led = _link(older if one["before"] else about, one) or whose
        yield f"- {led}{plain_text(one['text'])}\n"
    separator = phrase("list_separator", case.language)
    quantities = separator.join(dict.fromkeys(row["name"] for row in found["compared"]))
    rows = len(found["compared"])
    yield "\n" + phrase("compare_looked_at", case.language, count=rows, quantities=quantities)


def _link(where: Subject, change: Result) -> str:
    """Return the link to the first line of an event or a fault, "" for what has none."""
    return f"{where.link(change['line'])} " if "line" in change else ""


def _dropped_before(case: Case, about: Subject) -> str:
    others = [name for name in dropped_logs(case) if name != about.log]
    return others[0] if others else ""


def _fetched_before(case: Case, about: Subject) -> str:
    """Fetch the log that is named, or the one before `about`; return its name, "" if there is none."""
    if named := bare(case.question.log):
        return (
            str(case.tool("fetch_log", device=about.device, log=named)["log"]) if named != about.log else ""
        )
    names = [bare(one["name"]) for one in case.tool("list_logs", device=about.device)["logs"]]
    place = names.index(about.log) if about.log in names else -1
    if place + 1 >= len(names):
        return ""
    fetched = case.tool("fetch_log", device=about.device, log=names[place + 1])
    return str(fetched["log"])

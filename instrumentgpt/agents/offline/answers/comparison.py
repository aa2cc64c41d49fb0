"""What changed since the last log."""

from collections.abc import Iterator

from instrumentgpt.agents.offline.answers.subject import Subject, bare, choose_log, dropped_logs, fetched_log
from instrumentgpt.agents.offline.case import Case, Result
from instrumentgpt.agents.offline.phrases import phrase, plain_text, quoted


def compare(case: Case) -> Iterator[str]:
    """Compare the log with the one named or the one before it, or two dropped logs with each other."""
    if case.device and case.question.log and not dropped_logs(case):
        about = yield from fetched_log(case)
    else:
        about = yield from choose_log(case, newest=bool(case.task.devices))
    older = _dropped_before(case, about) if not about.device else _fetched_before(case, about)
    if not older:
        yield phrase("compare_one", case.language, label=about.label, count=1)
        return
    found = case.tool(
        "compare_logs", log=about.log, before=older, device=about.device, language=case.language
    )
    yield _title(case, about, found) + "\n\n"
    for change in found["changes"]:
        yield f"- {_link(about, older, change)}{plain_text(change['text'])}\n"
    for fault in found["lasting"]:
        yield f"- {_link(about, older, fault)}{plain_text(fault['text'])}\n"
    separator = phrase("list_separator", case.language)
    quantities = separator.join(dict.fromkeys(row["name"] for row in found["compared"]))
    rows = len(found["compared"])
    yield "\n" + phrase("compare_looked_at", case.language, count=rows, quantities=quantities)


def _title(case: Case, about: Subject, found: Result) -> str:
    named = {"label": about.label, "before": quoted(found["before"]), "after": quoted(found["log"])}
    key = "compare_title" if found["changes"] else "compare_same"
    return phrase(key, case.language, count=len(found["changes"]), **named)


def _link(about: Subject, older: str, change: Result) -> str:
    """Return the link to the first line of an event or a fault that came or went, in the log that has it."""
    if "line" not in change:
        return ""
    where = Subject(older, about.device) if change["before"] else about
    return f"{where.link(change['line'])} "


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

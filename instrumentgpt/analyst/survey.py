"""All devices, or those that are named, side by side: the newest log of each, judged."""

import re
from collections.abc import Iterator

from instrumentgpt.analyst.case import (
    Case,
    Result,
    Subject,
)
from instrumentgpt.analyst.questions import aspect, table
from instrumentgpt.analyst.report import fault_verdict
from instrumentgpt.analyst.words import plain_text, quoted


def survey(case: Case) -> Iterator[str]:
    """Rank the devices that are named, or all, the worst first."""
    if aspect("lists_devices", case.question.words):
        yield from devices(case)
        return
    names = list(case.task.devices) if len(case.task.devices) > 1 else _spoken_of(case)
    if case.question.score < table()["least"] and not names:
        yield case.say("survey_instead") + "\n\n"
    rows = case.tool("survey_devices", language=case.language, devices=names or None)["devices"]
    yield _verdict(case, rows) + "\n\n"
    yield from (f"{place}. {_row(case, row)}\n" for place, row in enumerate(rows, start=1))
    if judged := sum("error" not in row for row in rows):
        yield "\n" + case.say("worst_ask", count=judged)


def devices(case: Case) -> Iterator[str]:
    """Say which devices there are."""
    rows = case.tool("list_devices")["devices"]
    yield case.say("devices_title", count=len(rows)) + "\n\n"
    yield from (
        f"- {row['name']} ({row['ip']}){', ' + row['model'] if row['model'] else ''}\n" for row in rows
    )


def _spoken_of(case: Case) -> list[str]:
    """Return the devices of the newest question that named several, if "the two" or "them" is said."""
    words = case.question.words
    if not aspect("those", words) or re.search(r"rest of|all|other|其[他它]", words):
        return []
    named = (list(row.get("devices") or ()) for row in reversed(case.task.messages) if row["role"] == "user")
    return next((names for names in named if len(names) > 1), [])


def _verdict(case: Case, rows: list[Result]) -> str:
    first = rows[0] if rows else {}
    if first.get("faults"):
        verdict = fault_verdict(case, first["label"], first, first["faults"] - 1)
        having = sum(bool(row.get("faults")) for row in rows)
        return case.say("worst_title", count=len(rows), having=having, verdict=verdict)
    failed = sum("error" in row for row in rows)
    return case.say("worst_none", judged=len(rows) - failed, failed=failed)


def _row(case: Case, row: Result) -> str:
    if "error" in row:
        return case.say("worst_failed", label=row["label"], reason=plain_text(row["error"]))
    about = Subject(row["log"], row["device"], row["label"])
    return case.say(
        "worst_row" if row["mean_error"] is not None else "worst_row_text",
        label=row["label"],
        text=row["text"] or case.say("worst_no_verdict"),
        error=row["mean_error"] or 0.0,
        unit=row["unit"],
        share=100 * (row["out_of_band"] or 0.0),
        log=quoted(row["log"]),
        line=case.say("list_separator") + about.link(row["line"]) if row["line"] else "",
    )

"""Judged logs side by side: the newest of each device, or all of one device."""

import re
from collections.abc import Iterator

from instrumentgpt.analyst.case import Case, Result, Subject, bare, diagnosed, faults_of
from instrumentgpt.analyst.figures import figures
from instrumentgpt.analyst.questions import LONGEST_QUESTION, asking, aspect, span_of, table
from instrumentgpt.analyst.report import diagnose, fault_verdict, rising_over, where_of
from instrumentgpt.analyst.words import moment, plain_text, quoted
from instrumentgpt.instruments.since import since

LEAST = 2  # logs in the time that is asked about: one is answered as any log is


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


def is_over_logs(case: Case) -> bool:
    """Return whether a question on one device asks about its logs together: which day, this week."""
    question = case.question
    if question.log or question.days or question.clocks or question.previous or question.gain:
        return False
    parts = asking(question.words)
    if not parts or len(question.words) > LONGEST_QUESTION:
        return False
    is_named = any(aspect(name, part) for part in parts for name in ("over_logs", "since_when"))
    return is_named or since(question.text, case.task.now.date()) is not None


def over_logs(case: Case) -> Iterator[str]:
    """Tell each log of the device in the time asked about, and what grows; of one log answer as of any."""
    begun = since(case.question.text, case.task.now.date())
    if case.question.relative and not begun:
        begun = span_of(case.question.relative, case.task.now)[0].date()
    of_time = {"language": case.language, "since": begun.isoformat() if begun else ""}
    result = case.tool("survey_logs", device=case.device, **of_time)
    rows, label = result["logs"], result["label"]
    if not rows and begun:
        yield case.say("logs_none_since", label=label, day=begun) + "\n\n"
    judged = [row for row in rows if "error" not in row]
    if len(rows) < LEAST or not judged:
        yield from (figures if case.question.kind == "figures" else diagnose)(case)
        return
    rising = rising_over(case, Subject(bare(judged[-1]["log"]), result["device"], label))
    having, same = sum(bool(row["faults"]) for row in judged), _same(judged)
    yield from _began(case, same[-1:])
    first, last = (moment(row["start"])[:10] for row in (judged[0], judged[-1]))
    placed = {"label": label, "count": len(rows), "first": first, "last": last}
    yield case.say("logs_judged", bad=having, **placed) if having or not rising else ""
    if same:
        fields = {"title": same[0]["title"], "count": len(same), "day": moment(same[-1]["start"])[:16]}
        yield " " + case.say("logs_since", **fields)
    yield from (f"\n\n**{row['text']}.**" for row in rising)
    yield "\n\n"
    yield from (_row_of_log(case, row) for row in rows)
    if result["left_out"]:
        yield case.item("logs_more", count=result["left_out"])


def _began(case: Case, rows: list[Result]) -> Iterator[str]:
    """Say when the finding of a log began."""
    for row in rows:
        earliest = diagnosed(case, Subject(row["log"], row["device"], row["label"]))
        for fault in [one for one in faults_of(earliest) if one["class"] == row["class"]][:1]:
            clock, day = moment(fault["onset_clock"]), moment(row["start"])[:10]
            fields = {"title": row["title"], "where": where_of(case, fault), "clock": clock, "day": day}
            yield case.say("logs_begun", **fields) + "\n\n"


def _same(judged: list[Result]) -> list[Result]:
    """Return the logs, newest first, that all have the finding of the newest one; [] if it has none."""
    found = [(row["faults"] > 0, row["class"], row["channel"]) for row in judged[::-1]]
    unlike = (place for place, one in enumerate(found) if one != found[0])
    return judged[::-1][: next(unlike, len(judged))] if judged[-1]["faults"] else []


def _row_of_log(case: Case, row: Result) -> str:
    if "error" in row:
        return case.item("logs_failed", log=quoted(row["log"]), reason=plain_text(row["error"]))
    about = Subject(row["log"], row["device"], row["label"])
    line = f" ({about.link(row['line'])})" if row["line"] and row["faults"] else ""
    told = row["text"] + line if row["text"] else case.say("worst_no_verdict")
    return case.item("logs_row", day=moment(row["start"])[:16], log=quoted(row["log"]), told=told)

"""What the logs of a device tell together: which day or run had it, from which log on, what grew."""

from collections.abc import Iterator

from instrumentgpt.analyst.case import Case, Result, Subject, bare
from instrumentgpt.analyst.figures import figures
from instrumentgpt.analyst.questions import LONGEST_QUESTION, asking, aspect, span_of
from instrumentgpt.analyst.report import diagnose, rising_over
from instrumentgpt.analyst.words import moment, plain_text, quoted
from instrumentgpt.instruments.since import since

LEAST = 2  # logs in the time that is asked about: one is answered as any log is


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
    """Tell each log of the device in the time asked about, then what grew; of one log answer as of any."""
    begun = since(case.question.text, case.task.now.date())
    if case.question.relative and not begun:
        begun = span_of(case.question.relative, case.task.now)[0].date()
    result = case.tool(
        "survey_logs",
        device=case.device,
        language=case.language,
        since=begun.isoformat() if begun else "",
    )
    rows = result["logs"]
    if not rows and begun:
        yield case.say("logs_none_since", label=result["label"], day=begun) + "\n\n"
    if len(rows) < LEAST or all("error" in row for row in rows):
        yield from (figures if case.question.kind == "figures" else diagnose)(case)
        return
    newest = next(row for row in reversed(rows) if "error" not in row)
    rising = rising_over(case, Subject(bare(newest["log"]), result["device"], result["label"]))
    yield from (*_title(case, rows, result["label"], rising), "\n")
    yield from (_row(case, row) for row in rows)
    if result["left_out"]:
        yield case.item("logs_more", count=result["left_out"])


def _title(case: Case, rows: list[Result], label: str, rising: list[Result]) -> Iterator[str]:
    """Yield how many of the logs have a finding, from which on that of the last is in each, what grows."""
    judged = [row for row in rows if "error" not in row]
    having = [row for row in judged if row["faults"]]
    days = [moment(row["start"])[:10] for row in judged[:1] + judged[-1:]]
    placed = {"label": label, "count": len(rows), "first": days[0], "last": days[-1]}
    if rising and case.question.channel not in (None, *(row["channel"] for row in rising)):
        yield case.say("rising_other", channel=case.question.channel) + "\n\n"
    if rising and not having:
        yield case.say("logs_grow", told=rising[0]["text"], **placed) + "\n"
    else:
        told = case.say("logs_judged", bad=len(having), **placed)
        those = case.listed(dict.fromkeys(moment(row["start"])[:10] for row in having))
        told += (
            " " + case.say("logs_days", days=those) if len(_same(rows)) < len(having) < len(judged) else ""
        )
        yield told + _since(case, judged) + "\n"
    yield from ("\n" + case.say("rising_row", text=row["text"]) + "\n" for row in rising[not having :])


def _since(case: Case, judged: list[Result]) -> str:
    """Return from which log on the finding of the newest one is in each, after a blank; "" if it has none."""
    if not (same := _same(judged)):
        return ""
    fields = {"title": same[0]["title"], "count": len(same), "day": moment(same[-1]["start"])[:16]}
    return " " + case.say("logs_since" if len(same) < len(judged) else "logs_all", **fields)


def _same(rows: list[Result]) -> list[Result]:
    """Return the logs, newest first, that all have the finding of the newest one; [] if it has none."""
    judged = [row for row in reversed(rows) if "error" not in row]
    found = [(row["faults"] > 0, row["class"], row["channel"]) for row in judged]
    unlike = (place for place, one in enumerate(found) if one != found[0])
    return judged[: next(unlike, len(judged))] if judged and judged[0]["faults"] else []


def _row(case: Case, row: Result) -> str:
    if "error" in row:
        return case.item("logs_failed", log=quoted(row["log"]), reason=plain_text(row["error"]))
    about = Subject(row["log"], row["device"], row["label"])
    line = f" ({about.link(row['line'])})" if row["line"] and row["faults"] else ""
    told = row["text"] + line if row["text"] else case.say("worst_no_verdict")
    return case.item("logs_row", day=moment(row["start"])[:16], log=quoted(row["log"]), told=told)

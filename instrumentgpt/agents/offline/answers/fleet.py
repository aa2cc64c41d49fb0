"""Which device is worst: the newest log of each, judged."""

import re
from collections.abc import Iterator

from instrumentgpt.agents.offline.answers.report import fault_verdict
from instrumentgpt.agents.offline.answers.subject import Subject
from instrumentgpt.agents.offline.case import Case, Result
from instrumentgpt.agents.offline.earlier import questions_before
from instrumentgpt.agents.offline.patterns import FLAGS
from instrumentgpt.agents.offline.phrases import phrase, plain_text, quoted
from instrumentgpt.agents.offline.task import inventory_of
from instrumentgpt.instruments.devices import resolve

_THOSE = (
    r"\b(?:two|three|both|them|these|those|either)\b|[兩两三][台部個个者]|[他她它牠][們们]|[這这那][幾几]"
)


def worst(case: Case) -> Iterator[str]:
    """Rank the devices that are named, or all, the worst first."""
    named = list(case.task.devices) if len(case.task.devices) > 1 else _spoken_of(case)
    rows = case.tool("survey_devices", language=case.language, devices=named or None)["devices"]
    yield _verdict(case, rows) + "\n\n"
    for place, row in enumerate(rows, start=1):
        yield f"{place}. {_row(case, row)}\n"
    if judged := sum("error" not in row for row in rows):
        yield "\n" + phrase("worst_ask", case.language, count=judged)


def _spoken_of(case: Case) -> list[str]:
    """Return the devices of the newest question that named several, if "the two" or "them" is said."""
    if case.task.devices or not re.search(_THOSE, case.question.text, FLAGS):
        return []
    known = inventory_of(case.task)
    named = (
        [device.name for device in resolve(words, known).devices] for words in questions_before(case.task)
    )
    return next((names for names in named if len(names) > 1), [])


def _verdict(case: Case, rows: list[Result]) -> str:
    first = rows[0] if rows else {}
    if first.get("faults"):
        verdict = fault_verdict(case, first["label"], first, first["faults"] - 1)
        return phrase("worst_title", case.language, count=len(rows), verdict=verdict)
    failed = sum("error" in row for row in rows)
    return phrase("worst_none", case.language, judged=len(rows) - failed, failed=failed)


def _row(case: Case, row: Result) -> str:
    if "error" in row:
        return phrase("worst_failed", case.language, label=row["label"], reason=plain_text(row["error"]))
    about = Subject(row["log"], row["device"], row["label"])
    return phrase(
        "worst_row",
        case.language,
        label=row["label"],
        text=row["text"] or phrase("worst_no_verdict", case.language),
        error=row["mean_error"] or 0.0,
        share=100 * (row["out_of_band"] or 0.0),
        log=quoted(row["log"]),
        line=phrase("list_separator", case.language) + about.link(row["line"]) if row["line"] else "",
    )

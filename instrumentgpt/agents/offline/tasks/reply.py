"""What the steps of a plan came to, told from their results: a ranking of logs, what to do, the report."""

from collections.abc import Iterator, Mapping
from typing import Any

from instrumentgpt.agents.offline.wire import Wire
from instrumentgpt.analyst.case import Result, Subject, Task, age
from instrumentgpt.analyst.constraints import mark, step_of
from instrumentgpt.analyst.report import faults_of
from instrumentgpt.analyst.words import joined, phrase, plain_text, quoted
from instrumentgpt.instruments.findings import SEVERITIES, worst
from instrumentgpt.instruments.language import Language


def reply(task: Task, wire: Wire) -> Iterator[str]:
    """Yield the answer made of the results of the steps.

    `given`: `language`, `steps` ({description, status, words}), `results` ({tool, result}),
    `unsaved` ({ref, label}).
    """
    given = task.given
    language: Language = "zh" if given.get("language") == "zh" else "en"
    diagnoses = _diagnoses(given.get("results") or ())
    fetched = (row["result"] for row in given.get("results") or () if row["tool"] == "fetch_log")
    labels = {result["device"]: result["label"] for result in fetched}
    words = [str(step.get("words") or "").strip() for step in given.get("steps") or ()]
    yield from (f"{text}\n\n" for text in words if text)
    if len(diagnoses) > 1:
        yield from _ranked(task, diagnoses, labels, language)
    elif not any(words) and not diagnoses:
        yield from _fetched(given, language)
    for report in given.get("unsaved") or ():
        yield phrase("reply_report", language, ref=report["ref"], label=plain_text(report["label"])) + "\n"


def _diagnoses(results: Any) -> list[Result]:
    """Return the diagnosis of each log once, the latest, the worst first."""
    logs = {
        (row["result"].get("device"), row["result"].get("log")): row["result"]
        for row in results
        if row["tool"] == "diagnose_log"
    }
    return sorted(logs.values(), key=badness)


def badness(diagnosis: Mapping[str, Any]) -> tuple[int, float, float]:
    """Return what diagnoses are ordered by: severity, then mean error, then time out of band."""
    severity = worst(fault["severity"] for fault in faults_of(diagnosis))
    return SEVERITIES.index(severity), -_error(diagnosis), -_out_of_band(diagnosis)


def _ranked(
    task: Task, diagnoses: list[Result], labels: Mapping[str, str], language: Language
) -> Iterator[str]:
    yield phrase("reply_title", language, count=len(diagnoses)) + "\n\n"
    for place, diagnosis in enumerate(diagnoses, start=1):
        yield f"{place}. {_row(diagnosis, labels, language)}\n"
    yield f"\n{age(task, language, max(str(diagnosis['end']) for diagnosis in diagnoses))}\n"
    faulty = [diagnosis for diagnosis in diagnoses if faults_of(diagnosis)]
    if not faulty:
        yield "\n" + phrase("reply_nothing_to_do", language, count=len(diagnoses)) + "\n\n"
        return
    yield "\n" + phrase("reply_actions", language, count=len(faulty)) + "\n\n"
    for diagnosis in faulty:
        first = faults_of(diagnosis)[0]
        fields = {"label": _label(diagnosis, labels), "action": plain_text(first["action"])}
        text = plain_text(first["cause"] or first["summary"]) + ("" if language == "zh" else " ")
        line = phrase("reply_action", language, text=text, **fields).replace("  ", " ")
        yield f"- {line}{mark(task, language, step_of(first))}\n"
    yield "\n"


def _row(diagnosis: Result, labels: Mapping[str, str], language: Language) -> str:
    about = Subject(diagnosis["log"], diagnosis["device"])
    line = faults_of(diagnosis)[0]["line"] if faults_of(diagnosis) else None
    return phrase(
        "reply_row",
        language,
        label=_label(diagnosis, labels),
        verdict=_verdict(diagnosis, language),
        error=_error(diagnosis),
        unit=diagnosis["unit"] or "1",
        share=100 * _out_of_band(diagnosis),
        log=quoted(diagnosis["log"]),
        line=phrase("list_separator", language) + about.link(line) if line else "",
    )


def _verdict(diagnosis: Result, language: Language) -> str:
    faults = faults_of(diagnosis)
    if faults:
        where = "where_device" if faults[0]["channel"] is None else "where_channel"
        more = phrase("verdict_more", language, count=len(faults) - 1) if len(faults) > 1 else ""
        place = phrase(where, language, channel=faults[0]["channel"]).strip()  # a blank would undo the bold
        at = phrase("list_separator", language) + place
        return f"{faults[0]['title']}{at}{more}"
    if away := diagnosis["excursions"]["unexplained_count"]:
        return phrase("reply_excursions", language, count=away)
    healthy = sum(finding["class"] == "healthy" for finding in diagnosis["findings"])
    if healthy:
        return phrase("reply_healthy", language, count=healthy)
    return phrase("reply_no_verdict", language, count=len(diagnosis["checks"]))


def _fetched(given: Mapping[str, Any], language: Language) -> Iterator[str]:
    """Say which logs are here now, or that nothing came of the steps."""
    logs = [row["result"] for row in given.get("results") or () if row["tool"] == "fetch_log"]
    if not logs:
        yield phrase("reply_nothing", language, count=len(given.get("steps") or ())) + "\n\n"
        return
    names = joined((f"{log['label']} {quoted(log['log'])}" for log in logs), language)
    yield phrase("reply_logs", language, count=len(logs), logs=names) + "\n\n"


def _label(diagnosis: Result, labels: Mapping[str, str]) -> str:
    return plain_text(labels.get(diagnosis["device"]) or diagnosis["device"] or diagnosis["log"])


def _error(diagnosis: Mapping[str, Any]) -> float:
    return max((row["iae_per_hour"] or 0.0 for row in diagnosis["channels"]), default=0.0)


def _out_of_band(diagnosis: Mapping[str, Any]) -> float:
    return max((1.0 - (row["in_band"] or 0.0) for row in diagnosis["channels"]), default=0.0)

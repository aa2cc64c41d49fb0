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
    found = _diagnoses(given.get("results") or ())
    labels = _labels(given.get("results") or ())
    words = [str(one.get("words") or "").strip() for one in given.get("steps") or ()]
    yield from (f"{text}\n\n" for text in words if text)
    if len(found) > 1:
        yield from _ranked(task, found, labels, language)
    elif not any(words) and not found:
        yield from _fetched(given, language)
    for one in given.get("unsaved") or ():
        yield phrase("reply_report", language, ref=one["ref"], label=plain_text(one["label"])) + "\n"


def _diagnoses(results: Any) -> list[Result]:
    """Return the diagnosis of each log once, the latest, the worst first."""
    logs = {
        (one["result"].get("device"), one["result"].get("log")): one["result"]
        for one in results
        if one["tool"] == "diagnose_log"
    }
    return sorted(logs.values(), key=badness)


def badness(found: Mapping[str, Any]) -> tuple[int, float, float]:
    """Return what diagnoses are ordered by: severity, then mean error, then time out of band."""
    faults = [one for one in found["findings"] if one["class"] != "healthy"]
    severity = worst(one["severity"] for one in faults)
    return SEVERITIES.index(severity), -_error(found), -_out_of_band(found)


def _labels(results: Any) -> dict[str, str]:
    return {one["result"]["device"]: one["result"]["label"] for one in results if one["tool"] == "fetch_log"}


def _ranked(task: Task, found: list[Result], labels: Mapping[str, str], language: Language) -> Iterator[str]:
    yield phrase("reply_title", language, count=len(found)) + "\n\n"
    for place, one in enumerate(found, start=1):
        yield f"{place}. {_row(one, labels, language)}\n"
    yield f"\n{age(task, language, max(str(one['end']) for one in found))}\n"
    faulty = [one for one in found if faults_of(one)]
    if not faulty:
        yield "\n" + phrase("reply_nothing_to_do", language, count=len(found)) + "\n\n"
        return
    yield "\n" + phrase("reply_actions", language, count=len(faulty)) + "\n\n"
    for one in faulty:
        first = faults_of(one)[0]
        told = {"text": plain_text(first["cause"] or first["summary"]), "action": plain_text(first["action"])}
        told["text"] += "" if language == "zh" else " "
        line = phrase("reply_action", language, label=_label(one, labels), **told).replace("  ", " ")
        yield f"- {line}{mark(task, language, step_of(first))}\n"
    yield "\n"


def _row(found: Result, labels: Mapping[str, str], language: Language) -> str:
    about = Subject(found["log"], found["device"])
    line = faults_of(found)[0]["line"] if faults_of(found) else None
    return phrase(
        "reply_row",
        language,
        label=_label(found, labels),
        verdict=_verdict(found, language),
        error=_error(found),
        unit=found["unit"] or "1",
        share=100 * _out_of_band(found),
        log=quoted(found["log"]),
        line=phrase("list_separator", language) + about.link(line) if line else "",
    )


def _verdict(found: Result, language: Language) -> str:
    faults = faults_of(found)
    if faults:
        where = "where_device" if faults[0]["channel"] is None else "where_channel"
        more = phrase("verdict_more", language, count=len(faults) - 1) if len(faults) > 1 else ""
        place = phrase(where, language, channel=faults[0]["channel"]).strip()  # a blank would undo the bold
        at = phrase("list_separator", language) + place
        return f"{faults[0]['title']}{at}{more}"
    if away := found["excursions"]["unexplained_count"]:
        return phrase("reply_excursions", language, count=away)
    healthy = sum(one["class"] == "healthy" for one in found["findings"])
    if healthy:
        return phrase("reply_healthy", language, count=healthy)
    return phrase("reply_no_verdict", language, count=len(found["checks"]))


def _fetched(given: Mapping[str, Any], language: Language) -> Iterator[str]:
    """Say which logs are here now, or that nothing came of the steps."""
    logs = [one["result"] for one in given.get("results") or () if one["tool"] == "fetch_log"]
    if not logs:
        yield phrase("reply_nothing", language, count=len(given.get("steps") or ())) + "\n\n"
        return
    told = joined((f"{one['label']} {quoted(one['log'])}" for one in logs), language)
    yield phrase("reply_logs", language, count=len(logs), logs=told) + "\n\n"


def _label(found: Result, labels: Mapping[str, str]) -> str:
    return plain_text(labels.get(found["device"]) or found["device"] or found["log"])


def _error(found: Mapping[str, Any]) -> float:
    return max((one["iae_per_hour"] or 0.0 for one in found["channels"]), default=0.0)


def _out_of_band(found: Mapping[str, Any]) -> float:
    return max((1.0 - (one["in_band"] or 0.0) for one in found["channels"]), default=0.0)

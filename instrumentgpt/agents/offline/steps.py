"""The steps of a plan: carried out with our tools, each with its words, and what all of them came to."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from instrumentgpt.agents.offline.panel_plan import where_is
from instrumentgpt.agents.offline.task import calling
from instrumentgpt.agents.offline.wire import Wire
from instrumentgpt.analyst.answers import ANSWERS
from instrumentgpt.analyst.case import Case, Result, Subject, Task, ToolFailed, age, bare
from instrumentgpt.analyst.compare import devices, survey
from instrumentgpt.analyst.constraints import mark, step_of
from instrumentgpt.analyst.events import list_logs
from instrumentgpt.analyst.questions import aspect, read_question
from instrumentgpt.analyst.remembered import quoted_words, remembered
from instrumentgpt.analyst.report import diagnosed, draw, explained, faults_of
from instrumentgpt.analyst.words import joined, phrase, plain_text, quoted
from instrumentgpt.instruments.findings import SEVERITIES, worst
from instrumentgpt.instruments.language import Language

MOST_SINCE = 3  # logs of one device that a step fetches for a stretch of time
MOST_CHARTS = 3  # that one step draws
LOOKED_AT = ("gains", "events", "compare", "figures")  # kinds of question that a step answers of each log


@dataclass(frozen=True)
class Work:
    """A step to do.

    case     its description as a question, and the tools
    targets  what it is to work on, in this process
    alone    whether these are all targets of the step: then it tells, and draws, what it found
    """

    case: Case
    targets: tuple[Subject, ...]
    since: str
    title: str
    alone: bool


def step(task: Task, wire: Wire) -> Iterator[str]:
    """Yield what the step of `given` has to say, as JSON {"words": …}, once its tools were called.

    `given`: `description`, `step_type`, `subdomain`, `targets` ({device, log, channel}), `since` (ISO),
    `title`, `alone`, `language`.
    """
    given = task.given
    question = read_question(str(given.get("description") or task.question), in_view=True)
    language: Language = "zh" if given.get("language") == "zh" else "en"
    targets = tuple(Subject(**target) for target in given.get("targets") or ())
    case = Case(replace(task, devices=()), question, language, calling(task, wire))
    work = Work(case, targets, given.get("since") or "", given.get("title") or "", bool(given.get("alone")))
    kind = (str(given.get("step_type")), str(given.get("subdomain")))
    words = _tried(case, ACTIONS.get(kind, _look_into)(work))
    yield json.dumps({"words": "".join(words)}, ensure_ascii=False)


def _tried(case: Case, words: Iterator[str]) -> Iterator[str]:
    """Yield `words`; what a tool could not do is told, and the rest goes on."""
    try:
        yield from words
    except ToolFailed as problem:
        yield phrase("failed", case.language, reason=plain_text(str(problem))) + "\n"


def _devices(work: Work) -> Iterator[str]:
    """List the logs of the devices that are named, or the devices."""
    if work.targets and not aspect("lists_devices", work.case.question.words):
        for target in work.targets:
            yield from list_logs(_about(work, target)) if target.device else ()
    else:
        yield from devices(work.case)


def _survey(work: Work) -> Iterator[str]:
    names = tuple(dict.fromkeys(target.device for target in work.targets if target.device))
    yield from survey(replace(work.case, task=replace(work.case.task, devices=names)))


def _fetch(work: Work) -> Iterator[str]:
    """Fetch each device's log, or its logs of the time that is asked for."""

    def fetched(target: Subject) -> Iterator[str]:
        names, notes = _logs_to_fetch(work, target)
        yield from notes
        for name in names:
            work.case.tool("fetch_log", device=target.device, log=name)

    for target in work.targets:
        yield from _tried(work.case, fetched(target))


def _logs_to_fetch(work: Work, target: Subject) -> tuple[list[str], list[str]]:
    """Return the names of the logs to fetch ("" for the newest), and what is to be told about them."""
    question = work.case.question
    if not work.since or question.log:
        return [question.log or target.log], []
    listed = work.case.tool("list_logs", device=target.device)
    first_day = date.fromisoformat(work.since).isoformat()
    names = [bare(log["name"]) for log in listed["logs"] if (log["begun"] or "") >= first_day]
    fields = {"label": listed["label"], "day": first_day}
    if not names:
        newest = bare(listed["logs"][0]["name"]) if listed["logs"] else ""
        return [newest], [phrase("reply_older", work.case.language, log=quoted(newest), **fields) + "\n"]
    more = phrase("reply_more_logs", work.case.language, count=len(names), taken=MOST_SINCE, **fields) + "\n"
    return names[:MOST_SINCE], [more] if len(names) > MOST_SINCE else []


def _diagnose(work: Work) -> Iterator[str]:
    """Diagnose each log; one alone is explained and drawn."""

    def diagnose(case: Case, about: Subject) -> Iterator[str]:
        diagnosis = diagnosed(case, about)
        if work.alone and len(work.targets) == 1:
            draw(case, about)
            yield from explained(case, about, diagnosis)

    for target in _here(work):
        about = replace(target, label=target.device or target.log)
        yield from _tried(work.case, diagnose(_about(work, target), about))


def _look_into(work: Work) -> Iterator[str]:
    """Answer the description as a question about each log, if it is one that can be; else diagnose."""
    kind = work.case.question.kind
    yield from _answered(work, kind) if kind in LOOKED_AT else _diagnose(work)


def _metrics(work: Work) -> Iterator[str]:
    kind = work.case.question.kind
    yield from _answered(work, kind if kind == "gains" else "figures")


def _answered(work: Work, kind: str) -> Iterator[str]:
    """Answer the description about each log."""
    for target in _here(work):
        yield from _tried(work.case, ANSWERS[kind](_about(work, target)))
        yield "\n\n"


def _draw(work: Work) -> Iterator[str]:
    for target in list(_here(work))[:MOST_CHARTS]:
        draw(_about(work, target), target)
    yield ""


def _report(work: Work) -> Iterator[str]:
    logs = [target.reference for target in _here(work)]
    work.case.tool("write_report", logs=logs, title=work.title, language=work.case.language)
    yield ""


def _recall(work: Work) -> Iterator[str]:
    yield from (remembered if work.case.question.kind == "remembered" else quoted_words)(work.case)


def _here(work: Work) -> Iterator[Subject]:
    """Yield the targets whose log is here, fetching the newest of a device that has none yet."""
    for target in work.targets:
        if target.log:
            yield target
            continue
        try:
            got: Result = work.case.tool("fetch_log", device=target.device)
        except ToolFailed:
            continue  # the failed call is shown; the others go on
        yield replace(target, device=got["device"], log=got["log"])


def _about(work: Work, target: Subject) -> Case:
    """Return the case in which `target` is what the conversation is about."""
    state = {
        **work.case.task.state,
        "device_name": target.device,
        "device_ip": "",
        "last_log_file": target.log or None,
        "downloaded_logs": [target.log] if target.log else [],
    }
    attachments = work.case.task.attachments if not target.device else ()
    channels = () if target.channel is None else (target.channel,)
    question = replace(work.case.question, channels=work.case.question.channels or channels)
    if target.log:
        question = replace(question, log="")
    task = replace(work.case.task, state=state, attachments=attachments)
    return replace(work.case, task=task, question=question)


ACTIONS: Mapping[tuple[str, str], Callable[[Work], Iterator[str]]] = {  # what is not here is looked into
    ("read", "devices"): _devices,
    ("read", "logs"): _fetch,
    ("read", "loops"): _metrics,
    ("read", "findings"): _diagnose,
    ("analyze", "devices"): _survey,
    **{(kind, subdomain): _recall for kind in ("read", "analyze") for subdomain in ("reports", "notes")},
    **{("generate", subdomain): _draw for subdomain in ("devices", "logs", "loops", "findings")},
    **{("generate", subdomain): _report for subdomain in ("reports", "notes")},
}


def reply(task: Task, wire: Wire) -> Iterator[str]:
    """Yield the answer made of the results of the steps.

    `given`: `language`, `steps` ({description, status, words}), `results` ({tool, result}),
    `unsaved` ({ref, label}).
    """
    given = task.given
    language: Language = "zh" if given.get("language") == "zh" else "en"
    # of each log once, the latest, the worst first
    logs = {
        (row["result"].get("device"), row["result"].get("log")): row["result"]
        for row in given.get("results") or ()
        if row["tool"] == "diagnose_log"
    }
    diagnoses = sorted(logs.values(), key=badness)
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
        more = phrase("verdict_more", language, count=len(faults) - 1) if len(faults) > 1 else ""
        place = where_is(faults[0]["channel"], language).strip()  # a blank would undo the bold
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

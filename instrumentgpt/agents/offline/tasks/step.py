"""One step of a plan, carried out with our tools; what it has to say comes back as its words."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date

from instrumentgpt.agents.offline.task import calling
from instrumentgpt.agents.offline.wire import Wire
from instrumentgpt.analyst.answers import ANSWERS
from instrumentgpt.analyst.case import Case, Result, Subject, Task, ToolFailed, bare
from instrumentgpt.analyst.events import list_logs
from instrumentgpt.analyst.questions import aspect, read_question
from instrumentgpt.analyst.remembered import quoted_words, remembered
from instrumentgpt.analyst.report import diagnosed, draw, explained
from instrumentgpt.analyst.survey import devices, survey
from instrumentgpt.analyst.words import phrase, plain_text, quoted
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

"""What goes to other people: a report, a paragraph, an export, a link."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from instrumentgpt.analyst.case import (
    Case,
    Subject,
    ToolFailed,
    age,
    choose_log,
    diagnosed,
    faults_of,
    fetched_log,
    known_log,
)
from instrumentgpt.analyst.constraints import constraints_in_force
from instrumentgpt.analyst.programme import held_setpoints
from instrumentgpt.analyst.questions import aspect, read_question, span_of, table
from instrumentgpt.analyst.remembered import done_to_it
from instrumentgpt.analyst.report import next_action, remedy, running, verdict, with_beside
from instrumentgpt.analyst.words import moment, plain_text, quoted
from instrumentgpt.handover.letters import LINES, Facts, letter

READERS = {  # of a letter, who needs another one than whoever decides
    "technician": r"\btechnician|\belectrician|\bmechanic|\bto.?do\b|技师|技术员|电工|维修|待办",
    "vendor": r"\bvendor|\bsupplier|厂商|供应商",
}


def handover(case: Case) -> Iterator[str]:
    """Write the report or the paragraph that is asked for, or say how to export and share."""
    words, has_subject = case.question.words, case.device or known_log(case)
    if aspect("link", words) and not aspect("report", words):
        yield case.say("share_how")
    elif aspect("report", words):
        yield from _report(case)
    elif not has_subject:
        yield case.say("export_how")
    elif aspect("export", words):
        yield case.say("export_how") + "\n\n"
        yield from _report(case)
    else:
        yield from _letter(case)


def shift(case: Case) -> Iterator[str]:
    """Tell what happened to all devices since the moment that is named."""
    since = shift_start(case.question.text, case.task.now)
    told = case.tool("shift_report", since=f"{since:%Y-%m-%d %H:%M}", language=case.language)
    yield f"**{told['summary']}**\n\n"
    yield re.sub(r"(?m)^#+ (.*)$", r"**\1**", "\n\n".join(told["text"]))


def _report(case: Case) -> Iterator[str]:
    """Write the report on the log that is meant, or on the newest of each device."""
    subjects, failed = list[Subject](), list[str]()
    several = len(case.task.devices) > 1 or (
        aspect("every_device", case.question.words) and not case.task.devices
    )
    if several:
        for name in case.task.devices or [device["name"] for device in case.tool("list_devices")["devices"]]:
            try:
                subjects.append(fetched_log(case, device=name))
            except ToolFailed as problem:
                failed.append(case.say("worst_failed", label=name, reason=plain_text(str(problem))))
    else:
        subjects = [choose_log(case, in_view=True)]
    case.tool("write_report", logs=[subject.reference for subject in subjects], language=case.language)
    labels = case.listed(subject.label for subject in subjects)
    yield case.say("report_made", count=len(subjects), labels=labels) + "\n"
    yield from (f"\n- {sentence}" for sentence in failed)


def _letter(case: Case) -> Iterator[str]:
    """Tell the newest diagnosis as a letter, of each device that is named."""
    devices = case.task.devices
    for name in devices[1:] and devices:
        alone = replace(case, task=replace(case.task, devices=(name,)))
        yield from _letter_on(alone, fetched_log(alone))
        yield "\n"
    if not devices[1:]:
        about = choose_log(case, in_view=True)
        yield from _letter_on(case, about)
        if table()["asked"]["with_figures"].search(case.question.words):
            yield "\n"
            yield from held_setpoints(case, about, each=True)


def _letter_on(case: Case, about: Subject) -> Iterator[str]:
    """Tell a diagnosis as a letter: seen, why, done, next, and what is not to be done."""
    diagnosis = with_beside(case, about, diagnosed(case, about))
    faults = faults_of(diagnosis)
    words = case.question.words
    kind = next((kind for kind, pattern in READERS.items() if re.search(pattern, words)), "boss")
    done, forbidden = done_to_it(case), constraints_in_force(case.task)
    fields = {"done": case.listed(done), "forbidden": case.listed(map(quoted, forbidden))}
    if not faults:
        yield verdict(case, about, diagnosis) + "\n\n"
        yield from next_action(case, about, diagnosis)
        yield "\n"
    else:
        first = faults[0]
        grade = "" if first["confidence"] == "certain" else case.say("graded")
        cause = plain_text(first["cause"])
        fields["cause"] = grade + (cause[:1].lower() + cause[1:] if grade else cause)
        fields["action"] = plain_text(remedy(case, about, first))
        since, until = (moment(first[name]) for name in ("onset_clock", "end_clock"))
        span = case.say("figures_span", since=since, until=until)
        fields["symptom"] = f"{plain_text(first['summary'])} ({span})"
        fields["ruled_out"] = case.listed(map(plain_text, first["ruled_out"]))
        lines = [f"{about.link(item['line'])} {quoted(item['text'])}" for item in first["evidence"][:LINES]]
        yield letter(
            kind, case.language, Facts(about.label, log=quoted(about.log), lines=tuple(lines), **fields)
        )
        yield "\n"
    yield running(case, diagnosis) + "\n\n" if aspect("night", words) else ""
    yield age(case.task, case.language, diagnosis["end"]) + "\n"


def shift_start(text: str, now: datetime) -> datetime | None:
    """Return the moment that `text` names, before `now`; a day before where it says nothing, None if no time.

    >>> at = datetime(2026, 11, 24, 14, 0)
    >>> [str(shift_start(text, at)) for text in ("yesterday 18:00", "昨天18:00以來的交班報告", "since 15:00")]
    ['2026-11-23 18:00:00', '2026-11-23 18:00:00', '2026-11-23 15:00:00']
    >>> str(shift_start("2026-11-20 06:00", at)), shift_start("soon", at)
    ('2026-11-20 06:00:00', None)
    """
    if not text.strip():
        return now - timedelta(days=1)
    question = read_question(text)
    start = span_of(question.relative, now)[0] if question.relative else None
    if question.days:
        parts = [int(part) for part in question.days[0].split("-") if part]
        year, month, day = ([now.year, now.month, now.day][: 3 - len(parts)] + parts)[:3]
        try:
            start = now.replace(year=year, month=month, day=day, hour=0, minute=0, second=0, microsecond=0)
        except ValueError:  # the 31st of a month that has none
            return None
    if question.clocks and ":" in question.clocks[0]:
        hour, minute = map(int, question.clocks[0].split(":")[:2])
        on = start or now
        start = on.replace(hour=hour, minute=minute, second=0, microsecond=0)
        if start > now and on is now:
            start -= timedelta(days=1)
    return start if start and start <= now else None

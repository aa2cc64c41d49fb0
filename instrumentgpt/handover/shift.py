"""What happened since a moment: faults that came and went, who is silent, cases, conversations."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlite_utils import Database

import db
from instrumentgpt.analyst.words import conversation_link, plain_text, quoted
from instrumentgpt.fleet.cases import WORDS as CASE_WORDS
from instrumentgpt.fleet.cases import title_of
from instrumentgpt.fleet.standing import silences
from instrumentgpt.handover.document import Document, word
from instrumentgpt.handover.markdown import absolute
from instrumentgpt.instruments.devices import Device
from instrumentgpt.instruments.findings import SEVERITIES
from instrumentgpt.instruments.language import Language, phrase, span_text
from instrumentgpt.instruments.lognames import line_link, reference_to
from instrumentgpt.instruments.report import word as report_word
from instrumentgpt.memory.state import DiagnosticState
from instrumentgpt.memory.summary import shorten
from instrumentgpt.moments import log_moment, moment
from instrumentgpt.storage.alerts import SILENT, Alert
from instrumentgpt.storage.cases import Case, list_cases
from instrumentgpt.storage.connection import rows, select
from instrumentgpt.storage.revised_memory import revised_memory
from instrumentgpt.storage.verdicts import Verdict, last_judged, standings, verdicts_of

Key = tuple[str, str, int | None]  # device, fault, channel
TALKS = 50  # conversations listed
TEXT_CHARS = 300  # of one fault, cause or outcome


@dataclass
class Faults:
    """What changed on the instruments, each with when (s since 1970), and what stayed wrong."""

    new: dict[Key, tuple[float, Verdict]] = field(default_factory=dict)
    gone: dict[Key, tuple[float, Verdict]] = field(default_factory=dict)
    standing: dict[Key, tuple[float, Verdict]] = field(default_factory=dict)
    silent: dict[str, tuple[float, str]] = field(default_factory=dict)  # device → (for s, newest log)
    clocks: set[float] = field(default_factory=set)  # moments above that are of a log's own clock


def shift_document(
    database: Database, devices: Sequence[Device], since: float, language: Language, address: str | None
) -> Document:
    """Return what happened from `since` (s since 1970) until now, as people hand over.

    address  of the page, where links lead; None: they stay within it
    """
    until = time.time()
    faults = faults_since(database, devices, since, until)
    judged = last_judged(database, (device.name for device in devices))
    head = word(
        "shift_head", language, until=moment(until), new=len(faults.new), gone=len(faults.gone),
        silent=len(faults.silent), standing=len(faults.standing), devices=len(devices),
    )  # fmt: skip
    when = moment(judged) if judged is not None else word("never", language)
    key = "judged" if judged is not None and judged >= since else "judged_before"
    silent = [
        word(
            "silent_line", language, device=plain_text(name), span=span_text(quiet, language), log=quoted(log)
        )
        for name, (quiet, log) in faults.silent.items()
    ]
    sections: dict[str, list[str]] = {
        "new": [_fault_line(row, faults, language) for row in _by_severity(faults.new)],
        "gone": [_fault_line(row, faults, language, "gone_line") for row in _by_severity(faults.gone)],
        "silent": silent,
        "standing": [_fault_line(row, faults, language) for row in _by_severity(faults.standing)],
        "cases": list(_cases(database, since, language)),
        "talks": list(_talks(database, since, until, language)),
    }
    parts = [f"{head}\n\n{word(key, language, when=when)}"]
    for name, lines in sections.items():
        items = "\n".join(f"- {line}" for line in lines) or word("none", language)
        parts.append(f"## {word(name, language)}\n\n{items}")
    linked = parts if address is None else [absolute(part, address) for part in parts]
    return Document(word("shift", language, since=moment(since)), tuple(linked), language)


def faults_since(database: Database, devices: Sequence[Device], since: float, until: float) -> Faults:
    """Return what came, went, stayed and fell silent: by what was judged of the logs, and by alerts.

    A fault came with the log that shows it first, by that log's own clock; one without a date came when it
    was judged. What an alert tells beside that, within a log that goes on, counts from when it was raised.
    """
    faults, by_device, silent = Faults(), standings(database), silences(database, until)
    for device in devices:
        if device.name not in by_device:
            continue
        judged = [verdict for verdict in verdicts_of(database, device.name) if verdict.state != "unreadable"]
        _walk(faults, sorted(judged, key=_age), since)
        if quiet := silent.get(device.name):
            faults.silent[device.name] = quiet, by_device[device.name].verdict.log
    names = {device.name for device in devices}
    for alert in select(
        database, Alert, "alerts WHERE raised_at >= ? OR gone_at >= ? ORDER BY id", (since,) * 2
    ):
        key = alert.device, alert.fault, alert.channel
        if alert.fault == SILENT or alert.device not in names:
            continue
        matching = "verdicts WHERE device = ? AND log = ? AND fault = ?"
        for verdict in select(database, Verdict, matching, (alert.device, alert.log, alert.fault)):
            if alert.raised_at >= since and alert.gone_at is None:
                faults.standing.pop(key, None)
                faults.new.setdefault(key, (alert.raised_at, verdict))
            elif alert.gone_at is not None and key not in faults.standing:
                faults.gone.setdefault(key, (alert.gone_at, verdict))
    _take_out_settled(database, faults, since)
    return faults


def _take_out_settled(database: Database, faults: Faults, since: float) -> None:
    """Count a fault as gone when its case was closed: a scan reopens the case of one that came back."""
    cases = select(database, Case, "cases ORDER BY settled_at")
    unsettled = {(case.device, case.fault, case.channel) for case in cases if case.state != "closed"}
    for case in cases:
        key = case.device, case.fault, case.channel
        for held in (faults.new, faults.standing):
            if key in held and key not in unsettled:
                _, verdict = held.pop(key)
                faults.gone[key] = case.settled_at or case.changed_at, verdict
    faults.gone = {key: row for key, row in faults.gone.items() if row[0] >= since}


def _walk(faults: Faults, verdicts: Sequence[Verdict], since: float) -> None:
    """Take in what the verdicts on one device's logs, oldest first, say of the time since `since`."""
    moments = {moment for verdict in verdicts for moment in (verdict.begun, verdict.onset)}
    faults.clocks |= {moment for moment in moments if moment is not None}
    last: Verdict | None = None
    began = 0.0
    for verdict in verdicts:
        if last is not None and _key(verdict) == _key(last) and verdict.state == last.state:
            last = verdict
            continue
        if last is not None and last.state == "fault" and _age(verdict) >= since:
            faults.gone[_key(last)] = _age(verdict), last
        last, began = verdict, verdict.onset or _age(verdict)
        if verdict.state == "fault":
            faults.gone.pop(_key(verdict), None)
    if last is not None and last.state == "fault":
        (faults.new if began >= since else faults.standing)[_key(last)] = began, last


def _age(verdict: Verdict) -> float:
    return verdict.begun if verdict.begun is not None else verdict.judged_at


def _key(verdict: Verdict) -> Key:
    return verdict.device, verdict.fault, verdict.channel


def _by_severity(faults: dict[Key, tuple[float, Verdict]]) -> list[tuple[float, Verdict]]:
    return sorted(faults.values(), key=lambda row: (SEVERITIES.index(row[1].severity), row[0]))


def _fault_line(
    row: tuple[float, Verdict], faults: Faults, language: Language, words: str = "fault_line"
) -> str:
    at, verdict = row
    when = log_moment(at) if at in faults.clocks else moment(at)
    text = verdict.text_zh if language == "zh" else verdict.text_en
    return word(
        words, language, device=plain_text(verdict.device), text=plain_text(shorten(text, TEXT_CHARS)),
        severity=report_word(f"severity_{verdict.severity}", language), when=when,
        link=line_link(reference_to(verdict.log, verdict.device), verdict.line or 1),
    )  # fmt: skip


def _cases(database: Database, since: float, language: Language) -> Iterator[str]:
    """Yield the cases that are not settled, and those that were settled meanwhile."""
    for case in list_cases(database):
        if case.state == "closed" and case.changed_at < since:
            continue
        outcome = f": {plain_text(shorten(case.outcome, TEXT_CHARS))}" if case.outcome else ""
        yield word(
            "case_line", language, number=case.id, device=plain_text(case.device or case.log),
            title=plain_text(shorten(title_of(case, language), TEXT_CHARS)), outcome=outcome,
            state=phrase(CASE_WORDS, case.state, language).lower(),
        )  # fmt: skip


def _talks(database: Database, since: float, until: float, language: Language) -> Iterator[str]:
    """Yield the conversations in which something was said meanwhile, with the root cause named last."""
    sql = (
        "SELECT conversation_id, max(id) FROM messages WHERE created_at BETWEEN ? AND ?"
        " GROUP BY conversation_id ORDER BY max(id) DESC LIMIT ?"
    )
    for conversation_id, message_id in rows(database, sql, (since, until, TALKS)):
        conversation = db.get_conversation(database, conversation_id)
        if conversation is None:
            continue
        state = DiagnosticState.deserialize(db.get_memory(conversation_id, database)[1])
        state = revised_memory(database, conversation_id, state, ()).state
        cause = shorten(state.root_causes[-1], TEXT_CHARS) if state.root_causes else ""
        device = state.device_name or state.device_ip
        if not device and not state.last_log_file:
            continue
        yield word(
            "talk_line", language, link=conversation_link(conversation.title, conversation_id, message_id),
            device=f" ({plain_text(device)})" if device else "",
            cause=plain_text(cause) or word("no_cause", language),
        )  # fmt: skip

"""Cases: opened from a conversation, settled by people, reopened by the scan that finds the fault again.

A scan knows a case again by device, fault class and channel; nothing is ever closed but by a person.
"""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlite_utils import Database

import db
from instrumentgpt.analyst.words import quoted, together
from instrumentgpt.instruments import wording
from instrumentgpt.instruments.devices import Inventory
from instrumentgpt.instruments.faults import NO_FAULT, TUNED, fault_classes, faults
from instrumentgpt.instruments.language import Language, language_of, phrase
from instrumentgpt.instruments.lognames import line_link, reference_to
from instrumentgpt.memory.reading.statements import same
from instrumentgpt.memory.state import DiagnosticState
from instrumentgpt.memory.summary import shorten
from instrumentgpt.moments import moment, now
from instrumentgpt.storage.cases import (
    SCAN,
    TEXTS,
    Case,
    Change,
    Evidence,
    change_case,
    list_cases,
    open_case,
    pin,
)
from instrumentgpt.storage.connection import rows, select
from instrumentgpt.storage.revised_memory import revised_memory
from instrumentgpt.storage.verdicts import Verdict, standings

WORDS = Path(__file__).with_suffix(".toml")
LIVE = 2 * 86_400.0  # s: a log that ended longer before its case was settled has a clock of its own
CHANGE_CHARS = 120  # of what a field was changed to
ITEMS = 5  # of a state's findings or causes that a case begins with
ADVICE = 3  # sentences of it: the gains, the proof, how to set them
LINES = 6  # pinned of the first finding


def case_from(database: Database, conversation_id: str, inventory: Inventory, who: str) -> int:
    """Open a case with what the conversation knows, its lines and its chart pinned; return its number.

    A conversation with a case that is not settled gets no other: a second click opens the first.
    """
    fields, lines = fault_of(database, conversation_id, inventory)
    device, log = fields["device"], fields["log"]
    with db.transaction(database):
        if already := list_cases(database, state="unsettled", conversation_id=conversation_id):
            return already[0].id
        case_id = open_case(database, who, conversation_id=conversation_id, **fields)
        for line in lines:
            pin(database, case_id, who, line["text"], device, log, line["line"])
        if chart := _chart_of(database, conversation_id, log, fields["channel"]):
            pin_chart(database, case_id, chart, who)
    return case_id


def fault_of(
    database: Database, conversation_id: str, inventory: Inventory
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what the conversation knows of its fault, as fields of Case, and the lines that show it.

    Class, channel, next step and lines are those of the newest diagnosis that found a fault; what it says is
    the cause, too, where the causes of the conversation only say again what is seen.
    """
    state = DiagnosticState.deserialize(db.get_memory(conversation_id, database)[1])
    state = revised_memory(database, conversation_id, state, ()).state
    result, finding = _newest_diagnosis(database, conversation_id)
    device = state.device_name or state.device_ip or str(result.get("device", ""))
    fault_texts = [text for text in state.findings if not fault_classes(text) & {*NO_FAULT}]
    symptom = str(finding.get("text") or next(iter(fault_texts), ""))
    causes = state.root_causes or state.hypotheses
    own_causes = [text for text in causes if not (symptom and symptom in text)]
    texts = [symptom, *state.root_causes, *fault_texts]
    classes = [name for text in texts for name in sorted(fault_classes(text)) if name not in NO_FAULT]
    sql = "SELECT said FROM facts WHERE conversation_id = ? AND kind = 'ruled_out' AND said != '' ORDER BY id"
    statements = rows(database, sql, (conversation_id,))
    ruled_out = [*(text for (text,) in statements), *finding.get("ruled_out", ())]
    lines = finding.get("evidence", [])[:LINES]
    fields = {
        "device": device,
        "model": next((entry.model for entry in inventory.devices if device in entry.names), ""),
        "fault": finding.get("class") or next(iter(classes), ""),
        "channel": finding.get("channel"),
        "symptom": _listed([symptom, *(text for text in fault_texts if same(text) != same(symptom))]),
        "cause": _listed(own_causes) or finding.get("cause") or _listed(causes),
        "ruled_out": _listed([text for text in dict.fromkeys(ruled_out) if not _told_in(text, ruled_out)]),
        "action": _action(database, conversation_id, result, finding),
        "log": str(result.get("log") or state.last_log_file or ""),
        "line": lines[0]["line"] if lines else None,
    }
    return fields, lines


def _told_in(text: str, others: Sequence[str]) -> bool:
    return any(other != text and other.rstrip(".。") in text for other in others)


def _chart_of(database: Database, conversation_id: str, log: str, channel: int | None) -> db.Artifact | None:
    """Return the newest chart that shows the channel, alone, among others, or with the whole log."""
    shown: dict[str, tuple[str, set[str]]] = {}  # what a chart says of itself → its log and channels
    for drawn, asked in _results(database, conversation_id, "plot_log"):
        with suppress(TypeError, KeyError, AttributeError):
            channels = {str(number) for number in asked.get("channels") or [asked.get("channel")]}
            shown.setdefault(drawn["artifact"]["alt"], (drawn["log"], channels - {"None"}))
    newest = None
    for chart in db.list_artifacts(database, conversation_id, "conversation_id"):
        its_log, its_channels = shown.get(chart.alt, (log, set()))
        is_here = chart.kind == "plotly" and not chart.removed_at and its_log == log
        if is_here and (str(channel) in its_channels or not its_channels or channel is None):
            newest = chart
    return newest


def pin_chart(database: Database, case_id: int, artifact: db.Artifact, who: str) -> None:
    """Pin a copy of a chart of a conversation to the case."""
    if stored := db.get_artifact(database, artifact.conversation_id, artifact.id):
        pin(database, case_id, who, artifact.title, chart=stored.content)


def settle(database: Database, case: Case, who: str, outcome: str, settled_at: float) -> None:
    """Close a case with its confirmed outcome ("" if nobody knows), done at `settled_at`, s since 1970."""
    standing = standings(database).get(case.device)
    dates = {"settled_at": settled_at, "seen_until": standing.verdict.ended if standing else None}
    change_case(database, case.id, who, state="closed", outcome=outcome, **dates)


def reopen_returned(database: Database, devices: Sequence[str]) -> list[Case]:
    """Reopen each closed case of `devices` whose fault a log shows that began after it was settled.

    Returns them as they were. A log that began before tells nothing of after, however long it goes on.
    """
    returned = []
    settled = "cases WHERE state = 'closed' AND fault != '' AND settled_at IS NOT NULL"
    back = (
        "verdicts WHERE device = ? AND state = 'fault' AND fault = ? AND channel IS ? AND log != ?"
        " AND (begun > ? OR (begun IS NULL AND judged_at > ?)) ORDER BY coalesce(begun, judged_at) LIMIT 1"
    )
    for case in select(database, Case, settled):
        if case.device not in devices:
            continue
        is_live = case.seen_until is None or (case.settled_at or 0.0) - case.seen_until <= LIVE
        since = case.settled_at if is_live else case.seen_until  # by the clock of its device's logs
        values = (case.device, case.fault, case.channel, case.log, since, case.settled_at)
        for verdict in select(database, Verdict, back, values):
            change_case(database, case.id, SCAN, state="reopened", log=verdict.log, line=verdict.line)
            returned.append(case)
    return returned


def gone_faults(database: Database, cases: Sequence[Case]) -> dict[int, Verdict]:
    """Return number of a case that is not settled → the newest log of its device, if all is well in that."""
    newest = {device: standing.verdict for device, standing in standings(database).items()}
    return {
        case.id: newest[case.device]
        for case in cases
        if case.state != "closed" and case.device in newest
        if newest[case.device].state == "healthy" and newest[case.device].log != case.log
    }


def title_of(case: Case, language: Language) -> str:
    """Return what a case is of, in a line: "Oscillation (tuning), channel 2"."""
    description = first_line(case.symptom or case.cause) or phrase(WORDS, "unnamed", language)
    title = wording.title(case.fault, language) if case.fault in faults() else description
    return title if case.channel is None else title + phrase(WORDS, "channel", language, channel=case.channel)


def end_of(day: date) -> float:
    """Return the end of a day, s since 1970, or now if that is today: what comes later came after it."""
    midnight = datetime.combine(day + timedelta(days=1), datetime.min.time(), now().tzinfo)
    return min(time.time(), midnight.timestamp())


def first_line(text: str) -> str:
    """Return the first line of Markdown as words: without the mark of a list."""
    return "".join(text.strip().removeprefix("- ").splitlines()[:1])


def markdown(case: Case, evidence: Sequence[Evidence], changes: Sequence[Change], language: Language) -> str:
    """Return the case as Markdown: what it is of, its parts as people left them, lines as links, history."""
    title = phrase(WORDS, "heading", language, number=case.id, title=title_of(case, language))
    texts = {name: getattr(case, name) for name in TEXTS}
    lines = [item for item in evidence if item.kind == "line"]
    texts["evidence"] = "\n".join(
        f"- {_place(item.device, item.log, item.line)} {quoted(item.text)}" for item in lines
    )
    texts["history"] = "\n".join(f"- {change_line(change, case, language)}" for change in changes)
    sections = [f"## {phrase(WORDS, name, language)}\n\n{text}" for name, text in texts.items() if text]
    return "\n\n".join([f"# {title}", about(case, language), *sections]) + "\n"


def change_line(change: Change, case: Case, language: Language) -> str:
    """Return a change in words: when, who, what."""
    value = shorten(" ".join(change.new.split()), CHANGE_CHARS)
    if change.field == "state":
        value = phrase(WORDS, change.new, language)
    elif change.field.endswith("_at"):
        value = moment(float(change.new)) if change.new else ""
    field = phrase(WORDS, change.field, language)
    link = f" ({_place(case.device, change.log, change.line)})" if change.log and change.line else ""
    who = phrase(WORDS, "scan", language) if change.changed_by == SCAN else change.changed_by
    return f"{moment(change.changed_at)} · {who} · {field}: {value or '–'}{link}"


def _place(device: str, log: str, line: int | None) -> str:
    return line_link(reference_to(log, device), line or 1)


def about(case: Case, language: Language) -> str:
    """Return the line that says whose case it is, how it stands and since when."""
    device = f"{case.device} ({case.model})" if case.model else case.device or case.log or "–"
    dates = [("opened_on", case.opened_at), ("settled_on", case.settled_at)]
    days = [phrase(WORDS, name, language, day=moment(at)) for name, at in dates if at]
    return " · ".join([device, phrase(WORDS, case.state, language), *days])


def _newest_diagnosis(database: Database, conversation_id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the newest diagnosis of the conversation that found a fault, and that fault; else {}, {}."""
    for result, _ in _results(database, conversation_id, "diagnose_log"):
        with suppress(TypeError, KeyError, StopIteration):
            return result, next(row for row in result["findings"] if row["class"] not in NO_FAULT)
    return {}, {}


def _action(database: Database, conversation_id: str, diagnosis: Any, finding: dict[str, Any]) -> str:
    """Return the better gains that were proposed to cure the finding, else how to confirm and mend it."""
    if finding.get("class") in TUNED:
        for advice, _ in _results(database, conversation_id, "advise_gains"):
            with suppress(TypeError, KeyError, StopIteration):
                row = next(row for row in advice["channels"] if row["channel"] == finding["channel"])
                if advice["log"] == diagnosis["log"] and row["advice"]["proposed"]:
                    sentences = row["advice_sentences"][:ADVICE]
                    return together(sentences, language_of(sentences[0]))
    return str(finding.get("next_step") or finding.get("action", ""))


def _results(database: Database, conversation_id: str, tool: str) -> Iterator[Any]:
    """Yield what our `tool` returned and was asked, newest first: anything, if through an agent."""
    sql = (
        "SELECT json_extract(event, '$.result'), json_extract(event, '$.arguments')"
        " FROM run_events JOIN runs ON runs.id = run_id"
        " WHERE conversation_id = ? AND json_extract(event, '$.name') = ?"
        " AND json_extract(event, '$.status') = 'ok' AND question_message_id NOT IN deleted_messages"
        " ORDER BY started_at DESC, number DESC"
    )
    for result, arguments in rows(database, sql, (conversation_id, tool)):
        with suppress(ValueError, TypeError):
            yield json.loads(result), json.loads(arguments)


def _listed(texts: Sequence[str]) -> str:
    items = [text for text in texts if text][:ITEMS]
    return "\n".join(f"- {text}" for text in items) if len(items) > 1 else "".join(items)

"""What a letter may tell: the facts of a case, or of what a conversation knows."""

from sqlite_utils import Database

import db
from instrumentgpt.analyst.words import plain_text, quoted
from instrumentgpt.fleet.cases import faults_among
from instrumentgpt.handover.letters import LINES, Facts
from instrumentgpt.memory.state import DiagnosticState
from instrumentgpt.storage.cases import Case, evidence_of, list_cases
from instrumentgpt.storage.revised_memory import revised_memory

ITEMS = 3  # findings of a conversation without a case that are told


def facts_of(database: Database, conversation_id: str, address: str) -> Facts:
    """Return the facts of the conversation's newest case, else of what it knows; links lead to `address`."""
    for case in list_cases(database, conversation_id=conversation_id)[:1]:
        return facts_of_case(database, case, address)
    state = DiagnosticState.deserialize(db.get_memory(conversation_id, database)[1])
    state = revised_memory(database, conversation_id, state, ()).state
    return Facts(
        device=plain_text(state.device_name or state.device_ip or "–"),
        log=quoted(state.last_log_file) if state.last_log_file else "",
        symptom=_joined(faults_among(state.findings)[-ITEMS:]),
        cause=_joined(state.root_causes),
        link=f"{address}?conv={conversation_id}",
    )


def facts_of_case(database: Database, case: Case, address: str) -> Facts:
    """Return the facts of a case; its link leads to it."""
    lines = [item for item in evidence_of(database, case.id) if item.kind == "line"][:LINES]
    texts = (case.symptom, case.cause, case.ruled_out, case.action, case.outcome)
    symptom, cause, ruled_out, action, outcome = (_joined(text.splitlines()) for text in texts)
    return Facts(
        device=plain_text(case.device or "–"),
        model=plain_text(case.model),
        log=quoted(case.log) if case.log else "",
        symptom=symptom,
        cause=cause,
        ruled_out=ruled_out,
        action=action,
        outcome=outcome,
        lines=tuple(f"L {item.line:,} {quoted(item.text)}" for item in lines if item.line),
        link=f"{address}cases?case={case.id}",
    )


def _joined(items: list[str]) -> str:
    return "; ".join(plain_text(item.removeprefix("- ")) for item in items if item.strip())

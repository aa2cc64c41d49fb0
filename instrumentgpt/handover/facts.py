"""What a letter may tell: the facts of a case, or of what a conversation knows."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlite_utils import Database

import db
from instrumentgpt.analyst.words import plain_text, quoted
from instrumentgpt.fleet.cases import fault_of
from instrumentgpt.handover.letters import LINES, Facts
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.settings import settings_in_force
from instrumentgpt.storage.cases import Case, evidence_of, list_cases

TOLD = ("model", "symptom", "cause", "ruled_out", "action", "outcome")  # of a case, in words


def facts_of(database: Database, conversation_id: str, address: str) -> Facts:
    """Return the facts of the conversation's newest case, else of what it knows; links lead to `address`."""
    for case in list_cases(database, conversation_id=conversation_id)[:1]:
        return facts_of_case(database, case, address)
    inventory = load_inventory(settings_in_force(db.get_settings(database)).inventory)
    fields, evidence = fault_of(database, conversation_id, inventory)
    lines = [(item["line"], item["text"]) for item in evidence]
    return _facts(fields, lines, f"{address}?conv={conversation_id}")


def facts_of_case(database: Database, case: Case, address: str) -> Facts:
    """Return the facts of a case; its link leads to it."""
    lines = [(item.line, item.text) for item in evidence_of(database, case.id) if item.line]
    return _facts(asdict(case), lines, f"{address}cases?case={case.id}")


def _facts(fields: Mapping[str, Any], lines: Sequence[tuple[int, str]], link: str) -> Facts:
    return Facts(
        device=plain_text(fields["device"] or "–"),
        log=quoted(fields["log"]) if fields["log"] else "",
        lines=tuple(f"L {line:,} {quoted(text)}" for line, text in lines[:LINES]),
        link=link,
        **{name: _joined(fields.get(name, "").splitlines()) for name in TOLD},
    )


def _joined(items: list[str]) -> str:
    texts = (plain_text(item.removeprefix("- ")) for item in items if item.strip())
    return "; ".join(texts).replace("。; ", "。").replace(".; ", ". ")

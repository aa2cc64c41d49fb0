"""The tools of what people keep and hand over: cases and what settled them, and what a shift saw."""

from datetime import datetime, timedelta
from typing import Any

from instrumentgpt.instruments.conversation import inventory_of, opened
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.precedents import siblings
from instrumentgpt.instruments.settled import case_data
from instrumentgpt.instruments.workspace import Workspace
from instrumentgpt.moments import now
from instrumentgpt.storage.cases import list_cases

MOST = 10  # cases of one answer


def find_cases(workspace: Workspace, device: str = "", query: str = "") -> dict[str, Any]:
    """Return the cases of the device and its siblings, or of all: cause, action, outcome as people confirmed.

    For "what settled this before?". Not as evidence of now; diagnose_log tells those of what it finds.
    Example: find_cases(device="zspr 052", query="thermocouple").

    query  words that a case must hold; "": all of them
    """
    inventory = inventory_of(workspace)
    meant = inventory.find(device) if device else None
    names = [sibling.name for sibling in (meant, *siblings(meant, inventory))] if meant else [""]
    with opened(workspace) as database:
        cases = [case for name in names for case in list_cases(database, query, device=name)]
    return {"summary": f"{len(cases)} cases", "cases": [case_data(case) for case in cases[:MOST]]}


def shift_report(workspace: Workspace, since: str = "", language: Language = "en") -> dict[str, Any]:
    """Return what happened to all devices since a moment: faults that came, went or stayed, silence, cases.

    For "what happened since yesterday 18:00?", a hand-over. Not for one log; look_at_time is for that.
    Example: shift_report(since="2026-11-24 18:00").

    since  a day and a time, or the time that was last; "": today
    """
    from instrumentgpt.handover.shift import shift_document

    at = now()
    began = datetime.fromisoformat(since if "-" in since else f"{at:%Y-%m-%d} {since or '0:00':0>5}")
    began = began.replace(tzinfo=at.tzinfo)
    began -= timedelta(days=began > at)
    with opened(workspace) as database:
        devices = inventory_of(workspace).devices
        report = shift_document(database, devices, began.timestamp(), language, None)
    return {"summary": report.title, "since": f"{began:%Y-%m-%d %H:%M}", "text": list(report.parts)}

"""The tool of cases: what faults people kept, and what settled them."""

from typing import Any

from instrumentgpt.instruments.conversation import inventory_of, opened
from instrumentgpt.instruments.precedents import siblings
from instrumentgpt.instruments.settled import case_data
from instrumentgpt.instruments.workspace import Workspace
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
    names = [one.name for one in (meant, *siblings(meant, inventory))] if meant else [""]
    with opened(workspace) as database:
        found = [case for name in names for case in list_cases(database, query, device=name)]
    return {"summary": f"{len(found)} cases", "cases": [case_data(case) for case in found[:MOST]]}

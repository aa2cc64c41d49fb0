"""The vote of an expert whose check found something, or left something open, and how sure it is."""

from collections.abc import Mapping
from typing import Any

from instrumentgpt.agents.offline.panel.field import Field
from instrumentgpt.agents.offline.panel.planning import where_is
from instrumentgpt.agents.offline.panel.record import (
    Reason,
    found_faults,
    inseparable_rival,
    rivals_of,
    sentence,
)

SURE = {"certain": 0.95, "likely": 0.8, "possible": 0.55}  # how often each grade is right: docs/faults.md
OPEN_LESS = 0.15  # where a rival is left open
FOUND_NOTHING, LEFT_OPEN = 0.7, 0.4  # confidence without a verdict of its own


def holds(field: Field, finding: Mapping[str, Any]) -> dict[str, Any]:
    """Return position, confidence, condition and measurement of an expert whose check found something."""
    fault = finding["class"]
    rival = inseparable_rival(finding)
    where = where_is(finding["channel"], field.case.language)
    nearest = rival or next(iter(rivals_of(fault)), "")
    condition = field.say("panel_condition", where=where, rival=field.title(nearest)) if rival else ""
    return {
        "position": _found(field, finding),
        "cause": fault,
        "confidence": SURE[finding["confidence"]],
        "condition": condition,
        "measurement": finding["next_test"],
    }


def leaves_open(field: Field, one: Reason) -> dict[str, Any]:
    """Return position and vote for what is not ruled out; what no check could judge is asked, not held."""
    if not one.judged:
        return {"position": one.text, "cause": "", "confidence": LEFT_OPEN}
    rival = next((row for row in found_faults(field.found) if row["class"] != one.cause), None)
    measure = rival["next_test"] if rival else ""
    position = field.say("panel_open", title=field.title(one.cause), text=one.text)
    return {"position": position, "cause": one.cause, "confidence": LEFT_OPEN, "measurement": measure}


def _found(field: Field, finding: Mapping[str, Any]) -> str:
    """Return what the check found, its name first; some sentences begin with it."""
    said = sentence(finding["summary"])
    if said.startswith(finding["title"]):
        return said
    return field.say("panel_holds", title=finding["title"], clause=said)

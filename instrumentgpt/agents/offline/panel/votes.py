"""The vote of an expert whose check found something, or left something open, and how sure it is."""

from collections.abc import Mapping
from typing import Any

from instrumentgpt.agents.offline.answers.diagnosis import UNPROVEN
from instrumentgpt.agents.offline.panel.field import Field
from instrumentgpt.agents.offline.panel.planning import where_is
from instrumentgpt.agents.offline.panel.record import (
    Reason,
    deciding,
    found_faults,
    inseparable_rival,
    rivals_of,
    sentence,
)

SURE = {"critical": 0.95, "high": 0.9, "medium": 0.85, "low": 0.75}  # a check's verdict, by its severity
UNPROVEN_LESS, OPEN_LESS = 0.15, 0.15  # where the log alone cannot prove it; where a rival is left open
FOUND_NOTHING, LEFT_OPEN = 0.7, 0.4  # confidence without a verdict of its own


def holds(field: Field, finding: Mapping[str, Any]) -> dict[str, Any]:
    """Return position, confidence, condition and measurement of an expert whose check found something."""
    fault = finding["class"]
    rival = inseparable_rival(finding)
    confidence = SURE.get(finding["severity"], FOUND_NOTHING)
    confidence -= UNPROVEN_LESS * (fault in UNPROVEN) + OPEN_LESS * bool(rival)
    where = where_is(finding["channel"], field.case.language)
    nearest = rival or next(iter(rivals_of(fault)), "")
    condition = field.say("panel_condition", where=where, rival=field.title(nearest)) if rival else ""
    return {
        "position": _found(field, finding),
        "cause": fault,
        "confidence": round(confidence, 2),
        "condition": condition,
        "measurement": deciding(finding, field.case.language, field.found["unit"]),
    }


def leaves_open(field: Field, one: Reason) -> dict[str, Any]:
    """Return position and vote for what is not ruled out; what no check could judge is asked, not held."""
    if not one.judged:
        return {"position": one.text, "cause": "", "confidence": LEFT_OPEN}
    rival = next((row for row in found_faults(field.found) if row["class"] != one.cause), None)
    measure = deciding(rival, field.case.language, field.found["unit"]) if rival else ""
    position = field.say("panel_open", title=field.title(one.cause), text=one.text)
    return {"position": position, "cause": one.cause, "confidence": LEFT_OPEN, "measurement": measure}


def _found(field: Field, finding: Mapping[str, Any]) -> str:
    """Return what the check found, its name first; some sentences begin with it."""
    said = sentence(finding["summary"])
    if said.startswith(finding["title"]):
        return said
    return field.say("panel_holds", title=finding["title"], clause=said)

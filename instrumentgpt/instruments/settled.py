"""What settled the same fault before, on this device or another of its model: cases with an outcome.

It says where to look first. The verdict is of the log alone.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from instrumentgpt import moments
from instrumentgpt.instruments.devices import Device, Inventory
from instrumentgpt.instruments.precedents import siblings
from instrumentgpt.memory.summary import shorten
from instrumentgpt.storage.cases import Case, list_cases

MOST = 3  # told of one fault
TEXT_CHARS = 200
TOLD = ("symptom", "cause", "action", "outcome")
HEADING = "Settled before, as people confirmed it; it tells where to look first, not how the device is now:"


@dataclass(frozen=True)
class Settled:
    """A case with a confirmed outcome; `sibling`: of another device of the same model."""

    case: Case
    sibling: bool

    @property
    def day(self) -> str:
        """The local date on which it was settled, as "2026-11-24"."""
        return moments.day(self.case.settled_at or self.case.changed_at)

    def as_data(self) -> dict[str, Any]:
        """Return it as tools tell it."""
        came_back = self.case.state == "reopened"
        return {"date": self.day, "sibling": self.sibling, "came_back": came_back, **case_data(self.case)}


def case_data(case: Case) -> dict[str, Any]:
    """Return a case as tools tell it; what is empty is left out."""
    fields = {
        "link": case_link(case),
        "device": case.device,
        "state": case.state,
        "class": case.fault,
        "channel": case.channel,
        **{name: shorten(" ".join(getattr(case, name).split()), TEXT_CHARS) for name in TOLD},
    }
    return {name: value for name, value in fields.items() if value not in ("", None)}


def case_link(case: Case) -> str:
    """Return the link to a case, which the page opens."""
    return f"[case {case.id}](?case={case.id})"


def settled_before(
    database: Database,
    device: Device,
    inventory: Inventory,
    classes: Collection[str],
    channel: int | None = None,
) -> list[Settled]:
    """Return cases with a confirmed outcome of `device` and its siblings, the likeliest help first.

    classes  fault classes of which one must be that of the case; empty: any
    channel  of the finding; a case of the same comes before others

    The device's own come first, those that came back last, newer before older.
    """
    entries = [
        Settled(case, owner is not device)
        for owner in [device, *siblings(device, inventory)]
        for case in list_cases(database, device=owner.name)
        if case.outcome and case.state != "open" and (not classes or case.fault in classes)
    ]
    return sorted(
        entries,
        key=lambda entry: (
            entry.case.state == "reopened",
            entry.sibling,
            entry.case.channel != channel,
            -(entry.case.settled_at or 0.0),
        ),
    )


def lines(entries: Collection[Settled]) -> list[str]:
    """Return the lines for a prompt, each dated, with its case; none if nothing was settled."""
    texts = [
        f"  - {entry.day}, {entry.case.device}{' (sibling)' if entry.sibling else ''}, {entry.case.fault}:"
        f" {shorten(' '.join(entry.case.outcome.split()), TEXT_CHARS)}"
        f"{' (came back)' if entry.case.state == 'reopened' else ''} {case_link(entry.case)}"
        for entry in list(entries)[:MOST]
    ]
    return [HEADING, *texts] if texts else []

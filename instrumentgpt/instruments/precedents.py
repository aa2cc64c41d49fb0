"""Has this happened before, on this device or another of its model?

`earlier` is what other conversations found, `settled_before` the cases with an outcome that people confirmed.
Both tell where to look first. The verdict is of the log alone.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlite_utils import Database

from instrumentgpt.instruments.devices import Device, Inventory
from instrumentgpt.instruments.faults import NO_FAULT, fault_classes, title_terms
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.terms import SearchTerm, holds, search_terms, terms
from instrumentgpt.moments import day
from instrumentgpt.storage.cases import Case, list_cases
from instrumentgpt.storage.search import Precedent, precedents

MOST = 8  # findings told of one question
MOST_SETTLED = 3  # cases told of one fault
TEXT_CHARS, TITLE_CHARS = 200, 40
FIELDS = {"root_causes": "root cause", "findings": "finding"}
HEADING = (
    "Found in earlier conversations, as of their dates; history, not known to be so now"
    " (a sibling is another device of the same model):"
)
HEADING_SETTLED = (
    "Settled before, as people confirmed it; it tells where to look first, not how the device is now:"
)
TOLD = ("symptom", "cause", "action", "outcome")
# What every finding may speak of, and so tells nothing of whether two speak of the same.
_EVERYWHERE = frozenset(
    terms(
        "channel 通道 temperature 溫度 device 設備 機台 log line value happened before wrong problem similar"
    )
    + terms("類似 問題 以前發生過嗎 曾經發生過嗎 以前出現過嗎 以前有過嗎 以前遇過嗎")
)


def siblings(device: Device, inventory: Inventory) -> list[Device]:
    """Return the other devices of the same model; none where the inventory does not tell the model."""
    others = (other for other in inventory.devices if other != device)
    return [other for other in others if other.model and other.model == device.model]


@dataclass(frozen=True)
class Earlier:
    """A precedent, with the device's name of now, and whether that is another device of the same model."""

    device: str
    sibling: bool
    item: Precedent

    def line(self) -> str:
        """Return it for a prompt: dated, with device and conversation."""
        item, device = self.item, f"{self.device} (sibling)" if self.sibling else self.device
        title, text = _short(item.title, TITLE_CHARS), _short(item.text)
        return (
            f"  - {day(item.found_at)}, {device}, {FIELDS[item.field]} then: {text} [conversation “{title}”]"
        )


def earlier(
    database: Database,
    device: Device,
    inventory: Inventory,
    except_for: str,
    question: str = "",
    statements: Sequence[str] = (),
) -> list[Earlier]:
    """Return what other conversations found on `device` and its siblings that bears on the question.

    question    what is asked; "" for everything. One that names nothing but the device asks for root causes.
    statements  findings and hypotheses of now: what tells of the same fault class bears on them
    At most MOST; the device's own first, root causes before findings, newer before older.
    """
    family = [device, *siblings(device, inventory)]
    owner = {name: member for member in family for name in member.own_names}

    @cache  # most devices have no past: then none of this is needed
    def asked_for() -> tuple[list[SearchTerm], frozenset[str]]:
        classes = frozenset(name for text in statements for name in fault_classes(text))
        return _terms_beside_names(question, inventory), classes - {*NO_FAULT}

    def fits(item: Precedent) -> bool:
        faults = fault_classes(item.text)
        if faults and faults <= {*NO_FAULT}:
            return False
        question_terms, classes = asked_for()
        if not question or faults & classes:
            return True
        return _speaks_of(item.text, question_terms) if question_terms else item.field == "root_causes"

    past = [
        Earlier(owner[item.device].name, owner[item.device] is not device, item)
        for item in precedents(database, list(owner), except_for, fits)
    ]
    return sorted(past, key=lambda entry: (entry.sibling, entry.item.field != "root_causes"))[:MOST]


def _terms_beside_names(question: str, inventory: Inventory) -> list[SearchTerm]:
    names = tuple(device.own_names for device in inventory.devices)
    name_phrases = {phrase for group in names for name in group for phrase in [tuple(terms(name))]}
    return [
        item
        for item in search_terms(question, names)
        if not name_phrases & {*item.phrases}
        and not all(term in _EVERYWHERE or term.isdecimal() for phrase in item.phrases[:1] for term in phrase)
    ]


def _speaks_of(text: str, question_terms: Sequence[SearchTerm]) -> bool:
    """Return whether the text, or the title of a fault class that it tells of, says one thing asked for."""
    said = [terms(text), *map(title_terms, fault_classes(text))]
    return any(holds(words, phrase) for thing in question_terms for phrase in thing.phrases for words in said)


@dataclass(frozen=True)
class Settled:
    """A case with a confirmed outcome; `sibling`: of another device of the same model."""

    case: Case
    sibling: bool

    @property
    def day(self) -> str:
        """The local date on which it was settled, as "2026-11-24"."""
        return day(self.case.settled_at or self.case.changed_at)

    @property
    def came_back(self) -> bool:
        """Whether the fault was seen again since."""
        return self.case.state == "reopened"

    def as_data(self) -> dict[str, Any]:
        """Return it as tools tell it."""
        about = {"date": self.day, "sibling": self.sibling, "came_back": self.came_back}
        return {**about, **case_data(self.case)}

    def line(self) -> str:
        """Return it for a prompt: dated, with its case."""
        case, device = self.case, f"{self.case.device} (sibling)" if self.sibling else self.case.device
        again = " (came back)" if self.came_back else ""
        return f"  - {self.day}, {device}, {case.fault}: {_short(case.outcome)}{again} {case_link(case)}"


def case_data(case: Case) -> dict[str, Any]:
    """Return a case as tools tell it; what is empty is left out."""
    fields = {
        "link": case_link(case),
        "device": case.device,
        "state": case.state,
        "class": case.fault,
        "channel": case.channel,
        **{name: _short(getattr(case, name)) for name in TOLD},
    }
    return {name: value for name, value in fields.items() if value not in ("", None)}


def case_link(case: Case) -> str:
    """Return the link to a case, which the page opens."""
    return f"[case {case.id}](?case={case.id})"


def _short(text: str, most: int = TEXT_CHARS) -> str:
    return shorten(" ".join(text.split()), most)


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
            entry.came_back,
            entry.sibling,
            entry.case.channel != channel,
            -(entry.case.settled_at or 0.0),
        ),
    )


def lines(past: Sequence[Earlier], settled: Sequence[Settled]) -> list[str]:
    """Return the lines for a prompt, settled cases first; none if nothing was found."""
    cases = [HEADING_SETTLED, *(entry.line() for entry in settled[:MOST_SETTLED])] if settled else []
    return [*cases, *([HEADING, *(entry.line() for entry in past)] if past else [])]

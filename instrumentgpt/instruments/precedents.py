"""Has this happened before, on this device or its siblings? What other conversations found of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from sqlite_utils import Database

from instrumentgpt.instruments.devices import Device, Inventory
from instrumentgpt.instruments.faults import NO_FAULT, fault_classes, title_terms
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.terms import Phrase, SearchTerm, search_terms, terms
from instrumentgpt.moments import day
from instrumentgpt.storage.search import Precedent, precedents

MOST = 8  # told of one question
LONGEST = 8  # terms of a phrase that is asked for
TEXT_CHARS, TITLE_CHARS = 200, 40
FIELDS = {"root_causes": "root cause", "findings": "finding"}
HEADING = (
    "Found in earlier conversations, as of their dates; history, not known to be so now"
    " (a sibling is another device of the same model):"
)
# What every finding may speak of, and so tells nothing of whether two speak of the same.
_EVERYWHERE = frozenset(
    terms(
        "channel 通道 temperature 溫度 device 設備 機台 log line value happened before wrong problem similar"
    )
    + terms("類似 問題 以前發生過嗎 曾經發生過嗎 以前出現過嗎 以前有過嗎 以前遇過嗎")
)


@dataclass(frozen=True)
class Earlier:
    """A precedent, with the device's name of now, and whether that is another device of the same model."""

    device: str
    sibling: bool
    item: Precedent


def siblings(device: Device, inventory: Inventory) -> list[Device]:
    """Return the other devices of the same model; none where the inventory does not tell the model."""
    others = (other for other in inventory.devices if other != device)
    return [other for other in others if other.model and other.model == device.model]


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
    def question_terms() -> list[SearchTerm]:
        return _terms_beside_names(question, inventory)

    @cache
    def classes() -> frozenset[str]:
        return frozenset(name for text in statements for name in fault_classes(text)) - {*NO_FAULT}

    def fits(item: Precedent) -> bool:
        faults = fault_classes(item.text)
        if faults and faults <= {*NO_FAULT}:
            return False
        if not question or faults & classes():
            return True
        return _speaks_of(item.text, question_terms()) if question_terms() else item.field == "root_causes"

    past = [
        Earlier(owner[item.device].name, owner[item.device] is not device, item)
        for item in precedents(database, list(owner), except_for, fits)
    ]
    return sorted(past, key=lambda entry: (entry.sibling, entry.item.field != "root_causes"))[:MOST]


def _terms_beside_names(question: str, inventory: Inventory) -> list[SearchTerm]:
    names = [device.own_names for device in inventory.devices]
    name_phrases = {phrase for group in names for name in group for phrase in [tuple(terms(name))]}
    return [
        item
        for item in search_terms(question, names)
        if not name_phrases & {*item.phrases}
        and not all(term in _EVERYWHERE or term.isdecimal() for phrase in item.phrases[:1] for term in phrase)
    ]


def _speaks_of(text: str, question_terms: Sequence[SearchTerm]) -> bool:
    """Return whether the text, or the title of a fault class that it tells of, says one thing asked for."""
    phrases = _phrases_in(text)
    return any(phrase in phrases for thing in question_terms for phrase in thing.phrases)


@lru_cache(maxsize=2_000)
def _phrases_in(text: str) -> frozenset[Phrase]:
    """Return the phrases of up to LONGEST terms that the text, and titles of its fault classes, have."""
    every = [terms(text), *map(title_terms, fault_classes(text))]
    return frozenset(
        tuple(words[at : at + width])
        for words in every
        for width in range(1, LONGEST + 1)
        for at in range(len(words) - width + 1)
    )


def lines(past: Sequence[Earlier]) -> list[str]:
    """Return the lines for a prompt, each dated, with device and conversation; none if nothing was found."""
    return [HEADING, *map(_line, past)] if past else []


def _line(entry: Earlier) -> str:
    item = entry.item
    device = f"{entry.device} (sibling)" if entry.sibling else entry.device
    title = shorten(" ".join(item.title.split()), TITLE_CHARS)
    text = shorten(" ".join(item.text.split()), TEXT_CHARS)
    return f"  - {day(item.found_at)}, {device}, {FIELDS[item.field]} then: {text} [conversation “{title}”]"

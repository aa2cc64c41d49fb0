"""What was said before a message: the quantities that have a name by now, and what was told or asked last."""

import re
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from instrumentgpt.text.facts.fact import Fact
from instrumentgpt.text.facts.labels import DISTINCT, filed_names, is_known, spellings_of, words_of
from instrumentgpt.text.measures import same_measure
from instrumentgpt.text.terms import fold, quantities

LABELS_HEARD = 300  # of a conversation, those stated last
Key = tuple[str, str, str]  # device, channel, parameter
_ENDING = r"(?:s|es|ed|d|ing|ning)?"


@dataclass(frozen=True)
class Heard:
    """What a message follows.

    values    in force, of every device, those stated last at the end
    last      what the message before stated
    question  what the message answers; "" if it answers none
    """

    values: tuple[Fact, ...] = ()
    last: tuple[Fact, ...] = ()
    question: str = ""

    @cached_property
    def labels(self) -> dict[str, str]:
        """Return each label in use, folded → as it is filed, without those of synonyms.toml."""
        told = [*self.values[-LABELS_HEARD:], *self.last]
        return {fold(fact.parameter): fact.parameter for fact in told if not is_known(fact.parameter)}

    @cached_property
    def by_words(self) -> dict[frozenset[str], str]:
        """Return the terms of each label → the label."""
        return {words_of(label): label for label in self.labels.values()}

    @cached_property
    def _by_device(self) -> dict[str, dict[Key, Fact]]:
        found: dict[str, dict[Key, Fact]] = {}
        for fact in (*self.values, *self.last):
            found.setdefault(fact.device, {})[fact.key] = fact
        return found

    def of(self, device: str) -> list[Fact]:
        """Return the values in force of a device."""
        return list(self._by_device.get(device, {}).values())

    def held(self, device: str, channel: str, parameter: str) -> Fact | None:
        """Return the value in force of a quantity."""
        return self._by_device.get(device, {}).get((device, channel, parameter))

    def owned(self, fact: Fact) -> Fact:
        """Return the fact as one of the only device that has the quantity, if its own has not: `z1 ti`."""
        owners = [device for device, own in self._by_device.items() if (device, *fact.key[1:]) in own]
        is_strange = len(owners) == 1 and not is_known(fact.parameter)
        return replace(fact, device=owners[0]) if is_strange else fact

    def within(self, text: str) -> "Heard":
        """Return the same with the labels alone whose words all stand in `text`."""
        folded = fold(text)
        here = copy(self)
        here.__dict__["labels"] = {
            label: parameter
            for label, parameter in self.labels.items()
            if len(label) > 1 and all(word in folded for word in label.split())
        }
        return here

    def filed(self, parameter: str, device: str, unit: str) -> str:
        """Return under which name in use a value is filed: as `parameter`, or as what that is short for.

        "the lid" of a device that has one heated lid, in the same unit, is that.
        """
        asked = (parameter, device, unit)
        if asked not in self._names:
            self._names[asked] = self._name(parameter, device, unit)
        return self._names[asked]

    @cached_property
    def _names(self) -> dict[tuple[str, str, str], str]:
        return {}

    def _name(self, parameter: str, device: str, unit: str) -> str:
        own = {fact.parameter: fact for fact in self.of(device)}
        if not own or parameter in own:
            return parameter
        if (spelled := self.by_words.get(words_of(parameter))) and not is_known(parameter):
            return spelled
        told = spellings_of(parameter)
        alike = [(name, words_of(name)) for name, fact in own.items() if _may_be(unit, fact.unit)]
        longer = [name for name, words in alike if any(one < words for one in told)]
        shorter = [name for name, words in alike if name not in DISTINCT and any(one > words for one in told)]
        near = longer or shorter
        return near[0] if len(near) == 1 else parameter


def _may_be(unit: str, held: str) -> bool:
    return unit == held or (bool(unit) and same_measure(unit, held))


@lru_cache(maxsize=4096)
def _pattern(label: str) -> re.Pattern[str]:
    """Return what finds a folded label in folded text: its words in a row, or two of them reversed."""
    words = [_word(word) for word in label.split()]
    orders = [words, words[::-1]] if len(words) == 2 else [words]
    return re.compile("|".join(r"[\s_\-]*(?:of\s+|the\s+)*".join(order) for order in orders))


def _word(word: str) -> str:
    if not word.isascii():
        return re.escape(word)
    ending = _ENDING if len(word) > 3 and word.isalpha() else ""
    return rf"(?<![a-z0-9_.]){re.escape(word)}{ending}(?![a-z0-9])"


@lru_cache
def _synonyms() -> re.Pattern[str]:
    spelled = sorted((fold(name) for names in quantities() for name in names), key=len, reverse=True)
    latin = [re.escape(name).replace(r"\ ", r"[\s_\-]+") for name in spelled if name.isascii()]
    han = [re.escape(name) for name in spelled if not name.isascii()]
    return re.compile(rf"(?<![a-z0-9_])(?:{'|'.join(latin)})(?![a-z0-9_])|{'|'.join(han)}")


def mentions(folded: str, heard: Heard) -> list[tuple[int, int, str]]:
    """Return start, end and quantity of each name in folded text, the longest where some overlap."""
    found = [(*hit.span(), parameter) for hit, parameter in _hits(folded, heard) if hit.group()]
    kept: list[tuple[int, int, str]] = []
    for start, end, parameter in sorted(found, key=lambda row: (row[0] - row[1], row[0])):
        if all(end <= begun or start >= ended for begun, ended, _ in kept):
            kept.append((start, end, parameter))
    return sorted(kept)


def _hits(folded: str, heard: Heard) -> Iterator[tuple[re.Match[str], str]]:
    for hit in _synonyms().finditer(folded):
        yield hit, filed_names()[" ".join(re.sub(r"[_\-\s]+", " ", hit.group()).split())]
    for label, parameter in heard.labels.items():
        for hit in _pattern(label).finditer(folded):
            yield hit, parameter

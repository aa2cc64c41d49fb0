"""Which fault classes a sentence tells of: our own sentences by their form, others by a class's title."""

import re
import string
from collections.abc import Iterator
from functools import cache, lru_cache

from instrumentgpt.instruments.faults import faults
from instrumentgpt.instruments.language import TOLD_TOO
from instrumentgpt.memory.search_query import holds
from instrumentgpt.memory.terms import Phrase, terms

NO_FAULT = ("healthy", "insufficient_data", "data_gap")
LANGUAGES = ("en", "zh")


@lru_cache(maxsize=2_000)
def fault_classes(text: str) -> frozenset[str]:
    """Return the fault classes that `text` tells of, in English or Chinese; none if it tells of none.

    >>> sorted(fault_classes("the sensor open again"))
    ['sensor_open']
    """
    own = frozenset(name for name, pattern in _forms() if pattern.search(text))
    if own:
        return own
    said = terms(text)
    return frozenset(name for name, phrase in _titles() if holds(said, phrase))


def title_terms(fault: str) -> list[str]:
    """Return the terms of the class's titles in both languages, by which questions name it."""
    return [term for language in LANGUAGES for term in terms(faults()[fault][language]["title"])]


@cache
def _forms() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (name, re.compile(_form(sentence)))
        for name, told in _told()
        for part, sentence in told.items()
        if part.startswith(("summary", "cause"))
    )


@cache
def _titles() -> tuple[tuple[str, Phrase], ...]:
    return tuple((name, tuple(terms(told["title"]))) for name, told in _told())


def _told() -> Iterator[tuple[str, dict[str, str]]]:
    for name, fault in faults().items():
        for language in LANGUAGES:
            yield name, fault[language]


def _form(template: str) -> str:
    """Return a pattern that fits whatever the first clause's fields were filled with."""
    pieces = string.Formatter().parse(re.split("[;；]", template)[0])
    told = ((_literal(literal), field) for literal, field, _, _ in pieces)
    return "".join(literal + (".{1,40}?" if field is not None else "") for literal, field in told)


def _literal(text: str) -> str:
    """Return a pattern of `text`; seconds at its beginning may be told in minutes, too."""
    return re.sub(r"^(\\ (?:s|秒))(?![a-z])", lambda found: found[1] + TOLD_TOO, re.escape(text))

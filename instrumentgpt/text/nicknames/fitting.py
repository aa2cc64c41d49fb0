"""Whether words can be the name of a device."""

import re
from collections.abc import Sequence
from functools import cache

from instrumentgpt.text.facts.devices import Names, devices_named
from instrumentgpt.text.facts.labels import is_unit
from instrumentgpt.text.nicknames import patterns
from instrumentgpt.text.terms import fold, is_common, synonyms, terms

NAME_CHARS, NAME_WORDS = 30, 4
_A_NAME = re.compile(r"[^\W\d_](?:[\w .&'’\-]*[^\W_])?")
_PREPOSITIONS = {
    "that",
    "which",
    "of",
    "on",
    "in",
    "at",
    "by",
    "for",
    "with",
    "to",
    "from",
    "near",
    "and",
    "or",
}
_NOT_DESCRIBING = patterns.PASSING | _PREPOSITIONS
_VERB_LIKE = re.compile(
    r"[a-z]+(?:ing|ed|ly|able|ible|ous|less|ful|ive)"
)  # of an unquoted word in lower case
_PARTS = re.compile(r"\d+|[^\W\d_]+")
_ARTICLE = re.compile(r"(?:the|our|my|an?)\s+")


def describes(name: str) -> bool:
    """Return whether `name` is a piece of equipment with what tells it from others: "peptide oven", 大釜."""
    folded = fold(name)
    words = folded.split()
    if words[-1] in patterns.EQUIPMENT:
        return len(words) > 1 and not _NOT_DESCRIBING.intersection(words)
    kind = kind_of_equipment(name)
    return bool(kind) and len(folded) > len(kind)


def kind_of_equipment(name: str) -> str:
    """Return the Chinese word for a piece of equipment that `name` ends in; "" if it ends in none."""
    folded = fold(name)
    return next((one for one in patterns.EQUIPMENT_HAN if folded.endswith(one)), "")


def is_makers(name: str) -> bool:
    """Return whether a word of `name` is who makes instruments: "052 is Siemens" names no device."""
    return bool(patterns.MAKERS.intersection(fold(name).split()))


def is_name(name: str, quoted: bool, names: Names, is_stated: bool = False) -> bool:
    """Return whether `name` can be a device's own; an unquoted one must not look like part of a sentence.

    names      of all devices: what names one of them, or is a word of such a name, is no nickname
    is_stated  whether a sentence says that it is its name: quoted, it may be a mere word for equipment then
    """
    bare = _ARTICLE.sub("", fold(name))
    if not 2 <= len(name) <= NAME_CHARS or len(bare.split()) > NAME_WORDS or not _A_NAME.fullmatch(name):
        return False
    if is_unit(name) or any(devices_named(name, names)) or _is_of_a_name(bare, names):
        return False
    if _is_common(bare):
        return is_stated and quoted and is_equipment(bare) and bare not in patterns.NEVER
    return quoted or not (_VERB_LIKE.fullmatch(name) or patterns.NOT_OF_A_NAME.search(name))


def is_equipment(folded: str) -> bool:
    """Return whether it is no more than a word for a piece of equipment."""
    return folded in patterns.EQUIPMENT or folded in patterns.EQUIPMENT_HAN


def _is_common(bare: str) -> bool:
    """Return whether it is a word for any device, a state, a quantity or a part."""
    if bare in patterns.NEVER or is_equipment(bare):
        return True
    if all(word in patterns.NEVER or is_common(word) for word in bare.split()):
        return True
    return tuple(terms(bare)) in _known_phrases()


@cache
def _known_phrases() -> frozenset[tuple[str, ...]]:
    return frozenset(phrase for group in synonyms() for phrase in group)


def _is_of_a_name(bare: str, names: Sequence[Sequence[str]]) -> bool:
    """Return whether all its words are words of one device's own name, such as "zspr"."""
    words = set(_PARTS.findall(bare))
    return any(words <= set(_PARTS.findall(fold(name))) for known in names for name in known)

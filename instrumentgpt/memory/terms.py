"""What a text is found by: stems of English words, pairs of Chinese characters, numbers and names whole.

Traditional and simplified forms, full and half width, upper and lower case are one.
Names of one thing in both languages (kp, proportional gain, 比例增益) are in synonyms.toml.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from snowballstemmer import stemmer

Phrase = tuple[str, ...]  # terms that follow one another
Aliases = Sequence[Sequence[str]]  # the names of each device: one stands for the others
SENTENCE_CHARS = 400  # a longer text is folded once

_HERE = Path(__file__).parent
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Chinese characters, in a pattern
_PIECES = re.compile(
    rf"([{HAN}]+)|([a-z]+(?![^\W{HAN}]|[._\-/][^\W_{HAN}]))"
    rf"|([^\W_{HAN}]+(?:(?:[._\-/]|(?<=\d):(?=\d))[^\W_{HAN}]+)*)"
)
_PARTS = re.compile(r"[^\W\d_]{2,}|\d+\.\d+|\d{3,}")
_PLAIN_NUMBER = re.compile(r"[\d.:/\-]+")
_english = stemmer("english")


@cache
def _simplified() -> dict[int, int]:
    """Return traditional → simplified, a character each."""
    lines = (_HERE / "simplified.txt").read_text(encoding="utf-8").split("\n")[1:]
    return str.maketrans("".join(lines[0::2]), "".join(lines[1::2]))


def fold(text: str) -> str:
    """Return `text` with differences of case, width, and traditional or simplified form taken out.

    >>> fold("加熱功率 Ｋｐ"), fold("加热功率 kp")
    ('加热功率 kp', '加热功率 kp')
    """
    if text.isascii():
        return text.lower()
    return _folded(text) if len(text) <= SENTENCE_CHARS else _folded.__wrapped__(text)


@lru_cache(maxsize=4096)  # a sentence is folded by all who read it
def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().translate(_simplified())


def in_simplified(text: str) -> str:
    """Return `text` with each traditional character as its simplified one; as long as it was.

    >>> in_simplified("北極 kp")
    '北极 kp'
    """
    return text if text.isascii() else text.translate(_simplified())


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return what the forms of an English word have in common (Snowball's English rules).

    >>> stem("oscillation"), stem("oscillating")
    ('oscil', 'oscil')
    """
    return str(_english.stemWord(word))


def terms(text: str) -> list[str]:
    """Return the terms of `text` in order; a name of several parts comes whole, then its parts.

    >>> terms("Kp of 10.1.1.47 is 0.09 per WO-30629，溫度波動")
    ['kp', 'of', '10.1.1.47', 'is', '0.09', 'per', 'wo-30629', 'wo', '30629', '温度', '度波', '波动']
    """
    pieces: list[str] = []
    for han, plain, name in _PIECES.findall(fold(text)):
        if plain:
            pieces.append(stem(plain))
        elif han:
            pieces += [han[at : at + 2] for at in range(len(han) - 1)] or [han]
        else:
            pieces.append(name)
            if not _PLAIN_NUMBER.fullmatch(name):
                pieces += [stem(part) for part in _PARTS.findall(name) if part != name]
    return pieces


@cache
def quantities() -> tuple[tuple[str, ...], ...]:
    """Return the lists of names of one quantity, each beginning with the name it is filed under."""
    return tuple(map(tuple, _synonym_table()["quantities"]))


def identifiers(*kinds: str) -> set[str]:
    """Return the quantities whose values are identifiers of these kinds ("numbers", "names", "others")."""
    return {name for kind in kinds for name in _synonym_table()["identifiers"][kind]}


def units_of(quantity: str) -> list[str]:
    """Return units: a value of the quantity has one that measures the same as one of them; [] for any."""
    return [unit for unit, measured in _synonym_table()["units"].items() if quantity in measured]


@cache
def _synonym_table() -> dict[str, Any]:
    return tomllib.loads((_HERE / "synonyms.toml").read_text(encoding="utf-8"))


@cache
def _common() -> frozenset[str]:
    words = str(_synonym_table()["common"]).split()
    return frozenset(term for word in words for term in [*terms(word), fold(word)])


@cache
def _synonym_phrases() -> tuple[tuple[Phrase, ...], ...]:
    every = [*quantities(), *_synonym_table()["things"]]
    return tuple(tuple(dict.fromkeys(map(phrase_of, names))) for names in every)


def synonyms(aliases: Aliases = ()) -> list[tuple[Phrase, ...]]:
    """Return the names of each thing that has several, those of each device in `aliases` last."""
    return [*_synonym_phrases(), *(tuple(map(phrase_of, names)) for names in aliases)]


@lru_cache(maxsize=4096)  # every question is asked among the same devices
def phrase_of(name: str) -> Phrase:
    """Return the terms of a name, in their order."""
    return tuple(terms(name))


def is_common(term: str) -> bool:
    """Return whether the term is a word of questions, and not of what is looked for."""
    return term in _common()


def telling(candidates: Iterable[str]) -> list[str]:
    """Return those of the terms, each once, that say what is looked for."""
    common = _common()
    return [term for term in dict.fromkeys(candidates) if term not in common]


def phrases(question: str, aliases: Aliases = ()) -> list[Phrase]:
    """Return what to look for to answer `question`: its terms, and other names of what it names."""
    question_terms = terms(question)
    sought: dict[Phrase, None] = {(term,): None for term in telling(question_terms)}
    spoken, distinct = f" {' '.join(question_terms)} ", {*question_terms}
    for group in synonyms(aliases):
        for phrase in group:
            if phrase and phrase[0] in distinct and f" {' '.join(phrase)} " in spoken:
                sought.update(dict.fromkeys(group))
    return list(sought)

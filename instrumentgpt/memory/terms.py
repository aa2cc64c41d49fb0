"""What a text is found by: stems of English words, pairs of Chinese characters, numbers and names whole.

Traditional and simplified forms, full and half width, upper and lower case are one.
Names of one thing in both languages (kp, proportional gain, 比例增益) are in synonyms.toml.
Recall asks for any of them (`phrases`), a search for all things at once (`search_terms`).
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from snowballstemmer import stemmer

Phrase = tuple[str, ...]  # terms that follow one another
Aliases = tuple[tuple[str, ...], ...]  # the names of each device: one stands for the others
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


def identifiers() -> list[str]:
    """Return the quantities whose values are no numbers, and identify something."""
    return list(_synonym_table()["identifiers"]["names"])


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


@lru_cache(maxsize=8)  # every question is asked among the same devices
def synonyms(aliases: Aliases = ()) -> tuple[tuple[Phrase, ...], ...]:
    """Return the names of each thing that has several, those of each device in `aliases` last."""
    every = [*quantities(), *_synonym_table()["things"], *aliases]
    return tuple(tuple(dict.fromkeys(filter(None, map(phrase_of, names)))) for names in every)


@lru_cache(maxsize=8)
def _begun_by(aliases: Aliases) -> dict[str, list[tuple[int, Phrase]]]:
    """Return term → the names that begin with it, each with the place of its group."""
    begun: dict[str, list[tuple[int, Phrase]]] = {}
    for place, group in enumerate(synonyms(aliases)):
        for phrase in group:
            begun.setdefault(phrase[0], []).append((place, phrase))
    return begun


def _named(text_terms: Sequence[str], aliases: Aliases) -> list[tuple[int, Phrase]]:
    """Return the names that follow one another in `text_terms`, by the places of their groups."""
    begun, spoken = _begun_by(aliases), f" {' '.join(text_terms)} "
    names = (name for term in {*text_terms} for name in begun.get(term, ()))
    return sorted(name for name in names if f" {' '.join(name[1])} " in spoken)


@lru_cache(maxsize=4096)
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
    question_terms, groups = terms(question), synonyms(aliases)
    sought: dict[Phrase, None] = {(term,): None for term in telling(question_terms)}
    for place, _ in _named(question_terms, aliases):
        sought.update(dict.fromkeys(groups[place]))
    return list(sought)


_RUN = re.compile(rf"(?P<han>[{HAN}]+)|[^\W_{HAN}]+(?:[._\-/:]+[^\W_{HAN}]+)*")
_WORD = re.compile(rf"(?P<han>[{HAN}]+)|[^\W_{HAN}]+")


@dataclass(frozen=True)
class SearchTerm:
    """One thing a search asks for, in any of these phrases; the last word typed may be `unfinished`."""

    phrases: tuple[Phrase, ...]
    unfinished: bool = False


def search_terms(query: str, aliases: Aliases = ()) -> list[SearchTerm]:
    """Return what `query` asks for, each thing once, words of questions left out.

    >>> [term.phrases[0] for term in search_terms("why did kp of WO-306 change? 溫度")]
    [('wo-306',), ('chang',), ('kp',), ('temperatur',)]
    """
    groups = synonyms(aliases)
    held = {phrase for _, phrase in _named(terms(query), aliases)}
    # no part of another: "heater power" does not mean the heater
    named = {phrase for phrase in held if not any(phrase != other and holds(other, phrase) for other in held)}
    things = [SearchTerm((phrase,), last) for phrase, last in _unnamed(query, named)]
    things += [SearchTerm(group) for group in groups if any(phrase in named for phrase in group)]
    return list(dict.fromkeys(things))


def holds(text_terms: Sequence[str], phrase: Phrase) -> bool:
    """Return whether the terms of `phrase` follow one another in `text_terms`.

    >>> holds(["the", "fan", "speed"], ("fan", "speed"))
    True
    """
    width = len(phrase)
    if width and phrase[0] not in text_terms:
        return False
    return any(tuple(text_terms[at : at + width]) == phrase for at in range(len(text_terms) - width + 1))


def _unnamed(query: str, named: set[Phrase]) -> Iterator[tuple[Phrase, bool]]:
    """Yield what no name covers, as phrases, and whether each may go on, as the last word typed may."""
    folded = fold(query)
    covered = {term for phrase in named for term in phrase}
    for run in _RUN.finditer(folded):
        last = run.end() == len(folded)
        run_terms = terms(run.group())
        if run["han"]:  # a pair that shares a character with a name or a word of questions says nothing
            known = [term in covered or is_common(term) for term in run_terms]
            for at, term in enumerate(run_terms):
                if not any(known[max(0, at - 1) : at + 2]) and not any(map(is_common, term)):
                    yield (term,), False
        elif run_terms and run_terms[0] not in covered and telling(run_terms):
            yield (run_terms[0],), last or len(run_terms) > 1


def marked(text: str, query: Sequence[SearchTerm]) -> list[tuple[str, bool]]:
    """Return `text` in pieces, each with whether it is what was asked for.

    >>> marked("The KP is 0.12.", search_terms("kp 0.12"))
    [('The ', False), ('KP', True), (' is ', False), ('0.12', True), ('.', False)]
    """
    whole = {term for thing in query for phrase in thing.phrases for term in phrase}
    begun = tuple(thing.phrases[0][-1] for thing in query if thing.unfinished)
    is_asked = bytearray(len(text))  # of each character
    for start, stop in _spans(text, whole, begun):
        is_asked[start:stop] = b"\1" * (stop - start)
    runs = groupby(zip(text, is_asked, strict=True), key=itemgetter(1))
    return [("".join(character for character, _ in run), bool(asked)) for asked, run in runs]


def _spans(text: str, whole: set[str], begun: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    for word in chain(_RUN.finditer(text), _WORD.finditer(text)):
        if word["han"]:
            pairs = [(at, at + width) for at in range(*word.span()) for width in (1, 2)]
            yield from ((at, end) for at, end in pairs if end <= word.end() and fold(text[at:end]) in whole)
        elif whole.intersection(terms(word.group())[:1]) or fold(word.group()).startswith(begun):
            yield word.span()

"""Users' constraints on the work to come, and which of them are in force: they may be lifted.

A constraint is a ban, a limit or a duty, told in the user's own sentence. Patterns: constraints.toml.
"""

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from instrumentgpt.memory.measures import FOLDED_UNIT, NUMBER, amount, unit_of
from instrumentgpt.memory.reading.own_words import is_asked, own_lines, sentences
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.terms import fold, synonyms, telling, terms

Kind = Literal["constraint", "lift"]
CONSTRAINT_CHARS = 240  # of a sentence kept
_CLAUSE = (
    r"(?:^|[.,;:!()\-–—\"“]\s*|[^\x00-\x7f]\s*"
    r"|\b(?:and|but|so|please|pls|plz|also|then|or|just|ok|meanwhile|until then|for now)[ ,]+)"
)
_GENERIC = re.compile(  # a lift that names the rule by no word of its own
    r"\b(?:that|the|this|my|our) (?:\w+ )?(?:ban|freeze|embargo|rule|limit|restriction|hold|lock"
    r"|constraint|block)\b"
    r"|限制|禁令|规定|冻结|那条|这条"
)
_EMPTY = frozenset(
    term
    for words in (
        "allow permit forbid ban rule limit freeze lift over again now may can please never not no must only"
        " before after until week today tomorrow monday tuesday wednesday thursday friday saturday sunday"
        " anyone nobody free ok okay fine ahead go back",
        "不要 不能 可以 不准 请勿 禁止 解除 限制 现在 已经 之前 以前 前不 了可 又可 以了 再动 都可",
    )
    for term in terms(words)
)
_DATE = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:mon|tue|wed|thu|fri|sat|sun)\b|tomorrow|tonight"
    r"|next (?:week|month)"
    r"|\b\d{1,2}(?:st|nd|rd|th)\b|\b\d{1,2} ?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"|\d{1,2}/\d{1,2}|\d{1,2}:\d\d"
    r"|[一二三四五六七八九十\d]{1,3}[月号]|(?:周|星期|礼拜)[一二三四五六日天]|明天|后天|下周|月底"
)
_MEASURED = re.compile(rf"({NUMBER})\s?({FOLDED_UNIT})")


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    told = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {name: re.compile(_pattern(table)) for name, table in told.items()}


def _pattern(table: dict[str, list[str]]) -> str:
    """Return a pattern of a table's fragments, the English ones as whole words."""
    clause = [rf"{_CLAUSE}(?:{'|'.join(table['clause'])})\b"] if "clause" in table else []
    english = [rf"\b(?:{'|'.join(table['english'])})(?!\w)"] if "english" in table else []
    return "|".join([*clause, *english, *table.get("chinese", ())])


def constraints_in(text: str) -> list[tuple[Kind, str]]:
    """Return the sentences of a user's `text` that lay something down or lift it, each shortened to one line.

    >>> constraints_in("Why does it swing? Do not restart 052 before Friday. I don't know.")
    [('constraint', 'Do not restart 052 before Friday.')]
    >>> constraints_in("凍結解除了，可以重啟了。")
    [('lift', '凍結解除了，可以重啟了。')]
    """
    found: dict[str, Kind] = {}
    for line in own_lines(text):
        for sentence in sentences(line):
            if kind := _kind(sentence):
                found[shorten(sentence, CONSTRAINT_CHARS)] = kind
    return [(kind, sentence) for sentence, kind in found.items()]


def _kind(sentence: str) -> Kind | None:
    folded = fold(sentence).replace("’", "'")
    if is_asked(sentence):
        return None
    left = _patterns()["lift"].sub("…", folded)
    if left != folded and not _constrains(left):
        return "lift"
    return "constraint" if _constrains(folded) else None


def _constrains(folded: str) -> bool:
    return _patterns()["lays"].search(_patterns()["nothing"].sub("…", folded)) is not None


@dataclass(frozen=True)
class Ruling:
    """A sentence on record, a constraint or the lifting of one; `device` is "" where it is of all."""

    kind: Kind
    text: str
    device: str = ""


def lifted_by(lift: Ruling, constraints: Sequence[Ruling]) -> int | None:
    """Return the place in `constraints` (oldest first) of the constraint that `lift` takes back, or None.

    It is the one of the same words, else that which shares most with it; "the ban" alone means the last.

    >>> constraints = [Ruling("constraint", "do not restart it"), Ruling("constraint", "stay below 60 °C")]
    >>> lifts = "you may restart it again", "that rule is off"
    >>> [lifted_by(Ruling("lift", text), constraints) for text in lifts]
    [0, 1]
    """
    folded = fold(lift.text)
    exact = [
        place for place, one in enumerate(constraints) if _of_one(one, lift) and fold(one.text) == folded
    ]
    if exact:
        return exact[-1]
    own, numbers = _words(lift.text), _numbers(lift.text)
    shared = [
        (len(own & _words(one.text)), len(numbers & _numbers(one.text)), place)
        for place, one in enumerate(constraints)
        if _of_one(one, lift)
    ]
    *most, place = max(shared, default=(0, 0, 0))
    if any(most):
        return place
    last = [place for place, one in enumerate(constraints) if _of_one(one, lift)]
    return last[-1] if last and (_GENERIC.search(folded) or not own) else None


def replaced_by(new: Ruling, constraints: Sequence[Ruling]) -> int | None:
    """Return the place of the constraint that `new` tells another number or date for, or None.

    >>> replaced_by(Ruling("constraint", "now stay below 65 °C"), [Ruling("constraint", "stay below 60 °C")])
    0
    """
    bounds = _bounds(new.text)
    for place in range(len(constraints) - 1, -1, -1):
        old = constraints[place]
        if bounds and _of_one(old, new) and bounds == _bounds(old.text) and _speak_of_one(old.text, new.text):
            return place
    return None


@lru_cache(maxsize=1024)
def _bounds(text: str) -> frozenset[str]:
    """Return what kinds of bounds a sentence has: units of its numbers, and "date" for a day or a time."""
    folded = fold(text)
    units = {unit_of(unit) for _, unit in _MEASURED.findall(folded)}
    return frozenset(units | ({"date"} if _DATE.search(folded) else set()))


def _numbers(text: str) -> frozenset[str]:
    return frozenset(amount(number) for number in re.findall(rf"(?<![\w.]){NUMBER}(?![\w.]*\d)", fold(text)))


def _speak_of_one(text: str, other: str) -> bool:
    words, others = _words(text), _words(other)
    return bool(words & others) or not words or not others


def in_force(said: Iterable[Ruling]) -> list[int]:
    """Return the places of the constraints in `said`, oldest first, that nothing has lifted or replaced."""
    listed = list(said)
    held: list[int] = []
    for place, one in enumerate(listed):
        constraints = [listed[at] for at in held]
        if one.kind == "lift":
            taken = lifted_by(one, constraints)
        else:
            again = [at for at, old in enumerate(constraints) if fold(old.text) == fold(one.text)]
            taken = again[0] if again else replaced_by(one, constraints)
        if taken is not None:
            del held[taken]
        if one.kind == "constraint":
            held.append(place)
    return held


def _of_one(one: Ruling, other: Ruling) -> bool:
    return not one.device or not other.device or one.device == other.device


@lru_cache(maxsize=1024)  # what holds is compared with what is new in every turn
def _words(text: str) -> frozenset[str]:
    """Return the telling terms of a sentence, those with several names under one of them; no numbers."""
    own = [term for term in telling(terms(text)) if term not in _EMPTY and not any(map(str.isdecimal, term))]
    return frozenset(_one_name().get(term, term) for term in own)


@cache
def _one_name() -> dict[str, str]:
    """Return term → the first name of the thing that it is a name of."""
    return {phrase[0]: group[0][0] for group in synonyms() for phrase in group if len(phrase) == 1}

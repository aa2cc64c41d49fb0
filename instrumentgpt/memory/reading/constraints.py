"""Users' constraints on the work to come, and which of them are in force: they may be lifted.

A constraint is a ban, a limit or a duty, told in the user's own sentence. A sentence is one, or lifts one, by
its likeness to examples.tsv; one that may be is asked about (turn/open_questions.py).
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from instrumentgpt.memory.facts import channel_in
from instrumentgpt.memory.likeness import likeness
from instrumentgpt.memory.measures import NUMBER, amount
from instrumentgpt.memory.reading.own_words import is_question, own_lines, sentences
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.terms import fold, telling, terms

Kind = Literal["constraint", "lift"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LEAST_TERMS = 2  # of a clause that may be one by itself
_CLAUSE = re.compile(r"[,;:，；：、]")
CONSTRAINT_CHARS = 240  # of a sentence kept
WEIGHTS = Path(__file__).with_name("weights.tsv")
# Probability from which a sentence is taken for what it is most like (0147); what is wrongly lifted does harm
PLAIN: dict[Kind, float] = {"constraint": 0.55, "lift": 0.75}
DOUBTFUL = 0.3  # … from which it is asked about
SHARED = 0.5  # probability that a telling word of both is worth, by the root of those of the shorter
BEARS = 0.45  # of both, from which a sentence may lift a constraint in force
REPEATS = 0.5  # share of words from which a plain constraint may replace one
_EMPTY = frozenset(
    term
    for words in (
        "allow permit forbid ban rule limit freeze lift over again now may can please never not no must only"
        " before after until week today tomorrow monday tuesday wednesday thursday friday saturday sunday"
        " anyone nobody free ok okay fine ahead go back",
        "不要 不能 可以 不准 请勿 禁止 解除禁令 限制 现在 已经 之前 以前 前不 了可 又可 以了 再动 都可",
    )
    for term in terms(words)
)


def constraints_in(text: str) -> list[tuple[Kind, str]]:
    """Return the sentences of a user's `text` that lay something down or lift it, each shortened to one line.

    >>> constraints_in("Why does it swing? Do not restart 052 before Friday. I don't know.")
    [('constraint', 'Do not restart 052 before Friday.')]
    >>> constraints_in("凍結解除了，可以重啟了。")
    [('lift', '凍結解除了，可以重啟了。')]
    """
    kinds = {shorten(sentence, CONSTRAINT_CHARS): _kind(sentence) for sentence in stated_in(text)}
    return [(kind, sentence) for sentence, kind in kinds.items() if kind]


def stated_in(text: str) -> list[str]:
    """Return the sentences of a user's `text` that are his own and ask nothing."""
    return [row for line in own_lines(text) for row in sentences(line) if not is_question(row)]


@lru_cache(maxsize=256)
def _like(sentence: str) -> dict[Kind, float]:
    """Return how probably a sentence, or a clause of it, lays something down, and lifts it."""
    clauses = [clause for clause in _CLAUSE.split(sentence) if len(terms(clause)) >= LEAST_TERMS]
    like = [likeness(part, WEIGHTS) for part in dict.fromkeys([sentence, *clauses])]
    return {kind: max(one[kind] for one in like) for kind in KINDS}


def _kind(sentence: str) -> Kind | None:
    like = _like(sentence)
    kind = max(KINDS, key=like.__getitem__)
    return kind if like[kind] >= PLAIN[kind] else None


@dataclass(frozen=True)
class Ruling:
    """A sentence: a constraint, what lifts one, or neither for sure; `device` is "" where it is of all."""

    kind: Kind | None
    text: str
    device: str = ""


def lifted_constraint(lift: Ruling, constraints: Sequence[Ruling]) -> int | None:
    """Return the place in `constraints` (oldest first) of the constraint that `lift` takes back, or None.

    It is the one of the same words, else that which shares most with it; "the ban" alone means the only one,
    and of several nobody can say which.

    >>> constraints = [Ruling("constraint", "do not restart it"), Ruling("constraint", "stay below 60 °C")]
    >>> lifts = "you may restart it again", "that rule is off"
    >>> [lifted_constraint(Ruling("lift", text), constraints) for text in lifts]
    [0, None]
    """
    folded, words, numbers = fold(lift.text), _own_words(lift), _numbers(lift.text)
    shared = [
        ((fold(old.text) == folded, len(words & _own_words(old)), len(numbers & _numbers(old.text))), place)
        for place, old in enumerate(constraints)
        if _same_device(old, lift)
    ]
    most, place = max(shared, default=((False, 0, 0), None))
    return place if any(most) or (not words and len(shared) == 1) else None


def is_doubtful(sentence: str) -> bool:
    """Return whether `sentence` may lay something down, by its likeness to examples.tsv.

    >>> is_doubtful("We owe them an unbroken trace, so no pauses."), is_doubtful("It swings by 2 K.")
    (True, False)
    """
    return _like(sentence)["constraint"] >= DOUBTFUL


def affected_constraint(new: Ruling, constraints: Sequence[Ruling]) -> tuple[int, bool] | None:
    """Return the place in `constraints` of the one that `new` lifts or replaces, None if it does not.

    And whether that is sure.

    >>> constraints = [Ruling("constraint", "nobody opens it before the leak test")]
    >>> affected_constraint(Ruling(None, "The leak test went well."), constraints)
    (0, False)
    >>> affected_constraint(Ruling("lift", "The leak test is done, open it."), constraints)
    (0, True)
    """
    shares = {at: _share(new, old) for at, old in enumerate(constraints) if _same_device(old, new)}
    if not shares:
        return None
    if new.kind == "constraint":
        place = max(shares, key=lambda at: (shares[at], at))
        return (place, False) if shares[place] > REPEATS else None
    lifted = lifted_constraint(new, constraints)
    place = max(shares) if lifted is None else lifted  # one that speaks of none may mean the newest
    is_near = _like(new.text)["lift"] + SHARED * shares[place] >= BEARS
    return (place, new.kind == "lift" and lifted is not None) if is_near else None


def _share(new: Ruling, old: Ruling) -> float:
    words, others = _own_words(new), _own_words(old)
    return len(words & others) / math.sqrt(min(len(words), len(others)) or 1)


def _numbers(text: str) -> frozenset[str]:
    return frozenset(amount(number) for number in re.findall(rf"(?<![\w.]){NUMBER}(?![\w.]*\d)", fold(text)))


def rulings_in_force(rulings: Iterable[Ruling]) -> list[int]:
    """Return the places in `rulings`, oldest first, of the constraints that nothing lifted or told anew.

    >>> limits = [Ruling("constraint", f"{now}keep ch 1 below 6{n} °C") for n, now in enumerate(("", "now "))]
    >>> rulings_in_force([*limits, Ruling("constraint", "keep ki"), Ruling("constraint", "keep kp")])
    [1, 2, 3]
    """
    listed = list(rulings)
    held: list[int] = []
    for place, new in enumerate(listed):
        constraints = [listed[at] for at in held]
        if new.kind == "lift":
            taken = lifted_constraint(new, constraints)
        else:  # it says all of the same, with another number or weekday at most
            same = (
                at
                for at, old in enumerate(constraints)
                if _same_device(old, new)
                and channel_in(old.text) == channel_in(new.text)
                and frozenset() != _words(old.text) <= _words(new.text)
            )
            taken = next(same, None)
        if taken is not None:
            del held[taken]
        if new.kind == "constraint":
            held.append(place)
    return held


def _same_device(ruling: Ruling, other: Ruling) -> bool:
    return not ruling.device or not other.device or ruling.device == other.device


def _own_words(ruling: Ruling) -> frozenset[str]:
    """Return the telling terms of a ruling, without the name of its device: that is no word of the rule."""
    return _words(ruling.text).difference(terms(ruling.device))


@lru_cache(maxsize=1024)  # what holds is compared with what is new in every turn
def _words(text: str) -> frozenset[str]:
    """Return the telling terms of a sentence; no numbers."""
    left = telling(terms(text))
    return frozenset(term for term in left if term not in _EMPTY and not any(map(str.isdecimal, term)))

"""The numbers of many parts of messages, found by what they are of: a few of hundreds bear on one, not all.

Of the numbers of one kind (same words beside them, same unit, same sentence) all are as like another number,
so that only the last of them, and those that say that very number, can decide what has become of it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from instrumentgpt.text.said.part import Said
from instrumentgpt.text.said.quantified import ENOUGH, Kind, Quantified, likeness

BRIEF_CHARS = 60  # of a sentence that says a value and little more


class Spoken(NamedTuple):
    """A number as a part says it; `at` orders those of all parts; a tuple, for they are many.

    place  of the part in the conversation
    """

    at: int
    place: tuple[int, int]
    said: Said
    number: Quantified


@dataclass(eq=False)
class _OfKind:
    """The numbers of one kind, in their order, those of each amount, and the last place of any."""

    kind: Kind
    every: list[Spoken] = field(default_factory=list)
    of_amount: dict[str, list[Spoken]] = field(default_factory=dict)
    until: tuple[int, int] = (0, 0)

    def add(self, one: Spoken) -> None:
        self.every.append(one)
        self.of_amount.setdefault(one.number.amount, []).append(one)
        if one.place > self.until:
            self.until = one.place


class Numbers:
    """The numbers of parts, in the order of the parts."""

    def __init__(self, parts: Iterable[Said] = ()) -> None:
        self._kinds: dict[Kind, _OfKind] = {}
        self._about: defaultdict[str, list[_OfKind]] = defaultdict(list)  # by what kinds have in common
        self._brief: defaultdict[int, list[Spoken]] = defaultdict(list)  # by turn
        self._like: dict[Kind, list[tuple[_OfKind, float]]] = {}
        at = 0
        for part in parts:
            for number, kind in zip(part.numbers, part.kinds, strict=True):
                one = Spoken(at, part.place, part, number)
                at += 1
                (self._kinds.get(kind) or self._new(kind)).add(one)
                if len(part.text) <= BRIEF_CHARS:
                    self._brief[part.turn].append(one)

    def _new(self, kind: Kind) -> _OfKind:
        of_kind = self._kinds[kind] = _OfKind(kind)
        for term in kind.topics:
            self._about[term].append(of_kind)
        return of_kind

    def brief_in(self, *turns: int) -> list[Spoken]:
        """Return the numbers that brief sentences of these turns say."""
        return [one for turn in turns for one in self._brief.get(turn, ())]

    def names(self, term: str, but: int) -> bool:
        """Return whether a term stands beside a number in any turn but one: it is a name of something."""
        return any(
            term in of_kind.kind.label and any(one.said.turn != but for one in of_kind.every)
            for of_kind in self._about.get(term, ())
        )

    def alike(
        self,
        value: Quantified,
        kind: Kind,
        place: tuple[int, int],
        counts: Callable[[Said], bool],
        replaces: Callable[[Spoken, float], bool],
    ) -> Iterator[tuple[Spoken, float]]:
        """Yield what can decide what has become of a value, each with its likeness, in no order.

        place     only what stands behind it is looked at
        counts    whether a part is one of those that can
        replaces  whether a number, of this likeness, is a newer value if it is another one
        """
        amount = value.amount
        for of_kind, likely in self._near(kind):
            if of_kind.until <= place:
                continue
            for one in of_kind.of_amount.get(amount, ()):
                if one.place > place and counts(one.said):
                    yield one, likely
            for one in reversed(of_kind.every):
                if one.place <= place:
                    continue
                if one.number.amount != amount and replaces(one, likely) and counts(one.said):
                    yield one, likely
                    break

    def _near(self, kind: Kind) -> Iterable[tuple[_OfKind, float]]:
        """Return the kinds that are like it, and how much: none is that has no word in common."""
        found = self._like.get(kind)
        if found is None:
            near = set[_OfKind]().union(*(self._about.get(term, ()) for term in kind.topics))
            every = ((one, likeness(kind, one.kind)) for one in near)
            found = self._like[kind] = [(one, likely) for one, likely in every if likely >= ENOUGH]
        return found

"""What becomes of a value is the same whether its kind's numbers are looked at or all that were said."""

import random
from dataclasses import replace

from cases import each

from instrumentgpt.text.said.numbers import Numbers
from instrumentgpt.text.said.outdated import later_of, since_all
from instrumentgpt.text.said.part import Said
from instrumentgpt.text.said.quantified import ENOUGH, likeness
from instrumentgpt.text.terms import terms

SENTENCES = (
    "kp of the lid is {a}.",
    "kp is {a} now, not {b}.",
    "The lid runs at {a} °C, the block at {b} °C.",
    "Set the lid to {a} °C.",
    "make it {a}",
    "The ramp was {a} °C/s.",
    "蓋子的溫度是 {a} 度。",
    "kp 從 {a} 改成 {b}。",
    "The visit is moved to {a} December.",
)
VALUES = ("2", "3", "4", "4.5", "60", "61")


class Every(Numbers):
    """The same numbers, of which all that are like enough are looked at."""

    def alike(self, value, kind, place, counts, replaces):
        for of_kind in self._kinds.values():
            likely = likeness(kind, of_kind.kind)
            if likely >= ENOUGH:
                yield from ((one, likely) for one in of_kind.every if counts(one.said))


def spoken(seed):
    dice = random.Random(seed)
    for number in range(30):
        text = dice.choice(SENTENCES).format(a=dice.choice(VALUES), b=dice.choice(VALUES))
        role, device = dice.choice(("user", "assistant")), dice.choice(("oven 7", "oven 7", "oven 8", ""))
        message = number // 2 + 1
        yield Said(
            number, message, message // 2 + 1, role, (device,), frozenset(), text, frozenset(terms(text))
        )


@each("seed", range(40))
def test_a_value_has_one_fate_however_it_is_looked_up(seed):
    parts = list(spoken(seed))
    later = later_of(parts)
    told = since_all(parts, later)
    assert told == since_all(parts, replace(later, numbers=Every(parts)))
    assert any(told)

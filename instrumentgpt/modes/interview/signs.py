"""What a piece of a person's words is about: the slots of what is gathered whose signs it has."""

import re
from functools import cache

from instrumentgpt.memory.reading.constraints import constraints_in
from instrumentgpt.memory.terms import fold
from instrumentgpt.modes.interview.patterns import folded, told

_NAME = re.compile(r"<([a-z]+)>")


def slots_of(piece: str) -> tuple[str, ...]:
    """Return the slots that `piece`, a clause or sentence, has signs of.

    >>> slots_of("the oven is off by two degrees since Monday"), slots_of("it should hold ±0.1")
    (('description',), ('must_have',))
    """
    whole = fold(piece)
    present = word("absent").sub(" ", whole)
    found = [
        slot
        for slot, pattern in _patterns().items()
        if pattern.search(present if slot == "description" else whole)
    ]
    if not found and constraints_in(piece):
        found.append("constraints")
    return _settled(found, demands=has("demand", piece))


def _settled(found: list[str], demands: bool) -> tuple[str, ...]:
    """Return the slots without those that a stronger sign explains."""
    slots = set(found)
    if "success_criteria" in slots and not demands:  # how it will be judged, not what it must do
        slots -= {"edge_cases", "must_have"}
    if slots & {"must_have", "success_criteria"} and "constraints" not in slots:
        slots -= {"description", "examples"}
    if "examples" in slots:
        slots -= {"edge_cases"}
    if slots & {"description", "examples"}:
        slots -= {"workflow"}
    return tuple(slot for slot in found if slot in slots)


def has(name: str, text: str) -> bool:
    """Return whether `text` has one of signs.toml's words: thing, off, trouble, quantity, moment, …"""
    return word(name).search(fold(text)) is not None


def roles_in(text: str) -> list[str]:
    """Return the people that `text` names, as it names them, each once.

    >>> roles_in("The night shift operators and our QA see it."), roles_in("夜班操作員在用")
    (['night shift operators', 'our QA'], ['夜班操作員'])
    """
    plain = fold(text)
    spans = [match.span() for match in word("role").finditer(plain)]
    named = text if len(plain) == len(text) else plain
    return list(dict.fromkeys(named[start:stop] for start, stop in spans))


@cache
def word(name: str) -> re.Pattern[str]:
    """Return the pattern of one of signs.toml's words, for folded text."""
    return folded([_expanded(f"<{name}>")])


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {
        slot: folded([_expanded(one) for one in patterns])
        for slot, patterns in told(__file__)["slots"].items()
    }


def _expanded(pattern: str) -> str:
    words = told(__file__)["words"]
    while _NAME.search(pattern):
        pattern = _NAME.sub(lambda name: f"(?:{'|'.join(words[name[1]])})", pattern)
    return pattern

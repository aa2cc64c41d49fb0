"""What a piece of a person's words is about: the slots of what is gathered whose signs (signs.toml) it has."""

import re
import tomllib
from functools import cache
from pathlib import Path

from instrumentgpt.text.terms import fold
from instrumentgpt.text.wishes import wishes_in

_NAME = re.compile(r"<([a-z]+)>")


def slots_of(piece: str) -> tuple[str, ...]:
    """Return the slots that `piece`, a clause or sentence, has signs of.

    >>> slots_of("the oven is off by two degrees since Monday"), slots_of("it should hold ±0.1")
    (('description',), ('must_have',))
    """
    folded = fold(piece)
    present = word("absent").sub(" ", folded)
    found = [
        slot
        for slot, pattern in _patterns().items()
        if pattern.search(present if slot == "description" else folded)
    ]
    if "must_have" not in found and "constraints" not in found and wishes_in(piece):
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
    return tuple(slot for slot in found if slot in slots)


def has(name: str, text: str) -> bool:
    """Return whether `text` has one of signs.toml's words: thing, off, trouble, quantity, moment, …"""
    return word(name).search(fold(text)) is not None


def roles_in(text: str) -> list[str]:
    """Return the people that `text` names, as it names them, each once.

    >>> roles_in("The night shift operators and our QA see it."), roles_in("夜班操作員在用")
    (['night shift operators', 'our QA'], ['夜班操作員'])
    """
    folded = fold(text)
    same_length = len(folded) == len(text)
    spans = [match.span() for match in word("role").finditer(folded)]
    return list(dict.fromkeys((text if same_length else folded)[start:stop] for start, stop in spans))


@cache
def word(name: str) -> re.Pattern[str]:
    """Return the pattern of one of signs.toml's words, for folded text."""
    return re.compile(_expanded(f"<{name}>"), re.ASCII)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {
        slot: re.compile("|".join(f"(?:{_expanded(one)})" for one in patterns), re.ASCII)
        for slot, patterns in _told()["slots"].items()
    }


def _expanded(pattern: str) -> str:
    words = _told()["words"]
    while _NAME.search(pattern):
        pattern = _NAME.sub(lambda name: f"(?:{'|'.join(words[name[1]])})", pattern)
    return fold(pattern)


@cache
def _told() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

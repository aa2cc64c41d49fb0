"""What a person wants of the interview itself: to skip, to end, another phase, a template, a target."""

import re
from functools import cache
from typing import Literal

from instrumentgpt.memory.terms import fold
from instrumentgpt.modes.interview.gathered import PHASES
from instrumentgpt.modes.interview.patterns import folded, told
from instrumentgpt.modes.interview.signs import has, word

Want = Literal["", "enough", "unknown", "skip", "none", "start"]
LEFT = {"unknown": 3, "skip": 1, "enough": 1}  # words that may stand beside it
_TARGET_CHARS = 60
_WORD = re.compile(r"[a-z0-9]+(?:['’.\-][a-z0-9]+)*|[\u3400-\u9fff]{1,2}")


def want_of(words: str) -> Want:
    """Return what `words` want of the interview, "" if they tell or ask something.

    >>> want_of("I don't know"), want_of("夠了，繼續"), want_of("skip this one"), want_of("no")
    ('unknown', 'enough', 'skip', 'none')
    >>> want_of("I want to write a fault report for zspr 052"), want_of("I don't know why, but it drops")
    ('start', '')
    """
    said = " ".join(fold(words).split())
    found: list[Want] = [kind for kind in _KINDS if _compiled("wants")[kind].search(said)]
    for kind in found:
        rest = _compiled("wants")[kind].sub(" ", said)
        for other in found:
            rest = _compiled("wants")[other].sub(" ", rest)
        if kind == "start":
            rest = _without_names(rest)
        if len(_WORD.findall(_filler().sub(" ", rest))) <= LEFT.get(kind, 0):
            return kind
    return ""


_KINDS: tuple[Want, ...] = ("enough", "unknown", "skip", "none", "start")


def phase_wanted(words: str, phase: str) -> str:
    """Return the phase that `words` ask for, "" if none; "next phase" is the one after `phase`.

    >>> phase_wanted("back to the requirements", "edge_cases"), phase_wanted("下一階段", "requirements")
    ('requirements', 'edge_cases')
    """
    said = " ".join(fold(words).split())
    for name, pattern in _compiled("phases").items():
        found = pattern.search(said)
        if found and len(_WORD.findall(_filler().sub(" ", pattern.sub(" ", said)))) <= 2:
            after = PHASES[min(PHASES.index(phase) + 1, len(PHASES) - 1)]
            return after if name == "next" else name
    return ""


def template_wanted(words: str) -> str:
    """Return the name of the built-in template that `words` name, "" if none."""
    said = fold(words)
    return next((name for name, pattern in _compiled("templates").items() if pattern.search(said)), "")


def target_wanted(words: str) -> str:
    """Return the name under which `words` want the document saved, "" if they say none.

    >>> target_wanted("save it as Oven 7 drifts"), target_wanted("存成 爐子故障報告")
    ('Oven 7 drifts', '爐子故障報告')
    """
    found = _target().search(" ".join(words.split()))
    return (found["a"] or found["b"]).strip()[:_TARGET_CHARS] if found else ""


def says_something(text: str) -> bool:
    """Return whether `text` has a word beside courtesies and fillers.

    >>> says_something("ok, thanks"), says_something("好的謝謝"), says_something("batch 7")
    (False, False, True)
    """
    return bool(_WORD.findall(_filler().sub(" ", fold(text))))


def names_only(text: str) -> bool:
    """Return whether `text` names an instrument, and says nothing of it.

    >>> names_only("zspr 052 please"), names_only("10.1.1.47"), names_only("zspr 052 smells")
    (True, True, False)
    """
    return not _WORD.findall(_filler().sub(" ", _without_names(fold(text))))


def _without_names(said: str) -> str:
    return re.sub(r"[\d.\-]+", " ", word("thing").sub(" ", said))


def is_vague(text: str) -> bool:
    """Return whether `text` says nothing that could be looked at: no number, time, person, deviation.

    >>> is_vague("it's weird sometimes"), is_vague("溫度怪怪的"), is_vague("after a restart")
    (True, True, False)
    """
    if any(has(word, text) for word in ("off", "quantity", "moment", "role")) or re.search(r"\d", text):
        return False
    rest = _compiled("vague")["words"].sub(" ", word("thing").sub(" ", fold(text)))
    return not _WORD.findall(rest)


@cache
def _filler() -> re.Pattern[str]:
    return folded(told(__file__)["filler"])


@cache
def _compiled(table: str) -> dict[str, re.Pattern[str]]:
    return {name: folded(patterns) for name, patterns in told(__file__)[table].items()}


@cache
def _target() -> re.Pattern[str]:
    return re.compile("|".join(told(__file__)["target"]["name"]), re.I)  # a name keeps its capitals

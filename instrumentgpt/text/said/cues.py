"""What a sentence does in a diagnosis, told by the everyday words for it, in English and Chinese (cues.toml).

A cue is a hint, and nothing is taken for stated by a cue alone: `outdated` asks for what was said before.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from instrumentgpt.text.terms import fold

CUES = ("out", "denial", "cause", "verdict", "guess")  # tables of cues.toml, and what its comments say
_SPOKEN = re.compile(r"\w+(?:'t\b)?")
_PARTED = re.compile(r"[ /-]")  # what a fragment of several words has


def cues_in(sentence: str) -> list[str]:
    """Return what the sentence may do, of CUES.

    >>> cues_in("We can forget about the pump."), cues_in("是供氣管被壓扁造成的")
    (['out', 'denial'], ['cause'])
    """
    folded = plain(sentence)
    told = {cue for word in _SPOKEN.findall(folded) for cue in _told_by(word)}
    if _ANY_PHRASE.search(folded):
        told.update(cue for cue, pattern in _PHRASES.items() if pattern.search(folded))
    if not folded.isascii():
        told.update(cue for cue, pattern in _CHINESE.items() if pattern.search(folded))
    return [cue for cue in CUES if cue in told]


def plain(sentence: str) -> str:
    """Return the sentence as the patterns of cues.toml are written for: folded, with straight apostrophes."""
    return fold(sentence).replace("’", "'")


def patterns_of(group: str) -> dict[str, re.Pattern[str]]:
    """Return the patterns of the tables under `group` in cues.toml: "asks" of questions, "has" of parts."""
    return {name: _pattern(table) for name, table in _TOLD[group].items()}


def _pattern(table: Mapping[str, Sequence[str]]) -> re.Pattern[str]:
    """Return a pattern of a table's fragments, the English ones as whole words."""
    english = _whole(table["english"]) if "english" in table else ""
    return re.compile("|".join(filter(None, [english, *table.get("chinese", ()), *table.get("written", ())])))


def _whole(fragments: Sequence[str]) -> str:
    return rf"\b(?:{'|'.join(fragments)})\b"


@lru_cache(maxsize=20_000)
def _told_by(word: str) -> tuple[str, ...]:
    """Return the cues that an English word is by itself."""
    return tuple(cue for cue, pattern in _WORDS.items() if pattern.fullmatch(word))


_TOLD: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_OF_ONE = {cue: [one for one in _TOLD[cue]["english"] if not _PARTED.search(one)] for cue in CUES}
_OF_SEVERAL = {cue: [one for one in _TOLD[cue]["english"] if _PARTED.search(one)] for cue in CUES}
_WORDS = {cue: re.compile("|".join(fragments)) for cue, fragments in _OF_ONE.items()}
_PHRASES = {cue: re.compile(_whole(fragments)) for cue, fragments in _OF_SEVERAL.items() if fragments}
_ANY_PHRASE = re.compile(_whole(list(dict.fromkeys(one for every in _OF_SEVERAL.values() for one in every))))
_CHINESE = {cue: re.compile("|".join(_TOLD[cue]["chinese"])) for cue in CUES}

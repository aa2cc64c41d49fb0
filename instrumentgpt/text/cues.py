"""What a sentence does in a diagnosis, told by the everyday words for it, in English and Chinese (cues.toml).

A cue is a hint, and nothing is taken for stated by a cue alone: `outdated` asks for what was said before.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from instrumentgpt.text.terms import fold

CUES = ("out", "denial", "cause", "verdict", "guess")  # tables of cues.toml, and what its comments say

_Table = Mapping[str, Sequence[str]]


def cues_in(sentence: str) -> list[str]:
    """Return what the sentence may do, of CUES.

    >>> cues_in("We can forget about the pump."), cues_in("是供氣管被壓扁造成的")
    (['out', 'denial'], ['cause'])
    """
    folded = plain(sentence)
    return [name for name, pattern in _CUES.items() if pattern.search(folded)]


def plain(sentence: str) -> str:
    """Return the sentence as the patterns of cues.toml are written for: folded, with straight apostrophes."""
    return fold(sentence).replace("’", "'")


def patterns_of(group: str) -> dict[str, re.Pattern[str]]:
    """Return the patterns of the tables under `group` in cues.toml: "asks" of questions, "has" of parts."""
    return {name: _pattern(table) for name, table in _TOLD[group].items()}


def _pattern(table: _Table) -> re.Pattern[str]:
    """Return a pattern of a table's fragments, the English ones as whole words."""
    english = rf"\b(?:{'|'.join(table['english'])})\b" if "english" in table else ""
    return re.compile("|".join(filter(None, [english, *table.get("chinese", ()), *table.get("written", ())])))


_TOLD: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_CUES = {name: _pattern(_TOLD[name]) for name in CUES}

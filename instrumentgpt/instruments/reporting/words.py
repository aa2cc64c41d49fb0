"""The words of a report in both languages, by key."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from instrumentgpt.instruments.findings import Finding
from instrumentgpt.instruments.language import Language

Row = dict[str, Any]
WORDS = Path(__file__).with_name("words.toml")
UNKNOWN = "–"


@cache
def _words() -> dict[str, dict[str, str]]:
    return tomllib.loads(WORDS.read_text(encoding="utf-8"))


def word(key: str, language: Language, *values: object, **named: object) -> str:
    """Return the words of `key` with their values put in.

    >>> word("channel", "zh", 2)
    '通道 2'
    """
    return _words()[key][language].format(*values, **named)


def where(finding: Finding, language: Language) -> str:
    """Return whom a finding concerns."""
    if finding.channel is None:
        return word("device", language)
    return word("channel", language, finding.channel)

"""Investigate: a bigger job thought through, planned in steps, agreed to where it is large, carried out."""

from functools import partial
from pathlib import Path

from instrumentgpt.instruments.language import phrase

say = partial(phrase, Path(__file__).with_name("wording.toml"))


def numbered(texts: list[str]) -> str:
    """Return texts as a numbered list.

    >>> print(numbered(["fetch", "diagnose"]))
    1. fetch
    2. diagnose
    """
    return "\n".join(f"{place}. {text}" for place, text in enumerate(texts, start=1))

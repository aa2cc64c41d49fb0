"""The interview's own sentences (words.toml), in the language of the user."""

import tomllib
from functools import cache
from pathlib import Path

from instrumentgpt.text.language import Language

Told = dict[str, dict[Language, str]]  # key → language → text with {fields}


def words(table: str) -> Told:
    """Return a table of words.toml: labels, open, templates, said or offers."""
    return _told()[table]


def say(key: str, language: Language, **fields: str) -> str:
    """Return the sentence `key` with its fields filled in.

    >>> say("what_else", "zh").split()[-1]
    '要修改什麼？'
    """
    return words("said")[key][language].format(**fields)


@cache
def _told() -> dict[str, Told]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

"""The interview's own sentences (words.toml), in the language of the user."""

from typing import cast

from instrumentgpt.instruments.language import Language
from instrumentgpt.modes.interview.patterns import told

Told = dict[str, dict[Language, str]]  # key → language → text with {fields}


def words(table: str) -> Told:
    """Return a table of words.toml: labels, open, templates, said or offers."""
    return cast(Told, told(__file__)[table])


def say(key: str, language: Language, **fields: str) -> str:
    """Return the sentence `key` with its fields filled in.

    >>> say("what_else", "zh").split()[-1]
    '要修改什麼？'
    """
    return words("said")[key][language].format(**fields)

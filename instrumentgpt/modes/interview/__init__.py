"""The interview: one question at a time until what is wrong, or wanted, can be stated (docs/interview.md)."""

from pathlib import Path
from typing import Any

from instrumentgpt.instruments.language import Language, phrase
from instrumentgpt.instruments.language import table as table_at

TEXTS = Path(__file__).with_name("texts.toml")


def texts(table: str) -> dict[str, Any]:
    """Return a table of texts.toml."""
    return dict(table_at(TEXTS)[table])


def say(key: str, language: Language, table: str = "said", **fields: str) -> str:
    """Return the sentence `key` with its fields filled in.

    >>> say("what_else", "zh").split()[-1]
    '要修改什麼？'
    """
    return phrase(TEXTS, f"{table}.{key}", language, **fields)

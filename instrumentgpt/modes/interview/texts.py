"""The interview's own sentences (texts.toml), in the language of the user."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from instrumentgpt.instruments.language import Language


@cache
def texts(table: str) -> dict[str, Any]:
    """Return a table of texts.toml."""
    told = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return dict(told[table])


def say(key: str, language: Language, table: str = "said", **fields: str) -> str:
    """Return the sentence `key` with its fields filled in.

    >>> say("what_else", "zh").split()[-1]
    '要修改什麼？'
    """
    return str(texts(table)[key][language].format(**fields))

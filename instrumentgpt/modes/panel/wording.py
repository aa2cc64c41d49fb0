"""The panel's own words (words.toml), and names of causes, in the language of the question."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from instrumentgpt.instruments.language import Language, Sentence

TABLE = Path(__file__).with_name("words.toml")


@cache
def words() -> Mapping[str, Mapping[str, str]]:
    """Return every text: key → language → text with {fields}."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def say(key: str, language: Language, **fields: Any) -> str:
    """Return the text `key` in `language`, its fields filled in.

    >>> say("ended_limit", "en", most=3)
    '3 rounds'
    """
    return str(Sentence().format(words()[key][language], **fields))

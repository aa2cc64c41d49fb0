"""What Investigate itself says (wording.toml), in the language of the request."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from instrumentgpt.instruments.language import Language, Sentence

SENTENCES = Path(__file__).with_name("wording.toml")


@cache
def sentences() -> dict[str, dict[str, str]]:
    """Return every sentence: key → language → text with {fields}."""
    return tomllib.loads(SENTENCES.read_text(encoding="utf-8"))


def say(key: str, language: Language, **fields: Any) -> str:
    """Return the sentence `key` in `language`, its fields filled in.

    >>> say("offer_save", "en", ref="gen_report_1")
    'Save gen_report_1'
    """
    return str(Sentence().format(sentences()[key][language], **fields))


def numbered(texts: list[str]) -> str:
    """Return texts as a numbered list.

    >>> print(numbered(["fetch", "diagnose"]))
    1. fetch
    2. diagnose
    """
    return "\n".join(f"{place}. {text}" for place, text in enumerate(texts, start=1))

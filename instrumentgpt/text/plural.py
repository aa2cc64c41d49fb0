"""Sentences with numbers in them: the word that a number wants is written into the sentence."""

import string
from typing import Any


class Sentence(string.Formatter):
    """Fills in fields as str.format does; {count:?line|lines} is the word that goes with the number.

    >>> [Sentence().format("{n} {n:?line|lines}", n=n) for n in (0, 1, 2)]
    ['0 lines', '1 line', '2 lines']
    """

    def format_field(self, value: Any, format_spec: str) -> Any:
        if not format_spec.startswith("?"):
            return super().format_field(value, format_spec)
        one, _, many = format_spec[1:].partition("|")
        return one if value == 1 else many

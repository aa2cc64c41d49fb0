"""Sentences with numbers in them: the word that a number wants is written into the sentence."""

import string
from typing import Any


class Sentence(string.Formatter):
    """Fills in fields as str.format does; {count:?line|lines} is the word that goes with the number.

    >>> [Sentence().format("{n} {n:?line|lines}", n=n) for n in (0, 1, 2)]
    ['0 lines', '1 line', '2 lines']
    >>> Sentence().format("{x:.1f}", x=-0.01), Sentence().format("{x:+.1f}", x=-0.01)
    ('0.0', '+0.0')
    """

    def format_field(self, value: Any, format_spec: str) -> Any:
        """Return `value` as `format_spec` has it; what is rounded to 0 is not negative."""
        if not format_spec.startswith("?"):
            written = str(super().format_field(value, format_spec))
            is_zero = isinstance(value, float) and written.startswith("-") and not written.strip("-0.%")
            return ("+" if "+" in format_spec else "") + written[1:] if is_zero else written
        one, _, many = format_spec[1:].partition("|")
        return one if value == 1 else many

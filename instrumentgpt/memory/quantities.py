"""The numbers of a text with their units, in one form: so that none is lost on the way to a summary."""

from instrumentgpt.memory import claims
from instrumentgpt.memory.measures import amount

Quantity = tuple[str, str]  # a number as it is compared, and its unit, "" without one


def quantities(text: str) -> set[Quantity]:
    """Return the numbers of `text` with their units.

    >>> sorted(quantities("kp 0.120, 4,017 rpm, −5 °C 每 63 秒, at 10.1.1.47 on 2026-02-19"))
    [('-5', '°c'), ('0.12', ''), ('4017', 'rpm'), ('63', 's')]
    """
    padded = f" {text}"  # a sign stands before its number
    return {
        ("-" * padded.startswith(("-", "−"), claim.start - 1) + amount(claim.text), claim.unit)
        for claim in claims.quantities(padded, claims.STATED)
    }

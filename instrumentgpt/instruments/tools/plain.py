"""Numbers and times as JSON can say them."""

import math
from typing import Any

DIGITS = 6  # significant; more than any log carries


def plain(value: Any) -> Any:
    """Return `value` with numbers JSON can write: nan and inf as None, 6 significant digits, no numpy types.

    >>> plain({"kp": float("nan"), "period": 63.0000001, "n": 3, "lines": (1, 2)})
    {'kp': None, 'period': 63.0, 'n': 3, 'lines': [1, 2]}
    """
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if value is None or isinstance(value, bool | str | int):
        return value
    if hasattr(value, "item"):  # a numpy scalar
        return plain(value.item())
    number = float(value)
    return float(f"{number:.{DIGITS}g}") if math.isfinite(number) else None

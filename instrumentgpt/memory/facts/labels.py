"""Names of quantities: under which one a value is filed, and how it is told."""

from functools import lru_cache

from instrumentgpt.memory.terms import fold, quantities


@lru_cache
def filed_names() -> dict[str, str]:
    """Return each name of synonyms.toml, folded → the name that its values are filed under."""
    return {fold(name): names[0] for names in reversed(quantities()) for name in names}


def is_known(parameter: str) -> bool:
    """Return whether the quantity has a name in synonyms.toml."""
    return fold(parameter) in filed_names()


@lru_cache(maxsize=1024)  # a value of each channel has the same
def name_of(parameter: str) -> str:
    """Return how a quantity is told: in both languages, where it has a name in both.

    >>> name_of("fan speed"), name_of("door torque")
    ('fan speed (風扇轉速)', 'door torque')
    """
    names = next((names for names in quantities() if names[0] == parameter), ())
    others = [name for name in names if not name.isascii()][:1]
    return f"{parameter} ({others[0]})" if others else parameter

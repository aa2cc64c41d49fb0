"""The patterns of an interview: TOML beside the module that uses them, compiled over folded text."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from instrumentgpt.memory.terms import fold


@cache
def told(module: str) -> dict[str, Any]:
    """Return the TOML file beside a module, given its `__file__`."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))


def folded(patterns: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern that finds any of `patterns` in text that went through terms.fold.

    >>> bool(folded(["溫度", "heat(?:er)?"]).search("the heater"))
    True
    """
    return re.compile("|".join(f"(?:{fold(one)})" for one in patterns), re.ASCII | re.M)

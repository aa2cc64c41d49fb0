"""Numbers as people write them, the units that they are told in (measures.toml), and what units measure."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from instrumentgpt.memory.terms import fold, in_simplified

_COUNTED = r"(?:zone|tage|step|slot|loop|line|turn|nnel|type|part) \d"  # "zone 1 200" is no 1,200
NUMBER = (  # 4,017 · 11 206 · 4,2 · 1.5e-3
    rf"\d+(?:(?:,\d{{3}})+(?!\d)|(?:(?<!{_COUNTED})[ \u00a0\u202f]\d{{3}})+(?![\d.,]*\d)"
    r"|,\d{1,2}(?!\d|[,.]\d))?(?:\.\d+)?(?:e[-+−]?\d+)?"
)
_GROUPS = re.compile(r"[\s,]")
_DECIMAL_COMMA = re.compile(r",(?=\d{1,2}$)")
_TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_NOT_BEFORE = {"分": "(?![之析佈布])"}  # 三分之一, 分析, 分布


class _Spelling(NamedTuple):
    spelled: str
    unit: str
    measure: str


def _spellings() -> Iterator[_Spelling]:
    """Yield the spellings of measures.toml, in both kinds of Chinese characters."""
    alone: dict[str, dict[str, list[str]]] = {unit: {unit: []} for unit in _TABLE["alone"]}
    for measure, units in {**_TABLE["measures"], **alone}.items():
        for unit, others in units.items():
            for spelled in (unit, *others):
                yield _Spelling(spelled, unit, measure)
                yield _Spelling(in_simplified(spelled), unit, measure)


def _any_of(spellings: Iterable[str]) -> str:
    """Return a pattern of the spellings, the longest first."""
    ordered = sorted(set(spellings), key=lambda spelling: (-len(spelling), spelling))
    return "|".join(
        re.sub(r"^([°%％])(?=\w)", r"\1\\s?", re.escape(spelled)) + _NOT_BEFORE.get(spelled, "")
        for spelled in ordered
    )


_PLAIN = tuple(_spellings())
_PREFIXED, _PREFIXES = _TABLE["prefixed"], _TABLE["prefixes"]
_WITH_PREFIX = [
    _Spelling(f"{prefix}{row.spelled}", f"{prefix}{row.unit}", row.measure)
    for row in _PLAIN
    if row.spelled in _PREFIXED
    for prefix in _PREFIXES
]
_FOLDED = {fold(row.spelled): row for row in reversed([*_PLAIN, *_WITH_PREFIX])}  # the first: ms, not mS
_BARE = _any_of({row.spelled for row in _PLAIN}.difference(_PREFIXED))
_UNIT = rf"[個个]?(?:{_BARE}|[{_PREFIXES}]?(?:{_any_of(_PREFIXED)}))(?:[²³]|\^[-−]?\d|⁻[¹²])?"
_TIMES = r"\s?[·⋅/*]\s?"


def _compound(unit: str) -> str:
    """Return a pattern of units that are multiplied or divided, in brackets too: %/(°C·s)."""
    return rf"{unit}(?:{_TIMES}(?:{unit}|[(（]\s?{unit}(?:{_TIMES}{unit})*\s?[)）]))*"


WRITTEN_UNIT = rf"(?:{_compound(_UNIT)}(?![a-zA-Z0-9]))"  # as it is written: K is no k, MPa no mPa


@lru_cache(maxsize=8192)  # a value is compared with all that it was before
def amount(number: str) -> str:
    """Return a number in one spelling, as it is compared; what is none as it is.

    >>> amount("0.50"), amount("4,017"), amount("4,2"), amount("−5"), amount("±2")
    ('0.5', '4017', '4.2', '-5', '±2')
    """
    plain = _GROUPS.sub("", _DECIMAL_COMMA.sub(".", number)).replace("−", "-")
    try:
        return f"{float(plain):.12g}"
    except ValueError:
        return number


@lru_cache(maxsize=4096)
def unit_of(spelled: str) -> str:
    """Return a unit in one spelling, folded; what is none as it is.

    >>> unit_of("minutes"), unit_of("分鐘"), unit_of("公升 / 分"), unit_of("℃"), unit_of("belts")
    ('min', 'min', 'l/min', '°c', 'belts')
    """
    folded = "".join(fold(spelled).split())
    spelling = _FOLDED.get(folded) or _FOLDED.get(folded.removeprefix("个"))
    if spelling:
        return fold(spelling.unit)
    return "/".join(map(unit_of, folded.split("/"))) if "/" in folded else folded


@lru_cache(maxsize=4096)
def same_measure(unit: str, other: str) -> bool:
    """Return whether two units measure the same thing; one that is not told may be any.

    >>> same_measure("mbar", "Pa"), same_measure("L/min", "毫升/秒"), same_measure("bar", "°C")
    (True, True, False)
    """
    unit, other = unit_of(unit), unit_of(other)
    if not unit or not other or unit == other:
        return True
    if "/" in unit and "/" in other:
        return all(same_measure(a, b) for a, b in zip(unit.split("/"), other.split("/"), strict=False))
    return unit in _FOLDED and other in _FOLDED and _FOLDED[unit].measure == _FOLDED[other].measure

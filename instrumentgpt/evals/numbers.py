"""Numbers of an answer that nobody computed: they stand in no tool's result, no prompt and no question."""

import re
from bisect import bisect_left
from collections.abc import Iterable

UNITS = (
    r"°C|°F|℃|K\b|%|％|mW\b|W\b|mA\b|A\b|V\b|Hz\b"
    r"|ms\b|s\b|秒|min\b|minutes?\b|分鐘|h\b|hours?\b|小時|counts?\b"
)
SCALES = (
    1.0,
    60.0,
    3600.0,
    86400.0,
    100.0,
    0.01,
)  # of seconds as minutes, hours, days; of a share as percent
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_WITH_UNIT = re.compile(rf"(?<![\w.,:-])[±+−-]?({_NUMBER})\s?({UNITS})")
_ANY = re.compile(_NUMBER)
_NOT_SAID = re.compile(r"`[^`\n]*`|\]\([^()\s]*\)")


def without_source(answer: str, known: Iterable[str]) -> list[str]:
    """Return the numbers with a unit of `answer` that none of the texts `known` has, as they are written.

    A number is that of a text where it is rounded, or told in another unit of time or as a percentage.

    >>> without_source("±2.7 °C every 45 s, 12 % too high", ['{"amplitude": 2.709, "period": 45.0}'])
    ['12 %']
    """
    values = sorted({abs(float(found.replace(",", ""))) for text in known for found in _ANY.findall(text)})
    said = _WITH_UNIT.finditer(_NOT_SAID.sub("", answer))
    return list(dict.fromkeys(found[0].strip() for found in said if not _is_known(found[1], values)))


def _is_known(said: str, values: list[float]) -> bool:
    number = float(said.replace(",", ""))
    slack = 0.5 * 10.0 ** -len(said.partition(".")[2]) + 1e-9
    return any(_is_near(number * scale, slack * scale, values) for scale in SCALES)


def _is_near(number: float, slack: float, values: list[float]) -> bool:
    place = bisect_left(values, number - slack)
    return place < len(values) and values[place] <= number + slack

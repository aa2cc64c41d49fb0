"""What a text must not lose when it is told in other words: numbers with units, names of logs and devices."""

import re
from collections.abc import Iterable, Sequence

from instrumentgpt.memory.measures import FOLDED_UNIT, NUMBER, amount, unit_of
from instrumentgpt.memory.reading.statements import log_names
from instrumentgpt.memory.search_query import holds
from instrumentgpt.memory.terms import fold, terms

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_TIMES = {"x": "x", "times": "x", "倍": "x", "行": ""}  # what numbers are followed by as by units
_NAME = re.compile(r"[a-z0-9]+(?:[._:/\-]+[a-z0-9]+)*", re.I)
_QUANTITY = re.compile(
    rf"(?<![a-z0-9.])(?<![a-z\d][,:/\-])(-?{NUMBER})"
    rf"(?:\s?({FOLDED_UNIT}|(?:{'|'.join(_TIMES)})(?![a-z0-9])))?(?![a-z0-9]|[.,:/\-]\d)"
)

Quantity = tuple[str, str]  # a number as it is compared, and its unit, "" without one


def quantities(text: str) -> set[Quantity]:
    """Return the numbers of `text` with their units.

    >>> sorted(quantities("kp 0.120, 4,017 rpm, −5 °C 每 63 秒, at 10.1.1.47 on 2026-02-19"))
    [('-5', '°c'), ('0.12', ''), ('4017', 'rpm'), ('63', 's')]
    """
    folded = _folded(text)
    return {(amount(found[1]), _unit(found[2] or "")) for found in _QUANTITY.finditer(folded)}


def names(text: str) -> set[str]:
    """Return what names something by letters and figures together: logs, addresses, times, orders.

    >>> sorted(names("run_5.log of 10.1.1.47 at 14:20, WO-30629, 5 s, kp"))
    ['10.1.1.47', '14:20', 'run_5.log', 'wo-30629']
    """
    folded = _folded(text)
    found = {one.group() for one in _NAME.finditer(folded) if any(map(str.isdigit, one.group()))}
    numbers = {one.group(1) for one in _QUANTITY.finditer(folded)}
    figures = {one for one in found if one.replace(",", "") in numbers or _QUANTITY.fullmatch(one)}
    return (found - figures) | {_folded(name) for name in log_names(text)}


def lost(before: str, after: str, devices: Sequence[Sequence[str]] = ()) -> list[str]:
    """Return what `before` says and `after` does not, as it is told to people; nothing if all is kept.

    devices  lists of names of one device each: one of them stands for the others

    >>> lost("kp 0.09 on zspr 052, ±0.4 °C, run.log", "kp was 0.09, 0.4 K", [("zspr 052", "10.1.1.47")])
    ['0.4 °c', 'run.log', 'zspr 052']
    """
    kept = quantities(_without(after, devices))
    numbers = {number for number, _ in kept}
    gone = [
        f"{number} {unit}".strip()
        for number, unit in sorted(quantities(_without(before, devices)))
        if (number, unit) not in kept and not (unit == "" and number in numbers)
    ]
    said, told = terms(before), terms(after)
    other = [group[0] for group in devices if _named(group, said) and not _named(group, told)]
    aliases = {_folded(name) for group in devices for name in group}
    return gone + sorted(names(before) - names(after) - aliases) + other


def invented(before: str, after: str) -> list[str]:
    """Return the numbers and names of `after` that `before` does not have.

    >>> invented("kp 0.09", "kp 0.09 swings every 63 s")
    ['63 s']
    """
    known = {number for number, _ in quantities(before)}
    numbers = [
        f"{number} {unit}".strip() for number, unit in sorted(quantities(after)) if number not in known
    ]
    return numbers + sorted(names(after) - names(before))


def _named(group: Iterable[str], said: Sequence[str]) -> bool:
    return any(holds(said, tuple(terms(name))) for name in group)


def _without(text: str, devices: Sequence[Sequence[str]]) -> str:
    """Return `text` without the devices' names, which may hold numbers."""
    folded = _folded(text)
    for name in sorted((_folded(name) for group in devices for name in group), key=len, reverse=True):
        folded = folded.replace(name, " ")
    return folded


def _folded(text: str) -> str:
    """Return `text` folded, with Chinese characters apart from what stands beside them."""
    plain = fold(text).replace("−", "-")
    return re.sub(rf"(?<=[{_HAN}])(?=[^\s{_HAN}])|(?<=[^\s{_HAN}])(?=[{_HAN}])", " ", plain)


def _unit(text: str) -> str:
    return _TIMES[text] if text in _TIMES else unit_of(text)

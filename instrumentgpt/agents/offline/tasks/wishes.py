"""What a request comes to with the words that amended it: other devices, with or without a report."""

import re
from collections.abc import Sequence

from instrumentgpt.instruments.devices import Device, Inventory
from instrumentgpt.instruments.fleet import NUMBERS, devices_meant

_REPORT = r"\breports?\b|\bwrite[- ]?up\b|報告|报告|報表|报表"
_WITHOUT = (
    r"\b(?:without|no|skip|leave out|not)\b[^.,;]{0,12}\breports?\b"
    r"|(?:不要|不用|不需要|免|別|别|省略)[^，。,]{0,4}(?:報告|报告|報表|报表)"
)
_COUNT = rf"(\d{{1,2}}|{'|'.join(NUMBERS)})"
_FIRST = (
    rf"\bonly (?:the )?(?:first )?{_COUNT}\b(?! ?[°%])|\bthe first {_COUNT}\b"
    rf"|前(?:面)?{_COUNT}[台個个份]|只(?:要|看|做|比較|比较)?{_COUNT}[台個个份]"
)
_ADDED = r"\b(?:also|too|plus|add|as well)\b|另外|還有|还有|加上|也"


def wanted_devices(asked: str, amendments: Sequence[str], inventory: Inventory) -> tuple[Device, ...]:
    """Return the devices that a request means as it was amended: "only 052", "the first two", "053 too"."""
    devices = devices_meant(asked, inventory)
    for words in amendments:
        named = devices_meant(words, inventory)
        if named and re.search(_ADDED, words.casefold()):
            devices = tuple(dict.fromkeys((*devices, *named)))
        elif named:
            devices = named
        devices = devices[: _first(words)]
    return devices


def wants_report(asked: str, amendments: Sequence[str] = ()) -> bool:
    """Return whether a report is asked for: the latest that was said of it counts.

    >>> wants_report("compare them and write a report"), wants_report("write a report", ["no report, please"])
    (True, False)
    """
    said = [words for words in (asked, *amendments) if re.search(_REPORT, words.casefold())]
    return bool(said) and not re.search(_WITHOUT, said[-1].casefold())


def _first(words: str) -> int | None:
    """Return how many of the devices are wanted, None if no number is said."""
    found = re.search(_FIRST, words.casefold())
    if not found:
        return None
    count = next(group for group in found.groups() if group)
    return int(count) if count.isdigit() else NUMBERS[count]

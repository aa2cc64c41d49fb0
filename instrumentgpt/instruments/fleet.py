"""Which devices a text means when it speaks of several: by name, or all of them."""

import re

from instrumentgpt.instruments.devices import Device, Inventory, resolve
from instrumentgpt.instruments.mentions import normalised

_NOUN = r"(?:devices?|instruments?|machines?|units?|ovens?|chambers?|furnaces?|controllers?)"
NUMBERS = {word: number for number, word in enumerate(("two", "three", "four", "five", "six"), 2)}
NUMBERS |= {"seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12}
NUMBERS |= {word: number for number, word in enumerate("一二三四五六七八九十", 1)} | {"兩": 2, "两": 2}
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(NUMBERS)})"
_HAN_NOUN = "(?:設備|设备|裝置|装置|儀器|仪器|機台|机台|機器|机器|烤箱|爐子|炉子|爐|炉|機|机)"
_ALL = (
    rf"\b(?:all|every|each|both)(?: of)?(?: the| our| my)?(?: \w+)? {_NOUN}\b"
    r"|\ball of them\b|\bthe (?:whole )?fleet\b"
    rf"|\b(?:the|our|these|those) {_NOUN}s?(?<=s)\b"
    rf"|(?:所有|全部|每一?[台個个]|各台?|全體|全体)(?:的|這些|这些)?{_HAN_NOUN}|(?:全部|所有)都?(?:比|看|查|分析)"
)
_COUNTED = (
    rf"\b(?:the|all|our|these)? ?{_COUNT} (?:\w+ )?{_NOUN}\b",
    rf"{_COUNT}\s*[台部座](?:的|{_HAN_NOUN}|都|自|從|从|比|做|$|[,，、。 ])",
)


def devices_meant(text: str, inventory: Inventory) -> tuple[Device, ...]:
    """Return the devices that `text` names, or all if it speaks of all, or of as many as there are.

    "the two ovens" of six are none: which two must be asked.
    """
    named = resolve(text, inventory).devices
    if named or not inventory.devices:
        return named
    folded = normalised(text)
    if counted := _counted(folded):
        return inventory.devices if counted == len(inventory.devices) else ()
    return inventory.devices if re.search(_ALL, folded) else ()


def speaks_of_several(text: str) -> bool:
    """Return whether `text` speaks of several devices together, whichever they are."""
    folded = normalised(text)
    return _counted(folded) > 1 or bool(re.search(_ALL, folded))


def _counted(folded: str) -> int:
    """Return how many devices are spoken of, 0 if no number is."""
    for pattern in _COUNTED:
        if found := re.search(pattern, folded):
            count = found["count"]
            return int(count) if count.isdigit() else NUMBERS[count]
    return 0

"""What was said of nicknames, and which of them hold after that."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from instrumentgpt.text.terms import fold

Kind = Literal["named", "renamed", "withdrawn"]


@dataclass(frozen=True)
class Naming:
    """One thing a user said of a nickname.

    device  the device, under the first of its names
    kind    "named", "renamed" (it is no other's any more) or "withdrawn" (it is no longer this device's)
    """

    device: str
    nickname: str
    kind: Kind = "named"


def borne(namings: Iterable[Naming]) -> dict[str, tuple[str, ...]]:
    """Return device → its nicknames after what was said in this order; what two devices bear is neither's.

    >>> borne([Naming("a", "Tallinn"), Naming("b", "Tallinn"), Naming("b", "Narva")])
    {'b': ('Narva',)}
    """
    bearers: dict[str, dict[str, str]] = {}
    for one in namings:
        own = bearers.setdefault(key_of(one.nickname), {})
        if one.kind == "renamed":
            own.clear()
        if one.kind == "withdrawn":
            own.pop(one.device, None)
        else:
            own[one.device] = one.nickname
    found: dict[str, list[str]] = {}
    for own in bearers.values():
        if len(own) == 1:
            [(device, nickname)] = own.items()
            found.setdefault(device, []).append(nickname)
    return {device: tuple(nicknames) for device, nicknames in found.items()}


def key_of(nickname: str) -> str:
    """Return what the spellings of one nickname share.

    >>> key_of("Big-Bertha"), key_of("北極") == key_of("北极"), key_of("HP3") == key_of("hp 03")
    ('bigbertha', True, True)
    """
    parts = re.findall(r"\d+|[^\W\d_]+", fold(nickname))
    return "".join(str(int(part)) if part.isdecimal() else part for part in parts)

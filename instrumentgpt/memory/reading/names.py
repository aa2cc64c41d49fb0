"""What a user tells us to call a device: "call 052 Tallinn", `052 is called "Narva"`, 「052 叫北極」."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from instrumentgpt.memory.facts import Names, devices_named
from instrumentgpt.memory.reading.own_words import is_question, own_lines, sentences
from instrumentgpt.memory.terms import fold

_NAME = r"[\"“「『']?(?P<name>[^\W\d_][\w .&’\-]{0,28}?)[\"”」』']?"
_END = r"(?=\s*(?:[,，.。;；!！:：)）]|and\b|$|from now on|please|in future))"
_NAMED = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"(?<!not )(?<!n't )\b(?:call|name|nickname) \0 {_NAME}{_END}",
        rf"\0(?: is|'s)? (?:now )?(?:called|named|nicknamed|known as) {_NAME}{_END}",
        rf"\0\s*(?:就|我們|我们|大家|以後|以后)?(?:叫做|叫作|叫|稱為|称为|稱作|簡稱|简称|暱稱|昵称|綽號|绰号)(?:是|為|为|它)?"
        rf"(?!什[麼么]|甚[麼么]|啥|[個个]?不)\s*{_NAME}{_END}",
    )
)


@dataclass(frozen=True)
class Naming:
    """What somebody calls a device."""

    device: str
    nickname: str


def names_in(text: str, names: Names) -> list[Naming]:
    """Return what a user's `text` says that devices are called.

    >>> names_in("From now on call 052 Tallinn.", (("zspr 052",),))
    [Naming(device='zspr 052', nickname='Tallinn')]
    """
    stated = (row for line in own_lines(text) for row in sentences(line) if not is_question(row))
    namings: list[Naming] = []
    for sentence in stated:
        for start, end, device in devices_named(sentence, names):
            rest = f"{sentence[:start]}\0{sentence[end:]}"
            found = [match["name"] for pattern in _NAMED if (match := pattern.search(rest))]
            new = (name.strip() for name in found if not list(devices_named(name, names)))
            namings += [Naming(device, name) for name in new][:1]
    return namings


def is_name(text: str) -> bool:
    """Return whether `text` can be a nickname: it begins with a letter, so that no number becomes a device.

    >>> is_name("Tallinn"), is_name("60"), is_name("x" * 31)
    (True, False, False)
    """
    return bool(re.fullmatch(_NAME, text))


def nicknames_by_device(namings: Iterable[Naming]) -> dict[str, tuple[str, ...]]:
    """Return device → its nicknames after what was said in this order; the last that got a name has it.

    >>> nicknames_by_device([Naming("a", "Tallinn"), Naming("b", "Tallinn"), Naming("b", "Narva")])
    {'b': ('Tallinn', 'Narva')}
    """
    bearer: dict[str, tuple[str, str]] = {}
    for naming in namings:
        bearer.pop(key_of(naming.nickname), None)
        bearer[key_of(naming.nickname)] = naming.device, naming.nickname
    nicknames_of_device: dict[str, list[str]] = {}
    for device, nickname in bearer.values():
        nicknames_of_device.setdefault(device, []).append(nickname)
    return {device: tuple(nicknames) for device, nicknames in nicknames_of_device.items()}


def key_of(nickname: str) -> str:
    """Return what the spellings of one nickname share.

    >>> key_of("Big-Bertha"), key_of("北極") == key_of("北极"), key_of("HP3") == key_of("hp 03")
    ('bigbertha', True, True)
    """
    parts = re.findall(r"\d+|[^\W\d_]+", fold(nickname))
    return "".join(str(int(part)) if part.isdecimal() else part for part in parts)

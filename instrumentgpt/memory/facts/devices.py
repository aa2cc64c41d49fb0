"""Which device and which channel a text names."""

import re
from collections.abc import Iterator
from functools import lru_cache

from instrumentgpt.memory.terms import fold, in_simplified

Names = tuple[tuple[str, ...], ...]  # of each device: the name it is filed under, then its others

CHANNEL = re.compile(
    r"(?:\b(?:channel|ch|zone|loop)\s*[#.]?\s*(?P<a>\d{1,2})\b"
    r"|第\s*(?P<b>\d{1,2})\s*(?:通道|頻道|频道|區|区)|(?:通道|頻道|频道)\s*(?P<c>\d{1,2}))",
    re.I,
)
_ADDRESS = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")


def channel_in(text: str) -> str:
    """Return the number of the channel that `text` names first, or ""."""
    found = CHANNEL.search(text)
    return next((part for part in found.groups() if part), "") if found else ""


@lru_cache(maxsize=16)
def _devices(names: Names) -> tuple[re.Pattern[str], dict[str, str]]:
    filed: dict[str, str] = {}
    spellings: list[str] = []
    for known in names:
        for name in known:
            words = re.findall(r"\d+|[^\W\d_]+", fold(name)) if not _ADDRESS.fullmatch(name) else [name]
            filed["".join(words)] = known[0]
            spellings.append(r"[\s_\-#]*".join(map(re.escape, words)))
        number = re.search(r"(?<!\d)0\d+$", known[0])
        if number:
            filed[number.group()] = known[0]
            spellings.append(number.group())
    spellings.sort(key=len, reverse=True)
    every = "|".join([*spellings, _ADDRESS.pattern])
    begun = "".join(sorted({one[:1] for one in spellings}))
    return re.compile(rf"(?<![a-z0-9.])(?=[\d{begun}])(?:{every})(?![a-z0-9]|\.\d)", re.I), filed


def devices_named(text: str, names: Names) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and name of each device that `text` names, an unknown address as it is."""
    pattern, filed = _devices(names)
    for found in pattern.finditer(in_simplified(text)):
        told = re.sub(r"[\s_\-#]+", "", fold(found.group()))
        yield found.start(), found.end(), filed.get(told, found.group())


def device_named(text: str, names: Names) -> str:
    """Return the device that `text` names last, an unknown address as it is; "" if it names none."""
    return ([name for _, _, name in devices_named(text, names)] or [""])[-1]


def devices_in(text: str, names: Names) -> tuple[str, ...]:
    """Return every device that `text` names, each once, in order."""
    return tuple(dict.fromkeys(name for _, _, name in devices_named(text, names)))

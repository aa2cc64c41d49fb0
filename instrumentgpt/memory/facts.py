"""One value of one device, what a value can be, and which device and channel a text names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from instrumentgpt.memory.measures import NUMBER, WRITTEN_UNIT
from instrumentgpt.memory.terms import fold, identifiers, in_simplified, quantities


@dataclass(frozen=True)
class Fact:
    """One value that a message states; `channel` and `unit` are "" where there is none."""

    device: str
    channel: str
    parameter: str
    value: str
    unit: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What the value is of; another value of the same key supersedes it."""
        return self.device, self.channel, self.parameter


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


Names = tuple[tuple[str, ...], ...]  # of each device: the name it is filed under, then its others

COUNTING = "一二三四五六七八九十"
CHANNEL = re.compile(
    r"(?:\b(?:channel|ch|zone|loop)\s*[#.]?\s*(?P<a>\d{1,2})\b"
    rf"|第\s*(?P<b>\d{{1,2}}|[{COUNTING}])\s*(?:通道|頻道|频道|區|区)"
    rf"|(?:通道|頻道|频道)\s*(?P<c>\d{{1,2}}|[{COUNTING}](?![{COUNTING}個个])))",
    re.I,
)
ADDRESS = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")


def channel_in(text: str) -> str:
    """Return the number of the channel that `text` names first, or "".

    >>> channel_in("kp of channel 2"), channel_in("第一通道"), channel_in("通道 12"), channel_in("all")
    ('2', '1', '12', '')
    """
    match = CHANNEL.search(text)
    number = next((part for part in match.groups() if part), "") if match else ""
    return str(COUNTING.index(number) + 1) if number and number in COUNTING else number


@lru_cache(maxsize=16)
def _devices(names: Names) -> tuple[re.Pattern[str], dict[str, str]]:
    filed: dict[str, str] = {}
    spellings: list[str] = []
    for device_names in names:
        for name in device_names:
            words = re.findall(r"\d+|[^\W\d_]+", fold(name)) if not ADDRESS.fullmatch(name) else [name]
            filed["".join(words)] = device_names[0]
            spellings.append(r"[\s_\-#]*".join(map(re.escape, words)))
        number = re.search(r"(?<!\d)0\d+$", device_names[0])
        if number:
            filed[number.group()] = device_names[0]
            spellings.append(number.group())
    spellings.sort(key=len, reverse=True)
    every = "|".join([*spellings, ADDRESS.pattern])
    begun = "".join(sorted({spelling[:1] for spelling in spellings}))
    return re.compile(rf"(?<![a-z0-9.])(?=[\d{begun}])(?:{every})(?![a-z0-9]|\.\d)", re.I), filed


def devices_named(text: str, names: Names) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and name of each device that `text` names, an unknown address as it is."""
    pattern, filed = _devices(names)
    for match in pattern.finditer(in_simplified(text)):
        key = re.sub(r"[\s_\-#]+", "", fold(match.group()))
        yield match.start(), match.end(), filed.get(key, match.group())


def device_named(text: str, names: Names) -> str:
    """Return the device that `text` names last, an unknown address as it is; "" if it names none."""
    return ([name for _, _, name in devices_named(text, names)] or [""])[-1]


def devices_in(text: str, names: Names) -> tuple[str, ...]:
    """Return every device that `text` names, each once, in order."""
    return tuple(dict.fromkeys(name for _, _, name in devices_named(text, names)))


VALUE = re.compile(
    rf"(?<![\w.])(?!0\d+(?![\d.,]))(?P<number>[-+−±]?{NUMBER})(?P<unit>\s?{WRITTEN_UNIT})?(?![a-zA-Z]|[\w.]*\d)"
)  # 052 is a name: no quantity is written so
IDENTIFIER = re.compile(r"(?=[\w./\-]*\d)(?P<number>[A-Za-z0-9](?:[\w./\-]*\w)?)(?P<unit>)(?!\w)", re.A)


def value_pattern(parameter: str) -> re.Pattern[str]:
    """Return what finds a value of the quantity: a number with its unit, or what identifies something."""
    return IDENTIFIER if parameter in identifiers() else VALUE


def quantity(match: re.Match[str], unit: str = "") -> tuple[str, str]:
    """Return (value, unit); `unit` is that of its label or column, where the value has none itself."""
    number = match["number"].replace("−", "-").removeprefix("±")
    return number, (match["unit"] or "").strip() or unit


def value_in(text: str) -> tuple[str, str]:
    """Return (value, unit) of what somebody typed as a value; what has no number is a value as it is.

    >>> value_in(" 4,017 rpm"), value_in("off")
    (('4,017', 'rpm'), ('off', ''))
    """
    value = " ".join(text.split())
    match = VALUE.fullmatch(value)
    return quantity(match) if match else (value, "")

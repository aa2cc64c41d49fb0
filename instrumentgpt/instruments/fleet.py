"""Which devices a text means when it speaks of several: by name, by place, all of them, all but some."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instrumentgpt.instruments.devices import Device, Inventory, places
from instrumentgpt.instruments.mentions import normalised
from instrumentgpt.memory.terms import in_simplified

_NOUN = r"(?:devices?|instruments?|machines?|units?|ovens?|chambers?|furnaces?|controllers?|ones?)"
NUMBERS = {word: number for number, word in enumerate(("two", "three", "four", "five", "six"), 2)}
NUMBERS |= {"one": 1, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12}
NUMBERS |= {word: number for number, word in enumerate("一二三四五六七八九十", 1)} | {"两": 2}
PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(NUMBERS)})"
_HAN_NOUN = "(?:设备|装置|仪器|机台|机器|烤箱|炉子|炉|机)"
_ALL = (
    rf"\b(?:all|every|each|both)(?: of)?(?: the| our| my)?(?: \w+)? {_NOUN}\b"
    r"|\ball of them\b|\bthe (?:whole )?fleet\b"
    rf"|\b(?:the|our|these|those) {_NOUN}s?(?<=s)\b"
    rf"|(?:所有|全部|每一?[台个]|各台?|全体)(?:的|这些)?{_HAN_NOUN}|(?:全部|所有)都?(?:比|看|查|分析)"
)
_COUNTED = (
    rf"\b(?:the|all|our|these)? ?{_COUNT} (?:\w+ )?{_NOUN}\b",
    rf"{_COUNT}\s*[台部座](?:的|{_HAN_NOUN}|都|自|从|比|做|$|[,，、。 ])",
)
# What is done with the devices named behind (or, where none is, before) a word; folded, simplified.
_OPERATIONS = {
    "out": r"\b(?:except|excluding|exclude|without|not|skip|drop|remove|leave out|minus|ignore|no|don'?t"
    r"|instead of|other than|apart from|but not|rather than|replace|swap)\b"
    r"|不要|不用|不做|不看|不含|不是|除了|除|去掉|拿掉|跳过|扣掉|排除|省略|删掉|删除|移除|别|略过|把",
    "in": r"\b(?:add|also|too|plus|as well|include|and also)\b|加上|加入|加|也|还有|另外|连",
    "only": r"\b(?:only|just|nothing but)\b|只|仅",
    "swap": r"改成|改为|换成|换|\buse\b|\btake\b|(?<=\d )(?:with|by|for)\b|→|->",
}
_MARK = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _OPERATIONS.items()))
_CLAUSE = re.compile(r"[,，;；.。!！?？\n]|\bbut\b|但是?|而")
_ORDINAL = re.compile(
    rf"\b(?P<last>last)(?: (?P<lasts>{'|'.join(NUMBERS)}|\d))?\b|\bfirst (?P<firsts>{'|'.join(NUMBERS)}|\d)\b"
    rf"|\b(?P<place>{'|'.join(PLACES)})\b|\b(?P<nth>\d{{1,2}})(?:st|nd|rd|th)\b"
    r"|第(?P<han>[一二三四五六七八九十\d]{1,2})[台个部]|前(?:面)?(?P<fronts>[一二两三四五六七八九\d])[台个部份]"
    r"|最后(?P<ends>[一二两三四五六七八九\d])[台个部]"
)
_REPORT = re.compile(r"\breports?\b|\bwrite[- ]?up\b|报告|报表")
_NAMES = re.compile(r"[a-z_\-]*\s?\d[\d.]*|\b(?:and|the|please|pls|yes|ok)\b|[和跟与请、]")
MOST_BESIDE = 2  # words or characters beside names that are nothing but names
_FIRST_COUNT = re.compile(rf"\s*(?:the )?(?P<count>\d|{'|'.join(NUMBERS)})(?: {_NOUN}|[台个份部])?\s*$")


@dataclass(frozen=True)
class Choice:
    """What a text makes of a choice of devices.

    devices   those that are meant now; as they were where it changes nothing
    excluded  those that it takes out by name
    changes   whether it changes which devices are meant
    is_clear  False: it changes them, and does not say which ("without the two upstairs")
    report    whether it asks for a report, or wants none; None: it does not speak of one
    edits     it says what is done with devices ("without 050")
    is_bare   it names devices, and says nothing else of them
    """

    devices: tuple[Device, ...]
    excluded: tuple[Device, ...] = ()
    changes: bool = False
    is_clear: bool = True
    report: bool | None = None
    edits: bool = False
    is_bare: bool = False


def choose(text: str, inventory: Inventory, among: Sequence[Device] = ()) -> Choice:
    """Return what `text` makes of the choice `among`; of no choice, the devices that it means.

    Words say what is done with the devices named behind them, or before them where they name none behind:
    "all except 050", "skip the second one", 「不要 052，改成 055」. What it names without such a word is
    the choice itself.
    """
    folded = in_simplified(normalised(text))
    told: dict[str, list[Device]] = {kind: [] for kind in (*_OPERATIONS, "")}
    unclear, report = False, None
    waiting: list[Device] = []  # named before any word that says what is done with them
    for kind, behind, words in _segments(text, folded, inventory, among):
        if _REPORT.search(words):
            report = kind != "out"
            if not behind:
                continue
        if not kind:
            waiting = behind or waiting
            told[""] += behind
            continue
        if not behind and waiting:
            told[""] = [device for device in told[""] if device not in waiting]
            behind, waiting = waiting, []
        if kind == "swap" and waiting:  # "052 → 055"
            told[""] = [device for device in told[""] if device not in waiting]
            told["out"] += waiting
            waiting = []
        told[kind] += behind
        unclear |= not behind and not (kind == "in" and any(told.values()))
    out, is_all = told["out"], bool(re.search(_ALL, folded))
    added = [*told["in"], *told["swap"]]
    base = list(among) or (list(inventory.devices) if is_all or (out and not added and not told[""]) else [])
    if told["only"] or (told[""] and not told["in"]):
        base = [*told["only"], *told[""]]
    elif told["swap"] and not out:
        base = []
    base += [*told[""], *added]
    if not among and not base and (counted := _counted(folded)):
        base = list(inventory.devices) if counted == len(inventory.devices) else []
    devices = tuple(device for device in dict.fromkeys(base) if device not in out)
    changes = any(told.values())
    if not changes:
        devices = tuple(among) or devices
    rest = _NAMES.sub(" ", _ORDINAL.sub(" ", folded))
    is_bare = bool(told[""]) and len(re.findall(r"[a-z]{2,}|[\u4e00-\u9fff]", rest)) <= MOST_BESIDE
    edits = any(told[kind] for kind in _OPERATIONS)
    return Choice(devices, tuple(dict.fromkeys(out)), changes, not unclear, report, edits, is_bare)


def devices_meant(text: str, inventory: Inventory) -> tuple[Device, ...]:
    """Return the devices that `text` names, or all if it speaks of all, or of as many as there are.

    "the two ovens" of six are none: which two must be asked. What it excludes is not among them.
    """
    return choose(text, inventory).devices


def speaks_of_several(text: str) -> bool:
    """Return whether `text` speaks of several devices together, whichever they are."""
    folded = in_simplified(normalised(text))
    return _counted(folded) > 1 or bool(re.search(_ALL, folded))


def _segments(
    text: str, folded: str, inventory: Inventory, among: Sequence[Device]
) -> Iterator[tuple[str, list[Device], str]]:
    """Yield (what is done, devices named, words) of each stretch of `text` between clauses and such words."""
    named = places(text, inventory)
    named += [(found.start(), device) for found in _ORDINAL.finditer(folded) for device in _at(found, among)]
    marks = [(found.start(), found.lastgroup or "") for found in _MARK.finditer(folded)]
    ends = [(found.start(), "") for found in _CLAUSE.finditer(folded)]
    cuts = sorted({place: kind for place, kind in [(0, ""), *ends, *marks]}.items())
    for (start, kind), (stop, _) in zip(cuts, [*cuts[1:], (len(folded), "")], strict=True):
        words = folded[start:stop]
        behind = [device for place, device in sorted(named, key=lambda one: one[0]) if start <= place < stop]
        if kind == "only" and not behind and (found := _FIRST_COUNT.search(words)):
            behind = list(among[: _number(found["count"])])
        yield kind, behind, words


def _at(found: re.Match[str], among: Sequence[Device]) -> list[Device]:
    """Return the devices of `among` at the places that an ordinal names."""
    told = {name: text for name, text in found.groupdict().items() if text}
    if count := told.get("firsts") or told.get("fronts"):
        return list(among[: _number(count)])
    if count := told.get("lasts") or told.get("ends") or ("1" if "last" in told else ""):
        return list(among[-_number(count) :])
    place = PLACES.index(told["place"]) + 1 if "place" in told else _number(told.get("nth") or told["han"])
    return list(among[place - 1 : place])


def _number(word: str) -> int:
    return int(word) if word.isdigit() else NUMBERS[word]


def _counted(folded: str) -> int:
    """Return how many devices are spoken of, 0 if no number is."""
    for pattern in _COUNTED:
        if found := re.search(pattern, folded):
            return _number(found["count"])
    return 0

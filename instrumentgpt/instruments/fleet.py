"""Which devices a text means when it speaks of several: by name, by place, all of them, all but some."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from instrumentgpt.instruments.devices import Device, Inventory, Resolution, places, resolve, spoken_names
from instrumentgpt.instruments.mentions import normalised
from instrumentgpt.memory.facts import devices_named
from instrumentgpt.memory.terms import in_simplified

_NOUN = r"(?:devices?|instruments?|machines?|units?|ovens?|chambers?|furnaces?|controllers?|ones?)"
_WORDS = "one two three four five six seven eight nine ten eleven twelve"
NUMBERS = {word: number for number, word in enumerate(_WORDS.split(), 1)}
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
    rf"{_COUNT}\s*[台部座](?:的|{_HAN_NOUN}|都|全|自|从|比|做|$|[,，、。 ])",
)
# What is done with devices, by a word right before or right behind their names; folded, simplified.
_OPERATIONS = {
    "out": r"\b(?:(?<=all |ing |one |ody )but|except|excluding|exclude|without|but not|not|skip|drop|remove"
    r"|leave out|minus|ignore|no|don'?t|instead of|other than|apart from|rather than|replace|swap)\b"
    r"|不要|不用|不做|不看|不含|不是|除了|去掉|拿掉|跳过|扣掉|排除|省略|删掉|删除|移除|略过",
    "in": r"\b(?:add|also|(?:in )?too|plus|as well|include|and also)\b|加上|加入|加|也|还有|另外",
    "only": r"\b(?:only|just|nothing but)\b|只要|只做|只看|只|仅",
    "swap": r"改成|改为|换成|换|\buse\b|\btake\b|\b(?:with|by|for)\b|→|->",
}
_MARK = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _OPERATIONS.items()))
# By these alone a first request takes devices out: it may also ask "is it not 053?", "should I replace 053?".
_EXCEPT = re.compile(
    r"but|except|exclud(?:ing|e)|without|but not|skip|leave out|ignore|(?:instead of|(?:other|rather) than)"
    r"|apart from|除了|不要|不含|跳过|扣掉|排除|略过"
)
_CLAUSE = re.compile(r"[,，;；.。!！?？\n]|\bbut\b|但是?|而")
_BETWEEN = re.compile(
    rf"(?:\s|\b(?:the|this|that|those|number|both|do|run|check|{_NOUN})\b|{_HAN_NOUN}|[台部座那这先做看跑])*"
)
_JOINED = re.compile(r"(?:\s|[,、，/&]|\b(?:and|or)\b|[和跟与及或])*")
_AFTER = re.compile(r"(?:\s|\b(?:the|it|please|pls|thanks?|then)\b|[了吧掉进来去请谢要]|一起|一并)*")
_ORDINAL = re.compile(
    rf"\b(?P<last>last)(?: (?P<lasts>{'|'.join(NUMBERS)}|\d))?\b|\bfirst (?P<firsts>{'|'.join(NUMBERS)}|\d)\b"
    rf"|\b(?P<place>{'|'.join(PLACES)})\b|\b(?P<nth>\d{{1,2}})(?:st|nd|rd|th)\b"
    r"|第(?P<han>[一二三四五六七八九十\d]{1,2})[台个部]|前(?:面)?(?P<fronts>[一二两三四五六七八九\d])[台个部份]"
    r"|最后(?P<ends>[一二两三四五六七八九\d])[台个部]"
)
_SHORT = re.compile(  # ".93", "52" of a choice: the end of an address, or of a name; no "50 °C", no "20 min"
    r"(?<![a-z0-9.:/%_-])(?P<dot>\.?)(?P<number>\d{2,3})(?![a-z0-9:/%_°-]|\.\d)"
    r"(?!\s*(?:[°%度秒分点天小个步行]|(?:min|sec|hour|day|step|degree|percent)|[chks]\b))"
)
_REPORT = re.compile(r"\breports?\b|\bwrite[- ]?up\b|报告|报表")
_NO_REPORT = re.compile(
    r"\b(?:without|no|skip|drop|leave out|not|don'?t)\b[^.,;]{0,12}\b(?:reports?|write[- ]?up)\b"
    r"|(?:不要|不用|不需要|免|别|省略)[^，。,]{0,4}(?:报告|报表)"
)
_NAMES = re.compile(r"[a-z_\-]*\s?\d[\d.]*|\b(?:and|the|please|pls|yes|ok)\b|[和跟与请、]")
MOST_BESIDE = 2  # words or characters beside names that are nothing but names
_BESIDE = re.compile(  # @ stands for the device that is named
    r"(?:\b(?:compar|differ|contrast|similar|identical)\w*"
    r"|\b(?:is|are|was|looks?|behaves?)\b[^.?!;。？！]{0,25}? same\b)"
    r"[^.?!;。？！]{0,40}?\b(?:with|to|from|and|as|against)\s+(?:on |the |our |that |device )*@"
    r"|\b(?:versus|vs\.?|than|unlike|against|beside|alongside)\s+(?:the |our |that |device )*@"
    r"|(?:比[較较起]?|[對对][比照]|相[較较]?[於于])(?:一下)?\s*@|[跟和與与同]\s*@[^，。？！,?!]{0,15}?"
    r"(?:比|[對对]照|不同|不一[樣样]|一[樣样](?![設设做處处改調调])|差[別别異异在])",
    re.IGNORECASE,
)
_IN_TIME = re.compile(
    r"\b(?:last|previous|before|earlier|older|since|yesterday|ago)\b|[上前昨]一?[個个份次天]", re.I
)


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

    A word says what is done with devices only right before their names: "all except 050", "skip the second
    one", 「不要 052，改成 055」. Of a choice that is there, also right behind them, with nothing more in the
    clause ("051 拿掉"). "Why is 053 not heating?" does nothing with 053. What is named without such a word
    is the choice itself.
    """
    folded = in_simplified(normalised(text))
    declined = list(_NO_REPORT.finditer(folded))
    by_act, unclear = _devices_by_act(text, folded, inventory, among, [match.span() for match in declined])
    out, named, added = by_act["out"], by_act[""], [*by_act["in"], *by_act["swap"]]
    is_all = bool(re.search(_ALL, folded))
    base = list(among) or (list(inventory.devices) if is_all or (out and not added and not named) else [])
    if by_act["only"] or (named and not by_act["in"]):
        base = [*by_act["only"], *named]
    elif by_act["swap"] and not out:
        base = []
    base += [*named, *added]
    counts_all = _counted(folded) == len(inventory.devices) > len(among) and not any(by_act.values())
    base = list(inventory.devices) if counts_all else base
    edits = any(by_act[kind] for kind in _OPERATIONS) or (counts_all and bool(among))
    changes = edits or bool(named)
    devices = tuple(device for device in dict.fromkeys(base) if device not in out)
    rest = _NAMES.sub(" ", _ORDINAL.sub(" ", folded))
    return Choice(
        devices if changes or not among else tuple(among),
        tuple(dict.fromkeys(out)),
        changes,
        not unclear,
        not declined if _REPORT.search(folded) else None,
        edits,
        bool(named) and len(re.findall(r"[a-z]{2,}|[\u4e00-\u9fff]", rest)) <= MOST_BESIDE,
    )


def _devices_by_act(
    text: str,
    folded: str,
    inventory: Inventory,
    among: Sequence[Device],
    answered: Sequence[tuple[int, int]],
) -> tuple[dict[str, list[Device]], bool]:
    """Return what is done ("": nothing in particular) → devices, and whether such a word has no devices.

    answered  spans of `folded` that speak of something else
    """
    groups = _groups(text, folded, inventory, among)
    by_act: dict[str, list[Device]] = {kind: [] for kind in (*_OPERATIONS, "")}
    done: dict[int, str] = {}
    unclear = False
    for mark in _MARK.finditer(folded):
        kind = mark.lastgroup or ""
        if kind == "out" and not among and not _EXCEPT.fullmatch(mark[0]):
            continue
        if any(start <= mark.start() < stop for start, stop in answered):
            continue
        behind = [place for place, group in enumerate(groups) if group[0] >= mark.end()][:1]
        before = [place for place, group in enumerate(groups) if group[1] <= mark.start()][-1:]
        if behind and _BETWEEN.fullmatch(folded, mark.end(), groups[behind[0]][0]):
            is_swapped = before and _BETWEEN.fullmatch(folded, groups[before[0]][1], mark.start())
            if kind == "swap" and is_swapped and not done.get(before[0]) and mark[0] in ("with", "by", "for"):
                continue  # "compare 050 with 051"
            if kind == "swap" and is_swapped:
                done[before[0]] = "out"
            done[behind[0]] = kind
        elif among and before and _ends_clause(folded, groups[before[0]][1], mark.start(), mark.end()):
            is_added = kind == "in" and "out" not in done.values()  # "take 054 in too"
            done |= {before[0]: kind} if is_added or before[0] not in done else {}
        elif among and kind != "swap":
            unclear |= not (kind == "in" and done)
    for place, (_, _, devices) in enumerate(groups):
        by_act[done.get(place, "")] += devices
    return by_act, unclear


def _ends_clause(folded: str, start: int, mark: int, stop: int) -> bool:
    """Return whether the word at `mark` is on what ends at `start`, with nothing behind it in its clause."""
    end = _CLAUSE.search(folded, stop)
    if not _AFTER.fullmatch(folded, stop, end.start() if end else len(folded)):
        return False
    clauses = [match.end() for match in _CLAUSE.finditer(folded, start, mark)]
    return bool(_BETWEEN.fullmatch(folded, clauses[-1] if clauses else start, mark))


def _groups(
    text: str, folded: str, inventory: Inventory, among: Sequence[Device]
) -> list[tuple[int, int, list[Device]]]:
    """Return (start, stop, devices) of each stretch of `text` that names devices one after the other."""
    named = [(start, stop, [device]) for start, stop, device in places(text, inventory)]
    named += [(*match.span(), _at(match, among)) for match in _ORDINAL.finditer(folded) if among]
    for match in _SHORT.finditer(folded) if among else ():
        if owners := device_ending(inventory, match["number"], bool(match["dot"])):
            named.append((*match.span(), owners))
    groups: list[tuple[int, int, list[Device]]] = []
    for start, stop, devices in sorted(named, key=lambda span: span[:2]):
        if groups and _JOINED.fullmatch(folded, groups[-1][1], start):
            groups[-1] = (groups[-1][0], stop, [*groups[-1][2], *devices])
        elif not groups or start >= groups[-1][1]:
            groups.append((start, stop, devices))
    return groups


def devices_meant(text: str, inventory: Inventory) -> tuple[Device, ...]:
    """Return the devices that `text` names, or all if it speaks of all, or of as many as there are.

    "the two ovens" of six are none: which two must be asked. What it excludes is not among them.
    """
    return choose(text, inventory).devices


def speaks_of_several(text: str) -> bool:
    """Return whether `text` speaks of several devices together, whichever they are."""
    folded = in_simplified(normalised(text))
    return _counted(folded) > 1 or bool(re.search(_ALL, folded))


def _at(match: re.Match[str], among: Sequence[Device]) -> list[Device]:
    """Return the devices of `among` at the places that an ordinal names."""
    words = {name: text for name, text in match.groupdict().items() if text}
    if count := words.get("firsts") or words.get("fronts"):
        return list(among[: _number(count)])
    if count := words.get("lasts") or words.get("ends") or ("1" if "last" in words else ""):
        return list(among[-_number(count) :])
    at = PLACES.index(words["place"]) + 1 if "place" in words else _number(words.get("nth") or words["han"])
    return list(among[at - 1 : at])


def device_ending(inventory: Inventory, number: str, is_address: bool) -> list[Device]:
    """Return the one device whose address, or also whose name, ends with `number`; else []."""
    ends = re.compile(rf"(?<!\d)0*{number}(?= |$)")
    names = [device.ip if is_address else f"{device.ip} {device.name}" for device in inventory.devices]
    owners = [device for device, name in zip(inventory.devices, names, strict=True) if ends.search(name)]
    return owners if len(owners) == 1 else []


def _number(word: str) -> int:
    return int(word) if word.isdigit() else NUMBERS[word]


def _counted(folded: str) -> int:
    """Return how many devices are spoken of, 0 if no number is."""
    matches = (re.search(pattern, folded) for pattern in _COUNTED)
    return next((_number(match["count"]) for match in matches if match), 0)


def asked_about(text: str, inventory: Inventory, device_scope: str | None) -> Resolution:
    """Return the devices that a question is about, first the one that it turns to, and those nobody knows.

    device_scope  address or name of the device that the conversation is about: it stays the one where the
                  question only sets another beside it
    """
    named = resolve(text, inventory)
    current = inventory.known_as(device_scope)
    if current is None or len(named.devices) != 1 or current in named.devices:
        return named
    if not _is_set_beside(text, named.devices[0], inventory):
        return named
    return Resolution((current, *named.devices), named.unknown)


def _is_set_beside(text: str, device: Device, inventory: Inventory) -> bool:
    """Return whether `text` names the device as what something is compared with, now and not in time."""
    named = devices_named(text, tuple(spoken_names(inventory)))
    places = ((start, end) for start, end, name in named if name == device.name)
    return not _IN_TIME.search(text) and any(
        _BESIDE.search(f"{text[:start]}@{text[end:]}") for start, end in places
    )

"""Values that a user states in explicit shapes: `key: value`, "kp of channel 2 is 7", "no, kp is 0.12".

Read is a sentence that says nothing else. Whatever more it says may ask, suppose, plan, quote others or speak
of the past; so may one that names several devices. What is not read is found again as words.
"""

import re
from functools import cache

from instrumentgpt.memory.facts import (
    CHANNEL,
    Fact,
    Names,
    channel_in,
    devices_in,
    devices_named,
    filed_names,
    quantity,
    value_pattern,
)
from instrumentgpt.memory.measures import same_measure
from instrumentgpt.memory.reading.constraints import constraints_in
from instrumentgpt.memory.reading.own_words import is_question, own_lines, sentences
from instrumentgpt.memory.terms import fold, units_of

_NOT = r"(?:\s*,?\s*(?:and )?(?:not|instead of|不是|而不是|而非)\s*[\d.]+)"
_CHANGED = r"(?:set|changed|raised|lowered|put)"
_TO = r"(?:from \S+ )?(?:back )?to\b"
_LEAD = (  # what may stand before the quantity; \0 is a device or a channel
    r"(?:(?:ok|done|now|and|so|sorry|no|nope|correction|actually|wrong|oops|i mean|i meant|currently|today"
    r"|the|its|our|my|(?:on|for|at|in) (?=\0)|更正|不对|错了|不是|抱歉|其实|应该是"
    r"|现在|目前|刚才|刚刚|今天|已经?|我们?|把|将|(?:(?<=不对,)|(?<=更正:))\0\s*的|\0\s*的(?=.*[设改调升降换]))(?![a-z])|\W)*"
)
_DONE = rf"(?P<done>(?:we|i)(?:'ve| have)?(?: just| now)? {_CHANGED} (?:the |its |our |my )?)?"
_OF = r"(?:\s*(?:of|on|for|at|in)\s+(?:the\s+|its\s+)?\0|\s*\(?\0\)?)*\s*(?:(?:value|setting|值|设定)\s*)?"
_IS = (
    r"(?:[:=]|(?:is|are|should be|reads|equals|stands at)(?: (?:now|currently|still|back|set|at|to))*(?!\w)"
    rf"|(?:is|are|was|were|ha(?:s|ve) been) {_CHANGED} {_TO}"
    r"|(?:现在|目前|已经?|仍|还)*(?:应该?)?(?:是|为|等于|(?:(?<=已)|(?<=经)|(?=.*了))[设改调升降换]定?[为成到]))?"
)
_REST = re.compile(  # after the value
    rf"(?:\0|\s|了|now|again|already|today|(?:of|on|for|at|in) (?=\0)|{_NOT})*[.。!;；]?"
)


_ORDER = re.compile(  # what is to be done was not
    r"\W*(?:(?:please|pls|just|now|then|let's)\s+)*(?:set|change|put|raise|lower|increase|decrease|reduce|drop|try"
    r"|use|make|double|halve|turn)\b|\W*(?:请|帮)|\W*(?:把|将)(?!.*了)",
)
_MORE = re.compile(r"[,;、]|(?:and|but)\b")


@cache
def _names() -> tuple[str, dict[str, str]]:
    """Return a pattern of the names of quantities in folded text, and name → the one it is filed under."""
    filed = filed_names()
    spelled = sorted(filed, key=len, reverse=True)
    latin = "|".join(re.escape(name).replace(r"\ ", r"[\s_\-]+") for name in spelled if name.isascii())
    han = "|".join(re.escape(name) for name in spelled if not name.isascii())
    return rf"(?<![a-z0-9_])(?:{latin})(?![a-z0-9_])|(?:{han})", filed


@cache
def _stated() -> re.Pattern[str]:
    """Return what finds a quantity that is stated to be, up to its value."""
    return re.compile(rf"{_LEAD}{_DONE}(?P<name>{_names()[0]}){_OF}(?(done){_TO}|{_IS})\s*")


def _one_spelling(name: str) -> str:
    return " ".join(re.split(r"[\s_\-]+", name))


def parameter_named(label: str) -> str:
    """Return the name of synonyms.toml under which `label` is filed, "" if it has none.

    >>> parameter_named("Proportional gain"), parameter_named("比例增益"), parameter_named("door torque")
    ('kp', 'kp', '')
    """
    return _names()[1].get(_one_spelling(fold(label).strip(" *:")), "")


def recorded_value(device: str, channel: str, label: str, value: str, unit: str = "") -> Fact | None:
    """Return what is put on record without prose around it; None if it is no value of the quantity.

    >>> recorded_value("oven 7", "2", "proportional gain", "0.12")
    Fact(device='oven 7', channel='2', parameter='kp', value='0.12', unit='')
    >>> recorded_value("oven 7", "", "kp", "too high"), recorded_value("oven 7", "", "period", "9", "°C")
    (None, None)
    """
    parameter = parameter_named(label) or " ".join(fold(label).split())
    match = value_pattern(parameter).fullmatch(" ".join(value.split()))
    if not parameter or not match:
        return None
    number, unit = quantity(match, unit)
    return Fact(device, channel, parameter, number, unit) if measures(parameter, unit) else None


def values_in(text: str, device: str, names: Names = ()) -> list[Fact]:
    """Return the values that a user's `text` states, the last of each key, in order.

    device  whose they are where the text names none; "": nobody can say, and they are not taken

    >>> values_in("kp of channel 2 is 7 now, should we go to 12?", "oven 7")
    []
    >>> values_in("No, kp is 0.12, not 0.09.", "oven 7")
    [Fact(device='oven 7', channel='', parameter='kp', value='0.12', unit='')]
    """
    newest: dict[tuple[str, str, str], Fact] = {}
    alone = devices_in(text, names)
    announced = alone[0] if len(alone) == 1 else device if not alone else ""
    stated = ((line, sentence) for line in own_lines(text) for sentence in sentences(line))
    for line, sentence in stated:
        named = devices_in(sentence, names)
        if named and line.rstrip().endswith((":", "：")):
            announced = named[0] if len(named) == 1 else announced
        scope = named[0] if named else announced
        fact = _of_sentence(sentence, scope, names) if scope and len(named) < 2 else None
        if fact:
            newest.pop(fact.key, None)
            newest[fact.key] = fact
    return list(newest.values())


def doubts_in(text: str, device: str, names: Names = ()) -> list[Fact]:
    """Return the numbers beside quantities in a user's `text`, understood or not; none of questions, orders.

    What was told as current and differs from it may hold no longer: nobody can say. `device` is "" where
    nobody can tell whose it is.

    >>> doubts_in("Somebody took kp up to 12 last night. Why is ki 3? Raise kp to 15.", "oven 7")
    [Fact(device='oven 7', channel='', parameter='kp', value='12', unit='')]
    """
    doubts = []
    for sentence in (row for line in own_lines(text) for row in sentences(line)):
        plain, channel = _without_names(sentence, names)
        named = {_names()[1][_one_spelling(name)] for name in re.findall(_names()[0], fold(plain))}
        if not named or is_question(sentence) or _ORDER.match(fold(sentence)) or constraints_in(sentence):
            continue
        doubts += [
            Fact(owner, channel, parameter, number, unit)
            for parameter in sorted(named)
            for number, unit in map(quantity, value_pattern(parameter).finditer(plain))
            if measures(parameter, unit)
            for owner in devices_in(sentence, names) or (device,)
        ]
    return doubts


def _without_names(sentence: str, names: Names) -> tuple[str, str]:
    """Return a sentence without the devices and channels that it names, and its channel, else ""."""
    for start, end, _ in reversed(list(devices_named(sentence, names))):
        sentence = f"{sentence[:start]}\0{sentence[end:]}"
    return CHANNEL.sub("\0", sentence), channel_in(sentence)


def _of_sentence(sentence: str, device: str, names: Names) -> Fact | None:
    """Return the value that a sentence states; None if it says more than that, but a ban."""
    plain, channel = _without_names(sentence, names)
    folded = fold(plain).replace("’", "'")
    body = plain if len(plain) == len(folded) else folded
    stated = _stated().match(folded)
    if stated is None or is_question(sentence):
        return None
    parameter = _names()[1][_one_spelling(stated["name"])]
    value = value_pattern(parameter).match(body, stated.end())
    rest = value and _REST.match(folded, value.end())
    if value is None or rest is None:
        return None
    more = folded[rest.end() :].strip()
    if more and not (_MORE.match(more) and constraints_in(body[rest.end() :])):
        return None
    number, unit = quantity(value)
    return Fact(device, channel, parameter, number, unit) if measures(parameter, unit) else None


def measures(parameter: str, unit: str) -> bool:
    """Return whether a value in `unit`, "" for none, may be one of `parameter`."""
    kinds = units_of(parameter)
    return (
        not unit
        or not kinds
        or any(kind in unit if kind == "/" else same_measure(unit, kind) for kind in kinds)
    )

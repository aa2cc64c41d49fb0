"""Values that a user states in explicit shapes: `key: value`, "kp of channel 2 is 7", "no, kp is 0.12".

A sentence that asks, supposes, plans, quotes others or speaks of the past states nothing, nor does one that
names several devices; tables and configurations are words, which are found again as such.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from instrumentgpt.memory.facts import (
    CHANNEL,
    VALUE,
    Fact,
    Names,
    channel_in,
    devices_in,
    devices_named,
    filed_names,
    fits,
    is_known,
    quantity,
)
from instrumentgpt.memory.measures import same_measure
from instrumentgpt.memory.reading.constraints import constraints_in
from instrumentgpt.memory.reading.own_words import is_question, own_lines, sentences
from instrumentgpt.memory.terms import fold, units_of

_UNREAL = re.compile(
    r"\b(?:if|would|could|might|may|should|suggest\w*|recommend\w*|propos\w*|try|trying|tried"
    r"|consider\w*|assum\w*|suppos\w*"
    r"|expect\w*|predict\w*|e\.g|example|maybe|perhaps|probably|i think|guess\w*|believe|i'd|want\w*"
    r"|plan\w*|going to|will|about to"
    r"|typical\w*|usual\w*|normal\w*|ideal\w*|default|datasheet|spec|nominal|manual|says|said|told"
    r"|claim\w*|heard|according"
    r"|someone|somebody|other lab|another lab|used to|until|before|when|once|unless|instead of changing"
    r"|not sure|don't know"
    r"|wonder\w*|imagine|like|need\w*|must|never|do not|don't|cannot|can't|keep|stay|below|above|under"
    r"|over|at most|max\w*|min\w*)\b"
    r"|如果|假如|假设|要是|若|建议|可以|可能|试|例如|比如|想|打算|预期|预计|估计|大概|也许|或许|通常|一般|规格|额定|预设|出厂|听说|据说|他说|她说|说是"
    r"|之前|以前|原本|本来|上次|当时|隔壁|别台|别的|理想|应该会|会不会|要不要|不要|别|不能|不可|不准|请|最多|最高|以下|以上|超过|低于|高于|每次|准备|计划"
)
_PAST = re.compile(r"\b(?:was|were|had)\b(?! (?:been )?(?:set|changed|raised|lowered|put)\b)")
_ORDER = re.compile(
    r"^\W*(?:ok |please |pls |now |then |and |so )*(?:set|change|raise|lower|put|make|use|increase"
    r"|decrease|reduce|turn|drop|try)\b|^\W*(?:帮我|麻烦|把|将)(?!.*了)"
)
_CORRECTION = re.compile(  # what may stand before a correction, and makes "should be" state something
    r"^\W*(?:no|nope|sorry|wrong|correction|actually|not quite|oops|i meant|i mean|typo"
    r"|更正|不对|不是|错了|抱歉|应该是|修正|我打错了?|其实)(?![a-z])[\s,，:：.。!！—–-]*"
)
_SHOULD_BE = re.compile(r"\b(?:should (?:be|read|have been)|must be)\b|(?:应该|应)(?:是|为)")
_NAMED_BY = r"(?:\s*(?:of|on|for|at|in)\s+(?:the\s+|its\s+)?\0|\s*\0)*"
_LINK = (
    r"\s*(?:(?:value|setting|值|设定)\s*)?(?:(?:is|are|was|were|has|have|been|now|currently|still|set"
    r"|changed|raised|lowered|put|back|reads|reading|equals|stands|at|to)\b\s*"
    r"|[:=：＝]\s*|(?:现在|目前|已经?|仍|还)?(?:是|为|设为|设定为|设成|设到|设|改为|改成|改到|改|调到|调成|调为|调|降到|升到|换成|等于)(?:了)?\s*|现在"
    r"|目前)+(?:about |around |约)?"
)
_TIED = re.compile(_NAMED_BY + _LINK + _NAMED_BY)
_TAIL_OF_VALUE = re.compile(  # what makes the number a difference, a range or a condition
    r"^\s*(?:too|more|less|higher|lower|above|below|over|under|off\b|away|short|ago|later|times"
    r"|per cent of|of the time|apart|to\s+[-\d]|[-–~到至]\s*\d|or\b|以上|以下|左右的误差|之间|到\s*\d|太)"
)
_TELLS = re.compile(  # a verb that tells: "plot kp", "suggest better gains" only ask for something
    r"\b(?:is|are|was|were|has|have|had|been|went|took|put|back|now|again|\w{2,}ed|\w+['’](?:s|ve|re))\b|[了已回过]|不"
)
_GAIN_SET = re.compile(r"\bgains\b|\btuning\b|增益")
GAINS = ("kp", "ki", "kd", "integral time", "derivative time", "proportional band")
_NOT = re.compile(r"(?:\bnot|\binstead of|\brather than|不是|而不是|而非)\s*$")
_NOT_THAT = re.compile(r"\bnot\b\s*[-\d]|不是\s*[-\d]")
_PAIR = re.compile(r"^(?P<label>[^\W\d_][^:：=|]{0,50}?)(?:\s*[:：=]\s*|\s+(?=[-+±.\d]))(?P<value>\S.*)$")
_CLAUSE_END = re.compile(r"[,;，；、。](?!\d)|\b(?:and|but|so)\b")


@cache
def _names() -> tuple[re.Pattern[str], dict[str, str]]:
    """Return what finds the name of a quantity in folded text, and name → the name that it is filed under."""
    filed = filed_names()
    spelled = sorted(filed, key=len, reverse=True)
    latin = "|".join(re.escape(name).replace(r"\ ", r"[\s_\-]+") for name in spelled if name.isascii())
    han = "|".join(re.escape(name) for name in spelled if not name.isascii())
    return re.compile(rf"(?<![a-z0-9_]){'(?:' + latin + ')'}(?![a-z0-9_])|(?:{han})"), filed


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
    match = VALUE.fullmatch(" ".join(value.split()))
    if not parameter or not match:
        return None
    number, unit = quantity(match, unit)
    is_one = fits(parameter, match) or not is_known(parameter)
    return Fact(device, channel, parameter, number, unit) if is_one and _measures(parameter, unit) else None


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
    scope = alone[0] if len(alone) == 1 else device if not alone else ""
    for fact in _of_lines(own_lines(text), scope, names):
        if fact.device:
            newest.pop(fact.key, None)
            newest[fact.key] = fact
    return list(newest.values())


def doubts_in(text: str, device: str, names: Names = ()) -> list[Fact]:
    """Return what a user's `text` says of quantities without a question, whether or not it is understood.

    What was told as current and differs from it may hold no longer: nobody can say. `device` is "" where
    nobody can tell whose it is, `value` where no number stands in the sentence.

    >>> doubts_in("Somebody took kp up to 12 last night. Why is ki 3?", "oven 7")
    [Fact(device='oven 7', channel='', parameter='kp', value='12', unit='')]
    """
    pattern, filed = _names()
    doubts = []
    for sentence in (row for line in own_lines(text) for row in sentences(line)):
        devices = devices_in(sentence, names) or (device,)
        plain, channel = _without_names(sentence, names)
        folded = fold(plain)
        named = {filed[_one_spelling(name)] for name in pattern.findall(folded)}
        named |= {*GAINS} if _GAIN_SET.search(folded) else set()
        if not named or is_question(sentence) or constraints_in(sentence):
            continue
        numbers = [match for match in VALUE.finditer(plain) if match["number"]]
        for parameter in sorted(named):
            fitting = [quantity(match) for match in numbers if fits(parameter, match)]
            stated = [(number, unit) for number, unit in fitting if _measures(parameter, unit)]
            stated = stated or [("", "")] * bool(_TELLS.search(folded))
            doubts += [Fact(device, channel, parameter, *number) for device in devices for number in stated]
    return doubts


def _of_lines(lines: Sequence[str], device: str, names: Names) -> Iterator[Fact]:
    announced = device
    for line in lines:
        for sentence in sentences(line):
            named = devices_in(sentence, names)
            if len(named) > 1:
                continue
            scope = named[0] if named else announced
            if named and line.rstrip().endswith((":", "：")):
                announced = named[0]
            yield from _of_sentence(sentence, scope, names)


def _without_names(sentence: str, names: Names) -> tuple[str, str]:
    """Return a sentence without the devices and channels that it names, and its channel, else ""."""
    for start, end, _ in reversed(list(devices_named(sentence, names))):
        sentence = f"{sentence[:start]}\0{sentence[end:]}"
    return CHANNEL.sub("\0", sentence), channel_in(sentence)


def _of_sentence(sentence: str, device: str, names: Names) -> Iterator[Fact]:
    body, channel = _without_names(sentence, names)
    if fact := _of_pair(body, device, channel):
        yield fact
        return
    folded = fold(body).replace("’", "'")
    if len(folded) != len(body):
        body = folded
    is_correction = _CORRECTION.match(folded)
    is_contrast = _SHOULD_BE.search(folded) and _NOT_THAT.search(folded)  # "should be 80, not 75"
    start = is_correction.end() if is_correction else 0
    hedged = (
        _SHOULD_BE.sub(lambda match: " is ".ljust(len(match.group())), folded)
        if is_correction or is_contrast
        else folded
    )
    if not (is_question(sentence) or _PAST.search(hedged) or _ORDER.match(hedged[start:])):
        yield from _stated(body, hedged, device, channel, start)


def _stated(body: str, folded: str, device: str, channel: str, start: int) -> Iterator[Fact]:
    pattern, filed = _names()
    for name in pattern.finditer(folded):
        parameter = filed[_one_spelling(name.group())]
        link = _TIED.match(folded, name.end())
        value = VALUE.match(body, link.end()) if link else None
        if value is None or _NOT.search(folded[: value.start()]):
            continue
        clause = folded[start : value.end()] + _CLAUSE_END.split(folded[value.end() :])[0]
        if _holds(parameter, value, body) and not _UNREAL.search(clause):
            yield Fact(device, channel, parameter, *quantity(value))


def _holds(parameter: str, value: re.Match[str], body: str) -> bool:
    measures = _measures(parameter, quantity(value)[1])
    return fits(parameter, value) and measures and not _TAIL_OF_VALUE.match(fold(body[value.end() :]))


def _measures(parameter: str, unit: str) -> bool:
    kinds = units_of(parameter)
    return (
        not unit
        or not kinds
        or any(kind in unit if kind == "/" else same_measure(unit, kind) for kind in kinds)
    )


def _of_pair(body: str, device: str, channel: str) -> Fact | None:
    """Return the value of a line that is nothing but `name: value`, or `name value`."""
    pair = _PAIR.match(body.strip().rstrip("。."))
    if not pair:
        return None
    label, value = pair["label"].replace("\0", " ").strip(" *`"), pair["value"].strip()
    match = VALUE.match(value)
    rest = value[match.end() :] if match else ""
    if not match or not re.fullmatch(r"\s*(?:[(（][^()（）]*[)）])?\s*", rest) or _UNREAL.search(fold(rest)):
        return None
    parameter = parameter_named(label)
    is_one = bool(parameter) and _holds(parameter, match, value)
    return Fact(device, channel, parameter, *quantity(match)) if is_one else None

"""Values without a name of their own: answers to a question for one quantity, and corrections."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from instrumentgpt.text.asked import is_asked
from instrumentgpt.text.facts.clause import Clause
from instrumentgpt.text.facts.devices import CHANNEL, Names, device_named, without_devices
from instrumentgpt.text.facts.fact import Fact
from instrumentgpt.text.facts.heard import Heard, mentions
from instrumentgpt.text.facts.labels import parameter_named
from instrumentgpt.text.facts.values import VALUE, is_identifier, quantity
from instrumentgpt.text.measures import same_measure
from instrumentgpt.text.terms import fold, is_common, stem

ASKED_CHARS = 120  # a longer sentence asks for more than a name
NAME_CHARS = 40  # a longer one that is no question asks for nothing
ASKED_WORDS = 3  # of what is left of it without words of questions
CORRECTION_CHARS = 300
ALIKE = 3.0  # a corrected number is at most so many times the old one
_SENTENCE = re.compile(r"(?<=[!?。！？；;])\s*|(?<=\.)\s+|\n")
_QUESTION_WORDS = re.compile(
    r"\b(?:both|each|same|too|also|ok|okay|thanks|thx|please|pls|hi|hello|check|chek|list|remind|again"
    r"|now|currently"
    r"|what's|whats|how (?:much|many|high|low|fast|long|hot|cold)|by the way|btw|for|of|the|and)\b"
    r"|請問|请问|麻煩|麻烦|謝謝|谢谢|多少|幾|几|目前|現在|现在|兩台|两台|各|也|呢|嗎|吗|的|給我|给我|查一下|看一下|一下|列|抄一份"
    r"|是什麼|是什么|什麼|什么|哪|叫|還|还|再|好|欸|那|個|个|台|我|你|要",
    re.I,
)
_WRONG = re.compile(
    r"\b(?:wrong|incorrect|not (?:right|correct)|no|nope|scratch that|correction|actually|i meant"
    r"|mistyped|typo"
    r"|mis(?:read|spoke|typed)|should (?:be|read|have been)|isn't|wasn't|make (?:it|that)|rather)\b"
    r"|不對|不对|錯|错|更正|應該是|应该是|應為|应为|其實|其实|不是|修正|才對|才对|改成|講反|讲反",
    re.I,
)
_CHANGED = re.compile(
    r"(?:\b(?:ok|okay|done|please|then|so|now|it|is|was|set|put|changed?|moved?|turned|made|back|up|down|to|at"
    r"|let['’]?s|we|rather)\b"
    r"|那|改為|改为|改成|改|調到|调到|調成|调成|調|调|設為|设为|設成|设成|設|设|換成|换成|回到|就|先|再|了|吧|到|成|為|为|\W)*"
    r"(?:\b(?:set|put|changed?|moved?|turned|back|now|make|use|take|go|no(?=\s*[,，]))\b"
    r"|改|調|调|設|设|換|换|回|不(?=\s*[,，])|還是|还是|不如)"
    r"(?:\b(?:it|to|at|now|back|up|down|with|please|instead|then)\b|為|为|成|到|了|吧|好|用|\W)*",
    re.I,
)
_SUPPOSED = re.compile(
    r"\b(?:if|would|could|might|may|try|maybe|perhaps)\b|如果|假如|若|也許|也许|可能|試|试", re.I
)
_DENIED = re.compile(
    r"(?:\bnot|n't|\binstead of|\brather than|\bfrom|不是|並非|并非|而非|非|從|从)\s*$", re.I
)
_EXPLAINED = re.compile(
    r"\b(?:explain\w*|what(?:'s| is| are| does)\b.*\b(?:mean|a|an)\b|difference|how does|how do (?:you"
    r"|people|i))\b"
    r"|什麼是|什么是|是什麼意思|是什么意思|解釋|解释|差在哪|差別|差别|原理|教我|簡單|简单",
    re.I,
)


def asked_label(heard: Heard, names: Names) -> str:
    """Return the quantity that the question before a message asks for; "" if it asks for none, or several."""
    asked = [part for part in _SENTENCE.split(heard.question) if part.strip()][-1:]
    if not asked or len(asked[0]) > ASKED_CHARS:
        return ""
    told = without_devices(asked[0], names)
    if VALUE.search(told) or not (is_asked(asked[0]) or len(told) <= NAME_CHARS):
        return ""
    folded = fold(told)
    named = {parameter for *_, parameter in mentions(folded, heard)}
    if named:
        return named.pop() if len(named) == 1 else ""
    if not is_asked(asked[0]):
        return ""
    left = [
        word
        for word in re.findall(r"[^\W\d_]+", _QUESTION_WORDS.sub(" ", CHANNEL.sub(" ", told)))
        if not is_common(stem(word.casefold()))
    ]
    return parameter_named(" ".join(left)) if 0 < len(left) <= ASKED_WORDS else ""


def is_explained(heard: Heard, names: Names) -> bool:
    """Return whether the question asks how something works in general, and names no device."""
    return bool(_EXPLAINED.search(heard.question)) and not device_named(heard.question, names)


def changed_values(clause: Clause) -> Iterator[tuple[int, Fact]]:
    """Yield the value of a clause that says nothing but that it is a new one: `改為 8.0 °C`, `set it to 40`.

    It is of the one value told last that is of the same measure and size; if there are several, of none.
    """
    values = list(VALUE.finditer(clause.body))
    if len(values) != 1 or not _CHANGED.fullmatch(VALUE.sub(" ", clause.body)):
        return
    alike = [fact for fact in _last(clause.heard, clause.device) if _is_alike(fact, values[0])]
    if len(alike) == 1:
        value, unit = quantity(values[0], alike[0].unit)
        yield values[0].start(), replace(alike[0], value=value, unit=unit)


def corrected(text: str, device: str, names: Names, heard: Heard) -> list[Fact]:
    """Return what a message without a name of a quantity corrects: `wrong, it's 62.2`.

    It is the one value told last that is of the same measure and size; if there are several, nothing.
    """
    if len(text) > CORRECTION_CHARS or not heard.last or not _WRONG.search(text) or _SUPPOSED.search(text):
        return []
    scope = device_named(text, names) or device
    told = CHANNEL.sub(" ", without_devices(text, names))
    values = [found for found in VALUE.finditer(told) if not _DENIED.search(told[: found.start()])]
    values = [found for found in values if found["number"] or is_identifier(found)]
    if len(values) != 1:
        return []
    alike = [fact for fact in _last(heard, scope) if _is_alike(fact, values[0])]
    if len(alike) != 1:
        return []
    value, unit = quantity(values[0], alike[0].unit)
    return [replace(alike[0], value=value, unit=unit)]


def _last(heard: Heard, device: str) -> Sequence[Fact]:
    newest = {fact.key: fact for fact in heard.last if fact.device == device}
    return list(newest.values())


def _is_alike(fact: Fact, found: re.Match[str]) -> bool:
    """Return whether the value can stand in place of the fact's: the same kind, measure, places and size."""
    value, unit = quantity(found)
    held = VALUE.fullmatch(fact.value)
    if held is None or is_identifier(found) != is_identifier(held):
        return False
    if is_identifier(found):
        return value != fact.value and len(value) == len(fact.value)
    if unit:
        return same_measure(unit, fact.unit) and bool(fact.unit)
    old, new = _number(fact.value), _number(value)
    if old is None or new is None or old == new or old * new <= 0:
        return False
    return _places(fact.value) == _places(value) and 1 / ALIKE <= new / old <= ALIKE


def _number(value: str) -> float | None:
    try:
        return float(re.sub(r"[,\s](?=\d{3})", "", value))
    except ValueError:
        return None


def _places(value: str) -> int:
    return len(value.partition(".")[2])

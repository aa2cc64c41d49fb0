"""Values in sentences and in lines such as `key: value`.

What is asked, denied, proposed or supposed is no value; of two that are told the former one is history.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from instrumentgpt.text.asked import is_asked
from instrumentgpt.text.facts.devices import (
    CHANNEL,
    Names,
    channel_in,
    device_named,
    devices_named,
    without_devices,
)
from instrumentgpt.text.facts.fact import Fact
from instrumentgpt.text.facts.heard import Heard, labels_in, mentions
from instrumentgpt.text.facts.labels import is_known, label_and_unit, parameter_named
from instrumentgpt.text.facts.values import VALUE, fits, is_identifier, quantity, same_measure
from instrumentgpt.text.terms import fold

REMARK_WORDS = 3  # behind the value of a label that is no quantity we know
GAP_CHARS = 45  # between a quantity and its value
NEAR_CHARS = 12  # between a value and the quantity that it stands before
SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；;])|\n")
ORNAMENT = re.compile(r"\*\*|__|`|^[\s>]*(?:[-*•·+–]|\d{1,2}[.)、])\s+|^\s*#{1,6}\s+|~~[^~]*~~")
_HAN = re.compile(r"[\u3400-\u9fff]")
_UNREAL = re.compile(  # what is proposed or supposed
    r"\b(?:if|would|should|could|might|may|suggest\w*|recommend\w*|propos\w*|try|consider|assum\w*|suppose"
    r"|e\.g|example"
    r"|wrong|incorrect|mistake|typo|ignore|typical(?:ly)?|usual(?:ly)?|ideal(?:ly)?|datasheet|spec"
    r"|nominal|rated|healthy)\b"
    r"|如果|假如|若|建議|建议|應該|应该|可以|可能|試|试|假設|假设|例如|錯|错|通常|一般|理想|規格|规格|額定|额定|標稱|标称|正常",
    re.I,
)
_OLD = re.compile(
    r"(?:\bnot|n't(?: be)?|\bnever|\bfrom|\binstead of|\brather than|\bprevious(?:ly)?|\bformer(?:ly)?"
    r"|\bwas|\bwere"
    r"|\breplac(?:es|ed|ing)|\bin place of|\bagainst|\bold|\bused to be|\bno longer|\bbefore|不是|並非|并非"
    r"|而非|非|從|从|由"
    r"|原本|原來|原来|原先|原|之前|先前|舊|旧|本來|本来|不再是?|取代|代替|上次|以前|剛才|刚才)"
    r"(?:\s+(?:the|a|an|at|it|its|of))*[\s:：=是為为的,，]*(?:value|值|設定|设定)?\s*$",
    re.I,
)
_OLD_AFTER = re.compile(
    r"^\s*[)）]?\s*(?:before|earlier|previously|until (?:now|today)|作廢|作废|不要用|是錯的|已過期)", re.I
)
_NEW = re.compile(
    r"(?:\bto|\bnow|\bnew|\bcurrently|→|->|=>|改為|改为|改成|改|調到|调到|調為|调为|降到|升到|降至|升至"
    r"|變成|变成|現在是?|现在是?|目前是?|而是|應為|应为|更正為|更正为|更新為|更新为)[\s:：=是為为]*$",
    re.I,
)
_LINK = re.compile(
    r"\b(?:is|are|was|were|be|reads?|reading|equals?|at|of|to|set|now|stands|sits|shows?|measur\w*"
    r"|runs?|running|gives?"
    r"|has|down|up|about|around|averages?|by|says?|keeps?|holds?|remains?|stays?)\b"
    r"|[=:：≈~→]|->|為|为|是|設|设|約|约|目前|現在|现在|(?<!直)到|成|改|讀|读|有|在|值|達|达|等於|等于|調|调|換|换|至|只|剩|寫|写",
    re.I,
)
_DENIED = re.compile(r"(?:\bno|\bwithout(?: any)?|沒有|没有|無|无)\s*$", re.I)
PAIR = re.compile(
    r"(?P<label>[^\s=:：,，;；|(（、][^=:：,，;；|、]{0,50}?)"
    r"\s*(?:[：=]|:(?!(?<=\d:)\d\d))\s*(?P<value>[^,，;；|]+)"  # but a time of day is no pair
)
_BREAK = re.compile(
    r"(?<!\d)[,，](?!\d)|(?<=\d)[,，](?=\s*\D)|[、，；;]|\s(?:and|but|while|whereas|versus|vs\.?)\s|和|與|与|而|跟"
)
_BARE = re.compile(  # a clause that is a name, perhaps a verb, and a value
    r"(?P<label>[^\W\d_][^\d:：=()（）<>≤≥±]{0,38}?)"
    r"\s*(?:(?<![a-z])(?:is|are|=|reads|shows|averages|measures|gives|stands at|sits at|is at|runs at"
    r"|at|now)(?![a-z])"
    r"|為|为|是|設定為|设定为|約|约|目前|現在|现在|[~≈約约])*\s*$",
    re.I,
)
_YES = re.compile(
    r"^\W*(?:yes|yep|yeah|correct|right|indeed|exactly|是|對|对|沒錯|没错|正確|正确|嗯)(?![a-z])", re.I
)
_QUESTION_END = re.compile(r"(?:了?[嗎吗呢]|[?？\s])+$")


@dataclass(frozen=True)
class _Clause:
    """A stretch of a sentence about one device."""

    text: str
    device: str
    channel: str
    heard: Heard

    @cached_property
    def folded(self) -> str:
        return fold(self.text)

    @cached_property
    def body(self) -> str:
        """The text, of the same length as when it is folded."""
        return self.text if len(self.folded) == len(self.text) else self.folded

    def fact(self, parameter: str, found: re.Match[str], unit: str = "") -> Fact:
        told = quantity(found, unit)
        return Fact(self.device, self.channel, self.heard.filed(parameter, self.device, told[1]), *told)


def facts_of_sentences(line: str, device: str, names: Names, heard: Heard) -> Iterator[Fact]:
    """Yield the values that the sentences of a line state, of `device` where they name none."""
    asked = ""
    for sentence in filter(str.strip, SENTENCE.split(line)):
        if asked and _YES.match(sentence):
            yield from _of_sentence(_QUESTION_END.sub("", asked), device, names, heard)
        asked = sentence if is_asked(sentence) else ""
        if not asked:
            yield from _of_sentence(sentence, device, names, heard)


def _of_sentence(sentence: str, device: str, names: Names, heard: Heard) -> Iterator[Fact]:
    carried = ""
    for scope, text in clauses(sentence, device, names):
        told = CHANNEL.sub(" ", without_devices(text, names))
        clause = _Clause(told, scope, channel_in(text), heard)
        found = list(_of_clause(clause))
        if not found and carried:
            found = _carried(clause, carried)
        yield from found
        carried = found[-1].parameter if found else carried or _last_mention(clause)


def clauses(sentence: str, device: str, names: Names) -> list[tuple[str, str]]:
    """Return the stretches of a sentence with the device that each is about.

    >>> clauses("052 runs 3.18 and 053 runs 3.20", "", (("zspr 052",), ("zspr 053",)))
    [('zspr 052', '052 runs 3.18'), ('zspr 053', '053 runs 3.20')]
    """
    if len({name for _, _, name in devices_named(sentence, names)}) < 2:
        return [(device_named(sentence, names) or device, sentence)]
    parts: list[tuple[str, str]] = []
    for piece in filter(str.strip, _BREAK.split(sentence)):
        named = list(devices_named(piece, names))
        starts = [start for start, _, _ in named] or [0]
        starts[0] = 0
        for start, end, at in zip(starts, [*starts[1:], len(piece)], range(len(starts)), strict=True):
            own = named[at][2] if named else parts[-1][0] if parts else device
            parts.append((own, piece[start:end].strip()))
    return parts


def _carried(clause: _Clause, parameter: str) -> list[Fact]:
    """Return the one value of a clause that says nothing of its own quantity: `053 at 3.75`."""
    values = list(VALUE.finditer(clause.body))
    words = re.findall(r"[^\W\d_]+", VALUE.sub(" ", clause.body))
    if len(values) != 1 or len(words) > 2 or not fits(parameter, values[0]) or _UNREAL.search(clause.body):
        return []
    return [clause.fact(parameter, values[0])]


def _last_mention(clause: _Clause) -> str:
    named = mentions(clause.folded, labels_in(clause.folded, clause.heard))
    return named[-1][2] if named else ""


def _of_clause(clause: _Clause) -> Iterator[Fact]:
    """Yield the values of pairs, then those of quantities that have a name, then of bare `name value`."""
    taken: set[int] = set()
    for at, fact in (*_pairs(clause), *_named(clause), *_bare(clause)):
        if at not in taken:
            taken.add(at)
            yield fact


def _pairs(clause: _Clause) -> Iterator[tuple[int, Fact]]:
    for pair in PAIR.finditer(clause.body):
        if _UNREAL.search(clause.body[: pair.end("label")]):
            return
        found = VALUE.search(clause.body, pair.start("value"), pair.start("value") + 80)
        if found is not None and (fact := _of_pair(clause, pair["label"], pair.start("value"), found)):
            yield found.start(), fact


def _of_pair(clause: _Clause, told: str, begun: int, found: re.Match[str]) -> Fact | None:
    """Return the fact that a label has the value, if the label can be a name and the value is one."""
    label, unit = label_and_unit(" ".join(ORNAMENT.sub("", told).split()))
    parameter = parameter_named(label)
    before = found.start() - begun
    if (
        not parameter
        or before > 12
        or not fits(parameter, found)
        or _OLD.search(clause.body[begun : found.start()])
    ):
        return None
    known = is_known(parameter) or fold(parameter) in clause.heard.labels
    if not known and (before > 4 or _goes_on(clause.body[found.end() :])):
        return None
    last = _superseding(clause, begun, found)
    return clause.fact(parameter, last, unit)


def _superseding(clause: _Clause, begun: int, found: re.Match[str]) -> re.Match[str]:
    """Return the value behind the arrow in `0.1 → 0.2`."""
    arrow = re.match(r"\s*(?:→|->|=>)\s*", clause.body[found.end() :])
    return (VALUE.match(clause.body, found.end() + arrow.end()) if arrow else None) or found


def _goes_on(rest: str) -> bool:
    """Return whether what follows the value is more than a remark: then it begins a sentence."""
    rest = re.split(r"[,，;；]", re.sub(r"[（(][^（()）]*[)）]", " ", rest))[0]
    return len(re.findall(r"[^\W\d_]+", rest)) > REMARK_WORDS or len(_HAN.findall(rest)) > REMARK_WORDS + 3


def _named(clause: _Clause) -> Iterator[tuple[int, Fact]]:
    """Yield the values of quantities that have a name, in synonyms.toml or by what was said before."""
    told = mentions(clause.folded, labels_in(clause.folded, clause.heard))
    for at, (start, end, parameter) in enumerate(told):
        stop = told[at + 1][0] if at + 1 < len(told) else len(clause.body)
        begun = told[at - 1][1] if at else 0
        if _DENIED.search(clause.body[:start]):
            continue
        held = clause.heard.held(
            clause.device, clause.channel, clause.heard.filed(parameter, clause.device, "")
        )
        found = _before(clause, begun, start, parameter, held) or _behind(clause, end, stop, parameter, held)
        if found is not None:
            yield found.start(), clause.fact(parameter, found)


def _behind(
    clause: _Clause, start: int, stop: int, parameter: str, held: Fact | None
) -> re.Match[str] | None:
    """Return the value in force among those that follow the name of a quantity, or None."""
    values: list[re.Match[str]] = []
    last = start
    for found in VALUE.finditer(clause.body, start, stop):
        gap = clause.body[last : found.start()]
        alike = held is not None and same_measure(_unit(found), held.unit) and not is_identifier(found)
        linked = values or not gap.strip() or _LINK.search(gap) or _OLD.search(gap) or alike
        if len(gap) > GAP_CHARS or not linked or _UNREAL.search(clause.body[: found.start()]):
            break
        last = found.end()
        if fits(parameter, found) and (held is None or same_measure(_unit(found), held.unit)):
            values.append(found)
    return _in_force(clause, start, values, held)


def _in_force(
    clause: _Clause, start: int, values: Sequence[re.Match[str]], held: Fact | None
) -> re.Match[str] | None:
    """Return which of the values holds now: not one that is called old, nor the one known before."""
    present = [
        found
        for found in values
        if not _OLD.search(clause.body[start : found.start()])
        and not _OLD_AFTER.match(clause.body[found.end() :])
    ]
    renewed = [found for found in present if _NEW.search(clause.body[start : found.start()])]
    if held is not None and len(present) > 1 and not renewed:
        present = [found for found in present if quantity(found)[0] != held.value] or present
    return (renewed[-1:] or present[:1] or [None])[0]  # type: ignore[list-item]


def _before(
    clause: _Clause, begun: int, start: int, parameter: str, held: Fact | None
) -> re.Match[str] | None:
    """Return the value that stands right before the name of a quantity: `0.5 W cooling power`."""
    for found in VALUE.finditer(clause.body, begun, start):
        gap = clause.body[found.end() : start]
        near = not gap.strip() or bool(re.fullmatch(r"\s*(?:of|for|as)\s*(?:the|its)?\s*", gap))
        if near and len(gap) <= NEAR_CHARS and _unit(found) and fits(parameter, found):
            told = clause.body[: found.start()]
            if (
                not _OLD.search(told)
                and not _UNREAL.search(told)
                and same_measure(_unit(found), held.unit if held else "")
            ):
                return found
    return None


def _bare(clause: _Clause) -> Iterator[tuple[int, Fact]]:
    """Yield the values of clauses that are nothing but a name and a value with its unit: `回水 25.7 度`."""
    place = 0
    for piece in re.split(r"([,，、。;；]|\s(?:and|with|while|but)\s)", clause.body):
        found = VALUE.search(piece)
        while found is not None and is_identifier(found):
            found = VALUE.search(piece, found.end())
        if (
            found is not None
            and _unit(found)
            and not _UNREAL.search(piece)
            and not _goes_on(piece[found.end() :])
        ):
            told = _BARE.fullmatch(piece[: found.start()].strip())
            label = told["label"] if told else ""
            parameter = parameter_named(label) if _is_name(label) and not _OLD.search(label) else ""
            if parameter and fits(parameter, found):
                at = VALUE.search(clause.body, place + found.start())
                if at is not None:
                    yield at.start(), clause.fact(parameter, found)
        place += len(piece)


def _is_name(label: str) -> bool:
    """Return whether a bare label is short enough to be a name, and has no verb in front."""
    return len(_HAN.findall(label)) <= 8 and len(label.split()) <= 4


def _unit(found: re.Match[str]) -> str:
    return quantity(found)[1]


def with_value(fact: Fact, found: re.Match[str]) -> Fact:
    """Return the fact with another value, in the unit that is told, or else in its own."""
    told = quantity(found, fact.unit)
    return replace(fact, value=told[0], unit=told[1])

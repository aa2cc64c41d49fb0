"""Values in sentences and in lines such as `key: value`.

What is asked, denied, proposed or supposed is no value; of two that are told the former one is history.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from instrumentgpt.text.asked import is_asked
from instrumentgpt.text.facts.bare import bare_values
from instrumentgpt.text.facts.clause import Clause, clauses
from instrumentgpt.text.facts.devices import Names, without_devices
from instrumentgpt.text.facts.fact import Fact
from instrumentgpt.text.facts.heard import Heard, mentions
from instrumentgpt.text.facts.labels import is_distinct, is_known, label_and_unit, parameter_named
from instrumentgpt.text.facts.named import named_values
from instrumentgpt.text.facts.renewed import hinted_values, renewed_values
from instrumentgpt.text.facts.replies import changed_values
from instrumentgpt.text.facts.values import VALUE, at_last, fits, quantity
from instrumentgpt.text.facts.wording import (
    HAN,
    LINK,
    QUESTION_END,
    REACH_CHARS,
    UNREAL,
    YES,
    is_old,
    is_out,
    is_unreal,
)
from instrumentgpt.text.terms import fold, is_common, stem

REMARK_WORDS = 3  # behind the value of a label that is no quantity we know
CARRIED_WORDS = 3  # beside a value that says nothing of its own quantity
SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；;])|\n")
ORNAMENT = re.compile(r"\*\*|__|`|^[\s>]*(?:[-*•·+–]|\d{1,2}[.)、])\s+|^\s*#{1,6}\s+|~~[^~]*~~")
_PAIR = re.compile(
    r"(?P<label>[^\s=:：,，;；|(（、][^=:：,，;；|、]{0,50}?)"
    r"\s*(?:[：=]|:(?!(?<=\d:)\d\d))\s*(?P<value>[^,，;；|]+)"  # but a time of day is no pair
)
_LAST_WORD = re.compile(r"(?<!\S)[^\W\d_]\S{0,20}$")
_LEAD = re.compile(r"[^\s≈~約约*_`\"'“(（<>≤≥]")  # a word between a label that is no known name and its value
_DENYING = re.compile(  # a label that says what is not meant
    r"^(?:not|never|neither|nor)\b|(?:\b(?:is|are|was|were|but|and)|'s)\s+not\b|n't\b|^(?:不是|並非|并非|而非)",
    re.I,
)
_COUNTS = re.compile(
    r"(?:\b(?:note|step|item|figure|table|page|day|week|run|cycle|lot|batch|part|hypothesis)|#|第)\s?$", re.I
)
_DIGIT = re.compile(r"\d")


def facts_of_sentences(
    line: str, device: str, names: Names, heard: Heard, expected: str = ""
) -> Iterator[Fact]:
    """Yield the values that the sentences of a line state, of `device` where they name none.

    expected  the quantity that was asked for: a value without a name in the first sentence is of it
    """
    if not _DIGIT.search(line):
        return
    asked = before = ""
    for sentence in filter(str.strip, SENTENCE.split(line)):
        if asked and YES.match(sentence):
            yield from _of_sentence(QUESTION_END.sub("", asked), device, names, heard)
            expected = before = ""
        asked = sentence if is_asked(sentence) else ""
        if not asked and _DIGIT.search(sentence):
            told = tuple(
                _of_sentence(sentence, device, names, heard, expected or _left_open(before, names, heard))
            )
            yield from told
            heard = replace(heard, last=told) if told else heard  # "260 is sluggish. No, 245."
            expected = ""
        before = "" if asked else sentence


def _left_open(sentence: str, names: Names, heard: Heard) -> str:
    """Return the quantity that a sentence names last without a value; the next one may tell it."""
    told = without_devices(sentence, names)
    return "" if VALUE.search(told) else _last_mention(fold(told), heard)


def _last_mention(folded: str, heard: Heard) -> str:
    found = mentions(folded, heard)
    return found[-1][2] if found else ""


def _of_sentence(
    sentence: str, device: str, names: Names, heard: Heard, expected: str = ""
) -> Iterator[Fact]:
    carried = expected
    before: Clause | None = None
    for clause in clauses(sentence, device, names, heard):
        found = list(_of_clause(clause)) if _DIGIT.search(clause.text) else []
        if before is not None and not carried:
            carried = _last_mention(before.folded, heard)
        if not found and carried:
            found = _carried(clause, carried) if carried == expected or not _names(clause) else []
        yield from found
        carried = found[-1].parameter if found else carried
        before = clause


def _names(clause: Clause) -> bool:
    """Return whether a clause has words for what its value is of: `gain from 8.5 to 6.8`."""
    words = re.findall(r"[a-zA-Z]+", LINK.sub(" ", VALUE.sub(" ", clause.body)))
    return any(not is_common(stem(word.casefold())) for word in words)


def _carried(clause: Clause, parameter: str) -> list[Fact]:
    """Return the one value of a clause that says nothing of its own quantity: `053 at 3.75`."""
    told = re.split(r"[,，；;。]\s*(?!\d)", clause.body.strip())[0]
    values = [
        found
        for found in VALUE.finditer(told)
        if fits(parameter, found) and not _COUNTS.search(told[: found.start()])
    ]
    values = [found for found in values if quantity(found)[1]] or values
    rest = VALUE.sub(" ", told)
    words = re.findall(r"[a-zA-Z]+", rest)
    if len(values) != 1 or len(words) > CARRIED_WORDS or len(HAN.findall(rest)) > CARRIED_WORDS:
        return []
    before, after = told[: values[0].start()], told[values[0].end() :]
    if is_unreal(before) or is_old(before) or is_out(after):
        return []
    fact = clause.fact(parameter, values[0])
    return [fact] if clause.may_have(fact) else []


def _of_clause(clause: Clause) -> Iterator[Fact]:
    """Yield the values of pairs, then those of quantities that have a name, then of bare `name value`.

    A name that says which of several it is goes before the plain quantity: "the degasser vacuum".
    """
    bare = [
        (one.start, clause.fact(one.parameter, one.found))
        for one in bare_values(clause.body, clause.heard.labels.keys())
    ]
    finer = [(at, fact) for at, fact in bare if is_distinct(fact.parameter)]
    taken: set[int] = set()
    named = [*_pairs(clause), *finer, *named_values(clause), *bare]
    told = (*renewed_values(clause), *named, *hinted_values(clause), *changed_values(clause))
    for at, fact in told:
        if at not in taken and clause.may_have(fact):
            taken.add(at)
            yield fact


def _pairs(clause: Clause) -> Iterator[tuple[int, Fact]]:
    for pair in _PAIR.finditer(clause.body):
        if UNREAL.search(clause.body[: pair.end("label")][-REACH_CHARS:]):
            return
        if _DENYING.search(pair["label"]):
            continue
        found = VALUE.search(clause.body, pair.start("value"), pair.start("value") + 80)
        last = _LAST_WORD.search(pair["label"])  # Ti in "against Ti = 95"
        for label in (pair["label"], last.group() if last else ""):
            fact = _of_pair(clause, label, pair.start("value"), found) if found and label else None
            if found is not None and fact is not None:
                yield found.start(), fact
                break


def _of_pair(clause: Clause, told: str, begun: int, found: re.Match[str]) -> Fact | None:
    """Return the fact that a label has the value, if the label can be a name and the value is one."""
    label, unit = label_and_unit(" ".join(ORNAMENT.sub("", told).split()))
    parameter = parameter_named(label)
    lead = clause.body[begun : found.start()]
    if not parameter or len(lead) > 12 or not fits(parameter, found) or is_old(lead) or is_unreal(lead):
        return None
    known = is_known(parameter) or fold(parameter) in clause.heard.labels
    if not known and (_LEAD.search(LINK.sub(" ", lead)) or _goes_on(clause.body[found.end() :])):
        return None
    return clause.fact(parameter, at_last(found), unit)


def _goes_on(rest: str) -> bool:
    """Return whether what follows the value is more than a remark: then it begins a sentence."""
    rest = re.split(r"[,，;；]", re.sub(r"[（(][^（()）]*[)）]", " ", rest))[0]
    return len(re.findall(r"[^\W\d_]+", rest)) > REMARK_WORDS or len(HAN.findall(rest)) > REMARK_WORDS + 3

"""New values of quantities not named in full: told beside the value known, or with one word of the name."""

import re
from collections.abc import Iterator, Sequence

from instrumentgpt.text.facts.clause import Clause
from instrumentgpt.text.facts.fact import Fact
from instrumentgpt.text.facts.heard import mentions
from instrumentgpt.text.facts.labels import DISTINCT, spellings_of, words_of
from instrumentgpt.text.facts.values import VALUE, is_identifier, quantity
from instrumentgpt.text.facts.wording import OLD_AFTER, PIECE, is_new, is_old, is_out, is_unreal
from instrumentgpt.text.measures import same_measure
from instrumentgpt.text.terms import is_common, terms

_TELLING = re.compile(r"\d.*\d|[^\d\s.]")  # not a single digit: that is everywhere
_TO = re.compile(r"\s*(?:→|->|=>|\bto\b|改|調|调|換|换|變|变|降|升|收|拉|縮|缩|延)", re.I)
_KINDS = frozenset(word for name in DISTINCT for words in spellings_of(name) for word in words)


def renewed_values(clause: Clause) -> Iterator[tuple[int, Fact]]:
    """Yield the new value of a clause that also tells the one known: `9.2 L/min, up from 6.4`."""
    values = [found for found in VALUE.finditer(clause.body) if not is_identifier(found)]
    former = [found for found in values if _is_former(clause.body, found)]
    present = [found for found in values if found not in former]
    if len(former) != 1 or len(present) != 1 or is_unreal(clause.body[: present[0].start()]):
        return
    named = {parameter for *_, parameter in mentions(clause.folded, clause.heard)}
    held = [
        fact
        for fact in _newest(clause)
        if _may_be(fact, named) and _is_same(fact, former[0]) and _measures(fact, present[0])
    ]
    if len(held) > 1:
        spoken = _words(clause.body)
        held = [fact for fact in held if words_of(fact.parameter) & spoken]
    if len(held) == 1:
        value, unit = quantity(present[0], quantity(former[0])[1] or held[0].unit)
        yield present[0].start(), Fact(held[0].device, held[0].channel, held[0].parameter, value, unit)


def _may_be(fact: Fact, named: set[str]) -> bool:
    """Return whether the quantities that a clause names may mean the fact's: "flow" a coolant flow."""
    own = words_of(fact.parameter)
    return not named or any(told <= own for name in named for told in spellings_of(name))


def _is_former(text: str, found: re.Match[str]) -> bool:
    before, after = text[: found.start()], text[found.end() :]
    if is_new(before):
        return False
    return bool(is_old(before) or OLD_AFTER.match(after) or _TO.match(after))


def _is_same(fact: Fact, found: re.Match[str]) -> bool:
    value, unit = quantity(found)
    return value == fact.value and bool(_TELLING.search(f"{value}{unit}")) and same_measure(unit, fact.unit)


def _measures(fact: Fact, found: re.Match[str]) -> bool:
    return same_measure(quantity(found)[1], fact.unit)


def hinted_values(clause: Clause) -> Iterator[tuple[int, Fact]]:
    """Yield values that have one word of a quantity in use beside them, and its unit: `Oil 211 °C`."""
    newest = _newest(clause)
    if not newest:
        return
    place = 0
    for piece in _pieces(clause.body):
        values = [found for found in VALUE.finditer(piece) if not is_identifier(found)]
        if len(values) == 1 and quantity(values[0])[1]:
            fact = _hinted(piece, values[0], newest)
            if fact is not None:
                yield place + values[0].start(), fact
        place += len(piece)


def _pieces(text: str) -> list[str]:
    """Return the text cut behind each comma."""
    return re.split(r"(?<=[,，、；;。])(?!\d)", text)


def _hinted(piece: str, found: re.Match[str], newest: Sequence[Fact]) -> Fact | None:
    before, after = piece[: found.start()], piece[found.end() :]
    if is_unreal(before) or is_old(before) or is_out(after):
        return None
    value, unit = quantity(found)
    spoken = _words(PIECE.split(before)[-1] + " " + after)
    fitting = [fact for fact in newest if fact.unit and same_measure(unit, fact.unit)]
    told = {fact.parameter: len(words_of(fact.parameter) & spoken) for fact in fitting}
    most = max(told.values(), default=0)
    best = [fact for fact in fitting if most and told[fact.parameter] == most]
    if len(best) != 1 or len(words_of(best[0].parameter)) > 2 * most:
        return None
    return Fact(best[0].device, best[0].channel, best[0].parameter, value, unit)


def _newest(clause: Clause) -> list[Fact]:
    """Return the values in force of the clause's device and channel."""
    return [fact for fact in clause.heard.of(clause.device) if fact.channel == clause.channel]


def _words(text: str) -> frozenset[str]:
    """Return the terms of a text that say which quantity it is about."""
    return frozenset(
        term for term in terms(text) if term not in _KINDS and not is_common(term) and not term[0].isdigit()
    )

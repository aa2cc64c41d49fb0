"""Values of quantities that have a name: in synonyms.toml, or by what was said before."""

import re
from collections.abc import Iterator, Sequence

from instrumentgpt.text.facts.clause import Clause
from instrumentgpt.text.facts.fact import Fact
from instrumentgpt.text.facts.heard import mentions
from instrumentgpt.text.facts.labels import is_known, is_measured_in
from instrumentgpt.text.facts.values import VALUE, at_last, fits, is_identifier, quantity
from instrumentgpt.text.facts.wording import (
    COMPOUND,
    CORRECTED,
    DENIED,
    HAN,
    LINK,
    NEW,
    OLD,
    REACH_CHARS,
    UNREAL,
    is_denied,
    is_new,
    is_old,
    is_out,
    is_unreal,
)
from instrumentgpt.text.measures import same_measure

GAP_CHARS = 45  # between a quantity and its value
LEFT_WORDS = 4  # between a quantity and a verb with its value
LEFT_HAN = 3
BRIDGE_WORDS = 2  # between two values of one quantity: "0.1, before that 0.2"
_OF_IT = re.compile(r"\s*(?:(?:of|for|as)\s*(?:the|its)?\s*)?")
_ASIDE = re.compile(r"[,，;；:：—–(（、].*", re.S)
_WORD = re.compile(r"[^\W\d_]+")
_RANGE = re.compile(r"\bfrom\s+\S")


def named_values(clause: Clause) -> Iterator[tuple[int, Fact]]:
    """Yield the value of each quantity that the clause names, with the place where it stands."""
    told = mentions(clause.folded, clause.heard)
    for at, (start, end, parameter) in enumerate(told):
        stop = told[at + 1][0] if at + 1 < len(told) else len(clause.body)
        begun = told[at - 1][1] if at else 0
        if DENIED.search(clause.body[:start]) or is_denied(clause.body, start, end):
            continue
        if is_known(parameter) and COMPOUND.match(clause.body, end):
            continue
        name = clause.heard.filed(parameter, clause.device, "")
        held = clause.heard.held(clause.device, clause.channel, name)
        found = _before(clause, begun, (start, end), parameter, held)
        found = found or _behind(clause, end, stop, parameter, held)
        if found is not None:
            yield found.start(), clause.fact(parameter, found)


def _is_own(parameter: str, found: re.Match[str], held: Fact | None) -> bool:
    """Return whether the value can be one of the quantity: of its kind, and measured like the one known."""
    unit = quantity(found)[1]
    return (
        fits(parameter, found)
        and is_measured_in(parameter, unit)
        and same_measure(unit, held.unit if held else "")
    )


def _before(
    clause: Clause, begun: int, name: tuple[int, int], parameter: str, held: Fact | None
) -> re.Match[str] | None:
    """Return the value that stands right before the name of a quantity: `0.5 W power`, `30 cycles`."""
    for found in VALUE.finditer(clause.body, begun):
        if found.start() >= name[0]:
            return None
        unit = quantity(found)[1]
        counted = found.end() >= name[1]  # the name is the unit
        near = counted or (unit and _OF_IT.fullmatch(clause.body, found.end(), name[0]))
        told = clause.body[: found.start()]
        if (
            near
            and _is_own(parameter, found, held)
            and not is_old(told)
            and not UNREAL.search(told[-REACH_CHARS:])
        ):
            return found
    return None


def _behind(clause: Clause, start: int, stop: int, parameter: str, held: Fact | None) -> re.Match[str] | None:
    """Return the value in force among those that follow the name of a quantity, or None."""
    values: list[re.Match[str]] = []
    last = start
    for found in VALUE.finditer(clause.body, start, stop):
        gap = clause.body[last : found.start()]
        alike = held is not None and bool(held.unit) and not is_identifier(found)
        if len(gap) > GAP_CHARS or is_unreal(clause.body[: found.start()]) or _RANGE.search(gap):
            break
        if not (_is_bridge(gap) if values else _is_linked(gap, alike)):
            break
        last = found.end()
        if _is_own(parameter, found, held):
            values.append(found)
    return _in_force(clause, start, values, held)


def _is_linked(gap: str, alike: bool) -> bool:
    """Return whether what stands between a name and a value ties them: nothing, a verb, or the known unit."""
    if not gap.strip() or CORRECTED.search(gap):
        return True
    aside = _ASIDE.search(gap)
    if aside and _left(aside.group()):
        return False
    if alike:
        return True
    linked = LINK.search(gap) or is_old(gap)
    left = _left(gap)
    return bool(linked) and len(left) <= LEFT_WORDS and len(HAN.findall("".join(left))) <= LEFT_HAN


def _is_bridge(gap: str) -> bool:
    """Return whether what stands between two values says that they are of one quantity."""
    told = bool(is_old(gap) or is_new(gap))
    return len(_left(gap)) <= (BRIDGE_WORDS if told else 0)


def _left(gap: str) -> list[str]:
    """Return the words that say something else than that a value holds or held."""
    return _WORD.findall(LINK.sub(" ", NEW.sub(" ", OLD.sub(" ", gap))))


def _in_force(
    clause: Clause, start: int, values: Sequence[re.Match[str]], held: Fact | None
) -> re.Match[str] | None:
    """Return which of the values holds now: not one that is called old, nor the one known before."""
    present = []
    for found in values:
        after = clause.body[found.end() :]
        if not (is_old(clause.body[start : found.start()]) or is_out(after)):
            present.append(found)
    renewed = [found for found in present if is_new(clause.body[start : found.start()])]
    if held is not None and len(present) > 1 and not renewed:
        present = [found for found in present if quantity(found)[0] != held.value] or present
    chosen = renewed[-1:] or present[:1]
    return at_last(chosen[0]) if chosen else None

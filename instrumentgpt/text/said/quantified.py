"""The numbers and dates of a sentence with what they are of, as far as the words around them say it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

from instrumentgpt.text.measures import FOLDED_UNIT, NUMBER, amount, unit_of
from instrumentgpt.text.terms import fold, telling, terms, things_named

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?:{'|'.join(_MONTHS)})[a-z]*\.?"
_WEEKDAYS = "montuewedthufrisatsun"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|星期|礼拜)[一二三四五六日天]"
_DATE = (
    rf"\d{{1,2}}(?:st|nd|rd|th)?\.? {_MONTH}|{_MONTH} \d{{1,2}}(?!\d)|\d{{1,2}} ?月 ?\d{{1,2}}(?: ?[日号])?"
    r"|\d{4}(?:-\d\d-\d\d|/\d{1,2}/\d{1,2}| ?年 ?\d{1,2} ?月 ?\d{1,2}(?: ?[日号])?)"
    rf"|(?<![\d/])\d{{1,2}}/\d{{1,2}}(?![\d/])|\d{{1,2}}(?:st|nd|rd|th)(?=\W*$|[,.;:!?)]|\s(?:at|and|but|so|now|of|to|till?|until|is|was|ends|then)\b)|{_WEEKDAY}|[一二三四五六七八九十]{{2,3}}[号日]"
)
_VALUE = re.compile(
    r"(?=[\d+\-−–±jfmasondtw周星礼一二三四五六七八九十])"  # what numbers, months and days begin with
    rf"(?<![a-z0-9_./])(?<!\d:)(?<![a-z0-9_]-)(?:(?P<date>{_DATE})|(?P<number>[-+−–±]?{NUMBER})"
    rf"(?P<unit>x|:1(?![\d:])|\s?{FOLDED_UNIT})?(?![a-z0-9_]|[:.,/]\d))",
    re.I,
)
_BECAME = r"改|变|调|升|降|掉|跑|涨|换|放宽|拉长|缩短|延"
_OLD_BEFORE = re.compile(
    r"(?:\b(?:not|never|instead of|rather than|previous(?:ly)?|former(?:ly)?|old|used to be|no longer|before"
    r"|was|were|replac(?:es|ing|ed)|earlier|than|original(?:ly)?)|n't(?: be)?"
    r"|不是|并非|而非|非|原(?:本|来|先|设)?|之前|先前|旧|本来|不再是?|取代|代替|以前)"
    r"(?:[\s:：=是为的,，]|['’]s\b|\b(?:the|it|its|value|of|at|present|\w+['’]s)\b|值)*$"
)
_BEFORE = re.compile(r"\b(?:before|earlier than)(?: the)? $")  # a date: no more than a limit
_FROM_BEFORE = re.compile(r"(?:\bfrom|从|由)\s*$")
_OLD_AFTER = re.compile(
    rf"\s*(?:作废|不对|错|→|->|=>|(?:{_BECAME})(?:成|为|到|至|回)|(?:up |down )?to (?=[-\d])"
    r"|is (?:wrong|out|void|obsolete)|no longer)"
)
_NEW_BEFORE = re.compile(
    rf"(?:\bto|\bnow|→|->|=>|(?:{_BECAME}|更正|修正|增加|减少|提高)(?:成|为|到|至|回)|现在是?|改)[\s:：=是为]*$"
)
_SEGMENT = re.compile(r"[;；,，。()（）|:：=]|\b(?:and|but|while|against|versus|vs)\b|[和与跟]")
_BEHIND = re.compile(r"[;；,，。(（|.]")
_DEVICE = re.compile(r"0\d+")
_ORDINAL = re.compile(
    r"(?:\b(?:channels?|ch|lines?|turns?|zones?|rows?|pages?|no\.?|nr\.?)\s?|#|第\s?|通道\s?)$"
)
_OF = re.compile(r"\s*(?:for|of|as|on|的)\b")
_IDENTIFIER = re.compile(r"(?=[^\d]*\d)(?=[^a-z]*[a-z])[a-z0-9][\w\-]{3,}")  # of a study, a lot, a part
_WORD = re.compile(r"[^\W\d_]")
SAME_THING = 0.75  # likeness of what names the same thing, in whatever words
ENOUGH = 0.5  # likeness from which on two numbers are taken for values of one thing
SUBJECT_SHARE = 0.3  # of two sentences' words, for their only numbers of a unit to be of one thing
AFTER = 24  # characters behind a number that may say what is counted
OLD_WITHIN = 60  # characters before a number that may say it is no more
JUST_BEFORE = 20  # characters before a number that may say it is new, or the number of a channel


@dataclass(frozen=True)
class Quantified:
    """A number or date as written, its unit ("date"), the terms next to it, and whether it is no more."""

    number: str
    unit: str
    label: frozenset[str]
    is_old: bool

    @cached_property
    def size(self) -> float | None:
        """The number without its ±; None for what is none."""
        try:
            return float(self.amount.lstrip("±"))
        except ValueError:
            return None

    @cached_property
    def amount(self) -> str:
        """The number or date in one spelling: 0.5 for 0.50, 12/8 for 12 月 8 日 and 8 December."""
        if self.unit != "date":
            return amount(self.number)
        if not any(map(str.isdecimal, self.number)):
            return _weekday(self.number)
        month = next((at for at, name in enumerate(_MONTHS, 1) if name in self.number), 0)
        digits = [str(int(part)) for part in re.findall(r"\d+", self.number)]
        return "/".join([str(month), *digits] if month else digits[-2:])


def _weekday(told: str) -> str:
    """Return a day of the week in one spelling; a day in Chinese numerals as it is.

    >>> _weekday("thursday"), _weekday("周四"), _weekday("礼拜天"), _weekday("十五号")
    ('day 4', 'day 4', 'day 7', '十五')
    """
    if told.isascii():
        return f"day {_WEEKDAYS.index(told[:3]) // 3 + 1}"
    if told[-1] in "号日" and told[:-1] not in ("周", "星期", "礼拜"):
        return told[:-1]
    return f"day {min('一二三四五六日天'.index(told[-1]), 6) + 1}"


@lru_cache(maxsize=8192)  # the same sentences are asked after in many turns
def quantities_in(text: str) -> tuple[Quantified, ...]:
    """Return the numbers of a sentence; no names (052, channel 2), times of day or identifiers.

    >>> [(one.number, one.unit, one.is_old) for one in quantities_in("kp is 0.12, not 0.09; ramp 2 °C")]
    [('0.12', '', False), ('0.09', '', True), ('2', '°c', False)]
    """
    folded = fold(text)
    found: list[Quantified] = []
    last = 0
    label: frozenset[str] = frozenset()
    for match in _VALUE.finditer(folded):
        number = " ".join((match["date"] or match["number"]).split())
        start = match.start()
        just = max(0, start - JUST_BEFORE)
        if _DEVICE.fullmatch(number) or (
            (number.isdecimal() or match["date"]) and _ORDINAL.search(folded, just, start)
        ):
            continue
        behind = _BEHIND.split(folded[match.end() : match.end() + AFTER], 1)[0]
        before = _label(folded[last : match.start()])
        after = _label(behind) if not before or _OF.match(behind) else frozenset()
        label = before | after or label
        unit = "date" if match["date"] else unit_of(match["unit"] or "")
        if not unit and folded[just:start].endswith("×"):
            unit = unit_of("x")
        is_old = bool(
            _OLD_BEFORE.search(folded, max(0, start - OLD_WITHIN), start)
            or _OLD_AFTER.match(folded, match.end())
        )
        if match["date"]:
            is_old &= not _BEFORE.search(folded, just, start)
        else:
            is_old |= bool(_FROM_BEFORE.search(folded, just, start))
        found.append(Quantified(number.replace("−", "-").replace("–", "-"), unit, label, is_old))
        if _NEW_BEFORE.search(folded, just, start):
            found = [*_with_former(found[:-1], found[-1]), found[-1]]
        last = match.end()
    return tuple(found)


def _with_former(before: Sequence[Quantified], new: Quantified) -> Iterator[Quantified]:
    """Yield the numbers before a new value; those that are of the same thing are no more.

    In "kp 25 → 14, ti 140 → 220" the 140 is of the 220's, the 14 is not.
    """
    for one in before:
        of_it = one is before[-1] or not one.label or not new.label or not one.label.isdisjoint(new.label)
        yield replace(one, is_old=True) if of_it and units_fit(one, new) else one


def _label(words: str) -> frozenset[str]:
    """Return the terms of the last part of `words` that says anything, with the things they name (`#…`)."""
    for part in reversed(_SEGMENT.split(words)):
        spoken = terms(part)
        own = [term for term in telling(spoken) if not term[0].isdigit()]
        if not own and _WORD.fullmatch(part.strip()):
            own = [part.strip()]  # I, in "P, I, D"
        if own:
            return frozenset(own) | {f"#{number}" for number in things_named(spoken)}
    return frozenset()


@lru_cache(maxsize=8192)
def subjects_of(text: str) -> frozenset[str]:
    """Return what the whole sentence speaks of: its telling terms and the things they name (`#…`)."""
    spoken = terms(text)
    own = (term for term in telling(spoken) if not term[0].isdigit())
    return frozenset(own) | {f"#{number}" for number in things_named(spoken)}


class Kind(NamedTuple):
    """What decides of what a number is; a tuple, for it is looked up often.

    unit, label  as of Quantified
    subjects     of its sentence
    is_sole      whether the sentence has no other number of this unit
    """

    unit: str
    label: frozenset[str]
    subjects: frozenset[str]
    is_sole: bool

    @property
    def topics(self) -> frozenset[str]:
        """The terms of which one is shared by whatever is of the same thing."""
        return self.label | self.subjects


@lru_cache(maxsize=8192)
def kinds_in(text: str) -> tuple[Kind, ...]:
    """Return the kind of each of `quantities_in`."""
    found = quantities_in(text)
    units = [one.unit for one in found]
    return tuple(Kind(one.unit, one.label, subjects_of(text), units.count(one.unit) == 1) for one in found)


def units_fit(one: Quantified | Kind, other: Quantified | Kind) -> bool:
    """Return whether both have the same unit, as far as they have one; dates go with dates only."""
    if "date" in (one.unit, other.unit):
        return one.unit == other.unit
    return not one.unit or not other.unit or one.unit == other.unit


@lru_cache(maxsize=32_768)  # the same pairs are compared in many turns
def likeness(one: Kind, other: Kind) -> float:
    """Return from 0 to 1 how much speaks for two numbers to be of one thing.

    The words next to one may stand farther from the other; what shares no topic has none.
    """
    if not units_fit(one, other):
        return 0.0
    near = _share(one.label & other.label, min(len(one.label), len(other.label)))
    mine, theirs = one.subjects, other.subjects
    far = max(_share(one.label & theirs, len(one.label)), _share(other.label & mine, len(other.label)))
    alike = max(near, 0.9 * far)
    if alike < ENOUGH and one.unit and one.unit == other.unit and one.is_sole and other.is_sole:
        shared = mine & theirs
        if len(shared) > 1 and len(shared) >= SUBJECT_SHARE * min(len(mine), len(theirs)):
            alike = ENOUGH
    if one.unit == other.unit == "date" and any(map(_IDENTIFIER.fullmatch, mine & theirs)):
        alike = max(alike, SAME_THING)
    return alike if one.unit == other.unit or near == 1.0 else 0.8 * alike


def _share(both: frozenset[str], of: int) -> float:
    """Return how much of a label is shared; a thing that both name by whatever name counts by itself."""
    if not both:
        return 0.0
    return max(SAME_THING if any(term.startswith("#") for term in both) else 0.0, len(both) / max(1, of))

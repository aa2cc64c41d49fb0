"""What an answer claims in numbers, and whether anything that is known says the same.

A claim is a number with a unit, a decimal, a whole number of two digits or more, a time of the clock, a date,
a device, or the name of a log. List numbers, ordinals, names with digits in them (PSU-7, 0x24) and code
blocks claim nothing.
"""

import json
import math
import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from itertools import permutations
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote

from instrumentgpt.memory.facts import Names, filed_names
from instrumentgpt.memory.measures import NUMBER, WRITTEN_UNIT, amount, unit_of
from instrumentgpt.memory.reading.values import GAINS, parameter_named
from instrumentgpt.memory.terms import fold, in_simplified
from instrumentgpt.memory.values import FIGURES

Kind = Literal["computed", "user", "unknown"]
SCALES = {  # unit → the one that it is compared in, and how many of those it is
    "ms": ("s", 0.001), "min": ("s", 60.0), "h": ("s", 3600.0), "d": ("s", 86400.0), "week": ("s", 604800.0),
    "k": ("°c", 1.0), "mv": ("v", 0.001), "ma": ("a", 0.001), "mw": ("w", 0.001), "kw": ("w", 1000.0),
    "kpa": ("pa", 1000.0), "hpa": ("pa", 100.0), "mbar": ("bar", 0.001), "ml": ("l", 0.001),
    "khz": ("hz", 1000.0), "kb": ("b", 1000.0), "mb": ("b", 1e6), "mm": ("m", 0.001), "cm": ("m", 0.01),
}  # fmt: skip
COUNTED = (
    "b",
    "counts",
    "cycles",
    "steps",
    "turns",
    "pulses",
    "bits",
    "片",
    "趟",
)  # what whole numbers count
IN_SECONDS = ("seconds", "onset", "end", "lag", "sample_period", "dead_time", "tau1", "tau2")
KELVIN = 273.15
FAHRENHEIT = 1.8  # of one degree Celsius
NEAREST = 4  # claims of a sentence that another of it may be worked out from, on either side
_UNIT = rf"(?:[kMG]i?B(?![A-Za-z0-9])|{WRITTEN_UNIT})"
_SPOKEN_RANGE = r"\s?(?:[-–—~～→]|->|to|and|至|到)\s?"
_BEFORE = r"(?<![A-Za-z0-9_.,#/\\:-])"
_AFTER = r"(?![A-Za-z0-9_]|[.:/-]\d)"
_SIGN = r"[-+−±~≈<>≤≥×]?\s?"
_QUANTITY = re.compile(
    rf"{_BEFORE}{_SIGN}(?P<one>{NUMBER})(?:\s?(?P<own>{_UNIT}))?"
    rf"(?:{_SPOKEN_RANGE}{_SIGN}(?P<other>{NUMBER}))?(?:\s?(?P<unit>{_UNIT}))?{_AFTER}"
)
_ANY_NUMBER = re.compile(rf"(?P<one>{NUMBER})(?:\s?(?P<own>{_UNIT}))?(?P<other>)(?P<unit>)")
_GLUED = re.compile(r"\d+\.\d+")
_STAMP = re.compile(r"\d{4}-\d\d-\d\d[ T_](?:\d\d[-:]\d\d[-:]\d\d)?(?:\.\d+)?")
_LINE_WORD = re.compile(r"(?:\blines?|\bl|第)\s?$")
_LINE_NAMED = re.compile(r"(?:\blines?[ =]|\bL ?|第 ?)(\d[\d,]*)|^ *(\d+)(?=[:\t\- ])", re.M)
FILED = filed_names()
_NAME = re.compile(
    rf"(?:^|[^a-z0-9_])({'|'.join(sorted(map(re.escape, FILED), key=len, reverse=True))})"
    r"(?:[\s:=：＝*`_]|\b(?:is|was|of|at|to|from|about|around)\b|[为是约到从由])*[-+−±~≈]?\s?$"
)
NAME_CHARS = 40  # before a number, within which its quantity is named
_CLOCK = re.compile(r"(?<![\d:.])(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))?(?![\d:])")
_DATE = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_LOG = re.compile(r"[\w.\-]*\w\.(?:log|csv|tsv|txt|dat|xlsx|jsonl?|gz)(?:\.gz)?\b", re.I | re.A)
_ADDRESS = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_LINK = re.compile(r"\[(?P<label>[^\]\n]*)\]\((?P<target>[^)\s]*)[^)\n]*\)")
_LINE = re.compile(r"[?&]log=(?P<log>[^&]*)&line=(?P<line>\d+)")
_NO_CLAIM = re.compile(
    r"^```.*?(?:^```|\Z)|^~~~.*?(?:^~~~|\Z)|<!--.*?-->|https?://\S+"
    r"|^[ \t>]*(?:[-*+][ \t]+)?\d{1,3}[.)、](?=\s)|^#+ *\d[\d.]*\s|第\s?\d[\d,]*(?![\d,]|\s?[行条條列])"
    r"|(?<![\w.])v?\d+(?:\.\d+){2}(?![.\d])|\[\^?\d+\](?!\()",
    re.M | re.S,
)
_DIGITS = re.compile(r"\d+")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|[。！？；\n]")


class Claim(NamedTuple):
    """What stands at `start` to `end` of a text; value nan: it is compared as words."""

    start: int
    end: int
    text: str
    value: float = math.nan
    step: float = 0.0  # what its last digit counts
    unit: str = ""  # folded
    name: str = ""  # of the quantity, as it is filed, where it stands before the number
    log: str = ""  # of a link to a line
    seconds: float = math.nan  # a time of the clock, since midnight


class Known(NamedTuple):
    """A number that something known says.

    name   of the quantity, as it is filed; unit: folded; "" where they are not told
    counts whether it only counts things, or names a line: it is no measured quantity
    """

    value: float
    name: str
    unit: str
    counts: bool
    log: str
    line: int


@dataclass(frozen=True)
class Mark:
    """A claim's place in its text, and where it is from: the tool, and the line of a log, if there is one."""

    start: int
    end: int
    kind: Kind
    source: str = ""
    log: str = ""
    line: int = 0


@dataclass
class Source:
    """Something known: what a tool returned, what the user said, what is on record."""

    name: str
    kind: Kind
    text: str
    numbers: list[Known] = field(default_factory=list)  # by value
    clocks: list[float] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        try:
            told = json.loads(self.text)
        except (ValueError, RecursionError):
            told = self.text
        self.numbers = sorted(_numbers_in(told, _Place(is_data=not isinstance(told, str))))
        self.lines = {one.line for one in self.numbers} | set(_lines_in(self.text))
        self.clocks = [_seconds(found) for found in _CLOCK.finditer(self.text)]
        for found in _DATE.finditer(self.text):
            with suppress(ValueError):
                age = (date.today() - date.fromisoformat(found[0])).days
                insort(self.numbers, Known(age - 0.5, "", "d", False, "", 0))  # of some hour of that day
        if isinstance(told, dict | list):  # a JSON escape would hide a name
            self.text = json.dumps(told, ensure_ascii=False)

    @cached_property
    def names(self) -> set[str]:
        """The quantities that it names."""
        return {one.name for one in self.numbers}

    def says(self, claim: Claim) -> Known | None:
        """Return what says the same as `claim`, within the digits that it was written with."""
        if not math.isnan(claim.seconds):
            cut = claim.step or 1.0  # a time is cut as often as it is rounded
            return _SAME if any(-cut / 2 <= one - claim.seconds < cut for one in self.clocks) else None
        if claim.log:
            is_here = int(claim.value) in self.lines and claim.log.casefold() in self.text.casefold()
            return _SAME if is_here and _line_of(claim.text, claim.value) else None
        if math.isnan(claim.value):
            return _SAME if _as_word(claim.text).search(self.text) else None
        for factor, offset, unit in _scales(claim.unit):
            value, slack = claim.value * factor + offset, claim.step * abs(factor) / 2 * (1 + 1e-6) + 1e-12
            low = bisect_left(self.numbers, value - slack, key=lambda one: one.value)
            high = bisect_right(self.numbers, value + slack, key=lambda one: one.value)
            fitting = [
                one
                for one in self.numbers[low:high]
                if _fits(claim, one, unit, factor, claim.name in self.names)
            ]
            if fitting:
                return max(fitting, key=lambda one: (bool(one.name), bool(one.unit), bool(one.line)))
        return None


_SAME = Known(0.0, "", "", True, "", 0)  # the same words


def claims_in(text: str, names: Names = ()) -> list[Claim]:
    """Return the claims of `text`, in order.

    names  of all devices: what is called like one, with another number, claims a device, too

    >>> [(one.text, one.unit) for one in claims_in("PSU-7: 1. kp 9, swing ±0.4–0.6 K at 08:14:03")]
    [('9', ''), ('0.4', 'k'), ('0.6', 'k'), ('08:14:03', '')]
    """
    found: list[Claim] = []
    left = _NO_CLAIM.sub(lambda one: " " * len(one.group()), text)
    for link in _LINK.finditer(left):
        line = _LINE.search(link["target"])
        if line:
            log = unquote(line["log"]).rpartition("/")[2]
            place = link.start("label"), link.end("label")
            found.append(Claim(*place, link["label"], float(line["line"]), 1.0, log=log))
    left = _LINK.sub(lambda one: " " * len(one.group()) if _LINE.search(one["target"]) else _label(one), left)
    for pattern in (_LOG, _ADDRESS, _like(names), _DATE, _CLOCK):
        found += [_words(one, pattern) for one in pattern.finditer(left)]
        left = pattern.sub(lambda one: " " * len(one.group()), left)
    found += [one for one in _quantities(left) if one.unit or one.name or one.step < 1]
    return sorted(found)


def marks_of(text: str, sources: Sequence[Source], names: Names = ()) -> list[Mark]:
    """Return a mark for each claim of `text`: the first of `sources` that says it, or nobody."""
    claims = claims_in(text, names)
    marks: list[Mark | None] = [_mark(claim, sources) for claim in claims]
    for first, end in _spans(text):
        places = [place for place, claim in enumerate(claims) if first <= claim.start < end]
        sourced = [place for place in places if marks[place]]
        for place in places:
            near = sorted(sourced, key=lambda other: abs(other - place))[: 2 * NEAREST]
            if marks[place] is None and _is_worked_out(claims[place], [claims[other] for other in near]):
                marks[place] = Mark(claims[place].start, claims[place].end, "computed", "arithmetic")
    return [
        mark or Mark(claim.start, claim.end, "unknown") for claim, mark in zip(claims, marks, strict=True)
    ]


def unsaid(text: str, sources: Sequence[Source]) -> list[str]:
    """Return the claims of `text` that none of `sources` says."""
    return [text[mark.start : mark.end] for mark in marks_of(text, sources) if mark.kind == "unknown"]


def _mark(claim: Claim, sources: Sequence[Source]) -> Mark | None:
    for source in sources:
        known = source.says(claim)
        if known:
            log, line = (known.log, known.line) if known.log and known.line else ("", 0)
            return Mark(claim.start, claim.end, source.kind, source.name, log, line)
    return None


def _label(link: re.Match[str]) -> str:
    """Return a link of another kind with its target blanked: its label is text like any other."""
    start = link.start("target") - link.start()
    return link.group()[:start] + " " * (len(link.group()) - start)


def _words(found: re.Match[str], pattern: re.Pattern[str]) -> Claim:
    clock = pattern is _CLOCK
    step = (0.0 if found[3] else 60.0) if clock else 0.0
    return Claim(
        found.start(), found.end(), found.group(), step=step, seconds=_seconds(found) if clock else math.nan
    )


def _seconds(clock: re.Match[str]) -> float:
    return int(clock[1]) * 3600 + int(clock[2]) * 60 + float(clock[3] or 0)


def _like(names: Names) -> re.Pattern[str]:
    """Return what finds the names of devices, and names that differ from them in their number alone."""
    spelled = [name for known in names for name in known if not _ADDRESS.fullmatch(name)]
    shapes = {_DIGITS.sub(r"\\d+", re.escape(name)) for name in spelled if not name.isdigit()}
    return re.compile(rf"(?<!\w)(?:{'|'.join(sorted(shapes)) or '(?!)'})(?!\w)", re.I)


def _quantities(text: str) -> Iterator[Claim]:
    for found in _QUANTITY.finditer(text):
        name = _name_before(text, found.start())
        unit = unit_of(found["own"] or found["unit"] or "")
        yield _number(found, "one", unit, name)
        if found["other"]:
            alone = found["own"] and not found["unit"]  # 5 s to 9: the second has none
            yield _number(found, "other", "" if alone else unit_of(found["unit"] or ""), name)


def _name_before(text: str, place: int) -> str:
    """Return the quantity that is named right before `place`: "line" of a line's number, "" if none is."""
    before = fold(in_simplified(text[max(0, place - NAME_CHARS) : place]))
    if _LINE_WORD.search(before):
        return "line"
    named = _NAME.search(before)
    return FILED[" ".join(re.split(r"[\s_\-]+", named[1]))] if named else ""


def _number(found: re.Match[str], group: str, unit: str, name: str) -> Claim:
    written = found[group]
    value, digits = amount(written), written.casefold().replace("−", "-")
    mantissa, _, power = digits.partition("e")
    decimals = len(re.sub(r",(?=\d{1,2}$)", ".", mantissa).partition(".")[2]) - int(power or 0)
    return Claim(*found.span(group), written, abs(float(value)), 10.0**-decimals, unit, name)


class _Place(NamedTuple):
    """Where in a tool's result a number stands: what is told around it."""

    key: str = ""
    quantity: str = ""
    unit: str = ""  # beside it
    log_unit: str = ""  # of the log's process values
    log: str = ""
    line: int = 0
    is_data: bool = True


def _numbers_in(told: Any, place: _Place) -> Iterator[Known]:
    """Yield the numbers of what a tool returned; what stands around one says of which log and line it is."""
    if isinstance(told, Mapping):
        texts = {name: told[name] for name in ("log", "unit", "quantity") if isinstance(told.get(name), str)}
        line = {"line": told["line"]} if isinstance(told.get("line"), int) else {}
        place = place._replace(quantity="", unit="")._replace(**texts, **line)
        place = place._replace(log_unit=place.unit or place.log_unit)
        for name, value in told.items():
            yield from _numbers_in(value, place._replace(key=str(name)))
    elif isinstance(told, list | tuple):
        for value in told:
            yield from _numbers_in(value, place)
    elif isinstance(told, str):
        yield from _numbers_in_words(told, place)
    elif isinstance(told, int | float) and not isinstance(told, bool) and math.isfinite(told):
        counts = isinstance(told, int) and not place.unit
        name = FIGURES.get(place.key, (parameter_named(place.key), ""))[0] or parameter_named(place.quantity)
        number = int(told) if counts and place.key in ("line", "lines") else place.line
        name = "line" if place.key in ("line", "lines") else name
        yield Known(abs(float(told)), name, _unit_of_key(place), counts, place.log, number)


def _unit_of_key(place: _Place) -> str:
    """Return the unit of a number by its key in our tools' results, "" if it does not say."""
    word = place.key.partition("_")[0]
    if place.key in IN_SECONDS or FIGURES.get(place.key, ("", ""))[1] == "s":
        return "s"
    if word == "output" or place.key in ("duty", "overshoot_percent"):
        return "%"
    is_process_value = word == "pv" or FIGURES.get(place.key, ("", ""))[1] is None
    return unit_of(place.log_unit) if is_process_value else ""


def _numbers_in_words(text: str, place: _Place) -> Iterator[Known]:
    left = text
    for pattern in (_LOG, _ADDRESS, _STAMP, _CLOCK):
        left = pattern.sub(lambda one: " " * len(one.group()), left)
    for found in (_QUANTITY if place.is_data else _ANY_NUMBER).finditer(left):
        name, unit = _name_before(left, found.start()), unit_of(found["own"] or found["unit"] or "")
        for number in filter(None, (found["one"], found["other"])):
            counts = place.is_data and not unit and "." not in number
            yield Known(abs(float(amount(number))), name, unit, counts, place.log, place.line)
    if place.is_data:  # 58.430/60.00: a line of a log
        for found in _GLUED.finditer(left):
            yield Known(float(found[0]), "", "", False, place.log, place.line)


def _lines_in(text: str) -> Iterator[int]:
    """Yield the numbers of lines that `text` names, and those that its own lines begin with."""
    for found in _LINE_NAMED.finditer(text):
        yield int((found[1] or found[2]).replace(",", ""))


def _line_of(label: str, line: float) -> bool:
    """Return whether the label of a link to a line names that line, or no number at all."""
    told = re.sub(r"\D", "", label)
    return not told or float(told) == line


def _as_word(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(text)}(?!\w)", re.I | re.A)


def _scales(unit: str) -> Iterator[tuple[float, float, str]]:
    """Yield (factor, offset, unit) of the scales on which a value in `unit` may stand elsewhere."""
    yield 1.0, 0.0, unit
    base, factor = SCALES.get(unit, (unit, 1.0))
    if base != unit:
        yield factor, 0.0, base
    for other, (of, size) in SCALES.items():
        if of == base and other != unit:
            yield factor / size, 0.0, other
    if unit == "%":
        yield 0.01, 0.0, ""
    if unit in ("°c", "k"):
        yield 1.0, KELVIN if unit == "°c" else -KELVIN, "k" if unit == "°c" else "°c"
        yield FAHRENHEIT, 0.0, "°f"
        yield FAHRENHEIT, 32.0 if unit == "°c" else 32.0 - KELVIN * FAHRENHEIT, "°f"
    if unit == "°f":
        yield 1 / FAHRENHEIT, 0.0, "°c"
        yield 1 / FAHRENHEIT, -32 / FAHRENHEIT, "°c"


def _fits(claim: Claim, known: Known, unit: str, factor: float, named: bool) -> bool:
    if claim.name and known.name and claim.name != known.name:
        return False
    if claim.name in GAINS and named and not known.name:
        return False
    if known.unit:
        return not claim.unit or known.unit == unit
    if known.counts:
        return unit in COUNTED or (not claim.unit and claim.name not in GAINS)
    return factor == 1.0 or unit in ("s", "", "°c")  # a bare number is in the unit that tools compute in


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in _SENTENCE.finditer(text):
        yield start, end.start()
        start = end.end()
    yield start, len(text)


def _is_worked_out(claim: Claim, others: Sequence[Claim]) -> bool:
    """Return whether the claim is the sum, difference, product, ratio or share of two of the others."""
    if math.isnan(claim.value):
        return False
    told = [one for one in others if not math.isnan(one.value) and not one.log]
    return any(
        abs(value - claim.value) <= claim.step / 2 * (1 + 1e-6)
        for one, other in permutations(told, 2)
        for value in _results(claim, one, other)
    )


def _results(claim: Claim, one: Claim, other: Claim) -> Iterator[float]:
    """Yield what plain arithmetic makes of two claims, in the unit of the claim."""
    a, b = one.value, other.value
    same = one.unit == other.unit and (one.unit or one.name == other.name)
    if same and one.unit == claim.unit and one.unit:
        yield from (abs(a - b), a + b)
    if same and b and claim.unit in ("", "%"):
        size = 100.0 if claim.unit == "%" else 1.0
        yield from (size * a / b, size * abs(a - b) / b)
    if other.unit == "%" and one.unit == claim.unit and one.unit != "%":
        yield from (a * b / 100, a * (1 + b / 100), a * (1 - b / 100))
    if not other.unit and one.unit and one.unit == claim.unit and b:
        yield from (a * b, a / b)

"""The number gate: whose each number of a text is, a tool's, the user's, the agent's own, or nobody's.

A source is what a tool returned, what the user said, or what a prompt held.
Where a claim and a number both tell their channel, quantity or unit, these must agree: 37 % are not 37 s.
"""

import json
import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import pairwise, permutations, product
from typing import Any, Literal, NamedTuple

from instrumentgpt.memory.claims import (
    CLOCK,
    DATE,
    LOG,
    WRITTEN,
    Claim,
    blanked,
    claims_in,
    quantities,
    seconds_of,
)
from instrumentgpt.memory.facts import ADDRESS, Names
from instrumentgpt.memory.measures import unit_of
from instrumentgpt.memory.reading.values import parameter_named
from instrumentgpt.memory.values import FIGURES

Kind = Literal["computed", "user", "agent", "unknown"]  # agent: what its own programs printed
SCALES = {  # unit → the one that it is compared in, and how many of those it is
    "ms": ("s", 0.001), "min": ("s", 60.0), "h": ("s", 3600.0), "d": ("s", 86400.0), "week": ("s", 604800.0),
    "k": ("°c", 1.0), "mv": ("v", 0.001), "ma": ("a", 0.001), "mw": ("w", 0.001), "kw": ("w", 1000.0),
    "kpa": ("pa", 1000.0), "hpa": ("pa", 100.0), "mbar": ("bar", 0.001), "ml": ("l", 0.001),
    "khz": ("hz", 1000.0), "kb": ("b", 1000.0), "mb": ("b", 1e6), "mm": ("m", 0.001), "cm": ("m", 0.01),
    "%": ("share", 0.01),
}  # fmt: skip
COUNTED = ("b", "counts", "cycles", "steps", "turns", "pulses", "bits", "片", "趟")  # in whole numbers
OF_THE_LOG = "unit of the log"
DEGREES, UNTOLD = "°", "of use within a check only"
GAIN = "gain"  # %/°C, %/(°C·s), … by the format
_KEYS = {  # unit → keys of numbers in our tools' results, or what stands before the first "_" of them
    "s": "seconds onset end lag sample dead tau1 tau2 start time times rise settled",
    OF_THE_LOG: "pv noise digit band half error step peak size limit iae_per_hour short amplitude smallest"
    " largest possible residual value levels highest from to least most mean std",
    "%": "output percent pinned low high overshoot_percent",
    "share": "share saturated in out regularity chance controlled ratio net r2 iae_ratio gain_now"
    " gain_margin best_gain",
    DEGREES: "phase expected best_phase",
    UNTOLD: "two",
    "cycles": "cycles",
    GAIN: "kp ki kd present asked proven plant rate steepest per slope",
}
UNITS = {key: OF_THE_LOG if unit is None else unit for key, (_, unit) in FIGURES.items()}
UNITS |= {key: unit for unit, keys in _KEYS.items() for key in keys.split()}
SAME = {"half_size": "half_peak_to_peak"}  # one quantity in two of our tools
OF_NAMES = {name: UNITS[key] for key, (name, _) in FIGURES.items()}
ROUNDED = 0.3  # of a number, at most: 0.5 is not told by 1
KELVIN = 273.15
FAHRENHEIT = 1.8  # of one degree Celsius
_STAMP = re.compile(r"\d{4}-\d\d-\d\d[ T_](?:\d\d[-:]\d\d[-:]\d\d)?(?:\.\d+)?")
_MOMENT = re.compile(rf"(?P<day>{DATE.pattern})(?:[ T_](?P<clock>\d\d[-:]\d\d[-:]\d\d))?")
_LINE_NAMED = re.compile(r"(?:\blines?[ =]|\bL ?|第 ?)(\d[\d,]*)|^ *(\d+)(?=[:\t\- ])", re.M)


NONE = -1
OF_LOG = ("log", "device")


class StatedNumber(NamedTuple):
    """A number that a source says.

    name   of the quantity, as it is filed; unit: folded; "" where they are not told
    counts whether it only counts things, or names a line: it is no measured quantity
    """

    value: float
    name: str = ""
    unit: str = ""
    counts: bool = False
    log: str = ""
    line: int = 0
    channel: int = NONE  # that it is of
    device: str = ""  # … and its device


@dataclass
class Source:
    """Something known: what a tool returned, what the user said, what is on record."""

    name: str
    kind: Kind
    text: str
    is_result: bool = field(init=False)  # of a tool of ours: data whose keys tell units
    numbers: list[StatedNumber] = field(init=False)  # by value

    def __post_init__(self) -> None:
        try:
            content = json.loads(self.text)
        except (ValueError, RecursionError):
            content = self.text
        self.is_result = isinstance(content, dict | list) and self.kind == "computed"
        place = _Place(is_result=self.is_result, unit=UNTOLD if self.is_result else "")
        self.numbers = sorted([*_numbers_in(content, place), *_ages(self.text)])
        if content is not self.text:  # a JSON escape would hide a name
            self.text = json.dumps(content, ensure_ascii=False)

    @cached_property
    def names(self) -> set[str]:
        """The quantities that it names."""
        return {number.name for number in self.numbers}

    @cached_property
    def clocks(self) -> list[float]:
        """The times that it tells, in seconds since midnight."""
        return [seconds_of(clock) for clock in CLOCK.finditer(self.text)]

    @cached_property
    def lines(self) -> set[int]:
        """The lines that it names, or shows with their numbers before them."""
        named = {int((match[1] or match[2]).replace(",", "")) for match in _LINE_NAMED.finditer(self.text)}
        return named | {number.line for number in self.numbers}

    def says(self, claim: Claim) -> StatedNumber | None:
        """Return what says the same as `claim`, within the digits that it was written with, in its unit."""
        if not math.isnan(claim.seconds):  # a time is cut as often as it is rounded
            is_told = any(-claim.step / 2 <= clock - claim.seconds < claim.step for clock in self.clocks)
        elif claim.log:
            line = float(re.sub(r"\D", "", claim.text) or claim.value)  # its label's
            is_told = claim.value == line in self.lines and claim.log.casefold() in self.text.casefold()
        elif math.isnan(claim.value):
            word = rf"(?<!\w){re.escape(claim.text)}(?!\w)"
            is_told = bool(re.search(word, self.text, re.I | re.A))
        else:
            return self._number(claim)
        return StatedNumber(0.0, counts=True) if is_told else None  # the same words, clock or line

    def _number(self, claim: Claim) -> StatedNumber | None:
        for factor, offset, unit in _scales(claim.unit):
            value, slack = claim.value * factor + offset, claim.slack(ROUNDED) * factor * (1 + 1e-6)
            low = bisect_left(self.numbers, value - slack, key=lambda number: number.value)
            high = bisect_right(self.numbers, value + slack, key=lambda number: number.value)
            if fitting := [number for number in self.numbers[low:high] if self._fits(claim, number, unit)]:
                best = max(fitting, key=lambda number: [*map(bool, (number.name, number.unit, number.line))])
                return best._replace(value=(best.value - offset) / factor)
        return None

    def _fits(self, claim: Claim, number: StatedNumber, unit: str) -> bool:
        """Return whether both may be the same quantity, where the claim is compared in `unit`."""
        if claim.name and (claim.name != number.name and (number.name or claim.name in self.names)):
            return False
        if claim.channels and number.channel not in (NONE, *claim.channels):
            return False
        if claim.device and number.device and claim.device != number.device:
            return False
        base = SCALES.get(claim.unit, (claim.unit,))[0]  # the unit that tools compute in
        if number.unit:
            is_bare = not claim.name and number.unit in ("share", GAIN, DEGREES)
            is_named = is_bare or number.name == claim.name != ""
            if number.unit == OF_THE_LOG and (claim.unit or not claim.name):
                return base not in ("s", "share", *COUNTED) and "/" not in base and unit in (base, claim.unit)
            return number.unit == unit or (not claim.unit and (is_named or not self.is_result))
        if claim.unit in COUNTED:
            return number.value.is_integer() and not number.name
        if number.counts:
            return not claim.unit and number.name == claim.name
        return unit in (base, claim.unit)


class _Place(NamedTuple):
    """Where in a tool's result a number stands: what is told around it."""

    key: str = ""
    name: str = ""  # of the quantity
    unit: str = ""
    log_unit: str = ""  # of the log's process values
    channel_units: Mapping[str, Any] = {}  # of channels whose unit is another
    log: str = ""
    line: int = 0
    channel: int = NONE
    device: str = ""
    is_result: bool = True

    @property
    def around(self) -> tuple[str, int, int, str]:
        """The log, line, channel and device that a number here is of."""
        return self.log, self.line, self.channel, self.device


def _numbers_in(content: Any, place: _Place) -> Iterator[StatedNumber]:
    """Yield the numbers of what a tool returned; what stands around one says of which log and line it is."""
    if isinstance(content, Mapping):
        place = _within(content, place)
        for key, value in content.items():
            yield from _numbers_in(value, _at(str(key), place))
    elif isinstance(content, list | tuple):
        for value in content:
            yield from _numbers_in(value, place)
    elif isinstance(content, str):
        yield from _numbers_in_words(content, place)
    elif isinstance(content, int | float) and not isinstance(content, bool) and math.isfinite(content):
        if place.key in ("line", "lines"):
            yield StatedNumber(abs(float(content)), "line", "", True, place.log, int(content))
        elif place.key in ("channel", "channels", "channel_numbers"):
            yield StatedNumber(abs(float(content)), "channel", "", True)
        elif place.key == "size" and isinstance(content, int):  # of a file
            yield StatedNumber(float(content), "", "b")
        else:
            counts = isinstance(content, int) and place.unit in ("", UNTOLD)
            told = place.name, "" if counts else place.unit, counts, *place.around
            yield StatedNumber(abs(float(content)), *told)
            if place.key in ("in_band", "share"):  # what is not in it, is out of it
                yield StatedNumber(1.0 - content, *told)


def _within(content: Mapping[str, Any], place: _Place) -> _Place:
    """Return the place of what stands in `content`: it may name its quantity, unit, log and line itself."""
    texts = {key: content[key] for key in (*OF_LOG, "unit", "quantity") if isinstance(content.get(key), str)}
    if "quantity" in texts:
        place = _at(texts["quantity"], place)
    if unit := unit_of(texts.get("unit", "")):
        place = place._replace(unit=unit) if "quantity" in texts else place._replace(log_unit=unit)
    whole = {key: content[key] for key in ("line", "channel") if isinstance(content.get(key), int)}
    units = content.get("channel_units") or place.channel_units
    place = place._replace(channel_units=units if isinstance(units, Mapping) else {})
    if unit := unit_of(str(place.channel_units.get(str(whole.get("channel")), ""))):
        place = place._replace(log_unit=unit)
    return place._replace(**{key: texts[key] for key in OF_LOG if key in texts}, **whole)


def _at(key: str, place: _Place) -> _Place:
    """Return the place below `key`: of the quantity that it names, else of the one around."""
    name = FIGURES.get(SAME.get(key, key), (parameter_named(key), ""))[0]
    unit = UNITS.get(key, UNITS.get(key.partition("_")[0], ""))
    if not name and not unit:
        return place._replace(key=key)
    return place._replace(key=key, name=name, unit=place.log_unit or unit if unit == OF_THE_LOG else unit)


def _numbers_in_words(text: str, place: _Place) -> Iterator[StatedNumber]:
    for pattern in (LOG, ADDRESS, _STAMP, CLOCK):
        text = blanked(text, pattern)
    for claim in quantities(text, WRITTEN):
        counts = place.is_result and not claim.unit and claim.step >= 1
        is_reading = place.is_result and not counts and not claim.name  # 58.43/60.00, of a log line
        bare = UNTOLD if counts and not claim.name else ""  # it counts nothing that words do not name
        unit = claim.unit or OF_NAMES.get(claim.name, OF_THE_LOG if is_reading else bare)
        yield StatedNumber(claim.value, claim.name, unit, counts, *place.around)


def _ages(text: str) -> Iterator[StatedNumber]:
    """Yield how many days ago the moments of `text` are (of a day alone, its noon), and by the calendar."""
    for day, clock in {match.group("day", "clock") for match in _MOMENT.finditer(text)}:
        with suppress(ValueError):
            moment = datetime.fromisoformat(f"{day} {(clock or '12-00').replace('-', ':')}")
            ages = (datetime.now() - moment) / timedelta(days=1), (date.today() - moment.date()).days
            yield from (StatedNumber(abs(age), unit="d") for age in ages)


def _scales(unit: str) -> Iterator[tuple[float, float, str]]:
    """Yield (factor, offset, unit) of the scales on which a value in `unit` may stand elsewhere."""
    yield 1.0, 0.0, unit
    base, factor = SCALES.get(unit, (unit, 1.0))
    if base != unit:
        yield factor, 0.0, base
    for other, (of, size) in SCALES.items():
        if of == base and other != unit:
            yield factor / size, 0.0, other
    if "/" in unit:
        yield 1.0, 0.0, GAIN
    if unit in ("°c", "k"):
        yield 1.0, KELVIN if unit == "°c" else -KELVIN, "k" if unit == "°c" else "°c"
        yield FAHRENHEIT, 0.0, "°f"
        yield FAHRENHEIT, 32.0 if unit == "°c" else 32.0 - KELVIN * FAHRENHEIT, "°f"
    if unit == "°f":
        yield 1 / FAHRENHEIT, 0.0, "°c"
        yield 1 / FAHRENHEIT, -32 / FAHRENHEIT, "°c"


ROUNDED_RESULT = 0.1  # of what is worked out, at most: of 56 results one rounds to almost any single digit
NEAREST = 8  # claims of a sentence that another of it may be worked out from
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|[。！？；\n]")


@dataclass(frozen=True)
class Mark:
    """A claim's place in its text, and where it is from: the tool, and the line of a log, if there is one."""

    start: int
    end: int
    kind: Kind
    source: str = ""
    log: str = ""
    line: int = 0


def marks_of(text: str, sources: Sequence[Source], names: Names = ()) -> list[Mark]:
    """Return a mark for each claim of `text`: the first of `sources` that says it, or nobody.

    What is worked out of two others of its sentence is computed, too: as they are written, or as they were
    computed. What is named is worked out of the same quantity only.
    """
    claims = claims_in(text, names)
    looked_up = [_looked_up(claim, sources) for claim in claims]
    marks, exact = [mark for mark, _ in looked_up], [claim for _, claim in looked_up]
    for first, end in pairwise([0, *(match.end() for match in _SENTENCE.finditer(text)), len(text)]):
        places = [place for place, claim in enumerate(claims) if first <= claim.start < end]
        sourced = [place for place in places if marks[place].kind != "unknown"]
        for place in (place for place in places if place not in sourced):
            near = sorted(sourced, key=lambda other: abs(other - place))[:NEAREST]
            operands = ([known[other] for other in near] for known in (claims, exact))
            if any(_is_worked_out(claims[place], known) for known in operands):
                marks[place] = replace(marks[place], kind="computed", source="arithmetic")
    return marks


def unsaid(text: str, sources: Sequence[Source]) -> list[str]:
    """Return the claims of `text` that none of `sources` says."""
    return [text[mark.start : mark.end] for mark in marks_of(text, sources) if mark.kind == "unknown"]


def _looked_up(claim: Claim, sources: Sequence[Source]) -> tuple[Mark, Claim]:
    """Return whose the claim is, and the claim with the value that its source has."""
    spellings = (claim, claim._replace(unit="")) if claim.listed else (claim,)
    for source, spelled in product(sources, spellings):
        if number := source.says(spelled):
            log, line = (number.log, number.line) if number.log and number.line else ("", 0)
            exact = claim if math.isnan(claim.value) or claim.log else claim._replace(value=number.value)
            return Mark(claim.start, claim.end, source.kind, source.name, log, line), exact
    return Mark(claim.start, claim.end, "unknown"), claim


def _is_worked_out(claim: Claim, others: Sequence[Claim]) -> bool:
    """Return whether the claim is the sum, difference, product, ratio or share of two of the others."""
    if math.isnan(claim.value):
        return False
    numbers = [other for other in others if not math.isnan(other.value) and not other.log]
    return any(
        abs(value - claim.value) <= claim.slack(ROUNDED_RESULT) * (1 + 1e-6)
        for first, second in permutations(numbers, 2)
        if claim.name in ("", first.name, second.name)
        for value in _results(claim, first, second)
    )


def _results(claim: Claim, first: Claim, second: Claim) -> Iterator[float]:
    """Yield what plain arithmetic makes of two claims, in the unit of the claim."""
    a, b = first.value, second.value
    same = first.unit == second.unit and (first.unit or first.name == second.name)
    if same and first.unit == claim.unit and first.unit:
        yield from (abs(a - b), a + b)
    if same and b and claim.unit in ("", "%"):
        size = 100.0 if claim.unit == "%" else 1.0
        yield from (size * a / b, size * abs(a - b) / b)
    if second.unit == "%" and first.unit == claim.unit and first.unit != "%":
        yield from (a * b / 100, a * (1 + b / 100), a * (1 - b / 100))
    if not second.unit and first.unit and first.unit == claim.unit and b:
        yield from (a * b, a / b)

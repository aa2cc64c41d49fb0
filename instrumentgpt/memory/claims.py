"""What a text claims in numbers: quantities, times of the clock, dates, devices, logs and links to lines.

A claim is a number with a unit, a decimal, a number whose quantity is named, a time, a date, a device, or the
name of a log. List numbers, ordinals, names with digits in them (PSU-7, 0x24) and code blocks claim nothing.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from instrumentgpt.memory.facts import ADDRESS, Names, devices_in, filed_names
from instrumentgpt.memory.measures import NUMBER, WRITTEN_UNIT, amount, unit_of
from instrumentgpt.memory.reading.values import measures
from instrumentgpt.memory.terms import fold, in_simplified

NAME_CHARS = 40  # before a number, within which its quantity is named
_UNIT = rf"(?:[kMG]i?B(?![A-Za-z0-9])|{WRITTEN_UNIT})"
_TO = r"\s?(?:[-–—~～→]|->|to|and|至|到)\s?"
_SIGN = r"[-+−±~≈<>≤≥×]?\s?"
_ONE_OR_TWO = (  # 5 s · 0.4–0.6 K
    rf"{_SIGN}(?P<one>{NUMBER})(?:\s?(?P<own>{_UNIT}))?"
    rf"(?:{_TO}{_SIGN}(?P<other>{NUMBER}))?(?:\s?(?P<unit>{_UNIT}))?"
)
STATED = re.compile(rf"(?<![A-Za-z0-9_.,#/\\:-]){_ONE_OR_TWO}(?![A-Za-z0-9_]|[.:/-]\d)")
WRITTEN = re.compile(
    rf"(?<![A-Za-z0-9_.])(?<![A-Za-z]-)(?!0x|0\d+(?![\d.,])){_ONE_OR_TWO}"
)  # in a log: 58.430/60.00, 57C; 053 is a name
CLOCK = re.compile(r"(?<![\d:.])(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))?(?![\d:])")
DATE = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
LOG = re.compile(r"[\w.\-]*\w\.(?:log|csv|tsv|txt|dat|xlsx|jsonl?|gz)(?:\.gz)?\b", re.I | re.A)
FILED = filed_names()
_NAME = re.compile(
    rf"(?:^|(?<!from the)[^a-z0-9_])({'|'.join(sorted(map(re.escape, FILED), key=len, reverse=True))})"
    r"(?:[\s:=：＝*`_]|\b(?:is|was|of|at|to|from|about|around)\b|[为是约到从由])*"
    rf"(?:{NUMBER}[^\d,;]{{0,14}}[(（](?:from|was|原)\s?)?[-+−±~≈]?\s?$"  # kp 6.1 %/°C (from 50)
)
_LINE_WORD = re.compile(r"(?:\blines?|\bl|第)\s?$")
_LINK = re.compile(r"\[(?P<label>[^\]\n]*)\]\((?P<target>[^)\s]*)[^)\n]*\)")
_TO_LINE = re.compile(r"[?&]log=(?P<log>[^&]*)&line=(?P<line>\d+)")
_NO_CLAIM = re.compile(
    r"^```.*?(?:^```|\Z)|^~~~.*?(?:^~~~|\Z)|<!--.*?-->|https?://\S+"
    r"|^[ \t>]*(?:[-*+][ \t]+)?\d{1,3}[.)、](?=\s)|^#+ *\d[\d.]*\s|第\s?\d[\d,]*(?![\d,]|\s?[行条條列])"
    r"|(?<![\w.])v?\d+(?:\.\d+){2}(?![.\d])|\[\^?\d+\](?!\()|\x1b\[[\d;]*m",
    re.M | re.S,
)
_LISTED = re.compile(rf"\s?(?:[,、，]|and|or|[和與与及或])\s?{_SIGN}")  # between two numbers of a list
_DIGITS = re.compile(r"\d+")
_CHANNELS = re.compile(
    r"(?:\b(?:channels?|ch|zones?|loops?)|通道|頻道|频道)\s*[#.]?\s*(?P<all>\d{1,2}(?!\d)"
    r"(?:\s*(?:[,，、]|and|[和與与及])\s*\d{1,2}(?![\d.]))*)",
    re.I,
)
_CLAUSE = re.compile(r"[,;，；。！？\n](?!\d)|[.!?](?=\s)|\b(?:and|but|so|while|whereas)\b|[而但]", re.I)


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
    channels: tuple[int, ...] = ()  # that its clause names
    listed: bool = False  # its unit stands at the end of its list
    device: str = ""  # the only one that its line names

    def slack(self, share: float) -> float:
        """Return how far off a number may be that it rounds: half its last digit, `share` of it at most."""
        return min(self.step / 2, share * self.value or math.inf)


def claims_in(text: str, names: Names = ()) -> list[Claim]:
    """Return the claims of `text`, in order.

    names  of all devices: what is called like one, with another number, claims a device, too

    >>> [(claim.text, claim.unit) for claim in claims_in("PSU-7: 1. kp 9, swing ±0.4–0.6 K at 08:14:03")]
    [('9', ''), ('0.4', 'k'), ('0.6', 'k'), ('08:14:03', '')]
    """
    left = blanked(text, _NO_CLAIM)
    claims = list[Claim]()
    for link in _LINK.finditer(left):
        if line := _TO_LINE.search(link["target"]):
            log = unquote(line["log"]).rpartition("/")[2]
            claims.append(Claim(*link.span("label"), link["label"], float(line["line"]), 1.0, log=log))
    left = _LINK.sub(_label_alone, left)
    for pattern in (LOG, ADDRESS, _like(names), DATE):
        claims += [Claim(*match.span(), match[0]) for match in pattern.finditer(left)]
        left = blanked(left, pattern)
    for clock in CLOCK.finditer(left):
        step = 1.0 if clock[3] else 60.0
        claims.append(Claim(*clock.span(), clock[0], step=step, seconds=seconds_of(clock)))
    stated = quantities(blanked(left, CLOCK), STATED)
    claims += [claim for claim in stated if claim.unit or claim.name or claim.step < 1]
    return list(_with_channels(sorted(claims), text, names))


def quantities(text: str, pattern: re.Pattern[str]) -> list[Claim]:
    """Return the numbers of `text` where `pattern` (STATED or WRITTEN) finds them, with units and names.

    The unit at the end of a list is that of all its numbers, where they are written alike.

    >>> [claim.unit for claim in quantities("0.104, 0.108 and 0.102 °C, then 4.1", STATED)]
    ['°c', '°c', '°c', '']
    """
    claims = list[Claim]()
    for match in pattern.finditer(text):
        own_unit, unit = unit_of(match["own"] or ""), unit_of(match["unit"] or "")
        name = _name_before(text, match.start())
        name = name if measures(name, own_unit or unit) else ""  # setpoint from 0 s
        claims.append(_number(match, "one", own_unit or unit, name))
        if match["other"]:
            claims.append(_number(match, "other", unit, name))
    for place in range(len(claims) - 2, -1, -1):
        claim, after = claims[place : place + 2]
        is_listed = not claim.unit and not claim.name and claim.step == after.step < 1
        if is_listed and _LISTED.fullmatch(text, claim.end, after.start):
            claims[place] = claim._replace(unit=after.unit, listed=bool(after.unit))
    return claims


def seconds_of(clock: re.Match[str]) -> float:
    """Return the seconds since midnight of what CLOCK found."""
    return int(clock[1]) * 3600 + int(clock[2]) * 60 + float(clock[3] or 0)


def blanked(text: str, pattern: re.Pattern[str]) -> str:
    """Return `text` with spaces where `pattern` finds something: all else stays in its place."""
    return pattern.sub(lambda match: " " * len(match[0]), text)


def _with_channels(claims: list[Claim], text: str, names: Names) -> Iterator[Claim]:
    """Yield the claims with the channels that their clauses name; "channel 2:" heads all to the next one."""
    of_lines = [[*{*devices_in(line, names)} & {row[0] for row in names}] for line in text.split("\n")]
    ends = [match.end() for match in _CLAUSE.finditer(blanked(text, _CHANNELS))]
    named: dict[int, tuple[int, ...]] = {}
    heads = []
    for match in _CHANNELS.finditer(text):
        clause, channels = bisect_right(ends, match.start()), tuple(map(int, _DIGITS.findall(match["all"])))
        named[clause] = (*named.get(clause, ()), *channels)
        heads += [clause] if text.startswith((":", "："), match.end()) else []
    for clause in heads:
        channels, clause = named[clause], clause + 1
        while clause <= len(ends) and text[ends[clause - 1] - 1] in ",，;；" and clause not in named:
            named[clause], clause = channels, clause + 1
    for claim in claims:
        channels = named.get(bisect_right(ends, claim.start), ())
        devices = of_lines[text.count("\n", 0, claim.start)]
        yield claim._replace(channels=channels, device=devices[0] if len(devices) == 1 else "")


def _label_alone(link: re.Match[str]) -> str:
    """Return a link blanked but for its label, which is text like any other; that of a line is told above."""
    label = "" if _TO_LINE.search(link["target"]) else link["label"]
    return f" {label}".ljust(len(link[0]))


def _like(names: Names) -> re.Pattern[str]:
    """Return what finds the names of devices, and names that differ from them in their number alone."""
    spelled = [name for spellings in names for name in spellings if not ADDRESS.fullmatch(name)]
    shapes = {_DIGITS.sub(r"\\d+", re.escape(name)) for name in spelled if not name.isdigit()}
    return re.compile(rf"(?<!\w)(?:{'|'.join(sorted(shapes)) or '(?!)'})(?!\w)", re.I)


def _name_before(text: str, place: int) -> str:
    """Return the quantity that is named right before `place`: "line" of a line's number, "" if none is."""
    before = fold(in_simplified(text[max(0, place - NAME_CHARS) : place]))
    if _LINE_WORD.search(before):
        return "line"
    named = _NAME.search(before)
    return FILED[" ".join(re.split(r"[\s_\-]+", named[1]))] if named else ""


def _number(match: re.Match[str], group: str, unit: str, name: str) -> Claim:
    written = match[group]
    mantissa, _, power = written.casefold().replace("−", "-").partition("e")
    decimals = len(re.sub(r",(?=\d{1,2}$)", ".", mantissa).partition(".")[2]) - int(power or 0)
    value = abs(float(amount(written)))
    read = (value, float(f"1e{-decimals}"), unit, name) if math.isfinite(value) else ()
    return Claim(*match.span(group), written, *read)  # 9e921 is a digest, and found by its letters

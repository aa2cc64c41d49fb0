"""Times as they stand in logs and tables, and one time axis from them that never runs backwards unnoticed."""

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from instrumentgpt.instruments.lognames import is_of_a_day, start_time

Micros = NDArray[np.int64]
Lines = NDArray[np.int64]
SECOND = 1_000_000  # µs
MINUTE, DAY = 60 * SECOND, 86_400 * SECOND
MOST_MICROS = 2**63  # what a signed number of 64 bits no longer holds: year 294,247
WALL_KINDS = ("datetime", "syslog", "epoch")  # kinds that carry a date
JITTER = SECOND  # lines of several threads may be written this much out of order
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
SYSLOG_YEAR = 2000  # a leap year: syslog stamps carry no year
LAST_DATE = 250_000 * DAY  # µs since 1970; pandas' dates end soon after
FAR = 30 * DAY  # forward by more at once, a clock was set
NEAR_ROWS, NEAR_SHARE = 20, 0.02  # a garbled stamp is taken back within so many rows, nearly exactly
SOME = 1 << 16  # stamps at once
NO_TIME = np.iinfo(np.int64).min
UNITS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6, "min": 60e6, "h": 3600e6, "d": 86_400e6}  # µs
EPOCHS = ((1e17, "ns"), (1e14, "us"), (1e11, "ms"), (3e8, "s"))  # above this a number counts since 1970
EXCEL_DAYS = (30_000.0, 60_000.0)  # a spreadsheet's day number, 1982 to 2064
NEARLY_ALL = 0.9  # of the rows that are whole minutes apart, if a time without unit counts seconds
FASTEST_ROWS = 0.01  # s between rows of a thermal loop; a time without unit that has less is in hours
EXCEL_EPOCH_DAYS = 25_569  # 1970-01-01 as a spreadsheet counts
LONG = 10.0  # usual steps of a record, from which one is a gap
ZONE = re.compile(r":\d\d(?:[.,]\d+)? ?([+-]\d\d:\d\d)$")
DOTTED = re.compile(r"\d{1,2}\.\d{1,2}\.\d{2,4}\b")  # who writes dots writes the day first
CLOCK = re.compile(r"\d+:\d\d:\d\d(?:[.,]\d+)?$")
BETWEEN = re.compile(r"(?<=\d)[,;\t](?=\d\d?:\d\d)")  # a date and its clock, as a table has them
ISO = re.compile(r"\d{4}[-/]\d\d[-/]\d\d[ T_]\d\d:\d\d:\d\d(?:[.,]\d+)?$")
PLAIN_ISO = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,6})?")
COMPACT = re.compile(  # 20261005073000, 20261005-073000
    r"((?:19|20)\d\d)([01]\d)([0-3]\d)[-_T ]?([0-2]\d)([0-5]\d)([0-5]\d)(?=[.,]\d|$)"
)
COMPACT_NUMBERS = ((1.9e13, 2.1e13), (1e11, 1e12))  # with the century and without
ONE_DAY = pd.Timedelta(days=1)  # by which clocks of other zones may be ahead
YEARLESS = re.compile(  # 11-22 06:00:07, 22.11. 06:00, Nov 22 06:00:07, 22 Nov 06:00:07
    r"(?:(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})\.?|(?P<month>[A-Z][a-z]{2}) +(?P<of>\d{1,2})"
    r"|(?P<day>\d{1,2})[ -](?P<name>[A-Z][a-z]{2}))(?:[ T]+(?P<clock>\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?)|$)"
)
YEAR_IN_NAME = re.compile(r"(?<![^\W_])20\d\d(?!\d)")
YEAR = 366 * DAY  # as long as SYSLOG_YEAR
NUMERIC = re.compile(  # a date in numbers, and the time of day after it
    r"(?:(?P<year>\d{4})|\d{1,2})(?P<mark>[./-])\d{1,2}(?P=mark)(?(year)\d{1,2}|(?:\d\d(?P<full>\d\d)|[0-5]\d))"
    r"(?:(?P<clock>[ T]\d{1,2}:\d\d(?::\d\d(?:\.\d{1,6})?)?)(?P<half> [AaPp][Mm])?)?$"
)
DAY_OR_MONTH = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}")  # a date that begins with either
SHORT_YEAR = re.compile(r"\d\d([./-])\d\d\1\d\d(?!\d)")
WAYS = {  # which of the numbers of a date comes first, the likelier first
    "month": "month before day",
    "day": "day before month",
    "year": "year, month, day",
}
CHINESE = str.maketrans({"年": "-", "月": "-", "日": " ", "时": ":", "時": ":", "分": ":", "秒": ""})

FORMS: Sequence[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]] = (  # and how ISO writes them
    (COMPACT, r"\1-\2-\3 \4:\5:\6"),
    (re.compile(r"^(\d\d)([01]\d)([0-3]\d)[-_T ]([0-2]\d)([0-5]\d)([0-5]\d)$"), r"20\1-\2-\3 \4:\5:\6"),
    (
        re.compile(r"(?<=:)(\d\d(?:[.,]\d+)?(?: ?[AP]M)?) ?(?:Z|[A-Z]{3,5}|[+-]\d\d:?\d\d)$"),
        r"\1",
    ),  # a log's clock is its own
    (re.compile(r"(:\d\d:\d\d):(\d{3})$"), r"\1.\2"),  # ms behind a colon
    (re.compile(r"(\d{4}-\d\d-\d\d)[_T ](\d\d)-(\d\d)-(\d\d)(?!\d)"), r"\1 \2:\3:\4"),
    (
        re.compile(r"(?<!\d)(\d{1,3})h ?(\d\d)(?:[:m] ?(\d\d)(?:s\b)?|m?$)"),
        lambda match: f"{match[1]}:{match[2]}:{match[3] or '00'}",
    ),
    (
        re.compile(r"^(\d+)(?: ?(?:d|days?|天)[ ,]*|\.(?=\d\d:\d\d:))(\d\d?)(?=:\d\d)"),  # of a duration
        lambda match: f"{24 * int(match[1]) + int(match[2])}",
    ),
    (
        re.compile(r"^(\d{1,2}):(\d\d(?::\d\d(?:[.,]\d+)?)?) ?([AaPp])\.?[Mm]\.?$"),
        lambda match: f"{int(match[1]) % 12 + 12 * (match[3] in 'Pp'):02d}:{match[2]}",
    ),
    (  # years as Taiwan counts them, 1911 less
        re.compile(r"^(1[0-4]\d)(?=([-/.])\d\d?\2\d)"),
        lambda match: str(int(match[1]) + 1911),
    ),
)
WEEKDAY = re.compile(
    r"^(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|mo|di|mi|do|fr|sa|so)\.?,? +"
    r"(?=\d{1,4}[-/.年]\d|\d{1,2} [a-z]{3}|[a-z]{3} +\d)"
    r"| ?[(（](?:週|周|星期)?[一二三四五六日][)）]| ?(?:週|周|星期)[一二三四五六日]",
    re.IGNORECASE,
)
DOTTED_CLOCK = re.compile(r"(\d\d)\.(\d\d)\.(\d\d)$")  # where the last number changes: it is no year
TWO_PARTS = re.compile(r"(\d+):\d\d$")
MOST_YEARS = 3  # of a log whose dates have two digits of them
HALF_DAY = re.compile(r"([上下])午\s*(\d[\d:.]*)")


@dataclass(frozen=True)
class ClockStep:
    """A step of the log's clock that is no passing of time.

    From `line` on, the clock is `seconds` further ahead of the time axis; negative: it was set back.
    """

    line: int
    time: float  # s on the time axis
    seconds: float
    kind: str  # "clock" or "boot"


@dataclass(frozen=True)
class TimeAxis:
    """Seconds since the first line for each sample, and what was done to the clock to get there."""

    time: NDArray[np.float64]
    first: int  # µs, the raw stamp of time 0
    clock_steps: tuple[ClockStep, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Stamps:
    """The stamps of all rows (µs, or NO_TIME), their kind, what was assumed, and what the log lacks."""

    raw: Micros
    kind: str
    assumed: str = ""
    missing: tuple[str, ...] = ()


def micros(kind: str, text: bytes) -> int | None:
    """Return the time `text` of `kind` in microseconds (since 1970 where it has a date); None if impossible.

    >>> micros("clock", b"01:00:00.5"), micros("seconds", b"413.9")
    (3600500000, 413900000)
    >>> micros("datetime", b"2026-02-30 00:00:00") is micros("seconds", b"9007199254740993") is None
    True
    """
    try:
        stamp = _micros(kind, text)
    except (ValueError, OverflowError):
        return None
    return stamp if 0 <= stamp < MOST_MICROS else None


def _micros(kind: str, text: bytes) -> int:
    """Return the µs of `text`; negative or a ValueError for a time that does not exist."""
    if kind == "datetime":
        day = day_micros(text[:10])
        return day if day < 0 else day + _clock(text[11:], DAY)
    if kind == "clock":
        return _clock(text)
    if kind == "syslog":
        month = MONTHS.index(text[:3].decode().lower()) + 1
        return day_micros(b"%d-%02d-%02d" % (SYSLOG_YEAR, month, int(text[4:6]))) + _clock(text[7:], DAY)
    return int(text) * 1000 if kind == "milliseconds" else _seconds(text)


def _seconds(text: bytes) -> int:
    whole, _, part = text.replace(b",", b".").partition(b".")
    return int(whole or 0) * SECOND + int(part[:6].ljust(6, b"0"))


def _clock(text: bytes, end: int = MOST_MICROS) -> int:
    hours, minutes, seconds = text.split(b":")
    clock = (int(hours) * 60 + int(minutes)) * 60 * SECOND + _seconds(seconds)
    if int(minutes) > 59 or not _seconds(seconds) < 60 * SECOND or clock >= end:
        raise ValueError("no clock time")
    return clock


@lru_cache(maxsize=4096)
def day_micros(text: bytes) -> int:
    """Return the µs since 1970 of the date `text` (2026-03-04, 2026/03/04); -1 if it is none."""
    try:
        year, month, day = text.replace(b"/", b"-").split(b"-")
        return (date(int(year), int(month), int(day)).toordinal() - date(1970, 1, 1).toordinal()) * DAY
    except ValueError:
        return -1


def time_axis(raw: Micros, lines: Lines, kind: str, first: int, boots: Sequence[int] = ()) -> TimeAxis:
    """Return the time axis of the stamps `raw` (µs), in the order of the file.

    `first` is the stamp of the log's first line, `boots` the lines at which the instrument says it started.
    A stamp that goes back is midnight for a clock without date, a new boot for a clock that counts from the
    start, else a clock that was set back. One that goes forward by a month, or forward and soon back again,
    is no passing of time either. Time then goes on by one usual period, and the step is noted.
    """
    if not len(raw):
        return TimeAxis(np.empty(0), first, (), ())
    steps = np.empty_like(raw)  # there may be millions: they become the elapsed times, in place
    np.subtract(raw[1:], raw[:-1], out=steps[1:])
    steps[0] = raw[0] - first
    odd = steps < -JITTER
    midnight = (steps < -DAY // 2) if kind == "clock" else np.zeros(1, dtype=bool)
    odd |= _outliers(steps)
    odd |= steps > FAR
    odd &= ~midnight
    disorder = int(((steps < 0) & (steps >= -JITTER)).sum())
    places = np.flatnonzero(odd)
    usual = int(np.median(steps[steps > 0])) if len(places) and (steps > 0).any() else 0
    offsets = usual - steps[places]
    elapsed = np.subtract(raw, first, out=steps)
    if len(places) or midnight.any():
        moved = np.where(midnight, DAY, np.zeros_like(elapsed))
        moved[places] = offsets
        elapsed += np.cumsum(moved)
    if len(places) or midnight.any() or disorder:
        np.maximum(elapsed, 0, out=elapsed)
        np.maximum.accumulate(elapsed, out=elapsed)
    booted = (kind not in WALL_KINDS) | _booted(lines, places, boots)
    clock_steps = tuple(
        ClockStep(line, time / SECOND, -offset / SECOND, "boot" if boot else "clock")
        for line, time, offset, boot in zip(
            lines[places].tolist(), elapsed[places].tolist(), offsets.tolist(), booted, strict=True
        )
    )
    notes = _notes(clock_steps, boots, int(midnight.sum()), disorder)
    time = elapsed.view(np.float64)
    for part in (slice(start, start + SOME) for start in range(0, len(time), SOME)):
        time[part] = elapsed[part] / SECOND
    return TimeAxis(time, first, clock_steps, tuple(notes))


def _outliers(steps: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which forward steps undo, or are undone by, a step back a few rows away: a garbled stamp."""
    outliers = np.zeros(len(steps), dtype=bool)
    for at in np.flatnonzero(steps < -JITTER):
        around = slice(max(at - NEAR_ROWS, 0), at + NEAR_ROWS)
        near = np.abs(steps[around] + steps[at]) <= max(-NEAR_SHARE * steps[at], 2 * JITTER)
        outliers[around] |= near & (steps[around] > JITTER)
    return outliers


def _booted(lines: Lines, places: NDArray[np.intp], boots: Sequence[int]) -> NDArray[np.bool_]:
    """Return for each of the `places` whether the instrument said that it started since the row above."""
    starts = np.asarray(boots, dtype=np.int64)
    above = np.where(places > 0, lines[places - 1], 0)
    return np.searchsorted(starts, lines[places], "right") > np.searchsorted(starts, above, "right")


def _notes(
    clock_steps: Sequence[ClockStep], boots: Sequence[int], midnights: int, disorder: int
) -> list[str]:
    notes = [
        f"line {step.line}: the clock goes {'back' if step.seconds < 0 else 'forward'} "
        f"{abs(step.seconds):.3f} s"
        + (" (a new start of the instrument)" if step.kind == "boot" else "")
        + "; time goes on from there"
        for step in clock_steps[:5]
    ]
    if len(clock_steps) > 5:
        notes.append(f"the clock is set {len(clock_steps)} times in all")
    if len(boots) > 1:
        notes.append(f"{len(boots)} starts of the instrument: lines {', '.join(map(str, list(boots)[:8]))}")
    if midnights:
        notes.append(f"the clock has no date and passes midnight {midnights} times")
    if disorder:
        notes.append(
            f"{disorder} lines are stamped up to 1 s before the line above, whose time they are given"
        )
    return notes


def shifted(raw: Micros, lines: Lines, axis: TimeAxis, kind: str) -> NDArray[np.float64]:
    """Return the time (s) of other lines of the same log, in the order of the file.

    raw   (n,) stamps in µs, or NO_TIME

    A line without a stamp has the time of the line above.
    """
    stamped = raw != NO_TIME
    at = np.array([step.line for step in axis.clock_steps], dtype=np.int64)
    shift = np.concatenate([[0.0], np.cumsum([-step.seconds for step in axis.clock_steps])])
    offset = shift[np.searchsorted(at, lines, side="right")]
    time = np.where(stamped, (raw - axis.first) / SECOND + offset, np.nan)
    filled = _filled(time)
    if kind == "clock":
        days = np.cumsum(np.diff(filled, prepend=filled[:1]) < -DAY / SECOND / 2)
        filled = _filled(time + days * DAY / SECOND)
    return filled


def _filled(time: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(pd.Series(time).ffill().fillna(0.0), dtype=np.float64)


def start_of(first: int, kind: str, path: Path | None = None, began: str = "") -> pd.Timestamp | None:
    """Return the wall-clock moment of time 0, or None where neither clock nor file at `path` has a full date.

    began  date and clock, or a date, that the file says it began at

    A syslog stamp lacks the year: it is that of the file's name, else the latest before it was written.
    """
    named: datetime | pd.Timestamp | None = start_time(path.name) if path else None
    stated = from_texts([began]).raw[0]
    if stated != NO_TIME:
        named = pd.Timestamp(stated, unit="us")
        if kind == "seconds":
            return named + pd.Timedelta(first if first < MINUTE else 0, unit="us")  # no time since power-up
    if kind == "clock" and named:
        return pd.Timestamp(named).normalize() + pd.Timedelta(first, unit="us")
    if kind == "syslog" and path and (named or path.is_file()):
        stamped = pd.Timestamp(first, unit="us")
        written = pd.Timestamp(named) if named else pd.Timestamp(path.stat().st_mtime, unit="s")
        latest = stamped.replace(year=written.year)
        return latest if named or latest <= written + ONE_DAY else latest.replace(year=written.year - 1)
    has_date = kind in ("datetime", "epoch") and 0 <= first < LAST_DATE
    return pd.Timestamp(first, unit="us") if has_date else None


def second_of_day(first: int, kind: str) -> float | None:
    """Return the s since midnight of time 0, None where there is no clock."""
    return first / SECOND if kind == "clock" else None


def counted_at(first: int, kind: str) -> float:
    """Return the s that a log which counts them has counted at time 0."""
    return first / SECOND if kind == "seconds" else 0.0


def from_numbers(numbers: NDArray[np.float64], unit: str) -> Stamps:
    """Return stamps from a column of numbers in `unit` ("" if the header does not say)."""
    finite = numbers[np.isfinite(numbers)]
    top = float(np.abs(finite).max()) if len(finite) else 0.0
    if any(low < top < high for low, high in COMPACT_NUMBERS):
        written = (f"{number:.0f}" for number in numbers)
        stamps = from_texts([f"{text[:-6]} {text[-6:]}" for text in written])
        if (stamps.raw != NO_TIME).mean() > NEARLY_ALL:
            return stamps
    for limit, epoch_unit in EPOCHS:
        if top > limit and (limit > 3e8 or unit in ("", "s")):
            return Stamps(_scaled(numbers, UNITS[epoch_unit]), "epoch")
    steps = np.diff(finite)
    step = float(np.median(steps[steps > 0])) if (steps > 0).any() else 1.0
    if not unit and EXCEL_DAYS[0] < top < EXCEL_DAYS[1] and step < 0.1:
        return Stamps(_scaled(numbers - EXCEL_EPOCH_DAYS, UNITS["d"]), "epoch", "in days since 1900")
    if unit in UNITS:
        return Stamps(_scaled(numbers, UNITS[unit]), "seconds")
    if step < FASTEST_ROWS:
        return Stamps(_scaled(numbers, UNITS["h"]), "seconds", f"in hours, as rows are {step:.2g} apart")
    minutes = step % 60 == 0 and np.mean(steps % 60 == 0) > NEARLY_ALL
    if step >= 50 and not minutes and (finite == np.round(finite)).all():
        return Stamps(_scaled(numbers, UNITS["ms"]), "seconds", f"in ms, as rows are {step:g} apart")
    return Stamps(_scaled(numbers, UNITS["s"]), "seconds", "in seconds")


def _scaled(numbers: NDArray[np.float64], factor: float) -> Micros:
    exact = np.round(np.where(np.isfinite(numbers), numbers, 0.0) * factor)
    usable = np.isfinite(numbers) & (np.abs(exact) < 9e18)
    return np.where(usable, np.where(usable, exact, 0.0).astype(np.int64), NO_TIME)


def from_texts(
    cells: Sequence[str], path: Path | None = None, near: Micros | None = None, day_first: bool = False
) -> Stamps:
    """Return stamps from a column of texts: ISO, clock or elapsed time, a date in any usual order.

    day_first  numbers have a decimal comma, or heads letters that English has not: nobody who writes so
               begins a date with the month

    What lacks the year has that of the name of the file at `path`, else the latest before it was written;
    or each the one next to `near` (µs). What begins at 0:00:00 is elapsed, but in a file named after a day.
    """
    if (plain := _plain(cells)) is not None:
        return Stamps(plain, "datetime")
    dotted = [match for cell in cells if (match := DOTTED_CLOCK.search(cell))]
    no_month = any(int(match[2]) > len(MONTHS) for match in dotted)
    if no_month or len({match[3] for match in dotted}) > MOST_YEARS:
        cells = [DOTTED_CLOCK.sub(r"\1:\2:\3", cell) for cell in cells]
    texts = [_in_one_form(cell) for cell in cells]
    filled = [text for text in texts if any(letter.isdigit() for letter in text)]
    if not filled:
        return Stamps(np.full(len(texts), NO_TIME), "")
    two = [match for text in filled if (match := TWO_PARTS.match(text))]
    if len(two) > 0.9 * len(filled):  # hours and minutes, or of a watch that was started minutes
        is_elapsed = not int(two[0][0].replace(":", "")) and not (path and is_of_a_day(path.name))
        is_long = is_elapsed or max(int(match[1]) for match in two) * 3600 * SECOND >= DAY
        texts = filled = [f"0:{text}" if is_long else f"{text}:00" for text in texts]
    if sum(bool(CLOCK.match(text)) for text in filled) > 0.9 * len(filled):
        raw = _each("clock", texts, CLOCK)
        first = raw[raw != NO_TIME][0]
        elapsed = (first < 60 * SECOND and not (path and is_of_a_day(path.name))) or raw.max() >= DAY
        return Stamps(raw, "seconds" if elapsed else "clock")
    if sum(bool(YEARLESS.fullmatch(text)) for text in filled) > 0.9 * len(filled):
        return _yearless([YEARLESS.fullmatch(text) for text in texts], path, near)
    if sum(bool(ISO.match(text)) for text in filled) > 0.9 * len(filled):
        raw = _each("datetime", texts, ISO)
        zones = pd.to_timedelta(pd.Series(cells).str.extract(ZONE)[0] + ":00", errors="coerce")
        ahead = (zones - zones.bfill().iloc[0]).fillna(pd.Timedelta(0)).to_numpy("m8[us]").astype(np.int64)
        zone = "on the clock of its first row, whatever zone others are in" if ahead.any() else ""
        return Stamps(np.where(raw == NO_TIME, raw, raw - ahead), "datetime", zone)
    return _calendar(texts, path, day_first)


def _plain(cells: Sequence[str]) -> Micros | None:
    """Return the stamps of cells that are all ISO, equally long and without a zone, quickly; else None."""
    if not len(cells) or not PLAIN_ISO.fullmatch(cells[0]) or {*map(len, cells)} != {len(cells[0])}:
        return None
    try:
        return np.array(cells, dtype="M8[us]").astype(np.int64)
    except ValueError:
        return None


def _in_one_form(text: str) -> str:
    """Return the time `text` as ISO writes it, as far as its parts are plain; else as it is.

    Without weekday, zone, T+; days of a duration as hours, 12 hours as 24, a year with its century.

    >>> [_in_one_form(text) for text in ("2026-07-04T13:33:12+08:00", "2d 03:00:00", "115/07/04", "T+00:05")]
    ['2026-07-04T13:33:12', '51:00:00', '2026/07/04', '00:05']
    >>> _in_one_form("240527 160000"), _in_one_form("20.02.2026;09:30")
    ('2024-05-27 16:00:00', '20.02.2026 09:30')
    >>> [_in_one_form(text) for text in ("16h19m10s", "03:39:18 PM", "2026-06-26_11-21-41", "Mon 04.07.2026")]
    ['16:19:10', '15:39:18', '2026-06-26 11:21:41', '04.07.2026']
    """
    text = BETWEEN.sub(" ", text)
    text = WEEKDAY.sub(" ", unicodedata.normalize("NFKC", text).strip())
    text = HALF_DAY.sub(lambda match: f"{match[2]} {'AM' if match[1] == '上' else 'PM'}", text)
    text = text.translate(CHINESE).strip(" :").removeprefix("T+")
    for form, plain in FORMS:
        text = form.sub(plain, text)
    return text


def _each(kind: str, texts: Sequence[str], shape: re.Pattern[str]) -> Micros:
    stamps = (micros(kind, text.encode()) if shape.match(text) else None for text in texts)
    return np.array([NO_TIME if stamp is None else stamp for stamp in stamps], dtype=np.int64)


def _yearless(matches: Sequence[re.Match[str] | None], path: Path | None, near: Micros | None) -> Stamps:
    """Return stamps without a year: over half a year back is the next one; days that lie close are meant."""
    parts = [_month_day_clock(match) if match else (0, 0, 0) for match in matches]
    dotted = any(match and match["mark"] == "." for match in matches)
    named = any(match and not match["mark"] for match in matches)
    ways = []
    for day_first in (True,) if dotted else (False,) if named else (False, True):
        raw = np.array([_of_year(SYSLOG_YEAR, *part, day_first) for part in parts], dtype=np.int64)
        since = raw[raw != NO_TIME] - day_micros(b"%d-01-01" % SYSLOG_YEAR)
        turns = np.cumsum(np.round(np.diff(since, prepend=since[:1]) / -YEAR)).astype(np.int64)
        ways.append((-len(since), int(np.abs(np.diff(since + turns * YEAR)).sum()), day_first, since, turns))
    _, _, day_first, since, turns = min(ways, key=lambda way: way[:3])
    has = [_of_year(SYSLOG_YEAR, *part, day_first) != NO_TIME for part in parts]
    years = np.zeros(len(parts), dtype=np.int64)
    if any(has):
        years[has] = _years(since, turns, path, None if near is None else near[has])
    dated = zip(years.tolist(), parts, has, strict=True)
    stamps = [_of_year(year, *part, day_first) if ok else NO_TIME for year, part, ok in dated]
    open_ = len(ways) > 1 and ways[0][:2] == ways[1][:2]
    kind = "syslog" if near is None and SYSLOG_YEAR in years else "datetime"
    return Stamps(np.array(stamps, dtype=np.int64), kind, "month before day" if open_ else "")


def _month_day_clock(match: re.Match[str]) -> tuple[int, int, int]:
    """Return month, day and µs of the day that `match` names; of two numbers the first as the month."""
    first = (match["first"] or match["month"] or match["name"]).lower()
    month = int(first) if first.isdigit() else [*MONTHS, first].index(first) + 1
    clock = match["clock"] or "0:00"
    stamp = micros("clock", (clock if clock.count(":") > 1 else f"{clock}:00").encode())
    return month, int(match["second"] or match["of"] or match["day"]), NO_TIME if stamp is None else stamp


def _of_year(year: int, month: int, day: int, clock: int, day_first: bool = False) -> int:
    midnight = day_micros(b"%d-%02d-%02d" % ((year, day, month) if day_first else (year, month, day)))
    return NO_TIME if midnight < 0 or clock == NO_TIME else midnight + clock


def _years(since: Micros, turns: Micros, path: Path | None, near: Micros | None) -> Micros:
    """Return the year of each stamp that is so long (µs) `since` its start, `turns` years after the first."""
    if near is not None:
        return np.round((_in_years(near) - since) / YEAR).astype(np.int64)
    run = since + turns * YEAR
    if named := start_time(path.name) if path else None:
        return np.asarray(turns + round((_in_years(named) - run[0]) / YEAR))
    if path is None or not path.exists():
        return turns + SYSLOG_YEAR
    written = datetime.fromtimestamp(path.stat().st_mtime, UTC).replace(tzinfo=None) + ONE_DAY
    told = YEAR_IN_NAME.search(path.name)
    last: int = (_in_years(written) - run.max()) // YEAR
    return turns + (int(told[0]) if told and int(told[0]) <= written.year else last)


def _in_years(moment: Micros | datetime) -> Micros:
    """Return the µs to `moment` as if each year had 366 days."""
    at = np.asarray(moment, dtype="datetime64[us]")
    year = at.astype("datetime64[Y]")
    return np.asarray((year.astype(np.int64) + 1970) * YEAR + (at - year).astype(np.int64))


def _calendar(texts: Sequence[str], path: Path | None, day_first: bool) -> Stamps:
    """Try month, day and year first; take what reads more rows, runs forward, has no long gaps, and ends
    before the file does.

    Of what could be several, it is the one on the day in the name of the file, and two digits of a year are
    those next to the year in which it was written.
    """
    named = start_time(path.name) if path else None
    best, best_score, assumed, differ = np.full(len(texts), NO_TIME), 0.0, "", False
    dotted = sum(bool(DOTTED.match(text)) for text in texts) > 0.5 * len(texts)
    short = sum(bool(SHORT_YEAR.match(text)) for text in texts) > 0.5 * len(texts)
    written = path.stat().st_mtime * SECOND if short and path and path.is_file() else math.nan
    dotted |= day_first and bool(DAY_OR_MONTH.match(texts[0]))
    for rank, way in [*enumerate(WAYS)][dotted : 2 + short]:
        stamps = _dates(pd.Series(texts), way).dt.tz_localize(None).astype("datetime64[us]")
        raw = np.where(stamps.isna(), NO_TIME, stamps.astype("int64"))
        times = raw[raw != NO_TIME]
        steps = np.diff(times)
        forward = float((steps >= 0).mean()) if len(steps) else 1.0
        ways = np.abs(steps)
        gaps = ways[ways > LONG * np.median(ways)].sum() / max(ways.sum(), 1) if len(steps) else 0
        score = len(times) + forward - 0.5 * float(gaps) - 0.01 * rank
        if len(times) and not math.isnan(written):
            years = float(written - times[-1]) / YEAR
            score -= min(0.02 * years, 0.4) if years >= 0 else 0.4 * (years < -1 / 366)
        if len(times) and named:
            score += 0.1 * bool(np.any(times // DAY == np.datetime64(named, "D").astype(int)))
        differ = bool(best_score) and not np.array_equal(raw, best) and (raw != NO_TIME).all()
        if score > best_score:
            best, best_score, assumed = raw, score, WAYS[way]
    numeric = any(map(DAY_OR_MONTH.match, texts[:20]))
    return Stamps(best, "datetime" if best_score else "", assumed if numeric and differ else "")


def _dates(texts: "pd.Series[str]", way: str) -> "pd.Series[pd.Timestamp]":
    """Return the dates of `texts`: all at once in the form of the first, those that do not fit one by one."""
    first = next((match for text in texts if (match := NUMERIC.match(text))), None)
    dates = pd.Series(pd.NaT, texts.index, dtype="datetime64[us, UTC]")
    for form in _forms(first, way) if first else ():
        rest = dates.isna()
        dates[rest] = pd.to_datetime(texts[rest], format=form, errors="coerce", utc=True)
    rest = dates.isna()
    dates[rest] = pd.to_datetime(
        texts[rest], format="mixed", dayfirst=way == "day", errors="coerce", utc=True
    )
    return dates


def _forms(date: re.Match[str], way: str) -> list[str]:
    """Return the forms in which the numbers of `date` may stand, the likelier first."""
    parts = iter(("%I" if date["half"] else "%H", "%M", "%S", "%f"))
    clock = re.sub(r"\d+", lambda _: next(parts), date["clock"] or "") + (" %p" if date["half"] else "")
    orders = ["%d{0}%m", "%m{0}%d"] if way == "day" else ["%m{0}%d", "%d{0}%m"]
    if date["year"]:
        days = ["%Y{0}" + order for order in orders[: 1 + (way == "day")]]
    elif way == "year":
        days = ["%y{0}%m{0}%d"]
    else:
        days = [order + ("{0}%Y" if date["full"] else "{0}%y") for order in orders]
    return [day.format(date["mark"]) + clock for day in days]


def spread(raw: Micros) -> Micros:
    """Return `raw` with rows of one stamp spread evenly up to the next stamp, where most rows share theirs.

    A clock that shows minutes has six rows of 10 s in each; their true times lie between.
    """
    times = raw[raw != NO_TIME]
    if len(times) < 4 or (np.diff(times) == 0).mean() < 0.5 or times[0] == times[-1]:
        return raw
    changes = np.flatnonzero(np.diff(times) != 0) + 1
    middle = np.diff(changes)
    rows = float(np.median(middle)) if len(middle) else float(changes[0])
    anchors = np.concatenate([[changes[0] - rows], changes, [changes[-1] + rows]])
    stamp_step = times[changes[-1]] - times[changes[-1] - 1]
    stamps = np.concatenate([[times[0]], times[changes], [times[changes[-1]] + stamp_step]])
    result = raw.copy()
    result[raw != NO_TIME] = np.interp(np.arange(len(times)), anchors, stamps.astype(float)).astype(np.int64)
    return result

"""The time column of a table: epoch, elapsed, clock or calendar, in whatever unit and order it is written."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from instrumentgpt.instruments.reading.clocks import DAY, NO_TIME, SECOND, Micros, micros

UNITS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6, "min": 60e6, "h": 3600e6, "d": 86_400e6}  # µs
EPOCHS = ((1e17, "ns"), (1e14, "us"), (1e11, "ms"), (3e8, "s"))  # above this a number counts since 1970
EXCEL_DAYS = (30_000.0, 60_000.0)  # a spreadsheet's day number, 1982 to 2064
FASTEST_ROWS = 0.01  # s between rows of a thermal loop; a time without unit that has less is in hours
EXCEL_EPOCH_DAYS = 25_569  # 1970-01-01 as a spreadsheet counts
DOTTED = re.compile(r"\d{1,2}\.\d{1,2}\.\d{2,4}\b")  # who writes dots writes the day first
CLOCK = re.compile(r"\d+:\d\d:\d\d(?:[.,]\d+)?$")
ISO = re.compile(r"\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?$")
CHINESE = str.maketrans({"年": "-", "月": "-", "日": " ", "时": ":", "時": ":", "分": ":", "秒": ""})


@dataclass(frozen=True)
class Stamps:
    """The stamps of all rows (µs, or NO_TIME), their kind (see clocks), and what was assumed."""

    raw: Micros
    kind: str
    assumed: str = ""


def from_numbers(numbers: NDArray[np.float64], unit: str) -> Stamps:
    """Return stamps from a column of numbers in `unit` ("" if the header does not say)."""
    known = numbers[np.isfinite(numbers)]
    top = float(np.abs(known).max()) if len(known) else 0.0
    for limit, epoch_unit in EPOCHS:
        if top > limit and (limit > 3e8 or unit in ("", "s")):
            return Stamps(_scaled(numbers, UNITS[epoch_unit]), "epoch")
    steps = np.diff(known)
    step = float(np.median(steps[steps > 0])) if (steps > 0).any() else 1.0
    if not unit and EXCEL_DAYS[0] < top < EXCEL_DAYS[1] and step < 0.1:
        return Stamps(_scaled(numbers - EXCEL_EPOCH_DAYS, UNITS["d"]), "epoch", "in days since 1900")
    if unit in UNITS:
        return Stamps(_scaled(numbers, UNITS[unit]), "seconds")
    if step < FASTEST_ROWS:
        return Stamps(_scaled(numbers, UNITS["h"]), "seconds", f"in hours, as rows are {step:.2g} apart")
    if step >= 50 and (known == np.round(known)).all():
        return Stamps(_scaled(numbers, UNITS["ms"]), "seconds", f"in ms, as rows are {step:g} apart")
    return Stamps(_scaled(numbers, UNITS["s"]), "seconds", "in seconds")


def _scaled(numbers: NDArray[np.float64], factor: float) -> Micros:
    exact = np.round(np.where(np.isfinite(numbers), numbers, 0.0) * factor)
    usable = np.isfinite(numbers) & (np.abs(exact) < 9e18)
    return np.where(usable, np.where(usable, exact, 0.0).astype(np.int64), NO_TIME)


def from_texts(cells: Sequence[str]) -> Stamps:
    """Return stamps from a column of texts: ISO, clock or elapsed time, a date in any usual order."""
    texts = [unicodedata.normalize("NFKC", cell).strip().translate(CHINESE).strip(" :") for cell in cells]
    known = [text for text in texts if any(letter.isdigit() for letter in text)]
    if not known:
        return Stamps(np.full(len(texts), NO_TIME), "")
    if sum(bool(CLOCK.match(text)) for text in known) > 0.9 * len(known):
        raw = _each("clock", texts, CLOCK)
        first = raw[raw != NO_TIME][0]
        elapsed = first < 60 * SECOND or raw.max() >= DAY
        return Stamps(raw, "seconds" if elapsed else "clock")
    if sum(bool(ISO.match(text)) for text in known) > 0.9 * len(known):
        return Stamps(_each("datetime", texts, ISO), "datetime")
    return _calendar(texts)


def _each(kind: str, texts: Sequence[str], shape: re.Pattern[str]) -> Micros:
    found = (micros(kind, text.encode()) if shape.match(text) else None for text in texts)
    return np.array([NO_TIME if stamp is None else stamp for stamp in found], dtype=np.int64)


def _calendar(texts: Sequence[str]) -> Stamps:
    """Try month first and day first; take the one that reads more rows and runs forward."""
    best, best_score, assumed, differ = np.full(len(texts), NO_TIME), 0.0, "", False
    dotted = sum(bool(DOTTED.match(text)) for text in texts) > 0.5 * len(texts)
    for day_first in (True,) if dotted else (False, True):
        parsed = pd.to_datetime(
            pd.Series(texts), format="mixed", dayfirst=day_first, errors="coerce", utc=True
        )
        stamps = parsed.dt.tz_localize(None).astype("datetime64[us]")
        raw = np.where(stamps.isna(), NO_TIME, stamps.astype("int64"))
        known = raw[raw != NO_TIME]
        span = float(known[-1] - known[0]) / DAY if len(known) > 1 else 0.0
        forward = float((np.diff(known) >= 0).mean()) if len(known) > 1 else 1.0
        score = len(known) + forward - (0.5 if span > 3 * 365 else 0.0) - 0.01 * day_first
        differ = bool(best_score) and not np.array_equal(raw, best) and (raw != NO_TIME).all()
        if score > best_score:
            best, best_score = raw, score
            assumed = "day before month" if day_first else "month before day"
    numeric = any(re.match(r"\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}", text) for text in texts[:20])
    return Stamps(best, "datetime" if best_score else "", assumed if numeric and differ else "")


def spread(raw: Micros) -> Micros:
    """Return `raw` with rows of one stamp spread evenly up to the next stamp, where most rows share theirs.

    A clock that shows minutes has six rows of 10 s in each; their true times lie between.
    """
    known = raw[raw != NO_TIME]
    if len(known) < 4 or (np.diff(known) == 0).mean() < 0.5 or known[0] == known[-1]:
        return raw
    changes = np.flatnonzero(np.diff(known) != 0) + 1
    middle = np.diff(changes)
    rows = float(np.median(middle)) if len(middle) else float(changes[0])
    anchors = np.concatenate([[changes[0] - rows], changes, [changes[-1] + rows]])
    stamp_step = known[changes[-1]] - known[changes[-1] - 1]
    stamps = np.concatenate([[known[0]], known[changes], [known[changes[-1]] + stamp_step]])
    result = raw.copy()
    result[raw != NO_TIME] = np.interp(np.arange(len(known)), anchors, stamps.astype(float)).astype(np.int64)
    return result

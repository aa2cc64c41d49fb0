"""The rows of a delimited table: its delimiter, its header, and its cells, chunk by chunk."""

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import starmap, zip_longest
from operator import itemgetter

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from instrumentgpt.instruments.reading.headers import (
    NAMES,
    Heading,
    heading_of,
    is_unit,
    known_header,
    level_of,
    numbered_alike,
    setpoint_in,
    unit_of_cells,
    units_in,
    vocabulary,
)
from instrumentgpt.instruments.reading.record import (
    GLUED,
    REST,
    STAMP,
    TIMES,
    gains_in,
    names_in,
    pairs_of,
    rest_of,
)
from instrumentgpt.instruments.reading.signals import Signals, signals_of
from instrumentgpt.instruments.reading.sources import Chunk, text_of

DELIMITERS = (";", "\t", ",", "|", "")  # "": blanks
NUMBERS_ALONE = "0"  # in place of a delimiter: the stamp and the numbers of a line, whatever stands between
ONE_SIGNAL = "1"  # likewise: each line names one value
NO_VALUES = frozenset(vocabulary()["gaps"]["words"])
GAP = "|".join(re.escape(word) for word in NO_VALUES if len(word) > 1)
FREE_NUMBER = re.compile(  # or nothing in its place: OPEN/450
    r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\d.:])"
    rf"|(?<!\S)(?i:{GAP})(?=/)|(?<=\d/)(?i:{GAP})(?!\S)"
)
STATES = vocabulary()["states"]
ON_OFF = dict.fromkeys(STATES["on"], 1.0) | dict.fromkeys(STATES["off"], 0.0)
NEVER_HEADS = frozenset(("on", "off", "true", "false", "開", "开", "關", "关"))  # "Heating" may be one
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$")
DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+$")
GROUPED = re.compile(r"[-+]?\d{1,3}([ \u00a0\u202f'’,.])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d+)?$")  # 1,234.5
SIGN = re.compile(r"^([-+])\s+(?=[.\d])")
UNITS_GLUED = GLUED.partition(")")[2]
BEHIND = re.compile(  # a unit, or one or two letters or marks of a status
    rf"(?<=\d)\s*(?:(?:°|deg\.? ?)[CFK]|%(?: ?RH)?|℃|℉|(?!AM|PM)[A-Z*#!]{{1,2}})$|(?<=\d) ?{UNITS_GLUED}$"
)
DATE_OR_CLOCK = re.compile(r"\d.*[:/年-].*\d|\d{6} \d{6}|\d{1,2}[- ][A-Za-z]{3}[- ]\d|[A-Za-z]{3} \d")
SAID = re.compile(  # how a line begins that says something between rows
    r"\s*(?:[#%]|[*=]{2,}|//|(?:!+|--+)\s*(?!nan|inf|none|null|na\b|on\b|off\b)[^\W\d_])", re.IGNORECASE
)
LABELLED = re.compile(r"\W*(?:([^\W\d][^\d:=,;\t]*?)\s*[:=,;\t]?\s*)?(\d[^\t;,=]*)")
A_DATE = re.compile(r"\d[-/.年]\s?\d+\s?[-/.月]\s?\d|\d\.?[ -][A-Z][a-z]{2}")
A_MOMENT = re.compile(  # a date with its clock
    r"(?<!\d)(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{4})[T ]\d\d?:\d\d(?::\d\d)?(?!\d)"
)
A_CLOCK = re.compile(r"\d:\d\d")
WORD = re.compile(r"[^\W\d_]{4,}|[\u3400-\u9fff]{2,}")
LETTERS = re.compile(r"[^\W\d_]{2,}|[\u3400-\u9fff\ufffd]+")
CONTROL_LETTERS = {"w": "setpoint", "x": "pv", "y": "output"}  # DIN 19226, where all three are told
BESIDE = re.compile(r"\s{2,}|;")  # between what a line above the rows says
STEM = re.compile(r"^(.+[_.])((?i:w|x|y|sp|pv|sw|iw|set|act|soll|ist))$")  # and what stands behind it
SPACED_DATE = re.compile(r"^(\s*\d{1,2}) ([A-Z][a-z]{2}) (\d\d(?:\d\d)?)(?=\s+\d\d?:)")  # 30 Jan 24  07:00
IN_BRACKETS = re.compile(r"^[\[(]\s*(.*?)\s*[\])]$")  # a unit, not the (g) of kPa(g)
ARROW = " -> "
COMMENT = re.compile(r"^\s*[#;%!]+(?=\s)")  # before the heads of a table of blanks
BRACKETED = re.compile(  # a time before a row: [05:00:20], [   12.345678]
    r"\s*\[\s*([^][]*\d:\d\d[^][]*|\d+(?:\.\d+)?)(?:\s?m?s)?\][\s:;,|]*(?=[^\s\]:;,|])"
)
BLOCK_LINES = 10_000  # one damaged row costs the quick way for so many
GREATEST = 1e30  # no instrument measures more: such digits are damage
LEAST_DATED = 0.4  # of the cells of a row with a date that must be values: the rest are tags
LEAST_ROWS, LEAST_JOINED = 2, 4  # rows of several lines: fewer are a text
MOST_NAMES = 64  # in a table of “time, name, value”, or of a row for each channel
TAKE_TURNS, IN_A_ROW = 0.8, 0.02  # share of rows whose name comes again when all others came; at once
LEAST_NAMED = 3  # known heads, with which a delimiter is surely the right one
LONG = ("time", "name", "value")  # the columns of lines of one signal each
LEAST_SHARE = 0.6  # of the lines after the header that must be rows
OFTEN, MOST_UNKNOWN = 0.1, 2  # share of lines with a word of rows; other words of one
LEAST_TOLD = 0.5  # of the values that lines name, without which a line is no row: “ALARM T 25.1 low”


@dataclass(frozen=True)
class Shape:
    """How a table is written; `first_row` and `header_line` are line numbers."""

    delimiter: str
    width: int
    decimal_comma: bool
    headings: tuple[Heading, ...]
    header_line: int | None
    first_row: int
    texts: frozenset[int] = frozenset()  # columns with words, dates or clock times
    names: tuple[str, ...] = ()  # of the values, where each line names them itself
    zones: re.Pattern[str] | None = None  # what such lines begin with, of which loop they are
    joined: bool = False  # whether a row is several such lines
    unit: str = ""  # that the lines above the header name
    setpoint: tuple[float, str, str] = (math.nan, "", "")  # that they state, its unit, and the line
    needed: frozenset[int] = frozenset()  # columns that tell rows alone
    ended: bool = False  # whether rows have an empty cell more
    signals: Signals | None = None  # of a long table in words: how each line names one value
    words: frozenset[str] = frozenset()  # that rows have, where numbers stand between words

    def cells(self, line: str) -> list[str]:
        """Return the cells of `line`."""
        if self.delimiter == NUMBERS_ALONE and len(_words(line) - self.words) > MOST_UNKNOWN:
            return []  # “door open 3 min”, between rows
        if not self.names:
            return cells_of(line, self.delimiter)
        if self.signals:
            return self.signals.cells(line)
        line = self.zones.sub(r"\g<0>;", line, count=1) if self.zones else line
        pairs, names = pairs_of(line), set(self.names) - TIMES
        told = len(pairs.keys() & names) >= LEAST_TOLD * len(names)
        pairs |= {REST: rest_of(line)} if REST in self.names else {}
        return [pairs.get(name, "") for name in self.names] if told else []


@dataclass
class Table:
    """Cells by column, as texts or floats; `line` of each row; rows that could not be read; other lines."""

    columns: list[list[NDArray[np.generic]]]
    line: list[NDArray[np.int64]]
    broken: list[tuple[int, str, str]]
    broken_count: int = 0
    headers_again: int = 0
    others: list[tuple[int, str]] = field(default_factory=list)  # lines below the first row that are none
    remarks: list[tuple[int, str]] = field(default_factory=list)  # in rows, but in no column
    above: list[tuple[int, str]] = field(default_factory=list)  # lines before the first row
    unended: list[tuple[int, str]] = field(default_factory=list)  # a row of several lines, to be gone on with


def _words(line: str) -> set[str]:
    return set(LETTERS.findall(STAMP.sub("", line, count=1)))


def cells_of(line: str, delimiter: str) -> list[str]:
    """Return the cells of `line`, without blanks and quotes around them."""
    before, arrow, _ = line.partition(ARROW)
    if arrow and STAMP.fullmatch(before.strip()):  # a serial monitor's stamp: 12:00:01.250 -> 25.3,40
        line = line.replace(ARROW, delimiter or " ", 1)
    elif "[" in line[:2]:
        line = BRACKETED.sub(rf"\g<1>{delimiter or ' '}", line, count=1)
    if delimiter == NUMBERS_ALONE:
        stamp = STAMP.match(line)
        return [*(stamp.groups() if stamp else ()), *FREE_NUMBER.findall(line, stamp.end() if stamp else 0)]
    if not delimiter:
        return SPACED_DATE.sub(r"\1-\2-\3", COMMENT.sub("", line)).split()
    quoted = csv.reader([line], delimiter=delimiter, skipinitialspace=True)  # of spreadsheets: ="12:00:00"
    return [cell.strip('= "') for cell in (next(quoted, []) if '"' in line else line.split(delimiter))]


def unread_cell(lines: Sequence[tuple[int, str]]) -> tuple[int, int, str] | None:
    """Return the line, the place and the text of the first cell that keeps `lines` from being a table."""
    for delimiter in filter(None, DELIMITERS):
        split = [(number, cells_of(line, delimiter)) for number, line in lines if line.strip()]
        width, count = Counter(len(cells) for _, cells in split).most_common(1)[0] if split else (0, 0)
        rows = [pair for pair in split if len(pair[1]) == width and any(map(is_value, pair[1]))]
        if width > 1 and len(rows) > 0.5 * count:
            number, cells = rows[len(rows) // 2]
            return next(((number, at, cell) for at, cell in enumerate(cells, 1) if not is_value(cell)), None)
    return None


def heads_alone(lines: Iterable[tuple[int, str]]) -> list[str]:
    """Return the cells of a head with known columns that has no rows below it; [] if there is none."""
    said = [line for _, line in lines if line.strip() and not SAID.match(line)]
    split = [cells_of(line, mark) for line in said for mark in filter(None, DELIMITERS)]
    heads = max(split, key=len) if len(said) == 1 else []
    known = [cell for cell in heads if heading_of(cell).scores and "=" not in cell]
    return heads if len(known) > 1 and not any(map(is_value, heads)) else []


def find_shape(
    lines: Sequence[tuple[int, str]],
    name: str = "",
    stated: Sequence[int | str] = (),
    delimiters: Sequence[str] = DELIMITERS,
) -> Shape | None:
    """Return how `lines` (number, text) of the file `name` are written as a table; None if they are none.

    stated  columns by number or head that tell rows alone, whatever stands in the others
    """
    every, lines = lines, [(number, line) for number, line in lines if line.strip() and not SAID.match(line)]
    shapes: list[tuple[float, Shape]] = []
    for delimiter in delimiters:
        if not delimiter and any(named >= LEAST_NAMED for named, _ in shapes):
            break  # the blanks are those in its heads and times
        if shape := _shape(lines, delimiter, name, stated, [pair for pair in every if SAID.match(pair[1])]):
            shapes.append(shape)
    if not shapes:
        return None
    best = max(shapes, key=itemgetter(0))[1]
    above = [line.strip() for number, line in every if number < (best.header_line or best.first_row)]
    parts = ((part, line) for line in above for part in (line, *BESIDE.split(line.replace('"', ""))))
    said = {value: (*value, line) for part, line in parts if not math.isnan((value := setpoint_in(part))[0])}
    setpoint = next(iter(said.values())) if len(said) == 1 else best.setpoint
    units = {unit for line in above for unit in units_in(line)}
    unit = units.pop() if len(units) == 1 else ""
    count = Counter(word for _, line in lines for word in _words(line))
    words = frozenset(word for word, number in count.items() if number > OFTEN * len(lines))
    return replace(best, setpoint=setpoint, unit=unit, words=words)


def began_in(lines: Iterable[str]) -> str:
    """Return the date, and the clock, at which `lines` above a table say that it began; "" if none does.

    >>> began_in(["Date;2026/07/04;2026/07/04", "Time;13:33:12"]), began_in(["Printed: 2026-07-04"])
    ('2026/07/04 13:33:12', '')
    >>> began_in(["# Start time: 04.07.2026 13:33"]), began_in(["=== 04.07.2026 ==="])
    ('04.07.2026 13:33', '04.07.2026')
    >>> began_in(["rig 7, boot at 2026-07-04 13:33:12, fw 2.1"]), began_in(["exported 2026-07-04 13:33"])
    ('2026-07-04 13:33:12', '')
    """
    known = {*vocabulary()["time"]["certain"], *vocabulary()["time"]["start"]}
    said, moments = {"date": "", "clock": ""}, dict[str, None]()
    for part in (part for line in lines for part in re.split(r"\s{2,}", line)):
        match = LABELLED.match(part)
        if match and set((match[1] or "").lower().split()) <= known:
            text = match[2].strip(" -*#")
            kinds = [kind for kind, shape in (("date", A_DATE), ("clock", A_CLOCK)) if shape.search(text)]
            said |= {kind: text if kind == kinds[0] else "" for kind in kinds if not said[kinds[0]]}
        is_after = any(word in part.lower() for word in vocabulary()["time"]["after"])
        moments |= {} if is_after else dict.fromkeys(A_MOMENT.findall(part))
    alone = next(iter(moments)) if len(moments) == 1 else ""
    return " ".join(filter(None, said.values())) if said["date"] else alone


def record_shape(lines: Sequence[tuple[int, str]]) -> Shape | None:
    """Return how `lines` (number, text) are written as lines that name their values; None if they are not.

    A line is a signal at its time, or a row, else a row is the lines until a name comes again.
    """
    lines = [(number, line) for number, line in lines if line.strip()]
    if signals := signals_of([line for _, line in lines]):
        heads = tuple(map(heading_of, LONG))
        return Shape(
            ONE_SIGNAL, len(heads), signals.comma, heads, None, 1, frozenset({0, 1}), LONG, signals=signals
        )
    first = next((at for at, (_, line) in enumerate(lines) if pairs_of(line).keys() - TIMES), len(lines))
    return _record_shape(lines[first:], False) or _record_shape([*joined(lines)], True)


def joined(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the rows that are several of `lines` (number, text) each, with the number of their first.

    >>> [*joined(enumerate(["Time: 12:00:01", "PV: 25.3", "---", "Time: 12:00:02", "PV: 25.4"], 1))]
    [(1, 'Time: 12:00:01; PV: 25.3'), (4, 'Time: 12:00:02; PV: 25.4')]
    """
    row: list[str] = []
    met: set[str] = set()
    begun = 0
    for number, line in lines:
        pairs = pairs_of(line).keys()
        if row and pairs & met - (TIMES if pairs - TIMES else set()):
            yield begun, "; ".join(row)
            row, met = [], set()
        if pairs:
            begun = begun if row else number
            row.append(line.strip())
            met |= pairs
    if row:
        yield begun, "; ".join(row)


def _record_shape(lines: Sequence[tuple[int, str]], is_joined: bool) -> Shape | None:
    zones = _zones([pairs_of(line) for _, line in lines])
    texts = [zones.sub(r"\g<0>;", line, count=1) if zones else line for _, line in lines]
    names = names_in(texts)
    records = [{REST: rest_of(text), **pairs_of(text)} for text in texts]
    rest = [record[REST] for record in records if len(record.keys() & {*names}) > LEAST_TOLD * len(names)]
    if names and take_turns(pd.factorize(np.array(rest, dtype=object))[0]):
        names = [*names, REST]
    rows = [[record.get(name, "") for name in names] for record in records]
    spoken = {"H": "RH"} if {"T", "H"} <= {*names} else {}  # of a climate chamber
    headings = _headings([spoken.get(name, name) for name in names], rows)
    headings = tuple(
        replace(one if one.text else heading_of("channel"), text=name)
        for one, name in zip(headings, names, strict=True)
    )
    if len(lines) < (LEAST_JOINED if is_joined else LEAST_ROWS) or not any(
        heading.scores.keys() - {"channel"} for heading in headings if heading.text not in TIMES
    ):
        return None
    comma = sum(bool(DECIMAL_COMMA.match(_bare(cell))) for row in rows for cell in row) > len(rows) / 2
    first = lines[0][0]
    return Shape("=", len(names), comma, headings, None, first, _texts(rows), tuple(names), zones, is_joined)


def _zones(records: Sequence[Mapping[str, str]]) -> re.Pattern[str] | None:
    """Return what the first names of `records` begin with, where that takes turns: “top PV=…”, “low PV=…”."""
    first = [next((name for name in record if name not in TIMES), "").rpartition(" ") for record in records]
    ((tail, count),) = Counter(tail for head, _, tail in first if head).most_common(1) or [("", 0)]
    codes, heads = pd.factorize(np.array([head for head, _, other in first if other == tail], dtype=object))
    if count < LEAST_SHARE * len(records) or not take_turns(codes) or len(heads) > MOST_NAMES:
        return None
    return re.compile(rf"(?:{'|'.join(map(re.escape, heads))})(?= {re.escape(tail)}\b)")


def take_turns(codes: NDArray[np.intp]) -> bool:
    """Return whether each of `codes` (rows,) mostly comes again when all others came."""
    order = np.argsort(codes, kind="stable")
    gaps = np.diff(order)[np.diff(codes[order]) == 0]
    count = int(codes.max(initial=0)) + 1
    turns = count > 1 and len(gaps) > count and float((gaps == count).mean()) >= TAKE_TURNS
    return turns and float((gaps == 1).mean()) <= IN_A_ROW


def headings_of(names: Sequence[str]) -> list[Heading]:
    """Return what the heads `names` of one table say, beside each other."""
    written, stems = {name.lower() for name in names}, {stem for name in names for stem in STEM.findall(name)}
    letters = CONTROL_LETTERS if {*CONTROL_LETTERS} <= written or {"pv", "sp", "y"} <= written else {}
    heads = (heading_of(letters.get(name.lower(), _spelled_out(name, stems))) for name in names)
    return numbered_alike([replace(head, text=name) for head, name in zip(heads, names, strict=True)])


def _headings(names: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[Heading, ...]:
    """Return what the header cells `names` say, with the units in the cells below where they state none."""
    units = [unit_of_cells(cells) for cells in zip(*rows, strict=True)]
    return tuple(
        heading if heading.unit or not unit else heading.in_unit(unit)
        for heading, unit in zip(headings_of(names), units, strict=True)
    )


def _spelled_out(name: str, stems: Collection[tuple[str, str]]) -> str:
    """Return `name` with the letter of DIN 19226 at its end as a word, where others of its stem are told.

    >>> told = {("PIC301_", "Y"), ("PIC301_", "SP"), ("pos_", "Y")}
    >>> _spelled_out("PIC301_Y", told), _spelled_out("pos_Y", told)
    ('PIC301_output', 'pos_Y')
    """
    stem, letter = next(iter(STEM.findall(name)), ("", ""))
    is_told = len({other for own, other in stems if own == stem}) > 1
    return stem + CONTROL_LETTERS.get(letter.lower(), letter) if is_told else name


def _texts(rows: Iterable[Sequence[str]]) -> frozenset[int]:
    """Return which columns of `rows` have cells that are neither numbers nor gaps."""
    return frozenset(
        at for cells in rows for at, cell in enumerate(cells) if not NUMBER.match(cell) and not is_gap(cell)
    )


def _shape(
    lines: Sequence[tuple[int, str]],
    delimiter: str,
    name: str,
    stated: Sequence[int | str],
    said: Sequence[tuple[int, str]] = (),
) -> tuple[float, Shape] | None:
    """Return how surely `lines` are a table with that delimiter, and its shape; `said`: lines of comments."""
    split = [(number, cells_of(line, delimiter)) for number, line in lines]
    texts_of = ([cell.casefold() for cell in cells] for _, cells in split)
    heads = {str(at).casefold() for at in stated if not str(at).isdecimal()}
    named = next((cells for cells in texts_of if heads <= {*cells}), None)
    if named is None:
        return None
    needed = frozenset(int(at) if str(at).isdecimal() else named.index(str(at).casefold()) for at in stated)
    rows = [(number, cells) for number, cells in split if _is_row(cells, needed)]
    widths = Counter(len(cells) for _, cells in rows)
    if not widths:
        return None
    width, count = widths.most_common(1)[0]
    begun = [is_value(cells[0]) for _, cells in rows if len(cells) == width]
    begins = 2 * sum(begun) <= count  # with a word; else such a row is of a preamble: Samples, 900, 900
    first = next(number for number, cells in rows if len(cells) == width and (begins or is_value(cells[0])))
    after = sum(number >= first for number, _ in split)
    if width < 2 or count < min(LEAST_ROWS, after) or count < LEAST_SHARE * after:
        return None
    before = [pair for pair in split if pair[0] < first]
    if delimiter == NUMBERS_ALONE:
        before = [(number, _heads_of_groups(line, width)) for number, line in lines if number < first]
    written = dict(lines) | {number: line.strip("#%*/!- ") for number, line in said}
    header = _header(before, width, delimiter, written)
    if not header:  # "# oven log: elapsed[s] setpoint[K] T[K]", as numpy writes it
        above = [(at, cells_of(written[at], delimiter)[-width:]) for at, _ in said if at < first]
        header = _header([pair for pair in above if _names_roles(pair[1])], width, delimiter, written)
    whole = [cells for _, cells in rows if len(cells) == width]
    values = (_bare(cell, delimiter != ",") for _, cells in rows for cell in cells)  # 1,234 of thousands
    comma = sum(bool(DECIMAL_COMMA.match(value)) for value in values) > count / 2
    names = header[1] if header else known_header([line for _, line in lines[:50]], name)[:width]
    ended = all(not cells[-1] for cells in whole) and width > 2
    width -= ended
    headings = _headings(names, whole)[:width] if len(names) == width + ended else ()
    texts = _texts(cells[:width] for _, cells in rows)
    at = header[0] if header else None
    shape = Shape(delimiter, width, comma, headings, at, first, texts, needed=needed, ended=ended)
    return count / after + sum(bool(heading.scores) for heading in shape.headings), shape


def _is_row(cells: Sequence[str], needed: frozenset[int]) -> bool:
    if needed:
        return len(cells) > max(needed) and all(is_value(cells[at]) for at in needed)
    if not any(_is_number(cell) or cell.lower() == "nan" for cell in cells):
        return False
    values = sum(is_value(cell) for cell in cells)
    return values >= LEAST_SHARE * len(cells) or (
        values - sum(map(is_gap, cells)) >= LEAST_DATED * len(cells)
        and any(DATE_OR_CLOCK.match(cell) and not NUMBER.match(cell) for cell in cells)
    )


@lru_cache(maxsize=1 << 14)  # a line without the delimiter is one cell for each of them
def _is_number(cell: str) -> bool:
    if not (cell[:1].isdecimal() or cell[:1] in "+-."):
        return False
    bare = _bare(cell)
    return bool(NUMBER.match(bare) or DECIMAL_COMMA.match(bare))


def _bare(cell: str, decimal_comma: bool = True) -> str:
    """Return the number in `cell` without unit, status, blanks at its sign and marks of thousands."""
    if NUMBER.match(cell) or ":" in cell:  # no clock has a unit
        return cell
    bare = SIGN.sub(r"\1", BEHIND.sub("", cell))
    plain = NUMBER.match(bare) or (decimal_comma and DECIMAL_COMMA.match(bare))
    grouped = None if plain else GROUPED.match(bare)
    return bare.replace(grouped[1], "") if grouped else bare


def is_gap(cell: str) -> bool:
    """Return whether `cell` says that there is no value: nothing, marks only, or a word as of an open sensor.

    >>> is_gap("BURNOUT"), is_gap("+++++++"), is_gap("0")
    (True, True, False)
    """
    return cell.lower() in NO_VALUES or not cell.strip("-+*?#.,")


def is_remark(cell: str) -> bool:
    """Return whether `cell` has words and is no value.

    >>> is_remark("ALM HI"), is_remark("警報"), is_remark("36.9 C"), is_remark("OFF")
    (True, True, False, False)
    """
    return bool(LETTERS.search(cell)) and not is_value(cell)


def is_value(cell: str) -> bool:
    """Return whether `cell` could stand in a row: a number, a gap, a time or a switch."""
    return _is_number(cell) or is_gap(cell) or cell.lower() in NEVER_HEADS or bool(DATE_OR_CLOCK.match(cell))


def _is_said(cells: Sequence[str]) -> bool:
    """Return whether a line of `cells` that is no row has words rather than numbers."""
    words = [cell for cell in cells if WORD.search(cell) and not is_gap(cell)]
    return sum(cell.lower() not in NEVER_HEADS for cell in words) >= max(1, sum(map(_is_number, cells)))


def _header(
    before: Sequence[tuple[int, list[str]]], width: int, delimiter: str, texts: Mapping[int, str]
) -> tuple[int, list[str]] | None:
    """Return the line above the rows that names most columns, with what other `texts` say of them."""
    best: tuple[int, list[str]] | None = None
    most = -1
    for number, cells in before:
        fits = abs(len(cells) - width) <= 1 and 2 * sum(map(bool, map(NUMBER.match, cells))) < len(cells)
        label = len(cells) > width and cells[0].endswith(":")  # “columns: time T[K]”
        cells = cells[label : width + label]  # one more names what has no cells: the comments of LabVIEW
        fits = fits and not (best and _names_units(cells))
        of = re.split(r"[\s:=]", cells[0])[0] if cells else ""  # a later line: “CH1: oven PV”
        fits = fits and not (of and any(of in other[1:] for at, other in before if at > number))
        named = sum(sum(heading_of(cell).scores.values()) for cell in set(cells)) if fits else -1
        if fits and named > most:
            best, most = (number, cells + [""] * (width - len(cells))), named
    if not best:
        return None
    line, heads = best
    said = _as_said(heads, [text for at, text in texts.items() if at < line], delimiter)
    for number, cells in before:
        if not delimiter and len(cells) != len(heads) and _names_units(cells):
            cells = _aligned(texts[line], texts[number])
        values = (_is_number(cell.rstrip(":")) or A_CLOCK.search(cell) for cell in cells)
        go_on = number > line and not any(values)
        if 0 <= len(heads) - len(cells) <= 1 and (go_on or (number < line and _names_units(cells))):
            said = list(starmap(_joined, zip_longest(said, cells, fillvalue="")))
    return line, said


def _heads_of_groups(line: str, width: int) -> list[str]:
    """Return a head for each of `width` numbers if `line` names groups of them, “Z1 act/set pwr”; else []."""
    cells = [re.split(r"[\s/]+", cell) for cell in re.split(r"\s{2,}|[\t;|]", line.strip())]
    for name in range(3):  # words of it
        groups = [(words[:name], words[name:]) if len(words) > name else ([], words) for words in cells]
        heads = [" ".join([*group, word]) for group, words in groups for word in words]
        if len(heads) == len({*heads}) == width and _names_roles(heads):
            return heads
    return []


def _as_said(heads: list[str], lines: Iterable[str], delimiter: str) -> list[str]:
    """Return `heads`; where `lines` above say what most of those are that say nothing, as they say."""
    unsaid = [head for head in heads if head and not heading_of(head).scores.keys() - {"channel"}]
    said: dict[str, str] = {}
    for line in lines if unsaid else ():
        before, *parts = re.split(rf"(?<!\w)({'|'.join(map(re.escape, unsaid))})[\s:=,;\"]+", line)
        for head, text in zip(parts[::2], parts[1::2], strict=True) if not before.strip('"') else ():
            said[head] = (text.split(delimiter)[0] if delimiter else text).strip('" ')
    own = len({*said.values()}) == len(said) > len(unsaid) / 2 and not any(map(is_value, said.values()))
    return [said.get(head, head) for head in heads] if own else heads


def _aligned(heads: str, line: str) -> list[str]:
    """Return what stands in `line` by the word of `heads` that it stands under, or above."""
    middles = [sum(match.span()) for match in re.finditer(r"\S+", heads)]
    cells = [""] * len(middles)
    for match in re.finditer(r"\S+(?: \S+)*", line):
        cells[min(range(len(cells)), key=lambda at: abs(middles[at] - sum(match.span())))] = match[0]
    return cells


def _names_roles(cells: Sequence[str]) -> bool:
    """Return whether most of `cells` name what a column can be."""
    return 2 * sum(bool(heading_of(cell).scores) for cell in cells) > len(cells)


def _joined(head: str, cell: str) -> str:
    """Return a head with what its `cell` in another line of heads says, a unit in brackets."""
    unit = IN_BRACKETS.sub(r"\1", cell.strip())
    return f"{head} ({unit})" if is_unit(unit) else f"{head} {cell}".strip()


def _names_units(cells: Sequence[str]) -> bool:
    """Return whether most of `cells`, but for gaps, are nothing but units."""
    said = [unit for cell in cells if not is_gap(unit := IN_BRACKETS.sub(r"\1", cell.strip()))]
    return 2 * sum(map(is_unit, said)) > len(said)


def number_in(cell: str, decimal_comma: bool = False) -> float:
    """Return the number in `cell`: ON is 1; nan for a gap or a word.

    >>> number_in("36,98", decimal_comma=True), number_in("+   25.3 °C"), number_in("ON"), number_in("NAN")
    (36.98, 25.3, 1.0, nan)
    >>> number_in("1,234.5"), number_in("1.234,5", decimal_comma=True), number_in("25.3 H"), number_in("Over")
    (1234.5, 1234.5, 25.3, nan)
    """
    bare = _bare(cell, decimal_comma)
    if decimal_comma and DECIMAL_COMMA.match(bare):
        bare = bare.replace(",", ".")
    if NUMBER.match(bare):
        number = float(bare)
        return number if abs(number) < GREATEST else math.nan
    return ON_OFF.get(cell.lower(), math.nan)


def read_chunk(table: Table, chunk: Chunk, shape: Shape) -> int:
    """Append the rows of `chunk` to `table`; return how many lines it has."""
    lines = chunk.content.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    above = lines[: max(shape.first_row - chunk.first_line, 0)]
    table.above += [(number, text_of(line)) for number, line in enumerate(above, chunk.first_line)]
    for start in range(len(above), len(lines), BLOCK_LINES):
        block, first = lines[start : start + BLOCK_LINES], chunk.first_line + start
        if not _read_quickly(table, block, first, shape):
            texts = [*table.unended, *((number, text_of(line)) for number, line in enumerate(block, first))]
            rows = [*joined(texts)] if shape.joined else texts
            table.others += [pair for pair in texts if not pairs_of(pair[1])] if shape.joined else []
            table.unended = [rows.pop()] if shape.joined and rows else []
            read_rows(table, rows, shape)
    return len(lines)


def _read_quickly(table: Table, lines: Sequence[bytes], first: int, shape: Shape) -> bool:
    """Append `lines` if all are regular: as many cells as there must be, and numbers where they must be."""
    content = b"\n".join(lines)
    if not _is_regular(content, lines, shape):
        return False
    frame = pd.read_csv(
        io.BytesIO(content),
        sep=shape.delimiter,
        header=None,
        skipinitialspace=True,
        na_values=list(NO_VALUES),
        low_memory=False,
    )
    numeric = (frame[at].dtype.kind in "fi" for at in range(shape.width) if at not in shape.texts)
    if len(frame) != len(lines) or not all(numeric) or frame.isna().all(axis=1).any():
        return False
    for column, parts in enumerate(table.columns):
        parts.append(_array(frame[column]))
    table.line.append(np.arange(first, first + len(lines)))
    return True


def _array(column: "pd.Series[float]") -> NDArray[np.generic]:
    if column.dtype.kind in "fi":
        return column.to_numpy(dtype=float)
    return column.astype(object).where(column.notna(), "").astype(str).to_numpy(dtype=object)


def _is_regular(content: bytes, lines: Sequence[bytes], shape: Shape) -> bool:
    """Return whether each line has the same number of delimiters and nothing that needs a second look."""
    odd = any(mark in content for mark in (b'"', b"[", b"#", b"->")) or not content.isascii()
    if odd or not shape.delimiter or shape.decimal_comma or shape.names:
        return False
    delimiters = {line.count(shape.delimiter.encode()) for line in lines}
    ended = all(line.rstrip(b" \r").endswith(shape.delimiter.strip(" ").encode()) for line in lines)
    return delimiters in ({shape.width - 1}, {shape.width} if ended else ()) and b"" not in lines


def _without_remark(cells: list[str], shape: Shape) -> tuple[list[str], str]:
    """Return `cells` of a row without the text behind them, and it; more cells in a column of texts are one.

    As they are where the numbers are then not in their places.
    """
    over, mark = len(cells) - shape.width, f"{shape.delimiter} " if shape.delimiter != "\t" else "\t"
    if over == 1 and (shape.ended or not cells[-1]):
        return cells[:-1], cells[-1] if is_remark(cells[-1]) else ""
    for at in (*sorted(shape.texts, reverse=True), shape.width - 1, shape.width):
        behind = at == shape.width
        end = at + over + (not behind)
        text = mark.join(cells[at:end]).strip(mark)
        row = [*cells[:at], *[text] * (not behind), *cells[end:]]
        rest = (cell for place, cell in enumerate(row) if place != at and place not in shape.texts)
        if is_remark(text) and (behind or not is_value(cells[at])) and all(map(is_value, rest)):
            return row, text * behind
    return cells, ""


def read_rows(table: Table, lines: Iterable[tuple[int, str]], shape: Shape) -> None:
    """Append `lines` (number, text) to `table`, whatever they are."""
    rows: list[list[str]] = []
    numbers: list[int] = []
    heads = [heading.text for heading in shape.headings]
    header = dict(table.above).get(shape.header_line or 0)
    for number, text in lines:
        if number < shape.first_row or not text.strip("-=*_+| \t\r\n"):
            continue
        cells = shape.cells(text)
        named = not shape.names or any(
            cell for cell, name in zip(cells, shape.names, strict=False) if name not in TIMES
        )
        if (SAID.match(text) and not shape.joined) or not named:
            table.others.append((number, text))
            continue
        said = NAMES.sub(" ", text) if shape.names and not shape.signals else ""
        remark = " ".join(LETTERS.findall(said)) if said and level_of(said) != "info" else ""
        if len(cells) > shape.width:
            cells, remark = _without_remark(cells, shape)
        if len(cells) == shape.width and _is_row(cells, shape.needed):
            rows.append(cells)
            numbers.append(number)
            table.remarks += [(number, remark)] if remark else []
            continue
        if text == header or (heads and [*cells, *[""] * shape.width][: shape.width] == heads):
            table.headers_again += 1
            continue
        table.others.append((number, text))
        setpoint = setpoint_in(STAMP.sub("", text, count=1), marked=False)[0]
        if not (_is_said(cells or text.split()) or gains_in(text)[0] or math.isfinite(setpoint)):
            table.broken_count += 1
            reason = f"{len(cells)} cells, not {shape.width}" if len(cells) != shape.width else "no numbers"
            if len(table.broken) < 5 + 5 * (level_of(text) == "error"):
                table.broken.append((number, text[:200], reason))
    if rows:
        for column, parts in zip(zip(*rows, strict=True), table.columns, strict=True):
            parts.append(np.array(column, dtype=object))
        table.line.append(np.array(numbers, dtype=np.int64))

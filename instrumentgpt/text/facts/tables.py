"""Values in tables: rows or columns of devices, channels or quantities, however the cells are parted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instrumentgpt.text.facts.devices import CHANNEL, Names, channel_in, device_named, without_devices
from instrumentgpt.text.facts.fact import Fact
from instrumentgpt.text.facts.labels import column_named, is_known, is_unit, label_and_unit, parameter_named
from instrumentgpt.text.facts.values import VALUE, fits, is_identifier, quantity

SERIES_ROWS = 6  # so many rows numbered alike are measurements, not settings
KEY_COLUMNS = 3  # at most, to tell the rows apart
REMARK_WORDS = 3  # behind the value of a cell
_WORDED = re.compile(r"\w")
_UNIT_HEAD = re.compile(r"^(?:units?|單位|单位)$", re.I)
_REMARK_HEAD = re.compile(
    r"^(?:notes?|remarks?|comments?|description|status|state|since|備註|备注|說明|说明|描述|狀態|状态|評語|评语)$",
    re.I,
)
_LEAD = re.compile(r"^[\s≈~<>≤≥約约]*")
_ARROW = re.compile(r"→|->|=>|➜|⇒")
_OF_LABEL = re.compile(r"^([^\W\d_][\w.]{0,11})\s+(?=[-+−±]?\d)")
_DIGITS = re.compile(r"\d+")

Row = Sequence[str]


@dataclass(frozen=True)
class _Column:
    place: int
    device: str
    channel: str
    label: str
    unit: str


def cells_of(line: str) -> list[str]:
    """Return the cells of a line: parted by bars, tabs, or two spaces and more; one if it is no row."""
    if "|" in line:
        return [cell.strip() for cell in line.strip().strip("|").split("|")]
    if "\t" in line:
        return [cell.strip() for cell in line.strip().split("\t")]
    return re.split(r"\s{2,}", line.strip())


def is_rule(cells: Row) -> bool:
    """Return whether the row is the line between head and body."""
    return not any(_WORDED.search(cell) for cell in cells)


def value_of_cell(cell: str) -> re.Match[str] | None:
    """Return the value that a cell is, with at most a remark behind it; of `0.1 → 0.2` the second one."""
    told = _ARROW.split(cell)[-1]
    found = VALUE.match(told, _LEAD.match(told).end())  # type: ignore[union-attr]  # it matches nothing, too
    if found is None:
        return None
    rest = re.sub(r"[（(][^（()）]*[)）]", " ", told[found.end() :])
    words = len(re.findall(r"[^\W\d_]+", rest))
    others = [other for other in VALUE.finditer(rest) if is_identifier(other) or other["number"]]
    return found if words <= REMARK_WORDS and not others else None


def facts_of_table(rows: Sequence[Row], device: str, names: Names) -> Iterator[Fact]:
    """Yield the values of a table; none of a series of measurements."""
    head, body = head_and_body(rows, names)
    if not body:
        return
    if head and len(body) == 1 and not device_named(body[0][0], names) and value_of_cell(body[0][0]):
        head, body = ["", *head], [["", *body[0]]]  # a row of values without a name
    keys = _key_columns(body, names)
    if _is_series(body, names) or keys is None:
        return
    columns = list(_columns(head, body, keys, names))
    unit_place = next((at for at, cell in enumerate(head) if _UNIT_HEAD.match(cell)), None)
    for row in body:
        yield from _of_row(row, columns, keys, unit_place, device, names)


def head_and_body(rows: Sequence[Row], names: Names) -> tuple[Row, list[Row]]:
    """Return the row that names the columns ([] if none does), and the others without rules."""
    told = [row for row in rows if not is_rule(row)]
    if len(told) < 2 or len(told[0]) < 2:
        return [], told
    ruled = len(told) < len(rows) and not is_rule(rows[0]) and is_rule(rows[1])
    valued = any(_is_value(cell, names) for cell in told[0][1:])
    below = any(_is_value(cell, names) for cell in told[1])
    return (told[0], told[1:]) if ruled or (not valued and below) else ([], told)


def _is_value(cell: str, names: Names) -> bool:
    return not device_named(cell, names) and value_of_cell(cell) is not None


def _key_columns(body: Sequence[Row], names: Names) -> int | None:
    """Return how many columns from the left tell the rows apart; None if none do."""
    for count in range(1, KEY_COLUMNS + 1):
        if len({tuple(row[:count]) for row in body}) == len(body):
            return count
        if any(len(row) <= count + 1 or _is_value(row[count], names) for row in body):
            return None
    return None


def _is_series(body: Sequence[Row], names: Names) -> bool:
    """Return whether the rows are numbered or dated: `7/1`, `vial 4`, `190`."""
    first = [row[0] for row in body]
    if any(device_named(cell, names) for cell in first):
        return False
    if all(value_of_cell(cell) for cell in first):
        return True
    shapes = {_DIGITS.sub("0", cell) for cell in first if _DIGITS.search(cell)}
    return len(body) >= SERIES_ROWS and len(shapes) <= 2 and all(_DIGITS.search(cell) for cell in first)


def _columns(head: Row, body: Sequence[Row], keys: int, names: Names) -> Iterator[_Column]:
    """Yield the columns of values that hold now."""
    width = max(map(len, body))
    heads = [*head, *[""] * (width - len(head))]
    valued = [
        at for at in range(keys, width) if any(len(row) > at and _is_value(row[at], names) for row in body)
    ]
    valued = [at for at in valued if not _REMARK_HEAD.match(heads[at]) and not _UNIT_HEAD.match(heads[at])]
    present = [at for at in valued if column_named(heads[at]) is not None]
    if not head:
        present = present[:1]  # what a second value says of the first nobody knows
    named_once = _are_nicknames([heads[at] for at in present], names)
    for at in present:
        told, unit = label_and_unit(CHANNEL.sub(" ", without_devices(heads[at], names)).strip())
        name = "" if named_once else column_named(told, len(valued) == 1) or ""
        yield _Column(at, device_named(heads[at], names), channel_in(heads[at]), name, unit)


def _are_nicknames(heads: Sequence[str], names: Names) -> bool:
    """Return whether columns of one device each have a word beside it that names no quantity: `051 Eagle`."""
    devices = [device_named(head, names) for head in heads]
    told = {label_and_unit(without_devices(head, names).strip())[0] for head in heads}
    one_each = all(devices) and len({*devices}) == len(heads) > 1
    return one_each and len(told) == len(heads) and not any(is_known(parameter_named(name)) for name in told)


def _of_row(
    row: Row, columns: Sequence[_Column], keys: int, unit_place: int | None, device: str, names: Names
) -> Iterator[Fact]:
    key = " ".join(row[:keys])
    label, unit = label_and_unit(CHANNEL.sub(" ", without_devices(key, names)).strip())
    own = device_named(key, names) or device
    if unit_place is not None and len(row) > unit_place and is_unit(row[unit_place]):
        unit = row[unit_place]
    for column in columns:
        if len(row) <= column.place:
            continue
        found, extra = value_of_cell(row[column.place]), ""
        if found is None and (named := _OF_LABEL.match(row[column.place])):
            found, extra = value_of_cell(row[column.place][named.end() :]), named[1]
        parameter = _parameter(label, " ".join(filter(None, (column.label, extra))))
        if found is not None and parameter and fits(parameter, found):
            channel = channel_in(key) or column.channel
            yield Fact(column.device or own, channel, parameter, *quantity(found, column.unit or unit))


def _parameter(row: str, column: str) -> str:
    """Return the quantity of a cell: what its row and its column say together."""
    if not row or not column:
        return parameter_named(row or column)
    named = parameter_named(column)
    if not named or named == parameter_named(row):
        return parameter_named(row)
    return parameter_named(f"{row} {named if is_known(column) else column}")

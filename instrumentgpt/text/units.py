"""A message in its smallest parts that say something by themselves, each with the devices it speaks of.

A part is a sentence, a row of a table with its column names, a line of a program's settings with its section,
or a line of a log that is unlike the lines around it: an event. What is quoted (`> …`) is nobody's word here.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instrumentgpt.text.cues import cues_in
from instrumentgpt.text.facts.devices import Names, device_of_key, devices_in
from instrumentgpt.text.filtering import without_markers

MOST_UNITS = 150  # of one message
LOOKED_AT = 60_000  # characters of a message
LONG = 220  # characters; a longer sentence is told in clauses
LEAST = 60  # characters of a clause
UNIT_CHARS = 400
ALIKE = 4  # so many lines of one form are data; others beside them are events
_SENTENCE = re.compile(
    r"(?<=[^\s.][.!?;])(?<!\b(?:Dr|Mr|Ms|vs|No|St)\.)(?<!e\.g\.)(?<!i\.e\.)\s+|(?<=[。！？；])\s*"
)
_CLAUSE = re.compile(r"(?<=[,;，；])\s*|\s+(?=[—–(（])")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_QUOTED = re.compile(r"\s*[>＞]")
_RULE = re.compile(r"[\s|:\-+=_]+")
_LISTED = re.compile(r"^\s*(?:[-*•·+–]|\d{1,2}(?:[)、]|\.(?!\d))|[①-⑳]|[一二三四五六七八九十][、.])\s*(?=\S)")
_MARKS = re.compile(r"\*\*|__|`|~~[^~]*~~|^\s*#{1,6}\s+")
_DIGITS = re.compile(r"\d")
_NUMBER = re.compile(r"[-+]?\d+")
_SECTION = re.compile(r"\[[^\[\]=]{1,40}\]|[\w.\- ]{1,40}[:：{]\s*\{?|\"?[\w.\- ]{1,40}\"?\s*[=:]\s*[{\[]")


@dataclass(frozen=True)
class Unit:
    """A part of a message on one line, the devices it speaks of ("" where nothing says which), and its cues.

    cues  what it may do (text/cues.py), where it stood: "item" of a list, "row", "code", "log", and "implied"
          where the text names no device
    """

    text: str
    devices: tuple[str, ...]
    cues: tuple[str, ...] = ()


def units_in(text: str, device: str, names: Names = ()) -> list[Unit]:
    """Return the parts of `text` in their order, each once.

    device  which is spoken of where the text names none
    names   of all devices

    >>> [unit.text for unit in units_in("Swapped it. kp is 9 now.", "oven 7")]
    ['Swapped it.', 'kp is 9 now.']
    """
    found: dict[str, Unit] = {}
    unnamed = (device,)
    for told, devices, stood in _told(text[:LOOKED_AT], unnamed, names):
        bare = " ".join(told.split())[:UNIT_CHARS]
        if re.search(r"\w", bare) and bare not in found:
            implied = "implied" if devices is unnamed else ""
            found[bare] = Unit(bare, devices, (*filter(None, [stood, implied]), *cues_in(bare)))
        if len(found) >= MOST_UNITS:
            break
    return list(found.values())


def _told(text: str, unnamed: tuple[str, ...], names: Names) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield (words, devices, where they stood)."""
    lines = without_markers(text).split("\n")
    forms = Counter(map(_form, lines))
    announced = paragraph = unnamed
    header: list[str] = []
    section, is_code = "", False
    data = [_is_data(raw, forms) for raw in lines]
    for at, raw in enumerate(lines):
        line = _MARKS.sub("", raw).strip()
        is_event = any(data[max(0, at - 2) : at + 3])
        if _FENCE.match(raw):
            is_code, section = not is_code, ""
        elif not line:
            paragraph, header = announced, []
        elif data[at] or _RULE.fullmatch(line) or (_QUOTED.match(raw) and not is_event):
            continue
        elif is_event:
            yield line, devices_in(line, names) or paragraph, "log"
        elif line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if header:
                yield from _row(cells, header, paragraph, names)
            header = header or cells
        else:
            named = devices_in(line, names)
            paragraph = named or paragraph
            if is_code and _SECTION.fullmatch(line):
                section = line.rstrip(" {[:=")
                of_section = device_of_key(section, names)
                paragraph = (of_section,) if of_section else paragraph
            elif is_code:
                own = device_of_key(line.partition("=")[0].partition(":")[0], names)
                yield f"{section} {line}".strip(), (own,) if own else paragraph, "code"
            else:
                if named and (raw.lstrip().startswith("#") or line.endswith((":", "："))):
                    announced = named
                body = _LISTED.sub("", line)
                stood = "item" if body != line else ""
                for sentence in _sentences(body):
                    yield sentence, devices_in(sentence, names) or paragraph, stood


def _form(line: str) -> str:
    """Return the line without what differs between lines of data."""
    return _NUMBER.sub("0", "".join(line.split()))[:80]


def _is_data(line: str, forms: Counter[str]) -> bool:
    return bool(_DIGITS.search(line)) and not line.lstrip().startswith("|") and forms[_form(line)] >= ALIKE


def _sentences(line: str) -> Iterator[str]:
    """Yield the sentences of a line, long ones in clauses."""
    for sentence in _SENTENCE.split(line):
        held = ""
        for clause in _CLAUSE.split(sentence) if len(sentence) > LONG else [sentence]:
            if len(held) >= LEAST and len(held) + len(clause) > LONG:
                yield held
                held = ""
            held = f"{held} {clause}".strip()
        if held:
            yield held


def _devices_of(cells: Sequence[str], names: Names) -> tuple[str, ...]:
    """Return the devices of a row: those of its head, or of the first cell that names any."""
    return next(filter(None, (devices_in(cell, names) for cell in cells)), ())


def _row(
    cells: Sequence[str], header: Sequence[str], devices: tuple[str, ...], names: Names
) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield a row as "column: cell" pairs; a column that names a device gives a part of its own."""
    pairs = list(zip(header, cells, strict=False))
    of_columns = [(devices_in(label, names), cell) for label, cell in pairs[1:]]
    if any(named for named, _ in of_columns):
        yield from ((f"{cells[0]}: {cell}", named, "row") for named, cell in of_columns if named)
        return
    told = "; ".join(f"{label}: {cell}" if label else cell for label, cell in pairs[1:] if cell)
    yield f"{cells[0]} — {told}" if cells[0] else told, _devices_of(cells, names) or devices, "row"

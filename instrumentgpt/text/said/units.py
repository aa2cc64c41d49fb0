"""A message in its smallest parts that say something by themselves, each with the devices it speaks of.

A part is a sentence, a row of a table with its column names, a line of a configuration with its section,
or a line of a log that is unlike the lines around it: an event. What is quoted (`> …`) is nobody's word here,
and a program states nothing.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest

from instrumentgpt.text.facts.devices import Names, device_of_key, devices_in
from instrumentgpt.text.facts.tables import Row, cells_of, head_and_body
from instrumentgpt.text.filtering import without_markers
from instrumentgpt.text.said.cues import cues_in
from instrumentgpt.text.said.layout import kinds_of

MOST_UNITS = 150  # of one message
MOST_ROWS = 40  # of one table
HEAD_CHARS, TAIL_CHARS = 40_000, 20_000  # of a longer message: what is asked about a paste stands at an end
HEAD_LINES, TAIL_LINES = 2_000, 1_000  # likewise
LINE_CHARS = 4_000  # of a longer line
LONG = 220  # characters; a longer sentence is told in clauses
LEAST = 60  # characters of a clause
UNIT_CHARS = 400
_END = re.compile(r"[.!?;]+(?=\s)|[。！？；]+")
_ABBREVIATED = re.compile(r"(?:\b(?:Dr|Mr|Ms|vs|No|St)|\be\.g|\bi\.e|[\s.]|^)\.$")  # and "…" by dots
_CLAUSE = re.compile(r"(?<=[,;，；])\s*|\s+(?=[—–(（])")
_LISTED = re.compile(
    r"^\s*(?:[-*•·+–]|\d{1,2}(?:[)、]|\.(?!\d))|[①-⑳]|[一二三四五六七八九十][、.])\s*(?:\[[ xX]\]\s*)?(?=\S)"
)
_MARKS = re.compile(r"\*\*|__|`|~~[^~]*~~|^\s*#{1,6}\s+")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_WORD = re.compile(r"\w")
_REFERENCE = re.compile(r"[(（]?L ?[\d,]+(?:[–-][\d,]+)?[)）]?\W*")  # to a line of a log, left over by itself
_SECTION = re.compile(r"\[[^\[\]=]{1,40}\]|[\w.\- ]{1,40}[:：{]\s*\{?|\"?[\w.\- ]{1,40}\"?\s*[=:]\s*[{\[]")

Devices = tuple[str, ...]
_Told = Iterator[tuple[str, Devices, str]]  # words, devices, where they stood


@dataclass(frozen=True)
class Unit:
    """A part of a message on one line, the devices it speaks of ("" where nothing says which), and its cues.

    cues  what it may do (cues.py), where it stood: "item" of a list, "row", "code", "log", and "implied"
          where the text names no device: of several it speaks of one then, most likely of the first
    """

    text: str
    devices: Devices
    cues: tuple[str, ...] = ()


@dataclass
class _Place:
    """Of which devices the next words are, as headings, the paragraph and sections of configurations say."""

    announced: Devices
    paragraph: Devices
    section: str = ""
    of_section: Devices | None = None


def units_in(text: str, device: str, names: Names = (), perhaps: Sequence[str] = ()) -> list[Unit]:
    """Return the parts of `text` in their order, each once.

    device   which is spoken of where the text names none
    names    of all devices
    perhaps  which others may be spoken of there

    >>> [unit.text for unit in units_in("Swapped it. kp is 9 now.", "oven 7")]
    ['Swapped it.', 'kp is 9 now.']
    """
    found: dict[str, Unit] = {}
    unnamed = (device, *perhaps)
    for told, devices, stood in _told(_looked_at(text), unnamed, names):
        bare = " ".join(told[: 2 * UNIT_CHARS].split())[:UNIT_CHARS]
        if bare not in found and _WORD.search(bare) and not _REFERENCE.fullmatch(bare):
            implied = "implied" if devices is unnamed else ""
            found[bare] = Unit(bare, devices, (*filter(None, [stood, implied]), *cues_in(bare)))
            if len(found) >= MOST_UNITS:
                break
    return list(found.values())


def _looked_at(text: str) -> list[str]:
    """Return the lines of a message, of a very long one those at its ends."""
    if len(text) > HEAD_CHARS + TAIL_CHARS:
        head, tail = text[:HEAD_CHARS], text[-TAIL_CHARS:]
        text = "\n\n".join([head.rpartition("\n")[0] or head, tail.partition("\n")[2] or tail])
    lines = without_markers(text).split("\n")
    return lines if len(lines) <= HEAD_LINES + TAIL_LINES else lines[:HEAD_LINES] + lines[-TAIL_LINES:]


def _told(lines: Sequence[str], unnamed: Devices, names: Names) -> _Told:
    place = _Place(unnamed, unnamed)
    for kind, group in groupby(zip(kinds_of(lines), lines, strict=True), key=lambda pair: pair[0]):
        read = _READERS.get(kind)
        if read:
            yield from read([line[:LINE_CHARS] for _, line in group], place, names)


def _of_prose(lines: Sequence[str], place: _Place, names: Names) -> _Told:
    for raw in lines:
        line = _plain(raw)
        named = devices_in(line, names)
        place.paragraph = named or place.paragraph
        if named and (raw.lstrip().startswith("#") or line.endswith((":", "："))):
            place.announced = named
        body = _LISTED.sub("", line)
        for sentence in _sentences(body):
            own = devices_in(sentence, names) if len(named) > 1 else ()
            yield sentence, own or place.paragraph, "item" if body != line else ""


def _of_log(lines: Sequence[str], place: _Place, names: Names) -> _Told:
    for raw in lines:
        line = raw.strip()
        yield line, devices_in(line, names) or place.paragraph, "log"


def _of_code(lines: Sequence[str], place: _Place, names: Names) -> _Told:
    """Yield `key = value` with its section; a section or a key may name the device."""
    for raw in lines:
        line = raw.strip()
        if _SECTION.fullmatch(line):
            place.section = line.rstrip(" {[:=")
            of_section = device_of_key(place.section, names)
            place.of_section = (of_section,) if of_section else place.of_section
        else:
            own = device_of_key(line.partition("=")[0].partition(":")[0], names)
            devices = (own,) if own else place.of_section or place.paragraph
            yield f"{place.section} {line}".strip(), devices, "code"


def _of_table(lines: Sequence[str], place: _Place, names: Names) -> _Told:
    """Yield each row as "first cell — column: cell; …"."""
    head, body = head_and_body([[_plain(cell) for cell in cells_of(line)] for line in lines], names)
    for row in body[:MOST_ROWS]:
        yield from _of_row(row, head, place.paragraph, names)


def _of_row(cells: Row, head: Row, devices: Devices, names: Names) -> _Told:
    """Yield a row; a column that names a device gives a part of its own."""
    labelled = [
        (label, cell) for label, cell in list(zip_longest(head, cells, fillvalue=""))[1 : len(cells)] if cell
    ]
    of_columns = [(devices_in(label, names), cell) for label, cell in labelled]
    if any(named for named, _ in of_columns):
        yield from ((f"{cells[0]}: {cell}", named, "row") for named, cell in of_columns if named)
        return
    told = "; ".join(f"{label}: {cell}" if label else cell for label, cell in labelled)
    own: Devices = next(filter(None, (devices_in(cell, names) for cell in cells)), ())
    yield " — ".join(filter(None, [cells[0], told])), own or devices, "row"


def _at_blank(lines: Sequence[str], place: _Place, names: Names) -> _Told:
    place.paragraph = place.announced
    return iter(())


def _at_fence(lines: Sequence[str], place: _Place, names: Names) -> _Told:
    place.section, place.of_section = "", None
    return iter(())


_READERS: Mapping[str, Callable[[Sequence[str], _Place, Names], _Told]] = {
    "prose": _of_prose,
    "log": _of_log,
    "code": _of_code,
    "row": _of_table,
    "blank": _at_blank,
    "fence": _at_fence,
}


def _plain(raw: str) -> str:
    """Return a line or cell without emphasis, what is struck out, and the targets of links."""
    line = _LINK.sub(r"\1", raw) if "](" in raw else raw
    return _MARKS.sub("", line).strip()


def _sentences(line: str) -> Iterator[str]:
    """Yield the sentences of a line, long ones in clauses."""
    start = 0
    for end in _END.finditer(line):
        if not _ABBREVIATED.search(line[max(0, end.end() - 5) : end.end()]):
            yield from _clauses(line[start : end.end()].strip())
            start = end.end()
    yield from _clauses(line[start:].strip())


def _clauses(sentence: str) -> Iterator[str]:
    """Yield a sentence whole, a long one in pieces that end where a clause does."""
    held = ""
    for clause in _CLAUSE.split(sentence) if len(sentence) > LONG else [sentence]:
        if len(held) >= LEAST and len(held) + len(clause) > LONG:
            yield held
            held = ""
        held = f"{held} {clause}".strip()
    if held:
        yield held

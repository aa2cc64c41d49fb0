"""All values of a message: of its configurations, tables and lines, the last of each quantity."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from instrumentgpt.text.facts.config import facts_of_blocks
from instrumentgpt.text.facts.devices import Names, device_named
from instrumentgpt.text.facts.fact import Fact
from instrumentgpt.text.facts.heard import Heard
from instrumentgpt.text.facts.prose import ORNAMENT, facts_of_sentences
from instrumentgpt.text.facts.replies import asked_label, corrected, is_explained
from instrumentgpt.text.facts.tables import cells_of, facts_of_table, value_of_cell
from instrumentgpt.text.filtering import prose_lines

LINE_CHARS = 1000  # a longer line is data
SERIES_LINES = 6  # so many lines that begin with a number of their own are data
LOG_LINES = 3  # so many lines with the same keys are data
SERIES_VALUES = 4  # so many values of one quantity in one message are measurements
_EVIDENCE = re.compile(r"\[L [\d,]+\]\([^()\s]*\)")  # a link to a log line: its number is no value
_MARKDOWN_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
_CLOCK = re.compile(r"^\W{0,2}(?:\d{4}[-/]\d\d?[-/]\d\d?[ T])?\d{1,2}:\d\d(?::\d\d)?")
_KEYS = re.compile(r"([^\W\d]\w*)\s?=")
_DIGITS = re.compile(r"\d+")
NOTHING = Heard()


def facts_in(text: str, device: str, names: Names = (), heard: Heard = NOTHING) -> list[Fact]:
    """Return the values that `text` states, the last of each key, in order.

    device  whose they are where the text names none
    names   of all devices
    heard   what was said before: its quantities are known by name, and corrections without one are of them

    >>> facts_in("| kp | 0.12 |\\nThe fan speed on zspr 053 is 4017 rpm.", "zspr 052", (("zspr 053",),))
    [Fact(device='zspr 052', channel='', parameter='kp', value='0.12', unit=''),
     Fact(device='zspr 053', channel='', parameter='fan speed', value='4017', unit='rpm')]
    """
    heard = heard.within(f"{heard.question}\n{text}") if heard.values or heard.last else heard
    found: dict[tuple[str, str, str], list[Fact]] = {}
    stated = [*facts_of_blocks(text, device, names), *_of_lines(prose_lines(text), device, names, heard)]
    if not stated:
        stated = corrected(text, device, names, heard)
    for fact in stated:
        found.setdefault(fact.key, []).append(fact)
    kept = [same for same in found.values() if len({fact.value for fact in same}) < SERIES_VALUES]
    order = {id(fact): at for at, fact in enumerate(stated)}
    return sorted((same[-1] for same in kept), key=lambda fact: order[id(fact)])


def _of_lines(lines: Sequence[str], device: str, names: Names, heard: Heard) -> Iterator[Fact]:
    """Yield the facts of lines; a heading or a line that ends in a colon names the device of those below."""
    announced = paragraph = device
    expected = asked_label(heard, names)
    general = is_explained(heard, names)
    spoken = bool(device_named(heard.question, names))
    for kind, group in groupby(_without_data(lines), _kind):
        block = list(group)
        if kind == "blank":
            paragraph = announced
        elif kind and (len(block) > 1 or _is_row(block[0])):
            yield from facts_of_table([_cells(line) for line in block], paragraph, names)
        else:
            for raw in block:
                line = _plain(raw)
                named = device_named(line, names)
                paragraph = named or paragraph
                if named and (raw.lstrip().startswith("#") or line.endswith((":", "："))):
                    announced = named
                if not general or named or announced != device:
                    found = facts_of_sentences(line, paragraph, names, heard, expected)
                    yield from found if spoken or named or paragraph != device else map(heard.owned, found)
                expected = ""


def _plain(raw: str) -> str:
    """Return a line without links, list marks and emphasis."""
    line = _MARKDOWN_LINK.sub(r"\1", _EVIDENCE.sub(" ", raw))
    return ORNAMENT.sub("", ORNAMENT.sub("", line)).strip()


def _kind(line: str) -> str:
    """Return how the cells of a line are parted: "bar", "tab" or "space"; "" for prose, or "blank"."""
    if not line.strip():
        return "blank"
    plain = line.strip()
    if "|" in plain and len(cells_of(plain)) > 1:
        return "bar"
    if "\t" in plain:
        return "tab"
    listed = re.match(r"[-*•+#>]|\d{1,2}[.)、]", plain)
    return "space" if not listed and re.search(r"\S\s{2,}\S", plain) else ""


def _cells(line: str) -> list[str]:
    return [ORNAMENT.sub("", _EVIDENCE.sub(" ", cell)).strip() for cell in cells_of(line)]


def _is_row(line: str) -> bool:
    """Return whether a line on its own is a row: a name, and a value next to it."""
    cells = _cells(line)
    return not _DIGITS.search(cells[0]) and value_of_cell(cells[1]) is not None


def _without_data(lines: Sequence[str]) -> list[str]:
    """Return the lines but those of logs and numbered records: they say what was, not what is."""
    kept: list[str] = []
    for shape, group in groupby((line for line in lines if len(line) <= LINE_CHARS), _shape):
        block = list(group)
        data = (len(block) >= (LOG_LINES if shape.startswith("keys ") else SERIES_LINES) and shape) or (
            shape == "clock" and (len(block) > 2 or "=" in block[0])
        )
        kept += [] if data else block
    return kept


def _shape(line: str) -> str:
    """Return what lines of data have alike: "clock", their keys, or their first word with its digits as 0."""
    if _CLOCK.match(line):
        return "clock"
    keys = _KEYS.findall(line)
    if len(keys) > 1:
        return f"keys {' '.join(sorted(keys))}"
    first = _plain(line).partition(" ")[0]
    return _DIGITS.sub("0", first) if _DIGITS.search(first) and len(first) <= 20 else ""

"""A line with its devices and quoted names as single characters, as the patterns read it."""

import re
from dataclasses import dataclass

from instrumentgpt.text.facts.devices import Names, devices_named
from instrumentgpt.text.filtering import prose_lines
from instrumentgpt.text.nicknames import patterns

LINE_CHARS = 1000  # a longer line is data
LINES = 60  # of a message that are read, half of them at its end: a pasted log stands between
QUOTED_CHARS = 30  # a longer quotation is no name
MOST_MARKED = 200  # devices, or quotations, of one line

_QUOTED = re.compile(
    r"\"([^\"]*)\"|“([^”]*)”|「([^」]*)」|『([^』]*)』|«([^»]*)»|《([^》]*)》|‘([^’]*)’|`([^`]*)`"
    r"|(?<!\w)'([^']{2,40})'(?!\w)"
)
_SAME_AGAIN = re.compile(
    rf"({patterns.DEVICE})\s*(?:[（(]\s*(?i:ip|at|@)?\s*[:：]?\s*({patterns.DEVICE})\s*[)）]"
    rf"|(?:[（(,，]\s*)?(?i:ip|at|@)?\s*[:：]?\s*({patterns.DEVICE}))"
)


@dataclass(frozen=True)
class Line:
    """A line in which devices and quoted names are characters: `text`, what they are of, what they hold."""

    text: str
    devices: tuple[str, ...]
    quotes: tuple[str, ...]
    names: Names

    def device(self, mark: str) -> str:
        """Return the device that a character stands for."""
        return self.devices[ord(mark) - patterns.FIRST_DEVICE]

    def name(self, found: re.Match[str]) -> tuple[str, bool]:
        """Return the name that a pattern found, and whether it is quoted."""
        told = found.groupdict()
        if told.get("quoted"):
            return self.quotes[ord(told["quoted"]) - patterns.FIRST_QUOTE], True
        return next(told[kind] for kind in ("the", "capital", "low", "han") if told.get(kind)), False


def lines_read(text: str) -> list[str]:
    """Return the lines of a message in which names are looked for: its author's own, no log or code."""
    lines = [line for line in prose_lines(text) if line.strip() and len(line) <= LINE_CHARS]
    return lines if len(lines) <= LINES else [*lines[: LINES // 2], *lines[-LINES // 2 :]]


def marked(line: str, names: Names) -> Line:
    """Return the line with its devices and quoted names as characters.

    An address beside the name of the same device goes with it; a quotation too long for a name is left out,
    and so is one that names a device.
    """
    plain = "".join(" " if "\ue000" <= sign <= "\ue2ff" else sign for sign in line)
    text, devices = _with_devices(" ".join(plain.split()), names)
    quotes: list[str] = []

    def taken(found: re.Match[str]) -> str:
        told = next(part for part in found.groups() if part is not None).strip()
        if re.fullmatch(patterns.DEVICE, told):
            return told
        if (
            not 0 < len(told) <= QUOTED_CHARS
            or re.search(patterns.DEVICE, told)
            or len(quotes) == MOST_MARKED
        ):
            return " … "
        quotes.append(told)
        return chr(patterns.FIRST_QUOTE + len(quotes) - 1)

    def once(found: re.Match[str]) -> str:
        both = {devices[ord(mark) - patterns.FIRST_DEVICE] for mark in found.groups() if mark}
        return found[1] if len(both) == 1 else found[0]

    text = _SAME_AGAIN.sub(once, _QUOTED.sub(taken, text))
    return Line(text, tuple(devices), tuple(quotes), names)


def _with_devices(line: str, names: Names) -> tuple[str, list[str]]:
    filed = {known[0] for known in names}
    devices: list[str] = []
    pieces, end = [], 0
    for start, stop, name in devices_named(line, names):
        if name in filed and len(devices) < MOST_MARKED:
            pieces += [line[end:start], chr(patterns.FIRST_DEVICE + len(devices))]
            devices.append(name)
            end = stop
    return "".join([*pieces, line[end:]]), devices

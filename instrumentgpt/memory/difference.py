"""The layers of a prompt that was sent, found in its text, and what changed from one prompt to the next."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import Literal

from instrumentgpt.memory.budget import Section
from instrumentgpt.memory.filtering import SECTION_TAGS
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.tokens import count_tokens

Kind = Literal["same", "added", "removed", "left out"]
_KINDS: dict[str, Kind] = {" ": "same", "+": "added", "-": "removed"}

CONTEXT_LINES = 1  # unchanged ones beside a change
MOST_LINES = 80  # shown of a layer
LINE_CHARS = 600  # of a line shown


@dataclass(frozen=True)
class Line:
    """A line of a difference."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class LayerChange:
    """What became of one layer: tokens before and after (0: it was not there), its changed lines."""

    name: str
    before: int
    after: int
    lines: tuple[Line, ...]

    def count(self, kind: Kind) -> int:
        """Return how many lines are of `kind`."""
        return sum(line.kind == kind for line in self.lines)


def difference(before: Sequence[Section], after: Sequence[Section]) -> list[LayerChange]:
    """Return the change of each layer, in the order of `after`, then those that are gone.

    >>> [change] = difference([Section("note", "a\\nkp is 9", 4)], [Section("note", "a\\nkp is 8", 4)])
    >>> [(line.kind, line.text) for line in change.lines]
    [('same', 'a'), ('removed', 'kp is 9'), ('added', 'kp is 8')]
    """
    old = {section.name: section for section in before}
    new = {section.name: section for section in after}
    changes = []
    for name in dict.fromkeys([*new, *old]):
        was, now = old.get(name), new.get(name)
        lines = _lines(_split(was), _split(now))
        changes.append(LayerChange(name, was.tokens if was else 0, now.tokens if now else 0, lines))
    return changes


def _split(section: Section | None) -> list[str]:
    return section.text.split("\n") if section and section.text else []


def _lines(before: list[str], after: list[str]) -> tuple[Line, ...]:
    rows = list(unified_diff(before, after, lineterm="", n=CONTEXT_LINES))[2:]  # without its head
    if rows and rows[0].startswith(("@@ -0,", "@@ -1,", "@@ -1 ")):
        del rows[0]  # nothing is left out before the first line
    lines = [
        Line("left out", "…") if row[0] == "@" else Line(_KINDS[row[0]], shorten(row[1:], LINE_CHARS))
        for row in rows
    ]
    more = len(lines) - MOST_LINES
    return (*lines[:MOST_LINES], *[Line("left out", f"… {more} more lines")] * (more > 0))


REQUEST, WORDS = "request", "instructions"
_LAYER = re.compile(rf"^<(?P<tag>{'|'.join(SECTION_TAGS)})>.*?</(?P=tag)>$", re.MULTILINE | re.DOTALL)


def layers_of(prompt: str) -> tuple[Section, ...]:
    """Return the layers of `prompt` in order: the request, each tagged part, words between and after.

    No message can forge a tag (filtering.py), so the parts are those that were put there.

    >>> [section.name for section in layers_of("why?\\n\\n<note>reuse</note>\\n\\nAnswer briefly.")]
    ['request', 'note', 'instructions']
    """
    layers: list[Section] = []
    end = 0
    for match in [*_LAYER.finditer(prompt), None]:
        words = prompt[end : match.start() if match else len(prompt)].strip("\n")
        if words:
            layers.append(Section(WORDS if layers else REQUEST, words, count_tokens(words)))
        if match:
            layers.append(Section(match["tag"], match.group(), count_tokens(match.group())))
            end = match.end()
    return tuple(layers)

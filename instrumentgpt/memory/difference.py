"""The layers of a prompt that was sent, found in its text, and what changed from one prompt to the next."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff

from instrumentgpt.memory.budget import Section
from instrumentgpt.memory.filtering import SECTION_TAGS
from instrumentgpt.memory.summary import shorten
from instrumentgpt.memory.tokens import count_tokens

CONTEXT_LINES = 1  # unchanged ones beside a change
MOST_LINES = 80  # shown of a layer
LINE_CHARS = 600  # of a line shown


@dataclass(frozen=True)
class LayerChange:
    """What became of one layer: tokens before and after (0: it was not there), its changed lines.

    A line begins with "+" if it was added, "-" if it was removed, " " if it stayed, or if some are left out.
    """

    name: str
    before: int
    after: int
    lines: tuple[str, ...]

    def count(self, sign: str) -> int:
        """Return how many lines begin with `sign`."""
        return sum(line.startswith(sign) for line in self.lines)


def difference(before: Sequence[Section], after: Sequence[Section]) -> list[LayerChange]:
    """Return the change of each layer, in the order of `after`, then those that are gone.

    >>> [change] = difference([Section("note", "a\\nkp is 9", 4)], [Section("note", "a\\nkp is 8", 4)])
    >>> change.lines
    ('  a', '- kp is 9', '+ kp is 8')
    """
    old = {section.name: section for section in before}
    new = {section.name: section for section in after}
    changes = []
    for name in dict.fromkeys([*new, *old]):
        was, now = old.get(name), new.get(name)
        lines = _lines(*(part.text.split("\n") if part and part.text else [] for part in (was, now)))
        changes.append(LayerChange(name, was.tokens if was else 0, now.tokens if now else 0, lines))
    return changes


def _lines(before: list[str], after: list[str]) -> tuple[str, ...]:
    rows = list(unified_diff(before, after, lineterm="", n=CONTEXT_LINES))[2:]  # without its head
    if rows and rows[0].startswith(("@@ -0,", "@@ -1,", "@@ -1 ")):
        del rows[0]  # nothing is left out before the first line
    lines = ["  …" if row[0] == "@" else f"{row[0]} {shorten(row[1:], LINE_CHARS)}" for row in rows]
    more = len(lines) - MOST_LINES
    return (*lines[:MOST_LINES], *[f"  … {more} more lines"] * (more > 0))


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

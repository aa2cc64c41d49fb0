"""The layers of a prompt that was sent, found in its text, and what changed from one prompt to the next."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from instrumentgpt.memory.budget import Section
from instrumentgpt.memory.filtering import SECTION_TAGS
from instrumentgpt.memory.tokens import count_tokens

Kind = Literal["same", "added", "removed", "left out"]
Piece = tuple[Kind, str]  # words of a line

CONTEXT_LINES = 1  # unchanged ones beside a change
MOST_LINES = 80  # shown of a layer
LINE_CHARS = 600  # of a line shown
ALIKE = 0.5  # share of words in common from which a line counts as reworded, not as another one
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True)
class Line:
    """A line of a difference; `pieces` are its words, those that changed marked."""

    kind: Kind
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The line as it stands."""
        return "".join(words for _, words in self.pieces)


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
    if before == after:
        return ()
    lines: list[Line] = []
    end = 0
    for group in SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(CONTEXT_LINES):
        if group[0][1] > end:
            lines.append(_whole("left out", "…"))
        for tag, i, j, k, m in group:
            if tag == "equal":
                lines += [_whole("same", line) for line in before[i:j]]
            elif tag == "replace" and j - i == m - k:
                pairs = zip(before[i:j], after[k:m], strict=True)
                lines += [line for old, new in pairs for line in _reworded(old, new)]
            else:
                lines += [_whole("removed", line) for line in before[i:j]]
                lines += [_whole("added", line) for line in after[k:m]]
        end = group[-1][2]
    if end < len(before):
        lines.append(_whole("left out", "…"))
    more = len(lines) - MOST_LINES
    return (*lines[:MOST_LINES], *[_whole("left out", f"… {more} more lines")] * (more > 0))


def _reworded(old: str, new: str) -> tuple[Line, Line]:
    """Return the line removed and the line added, of two that are alike with only their words marked."""
    was, now = _WORD.findall(old[:LINE_CHARS]), _WORD.findall(new[:LINE_CHARS])
    matcher = SequenceMatcher(None, was, now, autojunk=False)
    if matcher.ratio() < ALIKE:
        return _whole("removed", old), _whole("added", new)
    removed: list[Piece] = []
    added: list[Piece] = []
    for tag, i, j, k, m in matcher.get_opcodes():
        if i < j:
            removed.append(("same" if tag == "equal" else "removed", "".join(was[i:j])))
        if k < m:
            added.append(("same" if tag == "equal" else "added", "".join(now[k:m])))
    return Line("removed", tuple(removed)), Line("added", tuple(added))


def _whole(kind: Kind, text: str) -> Line:
    shown = text if len(text) <= LINE_CHARS else text[: LINE_CHARS - 1] + "…"
    return Line(kind, ((kind, shown),))


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

"""The parts of messages that bear on a question, as dated lines of <diagnostic_context>.

What no fact holds is told in the words in which it was said, with what has become of it since.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from instrumentgpt.text.facts.devices import channel_in
from instrumentgpt.text.said.quantified import Kind, Quantified, kinds_in, quantities_in
from instrumentgpt.text.summary import shorten
from instrumentgpt.text.terms import fold, terms
from instrumentgpt.text.untrusted import without_notes, without_speakers, without_tags

LINE_CHARS = 240
_STRAIGHT = str.maketrans("“”", '""')
LAST = sys.maxsize  # id of what stands behind all parts of its message


@dataclass(frozen=True)
class Said:
    """A part of a stored message.

    id       orders the parts of one message
    devices  those it speaks of; ("",) where nothing says which
    cues     what it may do (cues.py), where it stood: "item", "row", "code", "log", and "implied" (units.py)
    terms    what it is found by
    """

    id: int
    message_id: int
    turn: int
    role: str
    devices: tuple[str, ...]
    cues: frozenset[str]
    text: str
    terms: frozenset[str]

    def __hash__(self) -> int:
        return hash((self.message_id, self.id, self.text))  # what else there is follows from these

    @cached_property
    def named(self) -> frozenset[str]:
        """The devices it speaks of; none where nothing says which."""
        return frozenset(self.devices if any(self.devices) else ())

    @cached_property
    def is_perhaps(self) -> bool:
        """Whether it names no device, and speaks of one of several: most likely of the first."""
        return len(self.devices) > 1 and "implied" in self.cues

    @cached_property
    def words(self) -> str:
        """The text without the names of its devices, whose numbers count nothing."""
        left = self.text
        for name in filter(None, self.devices):
            left = left.replace(name, " ")
        return left

    @cached_property
    def channel(self) -> str:
        """The number of the channel that it names first, "" if it names none."""
        return channel_in(self.text)

    @cached_property
    def numbers(self) -> tuple[Quantified, ...]:
        """The numbers in its words."""
        return quantities_in(self.words)

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """Of what kind each of its numbers is."""
        return kinds_in(self.words)

    @cached_property
    def folded(self) -> str:
        """The text without differences of case and form."""
        return fold(self.text)

    @cached_property
    def place(self) -> tuple[int, int]:
        """Where it stands in the conversation."""
        return self.message_id, self.id


@lru_cache(maxsize=8192)  # the values of a device are compared with what is said in every turn
def as_said(
    text: str, message_id: int, device: str, turn: int = 0, cues: frozenset[str] = frozenset()
) -> Said:
    """Return a text as if it stood last in its message."""
    return Said(LAST, message_id, turn, "", (device,), cues, text, frozenset(terms(text)))


@dataclass(frozen=True)
class Evidence:
    """What earlier messages say that may bear on a question.

    said     parts of messages, in their order
    weights  term of the question → how much it tells
    scores   message → how well it fits the question, 1 at the most
    """

    said: Sequence[Said] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    scores: Mapping[int, float] = field(default_factory=dict)


NO_EVIDENCE = Evidence()


def of_one_device(one: Said, other: Said) -> bool:
    """Return whether both may speak of the same device."""
    return not one.named or not other.named or not one.named.isdisjoint(other.named)


def line_of(one: Said, since: str = "") -> str:
    """Return the line that tells a part: `  - turn 3, user: "kp is 0.12" [since]`."""
    speaker = "user" if one.role.casefold() == "user" else "agent"
    source = f"log pasted by the {speaker}" if "log" in one.cues else speaker
    return f"  - turn {one.turn}, {source}: “{line_words(one)}”{since}"


def line_words(one: Said) -> str:
    """Return the words of a part as its line tells them, without the marks that stand around them there."""
    return _line_words(one.text)


@lru_cache(maxsize=8192)
def _line_words(text: str) -> str:
    told = without_tags(without_speakers(shorten(" ".join(text.split()), LINE_CHARS)))
    return without_notes(told).translate(_STRAIGHT)

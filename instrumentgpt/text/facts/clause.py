"""The stretches of a sentence, each about one device."""

import re
from dataclasses import dataclass
from functools import cached_property

from instrumentgpt.text.facts.devices import CHANNEL, Names, channel_in, device_named, devices_named
from instrumentgpt.text.facts.fact import Fact
from instrumentgpt.text.facts.heard import Heard
from instrumentgpt.text.facts.labels import is_measured_in
from instrumentgpt.text.facts.values import quantity
from instrumentgpt.text.measures import same_measure
from instrumentgpt.text.terms import fold

_BREAK = re.compile(
    r"(?<!\d)[,，](?!\d)|(?<=\d)[,，](?=\s*\D)|[、，；;]|\s(?:and|but|while|whereas|versus|vs\.?)\s|和|與|与|而|跟"
)
_OF_DEVICE = re.compile(r"(?:\b(?:of|on|for|in|at|from)(?:\s+the)?\s+)?\0(?:'s\b|\s*的)?", re.I)


@dataclass(frozen=True)
class Clause:
    """A stretch of a sentence, without the names of devices and channels."""

    text: str
    device: str
    channel: str
    heard: Heard

    @cached_property
    def folded(self) -> str:
        """The text without differences of spelling."""
        return fold(self.text)

    @cached_property
    def body(self) -> str:
        """The text, of the same length as when it is folded."""
        return self.text if len(self.folded) == len(self.text) else self.folded

    def fact(self, parameter: str, found: re.Match[str], unit: str = "") -> Fact:
        """Return the fact that the quantity has the value, under the name that is in use for it."""
        value, told = quantity(found, unit)
        filed = self.heard.filed(parameter, self.device, told)
        return Fact(self.device, self.channel, filed, value, told)

    def may_have(self, fact: Fact) -> bool:
        """Return whether the value measures what its quantity is measured in, and what the one known is."""
        held = self.heard.held(*fact.key)
        alike = held is None or same_measure(fact.unit, held.unit)
        return alike and is_measured_in(fact.parameter, fact.unit)


def clauses(sentence: str, device: str, names: Names, heard: Heard) -> list[Clause]:
    """Return the stretches of a sentence with the device that each is about.

    >>> [(one.device, one.text) for one in clauses(
    ...     "052 runs 3.18 and 053 runs 3.20", "", (("zspr 052",), ("zspr 053",)), Heard())]
    [('zspr 052', 'runs 3.18'), ('zspr 053', 'runs 3.20')]
    """
    if len({name for _, _, name in devices_named(sentence, names)}) < 2:
        return [_clause(sentence, device_named(sentence, names) or device, names, heard)]
    parts: list[Clause] = []
    for piece in filter(str.strip, _BREAK.split(sentence)):
        named = list(devices_named(piece, names))
        starts = [start for start, _, _ in named] or [0]
        starts[0] = 0
        for at, (start, end) in enumerate(zip(starts, [*starts[1:], len(piece)], strict=True)):
            own = named[at][2] if named else parts[-1].device if parts else device
            parts.append(_clause(piece[start:end], own, names, heard))
    return parts


def _clause(text: str, device: str, names: Names, heard: Heard) -> Clause:
    told = text
    for start, end, _ in reversed(list(devices_named(text, names))):
        told = f"{told[:start]}\0{told[end:]}"
    told = CHANNEL.sub(" ", _OF_DEVICE.sub(" ", told))
    return Clause(told.strip(), device, channel_in(text), heard)

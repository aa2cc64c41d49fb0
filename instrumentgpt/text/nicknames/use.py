"""Whether a user's own words say a name, and say it as one says a name."""

import re
from dataclasses import dataclass
from functools import cached_property

from instrumentgpt.text.facts.devices import Names, devices_in
from instrumentgpt.text.nicknames import patterns
from instrumentgpt.text.nicknames.fitting import describes
from instrumentgpt.text.nicknames.marked import lines_read
from instrumentgpt.text.terms import fold, in_simplified


@dataclass(frozen=True)
class OwnWords:
    """What a user's message says itself, without logs, code and quotations."""

    message: str

    @cached_property
    def plain(self) -> str:
        """The words as they were written."""
        return "\n".join(lines_read(self.message))

    @cached_property
    def folded(self) -> str:
        """The words in small letters, in Simplified characters."""
        return in_simplified(fold(self.plain))


def times_said(nickname: str, words: OwnWords) -> int:
    """Return how often a user's words say a nickname.

    >>> times_said("belly", OwnWords("the Belly, not bellyful")), times_said("小箱", OwnWords("小箱的溫度"))
    (1, 1)
    """
    return _times(nickname, words.folded)


def _times(nickname: str, folded: str) -> int:
    parts = re.findall(r"\d+|[^\W\d_]+", in_simplified(fold(nickname)))
    told = r"[\s_\-]*".join(map(re.escape, parts))
    if not nickname.isascii():
        return len(re.findall(told, folded))
    of_it = "(?:'?s)?" if len(nickname) > 3 else "(?:'s)?"
    return len(re.findall(rf"(?<![a-z0-9]){told}{of_it}(?![a-z0-9])", folded))


def is_used_as_name(nickname: str, words: OwnWords) -> bool:
    """Return whether a user says a word as one says a name: in a capital within a sentence, quoted.

    What describes a piece of equipment is a name however it is written.

    >>> is_used_as_name("Gladys", OwnWords("why is Gladys loud?"))
    True
    >>> is_used_as_name("Summary", OwnWords("a summary, please"))
    False
    """
    if describes(nickname):
        return times_said(nickname, words) > 0
    word = re.escape(nickname)
    led = rf"[^\s.!?:。！？：]\s+{word}\b" if nickname[:1].isupper() else rf"[\"“「『']{word}[\"”」』']"
    return re.search(led, words.plain) is not None


def is_said_of(nickname: str, device: str, words: OwnWords, names: Names) -> bool:
    """Return whether a sentence of a user's names the device and says the nickname.

    >>> names = (("zspr 055",), ("zspr 053",))
    >>> is_said_of("walk-in", "zspr 055", OwnWords("055 is the walk-in. 053 next."), names)
    True
    """
    return any(
        device in devices_in(sentence, names) and _times(nickname, in_simplified(fold(sentence)))
        for sentence in patterns.SENTENCE.split(words.plain)
    )

"""What a user lays down for the work to come: constraints, appointments, how things are to be done.

The words for it are in `said/cues.toml`, under `lays`.
"""

import re

from instrumentgpt.text.asked import is_asked
from instrumentgpt.text.said.cues import patterns_of, plain
from instrumentgpt.text.said.layout import own_lines
from instrumentgpt.text.said.quantified import quantities_in
from instrumentgpt.text.summary import shorten

WISH_CHARS = 240  # of a sentence kept
LINE_CHARS = 1000
_SENTENCE = re.compile(  # many type without capitals: a word that begins a question begins a sentence
    r"(?<=[.!?;])(?<!\b[DM]r\.)(?<!\bProf\.)(?<!\bNo\.)\s+(?=[A-Z\"“(]|[^\x00-\x7f]"
    r"|(?:what|why|how|when|where|which|who|is|are|can|could|should|do|does|so|then)\b)"
    r"|(?<=[?!])(?=[^\x00-\x7f])|(?<=[。！？；])|\n"
)
_LAYS = patterns_of("lays")
_CLAUSE = re.compile(  # where an English order may begin
    r"(?:^|[.,;:!()\-–—\"]\s*|[^\x00-\x7f]\s*|\b(?:and|but|so|please|pls|plz|also|then|now|or|just|ok|meanwhile)\s+)"
    rf"(?:{_LAYS['order'].pattern})"
)


def wishes_in(text: str) -> list[str]:
    """Return the sentences of a user's `text` that lay something down, each shortened to one line.

    >>> wishes_in("Why does it swing? Do not restart 052 before Friday.")
    ['Do not restart 052 before Friday.']
    >>> wishes_in("I don't know. He says it is always the tube. The audit is on 12 December.")
    ['The audit is on 12 December.']
    """
    found: dict[str, None] = {}
    for line in own_lines(text):
        for sentence in _SENTENCE.split(line[:LINE_CHARS]):
            told = " ".join(sentence.split())
            if told and lays_down(told) and not is_asked(told):
                found[shorten(told, WISH_CHARS)] = None
    return list(found)


def lays_down(sentence: str) -> bool:
    """Return whether the sentence forbids, allows, obliges, limits, or sets a date for what is to come.

    >>> lays_down("電極上個月保養過了"), lays_down("保養排 12/3")
    (False, True)
    """
    folded = _LAYS["nothing"].sub("…", plain(sentence))
    if _LAYS["rule"].search(folded) or _CLAUSE.search(folded):
        return True
    return bool(_LAYS["appointment"].search(folded)) and _is_dated(folded)


def _is_dated(folded: str) -> bool:
    return bool(_LAYS["date"].search(folded)) or any(one.unit == "date" for one in quantities_in(folded))

"""A message cut into pieces that can be about one thing each: sentences, and clauses that stand alone."""

import re

from instrumentgpt.memory.filtering import prose_lines
from instrumentgpt.memory.terms import fold
from instrumentgpt.modes.interview.signs import has

LINE_CHARS = 2000  # a longer line is data
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|(?<=;)")
_CLAUSE = re.compile(
    r"(?<=[，,])\s*(?!\d{3}\b)|\s+(?=(?:and|so|because) (?:it|we|the|they|when|if|i)\b)", re.I
)
_BULLET = re.compile(r"^\s*(?:[-*•·]|\(?\d{1,2}[.)、]|[a-z]\))\s+", re.I)
_CONDITION = re.compile(
    r"^(?:and |but |so |then )?(?:when(?:ever)?|if|after|while|during|once|as soon as|unless|until|every time"
    r"|for example|for instance|e\.g\.|例如|比如|比方|譬如|如果|假如|万一|要是|若|只要|每次|每当|当)"
    r"|(?:时|时候|之后|以后|的话|后)[,，]?$"
)
_ASKED = re.compile(
    r"[?？]\s*\W*$|[嗎吗呢][。.!！]?$"
    r"|^(?:and |but |so |ok |well )?(?:what|why|how|when|where|which|who|is|are|does|did|do you|can you"
    r"|could you"
    r"|can we|should i|should we|would you)\b(?=[^,]*$)(?! it (?:drops|falls|rises))",
    re.I,
)
_OPENS_CONDITION = re.compile(r"^(?:when|what if|how about when)\b[^?？]*$", re.I)


def pieces_of(words: str) -> list[str]:
    """Return the sentences of `words`, and clauses that say something of their own; no log lines, no code.

    A condition stays with what happens under it.

    >>> pieces_of("It drifts, and when the door is opened, it drops. 應該要 ±0.1 度")
    ['It drifts,', 'and when the door is opened, it drops.', '應該要 ±0.1 度']
    """
    found: list[str] = []
    for line in prose_lines(words):
        for sentence in _SENTENCE.split(_BULLET.sub("", line[:LINE_CHARS])):
            found += _clauses(sentence)
    return found


def _clauses(sentence: str) -> list[str]:
    if has("contrast", sentence):
        whole = _CLAUSE.split(sentence)
        if not any(has("contrast", clause) for clause in whole):
            return [sentence.strip()]  # what was wanted and what was seen belong together
    joined: list[str] = []
    waits = False  # a condition, for what happens under it
    for clause in (one.strip() for one in _CLAUSE.split(sentence) if one.strip()):
        if waits:
            joined[-1] += f" {clause}" if joined[-1].isascii() else clause
        else:
            joined.append(clause)
        waits = not waits and _CONDITION.search(fold(clause)) is not None
    return joined


def is_question(piece: str) -> bool:
    """Return whether `piece` asks something.

    >>> is_question("What do you mean"), is_question("When the door is open it drops")
    (True, False)
    """
    plain = " ".join(piece.split())
    if _OPENS_CONDITION.match(plain):
        return False
    return _ASKED.search(plain) is not None

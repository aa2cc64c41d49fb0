"""Searching texts for words of English and pairs of Chinese characters, the best one first."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from instrumentgpt.text.summary import shorten

EXCERPT_CHARACTERS = 400
SATURATION, LENGTH_SHARE = 1.2, 0.75  # k1 and b of Okapi BM25, its usual values
COMMON = frozenset(  # words of questions, not of what is looked for
    ("the", "and", "what", "was", "were", "did", "that", "this", "for", "with", "about", "said", "you", "are")
)
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_PIECES = re.compile(rf"(?P<word>[^\W_{_HAN}]+(?:[._:\-][^\W_{_HAN}]+)*)|(?P<han>[{_HAN}]+)")


@dataclass(frozen=True)
class Hit:
    """A text that holds some of what was looked for: its place among the texts, and the words around it."""

    place: int
    score: float
    excerpt: str


def terms(text: str) -> list[str]:
    """Return what `text` is found by: its words, numbers and names, and each pair of Chinese characters.

    >>> terms("Kp of 10.1.1.47 是 0.09，溫度波動")
    ['kp', 'of', '10.1.1.47', '是', '0.09', '溫度', '度波', '波動']
    """
    found: list[str] = []
    for piece in _PIECES.finditer(text):
        run = piece.group().casefold()
        is_pairs = piece.lastgroup == "han" and len(run) > 1
        found += [run[at : at + 2] for at in range(len(run) - 1)] if is_pairs else [run]
    return found


def search(texts: Sequence[str], query: str) -> list[Hit]:
    """Return the texts that hold a term of `query`, best first (Okapi BM25); of equals the later.

    >>> [hit.place for hit in search(["kp is 0.09", "the heater", "溫度波動：kp, ki"], "kp 波動")]
    [2, 0]
    """
    wanted = {term for term in terms(query) if term not in COMMON} or set(terms(query))
    counts = [Counter(terms(text)) for text in texts]
    lengths = [sum(count.values()) for count in counts]
    mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
    holders = {term: sum(term in count for count in counts) for term in wanted}
    weight = {
        term: math.log(1 + (len(texts) - number + 0.5) / (number + 0.5)) for term, number in holders.items()
    }
    hits = []
    for place, (text, count, length) in enumerate(zip(texts, counts, lengths, strict=True)):
        held = sorted((term for term in wanted if term in count), key=lambda term: -weight[term])
        if held:
            drag = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / mean)
            score = sum(weight[term] * count[term] / (count[term] + drag) for term in held)
            hits.append(Hit(place, score, excerpt(text, held[0])))
    return sorted(hits, key=lambda hit: (-hit.score, -hit.place))


def excerpt(text: str, term: str, limit: int = EXCERPT_CHARACTERS) -> str:
    """Return what stands around the first `term` in `text`, on one line, in about `limit` characters.

    >>> excerpt("a long story " * 9 + "of the heater " + "and so on " * 9, "heater", 40)
    '…a long story of the heater and so on…'
    """
    found = re.search(re.escape(term), text, re.IGNORECASE)
    start = max(0, (found.start() if found else 0) - limit // 2)
    start = 0 if len(text) <= limit else start
    before = "…" if start else ""
    return before + shorten(" ".join(text[start : start + 2 * limit].split()), limit - len(before))

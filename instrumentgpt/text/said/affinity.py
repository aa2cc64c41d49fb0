"""Whose words a text without a device's name takes up: back to the oven after a word on its chiller."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from instrumentgpt.text.terms import telling, terms

TIMES = 3.0  # as much of a text must speak for another device as for the one in hand
LEAST = 2.0  # of weight that must: each word has at most one, and the less the more was said with it


def taken_up(text: str, parts: Iterable[tuple[str, Sequence[str]]], in_hand: str) -> str:
    """Return the device whose words `text` takes up, or `in_hand` where no other has clearly more of them.

    parts  (device, terms) of what was said lately
    """
    held: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for device, found in parts:
        for term in found:
            held[term][device] += 1
    asked = {term for term in telling(terms(text)) if len(term) > 1 and not term[0].isdigit()}
    scores: defaultdict[str, float] = defaultdict(float)
    for term in asked & held.keys():
        every = held[term].total()
        for device, count in held[term].items():
            scores[device] += (count / every) ** 2 / math.log2(1 + every)
    best = max(scores, key=lambda device: (scores[device], device == in_hand), default=in_hand)
    return best if scores[best] >= LEAST and scores[best] > TIMES * scores[in_hand] else in_hand

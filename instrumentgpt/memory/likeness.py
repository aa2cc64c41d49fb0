"""How much likelier words are in sentences of one kind than of all: naive Bayes over examples in a file."""

import itertools
import math
import re
from collections import Counter
from functools import cache
from pathlib import Path

from instrumentgpt.memory.terms import fold

LOG_NAME = r"[\w.\-]+\.(?:log|csv|txt|tsv|jsonl|xlsx|parquet|alog)(?:\.gz)?\b"
_SAME = (  # what the examples name in many ways: a log, a device, a number
    (re.compile(LOG_NAME), " ~l "),
    (re.compile(r"\b\d+\.\d+\.\d+\.\d+|\bzspr[ -]?\d+|(?<![\d.])0\d\d\b|(?<!\d)\.\d{2,3}\b"), " ~d "),
    (re.compile(r"\d+(?:[.:/]\d+)*"), "#"),
)


def likeness(text: str, examples: Path, smoothing: float) -> dict[str, float]:
    """Return kind → how much likelier `text` is among its `examples` than among all of them, in log odds.

    Words and pairs of words count; one that stands in no example says nothing.

    examples   lines of kind, tab, sentence
    smoothing  examples, spread over the kinds as a word is over all of them
    """
    counts, having = _counted(examples)
    feature_counts = [seen for feature in _features(text) if (seen := having.get(feature))]
    return {
        kind: sum(
            math.log((seen[kind] * counts.total() / seen.total() + smoothing) / (count + smoothing))
            for seen in feature_counts
        )
        for kind, count in counts.items()
    }


@cache
def _counted(examples: Path) -> tuple[Counter[str], dict[str, Counter[str]]]:
    """Return how many examples each kind has, and how many of each kind have a word or pair of words."""
    having: dict[str, Counter[str]] = {}
    counts: Counter[str] = Counter()
    for line in examples.read_text(encoding="utf-8").splitlines():
        kind, text = line.split("\t")
        counts[kind] += 1
        for feature in _features(text):
            having.setdefault(feature, Counter())[kind] += 1
    return counts, having


def _features(text: str) -> set[str]:
    """Return words (Chinese: characters) and pairs of neighbours; a device, a log, a number is only that."""
    words = fold(text).replace("’", "'")
    for pattern, name in _SAME:
        words = pattern.sub(name, words)
    row = ["^", *re.findall(r"~\w|[a-z']+|#|[\u4e00-\u9fff]", words), "$"]
    return {*row, *map(" ".join, itertools.pairwise(row))}

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

    Words and pairs of words count, among the examples in their script; one that stands in none says nothing.

    examples   lines of kind, tab, sentence
    smoothing  examples, spread over the kinds as a word is over all of them
    """
    having = _counted(examples)
    seen = [(having[feature], having[_script(feature)]) for feature in _features(text) if feature in having]
    return {
        kind: sum(
            math.log((found[kind] * of.total() / found.total() + smoothing) / (of[kind] + smoothing))
            for found, of in seen
        )
        for kind in having[""]
    }


@cache
def _counted(examples: Path) -> dict[str, Counter[str]]:
    """Return how many examples of each kind have a word or a pair of words, and of a script at all."""
    having: dict[str, Counter[str]] = {}
    for line in examples.read_text(encoding="utf-8").splitlines():
        kind, text = line.split("\t")
        for feature in {*(features := _features(text)), *map(_script, features), ""}:
            having.setdefault(feature, Counter())[kind] += 1
    return having


def _script(feature: str) -> str:
    """Return the script of a feature, "" if it has none: a kind may have more examples in one language."""
    return "Han" if not feature.isascii() else "Latin" * bool(re.search(r"(?<!~)[a-z]", feature))


def _features(text: str) -> set[str]:
    """Return words (Chinese: characters) and pairs of neighbours; a device, a log, a number is only that."""
    words = fold(text).replace("’", "'")
    for pattern, name in _SAME:
        words = pattern.sub(name, words)
    row = ["^", *re.findall(r"~\w|[a-z']+|#|[\u4e00-\u9fff]", words), "$"]
    return {*row, *map(" ".join, itertools.pairwise(row))}

"""Of which kind words are: a linear model of words and pairs of words, learnt from examples.

It is multinomial logistic regression. `python -m bench.learn` finds the weights; here they are only added up.
"""

import itertools
import math
import re
from functools import cache, lru_cache
from pathlib import Path

from instrumentgpt.memory.terms import fold

LOG_NAME = r"[\w.\-]+\.(?:log|csv|txt|tsv|jsonl|xlsx|parquet|alog)(?:\.gz)?\b"
_SAME = (  # what the examples name in many ways: a log, a device, a number
    (re.compile(LOG_NAME), " ~l "),
    (re.compile(r"\b\d+\.\d+\.\d+\.\d+|\bzspr[ -]?\d+|(?<![\d.])0\d\d\b|(?<!\d)\.\d{2,3}\b"), " ~d "),
    (re.compile(r"\d+(?:[.:/]\d+)*"), "#"),
)


@lru_cache(maxsize=256)
def likeness(text: str, weights: Path) -> dict[str, float]:
    """Return kind → probability that `text` is of it, by the `weights` that `bench.learn` wrote.

    The probabilities add up to 1. What stands in no example says nothing.
    """
    kinds, learnt = _read(weights)
    seen = [learnt[feature] for feature in features(text) if feature in learnt]
    size = math.sqrt(len(seen) or 1)
    sums = [bias + sum(row[at] for row in seen) / size for at, bias in enumerate(learnt[""])]
    odds = [math.exp(total - max(sums)) for total in sums]
    return {kind: one / sum(odds) for kind, one in zip(kinds, odds, strict=True)}


@cache
def _read(weights: Path) -> tuple[list[str], dict[str, tuple[float, ...]]]:
    """Return the kinds, and feature → its weight for each; that of "" stands for no feature at all."""
    (_, *kinds), *rows = (line.split("\t") for line in weights.read_text(encoding="utf-8").splitlines())
    return kinds, {feature: tuple(map(float, values)) for feature, *values in rows}


def features(text: str) -> set[str]:
    """Return words (Chinese: characters) and pairs of neighbours; a device, a log, a number is only that."""
    words = fold(text).replace("’", "'")
    for pattern, name in _SAME:
        words = pattern.sub(name, words)
    row = ["^", *re.findall(r"~\w|[a-z']+|#|[\u4e00-\u9fff]", words), "$"]
    return {*row, *map(" ".join, itertools.pairwise(row))}

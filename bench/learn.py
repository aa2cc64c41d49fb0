"""Learn of which kind sentences are from examples.tsv; write weights.tsv beside it: `python -m bench.learn`.

Multinomial logistic regression (Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 2009,
4.4) with a penalty on squared weights, found by AdaGrad (Duchi, Hazan, Singer, JMLR 12, 2011, 2121-2159).
`--check` leaves each fourth of the examples out in turn and prints the share of it that is told rightly.
"""

import argparse
import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from instrumentgpt.memory.likeness import features

ROOM = Path(__file__).parents[1] / "instrumentgpt"
SETS = {  # examples → examples that one weight counts as many as
    ROOM / "memory" / "reading" / "examples.tsv": 4.0,
    ROOM / "analyst" / "examples.tsv": 30.0,
}
LEAST = 2  # examples that hold a feature which is learnt
STEPS, STEP = 100, 0.5

Floats = npt.NDArray[np.float64]
Row = tuple[str, frozenset[str]]  # kind, features


def examples_in(path: Path) -> list[Row]:
    """Return (kind, features) of each line of a file of kind, tab, sentence."""
    lines = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return [(kind, frozenset(features(text))) for kind, text in lines]


def learn(rows: Sequence[Row], weight: float) -> tuple[list[str], dict[str, Floats]]:
    """Return the kinds, and feature → its weight for each; that of "" stands for no feature at all."""
    kinds = sorted({kind for kind, _ in rows})
    counts = Counter(feature for _, held in rows for feature in held)
    names = sorted(feature for feature, count in counts.items() if count >= LEAST)
    place = {feature: at for at, feature in enumerate(names)}
    pairs = [(row, place[one]) for row, (_, held) in enumerate(rows) for one in sorted(held) if one in place]
    of, at = np.array(pairs).T
    share = 1 / np.sqrt(np.bincount(of, minlength=len(rows)))[of]
    order = np.argsort(at, kind="stable")
    firsts = np.searchsorted(at[order], np.arange(len(names)))
    is_kind = np.array([[kind == one for one in kinds] for kind, _ in rows], float)
    found, base = np.zeros((len(names), len(kinds))), np.zeros(len(kinds))
    squares, of_base = np.full_like(found, 1e-8), np.full_like(base, 1e-8)
    for _ in range(STEPS):
        sums = np.zeros((len(rows), len(kinds))) + base
        np.add.at(sums, of, share[:, None] * found[at])
        odds = np.exp(sums - sums.max(axis=1, keepdims=True))
        error = odds / odds.sum(axis=1, keepdims=True) - is_kind
        slope = np.add.reduceat((share[:, None] * error[of])[order], firsts, axis=0) + found / weight
        squares += slope**2
        found -= STEP * slope / np.sqrt(squares)
        slope = error.sum(axis=0)
        of_base += slope**2
        base -= STEP * slope / np.sqrt(of_base)
    return kinds, {"": base, **dict(zip(names, found, strict=True))}


def digest(path: Path) -> str:
    """Return what tells these examples from others."""
    return hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()


def write(path: Path, weight: float) -> Path:
    """Learn from the examples at `path` and write weights.tsv beside them; return its path."""
    kinds, found = learn(examples_in(path), weight)
    lines = ["\t".join([digest(path), *kinds])]
    lines += ["\t".join([name, *(f"{value:.2f}" for value in values)]) for name, values in found.items()]
    written = path.with_name("weights.tsv")
    written.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return written


def checked(rows: Sequence[Row], weight: float, parts: int = 4) -> float:
    """Return the share of the examples that is told rightly by what is learnt from the others."""
    right = 0
    for part in range(parts):
        kinds, found = learn([row for at, row in enumerate(rows) if at % parts != part], weight)
        for kind, held in rows[part::parts]:
            seen = [found[feature] for feature in held if feature in found]
            sums = found[""] + sum(seen, np.zeros(len(kinds))) / max(1, len(seen)) ** 0.5
            right += kinds[int(sums.argmax())] == kind
    return right / len(rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    is_check = parser.parse_args().check
    for source, penalty in SETS.items():
        said = (
            f"{checked(examples_in(source), penalty):.1%} right" if is_check else write(source, penalty).name
        )
        print(f"{source.relative_to(ROOM)}: {said}")

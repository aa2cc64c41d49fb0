"""The command line of the benches that draw their logs at random."""

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def keep_report(
    name: str, told: str | None, report: Callable[[int, int], Iterable[str]], logs: int, seed: int
) -> int:
    """Print the report of `python -m bench.NAME [--logs N] [--seed N]` and keep it in results; return 0.

    told  the docstring of the bench
    """
    parser = argparse.ArgumentParser(description=(told or "").splitlines()[0])
    parser.add_argument("--logs", type=int, default=logs)
    parser.add_argument("--seed", type=int, default=seed)
    chosen = parser.parse_args()
    command = f"$ python -m bench.{name} --logs {chosen.logs} --seed {chosen.seed}"
    text = "\n".join([command, *report(chosen.logs, chosen.seed)]) + "\n"
    (RESULTS / f"{name}.txt").write_text(text, encoding="utf-8")
    print(text, end="")
    return 0

"""How often each limit of the checks decides, on real logs, source by source.

    python -m bench.limits [--shared FOLDER] [--by 1.5]

Each number that stands in `instrumentgpt/instruments/checks` is multiplied and divided by `--by`, one at a
time, and every real log is judged again. Told are the logs whose first verdict changes, how many more or
fewer are right, and in which sources: a limit that decides in one source only may fit that source alone,
one that never decides is not needed, or is not tried by these logs.
"""

import argparse
import ast
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path
from types import ModuleType

from bench.confidence import real
from bench.loops import SHARED
from bench.unseen_plants import QUIET
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments import checks
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.logs import Log, read_log

RESULT = Path(__file__).parent / "results" / "limits.txt"
logs: list[Log] = []  # read before the workers are forked: they share them


def limits() -> Iterator[tuple[ModuleType, str, float]]:
    """Yield module, name and value of each limit."""
    for path in sorted(Path(checks.__path__[0]).glob("[a-z]*.py")):
        module = import_module(f"{checks.__name__}.{path.stem}")
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                value = getattr(module, node.targets[0].id)
                if isinstance(value, int | float):
                    yield module, node.targets[0].id, value


def verdicts() -> list[str]:
    """Return the first fault that is named for each log, "" where none is."""
    with ProcessPoolExecutor(2) as pool:  # forked here: it sees the limits as they are now
        return list(pool.map(first_fault, range(len(logs)), chunksize=4))


def first_fault(number: int) -> str:
    """Return the first fault that is named for the log of this `number`."""
    return next((one.fault for one in diagnose(logs[number]).findings if one.fault not in QUIET), "")


def with_limit(module: ModuleType, name: str, value: float) -> list[str]:
    """Return the verdicts with one limit changed, in every module that uses it."""
    kept = getattr(module, name)
    users = [
        user
        for key, user in list(sys.modules.items())
        if key.startswith("instrumentgpt.instruments.") and getattr(user, name, None) is kept
    ]
    for user in users:
        setattr(user, name, value)
    try:
        return verdicts()
    finally:
        for user in users:
            setattr(user, name, kept)


def main() -> int:
    """Print and keep the table; return 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shared", type=Path, default=SHARED, help="folder with the logs and their truth")
    parser.add_argument("--by", type=float, default=1.5)
    given = parser.parse_args()
    if not (given.shared / "logs" / "real").is_dir():
        print(f"skipped: the real logs are not part of this repository, and {given.shared} is not there")
        return 0
    known = []
    for source, path, truth in real(given.shared):
        try:
            logs.append(read_log(path))
        except InstrumentGPTError:
            continue
        known.append((path.parent.name if source == "real" else source, truth - QUIET))
    before = verdicts()
    lines = [f"{'limit':34}{'is':>8}  {'times ' + str(given.by):24}{'divided by ' + str(given.by)}"]
    for module, name, value in limits():
        told = [
            _told(before, with_limit(module, name, type(value)(changed)), known)
            for changed in (value * given.by, value / given.by)  # a count stays one
        ]
        lines.append(f"{module.__name__.rpartition('.')[2] + '.' + name:34}{value:8g}  {told[0]:24}{told[1]}")
        print(lines[-1], flush=True)
    RESULT.write_text("\n".join(["$ python -m bench.limits", *lines]) + "\n", encoding="utf-8")
    return 0


def _told(before: list[str], after: list[str], known: list[tuple[str, frozenset[str]]]) -> str:
    """Return how many verdicts changed, how many more are right, and the sources in which they changed."""
    changed = [at for at, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    right = sum(_is_right(after[at], known[at][1]) - _is_right(before[at], known[at][1]) for at in changed)
    sources = sorted({known[at][0] for at in changed})
    return f"{len(changed)} ({right:+d}) {' '.join(sources)}" if changed else "-"


def _is_right(named: str, truth: frozenset[str]) -> bool:
    return named in truth if truth else not named


if __name__ == "__main__":
    sys.exit(main())

"""How often each grade of confidence is right: on real logs, labelled ones, and machines made up.

    python -m bench.confidence [--shared FOLDER] [--seed 7]

FOLDER holds `logs/real/*/truth.json` and `logs/instrument_debug/truth.jsonl`; the machines are those of
bench/unseen_plants. A finding is right if the truth names its class for that log, or calls it fair; notes on
the record are not counted. The grades were made with seed 7 and the real logs at hand;
99 is for figures only.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bench.loops import SHARED
from bench.unseen_plants import QUIET, write_logs
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.diagnosis import diagnose
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.wording import CONFIDENCE

Case = tuple[str, Path, frozenset[str]]  # source, log, classes that are right or fair


def real(shared: Path) -> Iterator[Case]:
    """Yield the real and the labelled logs."""
    for table in sorted((shared / "logs" / "real").glob("*/truth.json")):
        told = json.loads(table.read_text(encoding="utf-8"))
        for row in told if isinstance(told, list) else next(iter(told.values())):
            fair = [
                one["class"] if isinstance(one, dict) else one.split()[0] for one in row.get("also_fair", ())
            ]
            path = table.parent / row["file"]
            if path.exists():
                yield "real", path, frozenset([*(one["class"] for one in row["findings"]), *fair])
    folder = shared / "logs" / "instrument_debug"
    for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield "labelled", folder / f"{row['log']}.gz", frozenset(one["class"] for one in row["faults"])


def made_up(folder: Path, seed: int) -> Iterator[Case]:
    """Yield the logs of machines made up with `seed`."""
    for row in write_logs(folder, 320, seed):
        faults = [one["class"] for one in row["faults"]]  # type: ignore[attr-defined]
        yield "made up", folder / str(row["file"]), frozenset([*faults, *row.get("also_fair", ())])  # type: ignore[misc]


def graded(case: Case) -> list[tuple[str, str, bool]]:
    """Return source, grade and whether it is right, of each fault found in a log; none of one not read."""
    source, path, right = case
    try:
        findings = diagnose(read_log(path)).findings
    except InstrumentGPTError:
        return []
    return [(source, one.confidence, one.fault in right) for one in findings if one.fault not in QUIET]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shared", type=Path, default=SHARED, help="folder with the logs and their truth")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, ProcessPoolExecutor(2) as pool:
        shared = list(real(given.shared)) if (given.shared / "logs" / "real").is_dir() else []
        cases = [*shared, *made_up(Path(scratch), given.seed)]
        counts = Counter(row for rows in pool.map(graded, cases, chunksize=4) for row in rows)
    sources = list(dict.fromkeys(source for source, _, _ in cases))
    print(f"{'right of all':10}" + "".join(f"{source:>18}" for source in (*sources, "all")))
    for grade in CONFIDENCE["en"]:
        print(
            f"{grade:12}"
            + "".join(f"{_share(counts, own, grade):>18}" for own in [*([s] for s in sources), sources])
        )
    return 0


def _share(counts: Counter[tuple[str, str, bool]], sources: list[str], grade: str) -> str:
    right, wrong = (sum(counts[source, grade, is_right] for source in sources) for is_right in (True, False))
    return f"{right} of {right + wrong} = {right / max(1, right + wrong):.0%}"


if __name__ == "__main__":
    sys.exit(main())

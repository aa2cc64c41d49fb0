"""How right the diagnosis is: on labelled instrument logs with their scorer, and on real logs.

    python -m bench.loops [--shared FOLDER]

FOLDER holds `logs/instrument_debug/truth.jsonl`, `logs/<source>/…` of real instruments and
`bench/loops/loop_score.py`; by default `shared` beside the checkout. The result is written to
bench/results/loops.txt. Nothing in the checks was fitted: their limits are named constants, so there is
nothing to cross-validate, but the authors have seen the labelled logs.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments import wording
from instrumentgpt.instruments.diagnosis import Diagnosis, diagnose, rows
from instrumentgpt.instruments.logs import Log, read_log

SHARED = Path(__file__).parents[2] / "shared"
RESULT = Path(__file__).parent / "results" / "loops.txt"
REAL = ("cellularmitosis/*/*.csv", "tclab/*.csv", "tclab/mimo*.txt", "mycoreactor/*.csv", "nab/*.csv")
INDUSTRIAL = ("stiction/*.txt",)
PERIODS = {  # s between rows, of files that do not carry it (the logs' own README)
    "20180114-tec-oven": 0.25,
    "20180126-25c-chamber/run1": 0.3,
    "20180126-25c-chamber/run12": 6.0,
    "20180126-25c-chamber/run13": 6.0,
    "20180126-25c-chamber/run17": 30.0,
    "20180205-tec-oven": 1.0,
}


def main() -> int:
    """Print and keep the score on the labelled logs and the verdicts on the real ones; 0 if skipped too."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--shared", type=Path, default=SHARED, help="folder with logs and the scorer")
    shared = parser.parse_args().shared
    if not (shared / "logs").is_dir():
        print(f"skipped: the reference logs are not part of this repository, and {shared} is not there")
        return 0
    report = [*labelled(shared), *real(shared / "logs", REAL), *industrial(shared / "logs")]
    text = "\n".join(report) + "\n"
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text("$ python -m bench.loops\n" + text, encoding="utf-8")
    print(text, end="")
    return 0


def labelled(shared: Path) -> Iterator[str]:
    """Yield the scorer's table for the labelled logs, and how long diagnosis took."""
    folder = shared / "logs" / "instrument_debug"
    listed = (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    truths = [json.loads(line) for line in listed]
    seconds = []
    with tempfile.TemporaryDirectory() as place:
        predictions = Path(place) / "predictions.jsonl"
        with predictions.open("w", encoding="utf-8") as out:
            for truth in truths:
                log = read_log(folder / (truth["log"] + ".gz"))
                started = time.process_time()
                diagnosis = diagnose(log)
                seconds.append((time.process_time() - started, log.lines))
                for row in rows(diagnosis):
                    out.write(json.dumps({**row, "log": truth["log"]}, ensure_ascii=False) + "\n")
        yield f"# {len(truths)} labelled logs"
        yield from _scored(shared / "bench" / "loops" / "loop_score.py", folder, predictions)
    slowest, lines = max(seconds)
    total = sum(taken for taken, _ in seconds)
    yield f"diagnosis: {total:.2f} s of CPU, {len(seconds)} logs; slowest {slowest:.3f} s, {lines} lines"


def _scored(scorer: Path, folder: Path, predictions: Path) -> list[str]:
    command = [sys.executable, "-W", "ignore", str(scorer), str(folder), str(predictions)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    return done.stdout.splitlines()


def real(folder: Path, patterns: tuple[str, ...]) -> Iterator[str]:
    """Yield the verdict on each real log, beside what is known of it."""
    known = json.loads((folder / "cellularmitosis" / "truth.json").read_text(encoding="utf-8"))
    truth = {entry["file"]: entry["diagnosis"] for entry in known.values()}
    yield "\n# Real logs: verdicts, and what is known"
    for pattern in patterns:
        for path in sorted(folder.glob(pattern)):
            name = path.relative_to(folder).as_posix()
            yield f"{name}: {_verdict(path)}"
            if name.partition("/")[2] in truth:
                yield f"    known: {truth[name.partition('/')[2]]}"


def _verdict(path: Path) -> str:
    try:
        log = _read(path)
    except InstrumentGPTError as problem:
        return f"not read: {problem}"
    diagnosis = diagnose(log)
    said = [f"{one.fault}: {wording.summary(one, 'en')}" for one in diagnosis.findings]
    return " | ".join(said) or f"no verdict ({_reasons(diagnosis)})"


def _reasons(diagnosis: Diagnosis) -> str:
    said = [wording.withheld_reason(one, "en") for one in diagnosis.withheld.values()]
    return "; ".join(dict.fromkeys(said)) or "nothing found"


def _read(path: Path) -> Log:
    run = f"{path.parent.name}/{path.stem}"
    period = PERIODS.get(run, PERIODS.get(path.parent.name))
    return read_log(path, period=period)


def industrial(folder: Path) -> Iterator[str]:
    """Yield what is told of flow, level and pressure loops: swings only, no temperature verdicts."""
    truth = json.loads((folder / "stiction" / "truth.json").read_text(encoding="utf-8"))
    yield "\n# Industrial loops: what is found, and whether the valve is known to stick"
    for path in sorted(folder.glob(INDUSTRIAL[0])):
        named = [one.fault for one in diagnose(_read(path)).findings if one.fault != "data_gap"]
        sticks = "sticks" if truth[path.name]["stiction"] else "does not stick"
        yield f"{path.name}: {', '.join(named) or 'no sustained swing'} (known: {sticks})"


if __name__ == "__main__":
    sys.exit(main())

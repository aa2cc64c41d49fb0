"""Reading speed, side by side: python -m bench.parse [--megabytes 200] [--repeats 3]

Each reader turns the same debug text (one line in five a PID line of four channels) into line number, time,
channel, setpoint, pv and output of every sample. Each runs in a process of its own: the best of the repeats,
and the peak of its resident memory. Polars, DuckDB and lnav are taken if they are installed; `wc -l` is the
floor.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

RESULT = Path(__file__).parent / "results" / "parse.json"
OTHERS = (
    "[debug] [Fan] rpm={0} duty=72",
    "[debug] [Motor] axis X move to {0} um",
    "[info] [Net] client 10.1.1.{0} connected, session of the service application reopened",
    "[debug] [Camera] exposure={0} ms temp=32.7C, frame kept in the ring buffer of the inspection task",
    "[warning] [Net] slow client 10.1.1.{0}, queue 7 of 128, the oldest answer waits for its acknowledge",
    "[info] [Storage] free {0} GB",
)
PATTERN = (
    r"^\[([^\]]+)\]\[\w+\] \[TempCtrl\] id=(\d+) sp=(-?[\d.]+) pv=(-?[\d.]+) out=(-?[\d.]+) "
    r"p=-?[\d.]+ i=-?[\d.]+ d=-?[\d.]+$"
)
OURS_IMPORT = "from instrumentgpt.instruments.logs import read_log"
OURS = """
log = read_log(path)
rows = len(log.samples)
"""
POLARS = """
lines = pl.scan_csv(
    path, has_header=False, separator="\\x01", quote_char=None, new_columns=["l"], row_index_name="line"
)
pid = lines.filter(pl.col("l").str.contains("[TempCtrl] id=", literal=True))
parts = pid.with_columns(pl.col("l").str.extract_groups(pattern).alias("g")).unnest("g").drop("l")
frame = parts.with_columns(
    pl.col("1").str.to_datetime("%Y-%m-%d %H:%M:%S%.3f"), pl.col("2").cast(pl.Int64),
    pl.col("3", "4", "5").cast(pl.Float64),
).collect(engine="streaming")
rows = len(frame)
"""
DUCKDB = """
duckdb.sql("set threads=2; set enable_progress_bar=false")
columns = "['t', 'c', 's', 'p', 'o']"
frame = duckdb.sql(f'''
  with raw as (select l, row_number() over () as line from read_csv('{path}', columns={{'l': 'varchar'}},
    delim='\\x01', quote='', escape='', header=false, auto_detect=false)),
  parts as (
    select line, regexp_extract(l, '{pattern}', {columns}) as g from raw where contains(l, '[TempCtrl] id='))
  select line, g.t::timestamp as time, g.c::int as channel, g.s::double, g.p::double, g.o::double from parts
''').fetchnumpy()
rows = len(frame["line"])
"""
MEASURE = """
import resource, sys, time
path, pattern = sys.argv[1], sys.argv[2]
{}
started = time.perf_counter()
{}
seconds, used = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF)
print(seconds, used.ru_maxrss / 1024, rows, used.ru_utime + used.ru_stime)
"""


def write_log(path: Path, megabytes: float) -> tuple[int, int]:
    """Write debug text of this size to `path`; return its lines and its PID lines. Always the same bytes."""
    source, moment = random.Random(1), datetime(2026, 3, 4, 17, 50, 13)
    size = lines = samples = 0
    with path.open("w", encoding="utf-8") as file:
        while size < megabytes * 1e6:
            moment += timedelta(milliseconds=source.randint(5, 20))
            if lines % 5 == 0:
                pv = 55 + source.gauss(0, 0.02)
                number = samples % 4 + 1
                text = f"[debug] [TempCtrl] id={number} sp=55.00 pv={pv:.3f} out=41.6 p=-0.02 i=8.62 d=-0.00"
                samples += 1
            else:
                text = source.choice(OTHERS).format(source.randint(0, 9999))
            size += file.write(f"[{moment.isoformat(' ', 'milliseconds')}]{text}\n")
            lines += 1
    return lines, samples


def measured(code: tuple[str, str], path: Path, repeats: int) -> dict[str, float] | None:
    """Return seconds and CPU seconds with start-up (best), peak MiB and rows; None if `code` cannot run."""
    runs = []
    for _ in range(repeats):
        command = [sys.executable, "-c", MEASURE.format(*code), str(path), PATTERN]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode:
            print(ended.stderr.strip().splitlines()[-1])
            return None
        runs.append([float(number) for number in ended.stdout.split()])
    seconds, _, rows, _ = min(runs)
    return {
        "seconds": round(seconds, 3),
        "cpu_seconds": round(min(run[3] for run in runs), 3),
        "peak_mib": round(max(run[1] for run in runs)),
        "rows": int(rows),
    }


def measured_command(command: list[str], repeats: int) -> dict[str, float]:
    """Return the seconds (best) of an outside `command`."""
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        seconds.append(time.perf_counter() - started)
    return {"seconds": round(min(seconds), 3)}


def lnav_command(path: Path, folder: Path) -> list[str]:
    """Return the command by which lnav, with a format for these lines, writes them as CSV."""
    layout = {
        "bench_log": {
            "title": "bench",
            "regex": {
                "pid": {
                    "pattern": r"^\[(?<timestamp>[^\]]+)\]\[(?<level>\w+)\] \[TempCtrl\] id=(?<ch>\d+) "
                    r"sp=(?<sp>[-\d.]+) pv=(?<pv>[-\d.]+) out=(?<out>[-\d.]+) (?<body>.*)$"
                },
                "other": {"pattern": r"^\[(?<timestamp>[^\]]+)\]\[(?<level>\w+)\] (?<body>.*)$"},
            },
            "value": {name: {"kind": "float"} for name in ("ch", "sp", "pv", "out")},
            "sample": [{"line": "[2026-03-04 17:50:13.786][info] [Net] client 10.1.1.32 connected"}],
        }
    }
    (folder / "formats" / "bench").mkdir(parents=True)
    (folder / "formats" / "bench" / "bench.json").write_text(json.dumps(layout), encoding="utf-8")
    query = ";SELECT log_line, log_time, ch, sp, pv, out FROM bench_log WHERE pv IS NOT NULL"
    return [
        "lnav",
        "-I",
        str(folder),
        "-n",
        "-c",
        query,
        "-c",
        f":write-csv-to {folder / 'out.csv'}",
        str(path),
    ]


def main() -> None:
    """Measure all readers on the same file and print and keep the figures."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--megabytes", type=float, default=200)
    arguments.add_argument("--repeats", type=int, default=3)
    given = arguments.parse_args()
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "run.log"
        lines, samples = write_log(path, given.megabytes)
        readers = {
            "InstrumentGPT": (OURS_IMPORT, OURS),
            "Polars": ("import polars as pl", POLARS),
            "DuckDB": ("import duckdb", DUCKDB),
        }
        found["wc -l"] = measured_command(["wc", "-l", str(path)], given.repeats)
        for reader, code in readers.items():
            result = measured(code, path, given.repeats)
            if result:
                found[reader] = result
        if shutil.which("lnav"):
            found["lnav"] = measured_command(lnav_command(path, folder), 1)
        size = path.stat().st_size / 1e6
    print(f"{size:.0f} MB, {lines} lines, {samples} samples")
    for reader, figures in found.items():
        figures["mb_per_second"] = round(size / figures["seconds"])
        print(f"{reader:14}", *(f"{name} {value:g}" for name, value in figures.items()))
    RESULT.parent.mkdir(exist_ok=True)
    command = f"python -m bench.parse --megabytes {given.megabytes:g} --repeats {given.repeats}"
    kept = {
        "command": command,
        "megabytes": round(size),
        "lines": lines,
        "samples": samples,
        "readers": found,
    }
    RESULT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

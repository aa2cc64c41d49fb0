"""Reading speed, side by side: python -m bench.parse [--megabytes 50] [--repeats 3] [--seed N]

Every shipped format and three line shapes made up at random (the seed is printed and kept) are read by each
reader into line number, time, channel, setpoint, pv and output of every sample. A peer is written as its good
user would write it, each way that gives the right rows: by a regular expression behind a filter for a literal
(Polars, DuckDB, pandas), and by cutting lines at blanks as if they were CSV (Polars). Each runs in a process
of its own, all in turn: the best of the repeats, without start-up, and the peak of its memory. "warm" is
InstrumentGPT with the parsed frame kept from an earlier reading. `wc -l` is the floor.
"""

import argparse
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.parse_cases import SHIPPED, Case, made_up_cases, token_of

RESULT = Path(__file__).parent / "results" / "parse.json"
OURS = ("from instrumentgpt.instruments.logs import read_log", "rows = len(read_log({path!r}).samples)")
WARM = (
    OURS[0],
    "rows = len(read_log({path!r}, cache=__import__('pathlib').Path({path!r} + '-cache')).samples)",
)
POLARS_LINES = """
lines = pl.scan_csv({path!r}, has_header=False, separator="\\x01", quote_char=None, new_columns=["l"],
    row_index_name="line").filter(pl.col("l").str.contains({literal!r}, literal=True))
parts = lines.with_columns(pl.col("l").str.extract_groups({expression!r}).alias("g")).unnest("g").drop("l")
"""
POLARS_WORDS = """
schema = {{f"w{{at}}": pl.String for at in range({words})}}
lines = pl.scan_csv({path!r}, has_header=False, separator=" ", quote_char=None, schema=schema,
    row_index_name="line", truncate_ragged_lines=True)
parts = lines.filter({filtered}).select("line", {selected})
"""
POLARS_ROWS = """
frame = pl.concat([parts.select("line", {stamp}, {columns}) for groups in {samples}
    ]).collect(engine="streaming")
rows = len(frame)
"""
POLARS_COLUMNS = (
    '*[pl.col(str(group)).cast(pl.Int64 if role == "channel" else pl.Float64).alias(role)'
    " for role, group in groups.items()]"
)
DUCKDB = """
duckdb.sql("set threads=2; set enable_progress_bar=false")
frames = []
columns = [str(group) for group in range(1, {groups} + 1)]
for groups in {samples}:
    kinds = {{role: "int" if role == "channel" else "double" for role in groups}}
    picked = ", ".join(f"g['{{group}}']::{{kinds[role]}} as {{role}}" for role, group in groups.items())
    frames.append(duckdb.sql(f'''
      with raw as (select l, row_number() over () as line from read_csv({path!r},
        columns={{{{'l': 'varchar'}}}}, delim='\\x01', quote='', escape='', header=false, auto_detect=false)),
      parts as (select line, regexp_extract(l, ?, {{columns}}) as g from raw where contains(l, ?))
      select line, {stamp} as time, {{picked}} from parts where g['1'] <> ''
    ''', params=[{expression!r}, {literal!r}]).fetchnumpy())
rows = sum(len(frame["line"]) for frame in frames)
"""
PANDAS = """
lines = pd.read_csv({path!r}, header=None, sep="\\x01", quoting=3, names=["l"], engine="c")["l"]
parts = lines[lines.str.contains({literal!r}, regex=False)].str.extract({expression!r})
stamps = {stamp}
frames = [pd.DataFrame({{"line": parts.index, "time": stamps,
    **{{role: parts[group - 1].astype(float) for role, group in groups.items()}}}}) for groups in {samples}]
rows = sum(map(len, frames))
"""
MEASURE = """
import resource, time
def used():
    return resource.getrusage(resource.RUSAGE_SELF)
def seconds():
    return used().ru_utime + used().ru_stime
{}
wall, cpu = time.perf_counter(), seconds()
{}
wall, cpu = time.perf_counter() - wall, seconds() - cpu
print(wall, cpu, used().ru_maxrss / 1024, rows, seconds())
"""


def readers(case: Case, path: Path, line: str) -> dict[str, tuple[str, str]]:
    """Return for each way to read the log at `path` its imports and its code; `line` has samples."""
    given = {
        "path": str(path),
        "literal": case.literal,
        "expression": case.expression,
        "samples": list(case.samples),
        "columns": POLARS_COLUMNS,
        "groups": max(group for groups in case.samples for group in groups.values()),
    }
    seconds = not case.stamp
    time = 'pl.col("1").cast(pl.Float64)' if seconds else f'pl.col("1").str.to_datetime({case.stamp!r})'
    polars = {**given, "stamp": time}
    duckdb_stamp = case.stamp.replace("%.f", ".%f").replace("%3f", "%g").replace("%6f", "%f")
    plain = case.stamp in ("%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S%.f")
    strptime = "g['1']::timestamp" if plain else f"strptime(g['1'], '{duckdb_stamp}')"
    duckdb = {**given, "stamp": "g['1']::double" if seconds else strptime}
    pandas_stamp = case.stamp.replace("%.f", ".%f").replace("%3f", "%f").replace("%6f", "%f")
    pandas = {
        **given,
        "stamp": "parts[0].astype(float)"
        if seconds
        else f"pd.to_datetime(parts[0], format={pandas_stamp!r})",
    }
    found = {
        "InstrumentGPT": (OURS[0], OURS[1].format(**given)),
        "warm": (WARM[0], WARM[1].format(**given)),
        "Polars, expression": ("import polars as pl", (POLARS_LINES + POLARS_ROWS).format(**polars)),
        "DuckDB, expression": ("import duckdb", DUCKDB.format(**duckdb)),
        "pandas, expression": ("import pandas as pd", PANDAS.format(**pandas)),
    }
    words = _words(case, line)
    if words:
        found["Polars, words"] = (
            "import polars as pl",
            (POLARS_WORDS + POLARS_ROWS).format(**polars, **words),
        )
    return found


def _words(case: Case, line: str) -> dict[str, object] | None:
    """Return how to pick the groups from the words of `line`; None where words are not enough."""
    groups = sorted({group for groups in case.samples for group in groups.values()})
    stamp_words = 1 if " " not in case.stamp else 2
    tokens = {group: token_of(case, line, group) for group in groups}
    begin = line.index(re_match(case, line)[1])
    if None in tokens.values() or " " in line[:begin].strip():
        return None

    def stripped(at: int, before: str, after: str) -> str:
        column = f'pl.col("w{at}")'
        column += f".str.strip_prefix({before!r})" if before else ""
        return column + (f".str.strip_suffix({after!r})" if after else "")

    first = line.count(" ", 0, begin)
    end = begin + len(re_match(case, line)[1])
    after = line[end : (line + " ").index(" ", end)]
    if stamp_words == 2:
        date, clock = (
            stripped(first, line[:begin], ""),
            f'pl.col("w{first + 1}").str.head({len(re_match(case, line)[1]) - 11})',
        )
        stamp = f'pl.concat_str({date}, {clock}, separator=" ").alias("1")'
    else:
        stamp = stripped(first, line[:begin].split(" ")[-1], after) + '.alias("1")'
    picked = [f'{stripped(*token)}.alias("{group}")' for group, token in tokens.items() if token]
    last = next(token for token in tokens.values() if token)
    filtered = f'pl.col("w{last[0]}").str.starts_with({last[1]!r})' if last[1] else "pl.lit(True)"
    return {"words": line.count(" ") + 1, "selected": ", ".join([stamp, *picked]), "filtered": filtered}


def re_match(case: Case, line: str) -> "re.Match[str]":
    """Return the match of the case's expression, which `line` must have."""
    match = re.match(case.expression, line)
    assert match, line
    return match


def measured(code: tuple[str, str]) -> dict[str, float] | None:
    """Return seconds, CPU seconds, peaks in MiB, rows, CPU seconds with start-up; None if it cannot run."""
    command = [sys.executable, "-c", MEASURE.format(*code)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        print("   ", ended.stderr.strip().splitlines()[-1][:200])
        return None
    names = ("wall", "cpu", "peak_mib", "rows", "cpu_with_start")
    return dict(zip(names, map(float, ended.stdout.split()), strict=True))


def measure(case: Case, folder: Path, megabytes: float, repeats: int, seed: int) -> dict[str, object]:
    """Return the figures of all readers on one log."""
    path = folder / f"{case.name}.log"
    lines, begin = case.write(path, megabytes, seed)
    line = next(line for line in begin if re.match(case.expression, line))
    codes = readers(case, path, line)
    runs: dict[str, list[dict[str, float]]] = {}
    for _ in range(repeats):
        for reader, code in list(codes.items()):
            run = measured(code)
            if run is None:
                codes.pop(reader)
            else:
                runs.setdefault(reader, []).append(run)
    started = time.perf_counter()
    subprocess.run(["wc", "-l", str(path)], capture_output=True, check=True)
    floor = time.perf_counter() - started
    rows = runs["InstrumentGPT"][0]["rows"]
    found: dict[str, dict[str, float]] = {}
    for reader, own in runs.items():
        if own[0]["rows"] != rows:
            print(f"    {reader}: {own[0]['rows']:.0f} rows, not {rows:.0f}; left out")
            continue
        if reader == "warm":
            own = own[1:] or own  # the first filled the cache
        best = {name: min(run[name] for run in own) for name in ("wall", "cpu", "cpu_with_start")}
        found[reader] = {
            **{name: round(value, 3) for name, value in best.items()},
            "peak_mib": round(max(run["peak_mib"] for run in own)),
        }
    peers = [reader for reader in found if "," in reader]
    assert peers, f"{case.name}: no peer reads these rows"
    path.unlink()
    return {
        "line": line,
        "megabytes": round(megabytes),
        "lines": lines,
        "rows": int(rows),
        "wc_wall": round(floor, 3),
        "readers": found,
        "times_faster": {
            kind: round(min(found[peer][kind] for peer in peers) / found["InstrumentGPT"][kind], 2)
            for kind in ("wall", "cpu", "cpu_with_start")
        },
    }


def told(name: str, result: dict[str, object]) -> str:
    """Return the figures of one log as text."""
    lines = [
        f"{name}: {result['megabytes']} MB, {result['lines']} lines, {result['rows']} samples",
        f"  {result['line']}",
    ]
    for reader, figures in result["readers"].items():  # type: ignore[attr-defined]
        lines.append(f"  {reader:20}" + " ".join(f"{kind} {value:g}" for kind, value in figures.items()))
    return "\n".join([*lines, f"  times faster than the best peer: {result['times_faster']}"])


def main() -> None:
    """Measure all readers on all logs, print and keep the figures."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--megabytes", type=float, default=50)
    arguments.add_argument("--repeats", type=int, default=3)
    arguments.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    arguments.add_argument("--made-up", type=int, default=3)
    arguments.add_argument("--only", default="")
    given = arguments.parse_args()
    print(f"seed {given.seed}")
    results: dict[str, dict[str, object]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for case in [*SHIPPED, *made_up_cases(given.seed, given.made_up)]:
            if given.only in case.name:
                results[case.name] = measure(case, Path(folder), given.megabytes, given.repeats, given.seed)
                print(told(case.name, results[case.name]), flush=True)
    summary = {
        kind: {"least": min(ratios), "median": statistics.median(ratios)}
        for kind in ("wall", "cpu", "cpu_with_start")
        if (ratios := [result["times_faster"][kind] for result in results.values()])  # type: ignore[index]
    }
    print(f"times faster than the best peer: {summary}")
    if not given.only:
        RESULT.parent.mkdir(exist_ok=True)
        size = f"--megabytes {given.megabytes:g} --repeats {given.repeats}"
        command = f"python -m bench.parse {size} --seed {given.seed} --made-up {given.made_up}"
        kept = {"command": command, "times_faster": summary, "logs": results}
        RESULT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

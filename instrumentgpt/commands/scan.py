"""`scan`: judge what is new in the folders of all devices, and say how each stands."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from instrumentgpt.commands.export import UnwritableFile
from instrumentgpt.commands.stored import opened, saved_inventory
from instrumentgpt.fleet.cases import title_of
from instrumentgpt.fleet.scan import scan
from instrumentgpt.fleet.standing import Row, rows_of
from instrumentgpt.instruments.language import Language
from instrumentgpt.settings import database_path, home
from instrumentgpt.storage.verdicts import all_verdicts


def run(arguments: argparse.Namespace) -> int:
    """Print a line a device, worst first; return 1 if something could not be judged, else 0."""
    inventory, language = saved_inventory(), arguments.language
    devices = [inventory.find(name) for name in arguments.device] or list(inventory.devices)
    result = scan(
        database_path(),
        devices,
        home() / "cache",
        arguments.jobs,
        arguments.newest,
        _tell,
        arguments.scheduler,
    )
    with opened() as database:
        rows = rows_of(database, devices)
        if arguments.export:
            _export(arguments.export, [asdict(verdict) for verdict in all_verdicts(database)])
    for row in rows:
        print(json.dumps(asdict(row), ensure_ascii=False) if arguments.json else _line(row, language))
    print(f"{len(result.judged)} logs judged, {result.unchanged} unchanged", file=sys.stderr)
    for case in result.reopened:
        print(f"case {case.id} is reopened: {case.device}: {title_of(case, language)}", file=sys.stderr)
    for name, problem in result.problems.items():
        print(f"{name}: {problem}", file=sys.stderr)
    return int(bool(result.problems))


def _tell(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {total} logs", end="\n" if done == total else "", file=sys.stderr, flush=True)


def _line(row: Row, language: Language) -> str:
    text = row.text_zh if language == "zh" else row.text_en
    return f"{row.word(language):10}  {row.label}  {row.log}  {text}"


def _export(path: Path, rows: list[dict[str, object]]) -> None:
    import pandas as pd

    frame = pd.DataFrame(rows)
    try:
        frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(path, index=False)
    except OSError as problem:
        raise UnwritableFile(f"{path}: {problem.strerror}. Give another file to --export") from problem

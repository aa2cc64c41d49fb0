"""`devices`, `scan`, `watch`: the instruments, how each stands, people told of what came or went."""

import argparse
import json
import sys
import time
from dataclasses import asdict
from typing import Any

from instrumentgpt.commands.shared import opened, saved_inventory, saved_settings, writing
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.fleet.cases import title_of
from instrumentgpt.fleet.standing import compare_with_alerts, tell
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.instruments.fetch import list_logs
from instrumentgpt.settings import database_path, home
from instrumentgpt.storage.verdicts import all_verdicts


def run_devices(arguments: argparse.Namespace) -> int:
    """Print the devices; return 1 if the logs of one could not be listed, else 0."""
    inventory = saved_inventory()
    rows = [_device_row(device) for device in inventory.devices]
    width = max((len(row["label"]) for row in rows), default=0)
    for row in rows:
        if arguments.json:
            print(json.dumps(row, ensure_ascii=False))
        else:
            print(f"{row['label']:{width}}  {row['newest'] or row['error'] or 'no log'}  {row['logs']}")
    return 1 if any(row["error"] for row in rows) else 0


def _device_row(device: Any) -> dict[str, Any]:
    row = {"name": device.name, "ip": device.ip, "label": device.label, "logs": device.logs}
    try:
        logs = list_logs(device)
        return {**row, "count": len(logs), "newest": logs[0].name if logs else "", "error": ""}
    except InstrumentGPTError as problem:
        return {**row, "count": 0, "newest": "", "error": str(problem)}


def run_scan(arguments: argparse.Namespace) -> int:
    """Print a line a device, worst first; return 1 if something could not be judged, else 0."""
    import pandas as pd

    from instrumentgpt.fleet.scan import scan  # the checks: `devices` does without
    from instrumentgpt.fleet.standing import rows_of

    inventory, language = saved_inventory(), arguments.language
    devices = [inventory.find(name) for name in arguments.device] or list(inventory.devices)
    options = arguments.jobs, arguments.newest, _tell_progress, arguments.scheduler
    result = scan(database_path(), devices, home() / "cache", *options)
    with opened() as database:
        rows = rows_of(database, devices)
        if arguments.export:
            frame, path = pd.DataFrame(map(asdict, all_verdicts(database))), arguments.export
            with writing(path, "file to --export"):
                frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(
                    path, index=False
                )
    for row in rows:
        text = row.text_zh if language == "zh" else row.text_en
        words = f"{row.word(language):10}  {row.label}  {row.log}  {text}"
        print(json.dumps(asdict(row), ensure_ascii=False) if arguments.json else words)
    print(f"{len(result.judged)} logs judged, {result.unchanged} unchanged", file=sys.stderr)
    for case in result.reopened:
        print(f"case {case.id} is reopened: {case.device}: {title_of(case, language)}", file=sys.stderr)
    for name, problem in result.problems.items():
        print(f"{name}: {problem}", file=sys.stderr)
    return int(bool(result.problems))


def _tell_progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {total} logs", end="\n" if done == total else "", file=sys.stderr, flush=True)


def run_watch(arguments: argparse.Namespace) -> int:
    """Look every so many minutes until it is ended, or once; return 1 if the one look failed, else 0."""
    while True:
        try:
            _look(arguments.jobs, arguments.scheduler)
        except InstrumentGPTError as problem:
            print(f"error: {problem}", file=sys.stderr, flush=True)
            if arguments.once:
                return 1
        if arguments.once:
            return 0
        time.sleep(60 * arguments.every)


def _look(jobs: int, scheduler: str) -> None:
    from instrumentgpt.fleet.scan import scan

    settings = saved_settings()
    devices = load_inventory(settings.inventory).devices
    result = scan(database_path(), devices, home() / "cache", jobs, scheduler=scheduler)
    for name, problem in result.problems.items():
        print(f"{name}: {problem}", file=sys.stderr)
    for case in result.reopened:
        print(f"reopened: case {case.id}: {case.device}: {title_of(case, 'en')}", flush=True)
    with opened() as database:
        new, gone = compare_with_alerts(database, devices, time.time())
        for word, alerts in (("new", new), ("gone", gone)):
            for alert in alerts:
                print(f"{word}: {alert.device}: {alert.text}", flush=True)
        tell(database, new, gone, settings.alerts.split())

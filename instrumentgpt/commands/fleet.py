"""`devices`, `scan`, `watch`: the instruments, how each stands, people told of what came or went."""

import argparse
import json
import sys
import time
from dataclasses import asdict
from typing import Any

from instrumentgpt.commands.shared import WrongArguments, opened, saved_inventory, saved_settings, writing
from instrumentgpt.commands.stating import read_stated, stated_by
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.fleet.cases import title_of
from instrumentgpt.fleet.standing import compare_with_alerts, tell
from instrumentgpt.instruments.devices import Device, load_inventory
from instrumentgpt.instruments.fetch import fetch, list_logs
from instrumentgpt.instruments.reading.stated import Stated
from instrumentgpt.instruments.reading.textlogs import format_problems
from instrumentgpt.instruments.understood import account, questions, unread
from instrumentgpt.settings import database_path, home
from instrumentgpt.storage.verdicts import all_verdicts

FEW = 20  # devices, of whose newest logs each is read to be listed


def run_devices(arguments: argparse.Namespace) -> int:
    """Print the devices and how their newest logs are read; return 1 if one could not be had or read, else 0.

    Of those that are named all that was understood; of all of a small inventory what is missing.
    """
    inventory, stated = saved_inventory(), stated_by(arguments)
    if (stated or arguments.forget) and len(arguments.device) != 1:
        raise WrongArguments(
            "What a log does not say is told of one device. Name it: devices DEVICE --setpoint …"
        )
    devices = [inventory.find(name) for name in arguments.device] or list(inventory.devices)
    for problem in format_problems():
        print(f"note: {problem}", file=sys.stderr)
    width = max((len(device.label) for device in devices), default=0)
    failed = False
    for device in devices:
        row = _device_row(device)
        if row["newest"] and (arguments.device or len(devices) <= FEW):
            row |= _reading(device, stated, arguments)
        failed |= bool(row["error"])
        if arguments.json:
            print(json.dumps(row, ensure_ascii=False))
            continue
        print(f"{row['label']:{width}}  {row['newest'] or row['error'] or 'no log'}  {row['logs']}")
        lines = row.get("read", []) if arguments.device else row.get("missing", [])
        for line in [*lines, *[f"error: {row['error']}"] * bool(row["newest"] and row["error"])]:
            print(f"    {line}")
        sys.stdout.flush()
    return 1 if failed else 0


def _reading(device: Device, stated: Stated | None, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what the newest log of `device` was understood as, what it lacks, and why it cannot be read."""
    command = f'python -m instrumentgpt devices "{device.name}"'
    try:
        path = fetch(list_logs(device)[0], home() / "cache")
        log = read_stated(path, device.name, stated, arguments.forget, asks=False)
    except (InstrumentGPTError, OSError) as problem:
        return {"error": str(problem)}
    missing = [*unread(log, arguments.language), *questions(log, arguments.language, command)]
    return {"read": [*account(log, arguments.language, command)], "missing": missing}


def _device_row(device: Device) -> dict[str, Any]:
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
    options = arguments.jobs, arguments.newest, _tell_progress
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
            _look(arguments.jobs)
        except InstrumentGPTError as problem:
            print(f"error: {problem}", file=sys.stderr, flush=True)
            if arguments.once:
                return 1
        if arguments.once:
            return 0
        time.sleep(60 * arguments.every)


def _look(jobs: int) -> None:
    from instrumentgpt.fleet.scan import scan

    settings = saved_settings()
    devices = load_inventory(settings.inventory).devices
    result = scan(database_path(), devices, home() / "cache", jobs)
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

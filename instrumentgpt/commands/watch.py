"""`watch`: judge what is new again and again, and tell people of faults that came or went."""

import argparse
import sys
import time

from instrumentgpt.commands.stored import opened, saved_settings
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.fleet.cases import title_of
from instrumentgpt.fleet.scan import scan
from instrumentgpt.fleet.watch import compare_with_alerts, tell
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.settings import database_path, home


def run(arguments: argparse.Namespace) -> int:
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

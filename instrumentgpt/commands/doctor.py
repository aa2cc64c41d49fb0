"""`doctor`: what works on this machine, what is missing, and how to get it.

What each look needs is imported by it: a package may be missing.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib import metadata
from typing import Literal

from instrumentgpt.errors import InstrumentGPTError

OLDEST_PYTHON = (3, 11)
State = Literal["ok", "missing", "optional"]


@dataclass(frozen=True)
class Line:
    """One thing looked at. `optional`: absent, and what needs it is not broken by that."""

    state: State
    what: str
    found: str
    remedy: str = ""


def run_doctor(arguments: argparse.Namespace) -> int:
    """Print a line for everything looked at; return 1 if something needed is missing, else 0."""
    missing = False
    for look in LOOKS:
        for line in look():
            missing = missing or line.state == "missing"
            print(f"{line.state:8}  {line.what}: {line.found}", flush=True)
            if line.remedy:
                print(f"{'':8}  → {line.remedy}", flush=True)
    return 1 if missing else 0


def python() -> Iterator[Line]:
    """Is this Python new enough?"""
    enough = sys.version_info >= OLDEST_PYTHON
    remedy = "" if enough else f"Install Python {'.'.join(map(str, OLDEST_PYTHON))} or newer"
    yield Line("ok" if enough else "missing", "Python", sys.version.split()[0], remedy)


def packages() -> Iterator[Line]:
    """Is everything in requirements.txt installed?"""
    from instrumentgpt.settings import CHECKOUT

    lines = (CHECKOUT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    names = [match.group() for line in lines if (match := re.match(r"[A-Za-z0-9][\w.\-]*", line))]
    absent = [name for name in names if not _installed(name)]
    if absent:
        yield Line("missing", "packages", f"without {', '.join(absent)}", "pip install -r requirements.txt")
    else:
        yield Line("ok", "packages", f"all {len(names)} of requirements.txt")


def _installed(name: str) -> bool:
    try:
        return bool(metadata.version(name))
    except metadata.PackageNotFoundError:
        return False


def database() -> Iterator[Line]:
    """Can the database be opened, or made?"""
    import db
    from instrumentgpt.storage.paths import database_path

    path = database_path()
    try:
        with closing(db.connect(path)) as connection:
            count = len(db.list_conversations(connection))
    except InstrumentGPTError as problem:
        yield Line("missing", "database", str(path), str(problem))
        return
    yield Line("ok", "database", f"{path}, {count} conversations")


def devices() -> Iterator[Line]:
    """Is there an inventory, and can the folder of each device be listed?"""
    from instrumentgpt.commands.shared import saved_settings
    from instrumentgpt.instruments.devices import load_inventory
    from instrumentgpt.instruments.fetch import list_logs
    from instrumentgpt.turn.request import missing_source

    try:
        inventory = load_inventory(saved_settings().inventory)
    except InstrumentGPTError as problem:
        yield Line("missing", "inventory", "cannot be used", str(problem))
        return
    yield Line("ok", "inventory", f"{inventory.path}, {len(inventory.devices)} devices")
    for device in inventory.devices:
        if missing_source(device):
            remedy = "Clone the repository there, or correct `source` in the inventory"
            yield Line("optional", f"{device.label}, source", f"{device.source} is not there", remedy)
        try:
            logs = list_logs(device)
        except InstrumentGPTError as problem:
            yield Line("missing", device.label, "its logs cannot be listed", str(problem))
            continue
        remedy = "" if logs else f"Nothing is in {device.logs}: is it the right folder?"
        yield Line("ok" if logs else "optional", device.label, f"{len(logs)} logs", remedy)


def agents() -> Iterator[Line]:
    """Which agents are there to answer?"""
    from instrumentgpt.agents.registry import AGENTS
    from instrumentgpt.agents.sandbox import confines, what_holds
    from instrumentgpt.commands.shared import saved_settings

    settings = saved_settings()
    for agent in AGENTS.values():
        path = agent.find(settings.agent_path)
        if path:
            yield Line("ok", agent.label, path)
            if agent.state:
                confinement = what_holds(agent.label, agent.caveat, settings)
                yield Line("ok" if confines(settings) else "optional", f"{agent.label}, sandbox", confinement)
            yield from _account(agent.name, agent.label, path)
        else:
            yield Line("optional", agent.label, "not found; the offline analyst answers", agent.install)


def _account(name: str, label: str, path: str) -> Iterator[Line]:
    """Is the agent logged in, if it can tell?"""
    from instrumentgpt.agents.login import COMMANDS, status_of
    from instrumentgpt.agents.registry import AGENTS, environment_for

    commands = COMMANDS.get(name)
    status = status_of(path, commands, environment_for(AGENTS[name])) if commands else None
    if commands is None or status is None or status.logged_in is None:
        return
    on_page = ", or connect it in Settings" if commands.on_page else ""
    remedy = "" if status.logged_in else f"Run `{' '.join((path, *commands.login))}`{on_page}"
    yield Line("ok" if status.logged_in else "optional", f"{label}, account", status.text, remedy)


def browser() -> Iterator[Line]:
    """Is there a Chromium that prints PDFs, and runs the browser tests?"""
    from instrumentgpt.handover.pdf import printer

    path = printer()
    remedy = "" if path else "PDFs and `make test` need it: apt-get install chromium fonts-noto-cjk"
    yield Line("ok" if path else "optional", "Chromium for PDFs", path or "not found", remedy)


LOOKS: tuple[Callable[[], Iterator[Line]], ...] = (python, packages, database, devices, agents, browser)

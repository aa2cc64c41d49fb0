"""Every path of every test lies in its own temporary folder."""

import gc
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from exchanges import OVENS, share_judged
from hypothesis import HealthCheck, settings
from sqlite_utils import Database
from waiting import wait_for_forks

import db
from instrumentgpt.settings import database_path, home

TESTS = Path(__file__).parent
SHARED = Path(__file__).parents[2] / "shared"

settings.register_profile(  # its bounds are of wall-clock time: 0.2 s of an example, 1 s of finding some
    "no clock",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,  # chance finds at a desk, not in the build of another change
)
settings.load_profile("no clock")
gc.disable()  # until all is collected


def pytest_collection_finish():
    """Take what was imported and collected out of garbage collection, which finds nothing in it."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def judged(tmp_path_factory) -> Path:
    """A folder of what is known of logs by their content, for all tests of all workers of this run."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "judged"


@pytest.fixture(autouse=True)
def _home_in_tmp(tmp_path, monkeypatch, judged):
    for name in [name for name in os.environ if name.startswith("INSTRUMENTGPT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("INSTRUMENTGPT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("INSTRUMENTGPT_WARM", "off")
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("TESTS_JUDGED", str(judged))
    monkeypatch.setenv("INSTRUMENTGPT_SANDBOX", "off")  # agents of tests lie, look and write anywhere


@pytest.fixture(scope="session")
def warm_server(tmp_path_factory) -> Iterator[str]:
    """The home of a server that forks our programs for all tests of a worker: none waits for imports."""
    folder = str(tmp_path_factory.mktemp("warm"))
    command = [sys.executable, "-m", "instrumentgpt.warm_server"]
    environment = {**os.environ, "INSTRUMENTGPT_HOME": folder, "INSTRUMENTGPT_WARM": folder}
    with subprocess.Popen(command, stdin=subprocess.PIPE, cwd=TESTS.parent, env=environment) as process:
        wait_for_forks(Path(folder))  # else a busy machine starts all programs cold, and is busier still
        yield folder
        process.stdin.close()


@pytest.fixture
def forked(warm_server, monkeypatch):
    """Let the programs of the test be forked by that server, as those of a page are by the page's."""
    monkeypatch.setenv("INSTRUMENTGPT_WARM", warm_server)


@pytest.fixture
def judged_before():
    """Let what a test of this run has parsed and judged be known in the home of the test."""
    share_judged(home() / "cache")


@pytest.fixture(scope="session")
def migrated(tmp_path_factory) -> Path:
    """A database of the newest schema with nothing in it, made once for all tests of a worker."""
    path = tmp_path_factory.mktemp("migrated") / "instrumentgpt.db"
    db.connect(path).close()
    return path


@pytest.fixture
def database(migrated, forked) -> Iterator[Database]:
    """The application's database, in the home of the test."""
    database_path().parent.mkdir(parents=True, exist_ok=True)
    if not database_path().exists():  # another fixture may have begun it
        shutil.copy(migrated, database_path())
    with closing(db.connect(database_path())) as opened:
        yield opened


@pytest.fixture
def conversation(database) -> str:
    """The id of a conversation in which nothing has been said."""
    return db.create_conversation(database)


@pytest.fixture
def inventory(tmp_path, monkeypatch) -> Callable[[str], None]:
    """A function that makes this text the inventory of devices."""

    def write(text: str) -> None:
        path = tmp_path / "devices.toml"
        path.write_text(text, encoding="utf-8")
        monkeypatch.setenv("INSTRUMENTGPT_INVENTORY", str(path))

    return write


@pytest.fixture
def ovens(inventory) -> None:
    """An inventory of two devices, oven 7 and oven 8."""
    inventory(OVENS)


@pytest.fixture
def cli_agent(tmp_path, monkeypatch) -> Callable[..., None]:
    """A function that makes a script of this folder, called with these words, the program of the agent."""

    def install(script: str, *words: str) -> None:
        program = tmp_path / "agent"
        started = shlex.join([sys.executable, str(TESTS / script), *words])
        program.write_text(f'#!/bin/sh\nexec {started} "$@"\n')
        program.chmod(0o755)
        monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))

    return install


@pytest.fixture
def shared_logs() -> Path:
    """The labelled and real logs that lie beside the checkout; the test is skipped without them."""
    if not (SHARED / "logs").is_dir():
        pytest.skip(f"needs the reference logs in {SHARED / 'logs'}, which are not part of this repository")
    return SHARED / "logs"


@pytest.fixture
def scripted(tmp_path, monkeypatch):
    """A function that makes its arguments (scripted_agent.py) the answers of the scripted agent."""

    def script(*answers: dict[str, Any]) -> Path:
        told, program = tmp_path / "script.json", tmp_path / "scripted"
        told.write_text(json.dumps({"answer": answers}), encoding="utf-8")
        words = [sys.executable, str(TESTS / "scripted_agent.py"), str(told)]
        program.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        program.chmod(0o755)
        monkeypatch.setenv("INSTRUMENTGPT_SCRIPT", str(program))
        return program

    return script

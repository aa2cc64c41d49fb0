"""A real Streamlit server per test, in a home of its own, driven by the system's Chromium."""

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
START_SECONDS = 60


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, object]:
    if not CHROMIUM:
        pytest.skip("NOT TESTED: no chromium on this machine. Install it: apt-get install chromium")
    return {"executable_path": CHROMIUM, "args": FLAGS.split()}


@pytest.fixture(scope="session")
def browser_context_args() -> dict[str, object]:
    return {"viewport": {"width": 1440, "height": 900}, "locale": "en-GB"}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@dataclass
class Server:
    """`streamlit run app.py` on loopback; `kill` and `start` again keep port and home."""

    home: Path
    settings: dict[str, str]
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(self.port)]
        environment = {**os.environ, "INSTRUMENTGPT_HOME": str(self.home), **self.settings}
        with (self.home.parent / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with (
                suppress(urllib.error.URLError, ConnectionError),
                urllib.request.urlopen(f"{self.url}/_stcore/health"),
            ):
                return
            time.sleep(0.05)
        raise TimeoutError(
            f"no server after {START_SECONDS} s: {(self.home.parent / 'server.log').read_text()}"
        )

    def kill(self) -> None:
        """End the server as a power cut would; what it started lives on."""
        assert self.process is not None
        with suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait(10)


@pytest.fixture
def serve(tmp_path) -> Iterator[Callable[..., Server]]:
    """Return a function that starts a server with these settings in its environment."""
    servers: list[Server] = []

    def start(**settings: str) -> Server:
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        server = Server(home, {f"INSTRUMENTGPT_{name.upper()}": value for name, value in settings.items()})
        servers.append(server)
        server.start()
        return server

    yield start
    for server in servers:
        server.kill()


@pytest.fixture
def slow_agent(tmp_path) -> Callable[[int, float], dict[str, str]]:
    """Return a function giving the settings under which an agent says `words` words, one every `seconds`."""

    def write(words: int, seconds: float) -> dict[str, str]:
        script = tmp_path / "agent"
        program = f'"{sys.executable}" "{Path(__file__).with_name("slow_agent.py")}"'
        script.write_text(f'#!/bin/sh\nexec {program} {words} {seconds} "$@"\n', encoding="utf-8")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return {"agent": "cursor", "agent_path": str(script)}

    return write

"""What the browser tests share: a real Streamlit server, an agent that counts, and a page to type into."""

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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Page, expect

ROOT = Path(__file__).parents[2]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
START_SECONDS = 60
ANSWER_MS = 30_000


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
        ours = {name: value for name, value in os.environ.items() if not name.startswith("INSTRUMENTGPT_")}
        environment = {**ours, "INSTRUMENTGPT_HOME": str(self.home), **self.settings}
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


@contextmanager
def running(folder: Path, settings: dict[str, str]) -> Iterator[Server]:
    home = folder / "home"
    home.mkdir(exist_ok=True)
    server = Server(home, {f"INSTRUMENTGPT_{name.upper()}": value for name, value in settings.items()})
    server.start()
    try:
        yield server
    finally:
        server.kill()


def counting_agent(folder: Path, words: int, seconds: float) -> dict[str, str]:
    """Return the settings under which an agent says `words` words, one every `seconds`."""
    return scripted_agent(folder, "slow_agent.py", words, seconds)


def scripted_agent(folder: Path, script: str, *arguments: float) -> dict[str, str]:
    """Return the settings under which `script` of this folder answers as Cursor's agent would."""
    program = folder / "agent"
    started = f'"{sys.executable}" "{Path(__file__).with_name(script)}" {" ".join(map(str, arguments))}'
    program.write_text(f'#!/bin/sh\nexec {started} "$@"\n', encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return {"agent": "cursor", "agent_path": str(program)}


def ask(page: Page, question: str) -> None:
    """Type the question and send it, once its files are there: until then the page takes no Enter."""
    box = page.get_by_test_id("stChatInput").locator("textarea")
    box.fill(question)
    expect(page.get_by_test_id("stChatInputSubmitButton")).to_be_enabled()
    box.press("Enter")


def opened(page: Page, url: str) -> Page:
    """Return the page at `url` once it can be typed into."""
    page.goto(url)
    expect(page.get_by_test_id("stChatInput")).to_be_visible(timeout=START_SECONDS * 1000)
    return page

"""A log made ready beside the page: its lines first, then its samples and events, then what is wrong.

Each is shown as soon as it is there; the page never waits for the whole of a large log.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeVar, cast

import streamlit as st

from instrumentgpt.errors import InstrumentGPTError, reason
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.fetch import RemoteLog, fetch
from instrumentgpt.instruments.kept_verdicts import diagnosed
from instrumentgpt.instruments.lognames import reference_to
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.messages import Group, group_messages
from instrumentgpt.instruments.reading.line_index import LineIndex, line_index
from instrumentgpt.instruments.reading.sources import Source, open_source
from instrumentgpt.instruments.reading.stated import Stated
from instrumentgpt.instruments.readings import read_as
from instrumentgpt.settings import home

Result = TypeVar("Result")
DROPPED = ""  # stands for a device: the files that came with the conversation
MOST_LOGS = 4  # logs in memory, of all who look: two to compare, twice
QUICK = 1.5  # s that the page waits before it shows how far the reading is
WORKERS = 2
STEPS = ("Fetching", "Finding the lines", "Reading", "Judging", "Ready")


@dataclass(frozen=True)
class Choice:
    """One log: of `device`, or DROPPED; at its device as `remote`, or here already at `path`."""

    device: str
    name: str
    remote: RemoteLog | None = None
    path: Path | None = None
    size: int | None = None  # bytes
    when: datetime | None = None  # by its name, else when it was written

    @property
    def packed(self) -> bool:
        """Return whether its name says that no line can be added to it."""
        return (self.remote.name if self.remote else self.name).endswith((".gz", ".xlsx", ".parquet"))

    @property
    def reference(self) -> str:
        """Return its name as links carry it: "zspr 052/run.log"."""
        return reference_to(self.name, self.device)


@dataclass(eq=False)
class Preparation:
    """What is there of a log by now; written by the thread that prepares it, only read by the page."""

    step: int = 0  # of STEPS
    share: float = 0.0  # of that step
    path: Path | None = None
    index: LineIndex | None = None
    log: Log | None = None
    groups: list[Group] = field(default_factory=list)
    diagnosis: Diagnosis | None = None
    problem: str = ""
    future: Future[None] | None = None
    looked_up: dict[tuple[object, ...], object] = field(default_factory=dict)  # what was made of it
    lock: threading.RLock = field(default_factory=threading.RLock)
    live: bool = False  # whether more lines may come

    def once(self, key: tuple[object, ...], make: Callable[[], Result]) -> Result:
        """Return what `make` returns, made once: a large log takes a second to be drawn or put into words."""
        with self.lock:
            if key not in self.looked_up:
                self.looked_up[key] = make()
            return cast(Result, self.looked_up[key])

    def take(self, log: Log) -> None:
        """Take the log that was read, and judge it."""
        self.groups, self.log = group_messages(log.events), log
        self.share, self.step = 0.0, 3
        self.diagnosis = diagnosed(log)

    @property
    def done(self) -> bool:
        """Whether the preparation has ended, well or not."""
        return self.future is not None and self.future.done()


def prepared(choice: Choice, stated: Stated, cache: Path, unit: str) -> Preparation:
    """Return the preparation of a log, begun now if need be; a short one is done when this returns."""
    preparation = _begin(_version(choice), stated, str(cache), unit, choice)
    assert preparation.future is not None
    wait([preparation.future], QUICK)
    return preparation


def of_lines(source: Source, index: LineIndex, stated: Stated, unit: str) -> Preparation:
    """Return what the whole lines that are there by now say; nothing of it is kept for the next time."""
    preparation = Preparation(4, path=source.path, index=index, future=Future(), live=True)
    assert preparation.future is not None
    try:
        preparation.take(read_as(source, stated, unit=unit))
    except (InstrumentGPTError, OSError) as error:
        preparation.problem = reason(error)
    preparation.future.set_result(None)
    return preparation


def forget() -> None:
    """Prepare every log anew when it is looked at again."""
    _begin.clear()


def frames() -> Path:
    """Return the folder for parsed logs and indexes of lines, the same that the tools use."""
    return home() / "cache" / "frames"


def _version(choice: Choice) -> str:
    if choice.remote is not None:
        return f"{choice.remote.url} {choice.size} {choice.remote.modified}"
    if choice.path is None:
        return choice.reference
    stat = choice.path.stat()
    return f"{choice.path} {stat.st_size} {stat.st_mtime_ns}"


@st.cache_resource(max_entries=MOST_LOGS, show_spinner=False)
def _begin(version: str, stated: Stated, cache: str, unit: str, _choice: Choice) -> Preparation:
    preparation = Preparation()
    preparation.future = _workers().submit(_prepare, preparation, _choice, stated, Path(cache), unit)
    return preparation


@st.cache_resource(show_spinner=False)
def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(WORKERS, "logs")


def _prepare(preparation: Preparation, choice: Choice, stated: Stated, cache: Path, unit: str) -> None:
    """Fill the preparation; what goes wrong is told there, and what was there before stays."""

    def begin(step: int) -> None:
        preparation.share, preparation.step = 0.0, step

    def follow(share: float) -> None:
        preparation.share = share

    def follow_bytes(done: int, size: int) -> None:
        preparation.share = done / max(size, 1)

    try:
        path = choice.path or (fetch(choice.remote, cache, follow_bytes) if choice.remote else Path())
        preparation.path = path
        begin(1)
        preparation.index = line_index(open_source(path), frames(), follow)
        begin(2)
        preparation.take(read_as(path, stated, frames(), follow, unit))
    except (InstrumentGPTError, OSError) as error:
        preparation.problem = reason(error)
    begin(4)

"""A log made ready beside the page: its lines first, then its samples and events, then what is wrong.

Each is shown as soon as it is there; the page never waits for the whole of a large log.
A log that is followed is made ready anew by a thread that looks for new lines while the page ticks.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from threading import Thread
from typing import TypeVar, cast

import streamlit as st

from instrumentgpt.errors import InstrumentGPTError, reason
from instrumentgpt.instruments import wording
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.documents import Values, values_of
from instrumentgpt.instruments.fetch import RemoteLog, fetch
from instrumentgpt.instruments.following import Following
from instrumentgpt.instruments.kept_verdicts import diagnosed
from instrumentgpt.instruments.language import span_text
from instrumentgpt.instruments.lognames import reference_to
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.messages import Group, group_messages
from instrumentgpt.instruments.reading.line_index import LineIndex, line_index
from instrumentgpt.instruments.reading.sources import Source, open_source
from instrumentgpt.instruments.reading.stated import Stated
from instrumentgpt.instruments.readings import read_as
from instrumentgpt.instruments.remotes import FetchError
from instrumentgpt.settings import home
from instrumentgpt.ui import session, untrusted
from instrumentgpt.ui.language import language, say
from instrumentgpt.ui.logs import place

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
        return (self.remote.name if self.remote else self.name).endswith(
            (".gz", ".json", ".xlsx", ".parquet")
        )

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
    values: Values | None = None  # of a document, which has no readings
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
        preparation.values = values_of(path)
        begin(2)
        if preparation.values is None:
            preparation.take(read_as(path, stated, frames(), follow, unit))
    except (InstrumentGPTError, OSError) as error:
        preparation.problem = reason(error)
    begin(4)


LOOK_EVERY = 0.75  # s, and the page looks at the thread every
TICK = 0.5  # s: with what reading takes, the page is at most 2 s behind
SHARE = 5.0  # times what a look costs, in s of CPU, pass before the next: it takes a fifth of a core at most
WATCHED_FOR = 4.0  # s after the last tick
AT_END = 0.05  # of a window: so near to the log's end it was drawn to show the end
SLOW = 2.0  # s between two looks that are told
QUIET = 3.0  # s without a line that are told
MESSAGE_CHARACTERS = 600


class Live:
    """A log while it is followed: `preparation` is replaced whenever lines have come, None at first."""

    def __init__(self, following: Following, stated: Stated, unit: str) -> None:
        self.following, self.stated, self.unit = following, stated, unit
        self.preparation: Preparation | None = None
        self.grown = time.monotonic()
        self.problem = ""
        self.pause = LOOK_EVERY
        self.until = 0.0
        self.thread: Thread | None = None

    def watch(self) -> None:
        """Look for new lines, for some seconds from now on."""
        self.until = time.monotonic() + WATCHED_FOR
        if self.thread is None or not self.thread.is_alive():
            self.thread = Thread(target=self._look, name="follow", daemon=True)
            self.thread.start()

    def _look(self) -> None:
        with closing(self.following) as following:
            while time.monotonic() < self.until:
                began = time.thread_time()
                try:
                    if following.look() or self.preparation is None:
                        assert following.source is not None and following.index is not None
                        source, index = following.source, following.index
                        self.preparation = of_lines(source, index, self.stated, self.unit)
                        self.grown = time.monotonic()
                    self.problem = ""
                except FetchError as error:
                    self.problem = str(error)
                self.pause = max(LOOK_EVERY, SHARE * (time.thread_time() - began))
                time.sleep(self.pause)


@st.cache_resource(max_entries=MOST_LOGS, show_spinner=False)
def _live(url: str, stated: Stated, cache: str, unit: str, _choice: Choice) -> Live:
    assert _choice.remote is not None
    return Live(Following(_choice.remote, Path(cache), frames()), stated, unit)


def draw_switch(choice: Choice) -> None:
    """Draw what switches following on, for a log that can be added to."""
    if choice.remote is not None and not choice.packed:
        st.toggle(say("Follow"), key=_key(choice), on_change=_to_the_end, help=say("Show lines as they come"))


def followed(preparation: Preparation, choice: Choice, stated: Stated, cache: Path, unit: str) -> Preparation:
    """Return what is to be shown of the log: `preparation`, or what has come since if it is followed."""
    if not st.session_state.get(_key(choice)) or choice.remote is None or not preparation.done:
        return preparation
    live = _live(choice.remote.url, stated, str(cache), unit, choice)
    current = live.preparation or preparation
    _tick(live, current)
    return current


def _key(choice: Choice) -> str:
    return f"follow-{choice.reference}"


def _to_the_end() -> None:
    for key in (place.FOCUS, place.SELECTED):
        st.session_state.pop(key, None)


@st.fragment(run_every=TICK)
def _tick(live: Live, current: Preparation) -> None:
    """Keep the log followed, and say how that goes; draw the page anew when lines have come."""
    live.watch()
    newer = live.preparation
    if newer is not None and newer is not current:
        _slide(current, newer)
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="following"):
        _draw_status(live, current)
    if live.problem:
        st.warning(session.describe(live.problem, MESSAGE_CHARACTERS), icon=":material/cloud_off:")
    if live.following.before is not None:
        name = untrusted.label(live.following.before.name, 120)
        st.info(say("The log was begun anew. Its lines until then are kept as {name}.", name=name))


def _slide(current: Preparation, newer: Preparation) -> None:
    """Let a part of the log that was shown up to its end go on to the new end."""
    window = st.session_state.get(place.WINDOW)
    if window is None or current.log is None or newer.log is None:
        return
    end, width = place.last_moment(current.log), window[1] - window[0]
    if window[1] >= end - AT_END * width:
        end = place.last_moment(newer.log)
        st.session_state[place.WINDOW] = (end - width, end)


def _draw_status(live: Live, current: Preparation) -> None:
    quiet = time.monotonic() - live.grown
    if quiet < QUIET:
        st.badge(say("New lines"), icon=":material/sensors:", color="green")
    else:
        span = span_text(quiet, language())
        st.badge(say("No new lines for {span}", span=span), icon=":material/hourglass_empty:", color="gray")
    for finding in current.diagnosis.findings[:1] if current.diagnosis else ():
        title = untrusted.label(wording.title(finding.fault, language()))
        st.caption(say("Judged by now: {verdict}", verdict=title))
    if live.pause > SLOW:
        st.caption(say("A log as long is read again every {span}.", span=span_text(live.pause, language())))
    if not live.following.copy.has_ranges:
        st.caption(say("This server sends whole logs only: all of it is read each time."))

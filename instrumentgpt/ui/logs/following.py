"""A log that is followed: a thread looks for new lines while the page ticks, and ends when it does not."""

import time
from contextlib import closing
from pathlib import Path
from threading import Thread

import streamlit as st

from instrumentgpt.instruments import wording
from instrumentgpt.instruments.following import Following
from instrumentgpt.instruments.language import span_text
from instrumentgpt.instruments.reading.stated import Stated
from instrumentgpt.instruments.remotes import FetchError
from instrumentgpt.ui import session, untrusted
from instrumentgpt.ui.language import language, say
from instrumentgpt.ui.logs import place
from instrumentgpt.ui.logs.preparation import MOST_LOGS, Choice, Preparation, frames, of_lines

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

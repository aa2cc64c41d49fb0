"""Where the page is: device, log, lines and time, in the session, the address and links; moments of a log."""

import math
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import quote, urlencode

import numpy as np
import pandas as pd
import streamlit as st

from instrumentgpt.instruments.charts.frame import Clock, clock_of
from instrumentgpt.instruments.logs import Log
from instrumentgpt.ui import untrusted

Window = tuple[float, float]  # s since the log's first line


def axis_of(log: Log) -> Clock:
    """Return the axis of time that every chart of `log` has."""
    return clock_of(log)


def last_moment(log: Log) -> float:
    """Return the time of the last sample or event, s; 0 for a log without either."""
    ends = [float(frame["time"].max()) for frame in (log.samples, log.events) if len(frame)]
    return max([end for end in ends if math.isfinite(end)], default=0.0)


def moment_at(clock: Clock, position: float | str) -> float:
    """Return the time (s) of a position on the axis as a browser tells it: a number, or a date's text.

    Raises ValueError for anything else.
    """
    if isinstance(position, str):
        moment = datetime.fromisoformat(position.strip())
        start = clock.log.start
        if start is None:
            raise ValueError(f"{position!r} is a date, and {clock.log.name} has none")
        return float((pd.Timestamp(moment) - start).total_seconds())
    return float(position) * clock.seconds - clock.log.counted


def line_at(log: Log, time: float) -> int:
    """Return the line of the sample or event nearest to `time` (s); 1 for a log without either."""
    return _nearest(log, "time", time)[2]


def time_of(log: Log, line: int) -> float:
    """Return when `line` was written, s: the time of the sample or event nearest to it; nan without one."""
    return _nearest(log, "line", line)[1]


def _nearest(log: Log, column: str, value: float) -> tuple[float, float, int]:
    """Return distance in `column`, time and line of the sample or event that is nearest to `value` there."""
    nearest = [(math.inf, math.nan, 1)]
    for frame in (log.samples, log.events):
        if len(frame):
            distances = np.abs(frame[column].to_numpy() - value)
            at = int(np.nanargmin(distances))
            nearest.append((float(distances[at]), float(frame["time"].iloc[at]), int(frame["line"].iloc[at])))
    return min(nearest)


def within(log: Log, window: Window | None) -> Log:
    """Return `log` with only the samples of `window`, so that a chart spends its points there."""
    if window is None:
        return log
    times = log.samples["time"]
    samples = log.samples[(times >= window[0]) & (times <= window[1])].reset_index(drop=True)
    return replace(log, samples=samples, kept=None) if len(samples) else log


DEVICE, LOG, OTHER = "logs-device", "logs-log", "logs-other"  # keys of the widgets that choose
LEVELS, WORDS = "logs-levels", "logs-words"  # keys of the filters of the lines
FOCUS, SELECTED, WINDOW, SHOWN = "logs-focus", "logs-selected", "logs-window", "logs-shown"
ABOUT = "logs-about"  # conversation, device and log that the page has followed
REVEALED = "logs-revealed"  # counts how often the page was to scroll to the lines
LONGEST_NUMBER = 11  # digits of a line number


@dataclass(frozen=True)
class Place:
    """What an address names: all of it is untrusted until it was looked up."""

    device: str
    log: str
    line: int | None = None

    def query(self, conversation_id: str = "") -> dict[str, str]:
        """Return it as the parameters of an address; a dropped log belongs to its conversation."""
        parameters = {"conv": conversation_id, "device": self.device, "log": self.log}
        line = {"line": str(self.line)} if self.line else {}
        return {name: value for name, value in parameters.items() if value} | line

    def address(self, conversation_id: str = "") -> str:
        """Return the part of an address that opens this place: "/logs?device=…&log=…&line=…".

        >>> Place("zspr 052", "a&b.log", 7).address()
        '/logs?device=zspr%20052&log=a%26b.log&line=7'
        """
        return f"/logs?{urlencode(self.query(conversation_id), quote_via=quote)}"


def place_in_address() -> Place | None:
    """Return the place that the address names, None if it is the one that the page wrote there itself."""
    device, log, line = (st.query_params.get(name, "") for name in ("device", "log", "line"))
    place = Place(device, log, untrusted.number(line, LONGEST_NUMBER))
    return place if (log or device) and place != st.session_state.get(SHOWN) else None


def show(place: Place) -> None:
    """Write the place into the address, so that the address can be copied."""
    st.session_state[SHOWN] = place
    for name, value in {"device": "", "line": "", **place.query()}.items():
        if value and st.query_params.get(name) != value:
            st.query_params[name] = value
        elif not value:
            st.query_params.pop(name, None)


def go_to(line: int, window: Window | None = None) -> None:
    """Show the lines around `line`, no longer filtered, with that line selected, and scroll to them.

    With a window the charts narrow to it instead, and the page stays where it is.
    """
    st.session_state[FOCUS] = line
    st.session_state[SELECTED] = (line, line)
    if window is None:
        st.session_state[REVEALED] = st.session_state.get(REVEALED, 0) + 1
        st.session_state[LEVELS], st.session_state[WORDS] = [], ""
    else:
        st.session_state[WINDOW] = window


def begin(line: int | None = None) -> None:
    """Forget where the page was in the log before."""
    for key in (FOCUS, SELECTED, WINDOW):
        st.session_state.pop(key, None)
    if line is not None:
        go_to(line)

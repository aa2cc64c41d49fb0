"""Lines that say what people or the machine did, and what a loop left its band at."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from instrumentgpt.instruments.analysis.departures import Departure
from instrumentgpt.instruments.analysis.together import at_least
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.messages import Group, Message, group_messages
from instrumentgpt.instruments.reading.headers import level_of
from instrumentgpt.instruments.reading.record import gains_in

CHANCE = 0.1  # that as many lines of one template come as pv leaves by accident
WITHIN = 1.0  # lags before pv leaves in which what made it may be written

Begun = Mapping[Departure, Message]


def happenings(events: pd.DataFrame) -> list[Group]:
    """Return the lines that may say what was done: none of trouble, which a loop has, and none of gains."""
    groups = group_messages(events, levels=("info",))
    texts = [(group, group.messages[0].text) for group in groups]
    return [group for group, text in texts if level_of(text) == "info" and not gains_in(text)[0]]


def begun_by(
    track: Track, departures: Sequence[Departure], groups: Sequence[Group]
) -> dict[Departure, Message]:
    """Return those of `departures` that begin at a line of `groups`, and the line.

    What made pv leave was written before pv was out; lines of one template must do so more often than chance.
    """
    windows = np.array([_window(track, departure) for departure in departures]).reshape(-1, 2)
    span = float(np.ptp(track.loop.time)) if len(track) else 0.0
    found: dict[Departure, tuple[float, Message]] = {}
    for group in groups if span else ():
        times = np.array([message.time for message in group.messages], dtype=float)
        first, stop = np.searchsorted(times, windows[:, 0]), np.searchsorted(times, windows[:, 1], "right")
        share = float((windows[:, 1] - windows[:, 0]).sum()) / span
        chance = at_least(int((stop - first).sum()), len(times), share)
        for departure, a, b in zip(departures, first, stop, strict=True):
            if a < b and chance < min(CHANCE, found.get(departure, (CHANCE,))[0]):
                found[departure] = chance, group.messages[b - 1]
    return {departure: message for departure, (_, message) in found.items()}


def _window(track: Track, departure: Departure) -> tuple[float, float]:
    """Return from when to when (s of the log) it is written what made pv leave: until pv itself is out."""
    side, rows = np.sign(departure.size), slice(departure.first, departure.peak + 1)
    out = side * (track.pv - track.setpoint)[rows] > departure.limit
    time = track.loop.time
    left = time[departure.first + int(np.argmax(out))] if out.any() else time[departure.peak]
    return float(time[departure.first]) - track.lags(WITHIN), float(left)

"""What changed between two logs of a device, or in one log before and after an instant."""

import math
from dataclasses import replace

import pandas as pd

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.analysis.study import study_of
from instrumentgpt.instruments.comparing.channels import channel_rows, net_of_others
from instrumentgpt.instruments.comparing.events import ambient_rows, event_changes
from instrumentgpt.instruments.comparing.rows import Comparison
from instrumentgpt.instruments.reading.record import Log


class Incomparable(InstrumentGPTError, ValueError):
    """Two logs, or parts of one, that share nothing to compare."""


def compare(before: Log, after: Log) -> Comparison:
    """Return what changed from the log `before` to the log `after`."""
    if before.unit != after.unit:
        raise Incomparable(
            f"{before.name} is in {before.unit or 'no unit'}, {after.name} in {after.unit or 'no unit'}. "
            "Compare logs of one unit."
        )
    first, second = study_of(before), study_of(after)
    channels = sorted(set(first.tracks) & set(second.tracks))
    if not channels:
        raise Incomparable(
            f"{before.name} has channels {sorted(first.tracks)}, {after.name} {sorted(second.tracks)}: "
            "none in common. Choose two logs of the same device."
        )
    rows = [row for channel in channels for row in channel_rows(first, second, channel)]
    rows = [*net_of_others(rows), *ambient_rows(before, after)]
    names = (before.name, after.name)
    return Comparison(*names, before.unit, tuple(rows), tuple(event_changes(before, after)))


def divided(log: Log, time: float) -> tuple[Log, Log]:
    """Return the parts of `log` before `time` (s since its first line), and from then on."""
    last = float(log.samples["time"].max()) if len(log.samples) else math.nan
    if not 0 < time < last:
        raise Incomparable(f"{log.name} runs from 0 to {last:.0f} s; {time:.0f} s does not divide it.")
    moment = log.clock(time)
    return _part(log, 0.0, time, f"< {moment}"), _part(log, time, math.inf, f"≥ {moment}")


def _part(log: Log, first: float, last: float, name: str) -> Log:
    def within(frame: pd.DataFrame) -> pd.DataFrame:
        return frame[(frame["time"] >= first) & (frame["time"] < last)].reset_index(drop=True)

    samples = within(log.samples)
    return replace(log, name=name, samples=samples, load_events=lambda: within(log.events), kept=None)

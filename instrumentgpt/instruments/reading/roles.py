"""Which column of a table is what: by its header, by how it behaves, or as the reader was told."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from instrumentgpt.instruments.arrays import Floats
from instrumentgpt.instruments.reading.headers import ROLES, Heading

ASIDE = (
    "ambient",
    "outside",
    "external",
    "ext",
    "ravg",
    "avg",
    "室外",
    "環境",
    "环境",
)  # not the controlled one
STEPS_AT_MOST = 0.05  # share of rows at which a setpoint changes
DISTINCT_AT_MOST = 0.1  # distinct values of a setpoint, per row
EVEN = 0.5  # a step of a time differs from the usual by less than this share
STARTS_AGAIN = 0.8  # share of rows at which a column called time goes on or stands still
FORWARD = 0.98  # share of rows at which a time goes on


@dataclass(frozen=True)
class Roles:
    """For each channel its columns, role → number of column; `time` columns; `guessed` role → reason."""

    time: tuple[int, ...]
    channels: Mapping[int, Mapping[str, int]]
    guessed: Mapping[str, str] = field(default_factory=dict)
    channel_column: int | None = None


def stated_roles(columns: Mapping[str, int]) -> Roles:
    """Return the roles as the reader of the log gave them: {"time": 0, "setpoint": 1, "pv": 2}."""
    time = (columns["time"],) if "time" in columns else ()
    own = {role: column for role, column in columns.items() if role not in ("time", "channel")}
    return Roles(time, {1: own}, channel_column=columns.get("channel"))


def header_roles(
    headings: Sequence[Heading], columns: Sequence[Floats], texts: Sequence[bool]
) -> Roles | None:
    """Return the roles that the header states; None if it names no pv.

    columns  as numbers, nan for text
    texts    which columns are texts (dates, clock times, ON/OFF)
    """
    time = tuple(_times(headings, columns, texts))
    named = {
        role: [at for at, heading in enumerate(headings) if at not in time and _best(heading) == role]
        for role in ROLES
    }
    if not named["pv"]:
        return None
    channels = _by_index(headings, named) or {1: _one_channel(headings, named, columns)}
    channel_column = named["channel"][0] if named["channel"] and len(channels) == 1 else None
    guessed = {
        role: f"column {at + 1} “{headings[at].text}”"
        for roles in channels.values()
        for role, at in roles.items()
        if headings[at].scores.get(role, 0) < 2
    }
    return Roles(time, channels, guessed, channel_column)


def _best(heading: Heading) -> str:
    roles = [role for role in heading.scores if role != "time"]
    return max(roles, key=lambda role: (heading.scores[role], role != "channel"), default="")


def _times(headings: Sequence[Heading], columns: Sequence[Floats], texts: Sequence[bool]) -> list[int]:
    """Return the column of time, or the two of date and time; in the order written."""
    named = [at for at, heading in enumerate(headings) if heading.scores.get("time", 0) >= 2]
    sure = [at for at in named if headings[at].scores["time"] == 3]
    if len(sure) >= 2 and texts[sure[0]] and texts[sure[1]]:
        return sure[:2]
    for at in [*sure, *named]:
        if texts[at] or goes_on(columns[at]):
            return [at]
    first = [at for at in range(min(2, len(headings))) if texts[at] and not headings[at].scores]
    return first[:1]


def _by_index(headings: Sequence[Heading], named: Mapping[str, list[int]]) -> dict[int, dict[str, int]]:
    """Return the channels of columns like “Temperature 1”, “Heater 1”, “Temperature 2”; {} if one."""
    numbered = [at for at in named["pv"] if headings[at].index is not None]
    best = max((headings[at].scores["pv"] for at in numbered), default=0)
    pvs = {headings[at].index: at for at in reversed(numbered) if headings[at].scores["pv"] == best}
    if len(pvs) < 2 or any(headings[at].scores["pv"] > best for at in named["pv"]):
        return {}
    channels: dict[int, dict[str, int]] = {}
    for index, pv in sorted((index, at) for index, at in pvs.items() if index is not None):
        channels[index] = {"pv": pv}
        for role in ("setpoint", "output", "kp", "ki", "kd"):
            own = [at for at in named[role] if headings[at].index == index]
            shared = [at for at in named[role] if headings[at].index is None]
            if own or shared:
                channels[index][role] = (own or shared)[0]
    return channels


def _one_channel(
    headings: Sequence[Heading], named: Mapping[str, list[int]], columns: Sequence[Floats]
) -> dict[str, int]:
    chosen = {
        role: max((headings[at].scores[role], -at, at) for at in named[role])[2]
        for role in ("setpoint", "output", "kp", "ki", "kd")
        if named[role]
    }
    setpoint = columns[chosen["setpoint"]] if "setpoint" in chosen else None

    def rank(at: int) -> tuple[float, ...]:
        heading = headings[at]
        aside = any(word in ASIDE for word in heading.words)
        distance = _distance(columns[at], setpoint) if setpoint is not None else 0.0
        return (
            heading.scores["pv"] if setpoint is None else 0,
            -distance,
            not aside,
            heading.unit == "°C",
            -at,
        )

    chosen["pv"] = max(named["pv"], key=rank)
    return chosen


def _distance(pv: Floats, setpoint: Floats) -> float:
    both = np.isfinite(pv) & np.isfinite(setpoint)
    return float(np.median(np.abs(pv[both] - setpoint[both]))) if both.any() else math.inf


def runs_forward(values: Floats) -> bool:
    """Return whether `values` could be a time: nearly always greater than the row above."""
    known = values[np.isfinite(values)]
    return len(known) > 1 and len(known) > 0.9 * len(values) and float((np.diff(known) > 0).mean()) >= FORWARD


def runs_evenly(values: Floats) -> bool:
    """Return whether `values` could be a time by its behaviour alone: forward in nearly equal steps."""
    steps = np.diff(values[np.isfinite(values)])
    if not runs_forward(values):
        return False
    usual = float(np.median(steps))
    return float((np.abs(steps - usual) <= EVEN * usual).mean()) >= FORWARD


def goes_on(values: Floats) -> bool:
    """Return whether a column called time can be one: it may stand still or start again."""
    known = values[np.isfinite(values)]
    steps = np.diff(known)
    return bool((steps > 0).any() and float((steps >= 0).mean()) >= STARTS_AGAIN)


def guess_roles(columns: Sequence[Floats], texts: Sequence[bool]) -> Roles | None:
    """Return roles from how the columns of a table without header behave; None without a likely pv.

    A time runs forward; a setpoint changes rarely and pv comes near it; pv is the smoothest; output is left.
    """
    dates = [at for at in range(len(columns)) if texts[at]]
    forward = [at for at in range(len(columns)) if not texts[at] and runs_evenly(columns[at])]
    time = tuple(dates[:2]) or tuple(forward[:1])
    rest = [
        at for at in range(len(columns)) if at not in time and not texts[at] and _known(columns[at]) > 0.2
    ]
    moving = [at for at in rest if not _is_steps(columns[at])]
    if not moving:
        return None
    roles: dict[str, int] = {}
    for at in rest:
        near = [pv for pv in moving if pv != at and _is_near(columns[pv], columns[at])]
        if at not in moving and near and "setpoint" not in roles:
            roles["setpoint"] = at
            roles["pv"] = min((_distance(columns[pv], columns[at]), pv) for pv in near)[1]
    roles.setdefault("pv", min(moving, key=lambda at: (_roughness(columns[at]), at)))
    left = [at for at in rest if at not in roles.values()]
    if left:
        roles["output"] = left[0]
    guessed = {role: f"column {at + 1}, by how it behaves" for role, at in roles.items()}
    guessed |= {"time": f"column {time[0] + 1}, by how it behaves"} if time else {}
    return Roles(time, {1: roles}, guessed)


def _known(values: Floats) -> float:
    return float(np.isfinite(values).mean()) if len(values) else 0.0


def _is_steps(values: Floats) -> bool:
    known = values[np.isfinite(values)]
    changes = float((np.diff(known) != 0).mean()) if len(known) > 1 else 0.0
    return changes <= STEPS_AT_MOST and len(np.unique(known)) <= max(10, DISTINCT_AT_MOST * len(known))


def _is_near(pv: Floats, setpoint: Floats) -> bool:
    low, high = np.nanquantile(pv, [0.0, 1.0])
    reach = 0.5 * (high - low)
    inside = np.nanmin(setpoint) >= low - reach - 1e-9 and np.nanmax(setpoint) <= high + reach + 1e-9
    return bool(inside and _distance(pv, setpoint) <= (high - low))


def _roughness(values: Floats) -> float:
    known = values[np.isfinite(values)]
    spread = float(np.std(known))
    return float(np.std(np.diff(known))) / spread if spread and len(known) > 2 else math.inf

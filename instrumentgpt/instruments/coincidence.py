"""Event lines that coincide with a finding more often than chance: said as coincidence, not as cause."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Literal

import numpy as np

from instrumentgpt.instruments.analysis.departures import at_least
from instrumentgpt.instruments.checks.disturbances import DOOR
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.findings import Finding
from instrumentgpt.instruments.language import Language, phrase
from instrumentgpt.instruments.loops import Floats
from instrumentgpt.instruments.messages import TROUBLE, Group, Message, group_messages

Place = Literal["before", "after", "around", "during"]

NEAR = 60.0  # s from an onset beyond which nothing is said to coincide with it
RESOLUTION = 1.0  # s: closer than this, times in a log say no more
BURST = 30.0  # s between lines of one template within which they are one occurrence
STARTING = 60.0  # s from the log's first line: what is there then did not begin then
LONGEST_SHARE = 0.5  # of the log; a longer finding has nothing to be compared with
CHANCE = 0.05  # that any template of its levels coincides so well by accident (Bonferroni)
MOST_PER_FINDING = 3
MOST_EVENTS = 200_000  # lines; in longer logs only warnings and errors are looked at
word = partial(phrase, Path(__file__).with_name("coincidence.toml"))
SENSOR = r"sensor|\bprobe|thermocouple|\bcable|\badc\b|感測|熱電偶"
HEATER = r"heater|\bssr\b|\bfuse|\brelay|overcurrent|加熱|保險絲|繼電器"
RESTART = r"restart|reboot|\bboot|watchdog|disk full|write failed|重新?啟動"
FITTING = {  # a fault → what a line must speak of to fit it by physics, and the sentence that says so
    "ambient_disturbance": (DOOR, "door"),
    "sensor_open": (SENSOR, "sensor"),
    "sensor_spike": (SENSOR, "sensor"),
    "sensor_stuck": (SENSOR, "sensor"),
    "heater_failure": (HEATER, "heater"),
    "runaway_stuck_on": (HEATER, "heater"),
    "data_gap": (RESTART, "record"),
}


@dataclass(frozen=True)
class Coincidence:
    """Lines of one template that lie near a finding's onsets, or within it.

    messages  those that do, of the lines of `group`
    place     where they lie; "during": within the finding
    seconds   of the furthest of them from its onset; nan for "during"
    share     of the log that the finding covers
    chance    that as many lie as near by accident, corrected for the templates and findings looked at
    reason    sentence of coincidence.toml: "coincidence", "reported", or what makes it fit by physics
    """

    finding: Finding
    group: Group
    messages: tuple[Message, ...]
    place: Place
    seconds: float
    share: float
    chance: float
    reason: str


def coincidences(diagnosis: Diagnosis) -> tuple[Coincidence, ...]:
    """Return what coincides with the findings of `diagnosis`, in their order, the least accidental first.

    The nearer, the more and the fewer elsewhere, the better: the binomial chance that of n occurrences so
    many lie so near.
    Lines that come all the time are one occurrence, and periodic ones lie everywhere: neither passes.
    """
    log = diagnosis.log
    findings = [finding for finding in diagnosis.findings if finding.severity not in ("none", "info")]
    span = float(log.samples["time"].max()) if len(log.samples) else math.nan
    if not findings or not span > 2 * STARTING or "period" in log.missing:
        return ()
    levels = TROUBLE if len(log.events) > MOST_EVENTS else (*TROUBLE, "info")
    groups = group_messages(log.events, levels=levels)
    ranked: list[Coincidence] = []
    for finding in findings:
        candidates = (_judged(finding, group, groups, len(findings), span) for group in groups)
        ranked += sorted(chain(*candidates), key=lambda coincidence: coincidence.chance)[:MOST_PER_FINDING]
    return tuple(ranked)


def _judged(
    finding: Finding, group: Group, groups: Sequence[Group], findings: int, span: float
) -> Iterator[Coincidence]:
    """Yield the better of both views of `group`, near the onsets or during, if chance does not explain it."""
    looked_at = sum((other.level in TROUBLE) == (group.level in TROUBLE) for other in groups)
    views = [view for view in (_near(finding, group, span), _during(finding, group, span)) if view]
    if views:
        messages, place, seconds, chance = min(views, key=lambda view: view[3])
        chance *= looked_at * findings
        if chance < CHANCE:
            share = (finding.end - finding.onset) / span
            reason = "reported" if place == "after" else _reason(finding, group)
            yield Coincidence(finding, group, messages, place, seconds, share, chance, reason)


View = tuple[tuple[Message, ...], Place, float, float]


def _near(finding: Finding, group: Group, span: float) -> View | None:
    """Return the lines nearest to the onsets, how near, and the chance of that."""
    onsets = np.array([moment for moment in finding.moments or (finding.onset,) if moment > STARTING])
    times = occurrences([message.time for message in group.messages])
    if not onsets.size or not times.size:
        return None
    away = np.sort(np.maximum(np.abs(times[:, None] - onsets).min(axis=1), RESOLUTION))
    chances = [
        at_least(count, len(away), _covered(onsets, distance, span)) if distance <= NEAR else 1.0
        for count, distance in enumerate(away, start=1)
    ]
    best = int(np.argmin(chances))
    lags = [_lag(message.time, onsets) for message in group.messages]
    kept = [(m, lag) for m, lag in zip(group.messages, lags, strict=True) if abs(lag) <= away[best]]
    sides = {lag <= 0 for _, lag in kept}
    place: Place = "around" if len(sides) > 1 else "before" if True in sides else "after"
    return tuple(m for m, _ in kept), place, float(away[best]), chances[best] * len(away)


def _lag(time: float, onsets: Floats) -> float:
    lags = time - onsets
    return float(lags[np.argmin(np.abs(lags))])


def _covered(onsets: Floats, distance: float, span: float) -> float:
    """Return the share of the log that lies within `distance` of an onset.

    >>> _covered(np.array([100.0, 105.0]), 10.0, 250.0)
    0.1
    """
    ends = np.minimum(onsets + distance, span)
    starts = np.maximum(np.maximum(onsets - distance, 0.0), np.concatenate(([0.0], ends[:-1])))
    return float(np.clip(ends - starts, 0.0, None).sum() / span)


def _during(finding: Finding, group: Group, span: float) -> View | None:
    """Return the lines within the finding, and the chance that so many are."""
    share = (finding.end - finding.onset) / span
    if finding.moments or finding.onset < STARTING or not 0 < share < LONGEST_SHARE:
        return None
    times = occurrences([message.time for message in group.messages])
    inside = int(((times >= finding.onset) & (times <= finding.end)).sum())
    kept = tuple(message for message in group.messages if finding.onset <= message.time <= finding.end)
    if not inside:
        return None
    return kept, "during", math.nan, at_least(inside, len(times), share)


def occurrences(times: Sequence[float]) -> Floats:
    """Return when something happened: of lines less than 30 s apart the first.

    >>> occurrences([5.0, 6.0, 20.0, 100.0]).tolist()
    [5.0, 100.0]
    """
    finite = np.array([time for time in times if math.isfinite(time)])
    starts: Floats = finite[np.concatenate(([True], np.diff(finite) > BURST))] if finite.size else finite
    return starts


def _reason(finding: Finding, group: Group) -> str:
    pattern, reason = FITTING.get(finding.fault, ("", ""))
    text = f"{group.source} {group.template}"
    return reason if pattern and re.search(pattern, text, re.IGNORECASE) else "coincidence"


def sentence(coincidence: Coincidence, language: Language) -> str:
    """Return `coincidence` in words, what follows from it last; the template is text of the log."""
    count = len(coincidence.finding.moments)
    observation = word(
        coincidence.place,
        language,
        count=len(coincidence.messages),
        total=len(coincidence.group.messages),
        text=f"{coincidence.group.source} {coincidence.group.template}".strip(),
        seconds=coincidence.seconds,
        share=100 * coincidence.share,
        odds=_odds(coincidence.chance),
        what=word("onsets" if count > 1 else "onset", language, moments=count),
    )
    return observation + ("" if language == "zh" else " ") + word(coincidence.reason, language)


def _odds(chance: float) -> float:
    """Return n of "1 in n", rounded down to one digit.

    >>> _odds(0.0021), _odds(0.04)
    (400.0, 20.0)
    """
    inverse = min(1 / max(chance, 1e-12), 1e6)
    size = 10.0 ** math.floor(math.log10(inverse))
    return math.floor(inverse / size) * size

"""Segments of a log and what changes from day to day, as rows and sentences; words from loop_wording.toml."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from instrumentgpt.instruments import wording
from instrumentgpt.instruments.analysis.segments import LEAST_DAYS, Segment, Trend, findings_in, worst_first
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.language import DAY, Language, plain, span_text
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loop_wording import COMMA, word

Rows = dict[str, Any]
FEW = 3  # segments a channel: with no more the figures of the channel say it all
FIGURES = ("duty", "mean_error", "half_peak_to_peak", "period", "noise", "overshoot", "settling_time")
SMALLEST = 0.0005  # half of the last digit told
DIGITS = {"duty": ".1f", "period": ".0f", "settling_time": ".0f"}


def worth_telling(diagnosis: Diagnosis, channel: int | None = None) -> list[Segment]:
    """Return the segments of a log, or of a channel, the worst first; none of a log with only a few."""
    if len(diagnosis.segments) <= FEW * max(1, len(diagnosis.channels)):
        return []
    segments = [segment for segment in diagnosis.segments if channel in (None, segment.channel)]
    return worst_first(segments, diagnosis.findings, diagnosis.excursions, diagnosis.bands)


def is_long(diagnosis: Diagnosis) -> bool:
    """Return whether a log lasts for days, so that what changes between them can be told."""
    first = min((segment.onset for segment in diagnosis.segments), default=0.0)
    last = max((segment.end for segment in diagnosis.segments), default=0.0)
    return last - first >= LEAST_DAYS * DAY and "period" not in diagnosis.log.missing


def head(name: str, log: Log, language: Language) -> str:
    """Return the head of a column, with its unit: "offset (°C)"."""
    return word(f"heads.{name}", language, unit=log.unit)


def cells(diagnosis: Diagnosis, segment: Segment, language: Language) -> dict[str, str]:
    """Return the figures of a segment as people read them, by the name of their head; "" where unknown."""
    log, span = diagnosis.log, partial(span_text, language=language)
    clock = log.clock(segment.onset)
    faults = findings_in(segment, diagnosis.findings)
    titles = dict.fromkeys(wording.title(finding.fault, language) for finding in faults)
    return {
        "channel": log.channel_names.get(segment.channel, str(segment.channel)),
        "kind": word(f"segment_kinds.{segment.kind}", language),
        "setpoint": "" if math.isnan(segment.setpoint) else f"{segment.setpoint:g}",
        "onset": clock.partition(".")[0] if log.start else f"+{span(log.counted + segment.onset)}",
        "span": span(segment.end - segment.onset),
        "findings": COMMA[language].join(titles),
        **{name: _figure(name, getattr(segment, name)) for name in FIGURES},
        "line": f"{segment.first_line:,}",
    }


def _figure(name: str, value: float) -> str:
    if not math.isfinite(value):
        return ""
    value = value if abs(value) >= SMALLEST else 0.0  # no "-0"
    return f"{value:{DIGITS[name]}}" if name in DIGITS else f"{value:.3f}".rstrip("0").rstrip(".")


def trend_sentence(trend: Trend, log: Log, language: Language) -> str:
    """Return how a quantity changes over days, with the interval of its slope."""
    has_setpoint = math.isfinite(trend.setpoint)
    at = word("trend_at", language, setpoint=trend.setpoint, unit=log.unit) if has_setpoint else ""
    numbers = {**asdict(trend), "channel": log.channel_names.get(trend.channel, str(trend.channel))}
    return word("trend", language, **{**numbers, "quantity": head(trend.quantity, log, language)}, at=at)


def trend_sentences(
    diagnosis: Diagnosis, language: Language, channels: Sequence[int] | None = None
) -> list[str]:
    """Return a sentence for each trend of these channels, or that there is none; [] of a log without days."""
    if not is_long(diagnosis):
        return []
    trends = [trend for trend in diagnosis.trends if channels is None or trend.channel in channels]
    sentences = [trend_sentence(trend, diagnosis.log, language) for trend in trends]
    return sentences or [word("no_trend", language)]


def rows(diagnosis: Diagnosis, channel: int | None, language: Language, most: int | None = None) -> Rows:
    """Return JSON-ready rows of the segments that are worth telling, the worst first, and of the trends.

    most  segments told; None: all
    """
    segments = worth_telling(diagnosis, channel)
    trends = diagnosis.trends if is_long(diagnosis) else ()
    return {
        "count": len(segments),
        "worst": [_row(diagnosis, segment, language) for segment in segments[:most]],
        "trends": [
            {**plain(asdict(trend)), "summary": trend_sentence(trend, diagnosis.log, language)}
            for trend in trends
            if channel in (None, trend.channel)
        ],
    }


def _row(diagnosis: Diagnosis, segment: Segment, language: Language) -> dict[str, Any]:
    faults = findings_in(segment, diagnosis.findings)
    return {
        **plain(asdict(segment)),
        "clock": diagnosis.log.clock(segment.onset),
        "classes": list(dict.fromkeys(finding.fault for finding in faults)),
        "summary": sentence(diagnosis, segment, language),
    }


def sentence(diagnosis: Diagnosis, segment: Segment, language: Language) -> str:
    """Return a segment in one line: "channel 1, hold, setpoint 37, from …, for 24 h, duty (%) 40.1, …"."""
    texts = cells(diagnosis, segment, language)
    named = (f"{head(name, diagnosis.log, language)} {text}" for name, text in texts.items() if text)
    return COMMA[language].join(named)

"""A comparison of two logs as sentences, English and Traditional Chinese, from comparison.toml."""

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from instrumentgpt.instruments import wording
from instrumentgpt.instruments.compare import Comparison, EventChange, FaultChange, Rise, Row
from instrumentgpt.instruments.language import Language, phrase

TIMES: dict[Language, str] = {"en": " (×{:.2f})", "zh": "（×{:.2f}）"}
Devices = tuple[str, str]  # of the log before and of the other, where two devices are compared
AT_ONCE = 0.6  # of a rise, from which one step is what happened, and no pace
SENTENCES = Path(__file__).with_name("comparison.toml")
word = partial(phrase, SENTENCES)


def comparison_sentences(
    comparison: Comparison, language: Language, devices: Devices | None = None
) -> list[str]:
    """Return what changed, a sentence each, headed by what was compared; or that nothing did."""
    named = {"before": comparison.before, "after": comparison.after}
    head = _sentence_of("head", devices, language, named)
    sentences = [row_sentence(row, comparison.unit, language) for row in comparison.notable]
    sentences += [event_sentence(change, language, devices) for change in comparison.events]
    return [head, *(sentences or [word("nothing", language)])]


def row_sentence(row: Row, unit: str, language: Language) -> str:
    """Return one row as a sentence; `unit` is that of the log."""
    key = "duty_net" if row.quantity == "duty" and math.isfinite(row.net) else row.quantity
    times = "" if math.isnan(row.ratio) else TIMES[language].format(row.ratio)
    return word(key, language, **asdict(row), log_unit=unit, times=times)


def rise_sentence(rise: Rise, begun: Sequence[str], unit: str, language: Language, name: str = "") -> str:
    """Return output that grows from log to log as sentences.

    begun  when each log did, or its name
    name   of the channel in the log
    """
    points = [f"{duty:.1f} % ({day[:10]})" for duty, day in zip(rise.duties, begun, strict=True)]
    called = f" ({name})" if (name := re.sub(r"[^\w .°%/-]", "", name)) else ""  # a log's word
    fields = asdict(rise) | {"unit": unit, "points": " → ".join(points), "name": called}
    told = word("rise", language, **fields)
    steps = [abs(later) - abs(earlier) for earlier, later in pairwise(rise.duties)]
    if max(steps) > AT_ONCE * sum(steps):
        place = steps.index(max(steps))
        return told + word("rise_at_once", language, since=begun[place][:10], until=begun[place + 1][:10])
    told += word("rise_since", language, since=begun[rise.since][:10])
    with suppress(ValueError):  # a log that is known by its name alone
        days = (datetime.fromisoformat(begun[-1]) - datetime.fromisoformat(begun[0])) / timedelta(days=1)
        pace = sum(steps) / days
        told += word("rise_pace", language, pace=pace, left=(100 - abs(rise.duties[-1])) / pace)
    return told


def event_sentence(change: EventChange, language: Language, devices: Devices | None = None) -> str:
    """Return one new or vanished kind of event line as a sentence."""
    text = f"{change.source} {change.template}".strip()
    key = "event_gone" if change.before else "event_new"
    return _sentence_of(key, devices, language, asdict(change) | {"text": text})


def fault_sentence(change: FaultChange, language: Language, devices: Devices | None = None) -> str:
    """Return one fault that came, went or stayed as a sentence."""
    words = {
        "title": wording.title(change.finding.fault, language),
        "summary": wording.summary(change.finding, language),
    }
    return _sentence_of(change.kind, devices, language, words)


def quantity_name(quantity: str, language: Language) -> str:
    """Return what people call the quantity of a row."""
    return word(f"quantity.{quantity}", language)


def _sentence_of(key: str, devices: Devices | None, language: Language, numbers: dict[str, Any]) -> str:
    """Return the sentence `key`, or where `devices` are compared and not times, its wording for that."""
    if devices is None:
        return word(key, language, **numbers)
    before, after = devices
    return word(f"{key}_devices", language, **numbers, before_device=before, after_device=after)

"""How loops work, as sentences and as the rows of tools, from workings.toml."""

import math
from functools import partial
from pathlib import Path
from typing import Any

from instrumentgpt.instruments import loop_wording
from instrumentgpt.instruments.analysis.workings import Working
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.language import Language, phrase, plain, span_text
from instrumentgpt.instruments.logs import Log

word = partial(phrase, Path(__file__).with_name("workings.toml"))
SPANS = {"on_span": "on", "off_span": "off", "period_span": "period", "span": "seconds"}
UNDRIVEN = ("unseen", "beside")


def sentence(working: Working, unit: str, language: Language) -> str:
    """Return what `working` says; sizes are in `unit`."""
    numbers: dict[str, Any] = {**working.numbers, "unit": unit}
    numbers |= {name: _span(numbers.get(of, math.nan), language) for name, of in SPANS.items()}
    numbers["where"] = word("where.above" if numbers.get("side", 0.0) > 0 else "where.below", language)
    if "way" in numbers:
        way = {1.0: "rises", -1.0: "falls"}.get(numbers["way"], "rests")
        numbers["way_word"] = word(f"way.{way}", language, unit=unit, rate=abs(numbers["rate"]))
    return word(working.key, language, **numbers)


def _span(seconds: float, language: Language) -> str:
    return "?" if math.isnan(seconds) else span_text(seconds, language, exact=True)


def rows(diagnosis: Diagnosis, channel: int | None, language: Language) -> list[dict[str, Any]]:
    """Return how each loop works: channel, about, clock, end_clock, line, numbers and a summary.

    What kind of control it is comes first; readings beside the loops are told where they are named.
    """
    told, log = list[dict[str, Any]](), diagnosis.log
    for number, workings in diagnosis.workings.items():
        kind = diagnosis.kinds[number]
        if channel not in (None, number) or (channel is None and kind.drive == "beside"):
            continue
        if kind.drive not in UNDRIVEN:
            text = loop_wording.short(kind, log.unit_of(number), language)
            own = {"channel": number, "about": "drive", "key": kind.drive, **log.at(0.0, 1)}
            told.append(own | {"summary": word("row", language, channel=number, text=text)})
        told += [_row(log, number, one, language) for one in workings]
    return told


def at(diagnosis: Diagnosis, time: float, language: Language) -> list[dict[str, Any]]:
    """Return what each loop does at `time`, s since the log's first line, as rows."""
    return [
        _row(diagnosis.log, number, one, language)
        for number, workings in diagnosis.at(time).items()
        for one in workings
        if diagnosis.kinds[number].drive != "beside"
    ]


def _row(log: Log, channel: int, one: Working, language: Language) -> dict[str, Any]:
    text = sentence(one, log.unit_of(channel), language)
    own = {"channel": channel, "about": one.about, "key": one.key, **plain(one.numbers)}
    own |= {**log.at(one.start, one.line), "end_clock": log.clock(one.end)}
    return own | {"summary": word("row", language, channel=channel, text=text)}

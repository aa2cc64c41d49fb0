"""What kind of loop a channel is, and when it left its own band, as sentences, from loop_wording.toml."""

import re
from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path

from instrumentgpt.instruments import wording
from instrumentgpt.instruments.analysis.kind import LoopKind
from instrumentgpt.instruments.findings import IN_USE, Excursion
from instrumentgpt.instruments.language import Language, phrase, span_text
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.messages import template_of

word = partial(phrase, Path(__file__).with_name("loop_wording.toml"))
COMMA: dict[Language, str] = {"en": ", ", "zh": "，"}
COLON: dict[Language, str] = {"en": ": ", "zh": "："}
MOST_QUOTED = 80  # characters of a line
MOST_SHOWN = 5  # excursions listed, where there are more
FULL_OUTPUT = (0.0, 100.0)  # percent


def is_ordinary(kind: LoopKind) -> bool:
    """Return whether a loop is of the usual kind: continuous control that heats, with its whole output."""
    heats = not (kind.reverse or kind.two_sided)
    return kind.drive == "continuous" and heats and (kind.low, kind.high) == FULL_OUTPUT and not kind.stated


def name(kind: LoopKind, language: Language) -> str:
    """Return what a loop is in a few words: "on/off control, heats"."""
    parts = [word(f"drive.{kind.drive}", language), *_acts(kind, language)]
    if kind.drive == "continuous" and (kind.low, kind.high) != FULL_OUTPUT:
        parts.append(word("clamp" if kind.high < FULL_OUTPUT[1] else "limits", language, **asdict(kind)))
    return COMMA[language].join(parts)


def _acts(kind: LoopKind, language: Language) -> list[str]:
    if kind.drive in ("idle", "unseen", "beside") and not kind.reverse:
        return []
    way = "both" if kind.two_sided else "cools" if kind.reverse else "heats"
    return [word(f"acts.{way}" if kind.thermal else f"acts.plain.{way}", language)]


def short(kind: LoopKind, unit: str, language: Language) -> str:
    """Return what a loop is, and the numbers that its control and its band are told from."""
    numbers = {**asdict(kind), "unit": unit}
    shown_by = [] if "drive" in kind.stated else [word(f"shown_by.{kind.drive}", language, **numbers)]
    stated = (word(f"stated_names.{key}", language) for key in kind.stated)
    remarks = [word("stated", language, names=COMMA[language].join(stated))] if kind.stated else []
    shown = COLON[language].join([name(kind, language), *shown_by])
    return wording.THEN[language].join([shown, word("band", language, **numbers), *remarks])


def sentence(kind: LoopKind, unit: str, language: Language) -> str:
    """Return what kind of loop a channel is, with all numbers it is told from; sizes are in `unit`."""
    numbers = {**asdict(kind), "unit": unit}
    parts = [short(kind, unit, language), word(f"program.{kind.program}", language)]
    parts.append(word("sampled", language, **numbers))
    if kind.not_read:
        parts.append(word("not_read", language, **numbers))
    return wording.THEN[language].join(parts)


def excursion(stretch: Excursion, log: Log, language: Language) -> str:
    """Return how far, how long and when a loop was out of its own band: "+8 °C for 20 min at 14:02:00"."""
    span, unit = span_text(stretch.end - stretch.onset, language), log.unit_of(stretch.channel)
    clock = log.clock(stretch.onset).removesuffix(".000")
    return word("excursion", language, size=stretch.size, unit=unit, span=span, clock=clock)


def away(stretch: Excursion, log: Log, language: Language) -> str:
    """Return "Channel 1 was out of its own band: +8 °C for 20 min from 14:02:00" and what explains it."""
    texts = excursion(stretch, log, language), explanation(stretch, language)
    return word("away", language, channel=stretch.channel, text=texts[0], why=texts[1])


def explanation(stretch: Excursion, language: Language) -> str:
    """Return which finding covers an excursion, that it is use, or that nothing tells what made it."""
    if stretch.cause:
        text = re.sub(r"\s+", " ", template_of(stretch.cause)).lstrip("… ")[:MOST_QUOTED]
        return word("begins_at", language, text=text)
    if stretch.explained in ("", IN_USE):
        return word(stretch.explained or "unexplained", language)
    return word("covered", language, title=wording.title(stretch.explained, language))


def unexplained(excursions: Iterable[Excursion]) -> list[Excursion]:
    """Return the excursions that no finding covers, the largest for its loop first."""
    left = (stretch for stretch in excursions if not stretch.explained)
    return sorted(left, key=lambda stretch: (-abs(stretch.size / stretch.limit), stretch.onset))

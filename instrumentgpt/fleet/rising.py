"""What grows over a device's logs: no verdict on one of them shows it, the newest one tells it."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from instrumentgpt.instruments.compare import Duties, rises_over, spread_over
from instrumentgpt.instruments.comparison_wording import rise_sentence
from instrumentgpt.instruments.language import Language
from instrumentgpt.storage.verdicts import Verdict


def with_rising(newest: Verdict, verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return the newest verdict on a device, open with what grows over its `verdicts`.

    None where nothing grows, or the newest tells a fault.
    """
    if newest.state not in ("healthy", "open"):
        return None
    units = {channel: row["unit"] for channel, row in _figures(newest).items()}
    held = [(verdict, duties) for verdict in verdicts if (duties := _held(verdict, units))]
    chosen = spread_over(held)
    rises = rises_over([duties for _, duties in chosen])
    if not rises:
        return None
    begun = [_day(verdict) for verdict, _ in chosen]

    def told(language: Language) -> str:
        return " ".join(rise_sentence(rise, begun, units[rise.channel], language) for rise in rises)

    return replace(
        newest,
        state="open",
        fault="",
        severity="info",
        channel=rises[0].channel,
        line=None,
        text_en=told("en"),
        text_zh=told("zh"),
    )


def _held(verdict: Verdict, units: Mapping[int, str]) -> dict[int, Duties]:
    """Return channel → its duties, of those that are told in `units`."""
    return {
        channel: {at: tuple(math.nan if mean is None else mean for mean in told) for at, *told in row["held"]}
        for channel, row in _figures(verdict).items()
        if row["held"] and row["unit"] == units.get(channel)
    }


def _figures(verdict: Verdict) -> dict[int, dict[str, Any]]:
    """Return channel → its figures, of those that were judged with their duties."""
    rows = json.loads(verdict.figures).items()
    return {int(number): row for number, row in rows if "held" in row}


def _day(verdict: Verdict) -> str:
    return verdict.log if verdict.begun is None else datetime.fromtimestamp(verdict.begun).isoformat()

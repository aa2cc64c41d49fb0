"""A chart in words, for those who cannot see it."""

from collections.abc import Sequence

import numpy as np

from instrumentgpt.instruments.charts.frame import shown, worth_showing
from instrumentgpt.instruments.charts.words import fault_name, where, word
from instrumentgpt.instruments.findings import Excursion, Finding
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loop_wording import MOST_SHOWN, unexplained
from instrumentgpt.instruments.loops import Floats, loops_of


def text_alternative(
    log: Log,
    findings: Sequence[Finding] = (),
    language: Language = "en",
    channels: Sequence[int] | None = None,
    excursions: Sequence[Excursion] = (),
) -> str:
    """Return in words what `loop_chart` shows of `log`: its span, the channels' ranges, the faults."""
    chosen = list(channels) if channels is not None else worth_showing(log, findings)
    loops = [loop for loop in loops_of(log).values() if loop.channel in chosen]
    last = max((float(loop.time[-1]) for loop in loops), default=0.0)
    sentences = [word("alt", language, name=log.name, start=log.clock(0.0), end=log.clock(last))]
    for loop in loops:
        sentences.append(
            word(
                "alt channel",
                language,
                channel=log.channel_names.get(loop.channel, loop.channel),
                setpoint=_range(loop.setpoint, log.unit, language),
                pv=_range(loop.pv, log.unit, language),
                output=_range(loop.output, "%", language),
            )
        )
    faults = shown(findings, [loop.channel for loop in loops])
    for finding in faults:
        named = {"fault": fault_name(finding, language), "where": where(finding, language)}
        when = {"start": log.clock(finding.onset), "end": log.clock(finding.end)}
        sentences.append(word("alt finding", language, **named, **when))
    outside = unexplained(excursion for excursion in excursions if excursion.channel in chosen)
    for excursion in outside[:MOST_SHOWN]:
        when = {"start": log.clock(excursion.onset), "end": log.clock(excursion.end)}
        size = {"size": f"{excursion.size:+.3g}", "unit": log.unit}
        sentences.append(word("alt excursion", language, channel=excursion.channel, **when, **size))
    if not faults and not outside:
        sentences.append(word("alt none", language))
    return " ".join(sentences) if language == "en" else "".join(sentences)


def _range(values: Floats, unit: str, language: Language) -> str:
    finite = values[np.isfinite(values)]
    if not finite.size:
        return word("unknown", language)
    low, high = float(finite.min()), float(finite.max())
    if low == high:
        return f"{low:.2f} {unit}"
    return word("range", language, f"{low:.2f}", f"{high:.2f}", unit)

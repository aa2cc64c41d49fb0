"""The words that stand on charts, in both languages, from words.toml."""

from functools import partial
from pathlib import Path

from instrumentgpt.instruments import wording
from instrumentgpt.instruments.charts.style import escaped
from instrumentgpt.instruments.faults import faults
from instrumentgpt.instruments.findings import Finding
from instrumentgpt.instruments.language import Language, phrase
from instrumentgpt.instruments.logs import Log

word = partial(phrase, Path(__file__).with_suffix(".toml"))


def channel_name(log: Log, channel: int, language: Language) -> str:
    """Return what people call a channel, safe to stand on a chart: the log's own name, or its number."""
    named = log.channel_names.get(channel)
    return escaped(named) if named else word("channel", language, channel)


def fault_name(finding: Finding, language: Language) -> str:
    """Return what people call the finding's fault."""
    is_known = finding.fault in faults()
    return wording.title(finding.fault, language) if is_known else finding.fault.replace("_", " ")


def where(finding: Finding, language: Language) -> str:
    """Return whom a finding concerns."""
    if finding.channels:
        return word("channels", language, ", ".join(map(str, finding.channels)))
    return word("device", language) if finding.channel is None else word("channel", language, finding.channel)

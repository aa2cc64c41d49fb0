"""`plot`: the chart of a log as a page of its own."""

import argparse
import sys

from instrumentgpt.commands.stored import saved_settings
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments import charts, segment_wording
from instrumentgpt.instruments.charts.style import config
from instrumentgpt.instruments.kept_verdicts import diagnosed
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.readings import read_as
from instrumentgpt.settings import home


class NoChannel(InstrumentGPTError, LookupError):
    """A channel that the log does not have."""


def run(arguments: argparse.Namespace) -> int:
    """Write the chart and print, in words, what it shows."""
    draw = charts.chart_named(arguments.chart)
    try:
        log = read_as(arguments.log, cache=home() / "cache" / "frames", unit=saved_settings().temperatures)
        diagnosis = diagnosed(log)
        findings = diagnosis.findings
        channels = _channels(log, arguments.channel)
        extras = charts.judged_for(arguments.chart, diagnosis)
        figure = draw(log, findings, channels, arguments.language, **extras)
        is_data = arguments.output.suffix == ".json"
        text = figure.to_json() if is_data else figure.to_html(config())
        arguments.output.write_text(text, encoding="utf-8")
    except OSError as problem:
        print(f"error: {problem.filename}: {problem.strerror}. Give another path", file=sys.stderr)
        return 1
    print(charts.text_alternative(log, findings, arguments.language, channels, diagnosis.excursions))
    for sentence in segment_wording.trend_sentences(diagnosis, arguments.language, channels):
        print(sentence)
    print(arguments.output)
    return 0


def _channels(log: Log, channel: int | None) -> list[int] | None:
    """Return the channels to draw; None: those that matter."""
    numbers = sorted(int(number) for number in log.samples["channel"].unique())
    if channel is not None and channel not in numbers:
        raise NoChannel(f"{log.name} has no channel {channel}. It has: {', '.join(map(str, numbers))}")
    return None if channel is None else [channel]

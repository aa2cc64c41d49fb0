"""Charts of a log, by name; each takes a log and its findings and returns a Plotly figure."""

from collections.abc import Callable

import plotly.graph_objects as go

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.charts.loop import error_chart, loop_chart, text_alternative
from instrumentgpt.instruments.charts.trend import trend_chart

__all__ = [
    "CHARTS",
    "UnknownChart",
    "chart_named",
    "error_chart",
    "loop_chart",
    "text_alternative",
    "trend_chart",
]

CHARTS: dict[str, Callable[..., go.Figure]] = {
    "loop": loop_chart,
    "error": error_chart,
    "trend": trend_chart,
}


class UnknownChart(InstrumentGPTError, LookupError):
    """A chart that is not in CHARTS."""


def chart_named(name: str) -> Callable[..., go.Figure]:
    """Return the chart of this name, or raise UnknownChart with those there are."""
    if name not in CHARTS:
        raise UnknownChart(f"There is no chart {name!r}. There are: {', '.join(CHARTS)}")
    return CHARTS[name]

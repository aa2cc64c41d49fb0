"""Charts of a log, by name; each takes a log and its findings and returns a Plotly figure."""

from collections.abc import Callable

import plotly.graph_objects as go

from instrumentgpt.instruments.charts.alternative import text_alternative
from instrumentgpt.instruments.charts.error import error_chart
from instrumentgpt.instruments.charts.loop import loop_chart

__all__ = ["CHARTS", "error_chart", "loop_chart", "text_alternative"]

CHARTS: dict[str, Callable[..., go.Figure]] = {"loop": loop_chart, "error": error_chart}

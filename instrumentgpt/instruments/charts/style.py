"""How every chart looks, in light and in dark, and how much of a log it carries."""

import html
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go
from tsdownsample import MinMaxLTTBDownsampler

from instrumentgpt.instruments.findings import Severity
from instrumentgpt.instruments.loops import Floats

POINTS = 4000  # of a trace at most: more than a screen is wide, and 1 M samples stay below 300 kB
HOVER_POINTS = 400  # of a line of steps: one every other pixel, where the mouse finds its value
# Okabe-Ito, blue and yellow adapted: told apart by the colour-blind, at least 3:1 on white and on #10171C
CHANNEL_COLOURS = ("#0091D5", "#D55E00", "#009E73", "#CC79A7", "#8A7A00", "#7C7FD6")
SETPOINT_COLOUR = "#7D8A95"
TEXT_COLOUR = "#75828D"  # where no page theme sets one: 4:1 on both
GRID_COLOUR = "rgba(125,138,149,0.22)"
SEVERITY_COLOURS: Mapping[Severity, str] = {
    "critical": "#E0434B",
    "high": "#E0434B",
    "medium": "#B87000",
    "low": "#5B7FA6",
    "info": "#7D8A95",
    "none": "#7D8A95",
}
SHADE_OPACITY = 0.13
EXCURSION_COLOUR, EXCURSION_OPACITY = "#7D8A95", 0.25  # of no severity
ROW_GAP = 12  # pixels between rows
TOP_PIXELS, BOTTOM_PIXELS = 60, 48
NEEDLESS = ["zoomIn2d", "zoomOut2d", "autoScale2d"]  # buttons: what a drag and a double click do
DATES = {"year": "%Y", "month": "%Y-%m", "dayMonth": "%m-%d", "dayMonthYear": "%Y-%m-%d"}
Chart = dict[str, Any]  # what Plotly is given: "data", a list of traces, and "layout"; see `laid_out`
_TITLE = {"x": 0, "xref": "paper", "y": 1, "yanchor": "top", "pad": {"t": 10}, "font": {"size": 14}}


def escaped(text: str) -> str:
    """Return `text` as a chart shows it literally: no tags, no links, no entities, no control characters.

    >>> escaped('<b>x</b> & <a href="http://h">y</a>')
    '&lt;b&gt;x&lt;/b&gt; &amp; &lt;a href="http://h"&gt;y&lt;/a&gt;'
    """
    printable = "".join(character if character.isprintable() else " " for character in text)
    return html.escape(printable, quote=False).replace("%{", "% {")


def config(words: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return how Plotly draws every chart: dates in figures, for all languages; its own `words` in others."""
    own = {"format": DATES, "dictionary": dict(words or {})}
    buttons = {"displaylogo": False, "modeBarButtonsToRemove": NEEDLESS}
    return {**buttons, "locale": "own", "locales": {"own": own}}


def template() -> go.layout.Template:
    """Return the ground of a chart: transparent, with colours for pages without a theme of their own."""
    axis: dict[str, Any] = {
        "gridcolor": GRID_COLOUR,
        "linecolor": GRID_COLOUR,
        "zeroline": False,
        "ticks": "",
    }
    axis |= {"spikecolor": SETPOINT_COLOUR, "spikethickness": 1, "automargin": True, "title": {"standoff": 8}}
    return go.layout.Template(
        layout={
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"color": TEXT_COLOUR, "size": 13},
            "colorway": list(CHANNEL_COLOURS),
            "xaxis": axis,
            "yaxis": axis,
            "hovermode": "x unified",
        }
    )


def laid_out(figure: Chart, title: str, height: int) -> go.Figure:
    """Return `figure` with its ground, title and legend; `height` is that of its rows together, in pixels."""
    ground = {
        "template": template(),
        "title": {"text": escaped(title), **_TITLE},
        "height": height + TOP_PIXELS + BOTTOM_PIXELS,
        "margin": {"t": TOP_PIXELS, "b": BOTTOM_PIXELS, "l": 64, "r": 16},
        "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"},
        "hoversubplots": "axis",
    }
    return go.Figure({"data": figure["data"], "layout": figure["layout"] | ground})


def reduced(time: Floats, value: Floats, gap: float, steps: bool = False) -> tuple[Floats, Floats]:
    """Return at most POINTS of a line that looks the same: extremes kept, gaps kept as nan.

    time    (n,) s
    value   (n,) anything; nan where there is none
    gap     s without a sample that count as a gap
    steps   whether the line moves in steps, as a setpoint does: then corners, and some to hover over

    Nothing finite: two empty arrays.
    """
    present = np.flatnonzero(np.isfinite(value))
    if not present.size:
        return np.empty(0), np.empty(0)
    x, y = np.ascontiguousarray(time[present]), np.ascontiguousarray(value[present])
    breaks = (np.diff(present) > 1) | (np.diff(x) > gap)
    stretch = np.concatenate(([0], np.cumsum(breaks)))
    if steps:
        moves = np.concatenate(([True], (np.diff(y) != 0) | breaks, [True]))
        pointed_at = np.arange(y.size) % (y.size // HOVER_POINTS + 1) == 0
        kept = np.flatnonzero(moves[:-1] | moves[1:] | pointed_at)
        x, y, stretch = x[kept], y[kept], stretch[kept]
    budget = max(POINTS - int(stretch[-1]), POINTS // 2)
    if y.size > budget:
        reducer = MinMaxLTTBDownsampler()  # type: ignore[no-untyped-call]
        kept = reducer.downsample(y, n_out=budget).astype(np.int64)
        x, y, stretch = x[kept], y[kept], stretch[kept]
    before = np.flatnonzero(np.diff(stretch)) + 1
    return np.insert(x, before, x[before]), np.insert(y, before, np.nan)

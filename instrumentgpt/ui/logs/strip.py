"""How many lines of each level a log has over time: a narrow chart to see where trouble is."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from instrumentgpt.instruments.charts.frame import row_axis
from instrumentgpt.instruments.charts.style import template
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.messages import level_of
from instrumentgpt.ui.logs.moments import Window, axis_of, last_moment

SELECTABLE: Mapping[str, str] = {"dragmode": "select", "selectdirection": "h"}  # a span of time
BINS = 160  # bars: wide enough to be hit by a finger on a desk, a hair on a phone
ROWS: Mapping[str, tuple[tuple[str, ...], str]] = {  # row → its levels, its colour
    "errors": (("critical", "error"), "#E0434B"),
    "warnings": (("warning",), "#B87000"),
    "info": (("info", "debug", "trace"), "#5B7FA6"),
}
ROW_PIXELS, GAP_SHARE = 30, 0.06
AXIS_PIXELS = 40
LEFT_PIXELS = 92  # of all charts of the page, so that one moment is one place


def kinds_of(events: pd.DataFrame) -> "pd.Series[str]":
    """Return for each event the row of the strip that it belongs to."""
    row_of = {level: row for row, (levels, _) in ROWS.items() for level in levels}
    spelled = {str(level): row_of[level_of(str(level))] for level in events["level"].unique()}
    return events["level"].astype(str).map(spelled)


def counts(log: Log, window: Window | None = None) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the edges of the bins (s) and row → lines in each bin."""
    first, last = window or (0.0, last_moment(log))
    edges = np.linspace(first, max(last, first + 1e-3), BINS + 1)
    times, kinds = log.events["time"].to_numpy(dtype=float), kinds_of(log.events).to_numpy()
    known = np.isfinite(times)
    return edges, {row: np.histogram(times[known & (kinds == row)], edges)[0] for row in ROWS}


def strip_chart(log: Log, window: Window | None = None) -> go.Figure:
    """Return the strip: a row of bars for each kind of line, over the axis of the log's other charts."""
    edges, found = counts(log, window)
    clock = axis_of(log)
    middles = clock.position((edges[:-1] + edges[1:]) / 2)
    figure = go.Figure()
    for number, row in enumerate(ROWS, start=1):
        _draw_bars(figure, number, row, middles, found[row])
        _place_row(figure, number, f"{row} {int(found[row].sum()):,}")
    figure.update_xaxes(anchor=row_axis(len(ROWS)), **clock.axis("en", (float(edges[0]), float(edges[-1]))))
    return figure.update_layout(
        template=template(),
        height=ROW_PIXELS * len(ROWS) + AXIS_PIXELS,
        margin={"t": 4, "b": AXIS_PIXELS - 4, "l": LEFT_PIXELS, "r": 16},
        hovermode="closest",
        bargap=0,
        **SELECTABLE,
    )


def _draw_bars(figure: go.Figure, number: int, row: str, middles: np.ndarray, found: np.ndarray) -> None:
    """Draw the bars of `row`, one in the middle of each bin that has such lines."""
    shown = found > 0
    figure.add_bar(
        x=middles[shown],
        y=np.sqrt(found[shown]),  # one line beside thousands must still be seen
        customdata=found[shown],
        width=float(middles[1] - middles[0]),
        marker={"color": ROWS[row][1], "line": {"width": 0}},
        hovertemplate=f"%{{customdata:,}} {row}<extra></extra>",
        yaxis=row_axis(number),
        showlegend=False,
    )


def _place_row(figure: go.Figure, number: int, label: str) -> None:
    """Give the row its part of the height, and its label at the left."""
    height = 1 / len(ROWS)
    axis = {
        "domain": [1 - number * height, 1 - (number - 1) * height - GAP_SHARE],
        "tickvals": [],
        "rangemode": "tozero",
        "fixedrange": True,
        "title": "",
        "showgrid": False,
    }
    figure.update_layout({row_axis(number).replace("y", "yaxis"): axis})
    figure.add_annotation(
        text=label,
        x=0,
        xref="paper",
        xanchor="right",
        xshift=-8,
        y=0.35,
        yref=f"{row_axis(number)} domain",
        yanchor="middle",
        showarrow=False,
        font={"size": 12},
    )


def in_words(log: Log, window: Window | None = None) -> str:
    """Return the strip for those who cannot see it: how many of each, and where most errors are."""
    edges, found = counts(log, window)
    said = ", ".join(f"{int(number.sum()):,} {row}" for row, number in found.items())
    worst = next((row for row in ROWS if found[row].sum()), None)
    if worst is None:
        return "No event lines in this part of the log."
    most = int(found[worst].argmax())
    return f"Lines by level over time: {said}. Most {worst} from {log.clock(float(edges[most]))}."

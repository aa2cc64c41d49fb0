"""A chart as SVG without script: for paper, and for readers whose mail or browser runs none."""

import io
import re
import warnings
from html import escape, unescape  # Plotly reads texts as HTML
from typing import Any

import matplotlib
import numpy as np
import plotly.graph_objects as go
from matplotlib.axes import Axes
from matplotlib.dates import ConciseDateFormatter, date2num
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.transforms import Transform, blended_transform_factory

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 1000, 64, 12, 30, 44  # px; the page scales the drawing
INK, GRID = "#3A444C", "#D9DEE2"
DASHES = {"dash": (0, (4, 3)), "dot": (0, (1, 1.5))}
LOOK: Any = {
    **{"svg.fonttype": "none", "text.parse_math": False, "axes.axisbelow": True, "font.size": 12},
    **{"axes.grid": True, "grid.color": GRID, "axes.edgecolor": GRID, "text.color": INK},
    **{"axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK, "font.family": "sans-serif"},
}
UNSIGNED = dict.fromkeys(("Creator", "Date", "Format", "Type"))
NUMBERED = re.compile(r' id="[\w.]+_\d+"')  # the same in every drawing of a page


def static_svg(figure: go.Figure, alt: str) -> str:
    """Return `figure`, one of our charts, as an <svg> element: its lines, marks, shades, labels and axes.

    alt  the chart in words, for those who cannot see it
    """
    layout = figure.layout.to_plotly_json()
    file = io.StringIO()
    with matplotlib.rc_context(LOOK), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the reader's fonts write it, not ours
        _drawn(figure, layout).savefig(file, format="svg", transparent=True, metadata=UNSIGNED)
    drawing = NUMBERED.sub("", file.getvalue().partition("<svg")[2])
    return f'<svg class="static" role="img" aria-label="{escape(alt)}"{drawing}'


def _drawn(figure: go.Figure, layout: dict[str, Any]) -> Figure:
    margin = layout["margin"]
    rows = int(layout["height"]) - margin["t"] - margin["b"]
    height = rows + TOP + BOTTOM
    drawing = Figure(figsize=(WIDTH / 72, height / 72))
    axes, dated = {}, layout["xaxis"].get("type") == "date"
    for key in sorted(name for name in layout if name.startswith("yaxis")):
        low, high = layout[key].get("domain") or (0.0, 1.0)
        place = (LEFT / WIDTH, (BOTTOM + rows * low) / height, 1 - (LEFT + RIGHT) / WIDTH)
        axes[key.replace("axis", "")] = panel = drawing.add_axes((*place, rows * (high - low) / height))
        panel.set_ylabel(unescape(layout[key].get("title", {}).get("text", "")))
        panel.margins(x=0)
        if span := layout["xaxis"].get("range"):
            panel.set_xlim(*_across(span, dated))
        if span := layout[key].get("range"):
            panel.set_ylim(*span)
        if dated:
            panel.xaxis_date("UTC")
            dates = ConciseDateFormatter(panel.xaxis.get_major_locator(), "UTC")  # type: ignore[no-untyped-call]
            for forms in (dates.formats, dates.zero_formats, dates.offset_formats):
                forms[:] = [form.replace("%b", "%m") for form in forms]  # figures, for all languages
            panel.xaxis.set_major_formatter(dates)
        panel.tick_params(labelbottom=low == 0, length=0)
        panel.xaxis.get_offset_text().set_visible(low == 0)
        panel.set_xlabel(unescape(layout["xaxis"].get("title", {}).get("text", "")) if low == 0 else "")
    drawn = [(trace, _draw_trace(axes[trace.yaxis or "y"], trace, dated)) for trace in figure.data]
    for shape in layout.get("shapes", ()):
        _draw_shape(axes[shape["yref"].split(" ")[0]], shape, dated)
    for note in layout.get("annotations", ()):
        _write(axes[note["yref"].split(" ")[0]], note, dated)
    lines = [line for trace, lines in drawn for line in lines if trace.showlegend is not False]
    drawing.legend(handles=lines, loc="upper left", ncols=6, frameon=False, bbox_to_anchor=(0.05, 1.0))
    return drawing


def _draw_trace(axes: Axes, trace: Any, dated: bool) -> list[Line2D]:
    x, y = _across(trace.x, dated), np.asarray(trace.y, dtype=float)
    if trace.mode == "markers":
        axes.scatter(x, y, s=40, facecolors="none", edgecolors=list(trace.marker.color), linewidths=1.6)
        return []
    look = {"color": trace.line.color, "linewidth": trace.line.width, "label": unescape(trace.name or "")}
    steps = "steps-post" if trace.line.shape == "hv" else "default"
    return axes.plot(x, y, linestyle=DASHES.get(trace.line.dash, "-"), drawstyle=steps, **look)


def _draw_shape(axes: Axes, shape: dict[str, Any], dated: bool) -> None:
    where = _places(axes, shape)
    x0, x1 = _across([shape["x0"], shape["x1"]], dated and not shape["xref"].endswith("domain"))
    y0, y1 = float(shape["y0"]), float(shape["y1"])
    if shape["type"] == "rect":
        look = {"color": shape["fillcolor"], "alpha": shape["opacity"], "linewidth": 0}
        axes.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, transform=where, **look))
        return
    line = shape["line"]
    look = {"color": line["color"], "linewidth": line["width"], "transform": where}
    axes.add_artist(Line2D((x0, x1), (y0, y1), linestyle=DASHES.get(line.get("dash"), "-"), **look))


def _write(axes: Axes, note: dict[str, Any], dated: bool) -> None:
    x = _across([note["x"]], dated and not note["xref"].endswith("domain"))[0]
    axes.annotate(
        unescape(note["text"]),
        (x, float(note["y"])),
        xycoords=_places(axes, note),
        xytext=(0, note.get("yshift", 0) + 3),
        textcoords="offset points",
        ha=note["xanchor"] if note["xanchor"] in ("left", "right") else "center",
        color=note["font"]["color"],
    )


def _across(places: Any, dated: bool) -> np.ndarray:
    """Return places on the axis of time as Matplotlib has them: dates as days since 1970."""
    return np.asarray(date2num(np.asarray(places, "datetime64[us]")) if dated else places, float)  # type: ignore[no-untyped-call]


def _places(axes: Axes, drawn: dict[str, Any]) -> Transform:
    """Return how places of `drawn` become pixels: on an axis, or as shares of its length ("y2 domain")."""
    return blended_transform_factory(
        *(axes.transAxes if drawn[ref].endswith("domain") else axes.transData for ref in ("xref", "yref"))
    )

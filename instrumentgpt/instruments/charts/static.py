"""A chart as SVG without script: for paper, and for readers whose mail or browser runs none."""

import html
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import plotly.graph_objects as go

from instrumentgpt.instruments.loops import Floats

WIDTH = 1000  # px of the drawing; its page scales it
LEFT, RIGHT, BOTTOM, LEGEND = 64, 12, 40, 26  # px around the rows
TICKS_X, TICKS_Y = 9, 5  # at most, about
INK, GRID = "#3A444C", "#D9DEE2"
DASHES = {"dash": "6 4", "dot": "2 3"}
DIGIT = 7.0  # px, width of a digit in the ticks
_SECONDS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)


@dataclass(frozen=True)
class _Axis:
    """A straight map from values to pixels."""

    low: float
    high: float
    at_low: float
    at_high: float

    def at(self, value: Floats | float) -> Any:
        share = (np.asarray(value, dtype=float) - self.low) / ((self.high - self.low) or 1.0)
        return self.at_low + share * (self.at_high - self.at_low)


def static_svg(figure: go.Figure, alt: str) -> str:
    """Return `figure`, one of our charts, as an <svg> element: its lines, marks, shades, labels and axes.

    alt  the chart in words, for those who cannot see it
    """
    spec = figure.to_plotly_json()
    layout = spec["layout"]
    traces = [{**trace.to_plotly_json(), "x": trace.x, "y": trace.y} for trace in figure.data]
    margin = layout["margin"]
    height = int(layout["height"]) - margin["t"] - margin["b"]
    axes = _axes(layout, traces, height)
    body = [*_grid(layout, axes, height), *_shapes(layout, axes), *_legend(traces)]
    body += [part for trace in traces for part in _trace(trace, axes)]
    body += _labels(layout, axes)
    whole = height + LEGEND + BOTTOM
    return (
        f'<svg class="static" viewBox="0 0 {WIDTH} {whole}" role="img" aria-label="{html.escape(alt)}" '
        f'font-family="inherit" font-size="12" fill="{INK}">{"".join(body)}</svg>'
    )


def _axes(layout: dict[str, Any], traces: Sequence[dict[str, Any]], height: int) -> dict[str, _Axis]:
    """Return the axes by Plotly's names: "x", "y", "y2", …; rows keep the places the layout gives them."""
    found = {}
    xs = _finite([trace["x"] for trace in traces])
    low, high = layout.get("xaxis", {}).get("range") or ((xs.min(), xs.max()) if xs.size else (0.0, 1.0))
    found["x"] = _Axis(float(low), float(high), LEFT, WIDTH - RIGHT)
    for key in (name for name in layout if name.startswith("yaxis")):
        name = key.replace("axis", "")
        ys = _finite([trace["y"] for trace in traces if trace.get("yaxis", "y") == name])
        low, high = layout[key].get("range") or _padded(ys)
        below, above = layout[key].get("domain") or (0.0, 1.0)
        found[name] = _Axis(float(low), float(high), *(LEGEND + height * (1 - at) for at in (below, above)))
    return found


def _finite(arrays: Sequence[Any]) -> Floats:
    whole = np.concatenate([np.asarray(one, dtype=np.float64) for one in arrays] or [np.empty(0)])
    finite: Floats = whole[np.isfinite(whole)]
    return finite


def _padded(values: Floats) -> tuple[float, float]:
    if not values.size:
        return 0.0, 1.0
    pad = 0.06 * float(np.ptp(values)) or 0.5
    return float(values.min()) - pad, float(values.max()) + pad


def _grid(layout: dict[str, Any], axes: dict[str, _Axis], height: int) -> Iterator[str]:
    """Yield grid lines, the figures at them, and the titles of the rows."""
    x = axes["x"]
    bottom = max((axis.at_low for name, axis in axes.items() if name != "x"), default=height)
    for value, label in _time_ticks(x) if layout["xaxis"].get("type") == "date" else _ticks(x, TICKS_X):
        at = float(x.at(value))
        for axis in (axis for name, axis in axes.items() if name != "x"):
            yield _line(at, axis.at_low, at, axis.at_high, GRID, 1)
        for row, words in enumerate(label.split("\n")):
            yield _text(at, bottom + 16 + 15 * row, words, "middle")
    if title := layout["xaxis"].get("title", {}).get("text"):
        yield _text((x.at_low + x.at_high) / 2, bottom + 32, title, "middle")
    for name, axis in axes.items():
        if name == "x":
            continue
        for value, label in _ticks(axis, TICKS_Y):
            at = float(axis.at(value))
            yield _line(LEFT, at, WIDTH - RIGHT, at, GRID, 1)
            yield _text(LEFT - 6, at + 4, label, "end")
        middle = (axis.at_low + axis.at_high) / 2
        title = layout[name.replace("y", "yaxis")].get("title", {}).get("text", "")
        yield (
            f'<text transform="translate(13 {middle:.1f}) rotate(-90)" text-anchor="middle">'
            f"{_plain(title)}</text>"
        )


def _ticks(axis: _Axis, most: int) -> Iterator[tuple[float, str]]:
    """Yield round values of `axis`, 1, 2 or 5 of a power of ten apart, and how to write them.

    >>> list(_ticks(_Axis(0.0, 1.0, 0.0, 100.0), 5))
    [(0.0, '0.0'), (0.2, '0.2'), (0.4, '0.4'), (0.6, '0.6'), (0.8, '0.8'), (1.0, '1.0')]
    """
    span = axis.high - axis.low
    if not span > 0:
        return
    size = 10.0 ** math.floor(math.log10(span / most))
    step = next(size * times for times in (1, 2, 5, 10) if span / (size * times) <= most)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    for count in range(math.ceil(axis.low / step - 1e-9), math.floor(axis.high / step + 1e-9) + 1):
        yield round(count * step, digits), f"{count * step:.{digits}f}"


def _time_ticks(axis: _Axis) -> Iterator[tuple[float, str]]:
    """Yield round moments (ms) and their clock, the first of a day with its date below."""
    span = (axis.high - axis.low) / 1000
    if not span > 0:
        return
    step = next((one for one in _SECONDS if span / one <= TICKS_X), 86400 * math.ceil(span / 86400 / TICKS_X))
    written = "%H:%M:%S" if step < 60 else "%H:%M"
    shown = ""
    for count in range(math.ceil(axis.low / 1000 / step), math.floor(axis.high / 1000 / step) + 1):
        moment = datetime.fromtimestamp(count * step, UTC)
        day = moment.strftime("%Y-%m-%d")
        yield count * step * 1000.0, moment.strftime(written) + (f"\n{day}" if day != shown else "")
        shown = day


def _shapes(layout: dict[str, Any], axes: dict[str, _Axis]) -> Iterator[str]:
    for shape in layout.get("shapes", ()):
        x0, x1 = (_place(shape[at], shape["xref"], axes) for at in ("x0", "x1"))
        y0, y1 = (_place(shape[at], shape["yref"], axes) for at in ("y0", "y1"))
        if shape["type"] == "rect":
            yield (
                f'<rect x="{min(x0, x1):.1f}" y="{min(y0, y1):.1f}" width="{max(abs(x1 - x0), 1):.1f}" '
                f'height="{abs(y1 - y0):.1f}" fill="{shape["fillcolor"]}" opacity="{shape["opacity"]}"/>'
            )
        else:
            look = shape["line"]
            yield _line(x0, y0, x1, y1, look["color"], look["width"], look.get("dash", ""))


def _place(value: float, reference: str, axes: dict[str, _Axis]) -> float:
    """Return the pixel of `value`, which is on an axis, or a share of its length ("y2 domain")."""
    axis = axes[reference.split(" ")[0]]
    if reference.endswith("domain"):
        return axis.at_low + float(value) * (axis.at_high - axis.at_low)
    return float(axis.at(float(value)))


def _trace(trace: dict[str, Any], axes: dict[str, _Axis]) -> Iterator[str]:
    x = axes["x"].at(np.asarray(trace["x"], dtype=float))
    y = axes[trace.get("yaxis", "y")].at(np.asarray(trace["y"], dtype=float))
    if trace["mode"] == "markers":
        colours = trace["marker"]["color"]
        for across, down, colour in zip(x, y, colours, strict=True):
            circle = f'<circle cx="{across:.1f}" cy="{down:.1f}" r="4.5" fill="none"'
            yield f'{circle} stroke="{colour}" stroke-width="1.6"/>'
        return
    look = trace["line"]
    dash = DASHES.get(look.get("dash", ""), "")
    steps = look.get("shape") == "hv"
    path = "".join(_path(x[part], y[part], steps) for part in _unbroken(y))
    yield (
        f'<path d="{path}" fill="none" stroke="{look["color"]}" stroke-width="{look["width"]}"'
        f"{f' stroke-dasharray={chr(34)}{dash}{chr(34)}' if dash else ''}/>"
    )


def _unbroken(values: Floats) -> list[slice]:
    """Return the stretches of `values` without nan."""
    known = np.concatenate(([False], np.isfinite(values), [False]))
    edges = np.flatnonzero(known[1:] != known[:-1])
    return [slice(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _path(x: Floats, y: Floats, steps: bool) -> str:
    if steps:
        x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
    points = [f"{across:.1f} {down:.1f}" for across, down in zip(x, y, strict=True)]
    kept = [point for point, before in zip(points, [None, *points], strict=False) if point != before]
    return "M" + "L".join(kept)


def _legend(traces: Sequence[dict[str, Any]]) -> Iterator[str]:
    at = float(LEFT)
    for trace in traces:
        if trace.get("showlegend") is False or trace["mode"] == "markers":
            continue
        look = trace["line"]
        yield _line(at, 10, at + 24, 10, look["color"], 2, look.get("dash", ""))
        yield _text(at + 30, 14, trace["name"])
        at += 48 + sum(2 * DIGIT if ord(letter) > 0x2E80 else DIGIT for letter in trace["name"])


def _labels(layout: dict[str, Any], axes: dict[str, _Axis]) -> Iterator[str]:
    for note in layout.get("annotations", ()):
        x, y = (_place(note[at], note[f"{at}ref"], axes) for at in ("x", "y"))
        anchor = "end" if note["xanchor"] == "right" or x > WIDTH * 0.8 else "start"
        shift = -x + WIDTH - RIGHT if anchor == "end" and note["xanchor"] != "right" else 0
        up = note.get("yshift", 0) + 3
        yield _text(x + shift, y - up, note["text"], anchor, note["font"]["color"])


def _line(x0: float, y0: float, x1: float, y1: float, colour: str, width: float, dash: str = "") -> str:
    dashed = f' stroke-dasharray="{DASHES[dash]}"' if dash in DASHES else ""
    return (
        f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{colour}" '
        f'stroke-width="{width}"{dashed}/>'
    )


def _text(x: float, y: float, words: str, anchor: str = "start", colour: str = INK) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{_plain(words)}</text>'


def _plain(words: str) -> str:
    """Return text that Plotly would read as HTML, escaped once."""
    return html.escape(html.unescape(words))

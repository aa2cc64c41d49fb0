"""The loop over time: pv, setpoint and output of each channel, findings shaded; pv less setpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from instrumentgpt.instruments.charts.frame import (
    LABEL_PIXELS,
    Clock,
    clock_of,
    gap_of,
    mark_evidence,
    mark_lines,
    row_axis,
    shade,
    shade_excursions,
    shown,
    worth_showing,
)
from instrumentgpt.instruments.charts.style import (
    CHANNEL_COLOURS,
    ROW_GAP,
    SETPOINT_COLOUR,
    escaped,
    laid_out,
    reduced,
)
from instrumentgpt.instruments.charts.words import channel_name, word
from instrumentgpt.instruments.findings import Excursion, Finding
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loops import Floats, Loop, loops_of

ROW_PIXELS = {1: 260, 2: 180}  # height of a row of temperature by the number of channels; more: FEWEST
FEWEST_PIXELS = 120
OUTPUT_PIXELS = 130
SMALLEST_SPAN = 4.0  # bands: twice the loop's own to either side, so that a quiet loop looks quiet
SMALLEST_OUTPUT_SPAN = 20.0  # percent


def loop_chart(
    log: Log,
    findings: Sequence[Finding] = (),
    channels: Sequence[int] | None = None,
    language: Language = "en",
    window: tuple[float, float] | None = None,
    title: str = "",
    excursions: Sequence[Excursion] = (),
    bands: Mapping[int, float] | None = None,
) -> go.Figure:
    """Return the chart of the loops of `log`: a row for each channel's pv and setpoint, one for all outputs.

    channels   which to show; None: those with a fault, or all if none has one or the device has
    window     (start, stop) in s since the log's first line; None: all of it
    title      "": the log's name
    excursions  those that no finding covers are shaded, too
    bands      channel → its own band, in the unit of pv: a loop that moves less looks quiet

    A channel the log does not have is left out. Each trace has at most 4,000 points.
    """
    chosen = list(channels) if channels is not None else worth_showing(log, findings)
    loops = [loop for loop in loops_of(log).values() if loop.channel in chosen]
    faults = shown(findings, [loop.channel for loop in loops])
    clock = clock_of(log, max((float(loop.time[-1]) for loop in loops), default=0.0))
    rows = _rows(loops, faults)
    figure = go.Figure()
    for number, loop in enumerate(loops, start=1):
        _draw_channel(figure, log, loop, number, len(loops), clock, language)
        mark_evidence(figure, rows[number - 1].findings, loop, clock, number, language)
    for number, row in enumerate(rows, start=1):
        for finding in row.findings:
            place = row.labelled.index(finding) if finding in row.labelled else None
            shade(figure, finding, clock, number, place, language)
    for number, loop in enumerate(loops, start=1):
        shade_excursions(figure, excursions, [loop.channel], clock, number, language)
    mark_lines(figure, faults, clock, len(rows), language)
    _place_rows(figure, rows, loops, log, bands or {}, language)
    figure.update_xaxes(anchor=row_axis(len(rows)), **clock.axis(language, window))
    return laid_out(figure, title or log.name, sum(row.above + row.pixels for row in rows))


@dataclass(frozen=True)
class _Row:
    """One row: its height, and the findings shaded in it."""

    pixels: int
    findings: list[Finding]
    labelled: list[Finding]

    @property
    def above(self) -> int:
        """Pixels between this row and the one above: room for its labels."""
        return ROW_GAP + LABEL_PIXELS * len(self.labelled)


def _rows(loops: Sequence[Loop], faults: Sequence[Finding]) -> list[_Row]:
    """A row for each loop and one for the outputs; what concerns the whole device is labelled at the top."""
    pixels = ROW_PIXELS.get(len(loops), FEWEST_PIXELS)
    rows = []
    for place, loop in enumerate(loops):
        shaded = [finding for finding in faults if finding.is_about(loop.channel)]
        rows.append(_Row(pixels, shaded, [f for f in shaded if f.channel is not None or place == 0]))
    return [*rows, _Row(OUTPUT_PIXELS, [f for f in faults if f.channel is None or len(loops) == 1], [])]


def _draw_channel(
    figure: go.Figure, log: Log, loop: Loop, row: int, count: int, clock: Clock, language: Language
) -> None:
    """Draw setpoint and pv in the channel's row, its output in the row below all channels."""
    colour = CHANNEL_COLOURS[(row - 1) % len(CHANNEL_COLOURS)]
    name = channel_name(log, loop.channel, language)
    hover = f"%{{y:.2f}} {escaped(log.unit)}"
    several = count > 1
    group = str(loop.channel) if several else None
    setpoint = {
        "yaxis": row_axis(row),
        "name": word("setpoint", language),
        "showlegend": row == 1,
        "legendgroup": "setpoint" if several else None,
        "line": {"color": SETPOINT_COLOUR, "width": 1.4, "dash": "dash", "shape": "hv"},
        "hovertemplate": hover,
    }
    pv = {
        "yaxis": row_axis(row),
        "name": name if several else word("pv", language),
        "legendgroup": group,
        "line": {"color": colour, "width": 1.6},
        "hovertemplate": hover,
    }
    output = {
        "yaxis": row_axis(count + 1),
        "name": f"{word('output', language)} {name}" if several else word("output", language),
        "showlegend": not several,
        "legendgroup": group,
        "line": {"color": colour if several else CHANNEL_COLOURS[1], "width": 1.2, "shape": "hv"},
        "hovertemplate": "%{y:.1f} %",
    }
    gap = gap_of(loop)
    _draw_line(figure, clock, *reduced(loop.time, loop.setpoint, gap, True), setpoint)
    _draw_line(figure, clock, *reduced(loop.time, loop.pv, gap, False), pv)
    _draw_line(figure, clock, *reduced(loop.time, loop.output, gap, False), output)


def _draw_line(figure: go.Figure, clock: Clock, time: Floats, value: Floats, look: dict[str, Any]) -> None:
    if time.size:
        figure.add_scatter(
            x=clock.position(time), y=value.astype(np.float32), mode="lines", xaxis="x", **look
        )


def _place_rows(
    figure: go.Figure,
    rows: Sequence[_Row],
    loops: Sequence[Loop],
    log: Log,
    bands: Mapping[int, float],
    language: Language,
) -> None:
    drawn = sum(row.above + row.pixels for row in rows)
    top = float(drawn)
    for number, row in enumerate(rows, start=1):
        top -= row.above
        axis: dict[str, Any] = {
            "domain": [max(0.0, (top - row.pixels) / drawn), top / drawn],
            "title": {"text": _row_title(number, loops, log, language), "font": {"size": 12}},
        }
        if number <= len(loops):
            loop = loops[number - 1]
            axis |= _calm([loop.pv, loop.setpoint], SMALLEST_SPAN * bands.get(loop.channel, 0.0))
        else:
            axis |= _calm([loop.output for loop in loops], SMALLEST_OUTPUT_SPAN)
        figure.update_layout({row_axis(number).replace("y", "yaxis"): axis})
        top -= row.pixels


def _calm(lines: Sequence[Floats], least: float) -> dict[str, Any]:
    """The range of an axis whose lines move less than `least`; else nothing, and Plotly finds it."""
    seen = np.concatenate([line[np.isfinite(line)] for line in lines] or [np.empty(0)])
    if not seen.size or not np.ptp(seen) < least:
        return {}
    middle = float(seen.min() + seen.max()) / 2
    return {"range": [middle - least / 2, middle + least / 2]}


def _row_title(number: int, loops: Sequence[Loop], log: Log, language: Language) -> str:
    if number > len(loops):
        return f"{word('output', language)} (%)"
    return f"{channel_name(log, loops[number - 1].channel, language)} ({escaped(log.unit)})"


PIXELS = 300
WIDEST = 10.0  # bands either side: a start from cold would press the rest flat


def error_chart(
    log: Log,
    findings: Sequence[Finding] = (),
    channels: Sequence[int] | None = None,
    language: Language = "en",
    window: tuple[float, float] | None = None,
    title: str = "",
    excursions: Sequence[Excursion] = (),
    bands: Mapping[int, float] | None = None,
) -> go.Figure:
    """Return the chart of pv less setpoint, every channel in one row, each between its own band.

    The arguments are those of `loop_chart`; channels None: all. Findings of the whole device are shaded.
    """
    loops = [loop for loop in loops_of(log).values() if channels is None or loop.channel in channels]
    clock = clock_of(log, max((float(loop.time[-1]) for loop in loops), default=0.0))
    figure = go.Figure()
    limits = {} if bands is None else {loop.channel: bands[loop.channel] for loop in loops}
    widest, largest = max(limits.values(), default=float("nan")), 0.0
    for place, loop in enumerate(loops):
        x, y = reduced(loop.time, loop.pv - loop.setpoint, gap_of(loop))
        largest = max(largest, float(np.nanmax(np.abs(y))) if y.size else 0.0)
        figure.add_scatter(
            x=clock.position(x),
            y=y.astype(np.float32),
            mode="lines",
            name=channel_name(log, loop.channel, language),
            line={"color": (colour := CHANNEL_COLOURS[place % len(CHANNEL_COLOURS)]), "width": 1.4},
            hovertemplate=f"%{{y:+.2f}} {escaped(log.unit)}",
        )
        for edge in (-limits[loop.channel], limits[loop.channel]) if limits else ():
            figure.add_hline(edge, line={"color": colour, "width": 1, "dash": "dash"})
    of_all = [finding for finding in shown(findings, []) if finding.channel is None]
    for place, finding in enumerate(of_all):
        shade(figure, finding, clock, 1, place, language)
    shade_excursions(figure, excursions, [loop.channel for loop in loops], clock, 1, language)
    mark_lines(figure, of_all, clock, 1, language)
    figure.update_xaxes(anchor="y", **clock.axis(language, window))
    above = ROW_GAP + LABEL_PIXELS * len(of_all)
    _place_axis(figure, above, f"{word('error', language)} ({escaped(log.unit)})", widest, largest)
    return laid_out(figure, title or log.name, PIXELS + above)


def _place_axis(figure: go.Figure, above: int, title: str, band: float, largest: float) -> None:
    """Leave `above` pixels for labels; show the band and most of the `largest` error (in the log's unit)."""
    figure.update_yaxes(domain=[0, PIXELS / (PIXELS + above)], title={"text": title, "font": {"size": 12}})
    if np.isfinite(band):
        reach = min(max(1.2 * largest, 2 * band), WIDEST * band)
        figure.update_yaxes(range=[-reach, reach])

"""How far each channel is from its setpoint, all in one row: what moves together shows."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from instrumentgpt.instruments.charts.frame import (
    LABEL_PIXELS,
    clock_of,
    gap_of,
    mark_lines,
    shade,
    shade_excursions,
    shown,
)
from instrumentgpt.instruments.charts.style import (
    CHANNEL_COLOURS,
    ROW_GAP,
    escaped,
    laid_out,
    reduced,
)
from instrumentgpt.instruments.charts.words import channel_name, word
from instrumentgpt.instruments.findings import Excursion, Finding
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loops import loops_of

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
    own = {} if bands is None else {loop.channel: bands[loop.channel] for loop in loops}
    widest, largest = max(own.values(), default=float("nan")), 0.0
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
        for edge in (-own[loop.channel], own[loop.channel]) if own else ():
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

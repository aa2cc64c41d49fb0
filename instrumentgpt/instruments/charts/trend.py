"""What changes over days: a row for each quantity, a stroke for each segment, a line for a trend."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from instrumentgpt.instruments.analysis.segments import QUANTITIES, Segment, findings_in
from instrumentgpt.instruments.charts import frame
from instrumentgpt.instruments.charts.frame import Canvas, Row, channel_name
from instrumentgpt.instruments.charts.style import CHANNEL_COLOURS, escaped
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.findings import Finding
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.segment_wording import head

ROW_PIXELS = 130
MOST_LABELS = 3  # findings named above the first row
MOST_SHADED = 40  # segments of a row: a browser lays out each


def trend_chart(
    log: Log,
    findings: Sequence[Finding] = (),
    channels: Sequence[int] | None = None,
    language: Language = "en",
    window: tuple[float, float] | None = None,
    title: str = "",
    diagnosis: Diagnosis | None = None,
) -> go.Figure:
    """Return the chart of duty, cycle, noise and offset of each segment, in a row each.

    Strokes of a channel are in its colour, its trends dashed; segments with a finding are shaded.
    The other arguments are those of `loop_chart`.
    """
    chosen = list(channels) if channels is not None else frame.worth_showing(log, findings)
    judged = diagnosis.segments if diagnosis else ()
    segments = [segment for segment in judged if segment.channel in chosen]
    names = [name for name in QUANTITIES if any(np.isfinite(getattr(segment, name)) for segment in segments)]
    faults = [finding for finding in findings if any(findings_in(segment, [finding]) for segment in segments)]
    canvas = Canvas(log, frame.clock_of(log), language)
    rows = list[Row]()
    order = {channel: place for place, channel in enumerate({segment.channel: 0 for segment in segments})}
    for number, name in enumerate(names, start=1):
        for channel, place in order.items():
            colour = CHANNEL_COLOURS[place % len(CHANNEL_COLOURS)]
            mine = [segment for segment in segments if segment.channel == channel]
            _draw_strokes(canvas, mine, name, number, colour)
            canvas.figure["data"][-1].update(
                name=channel_name(log, channel, language),
                showlegend=number == 1,
                legendgroup=str(channel),
                hovertemplate=f"%{{y:.4g}} {escaped(head(name, log, language))}",
            )
            for trend in diagnosis.trends if diagnosis else ():
                if (trend.channel, trend.quantity) == (channel, name):
                    canvas.draw(
                        number,
                        x=canvas.clock.position(np.array([trend.onset, trend.end])),
                        y=[trend.first, trend.last],
                        mode="lines",
                        line={"color": colour, "width": 1.5, "dash": "dash"},
                        showlegend=False,
                        legendgroup=str(trend.channel),
                        hoverinfo="skip",
                    )
        # each finding as far as it reaches into segments; its name stands in the first row
        labels = min(MOST_LABELS, len(faults)) if number == 1 else 0
        for place, finding in enumerate(faults[:MOST_SHADED]):
            frame.shade(canvas, finding, number, place if place < labels else None)
        axis = _scale(name, segments, diagnosis.bands if diagnosis else {})
        rows.append(Row(ROW_PIXELS, escaped(head(name, log, language)), axis, labels))
    return canvas.laid_out(rows, window, title)


def _draw_strokes(canvas: Canvas, segments: Sequence[Segment], name: str, row: int, colour: str) -> None:
    """Draw a stroke from the onset to the end of each segment, at its figure."""
    times = np.array([(segment.onset, segment.middle, *[segment.end] * 2) for segment in segments]).ravel()
    values = np.array([(*[getattr(segment, name)] * 3, np.nan) for segment in segments]).ravel()
    canvas.draw(
        row,
        x=canvas.clock.position(times),
        y=values.astype(np.float32),
        mode="lines+markers",
        line={"color": colour, "width": 3},
        marker={"color": colour, "size": np.tile([0, 6, 0, 0], len(segments))},
    )


def _scale(name: str, segments: Sequence[Segment], bands: Mapping[int, float]) -> dict[str, Any]:
    """Return the range of an axis on which small changes look small: from 0, or at least a band wide."""
    if name != "mean_error":
        return {"rangemode": "tozero"}
    least = max((bands.get(segment.channel, 0.0) for segment in segments), default=0.0)
    reach = max(filter(np.isfinite, [least, *(1.2 * abs(segment.mean_error) for segment in segments)]))
    return {"range": [-reach, reach]} if reach > 0 else {}

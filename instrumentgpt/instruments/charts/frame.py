"""What the rows of a chart share: words, the axis of time, shades of findings, marks of their evidence."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from instrumentgpt.instruments import wording
from instrumentgpt.instruments.charts import style
from instrumentgpt.instruments.charts.style import Chart, escaped
from instrumentgpt.instruments.findings import Excursion, Finding
from instrumentgpt.instruments.language import DAY, Language, phrase
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loop_wording import unexplained
from instrumentgpt.instruments.loops import Floats, Loop

GAP_PERIODS = 12  # sample periods without a sample that are drawn as a gap
EXCURSION = "excursion"  # group of the legend
MOST_SHADED = 200  # excursions of a row, the largest: a browser lays out each
LABEL_PIXELS = 16  # height of a shade's label
EMPTY_PIXELS = 130  # height of a chart without rows
_UNITS = (("s", 1.0), ("min", 60.0), ("h", 3600.0))
LONGEST_NUMBER = 1000  # of a unit of time before the next larger one is used


@dataclass(frozen=True)
class Clock:
    """The axis of time: the log's wall clock, or elapsed time in s, min or h, or rows.

    A wall clock is told in words: a browser shows a number in the time zone of its reader.
    """

    log: Log
    unit: str  # "": wall clock; "row": samples counted
    seconds: float  # that a length of 1 on the axis lasts
    digits: Literal["s", "auto"] = "auto"  # of a wall clock: to the second, or to the log's own last digit

    def position(self, time: Floats) -> np.ndarray:
        """Return where `time` (s) lies on the axis: numbers, or dates as text."""
        if self.unit or self.log.start is None:
            return (time + self.log.counted) / self.seconds
        moments = self.log.start.to_datetime64() + (time * 1e6).astype("timedelta64[us]")
        return np.datetime_as_string(moments, self.digits)

    def at(self, time: float) -> float | str:
        """Return where one moment (s) lies on the axis."""
        position: float | str = self.position(np.array([time]))[0].item()
        return position

    def axis(self, language: Language, window: tuple[float, float] | None = None) -> dict[str, object]:
        """Return the settings of the axis; `window` (s) is what it shows, None: everything."""
        shown: dict[str, object] = {"range": [self.at(time) for time in window]} if window else {}
        if not self.unit:
            return {"type": "date", "hoverformat": "%H:%M:%S.%2f", **shown}
        title = word("row", language) if self.unit == "row" else word("time", language, self.unit)
        return {"title": {"text": title}, "hoverformat": ".1f", **shown}


def row_axis(row: int) -> str:
    """Return the y axis of a row, counted from 1 at the top: "y", "y2", …; all rows share one x axis."""
    return "y" if row == 1 else f"y{row}"


def clock_of(log: Log) -> Clock:
    """Return the axis of time for `log`.

    The wall clock is used if the log has one that was not set on the way: else it would run twice over the
    same hour.
    """
    if "time" in log.missing or "period" in log.missing:
        return Clock(log, "row", 1.0)
    longest = float(log.samples["time"].max()) if len(log.samples) else 0.0
    if log.start is not None and not log.clock_steps:
        return Clock(log, "", 1e-3, "s" if longest > DAY else "auto")
    unit, seconds = next((u for u in _UNITS if longest / u[1] < LONGEST_NUMBER), _UNITS[-1])
    return Clock(log, unit, seconds)


def gap_of(loop: Loop) -> float:
    """Return how many s without a sample are a gap in this loop; inf for fewer than two samples."""
    steps = np.diff(loop.time)
    return GAP_PERIODS * float(np.median(steps)) if steps.size else math.inf


def shown(findings: Sequence[Finding], channels: Sequence[int]) -> list[Finding]:
    """Return the findings that are faults of these channels or of the whole device, worst first as given."""
    return [f for f in findings if f.severity != "none" and (f.channel is None or f.channel in channels)]


def worth_showing(log: Log, findings: Sequence[Finding]) -> list[int]:
    """Return the channels with a fault; all of them if none has one, or the device has."""
    faults = [finding for finding in findings if finding.severity not in ("none", "info")]
    affected = [channel for finding in faults for channel in finding.channels or (finding.channel,)]
    named = [channel for channel in affected if channel is not None]
    everything = [int(channel) for channel in log.samples["channel"].unique()]
    return named if named and None not in affected else everything


@dataclass(frozen=True)
class Row:
    """A row of a chart, as high as `pixels`: what its axis tells, and how many labels stand above it."""

    pixels: int
    title: str
    axis: dict[str, Any] = field(default_factory=dict)  # settings besides, such as its range
    labels: int = 0


@dataclass(frozen=True)
class Canvas:
    """A chart that is being drawn: of which log, over which axis of time, in which language.

    Plotly looks at the figure once, whole, as each part costs as much again.
    """

    log: Log
    clock: Clock
    language: Language
    figure: Chart = field(default_factory=lambda: {"data": [], "layout": {"shapes": [], "annotations": []}})

    def draw(self, row: int, **trace: Any) -> None:
        """Add a line or marks to a row."""
        axes = {"xaxis": "x", "yaxis": row_axis(row)}
        self.figure["data"].append({"type": "scatter", **axes, **trace})

    def laid_out(self, rows: Sequence[Row], window: tuple[float, float] | None, title: str) -> go.Figure:
        """Return the figure with its `rows`, the first at the top, on one axis that shows `window` (s)."""
        above = [style.ROW_GAP + LABEL_PIXELS * row.labels for row in rows]
        drawn = sum(above) + sum(row.pixels for row in rows) or EMPTY_PIXELS
        layout, top = self.figure["layout"], float(drawn)
        for number, (row, gap) in enumerate(zip(rows, above, strict=True), start=1):
            top -= gap
            domain = [max(0.0, (top - row.pixels) / drawn), top / drawn]
            axis = {"domain": domain, "title": {"text": row.title, "font": {"size": 12}}, **row.axis}
            layout[row_axis(number).replace("y", "yaxis")] = axis
            top -= row.pixels
        anchor = row_axis(max(1, len(rows)))
        layout["xaxis"] = {"anchor": anchor, **self.clock.axis(self.language, window)}
        return style.laid_out(self.figure, title or self.log.name, drawn)

    def write(self, **note: object) -> None:
        """Add a text without an arrow, above a place on the axis of time."""
        plain = {"xref": "x", "yanchor": "bottom", "showarrow": False}
        self.figure["layout"]["annotations"].append({**plain, **note})

    def shade(self, row: int, start: float | str, stop: float | str, **look: object) -> None:
        """Shade a row from `start` to `stop` on the axis of time."""
        across = {"xref": "x", "yref": f"{row_axis(row)} domain", "y0": 0, "y1": 1}
        plain = {"type": "rect", "line": {"width": 0}, "layer": "below"}
        self.figure["layout"]["shapes"].append({"x0": start, "x1": stop, **across, **plain, **look})


def shade(canvas: Canvas, finding: Finding, row: int, label: int | None) -> None:
    """Shade the finding's time in one row; `label` counts the labels above one another there, None: none."""
    colour = style.SEVERITY_COLOURS[finding.severity]
    start, stop = canvas.clock.at(finding.onset), canvas.clock.at(max(finding.end, finding.onset))
    canvas.shade(row, start, stop, fillcolor=colour, opacity=style.SHADE_OPACITY)
    for edge in (start, stop):
        line = {"color": colour, "width": 1}
        canvas.shade(row, edge, edge, type="line", line=line, opacity=0.6, layer="above")
    if label is not None:
        canvas.write(
            x=start,
            y=1,
            yref=f"{row_axis(row)} domain",
            text=escaped(wording.title(finding.fault, canvas.language)),
            xanchor="left",
            yshift=1 + LABEL_PIXELS * label,
            font={"color": colour, "size": 12},
        )


def shade_excursions(
    canvas: Canvas, excursions: Sequence[Excursion], channels: Sequence[int], row: int
) -> None:
    """Shade in one row when `channels` were out of their own band and no finding covers it."""
    of_channels = (excursion for excursion in excursions if excursion.channel in channels)
    for excursion in (outside := unexplained(of_channels)[:MOST_SHADED]):
        start, stop = canvas.clock.at(excursion.onset), canvas.clock.at(excursion.end)
        canvas.shade(row, start, stop, fillcolor=style.EXCURSION_COLOUR, opacity=style.EXCURSION_OPACITY)
    if outside and not any(trace.get("legendgroup") == EXCURSION for trace in canvas.figure["data"]):
        canvas.draw(
            row,
            x=[None],
            y=[None],
            mode="lines",
            name=word("excursion", canvas.language),
            legendgroup=EXCURSION,
            line={"color": style.EXCURSION_COLOUR, "width": 12},
            opacity=2 * style.EXCURSION_OPACITY,
            hoverinfo="skip",
        )


def mark_evidence(canvas: Canvas, findings: Sequence[Finding], loop: Loop, row: int) -> None:
    """Mark the samples of `loop` that findings quote, with the numbers of their lines."""
    marks = {
        e.line: (e.time, e.values["pv"], style.SEVERITY_COLOURS[finding.severity])
        for finding in findings
        for e in finding.evidence
        if "pv" in e.values and np.any((loop.line == e.line) & np.isclose(loop.pv, e.values["pv"]))
    }
    if marks:
        times, values, colours = zip(*marks.values(), strict=True)
        canvas.draw(
            row,
            x=canvas.clock.position(np.array(times)),
            y=list(values),
            mode="markers",
            marker={"symbol": "circle-open", "size": 9, "color": list(colours), "line": {"width": 1.6}},
            text=[word("line", canvas.language, f"{line:,}") for line in marks],
            hovertemplate="%{text}: %{y:.2f}<extra></extra>",
            showlegend=False,
        )


def mark_lines(canvas: Canvas, findings: Sequence[Finding], rows: int) -> None:
    """Draw a dotted line where findings quote a line that is no sample, such as a door's, with its number."""
    for finding in findings:
        for quoted in finding.evidence:
            if quoted.values or not math.isfinite(quoted.time):
                continue
            look = {"color": style.SEVERITY_COLOURS[finding.severity], "width": 1.4, "dash": "dot"}
            at = canvas.clock.at(quoted.time)
            for row in range(1, rows + 1):
                canvas.shade(row, at, at, type="line", line=look, layer="above")
            canvas.write(
                x=at,
                y=0,
                yref="y domain",
                text=word("line", canvas.language, f"{quoted.line:,}"),
                xanchor="right",
                font={"color": look["color"], "size": 11},
            )


word = partial(phrase, Path(__file__).with_name("words.toml"))


def channel_name(log: Log, channel: int, language: Language) -> str:
    """Return what people call a channel, safe to stand on a chart: the log's own name, or its number."""
    named = log.channel_names.get(channel)
    return escaped(named) if named else word("channel", language, channel)


def where(finding: Finding, language: Language) -> str:
    """Return whom a finding concerns."""
    if finding.channels:
        return word("channels", language, ", ".join(map(str, finding.channels)))
    return word("device", language) if finding.channel is None else word("channel", language, finding.channel)

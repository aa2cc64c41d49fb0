"""The loop over time: pv, setpoint and output of each channel, findings shaded; pv less setpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from instrumentgpt.instruments.charts import frame, style
from instrumentgpt.instruments.charts.frame import (
    Canvas,
    channel_name,
    fault_name,
    shown,
    where,
    word,
    worth_showing,
)
from instrumentgpt.instruments.findings import Excursion, Finding
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loop_wording import MOST_SHOWN, unexplained
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
    chosen = list(channels) if channels is not None else frame.worth_showing(log, findings)
    loops = [loop for loop in loops_of(log).values() if loop.channel in chosen]
    faults = frame.shown(findings, [loop.channel for loop in loops])
    clock = frame.clock_of(log, max((float(loop.time[-1]) for loop in loops), default=0.0))
    rows = _rows(loops, faults)
    canvas = frame.Canvas(log, clock, language)
    for number, loop in enumerate(loops, start=1):
        _draw_channel(canvas, loop, number, len(loops))
        frame.mark_evidence(canvas, rows[number - 1].findings, loop, number)
    for number, row in enumerate(rows, start=1):
        for finding in row.findings:
            place = row.labelled.index(finding) if finding in row.labelled else None
            frame.shade(canvas, finding, number, place)
    for number, loop in enumerate(loops, start=1):
        frame.shade_excursions(canvas, excursions, [loop.channel], number)
    frame.mark_lines(canvas, faults, len(rows))
    _place_rows(canvas, rows, loops, bands or {})
    xaxis = {"anchor": frame.row_axis(len(rows)), **clock.axis(language, window)}
    canvas.figure["layout"]["xaxis"] = xaxis
    return style.laid_out(canvas.figure, title or log.name, sum(row.above + row.pixels for row in rows))


@dataclass(frozen=True)
class _Row:
    """One row: its height, and the findings shaded in it."""

    pixels: int
    findings: list[Finding]
    labelled: list[Finding]

    @property
    def above(self) -> int:
        """Pixels between this row and the one above: room for its labels."""
        return style.ROW_GAP + frame.LABEL_PIXELS * len(self.labelled)


def _rows(loops: Sequence[Loop], faults: Sequence[Finding]) -> list[_Row]:
    """A row for each loop and one for the outputs; what concerns the whole device is labelled at the top."""
    pixels = ROW_PIXELS.get(len(loops), FEWEST_PIXELS)
    rows = []
    for place, loop in enumerate(loops):
        shaded = [finding for finding in faults if finding.is_about(loop.channel)]
        rows.append(_Row(pixels, shaded, [f for f in shaded if f.channel is not None or place == 0]))
    return [*rows, _Row(OUTPUT_PIXELS, [f for f in faults if f.channel is None or len(loops) == 1], [])]


def _draw_channel(canvas: Canvas, loop: Loop, row: int, count: int) -> None:
    """Draw setpoint and pv in the channel's row, its output in the row below all channels."""
    log, language = canvas.log, canvas.language
    colour = style.CHANNEL_COLOURS[(row - 1) % len(style.CHANNEL_COLOURS)]
    name = channel_name(log, loop.channel, language)
    hover = f"%{{y:.2f}} {style.escaped(log.unit_of(loop.channel))}"
    several = count > 1
    group = str(loop.channel) if several else None
    setpoint = {
        "name": word("setpoint", language),
        "showlegend": row == 1,
        "legendgroup": "setpoint" if several else None,
        "line": {"color": style.SETPOINT_COLOUR, "width": 1.4, "dash": "dash", "shape": "hv"},
        "hovertemplate": hover,
    }
    pv = {
        "name": name if several else word("pv", language),
        "legendgroup": group,
        "line": {"color": colour, "width": 1.6},
        "hovertemplate": hover,
    }
    output = {
        "name": f"{word('output', language)} {name}" if several else word("output", language),
        "showlegend": not several,
        "legendgroup": group,
        "line": {"color": colour if several else style.CHANNEL_COLOURS[1], "width": 1.2, "shape": "hv"},
        "hovertemplate": "%{y:.1f} %",
    }
    lines = ((row, loop.setpoint, setpoint), (row, loop.pv, pv), (count + 1, loop.output, output))
    for place, values, look in lines:
        time, value = style.reduced(loop.time, values, frame.gap_of(loop), look is setpoint)
        if time.size:
            x = canvas.clock.position(time)
            canvas.draw(place, x=x, y=value.astype(np.float32), mode="lines", **look)


def _place_rows(
    canvas: Canvas, rows: Sequence[_Row], loops: Sequence[Loop], bands: Mapping[int, float]
) -> None:
    log, language = canvas.log, canvas.language
    drawn = sum(row.above + row.pixels for row in rows)
    top = float(drawn)
    for number, row in enumerate(rows, start=1):
        top -= row.above
        if number <= len(loops):
            loop = loops[number - 1]
            name = f"{channel_name(log, loop.channel, language)} ({style.escaped(log.unit_of(loop.channel))})"
            calm = _calm([loop.pv, loop.setpoint], SMALLEST_SPAN * bands.get(loop.channel, 0.0))
        else:
            name = f"{word('output', language)} (%)"
            calm = _calm([loop.output for loop in loops], SMALLEST_OUTPUT_SPAN)
        domain = [max(0.0, (top - row.pixels) / drawn), top / drawn]
        axis = {"domain": domain, "title": {"text": name, "font": {"size": 12}}, **calm}
        canvas.figure["layout"][frame.row_axis(number).replace("y", "yaxis")] = axis
        top -= row.pixels


def _calm(lines: Sequence[Floats], least: float) -> dict[str, Any]:
    """The range of an axis whose lines move less than `least`; else nothing, and Plotly finds it."""
    seen = np.concatenate([line[np.isfinite(line)] for line in lines] or [np.empty(0)])
    if not seen.size or not np.ptp(seen) < least:
        return {}
    middle = float(seen.min() + seen.max()) / 2
    return {"range": [middle - least / 2, middle + least / 2]}


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
    clock = frame.clock_of(log, max((float(loop.time[-1]) for loop in loops), default=0.0))
    canvas = frame.Canvas(log, clock, language)
    figure = canvas.figure
    limits = {} if bands is None else {loop.channel: bands[loop.channel] for loop in loops}
    widest, largest = max(limits.values(), default=float("nan")), 0.0
    for place, loop in enumerate(loops):
        x, y = style.reduced(loop.time, loop.pv - loop.setpoint, frame.gap_of(loop))
        largest = max(largest, float(np.nanmax(np.abs(y))) if y.size else 0.0)
        colour = style.CHANNEL_COLOURS[place % len(style.CHANNEL_COLOURS)]
        canvas.draw(
            1,
            x=clock.position(x),
            y=y.astype(np.float32),
            mode="lines",
            name=channel_name(log, loop.channel, language),
            line={"color": colour, "width": 1.4},
            hovertemplate=f"%{{y:+.2f}} {style.escaped(log.unit_of(loop.channel))}",
        )
        for edge in (-limits[loop.channel], limits[loop.channel]) if limits else ():
            line = {"color": colour, "width": 1, "dash": "dash"}
            across = {"type": "line", "x0": 0, "x1": 1, "xref": "x domain", "y0": edge, "y1": edge}
            figure["layout"]["shapes"].append({**across, "yref": "y", "line": line})
    of_all = [finding for finding in frame.shown(findings, []) if finding.channel is None]
    for place, finding in enumerate(of_all):
        frame.shade(canvas, finding, 1, place)
    frame.shade_excursions(canvas, excursions, [loop.channel for loop in loops], 1)
    frame.mark_lines(canvas, of_all, 1)
    figure["layout"]["xaxis"] = {"anchor": "y", **clock.axis(language, window)}
    above = style.ROW_GAP + frame.LABEL_PIXELS * len(of_all)
    name = f"{word('error', language)} ({style.escaped(log.unit)})"
    figure["layout"]["yaxis"] = _axis(above, name, widest, largest)
    return style.laid_out(figure, title or log.name, PIXELS + above)


def _axis(above: int, title: str, band: float, largest: float) -> dict[str, Any]:
    """Leave `above` pixels for labels; show the band and most of the `largest` error (in the log's unit)."""
    axis = {"domain": [0, PIXELS / (PIXELS + above)], "title": {"text": title, "font": {"size": 12}}}
    reach = min(max(1.2 * largest, 2 * band), WIDEST * band)
    return {**axis, "range": [-reach, reach]} if np.isfinite(band) else axis


def text_alternative(
    log: Log,
    findings: Sequence[Finding] = (),
    language: Language = "en",
    channels: Sequence[int] | None = None,
    excursions: Sequence[Excursion] = (),
) -> str:
    """Return in words what `loop_chart` shows of `log`: its span, the channels' ranges, the faults."""
    chosen = list(channels) if channels is not None else worth_showing(log, findings)
    loops = [loop for loop in loops_of(log).values() if loop.channel in chosen]
    last = max((float(loop.time[-1]) for loop in loops), default=0.0)
    sentences = [word("alt", language, name=log.name, start=log.clock(0.0), end=log.clock(last))]
    for loop in loops:
        sentences.append(
            word(
                "alt_channel",
                language,
                channel=log.channel_names.get(loop.channel, loop.channel),
                setpoint=_range(loop.setpoint, log.unit_of(loop.channel), language),
                pv=_range(loop.pv, log.unit_of(loop.channel), language),
                output=_range(loop.output, "%", language),
            )
        )
    faults = shown(findings, [loop.channel for loop in loops])
    for finding in faults:
        named = {"fault": fault_name(finding, language), "where": where(finding, language)}
        when = {"start": log.clock(finding.onset), "end": log.clock(finding.end)}
        sentences.append(word("alt_finding", language, **named, **when))
    outside = unexplained(excursion for excursion in excursions if excursion.channel in chosen)
    for excursion in outside[:MOST_SHOWN]:
        when = {"start": log.clock(excursion.onset), "end": log.clock(excursion.end)}
        size = {"size": f"{excursion.size:+.3g}", "unit": log.unit_of(excursion.channel)}
        sentences.append(word("alt_excursion", language, channel=excursion.channel, **when, **size))
    if not faults and not outside:
        sentences.append(word("alt_none", language))
    return " ".join(sentences) if language == "en" else "".join(sentences)


def _range(values: Floats, unit: str, language: Language) -> str:
    finite = values[np.isfinite(values)]
    if not finite.size:
        return word("unknown", language)
    low, high = float(finite.min()), float(finite.max())
    if low == high:
        return f"{low:.2f} {unit}"
    return word("range", language, f"{low:.2f}", f"{high:.2f}", unit)

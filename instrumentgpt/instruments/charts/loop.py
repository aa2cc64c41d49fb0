"""The loop over time: pv, setpoint and output of each channel, findings shaded; pv less setpoint."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from instrumentgpt.instruments import wording
from instrumentgpt.instruments.charts import frame, style
from instrumentgpt.instruments.charts.frame import (
    Canvas,
    Row,
    channel_name,
    shown,
    where,
    word,
    worth_showing,
)
from instrumentgpt.instruments.diagnosis import Diagnosis
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
    diagnosis: Diagnosis | None = None,
) -> go.Figure:
    """Return the chart of the loops of `log`: a row for each channel's pv and setpoint, one for all outputs.

    channels   which to show; None: those with a fault, or all if none has one or the device has
    window     (start, stop) in s since the log's first line; None: all of it
    title      "": the log's name
    diagnosis  its excursions that no finding covers are shaded, too, and a loop that moves less than its own
               band looks quiet

    A channel the log does not have is left out. Each trace has at most 4,000 points.
    """
    chosen = list(channels) if channels is not None else worth_showing(log, findings)
    loops = [loop for loop in loops_of(log).values() if loop.channel in chosen]
    faults = shown(findings, [loop.channel for loop in loops])
    canvas = Canvas(log, frame.clock_of(log), language)
    bands = diagnosis.bands if diagnosis else {}
    pixels, output = ROW_PIXELS.get(len(loops), FEWEST_PIXELS), word("output", language)
    rows = list[Row]()
    for number, loop in enumerate(loops, start=1):
        _draw_channel(canvas, loop, number, len(loops))
        own = [finding for finding in faults if finding.is_about(loop.channel)]
        frame.mark_evidence(canvas, own, loop, number)
        labelled = [finding for finding in own if finding.channel is not None or number == 1]
        _shade(canvas, own, labelled, number)
        name = f"{channel_name(log, loop.channel, language)} ({style.escaped(log.unit_of(loop.channel))})"
        calm = _calm([loop.pv, loop.setpoint], SMALLEST_SPAN * bands.get(loop.channel, 0.0))
        rows.append(Row(pixels, name, calm, len(labelled)))
    _shade(canvas, [one for one in faults if one.channel is None or len(loops) == 1], (), len(loops) + 1)
    rows.append(
        Row(OUTPUT_PIXELS, f"{output} (%)", _calm([loop.output for loop in loops], SMALLEST_OUTPUT_SPAN))
    )
    for number, loop in enumerate(loops, start=1):
        frame.shade_excursions(canvas, diagnosis.excursions if diagnosis else (), [loop.channel], number)
    frame.mark_lines(canvas, faults, len(rows))
    return canvas.laid_out(rows, window, title)


def _shade(canvas: Canvas, findings: Sequence[Finding], labelled: Sequence[Finding], row: int) -> None:
    for finding in findings:
        frame.shade(canvas, finding, row, labelled.index(finding) if finding in labelled else None)


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
    diagnosis: Diagnosis | None = None,
) -> go.Figure:
    """Return the chart of pv less setpoint, every channel in one row, each between its own band.

    The arguments are those of `loop_chart`; channels None: all. Findings of the whole device are shaded.
    """
    loops = [loop for loop in loops_of(log).values() if channels is None or loop.channel in channels]
    canvas = Canvas(log, frame.clock_of(log), language)
    limits = {loop.channel: diagnosis.bands[loop.channel] for loop in loops} if diagnosis else {}
    widest, largest = max(limits.values(), default=float("nan")), 0.0
    for place, loop in enumerate(loops):
        x, y = style.reduced(loop.time, loop.pv - loop.setpoint, frame.gap_of(loop))
        largest = max(largest, float(np.nanmax(np.abs(y))) if y.size else 0.0)
        colour = style.CHANNEL_COLOURS[place % len(style.CHANNEL_COLOURS)]
        canvas.draw(
            1,
            x=canvas.clock.position(x),
            y=y.astype(np.float32),
            mode="lines",
            name=channel_name(log, loop.channel, language),
            line={"color": colour, "width": 1.4},
            hovertemplate=f"%{{y:+.2f}} {style.escaped(log.unit_of(loop.channel))}",
        )
        for edge in (-limits[loop.channel], limits[loop.channel]) if limits else ():
            line = {"color": colour, "width": 1, "dash": "dash"}
            across = {"type": "line", "x0": 0, "x1": 1, "xref": "x domain", "y0": edge, "y1": edge}
            canvas.figure["layout"]["shapes"].append({**across, "yref": "y", "line": line})
    of_all = [finding for finding in shown(findings, []) if finding.channel is None]
    _shade(canvas, of_all, of_all, 1)
    numbers = [loop.channel for loop in loops]
    frame.shade_excursions(canvas, diagnosis.excursions if diagnosis else (), numbers, 1)
    frame.mark_lines(canvas, of_all, 1)
    reach = min(max(1.2 * largest, 2 * widest), WIDEST * widest)
    axis = {"range": [-reach, reach]} if np.isfinite(widest) else {}
    name = f"{word('error', language)} ({style.escaped(log.unit)})"
    return canvas.laid_out([Row(PIXELS, name, axis, len(of_all))], window, title)


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
        named = {"fault": wording.title(finding.fault, language), "where": where(finding, language)}
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
    return word("range", language, finite.min(), finite.max(), unit)

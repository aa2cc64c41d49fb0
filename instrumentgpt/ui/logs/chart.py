"""The charts of a log: the strip of levels above the loops; a box drawn in either narrows both.

The strip shows how many lines of each level a log has over time: where trouble is.
Two logs are compared in numbers, in words and by their charts, side by side.
"""

import json
import math
from base64 import b64decode
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.charts import CHARTS, text_alternative
from instrumentgpt.instruments.charts.frame import row_axis, worth_showing
from instrumentgpt.instruments.charts.style import template
from instrumentgpt.instruments.compare import Row, compare, fault_changes
from instrumentgpt.instruments.comparison_wording import comparison_sentences, fault_sentence, quantity_name
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.findings import Excursion, Finding
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.messages import level_of
from instrumentgpt.instruments.segment_wording import is_long
from instrumentgpt.ui import session, untrusted
from instrumentgpt.ui.artifacts import draw_figure
from instrumentgpt.ui.controls import one_of, several, text_button
from instrumentgpt.ui.language import language, say
from instrumentgpt.ui.logs import place
from instrumentgpt.ui.logs.place import Window, axis_of, last_moment, line_at, moment_at, within
from instrumentgpt.ui.logs.preparation import Preparation

Located = TypeVar("Located", Finding, Excursion)
KIND, CHANNELS = "logs-chart", "logs-channels"
TITLES = {"loop": "pv, setpoint, output", "error": "pv less setpoint", "trend": "Over days"}
KINDS = {name: name for name in ("errors", "warnings", "info", "readings", "other")}  # of lines, in words
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
TOP_PIXELS = 44  # the legend: the name of the log stands above already
STROKE = 0.03  # of what is shown: a box as narrow is a stroke over one moment; Plotly takes none below 12 px


def draw(preparation: Preparation, name: str) -> None:
    """Draw strip and chart of the prepared log; a box narrows both, a stroke shows the lines there."""
    log = preparation.log
    assert log is not None
    window = st.session_state.get(place.WINDOW)
    findings = preparation.diagnosis.findings if preparation.diagnosis else ()
    _draw_window(log, window)
    _draw_strip(preparation, log, window, name)
    if len(log.samples):
        kind, channels = _draw_choice(log, preparation.diagnosis)
        figure = figure_of(preparation, kind, channels, window)
        page_language = language()
        key = ("words", tuple(channels), window, preparation.diagnosis is not None, page_language)
        excursions = _overlapping(preparation.diagnosis.excursions if preparation.diagnosis else (), window)
        words = preparation.once(
            key, lambda: text_alternative(within(log, window), findings, page_language, channels, excursions)
        )
        _draw_figure(figure, f"chart-{kind}-{name}-{window}", words, log)
    else:
        st.info(say("No sample in this log: there is no loop to draw."), icon=":material/info:")


def figure_of(
    preparation: Preparation, kind: str, channels: Sequence[int], window: Window | None
) -> dict[str, Any]:
    """Return the chart as data, made once; only the samples of the window are in it."""

    page_language = language()

    def make() -> go.Figure:
        log, diagnosis = preparation.log, preparation.diagnosis
        assert log is not None
        findings = _overlapping(diagnosis.findings if diagnosis else (), window)
        figure = CHARTS[kind](
            within(log, window),
            findings,
            language=page_language,
            channels=channels,
            window=window,
            diagnosis=diagnosis,
        )
        margin = {"l": LEFT_PIXELS, "t": TOP_PIXELS}
        return figure.update_layout(title={"text": ""}, margin=margin, **SELECTABLE)

    key = (kind, tuple(channels), window, preparation.diagnosis is not None, page_language)
    return preparation.once(key, lambda: as_data(make()))


def as_data(figure: go.Figure) -> dict[str, Any]:
    """Return a figure as it is kept: the page draws it in a tenth of the time that the figure takes."""
    data: dict[str, Any] = json.loads(figure.to_json())
    return data


def _overlapping(items: Sequence[Located], window: Window | None) -> list[Located]:
    first, last = window or (float("-inf"), float("inf"))
    return [item for item in items if item.onset <= last and item.end >= first]


def _draw_window(log: Log, window: Window | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        first, last = window or (0.0, last_moment(log))
        title = say("Whole log") if window is None else say("Part of the log")
        is_rows = "period" in log.missing
        ends = [say("row {row:,.0f}", row=end + 1) if is_rows else log.clock(end) for end in (first, last)]
        st.caption(untrusted.label(f"{title} · {say('{start} to {end}', start=ends[0], end=ends[1])}", 120))
        if window is not None:
            text_button("zoom_out_map", say("Show all"), None, st.session_state.pop, place.WINDOW, None)
        else:
            st.caption(say("Drag over a chart to narrow it; a short stroke leads to its lines."))


def _draw_strip(preparation: Preparation, log: Log, window: Window | None, name: str) -> None:
    if not len(log.events):
        st.caption(say("No event lines: every line of this log is a reading."))
        return
    figure = preparation.once(("strip", window, language()), lambda: as_data(strip_chart(log, window)))
    words = preparation.once(("strip-words", window, language()), lambda: strip_in_words(log, window))
    _draw_figure(figure, f"strip-{name}-{window}", words, log)


def _draw_choice(log: Log, judged: Diagnosis | None) -> tuple[str, list[int]]:
    available = sorted(int(channel) for channel in log.samples["channel"].unique())
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        kinds = [kind for kind in CHARTS if kind != "trend" or (judged and is_long(judged))]
        kind = one_of(say("Chart"), {kind: say(TITLES[kind]) for kind in kinds}, "loop", KIND)
        picked = []
        if len(available) > 1:
            names = {number: log.channel_names.get(number, str(number)) for number in available}
            words = {number: untrusted.label(name, 20) for number, name in names.items()}
            picked = several(say("Channels; without a choice, those with a finding"), words, CHANNELS)
    channels = [channel for channel in picked if channel in available] or worth_showing(
        log, judged.findings if judged else ()
    )
    return kind, sorted(channels)


def _draw_figure(figure: dict[str, Any], key: str, alt: str, log: Log) -> None:
    """Draw a figure whose selections move the page; its key changes with the window, so none lingers."""
    draw_figure(figure, key, alt, on_select=lambda: _selected(key, log), selection_mode="box")


def _selected(key: str, log: Log) -> None:
    """Narrow to the box that a browser says was drawn; a mere stroke leads to the lines of its moment."""
    clock = axis_of(log)
    try:
        boxes = st.session_state[key]["selection"]["box"]
        first, *_, last = sorted(moment_at(clock, x) for x in boxes[0]["x"]) if boxes else (0.0, 0.0)
    except (ValueError, TypeError, KeyError):
        st.toast(say("That selection cannot be read. Drag from left to right over the curves."))
        return
    if not boxes:
        return
    begin, end = st.session_state.get(place.WINDOW) or (0.0, last_moment(log))
    stroke = last - first < STROKE * (end - begin)
    window = None if stroke else (max(first, 0.0), min(last, last_moment(log)))
    place.go_to(line_at(log, first), window)


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
    finite = np.isfinite(times)
    return edges, {row: np.histogram(times[finite & (kinds == row)], edges)[0] for row in ROWS}


def strip_chart(log: Log, window: Window | None = None) -> go.Figure:
    """Return the strip: a row of bars for each kind of line, over the axis of the log's other charts."""
    edges, by_row = counts(log, window)
    clock = axis_of(log)
    middles = clock.position((edges[:-1] + edges[1:]) / 2)
    figure = go.Figure()
    for number, row in enumerate(ROWS, start=1):
        _draw_row(figure, number, row, middles, float(edges[1] - edges[0]) / clock.seconds, by_row[row])
    figure.update_xaxes(
        anchor=row_axis(len(ROWS)), **clock.axis(language(), (float(edges[0]), float(edges[-1])))
    )
    return figure.update_layout(
        template=template(),
        height=ROW_PIXELS * len(ROWS) + AXIS_PIXELS,
        margin={"t": 4, "b": AXIS_PIXELS - 4, "l": LEFT_PIXELS, "r": 16},
        hovermode="closest",
        bargap=0,
        **SELECTABLE,
    )


def _draw_row(
    figure: go.Figure, number: int, row: str, middles: np.ndarray, width: float, line_counts: np.ndarray
) -> None:
    """Draw the bars of `row` in the middles of the bins that have such lines, and its label at the left."""
    nonzero = line_counts > 0
    heights = np.sqrt(line_counts)  # one line beside thousands must still be seen
    figure.add_bar(
        x=middles[nonzero],
        y=heights[nonzero],
        customdata=line_counts[nonzero],
        width=width,
        marker={"color": ROWS[row][1], "line": {"width": 0}},
        hovertemplate=f"%{{customdata:,}} {say(KINDS[row])}<extra></extra>",
        yaxis=row_axis(number),
        showlegend=False,
    )
    share, top = 1 / len(ROWS), max(float(heights.max()), 1.0)
    axis: dict[str, Any] = {"domain": [1 - number * share, 1 - (number - 1) * share - GAP_SHARE]}
    axis |= {"range": [0, top], "fixedrange": True, "showgrid": False, "title": "", "automargin": False}
    axis |= {"tickvals": [top / 2], "ticktext": [f"{say(KINDS[row])} {int(line_counts.sum()):,}"]}
    figure.update_layout({row_axis(number).replace("y", "yaxis"): axis})


def strip_in_words(log: Log, window: Window | None = None) -> str:
    """Return the strip for those who cannot see it: how many of each, and where most errors are."""
    edges, by_row = counts(log, window)
    totals = ", ".join(f"{int(number.sum()):,} {say(KINDS[row])}" for row, number in by_row.items())
    worst = next((row for row in ROWS if by_row[row].sum()), None)
    if worst is None:
        return say("No event lines in this part of the log.")
    most = int(by_row[worst].argmax())
    since = log.clock(float(edges[most]))
    return say(
        "Lines by level over time: {counts}. Most {kind} from {time}.",
        counts=totals,
        kind=say(KINDS[worst]),
        time=since,
    )


SENTENCE_CHARACTERS = 500
AXIS_MARGIN = 0.05  # of what an axis shows, above and below


def draw_comparison(later: Preparation, earlier: Preparation) -> None:
    """Draw what changed from the earlier log to the later one (by their clocks, if any), and both charts."""
    if later.log is None or earlier.log is None:
        return
    if later.log.start is not None and earlier.log.start is not None and later.log.start < earlier.log.start:
        later, earlier = earlier, later
    before, after = earlier.log, later.log
    assert before is not None and after is not None
    try:
        key = ("compared", str(earlier.path), before.lines)
        result = later.once(key, lambda: compare(before, after))
    except InstrumentGPTError as error:
        st.warning(session.describe(error, SENTENCE_CHARACTERS), icon=":material/info:")
        result = None
    if result is not None:
        head, *changes = comparison_sentences(result, language())
        st.markdown(f"**{untrusted.label(head, SENTENCE_CHARACTERS)}**")
        was, now = earlier.diagnosis, later.diagnosis
        faults = fault_changes(was, now) if was and now else ()
        if faults and not result.notable and not result.events:
            changes = []  # that nothing changed
        for change in (*(fault_sentence(fault, language()) for fault in faults), *changes):
            st.markdown(f"- {untrusted.label(change, SENTENCE_CHARACTERS)}")
        with st.expander(say("All {count} quantities", count=len(result.rows)), icon=":material/table_rows:"):
            st.dataframe(
                [_cells(row) for row in result.rows],
                hide_index=True,
                alt=say("What {log} and {other} have in common", log=result.before, other=result.after),
            )
    _draw_charts(earlier, later)


def _cells(row: Row) -> dict[str, str]:
    """Return a quantity of a channel as a row of the table: head → cell."""
    values = {say("Before"): row.before, say("After"): row.after, say("Ratio"): row.ratio}
    cells = {head: "" if math.isnan(value) else f"{value:.4g}" for head, value in values.items()}
    return {
        say("Channel"): say("device") if row.channel is None else str(row.channel),
        say("Quantity"): quantity_name(row.quantity, language()),
        **cells,
        say("Unit"): row.unit,
        say("Notable"): say("changed") if row.notable else "",
    }


def _draw_charts(*sides: Preparation) -> None:
    """Draw the charts of both, older first, of the channels in which the newer has a finding.

    One degree, percent or minute is as long in both.
    """
    logs = [side.log for side in sides if side.log is not None]
    common = set.intersection(*(set(log.samples["channel"]) for log in logs))
    findings = [side.diagnosis.findings if side.diagnosis else () for side in sides]
    worthy = worth_showing(logs[-1], findings[-1])
    channels = [channel for channel in worthy if channel in common] or sorted(common)
    window = 0.0, max(map(last_moment, logs))
    figures = [figure_of(side, "loop", channels, window) for side in sides] if channels else []
    for column, title, log, log_findings, figure in zip(
        st.columns(2), (say("Before"), say("After")), logs, findings, _on_equal_axes(figures), strict=False
    ):
        with column:
            st.markdown(f"**{title}** · {untrusted.label(log.name, 80)}")
            words = text_alternative(log, log_findings, language(), channels)
            draw_figure(figure, f"compared-{title}-{log.name}", words)


def _on_equal_axes(figures: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return charts of the same rows, each row with the range that holds its lines in all of them."""
    reach: dict[str, list[float]] = defaultdict(list)
    for figure in figures:
        for trace in figure["data"]:
            axis = str(trace.get("yaxis", "y")).replace("y", "yaxis")
            y = trace["y"]
            values = (
                np.frombuffer(b64decode(y["bdata"]), y["dtype"])
                if isinstance(y, dict)
                else np.array(y, float)
            )
            reach[axis] += [float(at(values)) for at in (np.nanmin, np.nanmax) if np.isfinite(values).any()]
            reach[axis] += figure["layout"][axis].get("range", ())
    margins = {axis: AXIS_MARGIN * (max(ends) - min(ends)) for axis, ends in reach.items() if ends}
    ranges = {
        axis: [min(reach[axis]) - margin, max(reach[axis]) + margin] for axis, margin in margins.items()
    }
    layouts = [
        {axis: {**figure["layout"][axis], "range": ranges[axis]} for axis in ranges} for figure in figures
    ]
    return [
        {**figure, "layout": figure["layout"] | axes} for figure, axes in zip(figures, layouts, strict=True)
    ]

"""The charts of a log: the strip of levels above the loops; a box drawn in either narrows both."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import plotly.graph_objects as go
import streamlit as st

from instrumentgpt.instruments.charts import CHARTS, judged_for, text_alternative
from instrumentgpt.instruments.charts.frame import worth_showing
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.findings import Excursion, Finding
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.segment_wording import is_long
from instrumentgpt.ui import untrusted
from instrumentgpt.ui.charts import CONFIG
from instrumentgpt.ui.logs import place, strip
from instrumentgpt.ui.logs.moments import Window, axis_of, last_moment, line_at, moment_at, within
from instrumentgpt.ui.logs.preparation import Preparation, in_words

Shown = TypeVar("Shown", Finding, Excursion)
KIND, CHANNELS = "logs-chart", "logs-channels"
TITLES = {"loop": "pv, setpoint, output", "error": "pv less setpoint", "trend": "over days"}
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
        key = ("words", tuple(channels), window, preparation.diagnosis is not None)
        words = in_words(
            preparation,
            key,
            lambda: text_alternative(
                within(log, window), findings, channels=channels, excursions=_excursions(preparation, window)
            ),
        )
        _draw_figure(figure, f"chart-{kind}-{name}-{window}", words, log)
    else:
        st.info("No sample in this log: there is no loop to draw.", icon=":material/info:")


def figure_of(
    preparation: Preparation, kind: str, channels: Sequence[int], window: Window | None
) -> dict[str, Any]:
    """Return the chart as data, made once; only the samples of the window are in it."""

    def make() -> go.Figure:
        log, diagnosis = preparation.log, preparation.diagnosis
        assert log is not None
        findings = _overlapping(diagnosis.findings if diagnosis else (), window)
        figure = CHARTS[kind](
            within(log, window),
            findings,
            channels=channels,
            window=window,
            **(judged_for(kind, diagnosis) if diagnosis else {}),
        )
        margin = {"l": strip.LEFT_PIXELS, "t": TOP_PIXELS}
        return figure.update_layout(title={"text": ""}, margin=margin, **strip.SELECTABLE)

    key = (kind, tuple(channels), window, preparation.diagnosis is not None)
    return _once(preparation, key, make)


def _once(preparation: Preparation, key: tuple[object, ...], make: Callable[[], go.Figure]) -> dict[str, Any]:
    with preparation.lock:
        if key not in preparation.looked_up:
            preparation.looked_up[key] = json.loads(make().to_json())
        figure = preparation.looked_up[key]
    assert isinstance(figure, dict)
    return figure


def _overlapping(found: Sequence[Shown], window: Window | None) -> list[Shown]:
    first, last = window or (float("-inf"), float("inf"))
    return [one for one in found if one.onset <= last and one.end >= first]


def _excursions(preparation: Preparation, window: Window | None) -> list[Excursion]:
    return _overlapping(preparation.diagnosis.excursions if preparation.diagnosis else (), window)


def _draw_window(log: Log, window: Window | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        first, last = window or (0.0, last_moment(log))
        whole = "Whole log" if window is None else "Part of the log"
        st.caption(f"{whole} · {untrusted.label(log.clock(first))} to {untrusted.label(log.clock(last))}")
        if window is not None:
            st.button(
                "Show all",
                icon=":material/zoom_out_map:",
                type="tertiary",
                on_click=place.show_all,
            )
        else:
            st.caption("Drag over a chart to narrow it; a short stroke leads to its lines.")


def _draw_strip(preparation: Preparation, log: Log, window: Window | None, name: str) -> None:
    if not len(log.events):
        st.caption("No event lines: every line of this log is a reading.")
        return
    figure = _once(preparation, ("strip", window), lambda: strip.strip_chart(log, window))
    words = in_words(preparation, ("strip words", window), lambda: strip.in_words(log, window))
    _draw_figure(figure, f"strip-{name}-{window}", words, log)


def _draw_choice(log: Log, judged: Diagnosis | None) -> tuple[str, list[int]]:
    known = sorted(int(channel) for channel in log.samples["channel"].unique())
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        kind = st.segmented_control(
            "Chart",
            [kind for kind in CHARTS if kind != "trend" or (judged and is_long(judged))],
            default="loop",
            required=True,
            format_func=lambda kind: TITLES.get(kind, kind),
            key=KIND,
        )
        chosen = []
        if len(known) > 1:
            chosen = st.pills(
                "Channels; without a choice, those with a finding",
                known,
                selection_mode="multi",
                format_func=lambda channel: untrusted.label(log.channel_names.get(channel, str(channel)), 20),
                key=CHANNELS,
            )
    shown = [channel for channel in chosen if channel in known] or worth_showing(
        log, judged.findings if judged else ()
    )
    return str(kind), sorted(shown)


def _draw_figure(figure: dict[str, Any], key: str, words: str, log: Log) -> None:
    """Draw a figure whose selections move the page; its key changes with the window, so none lingers."""
    st.plotly_chart(
        figure,
        key=key,
        config=CONFIG,
        alt=words,
        on_select=lambda: _selected(key, log),
        selection_mode="box",
    )


def _selected(key: str, log: Log) -> None:
    """Narrow to the box that a browser says was drawn; a mere stroke leads to the lines of its moment."""
    clock = axis_of(log)
    try:
        boxes = st.session_state[key]["selection"]["box"]
        first, *_, last = sorted(moment_at(clock, x) for x in boxes[0]["x"]) if boxes else (0.0, 0.0)
    except (ValueError, TypeError, KeyError):
        st.toast("That selection cannot be read. Drag from left to right over the curves.")
        return
    if not boxes:
        return
    begin, end = st.session_state.get(place.WINDOW) or (0.0, last_moment(log))
    stroke = last - first < STROKE * (end - begin)
    window = None if stroke else (max(first, 0.0), min(last, last_moment(log)))
    place.go_to(line_at(log, first), window)

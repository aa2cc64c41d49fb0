"""Two logs side by side: what changed in numbers and words, and both charts."""

import math
from base64 import b64decode
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.charts import text_alternative
from instrumentgpt.instruments.charts.frame import worth_showing
from instrumentgpt.instruments.compare import Row, compare, fault_changes
from instrumentgpt.instruments.comparison_wording import comparison_sentences, fault_sentence, quantity_name
from instrumentgpt.ui import session, untrusted
from instrumentgpt.ui.artifacts import draw_figure
from instrumentgpt.ui.language import language, say
from instrumentgpt.ui.logs.chart import figure_of
from instrumentgpt.ui.logs.place import last_moment
from instrumentgpt.ui.logs.preparation import Preparation

SENTENCE_CHARACTERS = 500
MARGIN = 0.05  # of what an axis shows, above and below


def draw(later: Preparation, earlier: Preparation) -> None:
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
    margins = {axis: MARGIN * (max(ends) - min(ends)) for axis, ends in reach.items() if ends}
    ranges = {
        axis: [min(reach[axis]) - margin, max(reach[axis]) + margin] for axis, margin in margins.items()
    }
    layouts = [
        {axis: {**figure["layout"][axis], "range": ranges[axis]} for axis in ranges} for figure in figures
    ]
    return [
        {**figure, "layout": figure["layout"] | axes} for figure, axes in zip(figures, layouts, strict=True)
    ]

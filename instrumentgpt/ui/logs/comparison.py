"""Two logs side by side: what changed in numbers and words, and both charts."""

import math

import streamlit as st

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.charts import text_alternative
from instrumentgpt.instruments.charts.frame import worth_showing
from instrumentgpt.instruments.compare import Row, compare, fault_changes
from instrumentgpt.instruments.comparison_wording import comparison_sentences, fault_sentence, quantity_name
from instrumentgpt.ui import session, untrusted
from instrumentgpt.ui.artifacts import CONFIG
from instrumentgpt.ui.language import language, say
from instrumentgpt.ui.logs.chart import figure_of
from instrumentgpt.ui.logs.preparation import Preparation

SENTENCE_CHARACTERS = 500


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
        found = later.once(key, lambda: compare(before, after))
    except InstrumentGPTError as error:
        st.warning(session.told(error, SENTENCE_CHARACTERS), icon=":material/info:")
        found = None
    if found is not None:
        head, *changes = comparison_sentences(found, language())
        st.markdown(f"**{untrusted.label(head, SENTENCE_CHARACTERS)}**")
        was, now = earlier.diagnosis, later.diagnosis
        faults = fault_changes(was, now) if was and now else ()
        if faults and not found.notable and not found.events:
            changes = []  # that nothing changed
        for change in (*(fault_sentence(fault, language()) for fault in faults), *changes):
            st.markdown(f"- {untrusted.label(change, SENTENCE_CHARACTERS)}")
        with st.expander(say("All {count} quantities", count=len(found.rows)), icon=":material/table_rows:"):
            st.dataframe(
                [_cells(row) for row in found.rows],
                hide_index=True,
                alt=say("What {log} and {other} have in common", log=found.before, other=found.after),
            )
    for side, preparation in zip(st.columns(2), (earlier, later), strict=True):
        with side:
            _draw_side(preparation, say("Before") if preparation is earlier else say("After"), later)


def _cells(row: Row) -> dict[str, str]:
    """Return a quantity of a channel as a row of the table: head → cell."""
    values = {say("Before"): row.before, say("After"): row.after, say("Ratio"): row.ratio}
    shown = {head: "" if math.isnan(value) else f"{value:.4g}" for head, value in values.items()}
    return {
        say("Channel"): say("device") if row.channel is None else str(row.channel),
        say("Quantity"): quantity_name(row.quantity, language()),
        **shown,
        say("Unit"): row.unit,
        say("Notable"): say("changed") if row.notable else "",
    }


def _draw_side(preparation: Preparation, side: str, later: Preparation) -> None:
    """Draw one of the two charts; both show the channels in which the later log has a finding."""
    log = preparation.log
    assert log is not None and later.log is not None
    st.markdown(f"**{side}** · {untrusted.label(log.name, 80)}")
    findings = preparation.diagnosis.findings if preparation.diagnosis else ()
    wanted = worth_showing(later.log, later.diagnosis.findings if later.diagnosis else ())
    known = {int(channel) for channel in log.samples["channel"].unique()}
    channels = [channel for channel in wanted if channel in known] or sorted(known)
    figure = figure_of(preparation, "loop", channels, None)
    words = text_alternative(log, findings, language(), channels)
    st.plotly_chart(figure, key=f"compared-{preparation.path}", config=CONFIG, alt=words)

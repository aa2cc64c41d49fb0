"""How a table was read: which column is what, with the guesses named, and the way to correct them."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from instrumentgpt.instruments.reading.cells import Shape
from instrumentgpt.instruments.reading.sources import chunks, open_source
from instrumentgpt.instruments.reading.tables import named_values, table_shape
from instrumentgpt.ui import untrusted
from instrumentgpt.ui.logs.preparation import Preparation, Reading

READINGS = "logs-readings"  # in the session's state: log's reference → how to read it
ROLES = ("time", "setpoint", "pv", "output")
NONE = "not in the table"
CELL_CHARACTERS = 24


def reading_of(reference: str) -> Reading:
    """Return how the user said that this log is to be read."""
    readings: dict[str, Reading] = st.session_state.get(READINGS, {})
    return readings.get(reference, Reading())


def draw(preparation: Preparation, reference: str) -> None:
    """Draw the columns of a table with a form to correct them; nothing for logs whose lines say it."""
    path, log = preparation.path, preparation.log
    shape = _shape(path) if path and (log is None or log.format.startswith("table")) else None
    asks_period = log is not None and ("period" in log.missing or reading_of(reference).period is not None)
    if shape is None and not asks_period:
        return
    columns = dict(log.columns) if log else {}
    guessed = dict(log.guessed) if log else {}
    unsure = log is None or bool(guessed) or "period" in log.missing
    title = "Columns: please check" if unsure else "Columns"
    with st.expander(title, icon=":material/view_column:", expanded=log is None or "period" in log.missing):
        for name, reason in guessed.items():
            st.caption(f"**{untrusted.label(name)}** was guessed: {untrusted.label(reason, 200)}")
        if log is not None and "period" in log.missing:
            st.caption(
                "The table has no time. Give the seconds between two rows, and what needs them is judged."
            )
        with st.form(f"columns-{reference}", border=False):
            given = _draw_roles(shape, columns, reference) if shape else {}
            period = st.number_input(
                "Seconds between two rows",
                min_value=0.001,
                value=reading_of(reference).period,
                placeholder="from the time column",
                key=f"period-{reference}",
                width=240,
            )
            with st.container(horizontal=True, gap="small"):
                saved = st.form_submit_button("Read it so", type="primary")
                anew = st.form_submit_button("As recognised")
    if saved or anew:
        changed = tuple(given.items()) if given != columns else ()
        kept = Reading(changed or reading_of(reference).columns, period) if saved else Reading()
        st.session_state[READINGS] = {**st.session_state.get(READINGS, {}), reference: kept}
        st.rerun()


def column_names(shape: Shape) -> list[str]:
    """Return what to call each column: its number, as people count, and its heading."""
    headings: Sequence[str] = [heading.text for heading in shape.headings] or [""] * shape.width
    return [f"{number} {text[:CELL_CHARACTERS]}".strip() for number, text in enumerate(headings, start=1)]


def _draw_roles(shape: Shape, columns: dict[str, int], reference: str) -> dict[str, int]:
    names = [NONE, *column_names(shape)]
    chosen = {}
    for role, place in zip(ROLES, st.columns(len(ROLES)), strict=True):
        at = columns.get(role, -1) + 1
        options = range(len(names))
        picked = place.selectbox(
            role, options, index=at, format_func=lambda at: names[at], key=f"column-{role}-{reference}-{at}"
        )
        chosen[role] = int(picked or 0) - 1
    return {role: at for role, at in chosen.items() if at >= 0}


def _shape(path: Path) -> Shape | None:
    for chunk in chunks(open_source(path), chunk_bytes=1 << 18):
        return table_shape(chunk.content, path.name) or named_values(chunk.content)
    return None
